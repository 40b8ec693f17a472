package safety

import (
	"caselsp/agent/dom"
	"caselsp/agent/syntax"
	"caselsp/agent/validate"
)

// Escaping that templates switch off.
var templateRules = []validate.Rule{{
	ID: "template-unescaped", Title: "A template does not escape a value", Severity: validate.Warning, Category: validate.Safety, Standards: []string{"CWE-79"},
	Doc: "`|safe`, `{% autoescape off %}` and `{% autoescape false %}` put the value into the page as it is: whoever writes it runs scripts there. Leave the filter out, clean the value where it comes in, " +
		"or hand data to scripts by `|json_script`. What was made safe just before (`|escape|safe`, `|linebreaks|safe`, `|tojson|safe`) passes.",
	Bad: "<p>{{ comment.body|safe }}</p>\n", Good: "<p>{{ comment.body }}</p>\n",
	Check: validate.Page(func(p *validate.Pass, d *dom.Document) {
		for _, t := range d.Templates() {
			if text := p.Text[t.Start:t.End]; unescapedOutput.MatchString(text) && !escapedBefore.MatchString(text) || escapingOff.MatchString(text) {
				p.Report(t.Start, t.End, "Whoever writes this value runs scripts in the page: let it be escaped, or clean it where it comes in.")
			}
		}
	}),
}, {
	ID: "vue-html", Title: "A value is put into the page as HTML", Severity: validate.Warning, Category: validate.Safety, Standards: []string{"CWE-79"},
	Doc: "`v-html`, `[innerHTML]` and `ng-bind-html-unsafe` do not escape. Write `{{ value }}`, or clean it before.",
	Bad: "<div id=\"app\"><p v-html=\"comment\"></p></div>\n", Good: "<div id=\"app\"><p v-text=\"comment\"></p></div>\n",
	Check: validate.Attributes(func(p *validate.Pass, _ *dom.Node, a *dom.Attr) {
		if !cleaner.MatchString(calledFirst.FindString(a.Value) + ")") {
			p.Attribute(a, "Whoever writes this value runs scripts in the page: show it as a text, or clean it before.")
		}
	}, "v-html", "[innerhtml]", "ng-bind-html-unsafe", ":inner-html.prop"),
}}

var (
	unescapedOutput = syntax.Expr(`^\{\{[^"']*(?:"[^"]*"[^"']*|'[^']*'[^"']*)*\|\s*(?:safe|safeseq|raw)\s*(?:[|}-].*)?\}\}$`)
	escapedBefore   = syntax.Expr(`\|\s*(?:force_escape|escape|e|escapejs|tojson|json_script|linebreaks|linebreaksbr|urlize|striptags|urlencode|length|floatformat|date|intcomma|bleach|sanitize|clean\w*|markdown\w*)\b.*\|\s*(?:safe|raw)`)
	escapingOff     = syntax.Expr(`^\{%-?\s*autoescape\s+(?:off|false)\s*-?%\}$`)
	calledFirst     = syntax.Expr(`^\s*[\w.$]+\(`)
)
