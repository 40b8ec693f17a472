package agent

import (
	"fmt"
	"slices"
	"strings"

	"caselsp/agent/record"
	"caselsp/agent/shell"
	"caselsp/sandbox"
)

// permit decides whether the pending command may run, or has the user asked, and
// records who decided. No model has a part in it.
func (r *run) permit(line string, v shell.Verdict, engine sandbox.Engine) error {
	c := r.state.Pending
	switch {
	case c.Answer != nil:
		return r.record(record.UserJudged(line, *c.Answer))
	case v.Decision == shell.Deny:
		j := judgedBy(v, line, false)
		j.Text = strings.TrimSuffix("The command was denied: "+v.Reason+" Instead: "+v.Alternative, " Instead: ")
		return r.record(j)
	case c.Role == record.RoleTars && !v.ReadOnly:
		text := "Not run: while planning, only commands that read are run. " + v.Reason
		return r.record(record.Judged{Line: line, By: record.ByDefault, Reason: "while planning, only commands that read are run", Text: text})
	case r.a.asked != nil && r.a.asked():
		return r.question(r.approval(line, v.Reason, v, engine))
	case r.a.asked != nil:
		return r.record(judgedBy(v, line, true))
	case r.state.Lost[line]:
		return r.question(r.approval(line, "It was started before and its outcome is not known.", v, engine))
	case v.Decision == shell.Allow && r.foreign(v) != "":
		v.Reason = fmt.Sprintf("It reaches other machines, and what it is given does not stand in what you wrote, but may come from a file, a page or another command's output (%s).", r.foreign(v))
	case v.Decision == shell.Allow && !r.a.AskReads:
		return r.record(judgedBy(v, line, true))
	case v.Decision == shell.Allow:
		v.Reason, v.Shape = "The settings ask before every command.", ""
		return r.question(r.approval(line, v.Reason, v, engine))
	}
	return r.permitByRules(line, v, engine)
}

// foreign returns what an allowed line would send to other machines that is not the
// user's own word: not in the task, in an answer or in the setting that allows it.
// Instructions that stand in files, pages and outputs come as such words, and so
// does what they want to know, at the end of an address. Where nothing leaves the
// sandbox, words do no harm.
func (r *run) foreign(v shell.Verdict) string {
	for _, p := range v.Parts {
		if p.Decision != shell.Allow || p.Rule == shell.PackagesRule || !slices.Contains(p.Touches, shell.Network) {
			continue
		}
		for _, word := range shell.Operands(p.Command) {
			if !strings.Contains(p.Rule, word) && !slices.ContainsFunc(r.state.UserTexts, func(text string) bool { return strings.Contains(text, word) }) {
				return word
			}
		}
	}
	return ""
}

// permitByRules looks whether the user has allowed a kind of command for always,
// and asks where he has not.
func (r *run) permitByRules(line string, v shell.Verdict, engine sandbox.Engine) error {
	q := r.approval(line, v.Reason, v, engine)
	kept, err := r.a.approvalsNow()
	if err != nil {
		return err
	}
	rule, why, err := r.a.permits(kept, line, q.Basis)
	if err != nil {
		return err
	}
	if rule != nil {
		if _, err := r.a.Store.Journal(approvalsJournal).Append(kindUsed, ruleUsed{Rule: rule.ID, Task: r.id, Line: line}); err != nil {
			return err
		}
		return r.record(record.Judged{Line: line, Allowed: true, By: record.ByRule, How: rule.ID,
			Reason: fmt.Sprintf("always allowed since %s: %s", rule.Given.Format("2006-01-02"), rule.Shape)})
	}
	switch {
	case why != "":
		q.Why = why + " " + q.Why
	case kept.offered(v.Shape, q.Basis):
		q.Shape = v.Shape
	}
	return r.question(q)
}

// judgedBy is the judgement of what is built in, or of the setting that decided.
func judgedBy(v shell.Verdict, line string, allowed bool) record.Judged {
	j := record.Judged{Line: line, Allowed: allowed, By: record.ByDefault, Reason: v.Reason}
	for _, p := range v.Parts {
		if p.Rule != shell.BuiltIn && p.Decision == v.Decision {
			j.By, j.How = record.ByPolicy, p.Rule
		}
	}
	return j
}

// approval is the question that the user is asked about a command. It is offered
// for always by those who know that it may be.
func (r *run) approval(line, why string, v shell.Verdict, engine sandbox.Engine) record.Question {
	who := "CASE wants to run a command"
	switch r.state.Pending.Role {
	case record.RoleTester:
		who = "The tests need a command"
	case record.RoleTars:
		who = "TARS wants to look by a command"
	}
	return record.Question{Kind: record.Approval, Text: who, Command: line, Why: why, Touches: v.Touches, Like: v.Shape, Basis: r.basis(line), Where: where(engine, r.a.Policy)}
}

// where says where a command would run.
func where(engine sandbox.Engine, p sandbox.Policy) string {
	network := "no network"
	if len(p.Hosts) > 0 {
		network = "network: only " + strings.Join(p.Hosts, ", ")
	}
	in := ""
	if named, ok := engine.(fmt.Stringer); ok {
		in = " (" + named.String() + ")"
	}
	return fmt.Sprintf("in the sandbox%s, on a private copy of the workspace (%s, %g CPU, %d MiB, at most %s)",
		in, network, p.CPUs, p.Memory>>20, p.Time)
}
