package main

import (
	"strings"
	"testing"
	"unicode/utf8"

	"caselsp/agent"
	"caselsp/agent/fixcheck"
)

// TestValidatorTable fits the list of the validators to the width of a terminal, as far as their names let it.
func TestValidatorTable(t *testing.T) {
	var list []agent.ListedValidator
	for _, v := range fixcheck.ShippedValidators() {
		list = append(list, agent.ListedValidator{Manifest: v.Manifest, Origin: v.Origin, Right: 3, Wrong: 1, Weight: 1})
	}
	for _, width := range []int{narrowestList, listWidth, widestPage} {
		var out strings.Builder
		if err := printValidators(&out, list, width); err != nil {
			t.Fatal(err)
		}
		widest := 0
		for line := range strings.Lines(out.String()) {
			line = strings.TrimSuffix(line, "\n")
			widest = max(widest, utf8.RuneCountInString(line))
			if strings.TrimRight(line, " ") != line {
				t.Errorf("%d columns: %q ends with blanks", width, line)
			}
		}
		// Whole names and the least of the errors take more than the narrowest one has.
		if widest > max(width, 66) {
			t.Errorf("%d columns: the widest line has %d\n%s", width, widest, out.String())
		}
		for _, v := range list {
			if !strings.Contains(out.String(), "\n"+v.Name+" ") {
				t.Errorf("%d columns: %s is missing", width, v.Name)
			}
		}
	}
	var narrow, zero strings.Builder
	if printValidators(&narrow, list, narrowestList) != nil || printValidators(&zero, list, 0) != nil || narrow.String() != zero.String() {
		t.Error("a terminal of no width has another list than the narrowest")
	}
}
