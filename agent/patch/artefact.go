package patch

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// gutters of new lines: what a view of a file, or a quotation, puts before each of them.
var (
	numberGutter = regexp.MustCompile(`^\s*[L\[]?(\d+)(?: ?[|│]|:|\]|→|\t)(?: |$)?`)
	quoteGutter  = regexp.MustCompile(`^>(?: |$)`)
)

// closers end what an edit is wrapped in. As the last new line, where nothing that the
// edit writes or the file holds opens it, one belongs to the envelope.
var closers = []struct{ end, begin *regexp.Regexp }{
	{regexp.MustCompile("^`{3,}$"), regexp.MustCompile("^\\s*`{3,}")},
	{regexp.MustCompile(`^<\|[\w-]+\|>$`), regexp.MustCompile(`<\|`)},
	{regexp.MustCompile(`^>{5,}$`), regexp.MustCompile(`^<{5,}`)},
	{regexp.MustCompile(`^\*\*\* ?End (?:Patch|of File)$`), regexp.MustCompile(`\*\*\* ?Begin Patch`)},
}

// artefact refuses a hunk of which new lines bear a mark of an envelope that its old lines
// and the file do not bear.
func (h *Hunk) artefact(v *views, ext string) *Refusal {
	text, old := h.added(), h.Old()
	if h.block != nil {
		text = h.block.replace
	}
	what := ""
	switch {
	case h.numbers() && !slices.ContainsFunc(slices.Concat(old, v.bare), numberGutter.MatchString):
		what = "line numbers before them"
	case !slices.Contains(plainTexts, ext) && all(text, quoteGutter.MatchString) && !slices.ContainsFunc(slices.Concat(old, v.bare), quoteGutter.MatchString):
		what = `the sign ">" of a quotation before them`
	default:
		for len(text) > 0 && strings.TrimSpace(text[len(text)-1]) == "" {
			text = text[:len(text)-1]
		}
		for _, c := range closers {
			if n := len(text) - 1; n >= 0 && h.trailing() == 0 && c.end.MatchString(text[n]) && !slices.ContainsFunc(slices.Concat(old, text[:n], v.bare), c.begin.MatchString) {
				what = fmt.Sprintf("%q at their end", text[n])
			}
		}
	}
	if what == "" {
		return nil
	}
	return &Refusal{Status: Malformed, Message: "The edit cannot be applied: its new lines have " + what + ", which the old lines and the file have not. Write the new lines as they are to stand in the file."}
}

// numbers reports whether the new lines that the hunk adds have the numbers that a view of
// the file would put before them: one more for each line. A list that begins with 1 may be
// text, unless an old line has its text without the number.
func (h *Hunk) numbers() bool {
	at, count, first, known := 0, 0, 0, false
	for _, l := range h.Lines {
		if l.Kind == Removed {
			continue
		}
		at++
		if l.Kind == Context || strings.TrimSpace(l.Text) == "" {
			continue
		}
		m := numberGutter.FindStringSubmatch(l.Text)
		if m == nil {
			return false
		}
		n, _ := strconv.Atoi(m[1])
		if count++; count == 1 {
			first = n - at
		} else if n-at != first {
			return false
		}
		text := fold(l.Text[len(m[0]):])
		known = known || slices.ContainsFunc(h.Old(), func(o string) bool { return weight(text) >= 0.5 && likeness(fold(o), text, alike) > 0 })
	}
	return known || count > 1 && first > 0
}

// all reports whether there are lines and f holds for all that are not blank.
func all(lines []string, f func(string) bool) bool {
	return slices.ContainsFunc(lines, f) && !slices.ContainsFunc(lines, func(l string) bool { return strings.TrimSpace(l) != "" && !f(l) })
}
