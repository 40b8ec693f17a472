package lsp

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"caselsp/agent"
	"caselsp/agent/record"

	"go.lsp.dev/protocol"
)

// chooseResume is the choice that goes on with an unfinished task. The first is chooseLater.
const chooseResume = "Resume"

// maxBrief is how much of a task stands in a message that is to fit into a narrow window.
const maxBrief = 24

// announce tells the user, when the server starts, what waits for them: of an unfinished task with
// a choice where the editor shows it beside the text, else in a message.
func (k *taskCommands) announce(ctx context.Context, all []agent.Standing) error {
	var list, unfinished []record.Status
	for _, s := range all {
		if s.Open != nil || !s.State.Ended() {
			list = append(list, s.Status)
		}
		if s.Task.Thread == "" && s.State.Resumable() {
			unfinished = append(unfinished, s.Status)
		}
	}
	if !k.ed.client.AsksBeside {
		if len(list) > 0 {
			k.ed.showMessage(protocol.MessageTypeInfo, k.ed.client.waiting(list))
		}
		return nil
	}
	if len(unfinished) == 0 {
		if len(list) > 0 && !k.ed.client.Events { // a plugin that hears of changes shows what waits in its own way
			k.ed.showMessage(protocol.MessageTypeInfo, k.ed.client.waiting(list))
		}
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
	ctx, done := k.offered.begin(ctx, last.Task.ID)
	defer done()
	if chosen, _ := k.ed.ask(ctx, text, chooseLater, chooseResume); chosen == 1 {
		if err := k.tasks.resume(nil, last.Task.ID, ""); !errors.Is(err, agent.ErrBusy) { // else it goes on already
			return err
		}
	}
	return nil
}

// offeredTask is the task that the user is asked about at the start. The question is taken back when the task goes on or is decided
// about in another way.
type offeredTask struct {
	mu   sync.Mutex
	task string // "": none
	back func()
}

// begin notes that the user is asked about a task; done, that they are no longer.
func (o *offeredTask) begin(ctx context.Context, task string) (_ context.Context, done func()) {
	ctx, cancel := context.WithCancel(ctx)
	o.mu.Lock()
	defer o.mu.Unlock()
	o.task, o.back = task, cancel
	return ctx, func() {
		o.mu.Lock()
		defer o.mu.Unlock()
		o.task = ""
		cancel()
	}
}

// hear takes the question back when something happens to its task.
func (o *offeredTask) hear(e agent.Event) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.task != "" && o.task == e.Status.Task.ID {
		o.back()
	}
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
	if c.ActionsOnly {
		return text + " See the code actions"
	}
	return text + " " + id + " " + does
}
