package dom

import "strings"

// Cascade answers what style sheets say of elements: of the sheets that it was
// given, so that Maybe is the answer of a page whose others are not known.
type Cascade struct {
	ids, classes, tags map[string][]styling
	rest               []styling
	inline             map[*Node]*Sheet
}

// styling is a selector and the block that it stands for.
type styling struct {
	selector *Selector
	rule     *Rule
	order    int
	limit    Certainty // Maybe inside of a condition
	pseudo   string    // the pseudo-element that it is about
}

// NewCascade returns the cascade of style sheets, in order; inline are the
// style attributes.
func NewCascade(sheets []*Sheet, inline map[*Node]*Sheet) *Cascade {
	c := &Cascade{ids: map[string][]styling{}, classes: map[string][]styling{}, tags: map[string][]styling{}, inline: inline}
	order := 0
	for _, sheet := range sheets {
		for _, r := range sheet.All {
			limit := condition(r)
			if limit == No {
				continue
			}
			for _, s := range r.Selectors {
				order++
				c.add(styling{selector: s, rule: r, order: order, limit: limit})
			}
		}
	}
	return c
}

// condition reports whether the at-rules around a rule hold on a screen.
func condition(r *Rule) Certainty {
	sure := Yes
	for p := r.Parent; p != nil; p = p.Parent {
		switch {
		case p.At == "media" && strings.EqualFold(p.Prelude, "print"):
			return No
		case p.At == "media" && (strings.EqualFold(p.Prelude, "screen") || strings.EqualFold(p.Prelude, "all")) || p.At == "layer":
		default:
			sure = Maybe
		}
	}
	return sure
}

// add files a selector under what its last compound names.
func (c *Cascade) add(s styling) {
	if len(s.selector.Compounds) == 0 {
		return
	}
	last := s.selector.Compounds[len(s.selector.Compounds)-1]
	for _, p := range last.Pseudos {
		if p.Element {
			s.pseudo = p.Name
		}
	}
	if s.pseudo != "" {
		bare := *s.selector
		bare.Compounds = append([]Compound(nil), bare.Compounds...)
		kept := []Pseudo{}
		for _, p := range last.Pseudos {
			if !p.Element {
				kept = append(kept, p)
			}
		}
		last.Pseudos = kept
		bare.Compounds[len(bare.Compounds)-1] = last
		s.selector = &bare
	}
	switch {
	case last.ID != "":
		c.ids[last.ID] = append(c.ids[last.ID], s)
	case len(last.Classes) > 0:
		c.classes[last.Classes[0]] = append(c.classes[last.Classes[0]], s)
	case last.Tag != "" && last.Tag != "*":
		c.tags[last.Tag] = append(c.tags[last.Tag], s)
	default:
		c.rest = append(c.rest, s)
	}
}

// about yields what may style an element.
func (c *Cascade) about(n *Node, each func(styling)) {
	for _, s := range c.tags[n.Name] {
		each(s)
	}
	for _, s := range c.rest {
		each(s)
	}
	if a := n.Attr("id"); a != nil {
		for _, s := range c.ids[a.Value] {
			each(s)
		}
	}
	if a := n.Attr("class"); a != nil {
		for _, w := range a.Words() {
			for _, s := range c.classes[w.Text] {
				each(s)
			}
		}
	}
}

// Value returns the value that a property has by the sheets and the style
// attribute, and how certain that is; No where they say nothing of it. With a
// pseudo-element's name it is that one's.
func (c *Cascade) Value(n *Node, property, pseudo string) (string, Certainty) {
	type rank struct {
		important bool
		weight    int
		order     int
	}
	var best rank
	value, sure, doubt := "", No, false
	c.about(n, func(s styling) {
		if s.pseudo != pseudo {
			return
		}
		d := s.rule.Decl(property)
		if d == nil {
			return
		}
		m := min(s.selector.Match(n), s.limit)
		if m == No {
			return
		}
		r := rank{d.Important, s.selector.Specificity(), s.order}
		wins := sure == No || r.important && !best.important || r.important == best.important && (r.weight > best.weight || r.weight == best.weight && r.order > best.order)
		if m == Maybe {
			doubt = doubt || wins
			if sure != No {
				return
			}
			value, sure = d.Value, Maybe
			return
		}
		if wins || sure == Maybe {
			value, sure, best = d.Value, Yes, r
		}
	})
	if sheet := c.inline[n]; sheet != nil && pseudo == "" {
		if d := sheet.Decl(property); d != nil && (d.Important || !best.important || sure != Yes) {
			return d.Value, Yes
		}
	}
	if doubt && sure == Yes {
		sure = Maybe
	}
	return value, sure
}
