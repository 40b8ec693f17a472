package agent

import (
	"context"
	"fmt"
	"slices"

	"caselsp/agent/action"
	"caselsp/agent/llm"
	"caselsp/agent/quote"
	"caselsp/agent/record"
)

// Two rounds in a row without FINISH_FEATURE say that a feature is too large, or not
// understood: TARS is asked once to replace it by smaller ones. A part is not split again,
// so that this ends, and a task without a plan has nobody to ask.

// idleRounds ends a round that had no FINISH_FEATURE.
func (r *run) idleRounds(reason string) error {
	f := r.state.Feature()
	switch {
	case f.Idle == 0:
		return r.nextRound(f.Attempt, reason)
	case r.state.Task.Single || f.PartOf != "":
		return r.failFeature(reason+", as the one before it: give it as smaller tasks", "")
	}
	return r.record(record.StateChanged{
		To: record.Planning, Split: true, Feature: r.state.Current, Attempt: f.Attempt, Round: f.Round,
		Reason: reason + ", as the one before it: TARS is asked to split the feature",
	})
}

// splitting asks TARS for the smaller features.
func (r *run) splitting(ctx context.Context) error {
	if r.state.Exchanges >= maxPlanningTurns {
		return r.notSplit(fmt.Sprintf("TARS looked around for %d turns", maxPlanningTurns), "")
	}
	if opened, err := r.open("split.open.md", splitOpening); opened || err != nil {
		return err
	}
	return r.converse(ctx, record.RoleTars, planVerbs, (*prompter).splitPrompt)
}

// notSplit fails the feature that TARS does not split.
func (r *run) notSplit(why string, words quote.Words) error {
	return r.failFeature(fmt.Sprintf("two rounds in a row ended without FINISH_FEATURE, and it was not split: %s", why), words)
}

// split takes in the plan that replaces the feature.
func (r *run) split(plan action.Plan) error {
	if len(plan.Features) < 2 {
		return r.notSplit("TARS sees no smaller features", quote.Words(plan.Analysis))
	}
	var others []string
	for i, f := range r.state.Features {
		if i != r.state.Current {
			others = append(others, f.ID)
		}
	}
	if n := len(others) + len(plan.Features); n > action.MaxFeatures {
		return r.refuse(fmt.Sprintf("Nothing was done. The task would have %d features; at most %d are taken.", n, action.MaxFeatures))
	}
	for _, f := range plan.Features {
		if slices.Contains(others, f.ID) {
			return r.refuse(fmt.Sprintf("Nothing was done. The id %q is another feature's: give each part an id of its own.", f.ID))
		}
	}
	return r.record(record.Split{Feature: r.state.Current, Analysis: plan.Analysis, Parts: plan.Features})
}

func (p *prompter) splitPrompt() ([]llm.Message, error) {
	return p.conversation("plan.system.md", "split.user.md")
}
