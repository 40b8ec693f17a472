package record

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"caselsp/agent/action"
	"caselsp/sandbox"
)

// applyStarted folds the beginning of a command, or of an installation before it.
func (p *State) applyStarted(b CommandStarted) {
	if b.Layer != "" {
		p.applyLayer(b.Layer, func(l *Dependencies) { l.State = Installing })
	} else if c := p.Pending; c != nil {
		c.Command, c.Result, c.Without = true, nil, b.Without
		p.Commands++
		c.Tries++
	}
}

// applyEnded folds the end of either.
func (p *State) applyEnded(b CommandEnded) {
	if b.Layer != "" {
		p.applyLayer(b.Layer, func(l *Dependencies) { l.installed(&b.Result) })
		if p.Pending != nil {
			p.Pending.Uninstalled = p.Dependencies[b.Layer].State == NotInstalled
		}
	} else if c := p.Pending; c != nil {
		c.Result = &b
		if c.Tries > 1 && c.First == sandbox.TimedOut && b.Result.Status == sandbox.TimedOut {
			p.waitNoMore(CommandOf(c.Args)) // twice the time did not help
		}
		if c.Tries == 1 {
			c.First = b.Result.Status
		}
	}
}

// applyAnswer folds an answer, which is about dependencies or about the action.
func (p *State) applyAnswer(q *Question, a Answer) {
	if q == nil {
		return // an answer without a question changes nothing
	}
	c := p.Pending
	again := c != nil && c.Result != nil // the command has run, and may run once again
	if about, ok := q.Subject.(Approvable); ok {
		if _, install := about.(Install); install || again {
			p.Judged = append(p.Judged, UserJudged(about.Offer().What, a))
		}
	}
	p.hearDenial(q, a)
	switch about := q.Subject.(type) {
	case Input:
		if about.Plan != nil {
			p.applyPlanAnswer(about.Plan, a)
			return
		}
		if about.Tests {
			p.answerTests(about, a)
			return
		}
		if about.Class != "" {
			p.applyClass(about.Class, a)
			return
		}
		if !slices.Contains(about.Choices, a.Text) { // which the model wrote
			p.UserTexts = append(p.UserTexts, a.Text)
		}
		p.hearAnswer(q, a)
		p.answerAction(a)
	case Trust: // trust itself is kept elsewhere, and looked at each time
		p.OnlyReads = a.Text == Deny
	case Secret:
		if c != nil && a.Text == Deny {
			c.Withheld = &a
		}
	case Guarded:
		p.applyLeave(about.Leave, a)
		p.applyFewer(about.Fewer, a)
	case Finding:
		p.applyLeave(about.Key, a)
	case Ability:
		p.applyLeave(AbilityLeave(about.Name), a)
	case Limit:
		if a.Text == Deny {
			p.LimitKept = true
		} else {
			p.Extended += about.More
		}
	case Install:
		if a.Text == Deny {
			p.applyLayer(about.Key, func(l *Dependencies) { l.State, l.Denied = Without, true })
		} else {
			p.applyLayer(about.Key, (*Dependencies).agreed)
		}
	case Command:
		if a.Text == ApproveTask && about.ForTask != nil {
			p.Approved = append(p.Approved, ForTask{Line: about.Line, Basis: *about.ForTask})
		}
		if about.Install != nil && a.Text != Deny {
			p.Judged = append(p.Judged, UserJudged(about.Install.Line, a))
			p.applyLayer(about.Install.Key, (*Dependencies).agreed)
		}
		p.answerAction(a)
	}
}

// answerTests folds what the user answered about tests that cannot run.
func (p *State) answerTests(about Input, a Answer) {
	if packages := about.Packages.in(a.Text); packages != nil {
		p.applyPackages(packages)
		a.Text = TestsAgain
	}
	if about.Instead != "" && a.Text == TestsInstead(about.Instead) {
		p.changeTests(about.Instead, "the user", "")
		a.Text = TestsAgain
	}
	if a.Text != TestsAgain && a.Text != TestsWithout && a.Text != TestsGive {
		p.UserTexts = append(p.UserTexts, a.Text)
	}
	p.applyTestsAnswer(a)
}

// ForTask is a command line that the user has allowed for the rest of the task. It is
// allowed as it stands, and only while what it rests on stays the same: a line that names
// a script is asked for again when the script has changed.
type ForTask struct {
	Line  string
	Basis Basis
}

// ForTask says whether the user has allowed a line for this task. Where they have and
// something has changed since, why is what, and they are to be asked again. now is what the line rests
// on now; tests asks for what defines a run of tests alone, where that is what the user allowed.
func (p *State) ForTask(line string, now func(tests bool) Basis) (allowed bool, why string) {
	for i := len(p.Approved) - 1; i >= 0; i-- {
		if p.Approved[i].Line != line {
			continue
		}
		given := p.Approved[i].Basis
		changed := given.Changed(now(given.Tests))
		if changed == "" {
			return true, ""
		}
		if why == "" { // of the latest
			why = changed
		}
	}
	return false, why
}

// answerAction gives an answer to the action that waits for it.
func (p *State) answerAction(a Answer) {
	switch c := p.Pending; {
	case c == nil:
	case c.Result != nil:
		p.applyAgain(a)
	default:
		c.Answer = &a
	}
}

// applyAgain folds the answer to whether a command may run once again.
func (p *State) applyAgain(a Answer) {
	c := p.Pending
	c.AnswerAgain = &a
	if a.Text == Deny && c.First == sandbox.TimedOut {
		p.waitNoMore(CommandOf(c.Args))
	}
}

// waitNoMore notes that a command line gets no more time again in this task.
func (p *State) waitNoMore(line string) {
	if p.NoMoreTime == nil {
		p.NoMoreTime = map[string]bool{}
	}
	p.NoMoreTime[line] = true
}

// TheReason is the sentence that says why a user refused, with a blank before it; "" for no reason.
func TheReason(reason string) string {
	if reason == "" {
		return ""
	}
	if !strings.HasSuffix(reason, ".") && !strings.HasSuffix(reason, "!") && !strings.HasSuffix(reason, "?") {
		reason += "."
	}
	return " The reason: " + reason
}

// UserJudged is the user's judgement, or that of the flag that answered for them.
func UserJudged(line string, a Answer) Judged {
	j := Judged{Line: line, Allowed: a.Text != Deny, By: ByUser, How: a.By, Reason: a.Reason}
	if a.By == Unasked {
		j.By = ByPolicy
	}
	if !j.Allowed {
		j.Text = "The user refused this command."
		j.Text += TheReason(a.Reason) + " Find another way; do not ask for it again."
	}
	return j
}

// Told is a judgement in one line, for histories. quote shows the whole command within a line.
func (j Judged) Told(quote func(string) string) string {
	how := "denied"
	if j.Allowed {
		how = "allowed"
	}
	who := map[string]string{
		ByUser: "by the user", ByTask: "by the user for this task", ByRule: "by a standing approval", ByPolicy: "by the settings", ByDefault: "by default",
	}[j.By]
	if j.How == Unasked {
		who = "by the flag"
	}
	text := fmt.Sprintf("%s %s %s", quote(j.Line), how, cmp.Or(who, j.By))
	if j.How != "" {
		text += " (" + j.How + ")"
	}
	if j.Reason != "" {
		text += ": " + strings.TrimSuffix(FirstLine(j.Reason), ".")
	}
	return text
}

// WithChanges rebuilds a command's result from its record and the blobs of its changes.
func (b *CommandEnded) WithChanges(blob Blobs) (*sandbox.Result, error) {
	r := b.Result
	r.Changes = nil
	for _, c := range b.Changes {
		change := sandbox.Change{Path: c.Path, Mode: c.Mode, Deleted: c.Hash == ""}
		if !change.Deleted {
			data, err := blob(c.Hash)
			if err != nil {
				return nil, fmt.Errorf("the content of %s that the command wrote: %w", c.Path, err)
			}
			change.Data = data
		}
		r.Changes = append(r.Changes, change)
	}
	return &r, nil
}

// pathOf reads the file out of the arguments of an edit.
func pathOf(raw json.RawMessage) string {
	var a action.PatchFile
	if json.Unmarshal(raw, &a) != nil {
		return ""
	}
	if a.Path == "" && a.Patch != "" {
		return a.First()
	}
	return a.Path
}

// stepOf reads the step out of a ROLLBACK's arguments.
func stepOf(raw json.RawMessage) int {
	var a action.Rollback
	if json.Unmarshal(raw, &a) != nil {
		return 0
	}
	return a.Step
}

// testsOf reads the test command out of a FINISH_FEATURE's arguments.
func testsOf(raw json.RawMessage) (line, why string) {
	var a action.FinishFeature
	if json.Unmarshal(raw, &a) != nil {
		return "", ""
	}
	return a.TestCommand, cmp.Or(a.Analysis, a.Summary)
}

// claim keeps what a FINISH_FEATURE says was fixed, for who verifies it.
func (f *Feature) claim(raw json.RawMessage) {
	var a action.FinishFeature
	if json.Unmarshal(raw, &a) != nil || len(a.FixesApplied) == 0 {
		return
	}
	said := FirstLine(strings.Join(a.FixesApplied, "; "))
	if why := FirstLine(a.Analysis); why != "" {
		said += " (" + why + ")"
	}
	f.Claimed = append(slices.Clip(f.Claimed), fmt.Sprintf("round %d: %s", f.Round, said))
}

// Said is what was said of the feature last: by TARS, who has verified it, else by CASE.
func (f *Feature) Said() string {
	if n := len(f.Verdicts); n > 0 {
		return f.Verdicts[n-1].Summary
	}
	return f.finished
}

// ClaimsDone is what CASE said of the feature when it last finished it, and what it claims to have fixed.
func (f *Feature) ClaimsDone() []string {
	if f.finished == "" {
		return f.Claimed
	}
	return append(slices.Clip(f.Claimed), f.finished)
}

// CommandOf reads the command line out of a RUN_COMMAND's arguments.
func CommandOf(raw json.RawMessage) string {
	var a action.RunCommand
	if json.Unmarshal(raw, &a) != nil {
		return ""
	}
	return a.Command
}
