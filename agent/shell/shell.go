// Package shell parses a command line as a shell does and gives a verdict: may
// it run at once, must the user be asked, or is it never run.
//
// It hides the shell's grammar (mvdan.cc/sh), what is known of programs and
// their flags, and what looks harmless and is not. It never runs anything, never
// expands anything and does no I/O. It never allows what it does not fully
// understand: a line is allowed only when every simple command in it is made of
// literal words, is a program known to only read, and has only flags known to be
// safe. A list of allowed prefixes lost to this because every one has been
// bypassed; a list of forbidden ones because it is never complete. The denials
// (deny.go) are therefore no fence: what they miss is asked for.
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

// Verdict is the judgement of one command line.
type Verdict struct {
	Decision    Decision `json:"verdict"`
	Reason      string   `json:"reason"`                // one sentence for the user
	Alternative string   `json:"alternative,omitempty"` // of a denial: what can be done instead
	// Shape is what an "always allow this here" would remember: the line with its
	// words quoted in one way. It covers this program with these flags and
	// operands and nothing else. "" for what must be asked for every time.
	Shape string `json:"shape,omitempty"`
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

// Judge gives the verdict on a command line.
func Judge(line string) Verdict {
	l, err := Parse(line)
	if err != nil {
		return Verdict{Decision: Ask, Reason: sentence(err)}
	}
	if d := l.denial(); d != nil {
		return Verdict{Decision: Deny, Reason: d.reason, Alternative: d.alternative}
	}
	commands, odd := l.plain()
	if odd != "" {
		return Verdict{Decision: Ask, Reason: odd}
	}
	v := Verdict{Decision: Allow, Shape: shape(commands)}
	var names []string
	for _, c := range commands {
		if why := reads(c.words); why != "" {
			v.Decision, v.Reason = Ask, why
			return v
		}
		names = append(names, c.words[0])
	}
	v.Reason = fmt.Sprintf("It only reads (%s).", strings.Join(names, ", "))
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
	for i, r := range line {
		switch {
		case r == '\n' || r == '\t' || r == ' ':
		case r == utf8.RuneError && !strings.HasPrefix(line[i:], "\uFFFD"):
			return r, true
		case !unicode.IsPrint(r), unicode.Is(unicode.Variation_Selector, r), unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r), r == '\u2800':
			return r, true
		}
	}
	return 0, false
}
