package lsp

import (
	"fmt"
	"strings"

	"caselsp/agent"
	"caselsp/agent/record"
)

// maxTitle is how much of a task stands in messages and progresses, in runes.
const maxTitle = 60

// maxReason is how much of a reason stands in a message, in runes: a server's
// refusal can be a whole page. The history and the log have all of it.
const maxReason = 400

// title is a task in one short line.
func title(t record.Task) string {
	if t.Thread != "" {
		return "thread " + t.Thread
	}
	line, _, _ := strings.Cut(strings.TrimSpace(t.Text), "\n")
	return cut(line, maxTitle)
}

// brief is a task in a message: shorter where the client shows messages in a row, in which what follows would not be seen.
func (c *client) brief(t record.Task) string {
	if c.AsksBeside {
		return title(t)
	}
	return cut(title(t), maxBrief)
}

// cut returns the beginning of a text.
func cut(text string, runes int) string {
	if r := []rune(text); len(r) > runes {
		return string(r[:runes]) + "…"
	}
	return text
}

// progressTitle begins every progress. The task's own title comes last, in the message: at 80 columns nothing else
// was seen.
const progressTitle = "CASE"

// progressTitleOf tells a thread, in which there is no work but an answer: plugins that show tasks in their own way show none for it.
func progressTitleOf(t record.Task) string {
	if t.Thread != "" {
		return progressTitle + " answers"
	}
	return progressTitle
}

// progressWidth is how many characters a progress has with its title: terminals have 80 columns, and editors
// cut what is longer at its end.
const progressWidth = 80

// progressText is where a task is, in words and in percent of its features: what it does and on which file first,
// its title last.
func progressText(s record.Status, doing agent.Doing) (string, int) {
	text := s.String()
	switch what := doing.String(); {
	case s.Open != nil:
		text = "waiting for an answer: " + cut(subjectOf(*s.Open), titleLimit)
	case what != "" && s.State.Works():
		state, rest, more := strings.Cut(text, ", ")
		text = state + ": " + what
		if more {
			text += ", " + rest
		}
	}
	if n := s.Usage.Prompt + s.Usage.Completion; n > 0 {
		text += fmt.Sprintf(", %d tokens", n)
	}
	if s.Usage.Cost > 0 {
		text += fmt.Sprintf(", $%.4f", s.Usage.Cost)
	}
	text += " · " + title(s.Task)
	if s.Feature == 0 || s.Features == 0 {
		return text, -1
	}
	return text, (s.Feature - 1) * 100 / s.Features
}

// progressLine is progressText as it stands in a progress: cut where editors would cut it.
func progressLine(s record.Status, doing agent.Doing) (string, int) {
	text, percent := progressText(s, doing)
	return cut(text, progressWidth-len(progressTitle)-len(": ")-1), percent
}
