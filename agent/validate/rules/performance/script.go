package performance

import (
	"strings"

	"caselsp/agent/ecma"
	"caselsp/agent/syntax"
	"caselsp/agent/validate"
)

// scriptRules are about scripts that make pages slow.
var scriptRules = validate.Authored([]validate.Rule{{
	ID: "perf-document-write", Title: "document.write", Severity: validate.Warning, Category: validate.Performance,
	Aliases: validate.Aliases{validate.Lighthouse: {"no-document-write"}, validate.Biome: {"noDocumentWrite"}},
	Doc: "It blocks the HTML parser, and browsers refuse it on slow connections. Called after the page is loaded, it erases the page. Writing into another document, such as " +
		"that of a new window, passes.",
	File: "app.js", Bad: "document.write(\"<p>Hello</p>\");\n", Good: "document.body.append(greeting);\npopup.document.write(\"<p>Hello</p>\");\n",
	Check: validate.ScriptNodes(func(p *validate.Pass, c *validate.Code, n syntax.Node) {
		if name := ecma.Callee(n); (name == "document.write" || name == "document.writeln" || name == "window.document.write") && len(ecma.Arguments(n)) > 0 {
			p.Node(c, n, "%s blocks the HTML parser: create elements and append them.", name)
		}
	}, "call_expression"),
}, {
	ID: "perf-sync-request", Title: "Synchronous XMLHttpRequest", Severity: validate.Warning, Category: validate.Performance,
	Doc:  "A synchronous XMLHttpRequest freezes the whole page; browsers warn about it and plan to remove it. Use `fetch` and `await`.",
	File: "app.js", Bad: "const r = new XMLHttpRequest();\nr.open(\"GET\", \"/data.json\", false);\n", Good: "const r = new XMLHttpRequest();\nr.open(\"GET\", \"/data.json\", true);\n",
	Check: validate.ScriptNodes(func(p *validate.Pass, c *validate.Code, n syntax.Node) {
		object, name := ecma.Method(n)
		args := ecma.Arguments(n)
		if name == "open" && len(args) >= 3 && ecma.Is(args[2], "false") && ecma.Is(args[0], "string") {
			p.Node(c, args[2], "The page freezes until the response arrives: remove false, or use fetch.")
		}
		if (name == "ajax" || name == "ajaxSetup") && !object.IsZero() && (object.Text() == "$" || object.Text() == "jQuery") {
			for _, a := range args {
				for _, x := range ecma.Parts(a) {
					if ecma.Is(x, "pair") && strings.Trim(ecma.Part(x, 0).Text(), `"'`) == "async" && ecma.Is(ecma.Part(x, 1), "false") {
						p.Node(c, x, "The page freezes until the response arrives: remove async: false.")
					}
				}
			}
		}
	}, "call_expression"),
}, {
	ID: "perf-unload", Title: "unload event handler", Severity: validate.Warning, Category: validate.Performance,
	Aliases: validate.Aliases{validate.Lighthouse: {"no-unload-listeners"}, validate.Term: {"bfcache"}},
	Doc:     "It disables the back/forward cache (bfcache), and on phones it often does not run. Use `pagehide` or `visibilitychange`.",
	File:    "app.js", Bad: "window.addEventListener(\"unload\", save);\n", Good: "window.addEventListener(\"pagehide\", save);\n",
	Check: validate.ScriptNodes(func(p *validate.Pass, c *validate.Code, n syntax.Node) {
		if ecma.Is(n, "assignment_expression") {
			if left := ecma.Part(n, 0); ecma.Is(left, "member_expression") && (left.Text() == "window.onunload" || left.Text() == "document.body.onunload") && !ecma.Is(ecma.Part(n, 1), "null") {
				p.Node(c, left, "This disables the back/forward cache: use pagehide.")
			}
			return
		}
		object, name := ecma.Method(n)
		args := ecma.Arguments(n)
		if s, ok := "", false; name == "addEventListener" && len(args) > 1 && (object.Text() == "window" || object.Text() == "document") {
			if s, ok = ecma.Unquote(args[0]); ok && s == "unload" {
				p.Node(c, args[0], "This disables the back/forward cache: use pagehide.")
			}
		}
	}, "call_expression", "assignment_expression"),
}, {
	ID: "perf-passive-listener", Title: "Scroll listener that is not passive", Severity: validate.Info, Category: validate.Performance,
	Aliases: validate.Aliases{validate.Lighthouse: {"uses-passive-event-listeners"}},
	Doc:     "Before it scrolls, the browser waits in case the listener calls `preventDefault`. This one never does: pass `{ passive: true }`.",
	File:    "app.js", Bad: "list.addEventListener(\"touchmove\", (e) => { track(e.touches); });\n", Good: "list.addEventListener(\"touchmove\", (e) => { track(e.touches); }, { passive: true });\n",
	Check: validate.ScriptNodes(func(p *validate.Pass, c *validate.Code, n syntax.Node) {
		_, name := ecma.Method(n)
		args := ecma.Arguments(n)
		if name != "addEventListener" || len(args) != 2 || !ecma.Is(args[1], "arrow_function", "function_expression", "function") {
			return
		}
		if s, ok := ecma.Unquote(args[0]); !ok || s != "touchstart" && s != "touchmove" && s != "wheel" && s != "mousewheel" {
			return
		}
		if handsEventOn(args[1]) {
			return
		}
		_, end := c.Span(args[1])
		p.Offer(c.Base+args[0].Start().Offset, c.Base+args[0].End().Offset, &validate.Fix{Title: "Add { passive: true }", Edits: []validate.Edit{{Start: end, End: end, New: ", { passive: true }"}}}, "Scrolling waits for this listener, which never prevents it: add { passive: true }.")
	}, "call_expression"),
}, {
	ID: "perf-layout-thrashing", Title: "Layout thrashing (forced reflow) in a loop", Severity: validate.Warning, Category: validate.Performance,
	Doc: "After a style change, reading a size (`offsetHeight`, `getBoundingClientRect()`) forces the browser to lay out the whole page, in each iteration. Read all sizes " +
		"first, then change the styles.",
	File: "app.js", Bad: "for (const row of rows) {\n  row.style.height = box.offsetHeight + \"px\";\n}\n", Good: "const height = box.offsetHeight;\nfor (const row of rows) {\n  row.style.height = height + \"px\";\n}\n",
	Check: validate.ScriptNodes(func(p *validate.Pass, c *validate.Code, n syntax.Node) {
		writes, read := false, syntax.Node{}
		for _, x := range ecma.OwnNodes(ecma.Part(n, -1)) {
			if ecma.Is(x, "assignment_expression", "augmented_assignment_expression") && strings.Contains(ecma.Part(x, 0).Text(), ".style.") && !strings.HasSuffix(ecma.Part(x, 0).Text(), "ransform") {
				writes = true
			}
			if ecma.Is(x, "member_expression") && layoutReads[ecma.Part(x, -1).Text()] && read.IsZero() && !assignedTo(x) {
				read = x
			}
		}
		if writes && !read.IsZero() && ecma.Enclosing(read, "for_statement", "for_in_statement", "while_statement", "do_statement").Start() == n.Start() {
			p.Node(c, read, "Each iteration forces a layout of the page: read the sizes before the loop changes styles.")
		}
	}, "for_statement", "for_in_statement", "while_statement"),
}, {
	ID: "perf-innerhtml-append", Title: "innerHTML += in a loop", Severity: validate.Warning, Category: validate.Performance,
	Doc:  "Each iteration serializes the existing content, parses it again and loses its listeners. Collect the text and set it once, or append elements.",
	File: "app.js", Bad: "for (const u of users) {\n  list.innerHTML += row(u);\n}\n", Good: "let html = \"\";\nfor (const u of users) {\n  html += row(u);\n}\nlist.innerHTML = html;\n",
	Check: validate.ScriptNodes(func(p *validate.Pass, c *validate.Code, n syntax.Node) {
		left := ecma.Part(n, 0)
		if !ecma.Is(left, "member_expression") || ecma.Part(left, -1).Text() != "innerHTML" || ecma.Operator(n) != "+=" {
			return
		}
		loop := ecma.Enclosing(n, append([]string{"for_statement", "for_in_statement", "while_statement", "do_statement"}, ecma.FunctionKinds...)...)
		if ecma.Is(loop, ecma.FunctionKinds...) && ecma.Is(loop.Parent(), "arguments") {
			if _, name := ecma.Method(loop.Parent().Parent()); name == "forEach" {
				p.Node(c, left, "Each iteration parses the existing content again: collect the text and set it once.")
			}
		} else if ecma.Is(loop, "for_statement", "for_in_statement", "while_statement", "do_statement") {
			p.Node(c, left, "Each iteration parses the existing content again: collect the text and set it once.")
		}
	}, "augmented_assignment_expression"),
}})

// layoutReads are the properties for which browsers lay the page out.
var layoutReads = syntax.WordSet("offsetHeight offsetWidth offsetTop offsetLeft clientHeight clientWidth scrollHeight scrollWidth getBoundingClientRect getClientRects innerText")

// assignedTo reports whether a member is what an assignment sets.
func assignedTo(n syntax.Node) bool {
	by := n.Parent()
	return ecma.Is(by, "assignment_expression") && ecma.Part(by, 0).Start() == n.Start()
}

// handsEventOn reports whether a listener might prevent the default: it calls
// preventDefault, returns something, or gives the event as a whole to others.
func handsEventOn(f syntax.Node) bool {
	event := ecma.Part(f, 0)
	if ecma.Is(event, "formal_parameters") {
		event = ecma.Part(event, 0)
	}
	if ecma.Is(event, "required_parameter") {
		event = ecma.Part(event, 0)
	}
	if !ecma.Is(event, "identifier") && !ecma.Is(event, "statement_block") && !event.IsZero() {
		return true
	}
	for x := range f.Walk() {
		if ecma.Is(x, "property_identifier") && (x.Text() == "preventDefault" || x.Text() == "returnValue" || x.Text() == "call" || x.Text() == "apply") || ecma.Is(x, "identifier") && x.Text() == "arguments" {
			return true
		}
		if ecma.Is(event, "identifier") && ecma.Is(x, "identifier") && x.Text() == event.Text() && x.Start() != event.Start() && !ecma.Is(x.Parent(), "member_expression") {
			return true
		}
	}
	return false
}
