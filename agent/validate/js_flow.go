package validate

import (
	"strings"

	"caselsp/agent/syntax"
)

// jsFlowRules are about statements: what runs, and what never does.
var jsFlowRules = authored([]Rule{{
	ID: "js-unreachable", Title: "Code that is never reached", Severity: Warning, Category: Scripts,
	Doc:  "What stands behind `return`, `throw`, `break` or `continue` in the same block never runs. Functions, which are there before anything runs, and declarations without a value pass.",
	File: "app.js", Bad: "function f() {\n  return 1;\n  save();\n}\n", Good: "function f() {\n  return g();\n  function g() { return 1; }\n}\n",
	Check: script(checkUnreachable, "return_statement", "throw_statement", "break_statement", "continue_statement"),
}, {
	ID: "js-fallthrough", Title: "A case that runs on into the next one", Severity: Warning, Category: Scripts,
	Doc:  "Without `break`, `return` or `throw` at its end the statements of the next case run, too. Where that is meant, a comment with the words \"falls through\" or \"fall through\" says so. Empty cases pass.",
	File: "app.js", Bad: "switch (key) {\n  case 1:\n    open();\n  case 2:\n    close();\n}\n", Good: "switch (key) {\n  case 1:\n    open();\n    // falls through\n  case 2:\n    close();\n}\n",
	Check: script(checkFallthrough, "switch_body"),
}, {
	ID: "js-duplicate-case", Title: "Two cases of one value", Severity: Warning, Category: Scripts,
	Doc:  "Only the first of them ever runs.",
	File: "app.js", Bad: "switch (key) {\n  case \"a\": return 1;\n  case \"b\": return 2;\n  case \"a\": return 3;\n}\n", Good: "switch (key) {\n  case \"a\": return 1;\n  case \"b\": return 2;\n}\n",
	Check: script(func(p *Pass, c *Code, n syntax.Node) {
		seen := map[string]bool{}
		for _, x := range parts(n) {
			if v := part(x, 0); is(x, "switch_case") && !v.IsZero() && steady(v) {
				text := v.Text()
				if seen[text] {
					p.Node(c, v, "There is a case %s above, so this one never runs.", clip(text))
				}
				seen[text] = true
			}
		}
	}, "switch_body"),
}, {
	ID: "js-duplicate-condition", Title: "An else-if that asks what was asked before", Severity: Warning, Category: Scripts,
	Doc:  "Where the same condition has failed above in the chain, the branch never runs.",
	File: "app.js", Bad: "if (n === 1) a();\nelse if (n === 2) b();\nelse if (n === 1) c();\n", Good: "if (n === 1) a();\nelse if (n === 2) b();\nelse if (next() === 1) c();\nelse if (next() === 1) d();\n",
	Check: script(func(p *Pass, c *Code, n syntax.Node) {
		if is(n.Parent(), "else_clause") {
			return
		}
		var seen []syntax.Node
		for is(n, "if_statement") {
			test := bare(part(n, 0))
			if !test.IsZero() && steady(test) {
				for _, x := range seen {
					if sameCode(x, test) {
						p.Node(c, test, "The chain asks this above already, so the branch never runs.")
						break
					}
				}
				seen = append(seen, test)
			}
			n = part(n.Child("else_clause"), 0)
		}
	}, "if_statement"),
}, {
	ID: "js-constant-condition", Title: "A condition that is always the same", Severity: Warning, Category: Scripts,
	Doc:  "One of the branches never runs. Loops without end, `while (true)` and `for (;;)`, and `do … while (false)` pass.",
	File: "app.js", Bad: "if (true) { open(); } else { close(); }\n", Good: "while (true) { if (done()) break; }\n",
	Check: script(func(p *Pass, c *Code, n syntax.Node) {
		test := bare(part(n, 0))
		if test.IsZero() || !n.Child("comment").IsZero() || !part(n, 0).Child("comment").IsZero() {
			return // a switch for who reads the source
		}
		if is(n, "while_statement") && test.Text() != "false" && test.Text() != "0" {
			return
		}
		if literal(test) || is(test, "object", "array", "regex", "arrow_function", "function_expression", "function") ||
			is(test, "unary_expression") && operator(test) == "!" && literal(bare(part(test, 0))) || is(test, "assignment_expression") && literal(part(test, 1)) {
			p.Node(c, test, "This condition is always the same: one of the branches never runs.")
		}
	}, "if_statement", "ternary_expression", "while_statement"),
}, {
	ID: "js-assignment-in-condition", Title: "An assignment where a comparison was meant", Severity: Warning, Category: Scripts,
	Doc:  "`if (a = b)` assigns. Write `===`, or a second pair of brackets where the assignment is meant. Told where the right side is a literal or a name; assigning what a call returned, `if (m = re.exec(s))`, is a common idiom and passes.",
	File: "app.js", Bad: "if (state = \"open\") { close(); }\n", Good: "if (state === \"open\") { close(); }\nif (m = re.exec(s)) { use(m); }\nwhile (node = node.next) { use(node); }\n",
	Check: script(func(p *Pass, c *Code, n syntax.Node) {
		test := part(n, 0)
		if is(test, "parenthesized_expression") && is(part(test, 0), "assignment_expression") && (literal(part(part(test, 0), 1)) || is(n, "if_statement") && is(part(part(test, 0), 1), "identifier")) {
			p.Node(c, part(test, 0), "This assigns: write === to compare, or a second pair of brackets where the assignment is meant.")
		}
	}, "if_statement", "while_statement"),
}, {
	ID: "js-empty-block", Title: "An empty block", Severity: Warning, Category: Scripts,
	Doc:  "It is mostly unfinished. Delete it, or say in a comment why there is nothing to do. Empty functions and loops that do all in their head pass.",
	File: "app.js", Bad: "if (user) {\n}\n", Good: "if (user) {\n  // nothing to do: the server has greeted\n}\n",
	Check: script(func(p *Pass, c *Code, n syntax.Node) {
		if strings.Trim(n.Text(), "{} \t\r\n") == "" && is(n.Parent(), "if_statement", "else_clause", "try_statement", "finally_clause", "with_statement") {
			p.Node(c, n, "This block is empty: delete it, or say in a comment why there is nothing to do.")
		}
	}, "statement_block"),
}, {
	ID: "js-empty-catch", Title: "A catch that swallows the error", Severity: Warning, Category: Scripts,
	Doc:  "Whatever goes wrong in the block is lost, the unexpected too. Handle it, log it, or say in a comment why it may be lost.",
	File: "app.js", Bad: "try { load(); } catch (e) {}\n", Good: "try { load(); } catch (e) { /* no storage in private windows */ }\n",
	Check: script(func(p *Pass, c *Code, n syntax.Node) {
		if b := n.Child("statement_block"); !b.IsZero() && strings.Trim(b.Text(), "{} \t\r\n") == "" {
			p.Node(c, b, "This swallows every error: handle it, or say in a comment why it may be lost.")
		}
	}, "catch_clause"),
}, {
	ID: "js-useless-catch", Title: "A catch that only throws again", Severity: Warning, Category: Scripts,
	Doc:  "It does what would happen without it.",
	File: "app.js", Bad: "try { load(); } catch (e) { throw e; }\n", Good: "try { load(); } catch (e) { throw new Error(\"cannot load\", { cause: e }); }\n",
	Check: script(func(p *Pass, c *Code, n syntax.Node) {
		name, body := part(n, 0), parts(n.Child("statement_block"))
		if is(name, "identifier") && len(body) == 1 && is(body[0], "throw_statement") && part(body[0], 0).Text() == name.Text() {
			p.Node(c, n, "This catch only throws again what it caught: delete it.")
		}
	}, "catch_clause"),
}, {
	ID: "js-unsafe-finally", Title: "A finally that replaces the result", Severity: Warning, Category: Scripts,
	Doc:  "A `return` with a value, `break` and `continue` in `finally` drop what the try block returned or threw.",
	File: "app.js", Bad: "function f() {\n  try { return load(); } finally { return null; }\n}\n", Good: "function f() {\n  try { return load(); } finally { close(); }\n}\n",
	Check: script(func(p *Pass, c *Code, n syntax.Node) {
		for _, x := range own(n) {
			inner := enclosing(x, "for_statement", "for_in_statement", "while_statement", "do_statement", "switch_statement", "finally_clause")
			if is(x, "return_statement") && !part(x, 0).IsZero() || is(x, "break_statement", "continue_statement") && is(inner, "finally_clause") && part(x, 0).IsZero() {
				p.Node(c, x, "This drops what the try block returned or threw.")
			}
		}
	}, "finally_clause"),
}, {
	ID: "js-no-effect", Title: "A statement that does nothing", Severity: Warning, Category: Scripts,
	Doc:  "A comparison or a sum of its own computes something and drops it; mostly `=` was meant, or a call.",
	File: "app.js", Bad: "function open(box) { box.hidden == false; }\n", Good: "function open(box) { box.hidden = false; }\n",
	Check: script(func(p *Pass, c *Code, n syntax.Node) {
		x := bare(part(n, 0))
		if is(x, "binary_expression") && c.Attr == nil && !is(n.Parent(), "for_statement") {
			switch operator(x) {
			case "==", "===", "!=", "!==", "<", ">", "<=", ">=", "+", "-", "*", "%":
				if steady(x) && !is(part(x, 0), "string") {
					p.Node(c, n, "This computes something and drops it: did you mean to assign or to call?")
				}
			}
		}
	}, "expression_statement"),
}})

func checkUnreachable(p *Pass, c *Code, n syntax.Node) {
	block := n.Parent()
	if !is(block, "statement_block", "program", "switch_case", "switch_default") || c.Attr != nil {
		return
	}
	behind := false
	for _, x := range parts(block) {
		if x.Start().Offset == n.Start().Offset {
			behind = true
			continue
		}
		if !behind || is(x, "function_declaration", "generator_function_declaration", "class_declaration", "empty_statement", "function_signature", "interface_declaration", "type_alias_declaration", "export_statement", "import_statement") {
			continue
		}
		if is(x, "variable_declaration") && !strings.Contains(x.Text(), "=") {
			continue
		}
		if is(x, "break_statement") && is(block, "switch_case", "switch_default") {
			return // a habit, and no harm
		}
		if start, end := c.Span(x); p.written(start, end) {
			p.Report(start, end, "This never runs: %s ends the block before it.", strings.TrimSuffix(n.Kind(), "_statement"))
		}
		return
	}
}

// leaves reports whether a statement never runs on behind its end.
func leaves(n syntax.Node) bool {
	switch {
	case is(n, "break_statement", "return_statement", "throw_statement", "continue_statement"):
		return true
	case is(n, "statement_block", "labeled_statement"):
		return leaves(part(n, -1))
	case is(n, "if_statement"):
		other := n.Child("else_clause")
		return !other.IsZero() && leaves(part(n, 1)) && leaves(part(other, -1))
	case is(n, "try_statement"):
		caught, last := n.Child("catch_clause"), n.Child("finally_clause")
		return !last.IsZero() && leaves(part(last, -1)) || leaves(part(n, 0)) && (caught.IsZero() || leaves(part(caught, -1)))
	case is(n, "while_statement", "for_statement", "do_statement"):
		for _, x := range own(n) {
			if is(x, "break_statement") {
				return false
			}
		}
		test := strings.Trim(part(n, 0).Text(), "() ")
		return is(n, "while_statement") && (test == "true" || test == "1") || is(n, "for_statement") && test == ";"
	case is(n, "switch_statement"):
		return leavesSwitch(n)
	case is(n, "expression_statement"):
		name := ""
		if call := part(n, 0); is(call, "call_expression") {
			name = callee(call)
		}
		return name == "process.exit" || strings.HasSuffix(name, "never") || strings.HasSuffix(name, "fail") || strings.HasSuffix(strings.ToLower(name), "error")
	}
	return false
}

// leavesSwitch reports whether no way through a switch leads behind it.
func leavesSwitch(n syntax.Node) bool {
	for _, x := range own(n) {
		if is(x, "break_statement") && is(enclosing(x, "switch_statement", "for_statement", "for_in_statement", "while_statement", "do_statement"), "switch_statement") {
			return false
		}
	}
	cases := parts(part(n, -1))
	return !n.Child("switch_body").Child("switch_default").IsZero() && len(cases) > 0 && leaves(part(cases[len(cases)-1], -1))
}

func checkFallthrough(p *Pass, c *Code, n syntax.Node) {
	cases := parts(n)
	if containsAny(part(n.Parent(), 0).Text(), []string{"_context", ".label"}) {
		return // what compilers make of generators
	}
	for i, x := range cases {
		body := parts(x)
		if is(x, "switch_case") && len(body) > 0 {
			body = body[1:]
		}
		if i+1 == len(cases) || len(body) == 0 || leaves(body[len(body)-1]) {
			continue
		}
		_, start := c.Span(body[len(body)-1])
		end, _ := c.Span(part(cases[i+1], 0))
		if is(cases[i+1], "switch_default") {
			end, _ = c.Span(cases[i+1])
		}
		first, _ := c.Span(x)
		if end < start || saysFall(n, x) || !p.written(first, end) {
			continue
		}
		head, _ := c.Span(cases[i+1])
		p.Report(head, min(head+len("case"), len(p.Text)), "The case above runs on into this one: end it with break, or say in a comment that it falls through.")
	}
}

// saysFall reports whether a comment in or behind a case says that it is meant to run on.
func saysFall(body, x syntax.Node) bool {
	behind := false
	for n := range body.Children() {
		if n.Start().Offset == x.Start().Offset {
			behind = true
			for y := range n.Walk() {
				if is(y, "comment") && isFallRemark(y.Text()) {
					return true
				}
			}
		} else if behind {
			if !is(n, "comment") {
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
