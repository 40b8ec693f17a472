package fixcheck

import (
	"maps"
	"path"
	"slices"
	"strings"

	"caselsp/agent/syntax"
	"caselsp/store/lazyregexp"

	"github.com/aymanbagabas/go-udiff"
)

// maxCompared bounds the bytes of the files that a claim is compared with: more is not a fix that a person describes.
const maxCompared = 512 << 10

// maxNested is how deep functions and types are looked at that are in each other.
const maxNested = 8

// changes is what has changed since a failure, and what has to do with it.
type changes struct {
	files    []string        // that have changed
	paths    []string        // of the others
	related  map[string]bool // names on changed lines, around them, and of what mentions them
	named    map[string]bool // names in the paths of the files that have changed
	words    map[string]bool // parts of names that are on changed lines before or after and not both, and of those around them
	declared map[string]bool // names of functions and types in the changed files and in the one that failed, and of those that failed
}

// source is one text of a file.
type source struct {
	lines   []string
	changed map[int]bool // by line, from 0
	symbols []syntax.Symbol
	holding [][]syntax.Symbol // by line; see around
}

// changesOf reads the changes of a claim; nil where they cannot be read: something that is not code has changed, which can
// have to do with anything.
func changesOf(c Claim) *changes {
	d := &changes{related: map[string]bool{}, named: map[string]bool{}, words: map[string]bool{}, declared: map[string]bool{}}
	var sources []*source
	size := len(c.OriginalCode)
	for _, f := range c.Files {
		if !f.changed() {
			continue
		}
		size += len(f.before()) + len(f.after())
		language := syntax.LanguageOf(f.Path)
		if f.Before == nil && f.After == nil || !slices.Contains(compared, language) || size > maxCompared {
			return nil
		}
		d.files = append(d.files, f.Path)
		before, after := sourceOf(language, f.before()), sourceOf(language, f.after())
		compare(f, before, after)
		sources = append(sources, before, after)
		d.differ(before, after)
	}
	if len(d.files) == 0 {
		return nil
	}
	for _, p := range c.Paths {
		if !slices.Contains(d.files, p) {
			d.paths = append(d.paths, p)
		}
	}
	if c.Main != "" && !slices.Contains(d.files, c.Main) {
		sources = append(sources, sourceOf(syntax.LanguageOf(c.Main), c.OriginalCode))
	}
	for _, f := range c.Frames {
		d.declared[normal(lastPart(f.Function))] = f.Function != ""
	}
	d.relate(sources)
	return d
}

func (d *changes) where() string {
	const most = 3
	if len(d.files) > most {
		return strings.Join(d.files[:most], ", ") + " and others"
	}
	return strings.Join(d.files, ", ")
}

func sourceOf(language syntax.Language, text string) *source {
	return &source{lines: strings.Split(text, "\n"), changed: map[int]bool{}, symbols: units(syntax.Parse(language, text).Outline(), nil)}
}

// unitKinds are the kinds of symbols that claims name as places.
var unitKinds = []string{"class", "interface", "struct", "type", "enum", "namespace", "function", "method", "test"}

// units are the functions and types of an outline, those in others too.
func units(list, to []syntax.Symbol) []syntax.Symbol {
	for _, s := range list {
		if slices.Contains(unitKinds, s.Kind) {
			to = append(to, s)
		}
		to = units(s.Children, to)
	}
	return to
}

// compare marks the lines that differ.
func compare(f File, before, after *source) {
	offset := 0 // from the one text to the other
	for _, e := range udiff.Lines(f.before(), f.after()) {
		from := strings.Count(f.before()[:e.Start], "\n")
		mark(before, from, f.before()[e.Start:e.End])
		mark(after, from+offset, e.New)
		offset += strings.Count(e.New, "\n") - strings.Count(f.before()[e.Start:e.End], "\n")
	}
}

func mark(s *source, from int, text string) {
	for i, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		if strings.TrimSpace(line) != "" {
			s.changed[from+i] = true
		}
	}
}

// given are names that a line defines.
var given = lazyregexp.New(`^\s*(?:(?:export|const|let|var|self\.|this\.)\s*)*([A-Za-z_$][\w$]*)\s*(?::[^=()]*)?:?=(?:[^=>]|$)|\b(?:def|class|func|function|const|let|var|type|interface|enum)\s+([A-Za-z_$][\w$]*)`)

// relate fills in what has to do with the changes.
func (d *changes) relate(sources []*source) {
	reach := map[string]bool{} // names through which a change has an effect elsewhere
	for _, s := range sources {
		for _, u := range s.symbols {
			d.declared[normal(u.Name)] = true
		}
		d.near(s, reach)
	}
	for _, file := range d.files {
		for _, name := range identifier.FindAllString(strings.TrimSuffix(file, path.Ext(file)), -1) {
			d.named[normal(name)] = true
			d.parts(name)
		}
	}
	d.spread(mentionedIn(sources), reach)
}

// spread follows names to the functions and types that mention them, and those to what mentions these.
func (d *changes) spread(mentioned map[string][]string, reach map[string]bool) {
	next := slices.Collect(maps.Keys(reach))
	for len(next) > 0 {
		name := next[len(next)-1]
		next = next[:len(next)-1]
		for _, by := range mentioned[name] {
			d.related[by] = true
			if !reach[by] {
				reach[by] = true
				next = append(next, by)
			}
		}
	}
}

// mentionedIn returns the functions and types that mention each name.
func mentionedIn(sources []*source) map[string][]string {
	in := map[string][]string{}
	for _, s := range sources {
		for line, text := range s.lines {
			for _, u := range s.around(line) {
				by := normal(u.Name)
				for _, name := range identifier.FindAllString(text, -1) {
					if n := normal(name); len(in[n]) == 0 || in[n][len(in[n])-1] != by {
						in[n] = append(in[n], by)
					}
				}
			}
		}
	}
	return in
}

// around are the symbols that hold a line, the outer ones first: symbols are in the order of their lines.
func (s *source) around(line int) (found []syntax.Symbol) {
	if s.holding == nil {
		s.holding = make([][]syntax.Symbol, len(s.lines))
		for _, u := range s.symbols {
			for i := max(u.StartLine, 0); i <= u.EndLine && i < len(s.lines); i++ {
				if len(s.holding[i]) < maxNested {
					s.holding[i] = append(s.holding[i], u)
				}
			}
		}
	}
	return s.holding[line]
}

// near notes what is on changed lines and around them.
func (d *changes) near(s *source, reach map[string]bool) {
	inner := map[[2]int]bool{} // the lines of the functions and types that have changed
	types := map[[2]int]bool{} // those of types around changes
	for line := range s.changed {
		if line >= len(s.lines) {
			continue
		}
		text, around := s.lines[line], s.around(line)
		d.note(text)
		for _, m := range given.FindAllStringSubmatch(text, -1) {
			reach[normal(m[1]+m[2])] = true
		}
		for _, u := range around {
			reach[normal(u.Name)] = true
			d.note(u.Name)
			d.parts(u.Name)
			types[[2]int{u.StartLine, u.EndLine}] = u.Kind != "function" && u.Kind != "method" && u.Kind != "test"
		}
		if len(around) > 0 {
			u := around[len(around)-1]
			inner[[2]int{max(u.StartLine, 0), min(u.EndLine+1, len(s.lines))}] = true
			continue
		}
		for _, name := range identifier.FindAllString(text, -1) { // what a module does has to do with all that it mentions
			if !keywords[name] {
				reach[normal(name)] = true
			}
		}
	}
	for _, u := range s.symbols { // methods of one type share what it holds
		for lines, is := range types {
			if is && lines[0] <= u.StartLine && u.EndLine <= lines[1] {
				d.note(u.Name)
			}
		}
	}
	for lines := range inner {
		for _, text := range s.lines[lines[0]:lines[1]] {
			d.note(text)
		}
	}
}

// note notes the names in a text.
func (d *changes) note(text string) {
	for _, name := range identifier.FindAllString(text, -1) {
		d.related[normal(name)] = true
	}
}

// parts notes the words that a name is made of.
func (d *changes) parts(name string) {
	for _, w := range subword.FindAllString(name, -1) {
		d.words[strings.ToLower(w)] = true
	}
}

// differ notes the words of changed lines that are new or gone.
func (d *changes) differ(before, after *source) {
	was, is := before.changedWords(), after.changedWords()
	for w := range was {
		d.words[w] = d.words[w] || !is[w]
	}
	for w := range is {
		d.words[w] = d.words[w] || !was[w]
	}
}

func (s *source) changedWords() map[string]bool {
	found := map[string]bool{}
	for line := range s.changed {
		if line < len(s.lines) {
			for _, w := range subword.FindAllString(s.lines[line], -1) {
				found[strings.ToLower(w)] = true
			}
		}
	}
	return found
}
