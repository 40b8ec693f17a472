package testreport

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestWithoutPassed: of each runner's output, what failed and the sum stay, and what passed
// goes.
func TestWithoutPassed(t *testing.T) {
	for _, c := range []struct {
		name, output, want string
	}{
		{"mocha",
			"> mocha\n\n  parse()\n    with a limit\n      ✔ one\n      ✔ two (12ms)\n    strict\n      ✔ three\n      1) four\n  other\n    ✔ five\n\n  4 passing (9ms)\n  1 failing\n\n  1) parse()\n       strict\n         four:\n     Error: no\n",
			"> mocha\n\n  parse()\n[6 lines of passed tests left out]\n    strict\n      1) four\n\n  4 passing (9ms)\n  1 failing\n\n  1) parse()\n       strict\n         four:\n     Error: no\n"},
		{"pytest -v",
			"collected 5 items\n\na.py::test_1 PASSED   [ 20%]\na.py::test_2 PASSED   [ 40%]\na.py::test_3 FAILED   [ 60%]\na.py::test_4[a b] PASSED [ 80%]\na.py::test_5 PASSED [100%]\n\nE  assert 0\n=== 1 failed, 4 passed in 0.1s ===\n",
			"collected 5 items\n\n[4 lines of passed tests left out]\na.py::test_3 FAILED   [ 60%]\n\nE  assert 0\n=== 1 failed, 4 passed in 0.1s ===\n"},
		{"unittest -v",
			"test_1 (a.Case.test_1) ... ok\ntest_2 (a.Case.test_2) ... ok\ntest_3 (a.Case.test_3) ... FAIL\ntest_4 (a.Case.test_4) ... ok\ntest_5 (a.Case.test_5) ... ok\n\nRan 5 tests in 0.1s\n",
			"[4 lines of passed tests left out]\ntest_3 (a.Case.test_3) ... FAIL\n\nRan 5 tests in 0.1s\n"},
		{"go test -v",
			"=== RUN   TestA\n--- PASS: TestA (0.00s)\n=== RUN   TestB\n    b_test.go:3: no\n--- FAIL: TestB (0.00s)\n=== RUN   TestC\n--- PASS: TestC (0.00s)\nFAIL\nFAIL\tp\t0.1s\n",
			"[5 lines of passed tests left out]\n    b_test.go:3: no\n--- FAIL: TestB (0.00s)\nFAIL\nFAIL\tp\t0.1s\n"},
		{"TAP",
			"TAP version 13\n# Subtest: a\nok 1 - a\n  ---\n  duration_ms: 1\n  ...\n# Subtest: b\nnot ok 2 - b\n  ---\n  error: 'no'\n  ...\nok 3 - c # SKIP later\n1..3\n# pass 1\n# fail 1\n",
			"TAP version 13\n[6 lines of passed tests left out]\nnot ok 2 - b\n  ---\n  error: 'no'\n  ...\nok 3 - c # SKIP later\n1..3\n# pass 1\n# fail 1\n"},
		{"few", "  ✓ one\n  1 passing\n", "  ✓ one\n  1 passing\n"},
		{"no tests", "a\n  b\n", "a\n  b\n"},
	} {
		if got := WithoutPassed(c.output); got != c.want {
			t.Errorf("%s:\n%s\nwant:\n%s", c.name, got, c.want)
		}
	}
}

// TestWithoutPassedReads: a runner's output without what passed has the same failures.
func TestWithoutPassedReads(t *testing.T) {
	paths, err := filepath.Glob("testdata/results/*.txt")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no fixtures: %v", err)
	}
	for _, path := range paths {
		raw, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		name := func(r Report) (list []string) {
			for _, b := range r.Bad() {
				list = append(list, b.Name)
			}
			return list
		}
		text := Plain(string(raw))
		before, after := name(Read("", text, nil)), name(Read("", WithoutPassed(text), nil))
		if strings.Join(before, "\n") != strings.Join(after, "\n") {
			t.Errorf("%s: failed were %q, and are %q", path, before, after)
		}
	}
}

// TestShown: only what a runner says of our own files goes.
func TestShown(t *testing.T) {
	const trace = "  File \"/tmp/caselsp-results/start/sitecustomize.py\", line 2\nopen('/tmp/caselsp-results/x') failed\n"
	for _, own := range []string{
		"--------- generated xml file: /tmp/caselsp-results/pytest.xml ---------\n",
		"Test results written to: ../tmp/caselsp-results/jest.json\n",
	} {
		if got := Shown("1 passed\n" + own + trace); got != "1 passed\n"+trace {
			t.Errorf("shown is %q", got)
		}
	}
}
