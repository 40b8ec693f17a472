package agent

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"caselsp/agent/quote"
	"caselsp/agent/record"
)

// handed makes the task of a thread: what was agreed, and what was said before.
func (r *run) handed(agreed string) record.HandedOver {
	var typed []string
	for _, e := range r.state.Thread.Open() {
		typed = append(typed, e.Asked)
	}
	text := strings.TrimSpace(agreed) + "\n\n" + saidBefore(r.state.Task.Thread, agreed, r.state.Thread.Open())
	return record.HandedOver{Task: r.a.outside.taskOf(r.a), Text: text, Typed: strings.Join(typed, "\n")}
}

const (
	// maxSaidBefore bounds what a task is told of the conversation that led to it, in bytes: the
	// latest counts, and what was agreed stands before it.
	maxSaidBefore = 24 << 10
	// leastSaid is how many letters and digits of a line make it one that is not said twice: shorter ones, such as
	// "def test():", occur in many places.
	leastSaid = 24
)

// saidBefore is a conversation as a task's text has it, the earliest left out where it is too long. Lines that stand in what
// was agreed, or in an answer before, are not said again: models propose, and then hand over, in the same words.
func saidBefore(thread, agreed string, list []record.Exchange) string {
	said := &saidLines{}
	said.rest(agreed)
	parts := make([]string, len(list))
	for i, e := range list {
		parts[i] = "The user:\n" + quote.Lines(e.Asked, "> ")
		if e.Answer != "" {
			parts[i] += "The answer:\n" + quote.Lines(said.rest(e.Answer.Plain()), "> ")
		}
	}
	left, from := maxSaidBefore, len(parts)
	for i, part := range slices.Backward(parts) {
		if left -= len(part); left < 0 {
			break
		}
		from = i
	}
	head := fmt.Sprintf("What was said about it in the thread %s:\n", thread)
	if from > 0 {
		head += fmt.Sprintf("[%d earlier messages left out]\n", from)
	}
	return head + strings.Join(parts[from:], "")
}

// saidLines knows what was said, by its letters and digits: lines are wrapped, listed and quoted differently.
type saidLines struct{ letters string }

// rest returns a text without the lines that were said, and takes it for said.
func (s *saidLines) rest(text string) string {
	var out []string
	var all strings.Builder
	const instead = "[as above]"
	for _, line := range strings.Split(text, "\n") {
		letters := strings.Map(func(c rune) rune {
			if unicode.IsLetter(c) || unicode.IsDigit(c) {
				return unicode.ToLower(c)
			}
			return -1
		}, line)
		all.WriteString(letters)
		switch again := len(letters) >= leastSaid && strings.Contains(s.letters, letters); {
		case !again:
			out = append(out, line)
		case len(out) == 0 || out[len(out)-1] != instead:
			out = append(out, instead)
		}
	}
	s.letters += all.String() + "\n"
	return strings.Join(out, "\n")
}
