package dom

import (
	"strings"

	"caselsp/agent/syntax"
)

// Name returns an element's accessible name after the Accessible Name and
// Description Computation, with white space collapsed. Known is false where a
// template, a script or a style sheet may give it another one; a name that is
// known in part only counts as unknown.
func (a *Access) Name(n *Node) (name string, known bool) {
	b := naming{Access: a, seen: map[*Node]bool{}, known: true}
	text := b.of(n, false, true)
	return strings.Join(strings.Fields(text), " "), b.known
}

// Nameless reports whether an element has no name for sure.
func (a *Access) Nameless(n *Node) bool {
	name, known := a.Name(n)
	return known && name == "" && !n.Opaque
}

// naming is one computation of a name.
type naming struct {
	*Access
	seen  map[*Node]bool
	known bool
}

// text returns an attribute's text, and notes where it is not known.
func (b *naming) text(n *Node, attr string) string {
	at := n.Attr(attr)
	if at == nil {
		return ""
	}
	if at.Dynamic || at.Conditional {
		b.known = false
	}
	return strings.TrimSpace(at.Value)
}

// of returns the name of an element. Referred means that an aria-labelledby
// led here, first that nothing led here: it is the element that is asked for.
func (b *naming) of(n *Node, referred, first bool) string {
	if b.seen[n] {
		return ""
	}
	b.seen[n] = true
	if !first && !referred && (b.Hidden(n) != No || IsAriaHidden(n)) {
		if b.Hidden(n) == Maybe {
			b.known = false
		}
		return ""
	}
	if !referred {
		if text, ok := b.labelledBy(n); ok {
			return text
		}
	}
	if text := b.text(n, "aria-label"); text != "" {
		return text
	}
	role, known := b.Role(n)
	if !known {
		b.known = false
	}
	if !first {
		if text, ok := b.embedded(n, role); ok {
			return text
		}
	}
	if !(role == "none" || role == "presentation") || n.Is("input", "button", "select", "textarea") {
		if text, ok := b.native(n, first); ok {
			return text
		}
	}
	if text := b.content(n, role, referred, first); strings.TrimSpace(text) != "" {
		return text
	}
	if n.Is("input", "textarea") {
		if text := b.text(n, "title"); text != "" {
			return text
		}
		return b.text(n, "placeholder")
	}
	return b.text(n, "title")
}

// IsAriaHidden reports whether aria-hidden hides an element, or may.
func IsAriaHidden(n *Node) bool {
	h := n.Attr("aria-hidden")
	return h != nil && (h.Value == "true" || h.Dynamic)
}

// labelledBy follows aria-labelledby; false where it leads nowhere.
func (b *naming) labelledBy(n *Node) (string, bool) {
	at := n.Attr("aria-labelledby")
	if at == nil {
		return "", false
	}
	if at.Dynamic || at.Conditional {
		b.known = false
		return "", true
	}
	var parts []string
	valid := false
	for _, id := range strings.Fields(at.Value) {
		for _, target := range b.Page.ByID(id)[:min(1, len(b.Page.ByID(id)))] {
			valid = true
			seen := b.seen
			b.seen = map[*Node]bool{}
			for k := range seen {
				if k != target {
					b.seen[k] = true
				}
			}
			parts = append(parts, b.of(target, true, false))
			b.seen = seen
		}
		if len(b.Page.ByID(id)) == 0 && (!b.Whole() || b.ScriptWords()[id]) {
			b.known = false // it may lie in another file
		}
	}
	text := strings.TrimSpace(strings.Join(parts, " "))
	return text, valid && text != ""
}

// Whole reports whether the page is all that there is: no template writes a
// part of it.
func (a *Access) Whole() bool {
	for _, t := range a.Page.Templates() {
		if t.Unknown() || t.Kind == Tag && (t.Name == "extends" || t.Name == "block") {
			return false
		}
	}
	return len(a.Page.Elements("html", "body")) > 0
}

// embedded returns the value of a control that lies in another one's label.
func (b *naming) embedded(n *Node, role string) (string, bool) {
	switch role {
	case "textbox", "searchbox", "spinbutton", "slider", "combobox", "listbox":
		if !n.Is("input", "textarea", "select") {
			return "", false
		}
		b.known = false // whatever the user enters
		return "", true
	}
	return "", false
}

// native returns the name that HTML has for an element; false where it has none.
func (b *naming) native(n *Node, first bool) (string, bool) {
	switch {
	case n.Is("img", "area") || n.Is("input") && strings.EqualFold(AttributeText(n, "type"), "image"):
		if at := n.Attr("alt"); at != nil {
			text := b.text(n, "alt")
			return text, text != "" || at.Dynamic
		}
		if n.Is("input") {
			if text, ok := b.label(n); ok {
				return text, true
			}
		}
	case n.Is("input", "select", "textarea", "meter", "progress", "output", "button"):
		if text, ok := b.label(n); ok {
			return text, true
		}
		if n.Is("input") {
			return b.button(n)
		}
	case n.Is("fieldset"):
		return b.child(n, "legend")
	case n.Is("table"):
		return b.child(n, "caption")
	case n.Is("figure"):
		return b.child(n, "figcaption")
	case n.Is("details"):
		return b.child(n, "summary")
	case n.Space == SVG:
		for c := range n.Elements() {
			if c.Name == "title" && c.Space == SVG {
				text := b.inside(c)
				return text, strings.TrimSpace(text) != ""
			}
		}
		if at := n.Attr("title"); at != nil && n.Name == "a" {
			return b.text(n, "title"), true // xlink:title
		}
	case n.Is("iframe"):
		text := b.text(n, "title")
		return text, text != ""
	}
	return "", false
}

// button returns the name of an input that is a button.
func (b *naming) button(n *Node) (string, bool) {
	kind := strings.ToLower(AttributeText(n, "type"))
	if at := n.Attr("type"); at != nil && at.Dynamic {
		b.known = false
	}
	switch kind {
	case "submit", "reset":
		if n.Attr("value") == nil {
			return map[string]string{"submit": "Submit", "reset": "Reset"}[kind], true
		}
		fallthrough
	case "button":
		text := b.text(n, "value")
		return text, text != ""
	}
	return "", false
}

// child returns the text of an element's first child of a name.
func (b *naming) child(n *Node, name string) (string, bool) {
	for c := range n.Elements() {
		if c.Is(name) {
			text := b.of(c, true, false)
			return text, strings.TrimSpace(text) != ""
		}
	}
	if n.HasUnknown() {
		b.known = false
	}
	return "", false
}

// plainBlocks are the blocks of templates that write nothing around what they hold.
var plainBlocks = syntax.WordSet(`if for block with autoescape spaceless filter cache ifchanged ifequal ifnotequal language localize localtime timezone raw verbatim
	blocktrans blocktranslate trans translate comment macro unless switch case range loop foreach while apply embed`)

// wrapped reports whether a block of a project's own holds an element: it may
// write a label around it.
func wrapped(n *Node) bool {
	for a := n.Arm; a != nil; a = a.Parent {
		if !plainBlocks[a.Name] {
			return true
		}
	}
	return false
}

// label returns the texts of the labels of a control.
func (b *naming) label(n *Node) (string, bool) {
	labels := []*Node{}
	if wrapped(n) {
		b.known = false
	}
	if at := n.Attr("id"); at != nil {
		if at.Dynamic && !b.Whole() {
			b.known = false // its label may lie in the template around it
		}
		if first := b.Page.ByID(at.Value); at.Dynamic || len(first) > 0 && first[0] == n || len(first) > 1 {
			labels = append(labels, b.labels[at.Value]...)
		}
		if b.dynamicLabels() {
			b.known = false
		}
	}
	if l := n.Within("label"); l != nil && l.Attr("for") == nil {
		labels = append(labels, l)
	} else if l != nil && AttributeText(l, "for") == AttributeText(n, "id") && len(labels) == 0 {
		labels = append(labels, l)
	}
	var parts []string
	for _, l := range labels {
		if !b.seen[l] && b.Hidden(l) != Yes {
			parts = append(parts, b.of(l, true, false))
		}
	}
	text := strings.TrimSpace(strings.Join(parts, " "))
	return text, text != ""
}

// dynamicLabels reports whether a template writes what a label is for, so that
// it may be for any control.
func (a *Access) dynamicLabels() bool {
	for _, l := range a.Page.Elements("label") {
		if at := l.Attr("for"); at != nil && at.Dynamic {
			return true
		}
	}
	for _, t := range a.Page.Templates() {
		if t.Kind == Output && strings.Contains(a.Page.Tree.Text()[t.Start:t.End], "label") {
			return true
		}
	}
	return false
}

// content returns the name that an element has from what it holds.
func (b *naming) content(n *Node, role string, referred, first bool) string {
	r := AriaRoles[role]
	byContent := r != nil && r.Name == 'c' || n.Is("summary", "label", "legend", "caption", "figcaption", "button", "option") || n.Space == SVG && n.Name == "a"
	if first && !byContent {
		return ""
	}
	if !first && !referred && role == "img" {
		return "" // its children are drawing
	}
	return b.inside(n)
}

// inside returns the texts and names in an element.
func (b *naming) inside(n *Node) string {
	var text strings.Builder
	b.generated(n, "before", &text)
	for c := range n.Children() {
		switch {
		case c.Unknown():
			b.known = false
		case c.Kind == Text:
			text.WriteString(c.Text)
		case c.Kind == Element:
			if c.Custom() || c.Is("slot", "object", "embed", "iframe", "canvas") {
				b.known = false // it draws itself
			}
			if b.Scripted(c) {
				b.known = false
			}
			space := ""
			if !inline[c.Name] {
				space = " "
			}
			text.WriteString(space + b.of(c, false, false) + space)
		}
	}
	for i := range n.Attrs {
		if fills[n.Attrs[i].Name] {
			b.known = false
		}
	}
	b.generated(n, "after", &text)
	if strings.TrimSpace(text.String()) == "" && b.Scripted(n) {
		b.known = false
	}
	return text.String()
}

// fills are attributes by which script frameworks write an element's content.
var fills = map[string]bool{"v-html": true, "v-text": true, "x-text": true, "x-html": true, "innerhtml": true, "textcontent": true, "innertext": true, "ng-bind": true, "ng-bind-html": true, "data-bind": true, "data-i18n": true}

// inline are the elements that part no words.
var inline = map[string]bool{"a": true, "abbr": true, "b": true, "bdi": true, "bdo": true, "cite": true, "code": true, "data": true, "dfn": true, "em": true, "font": true,
	"i": true, "kbd": true, "mark": true, "q": true, "s": true, "samp": true, "small": true, "span": true, "strong": true, "sub": true, "sup": true, "time": true, "u": true, "var": true}

// generated adds what a style sheet writes before or behind an element.
func (b *naming) generated(n *Node, pseudo string, text *strings.Builder) {
	v, sure := b.Cascade.Value(n, "content", pseudo)
	if sure == No || v == "none" || v == "normal" {
		return
	}
	if sure == Maybe || strings.Contains(v, "(") {
		b.known = false
		return
	}
	for _, t := range Tokens(v, 0) {
		if t.Kind == String {
			text.WriteString(strings.Trim(t.Text, `"'`))
		}
	}
}

// TextOf returns the text and the names of images in an element, white space
// collapsed; "?" where nobody can tell.
func (a *Access) TextOf(n *Node) string {
	b := naming{Access: a, seen: map[*Node]bool{}, known: true}
	text := strings.Join(strings.Fields(b.inside(n)), " ")
	if !b.known {
		return "?"
	}
	return text
}

// Labelled reports whether a control has a label; known is false where a template
// or a script may give it one.
func (a *Access) Labelled(n *Node) (labelled, known bool) {
	b := naming{Access: a, seen: map[*Node]bool{}, known: true}
	text, ok := b.label(n)
	return ok || text != "", b.known
}
