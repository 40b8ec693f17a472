package agent

import (
	"fmt"
	"strings"
	"testing"
)

// TestAround shows the function around a place of a long file, and all of a short one.
func TestAround(t *testing.T) {
	function := "\n# says hello\ndef hello():\n    return 1\n\n"
	before, after := strings.Repeat("x = 1\n", 300), strings.Repeat("y = 1\n", 300)
	for _, tt := range []struct {
		name, path, text string
		from, to         int
		want             string
	}{
		{"short", "a.py", "a = 1\n" + function, 4, 4, "0-0"},
		{"no place", "a.py", before, 0, 0, "0-0"},
		{"in a function", "a.py", before + function + after, 304, 304, "295-304"},
		{"outside of functions", "a.py", before + function + after, 20, 21, "1-81"},
		{"at the end", "a.py", before, 299, 300, "239-300"},
		{"in a function that is too long", "a.py", "def hello():\n" + strings.Repeat("    x = 1\n", 400), 100, 100, "40-160"},
		{"no language", "a.txt", before, 100, 100, "40-160"},
		{"behind the end", "a.txt", before, 9000, 9000, "300-300"},
	} {
		from, to := around(spot{tt.path, tt.from, tt.to}, tt.text)
		if got := fmt.Sprintf("%d-%d", from, to); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
}

// TestPathWord finds what may be names of files in a text.
func TestPathWord(t *testing.T) {
	got := pathWord.FindAllString("fix `a/b.py:12`, ./c.go and Makefile (docs/readme); e.g. x.y.", -1)
	if want := "a/b.py:12 ./c.go docs/readme e.g x.y"; strings.Join(got, " ") != want {
		t.Errorf("found %q, want %q", strings.Join(got, " "), want)
	}
}
