package record

import (
	"strings"
	"testing"

	"caselsp/agent/action"
)

// TestPlanAnswers lists what people answer to a question about a plan of four features, of which
// the last depends on the third, and how it is understood.
func TestPlanAnswers(t *testing.T) {
	plan := action.Plan{Features: []action.Feature{{ID: "a"}, {ID: "b"}, {ID: "c"}, {ID: "d", DependsOn: []string{"c"}}}}
	for _, c := range []struct {
		text string
		left int
		want string // the answer, or a part of the error
	}{
		{"1", 5, PlanGo},
		{"2", 5, PlanStop},
		{"3", 5, "there is no answer 3, only 1 to 2"},
		{" Yes ", 5, PlanGo},
		{"stop", 5, PlanStop},
		{"no", 0, PlanStop},
		{"", 5, "the answer is empty"},
		{"drop 2", 0, "-b"},
		{"Drop features 1, 2 and 4.", 5, "-a-b-d"},
		{"drop 3 - 4", 5, "-c-d"},
		{"drop 3-4 2 2", 5, "-b-c-d"},
		{"drop 3", 5, "feature 4 depends on feature 3: drop both"},
		{"drop 0", 5, "there is no feature 0 in the plan, only 1 to 4"},
		{"drop 4-3", 5, "there is no feature 4-3"},
		{"drop 99999999999999999999", 5, "there is no feature 9999"},
		{"drop 1-4", 5, "nothing would be left"},
		{"drop 2, and use the new client", 5, "~drop 2, and use the new client"},
		{"drop table users", 5, "~drop table users"},
		{"drop", 5, "~drop"},
		{"use the new client", 1, "~use the new client"},
		{"use the new client", 0, "changed as often as it may be"},
		{strings.Repeat("x", maxNote+1), 5, "at most 8192"},
	} {
		q := Question{ID: "q1", Subject: Input{Choices: []string{PlanGo, PlanStop}, Plan: &PlanAsked{Plan: plan, Left: c.left}}}
		got := ""
		if a, err := q.Take(Answer{Text: c.text}); err != nil {
			got = err.Error()
		} else {
			got = understood(plan, q, a)
		}
		if got != c.want && (len(c.want) < 7 || !strings.Contains(got, c.want)) {
			t.Errorf("%.40q is %q, want %q", c.text, got, c.want)
		}
	}
}

// understood is what becomes of the plan.
func understood(plan action.Plan, q Question, a Answer) string {
	if a.Text == PlanGo || a.Text == PlanStop {
		return a.Text
	}
	p := State{Phase: Waiting, asking: Planning}
	p.applyPlan(Planned{Plan: plan})
	p.applyAnswer(&q, a)
	if p.Plan == nil {
		return "~" + p.UserTexts[0]
	}
	text := ""
	for _, f := range plan.Features {
		if !strings.Contains(strings.Join(ids(p.Features), " "), f.ID) {
			text += "-" + f.ID
		}
	}
	return text
}

func ids(features []Feature) (list []string) {
	for _, f := range features {
		list = append(list, f.ID)
	}
	return list
}
