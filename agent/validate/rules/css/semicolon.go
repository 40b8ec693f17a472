package css

import (
	"strings"

	"caselsp/agent/dom"
	"caselsp/agent/validate"
)

// semicolonRules are about the signs between declarations.
var semicolonRules = validate.Authored([]validate.Rule{{
	ID: "css-missing-semicolon", Title: "Missing semicolon between declarations", Severity: validate.Critical, Category: validate.Styles,
	Doc:  "Browsers read the second declaration as part of the first one's value and drop both. Only a known property with its colon on a new line is reported.",
	File: "a.css", Bad: ".card {\n  color: red\n  margin: 0;\n}\n", Good: ".card {\n  color: red;\n  margin: 0;\n}\n",
	Check: validate.Declarations(checkSemicolon),
}})

func checkSemicolon(p *validate.Pass, r *dom.Rule, d *dom.Decl) {
	if strings.HasPrefix(d.Name, "--") || !strings.Contains(d.Value, ":") || !strings.Contains(d.Value, "\n") || d.ValueEnd > len(p.Text) {
		return
	}
	tokens := dom.Tokens(p.Text[d.ValueStart:d.ValueEnd], d.ValueStart)
	level := 0
	for i, t := range tokens {
		switch {
		case t.Kind == dom.Function || t.Text == "(" || t.Text == "[" || t.Text == "{":
			level++
		case t.Text == ")" || t.Text == "]" || t.Text == "}":
			level--
		case level > 0 || t.Kind != dom.Ident || i == 0 || i+1 >= len(tokens) || tokens[i+1].Text != ":":
		case tokens[i-1].Kind == dom.White && strings.Contains(tokens[i-1].Text, "\n"):
			if _, known := dom.KnownCSS().Properties[strings.ToLower(t.Text)]; !known {
				continue
			}
			at := tokens[i-1].Start
			p.Offer(d.Start, at, &validate.Fix{Title: "Add the semicolon", Edits: []validate.Edit{{Start: at, End: at, New: ";"}}}, "Missing semicolon: browsers drop this declaration and %s.", t.Text)
			return
		}
	}
}
