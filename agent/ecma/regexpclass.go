package ecma

import (
	"strconv"
)

// class reads [a-z].
func (p *Pattern) class() {
	c := RegexpClass{Start: p.at}
	if p.at++; p.Sets {
		p.set(&c)
		return
	}
	negated := p.eat("^")
	c.Empty = !negated && p.has("]")
	var last RegexpItem
	ranged, known := false, false // behind a -, and whether what stood before it is a character
	for p.at < len(p.Text) && p.Text[p.at] != ']' {
		first := p.at == c.Start+1 || negated && p.at == c.Start+2
		item, single := p.item(first)
		if ranged {
			ranged = false
			if known && single && item.R < last.R {
				p.fail("the range " + p.Text[last.Start:p.at] + " is out of order")
				return
			}
			if p.Unicode && !(known && single) {
				p.fail("a range needs a character on both sides")
				return
			}
		} else if p.has("-") && p.at+1 < len(p.Text) && p.Text[p.at+1] != ']' {
			p.at++
			ranged, last, known = true, item, single
		}
		if single {
			c.Items = append(c.Items, item)
		} else {
			c.Items = append(c.Items, RegexpItem{R: -1, Start: item.Start, End: item.End})
		}
	}
	if !p.eat("]") {
		p.fail("a [ is not closed")
		return
	}
	c.End = p.at
	p.Classes = append(p.Classes, c)
}

func (p *Pattern) item(first bool) (RegexpItem, bool) {
	start := p.at
	if p.Text[p.at] != '\\' {
		r, size := p.rune()
		p.control(r, start)
		p.at += size
		return RegexpItem{R: r, Start: start, End: p.at}, true
	}
	p.at++
	if p.at >= len(p.Text) {
		p.fail("a \\ is at the end")
		return RegexpItem{}, false
	}
	char, _ := p.rune()
	r, ok := p.character()
	if ok && (char == 'x' || char == 'u') {
		p.control(r, start)
	}
	p.Escapes = append(p.Escapes, RegexpEscape{Start: start, Char: char, class: true, first: first, last: p.has("]")})
	return RegexpItem{R: r, Start: start, End: p.at, Escaped: true}, ok
}

// set reads a class of the flag v, in which classes nest.
func (p *Pattern) set(c *RegexpClass) {
	level, opened := 1, c.Start
	for p.at < len(p.Text) {
		at := p.at
		p.at++
		switch p.Text[at] {
		case '\\':
			if p.at < len(p.Text) {
				char, size := p.rune()
				p.Escapes = append(p.Escapes, RegexpEscape{Start: at, Char: char, class: true, inner: true})
				p.at += size
			}
		case '[':
			level, opened = level+1, at
		case ']':
			if opened == at-1 {
				p.Classes = append(p.Classes, RegexpClass{Start: opened, End: p.at, Empty: true})
			}
			if level--; level == 0 {
				c.End = p.at
				return
			}
		}
	}
	p.fail("a [ is not closed")
}

// checkReferences looks whether groups have the names that are asked for.
func (p *Pattern) checkReferences() {
	names := map[string][]regexpGroup{}
	for _, g := range p.groups {
		for _, other := range names[g.name] {
			if g.name != "" && !apart(g.path, other.path) {
				p.fail("two groups have the name " + g.name)
			}
		}
		names[g.name] = append(names[g.name], g)
	}
	for _, r := range p.References {
		if r.number == 0 && (r.name == "" || names[r.name] == nil) {
			p.fail("no group has the name " + r.name)
		}
		if r.number > len(p.groups) && p.Unicode {
			p.fail("unknown group " + strconv.Itoa(r.number))
		}
	}
}

// apart reports whether two places lie in different alternatives of one bracket.
func apart(a, b []regexpStep) bool {
	for i := 0; i < len(a) && i < len(b) && a[i].open == b[i].open; i++ {
		if a[i].branch != b[i].branch {
			return true
		}
	}
	return false
}

// Useless says why a reference can only match nothing; "" where it may match.
func (p *Pattern) Useless(r RegexpReference) string {
	why := ""
	for i, g := range p.groups {
		if r.number != i+1 && (r.number != 0 || g.name != r.name) {
			continue
		}
		why = uselessFor(r, g)
		if why == "" {
			return ""
		}
	}
	return why
}

func uselessFor(r RegexpReference, g regexpGroup) string {
	if g.start < r.Start && r.End <= g.end {
		return "it is inside the group"
	}
	common := 0
	for common < len(g.path) && common < len(r.path) && g.path[common].open == r.path[common].open {
		if g.path[common].branch != r.path[common].branch {
			return "the group stands in another alternative"
		}
		common++
	}
	reverse := false
	for _, s := range r.path[:common] {
		if s.open < 0 {
			continue
		}
		reverse = s.reverse
	}
	if !reverse && g.start > r.Start {
		return "the group comes only behind it"
	}
	if reverse && g.end <= r.Start {
		return "in (?<=…) and (?<!…), which are matched from the right, the group comes only after it"
	}
	for _, s := range g.path[common:] {
		if s.negative {
			return "the group is inside (?!…) or (?<!…)"
		}
	}
	return ""
}
