package store

import (
	"fmt"
	"testing"
	"time"
)

// TestValidators keeps validators, finds them by an error, and counts how often the tests agreed with them.
func TestValidators(t *testing.T) {
	m := newMemory(t.TempDir()+"/user.db", time.Now, func(s string) string { return s })
	list := []Pattern{
		{ID: "a", Text: "python-missing-module: checks that a module that cannot be imported is there now. ModuleNotFoundError ImportError No module named"},
		{ID: "b", Text: "go-nil: checks that a nil pointer dereference is guarded. panic runtime error invalid memory address"},
		{ID: "c", Text: "js-undefined: checks a TypeError of undefined. Cannot read properties of undefined"},
	}
	ask := func(text string) map[string]Standing {
		t.Helper()
		found, err := m.Validators(t.Context(), list, text)
		if err != nil || len(found) != len(list) {
			t.Fatalf("%v, %v", found, err)
		}
		return found
	}
	ask("")
	if found := ask("ModuleNotFoundError\nModuleNotFoundError: No module named requests"); found["a"].Similarity == 0 || found["a"].Similarity <= found["b"].Similarity {
		t.Errorf("a missing module: %v", found)
	}
	if all, err := m.All(t.Context(), ""); err != nil || len(all) != 0 {
		t.Errorf("what tasks have taught: %v, %v", all, err)
	}
	for i := range 4 {
		if ask("")["b"].Retired() {
			t.Fatalf("retired after %d", i)
		}
		use := []Use{{ID: "b"}, {ID: "c", Helped: true}, {ID: "c", Helped: true}}
		for range 2 { // the same twice changes nothing
			if err := m.Learn(t.Context(), fmt.Sprint("20260101-", i), Lesson{Uses: use, Decided: true}); err != nil {
				t.Fatal(err)
			}
		}
	}
	found := ask("")
	if s := found["b"]; !s.Retired() || s.Wrong != 4 || s.Weight() >= 0.7 {
		t.Errorf("one that is always wrong: %+v weighs %.2f", s, s.Weight())
	}
	if s := found["c"]; s.Retired() || s.Right != 8 || s.Weight() != 1 {
		t.Errorf("one that is always right: %+v weighs %.2f", s, s.Weight())
	}
}

// TestValidatorsPresent finds a validator of this workspace though memory has many that are more similar and are not here:
// earlier versions, and those of other workspaces.
func TestValidatorsPresent(t *testing.T) {
	m := newMemory(t.TempDir()+"/user.db", time.Now, func(s string) string { return s })
	const text = "missing-module: checks that a module can be imported. ModuleNotFoundError No module named"
	var old []Pattern
	for i := range 2 * preselected {
		old = append(old, Pattern{ID: fmt.Sprint("old-", i), Text: text})
	}
	if _, err := m.Validators(t.Context(), old, ""); err != nil {
		t.Fatal(err)
	}
	now := []Pattern{{ID: "now", Text: text + " and that the manifest of the project names it, too"}}
	found, err := m.Validators(t.Context(), now, text)
	if err != nil || len(found) != 1 || found["now"].Similarity == 0 {
		t.Errorf("%v, %v", found, err)
	}
}

// TestStanding follows the weight of a validator whose verdicts have a confidence of 0.9, where 0.7 refuses.
func TestStanding(t *testing.T) {
	for _, c := range []struct {
		right, wrong     int
		refuses, retired bool
	}{
		{0, 0, true, false}, {0, 1, true, false}, {0, 2, false, false}, {1, 3, false, false}, {9, 2, true, false},
		{0, 3, false, false}, {0, 4, false, true}, {2, 6, false, true}, {20, 10, true, false},
	} {
		s := Standing{Right: c.right, Wrong: c.wrong}
		if got := 0.9*s.Weight() >= 0.7; got != c.refuses || s.Retired() != c.retired {
			t.Errorf("%+v weighs %.2f: refuses %v, retired %v", s, s.Weight(), got, s.Retired())
		}
	}
}
