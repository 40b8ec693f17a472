package patch_test

import (
	"testing"

	"caselsp/agent/patch"
)

// TestBefore: an edit that is in a text as a whole is taken back, one that only looks so is not.
func TestBefore(t *testing.T) {
	for _, tt := range []struct{ name, edit, after, before string }{
		{"one line", "--- a/f\n+++ b/f\n@@ -1 +1 @@\n-old\n+new\n", "new\n", "old\n"},
		{"two hunks", "--- a/f\n+++ b/f\n@@ -1,2 +1,3 @@\n+zero\n one\n two\n@@ -8,2 +9,1 @@\n eight\n-nine\n",
			"zero\none\ntwo\n3\n4\n5\n6\n7\neight\n", "one\ntwo\n3\n4\n5\n6\n7\neight\nnine\n"},
		{"only one of two hunks", "--- a/f\n+++ b/f\n@@ -1,2 +1,3 @@\n+zero\n one\n two\n@@ -8,2 +9,1 @@\n eight\n-nine\n", "zero\none\ntwo\n3\n", ""},
		{"search and replace", "f\n<<<<<<< SEARCH\nold line\n=======\nnew line\n>>>>>>> REPLACE\n", "a\nnew line\nb\n", "a\nold line\nb\n"},
		{"a new file", "--- /dev/null\n+++ b/f\n@@ -0,0 +1 @@\n+new\n", "new\n", ""},
		{"a file of other lines", "--- a/f\n+++ b/f\n@@ -1 +1 @@\n-old\n+new\n", "other\n", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p, err := patch.Parse(tt.edit, func(string) bool { return true })
			if err != nil || len(p.Files) != 1 {
				t.Fatal(p, err)
			}
			before, ok := p.Files[0].Before(tt.after)
			if want := tt.before != "" || p.Files[0].Op == patch.Create; ok != want || ok && before != tt.before {
				t.Errorf("got %q, %v, want %q", before, ok, tt.before)
			}
		})
	}
}
