package agent

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"caselsp/agent/lint"
	"caselsp/agent/record"
	"caselsp/sandbox"
)

// One file that a linter reads, and one whose edits it does not object to.
const lintScript = `
on case
after 0
times always
call WRITE_FILE {"thought": "t", "path": "a.py", "content": "import os\n"}
on case
after 1
times always
call WRITE_FILE {"thought": "t", "path": "b.py", "content": "x = 1\n"}
on case
after 2
times always
call FINISH_FEATURE {"thought": "t", "summary": "written"}
on case
times always
call FINISH_FEATURE {"thought": "t", "summary": "finished again"}
`

// linting is a sandbox whose pylint objects to what imports os, and has nothing
// else, or fails in another way.
type linting struct{ fails string }

func (e *linting) Run(_ context.Context, cmd sandbox.Command) (*sandbox.Result, error) {
	r := &sandbox.Result{Status: sandbox.Exited}
	if !strings.Contains(cmd.Line, "pylint") {
		r.ExitCode = 127
		return r, nil
	}
	switch e.fails {
	case "panics":
		panic("a linter")
	case "unavailable":
		return nil, &sandbox.Unavailable{Engine: "docker", Reason: "its image cannot be built", Advice: "Go online."}
	case "times out":
		return &sandbox.Result{Status: sandbox.TimedOut}, nil
	}
	var said []string
	mended := slices.ContainsFunc(cmd.Tree, func(f sandbox.File) bool { return f.Path == "mended.py" })
	for _, f := range cmd.Tree {
		if !mended && strings.Contains(cmd.Line, f.Path) && strings.Contains(string(f.Data), "import os") {
			said = append(said, fmt.Sprintf(`{"type":"warning","path":%q,"symbol":"s","message":"I would not write that","message-id":"W1","line":1,"column":0}`, f.Path))
		}
	}
	r.Output = "Your code has been rated at 5.00/10"
	r.Changes = []sandbox.Change{{Path: ".caselsp-lint-report", Data: []byte("[" + strings.Join(said, ",") + "]")}}
	return r, nil
}

// TestLinting shows when linters look, what the model hears of it, and that none
// that fails holds the work up; and that a replay goes the same way.
func TestLinting(t *testing.T) {
	const (
		once = "Staged a.py; Staged b.py; Not finished: linters object; finished again"
		free = "Staged a.py; Staged b.py; written"
	)
	for _, tt := range []struct {
		name, when, fails string
		looks             int
		want, report      string
	}{
		{"after every edit", LintEdits, "", 2, once, "- a.py: 1 new finding (pylint), pylint rates it 5.00 of 10\n- b.py: nothing new (pylint)"},
		{"before the end", LintFinish, "", 1, once, "- a.py: 1 new finding"},
		{"another file mends it", LintEdits, "", 2, "Staged a.py; Staged mended.py; written", "- a.py: nothing new (pylint), pylint rates it 5.00 of 10\n- mended.py: nothing new"},
		{"never", "never", "", 0, free, ""},
		{"unavailable", LintEdits, "unavailable", 2, free, ""},
		{"times out", LintFinish, "times out", 1, free, ""},
		{"panics", LintEdits, "panics", 0, "Staged a.py; Staged b.py", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			script := lintScript
			if strings.HasPrefix(tt.name, "another") {
				script = strings.Replace(script, "b.py", "mended.py", 1)
			}
			b := newBench(t, script, nil)
			usesPylint(t, b)
			b.Linting = Linting{When: tt.when, Grades: lint.DefaultPolicy}
			b.Sandbox = func(context.Context) (sandbox.Engine, error) { return &linting{tt.fails}, nil }
			told, looks, report := followed(t, b.Agent)
			if told != tt.want || looks != tt.looks || !strings.Contains(report, tt.report) {
				t.Errorf("%d looks, %q; want %d, %q; the report is\n%s", looks, told, tt.looks, tt.want, report)
			}
			if tt.report == "" && strings.Contains(report, "## Linters") {
				t.Errorf("no linter ran, and the report is\n%s", report)
			}
			again := newBench(t, script, nil)
			usesPylint(t, again)
			player(t, b.Agent).Attach(&again.Options)
			if replayed, n, _ := followed(t, again.Agent); tt.fails != "panics" && (replayed != told || n != looks) {
				t.Errorf("a replay: %d looks, %q", n, replayed)
			}
		})
	}
}

// usesPylint makes the project one that uses pylint.
func usesPylint(t *testing.T, b *bench) {
	t.Helper()
	file, err := b.Workspace.Abs("pylintrc")
	if err == nil {
		err = os.WriteFile(file, nil, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// followed runs a task and returns the beginnings of what the model was told, how
// often linters looked, and the report.
func followed(t *testing.T, a *Agent) (told string, looks int, report string) {
	t.Helper()
	var list []string
	for e, err := range a.Run(t.Context(), record.Task{ID: "t", Text: "write", Single: true}) {
		if err != nil {
			t.Fatal(err)
		}
		switch b := e.Body.(type) {
		case record.ActionDone:
			text, _, _ := strings.Cut(record.FirstLine(b.Text), ":")
			if rest, ok := strings.CutPrefix(b.Text, "Not finished: linters object"); ok && rest != "" {
				text += ": linters object"
			}
			list = append(list, text)
		case record.Linted:
			looks++
			if slices.Contains(b.Troubles, "") {
				t.Errorf("a trouble without words: %q", b.Troubles)
			}
		case record.Reported:
			report = b.Text
		}
	}
	return strings.Join(list, "; "), looks, report
}
