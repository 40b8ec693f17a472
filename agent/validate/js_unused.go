package validate

import (
	"slices"
	"strings"

	"caselsp/agent/syntax"
)

// unusedSkip are names that JSX uses without naming them.
var unusedSkip = words("React h Fragment jsx jsxs preact Component createElement")

func checkUnused(p *Pass, c *Code) {
	s := c.bindings()
	if s.dynamic || c.Attr != nil || strings.HasSuffix(p.Path, ".d.ts") {
		return
	}
	for _, at := range s.all {
		if at == s.top && !s.module {
			continue // other scripts of the page may use it
		}
		for _, v := range at.vars {
			if v.exported || strings.HasPrefix(v.name, "_") || s.jsx && unusedSkip[v.name] || v.used() {
				continue
			}
			what := unusedKind(v.defs[0])
			if what == "" || saysUsed(c, v.name) {
				continue
			}
			if slices.ContainsFunc(v.refs, func(r *reference) bool { return !r.init }) {
				p.name(c, v.defs[0].name, "The %s %s is written and never read: delete it, or find out where its name is misspelt.", what, v.name)
			} else {
				p.name(c, v.defs[0].name, "Nothing uses the %s %s: delete it, or find out where its name is misspelt.", what, v.name)
			}
		}
	}
}

// unusedKind says what a definition defines, "" where it may well be unused.
func unusedKind(d definition) string {
	switch d.kind {
	case "import", "function", "class":
		return d.kind
	case "var", "let", "const":
		if is(d.by, "for_in_statement") && !is(d.name.Parent(), "object_pattern") {
			return "" // it takes one to loop
		}
		for x := d.name; x != d.by; x = x.Parent() {
			if by := x.Parent(); is(by, "array_pattern") && part(by, -1) != x || is(by, "object_pattern") && !by.Child("rest_pattern").IsZero() && !is(x, "rest_pattern") {
				return ""
			}
		}
		return "variable"
	}
	return ""
}

// used reports whether anything reads a variable other than to write itself.
func (v *variable) used() bool {
	for _, r := range v.refs {
		loop := is(r.by, "for_in_statement") && !r.init // a way to ask whether there is anything to loop over
		if loop || r.read && !r.selfish() && !v.inOwnFunction(r) {
			return true
		}
	}
	return false
}

// selfish reports whether a reference is read only to give the variable its
// next value: n++, n += 1, n = n + 1.
func (r *reference) selfish() bool {
	if r.write {
		return dropped(r.by)
	}
	for x := r.name.Parent(); !x.IsZero(); x = x.Parent() {
		if is(x, functions...) || is(x, "class_body") {
			return false
		}
		if is(x, "assignment_expression", "augmented_assignment_expression") {
			left := bare(part(x, 0))
			return is(left, "identifier") && left.Text() == r.name.Text() && dropped(x)
		}
		if !x.Named() || is(x, "expression_statement", "statement_block", "call_expression", "yield_expression", "await_expression", "new_expression") {
			return false
		}
	}
	return false
}

// dropped reports whether nobody takes the value of an expression.
func dropped(n syntax.Node) bool {
	for by := n.Parent(); !by.IsZero(); n, by = by, by.Parent() {
		switch by.Kind() {
		case "expression_statement":
			return !is(by.Parent(), "for_statement") || part(by.Parent(), 1) != by
		case "for_statement":
			return part(by, 1) != n
		case "parenthesized_expression":
			if is(by.Parent(), "if_statement", "while_statement", "do_statement", "switch_statement") {
				return false
			}
		case "sequence_expression":
			if part(by, -1) != n {
				return true
			}
		default:
			return false
		}
	}
	return false
}

// inOwnFunction reports whether a reference lies inside of the function that
// the variable names: a function that only calls itself is never called.
func (v *variable) inOwnFunction(r *reference) bool {
	for _, d := range v.defs {
		f := d.by
		if d.kind == "var" || d.kind == "let" || d.kind == "const" {
			f = part(d.by, -1)
			if !is(f, "arrow_function", "function", "function_expression") || part(d.by, 0) != d.name {
				continue
			}
		} else if d.kind != "function" {
			continue
		}
		if within(r.name, f) {
			return true
		}
	}
	return false
}

func within(n, outer syntax.Node) bool {
	return n.Start().Offset >= outer.Start().Offset && n.End().Offset <= outer.End().Offset
}

func checkParameters(p *Pass, c *Code) {
	s := c.bindings()
	if s.dynamic || c.Attr != nil {
		return
	}
	modern := len(c.Nodes("lexical_declaration", "arrow_function")) > 0 // in old code, catch must name the error
	for _, at := range s.all {
		if at.kind == catchScope && modern && len(at.vars) == 1 && !at.vars[0].used() && is(at.vars[0].defs[0].name.Parent(), "catch_clause") {
			checkCaught(p, c, at.vars[0])
			continue
		}
		if at.kind != functionScope || !calledHere(s, at.node) || usesArguments(s, at) {
			continue
		}
		var unused []*variable
		for _, v := range at.vars {
			if v.defs[0].kind != "parameter" {
				continue
			}
			if v.used() || strings.HasPrefix(v.name, "_") || !is(v.defs[0].name.Parent(), "formal_parameters", "required_parameter", "assignment_pattern") {
				unused = nil
			} else {
				unused = append(unused, v)
			}
		}
		for _, v := range unused {
			p.name(c, v.defs[0].name, "Nothing uses the parameter %s: delete it, or begin its name with _.", v.name)
		}
	}
}

func checkCaught(p *Pass, c *Code, v *variable) {
	n := v.defs[0].by
	start, end := c.Span(v.defs[0].name)
	if strings.HasPrefix(v.name, "_") || !p.written(start, end) || len(parts(n.Child("statement_block"))) == 0 {
		return // an empty one has a rule of its own
	}
	from, _ := c.Span(n)
	to, _ := c.Span(n.Child("statement_block"))
	var fix *Fix
	if strings.TrimSpace(p.Text[from+len("catch"):start]) == "(" && strings.TrimSpace(p.Text[end:to]) == ")" {
		fix = &Fix{"Leave the name out", []Edit{{from + len("catch"), to, " "}}}
	}
	p.Offer(start, end, fix, "Nothing looks at the error %s: leave its name out.", v.name)
}

// calledHere reports whether a function is only called from its own file: it
// is declared by a name that is only ever called.
func calledHere(s *bindings, f syntax.Node) bool {
	name := syntax.Node{}
	if is(f, "function_declaration") {
		name = f.Child("identifier")
	} else if d := f.Parent(); is(f, "arrow_function", "function", "function_expression") && is(d, "variable_declarator") {
		name = part(d, 0)
	}
	if !is(name, "identifier") {
		return false
	}
	for _, at := range s.all {
		for _, v := range at.vars {
			if v.defs[0].name != name {
				continue
			}
			called := at != s.top || s.module
			if v.exported || len(v.defs) > 1 {
				return false
			}
			for _, r := range v.refs {
				if call := r.name.Parent(); r.read && (!is(call, "call_expression") || part(call, 0) != r.name) {
					return false
				}
				called = called || r.read
			}
			return called
		}
	}
	return false
}

func usesArguments(s *bindings, at *scope) bool {
	for _, r := range s.free {
		if r.name.Text() == "arguments" && within(r.name, at.node) {
			return true
		}
	}
	return false
}

// plain are values that a variable is given so that it has one.
var plain = []string{"number", "string", "true", "false", "null", "undefined", "array", "object"}

// checkDeadStores finds values that are overwritten before anybody could read
// them: both assignments stand in one list of statements, nothing between them
// reads the variable or leaves the list, and no inner function sees it.
func checkDeadStores(p *Pass, c *Code) {
	s := c.bindings()
	if s.dynamic || c.Attr != nil {
		return
	}
	for _, at := range s.all {
		if at == s.top && !s.module {
			continue
		}
		for _, v := range at.vars {
			if d := v.defs[0]; v.exported || len(v.defs) > 1 || d.kind != "let" && d.kind != "var" || seenInside(v) {
				continue
			}
			for i, r := range v.refs[:max(len(v.refs)-1, 0)] {
				next := v.refs[i+1]
				if overwritten(r, next) && !slices.ContainsFunc(v.refs, func(x *reference) bool { return x.read && within(x.name, next.by) }) {
					p.name(c, r.name, "Nobody reads this value of %s: line %d gives it another one.", v.name, c.line(p, next.name))
				}
			}
		}
	}
}

// seenInside reports whether an inner function uses a variable.
func seenInside(v *variable) bool {
	home := v.scope.function()
	return slices.ContainsFunc(v.refs, func(r *reference) bool { return r.scope.function() != home })
}

// overwritten reports whether the value that a reference writes is replaced by the next one.
func overwritten(r, next *reference) bool {
	if !r.write || r.read || r.apart || r.value.IsZero() || !next.write || next.read || next.init || next.apart {
		return false
	}
	a, b := statementOf(r), statementOf(next)
	if a.IsZero() || b.IsZero() || a == b || a.Parent() != b.Parent() || r.init && is(bare(r.value), plain...) {
		return false
	}
	if !enclosing(a, "try_statement").IsZero() {
		return false // what throws in between may be read behind
	}
	behind := false
	for _, x := range parts(a.Parent()) {
		if x == b {
			break
		}
		if behind {
			for y := range x.Walk() {
				if is(y, "return_statement", "break_statement", "continue_statement", "yield_expression", "switch_case", "throw_statement") {
					return false
				}
			}
		}
		behind = behind || x == a
	}
	return true
}

// statementOf is the statement that does nothing but write: a declaration, or x = …;.
func statementOf(r *reference) syntax.Node {
	n := r.by
	switch {
	case is(n, "variable_declarator"):
		return n.Parent()
	case is(n, "assignment_expression") && is(n.Parent(), "expression_statement") && !is(n.Parent().Parent(), "for_statement"):
		return n.Parent()
	}
	return syntax.Node{}
}
