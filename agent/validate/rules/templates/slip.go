package templates

import (
	"strings"

	"caselsp/agent/dom"
	"caselsp/agent/syntax"
	"caselsp/agent/validate"
)

// slipRules are about template tags that are written wrongly, and about
// elements that do not go along with blocks.
var slipRules = []validate.Rule{{
	ID: "template-name", Title: "A template that extends or includes nothing", Severity: validate.Critical, Category: validate.Templates,
	Doc: "`{% extends %}` and `{% include %}` need the name of a template; with none, or an empty one, the page fails when it is shown.",
	Bad: "{% include \"\" %}\n", Good: "{% include \"card.html\" %}\n",
	Check: validate.Page(func(p *validate.Pass, d *dom.Document) {
		for _, o := range p.TemplateTags() {
			if o.Kind != '%' || o.Name != "extends" && o.Name != "include" {
				continue
			}
			if name, quoted := validate.QuotedArgument(o.Args); strings.Trim(o.Args, "-+ \t\r\n") == "" || quoted && strings.TrimSpace(name) == "" {
				p.Report(o.Start, o.End, "This names no template: write which one to %s.", o.Name[:len("extend")])
			}
		}
	}),
}, {
	ID: "template-string", Title: "A text in a template tag without its end", Severity: validate.Critical, Category: validate.Templates,
	Doc: "A quotation mark opens a text in the tag and none closes it: the engine refuses the template, or takes the mark for a part of a name.",
	Bad: "{% url 'home %}\n", Good: "{% url 'home' %}\n",
	Check: validate.Page(func(p *validate.Pass, d *dom.Document) {
		for _, o := range p.TemplateTags() {
			if o.Kind == '%' && o.Name != "comment" && openString(o.Args) {
				p.Report(o.Start, o.End, "A text in this tag is not closed: a quotation mark is missing.")
			}
		}
	}),
}, {
	ID: "tag-slip", Title: "A template tag that is shown as text", Severity: validate.Warning, Category: validate.Templates,
	Doc: "`{{ name }` and `{ % if x %}` are text to the engine, and visitors read them. Pages without any template tag are left alone.",
	Bad: "<p>{{ user.name }, {{ user.city }}</p>\n", Good: "<p>{{ user.name }}, {{ user.city }}</p>\n",
	Check: validate.Page(checkTagSlip),
}, {
	ID: "block-crossing", Title: "An element that begins in one block and ends in another", Severity: validate.Warning, Category: validate.Templates,
	Doc: "A template that fills one of the two blocks anew takes the start tag or the end tag away, and the page is out of joint. Let each block hold whole elements.",
	Bad: "<div>\n{% block content %}\n</div>\n{% endblock %}\n", Good: "<div>\n{% block content %}\n{% endblock %}\n</div>\n",
	Check: validate.Page(checkCrossing),
}}

// openString reports whether a text of a tag's arguments has no end: a
// quotation mark that begins a word and meets none of its kind behind it.
func openString(args string) bool {
	for i := 0; i < len(args); i++ {
		c := args[i]
		if c != '"' && c != '\'' {
			continue
		}
		if i > 0 && strings.IndexByte(" \t\n\r=:(,[|{+~", args[i-1]) < 0 {
			return false // an apostrophe, or something that is not to be judged here
		}
		end := i + 1
		for end < len(args) && args[end] != c {
			if args[end] == '\\' {
				end++
			}
			end++
		}
		if end >= len(args) {
			return true
		}
		i = end
	}
	return false
}

// slips are how tags look that the engine takes for text.
var slips = syntax.Expr(`\{\{[ \t]*[A-Za-z_][\w.]*(?:\|\w+)*[ \t]*\}(?:[^}]|$)|\{[ \t]+%[ \t]*(?:if|for|block|else|endif|endfor|endblock|include|url|load|csrf_token)\b|(?:^|[^{])\{[ \t]*[a-z_]+\.[a-z_.]+[ \t]*\}\}`)

func checkTagSlip(p *validate.Pass, d *dom.Document) {
	if len(d.Templates()) == 0 {
		return
	}
	for n := range d.Root.Walk() {
		if n.Kind != dom.Text || dom.RawText[n.Parent.Name] || n.Arm.In("verbatim", "raw", "comment") {
			continue
		}
		source := d.Masked[n.Start:n.End]
		if !strings.Contains(source, "{") {
			continue
		}
		for _, m := range slips.FindAllStringSubmatchIndex(source) {
			start, end := n.Start+m[0], n.Start+m[1]
			if d.Masked[start:end] == p.Text[start:end] {
				p.Report(start, end, "Visitors read this: a brace is missing or one too many.")
			}
		}
	}
}

func checkCrossing(p *validate.Pass, d *dom.Document) {
	var blocks [][2]int // where the content of each block begins and ends
	tags := p.Tree.TemplateTags()
	for _, t := range tags {
		if t.Name == "block" && t.Partner >= 0 {
			blocks = append(blocks, [2]int{t.End, tags[t.Partner].Start})
		}
	}
	if blocks == nil {
		return
	}
	within := func(at int) int {
		inner := -1
		for i, b := range blocks {
			if b[0] <= at && at < b[1] && (inner < 0 || b[0] >= blocks[inner][0]) {
				inner = i
			}
		}
		return inner
	}
	for _, n := range d.Elements() {
		if n.CloseStart >= n.End || n.Custom() || n.Space != dom.HTML {
			continue // no end tag of its own
		}
		if from, to := within(n.Start), within(n.CloseStart); from != to {
			p.Element(n, "This begins in one block and ends in another (line %d): let each block hold whole elements.", p.Tree.Position(n.CloseStart).Line+1)
		}
	}
}
