package validate

import (
	"slices"
	"strings"

	"caselsp/agent/syntax"
	"caselsp/store/lazyregexp"
)

// Comments switch rules off, in the language's own syntax:
//
//	caselsp-disable-line img-alt -- why           findings that begin on this line
//	caselsp-disable-next-line img-alt, css -- why  on the line behind the comment
//	caselsp-disable-file img-alt -- why            in the whole file
//
// Names are ids of rules or categories; none means all rules. Comments of other
// tools count as well, see foreign.go.
var directive = lazyregexp.New(`^caselsp-disable-(line|next-line|file)\b[ \t]*([^\n]*)`)

// suppressionRules are about the comments themselves; suppress checks them, as
// they must not be switched off by what they speak about.
var suppressionRules = []Rule{{
	ID: "unknown-rule", Title: "Suppression of an unknown rule", Severity: Info, Category: Suppression,
	Doc:  "A misspelt name suppresses nothing, and rules may be renamed in an update. `caselsp validate --explain` lists the names.",
	Bad:  "<!-- caselsp-disable-next-line image-alt -->\n<p>Hello</p>\n",
	Good: "<!-- caselsp-disable-next-line img-alt -- drawn by the map -->\n<img src=\"map.png\">\n",
}}

// disabled is one comment's effect.
type disabled struct {
	names []string // none: all rules
	line  int      // -1: the whole file
}

func (d disabled) covers(f Finding, category Category) bool {
	if d.line >= 0 && d.line != f.Start.Line {
		return false
	}
	return len(d.names) == 0 || slices.Contains(d.names, f.Rule) || slices.Contains(d.names, string(category))
}

// suppress leaves out what comments switch off.
func (s Suite) suppress(f *File, found []Finding) []Finding {
	if len(found) > 0 && f.Holds(NeedleForeign) {
		found = s.accepted(f, found)
	}
	if !f.Holds(NeedleSuppressor) {
		return found
	}
	var list []disabled
	var wrong []Finding
	for _, c := range f.Tree.Comments() {
		m := directive.FindStringSubmatch(strings.TrimSpace(c.Text))
		if m == nil {
			continue
		}
		d := disabled{line: -1}
		switch m[1] {
		case "line":
			d.line = c.Start.Line
		case "next-line":
			d.line = c.End.Line + 1
		}
		what, _, _ := strings.Cut(m[2], "--")
		for _, name := range strings.FieldsFunc(what, func(r rune) bool { return strings.ContainsRune(", \t", r) }) {
			d.names = append(d.names, name)
			if !s.suppresses(name) {
				wrong = append(wrong, s.unknown(f, c, name)...)
			}
		}
		list = append(list, d)
	}
	categories := map[string]Category{}
	for _, r := range s.rules {
		categories[r.ID] = r.Category
	}
	found = slices.DeleteFunc(found, func(x Finding) bool {
		return slices.ContainsFunc(list, func(d disabled) bool { return d.covers(x, categories[x.Rule]) })
	})
	return append(found, wrong...)
}

// unknown reports a name that is no rule's.
func (s Suite) unknown(f *File, c syntax.Comment, name string) []Finding {
	for i := range s.rules {
		if r := &s.rules[i]; r.ID == suppressionRules[0].ID {
			p := &Pass{File: f, rule: r, highest: Critical}
			p.Report(c.Start.Offset, c.End.Offset, "Unknown rule %q: nothing is suppressed.", name)
			return p.found
		}
	}
	return nil
}

// accepted leaves out the findings that comments of other tools suppress, see
// foreign.go.
func (s Suite) accepted(f *File, found []Finding) []Finding {
	heeds := f.heeds()
	if len(heeds) == 0 {
		return found
	}
	byID := map[string]*Rule{}
	for i := range s.rules {
		byID[s.rules[i].ID] = &s.rules[i]
	}
	return slices.DeleteFunc(found, func(x Finding) bool {
		r := byID[x.Rule]
		return r.ID != syntaxRules[0].ID && slices.ContainsFunc(heeds, func(h heeded) bool { return h.covers(x, r) })
	})
}
