package patch

import (
	"maps"
	"slices"
	"strings"
)

// shows reports whether the old lines show how the hunk indents.
func (f *fitting) shows() bool {
	return slices.ContainsFunc(f.quotes, func(q quote) bool { return q.said != "" })
}

// literal reports whether new lines may be text within a string or a here-document,
// or another language, where a tab means itself: nothing that opens a block stands
// above those that are indented.
func literal(bare []string, to int, c *candidate) bool {
	above := bare[:to]
	text := strings.Join(c.added(), "\n")
	for _, mark := range []string{`"""`, `'''`, "`"} {
		n := 0
		for _, l := range above {
			n += strings.Count(l, mark)
		}
		if n%2 == 1 || strings.Contains(text, mark) {
			return true
		}
	}
	last := ""
	for _, l := range c.new {
		if body := strings.TrimSpace(l); body != "" {
			if indent(l) != "" && indent(last) == "" && !begins(bare, last) {
				return true
			}
			last = l
		}
	}
	return strings.Contains(strings.Join(above, "\n")+text, "<<-")
}

// begins reports whether a line opens a block in this file: with a colon only where
// some line of it does so.
func begins(bare []string, line string) bool {
	if !strings.HasSuffix(trimEnd(line), ":") {
		return opens(line)
	}
	for i := 1; i < len(bare); i++ {
		if strings.HasSuffix(trimEnd(bare[i-1]), ":") && len(indent(bare[i])) > len(indent(bare[i-1])) {
			return true
		}
	}
	return false
}

// share gives the signs that one hunk has otherwise than the file to those hunks
// whose old lines do not have them: a patch is written in one typography.
func (a *application) share(fits []*fitting) {
	all := map[rune]string{}
	for _, f := range fits {
		if f != nil {
			maps.Copy(all, f.signs)
		}
	}
	for _, plain := range all {
		if plain == "'" || plain == `"` { // a patch with one of them has all of them
			for _, r := range quotationMarks {
				if !slices.ContainsFunc(a.doc.bare, func(l string) bool { return strings.ContainsRune(l, r) }) {
					all[r] = plainSign(r)
				}
			}
			break
		}
	}
	for i, f := range fits {
		for r, plain := range all {
			if f != nil && !slices.ContainsFunc(a.cands[i].old, func(l string) bool { return strings.ContainsRune(l, r) }) {
				f.signs[r] = plain
			}
		}
	}
}
