package validate

import (
	"slices"
	"strings"

	"caselsp/agent/syntax"
)

// Comments switch rules off, in the language's own syntax:
//
//	caselsp-disable-line img-alt -- why           findings that begin on this line
//	caselsp-disable-next-line img-alt, css -- why  on the line behind the comment
//	caselsp-disable-file img-alt -- why            in the whole file
//
// Names are ids of rules or categories; none means all rules. Findings about
// safety and secrets also heed what other tools read, see foreign.
var directive = syntax.Expr(`^caselsp-disable-(line|next-line|file)\b[ \t]*([^\n]*)`)

// suppressionRules are about the comments themselves; suppress checks them, as
// they must not be switched off by what they speak about.
var suppressionRules = []Rule{{
	ID: "unknown-rule", Title: "A comment switches off a rule that there is not", Severity: Info, Category: Suppression,
	Doc: "A misspelt name switches nothing off, and after an update a rule may have another name. " +
		"`caselsp validate --explain` lists the names.",
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
	if f.Holds(NeedleForeign) && foreign.MatchString(f.Text) {
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
			if !s.knows(name) {
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
			p := &Pass{File: f, rule: r}
			p.Report(c.Start.Offset, c.End.Offset, "There is no rule %q: nothing is switched off.", name)
			return p.found
		}
	}
	return nil
}

// foreign is what other tools call a line whose safety somebody has looked at:
// Bandit and gosec, Semgrep, gitleaks, detect-secrets.
var foreign = syntax.Expr(`(?:^|[\s#/])(?:nosec\b|nosemgrep\b|gitleaks:allow\b|pragma: allowlist (?:nextline )?secret\b)`)

// accepted leaves out findings about safety and secrets that begin or end on a
// line with another tool's comment.
func (s Suite) accepted(f *File, found []Finding) []Finding {
	lines := map[int]bool{}
	if f.Lang == syntax.Unknown {
		for i, line := range strings.Split(f.Text, "\n") {
			lines[i] = foreign.MatchString(line)
		}
	}
	for _, c := range f.Tree.Comments() {
		if foreign.MatchString(c.Text) {
			lines[c.Start.Line] = true
			lines[c.End.Line+1] = lines[c.End.Line+1] || strings.Contains(c.Text, "nextline")
		}
	}
	concerns := map[string]bool{}
	for _, r := range s.rules {
		concerns[r.ID] = r.Category == Safety || r.Category == Secrets
	}
	return slices.DeleteFunc(found, func(x Finding) bool { return concerns[x.Rule] && (lines[x.Start.Line] || lines[x.End.Line]) })
}
