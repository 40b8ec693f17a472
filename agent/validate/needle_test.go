package validate_test

import (
	"strings"
	"testing"

	"caselsp/agent/validate"
	"caselsp/agent/validate/validatetest"
)

// TestNeedles checks the automaton against a search for each needle.
func TestNeedles(t *testing.T) {
	validatetest.Sources(t, testdata, func(name, text string) {
		got, needles := validate.Needles(text)
		for n, texts := range needles {
			want := false
			for _, s := range texts {
				want = want || strings.Contains(text, s)
			}
			if want != (got&n != 0) {
				t.Errorf("%s: needles %q: found %v, want %v", name, texts, !want, want)
			}
		}
	})
}
