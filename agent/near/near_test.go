package near

import "testing"

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b        string
		limit, want int
	}{
		{"", "", 0, 0},
		{"same", "same", 0, 0},
		{"", "abc", 9, 3},
		{"kitten", "sitting", 9, 3},
		{"color", "colro", 9, 1}, // an exchange
		{"ca", "abc", 9, 3},      // no part is edited twice
		{"größe", "grösse", 9, 2},
		{"kitten", "sitting", 2, 3},
		{"kitten", "sitting", 0, 1},
		{"short", "much longer", 3, 4},
		{"a", "b", -1, 0},
	} {
		for _, x := range [][2]string{{c.a, c.b}, {c.b, c.a}} {
			if got := Distance([]rune(x[0]), []rune(x[1]), c.limit); got != c.want {
				t.Errorf("Distance(%q, %q, %d) = %d, want %d", x[0], x[1], c.limit, got, c.want)
			}
		}
	}
}

func TestClosest(t *testing.T) {
	list := []string{"color", "colour", "column", "cursor"}
	for _, c := range []struct {
		word  string
		limit int
		want  string
	}{
		{"colro", 1, "color"},
		{"colmun", 2, "column"},
		{"colour", 0, "colour"},
		{"coluur", 2, "colour"},
		{"colou", 1, "color"}, // the first of two
		{"background", 3, ""},
		{"color", -1, ""},
	} {
		if got := Closest(c.word, list, c.limit); got != c.want {
			t.Errorf("Closest(%q, %d) = %q, want %q", c.word, c.limit, got, c.want)
		}
	}
}
