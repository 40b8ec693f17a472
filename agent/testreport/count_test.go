package testreport

import (
	"slices"
	"strings"
	"testing"
)

func TestWeakened(t *testing.T) {
	const tests = "def test_a():\n    assert f() == 1\n\ndef test_b():\n    assert f() == 2\n"
	for name, c := range map[string]struct {
		path, before, after string
		more                Change
		want                []string
	}{
		"a file is deleted":       {path: "tests/test_x.py", before: tests, want: []string{"tests are gone: test_a, test_b"}},
		"a test is gone":          {path: "test_x.py", before: tests, after: tests[:35], want: []string{"tests are gone: test_b", "test_x.py: fewer checks (1, 2 before)"}},
		"a check means nothing":   {path: "test_x.py", before: tests, after: strings.Replace(tests, "assert f() == 2", "assert True", 1), want: []string{"test_x.py: fewer checks (1, 2 before)"}},
		"a test is skipped":       {path: "test_x.py", before: tests, after: "@pytest.mark.skip\n" + tests, want: []string{"test_x.py: tests are left out in more places (1, 0 before)"}},
		"it skips itself":         {path: "x_test.go", before: "func TestA(t *testing.T) { t.Error(1) }", after: "func TestA(t *testing.T) { t.Skip(); t.Error(1) }", want: []string{"x_test.go: tests are left out in more places (1, 0 before)"}},
		"only one runs":           {path: "a.test.ts", before: "it('a', () => { expect(1).toBe(f()) })", after: "it.only('a', () => { expect(1).toBe(f()) })", want: []string{"a.test.ts: tests are left out in more places (1, 0 before)"}},
		"the runner passes them":  {path: "pytest.ini", before: "[pytest]\n", after: "[pytest]\naddopts = --ignore=tests\n", want: []string{"pytest.ini: tests are left out in more places (1, 0 before)"}},
		"success is faked":        {path: "conftest.py", before: "import os\n", after: "import os\nos._exit(0)\n", want: []string{"conftest.py: tests are left out in more places (1, 0 before)"}},
		"a test becomes a string": {path: "test_x.py", before: tests, after: "\"\"\"\n" + tests + "\"\"\"\n", want: []string{"tests are gone: test_a, test_b", "test_x.py: fewer checks (0, 2 before)"}},
		"a test becomes a comment": {path: "a.test.js", before: "it('a', () => { expect(f()).toBe(1) })\nit('b', () => { expect(g()).toBe(1) })", after: "it('a', () => { expect(f()).toBe(1) })\n/*\nit('b', () => { expect(g()).toBe(1) })\n*/",
			want: []string{"tests are gone: b", "a.test.js: fewer checks (1, 2 before)"}},
		"it returns before":     {path: "test_x.py", before: tests, after: strings.Replace(tests, "def test_b():\n", "def test_b():\n    return\n", 1), want: []string{"test_x.py: fewer checks (1, 2 before)", "test_x.py: tests are left out in more places (1, 0 before)"}},
		"in a branch never run": {path: "test_x.py", before: tests, after: strings.Replace(tests, "    assert f() == 2", "    if False:\n        assert f() == 2", 1), want: []string{"test_x.py: fewer checks (1, 2 before)"}},
		"in a function never called": {path: "test_x.py", before: tests, after: "def unused():\n" + strings.ReplaceAll("    "+strings.TrimSpace(tests), "\n", "\n    ") + "\n",
			want: []string{"tests are gone: test_a, test_b"}},
		"it compares with itself":    {path: "test_x.py", before: tests, after: strings.Replace(tests, "f() == 2", "2 == 2", 1), want: []string{"test_x.py: fewer checks (1, 2 before)"}},
		"skipped by another name":    {path: "test_x.py", before: tests, after: "s = pytest.mark.skip\n\n@s\n" + tests, want: []string{"test_x.py: tests are left out in more places (1, 0 before)"}},
		"skipped by an exception":    {path: "test_x.py", before: tests, after: strings.Replace(tests, "    assert f() == 2", "    assert f() == 2\n    raise unittest.SkipTest", 1), want: []string{"test_x.py: tests are left out in more places (1, 0 before)"}},
		"built elsewhere only":       {path: "x_test.go", before: "package x\n\nfunc TestA(t *testing.T) { t.Error(1) }\n", after: "//go:build never\n\npackage x\n\nfunc TestA(t *testing.T) { t.Error(1) }\n", want: []string{"x_test.go: tests are left out in more places (1, 0 before)"}},
		"expected in vain":           {path: "a.test.ts", before: "it('a', () => { expect(f()).toBe(true) })", after: "it('a', () => { expect(true).toBe(true) })", want: []string{"a.test.ts: fewer checks (0, 1 before)"}},
		"a string speaks of tests":   {path: "test_x.py", before: tests, after: tests + "TEXT = \"\"\"\n@pytest.mark.skip\ndef test_c(): pass\n\"\"\"\n"},
		"a comment speaks of a skip": {path: "x_test.go", before: "package x\n\nfunc TestA(t *testing.T) { t.Error(1) }\n", after: "package x\n\n// TestA does not t.Skip().\nfunc TestA(t *testing.T) { t.Error(1) }\n"},
		"tests move to a new file": {path: "tests/test_x.py", before: tests,
			more: Change{Path: "tests/test_y.py", After: tests, New: true}},
		"a test is renamed":              {path: "test_x.py", before: tests, after: strings.Replace(tests, "test_b", "test_other", 1)},
		"another in its place":           {path: "test_x.py", before: tests, after: strings.Replace(strings.Replace(tests, "test_b", "test_other", 1), "f() == 2", "f() != 3", 1)},
		"one of other code in its place": {path: "test_x.py", before: strings.Replace(tests, "f() == 2", "shout() == 2", 1), after: strings.Replace(strings.Replace(tests, "test_b", "test_whisper", 1), "f() == 2", "whisper() == 3", 1), want: []string{"tests are gone: test_b"}},
		"one that checks nothing in its place": {path: "test_x.py", before: tests, after: strings.Replace(strings.Replace(tests, "test_b", "test_other", 1), "assert f() == 2", "f()", 1),
			want: []string{"tests are gone: test_b", "test_x.py: fewer checks (1, 2 before)"}},
		"a test moves and is renamed": {path: "tests/test_x.py", before: tests, after: tests[:35],
			more: Change{Path: "tests/test_y.py", After: "def test_other():\n    assert f() == 2\n", New: true}},
		"a test moves and checks less": {path: "tests/test_x.py", before: tests, after: tests[:35],
			more: Change{Path: "tests/test_y.py", After: "def test_b():\n    f()\n", New: true}, want: []string{"tests/test_y.py: fewer checks (0, 1 before)"}},
		"a test moves and is skipped": {path: "tests/test_x.py", before: tests, after: tests[:35],
			more: Change{Path: "tests/test_y.py", After: "@pytest.mark.skip\ndef test_b():\n    assert f() == 2\n", New: true}, want: []string{"tests/test_y.py: tests are left out in more places (1, 0 before)"}},
		"a callback is renamed": {path: "a.test.js", before: "it('a', () => { expect(f()).toBe(1) })", after: "it('b', () => { expect(f()).toBe(1) })"},
		"tests are added":       {path: "test_x.py", before: tests, after: tests + "def test_c():\n    assert 3\n"},
		"a new file of tests":   {path: "test_x.py", after: "def test_a():\n    pytest.skip()\n"},
		"other code goes":       {path: "app.py", before: tests, after: "x = 1\n"},
		"a test is rewritten":   {path: "test_x.py", before: tests, after: strings.Replace(tests, "f() == 2", "g(2) == 4", 1)},
		"a fixture is deleted":  {path: "tests/data.json", before: "{}"},
		"a skip is taken away":  {path: "test_x.py", before: "@pytest.mark.skip\n" + tests, after: tests},
	} {
		t.Run(name, func(t *testing.T) {
			changes := []Change{{Path: c.path, Before: c.before, After: c.after, New: c.before == "", Deleted: c.after == ""}}
			if c.more.Path != "" {
				changes = append(changes, c.more)
			}
			if got := Told(Weakened(changes)); !slices.Equal(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}
