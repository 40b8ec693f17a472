package agent

import (
	"context"
	"slices"
	"strings"
	"testing"

	"caselsp/agent/action"
	"caselsp/agent/record"
)

const panicScript = `
on tars
times always
when # Workspace
call SUBMIT_PLAN
	{"analysis": "x", "files_to_create": ["a.txt"], "files_to_change": [], "steps": [], "considerations": [],
	 "features": [{"id": "f", "title": "Files", "description": "Write a.txt."}]}
on case
call RECALL {"thought": "t", "query": "the action"}
on case
want The action failed inside caselsp (boom)
call WRITE_FILE {"thought": "t", "path": "a.txt", "content": "a\n"}
on case
call FINISH_FEATURE {"thought": "t", "summary": "written"}
on tars
call SUBMIT_VERDICT {"completion": 100, "approved": true, "summary": "done", "issues": []}
`

// remembering is an outside whose memory is empty and calls a function first.
type remembering struct {
	live
	first func(query string)
}

func (m remembering) recalled(query string) (record.MemoryRecalled, bool) {
	m.first(query)
	return record.MemoryRecalled{Query: query}, true
}

func memory(first func(query string)) outside { return remembering{first: first} }

// TestPanic lets memory panic: in an action, which fails alone, and in a step of
// the run itself, which pauses the task. Resumed, it goes on.
func TestPanic(t *testing.T) {
	b := newBench(t, panicScript, agreeable{})
	inStep := true
	b.outside = memory(func(query string) {
		if query == "the action" || inStep {
			panic("boom")
		}
	})
	var last record.Status
	for e, err := range b.Run(t.Context(), record.Task{ID: "t", Text: "write"}) {
		if err != nil {
			t.Fatal(err)
		}
		last = e.Status
	}
	if last.State != record.Paused || !strings.Contains(last.Reason, "caselsp itself failed (boom)") {
		t.Fatalf("a panic in a step leaves the task %s: %s", last.State, last.Reason)
	}
	inStep = false
	for e, err := range b.Resume(t.Context(), "t") {
		if err != nil {
			t.Fatal(err)
		}
		last = e.Status
	}
	if result := b.result(t, "t"); last.State != record.Review || !strings.Contains(result, "+a") {
		t.Errorf("then it is %s with\n%s", last.State, result)
	}
}

// TestPanicOfListener: what panics in the code of those who follow a run is
// theirs, and does not keep the task busy.
func TestPanicOfListener(t *testing.T) {
	b := newBench(t, panicScript, agreeable{})
	b.outside = memory(func(string) {})
	func() {
		defer func() {
			if p := recover(); p != "theirs" {
				t.Errorf("recovered %v", p)
			}
		}()
		for range b.Run(t.Context(), record.Task{ID: "t", Text: "write"}) {
			panic("theirs")
		}
	}()
	release, err := b.acquire("t")
	if err != nil {
		t.Fatal(err)
	}
	release()
}

// broken is an edit that fails halfway.
type broken struct{ action.WriteFile }

// Do implements action.Doer.
func (b broken) Do(_ context.Context, s *action.Scope) (action.Result, error) {
	_, err := s.Write(b.Path, "half\n")
	if err != nil {
		return action.Result{}, err
	}
	panic("halfway")
}

// TestPanicOfEdit: what an edit staged before it panicked is taken back.
func TestPanicOfEdit(t *testing.T) {
	b := newBench(t, "", agreeable{})
	var done []record.Body
	r := b.newRun("t", func(e Event, err error) bool { done = append(done, e.Body); return err == nil })
	defer r.overlay.Close()
	if err := r.begin(t.Context(), record.Task{ID: "t", Text: "write"}); err != nil {
		t.Fatal(err)
	}
	if err := r.do(t.Context(), action.WriteFileVerb, broken{action.WriteFile{Path: "half.txt"}}); err != nil {
		t.Fatal(err)
	}
	last, ok := done[len(done)-1].(record.ActionDone)
	if !ok || last.OK || !strings.Contains(last.Text, "halfway") || slices.ContainsFunc(done, func(b record.Body) bool { return b == nil }) {
		t.Errorf("the outcome is %+v", last)
	}
	if files := r.overlay.State().Files; len(files) > 0 {
		t.Errorf("staged are %+v", files)
	}
}
