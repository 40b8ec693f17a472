// Package shell parses a command line as a shell does and gives a verdict: may
// it run at once, must the user be asked, or is it never run.
//
// It hides the shell's grammar (mvdan.cc/sh), what is known of programs and
// their flags (programs.txt, risks.txt), and what looks harmless and is not. It
// never runs anything, never expands anything and does no I/O. It never allows
// what it does not fully understand: a line is allowed only when every simple
// command in it is made of words whose meaning is certain, is a known program,
// and has only flags known to be safe. A list of allowed prefixes lost to this
// because every one has been bypassed; a list of forbidden ones because it is
// never complete. The denials (deny.go) are therefore no fence: what they miss is
// asked for.
//
//	shell.go     verdicts
//	walk.go      the line taken apart into simple commands
//	word.go      what a word means
//	judge.go     one simple command
//	table.go     what is known of programs
//	wrap.go      commands that run another
//	special.go   programs whose arguments are a language (find, sed, awk...)
//	package.go   dependencies
//	policy.go    what the user's settings say
//	shape.go     what an approval covers
//	deny.go      what is never run
package shell

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"
)

// Decision is what becomes of a command line.
type Decision string

// The decisions.
const (
	Allow Decision = "allow" // runs without asking
	Ask   Decision = "ask"   // runs only when the user says so
	Deny  Decision = "deny"  // never runs
)

// weight orders decisions: of several, the heaviest holds.
func (d Decision) weight() int { return strings.Index("allow ask deny", string(d)) }

// Verdict is the judgement of one command line.
type Verdict struct {
	Decision    Decision
	Reason      string // one sentence for the user
	Alternative string // of a denial: what can be done instead
	// Shape is what an "always allow this here" would remember; see [Covers]. ""
	// for what must be asked for every time.
	Shape    string
	ReadOnly bool     // it is allowed, and changes nothing and runs no code of the workspace
	Touches  []string // what it can touch, in words
	Packages []string // the dependencies that it would add, such as "pypi:requests@2.31.0"
	Parts    []Part   // of [Explain]
}

// Part is the judgement of one command within a line, wherever it stands.
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

// maxLine bounds a command line, in bytes: what a person still reads before
// saying yes. Longer ones can hide something in the middle.
const maxLine = 4096

// Parse reads a command line as bash does. The error says, for the user, why the
// line cannot be judged: it is empty, too long, holds characters
// that do not show as what they are, or is not valid shell.
func Parse(line string) (*Line, error) {
	if len(line) > maxLine {
		return nil, fmt.Errorf("the command has %d bytes, more than can be read at a glance (%d)", len(line), maxLine)
	}
	if r, ok := hidden(line); ok {
		return nil, fmt.Errorf("the command holds a character that does not show as what it is (%U)", r)
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

// sentence makes an error one.
func sentence(err error) string {
	s := err.Error()
	return strings.ToUpper(s[:1]) + s[1:] + "."
}

// hidden returns the first character of a line that does not show as what it
// is: control characters, marks that reverse the direction of text, blanks of
// other widths, fillers and variation selectors.
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
