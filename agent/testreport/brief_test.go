package testreport

import (
	"strings"
	"testing"
)

// TestBrief: the totals of node's runner are one line, and what a runner prints twice stands once.
func TestBrief(t *testing.T) {
	failure := "✖ adds (1.2ms)\n  AssertionError [ERR_ASSERTION]: Expected values to be strictly equal:\n\n  3 !== 4\n\n" +
		"      at TestContext.<anonymous> (file:///workspace/test/add.test.js:12:10)\n      at Test.runInAsyncScope (node:async_hooks:206:9)\n" +
		"      at Test.run (node:internal/test_runner/test:631:25)\n"
	totals := "ℹ tests 14\nℹ suites 2\nℹ pass 13\nℹ fail 1\nℹ cancelled 0\nℹ skipped 0\nℹ todo 2\nℹ duration_ms 71.3\n"
	indented := "  " + strings.ReplaceAll(failure, "\n", "\n  ")
	for _, c := range []struct{ name, output, want string }{
		{"totals", totals, "tests 14, pass 13, fail 1, todo 2\n"},
		{"TAP", "# tests 1\n# suites 0\n# pass 1\n# fail 0\n# cancelled 0\n", "tests 1, pass 1, fail 0\n"},
		{"no totals", "# pass 1\n# fail 1\n", "# pass 1\n# fail 1\n"},
		{"twice", failure + totals + "✖ failing tests:\n" + failure, failure + "tests 14, pass 13, fail 1, todo 2\n✖ failing tests:\n[8 lines as above, beginning with \"✖ adds (1.2ms)\"]\n"},
		{"indented", failure + "again\n" + indented, failure + "again\n[8 lines as above, beginning with \"✖ adds (1.2ms)\"]\n  "},
		{"short", "a\nb\na\nb\n", "a\nb\na\nb\n"},
		{"a row of alike", strings.Repeat("the same line, and long enough to be worth leaving it out of here\n", 3), strings.Repeat("the same line, and long enough to be worth leaving it out of here\n", 3)},
	} {
		if got := Brief(c.output); got != c.want {
			t.Errorf("%s: got\n%s\nwant\n%s", c.name, got, c.want)
		}
	}
}
