package validate

import (
	"slices"
	"strings"

	"caselsp/agent/dom"
)

// The tree that assistive technology gets: elements without a role of their
// own are passed through, and aria-owns moves what it names.

// owners returns which element owns which by aria-owns.
func (a *access) owners() map[*dom.Node]*dom.Node {
	m := map[*dom.Node]*dom.Node{}
	for _, n := range a.doc.Elements() {
		if at := n.Attr("aria-owns"); at != nil && !at.Dynamic {
			for _, id := range strings.Fields(at.Value) {
				for _, o := range a.doc.ByID(id) {
					m[o] = n
				}
			}
		}
	}
	return m
}

// transparent reports whether an element is passed through.
func (a *access) transparent(n *dom.Node) (is, known bool) {
	role, known := a.role(n)
	if n.Space == dom.HTML && n.Attr("role") == nil {
		for i := range n.Attrs {
			if state, ok := strings.CutPrefix(n.Attrs[i].Name, "aria-"); ok && state != "hidden" && slices.Contains(globalStates, state) {
				return false, known // a generic element with a state is one of the tree
			}
		}
	}
	return role == "" || role == "generic" || role == "none" || role == "presentation", known
}

func checkContext(p *Pass, d *dom.Document) {
	a := p.access()
	var owners map[*dom.Node]*dom.Node
	for _, n := range d.Elements() {
		role, known := explicit(n)
		if !known || roles[role] == nil || len(roles[role].context) == 0 || a.implicit(n) == role || !a.exposed(n) || n.Inert() {
			continue
		}
		if owners == nil {
			owners = a.owners()
		}
		if holder, sure := a.holder(n, owners, roles[role].context); sure {
			p.Element(n, "The role %s must lie in one of %s%s.", role, strings.Join(roles[role].context, ", "), holder)
		}
	}
}

// holder looks for the role that must hold n; sure means that it is missing.
func (a *access) holder(n *dom.Node, owners map[*dom.Node]*dom.Node, context []string) (found string, sure bool) {
	if o := owners[n]; o != nil {
		role, known := a.role(o)
		return ", and it is owned by the role " + role, known && !slices.Contains(context, role)
	}
	group := ""
	for x := n.Parent; ; x = x.Parent {
		if x == nil || x.Kind != dom.Element {
			// A fragment's holder lies in another file.
			return group, a.isWhole()
		}
		role, known := a.role(x)
		if !known || owners[x] != nil {
			return "", false
		}
		if slices.Contains(context, role) {
			if role != "group" {
				return "", false
			}
			group = ", and its group lies in none"
			continue
		}
		if own, _ := a.role(n); group != "" && role == own {
			return "", false // an item with a group of its own, which is judged itself
		}
		if through, known := a.transparent(x); !known || !through {
			return ", and this one lies in " + describe(role, x), known
		}
	}
}

func describe(role string, n *dom.Node) string {
	if role == "" || role == "generic" {
		return "<" + n.Name + ">"
	}
	return "the role " + role
}

func checkOwned(p *Pass, d *dom.Document) {
	a := p.access()
	for _, n := range d.Elements() {
		role, known := a.role(n)
		if role, known := explicit(n); n.Is("table", "tbody", "thead", "tfoot", "tr") && role == "" && known {
			continue // the parser sees to it
		}
		r := roles[role]
		if !known || r == nil || len(r.owned) == 0 || n.Opaque || !a.exposed(n) || n.Attr("aria-busy") != nil || n.Inert() || a.scripted(n) && n.Attr("aria-owns") == nil {
			continue
		}
		if n.Is("select") && n.Attr("role") == nil || n.Is("datalist") {
			continue
		}
		bad, count, sure := a.strangers(n, r.owned)
		switch {
		case !sure || count == 0 && bad == nil && n.Attr("role") == nil:
		case bad != nil:
			p.Element(bad, "The role %s holds only %s, not %s.", role, strings.Join(r.owned, ", "), describe(roleOf(a, bad), bad))
		case count == 0 && n.FirstChild != nil && strings.TrimSpace(n.InnerText()) != "":
			p.Element(n, "The role %s must hold one of %s.", role, strings.Join(r.owned, ", "))
		}
	}
}

func roleOf(a *access, n *dom.Node) string {
	role, _ := a.role(n)
	return role
}

// strangers looks at what an element holds for assistive technology: how many
// are of the allowed roles, and the first that is not. Sure is false where a
// template, a script or a custom element may add to it.
func (a *access) strangers(n *dom.Node, allowed []string) (bad *dom.Node, count int, sure bool) {
	sure = true
	var look func(n *dom.Node, allowed []string)
	judge := func(c *dom.Node) {
		if a.hidden(c) == dom.Yes || isAriaHidden(c) || c.Is("script", "template", "style") {
			return
		}
		role, known := a.role(c)
		through, _ := a.transparent(c)
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
			if len(a.doc.ByID(id)) == 0 {
				sure = false
			}
			for _, c := range a.doc.ByID(id) {
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
