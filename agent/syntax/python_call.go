package syntax

// pyCall is what the rules about the order of arguments need to remember.
type pyCall struct {
	keywords          map[string]bool
	unpackedDict      bool
	count             int
	generator         pyExpr
	hasBareGenerator  bool
	commaAfterElement bool
}

// arguments parses the arguments of a call or the bases of a class.
func (p *pyParser) arguments() {
	p.next()
	c := &pyCall{keywords: map[string]bool{}}
	for !p.is(")") && p.fault == nil {
		p.argument(c)
		c.count++
		c.commaAfterElement = p.accept(",")
		if !c.commaAfterElement {
			break
		}
	}
	if c.hasBareGenerator && (c.count > 1 || c.commaAfterElement) {
		p.failAt(c.generator.start, c.generator.end, "Generator expression must be parenthesized")
	}
	p.close(")")
}

func (p *pyParser) argument(c *pyCall) {
	t := p.peek()
	switch {
	case p.is("**"):
		p.next()
		p.expr()
		c.unpackedDict = true
	case p.is("*"):
		p.next()
		p.expr()
		if c.unpackedDict {
			p.failAt(t.start, t.end, "iterable argument unpacking follows keyword argument unpacking")
		}
	case p.isName() && p.peekAt(1).kind == pyOp && p.peekAt(1).text == "=":
		p.next()
		p.next()
		if p.isAny(",", ")") {
			p.unexpected("expected argument value expression")
		}
		p.expr()
		if c.keywords[t.text] {
			p.failAt(t.start, t.end, "keyword argument repeated: %s", t.text)
		}
		c.keywords[t.text] = true
	default:
		p.positional(c)
	}
}

func (p *pyParser) positional(c *pyCall) {
	awaits := len(p.awaits)
	e := p.named()
	if p.comprehension(e) {
		p.awaits = p.awaits[:awaits]
		c.generator, c.hasBareGenerator = p.value(e.start, "generator expression"), true
		return
	}
	switch {
	case p.fault != nil:
	case p.is("="):
		p.failAt(e.start, p.peek().end, `expression cannot contain assignment, perhaps you meant "=="?`)
	case c.unpackedDict:
		p.failAt(e.start, e.end, "positional argument follows keyword argument unpacking")
	case len(c.keywords) > 0:
		p.failAt(e.start, e.end, "positional argument follows keyword argument")
	}
}

// pyParams is what the rules about the order of parameters need to remember.
type pyParams struct {
	names          map[string]bool
	slash, star    bool
	bareStar       bool // a * by itself that waits for a parameter
	defaults, last bool // last: **kwargs was there
}

// parameters parses those of a function or a lambda up to closing, which it leaves.
func (p *pyParser) parameters(closing string, annotated bool) {
	s := &pyParams{names: map[string]bool{}}
	for !p.is(closing) && p.fault == nil {
		t := p.peek()
		if s.last {
			p.failAt(t.start, t.end, "parameters cannot follow var-keyword parameter")
			return
		}
		p.parameter(s, annotated)
		if !p.accept(",") {
			break
		}
	}
	if s.bareStar && p.fault == nil {
		p.unexpected("named parameters must follow bare *")
	}
}

func (p *pyParser) parameter(s *pyParams, annotated bool) {
	t := p.peek()
	switch {
	case p.is("/"):
		p.next()
		if s.slash || s.star || len(s.names) == 0 {
			p.failAt(t.start, t.end, "/ must follow a positional parameter, and only once")
		}
		s.slash = true
	case p.is("**"):
		p.next()
		p.parameterName(s, annotated)
		s.last = true
		if s.bareStar {
			p.failAt(t.start, t.end, "named parameters must follow bare *")
		}
	case p.is("*"):
		p.next()
		if s.star {
			p.failAt(t.start, t.end, "* argument may appear only once")
		}
		s.star = true
		if p.is(",") {
			s.bareStar = true
			return
		}
		p.parameterName(s, annotated)
	default:
		p.parameterName(s, annotated)
		s.bareStar = false
		switch {
		case p.accept("="):
			p.expr()
			s.defaults = true
		case s.defaults && !s.star && p.fault == nil:
			p.failAt(t.start, t.end, "parameter without a default follows parameter with a default")
		}
	}
}

func (p *pyParser) parameterName(s *pyParams, annotated bool) {
	t := p.name("a parameter name")
	if p.fault != nil {
		return
	}
	if s.names[t.text] {
		p.failAt(t.start, t.end, "duplicate argument '%s' in function definition", t.text)
	}
	s.names[t.text] = true
	if annotated && p.accept(":") {
		p.star()
	}
}

// typeParameters parses [T: bound = default, *Ts, **P], if they are there.
func (p *pyParser) typeParameters() {
	if !p.accept("[") {
		return
	}
	for first := true; first || !p.is("]") && p.fault == nil; first = false {
		if !p.accept("*") {
			p.accept("**")
		}
		p.name("a type parameter")
		if p.accept(":") {
			p.expr()
		}
		if p.accept("=") {
			p.star()
		}
		if !p.accept(",") {
			break
		}
	}
	p.close("]")
}
