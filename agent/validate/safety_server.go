package validate

import (
	"slices"
	"strings"

	"caselsp/agent/syntax"
)

// Servers in JavaScript and TypeScript: what somebody sent and where it must not
// go, keys in the source, doors that are left open.
var safetyServerRules = untested(authored([]Rule{{
	ID: "js-sent-address", Title: "What somebody sent becomes the address of a request", Severity: Warning, Category: Safety, Standards: []string{"CWE-918"},
	Doc:  "The server then calls whom strangers want, also machines that only it can reach. Take the host from a list of your own; a part of the path may come from outside.",
	File: "server.js", Bad: "const axios = require(\"axios\");\n\napp.get(\"/load\", (req, res) => axios.get(req.query.url));\n",
	Good:  "const axios = require(\"axios\");\n\napp.get(\"/load\", (req, res) => axios.get(\"https://api.example.com/\" + req.query.id));\n",
	Check: eachCall(ecma, checkScriptAddress),
}, {
	ID: "js-sent-code", Title: "What somebody sent becomes code or a template", Severity: Critical, Category: Safety, Standards: []string{"CWE-94"},
	Doc:  "Sandboxes, headless browsers and template engines run the text that they are given: whoever sends it runs code on the server. Write the code or the template out, and hand it the values.",
	File: "server.js", Bad: "const pug = require(\"pug\");\n\napp.get(\"/\", (req, res) => res.send(pug.compile(req.query.page)()));\n",
	Good:  "const pug = require(\"pug\");\n\napp.get(\"/\", (req, res) => res.send(pug.compile(\"p= name\")({ name: req.query.name })));\n",
	Check: eachCall(ecma, checkSentCode),
}, {
	ID: "js-hardcoded-key", Title: "A key that signs stands in the source", Severity: Critical, Category: Safety, Standards: []string{"CWE-798"},
	Doc:  "Whoever reads the source can make tokens and sessions for anybody. Read the key from the environment (`process.env.JWT_KEY`).",
	File: "tokens.js", Bad: "const jwt = require(\"jsonwebtoken\");\n\nexport const sign = (user) => jwt.sign(user, \"s3cret\");\n",
	Good:  "const jwt = require(\"jsonwebtoken\");\n\nexport const sign = (user) => jwt.sign(user, process.env.JWT_KEY);\n",
	Check: eachCall(ecma, checkScriptKey),
}, {
	ID: "js-jwt-unverified", Title: "A token that anybody can make", Severity: Critical, Category: Safety, Standards: []string{"CWE-347"},
	Doc:  "With the algorithm `none`, or without a look at the signature, anybody signs in as anybody. Name the algorithms that you use: `algorithms: [\"HS256\"]`.",
	File: "tokens.js", Bad: "const jwt = require(\"jsonwebtoken\");\n\nexport const user = (token) => jwt.verify(token, key, { algorithms: [\"none\"] });\n",
	Good:  "const jwt = require(\"jsonwebtoken\");\n\nexport const user = (token) => jwt.verify(token, key, { algorithms: [\"HS256\"] });\n",
	Check: eachCall(ecma, checkScriptToken),
}, {
	ID: "js-sent-regexp", Title: "What somebody sent becomes a regular expression", Severity: Warning, Category: Safety, Standards: []string{"CWE-1333"},
	Doc:  "An expression such as `(a+)+$` keeps the server busy for hours. Escape the text first, or search without an expression.",
	File: "server.js", Bad: "app.get(\"/find\", (req, res) => res.json(list.filter((x) => new RegExp(req.query.q).test(x))));\n",
	Good: "app.get(\"/find\", (req, res) => res.json(list.filter((x) => x.includes(req.query.q))));\n",
	Check: eachCall(ecma, func(p *Pass, c *Code, k call) {
		if (k.name == "RegExp") && len(k.list) > 0 && c.names().sentPart(k.list[0]) {
			p.Node(c, k.node, "Whoever sends this can keep the server busy for hours: escape it, or search without an expression.")
		}
	}),
}, {
	ID: "js-xml-entities", Title: "XML may name files of the server", Severity: Warning, Category: Safety, Standards: []string{"CWE-611"},
	Doc:  "With `noent`, entities of the text are filled in: whoever sends the XML reads files of the server. Leave the option out.",
	File: "server.js", Bad: "const libxml = require(\"libxmljs\");\n\nexport const read = (text) => libxml.parseXml(text, { noent: true });\n",
	Good: "const libxml = require(\"libxmljs\");\n\nexport const read = (text) => libxml.parseXml(text);\n",
	Check: eachCall(ecma, func(p *Pass, c *Code, k call) {
		if strings.HasPrefix(k.name, "libxml") && strings.HasPrefix(k.base, "parse") && slices.ContainsFunc(k.list, func(x syntax.Node) bool { return trueOption(x, "noent") }) {
			p.Node(c, k.node, "Whoever writes this XML reads files of the server: leave noent out.")
		}
	}),
}, {
	ID: "js-message-origin", Title: "Messages of any page are taken", Severity: Warning, Category: Safety, Standards: []string{"CWE-346"},
	Doc:  "Any page that opens yours or frames it can send it messages. Compare `event.origin` first with the one that you expect.",
	File: "frame.js", Bad: "window.addEventListener(\"message\", (event) => {\n  run(event.data);\n});\n",
	Good:  "window.addEventListener(\"message\", (event) => {\n  if (event.origin === \"https://example.com\") run(event.data);\n});\n",
	Check: eachCall(ecma, checkMessageOrigin),
}, {
	ID: "js-trusted-html", Title: "A framework is told not to clean a value", Severity: Warning, Category: Safety, Standards: []string{"CWE-79"},
	Doc:  "`bypassSecurityTrust…` and `$sce.trustAs…` switch off what keeps scripts out of pages. Let the framework clean the value; constants pass.",
	File: "page.ts", Bad: "export function show(text: string) {\n  return sanitizer.bypassSecurityTrustHtml(text);\n}\n",
	Good: "export function show(text: string) {\n  return sanitizer.sanitize(SecurityContext.HTML, text);\n}\n",
	Check: eachCall(ecma, func(p *Pass, c *Code, k call) {
		if (strings.HasPrefix(k.base, "bypassSecurityTrust") || trustAs.MatchString(k.base)) && len(k.list) > 0 && !c.names().plain(k.list[len(k.list)-1]) && !c.names().value(k.list[len(k.list)-1]).constant() && !c.names().cleaned(k.list[len(k.list)-1]) {
			p.Node(c, k.node, "This switches off what keeps scripts out of the page: let the framework clean the value.")
		}
	}),
}, {
	ID: "js-cors-open", Title: "Any site may read the answers", Severity: Info, Category: Safety, Standards: []string{"CWE-942"},
	Doc:  "With `*`, and all the more with an origin that is taken from the request, scripts of any site read what the server answers. Name the sites that may. Public data may be open.",
	File: "server.js", Bad: "app.get(\"/me\", (req, res) => {\n  res.setHeader(\"Access-Control-Allow-Origin\", \"*\");\n  res.json(me(req));\n});\n",
	Good:  "app.get(\"/me\", (req, res) => {\n  res.setHeader(\"Access-Control-Allow-Origin\", \"https://example.com\");\n  res.json(me(req));\n});\n",
	Check: eachCall(ecma, checkCORS),
}, {
	ID: "js-cleartext", Title: "A request without encryption", Severity: Info, Category: Safety, Standards: []string{"CWE-319"},
	Doc:  "Anybody on the way can read and change what is sent and what comes back. Write `https://`. Addresses of the same machine pass.",
	File: "client.js", Bad: "fetch(\"http://api.example.com/rates\");\n", Good: "fetch(\"https://api.example.com/rates\");\n",
	Check: eachCall(ecma, checkScriptCleartext),
}}))

var (
	callers = expr(`^(?:fetch|window\.fetch|node-fetch|got|axios|request|needle|superagent|ky|request-promise(?:-native)?|axios\.default)(?:\.(?:default\.)?(?:get|post|put|patch|delete|head|options|request|stream))?$|^https?\.(?:get|request)$|^(?:\$|jQuery)\.(?:get|post|ajax|getJSON)$`)

	runners = expr(`^(?:vm\.(?:runIn\w+|Script|compileFunction)|(?:vm2\.(?:VM|NodeVM)|sandbox|Sandbox)\(\)\.run|(?:pug|jade|ejs|handlebars|Handlebars|mustache|Mustache|nunjucks|hogan\.js|hogan|lodash|_|underscore|swig|dot|dustjs-linkedin|velocityjs|eta|liquidjs|squirrelly|twig|art-template)\.(?:compile|render|renderString|template|precompile|renderFile|parse))$`)

	driven = expr(`^(?:evaluate|evaluateOnNewDocument|evaluateHandle|compileScript|setContent|goto|openUrl|addScriptTag|addInitScript|setDocumentContent|navigate|printToPDF)$`)

	trustAs = expr(`^trustAs(?:Html|Css|Js|Url|ResourceUrl)?$`)

	drivers = []string{"puppeteer", "puppeteer-core", "playwright", "phantom", "chrome-remote-interface", "wkhtmltopdf", "wkhtmltoimage"}
)

// firstOf returns the address of an argument: itself, or the url of an object.
func firstOf(x syntax.Node) syntax.Node {
	if x.IsZero() || x.Kind() != "object" {
		return x
	}
	for _, pair := range namedChildren(x) {
		if l := namedChildren(pair); len(l) == 2 && (l[0].Text() == "url" || l[0].Text() == "uri" || l[0].Text() == "host" || l[0].Text() == "hostname") {
			return l[1]
		}
	}
	return syntax.Node{}
}

// hostSent reports whether what somebody sent decides about the host of an address.
func (n *symbols) hostSent(x syntax.Node) bool {
	if v := n.value(x); v.known {
		return headed(v) && n.sentPart(v.holes[0])
	}
	for x.Kind() == "binary_expression" || x.Kind() == "parenthesized_expression" {
		x = firstNamed(x)
	}
	if v := n.identifierValue(x); !v.IsZero() && v.Kind() == "binary_expression" {
		return n.hostSent(v)
	}
	return n.sentPart(x)
}

// headed reports whether the first hole of a text stands where an address has
// its host, or before.
func headed(v madeText) bool {
	before, _, ok := strings.Cut(v.text, gap)
	_, rest, scheme := strings.Cut(before, "//")
	return ok && len(v.holes) > 0 && (before == "" || scheme && !strings.Contains(rest, "/"))
}

func checkScriptAddress(p *Pass, c *Code, k call) {
	if len(k.list) == 0 || !callers.MatchString(k.name) {
		return
	}
	if to := firstOf(k.list[0]); !to.IsZero() && c.names().hostSent(to) {
		p.Node(c, k.node, "Strangers decide here whom the server calls: take the host from a list of your own.")
	}
}

func checkSentCode(p *Pass, c *Code, k call) {
	if len(k.list) == 0 {
		return
	}
	n := c.names()
	drives := driven.MatchString(k.base) && slices.ContainsFunc(drivers, c.loads)
	if !drives && !runners.MatchString(k.name) {
		return
	}
	for _, x := range k.list[:1+indexOf(drives && len(k.list) > 1)] {
		if at := firstOf(x); !at.IsZero() && n.sentPart(at) || x.Kind() == "object" && slices.ContainsFunc(namedChildren(x), func(pair syntax.Node) bool {
			l := namedChildren(pair)
			return len(l) == 2 && n.sentPart(l[1])
		}) && drives {
			p.Node(c, k.node, "Whoever sends this runs code on the server: write the code out, and hand it the values.")
			return
		}
	}
}

// loads reports whether a script imports or requires a module.
func (c *Code) loads(module string) bool {
	if c.imports(module) {
		return true
	}
	for _, n := range c.Nodes("call_expression") {
		if fn, args := c.names().call(n); fn.Text() == "require" && len(args.list) == 1 && strings.Trim(args.list[0].Text(), "\"'`") == module {
			return true
		}
	}
	return false
}

// keyNames are the options that hold a key, by what takes them.
var keyNames = map[string]string{"express-session": "secret", "express-jwt": "secret", "passport-jwt.Strategy": "secretOrKey", "passport-jwt": "secretOrKey", "cookie-session": "secret", "koa-jwt": "secret", "koa-session": "secret", "express-jwt.expressjwt": "secret"}

func checkScriptKey(p *Pass, c *Code, k call) {
	n := c.names()
	say := func(key syntax.Node) {
		if fn, args := n.call(key); !fn.IsZero() && strings.HasSuffix(fn.Text(), "asKey") && len(args.list) > 0 {
			key = args.list[0]
		}
		if v := n.value(key); v.constant() && v.text != "" && !strings.Contains(v.text, "BEGIN PUBLIC KEY") {
			p.Node(c, k.node, "Whoever reads the source can sign in as anybody: read the key from the environment.")
		}
	}
	switch {
	case (strings.HasPrefix(k.name, "jsonwebtoken.") || strings.HasPrefix(k.name, "jose.JWT.") || strings.HasPrefix(k.name, "jwt-simple.")) && (k.base == "sign" || k.base == "verify" || k.base == "encode" || k.base == "decode") && len(k.list) > 1:
		if k.base == "decode" && !strings.HasPrefix(k.name, "jwt-simple") {
			return
		}
		say(k.list[1])
	case keyNames[k.name] != "":
		for _, x := range k.list {
			if v := option(n, x, keyNames[k.name]); !v.IsZero() {
				say(v)
			}
		}
	}
}

// option returns the value that an object gives a name, also where the object
// was given to a name; no node where it gives none.
func option(n *symbols, x syntax.Node, name string) syntax.Node {
	if v := n.identifierValue(x); !v.IsZero() {
		x = v
	}
	if x.IsZero() || x.Kind() != "object" {
		return syntax.Node{}
	}
	for _, pair := range namedChildren(x) {
		if l := namedChildren(pair); pair.Kind() == "pair" && len(l) == 2 && strings.Trim(l[0].Text(), "\"'") == name {
			return l[1]
		}
	}
	return syntax.Node{}
}

func trueOption(x syntax.Node, name string) bool {
	if x.Kind() != "object" {
		return false
	}
	return slices.ContainsFunc(namedChildren(x), func(pair syntax.Node) bool {
		l := namedChildren(pair)
		return len(l) == 2 && l[0].Text() == name && l[1].Kind() == "true"
	})
}

func checkScriptToken(p *Pass, c *Code, k call) {
	n := c.names()
	switch {
	case strings.HasPrefix(k.name, "jsonwebtoken.") || strings.HasPrefix(k.name, "jose.JWT."):
		for _, x := range k.list {
			if a := textOf(option(n, x, "algorithms")) + textOf(option(n, x, "algorithm")); noAlgorithm.MatchString(a) {
				p.Node(c, k.node, "The algorithm none signs nothing: take HS256 or RS256.")
				return
			}
		}
	case k.name == "jwt-simple.decode" && len(k.list) > 2 && k.list[2].Kind() == "true":
		p.Node(c, k.node, "This does not look at the signature: drop the third argument.")
	}
}

func checkMessageOrigin(p *Pass, c *Code, k call) {
	n := c.names()
	if k.base != "addEventListener" || len(k.list) < 2 || k.name != "addEventListener" && k.name != "window.addEventListener" && k.name != "self.addEventListener" && k.name != "globalThis.addEventListener" {
		return
	}
	f := k.list[1]
	if v := n.identifierValue(f); !v.IsZero() {
		f = v
	}
	if v := n.value(k.list[0]); !v.constant() || v.text != "message" || f.Kind() != "arrow_function" && !strings.HasPrefix(f.Kind(), "function") {
		return
	}
	text := f.Text()
	if !strings.Contains(text, "origin") && !strings.Contains(text, ".source") && strings.Contains(text, "data") && !c.imports("worker_threads") && k.name != "self.addEventListener" {
		p.Node(c, k.node, "Any page can send this one messages: compare event.origin first.")
	}
}

func checkCORS(p *Pass, c *Code, k call) {
	if len(k.list) != 2 || !slices.Contains([]string{"setHeader", "set", "header", "append"}, k.base) {
		return
	}
	n := c.names()
	name, to := n.value(k.list[0]), n.value(k.list[1])
	if !name.constant() || !strings.EqualFold(name.text, "Access-Control-Allow-Origin") {
		return
	}
	switch {
	case to.constant() && to.text == "*":
		p.Node(c, k.node, "Scripts of any site can read this answer: name the sites that may.")
	case n.sentPart(k.list[1]):
		p.Node(c, k.node, "Whoever asks decides here that he may: compare the origin with a list of your own.")
	}
}

func checkScriptCleartext(p *Pass, c *Code, k call) {
	if len(k.list) == 0 || !callers.MatchString(k.name) {
		return
	}
	v := c.names().value(firstOf(k.list[0]))
	if v.known && strings.HasPrefix(v.text, "http://") && !strings.HasPrefix(v.text, "http://"+gap) && !ownHost(v.text) {
		p.Node(c, k.node, "Anybody on the way can read and change this: write https://.")
	}
}
