package safety

import (
	"slices"
	"strings"

	"caselsp/agent/ecma"
	"caselsp/agent/syntax"
	"caselsp/agent/validate"
	"caselsp/store/lazyregexp"
)

// What somebody sent to a server in Go, and where it must not go.
var goSentRules = validate.Untested([]validate.Rule{{
	ID: "go-sent-address", Title: "Server-side request forgery (SSRF): user input decides the URL", Severity: validate.Warning, Category: validate.Safety, Standards: []string{"CWE-918"},
	Aliases: validate.Aliases{validate.Gosec: {"G107"}, validate.Term: {"SSRF"}},
	Doc:     "The server then sends requests to hosts chosen by the user, including internal ones. Take the host from an allowlist; part of the path may be user input.",
	File:    "load.go", Bad: "package main\n\nimport \"net/http\"\n\nfunc load(w http.ResponseWriter, r *http.Request) {\n\thttp.Get(r.FormValue(\"url\"))\n}\n",
	Good:  "package main\n\nimport \"net/http\"\n\nfunc load(w http.ResponseWriter, r *http.Request) {\n\thttp.Get(\"https://api.example.com/\" + r.FormValue(\"id\"))\n}\n",
	Check: eachCall(onlyGo, checkGoAddress),
}, {
	ID: "go-sent-html", Title: "Cross-site scripting (XSS): user input reaches a page unescaped", Severity: validate.Critical, Category: validate.Safety, Standards: []string{"CWE-79"},
	Aliases: validate.Aliases{validate.Term: {"XSS", "reflected XSS"}},
	Doc:     "A crafted link then runs scripts in the page of whoever opens it. Insert the value with `html/template`, which escapes, or use `html.EscapeString`.",
	File:    "hello.go", Bad: "package main\n\nimport (\n\t\"fmt\"\n\t\"net/http\"\n)\n\nfunc hello(w http.ResponseWriter, r *http.Request) {\n\tfmt.Fprintf(w, \"<p>Hello %s</p>\", r.FormValue(\"name\"))\n}\n",
	Good:  "package main\n\nimport (\n\t\"fmt\"\n\t\"html\"\n\t\"net/http\"\n)\n\nfunc hello(w http.ResponseWriter, r *http.Request) {\n\tfmt.Fprintf(w, \"<p>Hello %s</p>\", html.EscapeString(r.FormValue(\"name\")))\n}\n",
	Check: eachCall(onlyGo, checkGoHTML),
}, {
	ID: "go-sent-path", Title: "Path traversal: user input reaches a file path", Severity: validate.Warning, Category: validate.Safety, Standards: []string{"CWE-22"},
	Aliases: validate.Aliases{validate.Gosec: {"G304"}, validate.Term: {"directory traversal"}},
	Doc:     "`../` reaches any file of the server. Open it in an `os.Root`, use `filepath.Base`, or serve a folder with `http.FileServer`.",
	File:    "file.go", Bad: "package main\n\nimport (\n\t\"net/http\"\n\t\"os\"\n)\n\nfunc file(w http.ResponseWriter, r *http.Request) {\n\tos.Open(\"docs/\" + r.FormValue(\"name\"))\n}\n",
	Good: "package main\n\nimport (\n\t\"net/http\"\n\t\"os\"\n\t\"path/filepath\"\n)\n\nfunc file(w http.ResponseWriter, r *http.Request) {\n\tos.Open(\"docs/\" + filepath.Base(r.FormValue(\"name\")))\n}\n",
	Check: eachCall(onlyGo, func(p *validate.Pass, c *validate.Code, k ecma.Call) {
		if goPathTakers.MatchString(k.Name) && len(k.List) > 0 && posted(c.QualifiedNames(), k.List[0], sentDepth) {
			p.Node(c, k.Node, "Path traversal: ../ in this input reaches any file. Open it in an os.Root, or use filepath.Base.")
		}
	}),
}})

var (
	// goRequest is a part of a request that a handler of net/http is given.
	goRequest = lazyregexp.New(`^(?:r|req|request)\.(?:FormValue|PostFormValue|PathValue|Header\.Get|URL\.Query\(\)\.Get|UserAgent|Referer)\(|^(?:r|req|request)\.(?:URL\.(?:Path|RawQuery|RawPath)|Form|PostForm|Host)\b|^mux\.Vars\(`)

	goPathTakers = lazyregexp.New(`^(?:os\.(?:Open|OpenFile|Create|ReadFile|WriteFile|Remove|RemoveAll|Mkdir|MkdirAll|ReadDir)|(?:io/)?ioutil\.(?:ReadFile|WriteFile|ReadDir))$`)

	goTextCalls = syntax.WordSet("fmt.Sprintf fmt.Sprint strings.TrimSpace strings.ToLower strings.ToUpper strings.Trim strings.Join string filepath.Join path.Join path/filepath.Join url.QueryUnescape net/url.QueryUnescape")
)

// posted reports whether an expression of Go is what somebody sent, or a text
// that holds it.
func posted(n *ecma.QualifiedNames, x syntax.Node, depth int) bool {
	if x.IsZero() || depth == 0 {
		return false
	}
	depth--
	any := func(list []syntax.Node) bool {
		return slices.ContainsFunc(list, func(c syntax.Node) bool { return posted(n, c, depth) })
	}
	switch x.Kind() {
	case "call_expression":
		if goRequest.MatchString(x.Text()) {
			return true
		}
		fn, args := n.Call(x)
		return (goTextCalls[n.Name(fn)] || goTextCalls[fn.Text()]) && any(args.List)
	case "selector_expression", "index_expression":
		return goRequest.MatchString(x.Text()) || x.Kind() == "index_expression" && posted(n, ecma.FirstNamed(x), depth)
	case "identifier":
		list := n.Find(x, x.Text())
		return len(list) == 1 && list[0].Way == ecma.ByAssignment && list[0].Path == "" && posted(n, list[0].Value, depth)
	case "binary_expression", "parenthesized_expression", "type_conversion_expression", "slice_expression":
		return any(ecma.NamedChildren(x))
	}
	return false
}

func checkGoAddress(p *validate.Pass, c *validate.Code, k ecma.Call) {
	at := 0
	switch {
	case k.Name == "net/http.NewRequest" || k.Name == "http.NewRequest":
		at = 1
	case k.Name == "net/http.NewRequestWithContext" || k.Name == "http.NewRequestWithContext":
		at = 2
	case !goCallers.MatchString(k.Name) && !(slices.Contains([]string{"Get", "Post", "Head", "PostForm"}, k.Base) && strings.HasPrefix(strings.ToLower(k.Node.Text()), "client.")):
		return
	}
	if len(k.List) <= at {
		return
	}
	n := c.QualifiedNames()
	if v := n.Value(k.List[at]); v.Known && headed(v) && posted(n, v.Holes[0], sentDepth) || !v.Known && posted(n, k.List[at], sentDepth) {
		p.Node(c, k.Node, "Server-side request forgery: user input decides which host the server contacts. Take the host from an allowlist.")
	}
}

var goCallers = lazyregexp.New(`^(?:net/)?http\.(?:Get|Post|Head|PostForm)$`)

func checkGoHTML(p *validate.Pass, c *validate.Code, k ecma.Call) {
	n := c.QualifiedNames()
	var parts []syntax.Node
	form := syntax.Node{}
	switch {
	case (k.Name == "fmt.Fprintf" || k.Name == "fmt.Fprint" || k.Name == "fmt.Fprintln" || k.Name == "io.WriteString") && len(k.List) > 1 && goWriter(k.List[0]):
		form, parts = k.List[1], k.List[2:]
	case k.Base == "Write" && len(k.List) == 1 && strings.HasPrefix(k.Node.Text(), "w."):
		form = k.List[0]
		if form.Kind() == "type_conversion_expression" || form.Kind() == "call_expression" {
			if l := ecma.NamedChildren(form); len(l) > 1 {
				form = l[len(l)-1]
				if a := ecma.NamedChildren(form); form.Kind() == "argument_list" && len(a) == 1 {
					form = a[0]
				}
			}
		}
	default:
		return
	}
	v := n.Value(form)
	if !strings.Contains(v.Text, "<") && len(parts) == 0 || len(parts) > 0 && !strings.Contains(v.Text, "<") {
		return
	}
	if slices.ContainsFunc(append(slices.Clone(v.Holes), parts...), func(x syntax.Node) bool { return posted(n, x, sentDepth) }) {
		p.Node(c, k.Node, "Cross-site scripting: user input becomes part of the page. Insert it with html/template, or use html.EscapeString.")
	}
}

// goWriter reports whether an expression is the answer of a handler of net/http.
func goWriter(x syntax.Node) bool {
	return x.Text() == "w" || x.Text() == "rw" || x.Text() == "res" || x.Text() == "writer"
}
