package record

import (
	"slices"
	"testing"

	"caselsp/agent/stack"
	"caselsp/agent/testreport"
)

// TestNewEvidence: of new tests, those that pass without the change are named, where the run
// names all that failed.
func TestNewEvidence(t *testing.T) {
	added := testreport.Added([]testreport.Change{
		{Path: "test_a.py", Before: "def test_old():\n    assert 1\n", After: "def test_old():\n    assert 2\n\ndef test_one():\n    assert f()\n\ndef test_two():\n    assert 1\n"},
		{Path: "a.py", After: "def test_no():\n    pass\n"},
		{Path: "gone_test.go", Before: "package a\n", Deleted: true},
	})
	if want := []string{"test_one", "test_two"}; !slices.Equal(added, want) {
		t.Fatalf("got %v, want %v", added, want)
	}
	failed := func(n, errors int, names ...string) *Results {
		r := &Results{Report: testreport.Report{Runner: "pytest", Failed: n, Errors: errors}}
		for _, name := range names {
			r.Tests = append(r.Tests, testreport.Test{Name: name, File: "test_a.py", Outcome: testreport.Failed})
		}
		return r
	}
	for _, c := range []struct {
		name    string
		outcome stack.Outcome
		results *Results
		without Proof
		passing []string
	}{
		{"one of two fails", stack.Failed, failed(1, 0, "test_a.test_one"), FailsWithout, []string{"test_two"}},
		{"both fail", stack.Failed, failed(2, 0, "test_a.test_one", "test_a.test_two"), FailsWithout, nil},
		{"not all are named", stack.Failed, failed(2, 0, "test_a.test_one"), FailsWithout, nil},
		{"the file cannot be read", stack.Failed, failed(0, 1), FailsWithout, nil},
		{"all pass", stack.Passed, failed(0, 0), PassesWithout, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := NewEvidence([]string{"test_a.py"}, added, c.outcome, c.results)
			if e.Without != c.without || !slices.Equal(e.Passing, c.passing) {
				t.Errorf("got %s, %v", e.Without, e.Passing)
			}
		})
	}
}
