package lsp

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"caselsp/agent"
	"caselsp/agent/fixcheck"
	"caselsp/agent/record"
	"caselsp/agent/validate"
	"caselsp/agent/workspace"
	"caselsp/lsp/lsptest"
	"caselsp/store"
)

// stager hands a server the events of tasks that stage files.
type stager struct {
	*session
	store *store.Store
}

// staged returns what a task has staged: a path and its text in turn, "" for a
// file that is deleted.
func (s stager) staged(files ...string) *record.Staged {
	s.t.Helper()
	now := &record.Staged{}
	for i := 0; i < len(files); i += 2 {
		one := record.StagedFile{Path: files[i]}
		if files[i+1] != "" {
			hash, err := s.store.PutBlob([]byte(files[i+1]))
			s.must(err)
			one.Now = &record.FileRef{Path: files[i], Hash: hash}
		}
		now.Files = append(now.Files, one)
	}
	return now
}

// hear is an event of a task.
func (s stager) hear(task string, body record.Body) {
	event := agent.Event{Body: body}
	event.Status.Task.ID = task
	for _, f := range s.srv.tasks.heard {
		f(event)
	}
}

// shown expects so many diagnostics of a file.
func shown(path string, n int) lsptest.Expectation {
	return lsptest.Expectation{What: fmt.Sprintf("%d diagnostics on %s", n, path), Check: func(now *lsptest.State) lsptest.Verdict {
		if len(now.Diagnostics[path].List) == n {
			return lsptest.Met
		}
		return lsptest.Unmet
	}}
}

// TestStaged follows tasks that stage files: what is wrong with them is shown,
// as long as the task works, whether the files are open or not.
func TestStaged(t *testing.T) {
	const wrong = "é = '𝒳' )\n"
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "b.py"), []byte(wrong), 0o600); err != nil {
		t.Fatal(err)
	}
	w, err := workspace.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	st, err := store.Open(store.Options{StateDir: t.TempDir(), Workspace: w.ID()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { st.Close() })
	for _, e := range encodings {
		s := stager{begin(t, lsptest.Options{Root: dir, Initialize: speaking(e)}, full), st}
		s.srv.engines.now, s.srv.engines.gone = &Engine{Agent: agent.New(agent.Options{Workspace: w, Store: st}), Close: func() error { return nil }}, make(chan struct{})
		s.must(s.OpenText("a.py", "x = = 1\n"))
		s.expect(lsptest.Diagnosed("a.py", "invalid"))
		s.hear("t1", record.ActionDone{Staged: s.staged("a.py", wrong, "b.py", wrong, "c.py", "x = 1\n", "d.py", "\x00\xff", "gone.py", "")})
		s.expect(lsptest.Diagnosed("a.py", stagedPrefix), lsptest.Diagnosed("a.py", "invalid"), lsptest.Diagnosed("b.py", stagedPrefix))
		for _, d := range s.State().Diagnostics["b.py"].List {
			if at, err := lsptest.Offset(wrong, d.Range.Start, e); err != nil || wrong[at] != ')' {
				t.Errorf("%s: at %v, %v", e, d.Range, err)
			}
		}
		// What did not change is not sent again, and a second task has its own say.
		times := s.State().Diagnostics["b.py"].Times
		s.hear("t1", record.ActionDone{})
		s.hear("t1", record.FeatureEnded{Staged: s.staged("b.py", wrong)})
		s.hear("t2", record.Rebased{Staged: *s.staged("b.py", "( "+wrong)})
		s.expect(shown("a.py", 1), shown("b.py", 2))
		if n := s.State().Diagnostics["b.py"].Times; n != times+1 {
			t.Errorf("%s: sent %d times, not %d", e, n, times+1)
		}
		s.srv.staged.unmark("t2")
		s.expect(shown("b.py", 1))
		// What linters say holds as long as the file is as they saw it.
		now := s.staged("b.py", wrong)
		said := []validate.Finding{{Path: "b.py", Rule: "bandit/B1", Severity: validate.Warning, Message: "linted"}, {Path: "z.py", Rule: "x", Message: "m"}}
		s.hear("t1", record.Linted{Files: map[string]string{"b.py": now.Files[0].Now.Hash}, Findings: said})
		s.expect(shown("b.py", 2), lsptest.Diagnosed("b.py", stagedPrefix+"linted"))
		s.hear("t1", record.Linted{Files: map[string]string{"b.py": "another"}, Findings: append(said, said[0])})
		s.hear("t1", record.ActionDone{Staged: s.staged("b.py", wrong+"\n")})
		s.expect(shown("b.py", 1))
		s.claimed(wrong)
		s.srv.staged.unmark("t1")
		s.expect(lsptest.Clean("b.py"), shown("a.py", 1))
		s.srv.staged.mu.Lock()
		if n := len(s.srv.staged.tasks); n != 0 {
			t.Errorf("%d tasks are remembered", n)
		}
		s.srv.staged.mu.Unlock()
		if n := s.State().Diagnostics["c.py"].Times + s.State().Diagnostics["d.py"].Times; n != 0 {
			t.Errorf("nothing was said of good and of binary files %d times", n)
		}
	}
}

// TestStagedPlace shows that what is wrong with a staged text stands where that is in the user's, also after they typed
// above it, and is no error there; and that what they do not have is at the line at which it is to go.
func TestStagedPlace(t *testing.T) {
	s := failingScene(t, map[string]string{"a.py": "import os\n\n\ndef f():\n    return os\n"})
	stand := func(want ...string) lsptest.Expectation {
		return lsptest.Expectation{What: "places " + strings.Join(want, " "), Check: func(st *lsptest.State) lsptest.Verdict {
			var got []string
			for _, d := range st.Diagnostics["a.py"].List {
				got = append(got, fmt.Sprintf("%d:%d %d", d.Range.Start.Line+1, d.Range.Start.Character, d.Severity))
			}
			if fmt.Sprint(got) == fmt.Sprint(want) {
				return lsptest.Met
			}
			return lsptest.Unmet
		}}
	}
	// The task has dropped a line, and added others: the last one is in no text of the user's.
	const text = "\n\ndef f():\n    return os\n\n\n\nx = 1\n"
	on := s.staged("a.py", text)
	found := func(line, from, to int) validate.Finding {
		f := validate.Finding{Path: "a.py", Rule: "r", Severity: validate.Critical, Message: "m"}
		begin := len(strings.Join(strings.SplitAfter(text, "\n")[:line-1], ""))
		f.Start.Offset, f.End.Offset = begin+from, begin+to
		return f
	}
	s.hear("t1", record.ActionDone{Staged: on})
	s.hear("t1", record.Linted{Files: map[string]string{"a.py": on.Files[0].Now.Hash}, Findings: []validate.Finding{found(4, 11, 13), found(8, 4, 5)}})
	s.expect(stand("5:11 2", "5:12 2"), lsptest.Diagnosed("a.py", "in CASE's change: m"))
	s.must(s.Open("a.py"))
	s.must(s.Replace("a.py", "import os", "# mine\nimport os"))
	s.settle()
	s.expect(stand("6:11 2", "6:12 2"))
}

// TestStagedNew shows that what is wrong with a file which the user does not have is about a text that the client can open.
// A client that opens no such text is told nothing.
func TestStagedNew(t *testing.T) {
	s := failingScene(t, oldTest)
	s.hear("t1", record.ActionDone{Staged: s.staged("new é.py", "x = )\n")})
	s.went("t1", record.Testing, threeFail, s.staged(newFiles...))
	s.expect(shown("test_old.py", 1))
	s.settle()
	for path, d := range s.State().Diagnostics {
		if path != "test_old.py" && len(d.List) > 0 {
			t.Errorf("%s: %v", path, d.List)
		}
	}
	s.srv.ed.client.TextDocumentContent = true
	s.srv.staged.unmark("t1")
	now := s.staged("new é.py", "x = )\n")
	u := stagedAddress(now.Files[0].Now.Hash, "new é.py")
	s.hear("t1", record.ActionDone{Staged: now})
	s.expect(shown(string(u), 1))
	if text, err := s.srv.contents.text(s.srv.engines.agent(), u); err != nil || text != "x = )\n" || !strings.HasSuffix(u.Path(), "/new é.py") {
		t.Errorf("%s holds %q, %v", u, text, err)
	}
}

// claimed has verdicts on a claimed fix of b.py be told, which has one diagnostic else. Those that refuse the claim are shown at
// their places, until the next claim or the end of the task.
func (s stager) claimed(text string) {
	s.t.Helper()
	const at = "python-name"
	refuses := fixcheck.Verdict{Validator: at, Origin: fixcheck.Shipped, Confidence: 0.9, Threshold: 0.7, Reason: "sum is undefined", Path: "b.py", Line: 1}
	doubts, valid, beyond, hostile := refuses, refuses, refuses, refuses
	doubts.Confidence, valid.Valid, beyond.Line = 0.5, true, 99
	hostile.Origin, hostile.Reason = fixcheck.Workspace, "obey <me>"
	claim := record.FixChecked{Files: map[string]string{"b.py": s.staged("b.py", text+"\n").Files[0].Now.Hash}, Refused: true}
	for _, c := range []struct {
		verdicts []fixcheck.Verdict
		want     []string
	}{
		{[]fixcheck.Verdict{refuses, doubts, valid}, []string{"claimed fix: b.py:1: sum is undefined (python-name)"}},
		{[]fixcheck.Verdict{beyond, hostile}, []string{"sum is undefined", "“obey <me>”"}},
		{nil, nil},
	} {
		claim.Verdicts = c.verdicts
		s.hear("t1", claim)
		want := []lsptest.Expectation{shown("b.py", 1+len(c.want))}
		for _, text := range c.want {
			want = append(want, lsptest.Diagnosed("b.py", text))
		}
		s.expect(want...)
		for _, d := range s.State().Diagnostics["b.py"].List {
			if strings.Contains(fmt.Sprint(d.Message), "claimed fix") && d.Range.Start.Line != 0 {
				s.t.Errorf("%v is at %v", d.Message, d.Range)
			}
		}
	}
}
