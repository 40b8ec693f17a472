package agent

import (
	"fmt"
	"testing"

	"caselsp/agent/fixcheck"
	"caselsp/agent/record"
	"caselsp/store"
)

// TestValidatorRecord follows a validator that refuses fixes: what the tests then say lowers its weight until it refuses no
// more, and goes on counting after that, for it to recover or to be retired.
func TestValidatorRecord(t *testing.T) {
	st, err := store.Open(store.Options{StateDir: t.TempDir(), Workspace: "w"})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	held, failed := record.ClaimHeld, record.ClaimFailed
	for name, c := range map[string]struct {
		tests            []record.Outcome // after each claim that it calls invalid
		refuses, retired bool             // in the end
	}{
		"new":       {nil, true, false},
		"doubted":   {[]record.Outcome{held, held}, false, false},
		"recovered": {[]record.Outcome{held, held, failed, failed, failed}, true, false},
		"retired":   {[]record.Outcome{held, held, held, held}, false, true},
	} {
		standing := func() store.Standing {
			t.Helper()
			found, err := st.Memory().Validators(t.Context(), []store.Pattern{{ID: name, Text: name}}, "")
			if err != nil {
				t.Fatal(err)
			}
			return found[name]
		}
		said := func() fixcheck.Verdict {
			return fixcheck.Verdict{Validator: name, ID: name, Confidence: 0.9, Threshold: 0.7, Weight: standing().Weight()}
		}
		for i, outcome := range c.tests {
			claim := record.Claim{FixChecked: record.FixChecked{Verdicts: []fixcheck.Verdict{said()}}, Outcome: outcome}
			uses := judgedValidators(&record.State{Features: []record.Feature{{Claims: []record.Claim{claim}}}})
			if err := st.Memory().Learn(t.Context(), fmt.Sprintf("20260101-%s-%d", name, i), store.Lesson{Uses: uses, Decided: true}); err != nil {
				t.Fatal(err)
			}
		}
		if v := said(); v.Refuses() != c.refuses || standing().Retired() != c.retired {
			t.Errorf("%s: weight %.2f, refuses %v, retired %v", name, v.Weight, v.Refuses(), standing().Retired())
		}
	}
}
