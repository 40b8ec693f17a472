package validate

import (
	"strings"

	"caselsp/agent/dom"
	"caselsp/agent/syntax"
)

// crowded is the mean length of line, in bytes, above which a script or a style
// sheet was written by a machine; people's are below 80, minified ones in the
// thousands.
const crowded = 300

// authored leaves out files that nobody edits or that a program writes anew:
// minified ones, and sheets and scripts with the marks of a template language
// that is not known here. Their findings would be right and of no use.
func authored(list []Rule) []Rule {
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
	if len(f.Text) > crowded && len(f.Text)/(strings.Count(f.Text, "\n")+1) > crowded {
		return true
	}
	if f.Lang != syntax.CSS || !containsAny(f.Text, templateMarks) {
		return false
	}
	var b strings.Builder
	for _, t := range dom.Tokens(f.Text, 0) {
		if t.Kind != dom.Remark && t.Kind != dom.String {
			b.WriteString(t.Text)
		}
	}
	return containsAny(b.String(), templateMarks)
}

// written reports whether the source itself says what stands from start to
// end, and no template tag does.
func (f *File) written(start, end int) bool {
	if f.Lang != syntax.HTML {
		return true
	}
	d := f.Page()
	start, end = max(start, 0), min(end, len(f.Text))
	return d != nil && start <= end && d.Masked[start:end] == f.Text[start:end]
}

// sheetRules is for rules about single style rules and at-rules that the source
// writes whole, nested ones too.
func sheetRules(check func(*Pass, *dom.Rule), at ...string) func(*Pass) {
	return rules(func(p *Pass, r *dom.Rule) {
		for _, name := range at {
			if r.At == name && p.written(r.Start, r.End) {
				check(p, r)
				return
			}
		}
		if len(at) == 0 && p.written(r.Start, r.End) {
			check(p, r)
		}
	})
}

// written declarations are those that no template has a hand in and that are
// no hack for browsers of old, such as *zoom.
func decls(check func(p *Pass, r *dom.Rule, d *dom.Decl), names ...string) func(*Pass) {
	return declarations(func(p *Pass, r *dom.Rule, d *dom.Decl) {
		if d.Name[0] != '*' && d.Name[0] != '_' && p.written(d.Start, d.End) {
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

// significant returns the tokens of a text without blanks and comments.
func significant(text string, base int) []dom.Token {
	tokens := dom.Tokens(text, base)
	list := tokens[:0]
	for _, t := range tokens {
		if t.Kind != dom.White && t.Kind != dom.Remark {
			list = append(list, t)
		}
	}
	return list
}

// removal is the fix that takes a declaration away, with its semicolon and,
// where nothing else stands there, its line.
func (p *Pass) removal(d *dom.Decl, title string) *Fix {
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
	return &Fix{title, []Edit{{Start: start, End: end}}}
}

// nearest returns the one known name that is a slip away from a name: a letter
// too many, too few, another one or two swapped; "" where there is none or two.
func nearest(name string, known func(string) bool) string {
	found := ""
	try := func(s string) bool {
		if s != name && s != found && known(s) {
			if found != "" {
				return false
			}
			found = s
		}
		return true
	}
	const letters = "abcdefghijklmnopqrstuvwxyz-"
	for i := 0; i <= len(name); i++ {
		for _, c := range letters {
			if !try(name[:i]+string(c)+name[i:]) || i < len(name) && !try(name[:i]+string(c)+name[i+1:]) {
				return ""
			}
		}
		if i < len(name) && !try(name[:i]+name[i+1:]) || i+1 < len(name) && !try(name[:i]+string(name[i+1])+string(name[i])+name[i+2:]) {
			return ""
		}
	}
	return found
}

// meant is the end of a message that guesses at what was meant.
func meant(name string, known func(string) bool) string {
	if s := nearest(name, known); s != "" {
		return " Did you mean " + s + "?"
	}
	return ""
}
