package a11y

import (
	"slices"
	"strings"

	"caselsp/agent/dom"
	"caselsp/agent/validate"
)

// The tree that assistive technology gets: elements without a role of their
// own are passed through, and aria-owns moves what it names.

// ownersOf returns which element owns which by aria-owns.
func ownersOf(a *dom.Access) map[*dom.Node]*dom.Node {
	m := map[*dom.Node]*dom.Node{}
	for _, n := range a.Page.Elements() {
		if at := n.Attr("aria-owns"); at != nil && !at.Dynamic {
			for _, id := range strings.Fields(at.Value) {
				for _, o := range a.Page.ByID(id) {
					m[o] = n
				}
			}
		}
	}
	return m
}

// transparent reports whether an element is passed through.
func transparent(a *dom.Access, n *dom.Node) (is, known bool) {
	role, known := a.Role(n)
	if n.Space == dom.HTML && n.Attr("role") == nil {
		for i := range n.Attrs {
			if state, ok := strings.CutPrefix(n.Attrs[i].Name, "aria-"); ok && state != "hidden" && slices.Contains(dom.AriaGlobalStates, state) {
				return false, known // a generic element with a state is one of the tree
			}
		}
	}
	return role == "" || role == "generic" || role == "none" || role == "presentation", known
}

func checkContext(p *validate.Pass, d *dom.Document) {
	a := p.Access()
	var owners map[*dom.Node]*dom.Node
	for _, n := range d.Elements() {
		role, known := dom.ExplicitRole(n)
		if !known || dom.AriaRoles[role] == nil || len(dom.AriaRoles[role].Context) == 0 || a.ImplicitRole(n) == role || !a.Exposed(n) || n.Inert() {
			continue
		}
		if owners == nil {
			owners = ownersOf(a)
		}
		if holder, sure := holder(a, n, owners, dom.AriaRoles[role].Context); sure {
			p.Element(n, "The role %s must be inside one of %s%s.", role, strings.Join(dom.AriaRoles[role].Context, ", "), holder)
		}
	}
}

// holder looks for the role that must hold n; sure means that it is missing.
func holder(a *dom.Access, n *dom.Node, owners map[*dom.Node]*dom.Node, context []string) (found string, sure bool) {
	if o := owners[n]; o != nil {
		role, known := a.Role(o)
		return ", and it is owned by the role " + role, known && !slices.Contains(context, role)
	}
	group := ""
	for x := n.Parent; ; x = x.Parent {
		if x == nil || x.Kind != dom.Element {
			// A fragment's holder lies in another file.
			return group, a.Whole()
		}
		role, known := a.Role(x)
		if !known || owners[x] != nil {
			return "", false
		}
		if slices.Contains(context, role) {
			if role != "group" {
				return "", false
			}
			group = ", and its group is inside none"
			continue
		}
		if own, _ := a.Role(n); group != "" && role == own {
			return "", false // an item with a group of its own, which is judged itself
		}
		if through, known := transparent(a, x); !known || !through {
			return ", and this one is inside " + describe(role, x), known
		}
	}
}

func describe(role string, n *dom.Node) string {
	if role == "" || role == "generic" {
		return "<" + n.Name + ">"
	}
	return "the role " + role
}

func checkOwned(p *validate.Pass, d *dom.Document) {
	a := p.Access()
	for _, n := range d.Elements() {
		role, known := a.Role(n)
		if role, known := dom.ExplicitRole(n); n.Is("table", "tbody", "thead", "tfoot", "tr") && role == "" && known {
			continue // the parser sees to it
		}
		r := dom.AriaRoles[role]
		if !known || r == nil || len(r.Owned) == 0 || n.Opaque || !a.Exposed(n) || n.Attr("aria-busy") != nil || n.Inert() || a.Scripted(n) && n.Attr("aria-owns") == nil {
			continue
		}
		if n.Is("select") && n.Attr("role") == nil || n.Is("datalist") {
			continue
		}
		bad, count, sure := strangers(a, n, r.Owned)
		switch {
		case !sure || count == 0 && bad == nil && n.Attr("role") == nil:
		case bad != nil:
			p.Element(bad, "The role %s holds only %s, not %s.", role, strings.Join(r.Owned, ", "), describe(roleOf(a, bad), bad))
		case count == 0 && n.FirstChild != nil && strings.TrimSpace(n.InnerText()) != "":
			p.Element(n, "The role %s must hold one of %s.", role, strings.Join(r.Owned, ", "))
		}
	}
}

func roleOf(a *dom.Access, n *dom.Node) string {
	role, _ := a.Role(n)
	return role
}

// strangers looks at what an element holds for assistive technology: how many
// are of the allowed roles, and the first that is not. Sure is false where a
// template, a script or a custom element may add to it.
func strangers(a *dom.Access, n *dom.Node, allowed []string) (bad *dom.Node, count int, sure bool) {
	sure = true
	var look func(n *dom.Node, allowed []string)
	judge := func(c *dom.Node) {
		if a.Hidden(c) == dom.Yes || dom.IsAriaHidden(c) || c.Is("script", "template", "style") {
			return
		}
		role, known := a.Role(c)
		through, _ := transparent(a, c)
		switch {
		case !known || c.Opaque && c.Attr("role") == nil && n.Attr("role") != nil:
			sure = false
		case slices.Contains(allowed, role):
			count++
			if role == "group" || role == "rowgroup" && !slices.Contains(allowed, "cell") {
				inner := allowed
				if role == "rowgroup" {
					inner = []string{"row"}
				}
				look(c, inner)
			}
		case through && c.Space == dom.HTML && (c.FirstChild != nil || role != ""):
			if c.Is("div", "span") && n.Is("ul", "ol", "menu") && c.Parent == n && n.Attr("role") == nil && bad == nil && !hasItem(c) && !c.HasUnknown() {
				bad = c
				return
			}
			look(c, allowed)
		case bad == nil && role != "":
			bad = c
		}
	}
	look = func(n *dom.Node, allowed []string) {
		for c := range n.Children() {
			if c.Unknown() {
				sure = false
			}
			if c.Kind == dom.Element {
				judge(c)
			}
		}
	}
	look(n, allowed)
	if at := n.Attr("aria-owns"); at != nil {
		if at.Dynamic {
			return nil, 0, false
		}
		for _, id := range strings.Fields(at.Value) {
			if len(a.Page.ByID(id)) == 0 {
				sure = false
			}
			for _, c := range a.Page.ByID(id) {
				judge(c)
			}
		}
	}
	return bad, count, sure
}

// hasItem reports whether a list's item lies below n.
func hasItem(n *dom.Node) bool {
	for c := range n.Walk() {
		if c.Is("li") || c.Kind == dom.Element && c.Attr("role") != nil {
			return true
		}
	}
	return false
}
