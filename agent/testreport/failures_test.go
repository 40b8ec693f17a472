package testreport

import (
	"slices"
	"strings"
	"testing"
)

// TestFailures: what is new is told first with its trace, a shared trace once, old failures by name.
func TestFailures(t *testing.T) {
	trace := func(file string) string {
		return "Traceback (most recent call last):\n  File \"" + file + "\", line 5, in <module>\n    import humanize\n  File \"src/humanize/__init__.py\", line 26, in <module>\n    from ._version import x\nModuleNotFoundError: No module named 'humanize._version'"
	}
	check := "Traceback (most recent call last):\n  File \"test_a.py\", line 9, in test_new\n    assert f()\nAssertionError: 1 != 2"
	for name, c := range map[string]struct {
		tests  []Test
		failed int // 0: as many as are named
		old    []string
		want   string
	}{
		"one cause of two tests": {tests: []Test{{Name: "tests/a.py", Message: trace("a.py")}, {Name: "tests/b.py", Message: trace("b.py")}},
			want: "tests/a.py, tests/b.py\n" + trace("a.py") + "\n\npytest: 2 failed\n"},
		"new and old": {tests: []Test{{Name: "test_old", Message: trace("a.py")}, {Name: "test_new", Message: check}}, old: []string{"test_old"},
			want: "These tests fail now, and did not fail in this way before the task:\n\ntest_new\n" + check + "\n\n1 more fail as they did before the task: test_old\n\npytest: 2 failed\n"},
		"old alone": {tests: []Test{{Name: "test_old", Message: check}}, old: []string{"test_old"},
			want: "1 fail as they did before the task, and no others: test_old\n\npytest: 1 failed\n"},
		"two causes":         {tests: []Test{{Name: "a", Message: trace("a.py")}, {Name: "b", Message: check}}},
		"not all are named":  {tests: []Test{{Name: "a", Message: check}}, failed: 2, old: []string{"a"}},
		"a test told twice":  {tests: []Test{{Name: "a", Message: check}, {Name: "a", Message: check}}, want: "a\n" + check + "\n\npytest: 2 failed\n"},
		"nothing has failed": {},
	} {
		t.Run(name, func(t *testing.T) {
			r := Report{Runner: "pytest", Failed: max(c.failed, len(c.tests))}
			for _, one := range c.tests {
				one.Outcome = Failed
				r.Tests = append(r.Tests, one)
			}
			got, ok := r.Failures(func(t Test) bool { return slices.Contains(c.old, t.Name) })
			if got != c.want || ok != (c.want != "") {
				t.Errorf("got %v:\n%s\nwant:\n%s", ok, got, c.want)
			}
		})
	}
	many := Report{Runner: "pytest"}
	for i := range 40 {
		many.add(Test{Name: strings.Repeat("x", i+1), Outcome: Failed, Message: strings.Repeat("y", 1000+i)})
		many.add(Test{Name: "old", Outcome: Failed})
	}
	if text, _ := many.Failures(func(t Test) bool { return t.Name == "old" }); len(text) > 2*mostTraces {
		t.Errorf("%d bytes are told", len(text))
	}
}
