package agent

import (
	"errors"
	"strings"
	"testing"
	"time"

	"caselsp/agent/review"
	"caselsp/agent/workspace"
)

// TestPruneTask prunes a task: not while it waits for a review, not when it has changed since it was shown, and not before memory has learnt
// from it, which also a crash can have kept from that. What memory has learnt stays.
func TestPruneTask(t *testing.T) {
	b, _ := arrivalBench(t)
	disk, all := workspace.Disk(b.Workspace), review.Selection{Hunk: review.AllHunks}
	rule := PruneRule{OlderThan: time.Nanosecond}
	plan := func(want int, why string) *PrunePlan {
		t.Helper()
		p, err := b.PlanPrune(t.Context(), rule)
		if err != nil || len(p.Prune) != want || len(p.Stay) != 1-want || want == 0 && !strings.Contains(p.Stay[0].Why, why) {
			t.Fatalf("%+v, %v", p, err)
		}
		return p
	}
	if _, err := b.Store.Unlearnt(); err != nil { // from now on it is known what memory has learnt
		t.Fatal(err)
	}
	plan(0, "waits for your review")
	p, err := b.load("t")
	if err != nil {
		t.Fatal(err)
	}
	before := p.Seq
	if _, err := b.Decide(t.Context(), "t", all, true, disk); err != nil {
		t.Fatal(err)
	}
	release, err := b.acquire("t")
	if err != nil {
		t.Fatal(err)
	}
	plan(0, "being worked on")
	release()

	shown := plan(1, "")
	if _, err := b.Undo(t.Context(), "t", disk); err != nil {
		t.Fatal(err)
	}
	if gone, _, err := b.Prune(t.Context(), shown); len(gone) > 0 || err == nil || !strings.Contains(err.Error(), "t was not pruned: ") {
		t.Fatalf("what has changed since was pruned: %v, %v", gone, err)
	}
	if _, err := b.Decide(t.Context(), "t", all, true, disk); err != nil {
		t.Fatal(err)
	}
	forgetAll(t, b.Store.Memory())
	if err := b.Store.Learnt("t", before); err != nil { // as if it was killed before it learnt
		t.Fatal(err)
	}
	if n, err := b.PruneOld(t.Context(), rule); n != 1 || err != nil {
		t.Fatal(n, err)
	}
	if _, err := b.Status("t"); !errors.Is(err, ErrPruned) || errors.Is(err, ErrNoTask) {
		t.Errorf("a task that was pruned: %v", err)
	}
	if found, err := b.Store.Memory().All(t.Context(), ""); err != nil || len(found) != 1 {
		t.Errorf("memory holds %d records: %v", len(found), err)
	}
	if behind, err := b.Store.Unlearnt(); err != nil || len(behind) > 0 {
		t.Errorf("behind in the end: %v, %v", behind, err)
	}
	for _, want := range []bool{true, false} {
		if says := b.prunedSince(); strings.HasPrefix(says, "1 old task (") != want {
			t.Errorf("said %q", says)
		}
	}
}
