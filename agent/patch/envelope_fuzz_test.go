package patch_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/rogpeppe/go-internal/txtar"
)

// FuzzEnvelope: whatever is put around an edit and whatever decoration its lines
// have, exactly the edit is made, or it is refused and nothing changes.
func FuzzEnvelope(f *testing.F) {
	for i, s := range envelopeSeeds(f) {
		for k := range uint64(8) {
			f.Add(s[0], s[1], uint64(i)*1000+k)
		}
	}
	f.Fuzz(func(t *testing.T, before, after string, grammar uint64) {
		c, ok := fuzzable(before, after)
		if !ok {
			return
		}
		r := rand.New(rand.NewPCG(grammar, 1))
		text, how := wrapped(r, c)
		checkWhole(t, []change{c}, text, how)
		if second := newChange("dir/other.txt", after, before, 3); second.alone() {
			text, how := mixture(r, c, second)
			checkWhole(t, []change{c, second}, text, how)
		}
	})
}

// checkWhole: all changes are made, or none.
func checkWhole(t *testing.T, changes []change, text, how string) {
	t.Helper()
	before, after := map[string]string{}, map[string]string{}
	for _, c := range changes {
		before[c.path], after[c.path] = c.before, c.after
	}
	got := apply(before, text)
	switch {
	case got.status == applied && maps.Equal(got.files, after):
	case got.status != applied && maps.Equal(got.files, before):
	default:
		t.Fatalf("%s\nfrom %q\ngot  %q\nwant %q\n%s", how, before, got.files, after, text)
	}
}

// mixture writes two changes one below the other, one of them in an envelope of its own.
func mixture(r *rand.Rand, first, second change) (text, how string) {
	format := formats[r.IntN(len(formats))]
	parts := [][]string{first.write(format, r.IntN(2) == 0), second.write(format, r.IntN(2) == 0)}
	envelopes := []struct {
		name string
		put  func(lines []string) []string
	}{
		{"quoted", func(lines []string) []string { return prefixed("> ", lines) }},
		{"indented", func(lines []string) []string { return prefixed("    ", lines) }},
		{"commented", func(lines []string) []string { return prefixed("# ", lines) }},
		{"in a table", func(lines []string) []string { return prefixed("| ", lines) }},
		{"a JSON string", func(lines []string) []string { return oneLine(true, lines) }},
		{"entities", func(lines []string) []string { return strings.Split(escaper.Replace(strings.Join(lines, "\n")), "\n") }},
		{"in a fence", func(lines []string) []string { return fenced("diff", lines) }},
		{"as it is", func(lines []string) []string { return lines }},
	}
	e, at := envelopes[r.IntN(len(envelopes))], r.IntN(2)
	parts[at] = e.put(parts[at])
	return strings.Join(slices.Concat(parts[0], []string{""}, parts[1]), "\n") + "\n", fmt.Sprintf("%s, part %d %s", format, at+1, e.name)
}

// envelopeSeeds are the texts of the fixtures of edits that apply, and some made ones.
func envelopeSeeds(f *testing.F) [][2]string {
	ar, err := txtar.ParseFile(filepath.Join("testdata", "apply.txtar"))
	if err != nil {
		f.Fatal(err)
	}
	var seeds [][2]string
	before := ""
	for _, file := range ar.Files {
		switch filepath.Base(file.Name) {
		case "before":
			before = string(file.Data)
		case "after":
			seeds = append(seeds, [2]string{before, string(file.Data)})
		}
	}
	for n := range 20 {
		r := rand.New(rand.NewPCG(uint64(n), 2))
		before, after := program(r)
		seeds = append(seeds, [2]string{before, after})
	}
	return seeds
}

// program makes a text that looks like code, and another with a few lines changed.
func program(r *rand.Rand) (before, after string) {
	words := []string{"alpha", "beta", "count", "items", "total", "path", "name", "user"}
	word := func() string { return words[r.IntN(len(words))] }
	line := func() string {
		switch r.IntN(6) {
		case 0:
			return fmt.Sprintf("    %s = %s + %d", word(), word(), r.IntN(90))
		case 1:
			return fmt.Sprintf("    if %s < %d && %s > 0 {", word(), r.IntN(90), word())
		case 2:
			return "    }"
		case 3:
			return fmt.Sprintf("    print(\"%s is\", '%s', %s)", word(), word(), word())
		case 4:
			return ""
		}
		return fmt.Sprintf("def %s_%s(%s):", word(), word(), word())
	}
	var a, b []string
	for range 10 + r.IntN(40) {
		l := line()
		a = append(a, l)
		switch r.IntN(12) {
		case 0:
			b = append(b, line())
		case 1:
			b = append(b, l, line())
		case 2:
		default:
			b = append(b, l)
		}
	}
	return strings.Join(a, "\n") + "\n", strings.Join(b, "\n") + "\n"
}

// markup is what would be taken for a part of a patch, or for something encoded:
// a text that holds it has no certain reading in an envelope.
var markup = regexp.MustCompile("(?m)^(@@|\\*\\*\\*|---|\\+\\+\\+|<<<<<<<|=======|>>>>>>>|index |diff |\\\\|:|\\s*>)|```|~~~|\\.\\.\\.|…|[“”‘’\x00-\x08\x0b-\x1f\x7f]|&[a-z#0-9]+;|\\\\")

// fuzzable returns the change of two texts if it can be told what must come out.
func fuzzable(before, after string) (change, bool) {
	const mark = "\ufeff" // is the file's, whatever the patch says
	if before == after || strings.HasPrefix(before, mark) != strings.HasPrefix(after, mark) || !strings.HasSuffix(before, "\n") || !strings.HasSuffix(after, "\n") || len(before)+len(after) > 20_000 ||
		!utf8.ValidString(before+after) || markup.MatchString(before) || markup.MatchString(after) {
		return change{}, false
	}
	c := newChange("dir/file.txt", before, after, 3)
	return c, c.alone()
}

// wrapped writes a change in an envelope that a random grammar makes, and says
// how it was made.
func wrapped(r *rand.Rand, c change) (text, how string) {
	g := &grammar{r, []string{formats[r.IntN(len(formats))]}}
	lines := g.patch(c)
	cut := false
	if g.does(3, "fence") {
		if g.does(5, "bullets") {
			lines = slices.Concat([]string{"- Keep the old name", ""}, lines)
		}
		lines = fenced([]string{"", "diff", "text"}[r.IntN(3)], lines)
		if short, ok := cutOff(r, lines); ok && g.countable() && g.does(8, "cut off") {
			lines, cut = short, true
		}
	}
	if !cut && g.does(3, "prose") {
		lines = prose(r, lines)
	}
	switch {
	case g.does(8, "quoted"):
		lines = prefixed("> ", lines)
	case g.does(8, "indented"):
		lines = prefixed([]string{"    ", "  ", "\t"}[r.IntN(3)], lines)
	case g.does(10, "json"):
		lines = oneLine(r.IntN(2) == 0, lines)
	}
	text = strings.Join(lines, "\n")
	if !cut {
		text += "\n"
	}
	return text, strings.Join(g.said, ", ")
}

// quotes reports whether an old line has one of some characters. Where none has,
// nothing shows whether those of the added lines are meant as they are written.
func (c change) quotes(chars string) bool {
	return slices.ContainsFunc(c.hunks, func(h hunk) bool {
		return slices.ContainsFunc(h.oldLines(), func(l string) bool { return strings.ContainsAny(l, chars) })
	})
}

// cutOff ends a fenced text in the middle of a line of its last third. Where no
// further line of the hunk follows nothing would be missing, so that stays whole.
func cutOff(r *rand.Rand, lines []string) (cut []string, ok bool) {
	lines = lines[:len(lines)-1]
	i := len(lines) - 2 - r.IntN(max(1, len(lines)/3))
	if i < 3 || len(lines[i]) < 2 || lines[i][0] == '@' || strings.HasPrefix(lines[i+1], "@@") {
		return nil, false
	}
	return append(slices.Clone(lines[:i]), lines[i][:1+r.IntN(len(lines[i])-1)]), true
}

// countable reports whether the patch shows by itself where it ends.
func (g *grammar) countable() bool { return g.said[0] != unified || slices.Contains(g.said, "counts") }

// grammar draws the parts of an envelope, and remembers which.
type grammar struct {
	*rand.Rand
	said []string
}

func (g *grammar) does(oneIn int, what string) bool {
	yes := g.IntN(oneIn) == 0
	if yes {
		g.said = append(g.said, what)
	}
	return yes
}

// patch writes the change in one of the formats, with decorated lines and with
// hunks that change nothing.
func (g *grammar) patch(c change) []string {
	plain := c
	if c.quotes("<>&") && g.does(6, "entities") {
		c = c.mapped(escaped(g.IntN(3) == 0))
	}
	if c.quotes("\"'") && g.does(6, "curly") {
		c = c.mapped(func(l signed) signed { return signed{l.sign, curly(l.text)} })
	}
	by := c
	if g.does(6, "numbers") {
		all := g.IntN(2) == 0
		c = c.withNumbers([]string{"%d| ", "%4d | ", "%d: ", "%6d\t"}[g.IntN(4)], all)
		if all || g.IntN(2) == 0 {
			by = c
		}
	}
	if g.does(6, "no-op") {
		idle := plain.hunks[0].idle()
		c.hunks, by.hunks = append(slices.Clone(c.hunks), idle), append(slices.Clone(by.hunks), idle)
	}
	if g.does(8, "twice") {
		k := g.IntN(len(c.hunks))
		c.hunks, by.hunks = append(slices.Clone(c.hunks), c.hunks[k]), append(slices.Clone(by.hunks), by.hunks[k])
	}
	if g.said[0] == search {
		m := plainMarkers
		if g.does(6, "Roo") {
			m = rooMarkers
		} else if g.does(6, "ORIGINAL") {
			m = conflictMarkers
		}
		return c.blocks(by, m)
	}
	lines := c.write(g.said[0], g.said[0] == unified && g.does(2, "counts"))
	if g.said[0] == unified && g.does(10, "empty @@") {
		lines = append(lines, "@@")
	}
	return lines
}
