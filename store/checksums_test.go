package store

import (
	"errors"
	"maps"
	"testing"
)

// TestChecksums: the checksums are those that were kept last, by path, in the next process too.
func TestChecksums(t *testing.T) {
	dir := t.TempDir()
	for _, want := range []map[string]string{
		nil,
		{"a/x.py": "1", "b/x.py": "2"},
		{"b/x.py": "3", "c": "4"},
		{},
	} {
		s := open(t, Options{StateDir: dir, Secrets: []string{"hunter2-hunter2"}})
		if want != nil {
			with := maps.Clone(want)
			with["hunter2-hunter2.py"], with[""] = "5", "6"
			if err := s.KeepChecksums(with); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		s = open(t, Options{StateDir: dir})
		if got, err := s.Checksums(); err != nil || !maps.Equal(got, want) || (got == nil) != (want == nil) {
			t.Errorf("got %v, %v, want %v", got, err, want)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		if err := s.KeepChecksums(want); !errors.Is(err, errClosed) {
			t.Errorf("kept after Close: %v", err)
		}
		if _, err := s.Checksums(); !errors.Is(err, errClosed) {
			t.Errorf("read after Close: %v", err)
		}
	}
}
