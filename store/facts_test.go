package store

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// TestFacts: what is kept is there for the next process, what holds a secret never is, and a
// cache that is damaged, or no cache at all, is begun anew and fails nothing.
func TestFacts(t *testing.T) {
	dir := t.TempDir()
	keep := func(secrets []string, values map[string]string) string {
		t.Helper()
		s := open(t, Options{StateDir: dir, Secrets: secrets})
		raw := map[string][]byte{}
		for k, v := range values {
			raw[k] = []byte(v)
		}
		if err := s.KeepFacts(raw); err != nil {
			t.Fatal(err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		return filepath.Join(s.dir, factsFile)
	}
	check := func(want map[string]string) {
		t.Helper()
		s := open(t, Options{StateDir: dir})
		for k, v := range want {
			if got := s.Fact(k); string(got) != v {
				t.Errorf("%s: got %q, want %q", k, got, v)
			}
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	path := keep([]string{"hunter2-hunter2"}, map[string]string{"a": "one", "b": "x = hunter2-hunter2", "c": string(make([]byte, maxFact+1))})
	check(map[string]string{"a": "one", "b": "", "c": "", "d": ""})
	if err := os.WriteFile(path, []byte("no database"), 0o600); err != nil {
		t.Fatal(err)
	}
	check(map[string]string{"a": ""})
	keep(nil, map[string]string{"a": "two"})
	check(map[string]string{"a": "two"})
	if err := os.Truncate(path, 5000); err != nil {
		t.Fatal(err)
	}
	check(map[string]string{"a": ""})

	s := open(t, Options{StateDir: dir})
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := s.KeepFacts(map[string][]byte{"a": []byte("late")}); !errors.Is(err, errClosed) {
		t.Errorf("kept after Close: %v", err)
	}
	if got := s.Fact("a"); got != nil {
		t.Errorf("got %q after Close", got)
	}
}
