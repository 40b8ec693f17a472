package syntax

import "fmt"

// pythonFaults recognises Python by the grammar of its reference, 3.8 to 3.14
// together, and by those rules of its compiler that need no names: where
// return, yield, await, break and continue may stand, what can be assigned to,
// how arguments are ordered. tree-sitter's grammar is not used for this: it
// accepts one mistake in eight, nearly all of indentation, and refuses good
// files that use newer grammar.
//
// Like Python it reports the first mistake only.
func pythonFaults(text string) []fault {
	p := &pyParser{text: text, tokens: lexPython(text).tokens, scope: &pyScope{module: true}}
	for !p.done() {
		p.statement()
	}
	switch {
	case p.overflow:
		return nil
	case p.fault != nil:
		return []fault{*p.fault}
	case len(p.awaits) > 0:
		return p.awaits[:1]
	}
	return nil
}

// pyMaxDepth bounds recursion where the tokenizer's limits do not, as in a
// chain of a thousand "not". What is deeper is not judged.
const pyMaxDepth = 3000

// pyScope is a body of statements: of a module, a class or a function.
type pyScope struct {
	module, function, async, lambda bool // none of them: a class

	loops int // that are open
}

// pyParser is a recursive-descent recogniser. The first mistake moves it to
// the end of the tokens, so that every loop ends.
type pyParser struct {
	text     string
	tokens   []pyToken
	pos      int
	scope    *pyScope
	depth    int
	fault    *fault
	overflow bool
	awaits   []fault // outside of async functions: a mistake, unless a generator expression follows
	started  bool    // a statement other than a docstring or a __future__ import was seen
}

var pyKeywords = map[string]bool{
	"False": true, "None": true, "True": true, "and": true, "as": true, "assert": true, "async": true, "await": true,
	"break": true, "class": true, "continue": true, "def": true, "del": true, "elif": true, "else": true, "except": true,
	"finally": true, "for": true, "from": true, "global": true, "if": true, "import": true, "in": true, "is": true,
	"lambda": true, "nonlocal": true, "not": true, "or": true, "pass": true, "raise": true, "return": true, "try": true,
	"while": true, "with": true, "yield": true,
}

func (p *pyParser) peek() *pyToken { return &p.tokens[p.pos] }

func (p *pyParser) peekAt(n int) *pyToken { return &p.tokens[min(p.pos+n, len(p.tokens)-1)] }

func (p *pyParser) done() bool { return p.peek().kind == pyEnd }

// is reports whether the next token is the operator or keyword s.
func (p *pyParser) is(s string) bool {
	t := p.peek()
	return t.text == s && (t.kind == pyOp || t.kind == pyName)
}

func (p *pyParser) isAny(list ...string) bool {
	for _, s := range list {
		if p.is(s) {
			return true
		}
	}
	return false
}

// isName reports whether the next token is a name that is not a keyword.
func (p *pyParser) isName() bool { return isPyName(p.peek()) }

func isPyName(t *pyToken) bool { return t.kind == pyName && !pyKeywords[t.text] }

func (p *pyParser) next() *pyToken {
	t := p.peek()
	if p.pos < len(p.tokens)-1 {
		p.pos++
	}
	return t
}

func (p *pyParser) accept(s string) bool {
	if p.is(s) {
		p.next()
		return true
	}
	return false
}

func (p *pyParser) expect(s string) {
	if !p.accept(s) {
		p.unexpected("expected '" + s + "'")
	}
}

func (p *pyParser) name(what string) *pyToken {
	if p.isName() {
		return p.next()
	}
	p.unexpected("expected " + what)
	return p.peek()
}

// failAt records the first mistake and ends the parse.
func (p *pyParser) failAt(start, end int, format string, args ...any) {
	if p.fault == nil {
		p.fault = &fault{fmt.Sprintf(format, args...), start, end}
	}
	p.pos = len(p.tokens) - 1
}

// unexpected says what is wrong with the next token: what the tokenizer found
// there, or an indentation that should not be, or else message. A bracket that
// is open or closed wrongly further on is the likelier cause of what follows it.
func (p *pyParser) unexpected(message string) {
	if p.fault != nil {
		return
	}
	t := *p.peek()
	bad := p.tokens[max(len(p.tokens)-2, 0)]
	switch {
	case t.kind == pyBad:
		p.failAt(t.start, t.end, "%s", t.message)
	case bad.kind == pyBad && bad.opener >= 0 && bad.opener < t.start:
		p.failAt(bad.start, bad.end, "%s", bad.message)
	case t.kind == pyIndent:
		p.failAt(t.start, t.end, "unexpected indent")
	case t.kind == pyEnd || t.kind == pyDedent:
		p.failAt(t.start, t.start, "invalid syntax: %s", message)
	case t.kind == pyNewline:
		p.failAt(t.start, t.start, "invalid syntax: %s at the end of the line", message)
	default:
		p.failAt(t.start, t.end, "invalid syntax: %s", message)
	}
}

// deeper guards a recursive rule: `if !p.deeper() { return }; defer p.shallower()`.
func (p *pyParser) deeper() bool {
	p.depth++
	if p.depth > pyMaxDepth {
		p.overflow = true
		p.failAt(0, 0, "too deep")
		p.depth--
		return false
	}
	return true
}

func (p *pyParser) shallower() { p.depth-- }

// attempt tries rule and goes back to where it began if rule finds a mistake
// or returns false.
func (p *pyParser) attempt(rule func() bool) bool {
	pos, started, awaits := p.pos, p.started, len(p.awaits)
	if ok := rule(); ok && p.fault == nil {
		return true
	}
	if !p.overflow {
		p.pos, p.started, p.fault, p.awaits = pos, started, nil, p.awaits[:awaits]
	}
	return false
}

// within runs body in a new scope.
func (p *pyParser) within(scope *pyScope, body func()) {
	outer := p.scope
	p.scope = scope
	body()
	p.scope = outer
}
