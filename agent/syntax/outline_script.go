package syntax

import (
	"slices"
	"strings"
)

// JavaScript declares much of what others use without a declaration: functions that are
// assigned to a property of an exported object, a prototype or this, and those of object literals.

// functions are the kinds of nodes whose value is a function.
var functions = []string{"arrow_function", "function_expression", "function", "generator_function"}

// assigned returns what an assignment of JavaScript declares: a function, a class or an object with
// functions that is given to a plain name or to a property.
func (t *Tree) assigned(n Node, depth int) []Symbol {
	if depth > maxNesting {
		return nil
	}
	var sides []Node
	for c := range n.Children() {
		if c.Named() && c.Kind() != "comment" {
			sides = append(sides, c)
		}
	}
	if len(sides) != 2 {
		return nil
	}
	to, value := sides[0], sides[1]
	if value.Kind() == "assignment_expression" { // exports = module.exports = {}
		return t.assigned(value, depth+1)
	}
	name := to.Text()
	if to.Kind() != "member_expression" || strings.ContainsAny(name, "([{\"'`?\n ") {
		return nil
	}
	s := Symbol{Name: exported(name), Kind: "method", StartLine: n.Start().Line, EndLine: t.lastLine(n)}
	if s.Name != name || strings.HasPrefix(name, "module.") {
		s.Kind = "function"
	}
	if strings.HasSuffix(name, ".prototype") || strings.Contains(name, ".prototype.") || strings.HasPrefix(name, "this.") {
		s.Kind = "method"
	}
	body := Node{}
	switch {
	case slices.Contains(functions, value.Kind()):
		body = value.Child("statement_block")
		s.Children = t.symbolsIn(body, s.Kind, depth+1)
	case value.Kind() == "class":
		s.Kind, body = "class", value.Child("class_body")
		s.Children = t.symbolsIn(body, s.Kind, depth+1)
	case value.Kind() == "object":
		s.Kind, body = "variable", value
		if s.Children = t.properties(value, depth+1); len(s.Children) == 0 {
			return nil // data
		}
	default:
		return nil
	}
	s.Signature, s.Doc = t.signature(n, body), t.documentation(n, body)
	if s.Kind == "variable" {
		s.Signature = strings.TrimRight(s.Signature, "= ")
	}
	s.start, s.end = t.extent(n)
	return []Symbol{s}
}

// exported is the name that others know a property by: of exports.f it is f, and of
// Point.prototype.add it is Point.add.
func exported(name string) string {
	for _, before := range []string{"module.exports.", "exports.", "this."} {
		if rest, ok := strings.CutPrefix(name, before); ok {
			return rest
		}
	}
	return strings.ReplaceAll(name, ".prototype.", ".")
}

// properties returns the functions of an object literal, and the objects in it that have some.
func (t *Tree) properties(object Node, depth int) (symbols []Symbol) {
	if depth > maxNesting {
		return nil
	}
	for c := range object.Children() {
		switch c.Kind() {
		case "method_definition":
			symbols = append(symbols, t.symbols(c, t.table().shapes[c.Kind()], "class", depth)...)
		case "pair":
			symbols = append(symbols, t.property(c, depth)...)
		}
	}
	return symbols
}

// property returns what a property of an object literal declares.
func (t *Tree) property(n Node, depth int) []Symbol {
	name := n.Child("property_identifier", "string", "number", "private_property_identifier")
	if name.IsZero() || name.index != n.index+1 {
		return nil // it is computed, or the string is the value
	}
	s := Symbol{Name: oneLine(plainName(name)), StartLine: n.Start().Line, EndLine: t.lastLine(n)}
	body := Node{}
	if value := n.Child(functions...); !value.IsZero() {
		s.Kind, body = "method", value.Child("statement_block")
		s.Children = t.symbolsIn(body, s.Kind, depth+1)
	} else if body = n.Child("object"); !body.IsZero() {
		if s.Kind, s.Children = "field", t.properties(body, depth+1); len(s.Children) == 0 {
			return nil
		}
	} else {
		return nil
	}
	s.Signature, s.Doc = t.signature(n, body), t.documentation(n, body)
	s.start, s.end = t.extent(n)
	return []Symbol{s}
}

// wrapped returns what a module declares that is written as a function which is called at once, or
// given to define: the scopes of scripts from before modules.
func (t *Tree) wrapped(n Node, depth int) (symbols []Symbol) {
	if depth > maxNesting {
		return nil
	}
	switch n.Kind() {
	case "parenthesized_expression", "unary_expression":
		for c := range n.Children() {
			symbols = append(symbols, t.wrapped(c, depth+1)...)
		}
	case "call_expression":
		callee := n.Child("parenthesized_expression", "member_expression", "identifier", "function_expression", "function")
		if callee.Kind() == "member_expression" { // (function () {}).call(this)
			callee = callee.Child("parenthesized_expression")
		}
		does := callee
		if callee.Kind() == "parenthesized_expression" {
			does = callee.Child(functions...)
		}
		if callee.Kind() == "identifier" && callee.Text() != "define" || does.IsZero() {
			return nil
		}
		symbols = t.symbolsIn(does.Child("statement_block"), "", depth+1)
		for c := range n.Child("arguments").Children() {
			if slices.Contains(functions, c.Kind()) {
				symbols = append(symbols, t.symbolsIn(c.Child("statement_block"), "", depth+1)...)
			}
		}
	}
	return symbols
}

// enumerator returns the constant that a name in an enumeration of TypeScript is.
func (t *Tree) enumerator(n Node) Symbol {
	s := Symbol{
		Name: oneLine(plainName(n)), Kind: "constant", Signature: oneLine(n.Text()),
		StartLine: n.Start().Line, EndLine: t.lastLine(n), Doc: t.documentation(n, Node{}),
	}
	s.start, s.end = t.extent(n)
	return s
}
