package action

import (
	"fmt"
	"testing"
)

// TestUnsearched names the first files that a search passed over, and counts the others.
func TestUnsearched(t *testing.T) {
	var u unsearched
	want := ""
	for i := range 7 {
		if got := u.text(); got != want {
			t.Errorf("%d files: got %q, want %q", i, got, want)
		}
		u.add(fmt.Sprintf("%d.log", i), 11<<20)
		switch want = "\nNot searched, larger than 10 MiB: 0.log (11 MiB)"; {
		case i < 5:
			for k := 1; k <= i; k++ {
				want += fmt.Sprintf(", %d.log (11 MiB)", k)
			}
		default:
			want += fmt.Sprintf(", 1.log (11 MiB), 2.log (11 MiB), 3.log (11 MiB), 4.log (11 MiB) and %d more", i-4)
		}
		want += ". A command such as grep searches them.\n"
	}
}
