package syntax

var pyAugmented = map[string]bool{
	"+=": true, "-=": true, "*=": true, "/=": true, "//=": true, "%=": true, "@=": true,
	"&=": true, "|=": true, "^=": true, ">>=": true, "<<=": true, "**=": true,
}

// expressionStatement parses an expression, an assignment or an annotation.
func (p *pyParser) expressionStatement() {
	e := p.yieldOrStars()
	t := p.peek()
	switch {
	case p.fault != nil:
	case p.is(":") && (e.form == pyIdent || e.form == pyPlace):
		p.next()
		p.expr()
		if p.accept("=") {
			p.noStar(p.yieldOrStars())
		}
	case p.is(":") && e.form == pyDisplay && p.peekAt(1).kind != pyNewline:
		p.failAt(e.start, e.end, "only single target (not %s) can be annotated", e.what)
	case t.kind == pyOp && pyAugmented[t.text]:
		if e.form != pyIdent && e.form != pyPlace {
			p.failAt(e.start, e.end, "'%s' is an illegal expression for augmented assignment", e.called())
		}
		p.next()
		p.noStar(p.yieldOrStars())
	case p.is("="):
		for p.accept("=") {
			p.target(e, "assign to")
			e = p.yieldOrStars()
		}
		p.noStar(e)
	default:
		p.noStar(e)
	}
}

func (p *pyParser) yieldOrStars() pyExpr {
	if p.is("yield") {
		return p.yield()
	}
	return p.stars()
}

func (p *pyParser) raise() {
	p.next()
	if p.peek().kind == pyNewline || p.is(";") {
		return
	}
	p.expr()
	if p.accept("from") {
		p.expr()
	}
}

func (p *pyParser) declaration() {
	t := p.next()
	if t.text == "nonlocal" && p.scope.module {
		p.failAt(t.start, t.end, "nonlocal declaration not allowed at module level")
	}
	p.name("a name")
	for p.accept(",") {
		p.name("a name")
	}
}

func (p *pyParser) imports() {
	p.next()
	for {
		p.dottedName()
		if p.accept("as") {
			p.name("a name after 'as'")
		}
		if !p.accept(",") {
			return
		}
	}
}

func (p *pyParser) dottedName() {
	p.name("a module's name")
	for p.accept(".") {
		p.name("a name after '.'")
	}
}

func (p *pyParser) fromImport() {
	p.next()
	relative := false
	for p.accept(".") || p.accept("...") {
		relative = true
	}
	if !relative || !p.is("import") {
		p.dottedName()
	}
	p.expect("import")
	t := p.peek()
	if p.accept("*") {
		if !p.scope.module {
			p.failAt(t.start, t.end, "import * only allowed at module level")
		}
		return
	}
	grouped := p.accept("(")
	for {
		p.name("a name to import")
		if p.accept("as") {
			p.name("a name after 'as'")
		}
		comma := p.peek()
		if !p.accept(",") {
			break
		}
		if grouped && p.is(")") {
			break
		}
		if p.peek().kind == pyNewline {
			p.failAt(comma.start, comma.end, "trailing comma not allowed without surrounding parentheses")
		}
	}
	if grouped {
		p.close(")")
	}
}

// matchHead parses `match subject:` and looks whether a case follows; match is
// a name anywhere else.
func (p *pyParser) matchHead() bool {
	p.next()
	if !p.startsExpr() && !p.is("*") {
		return false
	}
	p.stars()
	return p.accept(":") && p.peek().kind == pyNewline &&
		p.peekAt(1).kind == pyIndent && p.peekAt(2).kind == pyName && p.peekAt(2).text == "case"
}

func (p *pyParser) matchBody() {
	p.next()
	p.next()
	for p.fault == nil && p.peek().kind != pyDedent {
		if !p.is("case") {
			p.unexpectedToken("'case'")
			return
		}
		p.next()
		p.patterns()
		if p.accept("if") {
			p.named()
		}
		p.block("'case' statement")
	}
	p.next()
}

// patterns parses a pattern, which at the top may be a sequence without brackets.
func (p *pyParser) patterns() {
	p.pattern()
	for p.accept(",") && !p.isAny(":", "if") {
		p.pattern()
	}
}

func (p *pyParser) pattern() {
	if !p.deeper() {
		return
	}
	defer p.shallower()
	if p.accept("*") {
		p.name("a name after '*'")
		return
	}
	p.closedPattern()
	for p.accept("|") {
		p.closedPattern()
	}
	if p.accept("as") {
		p.name("a name after 'as'")
	}
}

func (p *pyParser) closedPattern() {
	switch {
	case p.accept("("):
		p.patternList(")")
	case p.accept("["):
		p.patternList("]")
	case p.accept("{"):
		p.mappingPattern()
	case p.isName():
		p.dottedName()
		if p.accept("(") {
			p.classPattern()
		}
	default:
		p.literalPattern()
	}
}

func (p *pyParser) patternList(closing string) {
	for !p.is(closing) && p.fault == nil {
		p.pattern()
		if !p.accept(",") {
			break
		}
	}
	p.close(closing)
}

func (p *pyParser) mappingPattern() {
	for !p.is("}") && p.fault == nil {
		if p.accept("**") {
			p.name("a name after '**'")
		} else {
			if p.isName() {
				p.dottedName()
			} else {
				p.literalPattern()
			}
			p.expect(":")
			p.pattern()
		}
		if !p.accept(",") {
			break
		}
	}
	p.close("}")
}

func (p *pyParser) classPattern() {
	for !p.is(")") && p.fault == nil {
		if p.isName() && p.peekAt(1).kind == pyOp && p.peekAt(1).text == "=" {
			p.next()
			p.next()
		}
		p.pattern()
		if !p.accept(",") {
			break
		}
	}
	p.close(")")
}

// literalPattern parses a constant: a string, or a number that may be signed
// and complex.
func (p *pyParser) literalPattern() {
	switch {
	case p.peek().kind == pyString:
		p.strings()
		return
	case p.isAny("None", "True", "False"):
		p.next()
		return
	}
	p.accept("-")
	if p.peek().kind != pyNumber {
		p.unexpectedToken("a pattern")
		return
	}
	p.next()
	if p.accept("+") || p.accept("-") {
		if p.peek().kind != pyNumber {
			p.unexpectedToken("a number")
			return
		}
		p.next()
	}
}
