package html

import (
	"maps"
	"slices"
	"strings"

	"caselsp/agent/dom"
	"caselsp/agent/syntax"
	"caselsp/agent/validate"
)

// attributeRules are about attributes and their values.
var attributeRules = []validate.Rule{{
	ID: "duplicate-attribute", Title: "An attribute stands twice in one tag", Severity: validate.Warning, Category: validate.Markup,
	Doc:  "Browsers take the first and drop the others without a word, so the second value does nothing.",
	Bad:  "<a class=\"nav\" href=\"/\" class=\"active\">Home</a>\n",
	Good: "<a class=\"nav active\" href=\"/\">Home</a>\n",
	Check: validate.Elements(func(p *validate.Pass, n *dom.Node) {
		for i := range n.Attrs {
			a := &n.Attrs[i]
			first := n.Attr(a.Name)
			// A binding beside the plain attribute is how script frameworks add to it.
			if first != a && !a.Bound && !first.Bound && !dom.Exclusive(first.Arm, a.Arm) && !a.Conditional && !first.Conditional && !strings.ContainsAny(a.Name, "@:#(*") && !strings.HasPrefix(a.Name, "xlink") && first.NameEnd-first.Start == a.NameEnd-a.Start {
				p.Attribute(a, "%s stands in this tag already: browsers drop this one. Merge the two.", a.Name)
			}
		}
	}),
}, {
	ID: "duplicate-id", Title: "An id that another element has", Severity: validate.Warning, Category: validate.Markup,
	Standards: []string{"WCAG 4.1.2"},
	Doc: "Labels, links and scripts find the first one only. Elements of different branches of a template and those in `<template>` are never there together: " +
		"they are left alone.",
	Bad:   "<p id=\"intro\">One</p>\n<p id=\"intro\">Two</p>\n",
	Good:  "<p id=\"intro\">One</p>\n<p id=\"more\">Two</p>\n",
	Check: validate.Page(checkDuplicateIDs),
}, {
	ID: "id-blank", Title: "An id that is empty or holds a blank", Severity: validate.Warning, Category: validate.Markup,
	Doc:  "An id with a blank in it cannot be named by `for`, `aria-labelledby` or `headers`, and an empty one by nothing.",
	Bad:  "<p id=\"my intro\">One</p>\n",
	Good: "<p id=\"my-intro\">One</p>\n",
	Check: validate.Attributes(func(p *validate.Pass, n *dom.Node, a *dom.Attr) {
		if !a.Dynamic && (strings.ContainsAny(strings.TrimSpace(a.Value), " \t\n") || a.Value == "" || strings.TrimSpace(a.Value) != a.Value) && !a.Conditional {
			p.Attribute(a, "This id cannot be named: write one word.")
		}
	}, "id"),
}, {
	ID: "boolean-false", Title: "An attribute that is on, set to false", Severity: validate.Warning, Category: validate.Markup,
	Doc: "`disabled=\"false\"` disables: such an attribute is on by being there, whatever its value. Leave it out.",
	Bad: "<button disabled=\"false\">Send</button>\n", Good: "<button>Send</button>\n",
	Check: validate.Attributes(func(p *validate.Pass, n *dom.Node, a *dom.Attr) {
		v := strings.ToLower(strings.TrimSpace(a.Value))
		if n.Space == dom.HTML && slices.Contains(dom.HTMLElements, n.Name) && !a.Dynamic && (v == "false" || v == "0" || v == "no" || v == "off") && (dom.OwnsAttribute(n.Name, a.Name) || a.Name == "inert") {
			p.Attribute(a, "%s=%q switches it on all the same: leave the attribute out.", a.Name, a.Value)
		}
	}, dom.BooleanAttributes...),
}, {
	ID: "attribute-value", Title: "A value that its attribute does not know", Severity: validate.Warning, Category: validate.Markup,
	Doc: "Browsers take the default for a word that they do not know: a misspelt `method` is `get`, a misspelt `type` is a text field. Numbers, dates " +
		"and types that cannot be read count as not there.",
	Bad:   "<input type=\"nubmer\" name=\"age\">\n",
	Good:  "<input type=\"number\" name=\"age\">\n",
	Check: validate.Attributes(checkEnum),
}, {
	ID: "unknown-attribute", Title: "A misspelt attribute", Severity: validate.Warning, Category: validate.Markup,
	Doc: "Browsers pass over attributes that they do not know. Only those are reported that look like one of their element; private ones are " +
		"written with `data-`.",
	Bad:   "<img scr=\"/logo.png\" alt=\"Home\">\n",
	Good:  "<img src=\"/logo.png\" alt=\"Home\">\n",
	Check: validate.Attributes(checkUnknownAttribute),
}, {
	ID: "obsolete-attribute", Title: "An attribute that only says how something looks", Severity: validate.Info, Category: validate.Markup,
	Doc:  "The standard has taken it out; a style sheet says it better and once for all.",
	Bad:  "<td bgcolor=\"#eee\" valign=\"top\">9</td>\n",
	Good: "<td class=\"total\">9</td>\n",
	Check: validate.Attributes(func(p *validate.Pass, n *dom.Node, a *dom.Attr) {
		if n.Space == dom.HTML && (slices.Contains(dom.ObsoleteAttributes[n.Name], a.Name) || slices.Contains(dom.ObsoleteAttributes["*"], a.Name) && n.Is("body", "table", "tr", "td", "th")) && !a.Bound {
			p.Attribute(a, "%s on <%s> is out of the standard: say it in a style sheet.", a.Name, n.Name)
		}
	}),
}, {
	ID: "duplicate-class", Title: "A class that stands twice in one attribute", Severity: validate.Info, Category: validate.Markup,
	Doc: "The second does nothing; often another one was meant.",
	Bad: "<p class=\"note wide note\">Text</p>\n", Good: "<p class=\"note wide\">Text</p>\n",
	Check: validate.Attributes(func(p *validate.Pass, n *dom.Node, a *dom.Attr) {
		seen := map[string]bool{}
		for _, w := range a.Words() {
			if a.Dynamic {
				return
			}
			if seen[w.Text] {
				p.Offer(w.Start, w.End, &validate.Fix{Title: "Remove the second " + w.Text, Edits: []validate.Edit{{Start: validate.BlanksBefore(p.Text, w.Start), End: w.End, New: ""}}}, "The class %s stands here already.", w.Text)
			}
			seen[w.Text] = true
		}
	}, "class"),
}, {
	ID: "redundant-type", Title: "A type that is the default", Severity: validate.Info, Category: validate.Markup,
	Doc: "Scripts are JavaScript and style sheets CSS by default.",
	Bad: "<script type=\"text/javascript\" src=\"/a.js\"></script>\n", Good: "<script src=\"/a.js\"></script>\n",
	Check: validate.Attributes(func(p *validate.Pass, n *dom.Node, a *dom.Attr) {
		v := strings.ToLower(a.Value)
		if n.Is("script") && (v == "text/javascript" || v == "application/javascript") || n.Is("style") && v == "text/css" || n.Is("link") && v == "text/css" && strings.EqualFold(dom.AttributeText(n, "rel"), "stylesheet") {
			p.Offer(a.Start, a.End, &validate.Fix{Title: "Remove the type", Edits: []validate.Edit{{Start: validate.BlanksBefore(p.Text, a.Start), End: a.End, New: ""}}}, "%s is the default: leave the attribute out.", a.Value)
		}
	}, "type"),
}, {
	ID: "empty-address", Title: "An empty address", Severity: validate.Warning, Category: validate.Markup,
	Doc:  "The empty address is the page's own: browsers load the page once more for `src=\"\"`, as an image, a script or a frame.",
	Bad:  "<img src=\"\" alt=\"Preview\">\n",
	Good: "<img src=\"/empty.png\" alt=\"Preview\">\n",
	Check: validate.Attributes(func(p *validate.Pass, n *dom.Node, a *dom.Attr) {
		if !a.Dynamic && !a.Conditional && strings.TrimSpace(a.Value) == "" && loadsFrom(n, a.Name) && !p.Access().Scripted(n) {
			p.Attribute(a, "This address is empty, so browsers load the page itself: name what is to be loaded, or leave the attribute out.")
		}
	}, "src", "href", "data", "poster"),
}, {
	ID: "script-address", Title: "A link whose address is a script", Severity: validate.Info, Category: validate.Markup,
	Doc:  "It cannot be opened in a new tab, and content security policies forbid it. A thing that does something is a `<button>`.",
	Bad:  "<a href=\"javascript:openMenu()\">Menu</a>\n",
	Good: "<button type=\"button\" id=\"menu\">Menu</button>\n",
	Check: validate.Attributes(func(p *validate.Pass, n *dom.Node, a *dom.Attr) {
		if n.Is("a", "area", "form", "iframe") && strings.HasPrefix(strings.ToLower(strings.TrimSpace(a.Value)), "javascript:") {
			p.Attribute(a, "This address is a script: make it a <button> with a listener.")
		}
	}, "href", "action", "src"),
}, {
	ID: "blank-opener", Title: "A link that gives a strange page its window", Severity: validate.Info, Category: validate.Markup,
	Standards: []string{"CWE-1022"},
	Doc:       "Older browsers let the page in the new window change this one through `window.opener`. `rel=\"noopener\"` forbids it; newer browsers do so by themselves.",
	Bad:       "<a href=\"https://example.org/\" target=\"_blank\">Partner</a>\n",
	Good:      "<a href=\"https://example.org/\" target=\"_blank\" rel=\"noopener\">Partner</a>\n",
	Check:     validate.Attributes(checkOpener, "target"),
}, {
	ID: "insecure-address", Title: "A part of the page that is loaded without encryption", Severity: validate.Warning, Category: validate.Markup,
	Standards: []string{"CWE-319"},
	Doc:       "Browsers block scripts, styles and frames over `http:` in a page over `https:`, and anybody on the way can change them.",
	Bad:       "<script src=\"http://cdn.example.org/a.js\"></script>\n",
	Good:      "<script src=\"https://cdn.example.org/a.js\"></script>\n",
	Check:     validate.Attributes(checkInsecure, "src", "href", "action", "data", "poster"),
}, {
	ID: "password-get", Title: "A password that is sent in the address", Severity: validate.Critical, Category: validate.Markup,
	Standards: []string{"CWE-598"},
	Doc:       "A form without `method=\"post\"` sends its fields in the address: the password stands in the history, in logs and in the Referer header.",
	Bad:       "<form action=\"/login\"><label>Password <input type=\"password\" name=\"p\"></label></form>\n",
	Good:      "<form action=\"/login\" method=\"post\"><label>Password <input type=\"password\" name=\"p\"></label></form>\n",
	Check: validate.Elements(func(p *validate.Pass, n *dom.Node) {
		form := n.Within("form")
		if !n.Is("input") || !strings.EqualFold(dom.AttributeText(n, "type"), "password") || form == nil || n.Attr("name") == nil || form.Opaque || p.Access().Scripted(form) {
			return
		}
		action, method := form.Attr("action"), form.Attr("method")
		if form.Attr("onsubmit") != nil || form.Attr("hx-post") != nil || action == nil || action.Dynamic && method == nil && strings.Contains(action.Value, "javascript") || !p.PlainHTML() {
			return // a script sends it
		}
		if method == nil || !method.Dynamic && !strings.EqualFold(strings.TrimSpace(method.Value), "post") && !strings.EqualFold(strings.TrimSpace(method.Value), "dialog") {
			p.Element(n, "This form sends the password in its address: add method=\"post\" to the <form> (line %d).", p.Tree.Position(form.Start).Line+1)
		}
	}, "input"),
}, {
	ID: "sandbox-escape", Title: "A sandbox that its frame can open", Severity: validate.Warning, Category: validate.Markup,
	Standards: []string{"CWE-693"},
	Doc:       "With `allow-scripts` and `allow-same-origin`, a frame of the same origin can take its own `sandbox` away: the attribute protects nothing.",
	Bad:       "<iframe title=\"Preview\" src=\"/preview\" sandbox=\"allow-scripts allow-same-origin\"></iframe>\n",
	Good:      "<iframe title=\"Preview\" src=\"/preview\" sandbox=\"allow-scripts\"></iframe>\n",
	Check: validate.Attributes(func(p *validate.Pass, n *dom.Node, a *dom.Attr) {
		src := dom.AttributeText(n, "src")
		if n.Is("iframe") && a.HasWord("allow-scripts") && a.HasWord("allow-same-origin") && !strings.Contains(src, "//") && src != "" {
			p.Attribute(a, "With allow-scripts and allow-same-origin, the frame can take the sandbox away: drop one.")
		}
	}, "sandbox"),
}, {
	ID: "source-missing", Title: "An image without a source", Severity: validate.Warning, Category: validate.Markup,
	Doc:  "It shows nothing. Where a script sets it later, leave a class or an id that the script names.",
	Bad:  "<img alt=\"Logo\">\n",
	Good: "<img src=\"/logo.png\" alt=\"Logo\">\n",
	Check: validate.Elements(func(p *validate.Pass, n *dom.Node) {
		if !n.Is("img") || n.May("src") || n.May("srcset") || n.Inert() || n.May("id") || p.Access().Scripted(n) || !p.PlainHTML() {
			return
		}
		for i := range n.Attrs {
			if strings.HasPrefix(n.Attrs[i].Name, "data-") {
				return // loaded later
			}
		}
		p.Element(n, "This image has no source: add src.")
	}, "img"),
}, {
	ID: "link-rel", Title: "A <link> that does not say what it links", Severity: validate.Warning, Category: validate.Markup,
	Doc:  "Without `rel` browsers load nothing.",
	Bad:  "<link href=\"/site.css\">\n",
	Good: "<link rel=\"stylesheet\" href=\"/site.css\">\n",
	Check: validate.Elements(func(p *validate.Pass, n *dom.Node) {
		if n.Is("link") && n.Attr("href") != nil && !n.May("rel") && !n.May("itemprop") && !n.May("property") && !n.May("rev") {
			p.Element(n, "Without rel this link does nothing: add rel=\"stylesheet\", or what is meant.")
		}
	}, "link"),
}}

// loadsFrom reports whether browsers load what an attribute names, beside the page.
func loadsFrom(n *dom.Node, name string) bool {
	switch name {
	case "src":
		return n.Is("img", "script", "iframe", "source", "embed", "video", "audio", "track") || n.Is("input") && strings.EqualFold(dom.AttributeText(n, "type"), "image")
	case "href":
		return n.Is("link")
	case "data":
		return n.Is("object")
	}
	return name == "poster" && n.Is("video")
}

func checkDuplicateIDs(p *validate.Pass, d *dom.Document) {
	for _, n := range d.Elements() {
		id, ok := n.Get("id")
		if !ok || id == "" || n.Inert() || withinCustom(n) || n.Within("svg") != nil && n.Space != dom.HTML {
			continue
		}
		for _, o := range d.ByID(id) {
			if o == n {
				break
			}
			// Two blocks that are not around each other may exclude each other.
			if !o.Inert() && (encloses(o.Arm, n.Arm) || encloses(n.Arm, o.Arm)) && !o.Attr("id").Conditional && !n.Attr("id").Conditional {
				p.Attribute(n.Attr("id"), "The id %s is another element's already (line %d).", id, p.Tree.Position(o.Start).Line+1)
				break
			}
		}
	}
}

// withinCustom reports whether an element of a template language lies around n,
// which may be a condition.
func withinCustom(n *dom.Node) bool {
	for p := range n.Ancestors() {
		if strings.Contains(p.Name, ":") {
			return true
		}
	}
	return false
}

// encloses reports whether whatever is in branch b is in branch a, too.
func encloses(a, b *dom.Arm) bool {
	if a == nil {
		return true
	}
	for ; b != nil; b = b.Parent {
		if a.Block == b.Block && a.Index == b.Index {
			return true
		}
	}
	return false
}

func checkEnum(p *validate.Pass, n *dom.Node, a *dom.Attr) {
	if n.Space != dom.HTML || a.Dynamic || a.Bound || unfilled(a.Value) {
		return
	}
	if fault := valueFault(n, a); fault != "" {
		p.Attribute(a, "%s cannot be %q: it is %s.", a.Name, a.Value, fault)
		return
	}
	list := dom.EnumAttributes[n.Name][a.Name]
	if list == nil && slices.Contains(dom.HTMLElements, n.Name) {
		list = dom.EnumAttributes["*"][a.Name]
	}
	v := strings.ToLower(strings.TrimSpace(a.Value))
	if list == nil || slices.Contains(list, v) || v == "" && a.Name != "method" {
		return
	}
	if a.Name == "type" && v == "datetime" {
		p.Attribute(a, "type=\"datetime\" is out of the standard, so browsers show a text field: take datetime-local.")
		return
	}
	if near := syntax.Closest(v, list); near != "" {
		p.Attribute(a, "%s cannot be %q: is %s meant?", a.Name, a.Value, near)
		return
	}
	p.Attribute(a, "%s cannot be %q: it is one of %s.", a.Name, a.Value, strings.Join(list, ", "))
}

// linkedData are the attributes of RDFa, which any element may have.
var linkedData = syntax.WordSet("about content datatype inlist prefix property resource rev typeof vocab")

func checkUnknownAttribute(p *validate.Pass, n *dom.Node, a *dom.Attr) {
	if n.Space != dom.HTML || a.Bound || !slices.Contains(dom.HTMLElements, n.Name) || strings.ContainsAny(a.Name, "-:@.#*()[]{}$_") || strings.HasPrefix(a.Name, "on") || dom.OwnsAttribute(n.Name, a.Name) || len(a.Name) < 3 || linkedData[a.Name] {
		return
	}
	known := append(slices.Clone(dom.OwnAttributes[n.Name]), "class", "style", "title", "hidden", "tabindex", "lang", "role")
	near := syntax.Closest(a.Name, known)
	if near == "" || n.Attr(near) != nil || slices.ContainsFunc(slices.Sorted(maps.Keys(dom.OwnAttributes)), func(e string) bool { return slices.Contains(dom.OwnAttributes[e], a.Name) }) {
		return
	}
	p.Report(a.Start, a.NameEnd, "<%s> has no attribute %s: is %s meant?", n.Name, a.Name, near)
}

func checkOpener(p *validate.Pass, n *dom.Node, a *dom.Attr) {
	href := n.Attr("href")
	rel := n.Attr("rel")
	if !n.Is("a", "area") || !strings.EqualFold(strings.TrimSpace(a.Value), "_blank") || a.Conditional || href == nil || href.Dynamic || n.Opaque {
		return
	}
	if !strings.HasPrefix(href.Value, "http://") && !strings.HasPrefix(href.Value, "https://") && !strings.HasPrefix(href.Value, "//") {
		return
	}
	if rel == nil {
		p.Offer(a.Start, a.End, &validate.Fix{Title: "Add rel=\"noopener\"", Edits: []validate.Edit{{Start: a.End, End: a.End, New: " rel=\"noopener\""}}}, "Older browsers let the other page change this one: add rel=\"noopener\".")
		return
	}
	if !rel.Dynamic && !rel.HasWord("noopener") && !rel.HasWord("noreferrer") && !rel.HasWord("opener") {
		var fix *validate.Fix
		if rel.Quote != 0 {
			fix = &validate.Fix{Title: "Add noopener", Edits: []validate.Edit{{Start: rel.ValueStart, End: rel.ValueEnd, New: strings.TrimSpace(rel.Value + " noopener")}}}
		}
		p.Offer(a.Start, a.End, fix, "Older browsers let the other page change this one: add noopener to rel.")
	}
}

func checkInsecure(p *validate.Pass, n *dom.Node, a *dom.Attr) {
	v := strings.ToLower(strings.TrimSpace(a.Value))
	if !strings.HasPrefix(v, "http://") || a.Dynamic && strings.HasPrefix(v, "http://{") {
		return
	}
	host, _, _ := strings.Cut(v[len("http://"):], "/")
	name, _, _ := strings.Cut(host, ":")
	if name == "localhost" || strings.HasPrefix(name, "127.") || strings.HasSuffix(name, ".local") || strings.HasSuffix(name, ".test") || strings.HasSuffix(name, ".onion") || !strings.Contains(name, ".") || strings.HasPrefix(name, "192.168.") || strings.HasPrefix(name, "10.") {
		return
	}
	switch {
	case n.Is("script", "iframe", "embed", "frame", "img", "audio", "video", "source", "track") && a.Name == "src", n.Is("object") && a.Name == "data", n.Is("video") && a.Name == "poster":
	case n.Is("link") && a.Name == "href" && strings.Contains(strings.ToLower(dom.AttributeText(n, "rel")), "stylesheet"):
	case n.Is("form") && a.Name == "action":
	default:
		return
	}
	p.Attribute(a, "This is loaded without encryption: browsers block or warn, and anybody on the way can change it. Use https.")
}
