package permit

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"caselsp/agent/record"
	"caselsp/agent/shell"
	"caselsp/store"
)

// Journal is the name of the journal that keeps every decision of the user about a command of this
// workspace, and the rules that came of them. It is a journal as a task's is, so
// that nothing is forgotten that the user may want to ask about.
const Journal = "approvals"

// Rule is a standing approval: one kind of command, or one rule's findings in one
// file, that the user always allows in this workspace.
type Rule struct {
	ID      string       `json:"id"`    // r1, r2, ...
	Shape   string       `json:"shape"` // as shell.Covers has it, or as Objection
	Finding bool         `json:"finding,omitempty"`
	Line    string       `json:"line"` // with which it was allowed
	Task    string       `json:"task"` // in which it was allowed
	By      string       `json:"by"`   // how the user decided: prompt, command, terminal
	Given   time.Time    `json:"given"`
	Expires time.Time    `json:"expires"`
	Touches []string     `json:"touches,omitempty"`
	Basis   record.Basis `json:"basis"`
	Seen    int          `json:"seen"` // approvals that made it be offered, and the one that made it
	Uses    int          `json:"uses"` // commands that ran by it
	Ended   *Ending      `json:"ended,omitempty"`
}

// Ending says when, why and by whom a rule ended.
type Ending struct {
	At     time.Time `json:"at"`
	By     string    `json:"by"` // command, terminal, expiry, change
	Reason string    `json:"reason"`
}

// The records of the approvals' journal.
type (
	// ruleDecided is a decision of the user about a command, with its context; under
	// kindGiven it also made a rule.
	ruleDecided struct {
		Shape    string       `json:"shape,omitempty"` // "" for what is asked for each time anew
		Line     string       `json:"line"`
		Task     string       `json:"task"`
		Approved bool         `json:"approved"`
		By       string       `json:"by,omitempty"`
		Why      string       `json:"why,omitempty"`    // it was asked
		Reason   string       `json:"reason,omitempty"` // it was refused
		Where    string       `json:"where,omitempty"`
		Touches  []string     `json:"touches,omitempty"`
		Basis    record.Basis `json:"basis"`
		Finding  bool         `json:"finding,omitempty"` // of a rule, not about a command
		Secrets  []string     `json:"secrets,omitempty"` // that the command got
		Install  string       `json:"install,omitempty"` // the command by which dependencies were installed before it
	}
	ruleUsed struct {
		Rule string `json:"rule"`
		Task string `json:"task"`
		Line string `json:"line"`
	}
	secretsFilled struct {
		Path  string   `json:"path"`
		Names []string `json:"names"`
	}
	valueGiven struct {
		Name  string `json:"name"`
		Value string `json:"value"` // "": forgotten
	}
	ruleEnded struct {
		Rule   string `json:"rule"`
		By     string `json:"by"`
		Reason string `json:"reason"`
	}
)

const (
	kindGiven   = "allow"
	kindDecided = "decided"
	kindUsed    = "used"
	kindEnded   = "ended"
	kindFilled  = "filled"
	kindValue   = "value"
)

// learned is the fold over the journal of approvals.
type learned struct {
	rules []*Rule
	seen  map[string]map[string]int // by shape and basis: approvals since the last rejection
}

// Approvals is what the user has decided about commands and findings of a workspace, as the
// journal of approvals keeps it.
type Approvals struct {
	Journal  *store.Journal
	Commands shell.Policy     // of today
	Expiry   time.Duration    // how long a rule holds
	Now      func() time.Time // the clock by which it expires
}

// DefaultExpiry is how long a rule holds: long enough for a feature that is worked
// on, short enough that the user still remembers it.
const DefaultExpiry = 30 * 24 * time.Hour

// Entry is something to be written into the journal of approvals.
type Entry struct {
	kind string
	body any
}

// used notes that a rule has allowed something.
func used(rule, task, line string) Entry {
	return Entry{kindUsed, ruleUsed{Rule: rule, Task: task, Line: line}}
}

// Write writes entries into the journal of approvals.
func (a *Approvals) Write(entries []Entry) error {
	for _, e := range entries {
		if _, err := a.Journal.Append(e.kind, e.body); err != nil {
			return err
		}
	}
	return nil
}

// read reads the approvals. The store belongs to this process, and a
// question waits for a person: reading them anew costs nothing that is felt.
func (a *Approvals) read() (*learned, error) {
	records, err := a.Journal.Records()
	if err != nil {
		return nil, err
	}
	p := &learned{seen: map[string]map[string]int{}}
	for _, rec := range records {
		if err := p.apply(rec.Seq, rec.Time, rec.Kind, rec.Body); err != nil {
			return nil, fmt.Errorf("approval %d cannot be read: %w", rec.Seq, err)
		}
	}
	for _, r := range p.rules {
		r.Expires = r.Given.Add(a.Expiry)
	}
	return p, nil
}

func (p *learned) apply(seq int64, at time.Time, kind string, body json.RawMessage) error {
	switch kind {
	case kindGiven, kindDecided:
		var d ruleDecided
		if err := json.Unmarshal(body, &d); err != nil {
			return err
		}
		p.applyDecided(seq, at, d, kind == kindGiven)
	case kindUsed:
		var u ruleUsed
		if err := json.Unmarshal(body, &u); err != nil {
			return err
		}
		if r := p.rule(u.Rule); r != nil {
			r.Uses++
		}
	case kindEnded:
		var e ruleEnded
		if err := json.Unmarshal(body, &e); err != nil {
			return err
		}
		if r := p.rule(e.Rule); r != nil && r.Ended == nil {
			r.Ended = &Ending{At: at, By: e.By, Reason: e.Reason}
			delete(p.seen, r.Shape) // what was withdrawn is to be learnt anew
		}
	}
	return nil
}

func (p *learned) applyDecided(seq int64, at time.Time, d ruleDecided, always bool) {
	if d.Shape == "" {
		return
	}
	if !d.Approved {
		delete(p.seen, d.Shape)
		return
	}
	if p.seen[d.Shape] == nil {
		p.seen[d.Shape] = map[string]int{}
	}
	p.seen[d.Shape][d.Basis.Key()]++
	if always {
		p.rules = append(p.rules, &Rule{
			ID: "r" + strconv.FormatInt(seq, 10), Shape: d.Shape, Line: d.Line, Task: d.Task, By: d.By, Given: at,
			Touches: d.Touches, Basis: d.Basis, Finding: d.Finding, Seen: p.seen[d.Shape][d.Basis.Key()],
		})
	}
}

func (p *learned) rule(id string) *Rule {
	for _, r := range p.rules {
		if r.ID == id {
			return r
		}
	}
	return nil
}

// offered reports whether a standing approval is offered for a kind of command.
func (p *learned) offered(shape string, b record.Basis) bool {
	return shape != "" && p.seen[shape][b.Key()] >= record.OfferAfter
}

// permits looks for the rule that covers a line. A rule that no longer holds, because it
// has expired or what made it harmless has changed, is in ended, and why is the reason for
// which the user is asked again.
func (a *Approvals) permits(p *learned, line string, b record.Basis) (rule *Rule, why string, ended []Entry) {
	for _, r := range p.rules {
		if r.Ended != nil || r.Finding || !shell.Covers(r.Shape, line, a.Commands) {
			continue
		}
		by, reason := "change", r.Basis.Changed(b)
		if !a.Now().Before(r.Expires) {
			by, reason = "expiry", fmt.Sprintf("it had been allowed %s before", days(a.Expiry))
		}
		if reason == "" {
			return r, "", ended
		}
		ended = append(ended, end(r.ID, by, reason))
		why = "It was always allowed before, but not any more: " + reason + "."
	}
	return nil, why, ended
}

// end notes that a rule ended.
func end(id, by, reason string) Entry {
	return Entry{kindEnded, ruleEnded{Rule: id, By: by, Reason: reason}}
}

// Keep keeps what the user decided about a command or a finding, and why they were asked.
func (a *Approvals) Keep(q record.Question, about record.Approvable, ans record.Answer) error {
	offer := about.Offer()
	d := ruleDecided{
		Line: offer.What, Task: q.Task, Approved: ans.Text != record.Deny, By: ans.By, Why: q.Why, Reason: ans.Reason,
		Where: offer.Where, Touches: offer.Touches, Secrets: offer.Secrets,
	}
	if offer.Install != nil {
		d.Install = offer.Install.Line
	}
	switch about := about.(type) {
	case record.Command:
		d.Shape, d.Basis = about.Like, about.Basis
	case record.Finding:
		d.Shape, d.Finding = about.Key, true
	case record.Ability:
		d.Shape, d.Finding = record.AbilityLeave(about.Name), true
	}
	kind := kindDecided
	_, ability := about.(record.Ability) // asked once: a yes holds for the project
	if ans.Text == record.ApproveAlways || ability && d.Approved {
		kind = kindGiven
	}
	_, err := a.Journal.Append(kind, d)
	return err
}

// Rules returns the standing approvals of this workspace, oldest first:
// what holds now and, with all, also what has ended. Those that have expired, or
// that the settings of today would not offer, end when they are looked at.
func (a *Approvals) Rules(all bool) ([]Rule, error) {
	list, ended, err := a.rules(all)
	if err != nil {
		return nil, err
	}
	return list, a.Write(ended)
}

// rules is Rules without the writing of what ended.
func (a *Approvals) rules(all bool) (list []Rule, ended []Entry, err error) {
	p, err := a.read()
	if err != nil {
		return nil, nil, err
	}
	for _, r := range p.rules {
		by, reason := "", ""
		switch {
		case r.Ended != nil:
		case !a.Now().Before(r.Expires):
			by, reason = "expiry", fmt.Sprintf("it had been allowed %s before", days(a.Expiry))
		case r.Finding:
		case r.Basis.Changed(record.Basis{Hosts: a.Commands.Hosts, Files: r.Basis.Files}) != "":
			by, reason = "change", r.Basis.Changed(record.Basis{Hosts: a.Commands.Hosts, Files: r.Basis.Files})
		case !shell.Covers(r.Shape, r.Line, a.Commands):
			by, reason = "change", "the settings now require asking for it, or deny it"
		}
		if by != "" {
			ended = append(ended, end(r.ID, by, reason))
			r.Ended = &Ending{At: a.Now(), By: by, Reason: reason}
		}
		if all || r.Ended == nil {
			list = append(list, *r)
		}
	}
	return list, ended, nil
}

// ErrNoRule says that no rule that holds has the id.
var ErrNoRule = errors.New("no such approval (`caselsp approvals` lists them)")

// Revoke ends a rule, named by its id or its shape; with neither, all of them.
// From then on the user is asked again. It returns those that ended.
func (a *Approvals) Revoke(name, by string) ([]Rule, error) {
	rules, err := a.Rules(false)
	if err != nil {
		return nil, err
	}
	rules = slices.DeleteFunc(rules, func(r Rule) bool { return name != "" && r.ID != name && r.Shape != name })
	if len(rules) == 0 && name != "" {
		return nil, fmt.Errorf("%w: %q", ErrNoRule, name)
	}
	for _, r := range rules {
		if err := a.Write([]Entry{end(r.ID, by, "revoked by the user")}); err != nil {
			return nil, err
		}
	}
	return rules, nil
}

// days writes a time of days, as settings have it.
func days(d time.Duration) string {
	n := int(d.Hours() / 24)
	if n == 1 {
		return "a day"
	}
	return fmt.Sprintf("%d days", n)
}
