package dom

import "strings"

// maxNest bounds how deep rules nest; people's are below 10.
const maxNest = 64

// Sheet is a style sheet, or the declarations of a style attribute.
type Sheet struct {
	Rules []*Rule
	Decls []Decl // of a style attribute
	All   []*Rule
}

// Rule is a style rule, with selectors, or an at-rule. Offsets are bytes of the
// file's text, also where the sheet is a part of a page.
type Rule struct {
	At                 string // the name of an at-rule in lower case, without the @ and any vendor's prefix; "" of a style rule
	Prelude            string // what stands before the block
	Selectors          []*Selector
	Decls              []Decl
	Rules              []*Rule // nested ones
	Parent             *Rule
	Block              bool // it has one: @import has none
	Start, End         int
	PreludeEnd, BodyAt int // where the prelude ends, and the place behind {
}

// Decl is a declaration.
type Decl struct {
	Name                 string // lower case, but of custom properties as written
	Value                string // without !important and blanks around
	Important            bool
	Start, NameEnd, End  int
	ValueStart, ValueEnd int
}

// ParseSheet reads the text of a style sheet that begins at offset base of its
// file. Template tags in it must be masked.
func ParseSheet(text string, base int) *Sheet {
	p := &cssParser{text: text, base: base, tokens: Tokens(text, base)}
	s := &Sheet{}
	p.sheet = s
	s.Rules = p.rules(nil, 0)
	return s
}

// ParseDecls reads the value of a style attribute that begins at offset base.
func ParseDecls(text string, base int) *Sheet {
	p := &cssParser{text: text, base: base, tokens: Tokens(text, base)}
	s := &Sheet{}
	p.sheet = s
	r := &Rule{}
	p.block(r, maxNest)
	s.Decls = r.Decls
	return s
}

type cssParser struct {
	text   string
	base   int
	tokens []Token
	at     int
	sheet  *Sheet
}

func (p *cssParser) slice(start, end int) string { return p.text[start-p.base : end-p.base] }

// end is the offset behind the text.
func (p *cssParser) end() int { return p.base + len(p.text) }

func (p *cssParser) space() {
	for p.at < len(p.tokens) && (p.tokens[p.at].Kind == White || p.tokens[p.at].Kind == Remark) {
		p.at++
	}
}

// rules reads the rules of a sheet.
func (p *cssParser) rules(parent *Rule, depth int) []*Rule {
	var list []*Rule
	for {
		p.space()
		if p.at >= len(p.tokens) {
			return list
		}
		if t := p.tokens[p.at]; t.Text == "}" && t.Kind == Mark || t.Kind == Mark && (t.Text == ";" || t.Text == "<!--" || t.Text == "-->") {
			p.at++
			continue
		}
		list = append(list, p.rule(parent, depth))
	}
}

// rule reads one rule: a prelude and a block, or, of an at-rule, a semicolon.
func (p *cssParser) rule(parent *Rule, depth int) *Rule {
	first := p.tokens[p.at]
	r := &Rule{Parent: parent, Start: first.Start}
	p.sheet.All = append(p.sheet.All, r)
	from := first.Start
	if first.Kind == AtKeyword {
		r.At = lower(first.Text[1:])
		if strings.HasPrefix(r.At, "-") {
			if _, rest, ok := strings.Cut(r.At[1:], "-"); ok {
				r.At = rest
			}
		}
		from = first.End
		p.at++
	}
	level := 0
	for ; p.at < len(p.tokens); p.at++ {
		t := p.tokens[p.at]
		switch {
		case t.Kind == Function || t.Kind == Mark && (t.Text == "(" || t.Text == "["):
			level++
		case t.Kind == Mark && (t.Text == ")" || t.Text == "]"):
			level = max(level-1, 0)
		case t.Kind == Mark && t.Text == "{":
			p.prelude(r, from, t.Start)
			p.at++
			r.Block, r.BodyAt = true, t.End
			p.block(r, depth+1)
			return r
		case t.Kind == Mark && (t.Text == ";" && level == 0 && r.At != "" || t.Text == "}"):
			p.prelude(r, from, t.Start)
			r.End = t.Start
			if t.Text == ";" {
				r.End = t.End
				p.at++
			}
			return r
		}
	}
	p.prelude(r, from, p.end())
	r.End = p.end()
	return r
}

func (p *cssParser) prelude(r *Rule, start, end int) {
	text := p.slice(start, end)
	r.Prelude = strings.TrimSpace(text)
	trimmed := strings.TrimRight(text, " \t\r\n\f")
	r.PreludeEnd = start + len(trimmed)
	if r.At == "" && !p.inKeyframes(r) {
		r.Selectors = ParseSelectors(text, start)
	}
}

func (p *cssParser) inKeyframes(r *Rule) bool { return r.Parent != nil && r.Parent.At == "keyframes" }

// block reads declarations and nested rules up to the closing brace.
func (p *cssParser) block(r *Rule, depth int) {
	for {
		p.space()
		if p.at >= len(p.tokens) {
			r.End = p.end()
			return
		}
		t := p.tokens[p.at]
		switch {
		case t.Kind == Mark && t.Text == "}":
			r.End = t.End
			p.at++
			return
		case t.Kind == Mark && t.Text == ";":
			p.at++
		case t.Kind == AtKeyword:
			r.Rules = append(r.Rules, p.nested(r, depth))
		case p.isDecl():
			r.Decls = append(r.Decls, p.decl())
		default:
			r.Rules = append(r.Rules, p.nested(r, depth))
		}
	}
}

// nested reads a rule in a block; what nests too deep is passed over.
func (p *cssParser) nested(r *Rule, depth int) *Rule {
	if depth < maxNest {
		return p.rule(r, depth)
	}
	n := &Rule{Parent: r, Start: p.tokens[p.at].Start}
	for p.at++; p.at < len(p.tokens); p.at++ {
		if t := p.tokens[p.at]; t.Kind == Mark && (t.Text == "}" || t.Text == ";") {
			break
		}
	}
	n.End = n.Start
	return n
}

// isDecl reports whether a declaration begins here: a name, a colon, and no {
// before its end, except in a custom property.
func (p *cssParser) isDecl() bool {
	at := p.at
	if t := p.tokens[at]; t.Kind == Mark && (t.Text == "*" || t.Text == "_") && at+1 < len(p.tokens) {
		at++ // an old hack
	}
	if p.tokens[at].Kind != Ident {
		return false
	}
	custom := strings.HasPrefix(p.tokens[at].Text, "--")
	for at++; at < len(p.tokens) && (p.tokens[at].Kind == White || p.tokens[at].Kind == Remark); at++ {
	}
	if at >= len(p.tokens) || p.tokens[at].Text != ":" {
		return false
	}
	for ; at < len(p.tokens) && !custom; at++ {
		if t := p.tokens[at]; t.Kind == Mark {
			switch t.Text {
			case ";", "}":
				return true
			case "{":
				return false
			}
		}
	}
	return true
}

func (p *cssParser) decl() Decl {
	d := Decl{Start: p.tokens[p.at].Start}
	for p.tokens[p.at].Kind != Ident {
		p.at++
	}
	d.NameEnd = p.tokens[p.at].End
	d.Name = p.slice(d.Start, d.NameEnd)
	if !strings.HasPrefix(d.Name, "--") {
		d.Name = lower(d.Name)
	}
	for p.at < len(p.tokens) && p.tokens[p.at].Text != ":" {
		p.at++
	}
	p.at++
	p.space()
	level, first, last := 0, p.at, p.at
	for ; p.at < len(p.tokens); p.at++ {
		t := p.tokens[p.at]
		if t.Kind == Function || t.Kind == Mark && (t.Text == "(" || t.Text == "[" || t.Text == "{") {
			level++
		} else if t.Kind == Mark && (t.Text == ")" || t.Text == "]" || t.Text == "}") {
			if t.Text == "}" && level == 0 {
				break
			}
			level = max(level-1, 0)
		} else if t.Kind == Mark && t.Text == ";" && level == 0 {
			break
		}
		if t.Kind != White && t.Kind != Remark {
			last = p.at + 1
		}
	}
	d.value(p, first, last)
	return d
}

// value sets what the declaration's tokens from first to last say.
func (d *Decl) value(p *cssParser, first, last int) {
	d.ValueStart, d.ValueEnd = d.NameEnd, d.NameEnd
	if first < len(p.tokens) {
		d.ValueStart, d.ValueEnd = p.tokens[first].Start, p.tokens[first].Start
	}
	d.End = d.ValueEnd
	if last > first {
		d.End = p.tokens[last-1].End
		if strings.EqualFold(p.tokens[last-1].Text, "important") {
			i := last - 2
			for i > first && (p.tokens[i].Kind == White || p.tokens[i].Kind == Remark) {
				i--
			}
			if i >= first && p.tokens[i].Text == "!" {
				d.Important, last = true, i
				for last > first && (p.tokens[last-1].Kind == White || p.tokens[last-1].Kind == Remark) {
					last--
				}
			}
		}
		if last > first {
			d.ValueEnd = p.tokens[last-1].End
		}
	}
	d.Value = p.slice(d.ValueStart, d.ValueEnd)
}

// Decl returns the last declaration of a property in the rule's own block; nil where there is none.
func (r *Rule) Decl(name string) *Decl { return lastDecl(r.Decls, name) }

// Decl returns the last declaration of a property of a style attribute.
func (s *Sheet) Decl(name string) *Decl { return lastDecl(s.Decls, name) }

func lastDecl(decls []Decl, name string) *Decl {
	var found *Decl
	for i := range decls {
		if decls[i].Name == name && (found == nil || decls[i].Important || !found.Important) {
			found = &decls[i]
		}
	}
	return found
}

// In reports whether the rule lies in an at-rule of one of the names.
func (r *Rule) In(names ...string) bool {
	for p := r.Parent; p != nil; p = p.Parent {
		for _, name := range names {
			if p.At == name {
				return true
			}
		}
	}
	return false
}
