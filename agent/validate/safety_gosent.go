package validate

import (
	"slices"
	"strings"

	"caselsp/agent/syntax"
)

// What somebody sent to a server in Go, and where it must not go.
var safetyGoSentRules = untested([]Rule{{
	ID: "go-sent-address", Title: "What somebody sent becomes the address of a request", Severity: Warning, Category: Safety, Standards: []string{"CWE-918"},
	Doc:  "The server then calls whom strangers want, also machines that only it can reach. Take the host from a list of your own; a part of the path may come from outside.",
	File: "load.go", Bad: "package main\n\nimport \"net/http\"\n\nfunc load(w http.ResponseWriter, r *http.Request) {\n\thttp.Get(r.FormValue(\"url\"))\n}\n",
	Good:  "package main\n\nimport \"net/http\"\n\nfunc load(w http.ResponseWriter, r *http.Request) {\n\thttp.Get(\"https://api.example.com/\" + r.FormValue(\"id\"))\n}\n",
	Check: eachCall(onlyGo, checkGoAddress),
}, {
	ID: "go-sent-html", Title: "What somebody sent becomes a part of a page as it is", Severity: Critical, Category: Safety, Standards: []string{"CWE-79"},
	Doc:  "Whoever makes others open such a link runs scripts in their page. Let `html/template` put it in, which escapes, or use `html.EscapeString`.",
	File: "hello.go", Bad: "package main\n\nimport (\n\t\"fmt\"\n\t\"net/http\"\n)\n\nfunc hello(w http.ResponseWriter, r *http.Request) {\n\tfmt.Fprintf(w, \"<p>Hello %s</p>\", r.FormValue(\"name\"))\n}\n",
	Good:  "package main\n\nimport (\n\t\"fmt\"\n\t\"html\"\n\t\"net/http\"\n)\n\nfunc hello(w http.ResponseWriter, r *http.Request) {\n\tfmt.Fprintf(w, \"<p>Hello %s</p>\", html.EscapeString(r.FormValue(\"name\")))\n}\n",
	Check: eachCall(onlyGo, checkGoHTML),
}, {
	ID: "go-sent-path", Title: "What somebody sent becomes the path of a file", Severity: Warning, Category: Safety, Standards: []string{"CWE-22"},
	Doc:  "Who sends `../` reaches any file of the server. Open it in an `os.Root`, take `filepath.Base` of it, or serve a folder with `http.FileServer`.",
	File: "file.go", Bad: "package main\n\nimport (\n\t\"net/http\"\n\t\"os\"\n)\n\nfunc file(w http.ResponseWriter, r *http.Request) {\n\tos.Open(\"docs/\" + r.FormValue(\"name\"))\n}\n",
	Good: "package main\n\nimport (\n\t\"net/http\"\n\t\"os\"\n\t\"path/filepath\"\n)\n\nfunc file(w http.ResponseWriter, r *http.Request) {\n\tos.Open(\"docs/\" + filepath.Base(r.FormValue(\"name\")))\n}\n",
	Check: eachCall(onlyGo, func(p *Pass, c *Code, k call) {
		if goPathTakers.MatchString(k.name) && len(k.list) > 0 && c.names().posted(k.list[0], sentDepth) {
			p.Node(c, k.node, "Who sends ../ here reaches any file: open it in an os.Root, or take filepath.Base of it.")
		}
	}),
}})

var (
	// goRequest is a part of a request that a handler of net/http is given.
	goRequest = expr(`^(?:r|req|request)\.(?:FormValue|PostFormValue|PathValue|Header\.Get|URL\.Query\(\)\.Get|UserAgent|Referer)\(|^(?:r|req|request)\.(?:URL\.(?:Path|RawQuery|RawPath)|Form|PostForm|Host)\b|^mux\.Vars\(`)

	goPathTakers = expr(`^(?:os\.(?:Open|OpenFile|Create|ReadFile|WriteFile|Remove|RemoveAll|Mkdir|MkdirAll|ReadDir)|(?:io/)?ioutil\.(?:ReadFile|WriteFile|ReadDir))$`)

	goTextCalls = wordSet("fmt.Sprintf fmt.Sprint strings.TrimSpace strings.ToLower strings.ToUpper strings.Trim strings.Join string filepath.Join path.Join path/filepath.Join url.QueryUnescape net/url.QueryUnescape")
)

// posted reports whether an expression of Go is what somebody sent, or a text
// that holds it.
func (n *symbols) posted(x syntax.Node, depth int) bool {
	if x.IsZero() || depth == 0 {
		return false
	}
	depth--
	any := func(list []syntax.Node) bool {
		return slices.ContainsFunc(list, func(c syntax.Node) bool { return n.posted(c, depth) })
	}
	switch x.Kind() {
	case "call_expression":
		if goRequest.MatchString(x.Text()) {
			return true
		}
		fn, args := n.call(x)
		return (goTextCalls[n.name(fn)] || goTextCalls[fn.Text()]) && any(args.list)
	case "selector_expression", "index_expression":
		return goRequest.MatchString(x.Text()) || x.Kind() == "index_expression" && n.posted(firstNamed(x), depth)
	case "identifier":
		list := n.find(x, x.Text())
		return len(list) == 1 && list[0].how == given && list[0].path == "" && n.posted(list[0].value, depth)
	case "binary_expression", "parenthesized_expression", "type_conversion_expression", "slice_expression":
		return any(namedChildren(x))
	}
	return false
}

func checkGoAddress(p *Pass, c *Code, k call) {
	at := 0
	switch {
	case k.name == "net/http.NewRequest" || k.name == "http.NewRequest":
		at = 1
	case k.name == "net/http.NewRequestWithContext" || k.name == "http.NewRequestWithContext":
		at = 2
	case !goCallers.MatchString(k.name) && !(slices.Contains([]string{"Get", "Post", "Head", "PostForm"}, k.base) && strings.HasPrefix(strings.ToLower(k.node.Text()), "client.")):
		return
	}
	if len(k.list) <= at {
		return
	}
	n := c.names()
	if v := n.value(k.list[at]); v.known && headed(v) && n.posted(v.holes[0], sentDepth) || !v.known && n.posted(k.list[at], sentDepth) {
		p.Node(c, k.node, "Strangers decide here whom the server calls: take the host from a list of your own.")
	}
}

var goCallers = expr(`^(?:net/)?http\.(?:Get|Post|Head|PostForm)$`)

func checkGoHTML(p *Pass, c *Code, k call) {
	n := c.names()
	var parts []syntax.Node
	form := syntax.Node{}
	switch {
	case (k.name == "fmt.Fprintf" || k.name == "fmt.Fprint" || k.name == "fmt.Fprintln" || k.name == "io.WriteString") && len(k.list) > 1 && goWriter(k.list[0]):
		form, parts = k.list[1], k.list[2:]
	case k.base == "Write" && len(k.list) == 1 && strings.HasPrefix(k.node.Text(), "w."):
		form = k.list[0]
		if form.Kind() == "type_conversion_expression" || form.Kind() == "call_expression" {
			if l := namedChildren(form); len(l) > 1 {
				form = l[len(l)-1]
				if a := namedChildren(form); form.Kind() == "argument_list" && len(a) == 1 {
					form = a[0]
				}
			}
		}
	default:
		return
	}
	v := n.value(form)
	if !strings.Contains(v.text, "<") && len(parts) == 0 || len(parts) > 0 && !strings.Contains(v.text, "<") {
		return
	}
	if slices.ContainsFunc(append(slices.Clone(v.holes), parts...), func(x syntax.Node) bool { return n.posted(x, sentDepth) }) {
		p.Node(c, k.node, "What somebody sent becomes a part of the page: let html/template put it in, or use html.EscapeString.")
	}
}

// goWriter reports whether an expression is the answer of a handler of net/http.
func goWriter(x syntax.Node) bool {
	return x.Text() == "w" || x.Text() == "rw" || x.Text() == "res" || x.Text() == "writer"
}
