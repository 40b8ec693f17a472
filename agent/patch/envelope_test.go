package patch_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"

	"github.com/aymanbagabas/go-udiff/lcs"

	"caselsp/agent/patch"
)

// A change is two texts of one file. Its hunks can be written in every format and
// spoiled line by line, and it is known what must come out.
type change struct {
	path          string
	before, after string
	hunks         []hunk
}

// hunk is lines with the sign of a unified diff.
type hunk struct {
	old, new int // the first line of each text, from 1
	lines    []signed
}

type signed struct {
	sign byte
	text string
}

// newChange makes the hunks of two texts, with context lines around each change.
func newChange(path, before, after string, context int) change {
	a, b := bare(before), bare(after)
	c := change{path: path, before: before, after: after}
	diffs := lcs.DiffLines(a, b)
	for i := 0; i < len(diffs); {
		last := i
		for last+1 < len(diffs) && diffs[last+1].Start-diffs[last].End <= 2*context {
			last++
		}
		from, to := max(0, diffs[i].Start-context), min(len(a), diffs[last].End+context)
		h := hunk{old: from + 1, new: diffs[i].ReplStart - (diffs[i].Start - from) + 1}
		for pos := from; pos < to; {
			if i <= last && pos == diffs[i].Start {
				h.add('-', a[pos:diffs[i].End])
				h.add('+', b[diffs[i].ReplStart:diffs[i].ReplEnd])
				pos = diffs[i].End
				i++
				continue
			}
			h.add(' ', a[pos:pos+1])
			pos++
		}
		if i <= last { // a change at the end of the text
			h.add('+', b[diffs[i].ReplStart:diffs[i].ReplEnd])
			i++
		}
		c.hunks = append(c.hunks, h)
	}
	return c
}

func (h *hunk) add(sign byte, texts []string) {
	for _, t := range texts {
		h.lines = append(h.lines, signed{sign, t})
	}
}

// bare splits a text whose last line has a newline.
func bare(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(text, "\n"), "\n")
}

func (h hunk) without(sign byte) []string {
	var texts []string
	for _, l := range h.lines {
		if l.sign != sign {
			texts = append(texts, l.text)
		}
	}
	return texts
}

func (h hunk) oldLines() []string { return h.without('+') }
func (h hunk) newLines() []string { return h.without('-') }

// header returns the hunk's header with numbers.
func (h hunk) header() string {
	count := func(at, n int) string {
		if n == 0 {
			at--
		}
		return fmt.Sprintf("%d,%d", at, n)
	}
	return fmt.Sprintf("@@ -%s +%s @@", count(h.old, len(h.oldLines())), count(h.new, len(h.newLines())))
}

// mapped returns the change with each line of its hunks as f writes it. The texts
// stay as they are.
func (c change) mapped(f func(signed) signed) change {
	hunks := make([]hunk, len(c.hunks))
	for i, h := range c.hunks {
		hunks[i] = hunk{old: h.old, new: h.new}
		for _, l := range h.lines {
			hunks[i].lines = append(hunks[i].lines, f(l))
		}
	}
	c.hunks = hunks
	return c
}

// The formats.
const (
	unified = "unified"
	search  = "search"
	codex   = "codex"
)

var formats = []string{unified, search, codex}

// write returns the change in a format. Only a unified diff has numbers.
func (c change) write(format string, numbers bool) []string {
	switch format {
	case unified:
		return c.unified(numbers)
	case search:
		return c.blocks(c, plainMarkers)
	}
	return slices.Concat([]string{"*** Begin Patch"}, c.codexFile(), []string{"*** End Patch"})
}

func (c change) unified(numbers bool) []string {
	lines := []string{"--- a/" + c.path, "+++ b/" + c.path}
	for _, h := range c.hunks {
		if numbers {
			lines = append(lines, h.header())
		} else {
			lines = append(lines, "@@")
		}
		lines = append(lines, h.signedLines()...)
	}
	return lines
}

func (c change) codexFile() []string {
	lines := []string{"*** Update File: " + c.path}
	for _, h := range c.hunks {
		lines = append(append(lines, "@@"), h.signedLines()...)
	}
	return lines
}

func (h hunk) signedLines() []string {
	lines := make([]string, len(h.lines))
	for i, l := range h.lines {
		lines[i] = string(l.sign) + l.text
	}
	return lines
}

// markers returns the three lines that enclose the parts of a block.
type markers func(h hunk) (begin, middle, end string)

func plainMarkers(hunk) (begin, middle, end string) {
	return "<<<<<<< SEARCH", "=======", ">>>>>>> REPLACE"
}

func conflictMarkers(hunk) (begin, middle, end string) {
	return "<<<<<<< ORIGINAL", "=======", ">>>>>>> UPDATED"
}

func rooMarkers(h hunk) (begin, middle, end string) {
	return fmt.Sprintf("<<<<<<< SEARCH\n:start_line:%d\n-------", h.old), "=======", ">>>>>>> REPLACE"
}

// blocks writes SEARCH/REPLACE blocks. The REPLACE parts are those of another
// change with as many hunks.
func (c change) blocks(by change, m markers) []string {
	lines := []string{c.path}
	for i, h := range c.hunks {
		begin, middle, end := m(h)
		lines = slices.Concat(lines, []string{begin}, h.oldLines(), []string{middle}, by.hunks[i].newLines(), []string{end})
	}
	return lines
}

// alone reports whether each hunk's old lines are in one place of the text only,
// also to a reader who overlooks white space, case, quotes and entities.
func (c change) alone() bool {
	text := essences(bare(c.before))
	for _, h := range c.hunks {
		if occurrences(text, essences(h.oldLines())) != 1 {
			return false
		}
	}
	return true
}

func occurrences(text, part []string) int {
	n := 0
	for i := 0; i+len(part) <= len(text); i++ {
		if slices.Equal(text[i:i+len(part)], part) {
			n++
		}
	}
	return n
}

var (
	essential = strings.NewReplacer(" ", "", "\t", "", "“", `"`, "”", `"`, "‘", "'", "’", "'", "&lt;", "<", "&gt;", ">", "&quot;", `"`, "&#39;", "'", "&amp;", "&", `\`, "")
	numbered  = regexp.MustCompile(`^\s*\d+\s*[|:]?\s*`)
)

func essences(lines []string) []string {
	out := make([]string, len(lines))
	for i, l := range lines {
		out[i] = strings.ToLower(essential.Replace(numbered.ReplaceAllString(l, "")))
	}
	return out
}

// The envelopes that are put around a whole text.

func fenced(lang string, lines []string) []string {
	return slices.Concat([]string{"```" + lang}, lines, []string{"```"})
}

func prefixed(prefix string, lines []string) []string {
	out := make([]string, len(lines))
	for i, l := range lines {
		out[i] = strings.TrimRight(prefix, " ")
		if l != "" {
			out[i] = prefix + l
		}
	}
	return out
}

func prose(r *rand.Rand, lines []string) []string {
	before := [][]string{
		{"Here is the change:", ""},
		{"I looked at the file. The fix is small:", "", "- it keeps the old name", "- it adds a check", ""},
		{"## Plan", "", "1. Read the file.", "2. Change `it`.", ""},
	}
	after := [][]string{
		{"", "That should do it. Let me know if something is missing."},
		{"", "Notes:", "", "* run the tests", "* nothing else changes"},
		{"", "**Why**: the old code was wrong."},
	}
	return slices.Concat(before[r.IntN(len(before))], lines, after[r.IntN(len(after))])
}

// oneLine is the text as a JSON string, with or without its quotes.
func oneLine(quotes bool, lines []string) []string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(strings.Join(lines, "\n") + "\n") // a string can always be written
	s := strings.TrimSuffix(b.String(), "\n")
	if !quotes {
		s = s[1 : len(s)-1]
	}
	return []string{s}
}

var escaper = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

// escaped writes the entities of HTML; with quotes, those of attributes, too.
func escaped(quotes bool) func(signed) signed {
	return func(l signed) signed {
		l.text = escaper.Replace(l.text)
		if quotes {
			l.text = strings.NewReplacer(`"`, "&quot;", "'", "&#39;").Replace(l.text)
		}
		return l
	}
}

// curly turns straight quotes into the typographic ones, as word processors do.
func curly(s string) string {
	var b strings.Builder
	prev := ' '
	for _, c := range s {
		open := strings.ContainsRune(" \t([{=,:", prev)
		prev = c
		switch {
		case c == '"' && open:
			c = '“'
		case c == '"':
			c = '”'
		case c == '\'' && open:
			c = '‘'
		case c == '\'':
			c = '’'
		}
		b.WriteRune(c)
	}
	return b.String()
}

// result is what became of a patch.
type result struct {
	status string // applied, already_applied or refused
	says   string
	files  map[string]string
	sure   float64 // the highest confidence of a hunk
}

const (
	applied = "applied"
	already = "already_applied"
	refused = "refused"
)

// apply makes the changes of a patch in some files: all of them, or none.
func apply(files map[string]string, text string) result {
	p, err := patch.Parse(text, func(path string) bool { _, ok := files[path]; return ok })
	if err != nil {
		return result{status: refused, says: err.Error(), files: files}
	}
	out := result{status: applied, files: map[string]string{}}
	for path, t := range files {
		out.files[path] = t
	}
	for i := range p.Files {
		f := &p.Files[i]
		path := meant(files, f, len(p.Files))
		after, report, err := f.Apply(files[path])
		if err != nil {
			status := refused
			if errors.Is(err, patch.AlreadyApplied) && len(p.Files) == 1 {
				status = already
			}
			return result{status: status, says: err.Error(), files: files}
		}
		for _, h := range report.Hunks {
			out.sure = max(out.sure, h.Confidence)
		}
		delete(out.files, path)
		if f.Op != patch.Delete {
			out.files[path] = after
		}
	}
	return out
}

// meant is the file that a part of a patch is for: where there is one of each, it
// is that, whatever its name.
func meant(files map[string]string, f *patch.File, parts int) string {
	if _, ok := files[f.Path]; !ok && len(files) == 1 && parts == 1 && f.Op != patch.Create {
		for path := range files {
			return path
		}
	}
	return f.Path
}

// withNumbers puts line numbers before the lines: before all, or before the old
// ones only.
func (c change) withNumbers(format string, all bool) change {
	hunks := make([]hunk, len(c.hunks))
	for i, h := range c.hunks {
		hunks[i] = hunk{old: h.old, new: h.new}
		old, added := h.old, h.new
		for _, l := range h.lines {
			n := old
			if l.sign == '+' {
				n = added
			}
			if l.sign != '+' || all {
				l.text = fmt.Sprintf(format, n) + l.text
			}
			if l.sign != '+' {
				old++
			}
			if l.sign != '-' {
				added++
			}
			hunks[i].lines = append(hunks[i].lines, l)
		}
	}
	c.hunks = hunks
	return c
}

// idle returns a hunk of the same place that replaces a line by itself.
func (h hunk) idle() hunk {
	old := h.oldLines()
	idle := hunk{old: h.old, new: h.old}
	idle.add('-', old[:1])
	idle.add('+', old[:1])
	idle.add(' ', old[1:])
	return idle
}
