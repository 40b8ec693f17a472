package safety

import (
	"slices"
	"strings"

	"caselsp/agent/ecma"
	"caselsp/agent/syntax"
	"caselsp/agent/validate"
	"caselsp/store/lazyregexp"
)

// What somebody sent to a server of Flask, Django or FastAPI, and where it must
// not go; and what such servers must not leave open.
var pySentRules = validate.Untested([]validate.Rule{{
	ID: "python-sent-path", Title: "Path traversal: user input reaches a file path", Severity: validate.Warning, Category: validate.Safety, Standards: []string{"CWE-22"},
	Aliases: validate.Aliases{validate.Term: {"directory traversal", "LFI"}},
	Doc:     "`../../etc/passwd` reaches any file of the server. Use `werkzeug.utils.secure_filename` or `os.path.basename`, or look the name up in a list of allowed files.",
	File:    "views.py", Bad: "from flask import request, send_file\n\ndef load():\n    return send_file(\"docs/\" + request.args[\"name\"])\n",
	Good:  "import os\nfrom flask import request, send_file\n\ndef load():\n    return send_file(\"docs/\" + os.path.basename(request.args[\"name\"]))\n",
	Check: eachCall(onlyPython, checkSentPath),
}, {
	ID: "python-sent-address", Title: "Server-side request forgery (SSRF): user input decides the URL", Severity: validate.Warning, Category: validate.Safety, Standards: []string{"CWE-918"},
	Aliases: validate.Aliases{validate.Term: {"SSRF"}},
	Doc:     "The server then sends requests to hosts chosen by the user, including internal ones. Take the host from an allowlist; part of the path may be user input.",
	File:    "views.py", Bad: "import requests\nfrom flask import request\n\ndef load():\n    return requests.get(request.args[\"url\"], timeout=9).text\n",
	Good:  "import requests\nfrom flask import request\n\ndef load():\n    return requests.get(\"https://api.example.com/\" + request.args[\"id\"], timeout=9).text\n",
	Check: eachCall(onlyPython, checkSentAddress),
}, {
	ID: "python-sent-html", Title: "Cross-site scripting (XSS): user input reaches a page unescaped", Severity: validate.Critical, Category: validate.Safety, Standards: []string{"CWE-79"},
	Aliases: validate.Aliases{validate.Term: {"XSS", "reflected XSS"}},
	Doc:     "A crafted link then runs scripts in the page of whoever opens it. Insert the value with a template, which escapes, or use `markupsafe.escape`.",
	File:    "views.py", Bad: "from flask import request\n\ndef hello():\n    return f\"<p>Hello {request.args['name']}</p>\"\n",
	Good:  "from flask import render_template, request\n\ndef hello():\n    return render_template(\"hello.html\", name=request.args[\"name\"])\n",
	Check: checkSentHTML,
}, {
	ID: "python-sent-redirect", Title: "Open redirect: user input decides the target", Severity: validate.Warning, Category: validate.Safety, Standards: []string{"CWE-601"},
	Doc:  "A link to your site then leads to a site that imitates it (phishing). Check that the target is a path of your own (`url_has_allowed_host_and_scheme`), or look it up.",
	File: "views.py", Bad: "from flask import redirect, request\n\ndef go():\n    return redirect(request.args[\"next\"])\n",
	Good: "from flask import redirect, request, url_for\n\ndef go():\n    return redirect(url_for(\"home\", tab=request.args[\"tab\"]))\n",
	Check: eachCall(onlyPython, func(p *validate.Pass, c *validate.Code, k ecma.Call) {
		if to := k.At(0, "location"); !to.IsZero() && redirects.MatchString(k.Name) && leads(c.QualifiedNames(), to) {
			p.Node(c, k.Node, "Open redirect: user input decides the target. Compare it with an allowlist.")
		}
	}),
}, {
	ID: "python-cookie-flags", Title: "Cookie without Secure, HttpOnly or SameSite", Severity: validate.Info, Category: validate.Safety, Standards: []string{"CWE-614", "CWE-1004"},
	Doc: "`secure=True` keeps a cookie off unencrypted connections, `httponly=True` away from scripts, `samesite=\"Lax\"` out of requests from other sites. Cookies that scripts " +
		"must read need no `httponly`.",
	File: "views.py", Bad: "from flask import make_response\n\ndef login():\n    r = make_response(\"ok\")\n    r.set_cookie(\"session\", token)\n    return r\n",
	Good:  "from flask import make_response\n\ndef login():\n    r = make_response(\"ok\")\n    r.set_cookie(\"session\", token, secure=True, httponly=True, samesite=\"Lax\")\n    return r\n",
	Check: eachCall(onlyPython, checkCookie),
}, {
	ID: "python-csrf-off", Title: "CSRF protection disabled", Severity: validate.Warning, Category: validate.Safety, Standards: []string{"CWE-352"},
	Aliases: validate.Aliases{validate.Term: {"CSRF", "cross-site request forgery", "csrf_exempt"}},
	Doc:     "Other sites can then send forms in your users' names (cross-site request forgery). Leave it on; exempt API routes, which use no cookies, one by one.",
	File:    "config.py", Bad: "WTF_CSRF_ENABLED = False\n", Good: "WTF_CSRF_ENABLED = True\n",
	Check: validate.Nodes(onlyPython, checkForgery, "assignment", "keyword_argument", "pair"),
}, {
	ID: "python-jwt", Title: "JWT without a verified signature, or with a hard-coded key", Severity: validate.Critical, Category: validate.Safety, Standards: []string{"CWE-347", "CWE-798"},
	Doc:  "If the signature is not verified, the algorithm is `none` or the key is in the source, anyone can sign in as anyone. Read the key from the environment.",
	File: "tokens.py", Bad: "import jwt\n\ndef user(token):\n    return jwt.decode(token, options={\"verify_signature\": False})\n",
	Good:  "import jwt\n\ndef user(token, key):\n    return jwt.decode(token, key, algorithms=[\"HS256\"])\n",
	Check: eachCall(onlyPython, checkToken),
}, {
	ID: "python-cleartext", Title: "Cleartext HTTP request", Severity: validate.Info, Category: validate.Safety, Standards: []string{"CWE-319"},
	Doc:  "Anyone on the network path can read and change the traffic. Write `https://`. Loopback addresses pass.",
	File: "fetch.py", Bad: "import requests\n\nrequests.get(\"http://api.example.com/rates\", timeout=9)\n", Good: "import requests\n\nrequests.get(\"https://api.example.com/rates\", timeout=9)\n",
	Check: eachCall(onlyPython, checkCleartext),
}, {
	ID: "python-template-extension", Title: "Flask template whose extension disables autoescape (XSS)", Severity: validate.Warning, Category: validate.Safety, Standards: []string{"CWE-79"},
	Aliases: validate.Aliases{validate.Term: {"XSS"}},
	Doc: "Flask escapes only in templates that end in `.html`, `.htm`, `.xml`, `.xhtml` or `.svg`, but browsers treat what a view returns as HTML. Mails and files are not " +
		"reported.",
	File: "views.py", Bad: "from flask import render_template, request\n\ndef hello():\n    return render_template(\"hello.txt\", name=request.args[\"name\"])\n",
	Good:  "from flask import render_template, request\n\ndef hello():\n    return render_template(\"hello.html\", name=request.args[\"name\"])\n",
	Check: eachCall(onlyPython, checkTemplateExtension),
}, {
	ID: "python-plain-random", Title: "Predictable random numbers", Severity: validate.Info, Category: validate.Safety, Standards: []string{"CWE-338"},
	Aliases: validate.Aliases{validate.Bandit: {"B311"}, validate.Ruff: {"S311"}},
	Doc:     "`random` is meant for games, samples and delays. If somebody gains by predicting the next number, use `secrets` or `random.SystemRandom`.",
	File:    "dice.py", Bad: "import random\n\nprint(random.randint(1, 6))\n", Good: "import secrets\n\nprint(secrets.randbelow(6) + 1)\n",
	Check: eachCall(onlyPython, func(p *validate.Pass, c *validate.Code, k ecma.Call) {
		if plainRandom.MatchString(k.Name) && purpose(c, k.Node) == "" {
			p.Node(c, k.Node, "These numbers are predictable: use secrets if that matters.")
		}
	}),
}})

var (
	plainRandom  = lazyregexp.New(`^random\.(?:Random|random|randrange|randint|choice|choices|uniform|triangular|randbytes|getrandbits)$`)
	pathTakers   = lazyregexp.New(`^(?:open|io\.open|codecs\.open|flask\.send_file|os\.(?:open|remove|unlink|rmdir|listdir|makedirs|mkdir)|shutil\.rmtree|pathlib\.Path\(\)\.open)$`)
	requestCalls = lazyregexp.New(`^(?:requests|httpx)(?:\.(?:Session|Client)\(\)|\.session\(\))?\.(?:get|post|put|patch|delete|head|options|request|stream)$|^urllib2?(?:\.request)?\.(?:urlopen|Request|urlretrieve|URLopener\(\)\.(?:open|retrieve)|OpenerDirector\(\)\.open|build_opener\(\)\.open)$`)
	redirects    = lazyregexp.New(`^(?:flask\.redirect|django\.shortcuts\.redirect|django\.http\.HttpResponse(?:Permanent)?Redirect|starlette\.responses\.RedirectResponse|fastapi\.responses\.RedirectResponse)$`)
	answers      = lazyregexp.New(`^(?:flask\.(?:make_response|Response)|django\.http\.(?:response\.)?HttpResponse(?:BadRequest|NotFound|Forbidden|ServerError)?|fastapi\.responses\.HTMLResponse|starlette\.responses\.HTMLResponse)$`)

	// passing are the functions and methods whose result holds what they were given.
	passing = syntax.WordSet("str format join strip lstrip rstrip lower upper get decode unquote unquote_plus getlist pop title capitalize")

	// routeDecorator is that of a function whose parameters are parts of an address.
	routeDecorator = lazyregexp.New(`\.(?:route|get|post|put|patch|delete)\(\s*r?["']`)
)

// sentDepth bounds how far what was sent is followed.
const sentDepth = 12

// brought reports whether an expression is what somebody sent, or a text that
// holds it: through names, texts and functions that only pass it on.
func brought(n *ecma.QualifiedNames, x syntax.Node) bool { return bring(n, x, sentDepth) }

func bring(n *ecma.QualifiedNames, x syntax.Node, depth int) bool {
	if x.IsZero() || depth == 0 {
		return false
	}
	depth--
	if name := n.Name(x); x.Kind() != "identifier" && (request.MatchString(name) || viewRequest(n, x)) {
		return true
	}
	parts := func() bool {
		return slices.ContainsFunc(ecma.NamedChildren(x), func(c syntax.Node) bool { return bring(n, c, depth) })
	}
	switch x.Kind() {
	case "identifier":
		list := n.Find(x, x.Text())
		if judged(n, x) {
			return false
		}
		if len(list) == 1 && list[0].Way == ecma.ByAssignment && list[0].Path == "" {
			return bring(n, list[0].Value, depth)
		}
		return len(list) == 1 && list[0].Way == ecma.ByParameter && fromRoute(n, x)
	case "binary_operator", "concatenated_string", "string", "interpolation", "tuple", "parenthesized_expression", "boolean_operator", "conditional_expression":
		return parts()
	case "subscript":
		return bring(n, ecma.FirstNamed(x), depth)
	case "call":
		fn, args := n.Call(x)
		if !passing[lastPart(ecma.TextOf(fn))] && n.Name(fn) != "os.path.join" && n.Name(fn) != "pathlib.Path" {
			return false
		}
		if fn.Kind() == "attribute" && bring(n, ecma.FirstNamed(fn), depth) {
			return true
		}
		if name := lastPart(ecma.TextOf(fn)); name == "get" || name == "getlist" || name == "pop" {
			return false // what is looked up is not what it is looked up by
		}
		return slices.ContainsFunc(args.List, func(a syntax.Node) bool { return bring(n, a, depth) })
	}
	return false
}

// judges are the functions that say whether a value may pass.
var judges = lazyregexp.New(`(?i)allow|safe|valid|trust|check|verif|permit|startswith|fullmatch|match$`)

// judged reports whether the function around a name asks another one whether
// what it holds may pass: whatever comes of it, somebody has thought of it.
func judged(n *ecma.QualifiedNames, x syntax.Node) bool {
	f := ecma.Enclosing(x, "function_definition")
	if f.IsZero() {
		return false
	}
	for y := range f.Walk() {
		if y.Kind() != "call" {
			continue
		}
		fn, args := n.Call(y)
		if !judges.MatchString(lastPart(ecma.TextOf(fn))) {
			continue
		}
		if fn.Kind() == "attribute" && ecma.TextOf(ecma.FirstNamed(fn)) == x.Text() {
			return true
		}
		for _, a := range args.List {
			if a.Text() == x.Text() {
				return true
			}
		}
		for _, a := range args.Named {
			if a.Text() == x.Text() {
				return true
			}
		}
	}
	return false
}

// viewRequest reports whether an expression is a part of the request that a view
// of Django is given as its parameter.
func viewRequest(n *ecma.QualifiedNames, x syntax.Node) bool {
	if x.Kind() != "attribute" && x.Kind() != "call" || !request.MatchString(x.Text()) {
		return false
	}
	head := x
	for head.Kind() != "identifier" {
		if head = ecma.FirstNamed(head); head.IsZero() {
			return false
		}
	}
	list := n.Find(head, head.Text())
	return head.Text() == "request" && len(list) == 1 && list[0].Way == ecma.ByParameter || head.Text() == "self"
}

// fromRoute reports whether a parameter is a text of the address that its
// function answers.
func fromRoute(n *ecma.QualifiedNames, x syntax.Node) bool {
	f := ecma.Enclosing(x, "function_definition")
	if f.IsZero() || f.Parent().IsZero() || f.Parent().Kind() != "decorated_definition" {
		return false
	}
	for _, d := range ecma.NamedChildren(f.Parent()) {
		text := d.Text()
		if d.Kind() != "decorator" || !routeDecorator.MatchString(text) {
			continue
		}
		for _, form := range []string{"<" + x.Text() + ">", "<string:" + x.Text() + ">", "<path:" + x.Text() + ">"} {
			if strings.Contains(text, form) {
				return true
			}
		}
	}
	return false
}

// leads reports whether what somebody sent decides about the host of an address.
func leads(n *ecma.QualifiedNames, x syntax.Node) bool {
	v := n.Value(x)
	if !v.Known {
		return brought(n, x)
	}
	return headed(v) && brought(n, v.Holes[0])
}

func checkSentPath(p *validate.Pass, c *validate.Code, k ecma.Call) {
	if at := k.At(0, ""); pathTakers.MatchString(k.Name) && brought(c.QualifiedNames(), at) {
		p.Node(c, k.Node, "Path traversal: ../ in this input reaches any file. Use os.path.basename, or look the name up in an allowlist.")
	}
}

func checkSentAddress(p *validate.Pass, c *validate.Code, k ecma.Call) {
	if to := addressOf(k); !to.IsZero() && requestCalls.MatchString(k.Name) && leads(c.QualifiedNames(), to) {
		p.Node(c, k.Node, "Server-side request forgery: user input decides which host the server contacts. Take the host from an allowlist.")
	}
}

// addressOf returns the address that a call asks.
func addressOf(k ecma.Call) syntax.Node {
	if k.Base == "request" || k.Base == "stream" {
		return k.At(1, "url")
	}
	return k.At(0, "url")
}

func checkSentHTML(p *validate.Pass) {
	say := func(c *validate.Code, x syntax.Node) {
		n := c.QualifiedNames()
		v := n.Value(x)
		if v.Known && len(v.Holes) > 0 && strings.Contains(v.Text, "<") && slices.ContainsFunc(v.Holes, func(x syntax.Node) bool { return brought(n, x) }) || !v.Known && brought(n, x) {
			p.Node(c, x, "Cross-site scripting: user input becomes part of the page. Insert it with a template, or use markupsafe.escape.")
		}
	}
	validate.Nodes(onlyPython, func(p *validate.Pass, c *validate.Code, n syntax.Node) {
		if x := ecma.FirstNamed(n); !x.IsZero() && imports(c, "flask") && x.Kind() != "identifier" {
			if v := c.QualifiedNames().Value(x); v.Known {
				say(c, x)
			}
		}
	}, "return_statement")(p)
	eachCall(onlyPython, func(p *validate.Pass, c *validate.Code, k ecma.Call) {
		if x := k.At(0, "content"); !x.IsZero() && answers.MatchString(k.Name) && k.Named["content_type"].IsZero() && k.Named["mimetype"].IsZero() {
			say(c, x)
		}
	})(p)
}

func checkCookie(p *validate.Pass, c *validate.Code, k ecma.Call) {
	if k.Base != "set_cookie" || k.Open || len(k.List) < 2 || !imports(c, "flask") && !imports(c, "django") && !imports(c, "fastapi") {
		return
	}
	var missing []string
	for _, name := range []string{"secure", "httponly", "samesite"} {
		if v := k.Named[name]; v.IsZero() || v.Kind() == "false" || v.Kind() == "none" {
			missing = append(missing, name)
		}
	}
	if age := ecma.TextOf(k.Named["max_age"]); len(missing) > 0 && age != "0" && ecma.TextOf(k.Named["expires"]) != "0" {
		p.Node(c, k.Node, "This cookie is open to scripts, to unencrypted connections or to other sites: pass %s.", strings.Join(missing, ", "))
	}
}

func checkForgery(p *validate.Pass, c *validate.Code, n syntax.Node) {
	parts := ecma.NamedChildren(n)
	if len(parts) < 2 || parts[len(parts)-1].Kind() != "false" {
		return
	}
	name := parts[0].Text()
	if strings.HasSuffix(strings.Trim(name, "]\"'"), "WTF_CSRF_ENABLED") || strings.HasSuffix(strings.Trim(name, "]\"'"), "WTF_CSRF_CHECK_DEFAULT") {
		p.Node(c, n, "Other sites can send forms in your users' names (cross-site request forgery): keep this on.")
	}
}

// noAlgorithm is the algorithm that signs nothing.
var noAlgorithm = lazyregexp.New(`(?i)["']none["']`)

func checkToken(p *validate.Pass, c *validate.Code, k ecma.Call) {
	if k.Name != "jwt.encode" && k.Name != "jwt.decode" && k.Name != "jose.jwt.encode" && k.Name != "jose.jwt.decode" {
		return
	}
	n := c.QualifiedNames()
	algorithm := ecma.TextOf(k.Named["algorithm"]) + ecma.TextOf(k.Named["algorithms"])
	if algorithm == "" && k.Base == "encode" {
		algorithm = ecma.TextOf(k.At(2, ""))
	}
	key := n.Value(k.At(1, "key"))
	options := strings.Join(strings.Fields(ecma.TextOf(k.Named["options"])), "")
	switch {
	case ecma.TextOf(k.Named["verify"]) == "False", strings.Contains(options, "verify_signature\":False"), strings.Contains(options, "verify_signature':False"):
		p.Node(c, k.Node, "Anyone can forge such a token: verify its signature.")
	case noAlgorithm.MatchString(algorithm):
		p.Node(c, k.Node, "The algorithm none signs nothing: use HS256 or RS256.")
	case k.Base == "encode" && key.Constant() && key.Text != "":
		p.Node(c, k.Node, "Anyone who reads the source can forge such tokens: read the key from the environment.")
	}
}

// ownHost reports whether an address without encryption stays on the machine or
// the network at hand.
func ownHost(address string) bool {
	_, rest, _ := strings.Cut(address, "://")
	host, _, _ := strings.Cut(rest, "/")
	host = strings.ToLower(host)
	name, _, _ := strings.Cut(host, ":")
	return name == "localhost" || strings.HasPrefix(name, "127.") || strings.HasPrefix(name, "10.") || strings.HasPrefix(name, "192.168.") || strings.HasPrefix(name, "169.254.") ||
		name == "0.0.0.0" || strings.HasPrefix(host, "[") || !strings.Contains(name, ".") || strings.HasSuffix(name, ".local") || strings.HasSuffix(name, ".internal") || strings.HasSuffix(name, ".test")
}

func checkCleartext(p *validate.Pass, c *validate.Code, k ecma.Call) {
	if !requestCalls.MatchString(k.Name) {
		return
	}
	v := c.QualifiedNames().Value(addressOf(k))
	if v.Known && (strings.HasPrefix(v.Text, "http://") || strings.HasPrefix(v.Text, "ftp://")) && !strings.HasPrefix(v.Text, "http://"+ecma.Gap) && !ownHost(v.Text) {
		p.Node(c, k.Node, "Anyone on the network path can read and change this traffic: write https://.")
	}
}

func checkTemplateExtension(p *validate.Pass, c *validate.Code, k ecma.Call) {
	v := c.QualifiedNames().Value(k.At(0, ""))
	if k.Name != "flask.render_template" || !v.Constant() || len(k.Named) == 0 || k.Node.Parent().IsZero() || k.Node.Parent().Kind() != "return_statement" {
		return
	}
	for _, ending := range []string{".html", ".htm", ".xml", ".xhtml", ".svg"} {
		if strings.HasSuffix(v.Text, ending) {
			return
		}
	}
	p.Node(c, k.Node, "Flask does not escape in %s: end its name with .html.", v.Text)
}
