package dom

import (
	"iter"
	"strings"

	"caselsp/agent/syntax"
)

// Kind says what a node is.
type Kind uint8

// The kinds of nodes.
const (
	Root    Kind = iota // the document itself
	Element             // with its attributes and content
	Text                // characters, references such as &amp; resolved
	Comment             // <!-- -->
	Doctype             // <!DOCTYPE html>
	Tag                 // a template's {% tag %}
	Output              // a template's {{ output }}, or a piece of PHP, ERB or a similar language
	Note                // a template's {# comment #}
)

// Space is the namespace of an element.
type Space uint8

// The namespaces.
const (
	HTML Space = iota
	SVG
	MathML
)

// Node is a node of a page. Offsets are bytes of the file's text.
type Node struct {
	Kind       Kind
	Space      Space
	Name       string // of an element or a template tag; elements in lower case
	Text       string // of a text, a comment, a doctype; of a raw-text element (script, style, title, textarea) nothing: it has a child
	Args       string // of a template tag, what stands behind its name
	Start, End int    // with content and end tag
	OpenEnd    int    // of an element: where its start tag ends
	CloseStart int    // of an element: where its end tag begins; End where it has none
	Attrs      []Attr
	Opaque     bool // a template may add attributes: {{ attrs }}, {% include %}, v-bind="…"
	SelfClosed bool // the start tag ends in />
	Arm        *Arm // the branch of a template that the node begins in; nil outside of all

	Parent, FirstChild, LastChild, Prev, Next *Node
}

// Arm is one of the branches of a template's block: an {% if %} has one and
// another for each {% else %}.
type Arm struct {
	Parent *Arm   // the branch around the block; nil outside of all
	Name   string // the tag that begins the block, such as if, for, block
	Block  int    // offset of that tag: which block it is
	Index  int    // which of its branches, from 0
}

// Attr is an attribute.
type Attr struct {
	Name                 string // lower case, without a binding's marks: alt for :alt, v-bind:alt and [alt]
	Value                string // references resolved; template tags as they are written
	Start, NameEnd, End  int    // of the whole
	ValueStart, ValueEnd int    // without the quotes; both NameEnd where there is no value
	HasValue             bool   // there is a =
	Quote                byte   // '"', '\'' or 0
	Dynamic              bool   // a template or a script framework writes the value or a part of it
	Arm                  *Arm   // the branch that it stands in, inside of its tag or around it
	Bound                bool   // its value is an expression of a script framework: :alt="…"
	Conditional          bool   // it stands in a branch inside of its tag: it may be missing
	raw                  string // the value as it is written
	gaps                 []syntax.TemplateTag
}

// Exclusive reports whether two branches are never taken together: they are
// different branches of one {% if %}.
func Exclusive(a, b *Arm) bool {
	for x := a; x != nil; x = x.Parent {
		for y := b; y != nil; y = y.Parent {
			if x.Block == y.Block {
				return x.Index != y.Index
			}
		}
	}
	return false
}

// In reports whether a branch lies in a block that a tag of one of the names begins.
func (a *Arm) In(names ...string) bool {
	for ; a != nil; a = a.Parent {
		for _, name := range names {
			if a.Name == name {
				return true
			}
		}
	}
	return false
}

// Is reports whether n is an HTML element of one of the names.
func (n *Node) Is(names ...string) bool {
	if n == nil || n.Kind != Element || n.Space != HTML {
		return false
	}
	for _, name := range names {
		if n.Name == name {
			return true
		}
	}
	return false
}

// Custom reports whether the element is one that scripts or a template language
// define: nobody knows what it shows.
func (n *Node) Custom() bool {
	if n.Kind != Element {
		return false
	}
	for i := range len(n.Name) { // rules ask it of all elements
		if c := n.Name[i]; c == '-' || c == ':' || c == '.' {
			return true
		}
	}
	return n.Name == ""
}

// Attr returns an attribute by its lower-case name; nil where it is not there.
// Of two of one name it is the first, as browsers have it.
func (n *Node) Attr(name string) *Attr {
	for i := range n.Attrs {
		if n.Attrs[i].Name == name {
			return &n.Attrs[i]
		}
	}
	return nil
}

// Get returns the value of an attribute, and whether it is there for sure and
// written out: no template has a hand in it.
func (n *Node) Get(name string) (string, bool) {
	if a := n.Attr(name); a != nil && !a.Dynamic {
		return a.Value, true
	}
	return "", false
}

// May reports whether an attribute is there or may be: a template may add it.
func (n *Node) May(name string) bool { return n.Opaque || n.Attr(name) != nil }

// Children yields the nodes in n.
func (n *Node) Children() iter.Seq[*Node] {
	return func(yield func(*Node) bool) {
		for c := n.FirstChild; c != nil; c = c.Next {
			if !yield(c) {
				return
			}
		}
	}
}

// Elements yields the elements right in n.
func (n *Node) Elements() iter.Seq[*Node] {
	return func(yield func(*Node) bool) {
		for c := n.FirstChild; c != nil; c = c.Next {
			if c.Kind == Element && !yield(c) {
				return
			}
		}
	}
}

// Walk yields n and all nodes below it in document order.
func (n *Node) Walk() iter.Seq[*Node] {
	return func(yield func(*Node) bool) {
		for x := n; x != nil; x = x.after(n, true) {
			if !yield(x) {
				return
			}
		}
	}
}

// after returns the node that follows n in document order within root; with
// inside, its own children count.
func (n *Node) after(root *Node, inside bool) *Node {
	if inside && n.FirstChild != nil {
		return n.FirstChild
	}
	for n != root {
		if n.Next != nil {
			return n.Next
		}
		n = n.Parent
	}
	return nil
}

// Ancestors yields the elements around n, the innermost first.
func (n *Node) Ancestors() iter.Seq[*Node] {
	return func(yield func(*Node) bool) {
		for p := n.Parent; p != nil && p.Kind == Element; p = p.Parent {
			if !yield(p) {
				return
			}
		}
	}
}

// Within returns the innermost HTML element of one of the names that n lies in; nil where there is none.
func (n *Node) Within(names ...string) *Node {
	for p := range n.Ancestors() {
		if p.Is(names...) {
			return p
		}
	}
	return nil
}

// Inert reports whether n lies in a template element: a script may put it
// anywhere, any number of times.
func (n *Node) Inert() bool { return n.Within("template") != nil }

// silent are the template tags that write nothing where they stand; of any
// other the content is unknown.
var silent = set(`if elif elseif else endif for empty endfor with endwith set endset load autoescape endautoescape spaceless endspaceless
	extends import from do ifchanged endifchanged comment endcomment csrf_token endblock endfilter macro endmacro call endcall
	cycle resetcycle debug endcache endtranslate endblocktrans endblocktranslate endtrans plural pluralize endverbatim endraw
	localize endlocalize localtime endlocaltime timezone endtimezone language endlanguage ifequal endifequal ifnotequal endifnotequal filter cache`)

// Unknown reports whether a template writes something here that nobody can know
// from this file: an output, an include, a block that others fill.
func (n *Node) Unknown() bool {
	switch n.Kind {
	case Output:
		return true
	case Tag:
		return !silent[n.Name]
	case Text:
		return strings.Contains(n.Text, "{{") // a script framework's
	}
	return false
}

// writers are the attributes by which script frameworks fill an element.
var writers = set("v-html v-text x-text x-html innerhtml textcontent innertext ng-bind ng-bind-html data-bind dangerouslysetinnerhtml")

// HasUnknown reports whether a template or a script framework writes something below n.
func (n *Node) HasUnknown() bool {
	for x := range n.Walk() {
		if x != n && x.Unknown() {
			return true
		}
		for i := range x.Attrs {
			if writers[x.Attrs[i].Name] {
				return true
			}
		}
	}
	return false
}

// InnerText returns the characters in n, without markup.
func (n *Node) InnerText() string {
	var b strings.Builder
	for x := range n.Walk() {
		if x.Kind == Text {
			b.WriteString(x.Text)
		}
	}
	return b.String()
}

// Word is a blank-separated word of an attribute's value.
type Word struct {
	Text       string
	Start, End int
	Sure       bool // no template tag touches it: it is all of the word
}

// Words returns the words of a value, as of class or aria-labelledby, without
// those that an output is a part of.
func (a *Attr) Words() []Word {
	var words []Word
	if a.Bound {
		return nil
	}
	at, glued := 0, false
	gaps := a.gaps
	for at < len(a.raw) {
		if len(gaps) > 0 && a.ValueStart+at >= gaps[0].Start {
			at, glued = gaps[0].End-a.ValueStart, true
			gaps = gaps[1:]
			continue
		}
		if strings.IndexByte(" \t\r\n\f", a.raw[at]) >= 0 {
			at, glued = at+1, false
			continue
		}
		end := at
		for end < len(a.raw) && strings.IndexByte(" \t\r\n\f", a.raw[end]) < 0 && (len(gaps) == 0 || a.ValueStart+end < gaps[0].Start) {
			end++
		}
		cut := len(gaps) > 0 && a.ValueStart+end == gaps[0].Start
		before := glued && at > 0 && a.raw[at-1] == '}' && !strings.HasSuffix(a.raw[:at], "%}")
		if !before && (!cut || gaps[0].Controls()) {
			words = append(words, Word{a.raw[at:end], a.ValueStart + at, a.ValueStart + end, !glued && !cut})
		}
		at = end
	}
	return words
}

func set(words string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(words) {
		m[w] = true
	}
	return m
}

// HasWord reports whether a value has a word, in any case of its letters.
func (a *Attr) HasWord(word string) bool {
	for _, w := range a.Words() {
		if strings.EqualFold(w.Text, word) {
			return true
		}
	}
	return false
}
