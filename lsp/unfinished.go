package lsp

import (
	"context"
	"fmt"
	"slices"

	"caselsp/agent/record"

	"go.lsp.dev/protocol"
)

// chooseResume is the choice that goes on with an unfinished task. The first is chooseLater.
const chooseResume = "Resume"

// maxBrief is how much of a task stands in a message that is to fit into a narrow window.
const maxBrief = 24

// announce tells the user, when the server starts, what waits for them: of an unfinished task with
// a choice where the editor shows it beside the text, else in a message.
func (k *taskCommands) announce(ctx context.Context, list []record.Status) error {
	if !k.ed.client.AsksBeside {
		if len(list) > 0 {
			k.ed.showMessage(protocol.MessageTypeInfo, k.ed.client.waiting(list))
		}
		return nil
	}
	unfinished := slices.DeleteFunc(slices.Clone(list), inReview)
	if len(unfinished) == 0 {
		return nil
	}
	last := unfinished[len(unfinished)-1]
	text := fmt.Sprintf("A task is not finished: %q (%s), %s.", title(last.Task), last.Task.ID, last.State)
	if last.Open != nil {
		text += " A question of it is open."
	}
	if more := len(unfinished) - 1; more > 0 {
		text += fmt.Sprintf(" There are %d more; the command %s lists them.", more, cmdHistory)
	}
	if chosen, _ := k.ed.ask(ctx, text, chooseLater, chooseResume); chosen == 1 {
		return k.tasks.resume(nil, last.Task.ID, "")
	}
	return nil
}

// waiting says what waits for the user, and what they do about it. It is short: a message that is longer than the window makes Neovim
// wait for a key.
func (c *client) waiting(list []record.Status) string {
	last := list[len(list)-1]
	name := fmt.Sprintf("%q", cut(title(last.Task), maxBrief))
	text, id, does := "Unfinished: "+name+".", cmdResume, "goes on"
	switch {
	case len(list) > 1:
		text, id, does = fmt.Sprintf("%d tasks wait for you, the last is %s.", len(list), name), cmdHistory, "lists them"
	case last.Open != nil:
		text, id, does = name+" has a question.", cmdQuestions, "shows it"
	case last.State == record.Review:
		text, id, does = name+" is to be reviewed.", cmdReview, "shows it"
	}
	return text + " " + id + " " + does
}
