package templates

import (
	"slices"
	"strings"

	"caselsp/agent/dom"
	"caselsp/agent/ecma"
	"caselsp/agent/validate"
)

// formRules are about forms and what templates write into pages.
var formRules = []validate.Rule{{
	ID: "csrf-missing", Title: "Form without a CSRF token", Severity: validate.Critical, Category: validate.Templates,
	Standards: []string{"CWE-352"},
	Aliases:   validate.Aliases{validate.Term: {"CSRF", "cross-site request forgery"}, validate.Semgrep: {"django-no-csrf-token"}},
	Doc: "Without a token, another site can send the form in the user's name (cross-site request forgery); Django rejects the form altogether. Write `{% csrf_token %}` in " +
		"each form that posts to your own site, or the equivalent of your framework (`{{ form.hidden_tag() }}`, `{{ csrf_input }}`, a hidden field). Forms to other sites, " +
		"forms filled by a template, and pages that are not templates are not reported.",
	Bad:   "{% load static %}\n<form method=\"post\" action=\"{% url 'pay' %}\"><button>Pay</button></form>\n",
	Good:  "{% load static %}\n<form method=\"post\" action=\"{% url 'pay' %}\">{% csrf_token %}<button>Pay</button></form>\n",
	Check: validate.Elements(checkCSRF, "form"),
}, {
	ID: "csrf-leak", Title: "CSRF token sent to another site or in the URL", Severity: validate.Warning, Category: validate.Templates,
	Standards: []string{"CWE-352"},
	Aliases:   validate.Aliases{validate.Term: {"CSRF", "cross-site request forgery"}},
	Doc:       "In a form sent with GET the token is in the URL; in a form to another site, that site receives it. Both can then forge requests in the user's name.",
	Bad:       "<form action=\"/search\">{% csrf_token %}<input aria-label=\"Words\" name=\"q\"></form>\n",
	Good:      "<form action=\"/search\"><input aria-label=\"Words\" name=\"q\"></form>\n",
	Check: validate.Page(func(p *validate.Pass, d *dom.Document) {
		for _, t := range d.Templates() {
			form := t.Parent
			for form != nil && !form.Is("form") {
				form = form.Parent
			}
			if t.Name != "csrf_token" || form == nil || form.Opaque {
				continue
			}
			method, action := form.Attr("method"), form.Attr("action")
			switch {
			case action != nil && dom.IsExternal(action.Value):
				p.Report(t.Start, t.End, "This form goes to another site, which receives the token: remove it.")
			case method == nil && form.Attr("id") == nil && action != nil && len(form.Attrs) < 3 && p.PlainHTML(),
				method != nil && !method.Dynamic && strings.EqualFold(strings.TrimSpace(method.Value), "get"):
				p.Report(t.Start, t.End, "This form uses GET, so the token is in the URL: remove it, or add method=\"post\".")
			}
		}
	}),
}, {
	ID: "file-enctype", Title: "File upload form without enctype=\"multipart/form-data\"", Severity: validate.Warning, Category: validate.Templates,
	Doc:  "Without `enctype=\"multipart/form-data\"` only the file's name arrives.",
	Bad:  "<form method=\"post\" action=\"/up\"><input aria-label=\"File\" type=\"file\" name=\"f\"></form>\n",
	Good: "<form method=\"post\" action=\"/up\" enctype=\"multipart/form-data\"><input aria-label=\"File\" type=\"file\" name=\"f\"></form>\n",
	Check: validate.Elements(func(p *validate.Pass, n *dom.Node) {
		form := n.Within("form")
		if !n.Is("input") || !strings.EqualFold(dom.AttributeText(n, "type"), "file") || form == nil || form.May("enctype") || form.May("hx-encoding") || n.Attr("name") == nil {
			return
		}
		if strings.EqualFold(dom.AttributeText(form, "method"), "post") && !p.Access().Scripted(form) && p.PlainHTML() {
			for c := range form.Walk() {
				if c.Is("button", "input") && c.Attr("formenctype") != nil {
					return
				}
			}
			p.Element(n, "The form sends only the file's name: add enctype=\"multipart/form-data\" to the <form> (line %d).", p.Tree.Position(form.Start).Line+1)
		}
	}, "input"),
}, {
	ID: "unquoted-output", Title: "Template output in an unquoted attribute (XSS)", Severity: validate.Warning, Category: validate.Templates,
	Standards: []string{"CWE-79"},
	Aliases:   validate.Aliases{validate.Term: {"XSS", "cross-site scripting"}, validate.Semgrep: {"unquoted-attribute-var"}},
	Doc: "A space in the value ends it, and the rest becomes attributes, such as event handlers: escaping does not help, since no quote is needed. Quote the value. Numbers " +
		"that the template computes pass.",
	Bad:  "<input aria-label=\"Name\" value={{ name }}>\n",
	Good: "<input aria-label=\"Name\" value=\"{{ name }}\">\n",
	Check: validate.Attributes(func(p *validate.Pass, n *dom.Node, a *dom.Attr) {
		if a.Quote != 0 || !a.HasValue || a.Bound || p.Page().Masked == p.Text {
			return
		}
		for _, o := range outputsIn(p, a.ValueStart, a.ValueEnd) {
			if !harmless(o, p.Text) {
				p.Offer(a.Start, a.End, &validate.Fix{Title: "Quote the value", Edits: []validate.Edit{{Start: a.ValueStart, End: a.ValueStart, New: "\""}, {Start: a.ValueEnd, End: a.ValueEnd, New: "\""}}},
					"A space in this output begins another attribute: quote the value.")
				return
			}
		}
	}),
}, {
	ID: "output-in-script", Title: "Template output in a script (XSS)", Severity: validate.Warning, Category: validate.Templates,
	Standards: []string{"CWE-79"},
	Aliases:   validate.Aliases{validate.Term: {"XSS", "cross-site scripting"}, validate.Semgrep: {"var-in-script-tag"}},
	Doc: "HTML escaping does not make a value safe in JavaScript: a line break or a backslash breaks the script, and in an event handler an escaped quote becomes a quote " +
		"again. Pass data with `json_script`, `|tojson`, `|escapejs` or a `data-` attribute. URLs, numbers, ids and constants of the template pass.",
	Bad:   "{% load static %}<script>var name = \"{{ user.name }}\";</script>\n",
	Good:  "{% load static %}<script>var name = \"{{ user.name|escapejs }}\";</script>\n",
	Check: validate.Page(checkScriptOutput),
}}

// tokens are the parts of names by which templates of all frameworks call the token.
var tokenNames = []string{"csrf", "xsrf", "hidden_tag", "authenticity_token", "_token", "anticsrf", "form_token"}

func checkCSRF(p *validate.Pass, n *dom.Node) {
	method, action := n.Attr("method"), n.Attr("action")
	if method == nil || method.Dynamic || !strings.EqualFold(strings.TrimSpace(method.Value), "post") || n.Opaque || n.Inert() {
		return
	}
	if action != nil && (dom.IsExternal(action.Value) || strings.HasPrefix(action.Value, "mailto:") || strings.HasPrefix(action.Value, "javascript:")) {
		return
	}
	if !isTemplate(p) {
		return
	}
	for c := range n.Walk() {
		switch {
		case c.Kind == dom.Tag && (c.Name == "csrf_token" || c.Name != "block" && c.Unknown() && c.Name != "static" && c.Name != "url" && c.Name != "trans" && c.Name != "translate" && c.Name != "blocktrans" && c.Name != "blocktranslate" && c.Name != "now"):
			return // there it is, or an include may write it
		case c.Kind == dom.Output && writesToken(p, c):
			return
		case c.Is("input") && namesToken(dom.AttributeText(c, "name")+dom.AttributeText(c, "id")+dom.AttributeText(c, "value")):
			return
		case c.Is("input") && (c.Opaque || c.Attr("name") != nil && c.Attr("name").Dynamic && strings.EqualFold(dom.AttributeText(c, "type"), "hidden")):
			return
		}
	}
	if p.Dialect() == validate.Jinja || p.Dialect() != validate.Django && !p.Alone() && !p.Stated(validate.Framework, "") {
		p.Element(n, "This form has no CSRF token, so other sites can send it in the user's name: add the hidden field of your framework, such as {{ csrf_token() }} of Flask-WTF.")
		return
	}
	p.Element(n, "This form has no CSRF token, so other sites can send it in the user's name: add {%% csrf_token %%}.")
}

// isTemplate reports whether a server fills the page: it has template tags, or
// lies among templates of a Django project.
func isTemplate(p *validate.Pass) bool {
	if strings.HasSuffix(p.Path, ".twig") {
		return false // its frameworks write the token by functions of their own
	}
	for _, o := range p.TemplateTags() {
		if o.Kind == '%' {
			return true
		}
	}
	return strings.Contains("/"+p.Path, "/templates/") && p.Stated(validate.Framework, "")
}

// writesToken reports whether an output may write the token: it names it, or it
// is a form or a widget as a whole in a template of Jinja's, whose forms have one.
func writesToken(p *validate.Pass, n *dom.Node) bool {
	code := strings.ToLower(p.Text[n.Start:n.End])
	if namesToken(code) {
		return true
	}
	name := strings.Trim(code, "{}- \t\n")
	return p.Dialect() != validate.Django && (strings.Contains(code, "(") || strings.HasSuffix(name, "form")) && !strings.Contains(code, "url_for") && !strings.Contains(code, "_(")
}

func namesToken(text string) bool {
	text = strings.ToLower(text)
	for _, name := range tokenNames {
		if strings.Contains(text, name) {
			return true
		}
	}
	return false
}

// outputsIn returns the outputs of a template between two offsets.
func outputsIn(p *validate.Pass, start, end int) []validate.TemplateTag {
	var list []validate.TemplateTag
	all := p.TemplateTags()
	first, _ := slices.BinarySearchFunc(all, start, func(o validate.TemplateTag, at int) int { return o.Start - at })
	for _, o := range all[first:] {
		if o.Start >= end {
			break
		}
		if o.Kind == '{' && o.End <= end {
			list = append(list, o)
		}
	}
	return list
}

// safeFilters make an output safe in a script, or a number.
var safeFilters = []string{"escapejs", "tojson", "json_script", "length", "length_is", "unlocalize", "floatformat", "stringformat", "yesno", "int", "float", "urlencode", "add",
	"date", "slugify", "json", "to_json", "json_encode", "divisibleby", "filesizeformat", "count", "round", "timestamp", "jsonify", "unixtime", "safe_json", "dump", "dumps", "as_json", "js", "time"}

// safeNames are the ends of names of numbers, ids, and what the framework itself writes.
var safeNames = []string{"id", "pk", "count", "index", "counter", "counter0", "index0", "length", "total", "csrf_token", "number", "page", "nonce", "uuid", "url", "static_url", "media_url",
	"num", "size", "width", "height", "year", "month", "day", "port", "lat", "lng", "lon", "latitude", "longitude", "language_code", "timestamp", "version", "debug", "start", "end", "limit", "offset"}

// harmless reports whether an output cannot break out of where it stands: a
// number, an id, an address, or one that is escaped for scripts.
func harmless(o validate.TemplateTag, text string) bool {
	code := text[o.Start:o.End]
	for _, f := range o.Filters(text) {
		for _, s := range safeFilters {
			if f.Text == s {
				return true
			}
		}
		if strings.Contains(f.Text, "js") {
			return true
		}
	}
	inner := strings.TrimSpace(strings.Trim(code, "{}-"))
	inner, _, _ = strings.Cut(inner, "|")
	inner = strings.ToLower(strings.TrimSpace(inner))
	if strings.Contains(inner, "url_for(") || strings.HasPrefix(inner, "url(") || strings.HasPrefix(inner, "static(") || strings.HasPrefix(inner, "_(") || strings.HasPrefix(inner, "gettext(") || strings.Contains(inner, "json") || strings.Contains(inner, "csrf") || strings.Trim(inner, "0123456789") == "" || strings.HasPrefix(inner, "\"") || strings.HasPrefix(inner, "'") {
		return true
	}
	name := inner[strings.LastIndexByte(inner, '.')+1:]
	for _, s := range safeNames {
		if name == s || strings.HasSuffix(name, "_"+s) {
			return true
		}
	}
	return false
}

// checkScriptOutput looks at scripts of pages whose template is a server's.
func checkScriptOutput(p *validate.Pass, d *dom.Document) {
	if p.Dialect() == validate.AnyDialect && !isTemplate(p) {
		return // {{ }} may be a script framework's
	}
	for _, c := range p.Code(ecma.Languages...) {
		if c.Owner == nil {
			continue
		}
		start, end := c.Owner.OpenEnd, c.Owner.CloseStart
		if c.Attr != nil {
			start, end = c.Attr.ValueStart, c.Attr.ValueEnd
		}
		for _, o := range outputsIn(p, start, end) {
			if !harmless(o, p.Text) {
				p.Report(o.Start, o.End, "This output is not escaped for a script: add |escapejs or |tojson, or pass it in a data- attribute.")
			}
		}
	}
}
