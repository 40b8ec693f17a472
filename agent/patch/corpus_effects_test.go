//go:build corpus

package patch_test

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// effects are patches some of whose hunks change nothing, depend on each other,
// or are for several files.
func effects(format string) []kind {
	return []kind{
		{"hunk without effect", format, true, func(s *source) (envelopeCase, bool) { return s.idleHunk(format) }},
		{"hunk twice", format, true, func(s *source) (envelopeCase, bool) {
			c := s.change
			c.hunks = slices.Insert(slices.Clone(c.hunks), s.IntN(len(c.hunks)+1), c.hunks[s.IntN(len(c.hunks))])
			if format == codex {
				c.hunks = append(slices.Clone(s.hunks), s.hunks[len(s.hunks)-1])
			}
			return s.one(must, c, c.write(format, s.numbers(format))), s.alone()
		}},
		{"hunk already present", format, true, func(s *source) (envelopeCase, bool) { return s.present(format) }},
		{"already applied", format, true, func(s *source) (envelopeCase, bool) {
			c := s.change
			c.before = s.after
			lines := c.write(format, s.numbers(format))
			if s.IntN(2) == 0 {
				lines = fenced("diff", lines)
			}
			return s.one(done, c, lines), s.fresh(s.after) && !s.has(fences)
		}},
		{"hunks that depend", format, true, func(s *source) (envelopeCase, bool) { return s.dependent(format) }},
		{"several files", format, true, func(s *source) (envelopeCase, bool) { return s.several(format, false) }},
		{"twin: several files", format, false, func(s *source) (envelopeCase, bool) { return s.several(format, true) }},
		{"middle left out", format, false, func(s *source) (envelopeCase, bool) { return s.elided(format) }},
		{"removed middle left out", format, false, func(s *source) (envelopeCase, bool) { return s.removedElided(format) }},
		{"wrapped lines", format, false, func(s *source) (envelopeCase, bool) { return s.rewrapped(format) }},
		{"missing brace", format, false, func(s *source) (envelopeCase, bool) { return s.unbraced(format) }},
		{"missing brace, block behind", format, true, func(s *source) (envelopeCase, bool) { return s.blockBehind(format) }},
	}
}

// idleHunk adds a hunk elsewhere in the file that replaces a line by itself.
func (s *source) idleHunk(format string) (envelopeCase, bool) {
	text := bare(s.before)
	if len(text) < 20 {
		return envelopeCase{}, false
	}
	at := s.IntN(len(text) - 3)
	window := hunk{old: at + 1, new: at + 1}
	window.add(' ', text[at:at+3])
	one := change{before: s.before, hunks: []hunk{window}}
	for _, h := range s.hunks {
		if at+4 >= h.old && at <= h.old+len(h.oldLines()) {
			return envelopeCase{}, false
		}
	}
	idle := window.idle()
	if s.IntN(2) == 0 {
		idle = window
	}
	c := s.change
	k := 0
	for k < len(c.hunks) && c.hunks[k].old < at {
		k++
	}
	c.hunks = slices.Insert(slices.Clone(c.hunks), k, idle)
	return s.one(must, c, c.write(format, s.numbers(format))), one.alone() && s.alone()
}

// fresh reports whether a text holds the new lines of all hunks once, and the old
// lines of none.
func (c change) fresh(text string) bool {
	lines := essences(bare(text))
	for _, h := range c.hunks {
		if occurrences(lines, essences(h.newLines())) != 1 || occurrences(lines, essences(h.oldLines())) != 0 {
			return false
		}
	}
	return true
}

// present: one of several hunks is already in the file.
func (s *source) present(format string) (envelopeCase, bool) {
	if len(s.hunks) < 2 {
		return envelopeCase{}, false
	}
	k := s.IntN(len(s.hunks))
	h := s.hunks[k]
	text := bare(s.before)
	text = slices.Replace(text, h.old-1, h.old-1+len(h.oldLines()), h.newLines()...)
	c := s.change
	c.before = strings.Join(text, "\n") + "\n"
	there := change{hunks: []hunk{h}}
	rest := change{before: c.before, hunks: slices.Delete(slices.Clone(s.hunks), k, k+1)}
	return s.one(must, c, c.write(format, s.numbers(format))), there.fresh(c.before) && rest.alone()
}

// dependent: a second hunk corrects a line that the first one added.
func (s *source) dependent(format string) (envelopeCase, bool) {
	c := s.change
	c.hunks = slices.Clone(c.hunks)
	at := s.IntN(len(c.hunks))
	first := hunk{old: c.hunks[at].old, new: c.hunks[at].new, lines: slices.Clone(c.hunks[at].lines)}
	var added []int
	for i, l := range first.lines {
		if l.sign == '+' && len(strings.TrimSpace(l.text)) >= 8 {
			added = append(added, i)
		}
	}
	if len(added) == 0 || !s.alone() {
		return envelopeCase{}, false
	}
	i := added[s.IntN(len(added))]
	right := first.lines[i].text
	draft := right + []string{" first", "_v0", " later();"}[s.IntN(3)]
	first.lines[i].text = draft
	now := first.newLines()
	k := slices.Index(now, draft)
	second := hunk{old: first.new + max(0, k-1), new: first.new + max(0, k-1)}
	if k > 0 {
		second.add(' ', now[k-1:k])
	}
	second.add('-', []string{draft})
	second.add('+', []string{right})
	if k+1 < len(now) {
		second.add(' ', now[k+1:k+2])
	}
	c.hunks[at] = first
	c.hunks = slices.Insert(c.hunks, at+1, second)
	return s.one(must, c, c.write(format, false)), !strings.Contains(s.before+s.after, draft)
}

// several: the files of a whole commit, and perhaps a new one. As a twin, one of
// the files is not the one that the patch was made for.
func (s *source) several(format string, twin bool) (envelopeCase, bool) {
	changes := s.commit.changes
	if len(changes) < 2 {
		return envelopeCase{}, false
	}
	c := envelopeCase{expect: must, before: map[string]string{}, after: map[string]string{}}
	var lines []string
	for _, ch := range changes {
		if ch.has(fences) || c.before[ch.path] != "" {
			return envelopeCase{}, false
		}
		c.before[ch.path], c.after[ch.path] = ch.before, ch.after
		if !ch.alone() {
			c.expect = may
		}
		switch format {
		case unified:
			lines = slices.Concat(lines, ch.gitHeader(), ch.unified(false))
		case search:
			lines = append(slices.Concat(lines, ch.write(search, false)), "")
		case codex:
			lines = slices.Concat(lines, ch.codexFile())
		}
	}
	if s.IntN(3) == 0 {
		lines = slices.Concat(lines, newFile(format))
		c.after["docs/new.txt"] = "one\n\ntwo\n"
	}
	if format == codex {
		lines = slices.Concat([]string{"*** Begin Patch"}, lines, []string{"*** End Patch"})
	}
	if s.IntN(2) == 0 {
		lines = fenced("diff", lines)
	}
	c.text = strings.Join(lines, "\n") + "\n"
	if twin {
		one := changes[s.IntN(len(changes))]
		if filepath.Base(one.path) == filepath.Base(s.stranger.path) || !one.strange(s.stranger.before) {
			return envelopeCase{}, false
		}
		c.before[one.path] = s.stranger.before
		c.after, c.expect = c.before, mustNot
	}
	return c, true
}

func newFile(format string) []string {
	switch format {
	case unified:
		return []string{"diff --git a/docs/new.txt b/docs/new.txt", "new file mode 100644", "--- /dev/null", "+++ b/docs/new.txt", "@@ -0,0 +1,3 @@", "+one", "+", "+two"}
	case search:
		return []string{"docs/new.txt", "<<<<<<< SEARCH", "=======", "one", "", "two", ">>>>>>> REPLACE"}
	}
	return []string{"*** Add File: docs/new.txt", "+one", "+", "+two"}
}

// once reports whether lines are in one place of the text only.
func (c change) once(lines []string) bool {
	return change{before: c.before, hunks: []hunk{{lines: contextOf(lines)}}}.alone()
}

func contextOf(lines []string) []signed {
	var h hunk
	h.add(' ', lines)
	return h.lines
}

// elided: of many lines of context, the middle ones are written as "...".
func (s *source) elided(format string) (envelopeCase, bool) {
	s.single()
	c := newChange(s.path, s.before, s.after, 12)
	h := c.hunks[0]
	lead := 0
	for lead < len(h.lines) && h.lines[lead].sign == ' ' {
		lead++
	}
	if lead < 7 || len(c.hunks) > 1 || strings.Contains(s.before, "...") || !c.once(h.oldLines()[:2]) {
		return envelopeCase{}, false
	}
	lines := slices.Concat(h.lines[:2], []signed{{' ', "..."}}, h.lines[lead-2:])
	tail := hunk{lines: h.lines[lead-2:]}
	c.hunks = []hunk{{old: h.old, new: h.new, lines: lines}}
	return s.one(must, c, c.write(format, s.numbers(format))), c.once(tail.oldLines())
}

// removedElided: of a long run of removed lines, the middle ones are written as
// "...". What is between the first and the last is meant.
func (s *source) removedElided(format string) (envelopeCase, bool) {
	if !s.single() || strings.Contains(s.before, "...") {
		return envelopeCase{}, false
	}
	c, h := s.change, s.hunks[0]
	from := slices.IndexFunc(h.lines, func(l signed) bool { return l.sign == '-' })
	to := from
	for from >= 0 && to < len(h.lines) && h.lines[to].sign == '-' {
		to++
	}
	if from < 0 || to-from < 7 {
		return envelopeCase{}, false
	}
	lines := slices.Concat(h.lines[:from+2], []signed{{'-', "..."}}, h.lines[to-2:])
	head, tail := hunk{lines: h.lines[:from+2]}, hunk{lines: h.lines[to-2:]}
	c.hunks = []hunk{{old: h.old, new: h.new, lines: lines}}
	return s.one(must, c, c.write(format, s.numbers(format))), s.once(head.oldLines()) && s.once(tail.oldLines()) && !c.any(func(l signed) bool { return l.sign == '-' && strings.TrimSpace(l.text) == "" })
}

// rewrapped: long lines are broken at a blank, as mail programs do, but not where
// the rest would look as if it had a sign. Of an added
// line nobody can say where the blank was; with one blank there it is a guess that
// may be refused.
func (s *source) rewrapped(format string) (envelopeCase, bool) {
	expect, n, wrapsAdded := must, 0, false
	c := s.mapped(func(l signed) signed {
		if at := strings.LastIndexByte(l.text[:min(80, len(l.text))], ' '); len(l.text) > 80 && at > 20 && l.text[at-1] != ' ' && !strings.ContainsRune("+-*@<=> ", rune(l.text[at+1])) {
			if l.sign == '+' {
				expect, wrapsAdded = may, true
			} else {
				n++
			}
			l.text = l.text[:at] + "\n" + l.text[at+1:]
		}
		return l
	})
	if !s.alone() {
		expect = may
	}
	// Without signs nothing shows that an added line goes on.
	return s.one(expect, c, c.write(format, s.numbers(format))), n > 0 && !(format == search && wrapsAdded)
}

var closing = regexp.MustCompile(`^\s*[}\])]+[;,)]*$`)

// unbraced: a line with a closing brace, next to the change, is missing in the
// patch. Only its indentation says on which side of it new lines belong.
func (s *source) unbraced(format string) (envelopeCase, bool) {
	if !s.single() {
		return envelopeCase{}, false
	}
	c, h := s.change, s.hunks[0]
	for i, l := range h.lines {
		next := i+1 < len(h.lines) && h.lines[i+1].sign == '+'
		prev := i > 0 && h.lines[i-1].sign == '+'
		if l.sign == ' ' && (next || prev) && closing.MatchString(l.text) {
			c.hunks = []hunk{{old: h.old, new: h.new, lines: slices.Delete(slices.Clone(h.lines), i, i+1)}}
			return s.one(may, c, c.write(format, false)), true
		}
	}
	return envelopeCase{}, false
}

// blockBehind: a block is added behind the closing brace of another, but the patch
// ends before that brace: as it is written, the new block would go into the other.
func (s *source) blockBehind(format string) (envelopeCase, bool) {
	text := bare(s.before)
	from, to := s.block(text)
	other := bare(s.stranger.before)
	i, k := s.block(other)
	if from < 0 || i < 0 || indentOf(text[from]) != indentOf(other[i]) || s.stranger.path == s.path || strings.HasSuffix(s.path, ".md") {
		return envelopeCase{}, false
	}
	block := slices.Concat([]string{""}, other[i:k+1])
	if slices.Contains(text, other[i]) {
		return envelopeCase{}, false
	}
	c := newChange(s.path, s.before, strings.Join(slices.Insert(slices.Clone(text), to+1, block...), "\n")+"\n", 3)
	h := hunk{old: from + 1, new: from + 1}
	h.add(' ', text[from:to])
	h.add('+', block)
	c.hunks = []hunk{h}
	return s.one(may, c, c.write(format, false)), c.alone()
}

var opening = regexp.MustCompile(`^\s*[\w$@].*\{$`)

// block finds the first and the last line of a short block in braces, of several.
func (s *source) block(text []string) (from, to int) {
	from, to = -1, -1
	for i, l := range text {
		if !opening.MatchString(l) || strings.Contains(l, "else") {
			continue
		}
		for k := i + 1; k < min(i+15, len(text)); k++ {
			if text[k] != "" && indentOf(text[k]) <= indentOf(l) {
				if k > i+2 && indentOf(text[k]) == indentOf(l) && strings.TrimSpace(text[k]) == "}" && (from < 0 || s.IntN(3) == 0) {
					from, to = i, k
				}
				break
			}
		}
	}
	return from, to
}

func indentOf(s string) int { return len(s) - len(strings.TrimLeft(s, " \t")) }
