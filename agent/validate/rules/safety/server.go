package safety

import (
	"slices"
	"strings"

	"caselsp/agent/ecma"
	"caselsp/agent/syntax"
	"caselsp/agent/validate"
	"caselsp/store/lazyregexp"
)

// Servers in JavaScript and TypeScript: what somebody sent and where it must not
// go, keys in the source, doors that are left open.
var serverRules = validate.Untested(validate.Authored([]validate.Rule{{
	ID: "js-sent-address", Title: "Server-side request forgery (SSRF): user input decides the URL", Severity: validate.Warning, Category: validate.Safety, Standards: []string{"CWE-918"},
	Aliases: validate.Aliases{validate.Term: {"SSRF"}},
	Doc:     "The server then sends requests to hosts chosen by the user, including internal ones. Take the host from an allowlist; part of the path may be user input.",
	File:    "server.js", Bad: "const axios = require(\"axios\");\n\napp.get(\"/load\", (req, res) => axios.get(req.query.url));\n",
	Good:  "const axios = require(\"axios\");\n\napp.get(\"/load\", (req, res) => axios.get(\"https://api.example.com/\" + req.query.id));\n",
	Check: eachCall(ecma.Languages, checkScriptAddress),
}, {
	ID: "js-sent-code", Title: "Code injection: user input becomes code or a template (SSTI)", Severity: validate.Critical, Category: validate.Safety, Standards: []string{"CWE-94"},
	Aliases: validate.Aliases{validate.Term: {"SSTI", "eval injection"}},
	Doc: "Sandboxes, headless browsers and template engines run the text they are given: user input in it runs as code on the server. Keep the code or the template constant, " +
		"and pass values to it.",
	File: "server.js", Bad: "const pug = require(\"pug\");\n\napp.get(\"/\", (req, res) => res.send(pug.compile(req.query.page)()));\n",
	Good:  "const pug = require(\"pug\");\n\napp.get(\"/\", (req, res) => res.send(pug.compile(\"p= name\")({ name: req.query.name })));\n",
	Check: eachCall(ecma.Languages, checkSentCode),
}, {
	ID: "js-hardcoded-key", Title: "Hard-coded signing key", Severity: validate.Critical, Category: validate.Safety, Standards: []string{"CWE-798"},
	Doc:  "Anyone who reads the source can forge tokens and sessions. Read the key from the environment (`process.env.JWT_KEY`).",
	File: "tokens.js", Bad: "const jwt = require(\"jsonwebtoken\");\n\nexport const sign = (user) => jwt.sign(user, \"s3cret\");\n",
	Good:  "const jwt = require(\"jsonwebtoken\");\n\nexport const sign = (user) => jwt.sign(user, process.env.JWT_KEY);\n",
	Check: eachCall(ecma.Languages, checkScriptKey),
}, {
	ID: "js-jwt-unverified", Title: "JWT without a verified signature", Severity: validate.Critical, Category: validate.Safety, Standards: []string{"CWE-347"},
	Doc:  "With the algorithm `none`, or without verification of the signature, anyone can sign in as anyone. List the accepted algorithms: `algorithms: [\"HS256\"]`.",
	File: "tokens.js", Bad: "const jwt = require(\"jsonwebtoken\");\n\nexport const user = (token) => jwt.verify(token, key, { algorithms: [\"none\"] });\n",
	Good:  "const jwt = require(\"jsonwebtoken\");\n\nexport const user = (token) => jwt.verify(token, key, { algorithms: [\"HS256\"] });\n",
	Check: eachCall(ecma.Languages, checkScriptToken),
}, {
	ID: "js-sent-regexp", Title: "Regular-expression denial of service (ReDoS): user input becomes a pattern", Severity: validate.Warning, Category: validate.Safety, Standards: []string{"CWE-1333"},
	Aliases: validate.Aliases{validate.Term: {"ReDoS"}, validate.ESLint: {"security/detect-non-literal-regexp"}},
	Doc:     "A pattern such as `(a+)+$` keeps the server busy for hours. Escape the input first, or search without a regular expression.",
	File:    "server.js", Bad: "app.get(\"/find\", (req, res) => res.json(list.filter((x) => new RegExp(req.query.q).test(x))));\n",
	Good: "app.get(\"/find\", (req, res) => res.json(list.filter((x) => x.includes(req.query.q))));\n",
	Check: eachCall(ecma.Languages, func(p *validate.Pass, c *validate.Code, k ecma.Call) {
		if (k.Name == "RegExp") && len(k.List) > 0 && sentPart(c.QualifiedNames(), k.List[0]) {
			p.Node(c, k.Node, "Regular-expression denial of service (ReDoS): user input becomes a pattern. Escape it, or search without a regular expression.")
		}
	}),
}, {
	ID: "js-xml-entities", Title: "XML external entities enabled (XXE)", Severity: validate.Warning, Category: validate.Safety, Standards: []string{"CWE-611"},
	Aliases: validate.Aliases{validate.Term: {"XXE", "billion laughs"}},
	Doc:     "With `noent`, external entities are expanded: the author of the XML can read files of the server. Leave the option out.",
	File:    "server.js", Bad: "const libxml = require(\"libxmljs\");\n\nexport const read = (text) => libxml.parseXml(text, { noent: true });\n",
	Good: "const libxml = require(\"libxmljs\");\n\nexport const read = (text) => libxml.parseXml(text);\n",
	Check: eachCall(ecma.Languages, func(p *validate.Pass, c *validate.Code, k ecma.Call) {
		if strings.HasPrefix(k.Name, "libxml") && strings.HasPrefix(k.Base, "parse") && slices.ContainsFunc(k.List, func(x syntax.Node) bool { return trueOption(x, "noent") }) {
			p.Node(c, k.Node, "External entities are enabled (XXE): the author of the XML can read files of the server. Remove noent.")
		}
	}),
}, {
	ID: "js-message-origin", Title: "postMessage handler without an origin check", Severity: validate.Warning, Category: validate.Safety, Standards: []string{"CWE-346"},
	Doc:  "Any page that opens or frames yours can send it messages. Compare `event.origin` with the expected origin first.",
	File: "frame.js", Bad: "window.addEventListener(\"message\", (event) => {\n  run(event.data);\n});\n",
	Good:  "window.addEventListener(\"message\", (event) => {\n  if (event.origin === \"https://example.com\") run(event.data);\n});\n",
	Check: eachCall(ecma.Languages, checkMessageOrigin),
}, {
	ID: "js-trusted-html", Title: "Sanitization bypassed in a framework (XSS)", Severity: validate.Warning, Category: validate.Safety, Standards: []string{"CWE-79"},
	Aliases: validate.Aliases{validate.Term: {"XSS", "bypassSecurityTrustHtml", "trustAsHtml"}},
	Doc:     "`bypassSecurityTrust…` and `$sce.trustAs…` switch off the framework's sanitizer. Let the framework sanitize the value; constants pass.",
	File:    "page.ts", Bad: "export function show(text: string) {\n  return sanitizer.bypassSecurityTrustHtml(text);\n}\n",
	Good: "export function show(text: string) {\n  return sanitizer.sanitize(SecurityContext.HTML, text);\n}\n",
	Check: eachCall(ecma.Languages, func(p *validate.Pass, c *validate.Code, k ecma.Call) {
		if (strings.HasPrefix(k.Base, "bypassSecurityTrust") || trustAs.MatchString(k.Base)) && len(k.List) > 0 && !c.QualifiedNames().Plain(k.List[len(k.List)-1]) && !c.QualifiedNames().Value(k.List[len(k.List)-1]).Constant() && !cleaned(c.QualifiedNames(), k.List[len(k.List)-1]) {
			p.Node(c, k.Node, "This bypasses the framework's sanitizer: let the framework sanitize the value.")
		}
	}),
}, {
	ID: "js-cors-open", Title: "Permissive CORS: any origin may read responses", Severity: validate.Info, Category: validate.Safety, Standards: []string{"CWE-942"},
	Aliases: validate.Aliases{validate.Term: {"CORS"}},
	Doc:     "With `*`, and even more with an origin copied from the request, scripts of any site can read the responses. List the allowed sites. Public data may be open.",
	File:    "server.js", Bad: "app.get(\"/me\", (req, res) => {\n  res.setHeader(\"Access-Control-Allow-Origin\", \"*\");\n  res.json(me(req));\n});\n",
	Good:  "app.get(\"/me\", (req, res) => {\n  res.setHeader(\"Access-Control-Allow-Origin\", \"https://example.com\");\n  res.json(me(req));\n});\n",
	Check: eachCall(ecma.Languages, checkCORS),
}, {
	ID: "js-cleartext", Title: "Cleartext HTTP request", Severity: validate.Info, Category: validate.Safety, Standards: []string{"CWE-319"},
	Doc:  "Anyone on the network path can read and change the traffic. Write `https://`. Loopback addresses pass.",
	File: "client.js", Bad: "fetch(\"http://api.example.com/rates\");\n", Good: "fetch(\"https://api.example.com/rates\");\n",
	Check: eachCall(ecma.Languages, checkScriptCleartext),
}}))

var (
	callers = lazyregexp.New(`^(?:fetch|window\.fetch|node-fetch|got|axios|request|needle|superagent|ky|request-promise(?:-native)?|axios\.default)(?:\.(?:default\.)?(?:get|post|put|patch|delete|head|options|request|stream))?$|^https?\.(?:get|request)$|^(?:\$|jQuery)\.(?:get|post|ajax|getJSON)$`)

	runners = lazyregexp.New(`^(?:vm\.(?:runIn\w+|Script|compileFunction)|(?:vm2\.(?:VM|NodeVM)|sandbox|Sandbox)\(\)\.run|(?:pug|jade|ejs|handlebars|Handlebars|mustache|Mustache|nunjucks|hogan\.js|hogan|lodash|_|underscore|swig|dot|dustjs-linkedin|velocityjs|eta|liquidjs|squirrelly|twig|art-template)\.(?:compile|render|renderString|template|precompile|renderFile|parse))$`)

	driven = lazyregexp.New(`^(?:evaluate|evaluateOnNewDocument|evaluateHandle|compileScript|setContent|goto|openUrl|addScriptTag|addInitScript|setDocumentContent|navigate|printToPDF)$`)

	trustAs = lazyregexp.New(`^trustAs(?:Html|Css|Js|Url|ResourceUrl)?$`)

	drivers = []string{"puppeteer", "puppeteer-core", "playwright", "phantom", "chrome-remote-interface", "wkhtmltopdf", "wkhtmltoimage"}
)

// firstOf returns the address of an argument: itself, or the url of an object.
func firstOf(x syntax.Node) syntax.Node {
	if x.IsZero() || x.Kind() != "object" {
		return x
	}
	for _, pair := range ecma.NamedChildren(x) {
		if l := ecma.NamedChildren(pair); len(l) == 2 && (l[0].Text() == "url" || l[0].Text() == "uri" || l[0].Text() == "host" || l[0].Text() == "hostname") {
			return l[1]
		}
	}
	return syntax.Node{}
}

// hostSent reports whether what somebody sent decides about the host of an address.
func hostSent(n *ecma.QualifiedNames, x syntax.Node) bool {
	if v := n.Value(x); v.Known {
		return headed(v) && sentPart(n, v.Holes[0])
	}
	for x.Kind() == "binary_expression" || x.Kind() == "parenthesized_expression" {
		x = ecma.FirstNamed(x)
	}
	if v := identifierValue(n, x); !v.IsZero() && v.Kind() == "binary_expression" {
		return hostSent(n, v)
	}
	return sentPart(n, x)
}

// headed reports whether the first hole of a text stands where an address has
// its host, or before.
func headed(v ecma.BuiltText) bool {
	before, _, ok := strings.Cut(v.Text, ecma.Gap)
	_, rest, scheme := strings.Cut(before, "//")
	return ok && len(v.Holes) > 0 && (before == "" || scheme && !strings.Contains(rest, "/"))
}

func checkScriptAddress(p *validate.Pass, c *validate.Code, k ecma.Call) {
	if len(k.List) == 0 || !callers.MatchString(k.Name) {
		return
	}
	if to := firstOf(k.List[0]); !to.IsZero() && hostSent(c.QualifiedNames(), to) {
		p.Node(c, k.Node, "Server-side request forgery: user input decides which host the server contacts. Take the host from an allowlist.")
	}
}

func checkSentCode(p *validate.Pass, c *validate.Code, k ecma.Call) {
	if len(k.List) == 0 {
		return
	}
	n := c.QualifiedNames()
	drives := driven.MatchString(k.Base) && slices.ContainsFunc(drivers, func(module string) bool { return loads(c, module) })
	if !drives && !runners.MatchString(k.Name) {
		return
	}
	looked := 1
	if drives && len(k.List) > 1 {
		looked = 2
	}
	for _, x := range k.List[:looked] {
		if at := firstOf(x); !at.IsZero() && sentPart(n, at) || x.Kind() == "object" && slices.ContainsFunc(ecma.NamedChildren(x), func(pair syntax.Node) bool {
			l := ecma.NamedChildren(pair)
			return len(l) == 2 && sentPart(n, l[1])
		}) && drives {
			p.Node(c, k.Node, "Code injection: user input runs as code on the server. Keep the code constant, and pass values to it.")
			return
		}
	}
}

// loads reports whether a script imports or requires a module.
func loads(c *validate.Code, module string) bool {
	if imports(c, module) {
		return true
	}
	for _, n := range c.Nodes("call_expression") {
		if fn, args := c.QualifiedNames().Call(n); fn.Text() == "require" && len(args.List) == 1 && strings.Trim(args.List[0].Text(), "\"'`") == module {
			return true
		}
	}
	return false
}

// keyNames are the options that hold a key, by what takes them.
var keyNames = map[string]string{"express-session": "secret", "express-jwt": "secret", "passport-jwt.Strategy": "secretOrKey", "passport-jwt": "secretOrKey", "cookie-session": "secret", "koa-jwt": "secret", "koa-session": "secret", "express-jwt.expressjwt": "secret"}

func checkScriptKey(p *validate.Pass, c *validate.Code, k ecma.Call) {
	n := c.QualifiedNames()
	say := func(key syntax.Node) {
		if fn, args := n.Call(key); !fn.IsZero() && strings.HasSuffix(fn.Text(), "asKey") && len(args.List) > 0 {
			key = args.List[0]
		}
		if v := n.Value(key); v.Constant() && v.Text != "" && !strings.Contains(v.Text, "BEGIN PUBLIC KEY") {
			p.Node(c, k.Node, "Anyone who reads the source can sign in as anyone: read the key from the environment.")
		}
	}
	switch {
	case (strings.HasPrefix(k.Name, "jsonwebtoken.") || strings.HasPrefix(k.Name, "jose.JWT.") || strings.HasPrefix(k.Name, "jwt-simple.")) && (k.Base == "sign" || k.Base == "verify" || k.Base == "encode" || k.Base == "decode") && len(k.List) > 1:
		if k.Base == "decode" && !strings.HasPrefix(k.Name, "jwt-simple") {
			return
		}
		say(k.List[1])
	case keyNames[k.Name] != "":
		for _, x := range k.List {
			if v := option(n, x, keyNames[k.Name]); !v.IsZero() {
				say(v)
			}
		}
	}
}

// option returns the value that an object gives a name, also where the object
// was given to a name; no node where it gives none.
func option(n *ecma.QualifiedNames, x syntax.Node, name string) syntax.Node {
	if v := identifierValue(n, x); !v.IsZero() {
		x = v
	}
	if x.IsZero() || x.Kind() != "object" {
		return syntax.Node{}
	}
	for _, pair := range ecma.NamedChildren(x) {
		if l := ecma.NamedChildren(pair); pair.Kind() == "pair" && len(l) == 2 && strings.Trim(l[0].Text(), "\"'") == name {
			return l[1]
		}
	}
	return syntax.Node{}
}

func trueOption(x syntax.Node, name string) bool {
	if x.Kind() != "object" {
		return false
	}
	return slices.ContainsFunc(ecma.NamedChildren(x), func(pair syntax.Node) bool {
		l := ecma.NamedChildren(pair)
		return len(l) == 2 && l[0].Text() == name && l[1].Kind() == "true"
	})
}

func checkScriptToken(p *validate.Pass, c *validate.Code, k ecma.Call) {
	n := c.QualifiedNames()
	switch {
	case strings.HasPrefix(k.Name, "jsonwebtoken.") || strings.HasPrefix(k.Name, "jose.JWT."):
		for _, x := range k.List {
			if a := ecma.TextOf(option(n, x, "algorithms")) + ecma.TextOf(option(n, x, "algorithm")); noAlgorithm.MatchString(a) {
				p.Node(c, k.Node, "The algorithm none signs nothing: use HS256 or RS256.")
				return
			}
		}
	case k.Name == "jwt-simple.decode" && len(k.List) > 2 && k.List[2].Kind() == "true":
		p.Node(c, k.Node, "This does not verify the signature: remove the third argument.")
	}
}

func checkMessageOrigin(p *validate.Pass, c *validate.Code, k ecma.Call) {
	n := c.QualifiedNames()
	if k.Base != "addEventListener" || len(k.List) < 2 || k.Name != "addEventListener" && k.Name != "window.addEventListener" && k.Name != "self.addEventListener" && k.Name != "globalThis.addEventListener" {
		return
	}
	f := k.List[1]
	if v := identifierValue(n, f); !v.IsZero() {
		f = v
	}
	if v := n.Value(k.List[0]); !v.Constant() || v.Text != "message" || f.Kind() != "arrow_function" && !strings.HasPrefix(f.Kind(), "function") {
		return
	}
	text := f.Text()
	if !strings.Contains(text, "origin") && !strings.Contains(text, ".source") && strings.Contains(text, "data") && !imports(c, "worker_threads") && k.Name != "self.addEventListener" {
		p.Node(c, k.Node, "Any page can send messages to this one: compare event.origin first.")
	}
}

func checkCORS(p *validate.Pass, c *validate.Code, k ecma.Call) {
	if len(k.List) != 2 || !slices.Contains([]string{"setHeader", "set", "header", "append"}, k.Base) {
		return
	}
	n := c.QualifiedNames()
	name, to := n.Value(k.List[0]), n.Value(k.List[1])
	if !name.Constant() || !strings.EqualFold(name.Text, "Access-Control-Allow-Origin") {
		return
	}
	switch {
	case to.Constant() && to.Text == "*":
		p.Node(c, k.Node, "Scripts of any site can read this response: list the allowed sites.")
	case sentPart(n, k.List[1]):
		p.Node(c, k.Node, "The request decides here whether its origin is allowed: compare the origin with an allowlist.")
	}
}

func checkScriptCleartext(p *validate.Pass, c *validate.Code, k ecma.Call) {
	if len(k.List) == 0 || !callers.MatchString(k.Name) {
		return
	}
	v := c.QualifiedNames().Value(firstOf(k.List[0]))
	if v.Known && strings.HasPrefix(v.Text, "http://") && !strings.HasPrefix(v.Text, "http://"+ecma.Gap) && !ownHost(v.Text) {
		p.Node(c, k.Node, "Anyone on the network path can read and change this traffic: write https://.")
	}
}
