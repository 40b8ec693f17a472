package action

import (
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

// sparesTheirs refuses, once, an edit that takes out lines that the user wrote while the task worked: a model that writes
// what it remembers does not know them. Sent again, it is meant.
func (s *Scope) sparesTheirs(path string, f workspace.File, after string) error {
	if s.env.Theirs == nil {
		return nil
	}
	file, known := s.env.Theirs(path)
	shown, _ := s.shown(path)
	if !known || shown.Warned == file.Hash {
		return nil
	}
	lost := file.Lost(f.Text, after)
	if len(lost) == 0 {
		return nil
	}
	told := &Shown{Path: path, Hash: f.Hash, Warned: file.Hash}
	var b strings.Builder
	all := splitLines(f.Text)
	left := 0
	for _, r := range lost {
		for n := r.From; n <= r.To; n++ {
			line := fmt.Sprintf("%5d  %s\n", n, all[n-1])
			if b.Len()+len(line) > refusalBytes {
				left++
				continue
			}
			b.WriteString(line)
			told.Ranges = append(told.Ranges, Range{n, n})
		}
	}
	told.Ranges = joined(told.Ranges)
	if left > 0 {
		fmt.Fprintf(&b, "and %s more\n", count.Of(left, "line"))
	}
	return &Quoting{Shown: fmt.Sprintf("%s (%s)\n", path, count.Of(len(all), "line")) + b.String(), Known: told,
		Message: "nothing was changed: this would take out lines that the user wrote while you worked. Keep them as they are. Only where the task or the user wants them changed, send the same again. They are:"}
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
