package validate

import (
	"fmt"
	"slices"

	"caselsp/agent/dom"
	"caselsp/agent/syntax"
)

// Pass is one run of one rule over one file.
type Pass struct {
	*File
	rule    *Rule
	index   int      // of the rule in its suite
	project *Project // nil where the file is judged alone
	member  *member
	found   []Finding
}

// Report objects to the bytes from start to end of the file.
func (p *Pass) Report(start, end int, form string, args ...any) {
	p.Offer(start, end, nil, form, args...)
}

// Offer is Report with a fix that is certain; nil is none.
func (p *Pass) Offer(start, end int, fix *Fix, form string, args ...any) {
	start = min(max(start, 0), len(p.Text))
	end = min(max(end, start), len(p.Text))
	f := Finding{
		Path: p.Path, Rule: p.rule.ID, Severity: p.rule.Severity, Standards: p.rule.Standards, Docs: p.rule.docs(),
		Start: p.Tree.Position(start), End: p.Tree.Position(end), Message: fmt.Sprintf(form, args...), Fix: fix,
	}
	f.line = lineAt(p.Text, f.Start)
	p.found = append(p.found, f)
}

// Element objects to an element: to its start tag, as the rest may be the whole page.
func (p *Pass) Element(n *dom.Node, form string, args ...any) {
	p.Report(n.Start, n.OpenEnd, form, args...)
}

// Attribute objects to an attribute.
func (p *Pass) Attribute(a *dom.Attr, form string, args ...any) {
	p.Report(a.Start, a.End, form, args...)
}

// Node objects to a node of a program.
func (p *Pass) Node(c *Code, n syntax.Node, form string, args ...any) {
	start, end := c.Span(n)
	p.Report(start, end, form, args...)
}

// The shapes of checks. Each takes what a rule says of one thing and returns
// the Check that looks at all of its kind.

// page is for rules about a page as a whole.
func page(check func(*Pass, *dom.Document)) func(*Pass) {
	return func(p *Pass) {
		if d := p.Page(); d != nil {
			check(p, d)
		}
	}
}

// elements is for rules about single elements: of the names, or without one of all.
func elements(check func(*Pass, *dom.Node), names ...string) func(*Pass) {
	return page(func(p *Pass, d *dom.Document) {
		for _, n := range d.Elements(names...) {
			check(p, n)
		}
	})
}

// attributes is for rules about single attributes: of the names, or without one of all.
func attributes(check func(*Pass, *dom.Node, *dom.Attr), names ...string) func(*Pass) {
	if len(names) > 0 {
		return page(func(p *Pass, d *dom.Document) {
			for _, x := range d.Attributes(names...) {
				check(p, x.Node, x.Attr)
			}
		})
	}
	return elements(func(p *Pass, n *dom.Node) {
		for i := range n.Attrs {
			check(p, n, &n.Attrs[i])
		}
	})
}

// sheets is for rules about style sheets, those in pages too; not about style attributes.
func sheets(check func(*Pass, Style)) func(*Pass) {
	return func(p *Pass) {
		for _, s := range p.Styles() {
			if s.Attr == nil {
				check(p, s)
			}
		}
	}
}

// rules is for rules about single rules of style sheets, nested and at-rules too.
func rules(check func(*Pass, *dom.Rule)) func(*Pass) {
	return sheets(func(p *Pass, s Style) {
		for _, r := range s.All {
			check(p, r)
		}
	})
}

// declarations is for rules about single declarations of style sheets and style
// attributes; r is nil of an attribute. Without a name, all.
func declarations(check func(p *Pass, r *dom.Rule, d *dom.Decl), names ...string) func(*Pass) {
	wanted := map[string]bool{}
	for _, name := range names {
		wanted[name] = true
	}
	each := func(p *Pass, r *dom.Rule, decls []dom.Decl) {
		for i := range decls {
			if len(names) == 0 || wanted[decls[i].Name] {
				check(p, r, &decls[i])
			}
		}
	}
	return func(p *Pass) {
		for _, s := range p.Styles() {
			each(p, nil, s.Decls)
			for _, r := range s.All {
				each(p, r, r.Decls)
			}
		}
	}
}

// ecma are the languages that scripts of pages are written in.
var ecma = []syntax.Language{syntax.JavaScript, syntax.TypeScript, syntax.TSX}

// nodes is for rules about single nodes of programs, of the kinds that the
// language's grammar knows.
func nodes(langs []syntax.Language, check func(*Pass, *Code, syntax.Node), kinds ...string) func(*Pass) {
	return func(p *Pass) {
		programs := p.Code(langs...)
		if len(programs) == 0 || !slices.ContainsFunc(kinds, p.writes) {
			return
		}
		for _, c := range programs {
			for _, n := range c.Nodes(kinds...) {
				check(p, c, n)
			}
		}
	}
}
