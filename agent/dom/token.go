package dom

import (
	"html"
	"slices"
	"sort"
	"strings"

	"caselsp/agent/syntax"
	"caselsp/store/lazyregexp"
)

// foreign are the pieces of template languages that write text: PHP, ERB, JSP, EJS.
var foreign = lazyregexp.New(`(?s)<\?(?:php\b|=).*?(?:\?>|\z)|<%.*?%>`)

// reader reads the tags of a page. It looks at the masked text, in which no
// template tag can be taken for markup, and takes values from the real one.
type reader struct {
	text, masked string
	gaps         []syntax.TemplateTag // template tags and pieces of foreign templates, in order
	lower        string               // of masked, for the ends of raw text
}

func newReader(tree *syntax.Tree) *reader {
	r := &reader{text: tree.Text(), masked: tree.Masked(), gaps: tree.TemplateTags()}
	if strings.Contains(r.masked, "<?") || strings.Contains(r.masked, "<%") {
		b := []byte(r.masked)
		for _, m := range foreign.FindAllStringIndex(r.masked, -1) {
			r.gaps = append(r.gaps, syntax.TemplateTag{Start: m[0], End: m[1], Kind: '{', Partner: -1})
			for i := m[0]; i < m[1]; i++ {
				if b[i] != '\n' {
					b[i] = 'x'
				}
			}
		}
		r.masked = string(b)
	}
	r.lower = lower(r.masked)
	return r
}

// lower is ASCII's strings.ToLower: it keeps all offsets.
func lower(s string) string {
	b := []byte(s)
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}

// order sorts the gaps, but keeps the indices of partners valid: it is for
// readers that need places only.
func (r *reader) sorted() []syntax.TemplateTag {
	gaps := slices.Clone(r.gaps)
	sort.SliceStable(gaps, func(i, j int) bool { return gaps[i].Start < gaps[j].Start })
	return gaps
}

// blank reports whether c is white space between attributes.
func blank(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' }

func letter(c byte) bool { return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }

// tagReader reads the inside of one start tag.
type tagReader struct {
	*reader
	gaps []syntax.TemplateTag // those from the tag on, in order
	node *Node
	at   int
	arms *armStack
	arm  *Arm // the branch around the whole tag
}

// skip drops the gaps before the reader's place and returns the one that begins there.
func (r *tagReader) skip() *syntax.TemplateTag {
	for len(r.gaps) > 0 && r.gaps[0].End <= r.at {
		r.gaps = r.gaps[1:]
	}
	if len(r.gaps) > 0 && r.gaps[0].Start <= r.at {
		return &r.gaps[0]
	}
	return nil
}

// attributes reads up to behind the tag's >; false where the text ends before.
func (r *tagReader) attributes() bool {
	for r.at < len(r.masked) {
		if g := r.skip(); g != nil {
			r.template(*g)
			r.at = g.End
			continue
		}
		switch c := r.masked[r.at]; {
		case c == '>':
			r.at++
			return true
		case c == '/':
			r.at++
			r.node.SelfClosed = r.at < len(r.masked) && r.masked[r.at] == '>'
		case blank(c):
			r.at++
		default:
			r.attribute()
		}
	}
	return false
}

// template takes note of a template tag among the attributes.
func (r *tagReader) template(g syntax.TemplateTag) {
	switch {
	case g.Controls():
		if !r.arms.step(g) && !silent[g.Name] {
			r.node.Opaque = true
		}
	case g.Kind == '{':
		r.node.Opaque = true
	}
}

// attribute reads a name and, where there is one, its value.
func (r *tagReader) attribute() {
	a := Attr{Start: r.at, Arm: r.arms.top, Conditional: r.arms.top != r.arm}
	dynamicName := false
	for first := true; r.at < len(r.masked); first = false {
		if g := r.skip(); g != nil {
			if g.Controls() && !first {
				break // disabled{% endif %}
			}
			r.at, dynamicName = g.End, true
			continue
		}
		if c := r.masked[r.at]; blank(c) || c == '>' || c == '=' && !first || c == '/' {
			break
		}
		r.at++
	}
	a.NameEnd, a.ValueStart, a.ValueEnd = r.at, r.at, r.at
	name := lower(r.text[a.Start:a.NameEnd])
	r.value(&a)
	a.End = r.at
	if dynamicName {
		r.node.Opaque = true
		return
	}
	a.name(name)
	if a.Name == "" { // v-bind="…", {...props}
		r.node.Opaque = true
		return
	}
	r.node.Attrs = append(r.node.Attrs, a)
}

// value reads = and what follows it.
func (r *tagReader) value(a *Attr) {
	at := r.at
	for at < len(r.masked) && blank(r.masked[at]) && !r.gapAt(at) {
		at++
	}
	if at >= len(r.masked) || r.masked[at] != '=' {
		return
	}
	at++
	for at < len(r.masked) && blank(r.masked[at]) && !r.gapAt(at) {
		at++
	}
	a.HasValue = true
	r.at = at
	if at < len(r.masked) && !r.gapAt(at) && (r.masked[at] == '"' || r.masked[at] == '\'') {
		a.Quote = r.masked[at]
		r.at++
		a.ValueStart = r.at
		end := strings.IndexByte(r.masked[r.at:], a.Quote)
		if end < 0 {
			end = len(r.masked) - r.at
		}
		a.ValueEnd = r.at + end
		r.at = min(a.ValueEnd+1, len(r.masked))
	} else {
		a.ValueStart = at
		for r.at < len(r.masked) {
			if g := r.skip(); g != nil {
				r.at = g.End
				continue
			}
			if c := r.masked[r.at]; blank(c) || c == '>' {
				break
			}
			r.at++
		}
		a.ValueEnd = r.at
	}
	a.raw = r.text[a.ValueStart:a.ValueEnd]
	for _, g := range r.gaps {
		if g.Start >= a.ValueEnd {
			break
		}
		if g.End > a.ValueStart {
			a.gaps = append(a.gaps, g)
			a.Dynamic = true
			if g.Controls() {
				r.arms.step(g)
			}
		}
	}
	a.Value = a.raw
	if strings.IndexByte(a.raw, '&') >= 0 {
		a.Value = html.UnescapeString(a.raw)
	}
	// A script framework's text, where no template of the server's has it.
	a.Dynamic = a.Dynamic || strings.Contains(a.raw, "{{") || strings.Contains(a.raw, "${")
}

// gapAt reports whether a template tag begins at a place ahead of the reader.
func (r *tagReader) gapAt(at int) bool {
	for _, g := range r.gaps {
		if g.Start >= at {
			return g.Start == at
		}
	}
	return false
}

// bindings are the marks with which script frameworks bind an attribute, and
// what must stand behind it.
var bindings = []struct{ before, after string }{
	{"v-bind:", ""}, {"x-bind:", ""}, {"ng-attr-", ""}, {"[attr.", "]"}, {"[", "]"}, {"bind:", ""}, {":", ""}, {"ng-", ""},
}

// name sets the attribute's name, without the marks of a binding.
func (a *Attr) name(name string) {
	a.Name = name
	switch {
	case name == "v-bind" || name == "x-bind" || strings.HasPrefix(name, "{"):
		a.Name = ""
		return
	case strings.HasPrefix(name, "ng-") && !bound[name]:
		return
	}
	for _, b := range bindings {
		if rest, ok := strings.CutPrefix(name, b.before); ok && strings.HasSuffix(rest, b.after) && len(rest) > len(b.after) {
			rest = strings.TrimSuffix(rest, b.after)
			rest, _, _ = strings.Cut(rest, ".") // :alt.prop
			a.Name, a.Bound, a.Dynamic = rest, true, true
			return
		}
	}
	if name == "xlink:href" {
		a.Name = "href"
	}
}

// bound are AngularJS's directives that write an attribute of their name.
var bound = set("ng-src ng-srcset ng-href ng-disabled ng-value ng-class ng-style ng-checked ng-readonly ng-selected ng-open ng-required ng-pattern ng-maxlength ng-minlength")
