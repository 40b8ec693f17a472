package patch

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// habits are readings of a hunk that no layer fits line by line, by what models
// get wrong again and again. The first that fits counts.
var habits = []func(*candidate, *views) (*Hunk, bool){
	(*candidate).signed, (*candidate).signedNext, (*candidate).trimmed, (*candidate).corrected,
}

// numbered is a line as tools show it to a model: with its number before it. Some
// write a blank after the sign that separates the two.
var (
	numbered  = regexp.MustCompile(`^\s*(\d+)(?: ?[|│]|:|→|\t)`)
	separated = regexp.MustCompile(`^\s*(\d+)(?: ?[|│]|:) `)
)

// unnumbered returns the hunk without the line numbers that its old lines, all
// of them and one by one, begin with, and that were copied along with the text;
// new lines lose theirs where they have one. The numbers say where the hunk is.
func (c *candidate) unnumbered() (*Hunk, bool) {
	h := *c.Hunk
	h.Lines = make([]Line, len(c.Lines))
	number := separated // a blank that all lines have there belongs to the sign
	for _, l := range c.Lines {
		if m := numbered.FindString(l.Text); len(m) < len(l.Text) && !separated.MatchString(l.Text) {
			number = numbered
		}
	}
	first, old := 0, 0
	for i, l := range c.Lines {
		m := number.FindStringSubmatch(l.Text)
		if m == nil && numbered.FindString(l.Text) == l.Text {
			m = numbered.FindStringSubmatch(l.Text) // a blank line
		}
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

// signed returns the hunk with the blank lines without a sign added that stand
// among added lines: models forget the sign of a line that has nothing else.
func (c *candidate) signed(*views) (*Hunk, bool) {
	return c.adding(func(before, behind Kind) bool { return before == Added && behind == Added })
}

// signedNext is the same for those that are next to any change.
func (c *candidate) signedNext(*views) (*Hunk, bool) {
	return c.adding(func(before, behind Kind) bool { return before != Context || behind != Context })
}

// adding returns the hunk with the blank lines without a sign added for which
// among says so of the kinds of the lines before and after them.
func (c *candidate) adding(among func(before, behind Kind) bool) (*Hunk, bool) {
	h := *c.Hunk
	h.Lines = slices.Clone(c.Lines)
	kind := func(i int) Kind {
		if i < 0 || i >= len(c.Lines) {
			return Context
		}
		return c.Lines[i].Kind
	}
	found := false
	for n := 0; n < len(c.unsigned); {
		first := c.unsigned[n]
		end := first
		for n < len(c.unsigned) && c.unsigned[n] == end {
			n, end = n+1, end+1
		}
		if !among(kind(first-1), kind(end)) {
			continue
		}
		found = true
		for i := first; i < end; i++ {
			h.Lines[i].Kind = Added
		}
	}
	return &h, found
}

// trimmed returns the hunk without the blank lines of context at its ends.
func (c *candidate) trimmed(*views) (*Hunk, bool) {
	h := *c.Hunk
	blank := func(l Line) bool { return l.Kind == Context && strings.TrimSpace(l.Text) == "" }
	for len(h.Lines) > 0 && blank(h.Lines[0]) {
		h.Lines = h.Lines[1:]
		if h.Line > 0 {
			h.Line++
		}
	}
	for len(h.Lines) > 0 && blank(h.Lines[len(h.Lines)-1]) {
		h.Lines = h.Lines[:len(h.Lines)-1]
	}
	return &h, len(h.Lines) < len(c.Lines) && len(h.Old()) > 0
}

// corrected returns the hunk with what only puts right what it misquotes as
// context: a removed line that is not in the file, and a new one like it that is.
func (c *candidate) corrected(v *views) (*Hunk, bool) {
	h := *c.Hunk
	h.Lines = nil
	found := false
	for i := 0; i < len(c.Lines); i++ {
		end := i
		for end < len(c.Lines) && c.Lines[end].Kind != Context {
			end++
		}
		run := c.Lines[i:end]
		for len(run) > 0 {
			r, a := v.misquoted(run)
			if r < 0 {
				break
			}
			for k, l := range run[:max(r, a)] {
				if k != r && (l.Kind == Removed && k < r || l.Kind == Added && k < a) {
					h.Lines = append(h.Lines, l)
				}
			}
			h.Lines = append(h.Lines, Line{Context, run[a].Text})
			var rest []Line
			for k, l := range run {
				if l.Kind == Removed && k > r || l.Kind == Added && k > a {
					rest = append(rest, l)
				}
			}
			run, found = rest, true
		}
		h.Lines = append(h.Lines, run...)
		if i = end; end < len(c.Lines) {
			h.Lines = append(h.Lines, c.Lines[end])
		}
	}
	return &h, found && h.changes()
}

// has reports whether a line is in the file except for its indentation, and nowhere
// with other signs.
func (v *views) has(folded, line string) bool {
	at := v.ix.lines(folded)
	return len(at) > 0 && !slices.ContainsFunc(at, func(at int32) bool { return trimBoth(v.bare[at]) != trimBoth(line) })
}

// slip is how like its correction a misquoted line is.
const slip = 0.8

// misquoted returns the first removed line of a run of changes that misquotes an
// added one; -1 where none does.
func (v *views) misquoted(run []Line) (removed, added int) {
	for r, old := range run {
		text := fold(old.Text)
		if old.Kind != Removed || weight(text) < 0.5 || len(v.ix.lines(text)) > 0 {
			continue
		}
		for a, l := range run {
			right := fold(l.Text)
			if l.Kind == Added && indent(l.Text) == indent(old.Text) && v.has(right, l.Text) && v.effort.spend(len(text)*len(right)) && likeness(text, right, slip) > 0 {
				return r, a
			}
		}
	}
	return -1, -1
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
			return &Refusal{Status: Malformed, Message: fmt.Sprintf("The edit cannot be applied: its new line %q is a placeholder for lines that were left out, which would be lost. Write every line of the new text, or edit only the lines that change.", trimBoth(l))}
		}
	}
	return nil
}
