package shell

import (
	"fmt"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// command is a simple command made of literal words only.
type command struct {
	before string // the operator that joins it to the one before: "", ";", "&&", "||" or "|"
	timed  bool   // by the shell's own keyword
	merged bool   // 2>&1
	words  []string
}

// plain takes the line apart into simple commands of literal words. Where it has
// anything else, it says what, in a sentence for the user.
func (l *Line) plain() (commands []command, odd string) {
	p := plainer{}
	for i, s := range l.file.Stmts {
		before := ";"
		if i == 0 {
			before = ""
		}
		p.stmt(s, before)
	}
	return p.commands, p.odd
}

type plainer struct {
	commands []command
	odd      string
}

func (p *plainer) fail(format string, args ...any) {
	if p.odd == "" {
		p.odd = fmt.Sprintf(format, args...)
	}
}

func (p *plainer) stmt(s *syntax.Stmt, before string) {
	switch {
	case s.Background:
		p.fail("A part of it goes on running in the background.")
	case s.Negated || s.Coprocess || s.Disown:
		p.fail("It uses a shell construct that is not judged (! or a coprocess).")
	}
	first := len(p.commands)
	p.command(s.Cmd, before)
	for _, r := range s.Redirs {
		if r.Op == syntax.DplOut && r.N != nil && r.N.Value == "2" && r.Word.Lit() == "1" && len(p.commands) == first+1 {
			p.commands[first].merged = true
			continue
		}
		p.fail("It redirects input or output (%s).", r.Op)
	}
}

var joints = map[syntax.BinCmdOperator]string{syntax.AndStmt: "&&", syntax.OrStmt: "||", syntax.Pipe: "|"}

func (p *plainer) command(cmd syntax.Command, before string) {
	switch cmd := cmd.(type) {
	case *syntax.CallExpr:
		p.call(cmd, before)
	case *syntax.BinaryCmd:
		joint, ok := joints[cmd.Op]
		if !ok {
			p.fail("It joins commands with %s.", cmd.Op)
		}
		p.stmt(cmd.X, before)
		p.stmt(cmd.Y, joint)
	case *syntax.TimeClause:
		if cmd.Stmt == nil {
			p.fail("It times nothing.")
			return
		}
		first := len(p.commands)
		p.stmt(cmd.Stmt, before)
		if first < len(p.commands) {
			p.commands[first].timed = true
		}
	default:
		p.fail("It is a shell program, not a plain command.")
	}
}

func (p *plainer) call(call *syntax.CallExpr, before string) {
	if len(call.Assigns) > 0 {
		p.fail("It sets the variable %s.", call.Assigns[0].Name.Value)
	}
	c := command{before: before}
	for _, w := range call.Args {
		text, ok := literal(w)
		if !ok {
			p.fail("The shell would expand a word of it (%s).", written(w))
		}
		c.words = append(c.words, text)
	}
	if len(c.words) == 0 {
		p.fail("It has no program.")
		return
	}
	p.commands = append(p.commands, c)
}

// literal returns what a word means when every shell takes it literally.
func literal(w *syntax.Word) (string, bool) {
	if s := w.Lit(); len(s) == 2 && s[0] == '\\' && strings.Contains("();!", s[1:]) {
		return s[1:], true // the parentheses of find
	}
	var b strings.Builder
	for i, part := range w.Parts {
		switch part := part.(type) {
		case *syntax.Lit:
			if strings.ContainsAny(part.Value, "*?[]{}\\`$!\n") || expandsTilde(part.Value, i == 0) {
				return "", false
			}
			b.WriteString(part.Value)
		case *syntax.SglQuoted:
			if part.Dollar {
				return "", false
			}
			b.WriteString(part.Value)
		case *syntax.DblQuoted:
			s, ok := quotedLiteral(part)
			if !ok {
				return "", false
			}
			b.WriteString(s)
		default:
			return "", false
		}
	}
	return b.String(), true
}

// expandsTilde reports whether bash could take a tilde for a home folder: at the
// start of a word, and behind = and : in words that look like assignments.
// HEAD~3 is none.
func expandsTilde(s string, start bool) bool {
	for i := range len(s) {
		if s[i] == '~' && (i == 0 && start || i > 0 && (s[i-1] == '=' || s[i-1] == ':')) {
			return true
		}
	}
	return strings.HasPrefix(s, "~") && !start
}

// quotedLiteral returns what is between double quotes. A dollar is literal only
// as the last character, and a backslash stays before what it does not escape.
func quotedLiteral(q *syntax.DblQuoted) (string, bool) {
	if q.Dollar {
		return "", false
	}
	var b strings.Builder
	for i, part := range q.Parts {
		lit, ok := part.(*syntax.Lit)
		if !ok {
			return "", false
		}
		s := lit.Value
		for k := 0; k < len(s); k++ {
			last := i == len(q.Parts)-1 && k == len(s)-1
			switch {
			case s[k] == '`', s[k] == '$' && !last, s[k] == '\\' && (last || s[k+1] == '\n'):
				return "", false
			case s[k] == '\\' && strings.IndexByte("\\\"$`", s[k+1]) >= 0:
				k++
			}
			b.WriteByte(s[k])
		}
	}
	return b.String(), true
}

// written returns a node's source, printed in one line.
func written(n syntax.Node) string {
	var b strings.Builder
	if err := syntax.NewPrinter(syntax.SingleLine(true)).Print(&b, n); err != nil {
		return "…"
	}
	s := strings.Join(strings.Fields(b.String()), " ")
	if r := []rune(s); len(r) > 60 { // enough to find it in the line, which is shown whole
		s = string(r[:60]) + "…"
	}
	return s
}

// loose returns what a word probably means, for the denials: there a word that
// is not literal must still be seen. Variables stay as $NAME; what cannot be
// known is unknown.
func loose(w *syntax.Word) string {
	var b strings.Builder
	for _, part := range w.Parts {
		loosePart(&b, part, false)
	}
	return b.String()
}

// unknown stands for text that only the running shell knows.
const unknown = "\uFFFD"

func loosePart(b *strings.Builder, part syntax.WordPart, quoted bool) {
	switch part := part.(type) {
	case *syntax.Lit:
		s := strings.ReplaceAll(part.Value, "\\\n", "")
		for k := 0; k < len(s); k++ {
			if s[k] == '\\' && k+1 < len(s) && (!quoted || strings.IndexByte("\\\"$`", s[k+1]) >= 0) {
				k++
			}
			b.WriteByte(s[k])
		}
	case *syntax.SglQuoted:
		if part.Dollar {
			b.WriteString(ansi(part.Value))
			return
		}
		b.WriteString(part.Value)
	case *syntax.DblQuoted:
		for _, inner := range part.Parts {
			loosePart(b, inner, true)
		}
	case *syntax.ParamExp:
		if part.Param != nil && part.Exp == nil && part.Index == nil && part.Slice == nil && part.Repl == nil && !part.Excl && !part.Length {
			b.WriteString("$" + part.Param.Value)
			return
		}
		b.WriteString(unknown)
	default:
		b.WriteString(unknown)
	}
}
