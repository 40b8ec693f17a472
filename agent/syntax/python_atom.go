package syntax

// atom parses what stands by itself: a name, a literal, or what is in brackets.
func (p *pyParser) atom() pyExpr {
	t := p.peek()
	switch {
	case t.kind == pyString:
		return p.strings()
	case t.kind == pyNumber, p.is("..."):
		p.next()
		if t.kind == pyOp {
			return p.value(t.start, "ellipsis")
		}
		return p.value(t.start, "literal")
	case p.isAny("None", "True", "False"):
		p.next()
		return p.value(t.start, t.text)
	case p.isName():
		p.next()
		return pyExpr{start: t.start, end: t.end, form: pyIdent, what: "name"}
	case p.is("("):
		return p.parenthesis()
	case p.is("["):
		return p.list()
	case p.is("{"):
		return p.braces()
	}
	p.unexpectedToken("an expression")
	return pyExpr{start: t.start, end: t.end}
}

// unexpectedToken names the next token and what should stand there.
func (p *pyParser) unexpectedToken(instead string) {
	t := p.peek()
	if t.kind == pyNewline || t.kind == pyEnd || t.kind == pyDedent {
		p.unexpected("expected " + instead)
		return
	}
	p.unexpected("unexpected " + p.text[t.start:min(t.end, t.start+40)] + ", expected " + instead)
}

func (p *pyParser) strings() pyExpr {
	first := p.peek()
	for p.peek().kind == pyString {
		t := p.next()
		if t.bytes != first.bytes {
			p.failAt(t.start, t.end, "cannot mix bytes and nonbytes literals")
		}
		for _, field := range t.fields {
			p.replacement(field)
		}
	}
	what := "literal"
	if first.fields != nil {
		what = "f-string expression"
	}
	return p.value(first.start, what)
}

// replacement parses the expression of an f-string's field.
func (p *pyParser) replacement(tokens []pyToken) {
	if p.fault != nil {
		return
	}
	inner := &pyParser{text: p.text, tokens: tokens, scope: p.scope, depth: p.depth, awaits: p.awaits}
	switch {
	case inner.done():
		inner.unexpected("f-string: valid expression required before '}'")
	case inner.is("yield"):
		inner.yield()
	default:
		inner.stars()
	}
	if !inner.done() {
		inner.unexpectedToken("'}'")
	}
	p.awaits = inner.awaits
	if inner.fault != nil {
		p.overflow = inner.overflow
		p.failAt(inner.fault.start, inner.fault.end, "%s", inner.fault.message)
	}
}

func (p *pyParser) parenthesis() pyExpr {
	start, awaits := p.next().start, len(p.awaits)
	if p.accept(")") {
		return p.display(start, "tuple", nil)
	}
	if p.is("yield") {
		p.yield()
		p.expect(")")
		return p.value(start, "yield expression")
	}
	first := p.star()
	if p.comprehension(first) {
		p.awaits = p.awaits[:awaits] // an asynchronous generator
		p.close(")")
		return p.value(start, "generator expression")
	}
	if !p.is(",") {
		p.noStar(first)
		p.close(")")
		first.start, first.end, first.grouped = start, p.lastEnd(), true
		return first
	}
	parts := append([]pyExpr{first}, p.elements(")")...)
	p.close(")")
	return p.display(start, "tuple", parts)
}

// elements parses the further elements of a display, up to its closing bracket.
func (p *pyParser) elements(closing string) []pyExpr {
	var parts []pyExpr
	for p.accept(",") && !p.is(closing) {
		parts = append(parts, p.star())
	}
	return parts
}

// close takes the closing bracket, before which a comma is likely missing if
// another expression stands there.
func (p *pyParser) close(closing string) {
	switch {
	case p.accept(closing):
	case p.is("=") && closing == ")":
		p.unexpected("unexpected '=': maybe '==' or ':=' is meant")
	case p.startsExpr() && p.peek().kind != pyBad:
		p.unexpectedToken("',' or '" + closing + "'")
	default:
		p.unexpectedToken("'" + closing + "'")
	}
}

func (p *pyParser) list() pyExpr {
	start := p.next().start
	var parts []pyExpr
	if !p.is("]") {
		first := p.star()
		if p.comprehension(first) {
			p.close("]")
			return p.value(start, "list comprehension")
		}
		parts = append([]pyExpr{first}, p.elements("]")...)
	}
	p.close("]")
	return p.display(start, "list", parts)
}

// braces parses a dictionary or a set.
func (p *pyParser) braces() pyExpr {
	start := p.next().start
	what := ""
	for n := 0; !p.is("}") && p.fault == nil; n++ {
		if n > 0 && !p.accept(",") {
			break
		}
		if p.is("}") {
			break
		}
		kind, element := p.braced()
		if what != "" && kind != what {
			p.failAt(element.start, element.end, "a dictionary's elements are key: value, a set's are single values")
		}
		what = kind
		if n == 0 && p.comprehension(element) {
			p.close("}")
			return p.value(start, what+" comprehension")
		}
	}
	p.close("}")
	if what == "set" {
		return p.value(start, "set display")
	}
	return p.value(start, "dict literal")
}

// braced parses one element in braces and tells of what it makes it an element.
func (p *pyParser) braced() (string, pyExpr) {
	if p.is("**") {
		start := p.next().start
		inner := p.binary()
		return "dict", pyExpr{start: start, end: inner.end, form: pyStar, inner: &inner}
	}
	e := p.star()
	if e.form == pyStar || !p.accept(":") {
		return "set", e
	}
	if p.isAny("}", ",") {
		p.unexpected("expression expected after dictionary key and ':'")
	}
	p.expr()
	return "dict", e
}

// comprehension parses the clauses of a comprehension of element, if there are any.
func (p *pyParser) comprehension(element pyExpr) bool {
	if !p.isFor() {
		return false
	}
	if element.form == pyStar {
		p.failAt(element.start, element.end, "unpacking cannot be used in comprehension")
	}
	for p.isFor() {
		p.accept("async")
		p.next()
		p.targets()
		p.expect("in")
		p.or()
		for p.accept("if") {
			p.or()
		}
	}
	return true
}

func (p *pyParser) isFor() bool {
	return p.is("for") || p.is("async") && p.peekAt(1).text == "for"
}

// targets parses what a for loop assigns to.
func (p *pyParser) targets() {
	e := p.tuple(func() pyExpr {
		if !p.is("*") {
			return p.binary()
		}
		start := p.next().start
		inner := p.binary()
		return pyExpr{start: start, end: inner.end, form: pyStar, inner: &inner}
	}, func() bool { return !p.is("in") })
	p.target(e, "assign to")
}

// target refuses an expression that is not a target. verb says what is done to it.
func (p *pyParser) target(e pyExpr, verb string) {
	if p.fault != nil {
		return
	}
	if e.form == pyStar {
		p.failAt(e.start, e.end, "starred assignment target must be in a list or tuple")
	} else if bad := e.notTarget(); bad != nil {
		p.failAt(bad.start, bad.end, "cannot %s %s", verb, bad.called())
	}
}

func (p *pyParser) yield() pyExpr {
	t := p.next()
	if !p.scope.function {
		p.failAt(t.start, t.end, "'yield' outside function")
	}
	if p.accept("from") {
		if p.scope.async {
			p.failAt(t.start, t.end, "'yield from' inside async function")
		}
		p.expr()
	} else if p.startsExpr() || p.is("*") {
		p.noStar(p.stars())
	}
	return p.value(t.start, "yield expression")
}
