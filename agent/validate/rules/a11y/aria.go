package a11y

import (
	"slices"
	"strconv"
	"strings"

	"caselsp/agent/dom"
	"caselsp/agent/syntax"
	"caselsp/agent/validate"
)

// ariaRules are about roles, states and properties of WAI-ARIA 1.2.
var ariaRules = []validate.Rule{{
	ID: "aria-role", Title: "A role that there is not", Severity: validate.Critical, Category: validate.Accessibility,
	Standards: []string{"WCAG 4.1.2", "ACT 674b10"},
	Doc: "A misspelt or abstract role does nothing: the element keeps the role that it had. Of several, separated by blanks, one must be known; " +
		"the roles are those of WAI-ARIA 1.2, of digital publishing and of graphics.",
	Bad:   "<div role=\"buton\" tabindex=\"0\">Save</div>\n",
	Good:  "<div role=\"button\" tabindex=\"0\">Save</div>\n",
	Check: validate.Attributes(checkRole, "role"),
}, {
	ID: "aria-attribute", Title: "An aria attribute that there is not", Severity: validate.Critical, Category: validate.Accessibility,
	Standards: []string{"WCAG 4.1.2", "ACT 5f99a7"},
	Doc:       "A misspelt `aria-…` attribute does nothing. Those of WAI-ARIA 1.2 are known, and those of 1.3 that browsers have.",
	Bad:       "<input aria-labeledby=\"name\">\n",
	Good:      "<input aria-labelledby=\"name\">\n",
	Check: validate.Attributes(func(p *validate.Pass, n *dom.Node, a *dom.Attr) {
		state, ok := strings.CutPrefix(a.Name, "aria-")
		if !ok || state == "" || strings.ContainsAny(state, "{$.:[") {
			return
		}
		if _, known := dom.AriaValues[state]; known {
			return
		}
		near := syntax.Closest(state, ariaNames)
		if near == "" || near == state {
			p.Report(a.Start, a.NameEnd, "There is no attribute %s.", a.Name)
			return
		}
		var fix *validate.Fix
		if !a.Bound && n.Attr("aria-"+near) == nil {
			fix = &validate.Fix{Title: "Change to aria-" + near, Edits: []validate.Edit{{Start: a.Start, End: a.NameEnd, New: "aria-" + near}}}
		}
		p.Offer(a.Start, a.NameEnd, fix, "There is no attribute %s: aria-%s is meant.", a.Name, near)
	}),
}, {
	ID: "aria-value", Title: "An aria attribute with a value that it cannot have", Severity: validate.Critical, Category: validate.Accessibility,
	Standards: []string{"WCAG 4.1.2", "ACT 6a7281"},
	Doc: "A state or property whose value is not one of its own counts as not set: `aria-expanded=\"yes\"` says nothing. An empty value is " +
		"\"not set\" on purpose and lets pass.",
	Bad:   "<button aria-expanded=\"yes\">Menu</button>\n",
	Good:  "<button aria-expanded=\"true\">Menu</button>\n",
	Check: validate.Attributes(checkAriaValue),
}, {
	ID: "aria-allowed", Title: "An aria attribute that its element's role does not have", Severity: validate.Warning, Category: validate.Accessibility,
	Standards: []string{"WCAG 4.1.2", "ACT 5c01ea"},
	Doc:       "Each role has its own states and properties, beside the global ones. Another one is ignored, or announced as what it is not.",
	Bad:       "<button aria-selected=\"true\">Tab</button>\n",
	Good:      "<button role=\"tab\" aria-selected=\"true\">Tab</button>\n",
	Check:     validate.Attributes(checkAriaAllowed),
}, {
	ID: "aria-prohibited", Title: "A name on an element that cannot have one", Severity: validate.Warning, Category: validate.Accessibility,
	Standards: []string{"WCAG 4.1.2", "ACT kb1m8s"},
	Doc: "A `<div>`, a `<span>`, a paragraph or an emphasis has no name in WAI-ARIA: most screen readers pass `aria-label` over. " +
		"Give the element a role, or write the text where all can read it.",
	Bad:   "<div aria-label=\"Price: 9 euro\">9 €</div>\n",
	Good:  "<div role=\"group\" aria-label=\"Price\">9 €</div>\n",
	Check: validate.Attributes(checkProhibited, "aria-label", "aria-labelledby", "aria-braillelabel", "aria-roledescription", "aria-brailleroledescription"),
}, {
	ID: "aria-required", Title: "A role without the states that it needs", Severity: validate.Critical, Category: validate.Accessibility,
	Standards: []string{"WCAG 4.1.2", "ACT 4e8ab6"},
	Doc: "A checkbox that does not say whether it is checked is none. Elements of HTML that have the role by themselves say it by themselves; " +
		"scripts may set a state of an element that the page's scripts speak about, which is left alone.",
	Bad:   "<div role=\"checkbox\" tabindex=\"0\">I agree</div>\n",
	Good:  "<div role=\"checkbox\" tabindex=\"0\" aria-checked=\"false\">I agree</div>\n",
	Check: validate.Elements(checkAriaRequired),
}, {
	ID: "aria-context", Title: "A role outside of the role that must hold it", Severity: validate.Critical, Category: validate.Accessibility,
	Standards: []string{"WCAG 1.3.1", "ACT ff89c9"},
	Doc:       "An item belongs into a list, a tab into a tab list: outside, screen readers cannot say \"3 of 5\". Only roles that the source writes are judged.",
	Bad:       "<body><div role=\"listitem\">Milk</div></body>\n",
	Good:      "<div role=\"list\"><div role=\"listitem\">Milk</div></div>\n",
	Check:     validate.Page(checkContext),
}, {
	ID: "aria-owned", Title: "A role without the roles that it must hold", Severity: validate.Critical, Category: validate.Accessibility,
	Standards: []string{"WCAG 1.3.1", "ACT bc4a75"},
	Doc: "A list holds items, a menu its items, a table rows: anything else in it is lost or announced wrongly. An empty element is left alone, and so is one " +
		"that says `aria-busy`, or one that a template or a script fills.",
	Bad:   "<div role=\"list\"><span>Milk</span></div>\n",
	Good:  "<div role=\"list\"><span role=\"listitem\">Milk</span></div>\n",
	Check: validate.Page(checkOwned),
}, {
	ID: "aria-hidden-focus", Title: "A control that is hidden from screen readers and can get the focus", Severity: validate.Critical, Category: validate.Accessibility,
	Standards: []string{"WCAG 1.3.1", "WCAG 4.1.2", "ACT 6cfa84"},
	Doc: "Who moves on by the tab key lands on a thing that is not there. Take it out of the tab order by `tabindex=\"-1\"` or `disabled`, or do not hide it. " +
		"One with a listener for its focus, as the guards of dialogs have it, is left alone.",
	Bad:   "<div aria-hidden=\"true\"><button>Next</button></div>\n",
	Good:  "<div aria-hidden=\"true\"><button tabindex=\"-1\">Next</button></div>\n",
	Check: validate.Elements(checkHiddenFocus),
}, {
	ID: "aria-hidden-body", Title: "The whole page is hidden from screen readers", Severity: validate.Critical, Category: validate.Accessibility,
	Standards: []string{"WCAG 1.3.1", "WCAG 4.1.2"},
	Doc:       "`aria-hidden=\"true\"` on the body leaves nothing for who cannot see.",
	Bad:       "<body aria-hidden=\"true\"><p>Hello</p></body>\n",
	Good:      "<body><p>Hello</p></body>\n",
	Check: validate.Elements(func(p *validate.Pass, n *dom.Node) {
		if h := n.Attr("aria-hidden"); h != nil && !h.Dynamic && !h.Conditional && h.Value == "true" {
			p.Attribute(h, "This hides the whole page from screen readers: drop it.")
		}
	}, "body"),
}, {
	ID: "children-presentational", Title: "A control inside of a control", Severity: validate.Critical, Category: validate.Accessibility,
	Standards: []string{"WCAG 4.1.2", "ACT 307n5z"},
	Doc:       "What lies in a button, a checkbox, a tab or an image is only its text: a link in it gets the focus and is not announced. Put it beside.",
	Bad:       "<button>Save <a href=\"/help\">help</a></button>\n",
	Good:      "<button>Save</button> <a href=\"/help\">help</a>\n",
	Check:     validate.Elements(checkPresentational),
}, {
	ID: "redundant-role", Title: "A role that the element has by itself", Severity: validate.Info, Category: validate.Accessibility,
	Doc: "`<button role=\"button\">` says the same twice. `role=\"list\"` on a list is left alone: without it one browser forgets a list without " +
		"bullets, and so are roles on elements that some browsers knew late.",
	Bad:   "<nav role=\"navigation\"><a href=\"/\">Home</a></nav>\n",
	Good:  "<nav><a href=\"/\">Home</a></nav>\n",
	Check: validate.Attributes(checkRedundantRole, "role"),
}}

// ariaNames are the names of ariaValues.
var ariaNames = func() []string {
	var names []string
	for name := range dom.AriaValues {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}()

// abstractRoles are those that only order the others.
var abstractRoles = strings.Fields("command composite input landmark range roletype section sectionhead select structure widget window")

func checkRole(p *validate.Pass, n *dom.Node, a *dom.Attr) {
	words := strings.Fields(strings.ToLower(a.Value))
	if a.Dynamic || len(words) == 0 || p.Access().Hidden(n) == dom.Yes {
		return
	}
	for _, w := range words {
		if dom.AriaRoles[w] != nil || w == "text" { // no role of the standard, and yet one browser's
			return
		}
	}
	w := words[0]
	if slices.Contains(abstractRoles, w) {
		p.Attribute(a, "The role %s only orders other roles: take one that says what this is.", w)
		return
	}
	if near := syntax.Closest(w, roleNames); near != "" {
		p.Attribute(a, "There is no role %s: is %s meant?", w, near)
		return
	}
	p.Attribute(a, "There is no role %s: drop it, or take one of WAI-ARIA.", w)
}

var roleNames = func() []string {
	var names []string
	for name := range dom.AriaRoles {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}()

func checkAriaValue(p *validate.Pass, n *dom.Node, a *dom.Attr) {
	state, ok := strings.CutPrefix(a.Name, "aria-")
	v, known := dom.AriaValues[state]
	text := strings.TrimSpace(a.Value)
	if !ok || !known || a.Dynamic || text == "" || fits(v, text) {
		return
	}
	switch v.Kind {
	case "boolean", "tristate", "token", "tokens":
		p.Attribute(a, "%s cannot be %q: it is one of %s.", a.Name, text, strings.Join(choices(v), ", "))
	default:
		p.Attribute(a, "%s cannot be %q: it is %s.", a.Name, text, map[string]string{"integer": "a whole number" + from(v), "number": "a number", "id": "one id"}[v.Kind])
	}
}

// from says what a whole number begins with.
func from(v dom.AriaValue) string {
	if len(v.Tokens) == 0 {
		return ""
	}
	return " from " + v.Tokens[0]
}

// choices are the words that a value may be.
func choices(v dom.AriaValue) []string {
	list := slices.Clone(v.Tokens)
	switch v.Kind {
	case "boolean":
		list = append([]string{"true", "false"}, list...)
	case "tristate":
		list = []string{"true", "false", "mixed", "undefined"}
	}
	return list
}

func fits(v dom.AriaValue, text string) bool {
	switch v.Kind {
	case "boolean", "tristate", "token":
		return slices.Contains(choices(v), strings.ToLower(text))
	case "tokens":
		for _, w := range strings.Fields(strings.ToLower(text)) {
			if !slices.Contains(v.Tokens, w) {
				return false
			}
		}
	case "integer":
		return dom.IsInteger(text) && (len(v.Tokens) == 0 || atLeast(text, v.Tokens[0]))
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

func checkAriaAllowed(p *validate.Pass, n *dom.Node, a *dom.Attr) {
	state, ok := strings.CutPrefix(a.Name, "aria-")
	if _, known := dom.AriaValues[state]; !ok || !known || slices.Contains(dom.AriaGlobalStates, state) && (state != "expanded" || !n.Is("tr") && !strings.EqualFold(dom.AttributeText(n, "role"), "row") && !n.May("popovertarget")) {
		return
	}
	acc := p.Access()
	if acc.Hidden(n) == dom.Yes {
		return
	}
	role, known := acc.Role(n)
	if !known || n.Opaque && n.Attr("role") == nil || n.Space != dom.HTML {
		return
	}
	if instead := doubled(n, state); instead != "" {
		p.Attribute(a, "%s goes wrong where the element says it by itself: %s does.", a.Name, instead)
		return
	}
	r := dom.AriaRoles[role]
	if role == "row" && !opens(acc, n, state) {
		p.Attribute(a, "A row has %s in a treegrid only.", a.Name)
		return
	}
	if r != nil && r.May(state) || nativeMay(n, role, state) {
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
	kind := strings.ToLower(dom.AttributeText(n, "type"))
	switch {
	case state == "checked" && n.Is("input") && (kind == "checkbox" || kind == "radio") && !n.May("role") && dom.AttributeText(n, "aria-checked") != strconv.FormatBool(n.May("checked")):
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
func opens(a *dom.Access, n *dom.Node, state string) bool {
	if state != "expanded" && state != "posinset" && state != "setsize" && state != "level" {
		return true
	}
	for o := range n.Ancestors() {
		role, known := a.Role(o)
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

func checkProhibited(p *validate.Pass, n *dom.Node, a *dom.Attr) {
	text := strings.TrimSpace(a.Value)
	acc := p.Access()
	if text == "" || n.Space != dom.HTML || n.Opaque && n.Attr("role") == nil || acc.Hidden(n) == dom.Yes || dom.IsAriaHidden(n) {
		return
	}
	role, known := dom.ExplicitRole(n)
	if !known {
		return
	}
	label := a.Name == "aria-label" || a.Name == "aria-labelledby" || a.Name == "aria-braillelabel"
	if role == "" || role == "none" || role == "presentation" {
		if n.Custom() {
			return
		}
		implicit := acc.ImplicitRole(n)
		if implicit == "" && unnamed[n.Name] {
			implicit = "generic"
		}
		switch {
		case n.Is("body", "html", "section"):
			return
		case implicit == "heading" && (role == "none" || role == "presentation") && !label:
		case acc.Focusable(n) || n.Attr("tabindex") != nil || n.Attr("contenteditable") != nil:
			return // a widget without a role, which is another matter
		case dom.AriaRoles[implicit] == nil || dom.AriaRoles[implicit].Name != 'p':
			return
		}
		role = implicit
	}
	r := dom.AriaRoles[role]
	if r == nil || label && r.Name != 'p' || !label && role != "generic" && role != "heading" && (r.Name != 'p' || a.Name == "aria-roledescription") {
		return
	}
	if role == "heading" && n.Attr("role") == nil {
		return
	}
	p.Attribute(a, "An element with the role %s has no name: %s is passed over. Give the element a role that has one, or write the text.", role, a.Name)
}

// unnamed are the elements without a role that have no name either, after ARIA in HTML.
var unnamed = syntax.WordSet("abbr cite kbd var rp rt figcaption legend")

func checkAriaRequired(p *validate.Pass, n *dom.Node) {
	role, known := dom.ExplicitRole(n)
	acc := p.Access()
	r := dom.AriaRoles[role]
	if !known || n.Opaque || r == nil || acc.ImplicitRole(n) == role || acc.Hidden(n) == dom.Yes || acc.Scripted(n) || dom.MayLoadLater(n) && len(p.Page().Elements("script")) > 0 {
		return
	}
	required := r.Required
	switch {
	case role == "separator" && acc.Focusable(n):
		required = []string{"valuenow"}
	case n.Is("input") && (strings.EqualFold(dom.AttributeText(n, "type"), "checkbox") || strings.EqualFold(dom.AttributeText(n, "type"), "radio")):
		return // it says by itself whether it is checked
	case role == "combobox" && n.Is("input", "select") && (n.Is("select") || n.Attr("list") != nil):
		return
	case role == "combobox" && dom.AttributeText(n, "aria-expanded") == "true":
		required = []string{"expanded", "controls"}
	case role == "heading" && n.Space == dom.HTML && acc.ImplicitRole(n) == "heading":
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
func checkHiddenFocus(p *validate.Pass, n *dom.Node) {
	acc := p.Access()
	if n.Opaque || n.Inert() || !acc.Tabbable(n) && !(n.Is("details") && dom.FirstSummary(n) == nil) {
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
	if hider == nil || acc.Hidden(n) != dom.No || opensLater(acc, hiderNode) {
		return
	}
	if acc.Scripted(n) && acc.ScriptWords()["focus"] {
		return
	}
	p.Element(n, "This can get the focus, but is hidden from screen readers: add tabindex=\"-1\", or do not hide it.")
}

// layers are the parts of names that frameworks give to what a script shows
// later, and takes aria-hidden from then.
var layers = []string{"modal", "dialog", "popup", "popover", "overlay", "drawer", "offcanvas", "off-canvas", "lightbox", "pswp", "dropdown", "collapse", "menu", "sidebar", "panel", "slide", "tab-pane", "toast", "accordion", "fade"}

// opensLater reports whether a hidden element is one that a script shows later.
func opensLater(a *dom.Access, n *dom.Node) bool {
	if role, known := dom.ExplicitRole(n); role == "dialog" || role == "alertdialog" || !known || n.Is("dialog") {
		return true
	}
	if id := n.Attr("id"); id != nil && len(n.Attrs) > 1 && a.ScriptWords()[id.Value] && n.FirstChild != nil && n.Is("div", "section", "nav", "aside") {
		return true
	}
	names := strings.ToLower(classOf(n) + " " + dom.AttributeText(n, "id"))
	for _, l := range layers {
		if strings.Contains(names, l) {
			return true
		}
	}
	return false
}

// checkPresentational is about elements whose children are presentational.
func checkPresentational(p *validate.Pass, n *dom.Node) {
	acc := p.Access()
	role, known := acc.Role(n)
	r := dom.AriaRoles[role]
	if !known || r == nil || !r.Opaque || acc.Hidden(n) == dom.Yes || dom.IsAriaHidden(n) || n.Is("input", "select", "option", "progress", "meter", "hr", "svg", "math") || n.Space != dom.HTML {
		return
	}
	for c := range n.Walk() {
		if c != n && c.Kind == dom.Element && acc.Tabbable(c) && acc.Hidden(c) != dom.Yes && !c.Is("iframe") {
			p.Element(c, "This can get the focus, but lies in a %s, which has no parts for screen readers: put it beside.", role)
			return
		}
	}
}

func checkRedundantRole(p *validate.Pass, n *dom.Node, a *dom.Attr) {
	if a.Dynamic || a.Conditional {
		return
	}
	w := strings.ToLower(strings.TrimSpace(a.Value))
	if w == "" || n.Is("ul", "ol", "menu", "li", "img", "table", "tr", "td", "th", "tbody", "thead", "tfoot", "search", "summary") || n.Is("input", "select") && n.Opaque {
		return
	}
	if n.Space == dom.HTML && p.Access().ImplicitRole(n) == w && w != "generic" && w != "form" && w != "region" {
		p.Offer(a.Start, a.End, &validate.Fix{Title: "Remove the role", Edits: []validate.Edit{{Start: validate.BlanksBefore(p.Text, a.Start), End: a.End, New: ""}}}, "<%s> has the role %s by itself: drop the attribute.", n.Name, w)
	}
}
