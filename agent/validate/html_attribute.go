package validate

import (
	"maps"
	"slices"
	"strings"

	"caselsp/agent/dom"
)

// htmlAttributeRules are about attributes and their values.
var htmlAttributeRules = []Rule{{
	ID: "duplicate-attribute", Title: "An attribute stands twice in one tag", Severity: Warning, Category: Markup,
	Doc:  "Browsers take the first and drop the others without a word, so the second value does nothing.",
	Bad:  "<a class=\"nav\" href=\"/\" class=\"active\">Home</a>\n",
	Good: "<a class=\"nav active\" href=\"/\">Home</a>\n",
	Check: elements(func(p *Pass, n *dom.Node) {
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
	ID: "duplicate-id", Title: "An id that another element has", Severity: Warning, Category: Markup,
	Standards: []string{"WCAG 4.1.2"},
	Doc: "Labels, links and scripts find the first one only. Elements of different branches of a template and those in `<template>` are never there together: " +
		"they are left alone.",
	Bad:   "<p id=\"intro\">One</p>\n<p id=\"intro\">Two</p>\n",
	Good:  "<p id=\"intro\">One</p>\n<p id=\"more\">Two</p>\n",
	Check: page(checkDuplicateIDs),
}, {
	ID: "id-blank", Title: "An id that is empty or holds a blank", Severity: Warning, Category: Markup,
	Doc:  "An id with a blank in it cannot be named by `for`, `aria-labelledby` or `headers`, and an empty one by nothing.",
	Bad:  "<p id=\"my intro\">One</p>\n",
	Good: "<p id=\"my-intro\">One</p>\n",
	Check: attributes(func(p *Pass, n *dom.Node, a *dom.Attr) {
		if !a.Dynamic && (strings.ContainsAny(strings.TrimSpace(a.Value), " \t\n") || a.Value == "" || strings.TrimSpace(a.Value) != a.Value) && !a.Conditional {
			p.Attribute(a, "This id cannot be named: write one word.")
		}
	}, "id"),
}, {
	ID: "boolean-false", Title: "An attribute that is on, set to false", Severity: Warning, Category: Markup,
	Doc: "`disabled=\"false\"` disables: such an attribute is on by being there, whatever its value. Leave it out.",
	Bad: "<button disabled=\"false\">Send</button>\n", Good: "<button>Send</button>\n",
	Check: attributes(func(p *Pass, n *dom.Node, a *dom.Attr) {
		v := strings.ToLower(strings.TrimSpace(a.Value))
		if n.Space == dom.HTML && slices.Contains(htmlElements, n.Name) && !a.Dynamic && (v == "false" || v == "0" || v == "no" || v == "off") && (ownsAttribute(n.Name, a.Name) || a.Name == "inert") {
			p.Attribute(a, "%s=%q switches it on all the same: leave the attribute out.", a.Name, a.Value)
		}
	}, booleans...),
}, {
	ID: "attribute-value", Title: "A value that its attribute does not know", Severity: Warning, Category: Markup,
	Doc: "Browsers take the default for a word that they do not know: a misspelt `method` is `get`, a misspelt `type` is a text field. Numbers, dates " +
		"and types that cannot be read count as not there.",
	Bad:   "<input type=\"nubmer\" name=\"age\">\n",
	Good:  "<input type=\"number\" name=\"age\">\n",
	Check: attributes(checkEnum),
}, {
	ID: "unknown-attribute", Title: "A misspelt attribute", Severity: Warning, Category: Markup,
	Doc: "Browsers pass over attributes that they do not know. Only those are reported that look like one of their element; private ones are " +
		"written with `data-`.",
	Bad:   "<img scr=\"/logo.png\" alt=\"Home\">\n",
	Good:  "<img src=\"/logo.png\" alt=\"Home\">\n",
	Check: attributes(checkUnknownAttribute),
}, {
	ID: "obsolete-attribute", Title: "An attribute that only says how something looks", Severity: Info, Category: Markup,
	Doc:  "The standard has taken it out; a style sheet says it better and once for all.",
	Bad:  "<td bgcolor=\"#eee\" valign=\"top\">9</td>\n",
	Good: "<td class=\"total\">9</td>\n",
	Check: attributes(func(p *Pass, n *dom.Node, a *dom.Attr) {
		if n.Space == dom.HTML && (slices.Contains(obsoleteAttributes[n.Name], a.Name) || slices.Contains(obsoleteAttributes["*"], a.Name) && n.Is("body", "table", "tr", "td", "th")) && !a.Bound {
			p.Attribute(a, "%s on <%s> is out of the standard: say it in a style sheet.", a.Name, n.Name)
		}
	}),
}, {
	ID: "duplicate-class", Title: "A class that stands twice in one attribute", Severity: Info, Category: Markup,
	Doc: "The second does nothing; often another one was meant.",
	Bad: "<p class=\"note wide note\">Text</p>\n", Good: "<p class=\"note wide\">Text</p>\n",
	Check: attributes(func(p *Pass, n *dom.Node, a *dom.Attr) {
		seen := map[string]bool{}
		for _, w := range a.Words() {
			if a.Dynamic {
				return
			}
			if seen[w.Text] {
				p.Offer(w.Start, w.End, &Fix{"Remove the second " + w.Text, []Edit{{before(p.Text, w.Start), w.End, ""}}}, "The class %s stands here already.", w.Text)
			}
			seen[w.Text] = true
		}
	}, "class"),
}, {
	ID: "redundant-type", Title: "A type that is the default", Severity: Info, Category: Markup,
	Doc: "Scripts are JavaScript and style sheets CSS by default.",
	Bad: "<script type=\"text/javascript\" src=\"/a.js\"></script>\n", Good: "<script src=\"/a.js\"></script>\n",
	Check: attributes(func(p *Pass, n *dom.Node, a *dom.Attr) {
		v := strings.ToLower(a.Value)
		if n.Is("script") && (v == "text/javascript" || v == "application/javascript") || n.Is("style") && v == "text/css" || n.Is("link") && v == "text/css" && strings.EqualFold(value(n, "rel"), "stylesheet") {
			p.Offer(a.Start, a.End, &Fix{"Remove the type", []Edit{{before(p.Text, a.Start), a.End, ""}}}, "%s is the default: leave the attribute out.", a.Value)
		}
	}, "type"),
}, {
	ID: "empty-address", Title: "An empty address", Severity: Warning, Category: Markup,
	Doc:  "The empty address is the page's own: browsers load the page once more for `src=\"\"`, as an image, a script or a frame.",
	Bad:  "<img src=\"\" alt=\"Preview\">\n",
	Good: "<img src=\"/empty.png\" alt=\"Preview\">\n",
	Check: attributes(func(p *Pass, n *dom.Node, a *dom.Attr) {
		if !a.Dynamic && !a.Conditional && strings.TrimSpace(a.Value) == "" && loadsFrom(n, a.Name) && !p.access().scripted(n) {
			p.Attribute(a, "This address is empty, so browsers load the page itself: name what is to be loaded, or leave the attribute out.")
		}
	}, "src", "href", "data", "poster"),
}, {
	ID: "script-address", Title: "A link whose address is a script", Severity: Info, Category: Markup,
	Doc:  "It cannot be opened in a new tab, and content security policies forbid it. A thing that does something is a `<button>`.",
	Bad:  "<a href=\"javascript:openMenu()\">Menu</a>\n",
	Good: "<button type=\"button\" id=\"menu\">Menu</button>\n",
	Check: attributes(func(p *Pass, n *dom.Node, a *dom.Attr) {
		if n.Is("a", "area", "form", "iframe") && strings.HasPrefix(strings.ToLower(strings.TrimSpace(a.Value)), "javascript:") {
			p.Attribute(a, "This address is a script: make it a <button> with a listener.")
		}
	}, "href", "action", "src"),
}, {
	ID: "blank-opener", Title: "A link that gives a strange page its window", Severity: Info, Category: Markup,
	Standards: []string{"CWE-1022"},
	Doc:       "Older browsers let the page in the new window change this one through `window.opener`. `rel=\"noopener\"` forbids it; newer browsers do so by themselves.",
	Bad:       "<a href=\"https://example.org/\" target=\"_blank\">Partner</a>\n",
	Good:      "<a href=\"https://example.org/\" target=\"_blank\" rel=\"noopener\">Partner</a>\n",
	Check:     attributes(checkOpener, "target"),
}, {
	ID: "insecure-address", Title: "A part of the page that is loaded without encryption", Severity: Warning, Category: Markup,
	Standards: []string{"CWE-319"},
	Doc:       "Browsers block scripts, styles and frames over `http:` in a page over `https:`, and anybody on the way can change them.",
	Bad:       "<script src=\"http://cdn.example.org/a.js\"></script>\n",
	Good:      "<script src=\"https://cdn.example.org/a.js\"></script>\n",
	Check:     attributes(checkInsecure, "src", "href", "action", "data", "poster"),
}, {
	ID: "password-get", Title: "A password that is sent in the address", Severity: Critical, Category: Markup,
	Standards: []string{"CWE-598"},
	Doc:       "A form without `method=\"post\"` sends its fields in the address: the password stands in the history, in logs and in the Referer header.",
	Bad:       "<form action=\"/login\"><label>Password <input type=\"password\" name=\"p\"></label></form>\n",
	Good:      "<form action=\"/login\" method=\"post\"><label>Password <input type=\"password\" name=\"p\"></label></form>\n",
	Check: elements(func(p *Pass, n *dom.Node) {
		form := n.Within("form")
		if !n.Is("input") || !strings.EqualFold(value(n, "type"), "password") || form == nil || n.Attr("name") == nil || form.Opaque || p.access().scripted(form) {
			return
		}
		action, method := form.Attr("action"), form.Attr("method")
		if form.Attr("onsubmit") != nil || form.Attr("hx-post") != nil || action == nil || action.Dynamic && method == nil && strings.Contains(action.Value, "javascript") || !p.plainHTML() {
			return // a script sends it
		}
		if method == nil || !method.Dynamic && !strings.EqualFold(strings.TrimSpace(method.Value), "post") && !strings.EqualFold(strings.TrimSpace(method.Value), "dialog") {
			p.Element(n, "This form sends the password in its address: add method=\"post\" to the <form> (line %d).", p.Tree.Position(form.Start).Line+1)
		}
	}, "input"),
}, {
	ID: "sandbox-escape", Title: "A sandbox that its frame can open", Severity: Warning, Category: Markup,
	Standards: []string{"CWE-693"},
	Doc:       "With `allow-scripts` and `allow-same-origin`, a frame of the same origin can take its own `sandbox` away: the attribute protects nothing.",
	Bad:       "<iframe title=\"Preview\" src=\"/preview\" sandbox=\"allow-scripts allow-same-origin\"></iframe>\n",
	Good:      "<iframe title=\"Preview\" src=\"/preview\" sandbox=\"allow-scripts\"></iframe>\n",
	Check: attributes(func(p *Pass, n *dom.Node, a *dom.Attr) {
		src := value(n, "src")
		if n.Is("iframe") && a.HasWord("allow-scripts") && a.HasWord("allow-same-origin") && !strings.Contains(src, "//") && src != "" {
			p.Attribute(a, "With allow-scripts and allow-same-origin, the frame can take the sandbox away: drop one.")
		}
	}, "sandbox"),
}, {
	ID: "source-missing", Title: "An image without a source", Severity: Warning, Category: Markup,
	Doc:  "It shows nothing. Where a script sets it later, leave a class or an id that the script names.",
	Bad:  "<img alt=\"Logo\">\n",
	Good: "<img src=\"/logo.png\" alt=\"Logo\">\n",
	Check: elements(func(p *Pass, n *dom.Node) {
		if !n.Is("img") || n.May("src") || n.May("srcset") || n.Inert() || n.May("id") || p.access().scripted(n) || !p.plainHTML() {
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
	ID: "link-rel", Title: "A <link> that does not say what it links", Severity: Warning, Category: Markup,
	Doc:  "Without `rel` browsers load nothing.",
	Bad:  "<link href=\"/site.css\">\n",
	Good: "<link rel=\"stylesheet\" href=\"/site.css\">\n",
	Check: elements(func(p *Pass, n *dom.Node) {
		if n.Is("link") && n.Attr("href") != nil && !n.May("rel") && !n.May("itemprop") && !n.May("property") && !n.May("rev") {
			p.Element(n, "Without rel this link does nothing: add rel=\"stylesheet\", or what is meant.")
		}
	}, "link"),
}}

// loadsFrom reports whether browsers load what an attribute names, beside the page.
func loadsFrom(n *dom.Node, name string) bool {
	switch name {
	case "src":
		return n.Is("img", "script", "iframe", "source", "embed", "video", "audio", "track") || n.Is("input") && strings.EqualFold(value(n, "type"), "image")
	case "href":
		return n.Is("link")
	case "data":
		return n.Is("object")
	}
	return name == "poster" && n.Is("video")
}

func checkDuplicateIDs(p *Pass, d *dom.Document) {
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

func checkEnum(p *Pass, n *dom.Node, a *dom.Attr) {
	if n.Space != dom.HTML || a.Dynamic || a.Bound || unfilled(a.Value) {
		return
	}
	if fault := valueFault(n, a); fault != "" {
		p.Attribute(a, "%s cannot be %q: it is %s.", a.Name, a.Value, fault)
		return
	}
	list := enums[n.Name][a.Name]
	if list == nil && slices.Contains(htmlElements, n.Name) {
		list = enums["*"][a.Name]
	}
	v := strings.ToLower(strings.TrimSpace(a.Value))
	if list == nil || slices.Contains(list, v) || v == "" && a.Name != "method" {
		return
	}
	if a.Name == "type" && v == "datetime" {
		p.Attribute(a, "type=\"datetime\" is out of the standard, so browsers show a text field: take datetime-local.")
		return
	}
	if near := closest(v, list); near != "" {
		p.Attribute(a, "%s cannot be %q: is %s meant?", a.Name, a.Value, near)
		return
	}
	p.Attribute(a, "%s cannot be %q: it is one of %s.", a.Name, a.Value, strings.Join(list, ", "))
}

// linkedData are the attributes of RDFa, which any element may have.
var linkedData = wordSet("about content datatype inlist prefix property resource rev typeof vocab")

func checkUnknownAttribute(p *Pass, n *dom.Node, a *dom.Attr) {
	if n.Space != dom.HTML || a.Bound || !slices.Contains(htmlElements, n.Name) || strings.ContainsAny(a.Name, "-:@.#*()[]{}$_") || strings.HasPrefix(a.Name, "on") || ownsAttribute(n.Name, a.Name) || len(a.Name) < 3 || linkedData[a.Name] {
		return
	}
	known := append(slices.Clone(ownAttributes[n.Name]), "class", "style", "title", "hidden", "tabindex", "lang", "role")
	near := closest(a.Name, known)
	if near == "" || n.Attr(near) != nil || slices.ContainsFunc(slices.Sorted(maps.Keys(ownAttributes)), func(e string) bool { return slices.Contains(ownAttributes[e], a.Name) }) {
		return
	}
	p.Report(a.Start, a.NameEnd, "<%s> has no attribute %s: is %s meant?", n.Name, a.Name, near)
}

func checkOpener(p *Pass, n *dom.Node, a *dom.Attr) {
	href := n.Attr("href")
	rel := n.Attr("rel")
	if !n.Is("a", "area") || !strings.EqualFold(strings.TrimSpace(a.Value), "_blank") || a.Conditional || href == nil || href.Dynamic || n.Opaque {
		return
	}
	if !strings.HasPrefix(href.Value, "http://") && !strings.HasPrefix(href.Value, "https://") && !strings.HasPrefix(href.Value, "//") {
		return
	}
	if rel == nil {
		p.Offer(a.Start, a.End, &Fix{"Add rel=\"noopener\"", []Edit{{a.End, a.End, " rel=\"noopener\""}}}, "Older browsers let the other page change this one: add rel=\"noopener\".")
		return
	}
	if !rel.Dynamic && !rel.HasWord("noopener") && !rel.HasWord("noreferrer") && !rel.HasWord("opener") {
		var fix *Fix
		if rel.Quote != 0 {
			fix = &Fix{"Add noopener", []Edit{{rel.ValueStart, rel.ValueEnd, strings.TrimSpace(rel.Value + " noopener")}}}
		}
		p.Offer(a.Start, a.End, fix, "Older browsers let the other page change this one: add noopener to rel.")
	}
}

func checkInsecure(p *Pass, n *dom.Node, a *dom.Attr) {
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
	case n.Is("link") && a.Name == "href" && strings.Contains(strings.ToLower(value(n, "rel")), "stylesheet"):
	case n.Is("form") && a.Name == "action":
	default:
		return
	}
	p.Attribute(a, "This is loaded without encryption: browsers block or warn, and anybody on the way can change it. Use https.")
}
