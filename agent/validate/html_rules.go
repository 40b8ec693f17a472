package validate

import (
	"caselsp/agent/dom"
)

var htmlRules = []Rule{{
	ID: "duplicate-attribute", Title: "An attribute stands twice in one tag", Severity: Warning, Category: Markup,
	Doc:  "Browsers take the first and drop the others without a word, so the second value does nothing.",
	Bad:  "<a class=\"nav\" href=\"/\" class=\"active\">Home</a>\n",
	Good: "<a class=\"nav active\" href=\"/\">Home</a>\n",
	Check: elements(func(p *Pass, n *dom.Node) {
		for i := range n.Attrs {
			a := &n.Attrs[i]
			first := n.Attr(a.Name)
			// A binding beside the plain attribute is how script frameworks add to it.
			if first != a && !a.Bound && !first.Bound && !dom.Exclusive(first.Arm, a.Arm) && !a.Conditional && !first.Conditional {
				p.Attribute(a, "%s stands in this tag already: browsers drop this one. Merge the two.", a.Name)
			}
		}
	}),
}}
