package permit

import (
	"cmp"
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
	verdict := p.verdict(line, args)
	var notes Notes
	if c.Judged == nil {
		d, err := p.judge(line, verdict, engine, args)
		if q, ok := d.(Question); ok {
			q.ReadOnly = verdict.ReadOnly
			return q, err
		}
		allowed, ok := d.(Allowed)
		if err != nil || !ok {
			return d, err
		}
		notes = allowed.Notes
		for _, b := range notes.Records {
			if j, ok := b.(record.Judged); ok {
				verdict.ReadOnly = verdict.ReadOnly || j.ReadOnly
			}
		}
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

// Unasked returns the engine that may run a command line which no model has asked for. Where the user would have to be asked,
// or the line needs an approval, it may not run.
func (p *Permit) Unasked(ctx context.Context, line string) (engine sandbox.Engine, may bool, err error) {
	untrusted, err := p.Trust.UntrustedIn(p.Workspace)
	if err != nil || len(untrusted) > 0 || p.AskReads || p.MaxCommands > 0 && p.State.Commands >= p.MaxCommands+p.State.Extended {
		return nil, false, err
	}
	if v := p.verdict(line, action.RunCommand{}); v.Decision != shell.Allow || p.foreign(v) != "" {
		return nil, false, nil
	}
	engine, err = p.Sandbox(ctx)
	return engine, err == nil && engine != nil, err
}

// verdict judges a line by the settings of today. One that is replayed is judged as strictly
// as when verdicts were not recorded: what was decided more freely is in the recording.
func (p *Permit) verdict(line string, args action.RunCommand) shell.Verdict {
	policy := p.Approvals.Commands
	if _, replays := p.Outside.Asked(); replays {
		policy.Level = shell.Strict
		return shell.Explain(line, policy)
	}
	if len(args.Secrets) > 0 {
		policy.Level = shell.Strict
	}
	v := shell.Explain(line, policy)
	if by, ok := p.byScript(line, v, policy); ok {
		v = by
	}
	if v.Decision == shell.Ask {
		if list := p.obeyedWrites(line, v); len(list) > 0 {
			v.Reason = strings.TrimSpace(v.Reason + " It changes " + enumerated(list))
		}
	}
	if v.Decision != shell.Allow {
		return v
	}
	if why, leave := p.unsettled(line, v); why != "" {
		v.Decision, v.Reason, v.Shape, v.ReadOnly, v.Task = shell.Ask, why, "", false, v.Task && !leave
	}
	return v
}

// judge decides about a command line that has no verdict yet.
func (p *Permit) judge(line string, v shell.Verdict, engine sandbox.Engine, args action.RunCommand) (Decision, error) {
	c := p.State.Pending
	asked, recorded := p.Outside.Asked()
	before, known := p.Outside.Judged()
	switch {
	case c.Answer != nil:
		return judged(c.Role, record.UserJudged(line, *c.Answer), nil), nil
	case known && before.Line == line:
		return judged(c.Role, before, nil), nil
	case v.Decision == shell.Deny:
		j := judgedBy(v, line, false)
		j.Text = strings.TrimSuffix("The command was denied: "+v.Reason+" Instead: "+v.Alternative, " Instead: ")
		return judged(c.Role, j, nil), nil
	case c.Role == record.RoleTars && !v.ReadOnly && (!p.State.Baselining() || recorded && !asked):
		return judged(c.Role, p.notWhilePlanning(line, v), nil), nil
	case c.Before && !p.State.Lost[line] && p.State.LastTest != nil && p.State.LastTest.Command() == line:
		return judged(c.Role, record.Judged{Line: line, Allowed: true, By: record.ByDefault, Reason: "it has just run on the changed files"}, nil), nil
	case recorded && asked:
		return Question{Ask: p.askedBefore(line, v, engine, args)}, nil
	case recorded:
		return judged(c.Role, judgedBy(v, line, true), nil), nil
	case p.State.Lost[line]:
		return Question{Ask: p.approval(line, "It was started before and its outcome is not known.", v, engine, args)}, nil
	case p.gives(args):
		if v.Decision == shell.Allow {
			v.Reason = p.foreignWhy(v)
		}
		return Question{Ask: p.approval(line, v.Reason, v, engine, args)}, nil
	case v.Decision == shell.Allow && p.foreign(v) != "":
		v.Reason = p.foreignWhy(v)
	case v.Decision == shell.Allow && !p.AskReads:
		return judged(c.Role, judgedBy(v, line, true), nil), nil
	case v.Decision == shell.Allow:
		v.Reason, v.Shape, v.Task = "The settings ask before every command.", "", false
		return Question{Ask: p.approval(line, v.Reason, v, engine, args)}, nil
	}
	return p.byRules(line, v, engine, args)
}

// notWhilePlanning refuses a line that does more than read, and is no run of the tests. In a
// recording each run of the tests has its judgement or its answer: any other was refused.
func (p *Permit) notWhilePlanning(line string, v shell.Verdict) record.Judged {
	const why = "while planning, only commands that read are run"
	text := "Not run: " + why + ". "
	if known := p.State.TestsKnown(); known != nil && len(known.Candidates) > 0 {
		tests := known.Candidates[0].Command
		if script := known.Candidates[0].Script; script != "" && len(script) <= maxScript && !strings.Contains(script, "\n") {
			tests += ", that is " + script + ", whose tests may be run by themselves and on files"
		}
		text = "Not run: " + why + ", and the project's tests (" + tests + "), alone on the line. "
	}
	return record.Judged{Line: line, By: record.ByDefault, Reason: why, Text: text + v.Reason}
}

// maxScript is how long a script of tests may be in bytes to be told: a longer one is a program, which the model can read.
const maxScript = 200

// byRules allows a command that a standing approval covers, and asks the user about
// any other.
func (p *Permit) byRules(line string, v shell.Verdict, engine sandbox.Engine, args action.RunCommand) (Decision, error) {
	q := p.approval(line, v.Reason, v, engine, args)
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
	switch allowed, changed := p.forTask(line, v); {
	case allowed:
		return judged(p.State.Pending.Role, record.Judged{Line: line, Allowed: true, By: record.ByTask, Reason: "allowed for this task"}, entries), nil
	case changed != "":
		q.Why = "You allowed it for this task, but " + changed + ". " + q.Why
	case why != "":
		q.Why = why + " " + q.Why
	case kept.offered(v.Shape, basis):
		about := q.Subject.(record.Command)
		about.Always = v.Shape
		q.Subject = about
	}
	return Question{Notes: Notes{Approvals: entries}, Ask: q}, nil
}

// forTask says whether the user has allowed a line for this task, and what has changed since.
func (p *Permit) forTask(line string, v shell.Verdict) (allowed bool, changed string) {
	if !v.Task {
		return false, ""
	}
	return p.State.ForTask(line, func(tests bool) record.Basis { return p.taskBasis(line, v, tests) })
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
		for _, word := range part.Operands {
			if !strings.Contains(part.Rule, word) && !slices.ContainsFunc(p.State.UserTexts, func(text string) bool { return strings.Contains(text, word) }) {
				return word
			}
		}
	}
	return ""
}

// foreignWhy says that a line would send such a word; "" where it does not.
func (p *Permit) foreignWhy(v shell.Verdict) string {
	word := p.foreign(v)
	if word == "" {
		return ""
	}
	return fmt.Sprintf("It reaches other machines, and its arguments do not come from your own text but may come from a file, a page or another command's output (%s).", word)
}

// judgedBy is the judgement of what is built in, or of the setting that decided.
func judgedBy(v shell.Verdict, line string, allowed bool) record.Judged {
	j := record.Judged{Line: line, Allowed: allowed, By: record.ByDefault, Reason: v.Reason, ReadOnly: v.ReadOnly}
	for _, p := range v.Parts {
		if p.Rule != shell.BuiltIn && p.Decision == v.Decision {
			j.By, j.How = record.ByPolicy, p.Rule
		}
	}
	return j
}

// approval is the question that the user is asked about a command. The caller adds
// the offer to always allow it, and what is installed before it.
func (p *Permit) approval(line, why string, v shell.Verdict, engine sandbox.Engine, args action.RunCommand) record.Question {
	who := "CASE wants to run a command"
	switch p.State.Pending.Role {
	case record.RoleTester:
		who = "The tests need a command"
	case record.RoleTars:
		who = "TARS wants to run a command while planning"
	}
	if listed := p.listed(line); listed != "" {
		why = strings.TrimSpace(why + " " + listed)
	}
	if len(v.Packages) > 0 && len(p.Policy.Hosts) == 0 {
		why = strings.TrimSpace(why + " " + offline)
	}
	about := record.Command{Line: line, Touches: v.Touches, Like: v.Shape, Basis: p.basis(line), Where: where(engine, p.Policy), Whole: p.whole()}
	if p.gives(args) { // never counted, so that it is asked for each time
		about.Secrets, about.Like, v.Task = args.Secrets, "", false
		why = strings.TrimSpace(why + " " + givesSecrets)
	}
	if v.Task {
		tests := p.State.RunsTests(line)
		basis := p.taskBasis(line, v, tests)
		about.ForTask = &basis
		if tests {
			why = strings.TrimSpace(why + " " + runsTests)
		}
	}
	return record.Question{Text: who, Why: why, Subject: about}
}

// offline is what is said of a command that adds dependencies where commands reach no host.
const offline = "Commands have no network (sandbox.hosts), so that it will most likely fail. What the project's own files name is installed in the sandbox, after a question of its own."

// askedBefore is the question of a recording. It offers whatever may have been offered: what the
// level and the earlier approvals were then is not recorded.
func (p *Permit) askedBefore(line string, v shell.Verdict, engine sandbox.Engine, args action.RunCommand) record.Question {
	v.Task = true
	q := p.approval(line, v.Reason, v, engine, args)
	about := q.Subject.(record.Command)
	about.Always = cmp.Or(v.Shape, line)
	q.Subject = about
	return q
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
		f, err := p.Overlay.Bytes(path)
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

// taskBasis is what an approval for a task rests on: beside basis, the secret files that the user
// has opened, the limits, and what the task has changed. Of a line that only changes files that is what lies
// in folders that it names. Any other may run code that it does not name (imports, scripts of scripts, text for
// a shell), so that it is everything that the task has changed. Of a run of tests it is what defines the line.
func (p *Permit) taskBasis(line string, v shell.Verdict, tests bool) record.Basis {
	b := p.basis(line)
	b.Memory, b.Time = p.Policy.Memory, p.Policy.Time
	for key, given := range p.State.Leaves {
		if name, ok := strings.CutPrefix(key, "read "); ok && given {
			b.Opened = append(b.Opened, name)
		}
	}
	slices.Sort(b.Opened)
	folders := shell.Files(line)
	if tests {
		b.Tests, b.Files = true, nil // as the user has them, or among the changes
	}
	whole := v.Runs || slices.ContainsFunc(v.Parts, func(p shell.Part) bool { return slices.Contains(p.Operands, ".") })
	for _, c := range p.Overlay.ChangeSet().Files {
		named := whole || slices.ContainsFunc(folders, func(f string) bool { return strings.HasPrefix(c.Path, f+"/") }) ||
			slices.ContainsFunc(v.Rests, func(r shell.Rest) bool {
				return matches(r.Manifest, c) || r.Script && strings.HasSuffix("/"+c.Path, "/"+r.Manifest)
			})
		if tests {
			named = p.defines(line, v, c)
		}
		if !named {
			continue
		}
		if b.Files == nil {
			b.Files = map[string]string{}
		}
		b.Files[c.Path] = "deleted"
		if f, err := p.Overlay.Bytes(c.Path); err == nil {
			b.Files[c.Path] = f.Hash
		}
	}
	return b
}
