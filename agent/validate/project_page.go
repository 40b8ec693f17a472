package validate

import (
	"strings"

	"caselsp/agent/dom"
)

// PlainHTML reports whether the page is neither XHTML nor one of a script
// framework, in which components may have any name.
func (p *Pass) PlainHTML() bool {
	d := p.Page()
	for c := range d.Root.Children() {
		if (c.Kind == dom.Doctype || c.Kind == dom.Comment) && (strings.Contains(strings.ToLower(c.Text), "xhtml") || strings.HasPrefix(c.Text, "xml")) {
			return false
		}
	}
	if h := d.Elements("html"); len(h) > 0 && h[0].Attr("xmlns") != nil && strings.HasSuffix(p.Path, ".xhtml") {
		return false
	}
	for _, n := range d.Elements() {
		for i := range n.Attrs {
			a := &n.Attrs[i]
			if a.Bound || strings.HasPrefix(a.Name, "v-") || strings.HasPrefix(a.Name, "ng-") || strings.HasPrefix(a.Name, "@") || strings.HasPrefix(a.Name, "*ng") || strings.HasPrefix(a.Name, "(") || strings.HasPrefix(a.Name, "#") || strings.HasPrefix(a.Name, "x-") {
				return false
			}
		}
	}
	return true
}

// Scripted reports whether the page loads scripts, which may make elements.
func (p *Pass) Scripted() bool {
	for _, n := range p.Page().Elements("script") {
		if n.Attr("src") != nil {
			return true
		}
	}
	return false
}
