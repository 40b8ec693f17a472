package lsp

import (
	"fmt"
	"strings"

	"caselsp/agent"
	"caselsp/agent/count"
	"caselsp/agent/record"

	"go.lsp.dev/protocol"
)

// tellEvent writes what happened into the editor's log, and shows what concerns the user at once.
func (l *tasks) tellEvent(e agent.Event) {
	switch b := e.Body.(type) {
	case record.DependenciesFound:
		l.trouble(b.Trouble())
	case record.CommandEnded:
		l.trouble(b.Trouble())
	case record.Message:
		l.missing(b.Missing)
	case record.Told:
		if b.Late {
			l.ed.showMessage(protocol.MessageTypeWarning, fmt.Sprintf("That came too late for the task: %s The command %s goes on from it.", agent.Quote(b.Text), cmdFollow))
		}
	case record.Rebased:
		if b.Dropped != "" {
			l.ed.showMessage(protocol.MessageTypeWarning, capital(b.Told())+". CASE is told, and may do them again.")
		}
	}
	if text := eventText(e); text != "" {
		l.ed.Said.Info("task "+e.Status.Task.ID+": "+text, e.Status.Where()) // the log file has the record itself
	}
}

// eventText says what happened: thoughts, actions, and the diff of each edit as it is staged; "" for nothing.
func eventText(e agent.Event) (text string) {
	switch b := e.Body.(type) {
	case record.StateChanged:
		text = e.Status.String()
		if b.Reason != "" {
			text += ": " + b.Reason
		}
	case record.Planned:
		if e.Status.Task.Single { // it is the task itself
			return ""
		}
		text = "plan: " + agent.Quote(b.Plan.Analysis)
		for i, f := range b.Plan.Features {
			text += fmt.Sprintf("\n%d. %s", i+1, agent.Quote(f.Title))
		}
	case record.Split:
		text = fmt.Sprintf("feature %d is split: %s", b.Feature+1, agent.Quote(b.Analysis))
		for i, f := range b.Parts {
			text += fmt.Sprintf("\n%d. %s", b.Feature+i+1, agent.Quote(f.Title))
		}
	case record.ActionChosen:
		text = b.Action
		if b.Thought != "" {
			text += ": " + agent.Quote(b.Thought)
		}
	case record.ActionDone:
		text = b.Words.After(b.Note)
		if !b.OK {
			text = "refused or failed: " + b.Said().Plain()
		} else if b.Diff != "" {
			text += "\n" + b.Diff
		}
	case record.DependenciesFound:
		text = b.Trouble()
	case record.CommandEnded:
		text = b.Trouble()
	case record.TestsFound:
		text = b.Told() // no message: one that is longer than the window stops Neovim's user until a key, and the review says it
	case record.Compared:
		text = b.Told()
	case record.MemoryRecalled:
		text = strings.Join(b.Told(), "\n")
	case record.CallFailed:
		text = "the model did not answer: " + b.Reason
	case record.Verified:
		text = "verification: " + agent.Quote(b.Verdict.Summary)
	case record.Hypothesised:
		text = "hypothesis: " + agent.Quote(b.Hypothesis.Cause) + " To try: " + agent.Quote(b.Hypothesis.Fix)
	case record.Message:
		text = "you wrote: " + agent.Visible(b.Text)
	case record.Compacted:
		text = fmt.Sprintf("the conversation is longer than the model's window: its first %d turns are told shortened from now on", b.Turns)
	case record.WindowTold:
		text = b.Told()
	case record.Told:
		text = "you said: " + agent.Visible(b.Text)
	case record.Noted:
		text = "your note on " + agent.Visible(b.Place()+": "+b.Text)
	case record.Returned:
		text = "you sent the result back with " + count.Of(len(b.Notes), "note")
	case record.Replied:
		text = "answer: " + agent.Quote(b.Text.Plain())
	case record.Rebased:
		text = b.Told()
	}
	return text
}

// trouble shows the user that dependencies are missing: commands and tests run
// without them from now on.
func (l *tasks) trouble(text string) {
	if text != "" {
		l.ed.showMessage(protocol.MessageTypeWarning, text)
	}
}
