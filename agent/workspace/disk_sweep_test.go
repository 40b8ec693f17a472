package workspace

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestSweep: what a killed write left is removed, what may be a person's
// only copy is not.
func TestSweep(t *testing.T) {
	w, dir := open(t, map[string]string{"x/a.txt": "old\n"})
	at, err := w.locateWrite("x/a.txt")
	if err != nil {
		t.Fatal(err)
	}
	oldHash, newHash := hashOf([]byte("old\n")), hashOf([]byte("new\n"))
	files := []struct {
		name, text string
		stays      bool
	}{
		{at.newTemp(), "anything", false},
		{at.oldTemp(oldHash, newHash), "old\n", false},
		{at.oldTemp(oldHash, newHash), "new\n", false},
		{at.oldTemp(oldHash, newHash), "typed in that instant\n", true},
		{at.keptTemp(), "old\n", true},
		{at.temp(""), "old\n", false},
		{at.temp(""), "ne", false},
		{at.temp(""), "typed\n", true},
		{"x/" + tempPrefix + "mine", "old\n", true}, // a name that is not ours
		{strings.TrimPrefix(at.newTemp(), "x/"), "in another folder", true},
		{"x/a.txt", "old\n", true},
		{"x/new", "new\n", true},
	}
	var want []string
	for _, f := range files {
		writeFile(t, filepath.Join(dir, f.name), f.text, 0o600)
		if f.stays && tempFile.MatchString(filepath.Base(f.name)) && filepath.Dir(f.name) == "x" {
			want = append(want, f.name)
		}
	}
	release := at.hold("x")
	if left, err := Sweep(w, "x/a.txt"); err != nil || left != nil {
		t.Errorf("while a write works there: %q, %v", left, err)
	}
	for _, f := range files {
		if _, err := os.Stat(filepath.Join(dir, f.name)); err != nil {
			t.Errorf("removed while a write works there: %v", err)
		}
	}
	release()
	left, err := Sweep(w, "x/a.txt", []byte("old\n"), []byte("new\n"))
	slices.Sort(want)
	slices.Sort(left)
	if err != nil || !slices.Equal(left, want) {
		t.Errorf("got %q, %v, want %q", left, err, want)
	}
	for _, f := range files {
		if _, err := os.Stat(filepath.Join(dir, f.name)); (err == nil) != f.stays {
			t.Errorf("%s with %q: %v", f.name, f.text, err)
		}
	}
}
