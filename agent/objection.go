package agent

import (
	"fmt"
	"slices"
	"strings"

	"caselsp/agent/action"
	"caselsp/agent/lint"
	"caselsp/agent/record"
	"caselsp/agent/validate"
	"caselsp/agent/workspace"
)

// What lets strangers in is not taken from a model on its word (SPEC rows V3 and
// V4): such an edit is taken back, and the model told to do it in another way.
// Where it insists, the user is asked, and may allow the rule in that file, for
// the task or for the project. No flag answers that.

// objection names what the user may allow: one rule in one file.
func objection(f validate.Finding) string { return f.Rule + " in " + f.Path }

// guarding are the categories whose critical findings block an edit at once.
var guarding = []validate.Category{validate.Safety, validate.Secrets}

// guards reports whether a finding is one that only the user can allow: of a rule
// that guards against strangers, or of a linter that does.
func guards(f validate.Finding) bool {
	linter, _, ok := strings.Cut(f.Rule, "/")
	if ok && (linter == lint.Bandit.Name || linter == lint.Gosec.Name) {
		return f.Severity != validate.Info
	}
	r, ok := validate.RuleOf(f.Rule)
	return ok && f.Severity == validate.Critical && slices.Contains(guarding, r.Category)
}

// unsafe returns what an edit brought in that guards object to.
func (r *run) unsafe(before workspace.State) []validate.Finding {
	g := gate{suite: r.a.suite.Strict().Only(guarding...)}
	found := g.alone(workspace.Compare(before, r.overlay.State()))
	return slices.DeleteFunc(found, func(f validate.Finding) bool { return !guards(f) })
}

// safe reports whether the edit that was just made may stay. Where it may not, it is
// taken back, and the model told or the user asked.
func (r *run) safe(before workspace.State) (bool, error) {
	found := r.unsafe(before)
	if len(found) == 0 {
		return true, nil
	}
	after := r.overlay.State()
	if err := r.overlay.Restore(before); err != nil {
		return false, err
	}
	ok, err := r.settled(found, "Nothing was changed: the edit brings in what lets strangers in.")
	if !ok || err != nil {
		return false, err
	}
	return true, r.overlay.Restore(after)
}

// settled sees to it that nothing is left of findings that guards object to: the
// model is told to mend them, or the user is asked. Only where it returns true the
// pending action may go on; what is refused, was said in text.
func (r *run) settled(found []validate.Finding, text string) (bool, error) {
	open, err := r.unallowed(found)
	if err != nil || len(open) == 0 {
		return err == nil, err
	}
	if w := r.state.Pending.Withheld; w != nil {
		text += " The user did not allow it."
		if w.Reason != "" {
			text += " The reason: " + w.Reason
		}
		return false, r.done(record.ActionDone{Text: text + "\n", Mark: action.MarkData, Quote: action.Findings(open)})
	}
	var keys []string
	for _, f := range open {
		if key := objection(f); !r.state.Objected[key] {
			keys = append(keys, key)
		}
	}
	if len(keys) > 0 {
		text += " Do it in a way that these rules allow. Where there is none, send the same once more: the user is then asked.\n"
		return false, r.done(record.ActionDone{Text: text, Mark: action.MarkData, Quote: action.Findings(open), Objected: keys})
	}
	f := open[0]
	return false, r.question(record.Question{
		Kind: record.Approval, Text: "CASE insists on code that a safety rule objects to", Command: fmt.Sprintf("%s, line %d", f.Path, f.Start.Line+1),
		Why:   fmt.Sprintf("%s: %s (%s). A yes holds for this rule in this file: for the rest of the task, or always.", f.Severity, f.Message, f.Rule),
		Leave: objection(f), Shape: objection(f), Like: objection(f), Finding: true,
	})
}

// unallowed returns the findings that the user has not allowed, in this task or for
// the project.
func (r *run) unallowed(found []validate.Finding) ([]validate.Finding, error) {
	var open []validate.Finding
	for _, f := range found {
		key := objection(f)
		if r.state.Leaves[key] {
			continue
		}
		rule, err := r.tolerated(key)
		if err != nil {
			return nil, err
		}
		if rule == "" {
			open = append(open, f)
		} else if err := r.record(record.Tolerated{Key: key, Rule: rule}); err != nil {
			return nil, err
		}
	}
	return open, nil
}

// tolerated returns the id of the approval that allows a rule in a file for the
// project, "" where none does.
func (r *run) tolerated(key string) (string, error) {
	if r.a.tolerated != nil {
		return r.a.tolerated(key), nil
	}
	rules, err := r.a.Rules(false)
	if err != nil {
		return "", err
	}
	for _, rule := range rules {
		if rule.Finding && rule.Shape == key {
			_, err := r.a.Store.Journal(approvalsJournal).Append(kindUsed, ruleUsed{Rule: rule.ID, Task: r.id, Line: key})
			return rule.ID, err
		}
	}
	return "", nil
}

// sameLines reports whether two findings are about the same lines of a file.
func sameLines(a, b validate.Finding) bool {
	return a.Path == b.Path && a.Start.Line <= b.End.Line && b.Start.Line <= a.End.Line
}

// objections ends an attempt to finish while validators or linters object to what
// the task brought in: critical findings must be mended, or be allowed where they
// may; of a linter's warnings the model is told once, and then it may know better.
func (r *run) objections(found []validate.Finding) (free bool, err error) {
	linted := r.state.LintFindings()
	must := slices.DeleteFunc(critical(found), guards)
	if len(must) > 0 {
		return false, r.done(record.ActionDone{Text: "Not finished: these critical findings were introduced by your edits; mend them first.\n", Mark: action.MarkData, Quote: action.Findings(must)})
	}
	// What the user has allowed by one name is not asked for by another one.
	own := slices.DeleteFunc(slices.Clone(found), func(f validate.Finding) bool { return !guards(f) })
	others := slices.DeleteFunc(slices.Clone(linted), func(f validate.Finding) bool {
		return !guards(f) || slices.ContainsFunc(own, func(o validate.Finding) bool { return sameLines(o, f) })
	})
	for _, guarded := range [][]validate.Finding{own, others} {
		if ok, err := r.settled(guarded, "Not finished: your edits brought in what lets strangers in."); !ok {
			return false, err
		}
	}
	var keys []string
	warned := slices.DeleteFunc(linted, func(f validate.Finding) bool { return f.Severity == validate.Info || guards(f) })
	for _, f := range warned {
		if key := objection(f); !r.state.Objected[key] {
			keys = append(keys, key)
		}
	}
	if len(keys) > 0 {
		return false, r.done(record.ActionDone{
			Text: "Not finished: linters object to what you edited. Mend that; where they are wrong, finish again.\n", Mark: action.MarkData, Quote: action.Findings(warned),
			Objected: keys,
		})
	}
	return true, nil
}
