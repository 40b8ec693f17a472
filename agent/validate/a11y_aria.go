package validate

import (
	"slices"
	"strconv"
	"strings"

	"caselsp/agent/dom"
)

// a11yAriaRules are about roles, states and properties of WAI-ARIA 1.2.
var a11yAriaRules = []Rule{{
	ID: "aria-role", Title: "A role that there is not", Severity: Critical, Category: Accessibility,
	Standards: []string{"WCAG 4.1.2", "ACT 674b10"},
	Doc: "A misspelt or abstract role does nothing: the element keeps the role that it had. Of several, separated by blanks, one must be known; " +
		"the roles are those of WAI-ARIA 1.2, of digital publishing and of graphics.",
	Bad:   "<div role=\"buton\" tabindex=\"0\">Save</div>\n",
	Good:  "<div role=\"button\" tabindex=\"0\">Save</div>\n",
	Check: attributes(checkRole, "role"),
}, {
	ID: "aria-attribute", Title: "An aria attribute that there is not", Severity: Critical, Category: Accessibility,
	Standards: []string{"WCAG 4.1.2", "ACT 5f99a7"},
	Doc:       "A misspelt `aria-…` attribute does nothing. Those of WAI-ARIA 1.2 are known, and those of 1.3 that browsers have.",
	Bad:       "<input aria-labeledby=\"name\">\n",
	Good:      "<input aria-labelledby=\"name\">\n",
	Check: attributes(func(p *Pass, n *dom.Node, a *dom.Attr) {
		state, ok := strings.CutPrefix(a.Name, "aria-")
		if !ok || state == "" || strings.ContainsAny(state, "{$.:[") {
			return
		}
		if _, known := ariaValues[state]; known {
			return
		}
		near := closest(state, ariaNames)
		if near == "" || near == state {
			p.Report(a.Start, a.NameEnd, "There is no attribute %s.", a.Name)
			return
		}
		var fix *Fix
		if !a.Bound && n.Attr("aria-"+near) == nil {
			fix = &Fix{"Change to aria-" + near, []Edit{{a.Start, a.NameEnd, "aria-" + near}}}
		}
		p.Offer(a.Start, a.NameEnd, fix, "There is no attribute %s: aria-%s is meant.", a.Name, near)
	}),
}, {
	ID: "aria-value", Title: "An aria attribute with a value that it cannot have", Severity: Critical, Category: Accessibility,
	Standards: []string{"WCAG 4.1.2", "ACT 6a7281"},
	Doc: "A state or property whose value is not one of its own counts as not set: `aria-expanded=\"yes\"` says nothing. An empty value is " +
		"\"not set\" on purpose and lets pass.",
	Bad:   "<button aria-expanded=\"yes\">Menu</button>\n",
	Good:  "<button aria-expanded=\"true\">Menu</button>\n",
	Check: attributes(checkAriaValue),
}, {
	ID: "aria-allowed", Title: "An aria attribute that its element's role does not have", Severity: Warning, Category: Accessibility,
	Standards: []string{"WCAG 4.1.2", "ACT 5c01ea"},
	Doc:       "Each role has its own states and properties, beside the global ones. Another one is ignored, or announced as what it is not.",
	Bad:       "<button aria-selected=\"true\">Tab</button>\n",
	Good:      "<button role=\"tab\" aria-selected=\"true\">Tab</button>\n",
	Check:     attributes(checkAriaAllowed),
}, {
	ID: "aria-prohibited", Title: "A name on an element that cannot have one", Severity: Warning, Category: Accessibility,
	Standards: []string{"WCAG 4.1.2", "ACT kb1m8s"},
	Doc: "A `<div>`, a `<span>`, a paragraph or an emphasis has no name in WAI-ARIA: most screen readers pass `aria-label` over. " +
		"Give the element a role, or write the text where all can read it.",
	Bad:   "<div aria-label=\"Price: 9 euro\">9 €</div>\n",
	Good:  "<div role=\"group\" aria-label=\"Price\">9 €</div>\n",
	Check: attributes(checkProhibited, "aria-label", "aria-labelledby", "aria-braillelabel", "aria-roledescription", "aria-brailleroledescription"),
}, {
	ID: "aria-required", Title: "A role without the states that it needs", Severity: Critical, Category: Accessibility,
	Standards: []string{"WCAG 4.1.2", "ACT 4e8ab6"},
	Doc: "A checkbox that does not say whether it is checked is none. Elements of HTML that have the role by themselves say it by themselves; " +
		"scripts may set a state of an element that the page's scripts speak about, which is left alone.",
	Bad:   "<div role=\"checkbox\" tabindex=\"0\">I agree</div>\n",
	Good:  "<div role=\"checkbox\" tabindex=\"0\" aria-checked=\"false\">I agree</div>\n",
	Check: elements(checkAriaRequired),
}, {
	ID: "aria-context", Title: "A role outside of the role that must hold it", Severity: Critical, Category: Accessibility,
	Standards: []string{"WCAG 1.3.1", "ACT ff89c9"},
	Doc:       "An item belongs into a list, a tab into a tab list: outside, screen readers cannot say \"3 of 5\". Only roles that the source writes are judged.",
	Bad:       "<body><div role=\"listitem\">Milk</div></body>\n",
	Good:      "<div role=\"list\"><div role=\"listitem\">Milk</div></div>\n",
	Check:     page(checkContext),
}, {
	ID: "aria-owned", Title: "A role without the roles that it must hold", Severity: Critical, Category: Accessibility,
	Standards: []string{"WCAG 1.3.1", "ACT bc4a75"},
	Doc: "A list holds items, a menu its items, a table rows: anything else in it is lost or announced wrongly. An empty element is left alone, and so is one " +
		"that says `aria-busy`, or one that a template or a script fills.",
	Bad:   "<div role=\"list\"><span>Milk</span></div>\n",
	Good:  "<div role=\"list\"><span role=\"listitem\">Milk</span></div>\n",
	Check: page(checkOwned),
}, {
	ID: "aria-hidden-focus", Title: "A control that is hidden from screen readers and can get the focus", Severity: Critical, Category: Accessibility,
	Standards: []string{"WCAG 1.3.1", "WCAG 4.1.2", "ACT 6cfa84"},
	Doc: "Who moves on by the tab key lands on a thing that is not there. Take it out of the tab order by `tabindex=\"-1\"` or `disabled`, or do not hide it. " +
		"One with a listener for its focus, as the guards of dialogs have it, is left alone.",
	Bad:   "<div aria-hidden=\"true\"><button>Next</button></div>\n",
	Good:  "<div aria-hidden=\"true\"><button tabindex=\"-1\">Next</button></div>\n",
	Check: elements(checkHiddenFocus),
}, {
	ID: "aria-hidden-body", Title: "The whole page is hidden from screen readers", Severity: Critical, Category: Accessibility,
	Standards: []string{"WCAG 1.3.1", "WCAG 4.1.2"},
	Doc:       "`aria-hidden=\"true\"` on the body leaves nothing for who cannot see.",
	Bad:       "<body aria-hidden=\"true\"><p>Hello</p></body>\n",
	Good:      "<body><p>Hello</p></body>\n",
	Check: elements(func(p *Pass, n *dom.Node) {
		if h := n.Attr("aria-hidden"); h != nil && !h.Dynamic && !h.Conditional && h.Value == "true" {
			p.Attribute(h, "This hides the whole page from screen readers: drop it.")
		}
	}, "body"),
}, {
	ID: "children-presentational", Title: "A control inside of a control", Severity: Critical, Category: Accessibility,
	Standards: []string{"WCAG 4.1.2", "ACT 307n5z"},
	Doc:       "What lies in a button, a checkbox, a tab or an image is only its text: a link in it gets the focus and is not announced. Put it beside.",
	Bad:       "<button>Save <a href=\"/help\">help</a></button>\n",
	Good:      "<button>Save</button> <a href=\"/help\">help</a>\n",
	Check:     elements(checkPresentational),
}, {
	ID: "redundant-role", Title: "A role that the element has by itself", Severity: Info, Category: Accessibility,
	Doc: "`<button role=\"button\">` says the same twice. `role=\"list\"` on a list is left alone: without it one browser forgets a list without " +
		"bullets, and so are roles on elements that some browsers knew late.",
	Bad:   "<nav role=\"navigation\"><a href=\"/\">Home</a></nav>\n",
	Good:  "<nav><a href=\"/\">Home</a></nav>\n",
	Check: attributes(checkRedundantRole, "role"),
}}

// ariaNames are the names of ariaValues.
var ariaNames = func() []string {
	var names []string
	for name := range ariaValues {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}()

// abstractRoles are those that only order the others.
var abstractRoles = strings.Fields("command composite input landmark range roletype section sectionhead select structure widget window")

func checkRole(p *Pass, n *dom.Node, a *dom.Attr) {
	words := strings.Fields(strings.ToLower(a.Value))
	if a.Dynamic || len(words) == 0 || p.access().hidden(n) == dom.Yes {
		return
	}
	for _, w := range words {
		if roles[w] != nil || w == "text" { // no role of the standard, and yet one browser's
			return
		}
	}
	w := words[0]
	if slices.Contains(abstractRoles, w) {
		p.Attribute(a, "The role %s only orders other roles: take one that says what this is.", w)
		return
	}
	if near := closest(w, roleNames); near != "" {
		p.Attribute(a, "There is no role %s: is %s meant?", w, near)
		return
	}
	p.Attribute(a, "There is no role %s: drop it, or take one of WAI-ARIA.", w)
}

var roleNames = func() []string {
	var names []string
	for name := range roles {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}()

func checkAriaValue(p *Pass, n *dom.Node, a *dom.Attr) {
	state, ok := strings.CutPrefix(a.Name, "aria-")
	v, known := ariaValues[state]
	text := strings.TrimSpace(a.Value)
	if !ok || !known || a.Dynamic || text == "" || fits(v, text) {
		return
	}
	switch v.kind {
	case "boolean", "tristate", "token", "tokens":
		p.Attribute(a, "%s cannot be %q: it is one of %s.", a.Name, text, strings.Join(choices(v), ", "))
	default:
		p.Attribute(a, "%s cannot be %q: it is %s.", a.Name, text, map[string]string{"integer": "a whole number" + from(v), "number": "a number", "id": "one id"}[v.kind])
	}
}

// from says what a whole number begins with.
func from(v ariaValue) string {
	if len(v.tokens) == 0 {
		return ""
	}
	return " from " + v.tokens[0]
}

// choices are the words that a value may be.
func choices(v ariaValue) []string {
	list := slices.Clone(v.tokens)
	switch v.kind {
	case "boolean":
		list = append([]string{"true", "false"}, list...)
	case "tristate":
		list = []string{"true", "false", "mixed", "undefined"}
	}
	return list
}

func fits(v ariaValue, text string) bool {
	switch v.kind {
	case "boolean", "tristate", "token":
		return slices.Contains(choices(v), strings.ToLower(text))
	case "tokens":
		for _, w := range strings.Fields(strings.ToLower(text)) {
			if !slices.Contains(v.tokens, w) {
				return false
			}
		}
	case "integer":
		return isInteger(text) && (len(v.tokens) == 0 || atLeast(text, v.tokens[0]))
	case "number":
		return isNumber(text)
	case "id":
		return len(strings.Fields(text)) == 1
	}
	return true
}

func atLeast(text, least string) bool {
	v, err := strconv.Atoi(strings.TrimSpace(text))
	low, _ := strconv.Atoi(least)
	return err == nil && v >= low
}

func isNumber(text string) bool {
	whole, part, _ := strings.Cut(strings.TrimLeft(text, "+-"), ".")
	digits := whole + part
	return digits != "" && strings.Trim(digits, "0123456789") == ""
}

func checkAriaAllowed(p *Pass, n *dom.Node, a *dom.Attr) {
	state, ok := strings.CutPrefix(a.Name, "aria-")
	if _, known := ariaValues[state]; !ok || !known || slices.Contains(globalStates, state) && (state != "expanded" || !n.Is("tr") && !strings.EqualFold(value(n, "role"), "row") && !n.May("popovertarget")) {
		return
	}
	acc := p.access()
	if acc.hidden(n) == dom.Yes {
		return
	}
	role, known := acc.role(n)
	if !known || n.Opaque && n.Attr("role") == nil || n.Space != dom.HTML {
		return
	}
	if instead := doubled(n, state); instead != "" {
		p.Attribute(a, "%s goes wrong where the element says it by itself: %s does.", a.Name, instead)
		return
	}
	r := roles[role]
	if role == "row" && !acc.opens(n, state) {
		p.Attribute(a, "A row has %s in a treegrid only.", a.Name)
		return
	}
	if r != nil && r.may(state) || nativeMay(n, role, state) {
		return
	}
	if r == nil {
		if n.Is("input", "label") || n.Custom() {
			return
		}
		p.Attribute(a, "%s does nothing on <%s>, which has no role that knows it.", a.Name, n.Name)
		return
	}
	p.Attribute(a, "The role %s does not have %s: give the element the role that is meant, or drop it.", role, a.Name)
}

// doubled returns the attribute or the element that says what a state says,
// and goes before it; "" where none does.
func doubled(n *dom.Node, state string) string {
	kind := strings.ToLower(value(n, "type"))
	switch {
	case state == "checked" && n.Is("input") && (kind == "checkbox" || kind == "radio") && !n.May("role") && value(n, "aria-checked") != strconv.FormatBool(n.May("checked")):
		return "checked"
	case state == "placeholder" && n.Attr("placeholder") != nil:
		return "placeholder"
	case state == "expanded" && n.Attr("popovertarget") != nil:
		return "popovertarget"
	case n.Is("input") && (state == "valuemax" || state == "valuemin") && n.Attr(state[len("value"):]) != nil:
		return state[len("value"):]
	}
	return ""
}

// opens reports whether a row may have a state: those of a tree belong to the
// rows of a treegrid.
func (a *access) opens(n *dom.Node, state string) bool {
	if state != "expanded" && state != "posinset" && state != "setsize" && state != "level" {
		return true
	}
	for o := range n.Ancestors() {
		role, known := a.role(o)
		if !known || role == "treegrid" {
			return true
		}
		if role == "table" || role == "grid" {
			return false
		}
	}
	return true
}

// nativeMay reports what HTML allows beyond WAI-ARIA.
func nativeMay(n *dom.Node, role, state string) bool {
	switch state {
	case "required", "readonly", "placeholder":
		return n.Is("input", "select", "textarea") || role == "radio" && state == "required"
	case "orientation":
		return role == "combobox"
	case "pressed", "checked":
		return n.Is("summary")
	case "selected", "posinset", "setsize", "level":
		return role == "row" || role == "link" && state != "selected" && state != "level"
	}
	return false
}

func checkProhibited(p *Pass, n *dom.Node, a *dom.Attr) {
	text := strings.TrimSpace(a.Value)
	acc := p.access()
	if text == "" || n.Space != dom.HTML || n.Opaque && n.Attr("role") == nil || acc.hidden(n) == dom.Yes || isAriaHidden(n) {
		return
	}
	role, known := explicit(n)
	if !known {
		return
	}
	label := a.Name == "aria-label" || a.Name == "aria-labelledby" || a.Name == "aria-braillelabel"
	if role == "" || role == "none" || role == "presentation" {
		if n.Custom() {
			return
		}
		implicit := acc.implicit(n)
		if implicit == "" && unnamed[n.Name] {
			implicit = "generic"
		}
		switch {
		case n.Is("body", "html", "section"):
			return
		case implicit == "heading" && (role == "none" || role == "presentation") && !label:
		case acc.focusable(n) || n.Attr("tabindex") != nil || n.Attr("contenteditable") != nil:
			return // a widget without a role, which is another matter
		case roles[implicit] == nil || roles[implicit].name != 'p':
			return
		}
		role = implicit
	}
	r := roles[role]
	if r == nil || label && r.name != 'p' || !label && role != "generic" && role != "heading" && (r.name != 'p' || a.Name == "aria-roledescription") {
		return
	}
	if role == "heading" && n.Attr("role") == nil {
		return
	}
	p.Attribute(a, "An element with the role %s has no name: %s is passed over. Give the element a role that has one, or write the text.", role, a.Name)
}

// unnamed are the elements without a role that have no name either, after ARIA in HTML.
var unnamed = wordSet("abbr cite kbd var rp rt figcaption legend")

func checkAriaRequired(p *Pass, n *dom.Node) {
	role, known := explicit(n)
	acc := p.access()
	r := roles[role]
	if !known || n.Opaque || r == nil || acc.implicit(n) == role || acc.hidden(n) == dom.Yes || acc.scripted(n) || lazy(n) && len(p.Page().Elements("script")) > 0 {
		return
	}
	required := r.required
	switch {
	case role == "separator" && acc.focusable(n):
		required = []string{"valuenow"}
	case n.Is("input") && (strings.EqualFold(value(n, "type"), "checkbox") || strings.EqualFold(value(n, "type"), "radio")):
		return // it says by itself whether it is checked
	case role == "combobox" && n.Is("input", "select") && (n.Is("select") || n.Attr("list") != nil):
		return
	case role == "combobox" && value(n, "aria-expanded") == "true":
		required = []string{"expanded", "controls"}
	case role == "heading" && n.Space == dom.HTML && acc.implicit(n) == "heading":
		return
	}
	var missing []string
	for _, state := range required {
		a := n.Attr("aria-" + state)
		if a == nil || !a.Dynamic && strings.TrimSpace(a.Value) == "" {
			missing = append(missing, "aria-"+state)
		}
	}
	if missing != nil {
		p.Element(n, "The role %s needs %s.", role, strings.Join(missing, " and "))
	}
}

// checkHiddenFocus is about the element that can get the focus.
func checkHiddenFocus(p *Pass, n *dom.Node) {
	acc := p.access()
	if n.Opaque || n.Inert() || !acc.tabbable(n) && !(n.Is("details") && firstSummary(n) == nil) {
		return
	}
	var hider *dom.Attr
	var hiderNode *dom.Node
	for x := n; x != nil && x.Kind == dom.Element; x = x.Parent {
		if h := x.Attr("aria-hidden"); h != nil && h.Value == "true" && !h.Conditional {
			hider, hiderNode = h, x
		}
		if x.Attr("inert") != nil || x.Opaque && hider == nil {
			return
		}
	}
	if hider == nil || acc.hidden(n) != dom.No || opensLater(acc, hiderNode) {
		return
	}
	if acc.scripted(n) && acc.filled()["focus"] {
		return
	}
	p.Element(n, "This can get the focus, but is hidden from screen readers: add tabindex=\"-1\", or do not hide it.")
}

// layers are the parts of names that frameworks give to what a script shows
// later, and takes aria-hidden from then.
var layers = []string{"modal", "dialog", "popup", "popover", "overlay", "drawer", "offcanvas", "off-canvas", "lightbox", "pswp", "dropdown", "collapse", "menu", "sidebar", "panel", "slide", "tab-pane", "toast", "accordion", "fade"}

// opensLater reports whether a hidden element is one that a script shows later.
func opensLater(a *access, n *dom.Node) bool {
	if role, known := explicit(n); role == "dialog" || role == "alertdialog" || !known || n.Is("dialog") {
		return true
	}
	if id := n.Attr("id"); id != nil && len(n.Attrs) > 1 && a.filled()[id.Value] && n.FirstChild != nil && n.Is("div", "section", "nav", "aside") {
		return true
	}
	names := strings.ToLower(classOf(n) + " " + value(n, "id"))
	for _, l := range layers {
		if strings.Contains(names, l) {
			return true
		}
	}
	return false
}

// checkPresentational is about elements whose children are presentational.
func checkPresentational(p *Pass, n *dom.Node) {
	acc := p.access()
	role, known := acc.role(n)
	r := roles[role]
	if !known || r == nil || !r.opaque || acc.hidden(n) == dom.Yes || isAriaHidden(n) || n.Is("input", "select", "option", "progress", "meter", "hr", "svg", "math") || n.Space != dom.HTML {
		return
	}
	for c := range n.Walk() {
		if c != n && c.Kind == dom.Element && acc.tabbable(c) && acc.hidden(c) != dom.Yes && !c.Is("iframe") {
			p.Element(c, "This can get the focus, but lies in a %s, which has no parts for screen readers: put it beside.", role)
			return
		}
	}
}

func checkRedundantRole(p *Pass, n *dom.Node, a *dom.Attr) {
	if a.Dynamic || a.Conditional {
		return
	}
	w := strings.ToLower(strings.TrimSpace(a.Value))
	if w == "" || n.Is("ul", "ol", "menu", "li", "img", "table", "tr", "td", "th", "tbody", "thead", "tfoot", "search", "summary") || n.Is("input", "select") && n.Opaque {
		return
	}
	if n.Space == dom.HTML && p.access().implicit(n) == w && w != "generic" && w != "form" && w != "region" {
		p.Offer(a.Start, a.End, &Fix{"Remove the role", []Edit{{before(p.Text, a.Start), a.End, ""}}}, "<%s> has the role %s by itself: drop the attribute.", n.Name, w)
	}
}

// before returns where the blanks before an offset begin.
func before(text string, at int) int {
	for at > 0 && strings.IndexByte(" \t\r\n", text[at-1]) >= 0 {
		at--
	}
	return at
}
