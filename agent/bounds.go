package agent

import (
	"fmt"

	"caselsp/agent/record"
)

// Every loop of the engine has a bound, and a test that reaches it (bounds_test.go,
// ends_test.go, tester_*.txtar, verify_*.txtar):
//
//   - of a round: steps (record.Limits), calls that only look (maxFreeTurns), unusable replies
//     in a row (maxInvalid), calls of one reply (maxCalls), runs of tests without a known outcome (maxLostTests, also for the
//     comparison with how they went before);
//   - of a feature: rounds, attempts and rollbacks (record.Limits), steps that go in circles
//     (record.Loop), questions to the user (maxInquiries), tests that run again because the user
//     types (maxRetests), one run without the change, one split, one return of useless tests;
//   - of a phase beside coding: exchanges (maxPlanningTurns), of the tester maxTesterTurns and
//     maxTesterTries;
//   - of a question: answers that are held back (maxHeld), hosts for an installation (hostRounds).
//
// Each holds in the middle of a reply with several calls, too. endless is the bound of the loop
// over all of these: it ends what none of them counts.

const (
	// maxLostTests is how many runs of the tests in one round may end without a known
	// outcome before the task pauses: the sandbox does not get better by itself.
	maxLostTests = 3
	// maxRecords bounds the records of one phase. A round of 15 steps and 40 free turns, each after
	// four refused replies of 57 calls (see maxCalls), with a question and a command, has less than
	// 14,000: a model that does this is no fault of ours.
	maxRecords = 15_000
	// maxUnrecorded bounds the steps in a row that record nothing. Each step ends in a
	// record; what does not would be done again without end.
	maxUnrecorded = 10
)

// endless counts the steps of a run's loop since the last transition.
type endless struct {
	phase      record.Phase
	feature    int
	round      int
	from, last int64 // records: the first of the phase that was seen, and the latest
	unrecorded int
}

// step notes the state after a step, and returns an error that pauses the task when the
// phase goes on without end.
func (e *endless) step(p *record.State) error {
	round := 0
	if f := p.Feature(); f != nil {
		round = f.Round
	}
	if e.unrecorded++; p.Seq != e.last {
		e.unrecorded = 0
	}
	e.last = p.Seq
	if e.phase != p.Phase || e.feature != p.Current || e.round != round {
		e.phase, e.feature, e.round, e.from = p.Phase, p.Current, round, p.Seq
	}
	if e.unrecorded > maxUnrecorded || p.Seq-e.from > maxRecords {
		return &pauseError{fmt.Sprintf("the task makes no progress in the phase %q: this is a fault of caselsp. Resume to try again, and report it with `caselsp export`", p.Phase)}
	}
	return nil
}

// warnAt is the round from which the user is warned that the rounds run out: 12 of 15.
func warnAt(rounds int) int { return rounds * 4 / 5 }

// roundsLeft is the warning for a round that begins; "" for none.
func roundsLeft(round, rounds int) string {
	if round < 2 || round < warnAt(rounds) {
		return ""
	}
	if round == rounds {
		return fmt.Sprintf("warning: this is the last of %d rounds; if it does not succeed, the feature fails", rounds)
	}
	return fmt.Sprintf("warning: round %d of %d; after round %d the feature fails", round, rounds, rounds)
}
