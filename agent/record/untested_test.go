package record

import (
	"strings"
	"testing"

	"caselsp/agent/action"
)

// TestUntested: of which features a result says that nothing has tested them.
func TestUntested(t *testing.T) {
	feature := func(id, tests, untested, unneeded string) Feature {
		return Feature{Feature: action.Feature{ID: id}, OK: true, Tests: tests, Untested: untested, Unneeded: unneeded}
	}
	docs := feature("docs", "", "only documentation was changed", "only documentation was changed")
	code := feature("code", "3 passed", "", "")
	for _, c := range []struct {
		name     string
		features []Feature
		want     string
	}{
		{"documentation alone", []Feature{docs}, "only documentation was changed"},
		{"documentation beside tested code", []Feature{code, docs}, ""},
		{"documentation beside a feature that changed nothing", []Feature{feature("none", "", "", ""), docs}, "docs: only documentation was changed"},
		{"untested code beside tested code", []Feature{code, feature("more", "", "no test command was found in the project", "")}, "more: no test command was found in the project"},
	} {
		if got := strings.Join((&State{Features: c.features}).Untested(), "; "); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}
