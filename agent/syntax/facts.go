package syntax

import (
	"cmp"
	"path"
	"slices"
	"strings"
	"unicode/utf16"
)

// Facts are what a file declares and uses: what a map of many files is made of. They
// hold no part of the text.
type Facts struct {
	Language Language      `json:"language"` // TSX is TypeScript here
	Imports  []string      `json:"imports"`  // names as they are written, each once
	Symbols  []Declaration `json:"symbols"`  // in order; members follow what they belong to
	Uses     []Use         `json:"-"`        // sorted by name
	Marks    []Mark        `json:"-"`        // in the order of the text

	bytes int // of their texts
}

// Declaration is a symbol of an outline, without its members. Its name is the last part
// of one such as Server.Close or ns::f, by which others use it.
type Declaration struct {
	Name      string `json:"name"`
	Kind      string `json:"kind"` // as Symbol.Kind, but no import
	Signature string `json:"signature"`
	Doc       string `json:"doc"`
	Range     Range  `json:"range"`
}

// Range is a place in a text as the Language Server Protocol has it.
type Range struct {
	Start Place `json:"start"`
	End   Place `json:"end"`
}

// Place is a position by its line and its UTF-16 code units, both 0-based.
type Place struct {
	Line      int `json:"line"`
	Character int `json:"character"`
}

// Use says how often a name stands in a text beside where it is declared: a name
// of code, or that of a file, such as page.html, in a string.
type Use struct {
	Name  string
	Count int
}

// maxFactDepth bounds the nesting of what is declared in a map: a function in a
// function of a method is nobody's way to find a file.
const maxFactDepth = 6

// FactsOf returns the facts of a file; nil where it is in no language that has an
// outline, or holds data (JSON) or prose.
func FactsOf(file, text string) *Facts {
	if !Outlined(file) {
		return nil
	}
	return factsIn(OutlineLanguageOf(file), text)
}

// HeadingsOf returns the headings of a file of prose as facts. It returns nil for other files and for
// prose without headings.
func HeadingsOf(file, text string) *Facts {
	if lang := OutlineLanguageOf(file); isProse(lang) {
		if f := factsIn(lang, text); len(f.Symbols) > 0 {
			return f
		}
	}
	return nil
}

func factsIn(lang Language, text string) *Facts {
	t := Parse(lang, text)
	f := &Facts{Language: lang, Imports: []string{}, Symbols: []Declaration{}}
	if lang == TSX {
		f.Language = TypeScript
	}
	f.add(t, t.Outline(), 0)
	f.Uses = t.uses(f.Symbols)
	f.Marks = t.marks()
	return DecodeFacts(f.Encode()) // which holds no part of the text, and all strings in one piece
}

// Outlined reports whether a file can have facts, by its path.
func Outlined(file string) bool {
	lang := OutlineLanguageOf(file)
	return lang != Unknown && lang != JSON && lang != JSONC && !isProse(lang)
}

// add takes in symbols of an outline.
func (f *Facts) add(t *Tree, symbols []Symbol, depth int) {
	for _, s := range symbols {
		if s.Kind == "import" {
			if !slices.Contains(f.Imports, s.Name) {
				f.Imports = append(f.Imports, s.Name)
			}
			continue
		}
		start, end := t.Extent(s)
		f.Symbols = append(f.Symbols, Declaration{
			Name: s.Plain(), Kind: s.Kind, Signature: s.Signature, Doc: s.Doc, Range: Range{t.place(start), t.place(end)},
		})
		if depth < maxFactDepth {
			f.add(t, s.Children, depth+1)
		}
	}
}

// place is a position in UTF-16 code units.
func (t *Tree) place(p Position) Place {
	units := 0
	for _, r := range t.text[p.Offset-p.Byte : p.Offset] {
		units += utf16.RuneLen(r)
	}
	return Place{p.Line, units}
}

// Plain is a symbol's name without what it belongs to, and without what a template of C++ is specialised for.
func (s Symbol) Plain() string {
	switch s.Kind {
	case "class", "struct", "interface", "function", "method":
		return lastPart(s.Name, ".:")
	case "namespace", "variable", "field":
		return lastPart(s.Name, ":")
	}
	return s.Name
}

// lastPart is the part of a name behind the last of the separators that stands in no template's
// arguments: of ns::Table<a::Key>::find it is find, of Table<a::Key> Table, and operator< is one part.
func lastPart(name, separators string) string {
	depth, start, end := 0, 0, len(name)
	for i := 0; i < len(name); i++ {
		switch c := name[i]; {
		case depth == 0 && i == start && strings.HasPrefix(name[i:], "operator") && (i+8 == len(name) || !isWordByte(name[i+8])):
			return name[i:]
		case c == '<' && i > start && isWordByte(name[i-1]) || c == '<' && depth > 0:
			if depth++; depth == 1 {
				end = i
			}
		case c == '>' && depth > 0:
			depth--
		case depth == 0 && i+1 < len(name) && strings.IndexByte(separators, c) >= 0:
			start, end = i+1, len(name)
		}
	}
	return name[start:end]
}

// nameKinds are the nodes beside identifiers that are names, and stringKinds those of strings
// that may name a file.
var (
	nameKinds   = nameSet("constant name class_name id_name tag_name")
	stringKinds = nameSet("string string_literal interpreted_string_literal attribute_value")
)

// usage says what a kind of nodes is to uses.
type usage byte

const (
	usesNothing usage = iota
	usesName
	usesFile
)

func usageOf(kind string) usage {
	switch {
	case strings.HasSuffix(kind, "identifier") || nameKinds[kind]:
		return usesName
	case stringKinds[kind]:
		return usesFile
	}
	return usesNothing
}

// maxUses bounds the names that are kept of one text: longer lists are those of tables.
const maxUses = 2000

// uses counts the names in a text, without their declarations.
func (t *Tree) uses(declared []Declaration) []Use {
	count := map[string]int{}
	tree, body := t.nodes(), t.body()
	for i := range tree.list {
		n := &tree.list[i]
		switch tree.grammar.usages[n.symbol] {
		case usesName:
			if name := body[n.start:n.end]; len(name) > 1 && len(name) <= maxSignature && !strings.ContainsAny(name, " \n.:") {
				count[name]++
			}
		case usesFile:
			if name := path.Base(strings.Trim(body[n.start:n.end], "\"'`")); fileLike(name) {
				count[name]++
			}
		}
	}
	for _, tag := range t.templateStrings() {
		if name := path.Base(tag); fileLike(name) {
			count[name]++
		}
	}
	for _, d := range declared {
		count[d.Name]--
	}
	uses := make([]Use, 0, len(count))
	for name, n := range count {
		if n > 0 {
			uses = append(uses, Use{name, n})
		}
	}
	if len(uses) > maxUses {
		slices.SortFunc(uses, func(a, b Use) int { return cmp.Or(b.Count-a.Count, strings.Compare(a.Name, b.Name)) })
		uses = uses[:maxUses]
	}
	slices.SortFunc(uses, func(a, b Use) int { return strings.Compare(a.Name, b.Name) })
	return uses
}

// templateStrings are the arguments of a template's tags that name other templates.
func (t *Tree) templateStrings() (list []string) {
	if t.lang != HTML {
		return nil
	}
	for _, tag := range t.tags().tags {
		if tag.name == "extends" || tag.name == "include" || tag.name == "static" {
			first, _, _ := strings.Cut(strings.TrimSpace(tag.args), " ")
			list = append(list, strings.Trim(first, `"'`))
		}
	}
	return list
}

// fileLike reports whether the last part of a string looks like the name of a file.
func fileLike(name string) bool {
	ext := path.Ext(name)
	return len(ext) > 1 && len(ext) <= 6 && len(name) > len(ext) && len(name) <= 100 && !strings.ContainsAny(name, " \t\n(){}<>%\"'")
}

// Size estimates the bytes that the facts take in memory.
func (f *Facts) Size() int {
	const own, declaration, name, use, mark = 200, 96, 16, 24, 160
	return own + f.bytes + declaration*len(f.Symbols) + name*len(f.Imports) + use*len(f.Uses) + mark*len(f.Marks)
}
