package safety

import (
	"slices"
	"strconv"
	"strings"

	"caselsp/agent/ecma"
	"caselsp/agent/syntax"
	"caselsp/agent/validate"
	"caselsp/store/lazyregexp"
)

// More of what gosec looks for: keys that are used twice, archives that reach out
// of their folder, servers without timeouts, and what is worth a look.
var goAuditRules = validate.Untested([]validate.Rule{{
	ID: "go-fixed-nonce", Title: "Fixed nonce or initialization vector", Severity: validate.Warning, Category: validate.Safety, Standards: []string{"CWE-329"},
	Aliases: validate.Aliases{validate.Gosec: {"G407"}},
	Doc:     "Each message needs its own nonce or initialization vector under one key: two messages with the same one reveal their difference. Fill it from `crypto/rand`.",
	File:    "seal.go", Bad: "package main\n\nimport \"crypto/cipher\"\n\nfunc seal(b cipher.Block) cipher.Stream { return cipher.NewCTR(b, []byte(\"0123456789abcdef\")) }\n",
	Good:  "package main\n\nimport \"crypto/cipher\"\n\nfunc seal(b cipher.Block, nonce []byte) cipher.Stream { return cipher.NewCTR(b, nonce) }\n",
	Check: eachCall(onlyGo, checkGoNonce),
}, {
	ID: "go-zip-slip", Title: "Path traversal in archive extraction (zip slip)", Severity: validate.Warning, Category: validate.Safety, Standards: []string{"CWE-22"},
	Aliases: validate.Aliases{validate.Gosec: {"G305"}, validate.Term: {"zip slip", "tar slip"}},
	Doc:     "An archive entry named `../../.bashrc` is written outside the target folder. Write through an `os.Root`, or check with `filepath.IsLocal` that the name stays inside.",
	File:    "unpack.go", Bad: "package main\n\nimport (\n\t\"archive/zip\"\n\t\"path/filepath\"\n)\n\nfunc unpack(r *zip.Reader, to string) (list []string) {\n\tfor _, f := range r.File {\n\t\tlist = append(list, filepath.Join(to, f.Name))\n\t}\n\treturn list\n}\n",
	Good:  "package main\n\nimport (\n\t\"archive/zip\"\n\t\"path/filepath\"\n)\n\nfunc unpack(r *zip.Reader, to string) (list []string) {\n\tfor _, f := range r.File {\n\t\tif filepath.IsLocal(f.Name) {\n\t\t\tlist = append(list, filepath.Join(to, f.Name))\n\t\t}\n\t}\n\treturn list\n}\n",
	Check: eachCall(onlyGo, checkGoArchive),
}, {
	ID: "go-decompression", Title: "Decompression bomb: unlimited decompression", Severity: validate.Info, Category: validate.Safety, Standards: []string{"CWE-409"},
	Aliases: validate.Aliases{validate.Gosec: {"G110"}, validate.Term: {"zip bomb"}},
	Doc:     "A few kilobytes can decompress to gigabytes. Copy with a limit: `io.CopyN`, `io.LimitReader`.",
	File:    "unpack.go", Bad: "package main\n\nimport (\n\t\"compress/gzip\"\n\t\"io\"\n)\n\nfunc unpack(w io.Writer, r io.Reader) {\n\tz, _ := gzip.NewReader(r)\n\tio.Copy(w, z)\n}\n",
	Good:  "package main\n\nimport (\n\t\"compress/gzip\"\n\t\"io\"\n)\n\nfunc unpack(w io.Writer, r io.Reader) {\n\tz, _ := gzip.NewReader(r)\n\tio.CopyN(w, z, 1<<20)\n}\n",
	Check: eachCall(onlyGo, checkGoUnpack),
}, {
	ID: "go-no-timeout", Title: "HTTP server without timeouts (Slowloris)", Severity: validate.Info, Category: validate.Safety, Standards: []string{"CWE-400"},
	Aliases: validate.Aliases{validate.Gosec: {"G112", "G114"}, validate.Term: {"Slowloris"}},
	Doc: "A client that sends its request header one byte a minute keeps a connection open; a thousand of them exhaust the server (Slowloris). Set `ReadHeaderTimeout` of " +
		"`http.Server`; `http.ListenAndServe` has none.",
	File: "serve.go", Bad: "package main\n\nimport \"net/http\"\n\nfunc main() { http.ListenAndServe(\"localhost:80\", nil) }\n",
	Good:  "package main\n\nimport (\n\t\"net/http\"\n\t\"time\"\n)\n\nvar server = &http.Server{Addr: \"localhost:80\", ReadHeaderTimeout: 9 * time.Second}\n",
	Check: checkGoTimeout,
}, {
	ID: "go-bind-all", Title: "Server listens on all network interfaces", Severity: validate.Info, Category: validate.Safety, Standards: []string{"CWE-605"},
	Aliases: validate.Aliases{validate.Gosec: {"G102"}},
	Doc:     "Without a host, and with `0.0.0.0` or `[::]`, the server accepts connections from every network. `localhost` is enough behind a proxy and in development.",
	File:    "serve.go", Bad: "package main\n\nimport \"net\"\n\nfunc main() { net.Listen(\"tcp\", \":2000\") }\n", Good: "package main\n\nimport \"net\"\n\nfunc main() { net.Listen(\"tcp\", \"localhost:2000\") }\n",
	Check: eachCall(onlyGo, func(p *validate.Pass, c *validate.Code, k ecma.Call) {
		v := c.QualifiedNames().Value(k.At(1, ""))
		if (k.Name == "net.Listen" || k.Name == "crypto/tls.Listen") && v.Known && (strings.HasPrefix(v.Text, ":") || strings.HasPrefix(v.Text, "0.0.0.0:") || strings.HasPrefix(v.Text, "[::]:")) {
			p.Node(c, k.Node, "This accepts connections from every network: listen on localhost if that is enough.")
		}
	}),
}, {
	ID: "go-temp-file", Title: "Predictable temporary file name", Severity: validate.Warning, Category: validate.Safety, Standards: []string{"CWE-377"},
	Aliases: validate.Aliases{validate.Gosec: {"G303"}},
	Doc:     "Another user of the machine can place a file or a link of that name there first. `os.CreateTemp` and `os.MkdirTemp` choose unpredictable names.",
	File:    "save.go", Bad: "package main\n\nimport \"os\"\n\nfunc save() { os.Create(\"/tmp/report\") }\n", Good: "package main\n\nimport \"os\"\n\nfunc save() { os.CreateTemp(\"\", \"report\") }\n",
	Check: eachCall(onlyGo, func(p *validate.Pass, c *validate.Code, k ecma.Call) {
		v := c.QualifiedNames().Value(k.At(0, ""))
		if goMakes[k.Name] && v.Known && (strings.HasPrefix(v.Text, "/tmp/") || strings.HasPrefix(v.Text, "/var/tmp/")) {
			p.Node(c, k.Node, "Another user of this machine can create this file first: use os.CreateTemp.")
		}
	}),
}, {
	ID: "go-file-readable", Title: "File readable by other users of the machine", Severity: validate.Info, Category: validate.Safety, Standards: []string{"CWE-276"},
	Aliases: validate.Aliases{validate.Gosec: {"G301", "G302", "G306"}},
	Doc:     "`0o600` for files and `0o750` for folders are enough for what only the program needs. Files meant for others may be readable.",
	File:    "save.go", Bad: "package main\n\nimport \"os\"\n\nfunc save(b []byte) error { return os.WriteFile(\"keys\", b, 0o644) }\n", Good: "package main\n\nimport \"os\"\n\nfunc save(b []byte) error { return os.WriteFile(\"keys\", b, 0o600) }\n",
	Check: eachCall(onlyGo, checkGoMode),
}, {
	ID: "go-math-random", Title: "Predictable random numbers", Severity: validate.Info, Category: validate.Safety, Standards: []string{"CWE-338"},
	Aliases: validate.Aliases{validate.Gosec: {"G404"}},
	Doc:     "`math/rand` is meant for games, samples and delays. If somebody gains by predicting the next number, use `crypto/rand`.",
	File:    "draw.go", Bad: "package main\n\nimport \"math/rand\"\n\nfunc draw() int { return rand.Intn(6) }\n", Good: "package main\n\nimport \"crypto/rand\"\n\nfunc draw() string { return rand.Text() }\n",
	Check: eachCall(onlyGo, func(p *validate.Pass, c *validate.Code, k ecma.Call) {
		if (strings.HasPrefix(k.Name, "math/rand.") || strings.HasPrefix(k.Name, "math/rand/v2.")) && k.Base != "New" && k.Base != "NewSource" && k.Base != "Seed" && k.Base != "Shuffle" && purpose(c, k.Node) == "" {
			p.Node(c, k.Node, "These numbers are predictable: use crypto/rand if that matters.")
		}
	}),
}, {
	ID: "go-root-folder", Title: "File server that exposes the whole disk", Severity: validate.Warning, Category: validate.Safety, Standards: []string{"CWE-22"},
	Aliases: validate.Aliases{validate.Gosec: {"G111"}},
	Doc:     "`http.Dir(\"/\")` serves every file that the program may read. Name the intended folder.",
	File:    "serve.go", Bad: "package main\n\nimport \"net/http\"\n\nvar files = http.FileServer(http.Dir(\"/\"))\n", Good: "package main\n\nimport \"net/http\"\n\nvar files = http.FileServer(http.Dir(\"public\"))\n",
	Check: eachCall(onlyGo, func(p *validate.Pass, c *validate.Code, k ecma.Call) {
		if v := c.QualifiedNames().Value(k.At(0, "")); k.Name == "net/http.Dir" && v.Constant() && v.Text == "/" {
			p.Node(c, k.Node, "This serves every file of the machine: name the intended folder.")
		}
	}),
}})

var (
	goMakes    = syntax.WordSet("os.Create os.WriteFile os.OpenFile io/ioutil.WriteFile os.Mkdir os.MkdirAll")
	goUnpacker = lazyregexp.New(`^(?:compress/(?:gzip|zlib|bzip2|flate|lzw)\.NewReader(?:Dict)?\(\)|archive/zip\..*Open\(\))$`)
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
		p.Node(c, k.List[at], "This nonce is the same for each message: fill it from crypto/rand.")
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
			p.Node(c, k.Node, "Path traversal: an archive entry such as ../../a leaves the folder. Check with filepath.IsLocal that it stays inside.")
			return
		}
	}
}

func checkGoUnpack(p *validate.Pass, c *validate.Code, k ecma.Call) {
	if (k.Name == "io.Copy" || k.Name == "io.CopyBuffer") && len(k.List) > 1 {
		if name := c.QualifiedNames().Name(k.List[1]); goUnpacker.MatchString(name) || goUnpacker.MatchString(firstResult(c, k.List[1])) {
			p.Node(c, k.Node, "A few bytes can decompress to gigabytes: copy with a limit, using io.CopyN.")
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
			p.Node(c, k.Node, "This server has no timeouts and waits forever for slow clients: use an http.Server with a ReadHeaderTimeout.")
		}
	})(p)
	validate.Nodes(onlyGo, func(p *validate.Pass, c *validate.Code, n syntax.Node) {
		l := ecma.NamedChildren(n)
		if len(l) == 2 && c.QualifiedNames().Name(l[0]) == "net/http.Server" && !strings.Contains(l[1].Text(), "ReadHeaderTimeout") && !strings.Contains(l[1].Text(), "ReadTimeout") && !strings.Contains(c.Tree.Text(), ".ReadHeaderTimeout") {
			p.Node(c, l[0], "This server has no timeouts and waits forever for slow clients: set ReadHeaderTimeout.")
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
		p.Node(c, mode, "Other users of this machine can read this: write 0o600, or 0o750 for a folder, unless they need it.")
	}
}
