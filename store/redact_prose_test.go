package store

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestRedactProse goes through sentences that tell a secret, which they mark, and sentences
// about secrets that tell none.
func TestRedactProse(t *testing.T) {
	marked := regexp.MustCompile(`«[^»]*»`)
	for name, least := range map[string]int{"testdata/prose/secret.txt": 25, "testdata/prose/honest.txt": 40} {
		file, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		count := 0
		for line := range strings.Lines(string(file)) {
			if line = strings.TrimSuffix(line, "\n"); strings.HasPrefix(line, "#") {
				continue
			}
			count++
			in := strings.NewReplacer("«", "", "»", "").Replace(line)
			checkText(t, newRedactor(nil), in, marked.ReplaceAllString(line, mask))
		}
		if count < least {
			t.Errorf("%s has %d sentences", name, count)
		}
	}
}
