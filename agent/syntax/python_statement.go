package syntax

import "strings"

// statement parses one statement and what is indented below it.
func (p *pyParser) statement() {
	t := p.peek()
	switch {
	case t.kind == pyNewline || t.kind == pyDedent:
		p.next()
		return
	case t.kind == pyIndent || t.kind == pyBad:
		p.unexpected("")
		return
	}
	switch {
	case p.compound():
		p.started = true
	case p.is("match") && p.attempt(p.matchHead):
		p.started = true
		p.matchBody()
	default:
		p.simpleLine()
	}
}

// compound parses a statement that has a body; false if there is none.
func (p *pyParser) compound() bool {
	switch {
	case p.is("@"):
		p.decorated()
	case p.is("def"):
		p.function(false)
	case p.is("class"):
		p.class()
	case p.is("async"):
		p.async()
	case p.is("if"):
		p.ifs()
	case p.is("while"):
		p.next()
		p.named()
		p.loop("'while' statement")
	case p.is("for"):
		p.forLoop()
	case p.is("try"):
		p.try()
	case p.is("with"):
		p.with()
	default:
		return false
	}
	return true
}

// block parses the colon and the body of a compound statement.
func (p *pyParser) block(what string) {
	if p.is("=") {
		p.unexpected("unexpected '=': maybe '==' or ':=' is meant")
	}
	p.expect(":")
	if p.fault != nil {
		return
	}
	if p.peek().kind != pyNewline {
		p.simpleLine()
		return
	}
	p.next()
	if t := p.peek(); t.kind != pyIndent {
		if t.kind == pyBad {
			p.unexpected("")
			return
		}
		p.failAt(t.start, t.end, "expected an indented block after %s", what)
		return
	}
	p.next()
	for !p.done() && p.peek().kind != pyDedent {
		p.statement()
	}
	p.next()
}

func (p *pyParser) decorated() {
	for p.accept("@") {
		p.named()
		if p.peek().kind != pyNewline {
			p.unexpectedToken("the end of the line")
			return
		}
		p.next()
	}
	switch {
	case p.is("def"):
		p.function(false)
	case p.is("class"):
		p.class()
	case p.is("async") && p.peekAt(1).text == "def":
		p.async()
	default:
		p.unexpectedToken("a function or a class after a decorator")
	}
}

func (p *pyParser) function(async bool) {
	p.next()
	p.name("a function's name")
	p.typeParameters()
	p.expect("(")
	p.parameters(")", true)
	p.close(")")
	if p.accept("->") {
		p.noStar(p.stars())
	}
	p.within(&pyScope{function: true, async: async}, func() { p.block("function definition") })
}

func (p *pyParser) class() {
	p.next()
	p.name("a class's name")
	p.typeParameters()
	if p.is("(") {
		p.arguments()
	}
	p.within(&pyScope{}, func() { p.block("class definition") })
}

func (p *pyParser) async() {
	head := p.next()
	if !p.is("def") && !p.scope.async && p.isAny("for", "with") {
		p.failAt(head.start, p.peek().end, "'async %s' outside async function", p.peek().text)
		return
	}
	switch {
	case p.is("def"):
		p.function(true)
	case p.is("for"):
		p.forLoop()
	case p.is("with"):
		p.with()
	default:
		p.unexpectedToken("'def', 'for' or 'with' after 'async'")
	}
}

func (p *pyParser) ifs() {
	for what := "'if' statement"; ; what = "'elif' statement" {
		p.next()
		p.named()
		p.block(what)
		if !p.is("elif") {
			break
		}
	}
	p.otherwise()
}

// otherwise parses an else clause, if there is one.
func (p *pyParser) otherwise() {
	if p.is("else") {
		p.next()
		p.block("'else' statement")
	}
}

// loop parses the body of a loop, and its else clause, which is no part of it.
func (p *pyParser) loop(what string) {
	p.scope.loops++
	p.block(what)
	p.scope.loops--
	p.otherwise()
}

func (p *pyParser) forLoop() {
	p.next()
	p.targets()
	p.expect("in")
	p.noStar(p.stars())
	p.loop("'for' statement")
}

func (p *pyParser) try() {
	p.next()
	p.block("'try' statement")
	handlers, groups := 0, 0
	for last := false; p.is("except"); {
		t := p.next()
		if last {
			p.failAt(t.start, t.end, "default 'except:' must be last")
		}
		if p.accept("*") {
			groups++
		}
		handlers++
		last = p.is(":")
		if !last {
			p.caught()
		}
		if groups > 0 && (groups < handlers || last) {
			p.failAt(t.start, t.end, "cannot have both 'except' and 'except*' on the same 'try', nor an 'except*' without a type")
		}
		p.block("'except' statement")
	}
	if handlers > 0 {
		p.otherwise()
	}
	if p.is("finally") {
		p.next()
		p.block("'finally' statement")
	} else if handlers == 0 && p.fault == nil {
		p.unexpected("expected 'except' or 'finally' block")
	}
}

// caught parses what an except clause catches. Since Python 3.14 several types
// need no parentheses; `except E, e` is Python 2, though, and no two types.
func (p *pyParser) caught() {
	p.expr()
	types := 1
	for p.is(",") {
		comma := p.next()
		t := p.peek()
		p.expr()
		types++
		if types == 2 && p.is(":") && t.kind == pyName && t.end == p.lastEnd() && strings.ToLower(t.text) == t.text {
			p.failAt(comma.start, comma.end, "multiple exception types must be parenthesized; the exception is named by 'as'")
		}
	}
	if types == 1 && p.accept("as") {
		p.name("a name after 'as'")
	}
}

// with parses a with statement. Its items may stand in parentheses, which one
// item may begin with, too: both readings are tried.
func (p *pyParser) with() {
	p.next()
	grouped := p.is("(") && p.attempt(func() bool {
		p.next()
		p.withItem()
		for p.accept(",") && !p.is(")") {
			p.withItem()
		}
		return p.accept(")") && p.is(":")
	})
	if !grouped {
		p.withItem()
		for p.accept(",") {
			p.withItem()
		}
	}
	p.block("'with' statement")
}

func (p *pyParser) withItem() {
	p.expr()
	if p.accept("as") {
		p.target(p.binary(), "assign to")
	}
}

// simpleLine parses the simple statements of a line.
func (p *pyParser) simpleLine() {
	for p.fault == nil {
		p.simple()
		if !p.accept(";") || p.peek().kind == pyNewline {
			break
		}
	}
	if p.fault != nil {
		return
	}
	if p.peek().kind != pyNewline {
		if before := p.tokens[p.pos-1]; p.peek().kind == pyString && isPyName(&before) && before.text == "print" {
			p.failAt(before.start, before.end, "Missing parentheses in call to 'print'. Did you mean print(...)?")
			return
		}
		p.unexpectedToken("the end of the statement")
		return
	}
	p.next()
}

func (p *pyParser) simple() {
	t := p.peek()
	first := !p.started
	docstring := p.isDocstring()
	future := p.is("from") && p.peekAt(1).text == "__future__"
	if !docstring && !future {
		p.started = true
	}
	switch {
	case p.is("pass"):
		p.next()
	case p.is("break"), p.is("continue"):
		p.next()
		if p.scope.loops == 0 {
			p.failAt(t.start, t.end, "'%s' outside loop", t.text)
		}
	case p.is("return"):
		p.next()
		if !p.scope.function {
			p.failAt(t.start, t.end, "'return' outside function")
		}
		p.optionalStars()
	case p.is("raise"):
		p.raise()
	case p.isAny("global", "nonlocal"):
		p.declaration()
	case p.is("del"):
		p.next()
		p.target(p.stars(), "delete")
	case p.is("assert"):
		p.next()
		p.expr()
		if p.accept(",") {
			p.expr()
		}
	case p.is("import"):
		p.imports()
	case p.is("from"):
		if future && !first {
			p.failAt(t.start, p.peekAt(1).end, "from __future__ imports must occur at the beginning of the file")
		}
		p.fromImport()
	case p.is("type") && isPyName(p.peekAt(1)):
		p.next()
		p.next()
		p.typeParameters()
		p.expect("=")
		p.expr()
	default:
		p.expressionStatement()
	}
}

// isDocstring reports whether the next statement is nothing but strings.
func (p *pyParser) isDocstring() bool {
	n := 0
	for p.peekAt(n).kind == pyString {
		n++
	}
	return n > 0 && (p.peekAt(n).kind == pyNewline || p.peekAt(n).text == ";")
}

func (p *pyParser) optionalStars() {
	if p.peek().kind != pyNewline && !p.is(";") {
		p.noStar(p.stars())
	}
}
