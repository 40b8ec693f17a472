package agent

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"caselsp/agent/lint"
	"caselsp/agent/record"
	"caselsp/sandbox"
)

// waiting is a sandbox whose pylint cannot judge before the project's dependencies are there, and
// whose tests need them, too.
type waiting struct{ ran []string }

func (e *waiting) HasLayer(context.Context, string) (bool, error) { return false, nil }

func (e *waiting) Run(_ context.Context, cmd sandbox.Command) (*sandbox.Result, error) {
	r := &sandbox.Result{Status: sandbox.Exited}
	switch {
	case strings.Contains(cmd.Line, "--dry-run"):
		r.ExitCode = 1
	case cmd.Keep != "":
		e.ran = append(e.ran, "install")
	case strings.Contains(cmd.Line, "pylint") && cmd.Layer == "":
		e.ran = append(e.ran, "pylint without")
		r.ExitCode, r.Output = 32, "ModuleNotFoundError: No module named 'answer'\n"
	case strings.Contains(cmd.Line, "pylint"):
		e.ran = append(e.ran, "pylint")
		r.Changes = []sandbox.Change{{Path: ".caselsp-lint-report", Data: []byte(`[{"type":"warning","path":"a.py","symbol":"s","message":"I would not write that","message-id":"W1","line":1,"column":0}]`)}}
	case strings.Contains(cmd.Line, "pytest"):
		e.ran = append(e.ran, "tests")
		r.Output = "1 passed in 0.01s\n"
	default:
		r.ExitCode = 127
	}
	return r, nil
}

// TestLintAgain: a linter that waits for the project's dependencies runs again once they have been
// installed for the tests, and what it finds then is in the report.
func TestLintAgain(t *testing.T) {
	const script = `
on case
call WRITE_FILE {"thought": "t", "path": "a.py", "content": "import answer\n"}
on case
call FINISH_FEATURE {"thought": "t", "summary": "written"}
`
	b := newBench(t, script, &asking{answers: []string{record.Approve}})
	usesPylint(t, b)
	for name, text := range map[string]string{"requirements.txt": "answer==1.0\n", "test_a.py": "def test_a():\n    pass\n"} {
		if err := os.WriteFile(filepath.Join(b.Workspace.Roots()[0].Dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	engine := &waiting{}
	b.Sandbox = func(context.Context) (sandbox.Engine, error) { return engine, nil }
	b.Dependencies = func(tree []sandbox.File, p sandbox.Profile, more ...string) *sandbox.Dependencies {
		return sandbox.DependenciesOf(tree, p, sandbox.Sources{Python: "https://index.example/simple"}, more...)
	}
	b.Linting = Linting{When: LintFinish, Grades: lint.DefaultPolicy}
	_, looks, report := followed(t, b.Agent)
	if ran := strings.Join(engine.ran, ", "); looks != 2 || ran != "pylint without, install, tests, pylint" {
		t.Errorf("%d looks; %s", looks, ran)
	}
	if !strings.Contains(report, "a.py: 1 new finding (pylint)") {
		t.Errorf("the report is\n%s", report)
	}
}

// TestObjectionsOnce: a file that is judged again because another one was edited is objected to in the
// same words; the model is told once.
func TestObjectionsOnce(t *testing.T) {
	b := newBench(t, lintScript, nil)
	usesPylint(t, b)
	b.Linting = Linting{When: LintEdits, Grades: lint.DefaultPolicy}
	b.Sandbox = func(context.Context) (sandbox.Engine, error) { return &linting{}, nil }
	for _, err := range b.Run(t.Context(), record.Task{ID: "t", Text: "write", Single: true}) {
		if err != nil {
			t.Fatal(err)
		}
	}
	sent := b.model.Requests()
	last := sent[len(sent)-1].Text
	if n := strings.Count(last, "Linters object to what you edited"); n != 1 {
		t.Errorf("it is told %d times:\n%s", n, last)
	}
}

// slow is a linting sandbox that ends when the faces are told that a linter works.
type slow struct {
	linting
	told chan struct{}
}

func (e *slow) Run(ctx context.Context, cmd sandbox.Command) (*sandbox.Result, error) {
	<-e.told
	return e.linting.Run(ctx, cmd)
}

// TestLintersShown: while it is waited for linters, the faces are told what is checked with which one.
func TestLintersShown(t *testing.T) {
	b := newBench(t, lintScript, nil)
	usesPylint(t, b)
	b.Linting = Linting{When: LintEdits, Grades: lint.DefaultPolicy}
	engine := &slow{told: make(chan struct{})}
	b.Sandbox = func(context.Context) (sandbox.Engine, error) { return engine, nil }
	shown := false
	for e, err := range b.Run(t.Context(), record.Task{ID: "t", Text: "write", Single: true}) {
		if err != nil {
			t.Fatal(err)
		}
		if e.Doing == "checking 1 file with pylint" && !shown {
			shown = true
			close(engine.told)
		}
	}
	if !shown {
		t.Error("no event tells of the linter")
	}
}
