//go:build corpus

package patch_test

import (
	"fmt"
	"slices"
	"strings"
)

// onlyUnified are the envelopes and defects of unified diffs.
func onlyUnified() []kind {
	u := func(name string, exact bool, f func(s *source) (envelopeCase, bool)) kind {
		return kind{name, unified, exact, f}
	}
	return []kind{
		u("no @@", true, func(s *source) (envelopeCase, bool) {
			s.single()
			lines := slices.DeleteFunc(s.unified(true), func(l string) bool { return strings.HasPrefix(l, "@@") })
			if s.IntN(2) == 0 {
				lines = lines[2:]
			}
			return s.one(s.certain(false), s.change, fenced("diff", lines)), len(s.hunks) == 1 && !s.has(fences)
		}),
		u("empty @@", true, func(s *source) (envelopeCase, bool) {
			numbers := s.numbers(unified)
			return s.one(s.certain(numbers), s.change, append(s.unified(numbers), []string{"@@", "@@ -1,0 +1,0 @@"}[s.IntN(2)])), true
		}),
		u("numbers before the signs", false, func(s *source) (envelopeCase, bool) { return s.numbersBeforeSigns() }),
		u("numbers in old lines", false, func(s *source) (envelopeCase, bool) {
			c := s.withNumbers(s.number(), false)
			return s.one(s.certain(false), c, c.unified(s.IntN(2) == 0)), true
		}),
		u("mail of a commit", true, func(s *source) (envelopeCase, bool) {
			return s.one(must, s.change, slices.Concat([]string{"From 0123456789abcdef0123456789abcdef01234567 Mon Sep 17 00:00:00 2001", "From: A <a@example.org>", "Date: Mon, 1 Jan 2024 10:00:00 +0000",
				"Subject: [PATCH] Change it", "", "- one thing", "- another", "---", fmt.Sprintf(" %s | 2 +-", s.path), " 1 file changed", ""}, s.gitHeader(), s.unified(true), []string{"-- ", "2.39.5", ""})), true
		}),
		u("git show", true, func(s *source) (envelopeCase, bool) {
			return s.one(must, s.change, slices.Concat([]string{"commit 0123456789abcdef0123456789abcdef01234567", "Author: A <a@example.org>", "Date:   Mon Jan 1 10:00:00 2024 +0000", "", "    Change it", "", "    - one thing", ""}, s.gitHeader(), s.unified(true))), true
		}),
		u("header says the beginning", true, func(s *source) (envelopeCase, bool) { return s.beginning() }),
		u("header contradicts the file", false, func(s *source) (envelopeCase, bool) { return s.notBeginning() }),
		u("header contradicts itself", true, func(s *source) (envelopeCase, bool) {
			if !s.single() || !s.alone() {
				return envelopeCase{}, false
			}
			c, h := s.change, s.hunks[0]
			expect := must
			if s.IntN(2) == 0 {
				more := "\n" + strings.Join(h.oldLines(), "\n") + "\n"
				c.before, c.after, expect = c.before+more, c.after+more, may
				h.new = len(bare(c.before)) - len(h.oldLines()) + 1
			} else {
				h.new += 100 + s.IntN(300)
			}
			c.hunks = []hunk{h}
			return s.one(expect, c, c.unified(true)), true
		}),
	}
}

// onlyCodex are the forms of that format.
func onlyCodex() []kind {
	form := func(name string, f func(s *source, lines []string) []string) kind {
		return kind{name, codex, true, func(s *source) (envelopeCase, bool) {
			return s.one(s.certain(false), s.change, f(s, s.write(codex, false))), true
		}}
	}
	return []kind{
		form("here-document", func(_ *source, lines []string) []string {
			return fenced("bash", slices.Concat([]string{"apply_patch <<'EOF'"}, lines, []string{"EOF"}))
		}),
		form("numbers in the header", func(s *source, lines []string) []string {
			out, k := slices.Clone(lines), 0
			for i := range out {
				if out[i] == "@@" {
					out[i] = s.hunks[k].header()
					k++
				}
			}
			return out
		}),
		{"first @@ left out", codex, true, func(s *source) (envelopeCase, bool) {
			lines := s.write(codex, false)
			return s.one(s.certain(false), s.change, slices.Delete(lines, 2, 3)), true
		}},
		{"end of the file", codex, true, func(s *source) (envelopeCase, bool) {
			h := s.hunks[len(s.hunks)-1]
			if h.old-1+len(h.oldLines()) != len(bare(s.before)) {
				return envelopeCase{}, false
			}
			lines := s.write(codex, false)
			return s.one(s.certain(false), s.change, slices.Insert(lines, len(lines)-1, "*** End of File")), true
		}},
	}
}

// numbersBeforeSigns: the number stands before the sign of each line.
func (s *source) numbersBeforeSigns() (envelopeCase, bool) {
	format := []string{"%d ", "%4d  ", "%d: ", "%d| ", "%4d |"}[s.IntN(5)]
	lines := s.unified(false)[:2]
	for _, h := range s.hunks {
		lines = append(lines, h.header())
		old, added := h.old, h.new
		for _, l := range h.lines {
			n := old
			if l.sign == '+' {
				n = added
			}
			lines = append(lines, fmt.Sprintf(format, n)+string(l.sign)+l.text)
			if l.sign != '+' {
				old++
			}
			if l.sign != '-' {
				added++
			}
		}
	}
	return s.one(s.certain(false), s.change, lines), true
}

// inserted makes a change that adds some lines near the beginning of a file.
func (s *source) inserted() (change, bool) {
	var added []string
	for _, l := range s.hunks[0].lines {
		if l.sign == '+' {
			added = append(added, l.text)
		}
	}
	text := bare(s.before)
	if len(added) == 0 || len(text) < 20 {
		return change{}, false
	}
	k := s.IntN(3)
	return newChange(s.path, s.before, strings.Join(slices.Insert(slices.Clone(text), k, added...), "\n")+"\n", 3), true
}

// beginning: the header says that the hunk is at the beginning of the file, where
// it is; the same lines are elsewhere, too.
func (s *source) beginning() (envelopeCase, bool) {
	c, ok := s.inserted()
	if !ok || len(c.hunks) != 1 || c.hunks[0].old != 1 {
		return envelopeCase{}, false
	}
	more := strings.Join(c.hunks[0].oldLines(), "\n") + "\n"
	c.before, c.after = c.before+more, c.after+more
	return s.one(must, c, c.unified(true)), true
}

// notBeginning: the header, and that the context above the change is short, say
// that the hunk is at the beginning of the file; its lines are elsewhere only.
func (s *source) notBeginning() (envelopeCase, bool) {
	c, ok := s.inserted()
	if !ok || len(c.hunks) != 1 || c.hunks[0].old != 1 || s.path == s.stranger.path {
		return envelopeCase{}, false
	}
	other := bare(s.stranger.before)
	if len(other) < 10 {
		return envelopeCase{}, false
	}
	more := strings.Join(other[:min(len(other), 40)], "\n") + "\n"
	c.before, c.after = more+c.before, more+c.after
	made := s.one(may, c, c.unified(true))
	made.unsure = true
	short := slices.ContainsFunc(c.hunks[0].lines[:3], func(l signed) bool { return l.sign == '+' })
	return made, short && c.alone()
}

// onlySearch are the envelopes and defects of SEARCH/REPLACE blocks.
func onlySearch() []kind {
	marked := func(name string, m markers) kind {
		return kind{name, search, true, func(s *source) (envelopeCase, bool) {
			lines := s.blocks(s.change, m)
			if s.IntN(2) == 0 {
				lines = lines[1:]
			}
			if s.IntN(2) == 0 {
				lines = fenced("", lines)
			}
			return s.one(s.certain(name == "line number of Roo"), s.change, lines), !s.has(fences)
		}}
	}
	return []kind{
		marked("line number of Roo", rooMarkers),
		marked("two line numbers of Roo", func(h hunk) (begin, middle, end string) {
			return fmt.Sprintf("<<<<<<< SEARCH\n:start_line:%d\n:end_line:%d\n-------", h.old, h.old+len(h.oldLines())-1), "=======", ">>>>>>> REPLACE"
		}),
		marked("ORIGINAL and UPDATED", conflictMarkers),
		{"numbers in SEARCH only", search, false, func(s *source) (envelopeCase, bool) {
			lines := s.withNumbers(s.number(), false).blocks(s.change, plainMarkers)
			return s.one(s.certain(false), s.change, lines), true
		}},
		{"partial line", search, false, func(s *source) (envelopeCase, bool) { return s.partial(true) }},
		{"twin: partial line", search, false, func(s *source) (envelopeCase, bool) { return s.partial(false) }},
	}
}

// partial: SEARCH and REPLACE hold the part of a line that changes. It is in one
// place of the file only, or else nobody can say which is meant.
func (s *source) partial(unique bool) (envelopeCase, bool) {
	if !s.single() {
		return envelopeCase{}, false
	}
	h := s.hunks[0]
	i := slices.IndexFunc(h.lines, func(l signed) bool { return l.sign != ' ' })
	if i+1 >= len(h.lines) || h.lines[i].sign != '-' || h.lines[i+1].sign != '+' {
		return envelopeCase{}, false
	}
	for _, l := range h.lines[i+2:] {
		if l.sign != ' ' {
			return envelopeCase{}, false
		}
	}
	old, now := h.lines[i].text, h.lines[i+1].text
	from, to := common(old, now)
	for range s.IntN(3) {
		if !unique {
			break // the shorter, the more places
		}
		from, to = wider(old, from, to)
	}
	for unique && strings.Count(s.before, old[from:len(old)-to]) > 1 && (from > 0 || to > 0) {
		from, to = wider(old, from, to)
	}
	part, by := old[from:len(old)-to], now[from:len(now)-to]
	n := strings.Count(s.before, part)
	whole := slices.ContainsFunc(bare(s.before), func(l string) bool { return strings.TrimSpace(l) == strings.TrimSpace(part) })
	ok := len(strings.TrimSpace(part)) >= 4 && by != "" && part == strings.TrimSpace(part) && by == strings.TrimSpace(by) && !whole && (n == 1) == unique
	if !ok {
		return envelopeCase{}, false
	}
	lines := []string{s.path, "<<<<<<< SEARCH", part, "=======", by, ">>>>>>> REPLACE"}
	if !unique {
		return s.refuse(s.change, lines), true
	}
	return s.one(must, s.change, lines), true
}

// common counts the bytes that two lines share at the beginning and at the end.
func common(a, b string) (from, to int) {
	for from < min(len(a), len(b)) && a[from] == b[from] {
		from++
	}
	for to < min(len(a), len(b))-from && a[len(a)-1-to] == b[len(b)-1-to] {
		to++
	}
	return wider(a, from, to)
}

// wider takes one more word on each side, so that no word is cut.
func wider(s string, from, to int) (int, int) {
	word := func(c byte) bool { return c != ' ' && c != '\t' }
	for from > 0 && !word(s[from-1]) {
		from--
	}
	for from > 0 && word(s[from-1]) {
		from--
	}
	for to > 0 && !word(s[len(s)-to]) {
		to--
	}
	for to > 0 && word(s[len(s)-to]) {
		to--
	}
	return from, to
}
