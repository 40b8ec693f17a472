package validate

import (
	"slices"
	"strings"

	"caselsp/agent/syntax"
)

// The rules about JavaScript and TypeScript, in files and in pages: what becomes
// code, HTML or a command, and connections that trust anybody.
var safetyScriptRules = untested(authored([]Rule{{
	ID: "js-unsafe-eval", Title: "A text that is made at run time is executed as code", Severity: Critical, Category: Safety, Standards: []string{"CWE-95"},
	Doc: "Whoever can change a part of the text runs scripts of their own, with all that the page or the server may do. Read data with `JSON.parse`, pick functions from an object or a `Map`, " +
		"give `setTimeout` a function. Texts that are written out pass.",
	File: "calc.js", Bad: "export function total(rule) {\n  return eval(rule);\n}\n", Good: "export function total(text) {\n  return JSON.parse(text);\n}\n",
	Check: eachCall(ecma, checkScriptEval),
}, {
	ID: "js-unsafe-html", Title: "HTML is put together out of values that are not escaped", Severity: Critical, Category: Safety, Standards: []string{"CWE-79"},
	Doc: "What is put into the text runs as a script in the page: `<img src=x onerror=…>`. Set `textContent`, build elements, or clean the text (`DOMPurify.sanitize`). " +
		"Constants, numbers and what went through a function that escapes or cleans pass.",
	File: "list.js", Bad: "export function show(box, name) {\n  box.innerHTML = \"<b>\" + name + \"</b>\";\n}\n", Good: "export function show(box, name) {\n  box.textContent = name;\n}\n",
	Check: func(p *Pass) { checkScriptHTML(p, true) },
}, {
	ID: "js-unsafe-html-value", Title: "A value is put into the page as HTML", Severity: Warning, Category: Safety, Standards: []string{"CWE-79"},
	Doc:  "Whether the value may stand there cannot be seen here. Set `textContent` where it is a text; clean it where it must be HTML.",
	File: "view.tsx", Bad: "export const View = ({ body }) => <div dangerouslySetInnerHTML={{ __html: body }} />;\n", Good: "export const View = ({ body }) => <div>{body}</div>;\n",
	Check: func(p *Pass) { checkScriptHTML(p, false) },
}, {
	ID: "js-unsafe-shell", Title: "A shell runs a command that is made at run time", Severity: Critical, Category: Safety, Standards: []string{"CWE-78"},
	Doc:  "A shell takes `;`, `$( )` and their like in a value for commands of their own. `execFile` and `spawn` take the program and its arguments apart, without a shell.",
	File: "backup.js", Bad: "import { exec } from \"child_process\";\n\nexport function save(name) {\n  exec(\"tar czf \" + name);\n}\n",
	Good: "import { execFile } from \"child_process\";\n\nexport function save(name) {\n  execFile(\"tar\", [\"czf\", name]);\n}\n",
	Check: eachCall(ecma, func(p *Pass, c *Code, k call) {
		if command := k.at(0, ""); !command.IsZero() && scriptShell(c, k) && !quotedCommand(c, command) {
			p.Node(c, k.node, "A shell runs a command that is made at run time: use execFile or spawn with a list of arguments.")
		}
	}),
}, {
	ID: "js-unsafe-tls", Title: "The certificate of the other side is not checked", Severity: Critical, Category: Safety, Standards: []string{"CWE-295"},
	Doc:  "Anybody on the way can then read and change what is sent. Give the certificate of your own authority as `ca`, or in `NODE_EXTRA_CA_CERTS`.",
	File: "client.js", Bad: "https.request({ host, rejectUnauthorized: false });\n", Good: "https.request({ host, ca });\n",
	Check: nodes(ecma, func(p *Pass, c *Code, n syntax.Node) {
		l := namedChildren(n)
		if len(l) != 2 {
			return
		}
		switch name := lastPart(strings.Trim(l[0].Text(), "\"'`[]")); {
		case name == "rejectUnauthorized" && l[1].Kind() == "false", strings.Contains(l[0].Text(), "NODE_TLS_REJECT_UNAUTHORIZED") && strings.Trim(l[1].Text(), "\"'`") == "0":
			p.Node(c, n, "Anybody on the way can read and change what is sent: leave this on, and give your own authority as ca.")
		}
	}, "pair", "assignment_expression"),
}, {
	ID: "js-unsafe-require", Title: "A module is loaded whose name only the run knows", Severity: Warning, Category: Safety, Standards: []string{"CWE-829"},
	Doc:  "Whoever can set the name runs the code of any file. Look it up among those that are allowed.",
	File: "plugins.js", Bad: "export function load(name) {\n  return require(name);\n}\n", Good: "export function load(name) {\n  return require(\"./plugins/\" + name);\n}\n",
	Check: eachCall(ecma, func(p *Pass, c *Code, k call) {
		if name := k.at(0, ""); k.name == "require" && !name.IsZero() && !c.names().plain(name) {
			if v := c.names().value(name); !v.known && slices.ContainsFunc(c.names().find(name, name.Text()), func(b binding) bool { return b.how == parameter }) || c.names().sentPart(name) {
				p.Node(c, k.node, "Whoever can set this name runs the code of any file: look it up among the names that are allowed.")
			}
		}
	}),
}, {
	ID: "js-unsafe-crypto", Title: "A hash or a cipher that can be broken", Severity: Warning, Category: Safety, Standards: []string{"CWE-327"},
	Doc:  "MD5 and SHA-1 can be forged, DES, RC4 and ECB give parts of the text away, and `createCipher` makes weak keys. Use SHA-256 and `aes-256-gcm`.",
	File: "sign.js", Bad: "import crypto from \"crypto\";\n\nexport const sign = (text) => crypto.createHash(\"md5\").update(text).digest(\"hex\");\n",
	Good: "import crypto from \"crypto\";\n\nexport const sign = (text) => crypto.createHash(\"sha256\").update(text).digest(\"hex\");\n",
	Check: eachCall(ecma, func(p *Pass, c *Code, k call) {
		v := c.names().value(k.at(0, ""))
		switch {
		case !strings.HasPrefix(k.name, "crypto."):
		case (k.base == "createHash" || k.base == "createHmac") && v.constant() && weakNames.MatchString(v.text),
			strings.HasPrefix(k.base, "createCipher") && v.constant() && weakNames.MatchString(v.text), k.base == "createCipher", k.base == "createDecipher":
			p.Node(c, k.node, "This can be forged or broken: use sha256, or aes-256-gcm with createCipheriv.")
		}
	}),
}, {
	ID: "js-unsafe-random", Title: "A secret is made of numbers that can be foretold", Severity: Warning, Category: Safety, Standards: []string{"CWE-338"},
	Doc:  "Who has seen some results of `Math.random` knows those that follow. `crypto.randomUUID()` and `crypto.getRandomValues()` are made for secrets. Only names that speak of one count.",
	File: "reset.js", Bad: "const token = Math.random().toString(36);\n", Good: "const token = crypto.randomUUID();\n",
	Check: eachCall(ecma, func(p *Pass, c *Code, k call) {
		if k.name == "Math.random" || k.name == "crypto.pseudoRandomBytes" {
			if name := purpose(c, k.node); name != "" {
				p.Node(c, k.node, "Who has seen some results of this knows the rest: make %s with crypto.randomUUID or crypto.getRandomValues.", name)
			}
		}
	}),
}, {
	ID: "js-unsafe-message", Title: "A message is sent to whatever page is there", Severity: Warning, Category: Safety, Standards: []string{"CWE-346"},
	Doc:  "With `\"*\"` the message goes to any site that the window may show by then. Name the origin that it is for.",
	File: "frame.js", Bad: "frame.contentWindow.postMessage(session, \"*\");\n", Good: "frame.contentWindow.postMessage(session, \"https://example.com\");\n",
	Check: eachCall(ecma, func(p *Pass, c *Code, k call) {
		if v := c.names().value(k.at(1, "")); k.base == "postMessage" && len(k.list) > 1 && v.constant() && v.text == "*" {
			p.Node(c, k.node, "This goes to any site that the window shows by then: name the origin that it is for.")
		}
	}),
}, {
	ID: "js-unsafe-sent", Title: "What somebody sent becomes an answer, an address or a path", Severity: Warning, Category: Safety, Standards: []string{"CWE-79", "CWE-601", "CWE-22"},
	Doc:  "A part of the request goes into HTML, into the address of a redirect or into the path of a file as it is. Escape it, compare it with what is allowed, or take only its last part (`path.basename`).",
	File: "server.js", Bad: "app.get(\"/go\", (req, res) => res.redirect(req.query.to));\n", Good: "app.get(\"/go\", (req, res) => res.redirect(pages.get(req.query.to)));\n",
	Check: eachCall(ecma, checkSentOn),
}}))

var (
	weakNames = expr(`(?i)^(?:md4|md5|sha-?1|rc4|rc2.*|des.*|bf.*|blowfish|.*-ecb)$`)

	// cleaner is a function that makes a text safe for a page.
	cleaner = expr(`(?i)(?:quote|saniti[sz]e|purify|escape|encode|clean|xss|stringify|tohtml|render|markdown|marked|highlight|i18n|translate|gettext|(?:^|\.)_?_?t|\$t|tofixed|tolocalestring|localize)\w*\(\)$`)
)

// shownText is one of a program's own texts for people, in their language.
var shownText = expr(`(?i)^(?:\w+\.)?(?:messages?|strings|lang|i18n|l10n|labels|texts)\.\w+$`)

func checkScriptEval(p *Pass, c *Code, k call) {
	n := c.names()
	text := k.at(0, "")
	switch k.name {
	case "eval", "window.eval", "globalThis.eval", "execScript", "vm.runInThisContext", "vm.runInNewContext", "vm.runInContext", "vm.Script":
	case "Function", "window.Function":
		if len(k.list) > 0 {
			text = k.list[len(k.list)-1]
		}
	case "setTimeout", "setInterval", "window.setTimeout", "window.setInterval":
		if !n.value(text).known {
			return
		}
	default:
		return
	}
	if text.IsZero() || n.plain(text) || strings.HasSuffix(text.Kind(), "function") || text.Kind() == "arrow_function" {
		return
	}
	p.Node(c, k.node, "Whoever can change a part of this text runs code of their own: use JSON.parse for data, a Map of functions for choices.")
}

// scriptShell reports whether a call gives its command to a shell.
func scriptShell(c *Code, k call) bool {
	switch k.name {
	case "child_process.exec", "child_process.execSync", "shelljs.exec":
		return true
	case "child_process.spawn", "child_process.spawnSync", "child_process.execFile", "child_process.execFileSync":
		for _, x := range k.list[min(1, len(k.list)):] {
			if x.Kind() == "object" && shellOption.MatchString(x.Text()) {
				return true
			}
		}
	}
	return false
}

func checkScriptHTML(p *Pass, made bool) {
	say := func(c *Code, x syntax.Node) {
		n := c.names()
		v := n.value(x)
		switch {
		case x.IsZero() || v.constant() || n.plain(x) || n.cleaned(x):
		case made && v.known && slices.ContainsFunc(v.holes, func(h syntax.Node) bool { return !n.cleaned(h) }):
			p.Node(c, x, "What is put into this text runs as a script in the page: set textContent, or clean it with DOMPurify.sanitize.")
		case !made && !v.known:
			p.Node(c, x, "This stands in the page as HTML: set textContent where it is a text, or clean it with DOMPurify.sanitize.")
		}
	}
	nodes(ecma, func(p *Pass, c *Code, n syntax.Node) {
		if l := namedChildren(n); len(l) == 2 && l[0].Kind() == "member_expression" {
			if name := lastPart(l[0].Text()); name == "innerHTML" || name == "outerHTML" {
				say(c, l[1])
			}
		}
	}, "assignment_expression", "augmented_assignment_expression")(p)
	nodes(ecma, func(p *Pass, c *Code, n syntax.Node) {
		if l := namedChildren(n); len(l) == 2 && l[0].Text() == "__html" {
			say(c, l[1])
		}
	}, "pair")(p)
	eachCall(ecma, func(p *Pass, c *Code, k call) {
		switch {
		case k.base == "insertAdjacentHTML" && len(k.list) == 2:
			say(c, k.list[1])
		case (k.name == "document.write" || k.name == "document.writeln" || k.base == "createContextualFragment") && len(k.list) > 0:
			say(c, k.list[0])
		case k.base == "html" && len(k.list) == 1 && (strings.HasPrefix(k.name, "$()") || strings.HasPrefix(k.name, "jQuery()")):
			say(c, k.list[0])
		}
	})(p)
}

// cleaned reports whether a value can do no harm in a page.
func (n *symbols) cleaned(x syntax.Node) bool {
	name := n.name(x)
	if n.harmless(x) || cleaner.MatchString(name) || constantName.MatchString(x.Text()) || strings.HasSuffix(name, ".length") || strings.HasSuffix(name, ".innerHTML") || strings.HasSuffix(name, "Id") || strings.HasSuffix(name, ".id") || shownText.MatchString(x.Text()) {
		return true
	}
	switch x.Kind() {
	case "parenthesized_expression":
		return n.cleaned(firstNamed(x))
	case "ternary_expression":
		l := namedChildren(x)
		return len(l) == 3 && n.cleanedText(l[1]) && n.cleanedText(l[2])
	case "identifier":
		if n.counts(x.Text()) {
			return true
		}
		v := n.identifierValue(x)
		return !v.IsZero() && (v.Kind() == "call_expression" || v.Kind() == "number") && n.cleaned(v)
	}
	return false
}

// counts reports whether a name is that of a counter: n++.
func (n *symbols) counts(name string) bool {
	return slices.ContainsFunc(n.code.Nodes("update_expression"), func(x syntax.Node) bool { return firstNamed(x).Text() == name })
}

// cleanedText is cleaned, of a text and what is put into it.
func (n *symbols) cleanedText(x syntax.Node) bool {
	v := n.value(x)
	return n.cleaned(x) || v.known && !slices.ContainsFunc(v.holes, func(h syntax.Node) bool { return !n.cleaned(h) })
}

// scriptRequest is a part of a request that Express, Koa and their like hand over.
var scriptRequest = expr(`^(?:req|request|ctx|ctx\.request|ctx\.req|this\.request)\.(?:query|body|params|headers|cookies|param\(|get\(|header\()`)

// sentPart reports whether an expression is a part of a request as it came, or has
// one put in: through names, texts and methods that only pass it on.
func (n *symbols) sentPart(x syntax.Node) bool { return n.sendsOn(x, sentDepth) }

func (n *symbols) sendsOn(x syntax.Node, depth int) bool {
	if x.IsZero() || depth == 0 {
		return false
	}
	depth--
	any := func(list []syntax.Node) bool {
		return slices.ContainsFunc(list, func(c syntax.Node) bool { return n.sendsOn(c, depth) })
	}
	switch x.Kind() {
	case "member_expression", "subscript_expression":
		return scriptRequest.MatchString(x.Text()) || x.Kind() == "subscript_expression" && n.sendsOn(firstNamed(x), depth)
	case "identifier":
		list := n.find(x, x.Text())
		if len(list) != 1 || list[0].how != given || list[0].value.IsZero() {
			return false
		}
		if list[0].path == "" {
			return n.sendsOn(list[0].value, depth)
		}
		return scriptRequest.MatchString(list[0].value.Text() + list[0].path) // const { url } = req.query
	case "binary_expression":
		return strings.Contains(x.Text(), "+") && any(namedChildren(x))
	case "template_string", "template_substitution", "parenthesized_expression", "await_expression", "as_expression", "non_null_expression":
		return any(namedChildren(x))
	case "call_expression":
		fn, args := n.call(x)
		if fn.Kind() == "member_expression" && scriptRequest.MatchString(x.Text()) && (lastPart(fn.Text()) == "get" || lastPart(fn.Text()) == "param" || lastPart(fn.Text()) == "header") {
			return true
		}
		switch name := n.name(fn); {
		case scriptPassing[lastPart(fn.Text())] && fn.Kind() == "member_expression":
			return n.sendsOn(firstNamed(fn), depth) || any(args.list)
		case name == "String" || name == "decodeURIComponent" || name == "path.join" || name == "path.resolve" || name == "path.normalize":
			return any(args.list)
		}
	}
	return false
}

// scriptPassing are the methods whose result holds what they are called on.
var scriptPassing = wordSet("toString trim concat toLowerCase toUpperCase slice substring substr split join")

func checkSentOn(p *Pass, c *Code, k call) {
	n := c.names()
	last := syntax.Node{}
	if len(k.list) > 0 {
		last = k.list[len(k.list)-1]
	}
	switch {
	case last.IsZero():
	case k.base == "redirect" && n.hostSent(last):
		p.Node(c, last, "Anybody can send your visitors anywhere with this: compare it with the addresses that are allowed.")
	case (k.base == "send" || k.base == "end" || k.base == "write") && strings.HasPrefix(textOf(firstNamed(k.node)), "res") && n.value(last).known && n.sentPart(last):
		p.Node(c, last, "What somebody sent becomes a part of the page: escape it, or let a template do that.")
	case strings.HasPrefix(k.name, "fs.") && len(k.list) > 0 && n.sentPart(k.list[0]), k.base == "sendFile" && n.sentPart(k.list[0]):
		p.Node(c, k.list[0], "Who sends ../ here reaches any file: take path.basename of it, or look it up among the files that are allowed.")
	}
}

var shellOption = expr(`\bshell\s*:\s*(?:true|["'])`)
