package codemap

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"caselsp/agent/syntax"
)

const (
	// bytesPerToken is how many bytes of a map are taken for a token. Paths and code have
	// three to four; a map that is a little short is better than one that does not fit.
	bytesPerToken = 3.5

	// detailed is the share of the tokens that goes to files with their signatures; the
	// rest lists further files by their paths alone.
	detailed = 0.6

	// asNamed is the value of a signature that the query names whole: more than any other has.
	asNamed = 40

	// maxShown is how many signatures of one file are shown at most, and maxShownLine
	// how many bytes of one: the model can ask for a file's whole outline.
	maxShown     = 8
	maxShownLine = 120
)

// Map renders the files that matter to a query, in that order, within a number of tokens: the
// first with the signatures that matter most and their lines, in the order of the file, then paths alone,
// folder by folder.
func Map(files []File, q Query, tokens int) string {
	return Render(Rank(files, q), tokens, Choice{})
}

// Choice says what of the ranked files may be shown. The zero Choice is all.
type Choice struct {
	// Bare chooses the files that are named where there is no room for their signatures.
	Bare func(path string) bool
	// Hidden reports whether nothing of a file may be shown. Only those that have room are asked for: to
	// find out may need a look into each.
	Hidden func(path string) bool
}

func (c Choice) bare(path string) bool   { return c.Bare == nil || c.Bare(path) }
func (c Choice) hidden(path string) bool { return c.Hidden != nil && c.Hidden(path) }

// Render is Map for files that are ranked.
func Render(ranked []Ranked, tokens int, c Choice) string {
	room := int(float64(tokens) * bytesPerToken)
	var b strings.Builder
	i := 0
	for ; i < len(ranked); i++ {
		text := ranked[i].render(maxShown)
		fits := float64(b.Len()+len(text)) <= detailed*float64(room)
		if c.hidden(ranked[i].Path) {
			continue
		}
		if !fits {
			break
		}
		b.WriteString(text)
	}
	var rest []string
	for ; i < len(ranked); i++ {
		if c.bare(ranked[i].Path) {
			rest = append(rest, ranked[i].Path)
		}
	}
	b.WriteString(byFolder(rest, room-b.Len(), c.hidden))
	return b.String()
}

// byFolder lists paths within a number of bytes, each folder once, where its first file stands:
// "lib/a/: one.js, two.js". Deep folders say the same for every file, so that most of a plain list is
// that. A path that has no room gives way to shorter ones.
func byFolder(paths []string, room int, hidden func(path string) bool) string {
	of := map[string]int{} // index of a folder's line
	var lines [][]string   // a line's folder, and its files
	for _, p := range paths {
		dir, base := path.Split(p)
		at, known := of[dir]
		cost := len(p) + len("\n")
		if known {
			cost = len(base) + len(", ")
			if len(lines[at]) == 2 {
				cost += len(": ")
			}
		}
		if cost > room || hidden(p) {
			continue
		}
		room -= cost
		switch {
		case known:
			lines[at] = append(lines[at], base)
		case dir != "":
			of[dir] = len(lines)
			fallthrough
		default:
			lines = append(lines, []string{dir, base})
		}
	}
	var b strings.Builder
	for _, line := range lines {
		b.WriteString(line[0])
		if len(line) > 2 {
			b.WriteString(": ")
		}
		b.WriteString(strings.Join(line[1:], ", ") + "\n")
	}
	return b.String()
}

// render shows a file with its most important signatures.
func (r Ranked) render(most int) string {
	type rated struct {
		syntax.Declaration
		at    int
		value int
	}
	var list []rated
	for i, s := range r.Symbols {
		value := 0
		switch s.Kind {
		case "class", "struct", "interface", "implementation", "enum", "type":
			value = 3
		case "function", "method", "macro":
			value = 2
		case "field", "variable", "constant", "namespace", "element", "rule":
			value = 1
		}
		for _, w := range parts(s.Name) {
			if r.hits[stem(w)] {
				value += 4
			}
		}
		if r.hits[s.Name] { // the query names it as it is declared
			value += asNamed
		}
		list = append(list, rated{s, i, value})
	}
	slices.SortStableFunc(list, func(a, b rated) int { return cmp.Compare(b.value, a.value) })
	list = list[:min(len(list), most)]
	slices.SortFunc(list, func(a, b rated) int { return cmp.Compare(a.at, b.at) })
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n", r.Path)
	for _, s := range list {
		line := cmp.Or(s.Signature, s.Kind+" "+s.Name)
		if len(line) > maxShownLine {
			line = strings.ToValidUTF8(line[:maxShownLine], "") + "…"
		}
		fmt.Fprintf(&b, "  %d: %s\n", s.Range.Start.Line+1, line)
	}
	return b.String()
}
