package review

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"caselsp/agent/record"
	"caselsp/agent/workspace"
)

// TestTakenOut: with whatever lines the user changes beside what was accepted, no accepted hunk counts as taken out; one that was
// taken out counts, unless its lines are elsewhere too. The texts have blank lines and repeated ones, so that the same lines fit at
// neighbouring places.
func TestTakenOut(t *testing.T) {
	found := 0
	for seed := range uint64(3000) {
		rnd := rand.New(rand.NewPCG(seed, 1))
		f := accepted(t, rnd)
		with := f.base()
		now := typed(rnd, with)
		if out := f.takenOut(now); len(out) > 0 {
			t.Fatalf("seed %d: hunks %v count as taken out of\n%s\nof the change\n%s", seed, out, now, f.Change.Unified())
		}
		gone := rnd.IntN(len(f.Hunks))
		without := f.Change.Select(func(h int) bool { return h != gone })
		out := f.takenOut(without)
		if slices.ContainsFunc(out, func(h int) bool { return h != gone }) {
			t.Fatalf("seed %d: hunks %v count as taken out instead of %d of\n%s", seed, out, gone, f.Change.Unified())
		}
		found += len(out)
	}
	if found < 2900 { // the rest change blank lines alone
		t.Errorf("%d of 3000 hunks that were taken out were found", found)
	}
}

// accepted is a file of a change that a model might make, with all hunks accepted.
func accepted(t *testing.T, rnd *rand.Rand) File {
	var before, after []string
	for i := range 40 {
		line := fmt.Sprintf("line %d", i)
		if rnd.IntN(3) == 0 {
			line = []string{"", "", "}", "return"}[rnd.IntN(4)]
		}
		before = append(before, line+"\n")
		switch rnd.IntN(14) {
		case 0:
			after = append(after, line+"\n", "\n", fmt.Sprintf("new %d\n", i), "return\n", "\n")
		case 1:
			after = append(after, fmt.Sprintf("other %d\n", i))
		case 2:
		default:
			after = append(after, line+"\n")
		}
	}
	c := workspace.Compare(workspace.State{}, workspace.State{Files: []workspace.Staged{{
		Path: "a.txt", Base: workspace.NewContent([]byte(strings.Join(before, "")), 0o644), Now: workspace.NewContent([]byte(strings.Join(after, "")), 0o644),
	}}}).Files
	if len(c) == 0 || len(c[0].Hunks) == 0 {
		return accepted(t, rnd)
	}
	return File{Change: c[0], Hunks: slices.Repeat([]record.HunkState{record.HunkAccepted}, len(c[0].Hunks))}
}

// typed is a text in which the user has changed and removed lines that the change has not put in.
func typed(rnd *rand.Rand, text string) string {
	lines := strings.SplitAfter(text, "\n")
	for i, l := range lines {
		switch {
		case !strings.HasPrefix(l, "line"):
		case rnd.IntN(6) == 0:
			lines[i] = strings.TrimSpace(l) + " mine\n"
		case rnd.IntN(6) == 0:
			lines[i] = ""
		}
	}
	return strings.Join(lines, "")
}
