package validate

import (
	"fmt"
	"slices"

	"caselsp/agent/dom"
	"caselsp/agent/ecma"
	"caselsp/agent/syntax"
)

// Pass is one run of one rule over one file.
type Pass struct {
	*File
	rule    *Rule
	index   int      // of the rule in its suite
	project *Project // nil where the file is judged alone
	member  *member
	highest Severity // of what the rule finds in this file
	found   []Finding
}

// Report objects to the bytes from start to end of the file.
func (p *Pass) Report(start, end int, form string, args ...any) {
	p.Offer(start, end, nil, form, args...)
}

// Offer is Report with a fix that is certain; nil means no fix.
func (p *Pass) Offer(start, end int, fix *Fix, form string, args ...any) {
	start = min(max(start, 0), len(p.Text))
	end = min(max(end, start), len(p.Text))
	f := Finding{
		Path: p.Path, Rule: p.rule.ID, Severity: lower(p.rule.Severity, p.highest), Standards: p.rule.Standards, Docs: p.rule.docs(),
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

// Page is for rules about a page as a whole.
func Page(check func(*Pass, *dom.Document)) func(*Pass) {
	return func(p *Pass) {
		if d := p.Page(); d != nil {
			check(p, d)
		}
	}
}

// Elements is for rules about single elements: of the names, or without one of all.
func Elements(check func(*Pass, *dom.Node), names ...string) func(*Pass) {
	return Page(func(p *Pass, d *dom.Document) {
		for _, n := range d.Elements(names...) {
			check(p, n)
		}
	})
}

// Attributes is for rules about single attributes: of the names, or without one of all.
func Attributes(check func(*Pass, *dom.Node, *dom.Attr), names ...string) func(*Pass) {
	if len(names) > 0 {
		return Page(func(p *Pass, d *dom.Document) {
			for _, x := range d.Attributes(names...) {
				check(p, x.Node, x.Attr)
			}
		})
	}
	return Elements(func(p *Pass, n *dom.Node) {
		for i := range n.Attrs {
			check(p, n, &n.Attrs[i])
		}
	})
}

// Sheets is for rules about style sheets, those in pages too; not about style attributes.
func Sheets(check func(*Pass, Style)) func(*Pass) {
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
	return Sheets(func(p *Pass, s Style) {
		for _, r := range s.All {
			check(p, r)
		}
	})
}

// Declarations is for rules about single declarations of style sheets and style
// attributes; r is nil of an attribute. Without a name, all.
func Declarations(check func(p *Pass, r *dom.Rule, d *dom.Decl), names ...string) func(*Pass) {
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

// Nodes is for rules about single nodes of programs, of the kinds that the
// language's grammar knows.
func Nodes(langs []syntax.Language, check func(*Pass, *Code, syntax.Node), kinds ...string) func(*Pass) {
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

// ScriptNodes is for rules about single nodes of JavaScript and TypeScript that the
// source itself writes. Code that does not parse is left out, as its tree is
// a guess, and so are minified scripts in pages.
func ScriptNodes(check func(*Pass, *Code, syntax.Node), kinds ...string) func(*Pass) {
	each := EachScript(func(p *Pass, c *Code) {
		for _, n := range c.Nodes(kinds...) {
			if start, end := c.Span(n); c.Owner == nil || p.Written(start, end) {
				check(p, c, n)
			}
		}
	})
	return func(p *Pass) {
		if slices.ContainsFunc(kinds, p.writes) {
			each(p)
		}
	}
}

// writes reports whether any program of the file has a node of a kind. A page may
// have a hundred handlers of a line each.
func (f *File) writes(kind string) bool { return f.kinds()[kind] }

func (f *File) readKinds() map[string]bool {
	kinds := map[string]bool{}
	for _, c := range f.Code() {
		c.Tree.Kinds(kinds)
	}
	return kinds
}

// EachScript is for rules about whole programs.
func EachScript(check func(*Pass, *Code)) func(*Pass) {
	return func(p *Pass) {
		for _, c := range p.Code(ecma.Languages...) {
			if c.Sound() {
				check(p, c)
			}
		}
	}
}

// EachTemplateTag is for rules about single template tags and outputs, wherever they stand.
func EachTemplateTag(check func(*Pass, TemplateTag)) func(*Pass) {
	return func(p *Pass) {
		for _, o := range p.TemplateTags() {
			if o.Kind != '#' {
				check(p, o)
			}
		}
	}
}
