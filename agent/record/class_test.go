package record

import (
	"testing"

	"caselsp/agent/action"
)

// TestTypeOf: the words of a task say its type where nobody else does.
func TestTypeOf(t *testing.T) {
	for text, want := range map[string]string{
		"Fix the date of the invoice":                              TypeFix,
		"parse_date crashes on the 30th of February":               TypeFix,
		"TypeError in total(): fix it and add a test":              TypeFix,
		"The test of parse_date fails":                             TypeTests,
		"Tests fail: parse_date returns None":                      TypeTests,
		"Add tests for parse_date":                                 TypeTests,
		"Write a regression test for the fix of #12":               TypeTests,
		"Create a test for parse_date":                             TypeTests,
		"Document the settings":                                    TypeDocs,
		"Add a docstring to each function":                         TypeDocs,
		"Correct the README":                                       TypeFix,
		"Rename parse to parse_date":                               TypeRefactoring,
		"Move the helpers into a module of their own":              TypeRefactoring,
		"Upgrade Django to 5.0":                                    TypeConfiguration,
		"Pin the requirements":                                     TypeConfiguration,
		"Add a button that exports the table":                      TypeFeature,
		"Implement a retry for requests that end with an error":    TypeFeature,
		"Show an error page where the item is missing":             TypeFeature,
		"Return 404 instead of 500":                                TypeFeature,
		"Why does this default to 100 kB?":                         TypeQuestion,
		"How do I fix this error?":                                 TypeQuestion,
		"What a mess: refactor it":                                 TypeRefactoring,
		"":                                                         TypeFeature,
		"Ein Knopf, der exportiert":                                TypeFeature,
		"greet the world\n\nThe test of it fails with a traceback": TypeFeature,
	} {
		if got, _ := worded(text); got != want {
			t.Errorf("%q: got %s, want %s", text, got, want)
		}
	}
}

// TestTaught: of a diagnostic's fix its message is kept, which other projects have, too, and not its place.
func TestTaught(t *testing.T) {
	for want, task := range map[string]Task{
		"reject it":                     {Text: "reject it", Focus: &Focus{Path: "a.py"}},
		"undefined name 'x' (pyflakes)": {Text: "Fix this diagnostic in a.py, line 3: undefined name 'x' (pyflakes)", Focus: &Focus{Diagnostic: "undefined name 'x'", Source: "pyflakes"}},
		"undefined":                     {Text: "Fix this diagnostic in a.py, line 3: undefined", Focus: &Focus{Diagnostic: "undefined"}},
	} {
		if got := task.Taught(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// TestClass: the user's word counts first, then that of the plan unless its files show that it is wrong, then
// the words of the task; the language is that of what was changed, else of what the plan names.
func TestClass(t *testing.T) {
	type files = []string
	for name, tt := range map[string]struct {
		task    Task
		plan    *action.Plan
		changed files
		reply   string
		want    string
	}{
		"nothing":                {Task{Text: "greet"}, nil, nil, "", "feature"},
		"the user":               {Task{Text: "Fix it", Type: "Bugfix", Language: "Python"}, &action.Plan{Type: "docs", Change: files{"a.go"}}, files{"a.go"}, "", "fix (python)"},
		"the user's own type":    {Task{Text: "Fix it", Type: "chore"}, &action.Plan{Type: "docs"}, nil, "", "chore"},
		"the plan":               {Task{Text: "Fix it"}, &action.Plan{Type: "refactor", Change: files{"a.go", "b.py", "c.py", "r.md"}}, nil, "", "refactoring (python)"},
		"short names":            {Task{Text: "x"}, &action.Plan{Type: "config", Change: files{"a.json"}}, nil, "", "configuration"},
		"left out":               {Task{Text: "Fix it"}, &action.Plan{Change: files{"a.tsx"}}, nil, "", "fix (typescript)"},
		"unknown":                {Task{Text: "Fix it"}, &action.Plan{Type: "perf"}, nil, "", "fix"},
		"a plan is no question":  {Task{Text: "Fix it"}, &action.Plan{Type: "question", Change: files{"a.go"}}, nil, "", "fix (go)"},
		"tests without tests":    {Task{Text: "Fix it"}, &action.Plan{Type: "tests", Change: files{"a.go"}}, nil, "", "fix (go)"},
		"all are tests":          {Task{Text: "Cover it"}, &action.Plan{Create: files{"tests/test_a.py"}}, nil, "", "tests (python)"},
		"all are prose":          {Task{Text: "Say it"}, &action.Plan{Change: files{"docs/a.md", "README.rst"}}, nil, "", "docs"},
		"requirements":           {Task{Text: "Pin it"}, &action.Plan{Change: files{"requirements.txt"}}, nil, "", "configuration"},
		"files to see":           {Task{Text: "x"}, &action.Plan{Features: []action.Feature{{Files: files{"a.rb"}}}}, nil, "", "feature (ruby)"},
		"what was changed":       {Task{Text: "x"}, &action.Plan{Change: files{"a.py"}}, files{"b.js", "p.html", "q.html", "x.bin"}, "", "feature (javascript)"},
		"answered":               {Task{Text: "Fix it"}, nil, nil, "It is.", "question"},
		"a diagnostic":           {Task{Text: "x", Focus: &Focus{Diagnostic: "undefined"}}, nil, nil, "", "fix"},
		"typed beside a comment": {Task{Text: "TODO: fix", Typed: "Document it"}, nil, nil, "", "docs"},
	} {
		p := &State{Task: tt.task, Plan: tt.plan}
		for _, f := range tt.changed {
			p.Staged.Files = append(p.Staged.Files, StagedFile{Path: f})
		}
		if p.Reply = ""; tt.reply != "" {
			p.Reply = "It is."
		}
		if got := p.Class().String(); got != tt.want {
			t.Errorf("%s: got %s, want %s", name, got, tt.want)
		}
	}
}
