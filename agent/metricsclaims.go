package agent

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"caselsp/agent/count"
	"caselsp/agent/fixcheck"
	"caselsp/agent/record"
	"caselsp/store"
)

// ClaimFigures say what became of the claims that failed tests were fixed.
type ClaimFigures struct {
	Claims     int `json:"claims"`     // that were checked
	Refused    int `json:"refused"`    // of those, that were sent back, which spared a run of the tests each
	Unverified int `json:"unverified"` // that no validator judged
	Held       int `json:"held"`       // after which the tests passed
	Failed     int `json:"failed"`     // after which they failed, in the same way or another
	// First are the runs of the failed tests alone, before the whole suite.
	First FirstFigures `json:"failing_first"`
}

// FirstFigures say what it cost to run tests to check claims, and what it saved: each claim that was sent back after a run of failed
// tests alone spared a run of the whole suite, which is counted as long as the one before.
type FirstFigures struct {
	Runs    int     `json:"runs"`
	Refused int     `json:"refused"` // claims that were sent back for it
	Seconds float64 `json:"seconds"` // of the runs of failed tests alone
	Saved   float64 `json:"seconds_saved"`
	Whole   int     `json:"whole"` // of the runs, those of the whole suite, which spare none; one that refused nothing counts as the run of the tests
}

// counts takes in the run of a claim.
func (f *FirstFigures) counts(c record.FixChecked) {
	if c.First == nil {
		return
	}
	f.Runs++
	refused := c.Refused && c.StillFails()
	if refused {
		f.Refused++
	}
	if c.First.Counts {
		f.Whole++
		return
	}
	f.Seconds += c.First.Took.Seconds()
	if refused {
		f.Saved += (c.First.Whole - c.First.Took).Seconds()
	}
}

// ValidatorFigures say how often a validator, or a check that is built in, judged claims of this workspace, and how often the tests
// that ran next agreed. Weight and Retired count the tasks of all workspaces that the user has decided about.
type ValidatorFigures struct {
	Name     string          `json:"name"`
	ID       string          `json:"id,omitempty"` // of its version; "" for a check that is built in
	Origin   fixcheck.Origin `json:"origin"`
	Verdicts int             `json:"verdicts"`
	Invalid  int             `json:"invalid"`  // verdicts that sent a claim back, or would have
	Troubles int             `json:"troubles"` // times that it gave no verdict
	Right    int             `json:"right"`
	Wrong    int             `json:"wrong"`
	Accuracy *float64        `json:"accuracy"` // right of right and wrong; null where the tests have not spoken
	Weight   float64         `json:"weight"`   // by which its confidence is multiplied
	Retired  bool            `json:"retired,omitempty"`
}

// add takes in the figures of another task.
func (f *ClaimFigures) add(g ClaimFigures) {
	f.Claims, f.Refused, f.Unverified = f.Claims+g.Claims, f.Refused+g.Refused, f.Unverified+g.Unverified
	f.Held, f.Failed = f.Held+g.Held, f.Failed+g.Failed
	f.First = FirstFigures{f.First.Runs + g.First.Runs, f.First.Refused + g.First.Refused, f.First.Seconds + g.First.Seconds, f.First.Saved + g.First.Saved, f.First.Whole + g.First.Whole}
}

// summary says it for people.
func (f ClaimFigures) summary() string {
	said := fmt.Sprintf("%s; %d sent back, %d unverified; tests passed after %d, failed after %d", count.Of(f.Claims, "claimed fix"), f.Refused, f.Unverified, f.Held, f.Failed)
	if f.First.Runs > 0 {
		said += fmt.Sprintf("; tests ran to check %s, with the whole suite for %d of them, and sent %d back; alone they took %.1f s and saved %.1f s",
			count.Of(f.First.Runs, "claim"), f.First.Whole, f.First.Refused, f.First.Seconds, f.First.Saved)
	}
	return said
}

// claimed counts the claims of a task, and the verdicts on them.
func (c *counting) claimed(p *record.State, by map[string]*ValidatorFigures) {
	for _, f := range p.Features {
		for _, claim := range f.Claims {
			n := &c.Claims
			n.Claims++
			n.First.counts(claim.FixChecked)
			if claim.Refused {
				n.Refused++
			}
			if claim.Status() == fixcheck.Unverified {
				n.Unverified++
			}
			switch claim.Outcome {
			case record.ClaimHeld:
				n.Held++
			case record.ClaimFailed, record.ClaimOther:
				n.Failed++
			}
			for _, v := range claim.Verdicts {
				judge(claim, v, by)
			}
		}
	}
}

// judge counts one verdict.
func judge(claim record.Claim, v fixcheck.Verdict, by map[string]*ValidatorFigures) {
	key := cmp.Or(v.ID, v.Validator)
	n := by[key]
	if n == nil {
		n = &ValidatorFigures{Name: v.Validator, ID: v.ID, Origin: v.Origin, Weight: 1}
		by[key] = n
	}
	n.Verdicts++
	if v.Trouble != "" {
		n.Troubles++
	}
	if v.Refuses() {
		n.Invalid++
	}
	if agreed, known := claim.Agreed(v); known && agreed {
		n.Right++
	} else if known {
		n.Wrong++
	}
}

// validatorFigures are those of all tasks, by name, with what the records of all workspaces make of the validators.
func (a *Agent) validatorFigures(by map[string]*ValidatorFigures) (list []ValidatorFigures, err error) {
	kept, err := a.Store.Memory().All(context.Background(), store.KindValidator)
	for _, k := range kept {
		if n := by[k.ID]; n != nil {
			s := store.StandingOf(k.Pattern)
			n.Weight, n.Retired = s.Weight(), s.Retired()
		}
	}
	list = []ValidatorFigures{}
	for _, key := range slices.Sorted(maps.Keys(by)) {
		n := *by[key]
		if sum := n.Right + n.Wrong; sum > 0 {
			share := float64(n.Right) / float64(sum)
			n.Accuracy = &share
		}
		list = append(list, n)
	}
	slices.SortStableFunc(list, func(a, b ValidatorFigures) int { return cmp.Compare(a.Name, b.Name) })
	return list, err
}

// claimsText says in a report what was claimed to be fixed, and what became of it.
func claimsText(p *record.State) string {
	var b strings.Builder
	for _, f := range p.Features {
		for _, c := range f.Claims {
			became := string(c.Outcome)
			switch {
			case c.Refused:
				became = "sent back without a run of the tests"
			case c.Outcome == record.ClaimUntested:
				became = "not tested"
			default:
				became = "tests " + became
			}
			fmt.Fprintf(&b, "- %s, round %d (%s): %s\n", f.ID, c.Round, became, Quote(record.FirstLine(strings.Join(c.Fixes, "; "))))
			for _, v := range c.Verdicts {
				if v.Refuses() {
					fmt.Fprintf(&b, "  - %s\n", record.Verdict(v))
				} else if v.Trouble != "" {
					fmt.Fprintf(&b, "  - %s gave no verdict: %s\n", v.Validator, record.FirstLine(v.Trouble))
				}
			}
		}
	}
	if b.Len() == 0 {
		return ""
	}
	return "\n## Claimed fixes\n\n" + b.String()
}
