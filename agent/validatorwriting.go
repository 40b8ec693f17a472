package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"caselsp/agent/action"
	"caselsp/agent/fixcheck"
	"caselsp/agent/llm"
	"caselsp/agent/permit"
	"caselsp/agent/record"
	"caselsp/agent/testreport"
	"caselsp/sandbox"
	"caselsp/store"
)

// Where a fix of a new type of errors has worked after others that did not, the model is asked to write one. It is
// tried on the claims of this error that are in the journals, and kept where it judges them as the tests did. It counts
// when the user has approved it; until then it is asked, and its verdict shown.

const (
	// maxExamples is how many claims of each outcome a validator is tried on.
	maxExamples = 10
	// maxOldTasks is how many earlier tasks are searched for claims: each is read whole.
	maxOldTasks = 50
	// maxShownClaims is how many claims the model is shown: it needs one that held and some that did not.
	maxShownClaims = 4
)

// writeValidator asks a model for a validator where one is wanted; did says that it recorded something.
func (r *run) writeValidator(ctx context.Context) (did bool, err error) {
	refused, wanted := r.state.ValidatorWanted()
	if !wanted {
		return false, nil
	}
	if claims := r.state.Feature().Claims; !r.a.outside.writesValidators(r.a, errorTypeOf(claims[len(claims)-1].Said)) {
		return false, nil
	}
	err = r.askValidator(ctx, refused)
	if err == nil || ctx.Err() != nil {
		return true, err
	}
	// The task can do without: what keeps the model from answering is not to keep the task.
	return true, r.record(record.ValidatorTried{Trouble: err.Error()})
}

// takeValidator tries the validator that the model has written, keeps it and then records it. Where the process ended in between, it
// is kept when the task goes on, and then a validator is no longer wanted: so that is not asked here.
func (r *run) takeValidator(ctx context.Context) error {
	b, err := r.submittedValidator(ctx)
	if err != nil {
		return err
	}
	if b.Trial.Trusted() && !r.a.outside.replays() {
		if err := r.a.keepValidator(*b); err != nil {
			r.a.Log.Warn("a validator cannot be kept", r.state.Status(r.a.Limits.Rounds).Where(), "error", err)
		}
	}
	return r.record(*b)
}

// newError reports whether no validator is for a type of errors, by its name: one that a validator is found for by
// likeness alone is new.
func (a *Agent) newError(errorType string) bool {
	last := errorType[strings.LastIndexByte(errorType, '.')+1:]
	return last != "" && !slices.ContainsFunc(a.validators(), func(v fixcheck.Validator) bool {
		return slices.ContainsFunc(v.ErrorTypes, func(t string) bool { return strings.EqualFold(t, last) || strings.EqualFold(t, errorType) })
	})
}

// askValidator asks the model for a validator.
func (r *run) askValidator(ctx context.Context, refused string) error {
	p, f := r.prompter(), r.state.Feature()
	d := p.data()
	held := f.Claims[len(f.Claims)-1]
	d.Tests, d.Refused, d.ErrorType = headAndTail(held.Said, p.window.of(partTests)), refused, errorTypeOf(held.Said)
	for _, c := range slices.Backward(f.Claims) {
		if len(d.Claims) == maxShownClaims {
			break
		}
		from, err := c.From.State(r.a.Store.Blob)
		if err != nil {
			return err
		}
		to, err := c.To.State(r.a.Store.Blob)
		if err != nil {
			return err
		}
		d.Claims = append(d.Claims, shownClaim{Held: c.Outcome == record.ClaimHeld, Fixes: bullets(c.Fixes), Diff: p.diffOf(from, to)})
	}
	head, err := render("validator.system.md", d)
	if err != nil {
		return err
	}
	body, err := render("validator.user.md", d)
	if err != nil {
		return err
	}
	return r.consult(ctx, record.RoleReflector, []llm.Message{{Speaker: llm.System, Content: head}, {Speaker: llm.User, Content: body}}, validatorVerbs)
}

// errorTypeOf is the type of the error of a failed run; "" where it names none.
func errorTypeOf(said string) string {
	for _, t := range testreport.Traces(said) {
		return t.Type
	}
	return ""
}

// shownClaim is a claim as the model is shown it.
type shownClaim struct {
	Held        bool
	Fixes, Diff string
}

// submittedValidator is what the model has written, tried.
func (r *run) submittedValidator(ctx context.Context) (*record.ValidatorTried, error) {
	if b, recorded := r.a.outside.validatorTried(len(r.state.ValidatorTries)); recorded {
		return b, nil
	}
	calls := r.state.Answer.ToolCalls
	if len(calls) == 0 {
		return &record.ValidatorTried{Trouble: "the model submitted none"}, nil
	}
	act, err := action.Parse(calls[0].Name, calls[0].Arguments, validatorVerbs)
	if err != nil {
		return &record.ValidatorTried{Trouble: err.Error()}, nil
	}
	args, f := act.Args.(action.FixValidator), r.state.Feature()
	examples, err := r.examples(ctx, f.Claims[len(f.Claims)-1])
	if err != nil {
		return nil, err
	}
	first := examples[0].Claim
	program := fixcheck.Program{Name: args.Name, Description: r.a.Store.Redact(args.Description), ErrorType: first.ErrorType, Language: first.Language, Code: r.a.Store.Redact(args.Code)}
	b := &record.ValidatorTried{Program: &program}
	v, err := program.Validator()
	if err == nil && slices.ContainsFunc(r.a.validators(), func(other fixcheck.Validator) bool { return other.Name == v.Name && other.ID != v.ID }) {
		err = fmt.Errorf("there is a validator of the name %s already: give it another", v.Name)
	}
	if err != nil {
		b.Trial.Faults = []string{err.Error()}
		return b, nil
	}
	b.ID = v.ID
	if kept, known := r.a.keptProgram(program); known { // before the process ended
		b.Trial = kept.Trial
		return b, nil
	}
	err = r.await(r.aside("a new fix validator", func(a *aside) error {
		a.begins("trying the new fix validator " + v.Name)
		engine, err := r.a.validatorBox(ctx)
		if err != nil {
			return err
		}
		b.Trial, err = fixcheck.Try(ctx, engine, v, examples)
		return err
	}))
	if err != nil && ctx.Err() == nil {
		b.Trial.Faults, err = append(b.Trial.Faults, "it could not be tried: "+err.Error()), nil
	}
	return b, err
}

// validatorBox is the sandbox in which validators are tried.
func (a *Agent) validatorBox(ctx context.Context) (sandbox.Engine, error) {
	engine, err := a.Sandbox(ctx)
	if err == nil && engine == nil {
		err = errors.New("the settings let nothing run")
	}
	return engine, err
}

// examples are claims on the same error of which is known what the tests said: those of this task first, the one that held
// before all others.
func (r *run) examples(ctx context.Context, held record.Claim) (list []fixcheck.Example, err error) {
	first, err := r.exampleOf(ctx, held)
	if err != nil {
		return nil, err
	}
	known := knownClaims{r: r, errorType: first.Claim.ErrorType, list: []fixcheck.Example{first}, counts: map[bool]int{true: 1}}
	f := r.state.Feature()
	for _, c := range f.Claims[:len(f.Claims)-1] {
		known.take(ctx, c)
	}
	err = known.takeOld(ctx, func(id string) bool { return id == r.id })
	return known.list, err
}

// takeOld adds claims of the workspace's latest tasks, those of the last one first; without may be nil, or says of a task that it is
// left out.
func (k *knownClaims) takeOld(ctx context.Context, without func(id string) bool) error {
	a := k.r.a
	ids, err := a.Store.Tasks()
	if err != nil {
		return err
	}
	ids = slices.DeleteFunc(ids, func(id string) bool {
		return id == permit.Journal || record.IsThread(id) || without != nil && without(id)
	})
	for _, id := range slices.Backward(ids[max(0, len(ids)-maxOldTasks):]) {
		p, err := a.load(id)
		if err != nil {
			continue // its own commands tell what is wrong with it
		}
		for _, f := range p.Features {
			for _, c := range f.Claims {
				k.take(ctx, c)
			}
		}
	}
	return nil
}

// exampleOf is a claim of a journal as validators read it.
func (r *run) exampleOf(ctx context.Context, c record.Claim) (fixcheck.Example, error) {
	claim, err := r.claimOf(ctx, c)
	return fixcheck.Example{Claim: claim, Held: c.Outcome == record.ClaimHeld}, err
}

// Generated is a validator that a model has written, as the user's database has it.
type Generated struct {
	fixcheck.Program
	Trial    fixcheck.Trial `json:"trial"`
	Approved bool           `json:"approved"`
	// Unreadable says why one cannot be read, which is then left out of everything else.
	Unreadable string `json:"unreadable,omitempty"`
}

// keptProgram is what is kept of a program; known is false where it is not.
func (a *Agent) keptProgram(p fixcheck.Program) (g Generated, known bool) {
	if a.outside.replays() {
		return Generated{}, false
	}
	g, err := GeneratedValidator(a.Store.Memory(), p.Name)
	return g, err == nil && g.Program == p
}

// keepValidator keeps one that has passed its trial. Where it is kept already, it stays as it is: the user may have approved it.
func (a *Agent) keepValidator(b record.ValidatorTried) error {
	if _, known := a.keptProgram(*b.Program); known {
		return nil
	}
	text, err := json.Marshal(Generated{Program: *b.Program, Trial: b.Trial})
	if err != nil {
		return err
	}
	return a.Store.Memory().KeepValidator(b.Program.Name, text)
}

// GeneratedValidators are the validators that models have written, by name.
func GeneratedValidators(m *store.Memory) ([]Generated, error) {
	kept, err := m.KeptValidators()
	if err != nil {
		return nil, err
	}
	var list []Generated
	for _, k := range kept {
		var g Generated
		if err := json.Unmarshal(k.Text, &g); err != nil {
			g = Generated{Program: fixcheck.Program{Name: k.Name}, Unreadable: err.Error()}
		}
		list = append(list, g)
	}
	return list, nil
}

// ErrNoValidator says that no model has written a validator of a name.
var ErrNoValidator = errors.New("no generated validator has this name: `caselsp fixcheck list` shows them")

// ApproveValidator lets a generated validator count.
func ApproveValidator(m *store.Memory, name string) error {
	g, err := GeneratedValidator(m, name)
	if err != nil {
		return err
	}
	g.Approved = true
	text, err := json.Marshal(g)
	if err != nil {
		return err
	}
	return m.KeepValidator(name, text)
}

// Validator returns it as one that can be run. What is not approved is only shown.
func (g Generated) Validator() (fixcheck.Validator, error) {
	v, err := g.Program.Validator()
	v.AutoApply = g.Approved
	return v, err
}

// generated are those that can be run.
func (a *Agent) generated() (list []fixcheck.Validator) {
	if a.outside.replays() {
		return nil
	}
	kept, err := GeneratedValidators(a.Store.Memory())
	if err != nil {
		a.Log.Warn("generated validators cannot be read", "error", err)
	}
	for _, g := range kept {
		if v, err := g.Validator(); err == nil {
			list = append(list, v)
		}
	}
	return list
}
