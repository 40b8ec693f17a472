package patch

import (
	"errors"
	"slices"
	"strings"
	"testing"

	udiff "github.com/aymanbagabas/go-udiff"
	"github.com/aymanbagabas/go-udiff/lcs"

	"caselsp/agent/content"
)

// seeds are pairs of texts; few different lines make many equal places.
var seeds = [][2]string{
	{"", "a\n"}, {"a", "a\n"}, {"a\n", "a"}, {"a\n", ""}, {"a\nb", "a"}, {"a\nb", "b"},
	{"a\nb\nc\n", "a\nB\nc\n"},
	{"a\na\na\na\na\na\na\na\n", "a\na\na\na\na\na\na\na\na\n"},
	{"a\n\na\n\na\n\n", "a\n\na\n\n\na\n\n"},
	{"x\ny\nx\ny\nx\ny\nx\ny\nx\ny\nx\ny\n", "x\ny\nx\ny\nx\ny\nx\ny\ny\nx\ny\n"},
	{"-- a\n++ b\n@@\n", "-- b\n++ a\n@@ -1 +1 @@\n"},
	{"\\ No newline\n", "\\ No newline\nx"},
	{"a\r\nb\nc\r\n", "a\r\nB\nc\r\n"},
	{"a\nb\nc\nd\ne\nf\ng\nh\ni\nj\nk\nl\n", "A\nb\nc\nd\ne\nf\ng\nh\ni\nj\nk\nL"},
}

// FuzzRoundTrip: the diff of two texts turns the one into the other, and its
// inverse turns it back, whatever the texts. Only texts that hold parts of a patch
// themselves are left out: there a reader that does not trust counts
// prefers to refuse.
func FuzzRoundTrip(f *testing.F) {
	for _, s := range seeds {
		f.Add(s[0], s[1])
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		if a == b || strings.Contains(a+b, "\r") || headerLike(a) || headerLike(b) {
			return
		}
		checkDiff(t, a, b)
		checkDiff(t, b, a)
	})
}

// headerLike reports whether a text holds headers of a patch, or lines that look as if they
// were quoted or numbered, or end an envelope: such new lines are refused on purpose.
func headerLike(s string) bool {
	gutter := func(l string) bool {
		return quoteGutter.MatchString(l) || numberGutter.MatchString(l) || slices.ContainsFunc(closers, func(c closer) bool { return c.end.MatchString(l) })
	}
	return strings.Contains(s, "-- a/") || strings.Contains(s, "++ b/") || strings.Contains(s, "------ SEARCH") || slices.ContainsFunc(strings.Split(s, "\n"), gutter)
}

func checkDiff(t *testing.T, a, b string) {
	t.Helper()
	diff := udiff.Unified("a/f", "b/f", a, b)
	p, err := Parse(diff, nil)
	if err != nil {
		t.Fatalf("%v\n%s", err, diff)
	}
	got, report, err := applyHunks("", a, p.Files[0].Hunks)
	if err != nil {
		t.Fatalf("%v\n%s", err, diff)
	}
	if got != b {
		t.Fatalf("got %q, want %q\n%s", got, b, diff)
	}
	if len(report.Hunks) != len(p.Files[0].Hunks) {
		t.Fatalf("%d hunks reported of %d", len(report.Hunks), len(p.Files[0].Hunks))
	}
}

// FuzzEndings: in a file of any endings only lines that change are written. The
// diff is made of texts with LF; every line that it does not name keeps its bytes.
func FuzzEndings(f *testing.F) {
	for _, s := range seeds {
		f.Add(s[0], s[1], uint64(0x5a5a))
	}
	f.Fuzz(func(t *testing.T, a, b string, mix uint64) {
		if a == b || strings.Contains(a+b, "\r") || headerLike(a) || headerLike(b) {
			return
		}
		lines := content.Split(a).Lines
		for i, l := range lines {
			if mix>>(i%64)&1 == 1 && content.Ending(l) == "\n" {
				lines[i] = strings.TrimSuffix(l, "\n") + "\r\n"
			}
		}
		before := strings.Join(lines, "")
		p, err := Parse(udiff.Unified("a/f", "b/f", a, b), nil)
		if err != nil {
			t.Fatal(err)
		}
		after, _, err := applyHunks("", before, p.Files[0].Hunks)
		if err != nil {
			t.Fatal(err)
		}
		if strings.ReplaceAll(after, "\r\n", "\n") != b {
			t.Fatalf("got %q, want %q", after, b)
		}
		checkUntouched(t, before, after, p.Files[0].Hunks)
		if got := content.Rewrite(before, strings.ReplaceAll(before, "\r\n", "\n")); got != before {
			t.Fatalf("rewriting a file with itself: got %q, want %q", got, before)
		}
	})
}

// checkUntouched holds every line that the hunks do not change to its bytes. The
// hunks' line numbers are right here. Whether the last line, of either text, has
// a newline is not looked at.
func checkUntouched(t *testing.T, before, after string, hunks []Hunk) {
	t.Helper()
	old, got := content.Split(before).Lines, content.Split(after).Lines
	var want []string // "": a new line
	pos := 0
	for _, h := range hunks {
		start := max(h.Line-1, 0)
		want = append(want, old[pos:start]...)
		pos = start
		for _, l := range h.Lines {
			switch l.Kind {
			case Added:
				want = append(want, "")
			case Context:
				want = append(want, old[pos])
				pos++
			case Removed:
				pos++
			}
		}
	}
	want = append(want, old[pos:]...)
	if len(got) != len(want) {
		t.Fatalf("%d lines, want %d", len(got), len(want))
	}
	for i := range len(want) - 1 {
		if want[i] != "" && content.Ending(want[i]) != "" && got[i] != want[i] {
			t.Fatalf("line %d changed from %q to %q", i+1, want[i], got[i])
		}
	}
}

// FuzzApply: whatever a model writes, Parse and Apply end with a result or a
// refusal, and a refusal changes nothing.
func FuzzApply(f *testing.F) {
	for _, s := range seeds {
		f.Add(s[0], udiff.Unified("a", "b", s[0], s[1]))
		f.Add(s[0], "f.go\n<<<<<<< SEARCH\n"+s[0]+"=======\n"+s[1]+">>>>>>> REPLACE\n")
	}
	f.Add("a\n", "*** Begin Patch\n*** Update File: x\n*** Move to: y\n@@ b\n@@ c\n-a\n*** End of File\n*** Add File: z\n+a\n")
	f.Add("a\n", "diff --git a/x b/x\nrename from x\n@@\n\\ No newline\n a\n")
	f.Fuzz(func(t *testing.T, before, text string) {
		var r *Refusal
		p, err := Parse(text, nil)
		if err != nil {
			if !errors.As(err, &r) || r.Status != Malformed || r.Message == "" {
				t.Fatalf("Parse: %#v", err)
			}
			return
		}
		for _, file := range p.Files {
			after, report, err := applyHunks("", before, file.Hunks)
			switch {
			case err == nil && len(report.Hunks) != len(file.Hunks):
				t.Fatalf("%d hunks reported of %d", len(report.Hunks), len(file.Hunks))
			case err != nil && (after != before || !errors.As(err, &r) || r.Message == "" || r.Unwrap() == nil):
				t.Fatalf("Apply: %q, %#v", after, err)
			}
		}
		content.Placeholder(text, before)
		if got := content.Rewrite(before, text); before == "" && got != text {
			t.Fatalf("Rewrite of a new file: %q", got)
		}
	})
}

// code is text of the shape that the lax layers are made for.
const code = "import os\nimport sys\n\n\nclass Cart:\n    def total(self):\n        \"\"\"Sum of all items.\"\"\"\n        total = 0\n" +
	"        for item in self.items:\n            total += item.price\n        return total\n\n    def empty(self):\n        if self.items:\n" +
	"            return False\n        return True\n\n    def clear(self):\n        self.items = []\n        return True\n"

// FuzzSpoiled: whatever is wrong with a diff, what is written are its added
// lines and what goes are its removed ones, except for white space and signs.
func FuzzSpoiled(f *testing.F) {
	for how := range uint64(1 << 6) {
		f.Add(code, strings.Replace(code, "return total", "return round(total)", 1), how)
		f.Add(code, strings.Replace(code, "        self.items = []\n", "        self.items = []\n        self.count = 0\n", 1), how)
		f.Add(code, strings.Replace(code, "\n    def empty(self):\n        if self.items:\n            return False\n        return True\n", "", 1), how)
	}
	f.Fuzz(func(t *testing.T, a, b string, how uint64) {
		if a == b || headerLike(a) || headerLike(b) {
			return
		}
		p, err := Parse(udiff.Unified("a/f.py", "b/f.py", a, b), nil)
		if err != nil {
			return
		}
		hunks := p.Files[0].Hunks
		for i := range hunks {
			spoil(&hunks[i], how>>(8*i))
		}
		after, _, err := applyHunks("f.py", a, hunks)
		if err != nil {
			if after != a {
				t.Fatalf("a refusal changed the text: %v", err)
			}
			return
		}
		checkWritten(t, a, after, hunks)
	})
}

// spoil does to a hunk what models do, by the bits of how.
func spoil(h *Hunk, how uint64) {
	if how&1 != 0 {
		h.Line += 7
	}
	for i := range h.Lines {
		l := &h.Lines[i]
		if how&2 != 0 {
			l.Text = "    " + l.Text
		}
		if how&4 != 0 && l.Kind == Context {
			l.Text = strings.Replace(l.Text, "it", "ti", 1)
		}
		if how&8 != 0 {
			l.Text += " "
		}
		if how&16 != 0 {
			l.Text = strings.ReplaceAll(l.Text, "    ", "\t")
		}
	}
	if k := int(how >> 6 & 7); how&32 != 0 && k < len(h.Lines) && h.Lines[k].Kind == Context {
		h.Lines = append(h.Lines[:k:k], h.Lines[k+1:]...)
	}
}

// checkWritten holds the lines that are new to those that the hunks add, and the
// lines that are gone to those that they remove.
func checkWritten(t *testing.T, before, after string, hunks []Hunk) {
	t.Helper()
	may := map[string]int{}
	for _, h := range hunks {
		for _, l := range h.Lines {
			if l.Kind != Context {
				may[string(l.Kind)+fold(l.Text)]++
			}
		}
	}
	old, got := content.Split(before).Bare, content.Split(after).Bare
	for _, d := range lcs.DiffLines(old, got) {
		for _, l := range got[d.ReplStart:d.ReplEnd] {
			if may["+"+fold(l)]--; may["+"+fold(l)] < 0 {
				t.Fatalf("wrote %q, which the patch does not add", l)
			}
		}
		for _, l := range old[d.Start:d.End] {
			if may["-"+fold(l)]--; may["-"+fold(l)] < 0 && !slices.ContainsFunc(hunks, func(h Hunk) bool {
				return slices.ContainsFunc(h.Lines, func(r Line) bool { return r.Kind == Removed && misspelt(fold(r.Text), fold(l)) })
			}) {
				t.Fatalf("lost %q, which the patch does not remove", l)
			}
		}
	}
}
