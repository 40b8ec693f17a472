package agent

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"caselsp/agent/action"
	"caselsp/agent/permit"
	"caselsp/agent/record"
	"caselsp/agent/validate"
	"caselsp/agent/workspace"
)

// An edit that opens a security hole is not staged because a model says that it is
// safe: the edit is taken back, and the model is told to do it in another way. If the
// model repeats the edit, the user is asked, and may allow the rule in that file, for
// the task or for the project. No flag answers this question.

// unsafe returns what an edit brought in that guards object to.
func (r *run) unsafe(before workspace.State) []validate.Finding {
	g := gate{suite: r.a.suite.Strict().Only(permit.Guarding...)}
	found := g.alone(workspace.Compare(before, r.overlay.State()))
	return slices.DeleteFunc(found, func(f validate.Finding) bool { return !permit.Guards(f) })
}

// safe reports whether the edit that was just made may stay. Where it may not, it is
// taken back, and the model told or the user asked.
func (r *run) safe(ctx context.Context, before workspace.State) (bool, error) {
	found := r.unsafe(before)
	able, err := r.newAbilities(ctx, workspace.Compare(before, r.overlay.State()), found)
	if err != nil || len(found) == 0 && len(able) == 0 {
		return err == nil, err
	}
	after := r.overlay.State()
	if err := r.overlay.Restore(before); err != nil {
		return false, err
	}
	if len(found) > 0 {
		if ok, err := r.tolerated(found, "Nothing was changed: a safety rule objects to the edit."); !ok {
			return false, err
		}
	}
	if ok, err := r.able(able, "Nothing was changed."); !ok {
		return false, err
	}
	return true, r.overlay.Restore(after)
}

// tolerated has it decided whether findings that only the user can allow may stay.
func (r *run) tolerated(found []validate.Finding, text string) (bool, error) {
	d, err := r.may().Findings(found, text)
	if err != nil {
		return false, err
	}
	_, may, err := r.heed(d)
	return may, err
}

// objections ends an attempt to finish while validators or linters object to what
// the task brought in: critical findings must be mended, or be allowed where they
// may; of a linter's warnings the model is told once, and then it may know better.
func (r *run) objections(found, orphaned []validate.Finding) (free bool, err error) {
	linted := append(r.state.LintFindings(), orphaned...)
	must := slices.DeleteFunc(critical(found), permit.Guards)
	if len(must) > 0 {
		return false, r.done(record.ActionDone{Text: "Not finished: these critical findings were introduced by your edits; mend them first.\n", Mark: action.MarkData, Quote: r.told(must)})
	}
	// What the user has allowed by one name is not asked for by another one.
	own := slices.DeleteFunc(slices.Clone(found), func(f validate.Finding) bool { return !permit.Guards(f) })
	others := slices.DeleteFunc(slices.Clone(linted), func(f validate.Finding) bool {
		return !permit.Guards(f) || slices.ContainsFunc(own, func(o validate.Finding) bool { return permit.SameLines(o, f) })
	})
	for _, guarded := range [][]validate.Finding{own, others} {
		if ok, err := r.tolerated(guarded, "Not finished: a safety rule objects to your edits."); !ok {
			return false, err
		}
	}
	var keys []string
	warned := slices.DeleteFunc(linted, func(f validate.Finding) bool { return f.Severity == validate.Info || permit.Guards(f) })
	for _, f := range warned {
		if key := permit.Objection(f); !r.state.Objected[key] {
			keys = append(keys, key)
		}
	}
	if len(keys) > 0 {
		return false, r.done(record.ActionDone{
			Text: objectionText(orphaned, warned), Mark: action.MarkData, Quote: r.told(warned),
			Objected: keys,
		})
	}
	return true, nil
}

// objectionText begins what a model is told of warnings: what linters say, imports of files that are deleted, or both.
func objectionText(orphaned, warned []validate.Finding) string {
	if len(orphaned) == len(warned) {
		return "Not finished: what you deleted is still imported. Mend that; where it is meant so, finish again.\n"
	}
	return "Not finished: linters object to what you edited. Mend that; where they are wrong, finish again.\n"
}

// told lists findings for the model: those that stand above, in what it still reads of the talk, by place and rule only.
func (r *run) told(found []validate.Finding) string {
	talk := &r.state.Talk
	above := talk.Turns[min(talk.Cut, len(talk.Turns)):]
	var fresh []validate.Finding
	var b strings.Builder
	for _, f := range found {
		line := action.Findings([]validate.Finding{f})
		if slices.ContainsFunc(above, func(t record.Turn) bool { return strings.Contains(t.Said.Quote, line) }) {
			fmt.Fprintf(&b, "%s:%d: as above (%s)\n", f.Path, f.Start.Line+1, f.Rule)
		} else {
			fresh = append(fresh, f)
		}
	}
	if len(fresh) > 0 {
		return action.Findings(fresh) + b.String()
	}
	return b.String()
}
