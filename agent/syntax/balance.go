package syntax

import (
	"fmt"
	"strings"

	"caselsp/store/lazyregexp"
)

// The balance of a page: which elements are not closed, and which end tags
// close nothing. In a template only what is sure is judged. Each branch of a
// block ({% if %}, {% else %}, {% block %}, ...) is balanced by itself; an
// element that one branch opens and another piece of the template closes is
// left out of the judgement, in the whole file.

// loose is a tag without its counterpart.
type loose struct {
	token  htmlToken
	before string // of a start tag: the end tag of another element that closed it
	branch bool   // it is in a branch of a template block
	pure   bool   // the branch has no tags but such as this: it opens or closes for another one
}

// branch is a piece of a page that is balanced by itself.
type branch struct {
	open         []htmlToken
	isOpen       map[string]int // how many of a name are in open
	closedOver   map[string]int // how many of a name were closed by the end of another element
	loose        []int          // indices into balance.loose
	starts, ends int
}

func newBranch() *branch {
	return &branch{isOpen: map[string]int{}, closedOver: map[string]int{}}
}

// balance is one pass over a page.
type balance struct {
	page   *page
	ignore map[string]bool
	stack  []*branch
	loose  []loose
}

// faults returns what is wrong with the page.
func (p *page) faults() []fault {
	if len(p.broken) > 0 {
		return p.broken // what follows from these would only confuse
	}
	ignore := p.quotedNames()
	for {
		b := &balance{page: p, ignore: ignore, stack: []*branch{newBranch()}}
		b.run()
		if !b.ignoreScattered() {
			return b.judge()
		}
	}
}

var quotedTag = lazyregexp.New(`</?([A-Za-z][\w-]*)`)

// quotedNames returns the elements whose tags are written in arguments of
// template tags, as in {% translate "Join</span> us" %}.
func (p *page) quotedNames() map[string]bool {
	names := map[string]bool{}
	for _, t := range p.tags {
		if t.kind == '#' {
			continue
		}
		for _, m := range quotedTag.FindAllStringSubmatch(p.text[t.start:t.end], -1) {
			names[strings.ToLower(m[1])] = true
		}
	}
	return names
}

// ignoreScattered adds the names to ignore whose loose tags may belong
// together over branches, and reports whether there were new ones.
func (b *balance) ignoreScattered() bool {
	branched, opened, closed := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, l := range b.loose {
		branched[l.token.name] = branched[l.token.name] || l.branch
		opened[l.token.name] = opened[l.token.name] || l.token.kind == startTag
		closed[l.token.name] = closed[l.token.name] || l.token.kind == endTag
	}
	found := false
	for name := range branched {
		if branched[name] && opened[name] && closed[name] {
			b.ignore[name], found = true, true
		}
	}
	return found
}

// run goes through tags and template tags in the order of their places.
func (b *balance) run() {
	tags := b.page.tags
	for _, t := range b.page.tokens {
		for len(tags) > 0 && tags[0].start < t.start {
			b.template(tags[0])
			tags = tags[1:]
		}
		b.html(t)
	}
	for _, t := range tags {
		b.template(t)
	}
	for len(b.stack) > 0 {
		b.leave()
	}
}

func (b *balance) template(t templateTag) {
	switch {
	case t.kind != '%':
	case t.partner >= 0 && b.page.tags[t.partner].start > t.start:
		b.stack = append(b.stack, newBranch())
	case t.partner >= 0 && len(b.stack) > 1:
		b.leave()
	case middleTags[t.name] && len(b.stack) > 1:
		b.leave()
		b.stack = append(b.stack, newBranch())
	}
}

// leave ends the innermost branch: what it has open stays open.
func (b *balance) leave() {
	top := b.top()
	for _, t := range top.open {
		b.add(loose{token: t})
	}
	for _, i := range top.loose {
		l := &b.loose[i]
		l.pure = l.token.kind == startTag && top.ends == 0 || l.token.kind == endTag && top.starts == 0
	}
	b.stack = b.stack[:len(b.stack)-1]
}

func (b *balance) top() *branch { return b.stack[len(b.stack)-1] }

func (b *balance) add(l loose) {
	l.branch = len(b.stack) > 1
	b.top().loose = append(b.top().loose, len(b.loose))
	b.loose = append(b.loose, l)
}

func (b *balance) html(t htmlToken) {
	if b.ignore[t.name] || t.kind == rawText || voidElements[t.name] && !t.foreign && t.kind != endTag {
		return
	}
	if t.kind == selfClosed {
		// In HTML the slash closes nothing, and where an element is known,
		// it stays open. Of components of a script nobody can know.
		if t.foreign || b.page.xml || !knownElements[t.name] || t.name == "svg" || t.name == "math" {
			return
		}
		t.kind = startTag
	}
	top := b.top()
	if t.kind == startTag {
		top.starts++
		top.isOpen[t.name]++
		top.open = append(top.open, t)
		return
	}
	top.ends++
	if top.isOpen[t.name] == 0 {
		// The late end of what was closed over is no second mistake:
		// <b><i></b></i>.
		if top.closedOver[t.name] > 0 {
			top.closedOver[t.name]--
		} else {
			b.add(loose{token: t})
		}
		return
	}
	for {
		last := top.open[len(top.open)-1]
		top.open = top.open[:len(top.open)-1]
		top.isOpen[last.name]--
		if last.name == t.name {
			return
		}
		if !optionalEnd[last.name] {
			top.closedOver[last.name]++
			b.add(loose{token: last, before: t.name})
		}
	}
}

// judge turns what is loose into faults where that is sure.
func (b *balance) judge() []fault {
	whole, closable := b.page.isWhole(), map[string]bool{}
	for _, t := range b.page.tokens {
		closable[t.name] = closable[t.name] || t.kind == endTag
	}
	var faults []fault
	for _, l := range b.loose {
		name := l.token.name
		sure := whole && !(l.branch && l.pure) || l.before != "" || rawElements[name] && l.token.kind == startTag
		switch {
		case l.token.kind == endTag && voidElements[name] && !l.token.foreign:
			faults = append(faults, fault{fmt.Sprintf("</%s> does not belong here: the element has no content and no end tag", name), l.token.start, l.token.end})
		case !sure || b.ignore[name]:
		case l.token.kind == endTag:
			if !optionalStart[name] && !(l.branch && optionalEnd[name]) {
				faults = append(faults, fault{fmt.Sprintf("</%s> closes nothing: no <%s> is open here", name, name), l.token.start, l.token.end})
			}
		case !optionalEnd[name] && (knownElements[name] || rawElements[name] || closable[name]):
			faults = append(faults, fault{l.unclosed(), l.token.start, l.token.end})
		}
	}
	return faults
}

func (l *loose) unclosed() string {
	name := l.token.name
	if l.before != "" {
		return fmt.Sprintf("<%s> is not closed before </%s>", name, l.before)
	}
	return fmt.Sprintf("<%s> is not closed: </%s> is missing", name, name)
}

// isWhole reports whether everything that the page opens should be closed in
// it. A template that is included in others may well open what another closes.
func (p *page) isWhole() bool {
	if len(p.tags) == 0 {
		return true
	}
	opened, closed := false, false
	for _, t := range p.tokens {
		if t.name == "html" {
			opened = opened || t.kind == startTag
			closed = closed || t.kind == endTag
		}
	}
	for _, t := range p.tags {
		if t.kind == '%' && t.name == "extends" {
			return true
		}
	}
	return opened && closed
}
