package validate

import (
	"strings"

	"caselsp/agent/dom"
	"caselsp/agent/ecma"
	"caselsp/agent/syntax"
)

// Authored leaves out files that are not edited by people or that a program regenerates:
// minified ones, and sheets and scripts with the marks of a template language
// that is not known here. Their findings would be right and of no use.
func Authored(list []Rule) []Rule {
	for i := range list {
		check := list[i].Check
		list[i].Check = func(p *Pass) {
			if p.Lang == syntax.HTML || !p.generated() {
				check(p)
			}
		}
	}
	return list
}

// templateMarks begin the tags of template languages that are not known here.
var templateMarks = []string{"{{", "{%", "<?", "<%", "${", "#{", "[[", "@@"}

// readGenerated reports whether a program wrote the file or will write it anew;
// marks in comments and strings are talk about such.
func (f *File) readGenerated() bool {
	if ecma.Dense(f.Text) {
		return true
	}
	if f.Lang != syntax.CSS || !syntax.ContainsAny(f.Text, templateMarks) {
		return false
	}
	var b strings.Builder
	for _, t := range dom.Tokens(f.Text, 0) {
		if t.Kind != dom.Remark && t.Kind != dom.String {
			b.WriteString(t.Text)
		}
	}
	return syntax.ContainsAny(b.String(), templateMarks)
}

// Written reports whether the source itself says what stands from start to
// end, and no template tag does.
func (f *File) Written(start, end int) bool {
	if f.Lang != syntax.HTML {
		return true
	}
	d := f.Page()
	start, end = max(start, 0), min(end, len(f.Text))
	return d != nil && start <= end && d.Masked[start:end] == f.Text[start:end]
}

// SheetRules is for rules about single style rules and at-rules that the source
// writes whole, nested ones too.
func SheetRules(check func(*Pass, *dom.Rule), at ...string) func(*Pass) {
	return rules(func(p *Pass, r *dom.Rule) {
		for _, name := range at {
			if r.At == name && p.Written(r.Start, r.End) {
				check(p, r)
				return
			}
		}
		if len(at) == 0 && p.Written(r.Start, r.End) {
			check(p, r)
		}
	})
}
