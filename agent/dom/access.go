package dom

import (
	"slices"
	"strings"
	"sync"

	"caselsp/store/lazyregexp"
)

// Access is a page as assistive technology gets it, as far as source can show:
// roles, names, and what is hidden. Each answer may be "unknown": then rules are
// silent.
type Access struct {
	Page        *Document
	Cascade     *Cascade
	ScriptWords func() map[string]bool
	hiding      map[*Node]Certainty
	labels      map[string][]*Node // label elements by what they are for
	mu          sync.Mutex
}

// NewAccess returns the view of a page for assistive technology. Sheets are the
// page's style sheets in order, inline its style attributes; filled returns the
// words in the page's scripts, and is called once, when a role or a name depends
// on them.
func NewAccess(d *Document, sheets []*Sheet, inline map[*Node]*Sheet, filled func() map[string]bool) *Access {
	a := &Access{Page: d, hiding: map[*Node]Certainty{}, labels: map[string][]*Node{}}
	a.Cascade = NewCascade(sheets, inline)
	for _, l := range d.Elements("label") {
		if id, ok := l.Get("for"); ok {
			a.labels[id] = append(a.labels[id], l)
		}
	}
	a.ScriptWords = sync.OnceValue(filled)
	return a
}

// Scripted reports whether a script of the page speaks of an element by its id
// or one of its classes: it may be another one when the user meets it.
func (a *Access) Scripted(n *Node) bool {
	for _, name := range []string{"id", "class"} {
		if at := n.Attr(name); at != nil {
			for _, w := range at.Words() {
				if a.ScriptWords()[w.Text] {
					return true
				}
			}
		}
	}
	return false
}

// Hidden reports whether an element is not rendered.
func (a *Access) Hidden(n *Node) Certainty {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.isHidden(n)
}

func (a *Access) isHidden(n *Node) Certainty {
	if n == nil || n.Kind != Element {
		return No
	}
	if c, ok := a.hiding[n]; ok {
		return c
	}
	c := a.unrendered(n)
	if c != Yes {
		c = max(c, a.isUndisplayed(n.Parent), a.invisible(n))
	}
	a.hiding[n] = c
	return c
}

// isUndisplayed is isHidden without what a child can take back: visibility.
func (a *Access) isUndisplayed(n *Node) Certainty {
	most := No
	for ; n != nil && n.Kind == Element; n = n.Parent {
		most = max(most, a.unrendered(n))
	}
	return most
}

// unrendered reports whether an element by itself takes its content off the page.
func (a *Access) unrendered(n *Node) Certainty {
	if n.Is("template", "script", "style", "head", "noscript", "datalist") || n.Is("input") && strings.EqualFold(AttributeText(n, "type"), "hidden") {
		return Yes
	}
	display, sure := a.Cascade.Value(n, "display", "")
	if sure == Yes {
		if strings.EqualFold(display, "none") {
			return Yes
		}
		return No
	}
	if h := n.Attr("hidden"); h != nil {
		if h.Dynamic || h.Conditional {
			return Maybe
		}
		return Yes
	}
	if sure == Maybe && strings.EqualFold(display, "none") {
		return Maybe
	}
	if c := n.Attr("class"); c != nil && sure == No {
		hides, shows := false, false
		for _, w := range c.Words() {
			hides = hides || hidingClasses[w.Text]
			shows = shows || showingClass.MatchString(w.Text)
		}
		if hides && shows {
			return Maybe
		}
		if hides {
			return Yes
		}
	}
	return No
}

// showingClass is one by which the same frameworks show an element on some
// screens again: d-md-block, md:flex.
var showingClass = lazyregexp.New(`^(?:d-(?:sm|md|lg|xl|xxl)-[a-z-]+|(?:sm|md|lg|xl|2xl):[a-z-]+|visible-[a-z-]+|is-[a-z-]+-(?:tablet|desktop|mobile))$`)

// hidingClasses are the classes by which style sheets that are not in the page
// take an element off it, in all frameworks that are widely used.
var hidingClasses = map[string]bool{"hidden": true, "d-none": true, "hide": true, "is-hidden": true, "ng-hide": true, "invisible": true, "uk-hidden": true, "display-none": true, "u-hidden": true, "honeypot": true}

// invisible reports whether visibility hides an element; it is inherited.
func (a *Access) invisible(n *Node) Certainty {
	for ; n != nil && n.Kind == Element; n = n.Parent {
		if v, sure := a.Cascade.Value(n, "visibility", ""); sure != No {
			if v == "hidden" || v == "collapse" {
				return sure
			}
			return No
		}
	}
	return No
}

// Exposed reports whether assistive technology gets an element for sure.
func (a *Access) Exposed(n *Node) bool {
	return a.Hidden(n) != Yes && !ariaHidden(n)
}

// ariaHidden reports whether aria-hidden takes an element out, or may.
func ariaHidden(n *Node) bool {
	for ; n != nil && n.Kind == Element; n = n.Parent {
		if h := n.Attr("aria-hidden"); h != nil && (h.Dynamic || h.Value == "true") || n.Attr("inert") != nil {
			return true
		}
	}
	return false
}

// AttributeText returns an attribute's value, trimmed; "" where it is not there or
// where a template writes it.
func AttributeText(n *Node, name string) string {
	v, _ := n.Get(name)
	return strings.TrimSpace(v)
}

// Focusable reports whether an element can get the focus; tabbable, whether by the tab key.
func (a *Access) Focusable(n *Node) bool {
	if v, ok := n.Get("tabindex"); ok && IsInteger(v) {
		return !IsDisabled(n)
	}
	return natural(n)
}

// Tabbable reports whether the tab key leads to an element.
func (a *Access) Tabbable(n *Node) bool {
	if v, ok := n.Get("tabindex"); ok && IsInteger(v) {
		return !strings.HasPrefix(strings.TrimSpace(v), "-") && !IsDisabled(n)
	}
	return natural(n) && n.Attr("tabindex") == nil
}

// natural reports whether an element is focusable by what it is.
func natural(n *Node) bool {
	switch {
	case IsDisabled(n):
		return false
	case n.Is("a", "area"):
		return n.Attr("href") != nil
	case n.Is("input"):
		return !strings.EqualFold(AttributeText(n, "type"), "hidden")
	case n.Is("button", "select", "textarea", "iframe"):
		return true
	case n.Is("summary"):
		return n.Parent.Is("details") && FirstSummary(n.Parent) == n
	case n.Is("audio", "video"):
		return n.Attr("controls") != nil
	}
	e := n.Attr("contenteditable")
	return e != nil && !strings.EqualFold(e.Value, "false")
}

// IsDisabled reports whether a control, or the fieldset around it, is disabled.
func IsDisabled(n *Node) bool {
	if n.Is("button", "input", "select", "textarea") {
		if n.Attr("disabled") != nil {
			return true
		}
		if f := n.Within("fieldset"); f != nil && f.Attr("disabled") != nil && n.Within("legend") == nil {
			return true
		}
	}
	return false
}

// IsInteger reports whether a text is a whole number, with or without a sign.
func IsInteger(s string) bool {
	s = strings.TrimSpace(s)
	s = strings.TrimPrefix(strings.TrimPrefix(s, "-"), "+")
	return s != "" && strings.Trim(s, "0123456789") == ""
}

// ExplicitRole returns the role that the role attribute gives, "" where it gives
// none; known is false where a template writes it.
func ExplicitRole(n *Node) (role string, known bool) {
	at := n.Attr("role")
	if at == nil {
		return "", !n.Opaque
	}
	if at.Dynamic || at.Conditional {
		return "", false
	}
	for _, w := range strings.Fields(strings.ToLower(at.Value)) {
		if AriaRoles[w] != nil {
			return w, true
		}
	}
	return "", true
}

// Role returns an element's role; "" where it has none. Known is false where
// nobody can tell.
func (a *Access) Role(n *Node) (role string, known bool) {
	role, known = ExplicitRole(n)
	if (role == "none" || role == "presentation") && a.KeepsRole(n) {
		return a.ImplicitRole(n), known
	}
	if role != "" || !known {
		return role, known
	}
	if n.Custom() {
		return "", false
	}
	return a.ImplicitRole(n), true
}

// KeepsRole reports whether an element keeps its role although the source takes
// it away: it can be focused, or has a global state.
func (a *Access) KeepsRole(n *Node) bool {
	if a.Focusable(n) {
		return true
	}
	for i := range n.Attrs {
		if state, ok := strings.CutPrefix(n.Attrs[i].Name, "aria-"); ok && state != "hidden" && slices.Contains(AriaGlobalStates, state) {
			return true
		}
	}
	return false
}

// FirstSummary returns the summary that opens a details element.
func FirstSummary(details *Node) *Node {
	for c := range details.Elements() {
		if c.Is("summary") {
			return c
		}
	}
	return nil
}

// MayLoadLater reports whether a script may write an element's address later, from a
// data attribute.
func MayLoadLater(n *Node) bool {
	for i := range n.Attrs {
		if strings.HasPrefix(n.Attrs[i].Name, "data-") {
			return true
		}
	}
	return false
}
