package a11y

import (
	"slices"
	"strings"

	"caselsp/agent/dom"
	"caselsp/agent/syntax"
	"caselsp/agent/validate"
)

// fitRules are about roles, states and names that fit their element badly.
var fitRules = []validate.Rule{{
	ID: "role-allowed", Title: "Role not allowed on this element", Severity: validate.Warning, Category: validate.Accessibility,
	Standards: []string{"WCAG 4.1.2"},
	Aliases:   validate.Aliases{validate.Axe: {"aria-allowed-role"}, validate.ESLint: {"jsx-a11y/no-noninteractive-element-to-interactive-role"}},
	Doc: "ARIA in HTML says which roles an element may have: a link may be a tab but not a heading, a list may not be a navigation. Browsers announce the role, while the " +
		"keyboard still behaves as the element does.",
	Bad:   "<a href=\"/prices\" role=\"heading\" aria-level=\"2\">Prices</a>\n",
	Good:  "<h2><a href=\"/prices\">Prices</a></h2>\n",
	Check: validate.Attributes(checkRoleAllowed, "role"),
}, {
	ID: "deprecated-role", Title: "Deprecated ARIA role", Severity: validate.Info, Category: validate.Accessibility,
	Aliases: validate.Aliases{validate.Axe: {"aria-deprecated-role"}},
	Doc:     "`directory` is announced as a list, `doc-endnote` and `doc-biblioentry` as list items: use `list` and `listitem`.",
	Bad:     "<ul role=\"directory\"><li>A</li></ul>\n", Good: "<ul><li>A</li></ul>\n",
	Check: validate.Attributes(func(p *validate.Pass, n *dom.Node, a *dom.Attr) {
		if role, known := dom.ExplicitRole(n); known && (role == "directory" || role == "doc-endnote" || role == "doc-biblioentry") {
			p.Attribute(a, "The role %s is deprecated: use %s.", role, map[bool]string{true: "list", false: "listitem"}[role == "directory"])
		}
	}, "role"),
}, {
	ID: "landmark-unique", Title: "Landmarks of the same role without distinct names", Severity: validate.Info, Category: validate.Accessibility,
	Standards: []string{"WCAG 2.4.1"},
	Aliases:   validate.Aliases{validate.Axe: {"landmark-unique"}, validate.HTMLValidate: {"unique-landmark"}},
	Doc: "Screen readers list landmarks by role and name. Where a page has two navigations, two searches or two forms with the same name, give each a distinct `aria-label`. " +
		"Landmarks inside template branches are not reported.",
	Bad:   "<nav><a href=\"/\">Home</a></nav>\n<nav><a href=\"/terms\">Terms</a></nav>\n",
	Good:  "<nav aria-label=\"Main\"><a href=\"/\">Home</a></nav>\n<nav aria-label=\"Legal\"><a href=\"/terms\">Terms</a></nav>\n",
	Check: validate.Page(checkLandmarks),
}, {
	ID: "alt-redundant", Title: "Redundant alternative text", Severity: validate.Info, Category: validate.Accessibility,
	Aliases: validate.Aliases{validate.Axe: {"image-redundant-alt"}, validate.ESLint: {"jsx-a11y/img-redundant-alt"}},
	Doc:     "Screen readers already say \"image\", and an image beside the same words is read twice: write `alt=\"\"` for it.",
	Bad:     "<a href=\"/\"><img src=\"/home.svg\" alt=\"Home\"> Home</a>\n", Good: "<a href=\"/\"><img src=\"/home.svg\" alt=\"\"> Home</a>\n",
	Check: validate.Elements(checkAltRedundant, "img"),
}, {
	ID: "label-title-only", Title: "Form field labelled only by a title attribute", Severity: validate.Info, Category: validate.Accessibility,
	Standards: []string{"WCAG 3.3.2"},
	Aliases:   validate.Aliases{validate.Axe: {"label-title-only"}},
	Doc:       "A `title` is shown only while the mouse rests on the field. Give the field a `<label>`.",
	Bad:       "<input name=\"q\" title=\"Search\">\n", Good: "<label>Search <input name=\"q\"></label>\n",
	Check: validate.Elements(checkTitleOnly, "input", "select", "textarea"),
}, {
	ID: "table-header-empty", Title: "Empty table header", Severity: validate.Info, Category: validate.Accessibility,
	Standards: []string{"WCAG 1.3.1"},
	Aliases:   validate.Aliases{validate.Axe: {"empty-table-header"}},
	Doc:       "Screen readers announce each cell with its header: an empty header says nothing. Name the column, if only for screen readers. Make an empty corner a `<td>`.",
	Bad:       "<table><tr><th></th><th>Price</th></tr><tr><td>Tea</td><td>9</td></tr></table>\n",
	Good:      "<table><tr><th>Name</th><th>Price</th></tr><tr><td>Tea</td><td>9</td></tr></table>\n",
	Check: validate.Elements(func(p *validate.Pass, n *dom.Node) {
		a := p.Access()
		role, known := a.Role(n)
		if !known || role != "columnheader" && role != "rowheader" || !a.Exposed(n) || n.Inert() || n.HasUnknown() {
			return
		}
		if text := a.TextOf(n); text == "" && a.Nameless(n) && !a.Scripted(n) {
			p.Element(n, "This header is empty: name what its cells hold, or make it a <td>.")
		}
	}),
}}

// roleLists are the roles that elements may have beside their own, after ARIA in
// HTML (2025); an element that is not named may have any.
var roleLists = dom.ReadLists(`article application document feed main none presentation region
aside feed none note presentation region search doc-dedication doc-example doc-footnote doc-glossary doc-pullquote doc-tip
audio application
video application
area
base
body
br none presentation
wbr none presentation
button checkbox combobox gridcell link menuitem menuitemcheckbox menuitemradio option radio separator slider switch tab treeitem
caption
col
colgroup
datalist
dd
details group
dialog alertdialog
dl group list none presentation
dt listitem
embed application document img image none presentation
fieldset none presentation radiogroup
figcaption group none presentation
footer contentinfo group none presentation doc-footnote
header banner group none presentation
form form none presentation search
h1 none presentation tab doc-subtitle
h2 none presentation tab doc-subtitle
h3 none presentation tab doc-subtitle
h4 none presentation tab doc-subtitle
h5 none presentation tab doc-subtitle
h6 none presentation tab doc-subtitle
head
hr none presentation doc-pagebreak
html
iframe application document img image none presentation
label
legend
link
main
map
meta
meter
nav menu menubar none presentation tablist doc-index doc-pagelist doc-toc
noscript
object application document img image
optgroup
option
picture
progress
script
search form group none presentation region
section alert alertdialog application banner complementary contentinfo dialog document feed group log main marquee navigation none note presentation region search status tabpanel doc-abstract doc-acknowledgments doc-afterword doc-appendix doc-bibliography doc-chapter doc-colophon doc-conclusion doc-credit doc-credits doc-dedication doc-endnotes doc-epigraph doc-epilogue doc-errata doc-example doc-foreword doc-glossary doc-index doc-introduction doc-notice doc-pagelist doc-part doc-preface doc-prologue doc-pullquote doc-qna doc-toc
slot
source
style
template
textarea
title
track
ul directory group list listbox menu menubar none presentation radiogroup tablist toolbar tree
ol directory group list listbox menu menubar none presentation radiogroup tablist toolbar tree
menu group list listbox menu menubar none presentation radiogroup tablist toolbar tree`)

var (
	linkRoles   = strings.Fields("button checkbox link menuitem menuitemcheckbox menuitemradio option radio switch tab treeitem doc-backlink doc-biblioref doc-glossref doc-noteref")
	imageRoles  = strings.Fields("img image math button checkbox link menuitem menuitemcheckbox menuitemradio meter option progressbar radio scrollbar separator slider switch tab treeitem doc-cover")
	buttonRoles = roleLists["button"]
	itemRoles   = strings.Fields("listitem menuitem menuitemcheckbox menuitemradio option none presentation radio separator tab treeitem doc-biblioentry doc-endnote")
)

// allowedRoles returns the roles that an element may be given; judged is false
// where any will do.
func allowedRoles(a *dom.Access, n *dom.Node) (list []string, judged bool) {
	switch n.Name {
	case "a":
		return linkRoles, n.Attr("href") != nil
	case "area":
		return []string{"link", "button"}[:1+indexOf(n.Attr("href") == nil)], true
	case "img":
		alt := n.Attr("alt")
		if alt != nil && !alt.Dynamic && alt.Value == "" && !n.May("aria-label") && !n.May("aria-labelledby") && !n.May("title") {
			return []string{"none", "presentation", "img", "image"}, !n.Opaque
		}
		return append(slices.Clone(imageRoles), "none", "presentation"), true
	case "input":
		return inputMay(n)
	case "li":
		return itemRoles, n.Parent.Is("ul", "ol", "menu") && n.Parent.Attr("role") == nil && !n.Parent.Opaque
	case "select":
		if n.Attr("multiple") != nil || n.Attr("size") != nil {
			return []string{"listbox"}, dom.AttributeText(n, "size") != "1"
		}
		return []string{"combobox", "menu"}, !n.Opaque
	case "figure":
		for c := range n.Elements() {
			if c.Is("figcaption") {
				return []string{"figure", "none", "presentation"}, true
			}
		}
		return nil, false
	case "summary":
		return []string{"button"}, n.Parent.Is("details") && dom.FirstSummary(n.Parent) == n
	case "label", "embed", "object", "iframe":
		return roleLists[n.Name], !n.Opaque
	}
	list, judged = roleLists[n.Name]
	return list, judged
}

func indexOf(b bool) int {
	if b {
		return 1
	}
	return 0
}

// inputMay is allowedRoles for inputs.
func inputMay(n *dom.Node) (list []string, judged bool) {
	at := n.Attr("type")
	if at != nil && (at.Dynamic || at.Conditional) || at == nil && n.Opaque {
		return nil, false
	}
	switch kind := strings.ToLower(dom.AttributeText(n, "type")); kind {
	case "button", "submit", "reset", "image":
		return append([]string{"button"}, buttonRoles...), true
	case "checkbox":
		if n.May("aria-pressed") {
			return []string{"checkbox", "menuitemcheckbox", "option", "switch", "button"}, true
		}
		return []string{"checkbox", "menuitemcheckbox", "option", "switch"}, true
	case "radio":
		return []string{"radio", "menuitemradio"}, true
	case "text", "", "search", "tel", "url", "email":
		return []string{"textbox", "combobox", "searchbox", "spinbutton"}, true
	case "number":
		return []string{"spinbutton"}, true
	case "range":
		return []string{"slider"}, true
	case "hidden", "color", "date", "datetime-local", "month", "week", "time", "file":
		return []string{"combobox"}, true
	}
	return nil, false
}

func checkRoleAllowed(p *validate.Pass, n *dom.Node, a *dom.Attr) {
	acc := p.Access()
	role, known := dom.ExplicitRole(n)
	if !known || role == "" || n.Space != dom.HTML || n.Custom() || n.Attr("is") != nil || acc.Hidden(n) == dom.Yes {
		return
	}
	list, judged := allowedRoles(acc, n)
	if !judged || slices.Contains(list, role) || role == acc.ImplicitRole(n) || dom.PlainRoles[n.Name] == role {
		return
	}
	if len(list) == 0 || len(list) == 1 && list[0] == acc.ImplicitRole(n) {
		p.Attribute(a, "<%s> may not have another role: put the role %s on an element around or inside it.", n.Name, role)
		return
	}
	p.Attribute(a, "<%s> may not have the role %s: use an element without semantics, such as <div>.", n.Name, role)
}

// landmarks are the roles that screen readers list as parts of a page.
var landmarks = strings.Fields("banner complementary contentinfo form main navigation region search")

func checkLandmarks(p *validate.Pass, d *dom.Document) {
	a := p.Access()
	type what struct{ role, name string }
	seen := map[what]*dom.Node{}
	for _, n := range d.Elements() {
		role, known := a.Role(n)
		if !known || !slices.Contains(landmarks, role) || n.Inert() || n.Opaque || !a.Exposed(n) || n.Arm != nil {
			continue
		}
		name, sure := a.Name(n)
		if !sure || role == "form" && name == "" {
			continue
		}
		key := what{role, strings.ToLower(name)}
		if o := seen[key]; o != nil {
			p.Element(n, "The landmark in line %d has the role %s and the same name: name each with aria-label.", p.Tree.Position(o.Start).Line+1, role)
		} else {
			seen[key] = n
		}
	}
}

// imageWords are the words that say of an image only that it is one.
var imageWords = syntax.WordSet("image picture photo photograph icon graphic")

func checkAltRedundant(p *validate.Pass, n *dom.Node) {
	alt := n.Attr("alt")
	if alt == nil || alt.Dynamic || alt.Conditional || n.Space != dom.HTML || n.Inert() || n.May("role") {
		return
	}
	words := labelWords(alt.Value)
	if len(words) > 0 && imageWords[words[0]] && (len(words) == 1 || words[1] == "of" || words[1] == "showing") {
		p.Attribute(alt, "Screen readers already announce an image: describe its content.")
		return
	}
	holder := n.Within("a", "button")
	if holder == nil || len(words) == 0 || holder.HasUnknown() || holder.May("aria-label") || holder.May("aria-labelledby") {
		return
	}
	if text := labelWords(holder.InnerText()); slices.Equal(text, words) {
		p.Attribute(alt, "The text beside this image says the same and is read twice: write alt=\"\".")
	}
}

func checkTitleOnly(p *validate.Pass, n *dom.Node) {
	title := n.Attr("title")
	if title == nil || title.Dynamic || strings.TrimSpace(title.Value) == "" || n.Space != dom.HTML || n.May("aria-label") || n.May("aria-labelledby") || n.May("placeholder") {
		return
	}
	if n.Is("input") && slices.Contains([]string{"hidden", "submit", "reset", "button", "image"}, strings.ToLower(dom.AttributeText(n, "type"))) {
		return
	}
	a := p.Access()
	if labelled, known := a.Labelled(n); !labelled && known && a.Exposed(n) && !n.Opaque {
		p.Element(n, "The title of this field is shown only on mouse hover: give the field a <label>.")
	}
}
