package validate

import (
	"strconv"
)

// class reads [a-z].
func (p *pattern) class() {
	c := regexpClass{start: p.at}
	if p.at++; p.sets {
		p.set(&c)
		return
	}
	negated := p.eat("^")
	c.empty = !negated && p.has("]")
	var last regexpItem
	ranged, known := false, false // behind a -, and whether what stood before it is a character
	for p.at < len(p.text) && p.text[p.at] != ']' {
		first := p.at == c.start+1 || negated && p.at == c.start+2
		item, single := p.item(first)
		if ranged {
			ranged = false
			if known && single && item.r < last.r {
				p.fail("the range " + p.text[last.start:p.at] + " is out of order")
				return
			}
			if p.unicode && !(known && single) {
				p.fail("a range needs a character on both sides")
				return
			}
		} else if p.has("-") && p.at+1 < len(p.text) && p.text[p.at+1] != ']' {
			p.at++
			ranged, last, known = true, item, single
		}
		if single {
			c.items = append(c.items, item)
		} else {
			c.items = append(c.items, regexpItem{r: -1, start: item.start, end: item.end})
		}
	}
	if !p.eat("]") {
		p.fail("a [ is not closed")
		return
	}
	c.end = p.at
	p.classes = append(p.classes, c)
}

func (p *pattern) item(first bool) (regexpItem, bool) {
	start := p.at
	if p.text[p.at] != '\\' {
		r, size := p.rune()
		p.control(r, start)
		p.at += size
		return regexpItem{r: r, start: start, end: p.at}, true
	}
	p.at++
	if p.at >= len(p.text) {
		p.fail("a \\ stands at the end")
		return regexpItem{}, false
	}
	char, _ := p.rune()
	r, ok := p.character()
	if ok && (char == 'x' || char == 'u') {
		p.control(r, start)
	}
	p.escapes = append(p.escapes, regexpEscape{start: start, char: char, class: true, first: first, last: p.has("]")})
	return regexpItem{r: r, start: start, end: p.at, escaped: true}, ok
}

// set reads a class of the flag v, in which classes nest.
func (p *pattern) set(c *regexpClass) {
	level, opened := 1, c.start
	for p.at < len(p.text) {
		at := p.at
		p.at++
		switch p.text[at] {
		case '\\':
			if p.at < len(p.text) {
				char, size := p.rune()
				p.escapes = append(p.escapes, regexpEscape{start: at, char: char, class: true, inner: true})
				p.at += size
			}
		case '[':
			level, opened = level+1, at
		case ']':
			if opened == at-1 {
				p.classes = append(p.classes, regexpClass{start: opened, end: p.at, empty: true})
			}
			if level--; level == 0 {
				c.end = p.at
				return
			}
		}
	}
	p.fail("a [ is not closed")
}

// checkReferences looks whether groups have the names that are asked for.
func (p *pattern) checkReferences() {
	names := map[string][]regexpGroup{}
	for _, g := range p.groups {
		for _, other := range names[g.name] {
			if g.name != "" && !apart(g.path, other.path) {
				p.fail("two groups have the name " + g.name)
			}
		}
		names[g.name] = append(names[g.name], g)
	}
	for _, r := range p.references {
		if r.number == 0 && (r.name == "" || names[r.name] == nil) {
			p.fail("no group has the name " + r.name)
		}
		if r.number > len(p.groups) && p.unicode {
			p.fail("there is no group " + strconv.Itoa(r.number))
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

// useless says why a reference can only match nothing; "" where it may match.
func (p *pattern) useless(r regexpReference) string {
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

func uselessFor(r regexpReference, g regexpGroup) string {
	if g.start < r.start && r.end <= g.end {
		return "it stands inside of the group"
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
	if !reverse && g.start > r.start {
		return "the group comes only behind it"
	}
	if reverse && g.end <= r.start {
		return "in (?<=…) and (?<!…), which are matched from the right, the group comes only behind it"
	}
	for _, s := range g.path[common:] {
		if s.negative {
			return "the group stands in (?!…) or (?<!…)"
		}
	}
	return ""
}
