package safety

import (
	"slices"
	"strconv"
	"strings"

	"caselsp/agent/ecma"
	"caselsp/agent/syntax"
	"caselsp/agent/validate"
)

// More of what gosec looks for: keys that are used twice, archives that reach out
// of their folder, servers that wait for ever, and what is worth a look.
var goAuditRules = validate.Untested([]validate.Rule{{
	ID: "go-fixed-nonce", Title: "A cipher with a nonce that is always the same", Severity: validate.Warning, Category: validate.Safety, Standards: []string{"CWE-329"},
	Doc:  "With one key, each text needs another nonce or initialization vector: of two texts with the same one, the difference can be read. Fill it from `crypto/rand`.",
	File: "seal.go", Bad: "package main\n\nimport \"crypto/cipher\"\n\nfunc seal(b cipher.Block) cipher.Stream { return cipher.NewCTR(b, []byte(\"0123456789abcdef\")) }\n",
	Good:  "package main\n\nimport \"crypto/cipher\"\n\nfunc seal(b cipher.Block, nonce []byte) cipher.Stream { return cipher.NewCTR(b, nonce) }\n",
	Check: eachCall(onlyGo, checkGoNonce),
}, {
	ID: "go-zip-slip", Title: "An archive's names decide where files are written", Severity: validate.Warning, Category: validate.Safety, Standards: []string{"CWE-22"},
	Doc:  "A name such as `../../.bashrc` in an archive is written outside of the folder. Write through an `os.Root`, or see by `filepath.IsLocal` that the name stays inside.",
	File: "unpack.go", Bad: "package main\n\nimport (\n\t\"archive/zip\"\n\t\"path/filepath\"\n)\n\nfunc unpack(r *zip.Reader, to string) (list []string) {\n\tfor _, f := range r.File {\n\t\tlist = append(list, filepath.Join(to, f.Name))\n\t}\n\treturn list\n}\n",
	Good:  "package main\n\nimport (\n\t\"archive/zip\"\n\t\"path/filepath\"\n)\n\nfunc unpack(r *zip.Reader, to string) (list []string) {\n\tfor _, f := range r.File {\n\t\tif filepath.IsLocal(f.Name) {\n\t\t\tlist = append(list, filepath.Join(to, f.Name))\n\t\t}\n\t}\n\treturn list\n}\n",
	Check: eachCall(onlyGo, checkGoArchive),
}, {
	ID: "go-decompression", Title: "What is unpacked may be without end", Severity: validate.Info, Category: validate.Safety, Standards: []string{"CWE-409"},
	Doc:  "A few kilobytes can unpack to gigabytes. Copy with a limit: `io.CopyN`, `io.LimitReader`.",
	File: "unpack.go", Bad: "package main\n\nimport (\n\t\"compress/gzip\"\n\t\"io\"\n)\n\nfunc unpack(w io.Writer, r io.Reader) {\n\tz, _ := gzip.NewReader(r)\n\tio.Copy(w, z)\n}\n",
	Good:  "package main\n\nimport (\n\t\"compress/gzip\"\n\t\"io\"\n)\n\nfunc unpack(w io.Writer, r io.Reader) {\n\tz, _ := gzip.NewReader(r)\n\tio.CopyN(w, z, 1<<20)\n}\n",
	Check: eachCall(onlyGo, checkGoUnpack),
}, {
	ID: "go-no-timeout", Title: "A server that waits for ever", Severity: validate.Info, Category: validate.Safety, Standards: []string{"CWE-400"},
	Doc:  "Who sends the header of a request a byte a minute keeps a connection open, and a thousand of them the server busy. Give `http.Server` a `ReadHeaderTimeout`; `http.ListenAndServe` has none.",
	File: "serve.go", Bad: "package main\n\nimport \"net/http\"\n\nfunc main() { http.ListenAndServe(\"localhost:80\", nil) }\n",
	Good:  "package main\n\nimport (\n\t\"net/http\"\n\t\"time\"\n)\n\nvar server = &http.Server{Addr: \"localhost:80\", ReadHeaderTimeout: 9 * time.Second}\n",
	Check: checkGoTimeout,
}, {
	ID: "go-bind-all", Title: "A server listens on every network", Severity: validate.Info, Category: validate.Safety, Standards: []string{"CWE-605"},
	Doc:  "Without a host, and with `0.0.0.0` or `[::]`, whoever reaches the machine is let in. `localhost` is enough behind a proxy and while developing.",
	File: "serve.go", Bad: "package main\n\nimport \"net\"\n\nfunc main() { net.Listen(\"tcp\", \":2000\") }\n", Good: "package main\n\nimport \"net\"\n\nfunc main() { net.Listen(\"tcp\", \"localhost:2000\") }\n",
	Check: eachCall(onlyGo, func(p *validate.Pass, c *validate.Code, k ecma.Call) {
		v := c.QualifiedNames().Value(k.At(1, ""))
		if (k.Name == "net.Listen" || k.Name == "crypto/tls.Listen") && v.Known && (strings.HasPrefix(v.Text, ":") || strings.HasPrefix(v.Text, "0.0.0.0:") || strings.HasPrefix(v.Text, "[::]:")) {
			p.Node(c, k.Node, "This lets in whoever reaches the machine: listen on localhost where that is enough.")
		}
	}),
}, {
	ID: "go-temp-file", Title: "A file for a while with a name that anybody can guess", Severity: validate.Warning, Category: validate.Safety, Standards: []string{"CWE-377"},
	Doc:  "Another user of the machine can put a file or a link of that name there first. `os.CreateTemp` and `os.MkdirTemp` make names that nobody knows.",
	File: "save.go", Bad: "package main\n\nimport \"os\"\n\nfunc save() { os.Create(\"/tmp/report\") }\n", Good: "package main\n\nimport \"os\"\n\nfunc save() { os.CreateTemp(\"\", \"report\") }\n",
	Check: eachCall(onlyGo, func(p *validate.Pass, c *validate.Code, k ecma.Call) {
		v := c.QualifiedNames().Value(k.At(0, ""))
		if goMakes[k.Name] && v.Known && (strings.HasPrefix(v.Text, "/tmp/") || strings.HasPrefix(v.Text, "/var/tmp/")) {
			p.Node(c, k.Node, "Anybody on this machine can be there first: use os.CreateTemp.")
		}
	}),
}, {
	ID: "go-file-readable", Title: "A file that others of the machine may read", Severity: validate.Info, Category: validate.Safety, Standards: []string{"CWE-276"},
	Doc:  "`0o600` for files and `0o750` for folders are enough for what only the program needs. What others are to read may be open.",
	File: "save.go", Bad: "package main\n\nimport \"os\"\n\nfunc save(b []byte) error { return os.WriteFile(\"keys\", b, 0o644) }\n", Good: "package main\n\nimport \"os\"\n\nfunc save(b []byte) error { return os.WriteFile(\"keys\", b, 0o600) }\n",
	Check: eachCall(onlyGo, checkGoMode),
}, {
	ID: "go-math-random", Title: "Numbers that can be foretold", Severity: validate.Info, Category: validate.Safety, Standards: []string{"CWE-338"},
	Doc:  "`math/rand` is for games, samples and delays. Where somebody gains by knowing the next number, use `crypto/rand`.",
	File: "draw.go", Bad: "package main\n\nimport \"math/rand\"\n\nfunc draw() int { return rand.Intn(6) }\n", Good: "package main\n\nimport \"crypto/rand\"\n\nfunc draw() string { return rand.Text() }\n",
	Check: eachCall(onlyGo, func(p *validate.Pass, c *validate.Code, k ecma.Call) {
		if (strings.HasPrefix(k.Name, "math/rand.") || strings.HasPrefix(k.Name, "math/rand/v2.")) && k.Base != "New" && k.Base != "NewSource" && k.Base != "Seed" && k.Base != "Shuffle" && purpose(c, k.Node) == "" {
			p.Node(c, k.Node, "Who has seen some of these numbers knows the rest: use crypto/rand where that matters.")
		}
	}),
}, {
	ID: "go-root-folder", Title: "A server of files that serves the whole disk", Severity: validate.Warning, Category: validate.Safety, Standards: []string{"CWE-22"},
	Doc:  "`http.Dir(\"/\")` hands out every file that the program may read. Name the folder that is meant.",
	File: "serve.go", Bad: "package main\n\nimport \"net/http\"\n\nvar files = http.FileServer(http.Dir(\"/\"))\n", Good: "package main\n\nimport \"net/http\"\n\nvar files = http.FileServer(http.Dir(\"public\"))\n",
	Check: eachCall(onlyGo, func(p *validate.Pass, c *validate.Code, k ecma.Call) {
		if v := c.QualifiedNames().Value(k.At(0, "")); k.Name == "net/http.Dir" && v.Constant() && v.Text == "/" {
			p.Node(c, k.Node, "This hands out every file of the machine: name the folder that is meant.")
		}
	}),
}})

var (
	goMakes    = syntax.WordSet("os.Create os.WriteFile os.OpenFile io/ioutil.WriteFile os.Mkdir os.MkdirAll")
	goUnpacker = syntax.Expr(`^(?:compress/(?:gzip|zlib|bzip2|flate|lzw)\.NewReader(?:Dict)?\(\)|archive/zip\..*Open\(\))$`)
)

// fixedBytes reports whether an expression is a list of bytes that stands in the source.
func fixedBytes(n *ecma.QualifiedNames, x syntax.Node) bool {
	for range 4 { // nonce[:], a name, a conversion of a name
		switch x.Kind() {
		case "slice_expression":
			x = ecma.FirstNamed(x)
		case "identifier":
			v := identifierValue(n, x)
			if v.IsZero() {
				return false
			}
			x = v
		default:
			text := strings.Join(strings.Fields(x.Text()), "")
			if (strings.HasPrefix(text, "[]byte{") || strings.HasPrefix(text, "[]byte(")) && len(text) > len("[]byte{}") {
				l := ecma.NamedChildren(x)
				if len(l) == 0 {
					return false
				}
				inside := l[len(l)-1]
				return x.Kind() == "composite_literal" || n.Value(inside).Constant() || inside.Kind() == "argument_list" && n.Value(ecma.FirstNamed(inside)).Constant()
			}
			return false
		}
	}
	return false
}

func checkGoNonce(p *validate.Pass, c *validate.Code, k ecma.Call) {
	at := -1
	switch {
	case slices.Contains([]string{"crypto/cipher.NewCBCEncrypter", "crypto/cipher.NewCFBEncrypter", "crypto/cipher.NewCTR", "crypto/cipher.NewOFB"}, k.Name):
		at = 1
	case k.Base == "Seal" && len(k.List) == 4 && imports(c, "crypto/cipher"):
		at = 1
	}
	if at > 0 && len(k.List) > at && fixedBytes(c.QualifiedNames(), k.List[at]) {
		p.Node(c, k.List[at], "This nonce is the same for each text: fill it from crypto/rand.")
	}
}

func checkGoArchive(p *validate.Pass, c *validate.Code, k ecma.Call) {
	if k.Name != "path/filepath.Join" && k.Name != "path.Join" || !imports(c, "archive/zip") && !imports(c, "archive/tar") {
		return
	}
	f := ecma.Enclosing(k.Node, "function_declaration", "method_declaration", "func_literal")
	if f.IsZero() {
		return
	}
	body := f.Text()
	if strings.Contains(body, "IsLocal(") || strings.Contains(body, "HasPrefix(") || strings.Contains(body, "Contains(") || strings.Contains(body, "Rel(") || strings.Contains(body, "os.Root") || strings.Contains(body, "OpenRoot") {
		return
	}
	for _, x := range k.List {
		if x.Kind() == "selector_expression" && strings.HasSuffix(x.Text(), ".Name") {
			p.Node(c, k.Node, "A name such as ../../a in the archive leads out of the folder: see by filepath.IsLocal that it stays inside.")
			return
		}
	}
}

func checkGoUnpack(p *validate.Pass, c *validate.Code, k ecma.Call) {
	if (k.Name == "io.Copy" || k.Name == "io.CopyBuffer") && len(k.List) > 1 {
		if name := c.QualifiedNames().Name(k.List[1]); goUnpacker.MatchString(name) || goUnpacker.MatchString(firstResult(c, k.List[1])) {
			p.Node(c, k.Node, "A few bytes can unpack to gigabytes: copy with a limit, by io.CopyN.")
		}
	}
}

// firstResult names the call whose first result a name was given: z, err := f().
func firstResult(c *validate.Code, x syntax.Node) string {
	for _, n := range c.Nodes("short_var_declaration", "assignment_statement") {
		l := ecma.NamedChildren(n)
		if len(l) != 2 {
			continue
		}
		if to, from := ecma.FirstNamed(l[0]), ecma.FirstNamed(l[1]); to.Text() == x.Text() && from.Kind() == "call_expression" {
			return c.QualifiedNames().Name(from)
		}
	}
	return ""
}

func checkGoTimeout(p *validate.Pass) {
	eachCall(onlyGo, func(p *validate.Pass, c *validate.Code, k ecma.Call) {
		if slices.Contains([]string{"net/http.ListenAndServe", "net/http.ListenAndServeTLS", "net/http.Serve", "net/http.ServeTLS"}, k.Name) {
			p.Node(c, k.Node, "This server waits for ever for slow clients: make an http.Server with a ReadHeaderTimeout.")
		}
	})(p)
	validate.Nodes(onlyGo, func(p *validate.Pass, c *validate.Code, n syntax.Node) {
		l := ecma.NamedChildren(n)
		if len(l) == 2 && c.QualifiedNames().Name(l[0]) == "net/http.Server" && !strings.Contains(l[1].Text(), "ReadHeaderTimeout") && !strings.Contains(l[1].Text(), "ReadTimeout") && !strings.Contains(c.Tree.Text(), ".ReadHeaderTimeout") {
			p.Node(c, l[0], "This server waits for ever for slow clients: give it a ReadHeaderTimeout.")
		}
	}, "composite_literal")(p)
}

// privateBits are the bits of a mode that only the owner of a file, or of a
// folder also its group, needs.
const (
	privateBits = 0o077
	folderBits  = 0o027
)

func checkGoMode(p *validate.Pass, c *validate.Code, k ecma.Call) {
	bits := int64(privateBits)
	switch k.Name {
	case "os.Mkdir", "os.MkdirAll":
		bits = folderBits
	case "os.WriteFile", "os.Chmod", "os.OpenFile", "io/ioutil.WriteFile":
	default:
		return
	}
	if len(k.List) < 2 {
		return
	}
	mode := k.List[len(k.List)-1]
	if v, err := strconv.ParseInt(strings.ReplaceAll(mode.Text(), "_", ""), 0, 64); mode.Kind() == "int_literal" && err == nil && v&bits != 0 && !openMode.MatchString(mode.Text()) {
		p.Node(c, mode, "Other users of this machine may read this: write 0o600, or 0o750 for a folder, where they need not.")
	}
}
