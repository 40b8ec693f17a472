package html

import (
	"strings"

	"caselsp/agent/dom"
	"caselsp/agent/validate"
)

// checkPairs is about attributes that contradict or miss another one in ways
// that a table of names cannot say.
func checkPairs(p *validate.Pass, n *dom.Node) {
	if n.Space != dom.HTML || n.Inert() || n.Opaque {
		return
	}
	say := func(a *dom.Attr, form string, args ...any) {
		if a != nil && !a.Dynamic && !a.Conditional {
			p.Attribute(a, form, args...)
		}
	}
	if !n.May("itemscope") {
		for _, name := range []string{"itemtype", "itemref", "itemid"} {
			say(n.Attr(name), "%s has no effect without itemscope: add it, or remove this one.", name)
		}
	}
	if n.Custom() && strings.Contains(n.Name, "-") && !n.SelfClosed {
		say(n.Attr("is"), "is has no effect on a custom element.")
	}
	switch n.Name {
	case "select":
		checkRequiredList(p, n)
	case "label":
		checkLabelInside(p, n)
	case "map":
		if id, ok := n.Get("id"); ok && n.Attr("name") != nil && !n.Attr("name").Dynamic && id != n.Attr("name").Value {
			say(n.Attr("id"), "The id of a map must be its name: %s.", n.Attr("name").Value)
		}
	case "colgroup":
		for c := range n.Elements() {
			if c.Is("col") {
				say(n.Attr("span"), "span has no effect if the <colgroup> holds <col>.")
				return
			}
		}
	case "link":
		if rel := n.Attr("rel"); rel != nil && rel.HasWord("alternate") && rel.HasWord("stylesheet") && !n.May("title") {
			say(rel, "Users cannot choose this style: an alternate style sheet needs a title.")
		}
	}
}

// checkRequiredList is about a list for one whose first option is a choice: what
// is required is there from the beginning.
func checkRequiredList(p *validate.Pass, n *dom.Node) {
	required := n.Attr("required")
	if required == nil || required.Bound || required.Conditional || n.May("multiple") || n.HasUnknown() || p.Access().Scripted(n) || dom.MayLoadLater(n) || dom.AttributeText(n, "size") != "" && dom.AttributeText(n, "size") != "1" {
		return
	}
	for c := range n.Elements() {
		if !c.Is("option") || c.Arm != n.Arm {
			return
		}
		if v := c.Attr("value"); v != nil && (v.Dynamic || strings.TrimSpace(v.Value) == "") || v == nil && strings.TrimSpace(c.InnerText()) == "" || c.May("disabled") {
			return
		}
		p.Attribute(required, "required has no effect here, since the first option is selected by default: begin with <option value=\"\">.")
		return
	}
}

// checkLabelInside is about a label around one field that names another one.
func checkLabelInside(p *validate.Pass, n *dom.Node) {
	at := n.Attr("for")
	if at == nil || at.Dynamic || at.Conditional || strings.TrimSpace(at.Value) == "" {
		return
	}
	for c := range n.Walk() {
		if c.Opaque || c.Custom() {
			return
		}
		if c.Is(targets["for"]...) && !strings.EqualFold(dom.AttributeText(c, "type"), "hidden") && !c.Is("button") {
			if id, ok := c.Get("id"); !ok && c.Attr("id") != nil || ok && id == at.Value {
				return
			}
			p.Attribute(at, "This label contains a <%s> but refers to another element: name the id of the field, or remove for.", c.Name)
			return
		}
	}
}
