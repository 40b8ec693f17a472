package lazyregexp

import "testing"

func TestCheck(t *testing.T) {
	right := New(`^a(b+)$`)
	if got := right.FindStringSubmatch("abb"); len(got) != 2 || got[1] != "bb" || right.String() != `^a(b+)$` {
		t.Errorf("%v: found %q", right, got)
	}
	if wrong := Check(); len(wrong) != 0 {
		t.Errorf("right expressions: %v", wrong)
	}
	wrong := New(`a(`)
	if got := Check(); len(got) != 1 {
		t.Errorf("a wrong expression: %v", got)
	}
	defer func() {
		if recover() == nil {
			t.Error("a wrong expression matches")
		}
	}()
	wrong.MatchString("a")
}
