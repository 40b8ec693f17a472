package record

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"caselsp/agent/action"
	"caselsp/agent/syntax"
	"caselsp/agent/testreport"
	"caselsp/store/lazyregexp"
)

// What type of task it is, and in which language, is computed from the journal: what the user said
// counts first, then the plan, then the words of the task. So tasks of versions that knew no types have
// one, too.

// The types of tasks.
const (
	TypeFix           = "fix"
	TypeFeature       = "feature"
	TypeRefactoring   = "refactoring"
	TypeTests         = "tests"
	TypeDocs          = "docs"
	TypeConfiguration = "configuration"
	TypeQuestion      = "question"
)

// Types returns the types that caselsp knows; a user may name another.
func Types() (all []string) {
	for _, t := range types {
		if !slices.Contains(all, t.is) {
			all = append(all, t.is)
		}
	}
	return all
}

// Class is a task's type and the language of its files, in lower case; "" where it is not known.
type Class struct {
	Type     string `json:"type,omitempty"`
	Language string `json:"language,omitempty"`
}

// String is the class in words.
func (c Class) String() string {
	switch {
	case c.Type == "":
		return c.Language
	case c.Language == "":
		return c.Type
	}
	return c.Type + " (" + c.Language + ")"
}

// Class returns the type and the language of the task as they are known now.
func (p *State) Class() Class {
	c := p.PlannedClass()
	if p.Task.Type == "" && p.Reply != "" {
		c.Type = TypeQuestion
	}
	var changed []string
	for _, f := range p.Staged.Files {
		changed = append(changed, f.Path)
	}
	if p.Task.Language == "" {
		c.Language = cmp.Or(languageOf(changed), c.Language)
	}
	return c
}

// PlannedClass is the class by the task and its plan: unlike Class, it stays as it is while the plan is
// carried out.
func (p *State) PlannedClass() Class {
	var named []string
	if p.Plan != nil {
		named = slices.Concat(p.Plan.Create, p.Plan.Change)
	}
	c := Class{Language: strings.ToLower(strings.TrimSpace(p.Task.Language))}
	c.Type, _ = p.plannedType(named)
	if c.Language == "" {
		c.Language = cmp.Or(languageOf(named), languageOf(seen(p.Plan)))
	}
	return c
}

// plannedType is the type by the task and its plan, which creates or changes the named files. It is not sure where it is only
// what most tasks are.
func (p *State) plannedType(named []string) (is string, sure bool) {
	user := strings.ToLower(strings.TrimSpace(cmp.Or(p.Task.Type, p.TypeSaid)))
	said := ""
	if p.Plan != nil {
		said = typeNamed(p.Plan.Type)
	}
	switch {
	case user != "":
		return cmp.Or(typeNamed(user), user), true
	case said != "" && !contradicted(said, named):
		return said, true
	case every(named, testreport.IsTest):
		return TypeTests, true
	case every(named, isProse):
		return TypeDocs, true
	case p.Task.Focus != nil && p.Task.Focus.Diagnostic != "":
		return TypeFix, true
	}
	return worded(cmp.Or(p.Task.Typed, p.Task.Text))
}

// seen are the files that a plan's features name.
func seen(plan *action.Plan) (files []string) {
	if plan != nil {
		for _, f := range plan.Features {
			files = append(files, f.Files...)
		}
	}
	return files
}

// types are the types by how names for them begin: models and people say bugfix, refactor, documentation.
var types = []struct{ begins, is string }{
	{"fix", TypeFix}, {"bug", TypeFix}, {"feat", TypeFeature}, {"refactor", TypeRefactoring}, {"test", TypeTests}, {"doc", TypeDocs},
	{"config", TypeConfiguration}, {"question", TypeQuestion},
}

// typeNamed is the type that a name means; "" for none.
func typeNamed(name string) string {
	name = strings.ToLower(strings.TrimSpace(name))
	for _, t := range types {
		if strings.HasPrefix(name, t.begins) {
			return t.is
		}
	}
	return ""
}

// contradicted reports whether the files that a plan creates or changes show that it is not of a type.
func contradicted(said string, files []string) bool {
	switch said {
	case TypeQuestion: // which has no plan
		return true
	case TypeTests:
		return len(files) > 0 && !slices.ContainsFunc(files, testreport.IsTest)
	}
	return every(files, testreport.IsTest) && said == TypeDocs || every(files, isProse) && said == TypeTests
}

// every reports whether there are files and all are so.
func every(files []string, is func(string) bool) bool {
	return len(files) > 0 && !slices.ContainsFunc(files, func(f string) bool { return !is(f) })
}

// prose are the endings of files that people read.
var prose = []string{".md", ".markdown", ".rst", ".adoc", ".txt"}

func isProse(file string) bool {
	return slices.Contains(prose, strings.ToLower(path.Ext(file))) && !strings.HasPrefix(path.Base(file), "requirements")
}

// saying are the words that say of which type a task is; of several in its first line, the first decides. Add,
// make and change say nothing: every type adds something.
var saying = lazyregexp.New(`(?i)\b(?:` +
	`(?P<tests>(?:unit |integration |regression )?tests?|coverage|test cases?)` +
	`|(?P<fix>(?:bug)?fix(?:es|ed)?|bugs?|repair|correct|crash(?:es|ed)?|fail(?:s|ed|ing|ure)?|broken|wrong(?:ly)?|errors?|exceptions?|traceback|regression|leaks?|hangs?)` +
	`|(?P<docs>documentation|document(?:ed|s)?|docs?|docstrings?|readme|changelog|comments?|tutorial|typos?)` +
	`|(?P<refactoring>refactor(?:ing|ed|s)?|renam(?:e|ing)|extract|simplify|clean ?up|tidy|restructure|deduplicate|inline|reorgani[sz]e|move)` +
	`|(?P<configuration>configur\w*|settings?|dependenc(?:y|ies)|requirements?|upgrade|bump|pin|dockerfile|docker|ci|workflow|makefile|pyproject|package\.json|env(?:ironment)? variables?)` +
	`)\b`)

// building are words that begin a task which builds something: what it says of errors and tests further on
// is a part of that.
var building = lazyregexp.New(`(?i)^\W*(?:please )?(?:implement|support|introduce|build|create|allow|let|show|return|accept)\b`)

// asking is how a question begins.
var asking = lazyregexp.New(`(?i)^\W*(?:why|how|what|where|when|who|which|explain|is|are|does|do|can|could|should)\b`)

// worded is the type by the words of a task. It is not sure where they say none.
func worded(text string) (is string, sure bool) {
	line := FirstLine(strings.TrimSpace(text))
	if asking.MatchString(line) && strings.HasSuffix(strings.TrimSpace(text), "?") {
		return TypeQuestion, true
	}
	m := saying.FindStringSubmatchIndex(line)
	built := building.FindString(line)
	for i, name := range saying.SubexpNames() {
		if i == 0 || m == nil || m[2*i] < 0 {
			continue
		}
		if built != "" && (name == TypeFix || m[0] > len(built)+article) {
			return TypeFeature, true
		}
		return name, true
	}
	return TypeFeature, built != ""
}

// article is the room for "a", "some" or "unit" between such a word and what is built.
const article = 6

// languageOf is the language of most files, of code before that of pages; "" for none. Data and prose are
// in none.
func languageOf(files []string) string {
	count := map[syntax.Language]int{}
	for _, f := range files {
		lang := syntax.OutlineLanguageOf(f)
		if lang == syntax.TSX {
			lang = syntax.TypeScript
		}
		if syntax.Outlined(f) {
			count[lang]++
		}
	}
	best := syntax.Unknown
	for lang, n := range count {
		if cmp.Or(cmp.Compare(code(lang), code(best)), cmp.Compare(n, count[best]), cmp.Compare(best, lang)) > 0 {
			best = lang
		}
	}
	return string(best)
}

// code orders languages: code, pages, none.
func code(lang syntax.Language) int {
	switch lang {
	case syntax.Unknown:
		return 0
	case syntax.HTML, syntax.CSS:
		return 1
	}
	return 2
}
