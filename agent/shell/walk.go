package shell

import (
	"fmt"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// command is a simple command.
type command struct {
	words   []word
	assigns []string // harmless NAME=value before it
	odd     string   // why it is not a plain command, in a sentence for the user
	before  string   // the operator that joins it to the one before: "", ";", "&&", "||" or "|"
	after   string   // harmless redirections, in canonical form
	depth   int      // how many folders below the workspace's root it certainly runs
	feed    *command // the command whose output it reads
	fed     bool     // there is one, or its input is redirected
	env     bool     // programs see a variable of the line that is not known to be harmless
	node    syntax.Node
	result  finding
}

// walker splits a line into simple commands and judges each of them.
type walker struct {
	judge    judge
	explain  bool
	commands []*command
	odd      string          // a construct in the line that is not judged
	brackets int             // how many groups there are: shapes cannot express them
	depth    int             // the depth of the current folder if everything before succeeded
	sure     int             // the same whatever failed
	vars     map[string]kind // what is known of the variables that the line sets
	exported bool            // it exports some that are not known to be harmless
	away     bool            // it changes to a folder that is not the workspace's
	fed      bool            // the statement that is judged has its input redirected
	// processes has the command whose output a process substitution is, for those that are judged.
	processes map[*syntax.ProcSubst]*command
}

func (w *walker) fail(format string, args ...any) {
	if w.odd == "" {
		w.odd = fmt.Sprintf(format, args...)
	}
}

func (w *walker) statements(list []*syntax.Stmt) {
	for i, s := range list {
		before := ";"
		if i == 0 {
			before = ""
		}
		w.unsure()
		w.stmt(s, before, nil)
	}
}

func (w *walker) stmt(s *syntax.Stmt, before string, feed *command) {
	switch {
	case s.Background:
		w.fail("A part of it keeps running in the background.")
	case s.Coprocess || s.Disown:
		w.fail("It uses a shell construct that is not understood (a coprocess).")
	case s.Negated:
		before = strings.TrimSpace(before + " !")
	}
	process := soleProcess(s.Redirs)
	if !w.judge.policy.eased() {
		process = nil
	}
	if process != nil {
		feed = w.processed(process)
	}
	first := len(w.commands)
	w.fed = slices.ContainsFunc(s.Redirs, takes) && process == nil
	if w.fed && feed != nil {
		feed = &command{odd: "another input"}
	}
	w.command(s.Cmd, before, feed)
	if s.Negated { // after "! cd x &&" the folder was not changed
		w.unsure()
	}
	if slices.ContainsFunc(s.Redirs, func(r *syntax.Redirect) bool { return r.Op == syntax.RdrAll || r.Op == syntax.AppAll }) {
		w.forget()
	}
	for _, r := range s.Redirs {
		w.redirect(s, r, first)
	}
}

// redirect judges a redirection. Allowed are those to /dev/null, between the outputs,
// and from a file of the workspace.
func (w *walker) redirect(s *syntax.Stmt, r *syntax.Redirect, first int) {
	if w.redirected(s, r, first) {
		return
	}
	_, simple := s.Cmd.(*syntax.CallExpr)
	target, ok := word{}, false
	if r.Word != nil {
		target, ok = literal(r.Word)
	}
	ok = ok && target.plain()
	n := ""
	if r.N != nil {
		n = r.N.Value
	}
	out := n == "" || n == "1" || n == "2"
	switch {
	case ok && r.Op == syntax.DplOut && out && (target.text == "1" || target.text == "2"),
		ok && (r.Op == syntax.RdrOut || r.Op == syntax.AppOut || r.Op == syntax.RdrAll && w.judge.policy.eased()) && out && target.text == "/dev/null",
		ok && r.Op == syntax.RdrIn && n == "" && target.text == "/dev/null":
	case ok && r.Op == syntax.RdrIn && n == "":
		if why := inside(target, w.sure); why != "" {
			w.fail("%s", why)
		}
	case r.Op == syntax.RdrIn, r.Op == syntax.WordHdoc, r.Op == syntax.Hdoc, r.Op == syntax.DashHdoc, r.Op == syntax.DplIn:
		w.fail("It redirects the input (%s).", r.Op)
	default:
		w.fail("It redirects the output to %s.", written(r.Word))
	}
	if r.Word != nil {
		w.nested(r.Word)
	}
	if r.Hdoc != nil {
		w.nested(r.Hdoc)
	}
	if simple && len(w.commands) == first+1 {
		w.commands[first].after += " " + n + r.Op.String() + quote(target.text)
	} else {
		w.brackets++
	}
}

var joints = map[syntax.BinCmdOperator]string{syntax.AndStmt: "&&", syntax.OrStmt: "||", syntax.Pipe: "|"}

func (w *walker) command(cmd syntax.Command, before string, feed *command) {
	switch cmd := cmd.(type) {
	case *syntax.CallExpr:
		w.call(cmd, before, feed)
	case *syntax.BinaryCmd:
		w.binary(cmd, before, feed)
	case *syntax.TimeClause:
		if cmd.Stmt == nil || cmd.PosixFormat {
			w.fail("It uses time without a command.")
			return
		}
		w.stmt(cmd.Stmt, strings.TrimSpace(before+" time"), feed)
	case *syntax.DeclClause:
		w.declaration(cmd, before)
	case *syntax.Subshell:
		w.brackets++
		depth, sure := w.depth, w.sure
		w.group(cmd.Stmts, before, feed)
		w.depth, w.sure = depth, sure
	case *syntax.IfClause:
		w.brackets++
		for c := cmd; c != nil; c = c.Else {
			w.group(c.Cond, before, feed)
			w.statements(c.Then)
		}
		w.unsure()
	case *syntax.Block:
		w.brackets++
		w.group(cmd.Stmts, before, feed)
	case nil:
		w.fail("It redirects without a command.")
	default:
		if !w.construct(cmd, feed) {
			w.fail("It is a shell program (%s), not a plain command.", construct(cmd))
			w.nested(cmd)
		}
	}
}

// declaration judges export of harmless variables, which is the same as setting them
// before each command.
func (w *walker) declaration(cmd *syntax.DeclClause, before string) {
	c := &command{before: before, node: cmd, words: []word{{text: cmd.Variant.Value}}, result: finding{decision: Allow, touches: reads}}
	for _, a := range cmd.Args {
		text, why, certain := w.setVariable(a, true)
		if why == "" && !certain {
			w.exported = true
			w.set(a.Name.Value, w.valueKind(a))
		}
		if why != "" || a.Value == nil {
			c.odd = "It sets variables, or their attributes, for the commands that follow."
		}
		c.words = append(c.words, word{text: text})
		w.nested(a)
	}
	if c.odd != "" || cmd.Variant.Value != "export" || len(cmd.Args) == 0 {
		c.odd = "It sets variables, or their attributes, for the commands that follow."
		c.result = asks(secrets|anything, "%s", c.odd)
	}
	w.commands = append(w.commands, c)
}

// group judges the commands between brackets. Each of them may read what is piped
// into the group.
func (w *walker) group(list []*syntax.Stmt, before string, feed *command) {
	for i, s := range list {
		if i > 0 {
			before = ";"
			w.unsure()
		}
		w.stmt(s, before, feed)
	}
}

func (w *walker) binary(cmd *syntax.BinaryCmd, before string, feed *command) {
	joint, ok := joints[cmd.Op]
	if !ok {
		w.fail("It joins commands with %s.", cmd.Op)
	}
	depth, sure := w.depth, w.sure
	w.stmt(cmd.X, before, feed)
	feed = nil
	switch {
	case joint == "|": // each side has its own folder
		w.depth, w.sure = depth, sure
		feed = &command{odd: "several commands"}
		if _, simple := cmd.X.Cmd.(*syntax.CallExpr); simple && len(w.commands) > 0 {
			feed = w.commands[len(w.commands)-1]
		} else if last, ok := cmd.X.Cmd.(*syntax.BinaryCmd); ok && last.Op == syntax.Pipe && len(w.commands) > 0 {
			feed = w.commands[len(w.commands)-1]
		}
	case joint != "&&":
		w.unsure()
	}
	w.stmt(cmd.Y, joint, feed)
	switch {
	case joint == "|":
		w.depth, w.sure = depth, sure
	case joint != "&&": // Y may not have run
		w.unsure()
	}
}

// unsure forgets folders that may not have been changed to.
func (w *walker) unsure() {
	w.depth = min(w.depth, w.sure)
	w.sure = w.depth
}

func (w *walker) call(call *syntax.CallExpr, before string, feed *command) {
	c := &command{before: before, feed: feed, fed: feed != nil || w.fed, depth: min(w.depth, w.depthFor(before)), node: call}
	for _, a := range call.Assigns {
		text, why, certain := w.setVariable(a, len(call.Args) > 0)
		if why != "" && c.odd == "" {
			c.odd = why
		}
		if !certain && len(call.Args) > 0 {
			c.env = true
			w.brackets++
		}
		c.assigns = append(c.assigns, text)
		w.nested(a)
	}
	if len(call.Args) == 0 && c.odd == "" && w.judge.policy.eased() {
		w.brackets++
		c.words, c.result = []word{{text: c.assigns[0]}}, finding{decision: Allow, touches: reads}
		w.commands = append(w.commands, c)
		return
	}
	if len(call.Args) == 0 && c.odd == "" {
		c.odd = "It only sets variables."
	}
	for _, arg := range call.Args {
		text, ok := literal(arg)
		if several := alternatives(arg.Lit()); !ok && len(c.words) > 0 && several != nil {
			c.words = append(c.words, several...)
			continue
		}
		if !ok && w.judge.policy.eased() {
			if text, ok = w.opened(arg); ok {
				w.brackets++
				c.words = append(c.words, text)
				continue
			}
		}
		if !ok && c.odd == "" {
			c.odd = fmt.Sprintf("The shell would expand a word of it (%s).", written(arg))
		}
		c.words = append(c.words, text)
		w.nested(arg)
	}
	if len(c.words) > 0 && c.words[0].quoted && c.odd == "" {
		c.odd = "The name of the program is written with quotes."
	}
	c.env = c.env || w.exported
	c.result = w.judge.command(c)
	w.commands = append(w.commands, c)
	if c.odd == "" && c.result.decision == Allow {
		w.moved(c)
	}
}

// moved notes that a command may have changed the folder.
func (w *walker) moved(c *command) {
	switch name := c.words[0].text; {
	case name == "popd":
		w.depth, w.sure = 0, 0
	case name != "cd" && name != "pushd" || len(c.words) != 2:
	case c.words[1].text == "/tmp" || own(c.words[1].text):
		w.depth, w.sure, w.away = 0, 0, true
	case c.words[1].plain():
		w.depth = max(0, c.depth+steps(c.words[1].text))
		w.sure = min(w.sure, w.depth)
	}
}

// depthFor is how deep a command after an operator certainly runs: after &&, the
// commands before it have succeeded.
func (w *walker) depthFor(before string) int {
	if strings.HasPrefix(before, "&&") || before == "" {
		return w.depth
	}
	return w.sure
}

// nested judges the commands in substitutions and in shell programs, for [Explain]:
// the line around them is asked for anyway.
func (w *walker) nested(n syntax.Node) {
	if !w.explain {
		return
	}
	if word, ok := n.(*syntax.Word); ok && word.Lit() != "" {
		return
	}
	syntax.Walk(n, func(n syntax.Node) bool {
		var inner []*syntax.Stmt
		switch n := n.(type) {
		case *syntax.CmdSubst:
			inner = n.Stmts
		case *syntax.ProcSubst:
			inner = n.Stmts
		case *syntax.Stmt:
			inner = []*syntax.Stmt{n}
		default:
			return true
		}
		w.statements(inner)
		return false
	})
}

// construct names a part of the shell's language.
func construct(cmd syntax.Command) string {
	switch cmd.(type) {
	case *syntax.WhileClause:
		return "while"
	case *syntax.ForClause:
		return "for"
	case *syntax.CaseClause:
		return "case"
	case *syntax.FuncDecl:
		return "a function"
	case *syntax.ArithmCmd, *syntax.LetClause:
		return "arithmetic"
	case *syntax.TestClause:
		return "[["
	}
	return "an unsupported construct"
}

// verdict sums up the parts. The first part with the heaviest decision gives the reason.
func (w *walker) verdict() Verdict {
	v := Verdict{Decision: Allow, ReadOnly: true}
	var names, rules []string
	certain := w.odd == ""
	for _, c := range w.commands {
		f := c.result
		if f.decision.weight() > v.Decision.weight() {
			v.Decision, v.Reason = f.decision, f.reason
		}
		if f.rule != "" && !slices.Contains(rules, f.rule) {
			rules = append(rules, f.rule)
		}
		v.ReadOnly = v.ReadOnly && f.rule == "" && f.touches&^reads == 0
		v.Rests = append(v.Rests, f.rests...)
		v.Writes = append(v.Writes, f.writes...)
		certain = certain && (f.decision == Allow || f.certain && f.stays())
		v.Runs = v.Runs || f.decision != Allow || f.touches&^(reads|writes) != 0
		v.Touches = append(v.Touches, f.touches.words()...)
		v.Packages = append(v.Packages, f.packages...)
		if len(c.words) > 0 && !slices.Contains(names, c.words[0].text) {
			names = append(names, c.words[0].text)
		}
	}
	slices.Sort(v.Touches)
	v.Touches = slices.Compact(v.Touches)
	if w.odd != "" {
		v.Decision, v.Runs = Ask, true
		if v.Reason == "" {
			v.Reason = w.odd
		}
	}
	if w.judge.policy.Level == All {
		v.Rests = nil
	}
	if why := w.unsettled(); v.Decision == Allow && why != "" {
		v.Decision, v.Reason = Ask, why
	}
	v.Task = certain && w.judge.policy.eased()
	switch {
	case v.Decision != Allow:
		v.ReadOnly = false
	case len(rules) > 0:
		v.Reason = fmt.Sprintf("The settings allow it (%s).", strings.Join(rules, ", "))
	case v.ReadOnly:
		v.Reason = fmt.Sprintf("It only reads (%s).", strings.Join(names, ", "))
	default:
		v.Reason = fmt.Sprintf("It stays in the sandbox's copy of the workspace, without network (%s).", strings.Join(names, ", "))
	}
	if w.odd == "" && w.brackets == 0 {
		v.Shape = shape(w.commands)
	}
	return v
}

// parts returns, for [Explain], the judgement of each command, and that of the whole
// line where it has one of its own.
func (w *walker) parts(policy *Policy, denied *denial) []Part {
	if !w.explain {
		return nil
	}
	var parts []Part
	for _, c := range w.commands {
		f := c.result
		p := Part{Command: written(c.node), Decision: f.decision, Reason: f.reason, Rule: f.rule, Touches: f.touches.words(), Operands: operands(c.node)}
		if c.fed {
			p.Operands = append(p.Operands, "its input: a pipe or a redirection")
		}
		if p.Rule == "" {
			p.Rule = BuiltIn
		}
		g := guard{policy: policy}
		if d := g.denied(c.node, 0); d != nil {
			p.Decision, p.Reason, p.Rule = Deny, d.reason, orBuiltIn(d.rule)
		} else if g.asked != nil {
			p.Decision, p.Reason, p.Rule = Ask, g.asked.says("ask for it"), g.asked.setting
		}
		parts = append(parts, p)
	}
	switch {
	case denied != nil:
		parts = append(parts, Part{Command: wholeLine, Decision: Deny, Reason: denied.reason, Rule: orBuiltIn(denied.rule)})
	case w.odd != "":
		parts = append(parts, Part{Command: wholeLine, Decision: Ask, Reason: w.odd, Rule: BuiltIn})
	}
	return parts
}

// wholeLine stands for the line itself among the parts of [Explain].
const wholeLine = "the whole line"

// BuiltIn is the rule where no setting decided.
const BuiltIn = "built in"

func orBuiltIn(rule string) string {
	if rule == "" {
		return BuiltIn
	}
	return rule
}
