package js

import (
	"strings"
	"unicode/utf8"

	"caselsp/agent/ecma"
	"caselsp/agent/syntax"
	"caselsp/agent/validate"
)

// detailRules are about single expressions and statements.
var detailRules = validate.Authored([]validate.Rule{{
	ID: "js-for-direction", Title: "Loop that counts in the wrong direction", Severity: validate.Warning, Category: validate.Scripts,
	Aliases: validate.Aliases{validate.ESLint: {"for-direction"}, validate.Biome: {"useValidForDirection"}},
	Doc:     "`for (i = 0; i < 10; i--)` never ends, or never begins.",
	File:    "app.js", Bad: "for (let i = 0; i < 10; i--) { show(i); }\n", Good: "for (let i = 9; i >= 0; i--) { show(i); }\n",
	Check: validate.ScriptNodes(checkDirection, "for_statement"),
}, {
	ID: "js-case-declaration", Title: "Lexical declaration in a case without a block", Severity: validate.Info, Category: validate.Scripts,
	Aliases: validate.Aliases{validate.ESLint: {"no-case-declarations"}, validate.Biome: {"noSwitchDeclarations"}},
	Doc:     "It is visible in all cases of the switch, and using it there before it has a value throws. Put the statements of the case in a block.",
	File:    "app.js", Bad: "switch (key) {\n  case 1:\n    const text = read();\n    show(text);\n    break;\n  default:\n    hide();\n}\n", Good: "switch (key) {\n  case 1: {\n    const text = read();\n    show(text);\n    break;\n  }\n  default:\n    hide();\n}\n",
	Check: validate.ScriptNodes(func(p *validate.Pass, c *validate.Code, n syntax.Node) {
		if ecma.Is(n.Parent(), "switch_case", "switch_default") && !ecma.Is(ecma.Part(n.Parent(), -1), "statement_block") {
			start, end := c.Span(n)
			p.Report(start, min(end, start+len(firstLine(n.Text()))), "This is visible in all cases of the switch: put the statements of the case in a block.")
		}
	}, "lexical_declaration", "class_declaration", "function_declaration"),
}, {
	ID: "js-empty-pattern", Title: "Empty destructuring pattern", Severity: validate.Warning, Category: validate.Scripts,
	Aliases: validate.Aliases{validate.ESLint: {"no-empty-pattern"}, validate.Biome: {"noEmptyPattern"}},
	Doc:     "`const {} = options` declares nothing; usually a default was meant: `{ a = {} }`.",
	File:    "app.js", Bad: "function show({ size: {} }) { return 1; }\n", Good: "function show({ size = {} }) { return size; }\n",
	Check: validate.ScriptNodes(func(p *validate.Pass, c *validate.Code, n syntax.Node) {
		if strings.Trim(n.Text(), "{}[] \t\r\n") == "" {
			p.Node(c, n, "This pattern binds nothing: name the properties you need, or write = {} for a default.")
		}
	}, "object_pattern", "array_pattern"),
}, {
	ID: "js-delete-variable", Title: "delete of a variable", Severity: validate.Warning, Category: validate.Scripts,
	Aliases: validate.Aliases{validate.ESLint: {"no-delete-var"}},
	Doc:     "`delete` removes properties of objects; on a variable it has no effect, and in strict mode it is a syntax error.",
	File:    "app.js", Bad: "function clear(cache) { delete cache; }\n", Good: "function clear(cache) { delete cache.items; }\n",
	Check: validate.ScriptNodes(func(p *validate.Pass, c *validate.Code, n syntax.Node) {
		// The grammar reads delete g<T>(x) as a call of delete g.
		if by := n.Parent(); ecma.Is(by, "call_expression") && ecma.Part(by, 0) == n {
			return
		}
		if ecma.Operator(n) == "delete" && ecma.Is(ecma.Bare(ecma.Part(n, 0)), "identifier") {
			p.Node(c, n, "delete has no effect on a variable: set it to undefined, or delete a property.")
		}
	}, "unary_expression"),
}, {
	ID: "js-with", Title: "with statement", Severity: validate.Warning, Category: validate.Scripts,
	Aliases: validate.Aliases{validate.ESLint: {"no-with"}, validate.Biome: {"noWith"}},
	Doc:     "Nobody can tell which names in it are properties of the object. Strict mode and modules do not allow it.",
	File:    "app.js", Bad: "function area(box) { with (box) { return width * height; } }\n", Good: "function area({ width, height }) { return width * height; }\n",
	Check: validate.ScriptNodes(func(p *validate.Pass, c *validate.Code, n syntax.Node) {
		start, _ := c.Span(n)
		p.Report(start, start+len("with"), "Nobody can tell which names in here are properties of the object: use destructuring instead.")
	}, "with_statement"),
}, {
	ID: "js-octal", Title: "Octal literal or octal escape", Severity: validate.Warning, Category: validate.Scripts,
	Aliases: validate.Aliases{validate.ESLint: {"no-octal", "no-octal-escape", "no-nonoctal-decimal-escape"}},
	Doc:     "`071` is 57, and `\"\\8\"` means nothing: write `0o71`, or the number without the leading zero, and hexadecimal escapes. Strict mode allows neither.",
	File:    "app.js", Bad: "function mode() { return 0755; }\n", Good: "function mode() { return 0o755; }\n",
	Check: validate.ScriptNodes(checkOctal, "number", "escape_sequence"),
}, {
	ID: "js-unused-label", Title: "Unused label", Severity: validate.Warning, Category: validate.Scripts,
	Aliases: validate.Aliases{validate.ESLint: {"no-unused-labels"}, validate.Biome: {"noUnusedLabels"}},
	Doc:     "Left over from an edit, or an object was meant: `() => { a: 1 }` is a block with a label, `() => ({ a: 1 })` an object.",
	File:    "app.js", Bad: "rows: for (const row of table) { show(row); }\n", Good: "rows: for (const row of table) { for (const cell of row) { if (!cell) continue rows; } }\n",
	Check: validate.ScriptNodes(func(p *validate.Pass, c *validate.Code, n syntax.Node) {
		label := n.Child("statement_identifier")
		for _, x := range ecma.OwnNodes(n) {
			if ecma.Is(x, "break_statement", "continue_statement") && ecma.LabelOf(x) == label.Text() {
				return
			}
		}
		if c.Attr == nil && !label.IsZero() && label.Text() != "$" { // Svelte's
			reportAt(p, c, label, "Nothing jumps to the label %s: delete it, or put parentheses around it if an object was meant.", label.Text())
		}
	}, "labeled_statement"),
}, {
	ID: "js-unsafe-optional-chain", Title: "Optional chain used where undefined throws", Severity: validate.Warning, Category: validate.Scripts,
	Aliases: validate.Aliases{validate.ESLint: {"no-unsafe-optional-chaining"}, validate.Biome: {"noUnsafeOptionalChaining"}},
	Doc:     "`(a?.b).c` and `new (a?.b)()` throw a TypeError if `a` is null or undefined: the parentheses end the chain. Write `a?.b.c`, or give a default: `(a?.b ?? {}).c`.",
	File:    "app.js", Bad: "const { name } = user?.profile;\n", Good: "const { name } = user?.profile ?? {};\nconst size = user?.items.length;\n",
	Check: validate.EachScript(checkChains),
}, {
	ID: "js-not-callable", Title: "Call of an object that is not a function (Math, JSON ...)", Severity: validate.Warning, Category: validate.Scripts,
	Aliases: validate.Aliases{validate.ESLint: {"no-obj-calls", "no-new-native-nonconstructor"}, validate.Biome: {"noGlobalObjectCalls"}},
	Doc:     "`Math`, `JSON`, `Reflect`, `Atomics` and `Intl` are objects, not functions, and `Symbol` and `BigInt` are not constructors: the call throws.",
	File:    "app.js", Bad: "const id = new Symbol(\"id\");\n", Good: "const id = Symbol(\"id\");\nconst n = Math.max(1, 2);\n",
	Check: validate.EachScript(func(p *validate.Pass, c *validate.Code) {
		s := c.Scopes()
		for _, n := range c.Nodes("call_expression", "new_expression") {
			f := ecma.Part(n, 0)
			if s.Global(f, "Math", "JSON", "Reflect", "Atomics", "Intl") {
				reportAt(p, c, n, "%s is an object, not a function: this throws.", f.Text())
			} else if ecma.Is(n, "new_expression") && s.Global(f, "Symbol", "BigInt") {
				reportAt(p, c, n, "%s is not a constructor: remove new.", f.Text())
			}
		}
	}),
}, {
	ID: "js-prototype-builtin", Title: "Object.prototype method called on an object", Severity: validate.Info, Category: validate.Scripts,
	Aliases: validate.Aliases{validate.ESLint: {"no-prototype-builtins", "prefer-object-has-own"}, validate.Biome: {"noPrototypeBuiltins"}},
	Doc:     "Objects made with `Object.create(null)` do not have it, and data may contain a property of that name. Write `Object.hasOwn(o, key)`.",
	File:    "app.js", Bad: "if (options.hasOwnProperty(\"size\")) { show(); }\n", Good: "if (Object.hasOwn(options, \"size\")) { show(); }\n",
	Check: validate.ScriptNodes(func(p *validate.Pass, c *validate.Code, n syntax.Node) {
		f := ecma.Bare(ecma.Part(n, 0))
		object, name := ecma.Part(f, 0), memberName(f)
		if name != "hasOwnProperty" && name != "isPrototypeOf" && name != "propertyIsEnumerable" || ecma.Is(object, "super") || strings.HasSuffix(object.Text(), "prototype") {
			return
		}
		instead := "Object.prototype." + name + ".call(…)"
		if name == "hasOwnProperty" {
			instead = "Object.hasOwn(…)"
		}
		p.Node(c, ecma.Part(f, -1), "%s may lack this method, or have its own: write %s.", syntax.Clip(object.Text()), instead)
	}, "call_expression"),
}, {
	ID: "js-unexpected-multiline", Title: "Unexpected multiline expression", Severity: validate.Warning, Category: validate.Scripts,
	Aliases: validate.Aliases{validate.ESLint: {"no-unexpected-multiline"}},
	Doc: "A line that begins with `(`, `[`, a template literal or a regular expression continues the line above unless a semicolon ends that. Lines with deeper indentation " +
		"are meant to continue and pass.",
	File: "app.js", Bad: "const hello = world\n[1, 2].forEach(show);\n", Good: "const hello = world;\n[1, 2].forEach(show);\n",
	Check: validate.ScriptNodes(checkMultiline, "call_expression", "subscript_expression", "binary_expression"),
}, {
	ID: "js-irregular-whitespace", Title: "Irregular white space", Severity: validate.Warning, Category: validate.Scripts,
	Aliases: validate.Aliases{validate.ESLint: {"no-irregular-whitespace"}, validate.Biome: {"noIrregularWhitespace"}},
	Doc: "A no-break space, a zero-width space or another invisible character usually comes from pasted text. Some tools fail on it, and a search for the line finds nothing. " +
		"In strings, template literals, regular expressions and comments it passes.",
	File: "app.js", Bad: "const size =\u00a01;\n", Good: "const text = \"100\u00a0km\"; // 100\u00a0km\n",
	Check: validate.EachScript(checkWhitespace),
}, {
	ID: "js-await-in-loop", Title: "await inside a loop", Severity: validate.Info, Category: validate.Scripts,
	Aliases: validate.Aliases{validate.ESLint: {"no-await-in-loop"}, validate.Biome: {"noAwaitInLoops"}},
	Doc: "The iterations wait for each other. If they are independent, start them all and wait once: `await Promise.all(list.map(…))`. Loops that leave on a result, retry, " +
		"or carry a value to the next iteration pass, and so does `for await`.",
	File: "app.js", Bad: "async function load(ids) {\n  for (const id of ids) {\n    await fetch(url(id));\n  }\n}\n", Good: "async function load(ids) {\n  await Promise.all(ids.map((id) => fetch(url(id))));\n}\n",
	Check: validate.EachScript(checkAwait),
}})

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return strings.TrimRight(line, "\r")
}

// memberName is the name of a member that is written out: a.b, a["b"].
func memberName(n syntax.Node) string {
	switch {
	case ecma.Is(n, "member_expression"):
		return ecma.Part(n, -1).Text()
	case ecma.Is(n, "subscript_expression"):
		if i := ecma.Part(n, -1); ecma.Is(i, "string", "template_string") && len(i.Text()) > 1 {
			return i.Text()[1 : len(i.Text())-1]
		}
	}
	return ""
}

func checkDirection(p *validate.Pass, c *validate.Code, n syntax.Node) {
	list := ecma.Parts(n)
	if len(list) != 4 {
		return
	}
	test, update := ecma.Bare(ecma.Part(list[1], 0)), list[2]
	counter, op := ecma.Part(test, 0), ecma.Operator(test)
	if ecma.Is(test, "binary_expression") && !ecma.Is(counter, "identifier") || ecma.Is(test, "binary_expression") && !counts(update, counter.Text()) && ecma.Is(ecma.Part(test, 1), "identifier") && counts(update, ecma.Part(test, 1).Text()) {
		counter = ecma.Part(test, 1)
		op = map[string]string{"<": ">", "<=": ">=", ">": "<", ">=": "<="}[op]
	}
	wanted := map[string]int{"<": 1, "<=": 1, ">": -1, ">=": -1}[op]
	if !ecma.Is(counter, "identifier") || wanted == 0 {
		return
	}
	got := 0
	switch {
	case ecma.Is(update, "update_expression") && ecma.Part(update, 0).Text() == counter.Text():
		got = 1
		if strings.Contains(update.Text(), "--") {
			got = -1
		}
	case ecma.Is(update, "augmented_assignment_expression") && ecma.Part(update, 0).Text() == counter.Text():
		got = step(ecma.Part(update, 1)) * map[string]int{"+=": 1, "-=": -1}[ecma.Operator(update)]
	}
	if got == -wanted {
		p.Node(c, update, "This counts away from the end of the loop: it never ends, or never begins.")
	}
}

// counts reports whether an expression changes a counter of a name.
func counts(update syntax.Node, name string) bool {
	return ecma.Is(update, "update_expression", "augmented_assignment_expression") && ecma.Part(update, 0).Text() == name
}

// step is the sign of a number that is written out; 0 where it is not.
func step(n syntax.Node) int {
	if ecma.Is(n, "unary_expression") && ecma.Operator(n) == "-" {
		return -step(ecma.Part(n, 0))
	}
	if v, ok := ecma.NumberOf(n); ecma.Is(n, "number") && ok {
		return v.Sign()
	}
	return 0
}

func checkOctal(p *validate.Pass, c *validate.Code, n syntax.Node) {
	text := n.Text()
	if ecma.Is(n, "number") {
		if len(text) > 1 && text[0] == '0' && '0' <= text[1] && text[1] <= '9' {
			p.Node(c, n, "A number that begins with 0 is octal: write 0o%s, or remove the zero.", strings.TrimLeft(text, "0"))
		}
		return
	}
	if ecma.Is(n.Parent(), "string") && len(text) == 2 && (text[1] == '8' || text[1] == '9') {
		p.Node(c, n, "%s means nothing: write %s, or \\u003%s.", text, text[1:], text[1:])
	}
}

// checkChains looks at chains with ?. that end in brackets, or where a value must not be undefined.
func checkChains(p *validate.Pass, c *validate.Code) {
	told := map[syntax.Node]bool{}
	for _, n := range c.Nodes("optional_chain") {
		top := n.Parent()
		for by := top.Parent(); ecma.Is(by, "member_expression", "call_expression", "subscript_expression", "non_null_expression") && ecma.Part(by, 0) == top; by = by.Parent() {
			top = by
		}
		if told[top] {
			continue
		}
		told[top] = true
		if why := throwsWhenUndefined(top); why != "" && !testedBefore(n) {
			reportAt(p, c, top, "If this chain is undefined, %s throws: give a default with ??, or continue with ?.", why)
		}
	}
}

// testedBefore reports whether the value before an optional chain's ?. was tested on
// the way there: s && s?.x, s ? s?.x : y, if (s) s?.x. Then the chain goes on.
func testedBefore(chain syntax.Node) bool {
	value := ecma.Part(chain.Parent(), 0)
	tests := func(condition syntax.Node) bool { return conjunct(condition, value.Text()) }
	for n, by := chain, chain.Parent(); !by.IsZero(); n, by = by, by.Parent() {
		switch by.Kind() {
		case "ternary_expression":
			if ecma.Part(by, 1) == n && tests(ecma.Part(by, 0)) {
				return true
			}
		case "binary_expression":
			if ecma.Operator(by) == "&&" && ecma.Part(by, 1) == n && tests(ecma.Part(by, 0)) {
				return true
			}
		case "if_statement":
			if ecma.Part(by, 1) == n && tests(ecma.Part(by, 0)) {
				return true
			}
		case "function_declaration", "function_expression", "arrow_function", "method_definition", "program":
			return false
		}
	}
	return false
}

// conjunct reports whether a condition that holds says that a value is truthy.
func conjunct(condition syntax.Node, value string) bool {
	condition = ecma.Bare(condition)
	if ecma.Is(condition, "binary_expression") && ecma.Operator(condition) == "&&" {
		return conjunct(ecma.Part(condition, 0), value) || conjunct(ecma.Part(condition, 1), value)
	}
	return !condition.IsZero() && condition.Text() == value
}

// throwsWhenUndefined says what of an expression's surroundings throws when it
// is undefined; "" where nothing does.
func throwsWhenUndefined(n syntax.Node) string {
	for by := n.Parent(); !by.IsZero(); n, by = by, by.Parent() {
		switch by.Kind() {
		case "parenthesized_expression", "await_expression":
			if ecma.Is(by.Parent(), "with_statement") {
				return "with"
			}
		case "ternary_expression":
			if ecma.Part(by, 0) == n {
				return ""
			}
		case "sequence_expression":
			if ecma.Part(by, -1) != n {
				return ""
			}
		case "binary_expression":
			switch op := ecma.Operator(by); {
			case (op == "in" || op == "instanceof") && ecma.Part(by, 1) == n:
				return op
			case (op == "||" || op == "??") && ecma.Part(by, 1) == n, op == "&&":
			default:
				return ""
			}
		case "member_expression", "subscript_expression":
			if ecma.Part(by, 0) == n && ecma.Is(n, "parenthesized_expression") && by.Child("optional_chain").IsZero() {
				return "reading a property of it"
			}
			return ""
		case "call_expression":
			if ecma.Part(by, 0) == n && ecma.Is(n, "parenthesized_expression") && by.Child("optional_chain").IsZero() {
				return "calling it"
			}
			return ""
		case "new_expression":
			if ecma.Part(by, 0) == n {
				return "new"
			}
			return ""
		case "spread_element":
			if ecma.Is(by.Parent(), "array", "arguments") {
				return "spreading it"
			}
			return ""
		case "variable_declarator", "assignment_expression", "assignment_pattern", "object_assignment_pattern":
			if ecma.Is(ecma.Part(by, 0), "object_pattern", "array_pattern") && ecma.Part(by, -1) == n {
				return "destructuring it"
			}
			if !ecma.Is(by, "assignment_expression") {
				return ""
			}
			if ecma.Part(by, 0) == n {
				return ""
			}
		case "for_in_statement":
			if ecma.HasKeyword(by, "of") && ecma.Part(by, 1) == n {
				return "looping over it"
			}
			return ""
		case "class_heritage":
			return "extends"
		default:
			return ""
		}
	}
	return ""
}

func checkMultiline(p *validate.Pass, c *validate.Code, n syntax.Node) {
	left := ecma.Part(n, 0)
	if ecma.Is(n, "binary_expression") {
		checkDivision(p, c, n)
		return
	}
	text := c.Tree.Root().Text()
	base := c.Tree.Root().Start().Offset
	for x := range n.Children() {
		open := ecma.Is(x, "arguments", "template_string") || x.Kind() == "["
		if x == left || !open {
			continue
		}
		gap := text[left.End().Offset-base : x.Start().Offset-base]
		if n.Child("optional_chain").IsZero() && strings.Contains(gap, "\n") && !strings.Contains(gap, "//") && !strings.Contains(gap, "/*") && !ecma.Is(left, "arrow_function") && !deeper(x, n) {
			start, _ := c.Span(x)
			p.Report(start, start+1, "This continues the line above: end that with a semicolon if a new statement was meant.")
		}
		return
	}
}

// deeper reports whether a line is indented more than the statement that it
// goes on with: then it is meant to.
func deeper(x, n syntax.Node) bool {
	for n = n.Parent(); !n.IsZero(); n = n.Parent() {
		if strings.HasSuffix(n.Kind(), "_statement") || strings.HasSuffix(n.Kind(), "_declaration") {
			return x.Start().Byte > n.Start().Byte
		}
	}
	return false
}

// checkDivision finds a regular expression that a missing semicolon makes two divisions.
func checkDivision(p *validate.Pass, c *validate.Code, n syntax.Node) {
	left := ecma.Part(n, 0)
	if ecma.Operator(n) != "/" || !ecma.Is(left, "binary_expression") || ecma.Operator(left) != "/" {
		return
	}
	var slash, second syntax.Node
	for x := range left.Children() {
		if x.Kind() == "/" {
			slash = x
		}
	}
	for x := range n.Children() {
		if x.Kind() == "/" {
			second = x
		}
	}
	flags := ecma.Part(n, 1)
	for ecma.Is(flags, "member_expression", "call_expression") {
		flags = ecma.Part(flags, 0)
	}
	if slash.Start().Line > ecma.Part(left, 0).End().Line && second.Start().Line == slash.Start().Line && second.End() == flags.Start() && ecma.Is(flags, "identifier") && strings.Trim(flags.Text(), "dgimsuvy") == "" {
		start, end := c.Span(slash)
		p.Report(start, end, "This divides: end the line above with a semicolon if a regular expression was meant.")
	}
}

func checkWhitespace(p *validate.Pass, c *validate.Code) {
	root := c.Tree.Root()
	text := root.Text()
	if !strings.ContainsAny(text, syntax.IrregularSpaces) {
		return
	}
	var inside [][2]int
	for _, n := range c.Nodes("string", "template_string", "comment", "regex", "jsx_text") {
		inside = append(inside, [2]int{n.Start().Offset, n.End().Offset})
	}
	for i, r := range text {
		at := root.Start().Offset + i
		if !strings.ContainsRune(syntax.IrregularSpaces, r) || r == '\ufeff' && at == 0 {
			continue
		}
		within := false
		for _, x := range inside {
			within = within || x[0] <= at && at < x[1]
		}
		if start := c.Base + at; !within && p.Written(start, start+utf8.RuneLen(r)) {
			fix := &validate.Fix{Title: "Write a space", Edits: []validate.Edit{{Start: start, End: start + utf8.RuneLen(r), New: " "}}}
			p.Offer(start, start+utf8.RuneLen(r), fix, "The invisible character U+%04X is here: write a space.", r)
		}
	}
}

func checkAwait(p *validate.Pass, c *validate.Code) {
	for _, n := range c.Nodes("await_expression") {
		loop := n
		for inner := n.Parent(); !inner.IsZero() && !ecma.Is(inner, ecma.FunctionKinds...); inner = inner.Parent() {
			if ecma.Is(inner, "for_statement", "for_in_statement", "while_statement", "do_statement") && !(ecma.Is(inner, "for_in_statement") && within(n, ecma.Part(inner, -2))) {
				loop = inner
				break
			}
		}
		if loop == n || ecma.HasKeyword(loop, "await") || !ecma.Is(loop, "for_in_statement") || carries(c, loop) {
			continue
		}
		reportAt(p, c, n, "The iterations wait for each other: if they are independent, start all and await Promise.all.")
		break // one for each file
	}
}

// carries reports whether a loop's rounds may need each other: it leaves early,
// catches, sleeps, or writes to what was there before.
func carries(c *validate.Code, loop syntax.Node) bool {
	for _, x := range ecma.OwnNodes(loop) {
		if ecma.Is(x, "break_statement", "return_statement", "continue_statement", "try_statement", "throw_statement", "if_statement", "yield_expression", "assignment_expression", "augmented_assignment_expression", "update_expression") {
			return true
		}
	}
	awaits := 0
	for _, x := range ecma.OwnNodes(loop) {
		if ecma.Is(x, "await_expression") {
			awaits++
		}
	}
	return awaits != 1 || len(c.Nodes("ERROR")) > 0
}
