package css

import (
	"strings"

	"caselsp/agent/dom"
	"caselsp/agent/validate"
)

// written declarations are those that no template has a hand in and that are
// no hack for browsers of old, such as *zoom.
func decls(check func(p *validate.Pass, r *dom.Rule, d *dom.Decl), names ...string) func(*validate.Pass) {
	return validate.Declarations(func(p *validate.Pass, r *dom.Rule, d *dom.Decl) {
		if d.Name[0] != '*' && d.Name[0] != '_' && p.Written(d.Start, d.End) {
			check(p, r, d)
		}
	}, names...)
}

// custom reports whether a declaration sets a custom property: its value is
// whatever its user makes of it.
func custom(d *dom.Decl) bool { return strings.HasPrefix(d.Name, "--") }

// vendor splits a name such as -webkit-transition; prefix is "" where it has none.
func vendor(name string) (prefix, base string) {
	if len(name) < 2 || name[0] != '-' || name[1] == '-' {
		return "", name
	}
	i := strings.IndexByte(name[1:], '-')
	if i < 0 {
		return "", name
	}
	return name[:i+2], name[i+2:]
}

// removal is the fix that takes a declaration away, with its semicolon and,
// where nothing else stands there, its line.
func removal(p *validate.Pass, d *dom.Decl, title string) *validate.Fix {
	start, end := d.Start, d.End
	for end < len(p.Text) && (p.Text[end] == ' ' || p.Text[end] == '\t') {
		end++
	}
	if end < len(p.Text) && p.Text[end] == ';' {
		end++
	} else {
		end = d.End
	}
	lineStart, lineEnd := start, end
	for lineStart > 0 && (p.Text[lineStart-1] == ' ' || p.Text[lineStart-1] == '\t') {
		lineStart--
	}
	for lineEnd < len(p.Text) && (p.Text[lineEnd] == ' ' || p.Text[lineEnd] == '\t' || p.Text[lineEnd] == '\r') {
		lineEnd++
	}
	if lineStart > 0 && p.Text[lineStart-1] == '\n' && lineEnd < len(p.Text) && p.Text[lineEnd] == '\n' {
		start, end = lineStart, lineEnd+1
	}
	return &validate.Fix{Title: title, Edits: []validate.Edit{{Start: start, End: end}}}
}
