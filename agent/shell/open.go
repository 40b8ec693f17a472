package shell

import (
	"slices"
	"strings"

	"caselsp/store/lazyregexp"

	"mvdan.cc/sh/v3/syntax"
)

// kind is what is known of text that the shell puts into a word when it runs.
type kind int

// The kinds, from what is known best. Each may be what those before it are.
const (
	closed kind = iota // there is no such text: the word is certain
	number             // a number
	entry              // a path of the workspace, or a revision: not empty, and it leads nowhere else
	member             // the same, or nothing
	free               // anything
)

// hole stands in a word for text that only the running shell knows.
const hole = unknown

// standIn takes the place of such text where a command is judged: no rule about program text,
// flags, targets or subcommands accepts it, and as part of a path it leads nowhere.
const standIn = "env system(e|getline) x"

// opened returns a word whose parts the shell expands to what is known of them, such as "$f"
// in a loop over files. The commands of its substitutions are judged with the line.
func (w *walker) opened(arg *syntax.Word) (word, bool) {
	var out word
	var b strings.Builder
	ok := true
	for i, part := range arg.Parts {
		switch part := part.(type) {
		case *syntax.Lit:
			ok = out.bare(&b, part.Value, i == 0) && (!strings.ContainsAny(part.Value, "*?[") || simpleGlob.MatchString(part.Value))
		case *syntax.SglQuoted:
			ok = !part.Dollar
			out.quoted = true
			b.WriteString(part.Value)
		case *syntax.DblQuoted:
			out.quoted = true
			ok = !part.Dollar && w.quotedParts(&out, &b, part.Parts)
		default:
			var k kind
			k, ok = w.part(part)
			out.hole(&b, k)
			_, process := part.(*syntax.ProcSubst)
			out.splits = out.splits || k > number && !process
			p, parameter := part.(*syntax.ParamExp)
			out.digits = parameter && len(arg.Parts) == 1 && statusIndex(p) != "" && statusIndex(p) != "@"
		}
		if !ok {
			return word{}, false
		}
	}
	out.text = b.String()
	if _, behind, found := strings.Cut(out.text, hole); found && (strings.Contains(behind, "..") || completed(out.text)) {
		out.open = free // "$d/.." leads out where d is a folder of the workspace
	}
	return out, !hiddenGlob.MatchString(out.text)
}

func (w *word) hole(b *strings.Builder, k kind) {
	w.open = max(w.open, k)
	b.WriteString(hole)
}

// quotedParts reads what is between double quotes, or in a here-document.
func (w *walker) quotedParts(out *word, b *strings.Builder, parts []syntax.WordPart) bool {
	for _, part := range parts {
		if lit, ok := part.(*syntax.Lit); ok {
			if !out.quotes(b, &syntax.DblQuoted{Parts: []syntax.WordPart{lit}}) || strings.HasSuffix(lit.Value, "$") && len(parts) > 1 {
				return false
			}
			continue
		}
		k, ok := w.part(part)
		if !ok {
			return false
		}
		out.hole(b, k)
		p, parameter := part.(*syntax.ParamExp)
		out.splits = out.splits || parameter && statusIndex(p) == "@"
	}
	return true
}

// part returns what is known of what the shell expands.
func (w *walker) part(part syntax.WordPart) (kind, bool) {
	switch part := part.(type) {
	case *syntax.ParamExp:
		return w.parameter(part)
	case *syntax.CmdSubst:
		if part.TempFile || part.ReplyVar {
			return free, false
		}
		return w.output(part.Stmts), true
	case *syntax.ArithmExp:
		return number, !part.Unsigned && w.arithmetic(part.X)
	case *syntax.ProcSubst:
		if part.Op != syntax.CmdIn {
			return free, false
		}
		if _, judged := w.processes[part]; !judged {
			w.processed(part)
		}
		return entry, true
	}
	return free, false
}

// given are the variables that every shell has. Others that the line does not set could be
// secrets of the environment.
var given = map[string]kind{"PWD": entry, "?": number, "#": number, "$": number, "UID": number, "RANDOM": number, "SECONDS": number, "LINENO": number,
	"HOME": free, "USER": free, "LOGNAME": free, "HOSTNAME": free, "LANG": free, "SHELL": free, "PATH": free}

// parameter returns what is known of a variable.
func (w *walker) parameter(p *syntax.ParamExp) (kind, bool) {
	if i := statusIndex(p); i == "@" {
		return free, true
	} else if i != "" {
		return member, true // a number, or nothing
	}
	if p.Param == nil || p.Excl || p.Index != nil || p.Slice != nil || p.Names != 0 || p.Width || p.NestedParam != nil || p.Flags != nil {
		return free, false
	}
	k, known := w.vars[p.Param.Value]
	if !known {
		k, known = given[p.Param.Value]
	}
	switch {
	case !known:
		return free, false
	case p.Length:
		return number, true
	case p.Repl != nil:
		return free, constant(p.Repl.Orig) && constant(p.Repl.With)
	case p.Exp == nil:
		return k, true
	}
	switch p.Exp.Op {
	case syntax.RemSmallPrefix, syntax.RemLargePrefix, syntax.RemSmallSuffix, syntax.RemLargeSuffix:
		if k == entry {
			k = member
		}
		return k, constant(p.Exp.Word)
	case syntax.UpperAll, syntax.LowerAll, syntax.UpperFirst, syntax.LowerFirst:
		return free, p.Exp.Word == nil
	case syntax.DefaultUnset, syntax.DefaultUnsetOrNull:
		return free, constant(p.Exp.Word)
	}
	return free, false
}

// constant reports whether the shell expands nothing in a word, wildcards apart.
func constant(w *syntax.Word) bool {
	ok := true
	if w != nil {
		syntax.Walk(w, func(n syntax.Node) bool {
			switch n := n.(type) {
			case nil, *syntax.Word, *syntax.Lit, *syntax.DblQuoted:
			case *syntax.SglQuoted:
				ok = ok && !n.Dollar
			default:
				ok = false
			}
			return ok
		})
	}
	return ok
}

var operators = []string{"+", "-", "*", "/", "%", "++", "--", "=", "+=", "-=", "<", ">", "<=", ">=", "==", "!=", "&&", "||"}

// arithmetic reports whether an expression has only numbers in it: bash evaluates the text of
// any other variable, which may hold a subscript that runs a command.
func (w *walker) arithmetic(x syntax.ArithmExpr) bool {
	switch x := x.(type) {
	case *syntax.Word:
		if p, ok := soleParameter(x); ok {
			k, known := w.parameter(p)
			return known && k == number
		}
		return whole.MatchString(x.Lit()) || w.vars[x.Lit()] == number
	case *syntax.BinaryArithm:
		return slices.Contains(operators, x.Op.String()) && w.arithmetic(x.X) && w.arithmetic(x.Y)
	case *syntax.UnaryArithm:
		return w.arithmetic(x.X)
	case *syntax.ParenArithm:
		return w.arithmetic(x.X)
	}
	return false
}

func soleParameter(w *syntax.Word) (*syntax.ParamExp, bool) {
	if len(w.Parts) != 1 {
		return nil, false
	}
	p, ok := w.Parts[0].(*syntax.ParamExp)
	return p, ok
}

// output judges the commands of a substitution with the line and returns what they print.
func (w *walker) output(list []*syntax.Stmt) kind {
	w.brackets++
	depth, sure := w.depth, w.sure
	w.group(list, ";", nil)
	w.depth, w.sure = depth, sure
	if len(list) != 1 || len(w.commands) == 0 {
		return free
	}
	return printed(w.commands[len(w.commands)-1])
}

var (
	dateFormat = lazyregexp.New(`^\+[\w%.:-]*$`)
	revisions  = lazyregexp.New(`^git (rev-parse( --(short|verify|abbrev-ref|show-toplevel|show-prefix|quiet))*( [\w@][\w./~^@-]*)?|merge-base( [\w@][\w./~^@-]*){2}|describe( --(tags|always|abbrev=\d+))*|branch --show-current)$`)
)

// printed returns what is known of what a command prints.
func printed(c *command) kind {
	if c.odd != "" || c.result.decision != Allow || c.result.rule != "" || len(c.words) == 0 {
		return free
	}
	line := join(c.words)
	for i, w := range c.words {
		if w.open > member || i > 0 && inside(word{text: strings.TrimPrefix(w.text, "+"), glob: w.glob}, 0) != "" {
			return free
		}
	}
	switch name := c.words[0].text; {
	case lists(c), name == "pwd", name == "go" && strings.HasPrefix(line, "go list ") && !strings.Contains(line, " -f"):
		return entry
	case name == "ls" && !strings.Contains(line, " -"), name == "basename", name == "dirname", selects(c):
		return member
	case name == "nproc", name == "seq" && !strings.Contains(line, " -"), name == "wc" && slices.Contains([]string{"wc -l", "wc -w", "wc -c"}, line):
		return number
	case name == "date" && len(c.words) == 2 && dateFormat.MatchString(c.words[1].text), revisions.MatchString(line):
		return entry
	}
	return free
}

// processed judges the commands of <(...), which may only read, and returns the one whose output it is.
func (w *walker) processed(part *syntax.ProcSubst) *command {
	if w.processes == nil {
		w.processes = map[*syntax.ProcSubst]*command{}
	}
	if c, judged := w.processes[part]; judged {
		return c
	}
	first := len(w.commands)
	w.output(part.Stmts)
	for _, c := range w.commands[first:] {
		if c.result.decision == Allow && c.result.touches&^reads != 0 {
			c.result = asks(c.result.touches|anything, "It changes or runs something to make the input of another command (%s).", written(c.node))
		}
	}
	last := &command{odd: "several commands"}
	if len(part.Stmts) == 1 && len(w.commands) > 0 {
		last = w.commands[len(w.commands)-1]
	}
	w.processes[part] = last
	return last
}

// soleProcess returns the process substitution that is all of the input of a statement, nil where there is none.
func soleProcess(list []*syntax.Redirect) *syntax.ProcSubst {
	var found *syntax.ProcSubst
	for _, r := range list {
		if !takes(r) {
			continue
		}
		if r.Op != syntax.RdrIn || r.N != nil || found != nil || r.Word == nil || len(r.Word.Parts) != 1 {
			return nil
		}
		p, ok := r.Word.Parts[0].(*syntax.ProcSubst)
		if !ok || p.Op != syntax.CmdIn {
			return nil
		}
		found = p
	}
	return found
}

// forget makes of what is known of variables and folders what holds also where the statement ran in the background, with
// its output redirected, as shells read cmd &> file that do not have that redirection.
func (w *walker) forget() {
	w.depth, w.sure = 0, 0
	for name, k := range w.vars {
		w.vars[name] = max(k, member)
	}
}

// selects reports whether a command prints some of the names that ls prints.
func selects(c *command) bool {
	for c != nil && c.feed != nil && c.odd == "" && c.result.decision == Allow && len(c.words) > 0 {
		cut := slices.Contains([]string{"sort", "head", "tail", "uniq"}, c.words[0].text) && !slices.ContainsFunc(c.words[1:], func(w word) bool { return !cutting.MatchString(w.text) })
		if !cut && !chooses(c) {
			return false
		}
		if c = c.feed; listing(c) {
			return true
		}
	}
	return false
}

// cutting matches what sort, head and tail may have where they only choose lines.
var cutting = lazyregexp.New(`^(-[nrVu]+|-?\d+|-n\d+)$`)

// set notes that the line sets a variable. A variable is all that it is set to anywhere
// in the line, since it is not followed which of that comes last.
func (w *walker) set(name string, k kind) {
	if w.vars == nil {
		w.vars = map[string]kind{}
	}
	w.vars[name] = max(w.vars[name], k)
}

// kindOf returns what is known of a word as the value of a variable.
func kindOf(v word, depth int) kind {
	switch {
	case v.open == free, strings.HasPrefix(v.text, "-"), strings.ContainsAny(v.text, " \t\n"), inside(word{text: v.text, glob: v.glob}, depth) != "":
		return free
	case v.open != closed && v.text == hole:
		return v.open
	case v.text == "":
		return member
	case v.status, v.open == closed && whole.MatchString(v.text):
		return number
	}
	return entry
}

// tells are the programs to which any words may be given: they only print or compare them.
var tells = []string{"echo", "printf", "true", "false", ":", "exit"}

// systemInfo are files that every user of a machine may read, and that say only what kind of
// machine it is: no names of people, no settings, no environment.
var systemInfo = []string{"/etc/os-release", "/usr/lib/os-release", "/etc/lsb-release", "/etc/debian_version", "/etc/alpine-release", "/etc/redhat-release", "/proc/cpuinfo", "/proc/meminfo", "/proc/version", "/proc/loadavg",
	"/proc/uptime", "/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/cpu.max", "/tmp"}

// counted reports whether a word says how many jobs a build tool starts at once, and is a number.
func counted(before string, w word) bool {
	if w.open != number {
		return false
	}
	return w.text == "-j"+hole || w.text == hole && slices.Contains([]string{"-j", "--jobs", "--parallel"}, before)
}

// easy judges a command of a line that stays on the private copy: words that the shell
// expands, and paths below /tmp, which is the sandbox's own, are judged by stand-ins.
func (j judge) easy(c *command, s scope) finding {
	most, temporary, system := closed, false, false
	words := slices.Clone(c.words)
	for i, w := range words {
		if i > 0 && counted(words[i-1].text, w) {
			words[i] = word{text: strings.ReplaceAll(w.text, hole, "4")}
			continue
		}
		most = max(most, w.open)
		if w.open != closed {
			words[i].text, words[i].open = strings.ReplaceAll(w.text, hole, standIn), closed
		}
		_, runsOthers := wraps[c.words[0].text]
		if rest, ok := strings.CutPrefix(w.text, "/tmp/"); ok && !runsOthers && w.open == closed && !strings.Contains(rest, "..") && rest != "" {
			words[i].text, temporary = "tmp/"+rest, true
		}
		if slices.Contains(systemInfo, w.text) && !runsOthers && w.plain() {
			words[i].text, temporary, system = "tmp/info", true, true
		}
	}
	if most == closed && !temporary {
		return j.words(words, s)
	}
	if system {
		if f := j.words(words, s).without(); most == closed && f.decision == Allow && f.touches == reads {
			return f
		}
		return j.words(c.words, s)
	}
	if most == closed {
		f := j.words(words, s).without()
		if f.decision != Allow || f.touches&runs != 0 {
			return j.words(c.words, s)
		}
		return f
	}
	unclear := asks(anything|outside, "A word of it is known only when the command runs (%s).", written(c.node))
	name := c.words[0].text
	f := finding{decision: Allow, touches: reads}
	switch {
	case c.words[0].open != closed:
		return asks(anything, "It is not known which program it runs.")
	case slices.Contains(tells, name):
		if name == "printf" && (!c.words[1].plain() || strings.HasPrefix(c.words[1].text, "-")) {
			return unclear
		}
		return f
	case name == "test" || name == "[":
		return tested(c.words, unclear)
	case most == free, slices.Contains([]string{"rm", "rmdir", "unlink"}, name):
		return unclear
	}
	for i, w := range c.words {
		if _, behind, found := strings.Cut(w.text, hole); found && w.open == member && strings.HasPrefix(behind, "/") {
			return unclear // "$d/x" is /x where d is empty
		}
		if i > 0 && w.open == member && w.splits && name == "cd" {
			return unclear
		}
	}
	if f = j.words(words, s).without(); f.decision != Allow {
		return unclear
	}
	return f
}

var (
	oneOperand  = lazyregexp.New(`^-[bcdefghLprsSuwxzn]$`)
	twoOperands = lazyregexp.New(`^(=|==|!=|<|>|-(eq|ne|lt|le|gt|ge|nt|ot|ef))$`)
)

// tested judges test with words that the shell expands: where it stands which words are
// operators, what they compare can be anything.
func tested(words []word, unclear finding) finding {
	words = words[1:]
	if n := len(words); n > 0 && words[n-1].text == "]" {
		words = words[:n-1]
	}
	if len(words) > 0 && words[0].text == "!" && words[0].plain() {
		words = words[1:]
	}
	for _, w := range words {
		if w.splits && !w.digits || w.glob {
			return unclear
		}
	}
	switch n := len(words); {
	case n == 1, n == 2 && words[0].plain() && oneOperand.MatchString(words[0].text), n == 3 && words[1].plain() && twoOperands.MatchString(words[1].text):
		return finding{decision: Allow, touches: reads}
	}
	return unclear
}

// completed reports whether a word could be the name of a secret file of which a variable
// has a part, as in ".e$x".
func completed(text string) bool {
	for part := range strings.SplitSeq(text, "/") {
		before, behind, found := strings.Cut(part, hole)
		if !found || before == "" && behind == "" {
			continue
		}
		if secretPart(strings.ReplaceAll(part, hole, "x")) || strings.HasSuffix(behind, ".env") {
			return true
		}
		dotted := before == "" && strings.HasPrefix(behind, ".")
		if !dotted && slices.ContainsFunc(secretNames, func(name string) bool {
			return len(name) > len(before)+len(behind) && strings.HasPrefix(name, strings.ToLower(before)) && strings.HasSuffix(name, strings.ToLower(behind))
		}) {
			return true
		}
	}
	return false
}
