package safety

import (
	"slices"
	"strings"

	"caselsp/agent/ecma"
	"caselsp/agent/syntax"
	"caselsp/agent/validate"
)

// onlyGo is the language of the rules about Go.
var onlyGo = []syntax.Language{syntax.Go}

// The rules about Go follow gosec's, without those that need types.
var goRules = validate.Untested([]validate.Rule{{
	ID: "go-shell", Title: "A shell runs a command that is made at run time", Severity: validate.Critical, Category: validate.Safety, Standards: []string{"CWE-78"},
	Doc:  "A shell takes `;`, `$( )` and their like in a value for commands of their own. Give `exec.Command` the program and its arguments, without `sh -c`.",
	File: "backup.go", Bad: "package main\n\nimport \"os/exec\"\n\nfunc save(name string) error {\n\treturn exec.Command(\"sh\", \"-c\", \"tar czf \"+name).Run()\n}\n",
	Good:  "package main\n\nimport \"os/exec\"\n\nfunc save(name string) error {\n\treturn exec.Command(\"tar\", \"czf\", \"--\", name).Run()\n}\n",
	Check: eachCall(onlyGo, checkGoShell),
}, {
	ID: "go-process", Title: "A program is started whose name only the run knows", Severity: validate.Info, Category: validate.Safety, Standards: []string{"CWE-78"},
	Doc:  "There is no shell in between, so arguments stay arguments; the name of the program should be no value that somebody else wrote.",
	File: "run.go", Bad: "package main\n\nimport \"os/exec\"\n\nfunc run(program string) error {\n\treturn exec.Command(program).Run()\n}\n",
	Good: "package main\n\nimport \"os/exec\"\n\nfunc run() error {\n\treturn exec.Command(\"git\", \"status\").Run()\n}\n",
	Check: eachCall(onlyGo, func(p *validate.Pass, c *validate.Code, k ecma.Call) {
		if program, _ := goProgram(k); !program.IsZero() && !c.QualifiedNames().Plain(program) {
			p.Node(c, k.Node, "This starts a program that only the run knows: see that nobody else can choose it.")
		}
	}),
}, {
	ID: "go-tls-unverified", Title: "The certificate of the other side is not checked", Severity: validate.Critical, Category: validate.Safety, Standards: []string{"CWE-295"},
	Doc:  "Anybody on the way can then read and change what is sent. Put the certificate of your own authority into `RootCAs`.",
	File: "client.go", Bad: "package main\n\nimport \"crypto/tls\"\n\nvar config = &tls.Config{InsecureSkipVerify: true}\n", Good: "package main\n\nimport \"crypto/tls\"\n\nvar config = &tls.Config{RootCAs: pool}\n",
	Check: validate.Nodes(onlyGo, func(p *validate.Pass, c *validate.Code, n syntax.Node) {
		if m := skipVerify.FindString(n.Text()); m != "" && m == n.Text() {
			p.Node(c, n, "Anybody on the way can read and change what is sent: leave this off, and put your own authority into RootCAs.")
		}
	}, "keyed_element", "assignment_statement"),
}, {
	ID: "go-tls-version", Title: "An old version of TLS is allowed", Severity: validate.Warning, Category: validate.Safety, Standards: []string{"CWE-327"},
	Doc:  "SSL 3 and TLS 1.0 and 1.1 can be broken. Without `MinVersion` Go asks for 1.2.",
	File: "client.go", Bad: "package main\n\nimport \"crypto/tls\"\n\nvar config = &tls.Config{MinVersion: tls.VersionTLS10}\n", Good: "package main\n\nimport \"crypto/tls\"\n\nvar config = &tls.Config{MinVersion: tls.VersionTLS12}\n",
	Check: validate.Nodes(onlyGo, func(p *validate.Pass, c *validate.Code, n syntax.Node) {
		if oldVersion.MatchString(n.Text()) {
			p.Node(c, n, "This version of TLS can be broken: leave it out, or say tls.VersionTLS12.")
		}
	}, "keyed_element", "assignment_statement"),
}, {
	ID: "go-host-key", Title: "An SSH server is trusted whoever it is", Severity: validate.Critical, Category: validate.Safety, Standards: []string{"CWE-295"},
	Doc:  "Anybody on the way can be the server. `golang.org/x/crypto/ssh/knownhosts` reads the known keys.",
	File: "deploy.go", Bad: "package main\n\nimport \"golang.org/x/crypto/ssh\"\n\nvar config = &ssh.ClientConfig{HostKeyCallback: ssh.InsecureIgnoreHostKey()}\n",
	Good:  "package main\n\nimport \"golang.org/x/crypto/ssh\"\n\nvar config = &ssh.ClientConfig{HostKeyCallback: ssh.FixedHostKey(key)}\n",
	Check: eachCallOf(onlyGo, map[string]string{"golang.org/x/crypto/ssh.InsecureIgnoreHostKey": "Anybody on the way can be this server: read the known keys with ssh/knownhosts."}),
}, {
	ID: "go-weak-crypto", Title: "A hash, a cipher or a key that can be broken", Severity: validate.Warning, Category: validate.Safety, Standards: []string{"CWE-327"},
	Doc:  "MD5 and SHA-1 can be forged, DES and RC4 give parts of the text away, RSA keys below 2,048 bits are too short. Use SHA-256, AES-GCM and 3,072 bits.",
	File: "sign.go", Bad: "package main\n\nimport \"crypto/md5\"\n\nfunc sign(b []byte) [16]byte { return md5.Sum(b) }\n", Good: "package main\n\nimport \"crypto/sha256\"\n\nfunc sign(b []byte) [32]byte { return sha256.Sum256(b) }\n",
	Check: eachCall(onlyGo, func(p *validate.Pass, c *validate.Code, k ecma.Call) {
		if text := goWeak[k.Name]; text != "" {
			p.Node(c, k.Node, "%s", text)
		}
		if bits := k.At(1, ""); k.Name == "crypto/rsa.GenerateKey" && !bits.IsZero() && bits.Kind() == "int_literal" && len(bits.Text()) < 5 && bits.Text() < "2048" {
			p.Node(c, bits, "A key of %s bits is too short to be safe: make it 3072.", bits.Text())
		}
	}),
}, {
	ID: "go-weak-random", Title: "A secret is made of numbers that can be foretold", Severity: validate.Warning, Category: validate.Safety, Standards: []string{"CWE-338"},
	Doc:  "`math/rand` is for games and samples. `crypto/rand.Text` and `crypto/rand.Read` are made for secrets. Only names that speak of one count.",
	File: "reset.go", Bad: "package main\n\nimport \"math/rand\"\n\nfunc code() int {\n\ttoken := rand.Int()\n\treturn token\n}\n", Good: "package main\n\nimport \"crypto/rand\"\n\nfunc code() string {\n\ttoken := rand.Text()\n\treturn token\n}\n",
	Check: eachCall(onlyGo, func(p *validate.Pass, c *validate.Code, k ecma.Call) {
		if strings.HasPrefix(k.Name, "math/rand.") || strings.HasPrefix(k.Name, "math/rand/v2.") {
			if name := purpose(c, k.Node); name != "" {
				p.Node(c, k.Node, "Who has seen some of these numbers knows the rest: make %s with crypto/rand.", name)
			}
		}
	}),
}, {
	ID: "go-template-html", Title: "A value is declared to be safe HTML", Severity: validate.Warning, Category: validate.Safety, Standards: []string{"CWE-79"},
	Doc:  "`template.HTML` and its like switch the escaping of html/template off for the value. Leave it a string, or clean it before. Constants pass.",
	File: "page.go", Bad: "package main\n\nimport \"html/template\"\n\nfunc body(s string) template.HTML { return template.HTML(s) }\n", Good: "package main\n\nimport \"html/template\"\n\nvar rule = template.HTML(\"<hr>\")\n",
	Check: eachCall(onlyGo, func(p *validate.Pass, c *validate.Code, k ecma.Call) {
		if x := k.At(0, ""); unescaped.MatchString(k.Name) && !x.IsZero() && !c.QualifiedNames().Plain(x) && !harmless(c.QualifiedNames(), x, "html/template.HTMLEscapeString()", "html.EscapeString()") {
			p.Node(c, k.Node, "This value stands in pages as it is: leave it a string, which html/template escapes, or clean it before.")
		}
	}),
}, {
	ID: "go-file-mode", Title: "A file is made writable for everybody", Severity: validate.Warning, Category: validate.Safety, Standards: []string{"CWE-732"},
	Doc:  "Any user of the machine can then change what is in it. `0o644` lets others read, `0o600` nobody but the owner.",
	File: "write.go", Bad: "package main\n\nimport \"os\"\n\nfunc save(b []byte) error { return os.WriteFile(\"a.conf\", b, 0o666) }\n", Good: "package main\n\nimport \"os\"\n\nfunc save(b []byte) error { return os.WriteFile(\"a.conf\", b, 0o600) }\n",
	Check: eachCall(onlyGo, func(p *validate.Pass, c *validate.Code, k ecma.Call) {
		if slices.Contains([]string{"os.WriteFile", "io/ioutil.WriteFile", "os.Chmod"}, k.Name) && len(k.List) > 1 {
			if mode := k.List[len(k.List)-1]; mode.Kind() == "int_literal" && openMode.MatchString(mode.Text()) {
				p.Node(c, mode, "Every user of this machine can then write it: take the 2 out of the last digit.")
			}
		}
	}),
}, {
	ID: "go-pprof", Title: "The profiler is served with everything else", Severity: validate.Warning, Category: validate.Safety, Standards: []string{"CWE-200"},
	Doc:  "Importing `net/http/pprof` puts it under /debug/pprof of the default server: whoever reaches that sees the memory of the process. Serve it on an address of its own.",
	File: "main.go", Bad: "package main\n\nimport (\n\t\"net/http\"\n\t_ \"net/http/pprof\"\n)\n\nfunc main() { http.ListenAndServe(\":80\", nil) }\n", Good: "package main\n\nimport \"net/http\"\n\nfunc main() { http.ListenAndServe(\":80\", nil) }\n",
	Check: validate.Nodes(onlyGo, func(p *validate.Pass, c *validate.Code, n syntax.Node) {
		if strings.Trim(ecma.TextOf(n.Child("interpreted_string_literal")), `"`) == "net/http/pprof" && !n.Child("blank_identifier").IsZero() {
			p.Node(c, n, "Whoever reaches the default server sees the memory of this process: serve pprof on an address of its own.")
		}
	}, "import_spec"),
}})

var (
	skipVerify = syntax.Expr(`^(?:[\w.]+\.)?InsecureSkipVerify\s*[:=]\s*true$`)
	oldVersion = syntax.Expr(`^(?:[\w.]+\.)?M(?:in|ax)Version\s*[:=]\s*tls\.Version(?:SSL30|TLS10|TLS11)$`)
	unescaped  = syntax.Expr(`^html/template\.(?:HTML|HTMLAttr|JS|JSStr|CSS|URL|Srcset)$`)
	openMode   = syntax.Expr(`^0o?[0-7]{0,3}[2367]$`)

	goWeak = map[string]string{
		"crypto/md5.New": goHash, "crypto/md5.Sum": goHash, "crypto/sha1.New": goHash, "crypto/sha1.Sum": goHash, "golang.org/x/crypto/md4.New": goHash, "golang.org/x/crypto/ripemd160.New": goHash,
		"crypto/des.NewCipher": goCipher, "crypto/des.NewTripleDESCipher": goCipher, "crypto/rc4.NewCipher": goCipher,
	}
)

const (
	goHash   = "This hash can be forged: use crypto/sha256; for passwords golang.org/x/crypto/bcrypt."
	goCipher = "This cipher gives parts of the text away: use AES with cipher.NewGCM."
)

// goProgram returns the program that a call starts, and its arguments.
func goProgram(k ecma.Call) (program syntax.Node, arguments []syntax.Node) {
	list := k.List
	switch k.Name {
	case "os/exec.CommandContext":
		list = list[min(1, len(list)):]
	case "os/exec.Command", "syscall.Exec", "os.StartProcess":
	default:
		return program, nil
	}
	if len(list) == 0 {
		return program, nil
	}
	return list[0], list[1:]
}

func checkGoShell(p *validate.Pass, c *validate.Code, k ecma.Call) {
	program, arguments := goProgram(k)
	if program.IsZero() || len(arguments) < 2 {
		return
	}
	n := c.QualifiedNames()
	v := n.Value(program)
	name := v.Text[strings.LastIndexAny(v.Text, `/\`)+1:]
	flag := n.Value(arguments[0]).Text
	if v.Constant() && slices.Contains([]string{"sh", "bash", "zsh", "dash", "cmd", "cmd.exe", "powershell", "pwsh"}, name) && (strings.HasSuffix(flag, "c") || strings.EqualFold(flag, "/c") || strings.EqualFold(flag, "-Command")) && !quotedCommand(c, arguments[1]) {
		p.Node(c, k.Node, "A shell runs a command that is made at run time: give the program and its arguments without a shell.")
	}
}
