package syntax

import (
	"context"
	"iter"
	"strings"
	"time"

	sitter "github.com/smacker/go-tree-sitter"
	"github.com/smacker/go-tree-sitter/css"
	"github.com/smacker/go-tree-sitter/golang"
	"github.com/smacker/go-tree-sitter/html"
	"github.com/smacker/go-tree-sitter/javascript"
	"github.com/smacker/go-tree-sitter/python"
	"github.com/smacker/go-tree-sitter/typescript/tsx"
	"github.com/smacker/go-tree-sitter/typescript/typescript"
)

// growLimit ends a tree-sitter parse of hostile text, on which its error
// recovery can take minutes. A text of MaxBytes takes about two seconds.
const growLimit = 5 * time.Second

// grammar is a tree-sitter language with its symbols' names: reading a name
// through cgo for each node would cost more than parsing.
type grammar struct {
	language *sitter.Language
	names    []string
}

func newGrammar(language *sitter.Language) grammar {
	names := make([]string, language.SymbolCount())
	for i := range names {
		names[i] = language.SymbolName(sitter.Symbol(i))
	}
	return grammar{language, names}
}

// grammars holds what tree-sitter can parse here. It has no grammar of JSON.
// JavaScript's grammar knows JSX, the plain one of TypeScript must not.
var grammars = map[Language]grammar{
	Python:     newGrammar(python.GetLanguage()),
	JavaScript: newGrammar(javascript.GetLanguage()),
	TypeScript: newGrammar(typescript.GetLanguage()),
	TSX:        newGrammar(tsx.GetLanguage()),
	Go:         newGrammar(golang.GetLanguage()),
	HTML:       newGrammar(html.GetLanguage()),
	CSS:        newGrammar(css.GetLanguage()),
}

// nodes is a tree in document order: a node's children follow it. The tree of
// tree-sitter itself is copied and closed at once: its memory is not the
// garbage collector's, and it is not safe for concurrent use.
type nodes struct {
	tree *Tree
	list []node
}

type node struct {
	kind       string
	start, end int // offsets into the body
	parent     int32
	next       int32 // index of the first node after this one's subtree
	depth      int32
	named      bool
	missing    bool
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
func (n Node) Kind() string { return n.node().kind }

// Named reports whether the node is more than a keyword or a punctuation mark.
func (n Node) Named() bool { return n.node().named }

// Missing reports whether the parser made the node up, to go on after a mistake.
func (n Node) Missing() bool { return n.node().missing }

// Start returns the place of the node's first byte.
func (n Node) Start() Position { return n.at(n.node().start) }

// End returns the place after the node's last byte.
func (n Node) End() Position { return n.at(n.node().end) }

func (n Node) at(offset int) Position {
	if n.of == nil {
		return Position{}
	}
	return n.of.tree.at(offset)
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
		for i := n.index + 1; i < n.node().next; i = n.of.list[i].next {
			if !yield(Node{n.of, i}) {
				return
			}
		}
	}
}

// Walk yields n and every node below it, in document order.
func (n Node) Walk() iter.Seq[Node] {
	return func(yield func(Node) bool) {
		for i := n.index; i < n.node().next; i++ {
			if !yield(Node{n.of, i}) {
				return
			}
		}
	}
}

// Child returns the first child of one of the kinds; no node where there is none.
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

// grow parses the body with tree-sitter and copies what it finds.
func (t *Tree) grow() *nodes {
	n := &nodes{tree: t}
	g, ok := grammars[t.lang]
	if !ok {
		return n
	}
	parser := sitter.NewParser()
	defer parser.Close()
	parser.SetLanguage(g.language)
	parser.SetOperationLimit(int(growLimit.Microseconds()))
	tree, err := parser.ParseCtx(context.Background(), nil, []byte(t.plain()))
	if err != nil {
		return n // hostile text: no tree
	}
	defer tree.Close()
	n.copy(tree, g.names)
	return n
}

// plain is the body as tree-sitter can read it, with the same offsets: without
// template tags, and with no line end or NUL that its scanners stumble over.
func (t *Tree) plain() string {
	text := t.body()
	if t.lang == HTML {
		text = t.page().masked
	}
	if !strings.ContainsAny(text, "\r\x00") {
		return text
	}
	b := []byte(text)
	for i, c := range b {
		if c == '\r' && (i+1 == len(b) || b[i+1] != '\n') {
			b[i] = '\n'
		} else if c == 0 {
			b[i] = ' '
		}
	}
	return string(b)
}

// copy walks the tree without recursion: hostile text nests as deep as it is long.
func (n *nodes) copy(tree *sitter.Tree, names []string) {
	cursor := sitter.NewTreeCursor(tree.RootNode())
	defer cursor.Close()
	parent := int32(-1)
	for {
		c := cursor.CurrentNode()
		kind := "ERROR"
		if s := int(c.Symbol()); s < len(names) {
			kind = names[s]
		}
		index := int32(len(n.list))
		depth := int32(0)
		if parent >= 0 {
			depth = n.list[parent].depth + 1
		}
		n.list = append(n.list, node{
			kind: kind, start: int(c.StartByte()), end: int(c.EndByte()), parent: parent,
			depth: depth, named: c.IsNamed(), missing: c.IsMissing(),
		})
		if cursor.GoToFirstChild() {
			parent = index
			continue
		}
		n.list[index].next = index + 1
		for !cursor.GoToNextSibling() {
			if parent < 0 {
				return
			}
			cursor.GoToParent()
			n.list[parent].next = int32(len(n.list))
			parent = n.list[parent].parent
		}
	}
}

// depth bounds how deep a recursive parser gets into the text: the deepest
// node, and for what could not be parsed one level for each of its parts.
func (n *nodes) depth() int {
	deepest := 0
	for i, x := range n.list {
		d := int(x.depth)
		if x.kind == "ERROR" {
			for range (Node{n, int32(i)}).Children() {
				d++
			}
		}
		deepest = max(deepest, d)
	}
	return deepest
}

// faults are the nodes that tree-sitter could not place, for texts that the
// exact parser cannot be trusted with.
func (n *nodes) faults() []fault {
	var faults []fault
	for i := int32(0); int(i) < len(n.list); i++ {
		switch x := n.list[i]; {
		case x.missing:
			faults = append(faults, fault{"missing " + x.kind, x.start, x.start})
		case x.kind == "ERROR":
			faults = append(faults, fault{"this does not parse", x.start, x.end})
			i = x.next - 1
		}
	}
	return faults
}
