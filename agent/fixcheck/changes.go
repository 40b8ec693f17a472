package fixcheck

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"caselsp/agent/syntax"

	"github.com/aymanbagabas/go-udiff"
)

// maxCompared bounds the bytes of the files that a claim is compared with: more is not a fix that a person describes.
const maxCompared = 2 << 20

// changes is what has changed since a failure, and what has to do with it.
type changes struct {
	files    []string        // that have changed
	paths    []string        // of the others
	related  map[string]bool // names on changed lines, around them, and of what mentions them
	words    map[string]bool // parts of names on changed lines and around them
	declared map[string]bool // names of functions and types in the changed files and in the one that failed
}

// source is one text of a file.
type source struct {
	lines   []string
	changed map[int]bool // by line, from 0
	symbols []syntax.Symbol
}

// changesOf reads the changes of a claim; nil where they cannot be read: something that is not code has changed, which can
// have to do with anything.
func changesOf(c Claim) *changes {
	d := &changes{related: map[string]bool{}, words: map[string]bool{}, declared: map[string]bool{}}
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
var given = regexp.MustCompile(`([A-Za-z_$][\w$]*)\s*(?::[^=()]*)?:?=(?:[^=>]|$)|\b(?:def|class|func|function|const|let|var|type|interface|enum)\s+([A-Za-z_$][\w$]*)`)

// relate fills in what has to do with the changes.
func (d *changes) relate(sources []*source) {
	reach := map[string]bool{} // names through which a change has an effect elsewhere
	for _, s := range sources {
		for _, u := range s.symbols {
			d.declared[normal(u.Name)] = true
		}
		for line := range s.changed {
			d.near(s, line, reach)
		}
	}
	for _, file := range d.files {
		d.note(strings.TrimSuffix(file, path.Ext(file)))
	}
	for grows := true; grows; {
		grows = false
		for _, s := range sources {
			for _, u := range s.symbols {
				if name := normal(u.Name); !reach[name] && s.mentions(u, reach) {
					reach[name], d.related[name], grows = true, true, true
				}
			}
		}
	}
}

// near notes what is on a changed line and around it.
func (d *changes) near(s *source, line int, reach map[string]bool) {
	if line >= len(s.lines) {
		return
	}
	text := s.lines[line]
	d.note(text)
	for _, m := range given.FindAllStringSubmatch(text, -1) {
		reach[normal(m[1]+m[2])] = true
	}
	inner := syntax.Symbol{StartLine: -1}
	for _, u := range s.symbols {
		if u.StartLine <= line && line <= u.EndLine {
			reach[normal(u.Name)] = true
			d.note(u.Name)
			if u.StartLine >= inner.StartLine {
				inner = u
			}
		}
	}
	if inner.StartLine < 0 { // what a module does has to do with all that it mentions
		for _, name := range identifier.FindAllString(text, -1) {
			if !keywords[name] {
				reach[normal(name)] = true
			}
		}
		return
	}
	for _, text := range s.of(inner) {
		for _, name := range identifier.FindAllString(text, -1) {
			d.related[normal(name)] = true
		}
	}
}

// note notes the names in a text.
func (d *changes) note(text string) {
	for _, name := range identifier.FindAllString(text, -1) {
		d.related[normal(name)] = true
		for _, w := range subword.FindAllString(name, -1) {
			d.words[strings.ToLower(w)] = true
		}
	}
}

// of are the lines of a symbol.
func (s *source) of(u syntax.Symbol) []string {
	return s.lines[min(max(u.StartLine, 0), len(s.lines)):min(u.EndLine+1, len(s.lines))]
}

func (s *source) mentions(u syntax.Symbol, names map[string]bool) bool {
	for _, text := range s.of(u) {
		for _, name := range identifier.FindAllString(text, -1) {
			if names[normal(name)] {
				return true
			}
		}
	}
	return false
}
