package sandbox

import (
	"fmt"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/aymanbagabas/go-udiff"
)

func TestPytestCommand(t *testing.T) {
	for _, tt := range []struct {
		line, form string
		args       []string
	}{
		{"pytest", "pytest", nil},
		{"python3 -m pytest", "python3 -m pytest", nil},
		{"python -m pytest -q tests/test_a.py::test_b", "python -m pytest", []string{"-q", "tests/test_a.py::test_b"}},
		{" pytest -k 'a and not b' -m \"slow\" --tb=short ", "pytest", []string{"-k", "a and not b", "-m", "slow", "--tb=short"}},
		{"pytest -x ''", "pytest", []string{"-x", ""}},
		{"pytest3", "", nil},
		{"pytest --cov=x", "pytest", []string{"--cov=x"}},
		{"pytest -p no:cacheprovider", "", nil},
		{"pytest -q 2>&1", "", nil},
		{"pytest; true", "", nil},
		{"pytest $X", "", nil},
		{"pytest \"$X\"", "", nil},
		{"pytest *.py", "", nil},
		{"pytest a'b'", "", nil},
		{"pytest ~", "", nil},
		{"pytest 'a\nb'", "", nil},
		{"pytest\n-q", "", nil},
		{"X=1 pytest", "", nil},
		{"coverage run -m pytest", "", nil},
	} {
		if form, args := pytestCommand(tt.line); form != tt.form || !reflect.DeepEqual(args, tt.args) {
			t.Errorf("%q: got %q %q, want %q %q", tt.line, form, args, tt.form, tt.args)
		}
	}
}

// changing is what differs between two runs of the same.
var changing = regexp.MustCompile(`\d+\.\d+s|0x[0-9a-f]+|started \d+|command \[.*`)

// TestPytestWaits runs projects by a pytest that waited for its arguments and by one
// that did not, and wants the same of both. A fixture is as those of commands, but for
// what is expected.
func TestPytestWaits(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/pytest/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no fixtures: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			d := need(t)
			for _, f := range parseFixture(t, file) {
				form, _ := pytestCommand(f.cmd.Line)
				run := func(cmd Command) *Result {
					t.Helper()
					res, err := d.Run(t.Context(), cmd)
					if err != nil {
						t.Fatal(err)
					}
					res.Output = changing.ReplaceAllString(res.Output, "~")
					res.Took, res.Quiet = 0, 0
					for i, c := range res.Changes {
						if slices.Contains(f.changed, c.Path) { // it holds the time
							res.Changes[i].Data = nil
						}
					}
					return res
				}
				run(Command{Line: form + " --version", Policy: f.cmd.Policy})
				if waiting := runnerOf(d); waiting == nil || !waiting.relay.isPytest() {
					t.Fatal("no pytest waits")
				}
				got := run(f.cmd)
				plain := f.cmd
				plain.Env = []string{"HOME=/tmp"} // as it is anyhow; but so no pytest waits for it
				want := run(plain)
				if !reflect.DeepEqual(got, want) {
					a, b := fmt.Sprintf("%+v\n", got), fmt.Sprintf("%+v\n", want)
					t.Errorf("one that waited (+) differs:\n%s", udiff.Unified("else", "waited", b, a))
				}
				if f.matches != nil && !f.matches.MatchString(got.Output) || f.matches == nil && len(got.Output) == 0 {
					t.Errorf("%s", got.Output)
				}
			}
		})
	}
}

// TestPytestElsewhere shows that an image that cannot have one wait runs commands as
// any does.
func TestPytestElsewhere(t *testing.T) {
	d := need(t, Node)
	for range 2 {
		res, err := d.Run(t.Context(), Command{Line: "pytest -q", Profile: Node, Tree: tested})
		if err != nil || res.ExitCode != 127 || !strings.Contains(res.Output, "not found") {
			t.Errorf("%+v, %v", res, err)
		}
		if r := runnerOf(d); r == nil || r.relay.isPytest() {
			t.Errorf("a pytest waits, or nobody: %+v", r)
		}
	}
}

// runnerOf returns the runner of the container that waits.
func runnerOf(d *DockerEngine) *runner {
	for _, w := range d.warm.waiting {
		if <-w.done; w.sound {
			return w.box.runner
		}
	}
	return nil
}
