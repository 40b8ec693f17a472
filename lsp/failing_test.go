package lsp

import (
	"fmt"
	"strings"
	"testing"

	"caselsp/agent"
	"caselsp/agent/record"
	"caselsp/agent/testreport"
	"caselsp/agent/workspace"
	"caselsp/lsp/lsptest"
	"caselsp/store"

	"go.lsp.dev/protocol"
)

// What a task has staged, and how the tests went on it.
var (
	oldTest   = map[string]string{"test_old.py": "import a\n\n\ndef test_old():\n    assert a.é() == 1\n"}
	newFiles  = []string{"a.py", "def é():\n    x = 2\n    return x\n", "test_new.py", "def test_new():\n    assert 0\n"}
	threeFail = &record.Results{
		Report: testreport.Report{Runner: "pytest", Passed: 1, Failed: 2, Errors: 1, Tests: []testreport.Test{
			{Name: "test_old", File: "test_old.py", Line: 5, Outcome: testreport.Failed, Message: "assert 2 == 1\nmore"},
			{Name: "test_new", File: "test_new.py", Line: 2, Outcome: testreport.Failed},
			{Name: "test_nowhere", Outcome: testreport.Failed},
			{Name: "test_new", File: "test_new.py", Outcome: testreport.Errored},
			{Name: "test_good", File: "test_old.py", Line: 1, Outcome: testreport.Passed},
		}},
		Behind: map[string]record.Behind{"test_old": {Path: "a.py", Line: 3, Hunk: testreport.Hunk{From: 2, To: 3}}},
	}
)

// failingScene is a server whose agent knows a workspace with these files.
func failingScene(t *testing.T, files map[string]string) stager {
	t.Helper()
	sc := play(t, plot{files: files})
	dir := sc.Abs(".")
	w, err := workspace.Open(dir)
	sc.must(err)
	t.Cleanup(func() { w.Close() })
	st, err := store.Open(store.Options{StateDir: t.TempDir(), Workspace: w.ID()})
	sc.must(err)
	t.Cleanup(func() { st.Close() })
	sc.srv.engines.now, sc.srv.engines.gone = &Engine{Agent: agent.New(agent.Options{Workspace: w, Store: st}), Close: func() error { return nil }}, make(chan struct{})
	return stager{sc.session, st}
}

// went is an event after which the last run of a task's tests is this one.
func (s stager) went(task string, state record.Phase, results *record.Results, on *record.Staged) record.Status {
	event := agent.Event{Body: record.ActionDone{Results: results}}
	event.Status.Task.ID, event.Status.State = task, state
	if event.Status.Tests.Results = results; on != nil {
		event.Status.Tests.On = *on
	}
	for _, f := range s.srv.tasks.heard {
		f(event)
	}
	return event.Status
}

// TestFailingTests follows the tests of tasks: what fails is shown at the line that failed,
// with the changed lines behind it, until the tests pass or nothing of the task is left to
// decide.
func TestFailingTests(t *testing.T) {
	s := failingScene(t, oldTest)
	s.srv.ed.client.TextDocumentContent = true
	on, failed := s.staged(newFiles...), threeFail
	added := string(stagedAddress(hashOf(*on, "test_new.py"), "test_new.py"))
	s.went("t1", record.Testing, failed, on)
	s.expect(shown("test_old.py", 1), shown(added, 2), lsptest.Diagnosed("test_old.py", "in CASE's change: the test test_old fails: assert 2 == 1"))
	old := s.State().Diagnostics["test_old.py"].List[0]
	if old.Range.Start != (protocol.Position{Line: 4}) || old.Range.End.Line != 4 || old.Range.End.Character == 0 {
		t.Errorf("the test is marked at %v", old.Range)
	}
	if len(old.RelatedInformation) != 1 {
		t.Fatalf("related: %+v", old.RelatedInformation)
	}
	related := old.RelatedInformation[0]
	at := related.Location
	if at.URI != stagedAddress(hashOf(*on, "a.py"), "a.py") || at.Range.Start.Line != 1 || at.Range.End.Line != 2 || at.Range.End.Character != uint32(len("    return x")) {
		t.Errorf("the changed lines are at %v", at)
	}
	if !strings.Contains(related.Message, "line 3") {
		t.Errorf("related: %q", related.Message)
	}
	for _, d := range s.State().Diagnostics[added].List {
		if errored := strings.Contains(messageOf(d), "could not run"); errored != (d.Range.Start.Line == 0) {
			t.Errorf("%q at %v", messageOf(d), d.Range)
		}
	}
}

// TestFailingTestsPlace shows that the lines of a test that is not in the user's text yet are where they are to go, also
// after the user typed above, and that others are where they stand in that text.
func TestFailingTestsPlace(t *testing.T) {
	const one, two, three = "def test_one():\n    assert 1\n\n", "def test_two():\n    assert 0\n\n", "def test_three():\n    assert 0\n"
	s := failingScene(t, map[string]string{"test_a.py": one + three})
	on := s.staged("test_a.py", one+two+three)
	failed := &record.Results{Report: testreport.Report{Runner: "pytest", Failed: 2, Tests: []testreport.Test{
		{Name: "test_two", File: "test_a.py", Line: 5, Outcome: testreport.Failed},
		{Name: "test_three", File: "test_a.py", Line: 8, Outcome: testreport.Failed},
	}}}
	stand := func(want string) lsptest.Expectation {
		return lsptest.Expectation{What: "lines " + want, Check: func(st *lsptest.State) lsptest.Verdict {
			var got []string
			for _, d := range st.Diagnostics["test_a.py"].List {
				got = append(got, fmt.Sprint(strings.Fields(strings.TrimPrefix(messageOf(d), stagedPrefix))[2], d.Range.Start.Line+1))
			}
			if fmt.Sprint(got) == want {
				return lsptest.Met
			}
			return lsptest.Unmet
		}}
	}
	s.went("t1", record.Testing, failed, on)
	s.expect(stand("[test_two4 test_three5]"))
	s.must(s.Open("test_a.py"))
	s.must(s.Replace("test_a.py", "def test_one", "# mine\n\ndef test_one"))
	s.settle()
	s.expect(stand("[test_two5 test_three7]"))
}

// TestFailingTestsEnd shows how long failing tests are shown.
func TestFailingTestsEnd(t *testing.T) {
	s := failingScene(t, oldTest)
	s.srv.ed.client.TextDocumentContent = true
	on, failed := s.staged(newFiles...), threeFail
	added := string(stagedAddress(hashOf(*on, "test_new.py"), "test_new.py"))
	s.went("t1", record.Testing, failed, on)
	s.expect(shown("test_old.py", 1), shown(added, 2))

	// Nothing is sent again as long as no other run counts; a second task has its own say.
	times := s.State().Diagnostics["test_old.py"].Times
	s.went("t1", record.Coding, failed, nil)
	s.went("t2", record.Testing, failed, on)
	s.expect(shown("test_old.py", 2))
	if n := s.State().Diagnostics["test_old.py"].Times; n != times+1 {
		t.Errorf("sent %d times, not %d", n, times+1)
	}
	less := &record.Results{Report: testreport.Report{Runner: "pytest", Failed: 1, Tests: failed.Tests[:1]}}
	s.went("t2", record.Testing, less, on)
	s.expect(shown(added, 2), shown("test_old.py", 2))
	s.went("t2", record.Testing, &record.Results{Report: testreport.Report{Runner: "pytest", Passed: 4}}, on)
	s.expect(shown("test_old.py", 1))

	// They stay while the result waits for a decision, and no longer.
	last := s.went("t1", record.Review, failed, nil)
	s.srv.failing.ended("t1", last)
	last.State, last.Kept = record.Failed, []record.KeptLine{{}}
	s.srv.failing.ended("t1", last)
	s.settle()
	s.expect(shown("test_old.py", 1))
	s.srv.failing.forget("t1")
	s.expect(lsptest.Clean("test_old.py"), lsptest.Clean(added))
	for _, state := range []record.Phase{record.Failed, record.Succeeded, record.Paused, record.Stopped} {
		last := s.went("t1", record.Testing, failed, on)
		s.expect(shown("test_old.py", 1))
		last.State = state
		s.srv.failing.ended("t1", last)
		s.expect(lsptest.Clean("test_old.py"))
	}
	s.srv.failing.forget("t2")
	s.srv.failing.mu.Lock()
	if n := len(s.srv.failing.tasks); n != 0 {
		t.Errorf("%d tasks are remembered", n)
	}
	s.srv.failing.mu.Unlock()
}
