package agent

import (
	"context"
	"fmt"
	"strings"
	"time"

	"caselsp/store"
)

// reportText renders a task's report in Markdown (SPEC row T15). Every figure in
// it is read from the journal; what was not done is said.
func reportText(p *progress, outcome string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n", firstLine(p.task.Text))
	fmt.Fprintf(&b, "Outcome: %s. Took %s, %d model calls, %s.\n", outcome, p.changed.Sub(p.started).Round(time.Second), p.calls, usageText(p))
	if p.plan != nil {
		fmt.Fprintf(&b, "\n## Plan\n\n%s\n", p.plan.Analysis)
	}
	b.WriteString("\n## Features\n\n")
	for i, f := range p.features {
		fmt.Fprintf(&b, "%d. **%s**: %s\n", i+1, f.Title, f.outcome())
		if f.tests != "" {
			fmt.Fprintf(&b, "   - tests: %s\n", f.tests)
		}
		for _, v := range f.verdicts {
			fmt.Fprintf(&b, "   - verified: %d percent. %s\n", *v.Completion, v.Summary)
			for _, issue := range v.Issues {
				fmt.Fprintf(&b, "     - %s\n", issue)
			}
		}
	}
	b.WriteString("\n## Files\n\n")
	if len(p.staged.Files) == 0 {
		b.WriteString("Nothing was changed.\n")
	}
	for _, f := range p.staged.Files {
		fmt.Fprintf(&b, "- %s\n", f.describe())
	}
	if lines := p.lintLines(); len(lines) > 0 {
		b.WriteString("\n## Linters\n\n")
		for _, line := range lines {
			fmt.Fprintf(&b, "- %s\n", firstLine(line))
		}
	}
	b.WriteString("\n## Work\n\n")
	for _, f := range p.features {
		for _, line := range f.log {
			fmt.Fprintf(&b, "- %s: %s\n", f.ID, line)
		}
	}
	if lines := p.decisions(); len(lines) > 0 {
		b.WriteString("\n## Who decided about commands\n\n")
		for _, line := range lines {
			fmt.Fprintf(&b, "- %s\n", line)
		}
	}
	if len(p.recalled) > 0 {
		b.WriteString("\n## Recalled from past work\n\n")
		for _, r := range p.recalled {
			fmt.Fprintf(&b, "- %s\n", firstLine(r))
		}
	}
	return b.String()
}

// decisions says who decided about which command, each judgement once, in order.
func (p *progress) decisions() []string {
	var lines []string
	times := map[string]int{}
	for _, j := range p.judged {
		if times[j.String()]++; times[j.String()] == 1 {
			lines = append(lines, j.String())
		}
	}
	for i, line := range lines {
		if n := times[line]; n > 1 {
			lines[i] = fmt.Sprintf("%s (%d times)", line, n)
		}
	}
	return lines
}

// Decisions returns who decided about the commands of a task, in order.
func (a *Agent) Decisions(id string) ([]Judged, error) {
	p, err := a.load(id)
	if err != nil {
		return nil, err
	}
	return p.judged, nil
}

// outcome says how a feature went, in one sentence.
func (f *feature) outcome() string {
	how := "not begun"
	switch {
	case f.ok:
		how = fmt.Sprintf("done in %d attempt(s) and %d round(s)", f.attempt, f.round)
	case f.ended:
		how = "failed: " + f.reason
	case f.attempt > 0:
		how = fmt.Sprintf("unfinished in attempt %d, round %d", f.attempt, f.round)
	}
	if f.attempt > 0 && f.Test == "" {
		how += "; no tests were named"
	}
	return how
}

// testLine says how a test run went, with the line in which the runner sums up.
func testLine(t *testRun) string {
	switch {
	case t.skipped:
		return fmt.Sprintf("`%s` was not run: %s", t.command, firstLine(t.output))
	case t.lost:
		return fmt.Sprintf("`%s`: the outcome is not known", t.command)
	}
	how := "fails"
	if t.ok {
		how = "passes"
	}
	sum := ""
	text, _, _ := strings.Cut(t.output, "</output")
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); strings.ContainsAny(line, "0123456789") {
			sum = firstLine(line)
		}
	}
	return fmt.Sprintf("`%s` %s: %s", t.command, how, sum)
}

// describe says what is staged of a file.
func (f StagedFile) describe() string {
	switch {
	case f.Now == nil:
		return "deleted " + f.Path
	case f.From != "":
		return fmt.Sprintf("renamed %s to %s", f.From, f.Path)
	case f.Base == nil:
		return "created " + f.Path
	default:
		return "changed " + f.Path
	}
}

func usageText(p *progress) string {
	s := fmt.Sprintf("%d tokens in and %d out", p.usage.Prompt, p.usage.Completion)
	if p.usage.Cost > 0 {
		s += fmt.Sprintf(", $%.4f", p.usage.Cost)
	}
	return s
}

// remember keeps what worked, for later plans. A failure to do so is logged: the
// task has succeeded all the same.
func (r *run) remember(outcome string) {
	if outcome != "success" || r.p.task.Single {
		return
	}
	var files []string
	for _, f := range r.p.staged.Files {
		files = append(files, f.describe())
	}
	var how []string
	for _, f := range r.p.features {
		how = append(how, f.Title)
	}
	r.keep(store.Pattern{
		Kind: store.KindPattern, Type: r.p.task.Type, Text: r.p.task.Text,
		Solution: strings.Join(how, "; ") + " (" + strings.Join(files, ", ") + ")",
	})
}

// rememberFix keeps what mended a failed test, once the tests pass: the failure
// and the hypothesis that was acted on (SPEC row M3).
func (r *run) rememberFix() {
	if f := r.p.feature(); r.p.fix != nil && f.failure != "" {
		r.keep(store.Pattern{Kind: store.KindFailure, Text: f.failure, Solution: r.p.fix.Fix + " Cause: " + r.p.fix.Cause, Successes: 1})
	}
}

// keep puts something learnt into memory. A replay learns nothing: it happened before.
func (r *run) keep(p store.Pattern) {
	if r.a.Recall != nil {
		return
	}
	p.Task = r.id
	if err := r.a.Store.Memory().Remember(context.Background(), p); err != nil {
		r.a.Log.Warn("memory cannot be written", "task", r.id, "error", err)
	}
}

// failureLines is how many telling lines of a failed run describe the failure.
const failureLines = 12

// failureText picks the lines of a test run's output that tell what failed, by
// which it is kept in memory and found again. Where none stands out, the last lines.
func failureText(output string) string {
	var telling, all []string
	for line := range strings.Lines(output) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "<") {
			continue
		}
		all = append(all, line)
		for _, word := range []string{"Error", "error:", "Exception", "assert", "FAIL", "panic"} {
			if strings.Contains(line, word) {
				telling = append(telling, line)
				break
			}
		}
	}
	if len(telling) == 0 {
		telling = all
	}
	return strings.Join(telling[max(0, len(telling)-failureLines):], "\n")
}
