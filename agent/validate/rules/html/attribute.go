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
	ID: "duplicate-attribute", Title: "Duplicate attribute", Severity: validate.Warning, Category: validate.Markup,
	Aliases: validate.Aliases{validate.HTMLValidate: {"no-dup-attr"}, validate.HTMLHint: {"attr-no-duplication"}},
	Doc:     "Browsers use the first value and silently drop the others.",
	Bad:     "<a class=\"nav\" href=\"/\" class=\"active\">Home</a>\n",
	Good:    "<a class=\"nav active\" href=\"/\">Home</a>\n",
	Check: validate.Elements(func(p *validate.Pass, n *dom.Node) {
		for i := range n.Attrs {
			a := &n.Attrs[i]
			first := n.Attr(a.Name)
			// A binding beside the plain attribute is how script frameworks add to it.
			if first != a && !a.Bound && !first.Bound && !dom.Exclusive(first.Arm, a.Arm) && !a.Conditional && !first.Conditional && !strings.ContainsAny(a.Name, "@:#(*") && !strings.HasPrefix(a.Name, "xlink") && first.NameEnd-first.Start == a.NameEnd-a.Start {
				p.Attribute(a, "This tag already has the attribute %s: browsers ignore this one. Merge the two.", a.Name)
			}
		}
	}),
}, {
	ID: "duplicate-id", Title: "Duplicate id", Severity: validate.Warning, Category: validate.Markup,
	Standards: []string{"WCAG 4.1.2"},
	Aliases:   validate.Aliases{validate.HTMLValidate: {"no-dup-id"}, validate.Axe: {"duplicate-id"}, validate.HTMLHint: {"id-unique"}},
	Doc:       "Labels, links and scripts find only the first element. Elements in different branches of a template, and in `<template>`, never exist together and are not reported.",
	Bad:       "<p id=\"intro\">One</p>\n<p id=\"intro\">Two</p>\n",
	Good:      "<p id=\"intro\">One</p>\n<p id=\"more\">Two</p>\n",
	Check:     validate.Page(checkDuplicateIDs),
}, {
	ID: "id-blank", Title: "Empty id, or id with white space", Severity: validate.Warning, Category: validate.Markup,
	Aliases: validate.Aliases{validate.HTMLValidate: {"valid-id"}},
	Doc:     "An id with white space cannot be named by `for`, `aria-labelledby` or `headers`, and an empty one cannot be named at all.",
	Bad:     "<p id=\"my intro\">One</p>\n",
	Good:    "<p id=\"my-intro\">One</p>\n",
	Check: validate.Attributes(func(p *validate.Pass, n *dom.Node, a *dom.Attr) {
		if !a.Dynamic && (strings.ContainsAny(strings.TrimSpace(a.Value), " \t\n") || a.Value == "" || strings.TrimSpace(a.Value) != a.Value) && !a.Conditional {
			p.Attribute(a, "This id cannot be referenced: write one word.")
		}
	}, "id"),
}, {
	ID: "boolean-false", Title: "Boolean attribute set to \"false\"", Severity: validate.Warning, Category: validate.Markup,
	Aliases: validate.Aliases{validate.HTMLValidate: {"attribute-boolean-style"}},
	Doc:     "`disabled=\"false\"` disables the element: a boolean attribute is on if it is present, whatever its value. Leave it out.",
	Bad:     "<button disabled=\"false\">Send</button>\n", Good: "<button>Send</button>\n",
	Check: validate.Attributes(func(p *validate.Pass, n *dom.Node, a *dom.Attr) {
		v := strings.ToLower(strings.TrimSpace(a.Value))
		if n.Space == dom.HTML && slices.Contains(dom.HTMLElements, n.Name) && !a.Dynamic && (v == "false" || v == "0" || v == "no" || v == "off") && (dom.OwnsAttribute(n.Name, a.Name) || a.Name == "inert") {
			p.Attribute(a, "%s=%q switches it on all the same: remove the attribute.", a.Name, a.Value)
		}
	}, dom.BooleanAttributes...),
}, {
	ID: "attribute-value", Title: "Invalid attribute value", Severity: validate.Warning, Category: validate.Markup,
	Aliases: validate.Aliases{validate.HTMLValidate: {"attribute-allowed-values"}},
	Doc: "For an unknown value browsers use the default: a misspelt `method` is `get`, a misspelt `type` is a text field. Invalid numbers, dates and MIME types count as " +
		"missing.",
	Bad:   "<input type=\"nubmer\" name=\"age\">\n",
	Good:  "<input type=\"number\" name=\"age\">\n",
	Check: validate.Attributes(checkEnum),
}, {
	ID: "unknown-attribute", Title: "Unknown attribute (likely misspelt)", Severity: validate.Warning, Category: validate.Markup,
	Doc:   "Browsers ignore unknown attributes. Reported are only those that resemble an attribute of the element; names of your own start with `data-`.",
	Bad:   "<img scr=\"/logo.png\" alt=\"Home\">\n",
	Good:  "<img src=\"/logo.png\" alt=\"Home\">\n",
	Check: validate.Attributes(checkUnknownAttribute),
}, {
	ID: "obsolete-attribute", Title: "Obsolete presentational attribute", Severity: validate.Info, Category: validate.Markup,
	Aliases: validate.Aliases{validate.HTMLValidate: {"no-deprecated-attr"}},
	Doc:     "The standard removed it; use a style sheet.",
	Bad:     "<td bgcolor=\"#eee\" valign=\"top\">9</td>\n",
	Good:    "<td class=\"total\">9</td>\n",
	Check: validate.Attributes(func(p *validate.Pass, n *dom.Node, a *dom.Attr) {
		if n.Space == dom.HTML && (slices.Contains(dom.ObsoleteAttributes[n.Name], a.Name) || slices.Contains(dom.ObsoleteAttributes["*"], a.Name) && n.Is("body", "table", "tr", "td", "th")) && !a.Bound {
			p.Attribute(a, "%s on <%s> is obsolete: use a style sheet.", a.Name, n.Name)
		}
	}),
}, {
	ID: "duplicate-class", Title: "Duplicate class in a class attribute", Severity: validate.Info, Category: validate.Markup,
	Aliases: validate.Aliases{validate.HTMLValidate: {"no-dup-class"}},
	Doc:     "The second has no effect; often another class was meant.",
	Bad:     "<p class=\"note wide note\">Text</p>\n", Good: "<p class=\"note wide\">Text</p>\n",
	Check: validate.Attributes(func(p *validate.Pass, n *dom.Node, a *dom.Attr) {
		seen := map[string]bool{}
		for _, w := range a.Words() {
			if a.Dynamic {
				return
			}
			if seen[w.Text] {
				p.Offer(w.Start, w.End, &validate.Fix{Title: "Remove the second " + w.Text, Edits: []validate.Edit{{Start: validate.BlanksBefore(p.Text, w.Start), End: w.End, New: ""}}}, "The class %s is already in this attribute.", w.Text)
			}
			seen[w.Text] = true
		}
	}, "class"),
}, {
	ID: "redundant-type", Title: "Redundant type attribute", Severity: validate.Info, Category: validate.Markup,
	Aliases: validate.Aliases{validate.HTMLValidate: {"script-type"}},
	Doc:     "Scripts are JavaScript and style sheets CSS by default.",
	Bad:     "<script type=\"text/javascript\" src=\"/a.js\"></script>\n", Good: "<script src=\"/a.js\"></script>\n",
	Check: validate.Attributes(func(p *validate.Pass, n *dom.Node, a *dom.Attr) {
		v := strings.ToLower(a.Value)
		if n.Is("script") && (v == "text/javascript" || v == "application/javascript") || n.Is("style") && v == "text/css" || n.Is("link") && v == "text/css" && strings.EqualFold(dom.AttributeText(n, "rel"), "stylesheet") {
			p.Offer(a.Start, a.End, &validate.Fix{Title: "Remove the type", Edits: []validate.Edit{{Start: validate.BlanksBefore(p.Text, a.Start), End: a.End, New: ""}}}, "%s is the default: remove the attribute.", a.Value)
		}
	}, "type"),
}, {
	ID: "empty-address", Title: "Empty URL", Severity: validate.Warning, Category: validate.Markup,
	Aliases: validate.Aliases{validate.HTMLHint: {"src-not-empty"}},
	Doc:     "An empty URL is the URL of the page: browsers load the page again for `src=\"\"`, as an image, a script or a frame.",
	Bad:     "<img src=\"\" alt=\"Preview\">\n",
	Good:    "<img src=\"/empty.png\" alt=\"Preview\">\n",
	Check: validate.Attributes(func(p *validate.Pass, n *dom.Node, a *dom.Attr) {
		if !a.Dynamic && !a.Conditional && strings.TrimSpace(a.Value) == "" && loadsFrom(n, a.Name) && !p.Access().Scripted(n) {
			p.Attribute(a, "This URL is empty, so browsers load the page itself: name the resource, or remove the attribute.")
		}
	}, "src", "href", "data", "poster"),
}, {
	ID: "script-address", Title: "Link with a javascript: URL", Severity: validate.Info, Category: validate.Markup,
	Aliases: validate.Aliases{validate.ESLint: {"no-script-url", "jsx-a11y/anchor-is-valid"}},
	Doc:     "The link cannot be opened in a new tab, and content security policies forbid it. Use a `<button>` for an action.",
	Bad:     "<a href=\"javascript:openMenu()\">Menu</a>\n",
	Good:    "<button type=\"button\" id=\"menu\">Menu</button>\n",
	Check: validate.Attributes(func(p *validate.Pass, n *dom.Node, a *dom.Attr) {
		if n.Is("a", "area", "form", "iframe") && strings.HasPrefix(strings.ToLower(strings.TrimSpace(a.Value)), "javascript:") {
			p.Attribute(a, "This URL is a script: use a <button> with a listener.")
		}
	}, "href", "action", "src"),
}, {
	ID: "blank-opener", Title: "Link with target=\"_blank\" without rel=\"noopener\" (reverse tabnabbing)", Severity: validate.Info, Category: validate.Markup,
	Standards: []string{"CWE-1022"},
	Aliases:   validate.Aliases{validate.ESLint: {"react/jsx-no-target-blank"}},
	Doc:       "In older browsers the page in the new window can change this one through `window.opener`. `rel=\"noopener\"` forbids that; newer browsers do so by default.",
	Bad:       "<a href=\"https://example.org/\" target=\"_blank\">Partner</a>\n",
	Good:      "<a href=\"https://example.org/\" target=\"_blank\" rel=\"noopener\">Partner</a>\n",
	Check:     validate.Attributes(checkOpener, "target"),
}, {
	ID: "insecure-address", Title: "Mixed content: resource loaded over http", Severity: validate.Warning, Category: validate.Markup,
	Standards: []string{"CWE-319"},
	Doc:       "Browsers block scripts, style sheets and frames over `http:` in a page over `https:`, and anyone on the network path can change them (man in the middle).",
	Bad:       "<script src=\"http://cdn.example.org/a.js\"></script>\n",
	Good:      "<script src=\"https://cdn.example.org/a.js\"></script>\n",
	Check:     validate.Attributes(checkInsecure, "src", "href", "action", "data", "poster"),
}, {
	ID: "password-get", Title: "Password sent in the URL (form method GET)", Severity: validate.Critical, Category: validate.Markup,
	Standards: []string{"CWE-598"},
	Doc:       "A form without `method=\"post\"` sends its fields in the URL: the password ends up in the history, in logs and in the Referer header.",
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
			p.Element(n, "This form sends the password in its URL: add method=\"post\" to the <form> (line %d).", p.Tree.Position(form.Start).Line+1)
		}
	}, "input"),
}, {
	ID: "sandbox-escape", Title: "Ineffective iframe sandbox (allow-scripts with allow-same-origin)", Severity: validate.Warning, Category: validate.Markup,
	Standards: []string{"CWE-693"},
	Doc:       "With `allow-scripts` and `allow-same-origin`, a frame of the same origin can take its own `sandbox` away: the attribute protects nothing.",
	Bad:       "<iframe title=\"Preview\" src=\"/preview\" sandbox=\"allow-scripts allow-same-origin\"></iframe>\n",
	Good:      "<iframe title=\"Preview\" src=\"/preview\" sandbox=\"allow-scripts\"></iframe>\n",
	Check: validate.Attributes(func(p *validate.Pass, n *dom.Node, a *dom.Attr) {
		src := dom.AttributeText(n, "src")
		if n.Is("iframe") && a.HasWord("allow-scripts") && a.HasWord("allow-same-origin") && !strings.Contains(src, "//") && src != "" {
			p.Attribute(a, "With allow-scripts and allow-same-origin, the frame can remove its sandbox: remove one of them.")
		}
	}, "sandbox"),
}, {
	ID: "source-missing", Title: "Image without a source", Severity: validate.Warning, Category: validate.Markup,
	Doc:  "The image shows nothing. If a script sets the source later, give the image a class or an id that the script names.",
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
	ID: "link-rel", Title: "<link> without rel", Severity: validate.Warning, Category: validate.Markup,
	Doc:  "Without `rel` browsers load nothing.",
	Bad:  "<link href=\"/site.css\">\n",
	Good: "<link rel=\"stylesheet\" href=\"/site.css\">\n",
	Check: validate.Elements(func(p *validate.Pass, n *dom.Node) {
		if n.Is("link") && n.Attr("href") != nil && !n.May("rel") && !n.May("itemprop") && !n.May("property") && !n.May("rev") {
			p.Element(n, "Without rel this link has no effect: add rel=\"stylesheet\", or the intended relation.")
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
				p.Attribute(n.Attr("id"), "Another element already has the id %s (line %d).", id, p.Tree.Position(o.Start).Line+1)
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
		p.Attribute(a, "Invalid value of %s: %q. Use %s.", a.Name, a.Value, fault)
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
		p.Attribute(a, "type=\"datetime\" is obsolete, so browsers show a text field: use datetime-local.")
		return
	}
	if near := syntax.Closest(v, list); near != "" {
		p.Attribute(a, "Invalid value of %s: %q. Did you mean %s?", a.Name, a.Value, near)
		return
	}
	p.Attribute(a, "Invalid value of %s: %q. Use one of %s.", a.Name, a.Value, strings.Join(list, ", "))
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
	p.Report(a.Start, a.NameEnd, "<%s> has no attribute %s: did you mean %s?", n.Name, a.Name, near)
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
		p.Offer(a.Start, a.End, &validate.Fix{Title: "Add rel=\"noopener\"", Edits: []validate.Edit{{Start: a.End, End: a.End, New: " rel=\"noopener\""}}}, "In older browsers the other page can change this one: add rel=\"noopener\".")
		return
	}
	if !rel.Dynamic && !rel.HasWord("noopener") && !rel.HasWord("noreferrer") && !rel.HasWord("opener") {
		var fix *validate.Fix
		if rel.Quote != 0 {
			fix = &validate.Fix{Title: "Add noopener", Edits: []validate.Edit{{Start: rel.ValueStart, End: rel.ValueEnd, New: strings.TrimSpace(rel.Value + " noopener")}}}
		}
		p.Offer(a.Start, a.End, fix, "In older browsers the other page can change this one: add noopener to rel.")
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
	p.Attribute(a, "This is loaded without encryption: browsers block it or warn, and anyone on the network path can change it. Use https.")
}
