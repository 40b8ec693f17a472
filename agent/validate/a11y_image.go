package validate

import (
	"caselsp/agent/dom"
)

var a11yImageRules = []Rule{{
	ID: "img-alt", Title: "An image without an alternative text", Severity: Critical, Category: Accessibility,
	Standards: []string{"WCAG 1.1.1", "ACT 23a2a8"},
	Doc: "Who cannot see the image hears its file name instead. Say in `alt` what the image says; write `alt=\"\"` where it is decoration. " +
		"An `aria-label`, an `aria-labelledby` or a `title` is a text, too.",
	Bad:  "<a href=\"/\"><img src=\"/logo.svg\"></a>\n",
	Good: "<a href=\"/\"><img src=\"/logo.svg\" alt=\"Home\"></a>\n",
	Check: elements(func(p *Pass, n *dom.Node) {
		if n.Is("img") && !n.May("alt") && !n.May("aria-label") && !n.May("aria-labelledby") && !n.May("title") && !n.May("role") && !n.May("aria-hidden") {
			p.Element(n, "This image has no alternative text: add alt, or alt=\"\" where it is decoration.")
		}
	}, "img"),
}}
