package syntax

import "caselsp/store/lazyregexp"

// testCallee is what begins a test, or a group of them, in the runners of JavaScript: a function
// of this name that is given a name and a function.
var testCallee = lazyregexp.New(`^(?:[\w$]+\.)?(?:describe|context|suite|it|test|specify)\b`)

// testCall returns the test or the group of tests that a call of JavaScript declares.
func (t *Tree) testCall(n Node, depth int) []Symbol {
	args := n.Child("arguments")
	name := args.Child("string", "template_string")
	does := args.Child("arrow_function", "function_expression", "function", "generator_function")
	if name.IsZero() || does.IsZero() || !testCallee.MatchString(n.Text()) {
		return nil
	}
	body := does.Child("statement_block")
	s := t.test(n, Node{}, oneLine(plainName(name)))
	s.Signature = oneLine(t.body()[n.node().start:name.node().end]) + ")"
	if !body.IsZero() {
		s.Children = t.symbolsIn(body, s.Kind, depth+1)
	}
	return []Symbol{s}
}

// test is a test that n declares, with the signature of what stands before its body.
func (t *Tree) test(n, body Node, name string) Symbol {
	s := Symbol{Name: name, Kind: "test", Signature: t.signature(n, body), StartLine: n.Start().Line, EndLine: t.lastLine(n)}
	s.start, s.end = t.extent(n)
	return s
}

// rubyTests are the methods that declare a test, or a group of them, in RSpec and minitest: each is given what it
// is about, and a block.
var rubyTests = nameSet("describe context feature scenario it specify example test should shared_examples shared_examples_for shared_context")

// rubyTest returns what a call of Ruby declares of tests.
func (t *Tree) rubyTest(n Node, depth int) (Symbol, bool) {
	about, block := n.Child("argument_list").Child("string", "constant", "scope_resolution", "simple_symbol"), n.Child("do_block", "block")
	if receiver := n.Child("constant"); !receiver.IsZero() && receiver.Text() != "RSpec" || !rubyTests[n.Child("identifier").Text()] || about.IsZero() || block.IsZero() {
		return Symbol{}, false
	}
	s := t.test(n, block, oneLine(plainName(about)))
	s.Children = t.symbolsIn(block, s.Kind, depth+1)
	return s, true
}

// rubyMade are the classes of Ruby whose new or define makes a class or a module.
var rubyMade = map[string]string{"Class": "class", "Struct": "class", "Data": "class", "Module": "namespace"}

// rubyAssignment returns what an assignment of Ruby declares: a constant, or the class that is made for it. What a
// block of the value declares is there too.
func (t *Tree) rubyAssignment(n Node, s shape, inside string, depth int) []Symbol {
	call := n.Child("call")
	made := rubyMade[call.Child("constant").Text()]
	if method := call.Child("identifier").Text(); made != "" && (method == "new" || method == "define") && len(t.names(n, s)) > 0 {
		s.kind = made
		symbols := t.symbols(n, s, inside, depth)
		symbols[0].Signature = t.signature(n, call.Child("do_block", "block"))
		symbols[0].Children = t.symbolsIn(call, made, depth+1)
		return symbols
	}
	var symbols []Symbol
	if inside != "method" {
		symbols = t.symbols(n, s, inside, depth)
	}
	return append(symbols, t.symbolsIn(n, inside, depth+1)...)
}

// testMacros declare a test in googletest, Catch2, doctest, Boost.Test, Unity and CppUTest: a function without a type to the grammar.
var testMacros = nameSet("TEST IGNORE_TEST TEST_F TEST_P TYPED_TEST TYPED_TEST_P TEST_CASE TEST_CASE_METHOD TEMPLATE_TEST_CASE SCENARIO BOOST_AUTO_TEST_CASE BOOST_FIXTURE_TEST_CASE")

// testMacro returns the test that a call of a macro with a block behind it declares.
func (t *Tree) testMacro(n Node) []Symbol {
	call := n.Child("call_expression")
	body := n.following()
	if !testMacros[call.Child("identifier").Text()] || body.Kind() != "compound_statement" {
		return nil
	}
	args := call.Child("argument_list")
	name := args.Child("string_literal")
	if name.IsZero() {
		name = args
	}
	s := t.test(call, Node{}, oneLine(plainName(name)))
	s.EndLine, s.end = t.lastLine(body), int(body.node().end)
	return []Symbol{s}
}

// following is the node after n that has the same parent.
func (n Node) following() Node {
	if next := n.node().next; int(next) < len(n.of.list) && n.of.list[next].parent == n.node().parent {
		return Node{n.of, next}
	}
	return Node{}
}
