package patch

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// numbered is a line as tools show it to a model: with its number before it.
var numbered = regexp.MustCompile(`^\s*(\d+)(?: ?[|│] ?|: ?|→|\t)`)

// unnumbered returns the hunk without the line numbers that its old lines, all
// of them and one by one, begin with, and that were copied along with the text;
// new lines lose theirs where they have one. The numbers say where the hunk is.
func (c *candidate) unnumbered() (*Hunk, bool) {
	h := *c.Hunk
	h.Lines = make([]Line, len(c.Lines))
	first, old := 0, 0
	for i, l := range c.Lines {
		m := numbered.FindStringSubmatch(l.Text)
		if m != nil {
			h.Lines[i] = Line{l.Kind, l.Text[len(m[0]):]}
		} else {
			h.Lines[i] = l
		}
		if l.Kind == Added {
			continue
		}
		if m == nil {
			return nil, false
		}
		n, err := strconv.Atoi(m[1])
		if old == 0 {
			first = n
		}
		if err != nil || n != first+old {
			return nil, false
		}
		old++
	}
	if old == 0 {
		return nil, false
	}
	if h.Line == 0 {
		h.Line = first
	}
	return &h, true
}

// unsigned returns the hunk with blank lines of context among added lines added
// as well: models forget the sign of a line that has nothing else.
func (c *candidate) unsigned() (*Hunk, bool) {
	h := *c.Hunk
	h.Lines = slices.Clone(c.Lines)
	found := false
	for i := 1; i+1 < len(h.Lines); i++ {
		if h.Lines[i] != (Line{Context, ""}) || h.Lines[i-1].Kind != Added {
			continue
		}
		next := i + 1
		for next+1 < len(h.Lines) && h.Lines[next] == (Line{Context, ""}) {
			next++
		}
		if h.Lines[next].Kind == Added {
			h.Lines[i].Kind = Added
			found = true
		}
	}
	return &h, found
}

// shortened refuses a hunk that removes lines and adds one that stands for lines
// that were left out: which of them are to stay, nobody knows.
func (h *Hunk) shortened() *Refusal {
	old := h.Old()
	if len(old) == 0 || !slices.ContainsFunc(h.Lines, func(l Line) bool { return l.Kind == Removed }) {
		return nil
	}
	for _, l := range h.added() {
		if leavesOut(strings.TrimSpace(l), false) && !slices.Contains(keys(trimBoth, old), trimBoth(l)) {
			return &Refusal{Status: Malformed, Message: fmt.Sprintf("The edit cannot be applied: its new line %q stands for lines that were left out, so those would be lost. Write every line of the new text, or change only the lines that change.", trimBoth(l))}
		}
	}
	return nil
}
