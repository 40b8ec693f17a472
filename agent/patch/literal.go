package patch

import (
	"fmt"
	"slices"
	"strings"

	"caselsp/agent/content"
)

// shows reports whether the old lines show how the hunk indents.
func (f *fitting) shows() bool {
	return slices.ContainsFunc(f.quotes, func(q quote) bool { return q.said != "" })
}

// literal reports whether new lines may be text within a string or a here-document,
// or another language, where a tab means itself: nothing that opens a block stands
// above those that are indented.
func literal(bare []string, to int, c *candidate) bool {
	above, text := strings.Join(bare[:to], "\n"), strings.Join(c.added(), "\n")
	for _, mark := range []string{`"""`, `'''`, "`"} {
		if strings.Count(above, mark)%2 == 1 || strings.Contains(text, mark) {
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
	return strings.Contains(above+text, "<<-")
}

// begins reports whether a line opens a block in this file: with a colon only where
// the file has a function that does so, at the margin ("case" is none, nor is a label),
// or another line with the same first word.
func begins(bare []string, line string) bool {
	if !strings.HasSuffix(trimEnd(line), ":") {
		return opens(line) && !content.IsComment(strings.TrimSpace(line))
	}
	word := func(l string) string { return strings.FieldsFunc(l+"_", notWord)[0] }
	for i, l := range bare[:max(0, len(bare)-1)] {
		if strings.HasSuffix(trimEnd(l), ":") && len(indent(bare[i+1])) > len(indent(l)) && (word(l) == word(line) || indent(l) == "" && strings.Contains(l, "(")) {
			return true
		}
	}
	return false
}

// share gives what the lines of one hunk show of typographic signs to the others: a
// patch is written in one typography. A sign that is a slip in one line and in the
// file, or in another line, as it is, has no certain meaning in a new one.
func (a *application) share(fits []*fitting) *Refusal {
	slips, marks := map[rune]bool{}, false
	for _, f := range fits {
		if f == nil {
			continue
		}
		for r, plain := range f.signs {
			slips[r] = true
			marks = marks || plain == "'" || plain == `"` // who has one of them has all of them
		}
	}
	for i, f := range fits {
		if f == nil || len(slips) == 0 {
			continue
		}
		for _, r := range strings.Join(a.cands[i].added(), "") {
			plain := plainSign(r)
			switch {
			case plain == string(r), f.meant[r] && f.signs[r] == "", !f.meant[r] && f.signs[r] != "":
			case f.meant[r], slices.ContainsFunc(a.doc.Bare, func(l string) bool { return strings.ContainsRune(l, r) }):
				if f.meant[r] || slips[r] || marks && strings.ContainsRune(quotationMarks, r) {
					return &Refusal{Status: Malformed, Hunk: i + 1, Message: fmt.Sprintf("%s adds the sign %c. Where the edit quotes the file, that or its like stands for a plain sign, and the file has it as it is, too: which is meant is not certain. Write the signs of all lines as the file has them.", a.name(i), r)}
				}
			case slips[r], marks && strings.ContainsRune(quotationMarks, r):
				f.signs[r] = plain
			}
		}
	}
	return nil
}
