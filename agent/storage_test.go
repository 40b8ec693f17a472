package agent

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"caselsp/agent/record"
	"caselsp/agent/review"
	"caselsp/agent/workspace"
	"caselsp/store"
)

// losing is an applier after whose work the journal cannot be written.
type losing struct {
	workspace.Applier
	lose func() error
}

// Apply implements workspace.Applier.
func (l losing) Apply(ctx context.Context, edits []workspace.FileEdit, begin workspace.Begin) ([]workspace.Applied, error) {
	results, err := l.Applier.Apply(ctx, edits, begin)
	return results, errors.Join(err, l.lose())
}

// TestAcceptUnrecorded loses the store between the writing of the user's files
// and the record of it: the user is told, and what was written is found later,
// so that it can still be undone.
func TestAcceptUnrecorded(t *testing.T) {
	b := newBench(t, resumeScript, agreeable{})
	for _, err := range b.Run(t.Context(), record.Task{ID: "t", Text: "write"}) {
		if err != nil {
			t.Fatal(err)
		}
	}
	document, err := b.Store.Document("place.txt", nil)
	if err != nil {
		t.Fatal(err)
	}
	database := filepath.Join(filepath.Dir(filepath.Dir(document)), "caselsp.db")
	disk, all := workspace.Disk(b.Workspace), review.Selection{Hunk: review.AllHunks}
	_, err = b.Decide(t.Context(), "t", all, true, losing{disk, func() error { return os.Rename(database, database+".aside") }})
	var unrecorded *Unrecorded
	var unwritable *store.Unwritable
	if !errors.As(err, &unrecorded) || !errors.As(err, &unwritable) || unwritable.Advice == "" {
		t.Fatalf("the user is told %v", err)
	}
	if err := os.Rename(database+".aside", database); err != nil {
		t.Fatal(err)
	}
	out, err := b.Decide(t.Context(), "t", all, true, disk)
	if err != nil || out.State != record.Succeeded {
		t.Fatalf("then it is %s, %v, %v", out.State, out.Results, err)
	}
	if out, err = b.Undo(t.Context(), "t", disk); err != nil || len(out.Failed()) > 0 || out.State != record.Review {
		t.Errorf("undone it is %s, %v, %v", out.State, out.Failed(), err)
	}
}
