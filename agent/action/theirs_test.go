package action

import (
	"reflect"
	"testing"

	"caselsp/agent/workspace"
)

// TestLost: which lines of the user's an edit takes out.
func TestLost(t *testing.T) {
	const began = "one\ntwo\nthree\n"
	for _, c := range []struct {
		name          string
		now           string // the user's file; "": as it began
		before, after string // what is staged
		want          []Range
	}{
		{"nothing was written", "", "one\nTWO\nthree\n", "one\nthree\n", nil},
		{"written and kept", "one\nmine\ntwo\nthree\n", "one\nmine\nTWO\nthree\n", "one\nmine\nTwo\nthree\n", nil},
		{"written and gone", "one\nmine\ntwo\nthree\n", "one\nmine\nTWO\nthree\n", "one\nTwo\nthree\n", []Range{{2, 2}}},
		{"changed by both", "one\n2\nthree\n", "one\n2\nthree\n", "one\nII\nthree\n", []Range{{2, 2}}},
		{"moved", "one\nmine\ntwo\nthree\n", "one\nmine\ntwo\nthree\n", "one\ntwo\nthree\n\tmine\n", nil},
		{"brackets only", "one\n}\n\ntwo\nthree\n", "one\n}\n\ntwo\nthree\n", "one\ntwo\nthree\n", nil},
		{"gone before", "one\nmine\ntwo\nthree\n", "one\ntwo\nthree\n", "one\nTwo\nthree\n", nil},
		{"the file is deleted", "one\nmine\nand mine\ntwo\nthree\n", "one\nmine\nand mine\ntwo\nthree\n", "", []Range{{2, 3}}},
	} {
		now := c.now
		if now == "" {
			now = began
		}
		if got := (Theirs{Began: began, Now: now}).Lost(c.before, c.after); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: got %v, want %v", c.name, got, c.want)
		}
	}
}

// TestBringsBack: which edits make a rejected change again.
func TestBringsBack(t *testing.T) {
	replaced := workspace.Hunk{Old: []string{"a = 1\n", "keep\n"}, New: []string{"a = 2\n", "b = 3\n", "keep\n"}}
	removed := workspace.Hunk{Old: []string{"a = 1\n", "}\n"}}
	for _, c := range []struct {
		name          string
		hunk          workspace.Hunk
		before, after string
		want          bool
	}{
		{"the same lines", replaced, "a = 1\nkeep\n", "a = 2\nb = 3\nkeep\n", true},
		{"the same at another depth", replaced, "a = 1\nkeep\n", "if x {\n\ta = 2\n\tb = 3\n}\nkeep\n", true},
		{"one of them", replaced, "a = 1\nkeep\n", "a = 1\nb = 3\nkeep\n", false},
		{"another edit beside them", replaced, "a = 2\nb = 3\nkeep\n", "a = 2\nb = 3\nkeep it\n", false},
		{"removed again", removed, "a = 1\n}\nz\n", "}\nz\n", true},
		{"changed instead", removed, "a = 1\n}\n", "a = 1\n}\nmore\n", false},
		{"not there", removed, "z\n", "y\n", false},
	} {
		if got := BringsBack(c.hunk, c.before, c.after); got != c.want {
			t.Errorf("%s: got %v", c.name, got)
		}
	}
}
