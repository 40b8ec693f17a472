package templates

import (
	"strings"

	"caselsp/agent/dom"
	"caselsp/agent/validate"
	"caselsp/store/lazyregexp"
)

// slipRules are about template tags that are written wrongly, and about
// elements that do not go along with blocks.
var slipRules = []validate.Rule{{
	ID: "template-name", Title: "{% extends %} or {% include %} without a template name", Severity: validate.Critical, Category: validate.Templates,
	Doc: "`{% extends %}` and `{% include %}` need the name of a template; without one, rendering fails.",
	Bad: "{% include \"\" %}\n", Good: "{% include \"card.html\" %}\n",
	Check: validate.Page(func(p *validate.Pass, d *dom.Document) {
		for _, o := range p.TemplateTags() {
			if o.Kind != '%' || o.Name != "extends" && o.Name != "include" {
				continue
			}
			if name, quoted := validate.QuotedArgument(o.Args); strings.Trim(o.Args, "-+ \t\r\n") == "" || quoted && strings.TrimSpace(name) == "" {
				p.Report(o.Start, o.End, "This names no template: name one to %s.", o.Name[:len("extend")])
			}
		}
	}),
}, {
	ID: "template-string", Title: "Unterminated string in a template tag", Severity: validate.Critical, Category: validate.Templates,
	Doc: "A quotation mark opens a string in the tag and nothing closes it: the engine rejects the template, or reads the mark as part of a name.",
	Bad: "{% url 'home %}\n", Good: "{% url 'home' %}\n",
	Check: validate.Page(func(p *validate.Pass, d *dom.Document) {
		for _, o := range p.TemplateTags() {
			if o.Kind == '%' && o.Name != "comment" && openString(o.Args) {
				p.Report(o.Start, o.End, "A string in this tag is not closed: a quotation mark is missing.")
			}
		}
	}),
}, {
	ID: "tag-slip", Title: "Malformed template tag shown as text", Severity: validate.Warning, Category: validate.Templates,
	Aliases: validate.Aliases{validate.DjLint: {"T001"}},
	Doc:     "`{{ name }` and `{ % if x %}` are plain text to the engine, so visitors see them. Pages without any template tag are not checked.",
	Bad:     "<p>{{ user.name }, {{ user.city }}</p>\n", Good: "<p>{{ user.name }}, {{ user.city }}</p>\n",
	Check: validate.Page(checkTagSlip),
}, {
	ID: "block-crossing", Title: "Element that starts and ends in different blocks", Severity: validate.Warning, Category: validate.Templates,
	Doc: "A child template that replaces one of the two blocks removes the start tag or the end tag and breaks the page. Let each block hold whole elements.",
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
var slips = lazyregexp.New(`\{\{[ \t]*[A-Za-z_][\w.]*(?:\|\w+)*[ \t]*\}(?:[^}]|$)|\{[ \t]+%[ \t]*(?:if|for|block|else|endif|endfor|endblock|include|url|load|csrf_token)\b|(?:^|[^{])\{[ \t]*[a-z_]+\.[a-z_.]+[ \t]*\}\}`)

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
		for _, m := range slips.FindAllStringSubmatchIndex(source, -1) {
			start, end := n.Start+m[0], n.Start+m[1]
			if d.Masked[start:end] == p.Text[start:end] {
				p.Report(start, end, "Visitors see this text: a brace is missing, or there is one too many.")
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
