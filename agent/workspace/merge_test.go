package workspace

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func TestMerge(t *testing.T) {
	lines := func(words string) string { return strings.ReplaceAll(words, " ", "\n") }
	for _, tt := range []struct{ name, base, ours, theirs, want, conflicts string }{
		{"apart", "a b c d ", "A b c d ", "a b c D ", "A b c D ", ""},
		{"neighbours", "a b ", "A b ", "a B ", "A B ", ""},
		{"same change", "a b c ", "a X c ", "a X c ", "a X c ", ""},
		{"same change and another", "a b c d e ", "a X c d e ", "a X c d E ", "a X c d E ", ""},
		{"overlap", "a b c ", "a X c ", "a Y c ", "a X c ", `2:["b\n"]["X\n"]["Y\n"]`},
		{"overlap does not take others along", "a b c d e f ", "a X c d e f ", "a Y c d e F ", "a X c d e F ", `2:["b\n"]["X\n"]["Y\n"]`},
		{"partly", "a b c d e ", "a X Y d e ", "a b Z d e ", "a X Y d e ", `2:["b\n" "c\n"]["X\n" "Y\n"]["b\n" "Z\n"]`},
		{"inserted at one place", "a b ", "a X b ", "a Y b ", "a X b ", `2:[]["X\n"]["Y\n"]`},
		{"inserted before a change", "a b ", "a B ", "a X b ", "a X B ", ""},
		{"inserted after a change", "a b ", "A b ", "a X b ", "A X b ", ""},
		{"appended after a change", "a b ", "a B ", "a b X ", "a B X ", ""},
		{"neighbours with one line in both", "a b ", "A N b ", "a N B ", "A N b ", `1:["a\n" "b\n"]["A\n" "N\n" "b\n"]["a\n" "N\n" "B\n"]`},
		{"ours deleted what theirs changed", "a b c ", "a c ", "a B c ", "a c ", `2:["b\n"][]["B\n"]`},
		{"theirs deleted what ours changed", "a b c ", "a B c ", "a c ", "a B c ", `2:["b\n"]["B\n"][]`},
		{"both deleted", "a b c ", "a c ", "a c ", "a c ", ""},
		{"both created", "", "x ", "y ", "x ", `1:[]["x\n"]["y\n"]`},
		{"no final newline", "a b", "a b ", "A b", "A b ", ""},
		{"lines are not run together", "a b ", "a B", "a b X ", "a B", `2:["b\n"]["B"]["b\n" "X\n"]`},
		{"final newline against text", "a b", "a b ", "a B", "a b ", `2:["b"]["b\n"]["B"]`},
		{"one conflict over several changes", "a b c d e f g ", "a X c d Y f g ", "a M M M M f G ", "a X c d Y f G ",
			`2:["b\n" "c\n" "d\n" "e\n"]["X\n" "c\n" "d\n" "Y\n"]["M\n" "M\n" "M\n" "M\n"]`},
	} {
		got, conflicts := Merge(lines(tt.base), lines(tt.ours), lines(tt.theirs))
		var shown []string
		for _, c := range conflicts {
			shown = append(shown, fmt.Sprintf("%d:%q%q%q", c.Line, c.Base, c.Ours, c.Theirs))
		}
		if got != lines(tt.want) || strings.Join(shown, " ") != tt.conflicts {
			t.Errorf("%s:\n got %q %v\nwant %q %s", tt.name, got, shown, lines(tt.want), tt.conflicts)
		}
	}
}

// TestMergeChanged shows that a conflict names a line of ours as it is, whatever theirs adds above and however far its
// change reaches.
func TestMergeChanged(t *testing.T) {
	_, conflicts := Merge("a\nb\nc\nd\ne\nf\ng\n", "a\nb\nc\nd\nE\nf\ng\n", "N\nN\na\nb\nx\nx\nx\nx\ng\n")
	if len(conflicts) != 1 || conflicts[0].Changed != 5 || conflicts[0].Line != 5 {
		t.Errorf("got %+v", conflicts)
	}
}

// TestMergeTyped types at the end of a file key by key, with a newline at its end as Vim has it and without, while
// something is staged there and elsewhere: nothing staged is dropped. The same line on both sides still is a conflict.
func TestMergeTyped(t *testing.T) {
	const base, staged = "a\nb\n", "A\nb\n\ndef f():\n"
	for _, end := range []string{"\n", ""} {
		was, theirs := base, staged
		for _, typed := range []string{"x", "xy", "xy\nz", "xy\nz("} {
			ours := base + typed + end
			got, conflicts := mergeTyped(was, ours, theirs)
			if want := "A\nb\n" + typed + "\n\ndef f():\n"; got != want && got != strings.TrimSuffix(want, "\n") || conflicts != nil {
				t.Fatalf("typed %q: got %q, %v\nwant %q", typed+end, got, conflicts, want)
			}
			was, theirs = ours, got
		}
	}
	for _, tt := range []struct{ name, base, ours, theirs, want string }{
		{"the same line", "a\nb\n", "a\nX\n", "a\nY\n", "a\nX\n"},
		{"the same insertion in part", "a\n", "a\nX\n", "a\nX\nY\n", "a\nX\n"},
		{"the same last line without a newline", "a\nb", "a\nX", "a\nY\n", "a\nX"},
	} {
		if got, conflicts := mergeTyped(tt.base, tt.ours, tt.theirs); got != tt.want || len(conflicts) != 1 {
			t.Errorf("%s: got %q, %v; want %q and a conflict", tt.name, got, conflicts, tt.want)
		}
	}
	for _, text := range []string{"", "a", "a\n"} {
		for _, other := range []string{"", "b", "a\nb", "b\n"} {
			if got, conflicts := mergeTyped(text, text, other); got != other || conflicts != nil {
				t.Errorf("mergeTyped(%q, the same, %q): got %q, %v", text, other, got, conflicts)
			}
			if got, conflicts := mergeTyped(text, other, text); got != other || conflicts != nil {
				t.Errorf("mergeTyped(%q, %q, the first): got %q, %v", text, other, got, conflicts)
			}
		}
	}
}

// FuzzMerge: whatever is merged, one side alone is that side, ours is never lost,
// and the result has no line that is in none of the inputs.
func FuzzMerge(f *testing.F) {
	f.Add("a\nb\nc\n", "a\nX\nc\n", "a\nb\nc\nd")
	f.Add("a\nb", "a\nb\n", "a\nb\nc")
	f.Add("", "x", "y")
	f.Add("a\nb\na\nb\na\n", "b\na\nb\n", "a\na\na\n")
	f.Add("1\r\n2\n3", "1\n2\r\n3", "0\n1\r\n2\n")
	f.Fuzz(checkMerge)
}

// TestRandomMerges runs the same check over texts of few different lines, which
// fuzzing by bytes seldom finds.
func TestRandomMerges(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	text := func() string {
		var b strings.Builder
		for range random.IntN(9) {
			b.WriteString(string("abcd\r"[random.IntN(5)]) + "\n")
		}
		if random.IntN(3) == 0 {
			b.WriteByte("ab"[random.IntN(2)])
		}
		return b.String()
	}
	for range 20_000 {
		checkMerge(t, text(), text(), text())
		checkSelect(t, text(), text(), random.Uint64())
		if t.Failed() {
			return
		}
	}
}

func checkMerge(t *testing.T, base, ours, theirs string) {
	t.Helper()
	for _, tt := range []struct{ ours, theirs, want string }{
		{base, theirs, theirs}, {ours, base, ours}, {ours, ours, ours},
	} {
		if got, conflicts := Merge(base, tt.ours, tt.theirs); got != tt.want || conflicts != nil {
			t.Fatalf("Merge(%q, %q, %q): got %q, %v", base, tt.ours, tt.theirs, got, conflicts)
		}
	}
	got, conflicts := Merge(base, ours, theirs)
	mine, other := splitLines(ours), splitLines(theirs)
	merged := splitLines(got)
	for _, line := range merged {
		if !slices.Contains(mine, line) && !slices.Contains(other, line) {
			t.Fatalf("Merge(%q, %q, %q) has the line %q of nobody: %q", base, ours, theirs, line, got)
		}
	}
	for _, c := range conflicts {
		if at := c.Line - 1; !slices.Equal(c.Ours, merged[at:at+len(c.Ours)]) {
			t.Fatalf("Merge(%q, %q, %q): ours of %+v is not at its line", base, ours, theirs, c)
		}
		if !slices.ContainsFunc(diffLines(splitLines(base), mine), func(s span) bool { return s.newLo == c.Changed-1 }) {
			t.Fatalf("Merge(%q, %q, %q): ours has no change that begins at line %d", base, ours, theirs, c.Changed)
		}
	}
	rest := merged
	for _, s := range diffLines(splitLines(base), mine) {
		for _, line := range mine[s.newLo:s.newHi] {
			i := slices.Index(rest, line)
			if i < 0 {
				t.Fatalf("Merge(%q, %q, %q) lost our line %q: %q", base, ours, theirs, line, got)
			}
			rest = rest[i+1:]
		}
	}
}

// FuzzSelect: hunks carry out a change wholly or not at all, and in a unified
// diff they say the same.
func FuzzSelect(f *testing.F) {
	f.Add("a\nb\nc\n", "a\nX\nc", uint64(1))
	f.Add("", "x\n", uint64(0))
	f.Add("a\r\nb\rc\n", "", uint64(2))
	f.Add(numbered(40, nil), numbered(40, map[int]string{3: "x", 20: "", 21: "y\nz", 39: "w"}), uint64(5))
	f.Fuzz(checkSelect)
}

func checkSelect(t *testing.T, before, after string, mask uint64) {
	t.Helper()
	if strings.ContainsRune(before+after, 0) || !validText(before) || !validText(after) {
		return
	}
	c := changeOf("f", "", NewContent([]byte(before), 0o644), NewContent([]byte(after), 0o644))
	if got := c.Select(func(int) bool { return true }); got != after {
		t.Fatalf("%q to %q: all hunks give %q", before, after, got)
	}
	if got := c.Select(func(int) bool { return false }); got != before {
		t.Fatalf("%q to %q: no hunk gives %q", before, after, got)
	}
	if got := patched(before, c.Unified()); !c.Binary && got != after {
		t.Fatalf("%q to %q: the diff\n%s\ngives %q", before, after, c.Unified(), got)
	}
	if n := strings.Count("\n"+c.Unified(), "\n@@ -"); n != len(c.Hunks) {
		t.Fatalf("%q to %q: %d hunks, %d in the diff", before, after, len(c.Hunks), n)
	}
	// What is accepted of a change leaves the others to be accepted later.
	some := func(i int) bool { return mask>>(i%64)&1 == 1 }
	rest := changeOf("f", "", NewContent([]byte(c.Select(some)), 0o644), c.After)
	if got := rest.Select(func(int) bool { return true }); got != after {
		t.Fatalf("%q to %q: with mask %b and then the rest: %q", before, after, mask, got)
	}
}

func validText(s string) bool {
	text, enc, err := Decode([]byte(s))
	return err == nil && text == s && enc == Encoding{Charset: UTF8}
}

// patched carries out a unified diff as simply as can be.
func patched(before, diff string) string {
	if diff == "" {
		return before
	}
	old := splitLines(before)
	var out []string
	at := 0
	lines := splitLines(diff)
	inHunk := false
	for i, line := range lines {
		if i+1 < len(lines) && strings.HasPrefix(lines[i+1], `\ `) {
			line = strings.TrimSuffix(line, "\n")
		}
		var from int
		switch {
		case strings.HasPrefix(line, "@@ "):
			inHunk = true
			fmt.Sscanf(line, "@@ -%d", &from)
			for at < from-1 {
				out = append(out, old[at])
				at++
			}
		case !inHunk || line[0] == '\\':
		case line[0] == ' ':
			out = append(out, old[at])
			at++
		case line[0] == '-':
			at++
		case line[0] == '+':
			out = append(out, line[1:])
		}
	}
	return strings.Join(append(out, old[at:]...), "")
}

// numbered returns n lines, some of them replaced.
func numbered(n int, other map[int]string) string {
	var b strings.Builder
	for i := range n {
		if line, ok := other[i]; !ok {
			fmt.Fprintf(&b, "line %d\n", i)
		} else if line != "" {
			b.WriteString(line + "\n")
		}
	}
	return b.String()
}

// TestHunks: many changes in a long file stay many small hunks, also where the
// library's search alone would give up.
func TestHunks(t *testing.T) {
	other := make(map[int]string)
	for i := 5; i < 4000; i += 20 {
		other[i] = fmt.Sprintf("new %d\nand more", i)
	}
	c := changeOf("f", "", NewContent([]byte(numbered(4000, nil)), 0o644), NewContent([]byte(numbered(4000, other)), 0o644))
	if len(c.Hunks) != len(other) {
		t.Errorf("got %d hunks, want %d", len(c.Hunks), len(other))
	}
	for _, h := range c.Hunks {
		if len(h.Old) != 1 || len(h.New) != 2 || h.Old[0] != fmt.Sprintf("line %d\n", h.OldLine-1) {
			t.Fatalf("hunk %+v", h)
		}
	}
}
