package safety

import (
	"slices"
	"strings"

	"caselsp/agent/ecma"
	"caselsp/agent/syntax"
	"caselsp/agent/validate"
	"caselsp/store/lazyregexp"
)

// Pages, requests and servers.
var pyWebRules = validate.Untested([]validate.Rule{{
	ID: "python-markup", Title: "Cross-site scripting (XSS): HTML built from unescaped values", Severity: validate.Critical, Category: validate.Safety, Standards: []string{"CWE-79"},
	Aliases: validate.Aliases{validate.Bandit: {"B308", "B703", "B704"}, validate.Ruff: {"S308", "S704"}, validate.Term: {"XSS", "mark_safe"}},
	Doc: "`mark_safe` and `Markup` switch off escaping for a text that contains values: anyone who controls a value runs scripts in other users' pages. " +
		"`format_html(\"<b>{}</b>\", name)` and `Markup(\"<b>{}</b>\").format(name)` escape what they insert. Constants, numbers and values that went through `escape` pass.",
	File: "tags.py", Bad: "from django.utils.safestring import mark_safe\n\ndef bold(name):\n    return mark_safe(f\"<b>{name}</b>\")\n",
	Good:  "from django.utils.html import format_html\n\ndef bold(name):\n    return format_html(\"<b>{}</b>\", name)\n",
	Check: eachCall(onlyPython, func(p *validate.Pass, c *validate.Code, k ecma.Call) { checkMarkup(p, c, k, true) }),
}, {
	ID: "python-markup-value", Title: "Value marked as safe HTML", Severity: validate.Warning, Category: validate.Safety, Standards: []string{"CWE-79"},
	Aliases: validate.Aliases{validate.Bandit: {"B308", "B703", "B704"}, validate.Ruff: {"S308", "S704"}, validate.Term: {"XSS", "mark_safe"}},
	Doc:     "Whether the value is safe cannot be seen here. Sanitize it on input (`nh3.clean`), or let the template escape it.",
	File:    "tags.py", Bad: "from django.utils.safestring import mark_safe\n\ndef show(text):\n    return mark_safe(text)\n",
	Good:  "from django.utils.safestring import mark_safe\n\ndef line():\n    return mark_safe(\"<hr>\")\n",
	Check: eachCall(onlyPython, func(p *validate.Pass, c *validate.Code, k ecma.Call) { checkMarkup(p, c, k, false) }),
}, {
	ID: "python-jinja-autoescape", Title: "Jinja environment without autoescape (XSS)", Severity: validate.Warning, Category: validate.Safety, Standards: []string{"CWE-79"},
	Aliases: validate.Aliases{validate.Bandit: {"B701"}, validate.Ruff: {"S701"}, validate.Term: {"XSS"}},
	Doc:     "Unlike Django, Jinja does not escape values by default. Pass `autoescape=select_autoescape()`, which escapes in HTML and XML only.",
	File:    "render.py", Bad: "import jinja2\n\nenv = jinja2.Environment(loader=loader)\n", Good: "import jinja2\n\nenv = jinja2.Environment(loader=loader, autoescape=jinja2.select_autoescape())\n",
	Check: eachCall(onlyPython, checkJinja),
}, {
	ID: "python-mako", Title: "Mako template without escaping (XSS)", Severity: validate.Warning, Category: validate.Safety, Standards: []string{"CWE-79"},
	Aliases: validate.Aliases{validate.Bandit: {"B702"}, validate.Ruff: {"S702"}, validate.Term: {"XSS"}},
	Doc:     "Mako does not escape values by default. Pass `default_filters=[\"h\"]`, or write `${value | h}`.",
	File:    "render.py", Bad: "from mako.template import Template\n\npage = Template(text)\n", Good: "from mako.template import Template\n\npage = Template(text, default_filters=[\"h\"])\n",
	Check: eachCall(onlyPython, func(p *validate.Pass, c *validate.Code, k ecma.Call) {
		if k.Name == "mako.template.Template" && k.Named["default_filters"].IsZero() && !k.Open {
			p.Node(c, k.Node, "This template does not escape values: pass default_filters=[\"h\"].")
		}
	}),
}, {
	ID: "python-template-injection", Title: "Server-side template injection (SSTI)", Severity: validate.Critical, Category: validate.Safety, Standards: []string{"CWE-94", "CWE-1336"},
	Aliases: validate.Aliases{validate.Term: {"SSTI"}},
	Doc:     "Anyone who controls the text of a template runs code on the server (`{{ config }}`, `{{ ''.__class__ … }}`). Keep the template constant and pass values by name.",
	File:    "hello.py", Bad: "from flask import render_template_string, request\n\ndef hello():\n    return render_template_string(\"<p>Hello \" + request.args[\"name\"])\n",
	Good: "from flask import render_template_string, request\n\ndef hello():\n    return render_template_string(\"<p>Hello {{ name }}\", name=request.args[\"name\"])\n",
	Check: eachCall(onlyPython, func(p *validate.Pass, c *validate.Code, k ecma.Call) {
		text := k.At(0, "source")
		if k.Name == "flask.render_template_string" && !text.IsZero() {
			if v := c.QualifiedNames().Value(text); v.Known && !harmlessAll(c.QualifiedNames(), v) || !v.Known && sent(c.QualifiedNames(), text) {
				p.Node(c, k.Node, "Server-side template injection: anyone who controls part of this template runs code on the server. Keep it constant, and pass the values by name.")
			}
		}
	}),
}, {
	ID: "python-bind-all", Title: "Server listens on all network interfaces", Severity: validate.Info, Category: validate.Safety, Standards: []string{"CWE-605"},
	Aliases: validate.Aliases{validate.Bandit: {"B104"}, validate.Ruff: {"S104"}},
	Doc:     "`0.0.0.0` and `::` accept connections from every network. `127.0.0.1` is enough behind a proxy and in development; a container needs all interfaces.",
	File:    "serve.py", Bad: "import socket\n\ns = socket.socket()\ns.bind((\"0.0.0.0\", 8000))\n", Good: "import socket\n\ns = socket.socket()\ns.bind((\"127.0.0.1\", 8000))\n",
	Check: validate.Nodes(onlyPython, func(p *validate.Pass, c *validate.Code, n syntax.Node) {
		if v := c.QualifiedNames().Value(n); v.Constant() && (v.Text == "0.0.0.0" || v.Text == "::") && ecma.Enclosing(n, "comparison_operator").IsZero() {
			p.Node(c, n, "This accepts connections from every network: listen on 127.0.0.1 if that is enough.")
		}
	}, "string"),
}, {
	ID: "python-urlopen", Title: "URL opened without a check of its scheme", Severity: validate.Info, Category: validate.Safety, Standards: []string{"CWE-22", "CWE-918"},
	Aliases: validate.Aliases{validate.Bandit: {"B310"}, validate.Ruff: {"S310"}},
	Doc:     "`urllib` also opens `file:` and `ftp:` URLs. Check that an untrusted URL begins with `https://`.",
	File:    "fetch.py", Bad: "from urllib.request import urlopen\n\ndef fetch(url):\n    return urlopen(url)\n", Good: "from urllib.request import urlopen\n\ndef fetch(name):\n    return urlopen(\"https://example.com/\" + name)\n",
	Check: eachCall(onlyPython, checkURLOpen),
}, {
	ID: "python-no-timeout", Title: "HTTP request without a timeout", Severity: validate.Warning, Category: validate.Safety, Standards: []string{"CWE-400"},
	Aliases: validate.Aliases{validate.Bandit: {"B113"}, validate.Ruff: {"S113"}, validate.Pylint: {"missing-timeout"}},
	Doc:     "requests, and a client with `timeout=None`, wait forever for a server that does not answer. Pass `timeout`, in seconds.",
	File:    "fetch.py", Bad: "import requests\n\nrequests.get(\"https://example.com\")\n", Good: "import requests\n\nrequests.get(\"https://example.com\", timeout=10)\n",
	Check: eachCall(onlyPython, checkTimeout),
}, {
	ID: "python-ssh-command", Title: "Command sent to a remote shell (SSH)", Severity: validate.Warning, Category: validate.Safety, Standards: []string{"CWE-78"},
	Aliases: validate.Aliases{validate.Bandit: {"B601"}, validate.Ruff: {"S601"}},
	Doc:     "A shell runs the command there: an untrusted value in it becomes commands. Put every value through `shlex.quote`. Constant commands pass.",
	File:    "deploy.py", Bad: "import paramiko\n\nclient = paramiko.SSHClient()\nclient.exec_command(\"rm -r \" + folder)\n", Good: "import paramiko\nimport shlex\n\nclient = paramiko.SSHClient()\nclient.exec_command(\"rm -r \" + shlex.quote(folder))\n",
	Check: eachCall(onlyPython, func(p *validate.Pass, c *validate.Code, k ecma.Call) {
		if command := k.At(0, "command"); k.Base == "exec_command" && !command.IsZero() && imports(c, "paramiko") && !quotedCommand(c, command) {
			p.Node(c, k.Node, "A shell runs this on the remote machine: put each value in it through shlex.quote.")
		}
	}),
}})

// markup are the functions that declare a text to be safe HTML.
var markup = lazyregexp.New(`^(?:django\.utils\.(?:safestring|html)\.(?:mark_safe|SafeText|SafeUnicode|SafeString|SafeBytes)|(?:markupsafe|flask|jinja2)\.Markup|webhelpers\.html\.literal)$`)

// escapers make a text safe for a page.
var escapers = []string{
	"html.escape()", "cgi.escape()", "django.utils.html.escape()", "django.utils.html.conditional_escape()", "django.utils.html.format_html()", "django.utils.html.format_html_join()",
	"django.utils.html.escapejs()", "django.utils.html.urlize()", "markupsafe.escape()", "flask.escape()", "bleach.clean()", "nh3.clean()", "django.utils.safestring.mark_safe()", "django.utils.html.strip_tags()",
	"django.utils.http.urlencode()", "urllib.parse.quote()", "urllib.parse.urlencode()", "django.template.loader.render_to_string()", "django.urls.reverse()", "django.middleware.csrf.get_token()",
	"flask.url_for()", "django.templatetags.static.static()", "django.utils.html.json_script()", "xml.sax.saxutils.escape()", "xml.sax.saxutils.quoteattr()", "json.dumps()",
}

func checkMarkup(p *validate.Pass, c *validate.Code, k ecma.Call, made bool) {
	text := k.At(0, "")
	if !markup.MatchString(k.Name) && !(made && k.Name == "django.utils.html.format_html") || text.IsZero() {
		return
	}
	n := c.QualifiedNames()
	v := n.Value(text)
	switch {
	case v.Constant() || harmless(n, text, escapers...):
	case made && v.Known && !harmlessAll(n, v, escapers...):
		p.Node(c, k.Node, "Cross-site scripting: values in this text run as scripts in other users' pages. Use format_html or Markup(…).format(…), which escape them.")
	case !made && !v.Known:
		p.Node(c, k.Node, "This value is not escaped in pages: escape or sanitize it, or let the template do that.")
	}
}

// harmlessAll reports whether nothing harmful is put into a text.
func harmlessAll(n *ecma.QualifiedNames, v ecma.BuiltText, names ...string) bool {
	return !slices.ContainsFunc(v.Holes, func(hole syntax.Node) bool { return !harmless(n, hole, names...) })
}

// request is what a name begins with that holds what somebody sent.
var request = lazyregexp.New(`^(?:flask\.request|request|self\.request|bottle\.request)\.(?:args|form|values|json|data|headers|cookies|files|GET|POST|COOKIES|FILES|body|query_params|query|params|get_json\(\)|get_data\(\))`)

// sent reports whether an expression is what somebody sent with a request, or
// holds it.
func sent(n *ecma.QualifiedNames, x syntax.Node) bool {
	for y := range x.Walk() {
		if brought(n, y) {
			return true
		}
	}
	return false
}

func checkJinja(p *validate.Pass, c *validate.Code, k ecma.Call) {
	if k.Name != "jinja2.Environment" && k.Name != "jinja2.environment.Environment" && k.Name != "jinja2.sandbox.SandboxedEnvironment" || k.Open {
		return
	}
	auto := k.Named["autoescape"]
	switch {
	case auto.IsZero() || auto.Kind() == "false":
		p.Node(c, k.Node, "These templates do not escape values: pass autoescape=select_autoescape().")
	case auto.Kind() == "true" || auto.Kind() == "lambda":
	default:
		if v := identifierValue(c.QualifiedNames(), auto); !v.IsZero() && v.Kind() != "true" && v.Kind() != "call" && v.Kind() != "lambda" {
			p.Node(c, k.Node, "These templates may not escape values: pass autoescape=select_autoescape().")
		}
	}
}

// identifierValue returns what a name was given, where that was once.
func identifierValue(n *ecma.QualifiedNames, x syntax.Node) syntax.Node {
	if x.Kind() != "identifier" {
		return syntax.Node{}
	}
	if list := n.Find(x, x.Text()); len(list) == 1 && list[0].Way == ecma.ByAssignment && list[0].Path == "" {
		return list[0].Value
	}
	return syntax.Node{}
}

// openers are the functions of urllib that open any URL.
var openers = lazyregexp.New(`^(?:six\.moves\.)?urllib2?(?:\.request)?\.(?:urlopen|urlretrieve|(?:Fancy)?URLopener\(\)\.(?:open|retrieve))$`)

func checkURLOpen(p *validate.Pass, c *validate.Code, k ecma.Call) {
	to := k.At(0, "url")
	if !openers.MatchString(k.Name) || to.IsZero() {
		return
	}
	if v := c.QualifiedNames().Value(to); v.Known && (strings.HasPrefix(v.Text, "http://") || strings.HasPrefix(v.Text, "https://")) {
		return
	}
	if fn, args := c.QualifiedNames().Call(to); to.Kind() == "call" && strings.HasSuffix(c.QualifiedNames().Name(fn), ".Request") && len(args.List) > 0 {
		if v := c.QualifiedNames().Value(args.List[0]); strings.HasPrefix(v.Text, "http://") || strings.HasPrefix(v.Text, "https://") {
			return
		}
	}
	p.Node(c, k.Node, "This also opens file: URLs: check that an untrusted URL begins with https://.")
}

func checkTimeout(p *validate.Pass, c *validate.Code, k ecma.Call) {
	module, method, ok := strings.Cut(k.Name, ".")
	if !ok || module != "requests" && module != "httpx" || !slices.Contains(requestMethods, method) || k.Open {
		return
	}
	timeout := k.Named["timeout"]
	if !timeout.IsZero() && timeout.Kind() == "none" || timeout.IsZero() && module == "requests" && method != "Session" {
		p.Node(c, k.Node, "This waits forever if the server does not answer: pass timeout, in seconds.")
	}
}
