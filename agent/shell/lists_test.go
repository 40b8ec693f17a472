package shell

import (
	"slices"
	"strings"
	"testing"
)

// TestLists shows which files with requirements a line installs.
func TestLists(t *testing.T) {
	for line, want := range map[string]string{
		"pip install -r requirements.txt":                         "requirements.txt",
		"pip3 install -q -ra.txt --requirement=b.txt -c c.txt x":  "a.txt b.txt c.txt",
		"cd sub && timeout 9 python3 -m pip install -r r.txt":     "r.txt",
		"uv pip install --requirements r.txt && uv add -r s.txt":  "r.txt s.txt",
		"pip install requests -r":                                 "",
		"npm install -r requirements.txt":                         "",
		"grep -r requirements.txt . && echo pip install -r x.txt": "",
	} {
		if got := Lists(line); !slices.Equal(got, strings.Fields(want)) {
			t.Errorf("%s: %q, want %q", line, got, want)
		}
	}
}
