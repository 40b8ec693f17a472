package js

import (
	"strings"

	"caselsp/agent/ecma"
	"caselsp/agent/syntax"
	"caselsp/agent/validate"
)

// flowRules are about statements: what runs, and what never does.
var flowRules = validate.Authored([]validate.Rule{{
	ID: "js-unreachable", Title: "Unreachable code", Severity: validate.Warning, Category: validate.Scripts,
	Aliases: validate.Aliases{validate.ESLint: {"no-unreachable"}, validate.Biome: {"noUnreachable"}},
	Doc: "Code after `return`, `throw`, `break` or `continue`, after an `if` both of whose branches leave, or after an endless loop never runs. Functions, which are hoisted, " +
		"and declarations without a value pass.",
	File: "app.js", Bad: "function f() {\n  return 1;\n  save();\n}\n", Good: "function f() {\n  return g();\n  function g() { return 1; }\n}\n",
	Check: validate.EachScript(checkUnreachable),
}, {
	ID: "js-fallthrough", Title: "Switch case falls through", Severity: validate.Warning, Category: validate.Scripts,
	Aliases: validate.Aliases{validate.ESLint: {"no-fallthrough"}, validate.Biome: {"noFallthroughSwitchClause"}},
	Doc: "Without `break`, `return` or `throw` at its end, a case continues with the statements of the next one. If that is intended, a comment with the words \"falls through\" " +
		"or \"fall through\" says so. Empty cases pass.",
	File: "app.js", Bad: "switch (key) {\n  case 1:\n    open();\n  case 2:\n    close();\n}\n", Good: "switch (key) {\n  case 1:\n    open();\n    // falls through\n  case 2:\n    close();\n}\n",
	Check: validate.EachScript(checkFallthrough),
}, {
	ID: "js-duplicate-case", Title: "Duplicate case value", Severity: validate.Warning, Category: validate.Scripts,
	Aliases: validate.Aliases{validate.ESLint: {"no-duplicate-case"}, validate.Biome: {"noDuplicateCase"}},
	Doc:     "Only the first of them ever runs.",
	File:    "app.js", Bad: "switch (key) {\n  case \"a\": return 1;\n  case \"b\": return 2;\n  case \"a\": return 3;\n}\n", Good: "switch (key) {\n  case \"a\": return 1;\n  case \"b\": return 2;\n}\n",
	Check: validate.ScriptNodes(func(p *validate.Pass, c *validate.Code, n syntax.Node) {
		seen := map[string]bool{}
		for _, x := range ecma.Parts(n) {
			if v := ecma.Part(x, 0); ecma.Is(x, "switch_case") && !v.IsZero() && repeatable(v) {
				text := ecma.PlainText(v)
				if seen[text] {
					p.Node(c, v, "There is already a case %s above, so this one never runs.", syntax.Clip(v.Text()))
				}
				seen[text] = true
			}
		}
	}, "switch_body"),
}, {
	ID: "js-duplicate-condition", Title: "Duplicate condition in an else-if chain", Severity: validate.Warning, Category: validate.Scripts,
	Aliases: validate.Aliases{validate.ESLint: {"no-dupe-else-if"}, validate.Biome: {"noDuplicateElseIf"}},
	Doc:     "If the same condition, or one of its parts, has already failed in the chain, the branch never runs. Conditions whose result may change pass.",
	File:    "app.js", Bad: "if (n === 1) a();\nelse if (n === 2) b();\nelse if (n === 1) c();\n", Good: "if (n === 1) a();\nelse if (n === 2) b();\nelse if (next() === 1) c();\nelse if (next() === 1) d();\n",
	Check: validate.ScriptNodes(func(p *validate.Pass, c *validate.Code, n syntax.Node) {
		if ecma.Is(n.Parent(), "else_clause") {
			return
		}
		var seen []syntax.Node
		for ecma.Is(n, "if_statement") {
			if test := ecma.Bare(ecma.Part(n, 0)); !test.IsZero() {
				if covered(test, seen) {
					p.Node(c, test, "The chain already tests this above, so the branch never runs.")
				}
				seen = append(seen, test)
			}
			n = ecma.Part(n.Child("else_clause"), 0)
		}
	}, "if_statement"),
}, {
	ID: "js-constant-condition", Title: "Constant condition", Severity: validate.Warning, Category: validate.Scripts,
	Aliases: validate.Aliases{validate.ESLint: {"no-constant-condition"}, validate.Biome: {"noConstantCondition"}},
	Doc:     "One of the branches never runs. Endless loops, `while (true)` and `for (;;)`, and `do … while (false)` pass.",
	File:    "app.js", Bad: "if (true) { open(); } else { close(); }\n", Good: "while (true) { if (done()) break; }\n",
	Check: validate.ScriptNodes(checkConstantCondition, "if_statement", "ternary_expression", "while_statement", "do_statement", "for_statement"),
}, {
	ID: "js-assignment-in-condition", Title: "Assignment in a condition", Severity: validate.Warning, Category: validate.Scripts,
	Aliases: validate.Aliases{validate.ESLint: {"no-cond-assign"}, validate.Biome: {"noAssignInExpressions"}},
	Doc: "`if (a = b)` assigns. Write `===`, or a second pair of parentheses if the assignment is intended. Reported if the right side is a literal or a name; assigning the " +
		"result of a call, `if (m = re.exec(s))`, is a common idiom and passes.",
	File: "app.js", Bad: "if (state = \"open\") { close(); }\n", Good: "if (state === \"open\") { close(); }\nif (m = re.exec(s)) { use(m); }\nwhile (node = node.next) { use(node); }\n",
	Check: validate.ScriptNodes(func(p *validate.Pass, c *validate.Code, n syntax.Node) {
		test := ecma.Part(n, 0)
		if ecma.Is(n, "do_statement") {
			test = ecma.Part(n, -1)
		}
		set := ecma.Part(test, 0)
		value := ecma.Bare(ecma.Part(set, 1))
		if ecma.Is(test, "parenthesized_expression") && ecma.Is(set, "assignment_expression") && (ecma.IsLiteral(value) || ecma.Is(n, "if_statement") && ecma.Is(value, "identifier")) {
			p.Node(c, set, "This assigns: write === to compare, or a second pair of parentheses if the assignment is intended.")
		}
	}, "if_statement", "while_statement", "do_statement", "ternary_expression"),
}, {
	ID: "js-empty-block", Title: "Empty block statement", Severity: validate.Warning, Category: validate.Scripts,
	Aliases: validate.Aliases{validate.ESLint: {"no-empty"}, validate.Biome: {"noEmptyBlockStatements"}},
	Doc:     "Usually unfinished code. Delete it, or explain in a comment why there is nothing to do. Empty functions, and loops that do their work in the head, pass.",
	File:    "app.js", Bad: "if (user) {\n}\n", Good: "if (user) {\n  // nothing to do: the server has greeted\n}\n",
	Check: validate.ScriptNodes(func(p *validate.Pass, c *validate.Code, n syntax.Node) {
		by := n.Parent()
		waits := ecma.Is(by, "while_statement") && ecma.IsSteady(ecma.Part(by, 0)) && ecma.TruthOf(ecma.Part(by, 0)) != ecma.Yes
		if isEmptyBlock(n) && (waits || ecma.Is(by, "if_statement", "else_clause", "try_statement", "finally_clause", "with_statement", "class_static_block") || ecma.Is(n, "switch_body") && by.Child("comment").IsZero()) {
			p.Node(c, n, "This block is empty: delete it, or explain in a comment why there is nothing to do.")
		}
	}, "statement_block", "switch_body"),
}, {
	ID: "js-empty-catch", Title: "Empty catch block: the error is swallowed", Severity: validate.Warning, Category: validate.Scripts,
	Aliases: validate.Aliases{validate.ESLint: {"no-empty"}},
	Doc:     "Every error in the block is lost, including unexpected ones. Handle it, log it, or explain in a comment why it may be ignored.",
	File:    "app.js", Bad: "try { load(); } catch (e) {}\n", Good: "try { load(); } catch (e) { /* no storage in private windows */ }\n",
	Check: validate.ScriptNodes(func(p *validate.Pass, c *validate.Code, n syntax.Node) {
		if b := n.Child("statement_block"); !b.IsZero() && isEmptyBlock(b) {
			p.Node(c, b, "This swallows every error: handle it, or explain in a comment why it may be ignored.")
		}
	}, "catch_clause"),
}, {
	ID: "js-useless-catch", Title: "Useless catch: it only rethrows", Severity: validate.Warning, Category: validate.Scripts,
	Aliases: validate.Aliases{validate.ESLint: {"no-useless-catch"}, validate.Biome: {"noUselessCatch"}},
	Doc:     "The same happens without it.",
	File:    "app.js", Bad: "try { load(); } catch (e) { throw e; }\n", Good: "try { load(); } catch (e) { throw new Error(\"cannot load\", { cause: e }); }\n",
	Check: validate.ScriptNodes(func(p *validate.Pass, c *validate.Code, n syntax.Node) {
		name, body := ecma.Part(n, 0), ecma.Parts(n.Child("statement_block"))
		if ecma.Is(name, "identifier") && len(body) == 1 && ecma.Is(body[0], "throw_statement") && ecma.Part(body[0], 0).Text() == name.Text() {
			p.Node(c, n, "This catch only rethrows the error: delete it.")
		}
	}, "catch_clause"),
}, {
	ID: "js-unsafe-finally", Title: "Control flow in finally overrides the result", Severity: validate.Warning, Category: validate.Scripts,
	Aliases: validate.Aliases{validate.ESLint: {"no-unsafe-finally"}, validate.Biome: {"noUnsafeFinally"}},
	Doc:     "`return`, `throw`, `break` and `continue` in `finally` discard what the try block returned or threw.",
	File:    "app.js", Bad: "function f() {\n  try { return load(); } finally { return null; }\n}\n", Good: "function f() {\n  try { return load(); } finally { close(); }\n}\n",
	Check: validate.ScriptNodes(func(p *validate.Pass, c *validate.Code, n syntax.Node) {
		for _, x := range ecma.OwnNodes(n) {
			switch {
			case ecma.Enclosing(x, "finally_clause") != n:
				continue // of an inner one
			case ecma.Is(x, "throw_statement") && !ecma.Enclosing(x, "if_statement").IsZero() && within(ecma.Enclosing(x, "if_statement"), n):
				continue // one that was kept until here
			case ecma.Is(x, "return_statement", "throw_statement"):
			case ecma.Is(x, "break_statement", "continue_statement"):
				if label := ecma.LabelOf(x); leadsOut(x, n, label) {
					break
				}
				continue
			default:
				continue
			}
			if !ecma.Is(x, "return_statement") || !ecma.Part(x, 0).IsZero() || c.Flows().Bodies[ecma.Enclosing(n, "statement_block")].Value {
				p.Node(c, x, "This discards what the try block returned or threw.")
			}
		}
	}, "finally_clause"),
}, {
	ID: "js-no-effect", Title: "Expression statement without effect", Severity: validate.Warning, Category: validate.Scripts,
	Aliases: validate.Aliases{validate.ESLint: {"no-unused-expressions"}},
	Doc:     "A comparison or a sum that stands alone computes a value and discards it; usually `=` or a call was meant.",
	File:    "app.js", Bad: "function open(box) { box.hidden == false; }\n", Good: "function open(box) { box.hidden = false; }\n",
	Check: validate.ScriptNodes(func(p *validate.Pass, c *validate.Code, n syntax.Node) {
		x := ecma.Bare(ecma.Part(n, 0))
		if ecma.Is(x, "binary_expression") && c.Attr == nil && !ecma.Is(n.Parent(), "for_statement") {
			switch ecma.Operator(x) {
			case "==", "===", "!=", "!==", "<", ">", "<=", ">=", "+", "-", "*", "%":
				if ecma.IsSteady(x) && !ecma.Is(ecma.Part(x, 0), "string") {
					p.Node(c, n, "This value is computed and discarded: did you mean to assign or to call?")
				}
			}
		}
	}, "expression_statement"),
}})

// covered reports whether a condition can only be true where one that has
// failed before was true: of each of its alternatives, one of those before asks no more than it does.
func covered(test syntax.Node, before []syntax.Node) bool {
	if !repeatable(test) {
		return false
	}
	for _, way := range operands(test, "||") {
		asks := operands(way, "&&")
		known := false
		for _, a := range asks {
			known = known || ecma.Is(ecma.Bare(a), "binary_expression") && ecma.Operator(ecma.Bare(a)) == "||" && len(asks) > 1 && covered(a, before)
		}
		for _, b := range before {
			for _, alternative := range operands(b, "||") {
				known = known || implied(asks, operands(alternative, "&&"), 0)
			}
		}
		if !known {
			return false
		}
	}
	return true
}

// implied reports whether all of wanted are true where all of given are.
func implied(given, wanted []syntax.Node, depth int) bool {
	for _, w := range wanted {
		found := false
		for _, g := range given {
			found = found || ecma.SameCode(g, w)
			if ways := operands(w, "||"); len(ways) > 1 && depth < 8 && !found {
				for _, way := range ways {
					found = found || implied(given, operands(way, "&&"), depth+1)
				}
			}
		}
		if !found {
			return false
		}
	}
	return true
}

// operands takes a chain of one operator apart.
func operands(n syntax.Node, op string) []syntax.Node {
	n = ecma.Bare(n)
	if ecma.Is(n, "binary_expression") && ecma.Operator(n) == op {
		return append(operands(ecma.Part(n, 0), op), operands(ecma.Part(n, 1), op)...)
	}
	return []syntax.Node{n}
}

// repeatable reports whether asking again gives the same: calls with plain
// arguments usually do, but not of what reads on, such as next() or shift().
func repeatable(n syntax.Node) bool {
	for x := range n.Walk() {
		if ecma.Is(x, "assignment_expression", "augmented_assignment_expression", "update_expression", "await_expression", "yield_expression", "new_expression") || ecma.Is(x, "call_expression") && len(ecma.Arguments(x)) == 0 {
			return false
		}
		if _, name := ecma.Method(x); ecma.Is(x, "call_expression") && syntax.HasWord("exec test shift pop next read eat match accept consume advance skip take peek get scan", name) {
			return false
		}
		if ecma.Is(x, "call_expression") && syntax.HasWord("next read eat match accept consume advance skip take peek scan expect tryParse parse", strings.ToLower(ecma.Callee(x))) {
			return false
		}
	}
	return true
}

func isEmptyBlock(n syntax.Node) bool { return strings.Trim(n.Text(), "{} \t\r\n") == "" }

// leadsOut reports whether break or continue leaves a finally block.
func leadsOut(x, finally syntax.Node, label string) bool {
	kinds := []string{"for_statement", "for_in_statement", "while_statement", "do_statement"}
	if ecma.Is(x, "break_statement") {
		kinds = append(kinds, "switch_statement")
	}
	for by := x.Parent(); by != finally; by = by.Parent() {
		if label == "" && ecma.Is(by, kinds...) || label != "" && ecma.Is(by, "labeled_statement") && by.Child("statement_identifier").Text() == label {
			return false
		}
	}
	return true
}

func checkConstantCondition(p *validate.Pass, c *validate.Code, n syntax.Node) {
	test := ecma.Part(n, 0)
	switch n.Kind() {
	case "do_statement":
		test = ecma.Part(n, -1)
	case "for_statement":
		test = ecma.Part(ecma.Part(n, 1), 0)
	}
	if !n.Child("comment").IsZero() || ecma.Is(test, "parenthesized_expression") && !test.Child("comment").IsZero() {
		return // a switch for who reads the source
	}
	if test = ecma.Bare(test); test.IsZero() || !c.Scopes().Constant(test, true) {
		return
	}
	if v := c.Scopes().TruthOf(test); !ecma.Is(n, "if_statement", "ternary_expression") && ecma.IsLiteral(test) && (v == ecma.Yes || ecma.Is(n, "do_statement")) {
		return
	}
	p.Node(c, test, "This condition is always the same: one of the branches never runs.")
}

func checkUnreachable(p *validate.Pass, c *validate.Code) {
	if c.Attr != nil {
		return
	}
	for _, n := range c.Flows().Unreachable {
		start, end := c.Span(n)
		if ecma.Is(n, "break_statement") && ecma.Is(n.Parent(), "switch_case", "switch_default") || !p.Written(start, end) {
			continue // a habit, and no harm
		}
		p.Report(start, end, "This code is unreachable: %s", neverBehind(c.Flows().After[n]))
	}
}

// neverBehind says why nothing runs behind a statement of a kind.
func neverBehind(kind string) string {
	switch kind {
	case "if_statement", "switch_statement", "try_statement", "statement_block":
		return "every path before it leaves the block."
	case "while_statement", "for_statement", "do_statement", "labeled_statement":
		return "the loop before it has no end."
	}
	return strings.TrimSuffix(kind, "_statement") + " ends the block before it."
}

// quits reports whether a statement calls what never comes back.
func quits(n syntax.Node) bool {
	call := ecma.Part(n, 0)
	if !ecma.Is(n, "expression_statement") || !ecma.Is(call, "call_expression") {
		return false
	}
	name := ecma.Callee(call)
	return name == "process.exit" || strings.HasSuffix(name, "never") || strings.HasSuffix(name, "fail") || strings.HasSuffix(strings.ToLower(name), "error")
}

func checkFallthrough(p *validate.Pass, c *validate.Code) {
	for _, next := range c.Flows().Falls {
		body := next.Parent()
		if syntax.ContainsAny(ecma.Part(body.Parent(), 0).Text(), []string{"_context", ".label"}) {
			continue // what compilers make of generators
		}
		var above syntax.Node
		for _, x := range ecma.Parts(body) {
			if x == next {
				break
			}
			above = x
		}
		first, _ := c.Span(above)
		head, end := c.Span(next)
		if quits(ecma.Part(above, -1)) || saysFall(body, above) || !p.Written(first, end) {
			continue
		}
		p.Report(head, min(head+len("case"), len(p.Text)), "The case above falls through to this one: end it with break, or say in a comment that it falls through.")
	}
}

// saysFall reports whether a comment in or behind a case says that it is meant to run on.
func saysFall(body, x syntax.Node) bool {
	behind := false
	for n := range body.Children() {
		if n.Start().Offset == x.Start().Offset {
			behind = true
			for y := range n.Walk() {
				if ecma.Is(y, "comment") && isFallRemark(y.Text()) {
					return true
				}
			}
		} else if behind {
			if !ecma.Is(n, "comment") {
				return false
			}
			if isFallRemark(n.Text()) {
				return true
			}
		}
	}
	return false
}

func isFallRemark(text string) bool {
	text = strings.ToLower(text)
	return strings.Contains(text, "fall") || strings.Contains(text, "no break") || strings.Contains(text, "nobreak") || strings.Contains(text, "pass through") || strings.Contains(text, "continue") || strings.Contains(text, "intentional") || strings.Contains(text, "proceed")
}
