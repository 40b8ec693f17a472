package store

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// TestFacts: what is kept is there for the next process, what holds a secret never is, and a
// cache that is damaged, of another version, or cannot be had is begun anew and fails nothing.
func TestFacts(t *testing.T) {
	dir := t.TempDir()
	keep := func(secrets []string, values map[string]string) string {
		t.Helper()
		s := open(t, Options{StateDir: dir, Secrets: secrets})
		for k, v := range values {
			s.Facts("1").Keep(k, []byte(v))
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		return filepath.Join(s.dir, factsFile)
	}
	check := func(version string, want map[string]string) {
		t.Helper()
		f := beside(t, dir, version)
		for k, v := range want {
			if got := f.Fact(k); string(got) != v {
				t.Errorf("%s: got %q, want %q", k, got, v)
			}
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
	path := keep([]string{"hunter2-hunter2"}, map[string]string{"a": "one", "b": "x = hunter2-hunter2", "c": string(make([]byte, maxFact+1)), "e": "five"})
	check("1", map[string]string{"a": "one", "b": "", "c": "", "d": "", "e": "five"})
	keep(nil, map[string]string{"a": "newer"})
	check("1", map[string]string{"a": "newer", "e": "five"})
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	check("2", map[string]string{"a": ""})
	for name, damaged := range map[string][]byte{
		"another file": []byte("no cache"), "torn": whole[:len(whole)-2], "torn head": whole[:len(factsHead)+7], "changed value": bytes.Replace(whole, []byte("newer"), []byte("never"), 1),
		"changed size": bytes.Replace(whole, []byte("\x01\x00\x00\x00\x05"), []byte("\x01\x00\x00\xff\x05"), 1),
	} {
		if err := os.WriteFile(path, damaged, 0o600); err != nil {
			t.Fatal(err)
		}
		if name != "changed value" {
			check("1", map[string]string{"a": "", "e": ""})
		} else {
			check("1", map[string]string{"a": "", "e": "five"})
		}
		keep(nil, map[string]string{"a": "two"})
		check("1", map[string]string{"a": "two"})
	}

	f := beside(t, dir, "1")
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if f.Keep("a", []byte("late")); f.Fact("a") != nil || f.Done() != nil {
		t.Error("kept after Close")
	}
}

func beside(t *testing.T, dir, version string) *Facts {
	t.Helper()
	f, err := FactsIn(Options{StateDir: dir, Workspace: "a1b2"}, version, func() ([]string, error) { return []string{"Shoveler-Kyle-8"}, nil })
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestFactsShared: two processes keep at the same time, and read what they kept themselves and
// what was there before.
func TestFactsShared(t *testing.T) {
	dir := t.TempDir()
	first := beside(t, dir, "1")
	first.Keep("old", []byte("0"))
	if err := first.Done(); err != nil {
		t.Fatal(err)
	}
	second := beside(t, dir, "1")
	for _, f := range []*Facts{first, second, first} {
		f.Keep("own", []byte("one of the two"))
		if err := f.Done(); err != nil {
			t.Fatal(err)
		}
		if got := f.Fact("old"); string(got) != "0" {
			t.Errorf("old: got %q", got)
		}
		if got := f.Fact("own"); got != nil && string(got) != "one of the two" {
			t.Errorf("own: got %q", got)
		}
	}
	third := beside(t, dir, "1")
	if got := third.Fact("own"); string(got) != "one of the two" {
		t.Errorf("the next process reads %q", got)
	}
	for _, f := range []*Facts{first, second, third} {
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestFactsSecret: a cache beside the store keeps nothing that holds a secret of the workspace's files, and nothing
// at all where these are not known.
func TestFactsSecret(t *testing.T) {
	dir := t.TempDir()
	f := beside(t, dir, "1")
	f.Keep("a", []byte("const key = 'Shoveler-Kyle-8'"))
	f.Keep("b", []byte("const key = name"))
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	unknown, err := FactsIn(Options{StateDir: dir, Workspace: "a1b2"}, "1", func() ([]string, error) { return nil, errors.New("unreadable") })
	if err != nil {
		t.Fatal(err)
	}
	unknown.Keep("c", []byte("const key = name"))
	if unknown.Fact("a") != nil || unknown.Fact("b") == nil || unknown.Fact("c") != nil {
		t.Errorf("kept: a %q, b %q, c %q", unknown.Fact("a"), unknown.Fact("b"), unknown.Fact("c"))
	}
	if err := unknown.Close(); err != nil {
		t.Fatal(err)
	}
}
