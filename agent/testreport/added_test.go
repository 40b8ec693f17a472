package testreport

import (
	"slices"
	"strings"
	"testing"
)

// TestPassing: a new test is matched to the names that runners give it: with suites and classes,
// parameters and subtests. Nothing is said of one that no result is certainly of.
func TestPassing(t *testing.T) {
	for name, c := range map[string]struct {
		path, before, after string
		ran                 string // a line a result: passed or failed, and its name
		want                []string
	}{
		"it.each, all cases fail": {path: "a.spec.ts", after: "it.each([[1], [2]])('throws on %s', () => {})\nit('accepts', () => {})",
			ran: "failed x > throws on 1\nfailed x > throws on 2\npassed x > accepts", want: []string{"accepts"}},
		"it.each, and the runner names failures alone": {path: "a.spec.ts", after: "it.each([[1], [2]])('throws on %s', () => {})\nit('accepts', () => {})",
			ran: "failed x > throws on 1\nfailed x > throws on 2"},
		"it.each, all cases pass": {path: "a.spec.ts", after: "it.each([[1], [2]])('throws on %i of $name', () => {})\nit('b', () => {})",
			ran: "passed x > throws on 1 of ab\npassed throws on 2 of c\nfailed b", want: []string{"throws on %i of $name"}},
		"it.each, one case fails":      {path: "a.spec.ts", after: "it.each([[1]])('%s is odd', () => {})", ran: "passed x > 1 is odd\nfailed x > 2 is odd"},
		"it.each as a tagged template": {path: "a.spec.ts", after: "it.each`a\n${1}`('adds $a', () => {})", ran: "failed adds 1"},
		"a template literal":           {path: "a.test.js", after: "for (const n of [1]) test(`case ${n} of`, () => {})", ran: "failed case 1 of"},
		"an escape in a title":         {path: "a.test.js", after: `test('it\'s a \\', () => {})`, ran: `failed it's a \`},
		"another title ends so":        {path: "a.test.js", before: "test('never works', () => {})", after: "test('never works', () => {})\ntest('works', () => {})", ran: "passed never works"},
		"a title of one parameter":     {path: "a.test.js", before: "test('old', () => {})", after: "test('old', () => {})\ntest.each([1])('%s', () => {})", ran: "passed old"},
		"the same name in two suites":  {path: "a.test.js", before: "describe('A', () => test('works', () => {}))", after: "describe('A', () => test('works', () => {}))\ndescribe('B', () => test('works', () => {}))", ran: "passed A > works"},
		"parameters of pytest":         {path: "test_a.py", after: "def test_a(x):\n    pass\n\ndef test_b():\n    pass\n", ran: "passed C::test_a[x-1]\nfailed test_a[x-2]\npassed test_b", want: []string{"test_b"}},
		"another begins so":            {path: "test_a.py", after: "def test_a():\n    pass\n", ran: "passed test_a\nfailed test_a_b", want: []string{"test_a"}},
		"subtests of unittest":         {path: "test_a.py", after: "class C(TestCase):\n    def test_a(self):\n        pass\n", ran: "failed C.test_a (i=1)\npassed C.test_a"},
		"subtests of Go":               {path: "a_test.go", after: "package a\n\nfunc TestA(t *testing.T) {}\n\nfunc TestB(t *testing.T) {}\n", ran: "passed TestA/x\nfailed TestA/y\npassed TestB/x", want: []string{"TestB"}},
		"it did not run":               {path: "a_test.go", after: "package a\n\nfunc TestA(t *testing.T) {}\n", ran: "passed TestB"},
		"it was skipped":               {path: "a_test.go", after: "package a\n\nfunc TestA(t *testing.T) {}\n", ran: "skipped TestA"},
	} {
		t.Run(name, func(t *testing.T) {
			var r Report
			for line := range strings.Lines(c.ran) {
				outcome, title, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
				r.add(Test{Name: title, Outcome: Outcome(outcome)})
			}
			if got := r.Passing(Added([]Change{{Path: c.path, Before: c.before, After: c.after}})); !slices.Equal(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}
