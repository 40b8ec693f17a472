package lsp

import (
	"testing"

	"caselsp/agent/record"
)

// TestTell says something to a task while its model answers: of the answer, which was made without
// knowing it, the edit is carried out and the end is not, and the next request has what was said. A task that is stopped is told
// when it goes on.
func TestTell(t *testing.T) {
	sc := play(t, plot{files: hello, script: `
on case
hold
call WRITE_FILE {"thought": "write", "path": "early.txt", "content": "early\n"}
call FINISH_FEATURE {"thought": "done", "summary": "done"}
on case
want Not run: the user has said something since, which follows.
want /The user says to you, while you work. It counts as the task does, and more where they differ:\nname it done.txt/
hold
text late
on case
want and no empty lines
` + write[len("\non case\n"):]})
	id := sc.run("write something")
	sc.model.Held()
	sc.refused("the message is empty", cmdTell, "  ")
	sc.refused("control character", cmdTell, "a \x1b[2J")
	sc.command(cmdTell, "name it done.txt")
	sc.model.Release()
	sc.model.Held()
	sc.command(cmdStop)
	sc.said("Stopped")
	sc.command(cmdTell, map[string]any{"task": id, "text": "and no empty lines"})
	sc.command(cmdResume)
	sc.said("to review")
	sc.hunks(id, "early.txt", record.HunkOpen)
	sc.hunks(id, "done.txt", record.HunkOpen)
	sc.refused("is over", cmdTell, map[string]any{"task": id, "text": "more"})
	sc.idle("no task to tell something", cmdTell, "more")
}
