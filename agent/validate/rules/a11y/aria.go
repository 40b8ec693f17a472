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
	ID: "aria-role", Title: "Unknown ARIA role", Severity: validate.Critical, Category: validate.Accessibility,
	Standards: []string{"WCAG 4.1.2", "ACT 674b10"},
	Aliases:   validate.Aliases{validate.Axe: {"aria-roles"}, validate.ESLint: {"jsx-a11y/aria-role"}},
	Doc: "A misspelt or abstract role has no effect: the element keeps its implicit role. Where several roles are listed, separated by spaces, at least one must be known. " +
		"Known roles are those of WAI-ARIA 1.2, Digital Publishing WAI-ARIA and the Graphics module.",
	Bad:   "<div role=\"buton\" tabindex=\"0\">Save</div>\n",
	Good:  "<div role=\"button\" tabindex=\"0\">Save</div>\n",
	Check: validate.Attributes(checkRole, "role"),
}, {
	ID: "aria-attribute", Title: "Unknown ARIA attribute", Severity: validate.Critical, Category: validate.Accessibility,
	Standards: []string{"WCAG 4.1.2", "ACT 5f99a7"},
	Aliases:   validate.Aliases{validate.Axe: {"aria-valid-attr"}, validate.ESLint: {"jsx-a11y/aria-props"}},
	Doc:       "A misspelt `aria-…` attribute has no effect. The attributes of WAI-ARIA 1.2 are known, and those of 1.3 that browsers support.",
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
			p.Report(a.Start, a.NameEnd, "Unknown attribute %s.", a.Name)
			return
		}
		var fix *validate.Fix
		if !a.Bound && n.Attr("aria-"+near) == nil {
			fix = &validate.Fix{Title: "Change to aria-" + near, Edits: []validate.Edit{{Start: a.Start, End: a.NameEnd, New: "aria-" + near}}}
		}
		p.Offer(a.Start, a.NameEnd, fix, "Unknown attribute %s: did you mean aria-%s?", a.Name, near)
	}),
}, {
	ID: "aria-value", Title: "Invalid value of an ARIA attribute", Severity: validate.Critical, Category: validate.Accessibility,
	Standards: []string{"WCAG 4.1.2", "ACT 6a7281"},
	Aliases:   validate.Aliases{validate.Axe: {"aria-valid-attr-value"}, validate.ESLint: {"jsx-a11y/aria-proptypes"}},
	Doc:       "A state or property with an invalid value counts as not set: `aria-expanded=\"yes\"` says nothing. An empty value means \"not set\" and passes.",
	Bad:       "<button aria-expanded=\"yes\">Menu</button>\n",
	Good:      "<button aria-expanded=\"true\">Menu</button>\n",
	Check:     validate.Attributes(checkAriaValue),
}, {
	ID: "aria-allowed", Title: "ARIA attribute not supported by the element's role", Severity: validate.Warning, Category: validate.Accessibility,
	Standards: []string{"WCAG 4.1.2", "ACT 5c01ea"},
	Aliases:   validate.Aliases{validate.Axe: {"aria-allowed-attr"}, validate.ESLint: {"jsx-a11y/role-supports-aria-props"}},
	Doc:       "Each role has its own states and properties beside the global ones. Browsers ignore any other, or announce it wrongly.",
	Bad:       "<button aria-selected=\"true\">Tab</button>\n",
	Good:      "<button role=\"tab\" aria-selected=\"true\">Tab</button>\n",
	Check:     validate.Attributes(checkAriaAllowed),
}, {
	ID: "aria-prohibited", Title: "Accessible name on an element that cannot have one", Severity: validate.Warning, Category: validate.Accessibility,
	Standards: []string{"WCAG 4.1.2", "ACT kb1m8s"},
	Aliases:   validate.Aliases{validate.Axe: {"aria-prohibited-attr"}, validate.HTMLValidate: {"aria-label-misuse"}},
	Doc: "WAI-ARIA gives no name to a `<div>`, a `<span>`, a paragraph or an emphasis: most screen readers ignore `aria-label` there. Give the element a role, or write the " +
		"text where everybody can read it.",
	Bad:   "<div aria-label=\"Price: 9 euro\">9 €</div>\n",
	Good:  "<div role=\"group\" aria-label=\"Price\">9 €</div>\n",
	Check: validate.Attributes(checkProhibited, "aria-label", "aria-labelledby", "aria-braillelabel", "aria-roledescription", "aria-brailleroledescription"),
}, {
	ID: "aria-required", Title: "Role without its required ARIA states", Severity: validate.Critical, Category: validate.Accessibility,
	Standards: []string{"WCAG 4.1.2", "ACT 4e8ab6"},
	Aliases:   validate.Aliases{validate.Axe: {"aria-required-attr"}, validate.ESLint: {"jsx-a11y/role-has-required-aria-props"}},
	Doc: "A checkbox that does not say whether it is checked is not announced as one. HTML elements with the implicit role carry the state themselves. Elements whose state " +
		"the page's scripts may set are not reported.",
	Bad:   "<div role=\"checkbox\" tabindex=\"0\">I agree</div>\n",
	Good:  "<div role=\"checkbox\" tabindex=\"0\" aria-checked=\"false\">I agree</div>\n",
	Check: validate.Elements(checkAriaRequired),
}, {
	ID: "aria-context", Title: "Role outside its required parent role", Severity: validate.Critical, Category: validate.Accessibility,
	Standards: []string{"WCAG 1.3.1", "ACT ff89c9"},
	Aliases:   validate.Aliases{validate.Axe: {"aria-required-parent"}},
	Doc:       "An item belongs in a list, a tab in a tab list: outside, screen readers cannot say \"3 of 5\". Only roles written in the source are judged.",
	Bad:       "<body><div role=\"listitem\">Milk</div></body>\n",
	Good:      "<div role=\"list\"><div role=\"listitem\">Milk</div></div>\n",
	Check:     validate.Page(checkContext),
}, {
	ID: "aria-owned", Title: "Role without its required child roles", Severity: validate.Critical, Category: validate.Accessibility,
	Standards: []string{"WCAG 1.3.1", "ACT bc4a75"},
	Aliases:   validate.Aliases{validate.Axe: {"aria-required-children"}},
	Doc: "A list holds items, a menu holds menu items, a table holds rows: anything else in it is lost or announced wrongly. Empty elements, elements with `aria-busy` and " +
		"elements filled by a template or a script are not reported.",
	Bad:   "<div role=\"list\"><span>Milk</span></div>\n",
	Good:  "<div role=\"list\"><span role=\"listitem\">Milk</span></div>\n",
	Check: validate.Page(checkOwned),
}, {
	ID: "aria-hidden-focus", Title: "Focusable element hidden from screen readers", Severity: validate.Critical, Category: validate.Accessibility,
	Standards: []string{"WCAG 1.3.1", "WCAG 4.1.2", "ACT 6cfa84"},
	Aliases:   validate.Aliases{validate.Axe: {"aria-hidden-focus"}, validate.HTMLValidate: {"hidden-focusable"}},
	Doc: "Keyboard users reach a control that screen readers do not announce. Take it out of the tab order with `tabindex=\"-1\"` or `disabled`, or do not hide it. Elements " +
		"with a focus listener, such as the focus guards of dialogs, are not reported.",
	Bad:   "<div aria-hidden=\"true\"><button>Next</button></div>\n",
	Good:  "<div aria-hidden=\"true\"><button tabindex=\"-1\">Next</button></div>\n",
	Check: validate.Elements(checkHiddenFocus),
}, {
	ID: "aria-hidden-body", Title: "The whole page is hidden from screen readers", Severity: validate.Critical, Category: validate.Accessibility,
	Standards: []string{"WCAG 1.3.1", "WCAG 4.1.2"},
	Aliases:   validate.Aliases{validate.Axe: {"aria-hidden-body"}, validate.HTMLValidate: {"aria-hidden-body"}},
	Doc:       "`aria-hidden=\"true\"` on the body hides everything from screen readers.",
	Bad:       "<body aria-hidden=\"true\"><p>Hello</p></body>\n",
	Good:      "<body><p>Hello</p></body>\n",
	Check: validate.Elements(func(p *validate.Pass, n *dom.Node) {
		if h := n.Attr("aria-hidden"); h != nil && !h.Dynamic && !h.Conditional && h.Value == "true" {
			p.Attribute(h, "This hides the whole page from screen readers: remove it.")
		}
	}, "body"),
}, {
	ID: "children-presentational", Title: "Interactive content inside a control", Severity: validate.Critical, Category: validate.Accessibility,
	Standards: []string{"WCAG 4.1.2", "ACT 307n5z"},
	Aliases:   validate.Aliases{validate.Axe: {"nested-interactive"}},
	Doc:       "Everything inside a button, a checkbox, a tab or an image is announced as plain text: a link in it gets the focus but is not announced. Put it beside the control.",
	Bad:       "<button>Save <a href=\"/help\">help</a></button>\n",
	Good:      "<button>Save</button> <a href=\"/help\">help</a>\n",
	Check:     validate.Elements(checkPresentational),
}, {
	ID: "redundant-role", Title: "Redundant role: the element has it implicitly", Severity: validate.Info, Category: validate.Accessibility,
	Aliases: validate.Aliases{validate.HTMLValidate: {"no-redundant-role"}, validate.ESLint: {"jsx-a11y/no-redundant-roles"}},
	Doc: "`<button role=\"button\">` says the same thing twice. `role=\"list\"` on a list is not reported, because one browser drops the list semantics of a list without bullets; " +
		"neither are roles on elements that some browsers supported late.",
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
		p.Attribute(a, "The role %s is abstract: use a concrete role.", w)
		return
	}
	if near := syntax.Closest(w, roleNames); near != "" {
		p.Attribute(a, "Unknown role %s: did you mean %s?", w, near)
		return
	}
	p.Attribute(a, "Unknown role %s: remove it, or use a role of WAI-ARIA.", w)
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
		p.Attribute(a, "Invalid value of %s: %q. Use one of %s.", a.Name, text, strings.Join(choices(v), ", "))
	default:
		p.Attribute(a, "Invalid value of %s: %q. Use %s.", a.Name, text, map[string]string{"integer": "a whole number" + from(v), "number": "a number", "id": "one id"}[v.Kind])
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
		p.Attribute(a, "%s conflicts with the element's own state: use %s.", a.Name, instead)
		return
	}
	r := dom.AriaRoles[role]
	if role == "row" && !opens(acc, n, state) {
		p.Attribute(a, "A row supports %s only in a treegrid.", a.Name)
		return
	}
	if r != nil && r.May(state) || nativeMay(n, role, state) {
		return
	}
	if r == nil {
		if n.Is("input", "label") || n.Custom() {
			return
		}
		p.Attribute(a, "%s has no effect on <%s>, which has no role that supports it.", a.Name, n.Name)
		return
	}
	p.Attribute(a, "The role %s does not support %s: give the element the intended role, or remove the attribute.", role, a.Name)
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
	p.Attribute(a, "An element with the role %s cannot have a name: %s is ignored. Give the element another role, or write the text.", role, a.Name)
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
		p.Element(n, "The role %s requires %s.", role, strings.Join(missing, " and "))
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
	p.Element(n, "This element can get the focus but is hidden from screen readers: add tabindex=\"-1\", or do not hide it.")
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
			p.Element(c, "This element can get the focus but is inside a %s, whose content screen readers do not announce: move it out.", role)
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
		p.Offer(a.Start, a.End, &validate.Fix{Title: "Remove the role", Edits: []validate.Edit{{Start: validate.BlanksBefore(p.Text, a.Start), End: a.End, New: ""}}}, "<%s> has the implicit role %s: remove the attribute.", n.Name, w)
	}
}
