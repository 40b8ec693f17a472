package ecma

import (
	"slices"

	"caselsp/agent/syntax"
)

// Ending says in which ways a statement, or a list of them, may end.
type Ending struct {
	Next              bool     // it runs on behind its end
	Value, Bare       bool     // return with and without a value
	throws            bool     // throw
	breaks, continues []string // labels; "" where none is written
}

// Flows is where the statements of a program lead.
type Flows struct {
	Bodies      map[syntax.Node]Ending // of functions' blocks
	Unreachable []syntax.Node          // the first statement of each piece that never runs
	Falls       []syntax.Node          // cases that the one above runs on into
	After       map[syntax.Node]string // what ends the block before an unreachable statement
}

// follow finds out where the statements of a program lead. What may throw is
// not asked: each call may.
func follow(c *Program) *Flows {
	f := &Flows{Bodies: map[syntax.Node]Ending{}, After: map[syntax.Node]string{}}
	root := c.Tree.Root()
	if root.IsZero() {
		return f
	}
	f.list(root, Parts(root), 0)
	for _, n := range c.Nodes(FunctionKinds...) {
		if b := n.Child("statement_block"); !b.IsZero() {
			f.Bodies[b] = f.list(b, Parts(b), 0)
		}
	}
	return f
}

// hoisted are statements that are there before anything runs, or never do anything.
var hoisted = syntax.WordSet(`function_declaration generator_function_declaration function_signature class_declaration empty_statement interface_declaration type_alias_declaration
	import_statement export_statement ambient_declaration enum_declaration internal_module abstract_class_declaration`)

// list follows statements one behind the other.
func (f *Flows) list(block syntax.Node, list []syntax.Node, depth int) Ending {
	all := Ending{Next: true}
	var last syntax.Node
	told := false
	for _, n := range list {
		if !all.Next {
			if !told && !hoisted[n.Kind()] && !(Is(n, "variable_declaration") && !hasValue(n)) {
				told = true
				f.Unreachable = append(f.Unreachable, n)
				f.After[n] = last.Kind()
			}
			f.statement(n, depth+1) // for what is in it
			continue
		}
		e := f.statement(n, depth+1)
		all.add(e)
		all.Next = e.Next
		last = n
	}
	return all
}

func hasValue(n syntax.Node) bool {
	for _, d := range Parts(n) {
		if HasKeyword(d, "=") {
			return true
		}
	}
	return false
}

// add joins what else may happen.
func (e *Ending) add(o Ending) {
	e.Value, e.Bare, e.throws = e.Value || o.Value, e.Bare || o.Bare, e.throws || o.throws
	for _, b := range o.breaks {
		if !slices.Contains(e.breaks, b) {
			e.breaks = append(e.breaks, b)
		}
	}
	for _, c := range o.continues {
		if !slices.Contains(e.continues, c) {
			e.continues = append(e.continues, c)
		}
	}
}

// take removes a label from a list and reports whether it was there.
func take(list *[]string, label string) bool {
	i := slices.Index(*list, label)
	if i >= 0 {
		*list = slices.Delete(slices.Clone(*list), i, i+1)
	}
	return i >= 0
}

func (f *Flows) statement(n syntax.Node, depth int) Ending {
	if depth > MaxDepth {
		return Ending{Next: true}
	}
	switch n.Kind() {
	case "return_statement":
		v := !Part(n, 0).IsZero()
		return Ending{Value: v, Bare: !v}
	case "throw_statement":
		return Ending{throws: true}
	case "break_statement":
		return Ending{breaks: []string{LabelOf(n)}}
	case "continue_statement":
		return Ending{continues: []string{LabelOf(n)}}
	case "statement_block":
		return f.list(n, Parts(n), depth)
	case "if_statement":
		return f.choice(n, depth)
	case "while_statement", "do_statement", "for_statement", "for_in_statement":
		return f.loop(n, depth)
	case "switch_statement":
		return f.cases(n, depth)
	case "labeled_statement":
		e := f.statement(Part(n, -1), depth+1)
		label := n.Child("statement_identifier").Text()
		if take(&e.breaks, label) {
			e.Next = true
		}
		if take(&e.continues, label) {
			e.Next = e.Next || !neverEnds(Part(n, -1))
		}
		return e
	case "try_statement":
		return f.try(n, depth)
	case "with_statement":
		return f.statement(Part(n, -1), depth+1)
	}
	return Ending{Next: true}
}

// LabelOf returns the label of a labeled statement, or that a break or continue
// names; "" where there is none.
func LabelOf(n syntax.Node) string {
	if l := n.Child("statement_identifier"); !l.IsZero() {
		return l.Text()
	}
	return ""
}

func (f *Flows) choice(n syntax.Node, depth int) Ending {
	other := n.Child("else_clause")
	e := f.statement(Part(n, 1), depth+1)
	if other.IsZero() {
		e.Next = true
		return e
	}
	o := f.statement(Part(other, -1), depth+1)
	e.add(o)
	e.Next = e.Next || o.Next
	return e
}

// neverEnds reports whether the head of a loop never ends it.
func neverEnds(n syntax.Node) bool {
	var test syntax.Node
	switch n.Kind() {
	case "while_statement":
		test = Bare(Part(n, 0))
	case "do_statement":
		test = Bare(Part(n, -1))
	case "for_statement":
		list := Parts(n)
		if len(list) < 3 {
			return false
		}
		if test = list[1]; Is(test, "empty_statement") {
			return true
		}
		test = Bare(Part(test, 0))
	default:
		return false
	}
	return Is(test, "true") || Is(test, "number") && TruthOf(test) == Yes
}

func (f *Flows) loop(n syntax.Node, depth int) Ending {
	body := Part(n, -1)
	if Is(n, "do_statement") {
		body = Part(n, 0)
	}
	e := f.statement(body, depth+1)
	again := take(&e.continues, "")
	stops := take(&e.breaks, "")
	forever := neverEnds(n)
	switch {
	case Is(n, "do_statement"):
		e.Next = stops || !forever && (e.Next || again || len(e.continues) > 0)
	default:
		e.Next = stops || !forever
	}
	return e
}

func (f *Flows) cases(n syntax.Node, depth int) Ending {
	var all Ending
	all.Next = true // into the first case
	whole, into := false, false
	list := Parts(Part(n, -1))
	for i, x := range list {
		body := Parts(x)
		if Is(x, "switch_case") && len(body) > 0 {
			body = body[1:]
		} else {
			whole = true
		}
		if into {
			f.Falls = append(f.Falls, x)
		}
		e := f.list(x, body, depth)
		all.add(e)
		all.Next = e.Next
		into = e.Next && len(body) > 0 && i+1 < len(list)
	}
	all.Next = all.Next || take(&all.breaks, "") || !whole
	take(&all.breaks, "")
	return all
}

func (f *Flows) try(n syntax.Node, depth int) Ending {
	list := Parts(n)
	e := f.statement(Part(n, 0), depth+1)
	for _, x := range list {
		switch x.Kind() {
		case "catch_clause":
			o := f.statement(x.Child("statement_block"), depth+1)
			e.throws = false
			e.add(o)
			e.Next = e.Next || o.Next && len(Parts(list[0])) > 0
		case "finally_clause":
			o := f.statement(x.Child("statement_block"), depth+1)
			if !o.Next {
				return o
			}
			e.add(o)
		}
	}
	return e
}

// Truth is what an expression is in a condition, where the source says.
type Truth uint8

const (
	Unsure Truth = iota // it depends on values that the source does not show
	Yes                 // always true
	No                  // always false
)

func (t Truth) not() Truth {
	switch t {
	case Yes:
		return No
	case No:
		return Yes
	}
	return Unsure
}

func truthOf(ok bool) Truth {
	if ok {
		return Yes
	}
	return No
}
