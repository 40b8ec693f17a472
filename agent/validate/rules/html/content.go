package html

import (
	"slices"
	"strings"
	"unicode"

	"caselsp/agent/dom"
	"caselsp/agent/syntax"
	"caselsp/agent/validate"
)

// contentRules are about what elements may hold (HTML, 3.2.5).
var contentRules = []validate.Rule{{
	ID: "block-in-text", Title: "Block element inside an element for text", Severity: validate.Warning, Category: validate.Markup,
	Aliases: validate.Aliases{validate.HTMLValidate: {"element-permitted-content"}},
	Doc: "A `<span>`, a heading or a button holds text and inline elements. A `<div>`, a list or a table in it breaks styles, and screen readers drop the structure inside a " +
		"button. Links may hold whatever their parent may hold.",
	Bad:   "<button type=\"button\"><div>Save</div></button>\n",
	Good:  "<button type=\"button\"><span>Save</span></button>\n",
	Check: validate.Elements(checkBlock),
}, {
	ID: "forbidden-nesting", Title: "Element not allowed inside this ancestor", Severity: validate.Warning, Category: validate.Markup,
	Standards: []string{"WCAG 1.3.1"},
	Aliases:   validate.Aliases{validate.HTMLValidate: {"element-permitted-content"}},
	Doc: "The main content cannot be inside an article, a header inside a header, a heading inside an address, a video inside a video: screen readers announce the structure " +
		"of the page by these elements.",
	Bad:   "<article><main><p>News</p></main></article>\n",
	Good:  "<main><article><p>News</p></article></main>\n",
	Check: validate.Elements(checkNesting),
}, {
	ID: "misplaced-text", Title: "Text not allowed directly inside this element", Severity: validate.Warning, Category: validate.Markup,
	Standards: []string{"WCAG 1.3.1"},
	Aliases:   validate.Aliases{validate.HTMLValidate: {"element-permitted-content"}},
	Doc:       "Text in a list belongs to no item, and browsers move text out of a table, before it.",
	Bad:       "<ul>Groceries: <li>Milk</li></ul>\n",
	Good:      "<p>Groceries:</p> <ul><li>Milk</li></ul>\n",
	Check:     validate.Elements(checkText, "ul", "ol", "menu", "dl", "table", "thead", "tbody", "tfoot", "tr", "colgroup", "select", "optgroup", "picture"),
}, {
	ID: "missing-child", Title: "Required child element is missing", Severity: validate.Warning, Category: validate.Markup,
	Aliases: validate.Aliases{validate.HTMLValidate: {"element-required-content"}},
	Doc:     "A `<picture>` shows its `<img>`; a term of a `<dl>` needs a description. Elements that a template may fill are not reported.",
	Bad:     "<picture><source srcset=\"/a.webp\" type=\"image/webp\"></picture>\n",
	Good:    "<picture><source srcset=\"/a.webp\" type=\"image/webp\"><img src=\"/a.png\" alt=\"A\"></picture>\n",
	Check:   validate.Elements(checkHolds, "picture", "dl", "ruby", "figure", "details", "optgroup"),
}, {
	ID: "metadata-in-body", Title: "Metadata element in the body", Severity: validate.Info, Category: validate.Markup,
	Doc:   "Browsers apply a `<style>` or a `<meta>` in the body late: the page is shown, and then shown again. Links to style sheets are allowed there.",
	Bad:   "<body><style>p { color: red }</style><p>Hello</p></body>\n",
	Good:  "<head><style>p { color: red }</style></head><body><p>Hello</p></body>\n",
	Check: validate.Elements(checkMetadata, "style", "meta", "link", "title", "base"),
}}

// textOnly are the elements that hold phrasing content only; transparent those
// that hold what the element around them may hold; blockElements those that are no
// phrasing content.
var (
	textOnly = syntax.WordSet(`abbr acronym b bdi bdo big button cite code data dfn em font h1 h2 h3 h4 h5 h6 i kbd label mark meter nobr output
		p pre progress q rp rt ruby s samp small span strike strong sub summary sup time tt u var legend`)
	transparent   = syntax.WordSet("a ins del map noscript object video audio canvas slot")
	blockElements = syntax.WordSet(`address article aside blockquote center details dialog dir div dl dt dd fieldset figure figcaption footer form
		h1 h2 h3 h4 h5 h6 header hgroup hr li main menu nav ol p pre search section table tbody thead tfoot tr td th caption ul`)
)

// around returns the element that decides what may stand where n stands: the
// first one around it that is not transparent. Nil where nobody can tell.
func around(n *dom.Node) *dom.Node {
	for p := range n.Ancestors() {
		if p.Space != dom.HTML || p.Custom() || p.Arm != n.Arm && n.Arm == nil {
			return nil
		}
		if !transparent[p.Name] {
			return p
		}
	}
	return nil
}

func checkBlock(p *validate.Pass, n *dom.Node) {
	if n.Space != dom.HTML || !blockElements[n.Name] {
		return
	}
	holder := around(n)
	if holder == nil || !textOnly[holder.Name] || holder.Is("legend", "summary") && headingLevel(n) > 0 || holder.Is("summary") && n.Is("hgroup") {
		return
	}
	if belongs[n.Name] != nil {
		return // misplaced-element says so
	}
	p.Element(n, "<%s> holds text: <%s> is not allowed in it (line %d).", holder.Name, n.Name, p.Tree.Position(holder.Start).Line+1)
}

// headingLevel returns the level of a heading, 0 of any other element.
func headingLevel(n *dom.Node) int {
	if n.Is("h1", "h2", "h3", "h4", "h5", "h6") {
		return int(n.Name[1] - '0')
	}
	return 0
}

// sectioning are the elements that make a part of the page of their own.
var sectioning = []string{"article", "aside", "nav", "section"}

// forbidden says in which elements some must not lie, however deep, unless one
// of between lies between them.
var forbidden = []struct {
	inner, outer, between []string
}{
	{[]string{"main"}, []string{"article", "aside", "footer", "header", "nav"}, []string{"dialog"}},
	{[]string{"header", "footer"}, []string{"header", "footer"}, append([]string{"dialog", "main"}, sectioning...)},
	{append([]string{"h1", "h2", "h3", "h4", "h5", "h6", "hgroup", "header", "footer", "address"}, sectioning...), []string{"address"}, nil},
	{append([]string{"h1", "h2", "h3", "h4", "h5", "h6", "hgroup", "header", "footer"}, sectioning...), []string{"dt"}, nil},
	{append([]string{"header", "footer"}, sectioning...), []string{"th"}, nil},
	{[]string{"table"}, []string{"caption"}, nil},
	{[]string{"dfn"}, []string{"dfn"}, nil},
	{[]string{"meter"}, []string{"meter"}, nil},
	{[]string{"progress"}, []string{"progress"}, nil},
	{[]string{"audio", "video"}, []string{"audio", "video"}, nil},
	{[]string{"noscript"}, []string{"noscript"}, nil},
	{[]string{"iframe", "embed", "details"}, []string{"a", "button"}, nil},
}

// notInHeading are the roles of what is no part of a heading's text.
var notInHeading = syntax.WordSet("alert alertdialog application article complementary contentinfo dialog document feed form listbox log main marquee navigation note region search status tabpanel timer toolbar")

func checkNesting(p *validate.Pass, n *dom.Node) {
	if n.Space != dom.HTML || n.Inert() {
		return
	}
	if n.Is("area") && n.Within("map") == nil && p.Access().Whole() {
		p.Element(n, "<area> belongs in a <map>.")
		return
	}
	if role, known := dom.ExplicitRole(n); known && notInHeading[role] {
		if h := n.Within("h1", "h2", "h3", "h4", "h5", "h6"); h != nil {
			p.Element(n, "An element with the role %s may not be inside a heading (line %d).", role, p.Tree.Position(h.Start).Line+1)
			return
		}
	}
	for _, f := range forbidden {
		if !slices.Contains(f.inner, n.Name) {
			continue
		}
		for o := range n.Ancestors() {
			if o.Custom() || o.Is(f.between...) || o.Arm != n.Arm && n.Arm == nil || o.Is("a") && !o.May("href") {
				break
			}
			if o.Is(f.outer...) {
				p.Element(n, "<%s> may not be inside <%s> (line %d).", n.Name, o.Name, p.Tree.Position(o.Start).Line+1)
				return
			}
		}
	}
}

func checkText(p *validate.Pass, n *dom.Node) {
	if n.Attr("role") != nil && n.Is("ul", "ol", "menu", "dl") || n.Space != dom.HTML || n.Is("select") && n.HasUnknown() {
		return
	}
	for c := range n.Children() {
		if c.Prev != nil && c.Prev.Unknown() || c.Next != nil && c.Next.Unknown() {
			continue // a tag that writes a tag, or text of another language
		}
		if c.Kind == dom.Text && strings.TrimSpace(c.Text) != "" && !c.Unknown() && strings.ContainsFunc(c.Text, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
			start, end := c.Start, c.End
			source := p.Text[start:end]
			start += len(source) - len(strings.TrimLeft(source, " \t\r\n\f"))
			p.Report(start, start+len(strings.TrimSpace(source)), "Text is not allowed directly in <%s>: put it in an element that allows it.", n.Name)
			return
		}
	}
}

// checkHolds looks for the elements that a few others must hold.
func checkHolds(p *validate.Pass, n *dom.Node) {
	if n.HasUnknown() || n.Inert() || n.Opaque || p.Access().Scripted(n) || n.Space != dom.HTML {
		return
	}
	count := map[string]int{}
	for c := range n.Elements() {
		if c.Custom() || c.Arm != n.Arm {
			return
		}
		count[c.Name]++
	}
	switch {
	case n.Is("picture") && count["img"] == 0:
		p.Element(n, "This <picture> shows nothing: it needs an <img>.")
	case n.Is("figure") && count["figcaption"] > 1:
		p.Element(n, "A <figure> has one <figcaption>.")
	case n.Is("ruby") && count["rt"] == 0 && count["rtc"] == 0 && count["rb"] == 0:
		p.Element(n, "This <ruby> has no <rt>, which gives the reading of its text.")
	case n.Is("optgroup") && !n.May("label") && count["legend"] == 0:
		p.Element(n, "This group has no name: add label.")
	case n.Is("details") && count["summary"] == 0:
		p.Element(n, "This <details> has no <summary>: add one that says what it opens.")
	case n.Is("dl"):
		checkTerms(p, n)
	}
}

// checkTerms follows the groups of terms and descriptions of a list.
func checkTerms(p *validate.Pass, n *dom.Node) {
	var last *dom.Node
	for c := range n.Elements() {
		switch {
		case c.Is("div") && n.Is("dl"):
			if !c.HasUnknown() && c.FirstChild != nil && c.Attr("role") == nil && !c.Opaque {
				checkTerms(p, c)
			}
			continue
		case c.Is("dd") && last == nil:
			p.Element(c, "This description has no term: put a <dt> before it.")
			return
		case !c.Is("dt", "dd"):
			continue
		}
		last = c
	}
	if last == nil && n.Is("div") {
		p.Element(n, "A <div> in a <dl> groups terms and descriptions: this one has none.")
	}
	if last.Is("dt") {
		p.Element(last, "This term has no description: put a <dd> after it.")
	}
}

// bodyLinks are the kinds of links that may stand in the body.
var bodyLinks = []string{"dns-prefetch", "modulepreload", "pingback", "preconnect", "prefetch", "preload", "stylesheet", "expect"}

func checkMetadata(p *validate.Pass, n *dom.Node) {
	body := n.Within("body")
	if body == nil {
		if n.Is("title", "base") && n.Space == dom.HTML && n.Parent.Kind == dom.Element && !n.Parent.Is("head", "html") && n.Within("svg", "template", "noscript") == nil && blockElements[n.Parent.Name] {
			p.Element(n, "<%s> belongs in the <head>.", n.Name)
		}
		return
	}
	if n.Space != dom.HTML || n.Within("template", "noscript", "svg") != nil || n.May("itemprop") || n.May("property") || n.Arm != body.Arm {
		return
	}
	if rel := n.Attr("rel"); n.Is("link") {
		if rel == nil || rel.Dynamic {
			return
		}
		for _, kind := range bodyLinks {
			if rel.HasWord(kind) {
				return
			}
		}
	}
	p.Element(n, "<%s> belongs in the <head>.", n.Name)
}
