package record

import (
	"slices"
	"testing"

	"caselsp/agent/stack"
	"caselsp/agent/testreport"
)

// TestNewEvidence: of new tests, those are named of which a result of the run without the change says that
// they pass there; nothing is said of others.
func TestNewEvidence(t *testing.T) {
	changes := []testreport.Change{
		{Path: "test_a.py", Before: "def test_old():\n    assert 1\n", After: "def test_old():\n    assert 2\n\ndef test_one():\n    assert f()\n\ndef test_two():\n    assert 1\n"},
		{Path: "a.py", After: "def test_no():\n    pass\n"},
		{Path: "gone_test.go", Before: "package a\n", Deleted: true},
	}
	added, _ := testreport.Added(changes)
	if want := []testreport.Declared{{Path: "test_a.py", Name: "test_one"}, {Path: "test_a.py", Name: "test_two"}}; !slices.Equal(added, want) {
		t.Fatalf("got %v, want %v", added, want)
	}
	run := func(failed, errors int, bad []string, passed ...string) (r testreport.Report) {
		r = testreport.Report{Runner: "pytest", Failed: failed, Errors: errors, Passed: len(passed)}
		for _, name := range bad {
			r.Tests = append(r.Tests, testreport.Test{Name: name, File: "test_a.py", Outcome: testreport.Failed})
		}
		for _, name := range passed {
			r.Tests = append(r.Tests, testreport.Test{Name: name, File: "test_a.py", Outcome: testreport.Passed})
		}
		return r
	}
	for _, c := range []struct {
		name    string
		outcome stack.Outcome
		ran     testreport.Report
		without Proof
		passing []string
	}{
		{"one of two fails", stack.Failed, run(1, 0, []string{"test_one"}, "test_two", "test_old"), FailsWithout, []string{"test_two"}},
		{"one fails, and those that pass are not named", stack.Failed, run(1, 0, []string{"test_one"}), FailsWithout, nil},
		{"both fail", stack.Failed, run(2, 0, []string{"test_one", "Case::test_two[a-1]"}, "test_old"), FailsWithout, nil},
		{"one case of several fails", stack.Failed, run(2, 0, []string{"test_one", "test_two[a]"}, "test_two[b]"), FailsWithout, nil},
		{"all cases pass", stack.Failed, run(1, 0, []string{"test_one"}, "test_two[a]", "test_two[b]"), FailsWithout, []string{"test_two"}},
		{"not all are named", stack.Failed, run(2, 0, []string{"test_one"}, "test_two"), FailsWithout, nil},
		{"the file cannot be read", stack.Failed, run(0, 1, nil), FailsWithout, nil},
		{"all pass", stack.Passed, run(0, 0, nil, "test_one", "test_two"), PassesWithout, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := NewEvidence([]string{"test_a.py"}, changes, c.outcome, c.ran)
			if e.Without != c.without || !slices.Equal(e.Passing, c.passing) {
				t.Errorf("got %s, %v", e.Without, e.Passing)
			}
		})
	}
}

// TestNewEvidenceHelper: a test of Go that fails in a helper, whose file the runner names, has failed all the same; one of another
// package has nothing to do with it.
func TestNewEvidenceHelper(t *testing.T) {
	changes := []testreport.Change{{Path: "words/ordinal_test.go", Before: "package words\n", After: "package words\n\nfunc TestOrdinals(t *testing.T) { run(t) }\n\nfunc TestOther(t *testing.T) {}\n"}}
	for _, c := range []struct {
		name, file string
		passes     Proof
		passing    []string
	}{
		{"TestOrdinals", "words/common_test.go", FailsWithout, []string{"TestOther"}},
		{"TestOrdinals/-1", "words/common_test.go", FailsWithout, []string{"TestOther"}},
		{"TestOrdinals", "other/common_test.go", PassesWithout, nil},
		{"TestMore", "words/more_test.go", PassesWithout, nil},
	} {
		ran := testreport.Report{Runner: "go test", Failed: 1, Passed: 1, Tests: []testreport.Test{
			{Name: c.name, File: c.file, Outcome: testreport.Failed}, {Name: "TestOther", Outcome: testreport.Passed},
		}}
		if e := NewEvidence([]string{"words/ordinal_test.go"}, changes, stack.Failed, ran); e.Without != c.passes || !slices.Equal(e.Passing, c.passing) {
			t.Errorf("%s in %s: got %s, %v", c.name, c.file, e.Without, e.Passing)
		}
	}
}
