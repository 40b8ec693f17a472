package patch

import (
	"regexp"
	"strconv"
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
