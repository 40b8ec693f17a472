package validate

import (
	"regexp"
	"strings"
	"testing"
)

// TestNeedles checks the automaton against a search for each needle.
func TestNeedles(t *testing.T) {
	sources(t, func(name, text string) {
		got := needles().in(text)
		for n, texts := range needleTexts {
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
	sources(t, func(_, text string) { check(text) })
	for _, e := range []*expression{secretName, serviceName, passwordName} {
		check(e.text)
		check(strings.ToUpper(e.text))
	}
}
