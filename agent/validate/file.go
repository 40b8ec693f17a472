package validate

import (
	"slices"
	"strings"
	"sync"

	"caselsp/agent/dom"
	"caselsp/agent/syntax"
)

// File is what a rule sees of a file: its text, parsed once, each part when it
// is first asked for. It is safe for concurrent use.
type File struct {
	Path string // slash-separated, as the finding names it
	Lang syntax.Language
	Text string
	Tree *syntax.Tree

	page   func() *dom.Document
	styles func() []Style
	code   func() []*Code

	generated func() bool // nobody edits it
	reader    func() *access
	speech    func() dialect
	tags      func() []occasion
	mentions  func() mentions
	heritage  func() heritage
	needles   func() needle
	secret    func() bool // it may hold secrets
	test      func() bool // it is a test
	given     func() []underName
	built     func() bool // by a script, of a page
	kinds     func() map[string]bool
}

// Style is a style sheet of a file: the file itself, a style element or a style
// attribute.
type Style struct {
	*dom.Sheet
	Owner *dom.Node // the element; nil of a file
	Attr  *dom.Attr // of a style attribute
}

// Code is a piece of a program: the file itself, a script element or an event
// handler such as onclick.
type Code struct {
	Lang  syntax.Language
	Tree  *syntax.Tree
	Base  int       // where it begins in its file
	Owner *dom.Node // the element; nil of a file
	Attr  *dom.Attr // of an event handler

	sound    func() bool
	names    func() *symbols
	bindings func() *bindings // of JavaScript and TypeScript
	flows    func() *flows

	patterns func() []regexpSource
}

// newFile makes a file; nothing is parsed yet.
func newFile(path, text string) *File {
	f := &File{Path: path, Lang: syntax.LanguageOf(path), Text: text}
	f.Tree = syntax.Parse(f.Lang, text)
	f.page = sync.OnceValue(func() *dom.Document {
		if f.Lang != syntax.HTML || len(text) > syntax.MaxBytes {
			return nil
		}
		return dom.Parse(f.Tree)
	})
	f.styles = sync.OnceValue(f.readStyles)
	f.code = sync.OnceValue(f.readCode)
	f.generated = sync.OnceValue(f.readGenerated)
	f.reader = sync.OnceValue(f.newAccess)
	f.speech = sync.OnceValue(f.readDialect)
	f.tags = sync.OnceValue(f.readTags)
	f.mentions = sync.OnceValue(f.readMentions)
	f.heritage = sync.OnceValue(f.readHeritage)
	f.needles = sync.OnceValue(func() needle { return needles().in(text) })
	f.secret = sync.OnceValue(func() bool { return mayHoldSecrets(path) && !machineText(text) })
	f.test = sync.OnceValue(func() bool { return testFile(path) })
	f.given = sync.OnceValue(f.readGiven)
	f.built = sync.OnceValue(f.readBuilt)
	f.kinds = sync.OnceValue(f.readKinds)
	return f
}

// rested returns the file as it was before anything was read of it, but for what
// rules ask other files about: those run again when the others change, and need
// no tree for it.
func (f *File) rested() *File {
	r := newFile(f.Path, f.Text)
	m, h, tags := f.mentions(), f.heritage(), f.tags()
	r.mentions = func() mentions { return m }
	r.heritage = func() heritage { return h }
	r.tags = func() []occasion { return tags }
	return r
}

// Page returns the page as a tree; nil where the file is none.
func (f *File) Page() *dom.Document { return f.page() }

// Styles returns the style sheets of the file, in order.
func (f *File) Styles() []Style { return f.styles() }

// Code returns the programs of the file in one of the languages, in order;
// without a language, all of them.
func (f *File) Code(langs ...syntax.Language) []*Code {
	all := f.code()
	other := func(c *Code) bool { return len(langs) > 0 && !slices.Contains(langs, c.Lang) }
	if !slices.ContainsFunc(all, other) {
		return all
	}
	return slices.DeleteFunc(slices.Clone(all), other)
}

func (f *File) readStyles() []Style {
	if f.Lang == syntax.CSS {
		if len(f.Text) > syntax.MaxBytes {
			return nil
		}
		return []Style{{Sheet: dom.ParseSheet(f.Text, 0)}}
	}
	page := f.Page()
	if page == nil {
		return nil
	}
	var list []Style
	for _, n := range page.Elements() {
		if n.Is("style") && (n.Attr("type") == nil || strings.EqualFold(n.Attr("type").Value, "text/css") || n.Attr("type").Value == "") {
			list = append(list, Style{Sheet: dom.ParseSheet(page.Masked[n.OpenEnd:n.CloseStart], n.OpenEnd), Owner: n})
		}
		if a := n.Attr("style"); a != nil && !a.Bound {
			list = append(list, Style{Sheet: dom.ParseDecls(page.Masked[a.ValueStart:a.ValueEnd], a.ValueStart), Owner: n, Attr: a})
		}
	}
	return list
}

func (f *File) readCode() []*Code {
	switch f.Lang {
	case syntax.HTML:
		return f.inlineCode()
	case syntax.CSS, syntax.JSON, syntax.JSONC, syntax.Unknown:
		return nil
	}
	return []*Code{newCode(f.Lang, f.Tree, 0, nil, nil)}
}

func newCode(lang syntax.Language, tree *syntax.Tree, base int, owner *dom.Node, attr *dom.Attr) *Code {
	c := &Code{Lang: lang, Tree: tree, Base: base, Owner: owner, Attr: attr}
	c.sound = sync.OnceValue(func() bool { return isSound(c) })
	c.names = sync.OnceValue(func() *symbols { return bind(c) })
	c.bindings = sync.OnceValue(func() *bindings { return bindNames(c) })
	c.patterns = sync.OnceValue(func() []regexpSource { return readPatterns(c) })
	c.flows = sync.OnceValue(func() *flows { return follow(c) })
	return c
}

// inlineCode finds the scripts of a page.
func (f *File) inlineCode() []*Code {
	page := f.Page()
	if page == nil {
		return nil
	}
	var list []*Code
	for _, n := range page.Elements() {
		if n.Name == "script" && n.CloseStart > n.OpenEnd && isJavaScript(n) {
			tree := syntax.Parse(syntax.JavaScript, page.Masked[n.OpenEnd:n.CloseStart])
			list = append(list, newCode(syntax.JavaScript, tree, n.OpenEnd, n, nil))
		}
		for i := range n.Attrs {
			if a := &n.Attrs[i]; strings.HasPrefix(a.Name, "on") && len(a.Name) > 4 && a.ValueEnd > a.ValueStart && !a.Bound {
				tree := syntax.Parse(syntax.JavaScript, page.Masked[a.ValueStart:a.ValueEnd])
				list = append(list, newCode(syntax.JavaScript, tree, a.ValueStart, n, a))
			}
		}
	}
	return list
}

// isJavaScript reports whether the inside of a script element is a program.
func isJavaScript(n *dom.Node) bool {
	a := n.Attr("type")
	if a == nil {
		return true
	}
	kind := strings.ToLower(strings.TrimSpace(a.Value))
	return kind == "" || kind == "module" || strings.HasSuffix(kind, "/javascript") || strings.HasSuffix(kind, "/ecmascript") || kind == "text/babel"
}

// Nodes returns the nodes of one of the kinds, in the order of the kinds, and of
// each in document order.
func (c *Code) Nodes(kinds ...string) []syntax.Node {
	if len(kinds) == 1 {
		return c.Tree.Nodes(kinds[0])
	}
	var list []syntax.Node
	for _, k := range kinds {
		list = append(list, c.Tree.Nodes(k)...)
	}
	return list
}

// Span returns the place of a node in the file.
func (c *Code) Span(n syntax.Node) (start, end int) {
	start, end = n.Offsets()
	return c.Base + start, c.Base + end
}
