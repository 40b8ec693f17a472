package syntax

import (
	"slices"
	"strings"
)

// Mark is something in a text that frameworks read: a class with bases, a variable that a call
// made, a route, a list of apps. It says what is written there, not what it means: that takes the
// other files of the project, and is package project's.
type Mark struct {
	Kind MarkKind
	Name string // that is declared
	On   string // the variable to which it is added
	// Value is a path, a module, an item of a list, or the name of what is called.
	Value string
	To    string            // the expression that it leads to: a view, what is mounted
	Words []string          // the bases of a class, the methods of a route
	Args  map[string]string // by keyword
	Line  int               // from 1
}

// MarkKind is a kind of mark.
type MarkKind string

// The kinds of marks. Expressions are written as in the text; in scripts, the value of an import is
// "module#name", with the name default for what a module is as a whole.
const (
	MarkImport  MarkKind = "import"  // Name stands for Value
	MarkStar    MarkKind = "star"    // all names of the module Value
	MarkExport  MarkKind = "export"  // Name is To for other modules
	MarkClass   MarkKind = "class"   // Name with the bases Words
	MarkMade    MarkKind = "made"    // Name is what the call of Value returns
	MarkItem    MarkKind = "item"    // of the list On: the string Value, or those of the list To
	MarkSetting MarkKind = "setting" // Name is the string Value
	MarkURL     MarkKind = "url"     // of the list On: the pattern Value leads to the view To, or to the list Args["include"]
	MarkRoute   MarkKind = "route"   // On answers requests of the path Value with To
	MarkMount   MarkKind = "mount"   // On hands those below the path Value to To
	MarkModel   MarkKind = "model"   // the call On declares the model Name
)

const (
	// maxMarks bounds the marks of one text: longer lists are those of tables.
	maxMarks = 2000
	// maxMarked is the longest expression of a mark, in bytes.
	maxMarked = 120
)

// marking collects the marks of a text.
type marking struct {
	t    *Tree
	list []Mark
	used map[string]bool // names that marks refer to: of other imports, none is needed
}

// marks returns what frameworks read from a text.
func (t *Tree) marks() []Mark {
	m := &marking{t: t, used: map[string]bool{}}
	switch {
	case t.Root().IsZero():
		return nil
	case t.lang == Python:
		m.python()
	case t.scripted():
		m.script()
	}
	for _, kind := range []MarkKind{MarkMade, MarkImport} {
		m.list = slices.DeleteFunc(m.list, func(x Mark) bool { return x.Kind == kind && !m.used[x.Name] })
		for _, x := range m.list {
			if x.Kind == kind {
				m.refer(x.Value)
			}
		}
	}
	slices.SortStableFunc(m.list, func(a, b Mark) int { return a.Line - b.Line })
	return m.list
}

// add notes a mark that stands at n.
func (m *marking) add(n Node, x Mark) {
	if len(m.list) >= maxMarks {
		return
	}
	x.Line = n.Start().Line + 1
	m.list = append(m.list, x)
}

// refer says that a mark refers to an expression, and returns it: names with dots.
func (m *marking) refer(expression string) string {
	first, _, _ := strings.Cut(expression, ".")
	m.used[first] = true
	return expression
}

// named are the named children of a node, without comments.
func named(n Node) (list []Node) {
	for c := range n.Children() {
		if c.Named() && c.Kind() != "comment" {
			list = append(list, c)
		}
	}
	return list
}

// firstOf is the first named child; no node if there is none.
func firstOf(n Node) Node {
	if list := named(n); len(list) > 0 {
		return list[0]
	}
	return Node{}
}

// expression is the text of a node as a mark keeps it.
func expression(n Node) string {
	text := oneLine(n.Text())
	if len(text) > maxMarked {
		text = strings.ToValidUTF8(text[:maxMarked], "") + "…"
	}
	return text
}

// dotted is an expression of names and dots, "" for another one.
func dotted(n Node) string {
	switch n.Kind() {
	case "identifier", "dotted_name", "attribute", "member_expression":
	default:
		return ""
	}
	for c := range n.Walk() {
		switch c.Kind() {
		case "identifier", "dotted_name", "attribute", "member_expression", "property_identifier", ".", "this":
		default:
			return ""
		}
	}
	if text := n.Text(); len(text) <= maxMarked && !strings.ContainsAny(text, " \n\t") {
		return text
	}
	return ""
}

// below reports whether a node stands in one of some kinds.
func below(n Node, kinds ...string) bool {
	for p := n.Parent(); !p.IsZero(); p = p.Parent() {
		if slices.Contains(kinds, p.Kind()) {
			return true
		}
	}
	return false
}
