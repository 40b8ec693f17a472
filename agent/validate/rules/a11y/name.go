package a11y

import (
	"strings"
	"unicode"

	"caselsp/agent/dom"
	"caselsp/agent/validate"
)

// nameRules are about the names of what people use.
var nameRules = []validate.Rule{{
	ID: "button-name", Title: "Button without an accessible name", Severity: validate.Critical, Category: validate.Accessibility,
	Standards: []string{"WCAG 4.1.2", "ACT 97a4e1"},
	Aliases:   validate.Aliases{validate.Axe: {"button-name"}, validate.HTMLValidate: {"text-content"}},
	Doc: "A button that holds only an icon is announced as \"button\". Give it text or an `aria-label`; an image in it can name it through its `alt`. Buttons whose content " +
		"comes from a template, a custom element or a script are not reported.",
	Bad:   "<button class=\"close\"><i class=\"icon-x\"></i></button>\n",
	Good:  "<button class=\"close\" aria-label=\"Close\"><i class=\"icon-x\"></i></button>\n",
	Check: named("This button has no name: give it text, or describe its action in aria-label.", "button"),
}, {
	ID: "link-name", Title: "Link without an accessible name", Severity: validate.Critical, Category: validate.Accessibility,
	Standards: []string{"WCAG 2.4.4", "WCAG 4.1.2", "ACT c487ae"},
	Aliases:   validate.Aliases{validate.Axe: {"link-name"}, validate.ESLint: {"jsx-a11y/anchor-has-content"}, validate.HTMLValidate: {"wcag/h30"}},
	Doc:       "A link around an icon, or around an image without alternative text, is announced by its URL. Give it text, an image with `alt`, or an `aria-label`.",
	Bad:       "<a href=\"https://example.org/feed\"><i class=\"icon-rss\"></i></a>\n",
	Good:      "<a href=\"https://example.org/feed\"><i class=\"icon-rss\"></i> Feed</a>\n",
	Check:     named("This link has no name: give it text, or describe its target in aria-label.", "link", "doc-backlink", "doc-biblioref", "doc-glossref", "doc-noteref"),
}, {
	ID: "field-label", Title: "Form field without a label", Severity: validate.Critical, Category: validate.Accessibility,
	Standards: []string{"WCAG 1.3.1", "WCAG 4.1.2", "ACT e086e5"},
	Aliases:   validate.Aliases{validate.Axe: {"label", "select-name"}, validate.HTMLValidate: {"input-missing-label"}, validate.ESLint: {"jsx-a11y/label-has-associated-control"}},
	Doc: "Without a label, screen readers cannot say what to enter. Put the field inside a `<label>`, reference it with `for`, or use `aria-label` or `aria-labelledby`. A " +
		"`title` or a `placeholder` counts as a name, though a poor one.",
	Bad:  "<form><input type=\"email\" name=\"email\"></form>\n",
	Good: "<form><label>E-mail <input type=\"email\" name=\"email\"></label></form>\n",
	Check: named("This field has no label: put it inside a <label>, or name it with aria-label.",
		"checkbox", "combobox", "listbox", "radio", "searchbox", "slider", "spinbutton", "switch", "textbox", "field"),
}, {
	ID: "menuitem-name", Title: "Menu item without an accessible name", Severity: validate.Critical, Category: validate.Accessibility,
	Standards: []string{"WCAG 4.1.2", "ACT m6b1q3", "ACT e086e5"},
	Aliases:   validate.Aliases{validate.Axe: {"aria-command-name"}},
	Doc:       "A menu item that holds only an icon has no name. Give it text or an `aria-label`.",
	Bad:       "<div role=\"menu\"><div role=\"menuitem\"><i class=\"icon-cut\"></i></div></div>\n",
	Good:      "<div role=\"menu\"><div role=\"menuitem\"><i class=\"icon-cut\"></i> Cut</div></div>\n",
	Check:     named("This menu item has no name: give it text or an aria-label.", "menuitem", "menuitemcheckbox", "menuitemradio"),
}, {
	ID: "widget-name", Title: "Dialog, tab, meter or other widget without an accessible name", Severity: validate.Warning, Category: validate.Accessibility,
	Standards: []string{"WCAG 4.1.2"},
	Aliases:   validate.Aliases{validate.Axe: {"aria-dialog-name", "aria-meter-name", "aria-progressbar-name", "aria-treeitem-name"}},
	Doc: "A dialog, a tab, a tree item, a meter or a progress bar without a name is announced by its role alone. Name it with `aria-labelledby` and the id of its heading, or " +
		"with `aria-label`.",
	Bad:  "<div role=\"dialog\" aria-modal=\"true\"><p>Sure?</p></div>\n",
	Good: "<div role=\"dialog\" aria-modal=\"true\" aria-labelledby=\"q\"><p id=\"q\">Sure?</p></div>\n",
	Check: named("This %s has no name: add aria-labelledby with the id of its heading, or aria-label.",
		"dialog", "alertdialog", "tab", "treeitem", "meter", "progressbar", "tooltip"),
}, {
	ID: "summary-name", Title: "Summary without an accessible name", Severity: validate.Critical, Category: validate.Accessibility,
	Standards: []string{"WCAG 4.1.2", "ACT 2t702h"},
	Aliases:   validate.Aliases{validate.Axe: {"summary-name"}},
	Doc:       "The `<summary>` of a `<details>` is its button: without text it does not say what it opens.",
	Bad:       "<details><summary><i class=\"icon-more\"></i></summary><p>More</p></details>\n",
	Good:      "<details><summary>Opening hours</summary><p>9 to 5</p></details>\n",
	Check: validate.Elements(func(p *validate.Pass, n *dom.Node) {
		if _, known := dom.ExplicitRole(n); !known || !n.Is("summary") || !n.Parent.Is("details") || dom.FirstSummary(n.Parent) != n {
			return
		}
		if a := p.Access(); a.Exposed(n) && a.Nameless(n) && (a.Focusable(n) || n.Attr("role") == nil) {
			p.Element(n, "This summary has no name: describe what it opens.")
		}
	}, "summary"),
}, {
	ID: "heading-empty", Title: "Empty heading", Severity: validate.Warning, Category: validate.Accessibility,
	Standards: []string{"WCAG 1.3.1", "WCAG 2.4.6", "ACT ffd0e9"},
	Aliases:   validate.Aliases{validate.Axe: {"empty-heading"}, validate.HTMLValidate: {"empty-heading"}, validate.ESLint: {"jsx-a11y/heading-has-content"}},
	Doc:       "Screen readers list headings for navigation; an empty one is a gap in that list. Remove it, or give it text.",
	Bad:       "<h2></h2>\n<p>Text</p>\n",
	Good:      "<h2>Prices</h2>\n<p>Text</p>\n",
	Check:     named("This heading has no text: remove it, or give it text.", "heading"),
}, {
	ID: "iframe-title", Title: "Frame without a title", Severity: validate.Critical, Category: validate.Accessibility,
	Standards: []string{"WCAG 4.1.2", "ACT cae760"},
	Aliases:   validate.Aliases{validate.Axe: {"frame-title"}, validate.ESLint: {"jsx-a11y/iframe-has-title"}},
	Doc:       "A frame is announced by its `title`. Without one, screen readers say its URL or nothing, and users cannot decide whether to enter it.",
	Bad:       "<iframe src=\"https://maps.example.org/\"></iframe>\n",
	Good:      "<iframe src=\"https://maps.example.org/\" title=\"Map of the site\"></iframe>\n",
	Check: validate.Elements(func(p *validate.Pass, n *dom.Node) {
		if role, known := dom.ExplicitRole(n); !n.Is("iframe", "frame") || !known || role == "none" || role == "presentation" {
			return
		}
		a := p.Access()
		if v, ok := n.Get("tabindex"); ok && strings.HasPrefix(strings.TrimSpace(v), "-") {
			return // nobody gets into it
		}
		if a.Exposed(n) && a.Nameless(n) && !tiny(n) {
			p.Element(n, "This frame has no title: describe its content in title.")
		}
	}, "iframe", "frame"),
}, {
	ID: "label-in-name", Title: "Accessible name does not contain the visible label", Severity: validate.Warning, Category: validate.Accessibility,
	Standards: []string{"WCAG 2.5.3", "ACT 2ee8b8"},
	Aliases:   validate.Aliases{validate.Axe: {"label-content-name-mismatch"}},
	Doc: "Speech-input users say the text that they see on a control. If `aria-label` has other words, the control does not respond. Begin the label with the visible text, or " +
		"remove it.",
	Bad:   "<button aria-label=\"Submit the form\">Send</button>\n",
	Good:  "<button aria-label=\"Send the form\">Send</button>\n",
	Check: validate.Elements(checkLabelInName),
}}

// named is for rules about elements with one of some roles: of those that
// assistive technology gets, each must have a name.
func named(message string, list ...string) func(*validate.Pass) {
	wanted := map[string]bool{}
	for _, r := range list {
		wanted[r] = true
	}
	return validate.Page(func(p *validate.Pass, d *dom.Document) {
		a := p.Access()
		for _, n := range d.Elements() {
			role, known := a.Role(n)
			if wanted["field"] && role == "" && n.Is("input") && n.Attr("role") == nil {
				role = "field" // a date, a file...: a field without a role
			}
			if !known || !wanted[role] || skipsName(p, n, role) || !a.Exposed(n) || !a.Nameless(n) {
				continue
			}
			p.Element(n, "%s", strings.Replace(message, "%s", role, 1))
		}
	})
}

// skipsName reports whether another rule is about an element's name, or none.
func skipsName(p *validate.Pass, n *dom.Node, role string) bool {
	switch {
	case n.Is("input") && (strings.EqualFold(dom.AttributeText(n, "type"), "image") || n.Attr("type") != nil && n.Attr("type").Dynamic):
		return true
	case n.Is("datalist", "area"), strings.Contains(n.Name, ":"):
		return true
	case n.Is("progress", "meter"):
		return n.Attr("id") != nil // its script names it
	case n.Is("dialog"):
		return n.Attr("id") != nil && (!p.Access().Whole() || len(p.Page().Elements("script")) > 0) // its script names it
	case role == "tooltip":
		return n.FirstChild == nil && (!p.Access().Whole() || len(p.Page().Elements("script")) > 0) // a script fills it
	case role == "link" && n.Is("a") && n.Attr("name") != nil && n.FirstChild == nil:
		return true
	}
	return n.Inert()
}

// tiny reports whether a frame is one that nobody is to see: for counting, or for scripts.
func tiny(n *dom.Node) bool {
	small := func(name string) bool {
		v := dom.AttributeText(n, name)
		return v == "0" || v == "1" || v == "0px" || v == "1px"
	}
	return small("width") && small("height")
}

// checkLabelInName compares the visible text of a control with its name.
func checkLabelInName(p *validate.Pass, n *dom.Node) {
	at := n.Attr("aria-label")
	if at == nil && n.Attr("aria-labelledby") == nil {
		return
	}
	a := p.Access()
	role, known := a.Role(n)
	r := dom.AriaRoles[role]
	if !known || r == nil || r.Name != 'c' || role == "heading" || role == "row" || role == "cell" || role == "gridcell" || role == "rowgroup" || strings.HasSuffix(role, "header") || role == "tooltip" || !a.Exposed(n) || n.HasUnknown() {
		return
	}
	name, known := a.Name(n)
	seen, sure := visible(a, n)
	if !known || !sure {
		return
	}
	have, want := labelWords(name), labelWords(seen)
	whole := strings.Join(want, "")
	if whole == "" || name == "" || len(whole) == 1 && whole >= "a" || strings.HasSuffix(strings.TrimSpace(seen), ".") {
		return // a letter is an icon, what ends in a dot is cut short
	}
	if font, _ := a.Cascade.Value(n, "font-family", ""); strings.Contains(strings.ToLower(font), "icon") {
		return
	}
	if !containsRun(have, want) && !containsRun(have, labelWords(joined(a, n))) && !containsRun(labelWords(strings.ReplaceAll(name, "-", "")), want) {
		if at == nil {
			at = n.Attr("aria-labelledby")
		}
		p.Attribute(at, "The visible label is %q, but the accessible name is %q: begin the name with the visible label.", strings.Join(strings.Fields(seen), " "), name)
	}
}

// visible returns the text that an element shows; sure is false where an icon's
// letters or a hidden part may be among it.
func visible(a *dom.Access, n *dom.Node) (text string, sure bool) {
	var b strings.Builder
	sure = true
	var walk func(*dom.Node)
	walk = func(n *dom.Node) {
		for c := range n.Children() {
			switch {
			case c.Kind == dom.Text:
				b.WriteString(c.Text)
			case c.Kind == dom.Element:
				class := strings.ToLower(c.InnerText() + " " + classOf(c))
				if strings.Contains(class, "icon") || strings.Contains(class, "sr-only") || strings.Contains(class, "hidden") || c.Name == "i" || c.Space != dom.HTML || c.Is("img") {
					sure = false
				}
				if a.Hidden(c) == dom.No && !outside(a, c) {
					walk(c)
					b.WriteString(" ")
				}
			}
		}
	}
	walk(n)
	return b.String(), sure && !strings.Contains(strings.ToLower(classOf(n)), "icons") // a font that draws words as icons
}

// joined is the visible text without the gaps between elements, as letters in
// elements of their own are read.
func joined(a *dom.Access, n *dom.Node) string {
	var b strings.Builder
	for x := range n.Walk() {
		if x.Kind == dom.Text && a.Hidden(x.Parent) == dom.No {
			b.WriteString(strings.TrimSpace(x.Text))
		}
	}
	return b.String()
}

func classOf(n *dom.Node) string {
	if c := n.Attr("class"); c != nil {
		return c.Value
	}
	return ""
}

// labelWords are the words of a label that people say: letters and digits, without case.
func labelWords(s string) []string {
	s, _, _ = strings.Cut(s, "(")
	return strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

// containsRun reports whether want stands in have, one behind the other.
func containsRun(have, want []string) bool {
	return strings.Contains(" "+strings.Join(have, " ")+" ", " "+strings.Join(want, " ")+" ")
}
