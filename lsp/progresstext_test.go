package lsp

import (
	"encoding/json"
	"testing"

	"caselsp/agent"
	"caselsp/agent/record"
)

// TestProgressText has a task tell what it does: what no record tells of, such as an installation, stands there until it is
// over, in place of the action that waits for it.
func TestProgressText(t *testing.T) {
	status := record.Status{Task: record.Task{Text: "mend it"}, State: record.Coding, Feature: 1, Features: 2, Round: 1, Rounds: 9, Step: 3}
	running := &task{}
	for _, tt := range []struct {
		event agent.Event
		want  string
	}{
		{agent.Event{}, "coding, feature 1 of 2, round 1 of 9, step 3 · mend it"},
		{agent.Event{Body: record.ActionChosen{Action: "RUN_COMMAND", Args: json.RawMessage(`{"command": "pytest -q"}`)}}, "coding: run “pytest -q”, feature 1 of 2, round 1 of 9, step 3 · mend it"},
		{agent.Event{Doing: "installing the project's dependencies"}, "coding: installing the project's dependencies, feature 1 of 2, round 1 of 9, step 3 · mend it"},
		{agent.Event{Body: record.CommandStarted{}}, "coding: run “pytest -q”, feature 1 of 2, round 1 of 9, step 3 · mend it"},
		{agent.Event{Doing: "pylint"}, "coding: pylint, feature 1 of 2, round 1 of 9, step 3 · mend it"},
		{agent.Event{Body: record.ActionDone{}}, "coding, feature 1 of 2, round 1 of 9, step 3 · mend it"},
	} {
		tt.event.Status = status
		running.hear(tt.event)
		if got, _ := progressText(running.get(), running.doing()); got != tt.want {
			t.Errorf("after %+v: got %q, want %q", tt.event.Body, got, tt.want)
		}
	}
}
