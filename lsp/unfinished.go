package lsp

import (
	"context"
	"fmt"

	"caselsp/agent/record"

	"go.lsp.dev/protocol"
)

// chooseResume is the choice that goes on with an unfinished task. The first is chooseLater.
const chooseResume = "Resume"

// maxBrief is how much of a task stands in a message that is to fit into a narrow window.
const maxBrief = 24

// announce tells the user, when the server starts, of the newest task that was not finished: with
// a choice where the editor shows it beside the text, else with the command that goes on.
func (k *taskCommands) announce(ctx context.Context, list []record.Status) error {
	if len(list) == 0 {
		return nil
	}
	last := list[len(list)-1]
	if !k.ed.client.AsksBeside {
		// Short: one that is longer than the window makes Neovim wait for a key.
		text := fmt.Sprintf("Unfinished: %q. %s goes on", cut(title(last.Task), maxBrief), cmdResume)
		if len(list) > 1 {
			text = fmt.Sprintf("%d tasks are unfinished, the last is %q: %s", len(list), cut(title(last.Task), maxBrief), cmdHistory)
		}
		k.ed.showMessage(protocol.MessageTypeInfo, text)
		return nil
	}
	text := fmt.Sprintf("A task is not finished: %q (%s), %s.", title(last.Task), last.Task.ID, last.State)
	if last.Open != nil {
		text += " A question of it is open."
	}
	if more := len(list) - 1; more > 0 {
		text += fmt.Sprintf(" There are %d more; the command %s lists them.", more, cmdHistory)
	}
	if chosen, _ := k.ed.ask(ctx, text, chooseLater, chooseResume); chosen == 1 {
		return k.tasks.resume(nil, last.Task.ID, "")
	}
	return nil
}
