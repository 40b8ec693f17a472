package patch

import (
	"slices"
	"strings"
	"unicode"
)

// between reports whether lines that are indented like added can stand between two
// lines of a file, as far as their layout shows. It is asked only where the
// patch leaves open on which side of a line they go, never of a place that the
// patch names.
//
// Behind a line whose body follows (the next one is deeper), new lines belong to
// the body. Before a line that ends one (it is less deep), they are no less deep
// than it, and deeper where it is a closing bracket. Those that end as the line below
// does, as deep, and follow no such end may as well go behind it. A blank line at one end of
// the new lines parts them from that neighbour; it does not go where a blank
// line or a bracket is.
func between(above, below string, added []string) bool {
	first, last := strings.TrimSpace(added[0]) == "", strings.TrimSpace(added[len(added)-1]) == ""
	over, under := strings.TrimSpace(above) == "", strings.TrimSpace(below) == ""
	if first && over || last && under {
		return false
	}
	in, ok := shallowest(added)
	if !ok || over || under {
		return true
	}
	a, b := len(indent(above)), len(indent(below))
	switch {
	case a < b:
		return in >= b
	case a > b && closes(below):
		return in > b
	case a > b:
		return in >= b && in <= a
	}
	return in == a && !(closes(below) && closes(added[len(added)-1]) && !closes(above)) || in > a && !closes(below)
}

// shallowest returns the least indentation of the lines that are not blank.
func shallowest(lines []string) (n int, ok bool) {
	for _, l := range lines {
		if strings.TrimSpace(l) != "" {
			if in := len(indent(l)); !ok || in < n {
				n, ok = in, true
			}
		}
	}
	return n, ok
}

// withoutEnds returns lines without the blank ones at their ends.
func withoutEnds(lines []string) []string {
	for len(lines) > 0 && strings.TrimSpace(lines[0]) == "" {
		lines = lines[1:]
	}
	for len(lines) > 0 && strings.TrimSpace(lines[len(lines)-1]) == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}

// closes reports whether a line ends a block: it begins with a closing bracket,
// a closing tag or a word that does the same.
func closes(line string) bool {
	line = strings.TrimSpace(line)
	if line == "" {
		return false
	}
	word := strings.FieldsFunc(line, notWord)
	return strings.ContainsRune(")]}", rune(line[0])) || strings.HasPrefix(line, "</") || strings.HasPrefix(line, "{% end") ||
		len(word) > 0 && strings.HasPrefix(line, word[0]) && (word[0] == "end" || word[0] == "fi" || word[0] == "done" || word[0] == "esac")
}

// opens reports whether a line ends with an opening bracket or a colon.
func opens(line string) bool {
	line = strings.TrimSpace(line)
	return line != "" && strings.ContainsRune("([{:", rune(line[len(line)-1]))
}

// straddles reports whether lines end a block that they did not begin, or begin
// one that they do not end: then their depth says nothing.
func straddles(lines []string) bool {
	first := slices.IndexFunc(lines, func(l string) bool { return strings.TrimSpace(l) != "" })
	return first >= 0 && closes(lines[first]) || opens(lines[len(lines)-1])
}

// depths says which indentation of the file an indentation of a hunk is, as lines
// of words that stand in both show.
type depths struct {
	of    map[string]string
	moved bool // some are others in the file
}

// learn notes that a line of the hunk is a line of the file.
func (d *depths) learn(said, have string) {
	if d.of == nil {
		d.of = map[string]string{}
	}
	d.of[indent(said)] = indent(have)
	d.moved = d.moved || indent(said) != indent(have)
}

// contradicts reports whether a line of signs only cannot be that line of the
// file, because it is of another depth there.
func (d *depths) contradicts(said, have string) bool {
	s, h := indent(said), indent(have)
	if d.of == nil || s == h || strings.TrimSpace(said) == "" || strings.IndexFunc(said, unicode.IsLetter) >= 0 {
		return false
	}
	if as, ok := d.of[s]; ok {
		return as != h
	}
	return !d.moved && (strings.HasPrefix(s, h) || strings.HasPrefix(h, s))
}

// renamed reports whether a line of context that encloses a change, by its depth, is not in
// the file, or has another name there: then the place is a twin of the one that is meant.
func (a *aligner) renamed(at []int) bool {
	for _, b := range a.h.blocks() {
		if b.from == len(a.texts) {
			continue
		}
		depth := len(indent(a.texts[b.from]))
		for i := b.from - 1; i >= 0; i-- {
			if in := len(indent(a.texts[i])); a.weigh[i] < 0.5 || in >= depth {
				continue
			} else if depth = in; a.kinds[i] == Context && !a.elided[i] && (at[i] < 0 && blockWord.MatchString(a.texts[i]) && !slices.Contains(a.elided, true) || at[i] >= 0 && differ(nameOf(a.old[i]), nameOf(a.v.folded[at[i]])) && !misspelt(a.old[i], a.v.folded[at[i]])) {
				return true
			}
		}
	}
	return false
}

// nameOf returns the words of a line that name what it begins: those before its first
// parenthesis, if it has several there.
func nameOf(line string) []string {
	head, _, _ := strings.Cut(line, "(")
	if words := wordsOf(head); len(words) > 1 {
		return words
	}
	return wordsOf(line)
}

// differ reports whether each of two lists has words that the other has not.
func differ(x, y []string) bool {
	lacks := func(x, y []string) bool {
		return slices.ContainsFunc(x, func(w string) bool { return !slices.Contains(y, w) })
	}
	return lacks(x, y) && lacks(y, x)
}
