package safety

import (
	"strings"

	"caselsp/agent/validate"
)

// Safety of the text itself, whatever the language.
var textRules = []validate.Rule{{
	ID: "bidi-text", Title: "Characters that make code look like other code", Severity: validate.Critical, Category: validate.Safety, Standards: []string{"CWE-1007"},
	Doc: "Marks that turn the direction of writing around make an editor show a line in another order than the computer reads it: what looks like a comment is code, and " +
		"the other way round (\"Trojan Source\"). Right-to-left languages need none of them in source: delete them, or write `\\u202e`.",
	File: "access.py", Bad: "if level != \"user\u202e \u2066# admins only\u2069 \u2066\":\n    allow()\n", Good: "if level != \"user\":  # admins only\n    allow()\n",
	Check: func(p *validate.Pass) {
		for _, c := range p.Code() {
			if c.Owner != nil {
				return
			}
		}
		if p.Lang == "html" || p.Lang == "json" || p.Lang == "jsonc" {
			return
		}
		for at, r := range p.Text {
			if strings.ContainsRune("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069", r) {
				p.Report(at, at+len(string(r)), "U+%04X turns the direction of writing around, so that this line is not what it looks like: delete it, or write it as an escape.", r)
			}
		}
	},
}}
