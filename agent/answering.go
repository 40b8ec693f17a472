package agent

import (
	"fmt"
	"strings"

	"caselsp/agent/action"
	"caselsp/agent/llm"
	"caselsp/agent/quote"
	"caselsp/agent/record"
)

// answered is the outcome of a task that was a question.
const answered = record.OutcomeAnswered

// reply ends the task with an answer in words, unless there is a change that would be lost
// with it.
func (r *run) reply(args action.Reply) error {
	if files := r.state.Staged.Files; len(files) > 0 {
		return r.refuse(fmt.Sprintf("Not answered: %s is staged, and %s is for tasks that change nothing. Call %s, or take the change back with %s first.",
			files[0].Path, action.AnswerName, action.FinishFeatureName, action.RollbackName))
	}
	return r.record(record.Replied{Text: quote.Words(args.Text)})
}

// answersInProse reports whether a reply without a call is the answer to a message of a thread: there is
// nothing else to do there, and models that are asked a question answer it. In a task it may be what a model
// says before it acts, or instead of it, and would end the task: there it has to use [action.AnswerVerb].
func (r *run) answersInProse(resp *llm.Response) bool {
	return r.state.Phase == record.Answering && resp.Prose && action.Reply{Text: resp.Content}.Check() == nil
}

// noAction is what a model is told whose reply held no tool call.
func (r *run) noAction(resp *llm.Response) string {
	text, problem := "Your reply held no action: answer with a tool call.", resp.Problem
	if how, ok := strings.CutPrefix(problem, llm.NoAction); ok {
		text, problem = "Your reply held no action."+how, ""
	} else if strings.HasPrefix(problem, llm.NoCall) {
		problem = "" // it has the tools
	}
	if strings.TrimSpace(resp.Content) != "" && len(r.state.Staged.Files) == 0 && (r.state.Phase == record.Planning || r.state.Phase == record.Coding || r.state.Phase == record.Answering) {
		text += fmt.Sprintf(" If what you wrote is the answer to the user's question, send it with %s.", action.AnswerName)
	}
	return strings.TrimSpace(text + " " + problem)
}

// nothingDone is what CASE is told where it finishes a task in one loop that has changed
// nothing and called for no command; "" otherwise. Before there was ANSWER, that was a success.
func (r *run) nothingDone() string {
	if !r.state.Task.Single || !r.state.Unchanged() || r.state.Commands > 0 || len(r.state.Judged) > 0 || !r.state.Answers {
		return ""
	}
	return fmt.Sprintf("Not finished: nothing was changed and no command was run. If the task is a question, call %s; if there is nothing to do or it cannot be done, call %s with the reason.", action.AnswerName, action.AbortName)
}
