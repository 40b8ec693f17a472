package record

import "testing"

// TestPassesBy holds which run shows that what failed has passed: the same line, or one that certainly runs the tests of
// the files that failed.
func TestPassesBy(t *testing.T) {
	pytest := "FAILED tests/test_a.py::test_x - KeyError: 'a'\n1 failed, 3 passed in 0.02s\n"
	for _, c := range []struct {
		failed, said, passed string
		want                 bool
	}{
		{"python3 check.py", "KeyError: 'a'", "python3 check.py", true},
		{"python3 check.py", "KeyError: 'a'", "python3 other.py", false},
		{"pytest", pytest, "pytest tests/test_a.py", true},
		{"pytest", pytest, "pytest tests/", true},
		{"pytest tests/test_a.py", pytest, "pytest", true},
		{"pytest", pytest, "pytest tests/test_b.py", false},
		{"pytest", pytest, "pytest -k other", false},
		{"pytest tests/test_a.py", "No module named pytest", "python3 -m unittest", false},
		{"python3 -m unittest test_a.py", "FAILED (errors=1)", "python3 -m unittest -v", true},
		{"make test", "KeyError: 'a'", "pytest", false},
	} {
		f := &Fix{Said: c.said, line: c.failed}
		if got := f.passesBy(c.passed); got != c.want {
			t.Errorf("%s failed and %s passed: %v", c.failed, c.passed, got)
		}
	}
	if (*Fix)(nil).passesBy("pytest") {
		t.Error("no failure counts as one that has passed")
	}
}
