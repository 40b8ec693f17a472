package lsp

import (
	"fmt"
	"slices"
	"strings"

	"caselsp/agent"
	"caselsp/agent/record"
)

// What the user decides by a command is confirmed in one short message: where it changes nothing that is seen at once, they
// would give it again.

// confirmed says what an answer to a question has done; "" where something that follows says it, such as a command that runs.
func confirmed(q record.Question, a record.Answer) string {
	switch about := q.Subject.(type) {
	case record.Approvable:
		switch what := agent.Quote(cut(about.Offer().What, titleLimit)); {
		case a.Text != record.Deny:
			return ""
		case a.Reason != "":
			return fmt.Sprintf("Denied: %s. CASE is told why.", what)
		default:
			return fmt.Sprintf("Denied: %s. CASE is told.", what)
		}
	case record.Trust:
		if a.Text == record.Deny {
			return "Not trusted: the folder is only read."
		}
	case record.Secret:
		if a.Text == record.Deny {
			return fmt.Sprintf("Denied: the secret %s. CASE is told.", about.Name)
		}
	case record.Limit:
		if a.Text == record.Deny {
			return "The task stops at its limit."
		}
	case record.Input:
		return fmt.Sprintf("Answered: %s.", agent.Quote(cut(a.Text, titleLimit)))
	}
	return ""
}

// asked is the message of an open question: what is wanted, and how it is answered. Where the client shows one line, how
// stands first: what is cut off there is the rest of what is asked, which is read in the list of questions.
func (c *client) asked(q record.Question) string {
	if !c.OneLine {
		return questionText(q) + " " + answerAdvice(q)
	}
	ids := answerCommands(q)
	if first := ids[0]; first == cmdDeny { // what denies stands first in a menu, and last in a sentence
		ids = append(slices.Clone(ids[1:]), first)
	}
	return "Answer with " + strings.Join(ids, " or ") + ": " + questionText(q) + " " + answerAdvice(q)
}

// answerCommands are the commands that answer a question, each once.
func answerCommands(q record.Question) (ids []string) {
	for _, c := range choicesOf(q) {
		if !slices.Contains(ids, c.id) {
			ids = append(ids, c.id)
		}
	}
	return ids
}
