package secrets

import (
	"regexp"
	"strings"
	"testing"

	"caselsp/agent/validate/validatetest"
	"caselsp/store/lazyregexp"
)

// TestSpeaking checks that no word that the expressions know is passed over
// because of its letters.
func TestSpeaking(t *testing.T) {
	word, seen := regexp.MustCompile(`[\w.$-]+`), map[string]bool{}
	check := func(text string) {
		for _, w := range word.FindAllString(text, -1) {
			if seen[w] {
				continue
			}
			seen[w] = true
			if says := speaksOfSecret(w) || passwordName.MatchString(w); says != (speechOf(w) != 0) {
				t.Errorf("%s speaks of a secret: %v, want %v", w, !says, says)
			}
		}
	}
	validatetest.Sources(t, "../testdata", func(_, text string) { check(text) })
	for _, e := range []*lazyregexp.Regexp{secretName, serviceName, passwordName} {
		check(e.String())
		check(strings.ToUpper(e.String()))
	}
}
