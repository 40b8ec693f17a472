package permit

import (
	"fmt"
	"slices"
	"strings"

	"caselsp/agent/action"
	"caselsp/agent/lint"
	"caselsp/agent/record"
	"caselsp/agent/validate"
	"caselsp/agent/validate/rules"
)

// Objection names what the user may allow: one rule in one file.
func Objection(f validate.Finding) string { return f.Rule + " in " + f.Path }

// Guarding are the categories whose critical findings block an edit at once.
var Guarding = []validate.Category{validate.Safety, validate.Secrets}

// Guards reports whether a finding is one that only the user can allow: that of a
// security rule or of a security linter.
func Guards(f validate.Finding) bool {
	linter, _, ok := strings.Cut(f.Rule, "/")
	if ok && (linter == lint.Bandit.Name || linter == lint.Gosec.Name) {
		return f.Severity != validate.Info
	}
	r, ok := rules.Default().Rule(f.Rule)
	return ok && f.Severity == validate.Critical && slices.Contains(Guarding, r.Category)
}

// Findings decides whether findings that only the user can allow may stay. The model is first
// told to do it in another way; where it sends the same again, the user is asked. Text begins
// what the model is told.
func (p *Permit) Findings(found []validate.Finding, text string) (Decision, error) {
	open, notes, err := p.notTolerated(found)
	if err != nil {
		return nil, err
	}
	if len(open) == 0 {
		return Allowed{Notes: notes}, nil
	}
	if w := p.State.Pending.Withheld; w != nil {
		text += " The user did not allow it."
		if w.Reason != "" {
			text += " The reason: " + w.Reason
		}
		return Refused{Notes: notes, Outcome: record.ActionDone{Text: text + "\n", Mark: action.MarkData, Quote: action.Findings(open)}}, nil
	}
	var keys []string
	for _, f := range open {
		if key := Objection(f); !p.State.Objected[key] {
			keys = append(keys, key)
		}
	}
	if len(keys) > 0 {
		text += " Do it in a way that these rules allow. Where there is none, send the same once more: the user is then asked.\n"
		return Refused{Notes: notes, Outcome: record.ActionDone{Text: text, Mark: action.MarkData, Quote: action.Findings(open), Objected: keys}}, nil
	}
	f := open[0]
	return Question{Notes: notes, Ask: record.Question{
		Text:    "CASE insists on code that a safety rule objects to",
		Why:     fmt.Sprintf("%s: %s (%s). What you allow is this rule in this file, for this task or always.", f.Severity, f.Message, f.Rule),
		Subject: record.Finding{Key: Objection(f), Place: fmt.Sprintf("%s, line %d", f.Path, f.Start.Line+1)},
	}}, nil
}

// notTolerated returns the findings that the user has not allowed, in this task or for the
// project, and what is to be noted of those allowed for the project.
func (p *Permit) notTolerated(found []validate.Finding) (open []validate.Finding, notes Notes, err error) {
	seen := map[string]bool{}
	for _, f := range found {
		key := Objection(f)
		if p.State.Leaves[key] || seen[key] {
			continue
		}
		rule, entries, err := p.toleratedBy(key)
		if err != nil {
			return nil, notes, err
		}
		notes.Approvals = append(notes.Approvals, entries...)
		if rule == "" {
			open = append(open, f)
			continue
		}
		seen[key] = true
		notes.Records = append(notes.Records, record.Tolerated{Key: key, Rule: rule})
	}
	return open, notes, nil
}

// toleratedBy returns the id of the approval that allows a rule in a file for the project, ""
// where none does.
func (p *Permit) toleratedBy(key string) (rule string, entries []Entry, err error) {
	if rule, recorded := p.Outside.Tolerated(key); recorded {
		return rule, nil, nil
	}
	rules, entries, err := p.Approvals.rules(false)
	if err != nil {
		return "", nil, err
	}
	for _, r := range rules {
		if r.Finding && r.Shape == key {
			return r.ID, append(entries, used(r.ID, p.State.Task.ID, key)), nil
		}
	}
	return "", entries, nil
}

// SameLines reports whether two findings are about the same lines of a file.
func SameLines(a, b validate.Finding) bool {
	return a.Path == b.Path && a.Start.Line <= b.End.Line && b.Start.Line <= a.End.Line
}
