package safety

import (
	"slices"
	"strings"

	"caselsp/agent/ecma"
	"caselsp/agent/syntax"
	"caselsp/agent/validate"
	"caselsp/store/lazyregexp"
)

// The rules about JavaScript and TypeScript, in files and in pages: what becomes
// code, HTML or a command, and connections that trust anybody.
var scriptRules = validate.Untested(validate.Authored([]validate.Rule{{
	ID: "js-unsafe-eval", Title: "Code injection: eval of a text built at run time", Severity: validate.Critical, Category: validate.Safety, Standards: []string{"CWE-95"},
	Aliases: validate.Aliases{validate.ESLint: {"no-eval", "no-implied-eval", "no-new-func", "security/detect-eval-with-expression"}},
	Doc: "Anyone who controls part of the text runs scripts with all the rights of the page or the server. Read data with `JSON.parse`, look functions up in an object or a " +
		"`Map`, and pass `setTimeout` a function. Constant texts pass.",
	File: "calc.js", Bad: "export function total(rule) {\n  return eval(rule);\n}\n", Good: "export function total(text) {\n  return JSON.parse(text);\n}\n",
	Check: eachCall(ecma.Languages, checkScriptEval),
}, {
	ID: "js-unsafe-html", Title: "Cross-site scripting (XSS): HTML built from unescaped values", Severity: validate.Critical, Category: validate.Safety, Standards: []string{"CWE-79"},
	Aliases: validate.Aliases{validate.Term: {"XSS", "innerHTML"}, validate.ESLint: {"no-unsanitized/property", "no-unsanitized/method"}, validate.Biome: {"noDangerouslySetInnerHtml"}},
	Doc: "A value in the text runs as a script in the page: `<img src=x onerror=…>`. Set `textContent`, build elements, or sanitize the text (`DOMPurify.sanitize`). " +
		"Constants, numbers, and values that went through an escaping or sanitizing function pass.",
	File: "list.js", Bad: "export function show(box, name) {\n  box.innerHTML = \"<b>\" + name + \"</b>\";\n}\n", Good: "export function show(box, name) {\n  box.textContent = name;\n}\n",
	Check: func(p *validate.Pass) { checkScriptHTML(p, true) },
}, {
	ID: "js-unsafe-html-value", Title: "Value inserted into the page as HTML (XSS)", Severity: validate.Warning, Category: validate.Safety, Standards: []string{"CWE-79"},
	Aliases: validate.Aliases{validate.Term: {"XSS", "innerHTML", "dangerouslySetInnerHTML"}, validate.ESLint: {"no-unsanitized/property", "react/no-danger"}},
	Doc:     "Whether the value is safe cannot be seen here. Set `textContent` for text; sanitize it if it must be HTML.",
	File:    "view.tsx", Bad: "export const View = ({ body }) => <div dangerouslySetInnerHTML={{ __html: body }} />;\n", Good: "export const View = ({ body }) => <div>{body}</div>;\n",
	Check: func(p *validate.Pass) { checkScriptHTML(p, false) },
}, {
	ID: "js-unsafe-shell", Title: "Command injection: shell command built at run time", Severity: validate.Critical, Category: validate.Safety, Standards: []string{"CWE-78"},
	Aliases: validate.Aliases{validate.ESLint: {"security/detect-child-process"}},
	Doc:     "The shell runs `;`, `$( )` and other metacharacters in a value as commands. `execFile` and `spawn` take the program and its arguments separately, without a shell.",
	File:    "backup.js", Bad: "import { exec } from \"child_process\";\n\nexport function save(name) {\n  exec(\"tar czf \" + name);\n}\n",
	Good: "import { execFile } from \"child_process\";\n\nexport function save(name) {\n  execFile(\"tar\", [\"czf\", name]);\n}\n",
	Check: eachCall(ecma.Languages, func(p *validate.Pass, c *validate.Code, k ecma.Call) {
		if command := k.At(0, ""); !command.IsZero() && scriptShell(c, k) && !quotedCommand(c, command) {
			p.Node(c, k.Node, "Command injection: a shell runs a command built at run time. Use execFile or spawn with a list of arguments.")
		}
	}),
}, {
	ID: "js-unsafe-tls", Title: "TLS certificate verification disabled (man in the middle)", Severity: validate.Critical, Category: validate.Safety, Standards: []string{"CWE-295"},
	Aliases: validate.Aliases{validate.Term: {"MITM", "rejectUnauthorized"}},
	Doc:     "Anyone on the network path can then read and change the traffic. Pass the certificate of your own authority as `ca`, or in `NODE_EXTRA_CA_CERTS`.",
	File:    "client.js", Bad: "https.request({ host, rejectUnauthorized: false });\n", Good: "https.request({ host, ca });\n",
	Check: validate.Nodes(ecma.Languages, func(p *validate.Pass, c *validate.Code, n syntax.Node) {
		l := ecma.NamedChildren(n)
		if len(l) != 2 {
			return
		}
		switch name := lastPart(strings.Trim(l[0].Text(), "\"'`[]")); {
		case name == "rejectUnauthorized" && l[1].Kind() == "false", strings.Contains(l[0].Text(), "NODE_TLS_REJECT_UNAUTHORIZED") && strings.Trim(l[1].Text(), "\"'`") == "0":
			p.Node(c, n, "Anyone on the network path can read and change this traffic (man in the middle): keep this on, and pass your own authority as ca.")
		}
	}, "pair", "assignment_expression"),
}, {
	ID: "js-unsafe-require", Title: "require or import of a path built at run time", Severity: validate.Warning, Category: validate.Safety, Standards: []string{"CWE-829"},
	Aliases: validate.Aliases{validate.ESLint: {"security/detect-non-literal-require"}},
	Doc:     "Anyone who controls the name runs the code of any file. Look it up in a list of allowed names.",
	File:    "plugins.js", Bad: "export function load(name) {\n  return require(name);\n}\n", Good: "export function load(name) {\n  return require(\"./plugins/\" + name);\n}\n",
	Check: eachCall(ecma.Languages, func(p *validate.Pass, c *validate.Code, k ecma.Call) {
		if name := k.At(0, ""); k.Name == "require" && !name.IsZero() && !c.QualifiedNames().Plain(name) {
			if v := c.QualifiedNames().Value(name); !v.Known && slices.ContainsFunc(c.QualifiedNames().Find(name, name.Text()), func(b ecma.Binding) bool { return b.Way == ecma.ByParameter }) || sentPart(c.QualifiedNames(), name) {
				p.Node(c, k.Node, "Anyone who controls this name runs the code of any file: look it up in an allowlist.")
			}
		}
	}),
}, {
	ID: "js-unsafe-crypto", Title: "Weak hash or cipher", Severity: validate.Warning, Category: validate.Safety, Standards: []string{"CWE-327"},
	Doc:  "MD5 and SHA-1 have collisions, DES, RC4 and ECB reveal parts of the text, and `createCipher` derives weak keys. Use SHA-256 and `aes-256-gcm`.",
	File: "sign.js", Bad: "import crypto from \"crypto\";\n\nexport const sign = (text) => crypto.createHash(\"md5\").update(text).digest(\"hex\");\n",
	Good: "import crypto from \"crypto\";\n\nexport const sign = (text) => crypto.createHash(\"sha256\").update(text).digest(\"hex\");\n",
	Check: eachCall(ecma.Languages, func(p *validate.Pass, c *validate.Code, k ecma.Call) {
		v := c.QualifiedNames().Value(k.At(0, ""))
		switch {
		case !strings.HasPrefix(k.Name, "crypto."):
		case (k.Base == "createHash" || k.Base == "createHmac") && v.Constant() && weakNames.MatchString(v.Text),
			strings.HasPrefix(k.Base, "createCipher") && v.Constant() && weakNames.MatchString(v.Text), k.Base == "createCipher", k.Base == "createDecipher":
			p.Node(c, k.Node, "This is weak: use sha256, or aes-256-gcm with createCipheriv.")
		}
	}),
}, {
	ID: "js-unsafe-random", Title: "Predictable random numbers used for a secret", Severity: validate.Warning, Category: validate.Safety, Standards: []string{"CWE-338"},
	Aliases: validate.Aliases{validate.Term: {"Math.random"}},
	Doc: "After some outputs of `Math.random`, later ones are predictable. Use `crypto.randomUUID()` and `crypto.getRandomValues()` for secrets. Only names that suggest a " +
		"secret are reported.",
	File: "reset.js", Bad: "const token = Math.random().toString(36);\n", Good: "const token = crypto.randomUUID();\n",
	Check: eachCall(ecma.Languages, func(p *validate.Pass, c *validate.Code, k ecma.Call) {
		if k.Name == "Math.random" || k.Name == "crypto.pseudoRandomBytes" {
			if name := purpose(c, k.Node); name != "" {
				p.Node(c, k.Node, "These numbers are predictable: create %s with crypto.randomUUID or crypto.getRandomValues.", name)
			}
		}
	}),
}, {
	ID: "js-unsafe-message", Title: "postMessage to any origin", Severity: validate.Warning, Category: validate.Safety, Standards: []string{"CWE-346"},
	Doc:  "With `\"*\"` the message goes to whatever site the window shows by then. Name the target origin.",
	File: "frame.js", Bad: "frame.contentWindow.postMessage(session, \"*\");\n", Good: "frame.contentWindow.postMessage(session, \"https://example.com\");\n",
	Check: eachCall(ecma.Languages, func(p *validate.Pass, c *validate.Code, k ecma.Call) {
		if v := c.QualifiedNames().Value(k.At(1, "")); k.Base == "postMessage" && len(k.List) > 1 && v.Constant() && v.Text == "*" {
			p.Node(c, k.Node, "This goes to whatever site the window shows by then: name the target origin.")
		}
	}),
}, {
	ID: "js-unsafe-sent", Title: "User input reaches HTML, a redirect or a file path (XSS, open redirect, path traversal)", Severity: validate.Warning, Category: validate.Safety, Standards: []string{"CWE-79", "CWE-601", "CWE-22"},
	Aliases: validate.Aliases{validate.Term: {"XSS", "open redirect", "path traversal"}, validate.ESLint: {"security/detect-non-literal-fs-filename"}},
	Doc: "Part of the request goes unchanged into HTML, the target of a redirect or a file path. Escape it, compare it with an allowlist, or use only its last part " +
		"(`path.basename`).",
	File: "server.js", Bad: "app.get(\"/go\", (req, res) => res.redirect(req.query.to));\n", Good: "app.get(\"/go\", (req, res) => res.redirect(pages.get(req.query.to)));\n",
	Check: eachCall(ecma.Languages, checkSentOn),
}}))

var (
	weakNames = lazyregexp.New(`(?i)^(?:md4|md5|sha-?1|rc4|rc2.*|des.*|bf.*|blowfish|.*-ecb)$`)

	// cleaner is a function that makes a text safe for a page.
	cleaner = lazyregexp.New(`(?i)(?:quote|saniti[sz]e|purify|escape|encode|clean|xss|stringify|tohtml|render|markdown|marked|highlight|i18n|translate|gettext|(?:^|\.)_?_?t|\$t|tofixed|tolocalestring|localize)\w*\(\)$`)
)

// shownText is one of a program's own texts for people, in their language.
var shownText = lazyregexp.New(`(?i)^(?:\w+\.)?(?:messages?|strings|lang|i18n|l10n|labels|texts)\.\w+$`)

func checkScriptEval(p *validate.Pass, c *validate.Code, k ecma.Call) {
	n := c.QualifiedNames()
	text := k.At(0, "")
	switch k.Name {
	case "eval", "window.eval", "globalThis.eval", "execScript", "vm.runInThisContext", "vm.runInNewContext", "vm.runInContext", "vm.Script":
	case "Function", "window.Function":
		if len(k.List) > 0 {
			text = k.List[len(k.List)-1]
		}
	case "setTimeout", "setInterval", "window.setTimeout", "window.setInterval":
		if !n.Value(text).Known {
			return
		}
	default:
		return
	}
	if text.IsZero() || n.Plain(text) || strings.HasSuffix(text.Kind(), "function") || text.Kind() == "arrow_function" {
		return
	}
	p.Node(c, k.Node, "Code injection: anyone who controls part of this text runs code. Use JSON.parse for data, a Map of functions for choices.")
}

// scriptShell reports whether a call gives its command to a shell.
func scriptShell(c *validate.Code, k ecma.Call) bool {
	switch k.Name {
	case "child_process.exec", "child_process.execSync", "shelljs.exec":
		return true
	case "child_process.spawn", "child_process.spawnSync", "child_process.execFile", "child_process.execFileSync":
		for _, x := range k.List[min(1, len(k.List)):] {
			if x.Kind() == "object" && shellOption.MatchString(x.Text()) {
				return true
			}
		}
	}
	return false
}

func checkScriptHTML(p *validate.Pass, made bool) {
	say := func(c *validate.Code, x syntax.Node) {
		n := c.QualifiedNames()
		v := n.Value(x)
		switch {
		case x.IsZero() || v.Constant() || n.Plain(x) || cleaned(n, x):
		case made && v.Known && slices.ContainsFunc(v.Holes, func(h syntax.Node) bool { return !cleaned(n, h) }):
			p.Node(c, x, "Cross-site scripting: a value in this text runs as a script in the page. Set textContent, or sanitize it with DOMPurify.sanitize.")
		case !made && !v.Known:
			p.Node(c, x, "This is inserted into the page as HTML: set textContent for text, or sanitize it with DOMPurify.sanitize.")
		}
	}
	validate.Nodes(ecma.Languages, func(p *validate.Pass, c *validate.Code, n syntax.Node) {
		if l := ecma.NamedChildren(n); len(l) == 2 && l[0].Kind() == "member_expression" {
			if name := lastPart(l[0].Text()); name == "innerHTML" || name == "outerHTML" {
				say(c, l[1])
			}
		}
	}, "assignment_expression", "augmented_assignment_expression")(p)
	validate.Nodes(ecma.Languages, func(p *validate.Pass, c *validate.Code, n syntax.Node) {
		if l := ecma.NamedChildren(n); len(l) == 2 && l[0].Text() == "__html" {
			say(c, l[1])
		}
	}, "pair")(p)
	eachCall(ecma.Languages, func(p *validate.Pass, c *validate.Code, k ecma.Call) {
		switch {
		case k.Base == "insertAdjacentHTML" && len(k.List) == 2:
			say(c, k.List[1])
		case (k.Name == "document.write" || k.Name == "document.writeln" || k.Base == "createContextualFragment") && len(k.List) > 0:
			say(c, k.List[0])
		case k.Base == "html" && len(k.List) == 1 && (strings.HasPrefix(k.Name, "$()") || strings.HasPrefix(k.Name, "jQuery()")):
			say(c, k.List[0])
		}
	})(p)
}

// cleaned reports whether a value can do no harm in a page.
func cleaned(n *ecma.QualifiedNames, x syntax.Node) bool {
	name := n.Name(x)
	if harmless(n, x) || cleaner.MatchString(name) || constantName.MatchString(x.Text()) || strings.HasSuffix(name, ".length") || strings.HasSuffix(name, ".innerHTML") || strings.HasSuffix(name, "Id") || strings.HasSuffix(name, ".id") || shownText.MatchString(x.Text()) {
		return true
	}
	switch x.Kind() {
	case "parenthesized_expression":
		return cleaned(n, ecma.FirstNamed(x))
	case "ternary_expression":
		l := ecma.NamedChildren(x)
		return len(l) == 3 && cleanedText(n, l[1]) && cleanedText(n, l[2])
	case "identifier":
		if counts(n, x.Text()) {
			return true
		}
		v := identifierValue(n, x)
		return !v.IsZero() && (v.Kind() == "call_expression" || v.Kind() == "number") && cleaned(n, v)
	}
	return false
}

// counts reports whether a name is that of a counter: n++.
func counts(n *ecma.QualifiedNames, name string) bool {
	return slices.ContainsFunc(n.Code.Nodes("update_expression"), func(x syntax.Node) bool { return ecma.FirstNamed(x).Text() == name })
}

// cleanedText is cleaned, of a text and what is put into it.
func cleanedText(n *ecma.QualifiedNames, x syntax.Node) bool {
	v := n.Value(x)
	return cleaned(n, x) || v.Known && !slices.ContainsFunc(v.Holes, func(h syntax.Node) bool { return !cleaned(n, h) })
}

// scriptRequest is a part of a request that Express, Koa and similar frameworks pass on.
var scriptRequest = lazyregexp.New(`^(?:req|request|ctx|ctx\.request|ctx\.req|this\.request)\.(?:query|body|params|headers|cookies|param\(|get\(|header\()`)

// sentPart reports whether an expression is a part of a request as it came, or has
// one put in: through names, texts and methods that only pass it on.
func sentPart(n *ecma.QualifiedNames, x syntax.Node) bool { return sendsOn(n, x, sentDepth) }

func sendsOn(n *ecma.QualifiedNames, x syntax.Node, depth int) bool {
	if x.IsZero() || depth == 0 {
		return false
	}
	depth--
	any := func(list []syntax.Node) bool {
		return slices.ContainsFunc(list, func(c syntax.Node) bool { return sendsOn(n, c, depth) })
	}
	switch x.Kind() {
	case "member_expression", "subscript_expression":
		return scriptRequest.MatchString(x.Text()) || x.Kind() == "subscript_expression" && sendsOn(n, ecma.FirstNamed(x), depth)
	case "identifier":
		list := n.Find(x, x.Text())
		if len(list) != 1 || list[0].Way != ecma.ByAssignment || list[0].Value.IsZero() {
			return false
		}
		if list[0].Path == "" {
			return sendsOn(n, list[0].Value, depth)
		}
		return scriptRequest.MatchString(list[0].Value.Text() + list[0].Path) // const { url } = req.query
	case "binary_expression":
		return strings.Contains(x.Text(), "+") && any(ecma.NamedChildren(x))
	case "template_string", "template_substitution", "parenthesized_expression", "await_expression", "as_expression", "non_null_expression":
		return any(ecma.NamedChildren(x))
	case "call_expression":
		fn, args := n.Call(x)
		if fn.Kind() == "member_expression" && scriptRequest.MatchString(x.Text()) && (lastPart(fn.Text()) == "get" || lastPart(fn.Text()) == "param" || lastPart(fn.Text()) == "header") {
			return true
		}
		switch name := n.Name(fn); {
		case scriptPassing[lastPart(fn.Text())] && fn.Kind() == "member_expression":
			return sendsOn(n, ecma.FirstNamed(fn), depth) || any(args.List)
		case name == "String" || name == "decodeURIComponent" || name == "path.join" || name == "path.resolve" || name == "path.normalize":
			return any(args.List)
		}
	}
	return false
}

// scriptPassing are the methods whose result holds what they are called on.
var scriptPassing = syntax.WordSet("toString trim concat toLowerCase toUpperCase slice substring substr split join")

func checkSentOn(p *validate.Pass, c *validate.Code, k ecma.Call) {
	n := c.QualifiedNames()
	last := syntax.Node{}
	if len(k.List) > 0 {
		last = k.List[len(k.List)-1]
	}
	switch {
	case last.IsZero():
	case k.Base == "redirect" && hostSent(n, last):
		p.Node(c, last, "Open redirect: user input decides the target. Compare it with an allowlist.")
	case (k.Base == "send" || k.Base == "end" || k.Base == "write") && strings.HasPrefix(ecma.TextOf(ecma.FirstNamed(k.Node)), "res") && n.Value(last).Known && sentPart(n, last):
		p.Node(c, last, "Cross-site scripting: user input becomes part of the page. Escape it, or let a template do that.")
	case strings.HasPrefix(k.Name, "fs.") && len(k.List) > 0 && sentPart(n, k.List[0]), k.Base == "sendFile" && sentPart(n, k.List[0]):
		p.Node(c, k.List[0], "Path traversal: ../ in this input reaches any file. Use path.basename, or look the name up in an allowlist.")
	}
}

var shellOption = lazyregexp.New(`\bshell\s*:\s*(?:true|["'])`)
