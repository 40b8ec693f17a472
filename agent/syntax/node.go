package syntax

import (
	"bytes"
	"iter"
	"slices"
	"strings"
	"sync"
)

// nodes is a tree in document order: a node's children follow it.
type nodes struct {
	tree    *Tree
	grammar *grammar
	list    []node
	byKind  func() kindIndex
}

// Node is a node of a tree-sitter tree, named by the language's grammar. The
// zero Node is no node: it has no kind, no text and no children. Trees of HTML are those of the text with its template
// tags blanked.
type Node struct {
	of    *nodes
	index int32
}

// Root returns the tree's root; no node where the language has no grammar
// (JSON) or where the text was not parsed.
func (t *Tree) Root() Node {
	n := t.nodes()
	if len(n.list) == 0 {
		return Node{}
	}
	return Node{n, 0}
}

// IsZero reports whether n is no node.
func (n Node) IsZero() bool { return n.of == nil }

func (n Node) node() node {
	if n.of == nil {
		return node{}
	}
	return n.of.list[n.index]
}

// Kind returns the grammar's name of the node, such as "call" or "(";
// "ERROR" for what could not be parsed.
func (n Node) Kind() string {
	if n.of == nil {
		return ""
	}
	return n.of.grammar.names[n.of.list[n.index].symbol]
}

// Named reports whether the node is more than a keyword or a punctuation mark.
func (n Node) Named() bool { return n.node().named }

// Missing reports whether the parser made the node up, to go on after a mistake.
func (n Node) Missing() bool { return n.node().missing }

// Start returns the place of the node's first byte.
func (n Node) Start() Position { return n.at(n.node().start) }

// End returns the place after the node's last byte.
func (n Node) End() Position { return n.at(n.node().end) }

func (n Node) at(offset uint32) Position {
	if n.of == nil {
		return Position{}
	}
	return n.of.tree.at(int(offset))
}

// Offsets returns the places of the node's first byte and of the one after its
// last, as Start and End do, without finding their lines.
func (n Node) Offsets() (start, end int) {
	if n.of == nil {
		return 0, 0
	}
	x, shift := &n.of.list[n.index], len(n.of.tree.text)-len(n.of.tree.body())
	return int(x.start) + shift, int(x.end) + shift
}

// Text returns the source of the node.
func (n Node) Text() string {
	if n.of == nil {
		return ""
	}
	return n.of.tree.body()[n.node().start:n.node().end]
}

// Parent returns the node that holds n; no node for the root.
func (n Node) Parent() Node {
	if n.of == nil || n.index == 0 {
		return Node{}
	}
	return Node{n.of, n.node().parent}
}

// Children yields the nodes that n holds, unnamed ones too, in order.
func (n Node) Children() iter.Seq[Node] {
	return func(yield func(Node) bool) {
		for i, end := n.index+1, n.node().next; i < end; i = n.of.list[i].next {
			if !yield(Node{n.of, i}) {
				return
			}
		}
	}
}

// Walk yields n and every node below it, in document order.
func (n Node) Walk() iter.Seq[Node] {
	return func(yield func(Node) bool) {
		for i, end := n.index, n.node().next; i < end; i++ {
			if !yield(Node{n.of, i}) {
				return
			}
		}
	}
}

// Child returns the first child of one of the kinds; no node if there is none.
func (n Node) Child(kinds ...string) Node {
	for c := range n.Children() {
		for _, k := range kinds {
			if c.Kind() == k {
				return c
			}
		}
	}
	return Node{}
}

// kindIndex says where the nodes of each kind are.
type kindIndex struct {
	from []int32 // by symbol: its first index in list; the last is the list's length
	list []Node
}

// Nodes returns the nodes of a kind, in document order. The slice is shared: do
// not change it.
func (t *Tree) Nodes(kind string) []Node {
	n := t.nodes()
	if len(n.list) == 0 {
		return nil
	}
	s, ok := n.grammar.symbols[kind]
	if !ok {
		return nil
	}
	index := n.byKind()
	return slices.Clip(index.list[index.from[s]:index.from[s+1]])
}

// Kinds adds the kinds of all nodes to a set.
func (t *Tree) Kinds(set map[string]bool) {
	n := t.nodes()
	if len(n.list) == 0 {
		return
	}
	index := n.byKind()
	for s, name := range n.grammar.names {
		if index.from[s] < index.from[s+1] {
			set[name] = true
		}
	}
}

// index sorts the nodes by kind.
func (n *nodes) index() kindIndex {
	x := kindIndex{make([]int32, len(n.grammar.names)+1), make([]Node, len(n.list))}
	for i := range n.list {
		x.from[n.list[i].symbol+1]++
	}
	for s := range n.grammar.names {
		x.from[s+1] += x.from[s]
	}
	at := slices.Clone(x.from)
	for i := range n.list {
		s := n.list[i].symbol
		x.list[at[s]] = Node{n, int32(i)}
		at[s]++
	}
	return x
}

// grow parses the body with tree-sitter.
func (t *Tree) grow() *nodes {
	n := &nodes{tree: t}
	if of := grammars[t.lang]; of != nil {
		n.grammar = of()
		n.list = n.grammar.parse(t.plain())
	}
	n.byKind = sync.OnceValue(n.index)
	return n
}

// plain is the body as tree-sitter can read it, with the same offsets: without
// template tags and macros that hide declarations, and with no line end or NUL that its scanners stumble over.
func (t *Tree) plain() string {
	text := t.body()
	if t.lang == HTML {
		text = t.tags().masked
	}
	macros, glued := t.cFamily(), t.lang == CSS && strings.Contains(text, "/*")
	if !macros && !glued && strings.IndexByte(text, '\r') < 0 && strings.IndexByte(text, 0) < 0 {
		return text
	}
	b := []byte(text)
	switch {
	case macros:
		blankMacros(b)
	case glued:
		blankGlued(b, t.commentSpans())
	}
	for i, c := range b {
		if c == '\r' && (i+1 == len(b) || b[i+1] != '\n') {
			b[i] = '\n'
		} else if c == 0 {
			b[i] = ' '
		}
	}
	return string(b)
}

// blankGlued overwrites the comments within a declaration or a selector of CSS, to whose scanner Arial/* or like it */ is
// one word. Those that stand between rules and declarations stay.
func blankGlued(text []byte, comments []span) {
	kept := 0 // the end of the last one that stays
	for _, c := range comments {
		before := bytes.TrimRight(text[:c.start], " \t\r\n\f")
		if len(before) == kept || bytes.IndexByte([]byte(";{}"), before[len(before)-1]) >= 0 {
			kept = c.end
			continue
		}
		overwrite(text[c.start:c.end], ' ')
	}
}

// depth bounds how deep a recursive parser gets into the text: the deepest
// node, and for what could not be parsed one level for each of its parts.
func (n *nodes) depth() int {
	deepest := int32(0)
	depths := make([]int32, len(n.list))
	for i, x := range n.list {
		if x.parent >= 0 {
			depths[i] = depths[x.parent] + 1
		}
		d := depths[i]
		if n.isError(x) {
			for range (Node{n, int32(i)}).Children() {
				d++
			}
		}
		deepest = max(deepest, d)
	}
	return int(deepest)
}

func (n *nodes) isError(x node) bool { return n.grammar.names[x.symbol] == "ERROR" }

// faults are the nodes that tree-sitter could not place, for texts that the
// exact parser cannot be trusted with.
func (n *nodes) faults() []fault {
	var faults []fault
	for i := int32(0); int(i) < len(n.list); i++ {
		switch x := n.list[i]; {
		case x.missing:
			faults = append(faults, fault{"missing " + n.grammar.names[x.symbol], int(x.start), int(x.start)})
		case n.isError(x):
			faults = append(faults, fault{"this does not parse", int(x.start), int(x.end)})
			i = x.next - 1
		}
	}
	return faults
}
