package safety

import (
	"strings"

	"caselsp/agent/validate"
)

// Safety of the text itself, whatever the language.
var textRules = []validate.Rule{{
	ID: "bidi-text", Title: "Bidirectional control characters (Trojan Source)", Severity: validate.Critical, Category: validate.Safety, Standards: []string{"CWE-1007"},
	Aliases: validate.Aliases{validate.Bandit: {"B613"}, validate.Pylint: {"bidirectional-unicode"}, validate.Gosec: {"G116"}},
	Doc: "Bidirectional control characters make an editor show a line in another order than the compiler reads it: what looks like a comment is code, and the other way round " +
		"(\"Trojan Source\"). Source in right-to-left languages does not need them: delete them, or write `\\u202e`.",
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
				p.Report(at, at+len(string(r)), "U+%04X reverses the direction of writing, so this line is not what it looks like: delete it, or write it as an escape.", r)
			}
		}
	},
}}
