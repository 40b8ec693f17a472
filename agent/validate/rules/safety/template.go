package safety

import (
	"caselsp/agent/dom"
	"caselsp/agent/validate"
	"caselsp/store/lazyregexp"
)

// Escaping that templates switch off.
var templateRules = []validate.Rule{{
	ID: "template-unescaped", Title: "Template output without escaping (XSS)", Severity: validate.Warning, Category: validate.Safety, Standards: []string{"CWE-79"},
	Aliases: validate.Aliases{validate.Term: {"XSS"}, validate.Bandit: {"B308"}, validate.Semgrep: {"template-autoescape-off"}},
	Doc: "`|safe`, `{% autoescape off %}` and `{% autoescape false %}` insert the value unescaped: anyone who controls it runs scripts in the page. Leave the filter out, " +
		"sanitize the value on input, or pass data to scripts with `|json_script`. Values escaped just before (`|escape|safe`, `|linebreaks|safe`, `|tojson|safe`) pass.",
	Bad: "<p>{{ comment.body|safe }}</p>\n", Good: "<p>{{ comment.body }}</p>\n",
	Check: validate.Page(func(p *validate.Pass, d *dom.Document) {
		for _, t := range d.Templates() {
			if text := p.Text[t.Start:t.End]; unescapedOutput.MatchString(text) && !escapedBefore.MatchString(text) || escapingOff.MatchString(text) {
				p.Report(t.Start, t.End, "Cross-site scripting: this value is not escaped. Let the template escape it, or sanitize it on input.")
			}
		}
	}),
}, {
	ID: "vue-html", Title: "Value inserted into the page as HTML (XSS)", Severity: validate.Warning, Category: validate.Safety, Standards: []string{"CWE-79"},
	Aliases: validate.Aliases{validate.Term: {"XSS", "v-html"}, validate.ESLint: {"vue/no-v-html"}},
	Doc:     "`v-html`, `[innerHTML]` and `ng-bind-html-unsafe` do not escape. Write `{{ value }}`, or sanitize the value first.",
	Bad:     "<div id=\"app\"><p v-html=\"comment\"></p></div>\n", Good: "<div id=\"app\"><p v-text=\"comment\"></p></div>\n",
	Check: validate.Attributes(func(p *validate.Pass, _ *dom.Node, a *dom.Attr) {
		if !cleaner.MatchString(calledFirst.FindString(a.Value) + ")") {
			p.Attribute(a, "Cross-site scripting: this value is not escaped. Show it as text, or sanitize it first.")
		}
	}, "v-html", "[innerhtml]", "ng-bind-html-unsafe", ":inner-html.prop"),
}}

var (
	unescapedOutput = lazyregexp.New(`^\{\{[^"']*(?:"[^"]*"[^"']*|'[^']*'[^"']*)*\|\s*(?:safe|safeseq|raw)\s*(?:[|}-].*)?\}\}$`)
	escapedBefore   = lazyregexp.New(`\|\s*(?:force_escape|escape|e|escapejs|tojson|json_script|linebreaks|linebreaksbr|urlize|striptags|urlencode|length|floatformat|date|intcomma|bleach|sanitize|clean\w*|markdown\w*)\b.*\|\s*(?:safe|raw)`)
	escapingOff     = lazyregexp.New(`^\{%-?\s*autoescape\s+(?:off|false)\s*-?%\}$`)
	calledFirst     = lazyregexp.New(`^\s*[\w.$]+\(`)
)
