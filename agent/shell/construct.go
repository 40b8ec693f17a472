package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// construct judges the parts of a line that are loops, choices and conditions, where the
// policy eases that. It returns false for what it does not follow: functions, arithmetic
// loops, conditions that run for ever.
func (w *walker) construct(cmd syntax.Command, feed *command) bool {
	if !w.judge.policy.eased() {
		return false
	}
	brackets := w.brackets
	w.brackets++
	ok := false
	switch cmd := cmd.(type) {
	case *syntax.ForClause:
		ok = w.loop(cmd)
	case *syntax.WhileClause:
		ok = w.reading(cmd, feed)
	case *syntax.CaseClause:
		ok = w.choice(cmd)
	case *syntax.TestClause:
		ok = w.condition(cmd.X)
		w.commands = append(w.commands, &command{node: cmd, words: []word{{text: "[["}}, result: finding{decision: Allow, touches: reads}})
	case *syntax.ArithmCmd:
		ok = !cmd.Unsigned && w.arithmetic(cmd.X)
		w.commands = append(w.commands, &command{node: cmd, words: []word{{text: "(("}}, result: finding{decision: Allow, touches: reads}})
	}
	if !ok {
		w.brackets = brackets
	}
	w.unsure()
	return ok
}

// any returns a word of which parts may be expanded.
func (w *walker) any(arg *syntax.Word) (word, bool) {
	if text, ok := literal(arg); ok {
		return text, true
	}
	return w.opened(arg)
}

// loop judges for, whose variable is what its words are.
func (w *walker) loop(cmd *syntax.ForClause) bool {
	words, ok := cmd.Loop.(*syntax.WordIter)
	if !ok || cmd.Select || !words.InPos.IsValid() || obeyedVariable.MatchString(words.Name.Value) {
		return false
	}
	k := closed
	for _, item := range words.Items {
		if several := alternatives(item.Lit()); several != nil {
			for _, one := range several {
				k = max(k, kindOf(one, w.sure))
			}
			continue
		}
		if counts.MatchString(item.Lit()) {
			k = max(k, number)
			continue
		}
		text, ok := w.any(item)
		if !ok {
			return false
		}
		k = max(k, kindOf(text, w.sure))
	}
	if k == member { // an empty word is none, unless it is quoted
		k = entry
	}
	w.set(words.Name.Value, k)
	w.statements(cmd.Do)
	w.set(words.Name.Value, max(k, member)) // behind the loop it may never have been set
	return true
}

// reading judges `while read`: it ends with its input.
func (w *walker) reading(cmd *syntax.WhileClause, feed *command) bool {
	if cmd.Until || len(cmd.Cond) != 1 || len(cmd.Cond[0].Redirs) > 0 || cmd.Cond[0].Negated || cmd.Cond[0].Background {
		return false
	}
	call, ok := cmd.Cond[0].Cmd.(*syntax.CallExpr)
	if !ok || len(call.Args) < 2 || call.Args[0].Lit() != "read" {
		return false
	}
	for _, a := range call.Assigns {
		value, ok := word{}, a.Value == nil
		if a.Value != nil {
			value, ok = literal(a.Value)
		}
		if a.Name == nil || a.Name.Value != "IFS" || !ok || !value.plain() || a.Append || a.Index != nil || a.Array != nil {
			return false
		}
	}
	k := free
	if (lists(feed) || listing(feed)) && !w.fed {
		k = member
	}
	for i := 1; i < len(call.Args); i++ {
		arg, ok := literal(call.Args[i])
		switch {
		case !ok || !arg.plain():
			return false
		case arg.text == "-r":
		case arg.text == "-d" && i+1 < len(call.Args):
			i++
			if d, ok := literal(call.Args[i]); !ok || len(d.text) > 1 {
				return false
			}
		case !plainVariable.MatchString(arg.text) || obeyedVariable.MatchString(arg.text):
			return false
		default:
			w.set(arg.text, k)
		}
	}
	w.statements(cmd.Do)
	return true
}

// choice judges case, whatever is chosen.
func (w *walker) choice(cmd *syntax.CaseClause) bool {
	if _, ok := w.any(cmd.Word); !ok || cmd.Braces {
		return false
	}
	for _, item := range cmd.Items {
		if slices.ContainsFunc(item.Patterns, func(p *syntax.Word) bool { return !constant(p) }) {
			return false
		}
		w.statements(item.Stmts)
	}
	return true
}

// evaluated are the comparisons whose operands bash evaluates as arithmetic.
var evaluated = []syntax.BinTestOperator{syntax.TsEql, syntax.TsNeq, syntax.TsLeq, syntax.TsGeq, syntax.TsLss, syntax.TsGtr}

// condition judges what stands between [[ and ]].
func (w *walker) condition(x syntax.TestExpr) bool {
	switch x := x.(type) {
	case *syntax.Word:
		_, ok := w.any(x)
		return ok || constant(x)
	case *syntax.ParenTest:
		return w.condition(x.X)
	case *syntax.UnaryTest:
		return x.Op != syntax.TsVarSet && x.Op != syntax.TsRefVar && w.condition(x.X)
	case *syntax.BinaryTest:
		if slices.Contains(evaluated, x.Op) {
			return w.numeric(x.X) && w.numeric(x.Y)
		}
		return w.condition(x.X) && w.condition(x.Y)
	}
	return false
}

func (w *walker) numeric(x syntax.TestExpr) bool {
	arg, ok := x.(*syntax.Word)
	if !ok {
		return false
	}
	text, ok := w.any(arg)
	return ok && kindOf(text, 0) == number
}

// takes reports whether a redirection gives a command its input.
func takes(r *syntax.Redirect) bool {
	switch r.Op {
	case syntax.RdrIn, syntax.RdrInOut, syntax.DplIn, syntax.Hdoc, syntax.DashHdoc, syntax.WordHdoc:
		return true
	}
	return false
}

// redirected judges a redirection where the policy eases that: into a file of the private
// copy, from one, or from text that the line has.
func (w *walker) redirected(s *syntax.Stmt, r *syntax.Redirect, first int) bool {
	if !w.judge.policy.eased() || s.Cmd == nil || len(w.commands) == first {
		return false
	}
	n := ""
	if r.N != nil {
		n = r.N.Value
	}
	if r.Hdoc != nil {
		if n != "" && n != "0" || !w.quotedText(r.Hdoc) {
			return false
		}
		w.brackets++
		return true
	}
	target, ok := w.any(r.Word)
	if !ok || target.glob || target.splits || target.status {
		return false
	}
	switch r.Op {
	case syntax.WordHdoc:
		w.brackets++
		return true
	case syntax.RdrIn:
		if n != "" && n != "0" || target.open == free {
			return false
		}
		for _, c := range w.commands[first:] {
			if why := read(target, w.sure); why != "" {
				c.result = asks(c.result.touches|outside, "%s", why)
			}
		}
	case syntax.RdrOut, syntax.AppOut, syntax.RdrAll, syntax.AppAll:
		if n != "" && n != "1" && n != "2" || target.text == "/dev/null" {
			return false
		}
		return w.written(target, first)
	default:
		return false
	}
	w.brackets++
	return true
}

// quotedText reports whether a here-document's text is certain enough: what it expands is
// judged with the line.
func (w *walker) quotedText(hdoc *syntax.Word) bool {
	for _, part := range hdoc.Parts {
		if _, lit := part.(*syntax.Lit); lit {
			continue
		}
		if _, ok := w.part(part); !ok {
			return false
		}
	}
	return true
}

// written notes that commands write to a file.
func (w *walker) written(target word, first int) bool {
	why, what := changeable(target, w.sure)
	for _, c := range w.commands[first:] {
		switch {
		case why != "" && c.result.decision != Deny:
			written := append(c.result.writes, target.text) // the question names all of them
			c.result = asks(c.result.touches|what, "%s", why)
			c.result.writes = written
		default:
			c.result.prints = c.result.prints || c.result.touches&(writes|runs) == 0
			c.result.redirected = true
			c.result.touches |= writes
			c.result.writes = append(c.result.writes, target.text)
		}
	}
	w.brackets++
	return true
}

// read returns why a word may not be read, or "".
func read(w word, depth int) string {
	if own(w.text) {
		return ""
	}
	w.text = strings.ReplaceAll(w.text, hole, "x")
	return inside(w, depth)
}

// own reports whether a path is below /tmp, which is the sandbox's own and ends with it.
func own(p string) bool {
	rest, ok := strings.CutPrefix(p, "/tmp/")
	return ok && rest != "" && !strings.Contains(rest, "..") && !strings.Contains(rest, hole)
}
