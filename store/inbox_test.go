package store

import (
	"fmt"
	"slices"
	"testing"
)

// waits returns what waits for a journal, as "number body".
func waits(t *testing.T, j *Journal) (list []string) {
	t.Helper()
	kept, err := j.Kept()
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range kept {
		list = append(list, fmt.Sprintf("%d %s", k.Number, k.Body))
	}
	return list
}

// TestInbox keeps messages for two tasks, takes some of them with a record, drops one, and opens the store anew.
func TestInbox(t *testing.T) {
	o := Options{StateDir: t.TempDir(), Workspace: "a1b2", Secrets: []string{"correct-horse-staple"}}
	s, err := Open(o)
	if err != nil {
		t.Fatal(err)
	}
	one, two := s.Journal("one"), s.Journal("two")
	var numbers []int64
	for i, text := range []string{"first", "second, with correct-horse-staple", "third"} {
		n, err := one.Keep(text)
		if err != nil || n <= 0 {
			t.Fatalf("message %d: %d, %v", i, n, err)
		}
		numbers = append(numbers, n)
	}
	other, err := two.Keep("other")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := one.AppendKept(numbers[0], "told", "first"); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = open(t, o)
	one, two = s.Journal("one"), s.Journal("two")
	if got, want := waits(t, one), []string{`2 "second, with [redacted]"`, `3 "third"`}; !slices.Equal(got, want) {
		t.Errorf("one waits for %q, not %q", got, want)
	}
	if records, err := one.Records(); err != nil || len(records) != 1 {
		t.Errorf("one has %d records, %v", len(records), err)
	}
	for _, n := range numbers[1:] {
		if err := one.Drop(n); err != nil {
			t.Fatal(err)
		}
	}
	if there, err := s.Forget("one"); err != nil || !there {
		t.Errorf("forgotten: %v, %v", there, err)
	}
	if n, err := one.Keep("again"); err != nil || n <= other {
		t.Errorf("the next message has the number %d, not one after %d: %v", n, other, err)
	}
	if got, want := waits(t, two), []string{fmt.Sprintf(`%d "other"`, other)}; !slices.Equal(got, want) {
		t.Errorf("two waits for %q, not %q", got, want)
	}
	if _, err := s.Forget("two"); err != nil {
		t.Error(err)
	}
	if got := waits(t, two); len(got) > 0 {
		t.Errorf("two was forgotten and waits for %q", got)
	}
}
