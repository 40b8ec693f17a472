// Package shell parses a command line as a shell does and gives a verdict: run it
// without asking, ask the user, or never run it.
//
// It hides the shell's grammar (mvdan.cc/sh), what is known about programs and
// their flags (programs.txt, risks.txt), and which commands only look harmless. It
// never runs anything, never expands anything and does no I/O. It never allows a
// line that it does not fully understand: every simple command in it must consist
// of words whose meaning is certain, name a known program, and have only flags
// that are known to be safe. A list of allowed prefixes lost to this because such
// lists have always been bypassed; a list of forbidden prefixes because it is
// never complete. The denials (deny.go) are therefore not the line of defence:
// what they miss is asked for.
//
// The library reads the language of bash, and not always as bash does: a comment that
// ends in a backslash hid the next line. Lines run in bash where the sandbox has one and
// in its /bin/sh (dash, busybox) elsewhere. So each line is read twice, and it is allowed,
// given a shape or covered by one only when the library's tree has exactly the words and
// operators that our own reader finds, which knows only what all POSIX shells have in
// common. Printing the tree and running that instead lost: what the user approves must be
// what runs, and a wrong tree prints well. A parser of our own alone lost, too: nothing
// would check it.
//
//	shell.go     verdicts
//	reading.go   a line's tokens, as every shell reads them
//	readword.go  the words among them
//	tokens.go    the same from the library's tree
//	walk.go      splits the line into simple commands
//	word.go      what a word means; braces.go has those that bash makes several of
//	judge.go     one simple command
//	table.go     what is known about programs
//	wrap.go      commands that run another command
//	special.go   programs whose arguments are a language (find, sed, awk...)
//	package.go   dependencies
//	policy.go    what the user's settings say
//	level.go     how much a policy eases, and what is eased: change.go (files), construct.go (loops, redirections), open.go
//	             (words that the shell expands), variable.go, task.go and sandbox.txt (programs), rest.go (what the user wrote)
//	shape.go     what an approval covers
//	deny.go      what never runs
package shell

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"
)

// Decision says whether a command line runs.
type Decision string

// The decisions.
const (
	Allow Decision = "allow" // runs without asking
	Ask   Decision = "ask"   // runs only when the user approves it
	Deny  Decision = "deny"  // never runs
)

// weight orders decisions: the heaviest decision in a line decides.
func (d Decision) weight() int { return strings.Index("allow ask deny", string(d)) }

// Verdict is the judgement of one command line.
type Verdict struct {
	Decision    Decision
	Reason      string // one sentence for the user
	Alternative string // of a denial: what can be done instead
	// Shape is what a standing approval would cover; see [Covers]. It is ""
	// where the user must be asked every time.
	Shape    string
	ReadOnly bool     // allowed, changes nothing, and runs no code of the workspace
	Touches  []string // what it can touch, in words
	Packages []string // the dependencies that it would add, such as "pypi:requests@2.31.0"
	Parts    []Part   // of [Explain]
	// Rests is what an allowed line rests on: entries of the user's files, by which alone
	// it is allowed. Who asks for the verdict compares them with what the task staged.
	Rests []Rest
	// Runs says that the line may run code that it does not name: it does more than read and
	// change files, or it is not known what it does.
	Runs bool
	// Writes are files that the line writes by name, as far as it has names: none of them
	// may be one that programs obey. What is only made or removed, and may be a folder, ends in a slash.
	Writes []string
	// Task says that the user may allow this line for a whole task, where they are asked: all that
	// it can do stays on the private copy, and it is certain which programs it runs.
	Task bool
}

// Part is the judgement of one command in a line, also of a nested one.
type Part struct {
	Command  string   `json:"command"`
	Decision Decision `json:"verdict"`
	Reason   string   `json:"reason"`
	Rule     string   `json:"rule"` // "built in", or the setting that decided
	Touches  []string `json:"touches,omitempty"`
	// Operands are its arguments, whole: the words that are neither program names nor
	// flags, the values of flags, and what it is fed.
	Operands []string `json:"-"`
}

// Line is a parsed command line.
type Line struct {
	text string
	file *syntax.File
	odd  string // why the line is never allowed without asking; see [parse]
}

// String returns the line as it was written.
func (l *Line) String() string { return l.text }

// maxLine bounds a command line, in bytes: a person must be able to read it before
// approving it. Longer lines can hide something in the middle.
const maxLine = 4096

// Parse reads a command line as bash does. The error tells the user why the line
// cannot be judged: it is empty, too long or not valid shell.
func Parse(line string) (*Line, error) {
	if len(line) > maxLine {
		return nil, fmt.Errorf("the command has %d bytes, more than the %d that a person reads before approving it", len(line), maxLine)
	}
	unclear := Legible(line)
	file, odd, err := parse(line)
	switch {
	case err != nil && unclear != nil:
		return nil, unclear
	case err != nil:
		return nil, fmt.Errorf("the command cannot be parsed as shell: %w", err)
	case len(file.Stmts) == 0:
		return nil, errors.New("there is no command")
	case unclear != nil:
		odd = sentence(unclear)
	}
	return &Line{text: line, file: file, odd: odd}, nil
}

// parse reads a text twice: as [reader] does, and with the library, which is given the
// text without the comments and continued lines that the reader found (offsets stay).
// odd says, in a sentence for the user, why the two readings do not vouch for each
// other; the tree is then the library's alone, good for denials and for nothing else.
func parse(text string) (file *syntax.File, odd string, err error) {
	tokens, plain, unread := readTokens(text)
	if unread != "" {
		plain = text
	}
	file, err = syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(plain), "")
	if err != nil {
		return nil, "", err
	}
	if unread != "" {
		return file, fmt.Sprintf("It uses %s, which is easily misread.", unread), nil
	}
	if same, ok := treeTokens(file.Stmts); !ok || !slices.Equal(tokens, same) {
		return file, "It can be read in more than one way.", nil
	}
	return file, "", nil
}

// Judge gives the verdict on a command line under a policy.
func Judge(line string, policy Policy) Verdict { return judged(line, &policy, false) }

// Explain is [Judge] with the judgement of every command in the line.
func Explain(line string, policy Policy) Verdict { return judged(line, &policy, true) }

func judged(line string, policy *Policy, explain bool) Verdict {
	l, err := Parse(line)
	if err != nil {
		return Verdict{Decision: Ask, Reason: sentence(err)}
	}
	w := walker{judge: judge{policy}, explain: explain}
	w.statements(l.file.Stmts)
	if l.odd != "" {
		w.fail("%s", l.odd)
	}
	v := w.verdict()
	if Legible(line) != nil {
		v.Reason = l.odd
	}
	g := guard{policy: policy}
	if d := g.denied(l.file, 0); d != nil {
		return Verdict{Decision: Deny, Reason: d.reason, Alternative: d.alternative, Touches: v.Touches, Parts: w.parts(policy, d)}
	}
	if g.asked != nil && v.Decision == Allow {
		v = Verdict{Decision: Ask, Reason: g.asked.says("ask for it"), Touches: v.Touches}
	} else if g.asked != nil {
		v.Shape = "" // the setting wants to be asked every time
	}
	v.Parts = w.parts(policy, nil)
	return v
}

// sentence writes an error as a sentence.
func sentence(err error) string {
	s := err.Error()
	return strings.ToUpper(s[:1]) + s[1:] + "."
}

// The most empty lines in a row, and blanks side by side, that a line may have. Code in a
// here-document has two and is indented; more would push a part of the line out of sight.
const (
	maxEmpty  = 3
	maxBlanks = 60
)

// Legible returns an error for a command line of which a reader could miss a part: it has invisible or misleading characters, or is padded with blanks or empty lines.
// No honest command needs them, so agents may not even ask for one (package action); one
// that comes from elsewhere is asked for every time.
func Legible(line string) error {
	if r, ok := hidden(line); ok {
		return fmt.Errorf("the command contains an invisible or misleading character (%U)", r)
	}
	empty, blanks := 0, 0
	for _, r := range line {
		switch r {
		case '\n':
			empty++
			blanks = 0
		case ' ', '\t':
			blanks++
		default:
			empty, blanks = 0, 0
		}
		if empty > maxEmpty+1 {
			return fmt.Errorf("the command has more than %d empty lines in a row, which can push a part of it out of sight", maxEmpty)
		} else if blanks > maxBlanks {
			return fmt.Errorf("the command has more than %d blanks side by side, which can push a part of it out of sight", maxBlanks)
		}
	}
	return nil
}

// hidden returns the first invisible or misleading character of a line: control
// characters, marks that reverse the direction of text, unusual spaces, fillers
// and variation selectors.
func hidden(line string) (rune, bool) {
	for _, r := range line {
		switch {
		case r == '\n' || r == '\t' || r >= ' ' && r < 0x7f:
		case r == utf8.RuneError, !unicode.IsPrint(r), unicode.Is(unicode.Variation_Selector, r), unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r), r == '\u2800':
			return r, true
		}
	}
	return 0, false
}
