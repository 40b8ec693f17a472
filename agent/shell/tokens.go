package shell

import (
	"cmp"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// printer writes a tree of the library as the tokens that [reader] has. What it does
// not know makes the two differ.
type printer struct {
	tokens  []string
	unknown bool
}

// treeTokens returns the tokens of a tree. ok is false where the tree has parts
// that the reader does not read.
func treeTokens(list []*syntax.Stmt) (tokens []string, ok bool) {
	var p printer
	p.list(list)
	return p.tokens, !p.unknown
}

func (p *printer) add(tokens ...string) { p.tokens = append(p.tokens, tokens...) }

func (p *printer) list(list []*syntax.Stmt) {
	for i, s := range list {
		if i > 0 && !list[i-1].Background {
			p.add(";")
		}
		p.stmt(s)
	}
}

func (p *printer) stmt(s *syntax.Stmt) {
	if s.Coprocess || s.Disown {
		p.unknown = true
	}
	if s.Negated {
		p.add("!")
	}
	if call, ok := s.Cmd.(*syntax.CallExpr); ok || s.Cmd == nil {
		p.call(call, s.Redirs)
	} else if decl, ok := s.Cmd.(*syntax.DeclClause); ok {
		p.declaration(decl, s.Redirs)
	} else {
		p.command(s.Cmd)
		p.pieces(redirections(s.Redirs))
	}
	if s.Background {
		p.add("&")
	}
}

func (p *printer) command(cmd syntax.Command) {
	switch cmd := cmd.(type) {
	case *syntax.BinaryCmd:
		p.stmt(cmd.X)
		p.add(cmd.Op.String())
		p.stmt(cmd.Y)
	case *syntax.TimeClause:
		p.add("time")
		if cmd.Stmt == nil || cmd.PosixFormat {
			p.unknown = true
			return
		}
		p.stmt(cmd.Stmt)
	case *syntax.Subshell:
		p.add("(")
		p.list(cmd.Stmts)
		p.add(")")
	case *syntax.Block:
		p.add("{")
		p.list(cmd.Stmts)
		p.add("}")
	case *syntax.IfClause:
		p.branches(cmd)
	case *syntax.WhileClause:
		word := "while"
		if cmd.Until {
			word = "until"
		}
		p.add(word)
		p.list(cmd.Cond)
		p.add("do")
		p.list(cmd.Do)
		p.add("done")
	case *syntax.ForClause:
		iter, ok := cmd.Loop.(*syntax.WordIter)
		if !ok || cmd.Select || cmd.Braces {
			p.unknown = true
			return
		}
		p.add("for", "w"+iter.Name.Value, "in")
		for _, w := range iter.Items {
			p.add("w" + p.word(w))
		}
		p.add("do")
		p.list(cmd.Do)
		p.add("done")
	default:
		p.unknown = true
	}
}

func (p *printer) branches(c *syntax.IfClause) {
	word := "if"
	for ; c != nil; c = c.Else {
		if len(c.Cond) > 0 {
			p.add(word)
			p.list(c.Cond)
			p.add("then")
		} else {
			p.add("else")
		}
		p.list(c.Then)
		word = "elif"
	}
	p.add("fi")
}

// piece is a part of a simple command, which the tree keeps by kind and not in order.
type piece struct {
	at     uint
	tokens func(*printer)
}

func (p *printer) pieces(list []piece) {
	slices.SortStableFunc(list, func(a, b piece) int { return cmp.Compare(a.at, b.at) })
	for _, one := range list {
		one.tokens(p)
	}
}

func redirections(list []*syntax.Redirect) (pieces []piece) {
	for _, r := range list {
		pieces = append(pieces, piece{r.Pos().Offset(), func(p *printer) {
			number := ""
			if r.N != nil {
				number = r.N.Value
			}
			if r.Word == nil || (r.Hdoc != nil) != (r.Op == syntax.Hdoc) {
				p.unknown = true
				return
			}
			p.add(number+r.Op.String(), "w"+p.word(r.Word))
			if r.Hdoc != nil {
				p.add("b" + p.word(r.Hdoc))
			}
		}})
	}
	return pieces
}

func (p *printer) call(call *syntax.CallExpr, redirs []*syntax.Redirect) {
	list := redirections(redirs)
	if call != nil {
		for _, a := range call.Assigns {
			list = append(list, piece{a.Pos().Offset(), func(p *printer) { p.add("=" + p.assign(a)) }})
		}
		for _, w := range call.Args {
			list = append(list, piece{w.Pos().Offset(), func(p *printer) { p.add("w" + p.word(w)) }})
		}
	}
	p.pieces(list)
}

// declaration writes export and its kin as the simple commands that they are.
func (p *printer) declaration(cmd *syntax.DeclClause, redirs []*syntax.Redirect) {
	list := append(redirections(redirs), piece{cmd.Variant.Pos().Offset(), func(p *printer) { p.add("w" + cmd.Variant.Value) }})
	for _, a := range cmd.Args {
		list = append(list, piece{a.Pos().Offset(), func(p *printer) { p.add("w" + p.assign(a)) }})
	}
	p.pieces(list)
}

func (p *printer) assign(a *syntax.Assign) string {
	if a.Append || a.Array != nil || a.Index != nil || a.Name == nil && a.Value == nil {
		p.unknown = true
		return ""
	}
	text := ""
	if a.Name != nil {
		text = a.Name.Value
	}
	if a.Name != nil && !a.Naked {
		text += "="
	}
	if a.Value != nil {
		text += p.word(a.Value)
	}
	return text
}

func (p *printer) word(w *syntax.Word) string {
	var b strings.Builder
	p.parts(&b, w.Parts)
	return b.String()
}

func (p *printer) parts(b *strings.Builder, parts []syntax.WordPart) {
	for _, part := range parts {
		switch part := part.(type) {
		case *syntax.Lit:
			b.WriteString(part.Value)
		case *syntax.SglQuoted:
			p.unknown = p.unknown || part.Dollar
			b.WriteString(singleQuoted + part.Value + endQuote)
		case *syntax.DblQuoted:
			p.unknown = p.unknown || part.Dollar
			b.WriteString(doubleQuoted)
			p.parts(b, part.Parts)
			b.WriteString(endQuote)
		case *syntax.ParamExp:
			b.WriteString(parameter + p.expansion(part) + endOfPart)
		case *syntax.CmdSubst:
			p.unknown = p.unknown || part.Backquotes || part.TempFile || part.ReplyVar
			tokens, ok := treeTokens(part.Stmts)
			p.unknown = p.unknown || !ok
			b.WriteString(substitution + strings.Join(tokens, nextToken) + endOfPart)
		case *syntax.ProcSubst:
			tokens, ok := treeTokens(part.Stmts)
			p.unknown = p.unknown || !ok || part.Op != syntax.CmdIn
			b.WriteString(process + strings.Join(tokens, nextToken) + endOfPart)
		default:
			p.unknown = true
		}
	}
}

// statusIndex returns the index of ${PIPESTATUS[0]} as it is written, "" for any other expansion. The variable has the
// exit codes of the last pipeline; a shell that does not know it stops there.
func statusIndex(e *syntax.ParamExp) string {
	index, ok := e.Index.(*syntax.Word)
	if e.Param == nil || e.Param.Value != "PIPESTATUS" || !ok || e.Exp != nil || e.Length {
		return ""
	}
	if i := index.Lit(); len(i) == 1 && (i == "@" || i[0] >= '0' && i[0] <= '9') {
		return i
	}
	return ""
}

// expansion writes $name, ${name} and ${name-word}.
func (p *printer) expansion(e *syntax.ParamExp) string {
	if e.Param == nil || e.Excl || e.Length && e.Exp != nil || e.Width || e.Index != nil && statusIndex(e) == "" || e.Slice != nil || e.Repl != nil || e.Names != 0 {
		p.unknown = true
		return ""
	}
	if e.Short {
		return e.Param.Value
	}
	text := "{" + e.Param.Value
	if e.Length {
		text = "{#" + e.Param.Value
	}
	if e.Index != nil {
		text += "[" + statusIndex(e) + "]"
	}
	if e.Exp != nil {
		text += e.Exp.Op.String()
		if e.Exp.Word != nil {
			text += p.word(e.Exp.Word)
		}
	}
	return text + "}"
}
