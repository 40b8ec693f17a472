package syntax

import "regexp"

// testCallee is what begins a test, or a group of them, in the runners of JavaScript: a function
// of this name that is given a name and a function.
var testCallee = regexp.MustCompile(`^(?:[\w$]+\.)?(?:describe|context|suite|it|test|specify)\b`)

// testCall returns the test or the group of tests that a call of JavaScript declares.
func (t *Tree) testCall(n Node, depth int) []Symbol {
	args := n.Child("arguments")
	name := args.Child("string", "template_string")
	does := args.Child("arrow_function", "function_expression", "function", "generator_function")
	if name.IsZero() || does.IsZero() || !testCallee.MatchString(n.Text()) {
		return nil
	}
	body := does.Child("statement_block")
	s := Symbol{
		Name: oneLine(plainName(name)), Kind: "test", StartLine: n.Start().Line, EndLine: t.lastLine(n),
		Signature: oneLine(t.body()[n.node().start:name.node().end]) + ")",
	}
	s.start, s.end = t.extent(n)
	if !body.IsZero() {
		s.Children = t.symbolsIn(body, s.Kind, depth+1)
	}
	return []Symbol{s}
}
