package record

import "caselsp/agent/fixcheck"

// ValidatorTried is a fix validator that a model has written, and how it did on claims of which it is known what the tests
// said.
type ValidatorTried struct {
	Program *fixcheck.Program `json:"program,omitempty"` // nil: none was written
	ID      string            `json:"id,omitempty"`      // of the validator that it is
	Trial   fixcheck.Trial    `json:"trial,omitzero"`
	Trouble string            `json:"trouble,omitempty"` // why there is none
}

func (ValidatorTried) kind() string { return "validator_tried" }

// Told says in a line for people what came of it.
func (b ValidatorTried) Told() string {
	switch {
	case b.Program == nil:
		return "no validator was written for this error: " + FirstLine(b.Trouble)
	case !b.Trial.Trusted():
		return "a validator was written for this error and is not kept: " + b.Trial.Told()
	}
	return "a validator " + b.Program.Name + " was written for this error: " + b.Trial.Told() + ". It counts once you approve it: caselsp fixcheck show " + b.Program.Name
}

// maxValidatorTries is how often a model is asked for a validator in one task: once more where the first does not work.
const maxValidatorTries = 2

// applyValidatorTried folds one.
func (p *State) applyValidatorTried(b ValidatorTried) {
	p.Answer, p.ValidatorTries = nil, append(p.ValidatorTries[:len(p.ValidatorTries):len(p.ValidatorTries)], b)
}

// ValidatorWanted reports whether the task may ask a model for a fix validator: a fix of the feature has worked after others
// that did not, and no validator was sure of it. refused is why the last one that was written is not kept; "" for the first.
func (p *State) ValidatorWanted() (refused string, wanted bool) {
	f := p.Feature()
	if f == nil || len(f.Claims) < 2 || f.Claims[len(f.Claims)-1].Outcome != ClaimHeld {
		return "", false
	}
	if n := len(p.ValidatorTries); n > 0 {
		last := p.ValidatorTries[n-1]
		return last.Trial.Told(), n < maxValidatorTries && last.Program != nil && !last.Trial.Trusted()
	}
	held, failed := f.Claims[len(f.Claims)-1], 0
	for _, c := range f.Claims {
		switch {
		case c.kind != held.kind:
		case c.Refused && c.judged(), held.judged():
			return "", false // a validator knows this error
		case c.Outcome == ClaimFailed, c.Outcome == ClaimOther, c.Refused:
			failed++
		}
	}
	return "", failed > 0
}

// judged reports whether a validator was sure of the claim.
func (c Claim) judged() bool {
	for _, v := range c.Verdicts {
		if v.ID != "" && v.Counts() {
			return true
		}
	}
	return false
}
