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
//	shell.go     verdicts
//	walk.go      splits the line into simple commands
//	word.go      what a word means
//	judge.go     one simple command
//	table.go     what is known about programs
//	wrap.go      commands that run another command
//	special.go   programs whose arguments are a language (find, sed, awk...)
//	package.go   dependencies
//	policy.go    what the user's settings say
//	shape.go     what an approval covers
//	deny.go      what never runs
package shell

import (
	"errors"
	"fmt"
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
}

// Part is the judgement of one command in a line, also of a nested one.
type Part struct {
	Command  string   `json:"command"`
	Decision Decision `json:"verdict"`
	Reason   string   `json:"reason"`
	Rule     string   `json:"rule"` // "built in", or the setting that decided
	Touches  []string `json:"touches,omitempty"`
}

// Line is a parsed command line.
type Line struct {
	text string
	file *syntax.File
}

// String returns the line as it was written.
func (l *Line) String() string { return l.text }

// maxLine bounds a command line, in bytes: a person must be able to read it before
// approving it. Longer lines can hide something in the middle.
const maxLine = 4096

// Parse reads a command line as bash does. The error tells the user why the line
// cannot be judged: it is empty, too long, contains invisible or misleading
// characters, or is not valid shell.
func Parse(line string) (*Line, error) {
	if len(line) > maxLine {
		return nil, fmt.Errorf("the command has %d bytes, more than the %d that a person reads before approving it", len(line), maxLine)
	}
	if r, ok := hidden(line); ok {
		return nil, fmt.Errorf("the command contains an invisible or misleading character (%U)", r)
	}
	file, err := parse(line)
	if err != nil {
		return nil, fmt.Errorf("the command cannot be parsed as shell: %w", err)
	}
	if len(file.Stmts) == 0 {
		return nil, errors.New("there is no command")
	}
	return &Line{text: line, file: file}, nil
}

func parse(line string) (*syntax.File, error) {
	return syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(line), "")
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
	v := w.verdict()
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
