package patch

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"caselsp/agent/content"
	"caselsp/store/lazyregexp"
)

// gutters of new lines: what a view of a file, or a quotation, puts before each of them.
var (
	numberGutter = lazyregexp.New(`^\s*[L\[]?(\d+)(?: ?[|│]|:|\]|→|\t)(?: |$)?`)
	quoteGutter  = lazyregexp.New(`^>(?: |$)`)
)

// closers end what an edit is wrapped in. As the last new line, where nothing that the
// edit writes or the file holds opens it, one belongs to the envelope.
type closer struct{ end, begin *lazyregexp.Regexp }

var closers = []closer{
	{lazyregexp.New("^`{3,}$"), lazyregexp.New("^\\s*`{3,}")},
	{lazyregexp.New(`^<\|[\w-]+\|>$`), lazyregexp.New(`<\|`)},
	{lazyregexp.New(`^>{5,}$`), lazyregexp.New(`^<{5,}`)},
	{lazyregexp.New(`^\*\*\* ?End (?:Patch|of File)$`), lazyregexp.New(`\*\*\* ?Begin Patch`)},
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
		text = withoutEnds(text)
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

// encoded refuses a hunk of which new lines hold an entity and nothing shows whether it is
// meant: no new line has the sign itself, no line one of the tags among which they are
// usual, the patch quotes none of the file, and the file does not begin with a tag.
func (h *Hunk) encoded(v *views, ext string, quoted bool) *Refusal {
	added, lines := strings.Join(h.added(), "\n"), []string{}
	for _, l := range h.Lines {
		lines = append(lines, l.Text)
	}
	signs := entity.ReplaceAllString(added, "")
	usual := func(l string) bool { return strings.Contains(l, "</") || strings.Contains(l, "/>") }
	first := slices.IndexFunc(v.bare, func(l string) bool { return strings.TrimSpace(l) != "" })
	markup := ""
	if first >= 0 && tag.MatchString(strings.TrimSpace(v.bare[first])) {
		if markup = added; slices.Contains(plainTexts, ext) { // in Markdown, code and quotation marks are as they are
			markup = quoteEntity.ReplaceAllString(codeSpan.ReplaceAllString(added, ""), "")
		}
	}
	for _, e := range entity.FindAllString(added, -1) {
		plain := plainEntities.Replace(e)
		if strings.Contains(signs, plain) || strings.Contains(markup, e) || slices.ContainsFunc(lines, usual) || quoted {
			continue
		}
		return &Refusal{Status: Malformed, Message: fmt.Sprintf("The edit cannot be applied: its new lines hold %s, and nothing shows whether that stands for %s. Write the sign itself; where the entity is meant, write the whole file or its lines instead of a patch.", e, plain)}
	}
	return nil
}

// tag matches the beginning of a file of markup; of PHP it is none.
var tag = lazyregexp.New(`^<(?:[!a-zA-Z]|\?xml)`)

// entity matches those that are decoded, quoteEntity those of quotation marks.
var (
	entity      = lazyregexp.New(`&(?:lt|gt|amp|quot|apos|#34|#39|#x27);`)
	quoteEntity = lazyregexp.New(`&(?:quot|apos|#34|#39|#x27);`)
)

// shortened refuses a hunk that adds a line that stands for lines that were left out: which
// of them are to stay, nobody knows. A line that the file holds is its own, in Python dots
// are a statement, and texts show such lines.
func (h *Hunk) shortened(v *views, ext string) *Refusal {
	removes := slices.ContainsFunc(h.Lines, func(l Line) bool { return l.Kind == Removed })
	if len(h.Old()) == 0 || !removes && slices.Contains(plainTexts, ext) {
		return nil
	}
	absent := func(l string) bool { return len(v.ix.lines(fold(l))) == 0 }
	dots := slices.ContainsFunc(h.Old(), func(l string) bool { return elides(fold(l)) && absent(l) }) // then new dots stand for the same
	stead := map[string]bool{}                                                                        // the lines that stand in the place of as many or more
	for _, b := range h.blocks() {
		for _, l := range b.added {
			stead[l] = b.to-b.from >= len(b.added)
		}
	}
	bare := func(l string) bool { return removes && ext != ".py" && ext != ".pyi" && content.OnlyDots(trimBoth(l)) }
	for _, l := range h.added() {
		if (content.LeavesOut(strings.TrimSpace(l), stead[l]) || dots && elides(fold(l)) || bare(l)) && absent(l) {
			return &Refusal{Status: Malformed, Message: fmt.Sprintf("The edit cannot be applied: its new line %q is a placeholder for lines that were left out, which would be lost. Write every line of the new text, or edit only the lines that change.", trimBoth(l))}
		}
	}
	return nil
}
