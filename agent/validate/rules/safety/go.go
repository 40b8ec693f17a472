package safety

import (
	"slices"
	"strings"

	"caselsp/agent/ecma"
	"caselsp/agent/syntax"
	"caselsp/agent/validate"
	"caselsp/store/lazyregexp"
)

// onlyGo is the language of the rules about Go.
var onlyGo = []syntax.Language{syntax.Go}

// The rules about Go follow gosec's, without those that need types.
var goRules = validate.Untested([]validate.Rule{{
	ID: "go-shell", Title: "Command injection: shell command built at run time", Severity: validate.Critical, Category: validate.Safety, Standards: []string{"CWE-78"},
	Aliases: validate.Aliases{validate.Gosec: {"G204"}},
	Doc:     "The shell runs `;`, `$( )` and other metacharacters in a value as commands. Pass `exec.Command` the program and its arguments, without `sh -c`.",
	File:    "backup.go", Bad: "package main\n\nimport \"os/exec\"\n\nfunc save(name string) error {\n\treturn exec.Command(\"sh\", \"-c\", \"tar czf \"+name).Run()\n}\n",
	Good:  "package main\n\nimport \"os/exec\"\n\nfunc save(name string) error {\n\treturn exec.Command(\"tar\", \"czf\", \"--\", name).Run()\n}\n",
	Check: eachCall(onlyGo, checkGoShell),
}, {
	ID: "go-process", Title: "Process started with a program name known only at run time", Severity: validate.Info, Category: validate.Safety, Standards: []string{"CWE-78"},
	Aliases: validate.Aliases{validate.Gosec: {"G204"}},
	Doc:     "No shell is involved, so arguments stay arguments; the program's name should not come from untrusted input.",
	File:    "run.go", Bad: "package main\n\nimport \"os/exec\"\n\nfunc run(program string) error {\n\treturn exec.Command(program).Run()\n}\n",
	Good: "package main\n\nimport \"os/exec\"\n\nfunc run() error {\n\treturn exec.Command(\"git\", \"status\").Run()\n}\n",
	Check: eachCall(onlyGo, func(p *validate.Pass, c *validate.Code, k ecma.Call) {
		if program, _ := goProgram(k); !program.IsZero() && !c.QualifiedNames().Plain(program) {
			p.Node(c, k.Node, "The program's name is known only at run time: make sure that untrusted input cannot choose it.")
		}
	}),
}, {
	ID: "go-tls-unverified", Title: "TLS certificate verification disabled (man in the middle)", Severity: validate.Critical, Category: validate.Safety, Standards: []string{"CWE-295"},
	Aliases: validate.Aliases{validate.Gosec: {"G402"}, validate.Term: {"InsecureSkipVerify", "MITM"}},
	Doc:     "Anyone on the network path can then read and change the traffic. Put the certificate of your own authority into `RootCAs`.",
	File:    "client.go", Bad: "package main\n\nimport \"crypto/tls\"\n\nvar config = &tls.Config{InsecureSkipVerify: true}\n", Good: "package main\n\nimport \"crypto/tls\"\n\nvar config = &tls.Config{RootCAs: pool}\n",
	Check: validate.Nodes(onlyGo, func(p *validate.Pass, c *validate.Code, n syntax.Node) {
		if m := skipVerify.FindString(n.Text()); m != "" && m == n.Text() {
			p.Node(c, n, "Anyone on the network path can read and change this traffic (man in the middle): remove this, and put your own authority into RootCAs.")
		}
	}, "keyed_element", "assignment_statement"),
}, {
	ID: "go-tls-version", Title: "Obsolete TLS version allowed", Severity: validate.Warning, Category: validate.Safety, Standards: []string{"CWE-327"},
	Aliases: validate.Aliases{validate.Gosec: {"G402"}},
	Doc:     "SSL 3 and TLS 1.0 and 1.1 are broken. Without `MinVersion` Go requires 1.2.",
	File:    "client.go", Bad: "package main\n\nimport \"crypto/tls\"\n\nvar config = &tls.Config{MinVersion: tls.VersionTLS10}\n", Good: "package main\n\nimport \"crypto/tls\"\n\nvar config = &tls.Config{MinVersion: tls.VersionTLS12}\n",
	Check: validate.Nodes(onlyGo, func(p *validate.Pass, c *validate.Code, n syntax.Node) {
		if oldVersion.MatchString(n.Text()) {
			p.Node(c, n, "This TLS version is broken: remove it, or write tls.VersionTLS12.")
		}
	}, "keyed_element", "assignment_statement"),
}, {
	ID: "go-host-key", Title: "SSH host key verification disabled (man in the middle)", Severity: validate.Critical, Category: validate.Safety, Standards: []string{"CWE-295"},
	Aliases: validate.Aliases{validate.Gosec: {"G106"}, validate.Term: {"InsecureIgnoreHostKey", "MITM"}},
	Doc:     "Anyone on the network path can pose as the server. `golang.org/x/crypto/ssh/knownhosts` reads the known keys.",
	File:    "deploy.go", Bad: "package main\n\nimport \"golang.org/x/crypto/ssh\"\n\nvar config = &ssh.ClientConfig{HostKeyCallback: ssh.InsecureIgnoreHostKey()}\n",
	Good:  "package main\n\nimport \"golang.org/x/crypto/ssh\"\n\nvar config = &ssh.ClientConfig{HostKeyCallback: ssh.FixedHostKey(key)}\n",
	Check: eachCallOf(onlyGo, map[string]string{"golang.org/x/crypto/ssh.InsecureIgnoreHostKey": "Anyone on the network path can pose as this server (man in the middle): read the known keys with ssh/knownhosts."}),
}, {
	ID: "go-weak-crypto", Title: "Weak hash, cipher or key", Severity: validate.Warning, Category: validate.Safety, Standards: []string{"CWE-327"},
	Aliases: validate.Aliases{validate.Gosec: {"G401", "G403", "G405", "G501", "G502", "G503", "G505"}},
	Doc:     "MD5 and SHA-1 have collisions, DES and RC4 reveal parts of the text, RSA keys below 2,048 bits are too short. Use SHA-256, AES-GCM and 3,072 bits.",
	File:    "sign.go", Bad: "package main\n\nimport \"crypto/md5\"\n\nfunc sign(b []byte) [16]byte { return md5.Sum(b) }\n", Good: "package main\n\nimport \"crypto/sha256\"\n\nfunc sign(b []byte) [32]byte { return sha256.Sum256(b) }\n",
	Check: eachCall(onlyGo, func(p *validate.Pass, c *validate.Code, k ecma.Call) {
		if text := goWeak[k.Name]; text != "" {
			p.Node(c, k.Node, "%s", text)
		}
		if bits := k.At(1, ""); k.Name == "crypto/rsa.GenerateKey" && !bits.IsZero() && bits.Kind() == "int_literal" && len(bits.Text()) < 5 && bits.Text() < "2048" {
			p.Node(c, bits, "A key of %s bits is too short to be safe: use 3072.", bits.Text())
		}
	}),
}, {
	ID: "go-weak-random", Title: "Predictable random numbers used for a secret", Severity: validate.Warning, Category: validate.Safety, Standards: []string{"CWE-338"},
	Aliases: validate.Aliases{validate.Gosec: {"G404"}},
	Doc:     "`math/rand` is meant for games and samples. Use `crypto/rand.Text` and `crypto/rand.Read` for secrets. Only names that suggest a secret are reported.",
	File:    "reset.go", Bad: "package main\n\nimport \"math/rand\"\n\nfunc code() int {\n\ttoken := rand.Int()\n\treturn token\n}\n", Good: "package main\n\nimport \"crypto/rand\"\n\nfunc code() string {\n\ttoken := rand.Text()\n\treturn token\n}\n",
	Check: eachCall(onlyGo, func(p *validate.Pass, c *validate.Code, k ecma.Call) {
		if strings.HasPrefix(k.Name, "math/rand.") || strings.HasPrefix(k.Name, "math/rand/v2.") {
			if name := purpose(c, k.Node); name != "" {
				p.Node(c, k.Node, "These numbers are predictable: create %s with crypto/rand.", name)
			}
		}
	}),
}, {
	ID: "go-template-html", Title: "Value marked as safe HTML (XSS)", Severity: validate.Warning, Category: validate.Safety, Standards: []string{"CWE-79"},
	Aliases: validate.Aliases{validate.Gosec: {"G203"}, validate.Term: {"XSS"}},
	Doc:     "`template.HTML` and similar types switch off the escaping of html/template for the value. Keep it a string, or sanitize it first. Constants pass.",
	File:    "page.go", Bad: "package main\n\nimport \"html/template\"\n\nfunc body(s string) template.HTML { return template.HTML(s) }\n", Good: "package main\n\nimport \"html/template\"\n\nvar rule = template.HTML(\"<hr>\")\n",
	Check: eachCall(onlyGo, func(p *validate.Pass, c *validate.Code, k ecma.Call) {
		if x := k.At(0, ""); unescaped.MatchString(k.Name) && !x.IsZero() && !c.QualifiedNames().Plain(x) && !harmless(c.QualifiedNames(), x, "html/template.HTMLEscapeString()", "html.EscapeString()") {
			p.Node(c, k.Node, "This value is not escaped in pages: keep it a string, which html/template escapes, or sanitize it first.")
		}
	}),
}, {
	ID: "go-file-mode", Title: "World-writable file permissions", Severity: validate.Warning, Category: validate.Safety, Standards: []string{"CWE-732"},
	Aliases: validate.Aliases{validate.Gosec: {"G302", "G306"}},
	Doc:     "Any user of the machine can then change its content. Use `0o644` to let others read it, `0o600` for the owner alone.",
	File:    "write.go", Bad: "package main\n\nimport \"os\"\n\nfunc save(b []byte) error { return os.WriteFile(\"a.conf\", b, 0o666) }\n", Good: "package main\n\nimport \"os\"\n\nfunc save(b []byte) error { return os.WriteFile(\"a.conf\", b, 0o600) }\n",
	Check: eachCall(onlyGo, func(p *validate.Pass, c *validate.Code, k ecma.Call) {
		if slices.Contains([]string{"os.WriteFile", "io/ioutil.WriteFile", "os.Chmod"}, k.Name) && len(k.List) > 1 {
			if mode := k.List[len(k.List)-1]; mode.Kind() == "int_literal" && openMode.MatchString(mode.Text()) {
				p.Node(c, mode, "Every user of this machine can write this file: remove 2 from the last digit.")
			}
		}
	}),
}, {
	ID: "go-pprof", Title: "Profiling endpoint exposed (net/http/pprof)", Severity: validate.Warning, Category: validate.Safety, Standards: []string{"CWE-200"},
	Aliases: validate.Aliases{validate.Gosec: {"G108"}},
	Doc:     "Importing `net/http/pprof` registers /debug/pprof on the default server: anyone who reaches it sees the memory of the process. Serve it on a separate address.",
	File:    "main.go", Bad: "package main\n\nimport (\n\t\"net/http\"\n\t_ \"net/http/pprof\"\n)\n\nfunc main() { http.ListenAndServe(\":80\", nil) }\n", Good: "package main\n\nimport \"net/http\"\n\nfunc main() { http.ListenAndServe(\":80\", nil) }\n",
	Check: validate.Nodes(onlyGo, func(p *validate.Pass, c *validate.Code, n syntax.Node) {
		if strings.Trim(ecma.TextOf(n.Child("interpreted_string_literal")), `"`) == "net/http/pprof" && !n.Child("blank_identifier").IsZero() {
			p.Node(c, n, "Anyone who reaches the default server sees the memory of this process: serve pprof on a separate address.")
		}
	}, "import_spec"),
}})

var (
	skipVerify = lazyregexp.New(`^(?:[\w.]+\.)?InsecureSkipVerify\s*[:=]\s*true$`)
	oldVersion = lazyregexp.New(`^(?:[\w.]+\.)?M(?:in|ax)Version\s*[:=]\s*tls\.Version(?:SSL30|TLS10|TLS11)$`)
	unescaped  = lazyregexp.New(`^html/template\.(?:HTML|HTMLAttr|JS|JSStr|CSS|URL|Srcset)$`)
	openMode   = lazyregexp.New(`^0o?[0-7]{0,3}[2367]$`)

	goWeak = map[string]string{
		"crypto/md5.New": goHash, "crypto/md5.Sum": goHash, "crypto/sha1.New": goHash, "crypto/sha1.Sum": goHash, "golang.org/x/crypto/md4.New": goHash, "golang.org/x/crypto/ripemd160.New": goHash,
		"crypto/des.NewCipher": goCipher, "crypto/des.NewTripleDESCipher": goCipher, "crypto/rc4.NewCipher": goCipher,
	}
)

const (
	goHash   = "This hash is weak: use crypto/sha256; for passwords golang.org/x/crypto/bcrypt."
	goCipher = "This cipher reveals parts of the text: use AES with cipher.NewGCM."
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
		p.Node(c, k.Node, "Command injection: a shell runs a command built at run time. Pass the program and its arguments without a shell.")
	}
}
