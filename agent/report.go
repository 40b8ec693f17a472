package agent

import (
	"fmt"
	"strings"
	"time"

	"caselsp/agent/count"
	"caselsp/agent/quote"
	"caselsp/agent/record"
	"caselsp/agent/review"
	"caselsp/agent/workspace"
	"caselsp/store"
)

// quotedWords is what the user said: within its line where that shows it as it is, else in lines of its own.
func quotedWords(said string) string {
	if strings.ContainsAny(said, "\n“”") {
		return "\n\n" + QuoteLines(said, "> ") + "\n"
	}
	return " " + Quote(said) + "\n"
}

// reportText renders a task's report in Markdown. Every figure in it is read from
// the journal, and it says what was not done. against is what the result does against what the user did.
func (a *Agent) reportText(p *record.State, outcome, against string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n", record.FirstLine(p.Task.Text))
	fmt.Fprintf(&b, "Type: %s.\n", p.Class())
	fmt.Fprintf(&b, "Outcome: %s. Took %s, %s, %s.\n", outcome, p.Changed.Sub(p.Started).Round(time.Second), count.Of(p.Calls, "model call"), usageText(p))
	if line := untestedLine(p); line != "" {
		fmt.Fprintf(&b, "What was %s.\n", line)
	}
	for _, said := range p.Notes.Notes {
		b.WriteString("You said while it worked:" + quotedWords(said))
	}
	if p.Reply != "" {
		b.WriteString("\n## Answer\n\nIn the words of the model:\n\n" + QuoteLines(p.Reply.Plain(), "> "))
	} else {
		writeFeatures(&b, p)
	}
	b.WriteString("\n## Files\n\n")
	if len(p.Staged.Files) == 0 {
		b.WriteString("Nothing was changed.\n")
	}
	if len(p.GaveWay) > 0 {
		fmt.Fprintf(&b, "While it worked, %s. CASE was told, and may have done them again.\n\n", record.GaveWay(p.GaveWay))
	}
	if against != "" {
		b.WriteString(against + "\n\n")
	}
	obeyed := a.obeyedMarks(p)
	for _, f := range p.Staged.Files {
		fmt.Fprintf(&b, "- %s%s\n", f.Describe(), obeyed[f.Path])
	}
	if before := p.AcceptedBefore(); len(before) > 0 {
		fmt.Fprintf(&b, "\nAccepted before the task was tried again: %s.\n", strings.Join(before, ", "))
	}
	b.WriteString(keptText(p))
	b.WriteString(a.fewerText(p))
	if lines := p.LintLines(); len(lines) > 0 {
		b.WriteString("\n## Linters\n\n")
		for _, line := range lines {
			fmt.Fprintf(&b, "- %s\n", record.FirstLine(line))
		}
	}
	b.WriteString(claimsText(p))
	if lines := p.Uninstalled(); len(lines) > 0 {
		b.WriteString("\n## Dependencies\n\n")
		for _, line := range lines {
			b.WriteString(QuoteLines(line, "> "))
		}
	}
	var work strings.Builder
	for _, line := range p.Refusals {
		fmt.Fprintf(&work, "- %s\n", line)
	}
	for _, f := range p.Features {
		for _, line := range f.Log {
			fmt.Fprintf(&work, "- %s: %s\n", f.ID, line)
		}
	}
	if work.Len() > 0 {
		b.WriteString("\n## Work\n\n" + work.String())
	}
	if lines := decisions(p); len(lines) > 0 {
		b.WriteString("\n## Who decided about commands\n\n")
		for _, line := range lines {
			fmt.Fprintf(&b, "- %s\n", line)
		}
	}
	b.WriteString(recalledText(p))
	return b.String()
}

// recalledText says what memory gave: what, how near, and to whom it was told.
func recalledText(p *record.State) string {
	if len(p.Uses) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("\n## Recalled from past work\n\n")
	for _, h := range p.Uses {
		told := "a solution, told to the planner"
		if h.Kind == store.KindFailure {
			told = "a failure and its fix, told when tests had failed"
		}
		fmt.Fprintf(&b, "- %s (similarity %.2f, %s): %s\n", quote.Words(h.Text), h.Similarity, h.ID[:min(len(h.ID), record.ShortID)], told)
	}
	b.WriteString("\n`caselsp memory show ID` shows one whole, and `caselsp memory forget ID` deletes it.\n")
	return b.String()
}

// recallOutcome says what came of what was recalled, as far as the user has decided.
func recallOutcome(p *record.State) string {
	if len(p.Uses) == 0 || !p.Phase.Ended() {
		return ""
	}
	var b strings.Builder
	b.WriteString("\n")
	for _, h := range p.Uses {
		came := "did not help"
		switch h.Outcome(p.Phase == record.Succeeded) {
		case record.PassedOver:
			came = "was passed over"
		case record.Unused:
			came = "was not used"
		case record.Helped:
			came = "helped"
		}
		fmt.Fprintf(&b, "- %s %s\n", h.ID[:min(len(h.ID), record.ShortID)], came)
	}
	return b.String()
}

// writeFeatures writes the plan and how its features went.
func writeFeatures(b *strings.Builder, p *record.State) {
	if p.Plan != nil {
		b.WriteString("\n## Plan\n\n" + words(p, QuoteLines(p.Plan.Analysis, "> "), p.Plan.Analysis+"\n"))
		for _, dropped := range p.PlanDropped {
			fmt.Fprintf(b, "\nYou took a feature out of it: %s\n", Quote(dropped))
		}
	}
	b.WriteString("\n## Features\n\n")
	for i, f := range p.Features {
		fmt.Fprintf(b, "%d. **%s**: %s\n", i+1, words(p, Quote(f.Title), f.Title), featureOutcome(&f))
		if f.Tests != "" {
			fmt.Fprintf(b, "   - tests: %s\n", f.Tests)
		}
		for _, line := range f.TestNotes() {
			fmt.Fprintf(b, "   - %s\n", line)
		}
		writeTests(b, &f)
		if said := f.Said(); len(f.Verdicts) == 0 && said != "" {
			fmt.Fprintf(b, "   - finished: %s\n", Quote(said))
		}
		for _, v := range f.Verdicts {
			fmt.Fprintf(b, "   - verified: %d percent. %s\n", *v.Completion, Quote(v.Summary))
			for _, issue := range v.Issues {
				fmt.Fprintf(b, "     - %s\n", Quote(issue))
			}
			for _, remark := range v.Remarks {
				fmt.Fprintf(b, "     - remark: %s\n", Quote(remark))
			}
		}
	}
}

// obeyedMarks says of the staged files that programs obey who does, as it is shown behind
// their names.
func (a *Agent) obeyedMarks(p *record.State) map[string]string {
	marks := map[string]string{}
	state, err := p.Staged.State(a.Store.Blob)
	if err != nil {
		return marks // the review says what is wrong
	}
	obeyed := a.obeyed(p)
	for _, c := range workspace.Compare(workspace.State{}, state).Files {
		if o := obeyed(c); o.By != "" {
			marks[c.Path] = ", obeyed by " + o.By
		}
	}
	return marks
}

// words returns what a model says, marked as its words, or the plain text in a task without
// a model's plan.
func words(p *record.State, marked, plain string) string {
	if p.Task.Single {
		return plain
	}
	return marked
}

// decisions says who decided about which command, each judgement once, in order.
func decisions(p *record.State) []string {
	var lines []string
	times := map[string]int{}
	for _, j := range p.Judged {
		line := j.Told(Quote)
		if times[line]++; times[line] == 1 {
			lines = append(lines, line)
		}
	}
	for i, line := range lines {
		if n := times[line]; n > 1 {
			lines[i] = fmt.Sprintf("%s (%s)", line, count.Of(n, "time"))
		}
	}
	return lines
}

// Decisions returns who decided about the commands of a task, in order.
func (a *Agent) Decisions(id string) ([]record.Judged, error) {
	p, err := a.load(id)
	if err != nil {
		return nil, err
	}
	return p.Judged, nil
}

// writeTests writes which test command was changed and why, and what nothing has tested.
func writeTests(b *strings.Builder, f *record.Feature) {
	if f.Changed.Line != "" {
		fmt.Fprintf(b, "   - %s\n", f.Changed.Told())
	}
	if f.OK && f.Untested != "" && !strings.HasPrefix(f.Tests, "untested") {
		fmt.Fprintf(b, "   - untested: %s\n", f.Untested)
	}
}

// featureOutcome says how a feature went, in one sentence.
func featureOutcome(f *record.Feature) string {
	how := "not begun"
	switch {
	case f.OK:
		how = fmt.Sprintf("done in %s and %s", count.Of(f.Attempt, "attempt"), count.Of(f.Round, "round"))
	case f.Ended:
		how = "failed: " + f.Words.After(f.Reason)
	case f.Attempt > 0:
		how = fmt.Sprintf("unfinished in attempt %d, round %d", f.Attempt, f.Round)
	}
	if f.Again != nil && f.Again.Reason != "" {
		how += "; it was tried again after it had failed: " + f.Again.Words.After(f.Again.Reason)
	}
	if f.Attempt > 0 && f.Test == "" && f.Tests == "" && f.Untested == "" {
		how += "; no tests were named"
	}
	return how
}

func usageText(p *record.State) string {
	s := fmt.Sprintf("%d tokens in and %d out", p.Usage.Prompt, p.Usage.Completion)
	if p.Usage.Cost > 0 {
		s += fmt.Sprintf(", $%.4f", p.Usage.Cost)
	}
	return s
}

// withDecisions is the report of a finished task with what the user has decided about each
// file since.
func (a *Agent) withDecisions(p *record.State) string {
	rev, err := review.Of(p, a.Store.Blob, a.obeyed(p))
	if err != nil {
		return p.Report.Text // nothing was changed, or the review says what is wrong
	}
	rev.LookAt(p, a.Workspace)
	standing := map[string]string{}
	for _, f := range rev.Files {
		standing[f.Change.Path] = f.Standing()
	}
	const title = "## Files\n\n"
	before, list, found := strings.Cut(p.Report.Text, "\n"+title)
	if !found {
		return p.Report.Text
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n%s%s\n\n", before, title, rev.Tally())
	files := p.Staged.Files
	for line := range strings.Lines(list) {
		if len(files) > 0 && strings.HasPrefix(line, "- "+files[0].Describe()) {
			line = fmt.Sprintf("%s: %s\n", strings.TrimRight(line, "\n"), standing[files[0].Path])
			files = files[1:]
		}
		b.WriteString(line)
	}
	return b.String()
}
