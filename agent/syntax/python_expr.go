package syntax

// pyExpr is what the rules about targets need to know of an expression.
type pyExpr struct {
	start, end int
	form       pyForm
	what       string  // for messages: "literal", "function call"
	inner      *pyExpr // of a star: what is starred; of a display: its first part that is not a target
	grouped    bool    // in parentheses
}

type pyForm uint8

const (
	pyValue   pyForm = iota // anything that is not a target
	pyIdent                 // a name
	pyPlace                 // an attribute or a subscript
	pyStar                  // *x
	pyDisplay               // a tuple or list: a target if its parts are
)

func (p *pyParser) value(start int, what string) pyExpr {
	return pyExpr{start: start, end: p.lastEnd(), form: pyValue, what: what}
}

// lastEnd is the end of the token before the next one.
func (p *pyParser) lastEnd() int { return p.tokens[max(p.pos-1, 0)].end }

// stars parses what may be a tuple without parentheses: a, *b, c.
func (p *pyParser) stars() pyExpr {
	return p.tuple(p.star, func() bool { return p.startsExpr() || p.is("*") })
}

// tuple parses one element or more, and a tuple if there is a comma.
func (p *pyParser) tuple(element func() pyExpr, more func() bool) pyExpr {
	first := element()
	if !p.is(",") {
		return first
	}
	parts := []pyExpr{first}
	for p.accept(",") && more() {
		parts = append(parts, element())
	}
	return p.display(first.start, "tuple", parts)
}

func (p *pyParser) display(start int, what string, parts []pyExpr) pyExpr {
	e := pyExpr{start: start, end: p.lastEnd(), form: pyDisplay, what: what}
	for i := range parts {
		if bad := parts[i].notTarget(); bad != nil {
			e.inner = bad
			break
		}
	}
	return e
}

// notTarget returns the part of e that cannot be assigned to; nil if there is none.
func (e *pyExpr) notTarget() *pyExpr {
	switch e.form {
	case pyIdent, pyPlace:
		return nil
	case pyDisplay:
		return e.inner
	case pyStar:
		return e.inner.notTarget()
	}
	return e
}

func (p *pyParser) star() pyExpr {
	if !p.is("*") {
		return p.named()
	}
	start := p.next().start
	inner := p.binary()
	return pyExpr{start: start, end: inner.end, form: pyStar, what: "starred", inner: &inner}
}

// noStar refuses a star that no tuple or call takes up.
func (p *pyParser) noStar(e pyExpr) pyExpr {
	if e.form == pyStar && p.fault == nil {
		p.failAt(e.start, e.end, "can't use starred expression here")
	}
	return e
}

// startsExpr reports whether the next token can begin an expression.
func (p *pyParser) startsExpr() bool {
	t := p.peek()
	switch t.kind {
	case pyNumber, pyString, pyBad:
		return true
	case pyName:
		return !pyKeywords[t.text] || p.isAny("not", "lambda", "await", "None", "True", "False")
	case pyOp:
		return p.isAny("(", "[", "{", "-", "+", "~", "...")
	}
	return false
}

// named parses an expression that may be an assignment expression, x := y.
func (p *pyParser) named() pyExpr {
	e := p.expr()
	if !p.is(":=") {
		return e
	}
	if e.form != pyIdent || e.grouped {
		p.failAt(e.start, e.end, "cannot use assignment expressions with %s", e.called())
	}
	p.next()
	p.expr()
	return p.value(e.start, "named expression")
}

func (p *pyParser) expr() pyExpr {
	if !p.deeper() {
		return pyExpr{}
	}
	defer p.shallower()
	start := p.peek().start
	if p.is("lambda") {
		return p.lambda()
	}
	e := p.or()
	if !p.is("if") {
		return e
	}
	p.next()
	p.or()
	if !p.is("else") {
		p.unexpected("expected 'else' after 'if' expression")
		return e
	}
	p.next()
	p.expr()
	return p.value(start, "conditional expression")
}

func (p *pyParser) lambda() pyExpr {
	start := p.next().start
	p.parameters(":", false)
	p.expect(":")
	inner := *p.scope
	inner.function, inner.lambda, inner.async = true, true, false
	p.within(&inner, func() { p.expr() })
	return p.value(start, "lambda")
}

func (p *pyParser) or() pyExpr {
	e := p.and()
	for p.accept("or") {
		p.and()
		e = p.value(e.start, "expression")
	}
	return e
}

func (p *pyParser) and() pyExpr {
	e := p.not()
	for p.accept("and") {
		p.not()
		e = p.value(e.start, "expression")
	}
	return e
}

func (p *pyParser) not() pyExpr {
	start, negated := p.peek().start, false
	for p.accept("not") {
		negated = true
	}
	e := p.comparison()
	if negated {
		return p.value(start, "expression")
	}
	return e
}

func (p *pyParser) comparison() pyExpr {
	e := p.binary()
	for p.comparator() {
		p.binary()
		e = p.value(e.start, "comparison")
	}
	return e
}

func (p *pyParser) comparator() bool {
	switch {
	case p.isAny("<", ">", "==", ">=", "<=", "!=", "in"):
		p.next()
	case p.is("is"):
		p.next()
		p.accept("not")
	case p.is("not") && p.peekAt(1).text == "in" && p.peekAt(1).kind == pyName:
		p.next()
		p.next()
	default:
		return false
	}
	return true
}

// pyBinary are the operators that bind tighter than a comparison. Which of two
// of them binds tighter makes no difference to whether a text parses.
var pyBinary = map[string]bool{
	"|": true, "^": true, "&": true, "<<": true, ">>": true, "+": true, "-": true,
	"*": true, "/": true, "//": true, "%": true, "@": true,
}

// binary parses what binds tighter than a comparison.
func (p *pyParser) binary() pyExpr {
	e := p.factor()
	for t := p.peek(); t.kind == pyOp && pyBinary[t.text]; t = p.peek() {
		p.next()
		p.factor()
		e = p.value(e.start, "expression")
	}
	return e
}

func (p *pyParser) factor() pyExpr {
	if !p.deeper() {
		return pyExpr{}
	}
	defer p.shallower()
	start := p.peek().start
	if p.isAny("+", "-", "~") {
		p.next()
		p.factor()
		return p.value(start, "expression")
	}
	e := p.awaited()
	if p.accept("**") {
		p.factor()
		return p.value(start, "expression")
	}
	return e
}

func (p *pyParser) awaited() pyExpr {
	t := p.peek()
	if !p.is("await") {
		return p.primary()
	}
	p.next()
	p.primary()
	switch {
	case p.scope.async:
	case p.scope.function && !p.scope.lambda:
		p.awaits = append(p.awaits, fault{"'await' outside async function", t.start, t.end})
	case !p.scope.function:
		p.awaits = append(p.awaits, fault{"'await' outside function", t.start, t.end})
	}
	return p.value(t.start, "await expression")
}

func (p *pyParser) primary() pyExpr {
	e := p.atom()
	for p.fault == nil {
		switch {
		case p.accept("."):
			p.name("a name after '.'")
			e = pyExpr{start: e.start, end: p.lastEnd(), form: pyPlace, what: "attribute"}
		case p.is("("):
			p.arguments()
			e = p.value(e.start, "function call")
		case p.accept("["):
			p.slices()
			p.expect("]")
			e = pyExpr{start: e.start, end: p.lastEnd(), form: pyPlace, what: "subscript"}
		default:
			return e
		}
	}
	return e
}

func (p *pyParser) slices() {
	for {
		switch {
		case p.is("*"):
			p.star()
		case !p.is(":"):
			p.named()
		}
		for n := 0; n < 2 && p.accept(":"); n++ {
			if !p.isAny(":", ",", "]") {
				p.expr()
			}
		}
		if !p.accept(",") || p.is("]") {
			return
		}
	}
}

// called names an expression for a message.
func (e *pyExpr) called() string {
	if e.form == pyIdent {
		return "name"
	}
	return e.what
}
