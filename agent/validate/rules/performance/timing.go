package performance

import (
	"strings"

	"caselsp/agent/dom"
	"caselsp/agent/ecma"
	"caselsp/agent/syntax"
	"caselsp/agent/validate"
)

// timingRules are about work that is done too late or too often.
var timingRules = []validate.Rule{{
	ID: "perf-late-preconnect", Title: "preconnect after the first use of the connection", Severity: validate.Warning, Category: validate.Performance,
	Aliases: validate.Aliases{validate.Lighthouse: {"uses-rel-preconnect"}},
	Doc:     "`rel=\"preconnect\"` and `rel=\"dns-prefetch\"` save time only before the first request to that server. Put them at the top of the head.",
	Bad:     "<link rel=\"stylesheet\" href=\"https://fonts.example.com/a.css\">\n<link rel=\"preconnect\" href=\"https://fonts.example.com\">\n",
	Good:    "<link rel=\"preconnect\" href=\"https://fonts.example.com\">\n<link rel=\"stylesheet\" href=\"https://fonts.example.com/a.css\">\n<link rel=\"preconnect\" href=\"https://static.example.com\" crossorigin>\n",
	Check: validate.Page(func(p *validate.Pass, d *dom.Document) {
		used := map[string]bool{}
		for _, n := range d.Elements("link", "script", "img", "iframe") {
			rel, _ := n.Get("rel")
			rel = strings.ToLower(rel)
			name := "src"
			if n.Is("link") {
				name = "href"
			}
			address, ok := n.Get(name)
			host := serverOf(address)
			switch {
			case !ok || host == "" || n.Inert() || n.May("crossorigin"):
			case syntax.HasWord(rel, "preconnect") || syntax.HasWord(rel, "dns-prefetch"):
				if used[host] {
					p.Element(n, "A file of %s is requested above: put the preconnect before it.", host)
				}
			case n.Is("link") && !syntax.HasWord(rel, "stylesheet"):
			default:
				used[host] = true
			}
		}
	}),
}, {
	ID: "perf-frequent-handler", Title: "Forced reflow in a scroll, mousemove or resize handler", Severity: validate.Info, Category: validate.Performance,
	Doc: "`scroll`, `mousemove` and `resize` fire several times per frame. Reading sizes or setting styles in each of them forces a layout each time: do it in " +
		"`requestAnimationFrame`, or use an IntersectionObserver or ResizeObserver.",
	File: "app.js", Bad: "window.addEventListener(\"scroll\", () => { bar.style.width = page.scrollHeight + \"px\"; });\n",
	Good:  "window.addEventListener(\"scroll\", () => { requestAnimationFrame(() => { bar.style.width = page.scrollHeight + \"px\"; }); });\nwindow.addEventListener(\"scroll\", () => { moved = true; });\n",
	Check: validate.ScriptNodes(checkFrequent, "call_expression"),
}}

// serverOf is the host of an absolute address, in lower case; "" of others.
func serverOf(address string) string {
	scheme, rest, ok := strings.Cut(strings.TrimSpace(address), "//")
	if !ok || scheme != "" && !strings.EqualFold(scheme, "https:") && !strings.EqualFold(scheme, "http:") {
		return ""
	}
	if end := strings.IndexAny(rest, "/?#"); end >= 0 {
		rest = rest[:end]
	}
	return strings.ToLower(rest)
}

func checkFrequent(p *validate.Pass, c *validate.Code, n syntax.Node) {
	_, name := ecma.Method(n)
	args := ecma.Arguments(n)
	if name != "addEventListener" || len(args) < 2 || !ecma.Is(args[1], "arrow_function", "function", "function_expression") {
		return
	}
	event, _ := ecma.Unquote(args[0])
	if !syntax.HasWord("scroll mousemove pointermove touchmove resize wheel", event) {
		return
	}
	lays, writes := syntax.Node{}, false
	for _, x := range ecma.OwnNodes(args[1]) {
		switch {
		case ecma.Is(x, "if_statement", "return_statement"):
			return // it asks whether there is anything to do
		case ecma.Is(x, "member_expression") && layoutReads[ecma.Part(x, -1).Text()] && !assignedTo(x):
			lays = x
		case ecma.Is(x, "assignment_expression", "augmented_assignment_expression") && strings.Contains(ecma.Part(x, 0).Text(), ".style."):
			writes = true
		case ecma.Is(x, "call_expression"):
			if called := strings.ToLower(ecma.Callee(x)); syntax.ContainsAny(called, []string{"requestanimationframe", "throttle", "debounce", "settimeout", "raf", "clear"}) {
				return
			}
		}
	}
	if !lays.IsZero() && writes {
		start, end := c.Span(args[0])
		p.Report(start, end, "Each %s forces a layout of the page: do this in requestAnimationFrame.", event)
	}
}
