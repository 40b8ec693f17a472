package action

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"caselsp/agent/count"
	"caselsp/agent/workspace"

	"github.com/aymanbagabas/go-udiff/lcs"
)

// Theirs is a file of the user's: its text before the task changed anything, its text now, and the hash of that.
type Theirs struct{ Began, Now, Hash string }

// Lost are the lines of a text before an edit, from 1, that the user wrote while the task worked and that the text after it
// has neither in their place nor in another. Lines without a letter or digit are not looked at: they are somebody's
// everywhere.
func (t Theirs) Lost(before, after string) []Range {
	was, is := splitLines(before), splitLines(after)
	theirs := map[int]bool{} // by the line of before, from 0
	place := kept(splitLines(t.Now), was)
	for _, d := range lcs.DiffLines(splitLines(t.Began), splitLines(t.Now)) {
		for i := d.ReplStart; i < d.ReplEnd; i++ {
			if at, still := place[i]; still && strings.ContainsFunc(was[at], wordy) {
				theirs[at] = true
			}
		}
	}
	stays := kept(was, is)
	put := map[string]bool{}
	for _, d := range lcs.DiffLines(was, is) {
		for _, line := range is[d.ReplStart:d.ReplEnd] {
			put[strings.TrimSpace(line)] = true
		}
	}
	var list []Range
	for at := range theirs {
		if _, still := stays[at]; !still && !put[strings.TrimSpace(was[at])] {
			list = append(list, Range{at + 1, at + 1})
		}
	}
	return joined(list)
}

func wordy(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// kept says of the lines of one text, from 0, which line of another they are.
func kept(old, now []string) map[int]int {
	place := make(map[int]int, len(old))
	from, at := 0, 0 // the first lines behind the last difference
	keep := func(to int) {
		for ; from < to; from, at = from+1, at+1 {
			place[from] = at
		}
	}
	for _, d := range lcs.DiffLines(old, now) {
		keep(d.Start)
		from, at = d.End, d.ReplEnd
	}
	keep(len(old))
	return place
}

// BringsBack reports whether an edit makes a change again that the user has rejected: all lines that it put in come, or,
// where it put in none, all that it took out go.
func BringsBack(rejected workspace.Hunk, before, after string) bool {
	put, out := ofHunk(rejected)
	was, is := lineSet(before), lineSet(after)
	if len(put) > 0 {
		return has(is, put) && !has(was, put)
	}
	return len(out) > 0 && has(was, out) && !slices.ContainsFunc(out, func(l string) bool { return is[l] })
}

// ofHunk are the lines with a letter or digit that a hunk put in and took out, without the blanks around them.
func ofHunk(h workspace.Hunk) (put, out []string) {
	old, now := lineSet(strings.Join(h.Old, "")), lineSet(strings.Join(h.New, ""))
	for _, lines := range []struct {
		of, not map[string]bool
		to      *[]string
		all     []string
	}{{now, old, &put, h.New}, {old, now, &out, h.Old}} {
		for _, l := range lines.all {
			if l = strings.TrimSpace(l); lines.of[l] && !lines.not[l] {
				*lines.to = append(*lines.to, l)
			}
		}
	}
	return put, out
}

// lineSet are the lines of a text with a letter or digit, without the blanks around them.
func lineSet(text string) map[string]bool {
	set := map[string]bool{}
	for _, l := range splitLines(text) {
		if strings.ContainsFunc(l, wordy) {
			set[strings.TrimSpace(l)] = true
		}
	}
	return set
}

func has(set map[string]bool, lines []string) bool {
	return !slices.ContainsFunc(lines, func(l string) bool { return !set[l] })
}

// respects refuses, once, an edit that goes against what the user did: that takes out lines which they wrote while the task
// worked, because a model that writes what it remembers does not know them; or that makes a change again which they have
// rejected. Sent again, it is meant.
func (s *Scope) respects(path string, f workspace.File, after string) error {
	warned := func(key string) bool { return s.env.Warned != nil && s.env.Warned(key) }
	if s.env.Theirs != nil {
		file, known := s.env.Theirs(path)
		if lost := file.Lost(f.Text, after); known && len(lost) > 0 && !warned(path+" "+file.Hash) {
			return takesOut(path, f, lost, path+" "+file.Hash)
		}
	}
	if s.env.Rejected == nil {
		return nil
	}
	for _, h := range s.env.Rejected(path) {
		put, out := ofHunk(h)
		key := path + " " + hashOf(strings.Join(put, "\n")+"\n-"+strings.Join(out, "\n-"))
		if warned(key) || !BringsBack(h, f.Text, after) {
			continue
		}
		q := fewLines{head: path + "\n"}
		for _, l := range put {
			q.add("+ " + l)
		}
		for _, l := range out {
			q.add("- " + l)
		}
		return &Quoting{Shown: q.text(), Warns: key,
			Message: "nothing was changed: the user has read this change in your result and rejected it. Leave it out. Only where they have asked for it since, send the same again. It is:"}
	}
	return nil
}

func takesOut(path string, f workspace.File, lost []Range, key string) error {
	told := &Shown{Path: path, Hash: f.Hash}
	all := splitLines(f.Text)
	q := fewLines{head: fmt.Sprintf("%s (%s)\n", path, count.Of(len(all), "line"))}
	for _, r := range lost {
		for n := r.From; n <= r.To; n++ {
			if q.add(fmt.Sprintf("%5d  %s", n, all[n-1])) {
				told.Ranges = append(told.Ranges, Range{n, n})
			}
		}
	}
	told.Ranges = joined(told.Ranges)
	return &Quoting{Shown: q.text(), Known: told, Warns: key,
		Message: "nothing was changed: this would take out lines that the user wrote while you worked. Keep them as they are. Only where the task or the user wants them changed, send the same again. They are:"}
}

// fewLines are lines that a refusal shows, up to refusalBytes.
type fewLines struct {
	head  string
	lines strings.Builder
	left  int
}

func (q *fewLines) add(line string) (shown bool) {
	if q.lines.Len()+len(line) > refusalBytes {
		q.left++
		return false
	}
	q.lines.WriteString(line + "\n")
	return true
}

func (q *fewLines) text() string {
	if q.left == 0 {
		return q.head + q.lines.String()
	}
	return fmt.Sprintf("%s%sand %s more\n", q.head, q.lines.String(), count.Of(q.left, "line"))
}

func hashOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:8])
}

// Places names lines of a file for people.
func Places(path string, lines []Range) string {
	var list []string
	for _, r := range lines {
		if r.From == r.To {
			list = append(list, fmt.Sprint(r.From))
		} else {
			list = append(list, fmt.Sprintf("%d-%d", r.From, r.To))
		}
	}
	return path + ":" + strings.Join(slices.Compact(list), ",")
}
