package validate

import (
	"slices"
	"strings"

	"caselsp/agent/syntax"
)

// What somebody sent to a server of Flask, Django or FastAPI, and where it must
// not go; and what such servers must not leave open.
var safetyPySentRules = untested([]Rule{{
	ID: "python-sent-path", Title: "What somebody sent becomes the path of a file", Severity: Warning, Category: Safety, Standards: []string{"CWE-22"},
	Doc:  "Who sends `../../etc/passwd` reaches any file of the server. Take `werkzeug.utils.secure_filename` or `os.path.basename` of it, or look it up among the files that are allowed.",
	File: "views.py", Bad: "from flask import request, send_file\n\ndef load():\n    return send_file(\"docs/\" + request.args[\"name\"])\n",
	Good:  "import os\nfrom flask import request, send_file\n\ndef load():\n    return send_file(\"docs/\" + os.path.basename(request.args[\"name\"]))\n",
	Check: eachCall(onlyPython, checkSentPath),
}, {
	ID: "python-sent-address", Title: "What somebody sent becomes the address of a request", Severity: Warning, Category: Safety, Standards: []string{"CWE-918"},
	Doc:  "The server then calls whom strangers want, also machines that only it can reach. Take the host from a list; a part of the path may come from outside.",
	File: "views.py", Bad: "import requests\nfrom flask import request\n\ndef load():\n    return requests.get(request.args[\"url\"], timeout=9).text\n",
	Good:  "import requests\nfrom flask import request\n\ndef load():\n    return requests.get(\"https://api.example.com/\" + request.args[\"id\"], timeout=9).text\n",
	Check: eachCall(onlyPython, checkSentAddress),
}, {
	ID: "python-sent-html", Title: "What somebody sent becomes a part of a page as it is", Severity: Critical, Category: Safety, Standards: []string{"CWE-79"},
	Doc:  "Whoever makes others open such a link runs scripts in their page. Let a template put it in, which escapes, or use `markupsafe.escape`.",
	File: "views.py", Bad: "from flask import request\n\ndef hello():\n    return f\"<p>Hello {request.args['name']}</p>\"\n",
	Good:  "from flask import render_template, request\n\ndef hello():\n    return render_template(\"hello.html\", name=request.args[\"name\"])\n",
	Check: checkSentHTML,
}, {
	ID: "python-sent-redirect", Title: "What somebody sent decides where visitors go", Severity: Warning, Category: Safety, Standards: []string{"CWE-601"},
	Doc:  "A link to your site then leads to another one that looks like it. See that the address is a path of your own (`url_has_allowed_host_and_scheme`), or look it up.",
	File: "views.py", Bad: "from flask import redirect, request\n\ndef go():\n    return redirect(request.args[\"next\"])\n",
	Good: "from flask import redirect, request, url_for\n\ndef go():\n    return redirect(url_for(\"home\", tab=request.args[\"tab\"]))\n",
	Check: eachCall(onlyPython, func(p *Pass, c *Code, k call) {
		if to := k.at(0, "location"); !to.IsZero() && redirects.MatchString(k.name) && c.names().leads(to) {
			p.Node(c, k.node, "Anybody can send your visitors anywhere with this: compare it with the addresses that are allowed.")
		}
	}),
}, {
	ID: "python-cookie-flags", Title: "A cookie that scripts or strangers can read", Severity: Info, Category: Safety, Standards: []string{"CWE-614", "CWE-1004"},
	Doc:  "`secure=True` keeps a cookie off connections without encryption, `httponly=True` from scripts, `samesite=\"Lax\"` from requests of other sites. Cookies that scripts must read need no `httponly`.",
	File: "views.py", Bad: "from flask import make_response\n\ndef login():\n    r = make_response(\"ok\")\n    r.set_cookie(\"session\", token)\n    return r\n",
	Good:  "from flask import make_response\n\ndef login():\n    r = make_response(\"ok\")\n    r.set_cookie(\"session\", token, secure=True, httponly=True, samesite=\"Lax\")\n    return r\n",
	Check: eachCall(onlyPython, checkCookie),
}, {
	ID: "python-csrf-off", Title: "Protection against forged requests is switched off", Severity: Warning, Category: Safety, Standards: []string{"CWE-352"},
	Doc:  "Other sites can then send forms in the name of your visitors. Leave it on; routes for programs, which use no cookies, can be excepted one by one.",
	File: "config.py", Bad: "WTF_CSRF_ENABLED = False\n", Good: "WTF_CSRF_ENABLED = True\n",
	Check: nodes(onlyPython, checkForgery, "assignment", "keyword_argument", "pair"),
}, {
	ID: "python-jwt", Title: "A token that anybody can make", Severity: Critical, Category: Safety, Standards: []string{"CWE-347", "CWE-798"},
	Doc:  "A signature that is not verified, the algorithm `none`, or a key that stands in the source: in each case anybody can sign in as anybody. Read the key from the environment.",
	File: "tokens.py", Bad: "import jwt\n\ndef user(token):\n    return jwt.decode(token, options={\"verify_signature\": False})\n",
	Good:  "import jwt\n\ndef user(token, key):\n    return jwt.decode(token, key, algorithms=[\"HS256\"])\n",
	Check: eachCall(onlyPython, checkToken),
}, {
	ID: "python-cleartext", Title: "A request without encryption", Severity: Info, Category: Safety, Standards: []string{"CWE-319"},
	Doc:  "Anybody on the way can read and change what is sent and what comes back. Write `https://`. Addresses of the same machine pass.",
	File: "fetch.py", Bad: "import requests\n\nrequests.get(\"http://api.example.com/rates\", timeout=9)\n", Good: "import requests\n\nrequests.get(\"https://api.example.com/rates\", timeout=9)\n",
	Check: eachCall(onlyPython, checkCleartext),
}, {
	ID: "python-template-extension", Title: "A page out of a template that does not escape", Severity: Warning, Category: Safety, Standards: []string{"CWE-79"},
	Doc:  "Flask escapes in templates that end in `.html`, `.htm`, `.xml`, `.xhtml` and `.svg` only. What a view returns is HTML to browsers, whatever the template is called. Mails and files are left alone.",
	File: "views.py", Bad: "from flask import render_template, request\n\ndef hello():\n    return render_template(\"hello.txt\", name=request.args[\"name\"])\n",
	Good:  "from flask import render_template, request\n\ndef hello():\n    return render_template(\"hello.html\", name=request.args[\"name\"])\n",
	Check: eachCall(onlyPython, checkTemplateExtension),
}, {
	ID: "python-plain-random", Title: "Numbers that can be foretold", Severity: Info, Category: Safety, Standards: []string{"CWE-338"},
	Doc:  "`random` is for games, samples and delays. Where somebody gains by knowing the next number, use `secrets` or `random.SystemRandom`.",
	File: "dice.py", Bad: "import random\n\nprint(random.randint(1, 6))\n", Good: "import secrets\n\nprint(secrets.randbelow(6) + 1)\n",
	Check: eachCall(onlyPython, func(p *Pass, c *Code, k call) {
		if plainRandom.MatchString(k.name) && purpose(c, k.node) == "" {
			p.Node(c, k.node, "Who has seen some of these numbers knows the rest: use secrets where that matters.")
		}
	}),
}})

var (
	plainRandom  = expr(`^random\.(?:Random|random|randrange|randint|choice|choices|uniform|triangular|randbytes|getrandbits)$`)
	pathTakers   = expr(`^(?:open|io\.open|codecs\.open|flask\.send_file|os\.(?:open|remove|unlink|rmdir|listdir|makedirs|mkdir)|shutil\.rmtree|pathlib\.Path\(\)\.open)$`)
	requestCalls = expr(`^(?:requests|httpx)(?:\.(?:Session|Client)\(\)|\.session\(\))?\.(?:get|post|put|patch|delete|head|options|request|stream)$|^urllib2?(?:\.request)?\.(?:urlopen|Request|urlretrieve|URLopener\(\)\.(?:open|retrieve)|OpenerDirector\(\)\.open|build_opener\(\)\.open)$`)
	redirects    = expr(`^(?:flask\.redirect|django\.shortcuts\.redirect|django\.http\.HttpResponse(?:Permanent)?Redirect|starlette\.responses\.RedirectResponse|fastapi\.responses\.RedirectResponse)$`)
	answers      = expr(`^(?:flask\.(?:make_response|Response)|django\.http\.(?:response\.)?HttpResponse(?:BadRequest|NotFound|Forbidden|ServerError)?|fastapi\.responses\.HTMLResponse|starlette\.responses\.HTMLResponse)$`)

	// passing are the functions and methods whose result holds what they were given.
	passing = wordSet("str format join strip lstrip rstrip lower upper get decode unquote unquote_plus getlist pop title capitalize")

	// routeDecorator is that of a function whose parameters are parts of an address.
	routeDecorator = expr(`\.(?:route|get|post|put|patch|delete)\(\s*r?["']`)
)

// sentDepth bounds how far what was sent is followed.
const sentDepth = 12

// brought reports whether an expression is what somebody sent, or a text that
// holds it: through names, texts and functions that only pass it on.
func (n *symbols) brought(x syntax.Node) bool { return n.bring(x, sentDepth) }

func (n *symbols) bring(x syntax.Node, depth int) bool {
	if x.IsZero() || depth == 0 {
		return false
	}
	depth--
	if name := n.name(x); x.Kind() != "identifier" && (request.MatchString(name) || n.viewRequest(x)) {
		return true
	}
	parts := func() bool {
		return slices.ContainsFunc(namedChildren(x), func(c syntax.Node) bool { return n.bring(c, depth) })
	}
	switch x.Kind() {
	case "identifier":
		list := n.find(x, x.Text())
		if n.judged(x) {
			return false
		}
		if len(list) == 1 && list[0].how == given && list[0].path == "" {
			return n.bring(list[0].value, depth)
		}
		return len(list) == 1 && list[0].how == parameter && n.fromRoute(x)
	case "binary_operator", "concatenated_string", "string", "interpolation", "tuple", "parenthesized_expression", "boolean_operator", "conditional_expression":
		return parts()
	case "subscript":
		return n.bring(firstNamed(x), depth)
	case "call":
		fn, args := n.call(x)
		if !passing[lastPart(textOf(fn))] && n.name(fn) != "os.path.join" && n.name(fn) != "pathlib.Path" {
			return false
		}
		if fn.Kind() == "attribute" && n.bring(firstNamed(fn), depth) {
			return true
		}
		if name := lastPart(textOf(fn)); name == "get" || name == "getlist" || name == "pop" {
			return false // what is looked up is not what it is looked up by
		}
		return slices.ContainsFunc(args.list, func(a syntax.Node) bool { return n.bring(a, depth) })
	}
	return false
}

// judges are the functions that say whether a value may pass.
var judges = expr(`(?i)allow|safe|valid|trust|check|verif|permit|startswith|fullmatch|match$`)

// judged reports whether the function around a name asks another one whether
// what it holds may pass: whatever comes of it, somebody has thought of it.
func (n *symbols) judged(x syntax.Node) bool {
	f := enclosing(x, "function_definition")
	if f.IsZero() {
		return false
	}
	for y := range f.Walk() {
		if y.Kind() != "call" {
			continue
		}
		fn, args := n.call(y)
		if !judges.MatchString(lastPart(textOf(fn))) {
			continue
		}
		if fn.Kind() == "attribute" && textOf(firstNamed(fn)) == x.Text() {
			return true
		}
		for _, a := range args.list {
			if a.Text() == x.Text() {
				return true
			}
		}
		for _, a := range args.named {
			if a.Text() == x.Text() {
				return true
			}
		}
	}
	return false
}

// viewRequest reports whether an expression is a part of the request that a view
// of Django is given as its parameter.
func (n *symbols) viewRequest(x syntax.Node) bool {
	if x.Kind() != "attribute" && x.Kind() != "call" || !request.MatchString(x.Text()) {
		return false
	}
	head := x
	for head.Kind() != "identifier" {
		if head = firstNamed(head); head.IsZero() {
			return false
		}
	}
	list := n.find(head, head.Text())
	return head.Text() == "request" && len(list) == 1 && list[0].how == parameter || head.Text() == "self"
}

// fromRoute reports whether a parameter is a text of the address that its
// function answers.
func (n *symbols) fromRoute(x syntax.Node) bool {
	f := enclosing(x, "function_definition")
	if f.IsZero() || f.Parent().IsZero() || f.Parent().Kind() != "decorated_definition" {
		return false
	}
	for _, d := range namedChildren(f.Parent()) {
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
func (n *symbols) leads(x syntax.Node) bool {
	v := n.value(x)
	if !v.known {
		return n.brought(x)
	}
	return headed(v) && n.brought(v.holes[0])
}

func checkSentPath(p *Pass, c *Code, k call) {
	if at := k.at(0, ""); pathTakers.MatchString(k.name) && c.names().brought(at) {
		p.Node(c, k.node, "Who sends ../ here reaches any file: take os.path.basename of it, or look it up among the files that are allowed.")
	}
}

func checkSentAddress(p *Pass, c *Code, k call) {
	if to := addressOf(k); !to.IsZero() && requestCalls.MatchString(k.name) && c.names().leads(to) {
		p.Node(c, k.node, "Strangers decide here whom the server calls: take the host from a list of your own.")
	}
}

// addressOf returns the address that a call asks.
func addressOf(k call) syntax.Node {
	if k.base == "request" || k.base == "stream" {
		return k.at(1, "url")
	}
	return k.at(0, "url")
}

func checkSentHTML(p *Pass) {
	say := func(c *Code, x syntax.Node) {
		n := c.names()
		v := n.value(x)
		if v.known && len(v.holes) > 0 && strings.Contains(v.text, "<") && slices.ContainsFunc(v.holes, n.brought) || !v.known && n.brought(x) {
			p.Node(c, x, "What somebody sent becomes a part of the page: let a template put it in, or use markupsafe.escape.")
		}
	}
	nodes(onlyPython, func(p *Pass, c *Code, n syntax.Node) {
		if x := firstNamed(n); !x.IsZero() && c.imports("flask") && x.Kind() != "identifier" {
			if v := c.names().value(x); v.known {
				say(c, x)
			}
		}
	}, "return_statement")(p)
	eachCall(onlyPython, func(p *Pass, c *Code, k call) {
		if x := k.at(0, "content"); !x.IsZero() && answers.MatchString(k.name) && k.named["content_type"].IsZero() && k.named["mimetype"].IsZero() {
			say(c, x)
		}
	})(p)
}

func checkCookie(p *Pass, c *Code, k call) {
	if k.base != "set_cookie" || k.open || len(k.list) < 2 || !c.imports("flask") && !c.imports("django") && !c.imports("fastapi") {
		return
	}
	var missing []string
	for _, name := range []string{"secure", "httponly", "samesite"} {
		if v := k.named[name]; v.IsZero() || v.Kind() == "false" || v.Kind() == "none" {
			missing = append(missing, name)
		}
	}
	if age := textOf(k.named["max_age"]); len(missing) > 0 && age != "0" && textOf(k.named["expires"]) != "0" {
		p.Node(c, k.node, "This cookie is open to scripts, strangers or other sites: give %s.", strings.Join(missing, ", "))
	}
}

func checkForgery(p *Pass, c *Code, n syntax.Node) {
	parts := namedChildren(n)
	if len(parts) < 2 || parts[len(parts)-1].Kind() != "false" {
		return
	}
	name := parts[0].Text()
	if strings.HasSuffix(strings.Trim(name, "]\"'"), "WTF_CSRF_ENABLED") || strings.HasSuffix(strings.Trim(name, "]\"'"), "WTF_CSRF_CHECK_DEFAULT") {
		p.Node(c, n, "Other sites can send forms in the name of your visitors: leave this on.")
	}
}

// noAlgorithm is the algorithm that signs nothing.
var noAlgorithm = expr(`(?i)["']none["']`)

func checkToken(p *Pass, c *Code, k call) {
	if k.name != "jwt.encode" && k.name != "jwt.decode" && k.name != "jose.jwt.encode" && k.name != "jose.jwt.decode" {
		return
	}
	n := c.names()
	algorithm := textOf(k.named["algorithm"]) + textOf(k.named["algorithms"])
	if algorithm == "" && k.base == "encode" {
		algorithm = textOf(k.at(2, ""))
	}
	key := n.value(k.at(1, "key"))
	options := strings.Join(strings.Fields(textOf(k.named["options"])), "")
	switch {
	case textOf(k.named["verify"]) == "False", strings.Contains(options, "verify_signature\":False"), strings.Contains(options, "verify_signature':False"):
		p.Node(c, k.node, "Anybody can make such a token: verify its signature.")
	case noAlgorithm.MatchString(algorithm):
		p.Node(c, k.node, "The algorithm none signs nothing: take HS256 or RS256.")
	case k.base == "encode" && key.constant() && key.text != "":
		p.Node(c, k.node, "Whoever reads the source can make such tokens: read the key from the environment.")
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

func checkCleartext(p *Pass, c *Code, k call) {
	if !requestCalls.MatchString(k.name) {
		return
	}
	v := c.names().value(addressOf(k))
	if v.known && (strings.HasPrefix(v.text, "http://") || strings.HasPrefix(v.text, "ftp://")) && !strings.HasPrefix(v.text, "http://"+gap) && !ownHost(v.text) {
		p.Node(c, k.node, "Anybody on the way can read and change this: write https://.")
	}
}

func checkTemplateExtension(p *Pass, c *Code, k call) {
	v := c.names().value(k.at(0, ""))
	if k.name != "flask.render_template" || !v.constant() || len(k.named) == 0 || k.node.Parent().IsZero() || k.node.Parent().Kind() != "return_statement" {
		return
	}
	for _, ending := range []string{".html", ".htm", ".xml", ".xhtml", ".svg"} {
		if strings.HasSuffix(v.text, ending) {
			return
		}
	}
	p.Node(c, k.node, "Flask does not escape in %s: end its name in .html.", v.text)
}
