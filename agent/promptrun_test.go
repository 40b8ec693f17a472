package agent

import (
	"context"
	"fmt"
	"strings"

	"caselsp/sandbox"
)

// promptProject is the project of testdata/prompt_run.txt: a module of about 400 lines, and
// its tests.
func promptProject() map[string]string {
	var sums, tests strings.Builder
	for i := range 60 {
		fmt.Fprintf(&sums, "def sum%02d(a, b):\n    \"\"\"Sum %d of two numbers.\"\"\"\n    total = a + b + %d\n    return total\n\n\n", i, i, i)
		fmt.Fprintf(&tests, "def test_sum%02d():\n    assert sums.sum%02d(1, 2) == %d\n\n\n", i, i, 3+i)
	}
	return map[string]string{"sums.py": sums.String(), "test_sums.py": "import sums\n\n\n" + tests.String(), "README.md": "Sums.\n"}
}

// repeating is an engine whose tests fail, nearly alike, then pass.
type repeating struct{ runs int }

// Run implements sandbox.Engine.
func (e *repeating) Run(_ context.Context, cmd sandbox.Command) (*sandbox.Result, error) {
	switch {
	case strings.Contains(cmd.Line, "pylint"):
		return objecting(cmd.Tree), nil
	case !strings.Contains(cmd.Line, "pytest"):
		return &sandbox.Result{Status: sandbox.Exited, ExitCode: 127}, nil
	}
	e.runs++
	var b strings.Builder
	for i := range 60 {
		fmt.Fprintf(&b, "test_sums.py::test_sum%02d PASSED [%3d%%]\n", i, i*100/60)
	}
	if e.runs > 3 {
		fmt.Fprintf(&b, "======== 60 passed in 0.%02ds ========\n", e.runs)
		return &sandbox.Result{Status: sandbox.Exited, Output: b.String()}, nil
	}
	fmt.Fprintf(&b, "=========== FAILURES ===========\n    def test_rounded():\n>       assert sums.sum07(0.1, 0.2) == 7.3\nE       assert 7.30000000000000%d == 7.3\n\ntest_sums.py:9: AssertionError\n======== 1 failed, 60 passed in 0.%02ds ========\n", e.runs, e.runs)
	return &sandbox.Result{Status: sandbox.Exited, ExitCode: 1, Output: b.String()}, nil
}

// objecting is a pylint that objects to every fourth of the sums that are rounded.
func objecting(tree []sandbox.File) *sandbox.Result {
	var said []string
	for _, f := range tree {
		for i, line := range strings.Split(string(f.Data), "\n") {
			if strings.Contains(line, "round(") && i/6%4 == 0 {
				said = append(said, fmt.Sprintf(`{"type":"warning","path":%q,"symbol":"round","message":"Rounding to %d digits hides errors","message-id":"W1","line":%d,"column":4}`, f.Path, 10, i+1))
			}
		}
	}
	return &sandbox.Result{Status: sandbox.Exited, Output: "Your code has been rated at 9.00/10",
		Changes: []sandbox.Change{{Path: ".caselsp-lint-report", Data: []byte("[" + strings.Join(said, ",") + "]")}}}
}
