package agent

import (
	"errors"
	"testing"

	"caselsp/agent/review"
	"caselsp/agent/workspace"
	"caselsp/store"
)

// TestCatchUp ends the process after a decision and before memory has learnt from it. The next start catches up, once, and brings
// nothing back that the user has forgotten.
func TestCatchUp(t *testing.T) {
	b, _ := arrivalBench(t)
	disk, all := workspace.Disk(b.Workspace), review.Selection{Hunk: review.AllHunks}
	memory := b.Store.Memory()
	remembered := func(want int, when string) {
		t.Helper()
		if found, err := memory.All(t.Context(), ""); err != nil || len(found) != want {
			t.Errorf("%s: %d are remembered, not %d: %v", when, len(found), want, err)
		}
	}
	forget := func() { t.Helper(); forgetAll(t, memory) }
	if behind, err := b.Store.Unlearnt(); err != nil || len(behind) > 0 {
		t.Fatalf("a store of an older version is behind: %v, %v", behind, err)
	}
	last := func() int64 {
		t.Helper()
		p, err := b.load("t")
		if err != nil {
			t.Fatal(err)
		}
		return p.Seq
	}
	before := last()

	if out, err := b.Decide(t.Context(), "t", all, true, disk); err != nil || out.Learnt != "1 pattern" {
		t.Fatalf("%+v, %v", out, err)
	}
	remembered(1, "accepted")
	forget()
	b.CatchUp(t.Context())
	remembered(0, "forgotten")

	for range 2 { // as if it was killed before it learnt, and once more: it learns the same
		if err := b.Store.Learnt("t", before); err != nil {
			t.Fatal(err)
		}
		b.CatchUp(t.Context())
		remembered(1, "killed after the acceptance")
	}
	forget()
	b.CatchUp(t.Context())
	remembered(0, "caught up, then forgotten")

	if err := b.Store.Learnt("t", before); err != nil {
		t.Fatal(err)
	}
	b.CatchUp(t.Context())
	accepted := last()
	if _, err := b.Undo(t.Context(), "t", disk); err != nil {
		t.Fatal(err)
	}
	remembered(0, "undone")
	lesson := store.Lesson{Patterns: []store.Pattern{{Kind: store.KindPattern, Text: "as before the undo"}}, Decided: true}
	if err := errors.Join(memory.Learn(t.Context(), "t", lesson), b.Store.Learnt("t", accepted)); err != nil {
		t.Fatal(err)
	}
	remembered(1, "killed after the undo")
	b.CatchUp(t.Context())
	remembered(0, "caught up with the undo")

	if out, err := b.Decide(t.Context(), "t", all, false, disk); err != nil || out.Learnt != "" {
		t.Fatalf("%+v, %v", out, err)
	}
	if behind, err := b.Store.Unlearnt(); err != nil || len(behind) > 0 {
		t.Errorf("behind in the end: %v, %v", behind, err)
	}
}

// forgetAll deletes whatever memory has learnt.
func forgetAll(t *testing.T, memory *store.Memory) {
	t.Helper()
	found, err := memory.All(t.Context(), "")
	for _, p := range found {
		_, failed := memory.Forget(t.Context(), p.ID)
		err = errors.Join(err, failed)
	}
	if err != nil {
		t.Fatal(err)
	}
}
