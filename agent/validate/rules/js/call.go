package js

import (
	"strings"

	"caselsp/agent/ecma"
	"caselsp/agent/syntax"
	"caselsp/agent/validate"
)

// callRules are about functions and how they are called.
var callRules = validate.Authored([]validate.Rule{{
	ID: "js-debugger", Title: "debugger statement", Severity: validate.Warning, Category: validate.Scripts,
	Aliases: validate.Aliases{validate.ESLint: {"no-debugger"}, validate.Biome: {"noDebugger"}},
	Doc:     "It stops the program if the developer tools are open. Remove it before you commit.",
	File:    "app.js", Bad: "function f() {\n  debugger;\n  return 1;\n}\n", Good: "function f() {\n  return 1;\n}\n",
	Check: validate.ScriptNodes(func(p *validate.Pass, c *validate.Code, n syntax.Node) {
		start, end := c.Span(n)
		p.Offer(start, end, &validate.Fix{Title: "Delete it", Edits: []validate.Edit{{Start: start, End: end}}}, "This stops the program if the developer tools are open: delete it.")
	}, "debugger_statement"),
}, {
	ID: "js-console-log", Title: "console.log left in", Severity: validate.Warning, Category: validate.Scripts,
	Aliases: validate.Aliases{validate.ESLint: {"no-console"}, validate.Biome: {"noConsole"}},
	Doc: "Debug output fills the users' consoles. `console.error`, `console.warn` and `console.info` are deliberate and pass; so do scripts that talk to the person who runs " +
		"them: commands (`#!`), tests, examples and build scripts.",
	File: "app.js", Bad: "fetch(url).then(r => { console.log(r); return r.json(); });\n", Good: "fetch(url).catch(e => { console.error(e); });\n",
	Check: validate.ScriptNodes(func(p *validate.Pass, c *validate.Code, n syntax.Node) {
		if name := ecma.Callee(n); (name == "console.log" || name == "console.debug" || name == "console.dir" || name == "console.table") && !forPeople(p) && !guarded(n) {
			p.Node(c, n, "%s fills the users' consoles: delete it, or write console.info if it is intended.", name)
		}
	}, "call_expression"),
}, {
	ID: "js-alert", Title: "alert, confirm or prompt", Severity: validate.Info, Category: validate.Scripts,
	Aliases: validate.Aliases{validate.ESLint: {"no-alert"}, validate.Biome: {"noAlert"}},
	Doc:     "They block the page and look like dialogs of the browser; a `<dialog>` does neither. A function of that name in the same file passes.",
	File:    "app.js", Bad: "save().catch(() => alert(\"Not saved\"));\n", Good: "save().catch(() => show(dialog, \"Not saved\"));\n",
	Check: validate.EachScript(func(p *validate.Pass, c *validate.Code) {
		for _, n := range c.Nodes("call_expression") {
			name := strings.TrimPrefix(ecma.Callee(n), "window.")
			if (name != "alert" && name != "confirm" && name != "prompt") || len(ecma.Arguments(n)) == 0 || forPeople(p) {
				continue
			}
			if start, end := c.Span(n); !declares(c.Scopes(), name) && p.Written(start, end) {
				p.Report(start, end, "%s blocks the page: use a <dialog>.", name)
			}
		}
	}),
}, {
	ID: "js-loose-equality", Title: "Loose equality: == instead of ===", Severity: validate.Warning, Category: validate.Scripts,
	Aliases: validate.Aliases{validate.ESLint: {"eqeqeq"}, validate.Biome: {"noDoubleEquals"}},
	Doc: "`==` converts before it compares: `\"\" == 0` and `[] == false` are true. Write `===`. `== null`, which tests for null and undefined at once, and comparisons of " +
		"literals and of `typeof` pass; checked only in files that use `===` at least as often.",
	File: "app.js", Bad: "if (a === 1 || b == c) { go(); }\n", Good: "if (a === 1 || b == null || typeof c == \"string\") { go(); }\n",
	Check: validate.EachScript(checkEquality),
}, {
	ID: "js-var", Title: "var among let and const", Severity: validate.Info, Category: validate.Scripts,
	Aliases: validate.Aliases{validate.ESLint: {"no-var"}, validate.Biome: {"noVar"}},
	Doc:     "A `var` is visible in the whole function and may be declared twice. Checked only in files that use `let` or `const`; the first of a file is reported.",
	File:    "app.js", Bad: "const a = 1;\nvar b = 2;\n", Good: "const a = 1;\nlet b = 2;\n",
	Check: validate.EachScript(func(p *validate.Pass, c *validate.Code) {
		if list := c.Nodes("variable_declaration"); len(c.Nodes("lexical_declaration")) > 0 && len(list) > 0 && c.Attr == nil {
			start, _ := c.Span(list[0])
			if p.Written(start, start+len("var")) {
				p.Report(start, start+len("var"), "This file uses let and const: declare this with one of them, too.")
			}
		}
	}),
}, {
	ID: "js-prefer-arrow", Title: "Function expression among arrow functions", Severity: validate.Info, Category: validate.Scripts,
	Aliases: validate.Aliases{validate.ESLint: {"prefer-arrow-callback"}, validate.Biome: {"useArrowFunction"}},
	Doc:     "An anonymous callback that uses neither `this` nor `arguments` is shorter as an arrow function. Checked only in files that already use arrow functions.",
	File:    "app.js", Bad: "const ids = list.map(x => x.id);\nlist.forEach(function (x) { show(x); });\n", Good: "const ids = list.map(x => x.id);\nlist.forEach(function (x) { this.show(x); }, page);\n",
	Check: validate.EachScript(checkArrows),
}, {
	ID: "js-callback-return", Title: "Array callback without a return value", Severity: validate.Warning, Category: validate.Scripts,
	Aliases: validate.Aliases{validate.ESLint: {"array-callback-return"}, validate.Biome: {"useIterableCallbackReturn"}},
	Doc: "`map`, `filter`, `reduce`, `some`, `every`, `find` and similar methods use the callback's return value; without a `return` it is undefined. To do something with " +
		"each item, write `forEach`.",
	File: "app.js", Bad: "const names = users.map(u => { u.name; });\n", Good: "const names = users.map(u => { return u.name; });\n$(\"li\").map(function () { paint(this); });\n",
	Check: validate.ScriptNodes(checkCallback, "call_expression"),
}, {
	ID: "js-async-executor", Title: "Async function as promise executor", Severity: validate.Warning, Category: validate.Scripts,
	Aliases: validate.Aliases{validate.ESLint: {"no-async-promise-executor"}, validate.Biome: {"noAsyncPromiseExecutor"}},
	Doc:     "An error in it rejects a promise that nobody holds, and the new promise stays pending. Use `await` outside, or drop `new Promise`.",
	File:    "app.js", Bad: "new Promise(async (resolve) => { resolve(await load()); });\n", Good: "new Promise((resolve, reject) => { load().then(resolve, reject); });\n",
	Check: validate.ScriptNodes(func(p *validate.Pass, c *validate.Code, n syntax.Node) {
		if args := ecma.Arguments(n); c.Scopes().Global(ecma.Part(n, 0), "Promise") && len(args) > 0 && ecma.Is(args[0], "arrow_function", "function_expression", "function") && ecma.HasKeyword(args[0], "async") {
			start, _ := c.Span(args[0])
			p.Report(start, start+len("async"), "Errors of this function are lost, and the promise stays pending: await outside of new Promise.")
		}
	}, "new_expression"),
}, {
	ID: "js-async-foreach", Title: "Async function passed to forEach", Severity: validate.Warning, Category: validate.Scripts,
	Doc:  "`forEach` does not wait: the code after it runs before the work is done, and errors are lost. Write `for (const x of list)`, or `await Promise.all(list.map(…))`.",
	File: "app.js", Bad: "ids.forEach(async (id) => { await load(id); });\n", Good: "await Promise.all(ids.map(async (id) => { await load(id); }));\n",
	Check: validate.ScriptNodes(func(p *validate.Pass, c *validate.Code, n syntax.Node) {
		_, name := ecma.Method(n)
		if args := ecma.Arguments(n); name == "forEach" && len(args) > 0 && ecma.Is(args[0], "arrow_function", "function_expression", "function") && ecma.HasKeyword(args[0], "async") {
			start, _ := c.Span(args[0])
			p.Report(start, start+len("async"), "forEach does not wait for this: write for…of, or Promise.all with map.")
		}
	}, "call_expression"),
}, {
	ID: "js-for-in-array", Title: "for…in over an array", Severity: validate.Warning, Category: validate.Scripts,
	Aliases: validate.Aliases{validate.ESLint: {"@typescript-eslint/no-for-in-array"}},
	Doc: "It iterates over the indices, as strings, and over any other property of the array. Write `for…of`. Reported if the array is a literal there or a constant of the " +
		"file.",
	File: "app.js", Bad: "const days = [\"Mon\", \"Tue\"];\nfor (const d in days) { show(d); }\n", Good: "const days = [\"Mon\", \"Tue\"];\nfor (const d of days) { show(d); }\n",
	Check: validate.EachScript(checkForIn),
}, {
	ID: "js-map-parseint", Title: "parseInt passed to map", Severity: validate.Warning, Category: validate.Scripts,
	Doc:  "`map` passes the index as second argument, which `parseInt` takes as the radix: `[\"1\", \"2\"].map(parseInt)` is `[1, NaN]`. Write `map(Number)` or an arrow function.",
	File: "app.js", Bad: "const sizes = \"1 2 3\".split(\" \").map(parseInt);\n", Good: "const sizes = \"1 2 3\".split(\" \").map(Number);\n",
	Check: validate.ScriptNodes(func(p *validate.Pass, c *validate.Code, n syntax.Node) {
		_, name := ecma.Method(n)
		if args := ecma.Arguments(n); name == "map" && len(args) == 1 && (args[0].Text() == "parseInt" || args[0].Text() == "Number.parseInt") {
			start, end := c.Span(args[0])
			p.Offer(start, end, &validate.Fix{Title: "Parse with base 10", Edits: []validate.Edit{{Start: start, End: end, New: "(s) => parseInt(s, 10)"}}}, "parseInt uses the index as radix: all results but the first are wrong or NaN.")
		}
	}, "call_expression"),
}})

// guarded reports whether a call is only made where somebody asked for it: in
// an if about debugging or being verbose.
func guarded(n syntax.Node) bool {
	for x := n.Parent(); !x.IsZero(); x = x.Parent() {
		if ecma.Is(x, "if_statement", "binary_expression", "ternary_expression") && syntax.ContainsAny(strings.ToLower(ecma.Part(x, 0).Text()), []string{"debug", "verbose", "log", "dev", "console", "trace", "silent", "quiet"}) {
			return true
		}
		if name := ecma.Part(x, 0); ecma.Is(x, "function_declaration", "method_definition", "variable_declarator", "pair", "assignment_expression") && syntax.ContainsAny(strings.ToLower(name.Text()), []string{"debug", "log", "trace", "print", "dump", "warn", "help", "usage", "version"}) {
			return true // a logger of its own
		}
	}
	return false
}

func checkEquality(p *validate.Pass, c *validate.Code) {
	strict, loose := 0, []syntax.Node{}
	for _, n := range c.Nodes("binary_expression") {
		switch ecma.Operator(n) {
		case "===", "!==":
			strict++
		case "==", "!=":
			loose = append(loose, n)
		}
	}
	if strict < len(loose) {
		return // a file in the old style, or of a language that compiles to it
	}
	for _, n := range loose {
		left, right := ecma.Bare(ecma.Part(n, 0)), ecma.Bare(ecma.Part(n, 1))
		if ecma.Is(left, "null", "undefined") || ecma.Is(right, "null", "undefined") || ecma.IsLiteral(left) && ecma.IsLiteral(right) || ecma.Is(left, "unary_expression") && ecma.Operator(left) == "typeof" || ecma.Is(right, "unary_expression") && ecma.Operator(right) == "typeof" {
			continue
		}
		for x := range n.Children() {
			if start, end := c.Span(x); !x.Named() && p.Written(start, end) {
				p.Report(start, end, "%s converts before it compares, and this file uses %s= elsewhere: write %s=.", x.Kind(), x.Kind(), x.Kind())
				break
			}
		}
	}
}

func checkArrows(p *validate.Pass, c *validate.Code) {
	if len(c.Nodes("arrow_function")) == 0 {
		return
	}
	for _, n := range c.Nodes("function_expression", "function") {
		params, body := n.Child("formal_parameters"), n.Child("statement_block")
		if !n.Named() || !ecma.Is(n.Parent(), "arguments") || params.IsZero() || body.IsZero() || ecma.Is(ecma.Part(n, 0), "identifier") || ecma.HasKeyword(n, "*") || usesThis(n) {
			continue
		}
		start, end := c.Span(n)
		paramsStart, paramsEnd := c.Span(params)
		if !p.Written(start, end) || strings.Contains(params.Text(), "this") {
			continue
		}
		async := ""
		if ecma.HasKeyword(n, "async") {
			async = "async "
		}
		fix := &validate.Fix{Title: "Make it an arrow function", Edits: []validate.Edit{{Start: start, End: paramsStart, New: async}, {Start: paramsEnd, End: paramsEnd, New: " =>"}}}
		if strings.Contains(p.Text[start:paramsStart], "/") {
			fix = nil // a comment stands there
		}
		p.Offer(start, paramsStart, fix, "This callback does not use this: write an arrow function, as elsewhere in this file.")
	}
}

// usesThis reports whether a function needs a this, arguments or a prototype
// of its own.
func usesThis(n syntax.Node) bool {
	for x := range n.Walk() {
		if ecma.Is(x, "this", "super", "meta_property") || ecma.Is(x, "identifier") && (x.Text() == "arguments" || x.Text() == "eval") {
			return true
		}
	}
	return false
}

// returning are the methods of arrays that go by what their callback returns.
var returning = syntax.WordSet("map filter reduce reduceRight some every find findIndex findLast findLastIndex flatMap sort toSorted")

// mapping are those of returning for which undefined is an item as any other:
// where one way through a callback returns a value, all must.
var mapping = syntax.WordSet("map reduce reduceRight flatMap sort toSorted")

func checkCallback(p *validate.Pass, c *validate.Code, n syntax.Node) {
	object, name := ecma.Method(n)
	args := ecma.Arguments(n)
	if name == "from" && len(args) > 1 && (object.Text() == "Array" || strings.HasSuffix(object.Text(), "Array")) {
		args, name = args[1:], "map" // Array.from(list, callback)
	}
	if !returning[name] || len(args) == 0 || !ecma.Is(args[0], "arrow_function", "function_expression", "function") || ecma.HasKeyword(args[0], "async") || ecma.HasKeyword(args[0], "*") {
		return
	}
	root := object
	for ecma.Is(root, "call_expression", "member_expression") {
		root = ecma.Part(root, 0)
	}
	body := args[0].Child("statement_block")
	e := c.Flows().Bodies[body]
	gives := e.Value && !e.Bare && !e.Next || e.Value && !mapping[name] || !e.Next && !e.Bare
	if body.IsZero() || gives || strings.HasPrefix(root.Text(), "$") || root.Text() == "jQuery" || usesThis(args[0]) {
		return
	}
	first := args[0]
	start, _ := c.Span(first)
	end, _ := c.Span(body)
	p.Report(start, end, "%s uses this callback's return value, and %s: add a return, or write forEach.", name, returnsWhat(e))
}

func returnsWhat(e ecma.Ending) string {
	if e.Value {
		return "some paths return nothing"
	}
	return "it returns nothing"
}

func checkForIn(p *validate.Pass, c *validate.Code) {
	for _, n := range c.Nodes("for_in_statement") {
		list := ecma.Parts(n)
		if !ecma.HasKeyword(n, "in") || len(list) < 3 {
			continue
		}
		over := list[len(list)-2]
		isArray := ecma.Is(over, "array")
		if r := c.Scopes().At[over]; r != nil && r.To != nil && len(r.To.Defs) == 1 && r.To.Defs[0].Kind == "const" && ecma.Is(r.To.Defs[0].By, "variable_declarator") {
			made := ecma.Part(r.To.Defs[0].By, -1)
			isArray = ecma.Is(made, "array") && len(ecma.Parts(made)) > 0
		}
		if start, end := c.Span(over); isArray && p.Written(start, end) {
			p.Report(start, end, "for…in iterates over the indices as strings: write for…of.")
		}
	}
}
