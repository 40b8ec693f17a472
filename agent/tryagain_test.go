package agent

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"caselsp/agent/record"
)

// tryAgainScript gives a feature up with work done, and finishes it when it is tried again.
const tryAgainScript = `
on tars
when # Workspace
times always
call SUBMIT_PLAN
	{"analysis": "x", "files_to_create": [], "files_to_change": [], "steps": [], "considerations": [],
	 "features": [{"id": "f", "title": "F", "description": "Write a.txt."}, {"id": "g", "title": "G", "description": "Write g.txt."}]}
on case
when # Feature to build: F
when was worked on before and failed
after 0
times always
want +half
call WRITE_FILE {"thought": "t", "path": "rest.txt", "content": "rest\n"}
on case
when # Feature to build: F
when was worked on before and failed
times always
call FINISH_FEATURE {"thought": "t", "summary": "written"}
on case
when # Feature to build: F
after 0
times always
call WRITE_FILE {"thought": "t", "path": "a.txt", "content": "half\n"}
on case
when # Feature to build: F
times always
call ABORT {"thought": "t", "reason": "too hard"}
on case
when # Feature to build: G
after 0
times always
call WRITE_FILE {"thought": "t", "path": "g.txt", "content": "g\n"}
on case
when # Feature to build: G
times always
call FINISH_FEATURE {"thought": "t", "summary": "written"}
on tars
times always
call SUBMIT_VERDICT {"completion": 100, "approved": true, "summary": "done", "issues": []}
`

// toTheEnd resumes a task until its features are done, and returns what is left to review.
func (b *bench) toTheEnd(t *testing.T, id string) string {
	t.Helper()
	const most = 3 // the run, its second try, and one more for a crash between the two
	for range most {
		p, err := b.load(id)
		if err != nil {
			t.Fatal(err)
		}
		if p.Phase == record.Review && !p.Triable() {
			break
		}
		for _, err := range b.Resume(context.Background(), id) {
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	return b.result(t, id)
}

// TestTryAgainFromEveryRecord cuts the journal of a task that failed in part and was tried
// again after every record, and resumes: the work is never lost, and each ends the same.
func TestTryAgainFromEveryRecord(t *testing.T) {
	whole := newBench(t, tryAgainScript, agreeable{})
	for _, err := range whole.Run(context.Background(), record.Task{ID: "t", Text: "write"}) {
		if err != nil {
			t.Fatal(err)
		}
	}
	rev, err := whole.Review("t")
	if err != nil || len(rev.Kept) != 1 || len(rev.Files) != 1 || !strings.Contains(rev.Kept[0].Files[0].Change.Unified(), "+half") {
		t.Fatalf("the first try left %+v, %v", rev, err)
	}
	want := whole.toTheEnd(t, "t")
	for _, line := range []string{"+half", "+rest", "+g"} {
		if !strings.Contains(want, line) {
			t.Fatalf("%s is not in the result\n%s", line, want)
		}
	}
	records, err := whole.Store.Journal("t").Records()
	if err != nil {
		t.Fatal(err)
	}
	for n := 1; n < len(records); n++ {
		t.Run(fmt.Sprintf("%d_%s", n, records[n-1].Kind), func(t *testing.T) {
			cut := newBench(t, tryAgainScript, agreeable{})
			cut.copyJournal(t, whole, records[:n])
			if got := cut.toTheEnd(t, "t"); got != want {
				t.Errorf("resumed after record %d, the result is\n%s", n, got)
			}
		})
	}
}
