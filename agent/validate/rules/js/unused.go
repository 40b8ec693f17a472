package js

import (
	"slices"
	"strings"

	"caselsp/agent/ecma"
	"caselsp/agent/syntax"
	"caselsp/agent/validate"
)

// unusedSkip are names that JSX uses without naming them.
var unusedSkip = syntax.WordSet("React h Fragment jsx jsxs preact Component createElement")

func checkUnused(p *validate.Pass, c *validate.Code) {
	s := c.Scopes()
	if s.Dynamic || c.Attr != nil || strings.HasSuffix(p.Path, ".d.ts") {
		return
	}
	for _, at := range s.All {
		if at == s.Top && !s.Module {
			continue // other scripts of the page may use it
		}
		for _, v := range at.Vars {
			if v.Exported || strings.HasPrefix(v.Name, "_") || s.Jsx && unusedSkip[v.Name] || used(v) {
				continue
			}
			what := unusedKind(v.Defs[0])
			if what == "" || saysUsed(c, v.Name) {
				continue
			}
			if slices.ContainsFunc(v.Refs, func(r *ecma.Reference) bool { return !r.Init }) {
				reportAt(p, c, v.Defs[0].Name, "The %s %s is written but never read: delete it, or check whether its name is misspelt elsewhere.", what, v.Name)
			} else {
				reportAt(p, c, v.Defs[0].Name, "Unused %s %s: delete it, or check whether its name is misspelt elsewhere.", what, v.Name)
			}
		}
	}
}

// unusedKind says what a definition defines, "" where it may well be unused.
func unusedKind(d ecma.Definition) string {
	switch d.Kind {
	case "import", "function", "class":
		return d.Kind
	case "var", "let", "const":
		if ecma.Is(d.By, "for_in_statement") && !ecma.Is(d.Name.Parent(), "object_pattern") {
			return "" // it takes one to loop
		}
		for x := d.Name; x != d.By; x = x.Parent() {
			if by := x.Parent(); ecma.Is(by, "array_pattern") && ecma.Part(by, -1) != x || ecma.Is(by, "object_pattern") && !by.Child("rest_pattern").IsZero() && !ecma.Is(x, "rest_pattern") {
				return ""
			}
		}
		return "variable"
	}
	return ""
}

// used reports whether anything reads a variable other than to write itself.
func used(v *ecma.Variable) bool {
	for _, r := range v.Refs {
		loop := ecma.Is(r.By, "for_in_statement") && !r.Init // a way to ask whether there is anything to loop over
		if loop || r.Read && !selfish(r) && !inOwnFunction(v, r) {
			return true
		}
	}
	return false
}

// selfish reports whether a reference is read only to give the variable its
// next value: n++, n += 1, n = n + 1.
func selfish(r *ecma.Reference) bool {
	if r.Write {
		return dropped(r.By)
	}
	for x := r.Name.Parent(); !x.IsZero(); x = x.Parent() {
		if ecma.Is(x, ecma.FunctionKinds...) || ecma.Is(x, "class_body") {
			return false
		}
		if ecma.Is(x, "assignment_expression", "augmented_assignment_expression") {
			left := ecma.Bare(ecma.Part(x, 0))
			return ecma.Is(left, "identifier") && left.Text() == r.Name.Text() && dropped(x)
		}
		if !x.Named() || ecma.Is(x, "expression_statement", "statement_block", "call_expression", "yield_expression", "await_expression", "new_expression") {
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
			return !ecma.Is(by.Parent(), "for_statement") || ecma.Part(by.Parent(), 1) != by
		case "for_statement":
			return ecma.Part(by, 1) != n
		case "parenthesized_expression":
			if ecma.Is(by.Parent(), "if_statement", "while_statement", "do_statement", "switch_statement") {
				return false
			}
		case "sequence_expression":
			if ecma.Part(by, -1) != n {
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
func inOwnFunction(v *ecma.Variable, r *ecma.Reference) bool {
	for _, d := range v.Defs {
		f := d.By
		if d.Kind == "var" || d.Kind == "let" || d.Kind == "const" {
			f = ecma.Part(d.By, -1)
			if !ecma.Is(f, "arrow_function", "function", "function_expression") || ecma.Part(d.By, 0) != d.Name {
				continue
			}
		} else if d.Kind != "function" {
			continue
		}
		if within(r.Name, f) {
			return true
		}
	}
	return false
}

func within(n, outer syntax.Node) bool {
	return n.Start().Offset >= outer.Start().Offset && n.End().Offset <= outer.End().Offset
}

func checkParameters(p *validate.Pass, c *validate.Code) {
	s := c.Scopes()
	if s.Dynamic || c.Attr != nil {
		return
	}
	modern := len(c.Nodes("lexical_declaration", "arrow_function")) > 0 // in old code, catch must name the error
	for _, at := range s.All {
		if at.Kind == ecma.CatchScope && modern && len(at.Vars) == 1 && !used(at.Vars[0]) && ecma.Is(at.Vars[0].Defs[0].Name.Parent(), "catch_clause") {
			checkCaught(p, c, at.Vars[0])
			continue
		}
		if at.Kind != ecma.FunctionScope || !calledHere(s, at.Node) || usesArguments(s, at) {
			continue
		}
		var unused []*ecma.Variable
		for _, v := range at.Vars {
			if v.Defs[0].Kind != "parameter" {
				continue
			}
			if used(v) || strings.HasPrefix(v.Name, "_") || !ecma.Is(v.Defs[0].Name.Parent(), "formal_parameters", "required_parameter", "assignment_pattern") {
				unused = nil
			} else {
				unused = append(unused, v)
			}
		}
		for _, v := range unused {
			reportAt(p, c, v.Defs[0].Name, "Unused parameter %s: delete it, or begin its name with _.", v.Name)
		}
	}
}

func checkCaught(p *validate.Pass, c *validate.Code, v *ecma.Variable) {
	n := v.Defs[0].By
	start, end := c.Span(v.Defs[0].Name)
	if strings.HasPrefix(v.Name, "_") || !p.Written(start, end) || len(ecma.Parts(n.Child("statement_block"))) == 0 {
		return // an empty one has a rule of its own
	}
	from, _ := c.Span(n)
	to, _ := c.Span(n.Child("statement_block"))
	var fix *validate.Fix
	if strings.TrimSpace(p.Text[from+len("catch"):start]) == "(" && strings.TrimSpace(p.Text[end:to]) == ")" {
		fix = &validate.Fix{Title: "Leave the name out", Edits: []validate.Edit{{Start: from + len("catch"), End: to, New: " "}}}
	}
	p.Offer(start, end, fix, "The caught error %s is not used: remove its name.", v.Name)
}

// calledHere reports whether a function is only called from its own file: it
// is declared by a name that is only ever called.
func calledHere(s *ecma.Scopes, f syntax.Node) bool {
	name := syntax.Node{}
	if ecma.Is(f, "function_declaration") {
		name = f.Child("identifier")
	} else if d := f.Parent(); ecma.Is(f, "arrow_function", "function", "function_expression") && ecma.Is(d, "variable_declarator") {
		name = ecma.Part(d, 0)
	}
	if !ecma.Is(name, "identifier") {
		return false
	}
	for _, at := range s.All {
		for _, v := range at.Vars {
			if v.Defs[0].Name != name {
				continue
			}
			called := at != s.Top || s.Module
			if v.Exported || len(v.Defs) > 1 {
				return false
			}
			for _, r := range v.Refs {
				if call := r.Name.Parent(); r.Read && (!ecma.Is(call, "call_expression") || ecma.Part(call, 0) != r.Name) {
					return false
				}
				called = called || r.Read
			}
			return called
		}
	}
	return false
}

func usesArguments(s *ecma.Scopes, at *ecma.Scope) bool {
	for _, r := range s.Free {
		if r.Name.Text() == "arguments" && within(r.Name, at.Node) {
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
func checkDeadStores(p *validate.Pass, c *validate.Code) {
	s := c.Scopes()
	if s.Dynamic || c.Attr != nil {
		return
	}
	for _, at := range s.All {
		if at == s.Top && !s.Module {
			continue
		}
		for _, v := range at.Vars {
			if d := v.Defs[0]; v.Exported || len(v.Defs) > 1 || d.Kind != "let" && d.Kind != "var" || seenInside(v) {
				continue
			}
			for i, r := range v.Refs[:max(len(v.Refs)-1, 0)] {
				next := v.Refs[i+1]
				if overwritten(r, next) && !slices.ContainsFunc(v.Refs, func(x *ecma.Reference) bool { return x.Read && within(x.Name, next.By) }) {
					reportAt(p, c, r.Name, "This value of %s is never read: line %d overwrites it.", v.Name, line(c, p, next.Name))
				}
			}
		}
	}
}

// seenInside reports whether an inner function uses a variable.
func seenInside(v *ecma.Variable) bool {
	home := v.Scope.Function()
	return slices.ContainsFunc(v.Refs, func(r *ecma.Reference) bool { return r.Scope.Function() != home })
}

// overwritten reports whether the value that a reference writes is replaced by the next one.
func overwritten(r, next *ecma.Reference) bool {
	if !r.Write || r.Read || r.Apart || r.Value.IsZero() || !next.Write || next.Read || next.Init || next.Apart {
		return false
	}
	a, b := statementOf(r), statementOf(next)
	if a.IsZero() || b.IsZero() || a == b || a.Parent() != b.Parent() || r.Init && ecma.Is(ecma.Bare(r.Value), plain...) {
		return false
	}
	if !ecma.Enclosing(a, "try_statement").IsZero() {
		return false // what throws in between may be read behind
	}
	behind := false
	for _, x := range ecma.Parts(a.Parent()) {
		if x == b {
			break
		}
		if behind {
			for y := range x.Walk() {
				if ecma.Is(y, "return_statement", "break_statement", "continue_statement", "yield_expression", "switch_case", "throw_statement") {
					return false
				}
			}
		}
		behind = behind || x == a
	}
	return true
}

// statementOf is the statement that does nothing but write: a declaration, or x = …;.
func statementOf(r *ecma.Reference) syntax.Node {
	n := r.By
	switch {
	case ecma.Is(n, "variable_declarator"):
		return n.Parent()
	case ecma.Is(n, "assignment_expression") && ecma.Is(n.Parent(), "expression_statement") && !ecma.Is(n.Parent().Parent(), "for_statement"):
		return n.Parent()
	}
	return syntax.Node{}
}
