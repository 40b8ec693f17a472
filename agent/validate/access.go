package validate

import (
	"slices"
	"strings"
	"sync"

	"caselsp/agent/dom"
)

// access is a page as assistive technology gets it, as far as source can show:
// roles, names, and what is hidden. Each answer may be "unknown": then rules are
// silent.
type access struct {
	doc     *dom.Document
	cascade *dom.Cascade
	filled  func() map[string]bool
	hiding  map[*dom.Node]dom.Certainty
	labels  map[string][]*dom.Node // label elements by what they are for
	mu      sync.Mutex
}

// access returns the page's view for assistive technology; the page must not be nil.
func (f *File) access() *access { return f.reader() }

func (f *File) newAccess() *access {
	d := f.Page()
	a := &access{doc: d, hiding: map[*dom.Node]dom.Certainty{}, labels: map[string][]*dom.Node{}}
	var sheets []*dom.Sheet
	inline := map[*dom.Node]*dom.Sheet{}
	for _, s := range f.Styles() {
		if s.Attr != nil {
			inline[s.Owner] = s.Sheet
		} else {
			sheets = append(sheets, s.Sheet)
		}
	}
	a.cascade = dom.NewCascade(sheets, inline)
	for _, l := range d.Elements("label") {
		if id, ok := l.Get("for"); ok {
			a.labels[id] = append(a.labels[id], l)
		}
	}
	a.filled = sync.OnceValue(func() map[string]bool { return scriptWords(f) })
	return a
}

// scriptWords returns what the strings of the page's scripts say, and the words
// in them: an element whose id is among them may be filled by a script.
func scriptWords(f *File) map[string]bool {
	words := map[string]bool{}
	for _, c := range f.Code() {
		for _, n := range c.Nodes("string", "template_string", "property_identifier", "identifier") {
			for _, w := range strings.FieldsFunc(n.Text(), func(r rune) bool {
				return r != '-' && r != '_' && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z') && r < 0x80
			}) {
				words[w] = true
			}
		}
	}
	return words
}

// scripted reports whether a script of the page speaks of an element by its id
// or one of its classes: it may be another one when the user meets it.
func (a *access) scripted(n *dom.Node) bool {
	for _, name := range []string{"id", "class"} {
		if at := n.Attr(name); at != nil {
			for _, w := range at.Words() {
				if a.filled()[w.Text] {
					return true
				}
			}
		}
	}
	return false
}

// hidden reports whether nobody gets an element: it is not rendered.
func (a *access) hidden(n *dom.Node) dom.Certainty {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.isHidden(n)
}

func (a *access) isHidden(n *dom.Node) dom.Certainty {
	if n == nil || n.Kind != dom.Element {
		return dom.No
	}
	if c, ok := a.hiding[n]; ok {
		return c
	}
	c := a.unrendered(n)
	if c != dom.Yes {
		c = max(c, a.isUndisplayed(n.Parent), a.invisible(n))
	}
	a.hiding[n] = c
	return c
}

// isUndisplayed is isHidden without what a child can take back: visibility.
func (a *access) isUndisplayed(n *dom.Node) dom.Certainty {
	most := dom.No
	for ; n != nil && n.Kind == dom.Element; n = n.Parent {
		most = max(most, a.unrendered(n))
	}
	return most
}

// unrendered reports whether an element by itself takes its content off the page.
func (a *access) unrendered(n *dom.Node) dom.Certainty {
	if n.Is("template", "script", "style", "head", "noscript", "datalist") || n.Is("input") && strings.EqualFold(value(n, "type"), "hidden") {
		return dom.Yes
	}
	display, sure := a.cascade.Value(n, "display", "")
	if sure == dom.Yes {
		if strings.EqualFold(display, "none") {
			return dom.Yes
		}
		return dom.No
	}
	if h := n.Attr("hidden"); h != nil {
		if h.Dynamic || h.Conditional {
			return dom.Maybe
		}
		return dom.Yes
	}
	if sure == dom.Maybe && strings.EqualFold(display, "none") {
		return dom.Maybe
	}
	if c := n.Attr("class"); c != nil && sure == dom.No {
		hides, shows := false, false
		for _, w := range c.Words() {
			hides = hides || hidingClasses[w.Text]
			shows = shows || showingClass.MatchString(w.Text)
		}
		if hides && shows {
			return dom.Maybe
		}
		if hides {
			return dom.Yes
		}
	}
	return dom.No
}

// showingClass is one by which the same frameworks show an element on some
// screens again: d-md-block, md:flex.
var showingClass = expr(`^(?:d-(?:sm|md|lg|xl|xxl)-[a-z-]+|(?:sm|md|lg|xl|2xl):[a-z-]+|visible-[a-z-]+|is-[a-z-]+-(?:tablet|desktop|mobile))$`)

// hidingClasses are the classes by which style sheets that are not in the page
// take an element off it, in all frameworks that are widely used.
var hidingClasses = map[string]bool{"hidden": true, "d-none": true, "hide": true, "is-hidden": true, "ng-hide": true, "invisible": true, "uk-hidden": true, "display-none": true, "u-hidden": true, "honeypot": true}

// invisible reports whether visibility hides an element; it is inherited.
func (a *access) invisible(n *dom.Node) dom.Certainty {
	for ; n != nil && n.Kind == dom.Element; n = n.Parent {
		if v, sure := a.cascade.Value(n, "visibility", ""); sure != dom.No {
			if v == "hidden" || v == "collapse" {
				return sure
			}
			return dom.No
		}
	}
	return dom.No
}

// exposed reports whether assistive technology gets an element for sure.
func (a *access) exposed(n *dom.Node) bool {
	return a.hidden(n) != dom.Yes && !ariaHidden(n)
}

// ariaHidden reports whether aria-hidden takes an element out, or may.
func ariaHidden(n *dom.Node) bool {
	for ; n != nil && n.Kind == dom.Element; n = n.Parent {
		if h := n.Attr("aria-hidden"); h != nil && (h.Dynamic || h.Value == "true") || n.Attr("inert") != nil {
			return true
		}
	}
	return false
}

// value returns an attribute's value, trimmed; "" where it is not there or
// where a template writes it.
func value(n *dom.Node, name string) string {
	v, _ := n.Get(name)
	return strings.TrimSpace(v)
}

// focusable reports whether an element can get the focus; tabbable, whether by the tab key.
func (a *access) focusable(n *dom.Node) bool {
	if v, ok := n.Get("tabindex"); ok && isInteger(v) {
		return !isDisabled(n)
	}
	return natural(n)
}

func (a *access) tabbable(n *dom.Node) bool {
	if v, ok := n.Get("tabindex"); ok && isInteger(v) {
		return !strings.HasPrefix(strings.TrimSpace(v), "-") && !isDisabled(n)
	}
	return natural(n) && n.Attr("tabindex") == nil
}

// natural reports whether an element is focusable by what it is.
func natural(n *dom.Node) bool {
	switch {
	case isDisabled(n):
		return false
	case n.Is("a", "area"):
		return n.Attr("href") != nil
	case n.Is("input"):
		return !strings.EqualFold(value(n, "type"), "hidden")
	case n.Is("button", "select", "textarea", "iframe"):
		return true
	case n.Is("summary"):
		return n.Parent.Is("details") && firstSummary(n.Parent) == n
	case n.Is("audio", "video"):
		return n.Attr("controls") != nil
	}
	e := n.Attr("contenteditable")
	return e != nil && !strings.EqualFold(e.Value, "false")
}

func isDisabled(n *dom.Node) bool {
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

func isInteger(s string) bool {
	s = strings.TrimSpace(s)
	s = strings.TrimPrefix(strings.TrimPrefix(s, "-"), "+")
	return s != "" && strings.Trim(s, "0123456789") == ""
}

// explicit returns the role that the role attribute gives, "" where it gives
// none; known is false where a template writes it.
func explicit(n *dom.Node) (role string, known bool) {
	at := n.Attr("role")
	if at == nil {
		return "", !n.Opaque
	}
	if at.Dynamic || at.Conditional {
		return "", false
	}
	for _, w := range strings.Fields(strings.ToLower(at.Value)) {
		if roles[w] != nil {
			return w, true
		}
	}
	return "", true
}

// role returns an element's role; "" where it has none. Known is false where
// nobody can tell.
func (a *access) role(n *dom.Node) (role string, known bool) {
	role, known = explicit(n)
	if (role == "none" || role == "presentation") && a.resists(n) {
		return a.implicit(n), known
	}
	if role != "" || !known {
		return role, known
	}
	if n.Custom() {
		return "", false
	}
	return a.implicit(n), true
}

// resists reports whether an element keeps its role although the source takes
// it away: it can be focused, or has a global state.
func (a *access) resists(n *dom.Node) bool {
	if a.focusable(n) {
		return true
	}
	for i := range n.Attrs {
		if state, ok := strings.CutPrefix(n.Attrs[i].Name, "aria-"); ok && state != "hidden" && slices.Contains(globalStates, state) {
			return true
		}
	}
	return false
}
