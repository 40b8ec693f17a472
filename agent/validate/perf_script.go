package validate

import (
	"strings"

	"caselsp/agent/syntax"
)

// perfScriptRules are about scripts that make pages slow.
var perfScriptRules = authored([]Rule{{
	ID: "perf-document-write", Title: "document.write", Severity: Warning, Category: Performance,
	Doc:  "It stops the browser's parser, and browsers refuse it on slow lines. Called after the page is there, it wipes it. Writing into another document, such as a new window's, passes.",
	File: "app.js", Bad: "document.write(\"<p>Hello</p>\");\n", Good: "document.body.append(greeting);\npopup.document.write(\"<p>Hello</p>\");\n",
	Check: script(func(p *Pass, c *Code, n syntax.Node) {
		if name := callee(n); (name == "document.write" || name == "document.writeln" || name == "window.document.write") && len(arguments(n)) > 0 {
			p.Node(c, n, "%s stops the browser's parser: make elements and append them.", name)
		}
	}, "call_expression"),
}, {
	ID: "perf-sync-request", Title: "A request that stops the page until it is answered", Severity: Warning, Category: Performance,
	Doc:  "A synchronous XMLHttpRequest freezes the whole page; browsers warn about it and mean to drop it. Use `fetch` and `await`.",
	File: "app.js", Bad: "const r = new XMLHttpRequest();\nr.open(\"GET\", \"/data.json\", false);\n", Good: "const r = new XMLHttpRequest();\nr.open(\"GET\", \"/data.json\", true);\n",
	Check: script(func(p *Pass, c *Code, n syntax.Node) {
		object, name := method(n)
		args := arguments(n)
		if name == "open" && len(args) >= 3 && is(args[2], "false") && is(args[0], "string") {
			p.Node(c, args[2], "The page freezes until the answer is there: leave false out, or use fetch.")
		}
		if (name == "ajax" || name == "ajaxSetup") && !object.IsZero() && (object.Text() == "$" || object.Text() == "jQuery") {
			for _, a := range args {
				for _, x := range parts(a) {
					if is(x, "pair") && strings.Trim(part(x, 0).Text(), `"'`) == "async" && is(part(x, 1), "false") {
						p.Node(c, x, "The page freezes until the answer is there: leave async: false out.")
					}
				}
			}
		}
	}, "call_expression"),
}, {
	ID: "perf-unload", Title: "A handler of unload", Severity: Warning, Category: Performance,
	Doc:  "It keeps the browser from going back to the page at once (the back/forward cache), and on phones it mostly does not run. Use `pagehide` or `visibilitychange`.",
	File: "app.js", Bad: "window.addEventListener(\"unload\", save);\n", Good: "window.addEventListener(\"pagehide\", save);\n",
	Check: script(func(p *Pass, c *Code, n syntax.Node) {
		if is(n, "assignment_expression") {
			if left := part(n, 0); is(left, "member_expression") && (left.Text() == "window.onunload" || left.Text() == "document.body.onunload") && !is(part(n, 1), "null") {
				p.Node(c, left, "This switches the back/forward cache off: use pagehide.")
			}
			return
		}
		object, name := method(n)
		args := arguments(n)
		if s, ok := "", false; name == "addEventListener" && len(args) > 1 && (object.Text() == "window" || object.Text() == "document") {
			if s, ok = unquote(args[0]); ok && s == "unload" {
				p.Node(c, args[0], "This switches the back/forward cache off: use pagehide.")
			}
		}
	}, "call_expression", "assignment_expression"),
}, {
	ID: "perf-passive-listener", Title: "A listener that holds up scrolling", Severity: Info, Category: Performance,
	Doc:  "Before it scrolls, the browser waits whether the listener calls `preventDefault`. This one never does: say so with `{ passive: true }`.",
	File: "app.js", Bad: "list.addEventListener(\"touchmove\", (e) => { track(e.touches); });\n", Good: "list.addEventListener(\"touchmove\", (e) => { track(e.touches); }, { passive: true });\n",
	Check: script(func(p *Pass, c *Code, n syntax.Node) {
		_, name := method(n)
		args := arguments(n)
		if name != "addEventListener" || len(args) != 2 || !is(args[1], "arrow_function", "function_expression", "function") {
			return
		}
		if s, ok := unquote(args[0]); !ok || s != "touchstart" && s != "touchmove" && s != "wheel" && s != "mousewheel" {
			return
		}
		if handsEventOn(args[1]) {
			return
		}
		_, end := c.Span(args[1])
		p.Offer(c.Base+args[0].Start().Offset, c.Base+args[0].End().Offset, &Fix{"Add { passive: true }", []Edit{{end, end, ", { passive: true }"}}}, "Scrolling waits for this listener, which never prevents it: add { passive: true }.")
	}, "call_expression"),
}, {
	ID: "perf-layout-thrashing", Title: "A loop that changes the layout and asks for it", Severity: Warning, Category: Performance,
	Doc:  "After a change of style, asking for a size (`offsetHeight`, `getBoundingClientRect()`) makes the browser lay the whole page out anew, in each round of the loop. Ask for all sizes first, then change the styles.",
	File: "app.js", Bad: "for (const row of rows) {\n  row.style.height = box.offsetHeight + \"px\";\n}\n", Good: "const height = box.offsetHeight;\nfor (const row of rows) {\n  row.style.height = height + \"px\";\n}\n",
	Check: script(func(p *Pass, c *Code, n syntax.Node) {
		writes, read := false, syntax.Node{}
		for _, x := range own(part(n, -1)) {
			if is(x, "assignment_expression", "augmented_assignment_expression") && strings.Contains(part(x, 0).Text(), ".style.") && !strings.HasSuffix(part(x, 0).Text(), "ransform") {
				writes = true
			}
			if is(x, "member_expression") && layoutReads[part(x, -1).Text()] && read.IsZero() && !assignedTo(x) {
				read = x
			}
		}
		if writes && !read.IsZero() && enclosing(read, "for_statement", "for_in_statement", "while_statement", "do_statement").Start() == n.Start() {
			p.Node(c, read, "Each round of the loop lays the page out anew: ask for the sizes before the loop changes styles.")
		}
	}, "for_statement", "for_in_statement", "while_statement"),
}, {
	ID: "perf-innerhtml-append", Title: "innerHTML += in a loop", Severity: Warning, Category: Performance,
	Doc:  "Each round turns all that is there into text and parses it again, and its listeners are lost. Collect the text and set it once, or append elements.",
	File: "app.js", Bad: "for (const u of users) {\n  list.innerHTML += row(u);\n}\n", Good: "let html = \"\";\nfor (const u of users) {\n  html += row(u);\n}\nlist.innerHTML = html;\n",
	Check: script(func(p *Pass, c *Code, n syntax.Node) {
		left := part(n, 0)
		if !is(left, "member_expression") || part(left, -1).Text() != "innerHTML" || operator(n) != "+=" {
			return
		}
		loop := enclosing(n, append([]string{"for_statement", "for_in_statement", "while_statement", "do_statement"}, functions...)...)
		if is(loop, functions...) && is(loop.Parent(), "arguments") {
			if _, name := method(loop.Parent().Parent()); name == "forEach" {
				p.Node(c, left, "Each round parses all that is there again: collect the text and set it once.")
			}
		} else if is(loop, "for_statement", "for_in_statement", "while_statement", "do_statement") {
			p.Node(c, left, "Each round parses all that is there again: collect the text and set it once.")
		}
	}, "augmented_assignment_expression"),
}})

// layoutReads are the properties for which browsers lay the page out.
var layoutReads = words("offsetHeight offsetWidth offsetTop offsetLeft clientHeight clientWidth scrollHeight scrollWidth getBoundingClientRect getClientRects innerText")

// assignedTo reports whether a member is what an assignment sets.
func assignedTo(n syntax.Node) bool {
	by := n.Parent()
	return is(by, "assignment_expression") && part(by, 0).Start() == n.Start()
}

// handsEventOn reports whether a listener might prevent the default: it calls
// preventDefault, returns something, or gives the event as a whole to others.
func handsEventOn(f syntax.Node) bool {
	event := part(f, 0)
	if is(event, "formal_parameters") {
		event = part(event, 0)
	}
	if is(event, "required_parameter") {
		event = part(event, 0)
	}
	if !is(event, "identifier") && !is(event, "statement_block") && !event.IsZero() {
		return true
	}
	for x := range f.Walk() {
		if is(x, "property_identifier") && (x.Text() == "preventDefault" || x.Text() == "returnValue" || x.Text() == "call" || x.Text() == "apply") || is(x, "identifier") && x.Text() == "arguments" {
			return true
		}
		if is(event, "identifier") && is(x, "identifier") && x.Text() == event.Text() && x.Start() != event.Start() && !is(x.Parent(), "member_expression") {
			return true
		}
	}
	return false
}
