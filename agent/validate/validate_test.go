package validate

import (
	"testing"
)

func TestIntroduced(t *testing.T) {
	f := func(rule, message string, line int) Finding {
		found := Finding{Rule: rule, Message: message}
		found.Start.Line = line
		return found
	}
	for _, c := range []struct {
		name          string
		before, after []Finding
		want          int
	}{
		{"nothing before", nil, []Finding{f("a", "m", 1)}, 1},
		{"the same, moved", []Finding{f("a", "m", 1)}, []Finding{f("a", "m", 9)}, 0},
		{"one more of the same", []Finding{f("a", "m", 1)}, []Finding{f("a", "m", 1), f("a", "m", 2)}, 1},
		{"another message", []Finding{f("a", "m", 1)}, []Finding{f("a", "n", 1)}, 1},
		{"another rule", []Finding{f("a", "m", 1)}, []Finding{f("b", "m", 1)}, 1},
		{"mended", []Finding{f("a", "m", 1)}, nil, 0},
	} {
		if got := Introduced(c.before, c.after); len(got) != c.want {
			t.Errorf("%s: %d introduced, want %d", c.name, len(got), c.want)
		}
	}
}
