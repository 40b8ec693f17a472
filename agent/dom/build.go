package dom

import (
	"html"
	"slices"
	"strings"
	"sync"

	"caselsp/agent/syntax"
)

// maxDepth bounds how deep a page nests: people's pages are below 100 levels,
// browsers stop at 512, and rules may recurse.
const maxDepth = 500

// Document is a page as a tree.
type Document struct {
	Root   *Node
	Tree   *syntax.Tree
	Masked string // the text with its template tags overwritten, see [syntax.Tree.Masked]

	elements map[string][]*Node // by name, in document order
	all      []*Node
	tags     []*Node // template tags and outputs
	stray    []*Node
	ids      map[string][]*Node

	attributes func() map[string][]Attributed // by name
}

// Attributed is an attribute with its element.
type Attributed struct {
	Node *Node
	Attr *Attr
}

// Parse builds the tree of an HTML text.
func Parse(tree *syntax.Tree) *Document {
	r := newReader(tree)
	b := &builder{reader: r, gaps: r.sorted(), arms: &armStack{}}
	b.doc = &Document{Tree: tree, Masked: r.masked, elements: map[string][]*Node{}, ids: map[string][]*Node{}}
	b.doc.attributes = sync.OnceValue(b.doc.readAttributes)
	b.doc.Root = &Node{Kind: Root, End: len(r.text)}
	b.stack = []*Node{b.doc.Root}
	b.arms.branch = b.branch
	b.run()
	return b.doc
}

// Elements returns the elements of the names in document order; without a name, all.
func (d *Document) Elements(names ...string) []*Node {
	switch len(names) {
	case 0:
		return d.all
	case 1:
		return d.elements[names[0]]
	}
	var list []*Node
	for _, name := range names {
		list = append(list, d.elements[name]...)
	}
	slices.SortFunc(list, func(a, b *Node) int { return a.Start - b.Start })
	return slices.Compact(list) // a name may be given twice
}

// Attributes returns the attributes of the names, in document order.
func (d *Document) Attributes(names ...string) []Attributed {
	if len(names) == 1 {
		return d.attributes()[names[0]]
	}
	by, used := d.attributes(), 0
	var list []Attributed
	for _, name := range names {
		if more := by[name]; len(more) > 0 {
			list = append(list, more...)
			used++
		}
	}
	if used > 1 {
		slices.SortFunc(list, func(a, b Attributed) int { return a.Attr.Start - b.Attr.Start })
	}
	return slices.Compact(list)
}

func (d *Document) readAttributes() map[string][]Attributed {
	by := map[string][]Attributed{}
	for _, n := range d.all {
		for i := range n.Attrs {
			a := &n.Attrs[i]
			by[a.Name] = append(by[a.Name], Attributed{n, a})
		}
	}
	return by
}

// Templates returns the page's template tags, outputs and comments, in order,
// without those inside of start tags and raw text.
func (d *Document) Templates() []*Node { return d.tags }

// ByID returns the elements whose id is written out and is this one.
func (d *Document) ByID(id string) []*Node { return d.ids[id] }

// Strays returns the end tags that end nothing, as elements without attributes.
func (d *Document) Strays() []*Node { return d.stray }

// armStack follows the branches of a template.
type armStack struct {
	top    *Arm
	branch func(open, next bool) // is told of each block that opens, and each branch after the first; both false: the block ends
}

// step goes into, on in or out of a block; false where the tag is no part of one.
func (s *armStack) step(t syntax.TemplateTag) bool {
	switch {
	case t.Partner >= 0 && !strings.HasPrefix(t.Name, "end"):
		s.top = &Arm{Parent: s.top, Name: t.Name, Block: t.Start}
		s.tell(true, false)
	case t.Partner >= 0:
		if s.top != nil {
			s.top = s.top.Parent
		}
		s.tell(false, false)
	case t.Middle && s.top != nil:
		s.top = &Arm{Parent: s.top.Parent, Name: s.top.Name, Block: s.top.Block, Index: s.top.Index + 1}
		s.tell(false, true)
	default:
		return false
	}
	return true
}

func (s *armStack) tell(open, next bool) {
	if s.branch != nil {
		s.branch(open, next)
	}
}

// builder builds the tree.
type builder struct {
	*reader
	gaps   []syntax.TemplateTag // those that are ahead
	doc    *Document
	stack  []*Node // the open elements
	at     int
	arms   *armStack
	blocks [][]*Node // what was open where each open block began
}

// branch keeps the open elements of a template's branches apart: each begins
// with what was open where its block began, and after the block goes on what its
// last branch left.
func (b *builder) branch(open, next bool) {
	switch {
	case open:
		b.blocks = append(b.blocks, append([]*Node(nil), b.stack...))
	case next && len(b.blocks) > 0:
		for _, n := range b.stack[min(len(b.blocks[len(b.blocks)-1]), len(b.stack)):] {
			n.CloseStart, n.End = b.at, b.at
		}
		b.stack = append([]*Node(nil), b.blocks[len(b.blocks)-1]...)
	case len(b.blocks) > 0:
		b.blocks = b.blocks[:len(b.blocks)-1]
	}
}

func (b *builder) top() *Node { return b.stack[len(b.stack)-1] }

// foreign reports whether what follows is in SVG or MathML.
func (b *builder) foreign() Space {
	top := b.top()
	if top.Kind != Element || top.Space == HTML || top.Space == SVG && (top.Name == "foreignobject" || top.Name == "desc" || top.Name == "title") || top.Name == "annotation-xml" {
		return HTML
	}
	return top.Space
}

func (b *builder) run() {
	for b.at < len(b.text) {
		for len(b.gaps) > 0 && b.gaps[0].End <= b.at {
			b.gaps = b.gaps[1:]
		}
		if len(b.gaps) > 0 && b.gaps[0].Start <= b.at {
			b.template(b.gaps[0])
			continue
		}
		if b.masked[b.at] == '<' && b.markup() {
			continue
		}
		b.words()
	}
	for len(b.stack) > 1 {
		b.pop(len(b.text), len(b.text))
	}
}

func (b *builder) template(g syntax.TemplateTag) {
	n := &Node{Kind: Tag, Name: g.Name, Args: g.Args, Start: g.Start, End: g.End}
	switch g.Kind {
	case '{':
		n.Kind = Output
	case '#':
		n.Kind = Note
	}
	before := b.arms.top
	if g.Controls() {
		b.arms.step(g)
	}
	n.Arm = before
	b.append(n)
	b.doc.tags = append(b.doc.tags, n)
	b.at = g.End
}

func (b *builder) append(n *Node) {
	parent := b.top()
	n.Parent, n.Prev = parent, parent.LastChild
	if parent.LastChild != nil {
		parent.LastChild.Next = n
	} else {
		parent.FirstChild = n
	}
	parent.LastChild = n
}

// words takes characters up to the next markup or template tag.
func (b *builder) words() {
	end := len(b.text)
	if len(b.gaps) > 0 {
		end = b.gaps[0].Start
	}
	if i := strings.IndexByte(b.masked[min(b.at+1, len(b.masked)):end], '<'); i >= 0 {
		end = b.at + 1 + i
	}
	b.characters(b.at, end, true)
	b.at = end
}

func (b *builder) characters(start, end int, decode bool) {
	if start >= end {
		return
	}
	text := b.text[start:end]
	if decode && strings.IndexByte(text, '&') >= 0 {
		text = html.UnescapeString(text)
	}
	if last := b.top().LastChild; last != nil && last.Kind == Text && last.End == start {
		last.Text, last.End = last.Text+text, end
		return
	}
	b.append(&Node{Kind: Text, Text: text, Start: start, End: end, Arm: b.arms.top})
}

// markup reads what begins with the < here; false where it is a character.
func (b *builder) markup() bool {
	rest := b.masked[b.at:]
	switch {
	case strings.HasPrefix(rest, "<!--"):
		end := len(rest)
		if i := strings.Index(rest[4:], "-->"); i >= 0 {
			end = 4 + i + 3
		}
		inside := b.text[b.at+4 : b.at+max(end-3, 4)]
		b.append(&Node{Kind: Comment, Text: inside, Start: b.at, End: b.at + end, Arm: b.arms.top})
		b.jump(b.at + end)
		return true
	case strings.HasPrefix(rest, "<![CDATA[") && b.foreign() != HTML:
		end := len(rest)
		if i := strings.Index(rest, "]]>"); i >= 0 {
			end = i + 3
		}
		b.characters(b.at+9, b.at+max(end-3, 9), false)
		b.at += end
		return true
	case len(rest) > 1 && (rest[1] == '!' || rest[1] == '?'):
		end := len(rest)
		if i := strings.IndexByte(rest, '>'); i >= 0 {
			end = i + 1
		}
		kind := Comment
		if strings.HasPrefix(lower(rest[:min(9, len(rest))]), "<!doctype") {
			kind = Doctype
		}
		b.append(&Node{Kind: kind, Text: b.text[b.at+2 : b.at+max(end-1, 2)], Start: b.at, End: b.at + end, Arm: b.arms.top})
		b.jump(b.at + end)
		return true
	case len(rest) > 2 && rest[1] == '/' && letter(rest[2]):
		b.endTag()
		return true
	case len(rest) > 1 && letter(rest[1]):
		b.startTag()
		return true
	}
	return false
}

// jump goes to a place, through the template tags before it.
func (b *builder) jump(to int) {
	for len(b.gaps) > 0 && b.gaps[0].Start < to {
		if b.gaps[0].Controls() {
			b.arms.step(b.gaps[0])
		}
		b.gaps = b.gaps[1:]
	}
	b.at = to
}

func (b *builder) nameEnd(at int) int {
	for at < len(b.masked) && !blank(b.masked[at]) && b.masked[at] != '>' && b.masked[at] != '/' {
		at++
	}
	return at
}

func (b *builder) endTag() {
	start := b.at
	end := b.nameEnd(start + 2)
	name := b.lower[start+2 : end]
	close := len(b.masked)
	if i := strings.IndexByte(b.masked[end:], '>'); i >= 0 {
		close = end + i + 1
	}
	if !b.close(name, start, close) {
		b.doc.stray = append(b.doc.stray, &Node{Kind: Element, Name: name, Start: start, End: close, OpenEnd: close, CloseStart: close, Arm: b.arms.top, Parent: b.top()})
	}
	b.jump(close)
}

// close ends the innermost open element of a name; false where the end tag
// reaches none.
func (b *builder) close(name string, start, end int) bool {
	for i := len(b.stack) - 1; i > 0; i-- {
		n := b.stack[i]
		if n.Name == name {
			for len(b.stack)-1 > i {
				b.pop(start, start)
			}
			b.pop(start, end)
			return true
		}
		if n.Space != HTML {
			continue
		}
		if scope[n.Name] && !tableParts[name] && name != "body" && name != "html" || n.Name == "template" || special[n.Name] && !special[name] && n.Name != "p" {
			return false
		}
		if n.Name == "table" && tableParts[name] {
			return false // a cell's end tag does not end an outer table's cell
		}
	}
	return false
}

// pop ends the innermost element, whose end tag stands at start and ends at end.
func (b *builder) pop(start, end int) {
	n := b.top()
	n.CloseStart, n.End = start, end
	b.stack = b.stack[:len(b.stack)-1]
}
