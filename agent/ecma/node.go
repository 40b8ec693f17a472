package ecma

import (
	"slices"
	"strings"

	"caselsp/agent/syntax"
)

// Parts returns the named children of a node without comments.
func Parts(n syntax.Node) []syntax.Node {
	var list []syntax.Node
	if n.IsZero() {
		return nil
	}
	for c := range n.Children() {
		if c.Named() && c.Kind() != "comment" {
			list = append(list, c)
		}
	}
	return list
}

// Part returns the i-th of parts, from their end where i is below zero; the zero
// node where there is none.
func Part(n syntax.Node, i int) syntax.Node {
	if n.IsZero() {
		return syntax.Node{}
	}
	if i < 0 {
		last := syntax.Node{}
		if i < -1 {
			if list := Parts(n); i+len(list) >= 0 {
				last = list[i+len(list)]
			}
			return last
		}
		for c := range n.Children() {
			if c.Named() && c.Kind() != "comment" {
				last = c
			}
		}
		return last
	}
	for c := range n.Children() {
		if c.Named() && c.Kind() != "comment" {
			if i == 0 {
				return c
			}
			i--
		}
	}
	return syntax.Node{}
}

// Operator returns the operator of a binary, unary or assignment expression.
func Operator(n syntax.Node) string {
	for c := range n.Children() {
		if !c.Named() {
			return c.Kind()
		}
	}
	return ""
}

// Is reports whether a node is of one of the kinds; the zero node is of none.
func Is(n syntax.Node, kinds ...string) bool {
	return !n.IsZero() && slices.Contains(kinds, n.Kind())
}

// Bare takes the brackets around an expression away.
func Bare(n syntax.Node) syntax.Node {
	for Is(n, "parenthesized_expression") {
		n = Part(n, 0)
	}
	return n
}

// Callee returns what a call or new expression calls: alert, console.log; ""
// where it is no plain chain of names.
func Callee(n syntax.Node) string {
	f := Part(n, 0)
	if Is(f, "identifier") || Is(f, "member_expression") && plainChain(f) {
		return f.Text()
	}
	return ""
}

func plainChain(n syntax.Node) bool {
	for Is(n, "member_expression") {
		if !Is(Part(n, -1), "property_identifier") {
			return false
		}
		n = Part(n, 0)
	}
	return Is(n, "identifier", "this")
}

// Method returns the name behind the last dot of what a call calls, and the
// object before it.
func Method(call syntax.Node) (object syntax.Node, name string) {
	f := Part(call, 0)
	if !Is(f, "member_expression") || !Is(Part(f, -1), "property_identifier") {
		return syntax.Node{}, ""
	}
	return Part(f, 0), Part(f, -1).Text()
}

// Arguments returns the arguments of a call.
func Arguments(call syntax.Node) []syntax.Node {
	if a := call.Child("arguments"); !a.IsZero() {
		return Parts(a)
	}
	return nil
}

// FunctionKinds are the kinds of nodes with a this and a return of their own;
// grammars differ in the name of function expressions.
var FunctionKinds = []string{"function_declaration", "function_expression", "function", "arrow_function", "method_definition", "generator_function", "generator_function_declaration", "class_static_block"}

// OwnNodes yields the nodes of a function's body, or of any node, without those in
// functions inside of it.
func OwnNodes(n syntax.Node) []syntax.Node {
	var list []syntax.Node
	var walk func(syntax.Node, int)
	walk = func(n syntax.Node, depth int) {
		for c := range n.Children() {
			if !c.Named() || Is(c, FunctionKinds...) {
				continue
			}
			list = append(list, c)
			if depth < MaxDepth {
				walk(c, depth+1)
			}
		}
	}
	walk(n, 0)
	return list
}

// MaxDepth bounds recursion into a tree; what people write nests below 100.
const MaxDepth = 400

// Enclosing returns the innermost node of one of the kinds around n.
func Enclosing(n syntax.Node, kinds ...string) syntax.Node {
	for n = n.Parent(); !n.IsZero(); n = n.Parent() {
		if slices.Contains(kinds, n.Kind()) {
			return n
		}
	}
	return syntax.Node{}
}

// HasKeyword reports whether a keyword such as async stands among a node's children.
func HasKeyword(n syntax.Node, keyword string) bool {
	for c := range n.Children() {
		if !c.Named() && c.Kind() == keyword {
			return true
		}
	}
	return false
}

// SameCode reports whether two nodes read the same, white space and comments apart.
func SameCode(a, b syntax.Node) bool { return a.Text() == b.Text() || PlainText(a) == PlainText(b) }

// PlainText is the text of a node without white space and comments between its tokens.
func PlainText(n syntax.Node) string {
	var b strings.Builder
	end := -1
	for x := range n.Walk() {
		if leaf := isLeaf(x); leaf && !Is(x, "comment") && x.Start().Offset >= end {
			b.WriteString(x.Text())
			b.WriteByte(' ')
			end = x.End().Offset
		} else if Is(x, "string", "template_string", "regex") && x.Start().Offset >= end {
			b.WriteString(x.Text())
			b.WriteByte(' ')
			end = x.End().Offset
		}
	}
	return b.String()
}

func isLeaf(n syntax.Node) bool {
	for range n.Children() {
		return false
	}
	return true
}

// IsSteady reports whether evaluating an expression again gives the same and
// does nothing else: names, members, literals and operators.
func IsSteady(n syntax.Node) bool {
	for x := range n.Walk() {
		if Is(x, "call_expression", "new_expression", "assignment_expression", "augmented_assignment_expression", "update_expression", "await_expression", "yield_expression", "function", "function_expression", "arrow_function", "class", "template_string", "object", "array", "ERROR") ||
			Is(x, "unary_expression") && Operator(x) == "delete" {
			return false
		}
	}
	return true
}

// IsLiteral reports whether a node is a number, a string, true, false or null.
func IsLiteral(n syntax.Node) bool {
	return Is(n, "number", "string", "true", "false", "null")
}

// Unquote returns the text of a string literal without escapes; false where it has any.
func Unquote(n syntax.Node) (string, bool) {
	s := n.Text()
	if !Is(n, "string") || len(s) < 2 || strings.Contains(s, "\\") {
		return "", false
	}
	return s[1 : len(s)-1], true
}
