package agent

import (
	"context"
	"fmt"
	"slices"

	"caselsp/agent/fixcheck"
	"caselsp/agent/record"
	"caselsp/store"
)

// ListedValidator is a fix validator, or a check that is built in, with what the tests said of its verdicts.
type ListedValidator struct {
	fixcheck.Manifest
	Origin fixcheck.Origin `json:"origin"`
	ID     string          `json:"id,omitempty"`
	Where  string          `json:"where,omitempty"`
	// Right and Wrong are how often the tests agreed with its verdicts, and did not, in tasks that you have decided about.
	Right int `json:"right"`
	Wrong int `json:"wrong"`
	// Weight is what its record multiplies the confidence of its verdicts by.
	Weight  float64 `json:"weight"`
	Retired bool    `json:"retired,omitempty"` // it is not asked any longer
	// Trouble says why one that a model has written cannot be used; "" where it can.
	Trouble string `json:"trouble,omitempty"`
	// Generated is what is known of one that a model has written; nil for others.
	Generated *Generated `json:"-"`
}

// ListValidators returns the checks that are built in, the validators that were found in folders, and those that models have
// written, each with its record. What can be read is listed, whatever the error.
func ListValidators(ctx context.Context, found []fixcheck.Validator, m *store.Memory) (list []ListedValidator, err error) {
	for _, c := range fixcheck.BuiltIn() {
		list = append(list, ListedValidator{Manifest: c, Origin: fixcheck.Builtin, Weight: 1})
	}
	for _, v := range found {
		list = append(list, ListedValidator{Manifest: v.Manifest, Origin: v.Origin, ID: v.ID, Where: v.Where, Weight: 1})
	}
	made, err := GeneratedValidators(m)
	if err != nil {
		return list, err
	}
	for _, g := range made {
		listed := ListedValidator{Origin: fixcheck.Generated, Weight: 1, Trouble: g.Unreadable, Generated: &g}
		if v, wrong := g.Validator(); listed.Trouble == "" && wrong != nil {
			listed.Trouble = wrong.Error()
		} else {
			listed.Manifest, listed.ID = v.Manifest, v.ID
		}
		listed.Name = g.Name
		list = append(list, listed)
	}
	kept, err := m.All(ctx, store.KindValidator)
	for _, k := range kept {
		for i := range list {
			if list[i].ID == k.ID && list[i].Origin != fixcheck.Builtin {
				s := store.StandingOf(k.Pattern)
				list[i].Right, list[i].Wrong, list[i].Weight, list[i].Retired = s.Right, s.Wrong, s.Weight(), s.Retired()
			}
		}
	}
	return list, err
}

// ListValidators returns all that may judge claims in this workspace.
func (a *Agent) ListValidators(ctx context.Context) ([]ListedValidator, error) {
	var found []fixcheck.Validator
	if a.Validators != nil {
		found = a.Validators()
	}
	return ListValidators(ctx, found, a.Store.Memory())
}

// GeneratedValidator returns the validator of a name that a model has written. The error says what to do.
func GeneratedValidator(m *store.Memory, name string) (Generated, error) {
	list, err := GeneratedValidators(m)
	if err != nil {
		return Generated{}, err
	}
	i := slices.IndexFunc(list, func(g Generated) bool { return g.Name == name })
	if i < 0 {
		return Generated{}, ErrNoValidator
	}
	if why := list[i].Unreadable; why != "" {
		return Generated{}, fmt.Errorf("the validator %s cannot be read: %s. Remove it: caselsp fixcheck remove %s", name, why, name)
	}
	return list[i], nil
}

// RemoveValidator removes a validator that a model has written.
func RemoveValidator(m *store.Memory, name string) error {
	there, err := m.DropValidator(name)
	if err == nil && !there {
		err = ErrNoValidator
	}
	return err
}

// Standing says whether its verdicts count.
func (g Generated) Standing() string {
	if g.Approved {
		return "it counts: you have approved it"
	}
	return "it is only shown until you approve it"
}

// TryValidator runs a validator that a model has written on the claims of its error in the journals of this workspace, of which
// it is known what the tests said. Nothing is kept of it.
func (a *Agent) TryValidator(ctx context.Context, name string) (fixcheck.Trial, error) {
	g, err := GeneratedValidator(a.Store.Memory(), name)
	if err != nil {
		return fixcheck.Trial{}, err
	}
	v, err := g.Validator()
	if err != nil {
		return fixcheck.Trial{}, fmt.Errorf("the validator %s cannot be used: %w", name, err)
	}
	r := a.newRun("", func(Event, error) bool { return true })
	defer r.overlay.Close()
	known := knownClaims{r: r, errorType: g.ErrorType, counts: map[bool]int{}}
	if err := known.takeOld(ctx, nil); err != nil || len(known.list) == 0 {
		return fixcheck.Trial{}, err
	}
	engine, err := a.validatorBox(ctx)
	if err != nil {
		return fixcheck.Trial{}, err
	}
	return fixcheck.Try(ctx, engine, v, known.list)
}

// knownClaims collects claims on one type of errors of which it is known what the tests said.
type knownClaims struct {
	r         *run // that reads them
	errorType string
	list      []fixcheck.Example
	counts    map[bool]int // by whether they held
}

// take adds a claim.
func (k *knownClaims) take(ctx context.Context, c record.Claim) {
	// A claim that was sent back was not tested by the whole suite; what spoke against it is certain only where it changed
	// nothing, or where a test that had failed did so again.
	known := c.Outcome == record.ClaimHeld || c.Outcome == record.ClaimFailed || c.Refused && (len(c.Files) == 0 || c.StillFails())
	is := c.Outcome == record.ClaimHeld
	if !known || k.counts[is] >= maxExamples {
		return
	}
	if e, err := k.r.exampleOf(ctx, c); err == nil && e.Claim.ErrorType == k.errorType {
		k.list, k.counts[is] = append(k.list, e), k.counts[is]+1
	}
}
