package js

import (
	"strings"

	"caselsp/agent/ecma"
	"caselsp/agent/syntax"
	"caselsp/agent/validate"
)

// classRules are about classes, getters, setters and generators.
var classRules = validate.Authored([]validate.Rule{{
	ID: "js-getter-return", Title: "Getter without a return value", Severity: validate.Warning, Category: validate.Scripts,
	Aliases: validate.Aliases{validate.ESLint: {"getter-return"}, validate.Biome: {"useGetterReturn"}},
	Doc:     "Reading the property gives undefined, always or on some paths. Getters that only throw pass.",
	File:    "app.js", Bad: "class A { get size() { this.items.length; } }\n", Good: "class A { get size() { return this.items.length; } get b() { throw new Error(\"none\"); } }\n",
	Check: validate.EachScript(func(p *validate.Pass, c *validate.Code) {
		for _, f := range accessors(c, "get") {
			body := f.Child("statement_block")
			e := c.Flows().Bodies[body]
			name := accessorName(f)
			if body.IsZero() || !e.Next && !e.Bare || probed[strings.Trim(name.Text(), `"'`)] {
				continue
			}
			if e.Value {
				reportAt(p, c, name, "This getter returns nothing on some paths: reading it gives undefined.")
			} else {
				reportAt(p, c, name, "This getter returns nothing: reading it gives undefined.")
			}
		}
	}),
}, {
	ID: "js-setter-return", Title: "Setter that returns a value", Severity: validate.Warning, Category: validate.Scripts,
	Aliases: validate.Aliases{validate.ESLint: {"no-setter-return"}, validate.Biome: {"noSetterReturn"}},
	Doc:     "The value is ignored: an assignment has the value of its right side.",
	File:    "app.js", Bad: "class A { set size(n) { this.n = n; return this; } }\n", Good: "class A { set size(n) { if (n < 0) return; this.n = n; } }\n",
	Check: validate.EachScript(func(p *validate.Pass, c *validate.Code) {
		for _, f := range accessors(c, "set") {
			body := f.Child("statement_block")
			if body.IsZero() && ecma.Is(f, "arrow_function") {
				if value := ecma.Bare(ecma.Part(f, -1)); !ecma.Is(value, "assignment_expression", "call_expression", "augmented_assignment_expression", "update_expression") {
					reportAt(p, c, ecma.Part(f, -1), "The return value of a setter is ignored: write a block.")
				}
				continue
			}
			for _, x := range ecma.OwnNodes(body) {
				if ecma.Is(x, "return_statement") && !ecma.Part(x, 0).IsZero() {
					reportAt(p, c, x, "The return value of a setter is ignored: remove it.")
				}
			}
		}
	}),
}, {
	ID: "js-missing-super", Title: "Missing or repeated super() call in a derived constructor", Severity: validate.Warning, Category: validate.Scripts,
	Aliases: validate.Aliases{validate.ESLint: {"constructor-super", "no-this-before-super"}, validate.Biome: {"noInvalidConstructorSuper"}},
	Doc: "Before `super()` there is no `this`. If it is not called on every path through the constructor, if it is called twice, or if `this` is used before it, creating an " +
		"object throws a ReferenceError.",
	File: "app.js", Bad: "class B extends A { constructor() { this.x = 1; } }\n", Good: "class B extends A { constructor() { super(); this.x = 1; } }\n",
	Check: validate.EachScript(checkConstructors),
}, {
	ID: "js-unused-private", Title: "Unused private class member", Severity: validate.Warning, Category: validate.Scripts,
	Aliases: validate.Aliases{validate.ESLint: {"no-unused-private-class-members"}, validate.Biome: {"noUnusedPrivateClassMembers"}},
	Doc:     "A member whose name begins with `#` is invisible outside its class, and nothing inside reads it: delete it.",
	File:    "app.js", Bad: "class A {\n  #count = 0;\n  add() { this.#count += 1; }\n}\n", Good: "class A {\n  #count = 0;\n  add() { return ++this.#count; }\n}\n",
	Check: validate.ScriptNodes(checkPrivate, "class_body"),
}, {
	ID: "js-require-yield", Title: "Generator without yield", Severity: validate.Warning, Category: validate.Scripts,
	Aliases: validate.Aliases{validate.ESLint: {"require-yield"}, validate.Biome: {"useYield"}},
	Doc:     "Its iterator is done at once. Leave the `*` out, or yield. Empty generators pass.",
	File:    "app.js", Bad: "function* ids() { return [1, 2]; }\n", Good: "function* ids() { yield 1; yield 2; }\n",
	Check: validate.ScriptNodes(func(p *validate.Pass, c *validate.Code, n syntax.Node) {
		body := n.Child("statement_block")
		if body.IsZero() || len(ecma.Parts(body)) == 0 || !ecma.HasKeyword(n, "*") {
			return
		}
		for _, x := range ecma.OwnNodes(body) {
			if ecma.Is(x, "yield_expression") {
				return
			}
		}
		start, _ := c.Span(n)
		end, _ := c.Span(body)
		p.Report(start, end, "This generator yields nothing: leave the * out.")
	}, "generator_function", "generator_function_declaration", "method_definition"),
}})

// probed are the options by whose getters scripts find out whether a browser reads them.
var probed = syntax.WordSet("passive once capture signal")

// accessors returns the getters or setters of a program: of classes and
// objects, and those in descriptors that are given to Object.defineProperty and its like.
func accessors(c *validate.Code, kind string) []syntax.Node {
	var list []syntax.Node
	for _, n := range c.Nodes("method_definition") {
		if ecma.HasKeyword(n, kind) || ecma.Part(n, 0).Text() == kind && ecma.Is(n.Parent(), "object") && isDescriptor(c, n.Parent()) {
			list = append(list, n)
		}
	}
	for _, n := range c.Nodes("pair") {
		if f := ecma.Part(n, 1); strings.Trim(ecma.Part(n, 0).Text(), `"'`) == kind && ecma.Is(f, "arrow_function", "function", "function_expression") && isDescriptor(c, n.Parent()) {
			list = append(list, f)
		}
	}
	return list
}

// accessorName is what a finding about an accessor points at.
func accessorName(f syntax.Node) syntax.Node {
	if ecma.Is(f, "method_definition") {
		for _, x := range ecma.Parts(f) {
			if ecma.Is(x, "property_identifier", "private_property_identifier", "string", "number", "computed_property_name") {
				return x
			}
		}
	}
	if by := f.Parent(); ecma.Is(by, "pair") {
		return ecma.Part(by, 0)
	}
	return f
}

// isDescriptor reports whether an object says how a property is defined.
func isDescriptor(c *validate.Code, object syntax.Node) bool {
	s := c.Scopes()
	if args := object.Parent(); ecma.Is(args, "arguments") {
		on, name := ecma.Method(args.Parent())
		return name == "defineProperty" && s.Global(on, "Object", "Reflect") && ecma.Part(args, 2) == object
	}
	outer := object.Parent().Parent()
	if args := outer.Parent(); ecma.Is(object.Parent(), "pair") && ecma.Is(args, "arguments") {
		on, name := ecma.Method(args.Parent())
		return (name == "defineProperties" || name == "create") && s.Global(on, "Object") && ecma.Part(args, 1) == outer
	}
	return false
}

// derived reports whether a class extends another one; in TypeScript, implementing is no extending.
func derived(class syntax.Node) bool {
	h := class.Child("class_heritage")
	return !h.IsZero() && strings.HasPrefix(h.Text(), "extends") && strings.TrimSpace(strings.TrimPrefix(h.Text(), "extends")) != "null"
}

func checkConstructors(p *validate.Pass, c *validate.Code) {
	for _, n := range c.Nodes("method_definition") {
		name, body := ecma.Part(n, 0), n.Child("statement_block")
		if !ecma.Is(name, "property_identifier") || name.Text() != "constructor" || body.IsZero() || ecma.HasKeyword(n, "static") || !derived(n.Parent().Parent()) {
			continue
		}
		w := &superWalk{}
		end := w.node(body, superState{}, 0)
		for _, x := range w.early {
			reportAt(p, c, x, "Before super() there is no this: this throws.")
		}
		for _, x := range w.twice {
			reportAt(p, c, x, "super() was already called: calling it twice throws.")
		}
		if w.left {
			end = end.join(w.exits)
		}
		if len(w.early) == 0 && !end.dead && !end.all && !w.unsure {
			if end.some {
				reportAt(p, c, name, "Call super() on every path through the constructor: without it, creating an object throws.")
			} else {
				reportAt(p, c, name, "Call super() first: without it, creating an object throws.")
			}
		}
	}
}

// superState says whether super() was called on the ways to a place.
type superState struct {
	all, some bool
	dead      bool // no way leads here
}

func (a superState) join(b superState) superState {
	switch {
	case a.dead:
		return b
	case b.dead:
		return a
	}
	return superState{all: a.all && b.all, some: a.some || b.some}
}

// superWalk follows the calls of super through a constructor.
type superWalk struct {
	early, twice []syntax.Node
	exits        superState // at return without a value
	left         bool       // exits is set
	unsure       bool       // a function inside calls super
	breaks       superState
	broke        bool
}

func (w *superWalk) node(n syntax.Node, s superState, depth int) superState {
	if n.IsZero() || depth > ecma.MaxDepth {
		return s
	}
	branch := func(n syntax.Node, s superState) superState { return w.node(n, s, depth+1) }
	switch n.Kind() {
	case "this":
		w.use(n, s)
		return s
	case "super":
		if !ecma.Is(n.Parent(), "call_expression") {
			w.use(n, s)
		}
		return s
	case "call_expression":
		return w.call(n, s, depth)
	case "if_statement", "ternary_expression":
		s = branch(ecma.Part(n, 0), s)
		other := ecma.Part(n, 2)
		if ecma.Is(other, "else_clause") {
			other = ecma.Part(other, -1)
		}
		return branch(ecma.Part(n, 1), s).join(branch(other, s))
	case "binary_expression":
		s = branch(ecma.Part(n, 0), s)
		right := branch(ecma.Part(n, 1), s)
		if op := ecma.Operator(n); op == "&&" || op == "||" || op == "??" {
			return s.join(right)
		}
		return right
	case "while_statement", "for_statement", "for_in_statement":
		return s.join(w.each(n, s, depth)).join(w.broken())
	case "switch_statement":
		return w.cases(n, s, depth)
	case "try_statement":
		return w.try(n, s, depth)
	case "return_statement", "throw_statement":
		s = w.each(n, s, depth)
		if ecma.Is(n, "return_statement") && ecma.Part(n, 0).IsZero() && !s.dead {
			if w.left {
				s = s.join(w.exits)
			}
			w.exits, w.left = s, true
		}
		return superState{dead: true}
	case "break_statement", "continue_statement":
		if w.broke {
			s = s.join(w.breaks)
		}
		w.breaks, w.broke = s, true
		return superState{dead: true}
	}
	if ecma.Is(n, ecma.FunctionKinds...) || ecma.Is(n, "class_body") {
		for x := range n.Walk() {
			w.unsure = w.unsure || ecma.Is(x, "super") && ecma.Is(x.Parent(), "call_expression")
		}
		return s
	}
	return w.each(n, s, depth)
}

func (w *superWalk) call(n syntax.Node, s superState, depth int) superState {
	s = w.each(n, s, depth)
	if !ecma.Is(ecma.Part(n, 0), "super") {
		return s
	}
	if s.all && !s.dead {
		w.twice = append(w.twice, n)
	}
	return superState{all: true, some: true, dead: s.dead}
}

// cases follows a switch: each case begins where the head or the case above ends.
func (w *superWalk) cases(n syntax.Node, s superState, depth int) superState {
	s = w.node(ecma.Part(n, 0), s, depth+1)
	before, whole := s, false
	s.dead = true
	for _, x := range ecma.Parts(ecma.Part(n, -1)) {
		whole = whole || ecma.Is(x, "switch_default")
		s = w.each(x, before.join(s), depth+1)
	}
	if !whole {
		s = s.join(before)
	}
	return s.join(w.broken())
}

func (w *superWalk) try(n syntax.Node, s superState, depth int) superState {
	after := w.node(ecma.Part(n, 0), s, depth+1)
	if caught := n.Child("catch_clause"); !caught.IsZero() {
		between := s
		between.some = s.some || after.some
		after = after.join(w.node(caught, between, depth+1))
	}
	if last := n.Child("finally_clause"); !last.IsZero() {
		end := w.node(last, superState{all: s.all, some: s.some || after.some}, depth+1)
		if after.dead || end.dead {
			return superState{dead: true}
		}
		after.all, after.some = after.all || end.all, after.some || end.some
	}
	return after
}

func (w *superWalk) each(n syntax.Node, s superState, depth int) superState {
	for x := range n.Children() {
		if x.Named() {
			s = w.node(x, s, depth+1)
		}
	}
	return s
}

func (w *superWalk) use(n syntax.Node, s superState) {
	if !s.all && !s.dead && !w.unsure {
		w.early = append(w.early, n)
	}
}

// broken takes what break and continue carried out of a loop.
func (w *superWalk) broken() superState {
	s := w.breaks
	s.dead = !w.broke
	w.breaks, w.broke = superState{}, false
	return s
}

// checkPrivate looks at the members of a class whose names begin with #.
func checkPrivate(p *validate.Pass, c *validate.Code, n syntax.Node) {
	type member struct {
		name           syntax.Node
		used, accessor bool
	}
	var order []string
	members := map[string]*member{}
	for _, x := range ecma.Parts(n) {
		for y := range x.Children() {
			if !ecma.Is(y, "private_property_identifier") || !ecma.Is(x, "field_definition", "public_field_definition", "method_definition") {
				continue
			}
			if members[y.Text()] == nil {
				members[y.Text()] = &member{name: y}
				order = append(order, y.Text())
			}
			members[y.Text()].accessor = ecma.HasKeyword(x, "get") || ecma.HasKeyword(x, "set")
			break
		}
	}
	if len(order) == 0 {
		return
	}
	for x := range n.Walk() {
		if !ecma.Is(x, "private_property_identifier") {
			continue
		}
		if m := members[x.Text()]; m != nil && x != m.name && !ecma.Is(x.Parent(), "field_definition", "public_field_definition", "method_definition") {
			m.used = m.used || m.accessor || !onlyWritten(x.Parent())
		}
	}
	for _, name := range order {
		if m := members[name]; !m.used {
			reportAt(p, c, m.name, "Nothing in the class reads %s, and nothing outside can: delete it.", name)
		}
	}
}

// onlyWritten reports whether a member expression is only given a value.
func onlyWritten(n syntax.Node) bool {
	if !ecma.Is(n, "member_expression") {
		return false
	}
	for x, by := n, n.Parent(); !by.IsZero(); x, by = by, by.Parent() {
		switch by.Kind() {
		case "assignment_expression":
			return ecma.Part(by, 0) == x
		case "augmented_assignment_expression":
			return ecma.Part(by, 0) == x && dropped(by)
		case "update_expression":
			return dropped(by)
		case "for_in_statement", "assignment_pattern", "object_assignment_pattern":
			return ecma.Part(by, 0) == x
		case "parenthesized_expression", "array_pattern", "object_pattern", "rest_pattern":
		case "pair_pattern":
			if ecma.Part(by, -1) != x {
				return false
			}
		default:
			return false
		}
	}
	return false
}
