package dom

import "strings"

// Certainty is what can be said of a page whose templates have not run.
type Certainty uint8

// The certainties.
const (
	No Certainty = iota
	Maybe
	Yes
)

func not(c Certainty) Certainty { return Yes - c }

// Match reports whether the selector is about an element.
func (s *Selector) Match(n *Node) Certainty {
	if !s.Valid || len(s.Compounds) == 0 {
		return No
	}
	return s.match(n, len(s.Compounds)-1)
}

// match tests the compounds up to i, of which the last is about n.
func (s *Selector) match(n *Node, i int) Certainty {
	c := &s.Compounds[i]
	here := c.match(n)
	if here == No || i == 0 {
		return here
	}
	best := No
	switch c.Combinator {
	case '>':
		if n.Parent != nil && n.Parent.Kind == Element {
			best = s.match(n.Parent, i-1)
		}
	case ' ':
		for p := range n.Ancestors() {
			if best = max(best, s.match(p, i-1)); best == Yes {
				break
			}
		}
	case '+', '~':
		for p := n.Prev; p != nil; p = p.Prev {
			if p.Kind != Element {
				continue
			}
			if best = max(best, s.match(p, i-1)); best == Yes || c.Combinator == '+' {
				break
			}
		}
	}
	return min(here, best)
}

func (c *Compound) match(n *Node) Certainty {
	if c.Nesting {
		return Maybe
	}
	if c.Tag != "" && c.Tag != "*" && c.Tag != n.Name {
		return No
	}
	sure := Yes
	if c.ID != "" {
		sure = min(sure, n.attr("id", func(a *Attr) Certainty { return same(a.Value == c.ID) }))
	}
	for _, class := range c.Classes {
		sure = min(sure, n.attr("class", func(a *Attr) Certainty { return a.hasWord(class) }))
		if sure == No {
			return No
		}
	}
	for i := range c.Attrs {
		t := &c.Attrs[i]
		sure = min(sure, n.attr(t.Name, t.match))
	}
	for i := range c.Pseudos {
		sure = min(sure, c.Pseudos[i].match(n))
	}
	return sure
}

func same(b bool) Certainty {
	if b {
		return Yes
	}
	return No
}

// attr tests an attribute, with what a template may do to it.
func (n *Node) attr(name string, test func(*Attr) Certainty) Certainty {
	a := n.Attr(name)
	switch {
	case a == nil && n.Opaque:
		return Maybe
	case a == nil:
		return No
	case a.Bound:
		return Maybe
	}
	c := test(a)
	if a.Conditional && c == Yes || a.Dynamic && c == No {
		return Maybe
	}
	return c
}

func (a *Attr) hasWord(word string) Certainty {
	for _, w := range a.Words() {
		if w.Text == word && w.Sure {
			return Yes
		} else if w.Text == word {
			return Maybe
		}
	}
	return No
}

func (t *AttrTest) match(a *Attr) Certainty {
	value, want := a.Value, t.Value
	if t.Fold || t.Name == "type" {
		value, want = lower(value), lower(want)
	}
	switch t.Op {
	case "":
		return Yes
	case "=":
		return same(value == want)
	case "~=":
		return a.hasWord(want)
	case "|=":
		return same(value == want || strings.HasPrefix(value, want+"-"))
	case "^=":
		return same(want != "" && strings.HasPrefix(value, want))
	case "$=":
		return same(want != "" && strings.HasSuffix(value, want))
	case "*=":
		return same(want != "" && strings.Contains(value, want))
	}
	return No
}

func (p *Pseudo) match(n *Node) Certainty {
	any := func() Certainty {
		best := No
		for _, s := range p.Args {
			best = max(best, s.Match(n))
		}
		return best
	}
	switch {
	case p.Element:
		return No
	case p.Name == "is" || p.Name == "where" || p.Name == "matches":
		return any()
	case p.Name == "not":
		return not(any())
	case p.Name == "root":
		return same(n.Name == "html")
	case p.Name == "link" || p.Name == "any-link":
		return same(n.Is("a", "area") && n.May("href"))
	case p.Name == "disabled":
		return same(n.Attr("disabled") != nil)
	}
	return Maybe // states, places among siblings
}

// Specificity returns how much the selector weighs, ids before classes before names.
func (s *Selector) Specificity() int {
	const id, class = 1 << 20, 1 << 10
	sum := 0
	for i := range s.Compounds {
		c := &s.Compounds[i]
		sum += class * (len(c.Classes) + len(c.Attrs))
		if c.ID != "" {
			sum += id
		}
		if c.Tag != "" && c.Tag != "*" {
			sum++
		}
		for _, p := range c.Pseudos {
			switch {
			case p.Name == "where":
			case len(p.Args) > 0:
				most := 0
				for _, a := range p.Args {
					most = max(most, a.Specificity())
				}
				sum += most
			case p.Element:
				sum++
			default:
				sum += class
			}
		}
	}
	return sum
}
