package workspace

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// TestSweep: what a killed application left is removed, what may be a person's
// only copy is not.
func TestSweep(t *testing.T) {
	w, dir := open(t, map[string]string{
		"x/a.txt": "old\n", "x/" + tempPrefix + "old": "old\n", "x/" + tempPrefix + "half": "ne", "x/" + tempPrefix + "typed": "typed\n",
		tempPrefix + "elsewhere": "old\n", "x/new": "new\n",
	})
	left, err := Sweep(w, "x/a.txt", []byte("old\n"), []byte("new\n"))
	if err != nil || !slices.Equal(left, []string{"x/" + tempPrefix + "typed"}) {
		t.Errorf("got %q, %v", left, err)
	}
	for name, stays := range map[string]bool{"x/a.txt": true, "x/new": true, "x/" + tempPrefix + "typed": true, tempPrefix + "elsewhere": true, "x/" + tempPrefix + "old": false, "x/" + tempPrefix + "half": false} {
		if _, err := os.Stat(filepath.Join(dir, name)); (err == nil) != stays {
			t.Errorf("%s: %v", name, err)
		}
	}
}
