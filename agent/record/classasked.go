package record

import (
	"fmt"
	"slices"

	"caselsp/store/lazyregexp"
)

// A user who sits at a terminal ([Task].Classify) is asked for what of the task's class nothing says: its language before
// the plan is made, because the plan depends on it; its type after that, because the plan says it as a rule.

// What a question asks of the class.
const (
	ClassLanguage = "language"
	ClassType     = "type"
)

// ClassOpen is the answer that leaves it to TARS. It is that of a user who gives none, too.
const ClassOpen = "leave it to TARS"

// maxClass is the longest name of a language or a type, in bytes: it stands in a line of prompts and reports.
const maxClass = 64

// classAsked is what the user was asked of the class, and has said.
type classAsked struct {
	NoCode      bool     // no file of the workspace was in a language when the task began
	ClassesSeen []string // what was asked
	TypeSaid    string   // the answer; "" where it was left to TARS
}

// Unsure returns what the user is to be asked of the class now; "" for nothing.
func (p *State) Unsure() string {
	seen := func(what string) bool { return slices.Contains(p.ClassesSeen, what) }
	switch {
	case !p.Task.Classify || p.Task.Single:
		return ""
	case p.Plan == nil && p.Exchanges == 0 && !seen(ClassLanguage) && p.unsureLanguage():
		return ClassLanguage
	case p.Plan != nil && !seen(ClassType) && p.unsureType():
		return ClassType
	}
	return ""
}

// unsureLanguage reports whether neither the workspace nor the task says in which language code would be written.
func (p *State) unsureLanguage() bool {
	if p.Task.Language != "" || !p.NoCode || namingLanguage.MatchString(p.Task.Text) {
		return false
	}
	kind, _ := worded(p.Task.Text)
	return !slices.Contains([]string{TypeDocs, TypeConfiguration, TypeQuestion}, kind)
}

// unsureType reports whether neither the user nor the plan, its files or the words of the task say the type.
func (p *State) unsureType() bool {
	_, sure := p.plannedType(slices.Concat(p.Plan.Create, p.Plan.Change))
	return !sure
}

// applyClass folds an answer about the class.
func (p *State) applyClass(what string, a Answer) {
	p.ClassesSeen = append(p.ClassesSeen, what)
	switch {
	case a.Text == ClassOpen:
	case what == ClassLanguage:
		p.Task.Language = FirstLine(a.Text)
	case what == ClassType:
		p.TypeSaid = FirstLine(a.Text)
	}
}

// checkClass says what is wrong with an answer about the class.
func checkClass(text string) error {
	if len(text) > maxClass {
		return fmt.Errorf("that has %d bytes, at most %d are taken: answer with a word or two", len(text), maxClass)
	}
	return nil
}

// NoCode reports whether none of some files is in a language that caselsp knows.
func NoCode(files []string) bool { return languageOf(files) == "" }

// namingLanguage finds what says in which language a task is to be done: a language, a framework or a file. A word that
// only may mean one, such as go, is taken for it: TARS reads the task anyway.
var namingLanguage = lazyregexp.New(`(?i)\b(?:python|django|flask|fastapi|pytest|javascript|js|node|nodejs|npm|react|vue|angular|svelte|express` +
	`|typescript|ts|go|golang|rust|cargo|ruby|rails|java|kotlin|scala|spring|php|laravel|perl|lua|swift|dart|flutter|haskell|elixir|erlang` +
	`|clojure|ocaml|julia|zig|nim|bash|shell|powershell|sql|html|css|web ?pages?|web ?sites?|c|r)\b` +
	`|\b[cf]#|\bc\+\+|\.net\b|\w\.[a-z]\w{0,5}\b`)
