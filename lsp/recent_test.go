package lsp

import (
	"testing"

	"caselsp/agent"
	"caselsp/agent/record"
	"caselsp/agent/workspace"
)

// TestUndoneInPart goes on offering to undo a task of which an undo has not reached all files.
func TestUndoneInPart(t *testing.T) {
	l := &tasks{running: map[string]*task{}, known: map[string]recentTask{}}
	status := record.Status{Task: record.Task{ID: "t"}, State: record.Review}
	for _, step := range []struct {
		body record.Applied
		want bool
	}{
		{record.Applied{Results: []workspace.Applied{{Path: "a", OK: true}, {Path: "b", OK: true}}}, true},
		{record.Applied{Undo: true, Goes: true, Results: []workspace.Applied{{Path: "a", OK: true}}}, true},
		{record.Applied{Undo: true, Results: []workspace.Applied{{Path: "b", Reason: "the editor has told of no change"}}}, true},
		{record.Applied{Undo: true, Results: []workspace.Applied{{Path: "b", OK: true}}}, false},
	} {
		l.watch(agent.Event{Status: status, Body: step.body})
		if got := l.recent()[0].applied; got != step.want {
			t.Errorf("after %+v it can be undone: %v, want %v", step.body, got, step.want)
		}
	}
}
