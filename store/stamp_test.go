package store

import "testing"

// TestStamp: the stamp of a store is another one when something was written, and the same when it was only opened and read.
func TestStamp(t *testing.T) {
	o := Options{StateDir: t.TempDir(), Workspace: "w"}
	if got := Stamp(o); got != "" || Exists(o) {
		t.Fatalf("no store has the stamp %q", got)
	}
	seen := map[string]bool{}
	for _, kind := range []string{"a", "b", "b"} {
		s, err := Open(o)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Journal("t").Append(kind, nil); err != nil {
			t.Fatal(err)
		}
		during := Stamp(o)
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		if s, err = Open(o); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Tasks(); err != nil {
			t.Fatal(err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		if after := Stamp(o); seen[after] || after == "" || after != during || !Exists(o) {
			t.Errorf("after %s: stamp %q, %q while it was open; %d others", kind, after, during, len(seen))
		}
		seen[Stamp(o)] = true
	}
}
