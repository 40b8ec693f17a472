// Package validate judges source texts: it runs rules over parsed files and
// returns findings, which are the editor's diagnostics and the agent's gate.
//
// A [Rule] says once what it is called, how grave it is, which standard it
// stands for and how it checks; [Check] runs them. It hides which parser a rule
// needs. It never does I/O, never fails, and never searches raw text: rules look
// at trees.
package validate

import (
	"strings"

	"caselsp/agent/syntax"
)

// Severity is how grave a finding is. The set is closed: the gate of
// FINISH_FEATURE must know each.
type Severity string

// The severities. Only Critical findings that a task introduced block it.
const (
	Critical Severity = "critical"
	Warning  Severity = "warning"
	Info     Severity = "info"
)

// Finding is one place in one file that a rule objects to.
type Finding struct {
	Path       string          `json:"file"`
	Rule       string          `json:"rule"` // the rule's id
	Severity   Severity        `json:"severity"`
	Start, End syntax.Position // Start <= End
	Message    string          `json:"message"` // what is wrong and what to do
	Docs       string          `json:"docs"`    // address of the rule's documentation; "" where there is none

	line string // the text of the line that it starts on, without its white space
}

// Rule is one thing that is checked.
type Rule struct {
	ID        string
	Title     string // one line
	Severity  Severity
	Category  string   // the validator it belongs to, such as syntax
	Standards []string // what it stands for, such as "WCAG 1.1.1" or "CWE-95"
	Docs      string
	// Check returns the places that the rule objects to. It may be called at the
	// same time for several files.
	Check func(File) []Place
}

// File is what a rule sees of a file.
type File struct {
	Path string // slash-separated, as the finding names it
	Tree *syntax.Tree
}

// Place is where a rule objects, and in which words.
type Place struct {
	Start, End syntax.Position
	Message    string
}

// Suite is a set of rules that run together.
type Suite []Rule

// Rules returns every rule there is.
func Rules() Suite { return Suite{syntaxRule} }

// syntaxRule reports what the language's own parser refuses.
var syntaxRule = Rule{
	ID: "syntax", Title: "The file does not parse", Severity: Critical, Category: "syntax",
	Check: func(f File) []Place {
		var places []Place
		for _, e := range f.Tree.Errors() {
			places = append(places, Place{e.Start, e.End, e.Message})
		}
		return places
	},
}

// Check runs every rule over one file's text.
func Check(path, text string) []Finding { return Rules().Check(path, text) }

// Check runs the suite's rules over one file's text; the findings are in the
// order of the rules, and of each rule in the order of the text.
func (s Suite) Check(path, text string) []Finding {
	lang := syntax.LanguageOf(path)
	if lang == syntax.Unknown {
		return nil
	}
	f := File{Path: path, Tree: syntax.Parse(lang, text)}
	var findings []Finding
	for _, r := range s {
		for _, p := range r.Check(f) {
			findings = append(findings, Finding{
				Path: path, Rule: r.ID, Severity: r.Severity, Start: p.Start, End: p.End, Message: p.Message, Docs: r.Docs,
				line: lineAt(text, p.Start),
			})
		}
	}
	return findings
}

// lineAt returns the line that a position is on, without any white space: an
// edit that indents it anew makes no new finding.
func lineAt(text string, at syntax.Position) string {
	line := text[at.Offset-at.Byte:]
	if end := strings.IndexAny(line, "\r\n"); end >= 0 {
		line = line[:end]
	}
	return strings.Join(strings.Fields(line), "")
}

// Introduced returns the findings of after that before does not have. Findings
// are the same when rule, message and the text of their line are: an edit above
// moves the lines, so places do not count, and a line that was edited and is
// still wrong is the editor's to mend. Of one that was there n times, n are old.
func Introduced(before, after []Finding) []Finding {
	type what struct{ rule, message, line string }
	old := map[what]int{}
	for _, f := range before {
		old[what{f.Rule, f.Message, f.line}]++
	}
	var fresh []Finding
	for _, f := range after {
		w := what{f.Rule, f.Message, f.line}
		if old[w] > 0 {
			old[w]--
			continue
		}
		fresh = append(fresh, f)
	}
	return fresh
}

// Comment is a comment of a text: what it says, without its marks, and where it
// stands, with them.
type Comment struct {
	Text       string
	Start, End syntax.Position
}

// Comments returns the comments of a file, in order; none where the language is not known.
func Comments(path, text string) []Comment {
	var comments []Comment
	for _, c := range syntax.Comments(syntax.LanguageOf(path), text) {
		comments = append(comments, Comment{strings.TrimSpace(c.Text), c.Start, c.End})
	}
	return comments
}

// Knows reports whether the language of a file is known: of others, Check and
// Comments say nothing.
func Knows(path string) bool { return syntax.LanguageOf(path) != syntax.Unknown }
