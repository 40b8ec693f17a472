package agent

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"caselsp/agent/record"
)

// typed is a feature whose tests pass, and whose verdict is good.
const typed = `
on tars
when # Workspace
call SUBMIT_PLAN
	{"analysis": "x", "files_to_create": [], "files_to_change": ["b.txt"], "steps": [], "considerations": [],
	 "features": [{"id": "f", "title": "F", "description": "D", "test": "check b.txt"}]}
on case
after 0
call GET_FULL_FILE_CONTENT {"thought": "t", "path": "b.txt"}
on case
after 1
call PATCH_FILE {"thought": "t", "path": "b.txt", "patch": "<<<<<<< SEARCH\nlast\n=======\nend\n>>>>>>> REPLACE\n"}
on case
call FINISH_FEATURE {"thought": "t", "summary": "s"}
on tars
times always
call SUBMIT_VERDICT {"completion": 100, "summary": "good", "issues": []}
`

// TestTypingBehindTests checks that a feature never passes on a test run that is older than
// what is staged: the tests run again, once, and then the result says what was typed since.
func TestTypingBehindTests(t *testing.T) {
	for _, c := range []struct {
		typing int // how often the user types while the tests are judged
		runs   int
		told   string
	}{
		{0, 1, ""}, {1, 2, ""}, {9, 2, "tested without what you typed since in b.txt"},
	} {
		b := newBench(t, typed, agreeable{})
		file := filepath.Join(b.Workspace.Roots()[0].Dir, "b.txt")
		write := func(first string) {
			if err := os.WriteFile(file, []byte(first+"\n"+strings.Repeat("line\n", 10)+"last\n"), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		write("first")
		times := 0
		b.Watch = func(e Event) {
			if s, ok := e.Body.(record.StateChanged); ok && s.To == record.Verifying && times < c.typing {
				times++
				write(fmt.Sprintf("first %d", times))
			}
		}
		var last Event
		told := ""
		for e, err := range b.Run(context.Background(), record.Task{ID: "t", Text: "task"}) {
			if err != nil {
				t.Fatal(err)
			}
			if f, ok := e.Body.(record.FeatureEnded); ok {
				told = f.Reason
			}
			last = e
		}
		if last.Status.State != record.Review || len(b.engine.ran) != c.runs || told != c.told {
			t.Errorf("typed %d times: the task is %s (%s) after %d test runs, and says %q; want a review after %d, and %q",
				c.typing, last.Status.State, last.Status.Reason, len(b.engine.ran), told, c.runs, c.told)
		}
	}
}
