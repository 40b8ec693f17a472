package validate

import (
	"path"
	"slices"
	"strings"

	"caselsp/agent/syntax"
)

// script is for rules about single nodes of JavaScript and TypeScript that the
// source itself writes. Code that does not parse is left out, as its tree is
// a guess, and so are minified scripts in pages.
func script(check func(*Pass, *Code, syntax.Node), kinds ...string) func(*Pass) {
	each := scripts(func(p *Pass, c *Code) {
		for _, n := range c.Nodes(kinds...) {
			if start, end := c.Span(n); c.Owner == nil || p.written(start, end) {
				check(p, c, n)
			}
		}
	})
	return func(p *Pass) {
		if slices.ContainsFunc(kinds, p.writes) {
			each(p)
		}
	}
}

// writes reports whether any program of the file has a node of a kind. A page may
// have a hundred handlers of a line each.
func (f *File) writes(kind string) bool { return f.kinds()[kind] }

func (f *File) readKinds() map[string]bool {
	kinds := map[string]bool{}
	for _, c := range f.Code() {
		c.Tree.Kinds(kinds)
	}
	return kinds
}

// scripts is for rules about whole programs.
func scripts(check func(*Pass, *Code)) func(*Pass) {
	return func(p *Pass) {
		for _, c := range p.Code(ecma...) {
			if c.sound() {
				check(p, c)
			}
		}
	}
}

// isSound reports whether a program parses and was written by people.
func isSound(c *Code) bool {
	return len(c.Nodes("ERROR")) == 0 && !c.Tree.Root().IsZero() && (c.Owner == nil || !dense(c.Tree.Root().Text()))
}

// dense reports whether a script was written by a machine.
func dense(text string) bool {
	return len(text) > crowded && len(text)/(strings.Count(text, "\n")+1) > crowded
}

// parts returns the named children of a node without comments.
func parts(n syntax.Node) []syntax.Node {
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

// part returns the i-th of parts, from their end where i is below zero; the zero
// node where there is none.
func part(n syntax.Node, i int) syntax.Node {
	if n.IsZero() {
		return syntax.Node{}
	}
	if i < 0 {
		last := syntax.Node{}
		if i < -1 {
			if list := parts(n); i+len(list) >= 0 {
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

// operator returns the operator of a binary, unary or assignment expression.
func operator(n syntax.Node) string {
	for c := range n.Children() {
		if !c.Named() {
			return c.Kind()
		}
	}
	return ""
}

// is reports whether a node is of one of the kinds; the zero node is of none.
func is(n syntax.Node, kinds ...string) bool {
	return !n.IsZero() && slices.Contains(kinds, n.Kind())
}

// bare takes the brackets around an expression away.
func bare(n syntax.Node) syntax.Node {
	for is(n, "parenthesized_expression") {
		n = part(n, 0)
	}
	return n
}

// callee returns what a call or new expression calls: alert, console.log; ""
// where it is no plain chain of names.
func callee(n syntax.Node) string {
	f := part(n, 0)
	if is(f, "identifier") || is(f, "member_expression") && plainChain(f) {
		return f.Text()
	}
	return ""
}

func plainChain(n syntax.Node) bool {
	for is(n, "member_expression") {
		if !is(part(n, -1), "property_identifier") {
			return false
		}
		n = part(n, 0)
	}
	return is(n, "identifier", "this")
}

// method returns the name behind the last dot of what a call calls, and the
// object before it.
func method(call syntax.Node) (object syntax.Node, name string) {
	f := part(call, 0)
	if !is(f, "member_expression") || !is(part(f, -1), "property_identifier") {
		return syntax.Node{}, ""
	}
	return part(f, 0), part(f, -1).Text()
}

// arguments returns the arguments of a call.
func arguments(call syntax.Node) []syntax.Node {
	if a := call.Child("arguments"); !a.IsZero() {
		return parts(a)
	}
	return nil
}

// functions are the kinds of nodes with a this and a return of their own;
// grammars differ in the name of function expressions.
var functions = []string{"function_declaration", "function_expression", "function", "arrow_function", "method_definition", "generator_function", "generator_function_declaration", "class_static_block"}

// own yields the nodes of a function's body, or of any node, without those in
// functions inside of it.
func own(n syntax.Node) []syntax.Node {
	var list []syntax.Node
	var walk func(syntax.Node, int)
	walk = func(n syntax.Node, depth int) {
		for c := range n.Children() {
			if !c.Named() || is(c, functions...) {
				continue
			}
			list = append(list, c)
			if depth < deepest {
				walk(c, depth+1)
			}
		}
	}
	walk(n, 0)
	return list
}

// deepest bounds recursion into a tree; what people write nests below 100.
const deepest = 400

// enclosing returns the innermost node of one of the kinds around n.
func enclosing(n syntax.Node, kinds ...string) syntax.Node {
	for n = n.Parent(); !n.IsZero(); n = n.Parent() {
		if slices.Contains(kinds, n.Kind()) {
			return n
		}
	}
	return syntax.Node{}
}

// word reports whether a keyword such as async stands among a node's children.
func word(n syntax.Node, keyword string) bool {
	for c := range n.Children() {
		if !c.Named() && c.Kind() == keyword {
			return true
		}
	}
	return false
}

// forPeople reports whether a script talks to whoever runs it: a command, a
// test, an example, a build script. There, console.log is the output.
func forPeople(p *Pass) bool {
	if strings.HasPrefix(p.Text, "#!") {
		return true
	}
	base := path.Base(p.Path)
	for _, dir := range strings.Split(path.Dir(p.Path), "/") {
		if peopleDirs[strings.ToLower(dir)] {
			return true
		}
	}
	stem := strings.TrimSuffix(base, path.Ext(base))
	return containsAny(base, []string{".test.", ".spec.", ".config.", ".stories."}) || peopleFiles[strings.ToLower(stem)]
}

var (
	peopleDirs = words(`bin scripts script test tests __tests__ spec specs example examples demo demos bench benchmark benchmarks tools tool tasks task
		build cli e2e cypress fixtures docs doc sample samples debug`)
	peopleFiles = words("gulpfile gruntfile jakefile cli build webpack rollup karma test server debug")
)

// sameCode reports whether two nodes read the same, white space and comments apart.
func sameCode(a, b syntax.Node) bool { return a.Text() == b.Text() || plainText(a) == plainText(b) }

// plainText is the text of a node without white space and comments between its tokens.
func plainText(n syntax.Node) string {
	var b strings.Builder
	end := -1
	for x := range n.Walk() {
		if leaf := isLeaf(x); leaf && !is(x, "comment") && x.Start().Offset >= end {
			b.WriteString(x.Text())
			b.WriteByte(' ')
			end = x.End().Offset
		} else if is(x, "string", "template_string", "regex") && x.Start().Offset >= end {
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

// steady reports whether evaluating an expression again gives the same and
// does nothing else: names, members, literals and operators.
func steady(n syntax.Node) bool {
	for x := range n.Walk() {
		if is(x, "call_expression", "new_expression", "assignment_expression", "augmented_assignment_expression", "update_expression", "await_expression", "yield_expression", "function", "function_expression", "arrow_function", "class", "template_string", "object", "array", "ERROR") ||
			is(x, "unary_expression") && operator(x) == "delete" {
			return false
		}
	}
	return true
}

// literal reports whether a node is a number, a string, true, false or null.
func literal(n syntax.Node) bool {
	return is(n, "number", "string", "true", "false", "null")
}

// unquote returns the text of a string literal without escapes; false where it has any.
func unquote(n syntax.Node) (string, bool) {
	s := n.Text()
	if !is(n, "string") || len(s) < 2 || strings.Contains(s, "\\") {
		return "", false
	}
	return s[1 : len(s)-1], true
}
