// Package validate judges source texts: it runs rules over parsed files and
// returns findings, which are the editor's diagnostics and the agent's gate.
//
// A [Rule] says once what it is called, how grave it is, which standard it
// stands for, why it matters, what breaks it and what keeps it, and how it
// checks. Rules look at trees, never at raw text: at pages and style sheets as
// package dom has them and at the parse trees of package syntax, through the
// [File] of their [Pass]. What a rule needs to know of other files it asks the
// [Project], which remembers the question: when a file changes, only those
// files are checked again whose questions have another answer now.
//
// The rules themselves live in the packages below rules, one family a package;
// package rules assembles them. This package knows no family. What two families
// need lies in package dom (pages, style sheets, the accessibility tree), ecma
// (names, flow and regular expressions of programs) or syntax.
//
// How the package lies on disk:
//
//	rule.go      Rule, Severity, Category: what every rule must say
//	file.go      File: one text, parsed once, and the code and styles inside it
//	pass.go      Pass: what a rule's Check is given, and the shapes of checks
//	shape.go     more shapes: of people's own files, of style sheets
//	dialect.go   template tags of Django and Jinja in a page
//	reads.go     which files are read, which are tests, which may hold secrets
//	facts.go     what a file states that rules about other files ask for
//	project.go   Project: many files, and what they say of each other
//	recheck.go   what is judged again when a file changes, and what is kept for it
//	needle.go    which of some short texts a file holds, in one pass over it
//	suite.go     Suite: the rules that run, as the user's settings have them
//	suppress.go  comments that switch rules off for a line or a file
//	fix.go       edits of fixes, and the fix that switches a rule off
//	docs.go      the rules' documentation, rules.md
//	reported.go  findings of other people's linters
//
// To add a rule:
//
//  1. Write an entry in the table of the file that it fits, in the package of its
//     family (rules/html/tag.go: var tagRules = []validate.Rule{…}); a new table is
//     named once in the family's rules.go. The check is a shape of pass.go around a
//     function of one element, declaration or node. Bad and Good are short texts: a
//     test proves that the one breaks the rule, that the other keeps it, and that
//     the rule is silent when the one stands in a comment or in a string.
//  2. Put rules/testdata/<category>/<rule id>.txtar beside it: real source, taken
//     from life, files that break the rule under fail/ and files that keep it under
//     pass/; each of the two folders is a project. The text above the first file
//     says where it was taken from. A line that a finding begins on ends in
//     @diag(rule-id), or in @diag(rule-id "the source that it covers"); marks are cut
//     out before the text is parsed. Only findings of the archive's own rule are
//     compared.
//  3. go test ./agent/validate/rules -update writes rules.md anew.
//
// A rule that is not sure is silent: people switch off what is wrong one time in
// ten. What a template or a script framework writes is unknown, and the unknown
// breaks no rule. A message says what is wrong and what to do, in one sentence
// or two, with the names that stand in the source. A fix is offered only where
// it is certain: where nobody could have meant anything else.
//
// The package never does I/O and never fails: of a broken text, what can be
// seen is judged.
package validate

import (
	"strings"

	"caselsp/agent/syntax"
	"caselsp/store/lazyregexp"
)

// Finding is one place in one file that a rule objects to.
type Finding struct {
	Path       string          `json:"file"`
	Rule       string          `json:"rule"` // the rule's id
	Severity   Severity        `json:"severity"`
	Start, End syntax.Position // Start <= End
	Message    string          `json:"message"`             // what is wrong and what to do
	Standards  []string        `json:"standards,omitempty"` // of the rule
	Docs       string          `json:"docs"`                // where the rule is documented; "" where it is not
	Fix        *Fix            `json:"fix,omitempty"`       // nil where none is certain

	line string // the text of the line that it starts on, without its white space
}

// Fix is a change of the finding's file that certainly mends it.
type Fix struct {
	Title string `json:"title"` // what it does, for a menu: Add rel="noopener"
	Edits []Edit `json:"edits"` // in order, not overlapping
}

// Edit puts New in the place of the bytes from Start to End.
type Edit struct {
	Start int    `json:"start"`
	End   int    `json:"end"`
	New   string `json:"new"`
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

// places are what messages say of other places in the code: an edit moves them.
var places = lazyregexp.New(`[\w./-]*\w\.\w+:\d+(?::\d+)?|\d+`)

// Introduced returns the findings of after that before does not have. Findings
// are the same when rule, message and the text of their line are: an edit above
// moves the lines, so places do not count, in messages neither, and a line that was edited and is
// still wrong is the editor's to mend. Of one that was there n times, n are old.
func Introduced(before, after []Finding) []Finding {
	type what struct{ rule, message, line string }
	old := map[what]int{}
	said := func(f Finding) what { return what{f.Rule, places.ReplaceAllString(f.Message, "#"), f.line} }
	for _, f := range before {
		old[said(f)]++
	}
	var fresh []Finding
	for _, f := range after {
		w := said(f)
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
