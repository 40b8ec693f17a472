package patch

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/aymanbagabas/go-udiff/lcs"

	"caselsp/agent/count"
)

const (
	// shownRows bounds the comparison in a refusal: it goes into a model's
	// context once for every failed try.
	shownRows = 14
	// shownWidth is how much of a line is shown, in runes.
	shownWidth = 140
	// shownPlaces bounds the candidates that a message lists.
	shownPlaces = 6
)

// explain says to the model why the hunk was refused and what to write instead.
func (a *application) explain(r *Refusal) {
	name := fmt.Sprintf("%s of %d", a.name(r.Hunk-1), len(a.hunks))
	c := &a.cands[r.Hunk-1]
	switch {
	case r.Message != "":
		r.Message = name + " " + r.Message
	case r.Status == Ambiguous:
		r.Message = fmt.Sprintf("%s matches %d places, so nothing was changed:", name, c.places())
		if len(r.Candidates) == 1 {
			r.Message = name + " matches in more than one way, so nothing was changed:"
		}
		r.Shown = a.listPlaces(r.Candidates, c.places())
		r.Advice = "Add lines of context before or after it until it matches only one place"
		switch line, absent := a.absent(c.old); {
		case absent:
			r.Advice = fmt.Sprintf("The file has no line %q: copy it from the file, or leave it out. %s.", cut(line), r.Advice)
		case c.Line > 0:
			r.Advice += fmt.Sprintf("; line %d, which it states, does not tell them apart.", c.Line)
		case c.block != nil:
			r.Advice += "."
		default:
			r.Advice += ", or put its true line number into the @@ header."
		}
	case r.Status == AlreadyApplied:
		r.Message = fmt.Sprintf("%s is already applied: its new lines are at line %d. Nothing was changed.", name, r.Candidates[0])
	case r.Status == EmptySearch:
		r.Message = fmt.Sprintf("%s names no line of the file, which is only allowed for a new or an empty file; this one has %s. Give the lines next to which the text belongs.",
			name, count.Of(len(a.doc.Lines), "line"))
	case r.Status == Conflict:
		nearest, shown := a.nearest(c.old)
		r.Message = fmt.Sprintf("%s belongs at line %d, but the file has other lines there than the hunk removes, so nothing was changed. Make the edit for what is there now. %s",
			name, r.Candidates[0], nearest)
		r.Shown = shown
	default:
		nearest, shown := a.nearest(c.old)
		r.Message, r.Shown = fmt.Sprintf("%s is not in the file, so nothing was changed. %s", name, nearest), shown
	}
}

// absent is the first of a hunk's old lines that the file has nowhere, at whatever depth: what made the
// hunk fit several places is more often that line than too little context.
func (a *application) absent(old []string) (line string, found bool) {
	i := slices.IndexFunc(old, func(l string) bool {
		return !slices.ContainsFunc(a.doc.Lines, func(d string) bool { return strings.TrimSpace(d) == strings.TrimSpace(l) })
	})
	if i < 0 {
		return "", false
	}
	return old[i], true
}

// name is what a message calls a hunk.
func (a *application) name(hunk int) string {
	return fmt.Sprintf("Hunk %d", hunk+1)
}

// above returns the nearest line of words above a line that is less indented, which
// names what encloses it, or else the nearest that says something.
func (a *application) above(line int) string {
	says := ""
	for k := line - 1; k >= 0; k-- {
		l := a.doc.Bare[k]
		if weight(l) >= 0.5 && len(indent(l)) < len(indent(a.doc.Bare[line])) {
			return "in: " + cut(strings.TrimSpace(l))
		}
		if says == "" && weight(l) >= 0.5 {
			says = "behind: " + cut(strings.TrimSpace(l))
		}
	}
	return says
}

// listPlaces shows each candidate with what is above it, which is what tells equal
// places apart. Places that follow each other with the same above them share a line.
func (a *application) listPlaces(lines []int, total int) string {
	var b strings.Builder
	var same []string // places in a row with the same above them
	lines = lines[:min(len(lines), shownPlaces)]
	for i, n := range lines {
		same = append(same, strconv.Itoa(n))
		above := a.above(n - 1)
		if i+1 < len(lines) && a.above(lines[i+1]-1) == above {
			continue
		}
		fmt.Fprintf(&b, "  %s %s", count.Noun(len(same), "line"), strings.Join(same, ", "))
		if same = nil; above != "" {
			b.WriteString(", " + above)
		}
		b.WriteByte('\n')
	}
	if total > shownPlaces {
		fmt.Fprintf(&b, "  and %d more\n", total-shownPlaces)
	}
	return b.String()
}

// nearest says which place of the file is most like want, and shows the two line by line.
func (a *application) nearest(want []string) (text, shown string) {
	from, ok := a.likest(want)
	if !ok {
		from, ok = a.mostly(want)
	}
	if !ok {
		return "No place in the file is similar to what the hunk expects: read the file again.", ""
	}
	window := a.doc.Bare[from:min(from+len(want)+2, len(a.doc.Bare))]
	var rows []string
	first := -1 // the first row with a difference
	asked := func(line, note string) {
		if first < 0 {
			first = len(rows)
		}
		rows = append(rows, "asked  | "+cut(line)+note)
	}
	file := func(k int, line string) { rows = append(rows, fmt.Sprintf("%6d | %s", from+k+1, cut(line))) }
	diffs := lcs.DiffLines(keys(squeeze, want), keys(squeeze, window))
	diffs = append(diffs, lcs.Diff{Start: len(want), End: len(want), ReplStart: len(window), ReplEnd: len(window)})
	i, k := 0, 0 // the next line of want, of window
	for _, d := range diffs {
		for ; i < d.Start; i, k = i+1, k+1 {
			if want[i] == window[k] {
				file(k, window[k])
			} else {
				asked(visible(want[i]), "  (white space differs)")
				file(k, visible(window[k]))
			}
		}
		for ; i < d.End; i++ {
			asked(want[i], "")
		}
		if i == len(want) && d.Start == d.End {
			break // the rest of the window only comes after
		}
		for ; k < d.ReplEnd; k++ {
			file(k, window[k])
		}
	}
	begin := max(0, first-2)
	end := min(len(rows), begin+shownRows)
	shown = strings.Join(rows[begin:end], "\n")
	if end < len(rows) {
		shown += fmt.Sprintf("\n(%d more)", len(rows)-end)
	}
	// The demo's recording has this sentence: another wording needs another recording.
	return fmt.Sprintf("The nearest place is line %d. Numbered lines are the file, the others were asked for:", from+1), shown
}

// visible shows tabs and trailing blanks, which a reader would not see differ.
func visible(s string) string {
	body := strings.TrimRight(s, " ")
	return strings.ReplaceAll(body, "\t", `\t`) + strings.Repeat("·", len(s)-len(body))
}

func cut(s string) string {
	if utf8.RuneCountInString(s) <= shownWidth {
		return s
	}
	return string([]rune(s)[:shownWidth]) + "…"
}

func squeeze(line string) string { return strings.Join(strings.Fields(line), " ") }

// likest finds where want was probably meant to be. Each word that want and the
// file share votes for the offset between the two lines, the rarer the stronger:
// one pass over the file, with no comparison of every place.
func (a *application) likest(want []string) (int, bool) {
	known := newWords(want, a.doc.Bare)
	votes := map[int]float64{}
	total := 0.0
	for i, l := range want {
		for _, w := range wordsOf(l) {
			total++
			if at := known[w]; len(at) <= commonWord {
				for _, line := range at {
					votes[max(0, line-i)] += 1 / float64(len(at))
				}
			}
		}
	}
	best, score := 0, 0.0
	for from, v := range votes {
		if v > score || v == score && from < best {
			best, score = from, v
		}
	}
	return best, score > 0 && score >= total/10 // below, it is chance
}

// mostly finds where most of want stands line by line, the nearest to the beginning where several places are alike: in a
// file that repeats itself no word is rare.
func (a *application) mostly(want []string) (int, bool) {
	at := map[string][]int{}
	for k, l := range a.doc.Bare {
		at[squeeze(l)] = append(at[squeeze(l)], k)
	}
	votes := map[int]float64{}
	whole, pairs := 0.0, 0
	for i, l := range want {
		line := squeeze(l)
		whole += weight(line)
		if pairs += len(at[line]); line == "" || pairs > mostPairs {
			continue
		}
		for _, k := range at[line] {
			if k >= i {
				votes[k-i] += weight(line)
			}
		}
	}
	best, score := 0, 0.0
	for from, v := range votes {
		if v > score || v == score && from < best {
			best, score = from, v
		}
	}
	return best, score > whole/2
}

// mostPairs bounds how many pairs of equal lines [application.mostly] looks at: a file of 100,000 equal lines is no place to
// look for one.
const mostPairs = 100_000

func notWord(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' }
