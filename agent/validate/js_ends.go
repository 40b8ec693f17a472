package validate

import (
	"slices"

	"caselsp/agent/syntax"
)

// ending says in which ways a statement, or a list of them, may end.
type ending struct {
	next              bool     // it runs on behind its end
	value, bare       bool     // return with and without a value
	throws            bool     // throw
	breaks, continues []string // labels; "" where none is written
}

// flows is where the statements of a program lead.
type flows struct {
	bodies      map[syntax.Node]ending // of functions' blocks
	unreachable []syntax.Node          // the first statement of each piece that never runs
	falls       []syntax.Node          // cases that the one above runs on into
	after       map[syntax.Node]string // what ends the block before an unreachable statement
}

// follow finds out where the statements of a program lead. What may throw is
// not asked: each call may.
func follow(c *Code) *flows {
	f := &flows{bodies: map[syntax.Node]ending{}, after: map[syntax.Node]string{}}
	root := c.Tree.Root()
	if root.IsZero() {
		return f
	}
	f.list(root, parts(root), 0)
	for _, n := range c.Nodes(functions...) {
		if b := n.Child("statement_block"); !b.IsZero() {
			f.bodies[b] = f.list(b, parts(b), 0)
		}
	}
	return f
}

// hoisted are statements that are there before anything runs, or never do anything.
var hoisted = words(`function_declaration generator_function_declaration function_signature class_declaration empty_statement interface_declaration type_alias_declaration
	import_statement export_statement ambient_declaration enum_declaration internal_module abstract_class_declaration`)

// list follows statements one behind the other.
func (f *flows) list(block syntax.Node, list []syntax.Node, depth int) ending {
	all := ending{next: true}
	var last syntax.Node
	told := false
	for _, n := range list {
		if !all.next {
			if !told && !hoisted[n.Kind()] && !(is(n, "variable_declaration") && !hasValue(n)) {
				told = true
				f.unreachable = append(f.unreachable, n)
				f.after[n] = last.Kind()
			}
			f.statement(n, depth+1) // for what is in it
			continue
		}
		e := f.statement(n, depth+1)
		all.add(e)
		all.next = e.next
		last = n
	}
	return all
}

func hasValue(n syntax.Node) bool {
	for _, d := range parts(n) {
		if word(d, "=") {
			return true
		}
	}
	return false
}

// add joins what else may happen.
func (e *ending) add(o ending) {
	e.value, e.bare, e.throws = e.value || o.value, e.bare || o.bare, e.throws || o.throws
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

func (f *flows) statement(n syntax.Node, depth int) ending {
	if depth > deepest {
		return ending{next: true}
	}
	switch n.Kind() {
	case "return_statement":
		v := !part(n, 0).IsZero()
		return ending{value: v, bare: !v}
	case "throw_statement":
		return ending{throws: true}
	case "break_statement":
		return ending{breaks: []string{labelOf(n)}}
	case "continue_statement":
		return ending{continues: []string{labelOf(n)}}
	case "statement_block":
		return f.list(n, parts(n), depth)
	case "if_statement":
		return f.choice(n, depth)
	case "while_statement", "do_statement", "for_statement", "for_in_statement":
		return f.loop(n, depth)
	case "switch_statement":
		return f.cases(n, depth)
	case "labeled_statement":
		e := f.statement(part(n, -1), depth+1)
		label := n.Child("statement_identifier").Text()
		if take(&e.breaks, label) {
			e.next = true
		}
		if take(&e.continues, label) {
			e.next = e.next || !neverEnds(part(n, -1))
		}
		return e
	case "try_statement":
		return f.try(n, depth)
	case "with_statement":
		return f.statement(part(n, -1), depth+1)
	}
	return ending{next: true}
}

func labelOf(n syntax.Node) string {
	if l := n.Child("statement_identifier"); !l.IsZero() {
		return l.Text()
	}
	return ""
}

func (f *flows) choice(n syntax.Node, depth int) ending {
	other := n.Child("else_clause")
	e := f.statement(part(n, 1), depth+1)
	if other.IsZero() {
		e.next = true
		return e
	}
	o := f.statement(part(other, -1), depth+1)
	e.add(o)
	e.next = e.next || o.next
	return e
}

// neverEnds reports whether the head of a loop never ends it.
func neverEnds(n syntax.Node) bool {
	var test syntax.Node
	switch n.Kind() {
	case "while_statement":
		test = bare(part(n, 0))
	case "do_statement":
		test = bare(part(n, -1))
	case "for_statement":
		list := parts(n)
		if len(list) < 3 {
			return false
		}
		if test = list[1]; is(test, "empty_statement") {
			return true
		}
		test = bare(part(test, 0))
	default:
		return false
	}
	return is(test, "true") || is(test, "number") && truth(test) == yes
}

func (f *flows) loop(n syntax.Node, depth int) ending {
	body := part(n, -1)
	if is(n, "do_statement") {
		body = part(n, 0)
	}
	e := f.statement(body, depth+1)
	again := take(&e.continues, "")
	stops := take(&e.breaks, "")
	forever := neverEnds(n)
	switch {
	case is(n, "do_statement"):
		e.next = stops || !forever && (e.next || again || len(e.continues) > 0)
	default:
		e.next = stops || !forever
	}
	return e
}

func (f *flows) cases(n syntax.Node, depth int) ending {
	var all ending
	all.next = true // into the first case
	whole, into := false, false
	list := parts(part(n, -1))
	for i, x := range list {
		body := parts(x)
		if is(x, "switch_case") && len(body) > 0 {
			body = body[1:]
		} else {
			whole = true
		}
		if into {
			f.falls = append(f.falls, x)
		}
		e := f.list(x, body, depth)
		all.add(e)
		all.next = e.next
		into = e.next && len(body) > 0 && i+1 < len(list)
	}
	all.next = all.next || take(&all.breaks, "") || !whole
	take(&all.breaks, "")
	return all
}

func (f *flows) try(n syntax.Node, depth int) ending {
	list := parts(n)
	e := f.statement(part(n, 0), depth+1)
	for _, x := range list {
		switch x.Kind() {
		case "catch_clause":
			o := f.statement(x.Child("statement_block"), depth+1)
			e.throws = false
			e.add(o)
			e.next = e.next || o.next && len(parts(list[0])) > 0
		case "finally_clause":
			o := f.statement(x.Child("statement_block"), depth+1)
			if !o.next {
				return o
			}
			e.add(o)
		}
	}
	return e
}

// truth is what an expression is in a condition, where the source says.
type truthValue uint8

const (
	unsure truthValue = iota
	yes
	no
)

func (t truthValue) not() truthValue {
	switch t {
	case yes:
		return no
	case no:
		return yes
	}
	return unsure
}

func truthOf(ok bool) truthValue {
	if ok {
		return yes
	}
	return no
}
