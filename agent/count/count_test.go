package count

import "testing"

func TestOf(t *testing.T) {
	for _, c := range []struct {
		n    int
		noun string
		want string
	}{{0, "line", "0 lines"}, {1, "line", "1 line"}, {2, "line", "2 lines"}, {1, "match", "1 match"}, {12, "match", "12 matches"}, {3, "class", "3 classes"}} {
		if got := Of(c.n, c.noun); got != c.want {
			t.Errorf("%d %s: %q, not %q", c.n, c.noun, got, c.want)
		}
	}
}
