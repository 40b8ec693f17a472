package validate

import (
	"slices"
	"strings"
	"sync"

	"caselsp/agent/dom"
	"caselsp/agent/ecma"
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

	generated func() bool // written by a program, not edited by people
	reader    func() *dom.Access
	speech    func() Dialect
	tags      func() []TemplateTag
	needles   func() Needle
	secrets   func() bool // it may hold secrets
	test      func() bool // it is a test
	origin    func() Origin
	kinds     func() map[string]bool

	readings sync.Map // what rules read of it: of each *Reading its func() T
}

// Reading is something that rules read of a file: each file is read once, when
// it is first asked for. Make one as a package's variable.
type Reading[T any] struct{ read func(*File) T }

// NewReading returns a reading that is made by a function.
func NewReading[T any](read func(*File) T) *Reading[T] { return &Reading[T]{read} }

// Of returns what was read of a file. It is safe for concurrent use.
func (r *Reading[T]) Of(f *File) T {
	v, ok := f.readings.Load(r)
	if !ok {
		v, _ = f.readings.LoadOrStore(r, sync.OnceValue(func() T { return r.read(f) }))
	}
	return v.(func() T)()
}

// Kept is a [Reading] that outlives the file's tree, see [Rule].
type Kept interface{ keep(from, to *File) }

func (r *Reading[T]) keep(from, to *File) {
	v := r.Of(from)
	to.readings.Store(r, func() T { return v })
}

// Style is a style sheet of a file: the file itself, a style element or a style
// attribute.
type Style struct {
	*dom.Sheet
	Owner *dom.Node // the element; nil of a file
	Attr  *dom.Attr // of a style attribute
}

// Code is a program in a file: the file itself, a script element or an event
// handler such as onclick.
type Code struct {
	*ecma.Program
	Owner *dom.Node // the element that holds it; nil of a file
	Attr  *dom.Attr // the attribute of an event handler; nil of any other program
}

// NewFile makes a file; nothing is parsed yet.
func NewFile(path, text string) *File {
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
	f.reader = sync.OnceValue(f.readAccess)
	f.speech = sync.OnceValue(f.readDialect)
	f.tags = sync.OnceValue(f.readTags)
	f.needles = sync.OnceValue(func() Needle { return needles().in(text) })
	f.secrets = sync.OnceValue(func() bool { return mayHoldSecrets(path) && !machineText(text) })
	f.test = sync.OnceValue(func() bool { return testFile(path) })
	f.origin = sync.OnceValue(f.readOrigin)
	f.kinds = sync.OnceValue(f.readKinds)
	return f
}

// rested returns the file as it was before anything was read of it, but for its
// template tags and what is kept for rules that ask about other files: those run
// again when the others change, and need no tree for it.
func (f *File) rested(kept []Kept) *File {
	r := NewFile(f.Path, f.Text)
	tags := f.tags()
	r.tags = func() []TemplateTag { return tags }
	for _, k := range kept {
		k.keep(f, r)
	}
	return r
}

// Access returns the page's view for assistive technology; the page must not be nil.
func (f *File) Access() *dom.Access { return f.reader() }

func (f *File) readAccess() *dom.Access {
	var sheets []*dom.Sheet
	inline := map[*dom.Node]*dom.Sheet{}
	for _, s := range f.Styles() {
		if s.Attr != nil {
			inline[s.Owner] = s.Sheet
		} else {
			sheets = append(sheets, s.Sheet)
		}
	}
	return dom.NewAccess(f.Page(), sheets, inline, f.scriptWords)
}

// scriptWords returns what the strings of the page's scripts say, and the words
// in them: an element whose id is among them may be filled by a script.
func (f *File) scriptWords() map[string]bool {
	words := map[string]bool{}
	for _, c := range f.Code() {
		for _, n := range c.Nodes("string", "template_string", "property_identifier", "identifier") {
			for _, w := range strings.FieldsFunc(n.Text(), func(r rune) bool {
				return r != '-' && r != '_' && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z') && r < 0x80
			}) {
				words[w] = true
			}
		}
	}
	return words
}

// Page returns the page as a tree; nil if the file is not a page.
func (f *File) Page() *dom.Document { return f.page() }

// MayHoldSecrets reports whether what looks like a secret in the file could be one:
// people wrote the file, and it is no test.
func (f *File) MayHoldSecrets() bool { return f.secrets() && !f.test() }

// MayHoldKeys is MayHoldSecrets for what has the exact format of a service's key,
// which tests can leak as well.
func (f *File) MayHoldKeys() bool { return f.secrets() }

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
	module := false
	if owner != nil {
		kind, _ := owner.Get("type")
		module = strings.EqualFold(strings.TrimSpace(kind), "module")
	}
	return &Code{ecma.NewProgram(lang, tree, base, owner != nil, module), owner, attr}
}

// inlineCode finds the scripts of a page.
func (f *File) inlineCode() []*Code {
	page := f.Page()
	if page == nil {
		return nil
	}
	var list []*Code
	for _, n := range page.Elements() {
		if n.Name == "script" && n.CloseStart > n.OpenEnd && dom.IsJavaScript(n) {
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
