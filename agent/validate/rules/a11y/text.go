package a11y

import (
	"slices"
	"strconv"
	"strings"

	"caselsp/agent/dom"
	"caselsp/agent/validate"
)

// textRules are about text and fields.
var textRules = []validate.Rule{
	spacingRule("letter-spacing", "24afc2", 0.12, "0.12em"),
	spacingRule("word-spacing", "9e45ec", 0.16, "0.16em"),
	spacingRule("line-height", "78fd32", 1.5, "1.5"),
	{
		ID: "autocomplete-valid", Title: "Invalid autocomplete value", Severity: validate.Warning, Category: validate.Accessibility,
		Standards: []string{"WCAG 1.3.5", "ACT 73f2c2"},
		Aliases:   validate.Aliases{validate.Axe: {"autocomplete-valid"}, validate.HTMLValidate: {"valid-autocomplete"}},
		Doc: "Browsers fill in a field, and assistive tools mark it, only if `autocomplete` holds one of HTML's tokens, preceded at most by a section, `shipping` or `billing`, " +
			"and `home`, `work`, `mobile`, `fax` or `pager`.",
		Bad:   "<label>Mail <input autocomplete=\"e-mail\"></label>\n",
		Good:  "<label>Mail <input autocomplete=\"work email\"></label>\n",
		Check: validate.Attributes(checkAutocomplete, "autocomplete"),
	}, {
		ID: "tabindex-positive", Title: "Positive tabindex", Severity: validate.Warning, Category: validate.Accessibility,
		Standards: []string{"WCAG 2.4.3"},
		Aliases:   validate.Aliases{validate.Axe: {"tabindex"}, validate.ESLint: {"jsx-a11y/tabindex-no-positive"}, validate.HTMLValidate: {"tabindex-no-positive"}},
		Doc:       "A `tabindex` above 0 comes before the rest of the page, wherever the element is. Write `0`, and order the source.",
		Bad:       "<input aria-label=\"Search\" tabindex=\"3\">\n",
		Good:      "<input aria-label=\"Search\" tabindex=\"0\">\n",
		Check: validate.Attributes(func(p *validate.Pass, n *dom.Node, a *dom.Attr) {
			if v, err := strconv.Atoi(strings.TrimSpace(a.Value)); err == nil && !a.Dynamic && v > 0 {
				p.Attribute(a, "tabindex %d comes before everything else on the page: write 0 and order the source.", v)
			}
		}, "tabindex"),
	}, {
		ID: "click-keyboard", Title: "Click handler without keyboard support", Severity: validate.Warning, Category: validate.Accessibility,
		Standards: []string{"WCAG 2.1.1"},
		Aliases:   validate.Aliases{validate.ESLint: {"jsx-a11y/click-events-have-key-events", "jsx-a11y/no-static-element-interactions"}},
		Doc: "A `<div onclick>` cannot be reached or activated with the keyboard. Use a `<button>`, or give the element a role, `tabindex=\"0\"` and a key listener. Elements that " +
			"only contain controls, and elements hidden from screen readers, are not reported.",
		Bad:   "<div onclick=\"open()\">Open</div>\n",
		Good:  "<button type=\"button\" onclick=\"open()\">Open</button>\n",
		Check: validate.Attributes(checkClick, "onclick"),
	}, {
		ID: "heading-order", Title: "Skipped heading level", Severity: validate.Info, Category: validate.Accessibility,
		Standards: []string{"WCAG 1.3.1"},
		Aliases:   validate.Aliases{validate.Axe: {"heading-order"}, validate.HTMLValidate: {"heading-level"}},
		Doc:       "Users who navigate by headings take a jump from `<h2>` to `<h4>` for a missing section. Going back up is fine.",
		Bad:       "<h1>Shop</h1>\n<h4>Fruit</h4>\n",
		Good:      "<h1>Shop</h1>\n<h2>Fruit</h2>\n",
		Check:     validate.Page(checkHeadingOrder),
	}, {
		ID: "label-for", Title: "Label for a field that does not exist", Severity: validate.Warning, Category: validate.Accessibility,
		Standards: []string{"WCAG 1.3.1"},
		Aliases:   validate.Aliases{validate.HTMLValidate: {"no-missing-references"}},
		Doc:       "The `for` of a label is the id of a field. If no element has that id, the label names nothing, and a click on it has no effect.",
		Bad:       "<form><label for=\"mail\">Mail</label><input id=\"email\" name=\"m\"></form>\n",
		Good:      "<form><label for=\"email\">Mail</label><input id=\"email\" name=\"m\"></form>\n",
		Check:     validate.Attributes(checkLabelFor, "for"),
	}, {
		ID: "frame-focus", Title: "Frame with focusable content taken out of the tab order", Severity: validate.Warning, Category: validate.Accessibility,
		Standards: []string{"WCAG 2.1.1", "ACT akn7bn"},
		Aliases:   validate.Aliases{validate.Axe: {"frame-focusable-content"}},
		Doc:       "A negative `tabindex` on a frame takes everything inside out of the tab order. Only frames whose content is in the source are judged.",
		Bad:       "<iframe title=\"Menu\" tabindex=\"-1\" srcdoc=\"<a href='/'>Home</a>\"></iframe>\n",
		Good:      "<iframe title=\"Menu\" srcdoc=\"<a href='/'>Home</a>\"></iframe>\n",
		Check:     validate.Elements(checkFrameFocus, "iframe"),
	}, {
		ID: "accesskey-twice", Title: "Duplicate accesskey", Severity: validate.Warning, Category: validate.Accessibility,
		Aliases: validate.Aliases{validate.Axe: {"accesskeys"}, validate.ESLint: {"jsx-a11y/no-access-key"}},
		Doc:     "If two elements have the same `accesskey`, browsers activate either, both or none. Two links to the same URL are not reported.",
		Bad:     "<a href=\"/\" accesskey=\"h\">Home</a>\n<a href=\"/help\" accesskey=\"h\">Help</a>\n",
		Good:    "<a href=\"/\" accesskey=\"h\">Home</a>\n<a href=\"/help\" accesskey=\"e\">Help</a>\n",
		Check: validate.Page(func(p *validate.Pass, d *dom.Document) {
			seen := map[string]*dom.Node{}
			for _, n := range d.Elements() {
				a := n.Attr("accesskey")
				if a == nil || a.Dynamic || strings.TrimSpace(a.Value) == "" {
					continue
				}
				key := strings.ToLower(a.Value)
				if o := seen[key]; o != nil && o.Attr("href") != nil && dom.AttributeText(o, "href") != "" && dom.AttributeText(o, "href") == dom.AttributeText(n, "href") {
					continue // the same link above and below the text
				} else if o != nil && !dom.Exclusive(o.Arm, n.Arm) {
					p.Attribute(a, "Another element already has the access key %q (line %d).", a.Value, p.Tree.Position(o.Start).Line+1)
				} else {
					seen[key] = n
				}
			}
		}),
	},
}

// spacingRule is about a spacing that a style attribute fixes by !important, so
// that readers who need more cannot have it (WCAG 1.4.12).
func spacingRule(property, act string, least float64, want string) validate.Rule {
	return validate.Rule{
		ID: property + "-fixed", Title: "Fixed " + property + " with !important", Severity: validate.Warning, Category: validate.Accessibility,
		Standards: []string{"WCAG 1.4.12", "ACT " + act},
		Doc: "A style attribute with `!important` overrides the reader's own style sheet. If it fixes `" + property + "` below " + want +
			" of the font size, people who need more space cannot get it. Remove `!important`.",
		Bad:  "<p style=\"" + property + ": 0.1em !important\">Some text in a paragraph</p>\n",
		Good: "<p style=\"" + property + ": 0.1em\">Some text in a paragraph</p>\n",
		Check: func(p *validate.Pass) {
			for _, s := range p.Styles() {
				if s.Attr == nil {
					continue
				}
				d := s.Decl(property)
				if d == nil || !d.Important || s.Owner.Space != dom.HTML {
					continue
				}
				acc := p.Access()
				if size, ok := ems(acc, s.Owner, d.Value, property); ok && size < least && shows(acc, s.Owner, property, least) {
					p.Report(d.Start, d.End, "%s is fixed below %s, and readers cannot increase it: remove !important.", property, want)
				}
			}
		},
	}
}

// ems returns a length in font sizes; false where nobody can tell.
func ems(a *dom.Access, n *dom.Node, text, property string) (float64, bool) {
	switch strings.ToLower(text) {
	case "normal", "initial":
		return 0, true
	}
	tokens := dom.Tokens(text, 0)
	if len(tokens) != 1 {
		return 0, false
	}
	number, unit := tokens[0].Unit()
	v, err := strconv.ParseFloat(number, 64)
	switch {
	case err != nil:
		return 0, false
	case unit == "em" || unit == "" && (property == "line-height" || v == 0):
		return v, true
	case unit == "%":
		return v / 100, true
	}
	scale, ok := pixels[unit]
	size, known := fontSize(a, n)
	return v * scale / size, ok && known && size > 0
}

// pixels are absolute units in pixels.
var pixels = map[string]float64{"px": 1, "pt": 4.0 / 3, "pc": 16, "in": 96, "cm": 96 / 2.54, "mm": 96 / 25.4, "rem": 16}

// fontSize returns an element's font size in pixels, 16 where nothing says otherwise.
func fontSize(a *dom.Access, n *dom.Node) (float64, bool) {
	if n == nil || n.Kind != dom.Element {
		return 16, true
	}
	text, sure := a.Cascade.Value(n, "font-size", "")
	if sure == dom.No {
		if n.Is("h1", "h2", "h3", "h4", "h5", "h6", "small", "sub", "sup", "code", "pre") {
			return 0, false
		}
		return fontSize(a, n.Parent)
	}
	tokens := dom.Tokens(text, 0)
	if len(tokens) != 1 || sure == dom.Maybe {
		return 0, false
	}
	number, unit := tokens[0].Unit()
	v, err := strconv.ParseFloat(number, 64)
	if err != nil {
		return 0, false
	}
	if unit == "em" || unit == "%" {
		outer, ok := fontSize(a, n.Parent)
		if unit == "%" {
			v /= 100
		}
		return v * outer, ok
	}
	scale, ok := pixels[unit]
	return v * scale, ok
}

// shows reports whether an element shows text whose spacing it fixes: text of
// its own, or of parts that say nothing else, in a place where people see it.
func shows(a *dom.Access, n *dom.Node, property string, least float64) bool {
	if a.Hidden(n) != dom.No || outside(a, n) {
		return false
	}
	for c := range n.Children() {
		switch {
		case c.Unknown():
			return true
		case c.Kind == dom.Text && strings.TrimSpace(c.Text) != "":
			return property != "line-height" || !scrolls(a, n)
		case c.Kind == dom.Element && c.Space == dom.HTML:
			if v, sure := a.Cascade.Value(c, property, ""); sure != dom.No && v != "inherit" {
				continue
			}
			if own, ok := fontSize(a, c); property != "" {
				outer, known := fontSize(a, n)
				if !ok || !known || own != outer {
					continue // what is narrow here may be wide there
				}
			}
			if shows(a, c, property, least) {
				return true
			}
		}
	}
	return false
}

// outside reports whether an element is moved where nobody sees it.
func outside(a *dom.Access, n *dom.Node) bool {
	position, _ := a.Cascade.Value(n, "position", "")
	if position != "absolute" && position != "fixed" {
		return false
	}
	for _, side := range []string{"left", "top"} {
		if v, _ := a.Cascade.Value(n, side, ""); strings.HasPrefix(v, "-9") {
			return true
		}
	}
	return false
}

// scrolls reports whether text does not wrap, as it lies in a part that scrolls sideways.
func scrolls(a *dom.Access, n *dom.Node) bool {
	for p := range n.Ancestors() {
		for _, property := range []string{"overflow", "overflow-x"} {
			if v, _ := a.Cascade.Value(p, property, ""); strings.Contains(v, "scroll") || strings.Contains(v, "auto") {
				return true
			}
		}
	}
	return false
}

// fillWords are the words of autocomplete; contactWords those that may stand
// behind home, work, mobile, fax or pager.
var (
	fillWords = strings.Fields(`name honorific-prefix given-name additional-name family-name honorific-suffix nickname username new-password
		current-password one-time-code organization-title organization street-address address-line1 address-line2 address-line3
		address-level4 address-level3 address-level2 address-level1 country country-name postal-code cc-name cc-given-name
		cc-additional-name cc-family-name cc-number cc-exp cc-exp-month cc-exp-year cc-csc cc-type transaction-currency
		transaction-amount language bday bday-day bday-month bday-year sex url photo`)
	contactWords = strings.Fields("tel tel-country-code tel-national tel-area-code tel-local tel-local-prefix tel-local-suffix tel-extension email impp")
	contactKinds = strings.Fields("home work mobile fax pager")
)

func checkAutocomplete(p *validate.Pass, n *dom.Node, a *dom.Attr) {
	words := strings.Fields(strings.ToLower(a.Value))
	if !n.Is("input", "select", "textarea") || a.Dynamic || len(words) == 0 || len(words) == 1 && (words[0] == "on" || words[0] == "off") {
		return
	}
	if n.Is("input") && slices.Contains([]string{"hidden", "checkbox", "radio", "submit", "button", "reset", "image", "file", "color", "range"}, strings.ToLower(dom.AttributeText(n, "type"))) {
		return
	}
	acc := p.Access()
	if acc.Hidden(n) == dom.Yes || dom.IsDisabled(n) || dom.AttributeText(n, "aria-disabled") == "true" {
		return
	}
	if !fillable(words) {
		p.Attribute(a, "Unknown autocomplete value %q: use one of HTML's tokens, such as name, email or street-address.", a.Value)
	}
}

// fillable reports whether words are a value of autocomplete.
func fillable(words []string) bool {
	if strings.HasPrefix(words[0], "section-") {
		words = words[1:]
	}
	if len(words) > 0 && (words[0] == "shipping" || words[0] == "billing") {
		words = words[1:]
	}
	contact := len(words) > 0 && slices.Contains(contactKinds, words[0])
	if contact {
		words = words[1:]
	}
	if len(words) > 1 && words[len(words)-1] == "webauthn" {
		words = words[:len(words)-1]
	}
	if len(words) != 1 {
		return false
	}
	return slices.Contains(contactWords, words[0]) || !contact && (slices.Contains(fillWords, words[0]) || words[0] == "webauthn")
}

func checkClick(p *validate.Pass, n *dom.Node, a *dom.Attr) {
	acc := p.Access()
	role, known := acc.Role(n)
	if !known || n.Opaque || n.Space != dom.HTML || acc.Focusable(n) || !acc.Exposed(n) || strings.Contains(a.Value, "stopPropagation") && len(a.Value) < 40 {
		return
	}
	if role != "generic" && role != "img" && role != "paragraph" && role != "listitem" && role != "" || n.Is("body", "label", "option", "html") || n.May("role") && role != "img" {
		return
	}
	for _, key := range []string{"onkeydown", "onkeyup", "onkeypress"} {
		if n.Attr(key) != nil {
			return
		}
	}
	for c := range n.Walk() {
		if c != n && c.Kind == dom.Element && (acc.Focusable(c) || c.Unknown()) || c.Kind == dom.Tag && c.Unknown() {
			return
		}
	}
	if n.Within("a", "button", "label", "summary") != nil {
		return
	}
	p.Element(n, "The keyboard cannot trigger the click handler of this <%s>: use a <button>.", n.Name)
}

func checkHeadingOrder(p *validate.Pass, d *dom.Document) {
	last := 0
	for _, n := range d.Elements() {
		if t := n; t.Space != dom.HTML || len(t.Name) != 2 || t.Name[0] != 'h' || t.Name[1] < '1' || t.Name[1] > '6' || t.Attr("role") != nil {
			continue
		}
		if n.Arm != nil && n.Arm.In("if") || n.Inert() || !p.Access().Exposed(n) || n.Attr("aria-level") != nil {
			last = 0 // whichever it is
			continue
		}
		level := int(n.Name[1] - '0')
		if last > 0 && level > last+1 {
			p.Element(n, "Skipped heading level: after <h%d> comes <h%d>, not <h%d>.", last, last+1, level)
		}
		last = level
	}
}

func checkLabelFor(p *validate.Pass, n *dom.Node, a *dom.Attr) {
	id := strings.TrimSpace(a.Value)
	if !n.Is("label") || a.Dynamic || a.Conditional || id == "" {
		return
	}
	acc := p.Access()
	if len(p.Page().ByID(id)) > 0 || acc.ScriptWords()[id] || !selfContained(p, n) {
		return
	}
	p.Attribute(a, "This label refers to the id %s, which no element has.", id)
}

// selfContained reports whether everything near an element is in the source: in
// its form, or in the page, no template or script framework writes elements.
func selfContained(p *validate.Pass, n *dom.Node) bool {
	root := p.Page().Root
	if form := n.Within("form"); form != nil {
		root = form
	}
	for x := range root.Walk() {
		if x.Kind == dom.Tag && x.Unknown() || x.Kind == dom.Output && !plainOutput(p, x) || x.Kind == dom.Element && (x.Custom() || x.Opaque) {
			return false
		}
		if a := x.Attr("id"); a != nil && a.Dynamic {
			return false
		}
	}
	return root != p.Page().Root || p.Access().Whole()
}

// plainOutput reports whether an output of a template lies where text is, beside
// other text: a form's field or a widget stands alone.
func plainOutput(p *validate.Pass, n *dom.Node) bool {
	near := func(x *dom.Node) bool { return x != nil && x.Kind == dom.Text && strings.TrimSpace(x.Text) != "" }
	return near(n.Prev) || near(n.Next) || n.Parent.Is("title", "h1", "h2", "h3", "a", "option", "button", "span", "strong", "em")
}

func checkFrameFocus(p *validate.Pass, n *dom.Node) {
	v, ok := n.Get("tabindex")
	doc := n.Attr("srcdoc")
	acc := p.Access()
	if !ok || !strings.HasPrefix(strings.TrimSpace(v), "-") || doc == nil || doc.Dynamic || acc.Hidden(n) != dom.No || n.Attr("inert") != nil || tiny(n) {
		return
	}
	inner := validate.NewFile("srcdoc.html", doc.Value)
	view := inner.Access()
	for _, c := range inner.Page().Elements() {
		if view.Tabbable(c) && view.Hidden(c) == dom.No {
			p.Element(n, "The keyboard cannot reach the controls in this frame: remove tabindex.")
			return
		}
	}
}
