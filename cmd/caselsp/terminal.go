package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"reflect"
	"strings"

	"caselsp/agent"
	"caselsp/agent/action"
	"caselsp/agent/count"
	"caselsp/agent/record"
	"caselsp/agent/review"
	"caselsp/agent/workspace"
)

// display shows a run's events to a person or a program.
type display interface {
	show(e agent.Event)
	close()
}

// newDisplay chooses by what stdout is: live progress on a terminal, plain lines
// when piped, JSON lines when asked for.
func newDisplay(out stream, asJSON bool, asks func(record.Question) bool) display {
	switch {
	case asJSON:
		return jsonLines{newEncoder(out)}
	case out.tty:
		return newTerminal(out, asks)
	case out.asked:
		return askedOnce{plain{out: out}, asks}
	default:
		return plain{out: out}
	}
}

// isTerminal reports whether f is a terminal. The null device is a character device,
// too, but not a terminal.
func isTerminal(f *os.File) bool {
	info, err := f.Stat()
	if err != nil || info.Mode()&os.ModeCharDevice == 0 || os.Getenv("TERM") == "dumb" {
		return false
	}
	null, err := os.Stat(os.DevNull)
	return err != nil || !os.SameFile(info, null)
}

// jsonLines writes each event as one JSON object.
type jsonLines struct{ enc *json.Encoder }

func (j jsonLines) show(e agent.Event) {
	if e.Body == nil {
		return
	}
	s := e.Status
	_ = j.enc.Encode(map[string]any{ // a closed pipe ends the process by signal
		"seq": e.Seq, "time": e.Time, "kind": reflect.TypeOf(e.Body).Name(), "task": s.Task.ID, "state": s.State,
		"feature": s.Feature, "features": s.Features, "round": s.Round, "step": s.Step, "usage": s.Usage, "body": e.Body,
	})
}

func (jsonLines) close() {}

// plain writes one line an event, and diffs in full.
type plain struct {
	out   io.Writer
	color bool
}

func (p plain) close() {}

func (p plain) show(e agent.Event) {
	if e.Doing != "" {
		p.line("    %s", firstLine(e.Doing))
		return
	}
	switch b := e.Body.(type) {
	case record.TaskGiven:
		p.line("task %s: %s", b.Task.ID, firstLine(b.Task.Text))
	case record.StateChanged:
		p.state(b, e.Status)
	case record.Planned:
		p.plan(b, e.Status)
	case record.Split:
		p.split(b)
	case record.ActionChosen:
		what := b.Action
		if b.Step > 0 {
			what = e.Status.StepName() + ": " + b.Action
		}
		p.line("  %s %s%s", b.Role, what, after(" — ", said(b.Thought)))
	case record.ActionDone:
		p.done(b)
	case record.Linted:
		p.linted(b)
	case record.ValidatorTried:
		p.line("  %s", b.Told())
	case record.FixChecked:
		for _, line := range b.Told() {
			p.line("    %s", line)
		}
	case record.DependenciesFound:
		p.trouble(b.Trouble())
	case record.CommandEnded:
		p.trouble(b.Trouble())
	case record.Judged:
		if b.By == record.ByRule || b.By == record.ByPolicy {
			p.line("    %s", b.Told(agent.Quote))
		}
	case record.ReplyRefused:
		p.line("    reply refused: %s", firstLine(b.Reason))
	case record.CallFailed:
		p.line("  the model gave no answer: %s", firstLine(b.Reason))
	case record.Answered:
		p.line("  answer to %s: %s %s", b.ID, firstLine(b.Answer.Text), firstLine(b.Answer.Reason))
	case record.Asked:
		p.asked(b.Question)
	case record.FeatureEnded:
		p.featureEnded(b, e)
	case record.Told:
		p.told(b)
	case record.Returned:
		p.line("  you sent the result back with %s", count.Of(len(b.Notes), "note"))
	case record.Rebased:
		p.line("  %s", b.Told())
	case record.TestsFound:
		p.line("    %s", b.Told())
	case record.Compared:
		p.line("    %s", b.Told())
	case record.MemoryRecalled:
		for _, line := range b.Told() {
			p.line("    %s", line)
		}
	default:
		p.judgement(b)
	}
}

// told shows what the user said to the task.
func (p plain) told(b record.Told) {
	if b.Late {
		p.line("  you said, too late for this task: %s (`caselsp run --follow` goes on from it)", firstLine(b.Text))
		return
	}
	p.line("  you said: %s", firstLine(b.Text))
}

// judgement shows what a model says of the work, or of the code.
func (p plain) judgement(body record.Body) {
	switch b := body.(type) {
	case record.Hypothesised:
		p.line("  hypothesis: %s Fix to try: %s", said(b.Hypothesis.Cause), said(b.Hypothesis.Fix))
	case record.Verified:
		p.line("  verified: %d percent%s", *b.Verdict.Completion, after(". ", said(b.Verdict.Summary)))
		for _, issue := range b.Verdict.Issues {
			p.line("    issue: %s", said(issue))
		}
		for _, remark := range b.Verdict.Remarks {
			p.line("    remark: %s", said(remark))
		}
	case record.Message:
		for _, line := range b.Named {
			p.line("    shown: %s", line)
		}
		for _, line := range b.Missing {
			p.line("    not shown: %s", line)
		}
	case record.Compacted:
		p.line("    the conversation is longer than the model's window: its first %d turns are told shortened from now on", b.Turns)
	case record.WindowTold:
		if told := b.Told(); told != "" {
			p.line("    %s", told)
		}
	case record.Replied:
		p.line("answer, in the words of the model:")
		fmt.Fprint(p.out, agent.QuoteLines(b.Text.Plain(), quoteMark))
	}
}

// featureEnded shows how a feature ended, and what is kept of one that failed.
func (p plain) featureEnded(b record.FeatureEnded, e agent.Event) {
	how := "done"
	if !b.OK {
		how = "failed"
	}
	what := fmt.Sprintf("feature %d %s: ", b.Feature+1, how)
	if e.Status.Task.Single && b.OK {
		what = "" // the reason says that it is done
	} else if e.Status.Task.Single {
		what = how + ": "
	}
	p.line("%s%s", what, firstLine(b.Words.After(b.Reason)))
	for _, k := range e.Status.Kept {
		if k.Seq == e.Seq {
			p.line("  its work is kept, not verified: %s", strings.Join(k.Files, ", "))
		}
	}
}

func (p plain) state(b record.StateChanged, s record.Status) {
	title := string(b.To)
	if s.Task.Single && b.To.Works() {
		p.loop(b, s)
		return
	}
	if b.To == record.Coding && s.Feature > 0 {
		title = s.Place() + ": " + s.Title
	}
	fmt.Fprintln(p.out, p.styled(bold, clean(title)))
	if b.Reason != "" {
		p.line("  %s", b.Reason)
	}
}

// loop shows the transitions of a task in one loop that say something: it is neither planned nor
// verified.
func (p plain) loop(b record.StateChanged, s record.Status) {
	switch {
	case b.To == record.Coding && s.Round > 1:
		p.line("%s: %s", s.Place(), b.Reason)
	case b.To == record.Testing, b.To == record.Reflecting:
		fmt.Fprintln(p.out, p.styled(bold, string(b.To)))
		if b.To == record.Testing && b.Reason != "" { // another test command
			p.line("  %s", b.Reason)
		}
	}
}

// trouble shows that dependencies are missing, with the end of what the installer said.
func (p plain) trouble(text string) {
	for line := range strings.Lines(text) {
		p.line("    %s", firstLine(line))
	}
}

// linted shows the findings of linters that are new.
func (p plain) linted(b record.Linted) {
	for _, t := range b.Troubles {
		p.line("    %s", firstLine(t))
	}
	if b.Score != nil {
		p.line("    pylint: %.2f of 10", *b.Score)
	}
	for _, f := range b.New() {
		p.line("    %s:%d: %s: %s (%s)", f.Path, f.Start.Line+1, f.Severity, firstLine(f.Message), f.Rule)
	}
}

func (p plain) plan(b record.Planned, s record.Status) {
	if s.Task.Single { // it is the task itself
		return
	}
	p.line("plan: %s", said(b.Plan.Analysis))
	for i, f := range b.Plan.Features {
		p.line("  %d. %s: %s", i+1, f.ID, said(f.Title))
	}
}

// split shows the features that replace one.
func (p plain) split(b record.Split) {
	p.line("feature %d is split: %s", b.Feature+1, said(b.Analysis))
	for i, f := range b.Parts {
		p.line("  %d. %s: %s", b.Feature+i+1, f.ID, said(f.Title))
	}
}

// said is the first line of what a model says, marked as its words; "" where it says nothing.
func said(text string) string {
	if text = firstLine(text); text != "" {
		text = agent.Quote(text)
	}
	return text
}

// after puts a text before another, if there is another.
func after(before, text string) string {
	if text == "" {
		return ""
	}
	return before + text
}

func (p plain) done(b record.ActionDone) {
	mark := p.styled(green, "ok")
	if !b.OK {
		mark = p.styled(red, "no")
	}
	note := b.Words.After(b.Note)
	if note == "" {
		note = record.FirstSaid(b.Said().Plain())
	}
	if e := b.Evidence; e != nil && e.Without == record.FailsWithout {
		mark, note = p.styled(green, "ok"), string(e.Without)+", as it should: "+note
	}
	fmt.Fprintf(p.out, "    %s: %s\n", mark, strings.TrimRight(clean(note), " —"))
	for _, line := range outputTail(b.Said()) {
		p.line("      %s", line)
	}
	if b.Diff != "" {
		p.diff(b.Diff)
	}
}

// shownOutput is how many of a command's last lines are shown: a test runner's summary.
const shownOutput = 12

// outputTail returns the last lines that a command wrote.
func outputTail(said action.Said) []string {
	if said.Mark != action.MarkOutput || said.Quote == "" {
		return nil
	}
	lines := strings.Split(strings.TrimRight(said.Quote, "\n"), "\n")
	return lines[max(0, len(lines)-shownOutput):]
}

// The styles of text on a terminal.
const (
	red, green, yellow, cyan, bold, reset = "\x1b[31m", "\x1b[32m", "\x1b[33m", "\x1b[36m", "\x1b[1m", "\x1b[0m"
)

// inColor reports whether text is written to a file in colours: on a terminal, unless the variable
// NO_COLOR says otherwise (https://no-color.org).
func inColor(out *os.File) bool { return isTerminal(out) && os.Getenv("NO_COLOR") == "" }

// styled returns text in a style where colours are shown. It does not clean it.
func (p plain) styled(style, text string) string {
	if !p.color || style == "" {
		return text
	}
	return style + text + reset
}

func (p plain) diff(text string) {
	for line := range strings.Lines(text) {
		line = clean(strings.TrimRight(line, "\r\n"))
		color := ""
		switch {
		case strings.HasPrefix(line, "+++"), strings.HasPrefix(line, "---"):
			color = bold
		case strings.HasPrefix(line, "+"):
			color = green
		case strings.HasPrefix(line, "-"):
			color = red
		case strings.HasPrefix(line, "@@"):
			color = cyan
		}
		fmt.Fprintf(p.out, "    %s\n", p.styled(color, line))
	}
}

func (p plain) line(format string, args ...any) {
	fmt.Fprintln(p.out, strings.TrimRight(clean(fmt.Sprintf(format, args...)), " —"))
}

// clean makes text from models, files and commands safe to show: control characters
// and terminal escapes are spelled out.
func clean(s string) string { return agent.Visible(s) }

func firstLine(s string) string {
	s, _, _ = strings.Cut(strings.TrimSpace(s), "\n")
	return s
}

// showChanges prints a result's diffs, file by file.
func showChanges(out stream, rev *review.Review) {
	p := plain{out: out, color: out.color}
	p.changes(rev.Files)
	for _, n := range rev.Notes {
		p.line("note on %s: %s", n.Place(), firstLine(n.Text))
	}
	for _, k := range rev.Kept {
		p.line("")
		p.line("Kept, not verified: %s (%s) failed: %s", k.ID, k.Title, firstLine(k.Words.After(k.Reason)))
		p.changes(k.Files)
	}
}

// changes prints files with how far they are decided.
func (p plain) changes(files []review.File) {
	for _, f := range files {
		p.line("%s %s%s: %s", f.Change.Op, describe(f.Change), obeyedMark(f), f.Standing())
		if f.Unfit != "" {
			p.line("  does not fit now: %s", f.Unfit)
		}
		p.diff(f.Change.Unified())
	}
}

// obeyedMark says behind a file's name who obeys it.
func obeyedMark(f review.File) string {
	if f.Obeyed.By == "" {
		return ""
	}
	return ", obeyed by " + f.Obeyed.By
}

func describe(c workspace.Change) string {
	if c.From != "" {
		return c.From + " to " + c.Path
	}
	return c.Path
}
