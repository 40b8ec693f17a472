package validate

import "testing"

func TestEdits(t *testing.T) {
	fix := func(edits ...Edit) Finding { return Finding{Fix: &Fix{"t", edits}} }
	for _, c := range []struct {
		text, want string
		found      []Finding
		n          int
	}{
		{"abcdef", "abcdef", nil, 0},
		{"abcdef", "aBcdef", []Finding{{}, fix(Edit{1, 2, "B"})}, 1},
		{"abcdef", "aBcDEf", []Finding{fix(Edit{3, 5, "DE"}), fix(Edit{1, 2, "B"})}, 2},
		{"abcdef", "(abc)def", []Finding{fix(Edit{0, 0, "("}, Edit{3, 3, ")"}), fix(Edit{2, 4, ""})}, 1},
		{"abcdef", "aXbcdef", []Finding{fix(Edit{1, 1, "X"}), fix(Edit{1, 1, "Y"})}, 1},
	} {
		edits, n := Edits(c.found)
		if got := applied(c.text, edits); got != c.want || n != c.n {
			t.Errorf("%q: got %q and %d fixes, want %q and %d", c.text, got, n, c.want, c.n)
		}
	}
}
