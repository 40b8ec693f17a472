package html

import (
	"slices"
	"strings"

	"caselsp/agent/dom"
	"caselsp/agent/syntax"
	"caselsp/agent/validate"
)

// tagRules are about elements and where they stand.
var tagRules = []validate.Rule{{
	ID: "unknown-element", Title: "Unknown element", Severity: validate.Warning, Category: validate.Markup,
	Aliases: validate.Aliases{validate.HTMLValidate: {"no-unknown-elements"}},
	Doc:     "Browsers treat a misspelt element as a `<span>`. Names with a hyphen are custom elements, and in pages of script frameworks any name may be a component: both pass.",
	Bad:     "<sectoin><h2>Prices</h2></sectoin>\n",
	Good:    "<section><h2>Prices</h2></section>\n",
	Check:   validate.Page(checkUnknownElements),
}, {
	ID: "obsolete-element", Title: "Obsolete element", Severity: validate.Warning, Category: validate.Markup,
	Aliases: validate.Aliases{validate.HTMLValidate: {"deprecated"}},
	Doc:     "Browsers may remove it at any time, and some have. Use its replacement.",
	Bad:     "<center><font size=\"4\">Sale</font></center>\n",
	Good:    "<p class=\"sale\">Sale</p>\n",
	Check: validate.Elements(func(p *validate.Pass, n *dom.Node) {
		if instead := dom.ObsoleteElements[n.Name]; instead != "" && n.Space == dom.HTML && !(n.Name == "param" && n.Within("object", "applet") != nil) && n.Name != "image" {
			p.Element(n, "<%s> is obsolete: use %s.", n.Name, instead)
		}
	}),
}, {
	ID: "void-end-tag", Title: "Self-closing syntax on an element that is not void", Severity: validate.Warning, Category: validate.Markup,
	Aliases: validate.Aliases{validate.HTMLValidate: {"void-style", "no-self-closing"}},
	Doc: "In HTML the slash of `<div/>` closes nothing: what follows is inside the element. Write an end tag. In SVG, in XHTML and for components of script frameworks the " +
		"slash does close.",
	Bad:  "<script src=\"/a.js\"/>\n<p>Hello</p>\n",
	Good: "<script src=\"/a.js\"></script>\n<p>Hello</p>\n",
	Check: validate.Elements(func(p *validate.Pass, n *dom.Node) {
		if n.SelfClosed && n.Space == dom.HTML && !dom.Void[n.Name] && slices.Contains(dom.HTMLElements, n.Name) && p.PlainHTML() {
			p.Element(n, "The slash has no effect here, <%s> stays open: write </%s>.", n.Name, n.Name)
		}
	}),
}, {
	ID: "paragraph-ended", Title: "</p> without an open paragraph", Severity: validate.Warning, Category: validate.Markup,
	Aliases: validate.Aliases{validate.HTMLValidate: {"no-implicit-close"}},
	Doc:     "A block such as `<div>` or `<ul>` ends an open `<p>`. The `</p>` after it creates an empty paragraph, and styles of the first do not apply to its text.",
	Bad:     "<p>Choose: <ul><li>tea</li></ul></p>\n",
	Good:    "<p>Choose:</p> <ul><li>tea</li></ul>\n",
	Check:   validate.Page(checkParagraphs),
}, {
	ID: "misplaced-child", Title: "Child element not allowed in this parent", Severity: validate.Warning, Category: validate.Markup,
	Standards: []string{"WCAG 1.3.1"},
	Aliases:   validate.Aliases{validate.HTMLValidate: {"element-permitted-content"}, validate.Axe: {"list"}},
	Doc: "Lists hold items, tables rows, selects options. Browsers move anything else out of tables, and screen readers count wrongly. Scripts and templates are allowed " +
		"anywhere.",
	Bad:   "<ul><div>Milk</div></ul>\n",
	Good:  "<ul><li>Milk</li></ul>\n",
	Check: validate.Elements(checkChild),
}, {
	ID: "misplaced-element", Title: "Element outside its required parent", Severity: validate.Warning, Category: validate.Markup,
	Standards: []string{"WCAG 1.3.1"},
	Aliases:   validate.Aliases{validate.HTMLValidate: {"element-permitted-parent"}, validate.Axe: {"listitem"}},
	Doc:       "An item belongs in a list, a caption in its figure, a source in its video. Elements at the top of a fragment, whose parent is unknown, are not reported.",
	Bad:       "<div><li>Milk</li></div>\n",
	Good:      "<ul><li>Milk</li></ul>\n",
	Check:     validate.Elements(checkParent),
}, {
	ID: "nested-form", Title: "Nested form", Severity: validate.Critical, Category: validate.Markup,
	Aliases: validate.Aliases{validate.HTMLValidate: {"element-permitted-content"}},
	Doc:     "Browsers drop the tags of the inner form: its fields are sent with the outer form, to the outer URL.",
	Bad:     "<form action=\"/a\"><form action=\"/b\"><button>Send</button></form></form>\n",
	Good:    "<form action=\"/a\"><button>Send</button></form>\n<form action=\"/b\"><button>Send</button></form>\n",
	Check: validate.Elements(func(p *validate.Pass, n *dom.Node) {
		if outer := n.Within("form", "template"); n.Is("form") && outer.Is("form") && outer.Arm == n.Arm {
			p.Element(n, "This form is inside another one (line %d): browsers drop it.", p.Tree.Position(outer.Start).Line+1)
		}
	}, "form"),
}, {
	ID: "nested-interactive", Title: "Nested interactive elements (link or button inside a link or button)", Severity: validate.Warning, Category: validate.Markup,
	Standards: []string{"WCAG 4.1.2"},
	Aliases:   validate.Aliases{validate.HTMLValidate: {"element-permitted-content"}, validate.Axe: {"nested-interactive"}},
	Doc:       "Which of the two a click or a key activates differs between browsers, and browsers move a link out of another link.",
	Bad:       "<a href=\"/\"><button>Home</button></a>\n",
	Good:      "<a href=\"/\">Home</a>\n",
	Check: validate.Elements(func(p *validate.Pass, n *dom.Node) {
		interactive := n.Is("a") && n.Attr("href") != nil || n.Is("button", "select", "textarea", "label") || n.Is("input") && n.Attr("type") != nil && dom.AttributeText(n, "type") != "hidden" && !n.Attr("type").Dynamic
		if !interactive {
			return
		}
		outer := n.Within("a", "button", "template", "label")
		if outer == nil || outer.Is("template") || outer.Is("label") && !n.Is("label") || outer.Is("a") && outer.Attr("href") == nil || outer.Is("a", "button") && n.Is("label") || outer.Arm != n.Arm {
			return
		}
		p.Element(n, "This is inside a <%s> (line %d), and browsers differ in which one is activated: move it out.", outer.Name, p.Tree.Position(outer.Start).Line+1)
	}),
}, {
	ID: "label-many", Title: "Label around several fields", Severity: validate.Warning, Category: validate.Markup,
	Standards: []string{"WCAG 1.3.1"},
	Aliases:   validate.Aliases{validate.HTMLValidate: {"multiple-labeled-controls"}, validate.Axe: {"form-field-multiple-labels"}},
	Doc:       "A label names only the first field in it; the others have no label.",
	Bad:       "<label>From and to <input name=\"from\"> <input name=\"to\"></label>\n",
	Good:      "<label>From <input name=\"from\"></label> <label>To <input name=\"to\"></label>\n",
	Check:     validate.Elements(checkLabelMany, "label"),
}, {
	ID: "page-part-twice", Title: "Duplicate head, body, title or main element", Severity: validate.Warning, Category: validate.Markup,
	Aliases: validate.Aliases{validate.Axe: {"landmark-no-duplicate-main"}},
	Doc:     "A page has one `<head>`, one `<body>`, one `<title>` and one visible `<main>`: browsers merge or drop the second.",
	Bad:     "<html><head><title>A</title><title>B</title></head><body></body></html>\n",
	Good:    "<html><head><title>A</title></head><body></body></html>\n",
	Check: validate.Page(func(p *validate.Pass, d *dom.Document) {
		for _, name := range []string{"html", "head", "body", "title", "main"} {
			var one *dom.Node
			for _, n := range d.Elements(name) {
				if n.Space != dom.HTML || n.Inert() || name == "main" && (n.May("hidden") || !p.Access().Exposed(n)) || name == "title" && n.Within("svg") != nil {
					continue
				}
				if one != nil && one.Arm == n.Arm {
					p.Element(n, "The page already has a <%s> (line %d).", name, p.Tree.Position(one.Start).Line+1)
				} else if one == nil {
					one = n
				}
			}
		}
	}),
}, {
	ID: "doctype-missing", Title: "Missing doctype", Severity: validate.Warning, Category: validate.Markup,
	Aliases: validate.Aliases{validate.HTMLValidate: {"missing-doctype"}, validate.HTMLHint: {"doctype-first"}},
	Doc:     "Without `<!DOCTYPE html>`, browsers use quirks mode: sizes and tables are computed as in 1999. Fragments need none, and a doctype written by a template counts.",
	Bad:     "<html lang=\"en\"><head><title>A</title></head><body>Hello</body></html>\n",
	Good:    "<!DOCTYPE html>\n<html lang=\"en\"><head><title>A</title></head><body>Hello</body></html>\n",
	Check:   validate.Page(checkDoctype),
}, {
	ID: "charset-missing", Title: "Missing character encoding declaration", Severity: validate.Warning, Category: validate.Markup,
	Doc: "If the server does not declare it either, browsers guess, and non-ASCII letters break. Put `<meta charset=\"utf-8\">` first in the head: browsers look for it in the " +
		"first 1024 bytes.",
	Bad:   "<!DOCTYPE html>\n<html lang=\"de\"><head><title>Grüße</title></head><body>Grüße</body></html>\n",
	Good:  "<!DOCTYPE html>\n<html lang=\"de\"><head><meta charset=\"utf-8\"><title>Grüße</title></head><body>Grüße</body></html>\n",
	Check: validate.Page(checkCharset),
}}

func checkUnknownElements(p *validate.Pass, d *dom.Document) {
	for _, n := range d.Elements() {
		if n.Space != dom.HTML || n.Name == "" || strings.ContainsAny(n.Name, "-:.") || slices.Contains(dom.HTMLElements, n.Name) || dom.ObsoleteElements[n.Name] != "" || n.Name == "marquee" || n.Name == "blink" {
			continue
		}
		written := p.Text[n.Start+1 : n.Start+1+len(n.Name)]
		if !p.PlainHTML() || strings.ToLower(written) != written && strings.ToUpper(written) != written || n.Within("noscript", "xml") != nil || svgNames[n.Name] {
			continue
		}
		if near := syntax.Closest(n.Name, dom.HTMLElements); near != "" && len(n.Name) > 2 {
			p.Report(n.Start, n.OpenEnd, "Unknown element <%s>: did you mean <%s>?", n.Name, near)
		} else {
			p.Report(n.Start, n.OpenEnd, "Unknown element <%s>: names of custom elements contain a hyphen.", n.Name)
		}
	}
}

// svgNames are elements of SVG that fragments of drawings begin with.
var svgNames = map[string]bool{"path": true, "g": true, "circle": true, "rect": true, "line": true, "polygon": true, "polyline": true, "ellipse": true, "text": true, "use": true, "symbol": true, "defs": true, "clippath": true, "stop": true, "lineargradient": true, "tspan": true, "filter": true, "mask": true}

// checkParagraphs looks at the </p> that end nothing.
func checkParagraphs(p *validate.Pass, d *dom.Document) {
	for _, s := range d.Strays() {
		if s.Name != "p" || s.Arm != nil {
			continue
		}
		var ended *dom.Node
		for c := s.Parent.LastChild; c != nil; c = c.Prev {
			if c.Start < s.Start && c.Is("p") {
				ended = c
				break
			}
		}
		if ended == nil || ended.CloseStart < ended.End || ended.Next == nil || ended.Next.Kind != dom.Element || ended.Arm != nil {
			continue
		}
		p.Report(s.Start, s.End, "The paragraph of line %d ended before <%s>, so this </p> closes nothing: close it there, or use a <div>.", p.Tree.Position(ended.Start).Line+1, ended.Next.Name)
	}
}

// holds says what some elements hold, beside scripts and templates.
var holds = map[string][]string{
	"ul": {"li"}, "ol": {"li"}, "menu": {"li"}, "dl": {"dt", "dd", "div"}, "table": {"caption", "colgroup", "col", "thead", "tbody", "tfoot", "tr"},
	"thead": {"tr"}, "tbody": {"tr"}, "tfoot": {"tr"}, "tr": {"td", "th"}, "colgroup": {"col"}, "optgroup": {"option", "legend", "div", "noscript"}, "datalist": {"option"},
	"picture": {"source", "img"},
}

func checkChild(p *validate.Pass, n *dom.Node) {
	parent := n.Parent
	if parent == nil || parent.Kind != dom.Element || n.Space != dom.HTML || parent.Space != dom.HTML || n.Custom() {
		return
	}
	allowed := holds[parent.Name]
	if allowed == nil || slices.Contains(allowed, n.Name) || n.Is("script", "template", "slot", "style", "noscript", "link", "meta") || !slices.Contains(dom.HTMLElements, n.Name) {
		return
	}
	if parent.Is("ul", "ol", "menu", "dl") && (parent.Attr("role") != nil || n.Attr("role") != nil) || n.Is("input") && dom.AttributeText(n, "type") == "hidden" || n.Is("form") && parent.Is("table", "tbody", "tr") {
		return // a form in a table is common, and works
	}
	if parent.Arm != n.Arm && n.Arm == nil || parent.Is("datalist") && !blockElements[n.Name] {
		return // a list of data holds text beside its options
	}
	p.Element(n, "<%s> may contain %s, not <%s>.", parent.Name, "<"+strings.Join(allowed, ">, <")+">", n.Name)
}

// belongs says which parents some elements need.
var belongs = map[string][]string{
	"li": {"ul", "ol", "menu"}, "dt": {"dl", "div"}, "dd": {"dl", "div"}, "figcaption": {"figure"}, "legend": {"fieldset", "optgroup"},
	"source": {"audio", "video", "picture"}, "track": {"audio", "video"}, "option": {"select", "datalist", "optgroup", "div"}, "optgroup": {"select", "div"},
	"td": {"tr"}, "th": {"tr"}, "tr": {"table", "thead", "tbody", "tfoot"}, "caption": {"table"}, "summary": {"details"},
}

func checkParent(p *validate.Pass, n *dom.Node) {
	needed := belongs[n.Name]
	parent := n.Parent
	if needed == nil || n.Space != dom.HTML || parent == nil || parent.Kind != dom.Element || parent.Space != dom.HTML || !slices.Contains(dom.HTMLElements, parent.Name) || parent.Is("template", "slot", "noscript", "selectedcontent", "select") || parent.Is("body") && !p.Access().Whole() {
		return
	}
	if parent.Is(needed...) || parent.Arm != n.Arm && n.Arm == nil || n.Attr("role") != nil || parent.Attr("role") != nil {
		return
	}
	for c := parent.FirstChild; c != n; c = c.Next {
		if c.Kind == dom.Tag && c.Unknown() {
			return // an include may open the list
		}
	}
	p.Element(n, "<%s> belongs in <%s>, not in <%s>.", n.Name, strings.Join(needed, ">, <"), parent.Name)
}

func checkLabelMany(p *validate.Pass, n *dom.Node) {
	var fields []*dom.Node
	for c := range n.Walk() {
		if c.Is("input", "select", "textarea") && dom.AttributeText(c, "type") != "hidden" && (len(fields) == 0 || fields[0].Arm == c.Arm) && !c.May("aria-label") && !c.May("aria-labelledby") {
			fields = append(fields, c)
		}
	}
	if len(fields) > 1 && n.Attr("for") == nil {
		p.Element(fields[1], "This field is inside the label of another field (line %d): give it its own.", p.Tree.Position(fields[0].Start).Line+1)
	}
}

func checkDoctype(p *validate.Pass, d *dom.Document) {
	if !dom.IsPage(d) || d.Elements("html")[0].Arm != nil || strings.HasSuffix(p.Path, ".xhtml") || d.Elements("html")[0].Attr("amp4email") != nil || d.Elements("html")[0].Attr("xmlns:v") != nil {
		return
	}
	for c := d.Root.FirstChild; c != nil && !c.Is("html"); c = c.Next {
		switch {
		case c.Kind == dom.Doctype:
			old := strings.ToLower(c.Text)
			if strings.Contains(old, "public") && (strings.Contains(old, "transitional") || strings.Contains(old, "html 3") || strings.Contains(old, "frameset")) && !strings.Contains(old, "xhtml") && !strings.Contains(old, "http") {
				p.Report(c.Start, c.End, "This doctype switches browsers to quirks mode: write <!DOCTYPE html>.")
			}
			return
		case c.Unknown() || c.Kind == dom.Comment && strings.HasPrefix(c.Text, "xml"):
			return
		}
	}
	html := d.Elements("html")[0]
	if html.Parent == d.Root {
		p.Element(html, "The page has no doctype, so browsers use quirks mode: begin it with <!DOCTYPE html>.")
	}
}

// charsetWindow is how far browsers look for the encoding.
const charsetWindow = 1024

func checkCharset(p *validate.Pass, d *dom.Document) {
	if !dom.IsPage(d) || len(d.Elements("head")) == 0 {
		return
	}
	head := d.Elements("head")[0]
	for _, n := range d.Elements("meta") {
		at := n.Attr("charset")
		if at == nil && strings.EqualFold(dom.AttributeText(n, "http-equiv"), "content-type") {
			at = n.Attr("content")
		}
		if at == nil {
			continue
		}
		if n.End > charsetWindow && len(d.Templates()) == 0 {
			p.Element(n, "Browsers look for the encoding in the first 1024 bytes, and this comes later: put it first in the head.")
		}
		return
	}
	ascii := strings.IndexFunc(p.Text, func(r rune) bool { return r >= 0x80 }) < 0
	if head.HasUnknown() || ascii || strings.HasPrefix(p.Text, "\ufeff") || strings.HasPrefix(strings.TrimSpace(p.Text), "<?xml") {
		return
	}
	p.Element(head, "The page does not declare its encoding: put <meta charset=\"utf-8\"> first in its head.")
}
