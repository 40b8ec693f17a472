package agent

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"caselsp/agent/llm"
	"caselsp/agent/llm/llmtest"
	"caselsp/agent/llm/openai"
	"caselsp/agent/record"
	"caselsp/agent/workspace"
	"caselsp/sandbox"
	"caselsp/store"
)

// The scripted model answers by what a request holds, so that it gives a resumed
// run the same answers as one that was never interrupted.
const resumeScript = `
on tars
when # Workspace
times always
call SUBMIT_PLAN
	{"analysis": "x", "files_to_create": ["a.txt"], "files_to_change": ["b.txt"], "steps": [], "considerations": [],
	 "features": [{"id": "f", "title": "Files", "description": "Write a.txt.", "test": "check a.txt"}]}
on case
after 0
times always
call WRITE_FILE {"thought": "t", "path": "a.txt", "content": "bug\n"}
on case
after 1
times always
call GET_FULL_FILE_CONTENT {"thought": "t", "path": "b.txt"}
on case
after 2
times always
call RENAME_FILE {"thought": "t", "from": "b.txt", "to": "c.txt"}
on case
after 3
times always
call TARS_CHECKPOINT {"thought": "t", "reason": "stuck"}
on tars
when What CASE says
times always
call SUBMIT_ADVICE {"advice": "go on"}
on case
after 4
times always
call ROLLBACK {"thought": "t", "step": 2, "reason": "wrong"}
on case
after 5
times always
call RUN_COMMAND {"thought": "t", "command": "touch made.txt"}
on case
after 6
when caselsp ended before its outcome was known
times always
call RUN_COMMAND {"thought": "t", "command": "touch made.txt"}
on case
after 6
times always
call REQUEST_USER_INPUT {"thought": "t", "question": "Sure?"}
on case
after 7
times always
call FINISH_FEATURE {"thought": "t", "summary": "written"}
on reflector
times always
want # Failed tests
call SUBMIT_HYPOTHESIS {"cause": "a bug", "fix": "mend it"}
on case
last # Round 2
times always
want AssertionError: a bug
not hypothesis:
call WRITE_FILE {"thought": "t", "path": "a.txt", "content": "another bug\n"}
on case
last # Round 3
times always
want hypothesis
call WRITE_FILE {"thought": "t", "path": "a.txt", "content": "good\n"}
on case
when # Round 2
times always
call FINISH_FEATURE {"thought": "t", "summary": "mended", "fixes_applied": ["mended"]}
on tars
when # Test results
times always
want exit code 0
call SUBMIT_VERDICT {"completion": 100, "approved": true, "summary": "done", "issues": []}
`

// checkEngine is a sandbox that knows two commands: touch FILE, and check FILE,
// which fails where the file holds a bug.
type checkEngine struct{ ran []string }

func (e *checkEngine) Run(_ context.Context, cmd sandbox.Command) (*sandbox.Result, error) {
	e.ran = append(e.ran, cmd.Line)
	verb, path, _ := strings.Cut(cmd.Line, " ")
	r := &sandbox.Result{Status: sandbox.Exited}
	if verb == "touch" {
		r.Changes = []sandbox.Change{{Path: path, Data: []byte("made\n"), Mode: 0o644}}
	}
	for _, f := range cmd.Tree {
		if verb == "check" && f.Path == path && strings.Contains(string(f.Data), "bug") {
			r.ExitCode, r.Output = 1, "AssertionError: a bug\n"
		}
	}
	return r, nil
}

// agreeable answers every question at once.
type agreeable struct{}

func (agreeable) Ask(_ context.Context, q record.Question) (record.Answer, error) {
	if q.Kind() == record.KindApproval {
		return record.Answer{Text: record.Approve}, nil
	}
	return record.Answer{Text: "yes"}, nil
}

// planner is agreeable, and has a plan changed once before the work begins.
type planner struct{ agreeable }

func (p planner) Ask(ctx context.Context, q record.Question) (record.Answer, error) {
	if about, ok := q.Subject.(record.Input); ok && about.Plan != nil && about.Plan.Left == maxPlanChanges {
		return record.Answer{Text: "keep it small"}, nil
	}
	return p.agreeable.Ask(ctx, q)
}

// bench is an agent with everything real but the sandbox.
type bench struct {
	*Agent
	engine *checkEngine
	model  *llmtest.Server
}

func newBench(t *testing.T, script string, user User) *bench {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "b.txt"), []byte("b\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	w, err := workspace.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	s, err := store.Open(store.Options{StateDir: t.TempDir(), Workspace: w.ID()})
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := llmtest.ParseScript(script)
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{engine: &checkEngine{}, model: llmtest.Start(t, parsed)}
	m, err := openai.New(openai.Config{BaseURL: b.model.URL, Model: "scripted"})
	if err != nil {
		t.Fatal(err)
	}
	b.Agent = New(Options{
		Workspace: w, Store: s, User: user,
		Model:   func(string) (llm.Model, error) { return m, nil },
		Sandbox: func(context.Context) (sandbox.Engine, error) { return b.engine, nil },
	})
	t.Cleanup(func() { _, _ = w.Close(), s.Close() })
	return b
}

// result is what a run left for the review.
func (b *bench) result(t *testing.T, id string) string {
	t.Helper()
	rev, err := b.Review(id)
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	for _, f := range rev.Files {
		text.WriteString(f.Change.Unified())
	}
	return text.String()
}

// talkScript has replies with several calls, readings, edits and what is submitted among
// them, in a window so small that the conversation is shortened.
const talkScript = `
count only
on tars
when # Workspace
times always
call GET_FULL_FILE_CONTENT {"thought": "t", "path": "b.txt"}
call SUBMIT_PLAN
	{"analysis": "x", "files_to_create": ["a.txt"], "files_to_change": ["b.txt"], "steps": [], "considerations": [],
	 "features": [{"id": "f", "title": "Files", "description": "Write a.txt.", "test": "check a.txt"}]}
call LIST_FILES {"thought": "t"}
on case
after 0
times always
call GET_FULL_FILE_CONTENT {"thought": "t", "path": "guide.txt", "from": 1, "to": 30}
call WRITE_FILE {"thought": "t", "path": "a.txt", "content": "bug\n"}
call RENAME_FILE {"thought": "t", "from": "b.txt", "to": "c.txt"}
call RUN_COMMAND {"thought": "t", "command": "touch made.txt"}
call PATCH_FILE {"thought": "t", "path": "a.txt", "patch": "@@ -1 +1 @@\n-no such line\n+good\n"}
call DELETE_FILE {"thought": "t", "path": "a.txt"}
on case
after 1
when caselsp ended before its outcome was known
times always
call RUN_COMMAND {"thought": "t", "command": "touch made.txt"}
on case
last +made
times always
call GET_FULL_FILE_CONTENT {"thought": "t", "path": "guide.txt", "from": 31, "to": 60}
on case
last guide line 060
times always
call GET_FULL_FILE_CONTENT {"thought": "t", "path": "guide.txt", "from": 61, "to": 90}
on case
last guide line 090
times always
call GET_FULL_FILE_CONTENT {"thought": "t", "path": "guide.txt", "from": 91, "to": 120}
on case
last guide line 120
times always
call GET_FULL_FILE_CONTENT {"thought": "t", "path": "guide.txt", "from": 121, "to": 150}
on case
last guide line 150
times always
call GET_FULL_FILE_CONTENT {"thought": "t", "path": "guide.txt", "from": 151, "to": 180}
call LIST_FILES {"thought": "t", "glob": "g*"}
on case
last guide.txt (
times always
call GET_FULL_FILE_CONTENT {"thought": "t", "path": "a.txt"}
call FINISH_FEATURE {"thought": "t", "summary": "written"}
on case
last # Round 2
times always
call GET_FULL_FILE_CONTENT {"thought": "t", "path": "a.txt"}
call PATCH_FILE {"thought": "t", "path": "a.txt", "patch": "@@ -1 +1 @@\n-bug\n+good\n"}
call REQUEST_USER_INPUT {"thought": "t", "question": "Sure?"}
call FINISH_FEATURE {"thought": "t", "summary": "mended", "fixes_applied": ["mended"]}
on tars
when # Test results
times always
want exit code 0
call GET_FULL_FILE_CONTENT {"thought": "t", "path": "a.txt"}
call SUBMIT_VERDICT {"completion": 100, "approved": true, "summary": "done", "issues": []}
`

// TestResumeFromEveryRecord cuts a whole run's journal after every record, as a
// crash would, and resumes: each ends with the same result; the model is asked at
// most once more; no command runs twice unless the user was asked.
func TestResumeFromEveryRecord(t *testing.T) {
	for _, c := range []struct {
		name, script string
		context      int
		plans        bool          // the user has the plan changed once
		kinds        []record.Body // that the run must have
	}{
		{"one call a reply", resumeScript, 0, false, []record.Body{record.Hypothesised{}}},
		{"several calls a reply", talkScript, 5600, false, []record.Body{record.Compacted{}, record.Unrun{}}},
		{"a plan that is changed", resumeScript, 0, true, []record.Body{record.Asked{}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			resumeFromEach(t, c.kinds, func() *bench {
				b := newBench(t, c.script, planner{})
				b.PlanReview = c.plans
				if c.context > 0 {
					b.Context = c.context
				}
				guideOf(t, b)
				return b
			})
		})
	}
}

// guideOf writes a text that fills a small window.
func guideOf(t *testing.T, b *bench) {
	guide := ""
	for i := range 180 {
		guide += fmt.Sprintf("guide line %03d: what a.txt holds is told here\n", i+1)
	}
	if err := os.WriteFile(filepath.Join(b.Workspace.Roots()[0].Dir, "guide.txt"), []byte(guide), 0o644); err != nil {
		t.Fatal(err)
	}
}

func resumeFromEach(t *testing.T, kinds []record.Body, fresh func() *bench) {
	ctx := context.Background()
	whole := fresh()
	for _, err := range whole.Run(ctx, record.Task{ID: "t", Text: "write"}) {
		if err != nil {
			t.Fatal(err)
		}
	}
	records, err := whole.Store.Journal("t").Records()
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range kinds {
		if !slices.ContainsFunc(records, func(r store.Record) bool { return r.Kind == record.KindOf(kind) }) {
			t.Errorf("the run has no record %q", record.KindOf(kind))
		}
	}
	want, calls := whole.result(t, "t"), len(whole.model.Requests())
	if !strings.Contains(want, "+good") || !strings.Contains(want, "made.txt") {
		t.Fatalf("the whole run gave\n%s", want)
	}
	for n := 1; n < len(records); n++ {
		t.Run(fmt.Sprintf("%d_%s", n, records[n-1].Kind), func(t *testing.T) {
			cut := fresh()
			cut.copyJournal(t, whole, records[:n])
			before, err := cut.load("t")
			if err != nil {
				t.Fatal(err)
			}
			if before.Phase == record.Review {
				return
			}
			asked := 0
			for e, err := range cut.Resume(ctx, "t") {
				if err != nil {
					t.Fatal(err)
				}
				if _, ok := e.Body.(record.Asked); ok {
					asked++
				}
			}
			if got := cut.result(t, "t"); got != want {
				t.Errorf("resumed after record %d, the result is\n%s", n, got)
			}
			if again := before.Calls + len(cut.model.Requests()); again > calls+1 {
				t.Errorf("the model was asked %d times, %d without the crash", again, calls)
			}
			started := 0
			for _, rec := range records[:n] {
				if rec.Kind == record.KindOf(record.CommandStarted{}) {
					started++
				}
			}
			if total := started + len(cut.engine.ran); total > len(whole.engine.ran) && asked == 0 {
				t.Errorf("%d commands ran, %d without the crash, and nobody was asked", total, len(whole.engine.ran))
			}
		})
	}
}

// copyJournal puts the beginning of another agent's journal into this one's store.
func (b *bench) copyJournal(t *testing.T, from *bench, records []store.Record) {
	t.Helper()
	events, err := from.Events("t")
	if err != nil {
		t.Fatal(err)
	}
	for i, rec := range records {
		var blobs [][]byte
		for _, hash := range blobsOf(events[i].Body) {
			data, err := from.Store.Blob(hash)
			if err != nil {
				t.Fatal(err)
			}
			blobs = append(blobs, data)
		}
		if _, err := b.Store.Journal("t").AppendWith(rec.Kind, rec.Body, blobs...); err != nil {
			t.Fatal(err)
		}
	}
}

// blobsOf lists the contents that a record refers to.
func blobsOf(body record.Body) []string {
	var hashes []string
	staged := func(s *record.Staged) {
		if s == nil {
			return
		}
		for _, f := range s.Files {
			for _, ref := range []*record.FileRef{f.Base, f.Now} {
				if ref != nil {
					hashes = append(hashes, ref.Hash)
				}
			}
		}
	}
	switch b := body.(type) {
	case record.ActionDone:
		staged(b.Staged)
	case record.FeatureEnded:
		staged(b.Staged)
		staged(b.Kept)
	case record.Retried:
		staged(&b.Staged)
	case record.TakenUp:
		staged(&b.Staged)
	case record.Returned:
		staged(&b.Staged)
	case record.CommandEnded:
		for _, c := range b.Changes {
			hashes = append(hashes, c.Hash)
		}
	}
	return hashes
}
