package permit

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"caselsp/agent/action"
	"caselsp/agent/record"
	"caselsp/agent/shell"
	"caselsp/sandbox"
)

// command decides about the pending command line: what the shell's verdict, the settings
// and the user's earlier approvals say of it, and whether the task may run one more.
func (p *Permit) command(ctx context.Context, args action.RunCommand) (Decision, error) {
	line, err := shell.Fill(args.Command, args.Secrets)
	if err != nil {
		return Refused{Outcome: record.ActionDone{Text: "Nothing was done: " + err.Error()}}, nil
	}
	c := p.State.Pending
	if c.Result != nil || c.Command {
		return Allowed{Line: line}, nil // it was decided before it was started
	}
	engine, err := p.Sandbox(ctx)
	if err != nil {
		return nil, err
	}
	if engine == nil {
		return Refused{Outcome: record.ActionDone{Skipped: true, Text: "The command was not run: the settings switch commands off (sandbox.engine is none). Go on without it."}}, nil
	}
	verdict := shell.Explain(line, p.Approvals.Commands)
	var notes Notes
	if c.Judged == nil {
		d, err := p.judge(line, verdict, engine)
		allowed, ok := d.(Allowed)
		if err != nil || !ok {
			return d, err
		}
		notes = allowed.Notes
	} else if !c.Judged.Allowed {
		return refusedCommand(c.Role, *c.Judged, Notes{}), nil
	}
	switch most := p.MaxCommands; {
	case most == 0 || p.State.Commands < most+p.State.Extended:
		return Allowed{Notes: notes, Line: line, Engine: engine, ReadOnly: verdict.ReadOnly}, nil
	case p.State.LimitKept:
		return Refused{Notes: notes, Pause: fmt.Sprintf("the task has run %d commands: raise limits.commands, or resume and let it run more", p.State.Commands)}, nil
	default:
		return Question{Notes: notes, Ask: record.Question{
			ID: record.LimitQuestion, Subject: record.Limit{More: most},
			Text: fmt.Sprintf("The task has run %d commands. May it run %d more?", p.State.Commands, most),
			Why:  "The setting limits.commands sets this limit, so that a task that makes no progress ends.",
		}}, nil
	}
}

// judge decides about a command line that has no verdict yet.
func (p *Permit) judge(line string, v shell.Verdict, engine sandbox.Engine) (Decision, error) {
	c := p.State.Pending
	asked, recorded := p.Outside.Asked()
	switch {
	case c.Answer != nil:
		return judged(c.Role, record.UserJudged(line, *c.Answer), nil), nil
	case v.Decision == shell.Deny:
		j := judgedBy(v, line, false)
		j.Text = strings.TrimSuffix("The command was denied: "+v.Reason+" Instead: "+v.Alternative, " Instead: ")
		return judged(c.Role, j, nil), nil
	case c.Role == record.RoleTars && !v.ReadOnly:
		text := "Not run: while planning, only commands that read are run. " + v.Reason
		return judged(c.Role, record.Judged{Line: line, By: record.ByDefault, Reason: "while planning, only commands that read are run", Text: text}, nil), nil
	case recorded && asked:
		return Question{Ask: p.approval(line, v.Reason, v, engine)}, nil
	case recorded:
		return judged(c.Role, judgedBy(v, line, true), nil), nil
	case p.State.Lost[line]:
		return Question{Ask: p.approval(line, "It was started before and its outcome is not known.", v, engine)}, nil
	case v.Decision == shell.Allow && p.foreign(v) != "":
		v.Reason = fmt.Sprintf("It reaches other machines, and its arguments do not come from your own text but may come from a file, a page or another command's output (%s).", p.foreign(v))
	case v.Decision == shell.Allow && !p.AskReads:
		return judged(c.Role, judgedBy(v, line, true), nil), nil
	case v.Decision == shell.Allow:
		v.Reason, v.Shape = "The settings ask before every command.", ""
		return Question{Ask: p.approval(line, v.Reason, v, engine)}, nil
	}
	return p.byRules(line, v, engine)
}

// byRules allows a command that a standing approval covers, and asks the user about
// any other.
func (p *Permit) byRules(line string, v shell.Verdict, engine sandbox.Engine) (Decision, error) {
	q := p.approval(line, v.Reason, v, engine)
	kept, err := p.Approvals.read()
	if err != nil {
		return nil, err
	}
	basis := p.basis(line)
	rule, why, entries := p.Approvals.permits(kept, line, basis)
	if rule != nil {
		return judged(p.State.Pending.Role, record.Judged{Line: line, Allowed: true, By: record.ByRule, How: rule.ID,
			Reason: fmt.Sprintf("always allowed since %s: %s", rule.Given.Format("2006-01-02"), rule.Shape)},
			append(entries, used(rule.ID, p.State.Task.ID, line))), nil
	}
	switch {
	case why != "":
		q.Why = why + " " + q.Why
	case kept.offered(v.Shape, basis):
		about := q.Subject.(record.Command)
		about.Always = v.Shape
		q.Subject = about
	}
	return Question{Notes: Notes{Approvals: entries}, Ask: q}, nil
}

// judged is the decision that a judgement is, with the judgement to be recorded.
func judged(role string, j record.Judged, entries []Entry) Decision {
	notes := Notes{Approvals: entries, Records: []record.Body{j}}
	if j.Allowed {
		return Allowed{Notes: notes}
	}
	return refusedCommand(role, j, notes)
}

// refusedCommand is the text for the model about a command that may not run.
func refusedCommand(role string, j record.Judged, notes Notes) Refused {
	return Refused{Notes: notes, Outcome: record.ActionDone{Skipped: role == record.RoleTester, Text: j.Text}}
}

// Again decides whether a command that ended for want of memory or time may run once again
// with more. Twice the memory is given unasked up to RetryMemory; more time never is, because
// a command that does not end is most often one that never will.
func (p *Permit) Again(line string, more sandbox.Policy, engine sandbox.Engine) Decision {
	ask := more.Memory > max(p.RetryMemory, p.Policy.Memory) || more.Time > p.Policy.Time
	if asked, recorded := p.Outside.Asked(); recorded {
		ask = asked
	}
	if p.State.Pending.AnswerAgain != nil || !ask {
		return Allowed{Line: line, Engine: engine}
	}
	why := fmt.Sprintf("it ran out of its %d MiB of memory; a retry with twice as much needs your approval", p.Policy.Memory>>20)
	if more.Time > p.Policy.Time {
		why = fmt.Sprintf("it did not finish within %s and was stopped; it may need more time, or never end", p.Policy.Time)
	}
	return Question{Ask: record.Question{Text: "A command may run once again with more", Why: why, Subject: record.Command{Line: line, Where: where(engine, more)}}}
}

// foreign returns what an allowed line would send to other machines that is not the
// user's own word: not in the task, in an answer or in the setting that allows it.
// Instructions that stand in files, pages and outputs come as such words, and so
// does what they want to know, at the end of an address. Where nothing leaves the
// sandbox, words do no harm.
func (p *Permit) foreign(v shell.Verdict) string {
	for _, part := range v.Parts {
		if part.Decision != shell.Allow || part.Rule == shell.PackagesRule || !slices.Contains(part.Touches, shell.Network) {
			continue
		}
		for _, word := range shell.Operands(part.Command) {
			if !strings.Contains(part.Rule, word) && !slices.ContainsFunc(p.State.UserTexts, func(text string) bool { return strings.Contains(text, word) }) {
				return word
			}
		}
	}
	return ""
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

// approval is the question that the user is asked about a command. The caller adds
// the offer to always allow it.
func (p *Permit) approval(line, why string, v shell.Verdict, engine sandbox.Engine) record.Question {
	who := "CASE wants to run a command"
	switch p.State.Pending.Role {
	case record.RoleTester:
		who = "The tests need a command"
	case record.RoleTars:
		who = "TARS wants to run a command while planning"
	}
	return record.Question{Text: who, Why: why, Subject: record.Command{Line: line, Touches: v.Touches, Like: v.Shape, Basis: p.basis(line), Where: where(engine, p.Policy)}}
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

// basis is what a command line rests on: the hosts that it can reach, and the
// content of the files that it names or that say what it runs. A file that a
// program finds by other means is not in it; against that stands the sandbox.
func (p *Permit) basis(line string) record.Basis {
	b := record.Basis{Hosts: slices.Clone(p.Policy.Hosts)}
	slices.Sort(b.Hosts)
	for _, path := range shell.Files(line) {
		f, err := p.Overlay.Read(path)
		if err != nil {
			continue // a folder, or nothing: then it says nothing either
		}
		if b.Files == nil {
			b.Files = map[string]string{}
		}
		b.Files[path] = f.Hash
	}
	return b
}
