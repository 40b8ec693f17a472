package agent

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"caselsp/agent/action"
	"caselsp/agent/llm"
	"caselsp/agent/llm/replay"
	"caselsp/agent/record"
	"caselsp/store"
)

// The verbs that each role may choose. What is not offered is refused, whatever
// the model writes. A test checks that every verb has a role.
var (
	readVerbs = []*action.Verb{
		action.ReadFileVerb, action.ListFilesVerb, action.SearchTextVerb, action.OutlineVerb,
		action.DiagnosticsVerb, action.GitStatusVerb, action.GitDiffVerb, action.RecallVerb,
	}
	planVerbs      = append([]*action.Verb{action.PlanVerb, action.AnswerVerb, action.AskUserVerb, action.RunCommandVerb}, readVerbs...)
	threadVerbs    = append([]*action.Verb{action.AnswerVerb, action.HandOverVerb}, readVerbs...)
	verifyVerbs    = append([]*action.Verb{action.VerdictVerb}, readVerbs...)
	fixVerbs       = append([]*action.Verb{action.HypothesisVerb}, readVerbs...)
	adviceVerbs    = []*action.Verb{action.AdviceVerb}
	validatorVerbs = []*action.Verb{action.FixValidatorVerb}
	caseVerbs      = append([]*action.Verb{
		action.WriteFileVerb, action.PatchFileVerb, action.RunCommandVerb, action.AskUserVerb,
		action.CheckpointVerb, action.RollbackVerb, action.FinishFeatureVerb, action.AnswerVerb, action.AbortVerb,
		action.DeleteFileVerb, action.RenameFileVerb,
	}, readVerbs...)
	// singleVerbs are CASE's where it works alone: there is no TARS to ask.
	singleVerbs = slices.DeleteFunc(slices.Clone(caseVerbs), func(v *action.Verb) bool { return v == action.CheckpointVerb })
)

// offered returns the role that a state asks, and the verbs of that role: those of a task in one
// loop differ.
func offered(s record.Phase, single bool) (role string, verbs []*action.Verb) {
	switch s {
	case record.Planning:
		return record.RoleTars, planVerbs
	case record.Answering:
		return record.RoleTars, threadVerbs
	case record.Coding:
		if single {
			return record.RoleCase, singleVerbs
		}
		return record.RoleCase, caseVerbs
	case record.Extending:
		return record.RoleWriter, writerVerbs
	case record.Reflecting:
		return record.RoleReflector, fixVerbs
	default:
		return record.RoleTars, verifyVerbs
	}
}

// consult asks the model of a role and records the question and the answer.
func (r *run) consult(ctx context.Context, role string, messages []llm.Message, verbs []*action.Verb) error {
	model, err := r.a.Model(role)
	if err != nil {
		return err
	}
	if err := r.conceal(ctx); err != nil {
		return err
	}
	for i := range messages {
		r.a.concealOnce(r.a.Store.SecretsIn(messages[i].Content))
	}
	for i := range messages {
		messages[i].Content = r.a.Store.Redact(messages[i].Content)
	}
	req := &llm.Request{Role: role, Messages: messages, Tools: tools(verbs), MustCall: true}
	req.OnText = func(s string) { r.emit(Event{Text: s, Status: r.state.Status(r.a.Limits.Rounds)}) }
	req.OnWait = func(w llm.Wait) { r.progress(w.Text(r.a.Now())) }
	if err := r.tooLarge(messages, verbs); err != nil {
		return err
	}
	booked, err := r.reserve(model, req)
	if err != nil {
		return err
	}
	digest := replay.Digest(req)
	if err := r.record(booked.sent(record.CallSent{Role: role, Digest: digest})); err != nil {
		return err
	}
	linted, end := r.lintMeanwhile(ctx)
	defer end()
	resp, spent, err := booked.complete(ctx, model)
	if failed := linted(err == nil); failed != nil {
		return failed
	}
	if err != nil {
		if failed := r.record(record.CallFailed{Role: role, Reason: why(ctx, err), Usage: spent}); failed != nil {
			return failed
		}
		return err
	}
	resp.Shorten(r.maxCalls())
	answered := record.CallAnswered{Role: role, Digest: digest, Messages: replay.Digests(req), Response: *resp}
	if answered.Masked = r.a.outside.masked(); answered.Masked == nil {
		answered.Masked = store.Formats(strings.Join(answered.Authored(), "\n"))
	}
	return r.record(answered)
}

// why is an error in words for people: one that comes of stopping is said as that.
func why(ctx context.Context, err error) string {
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		return "it was stopped"
	}
	return err.Error()
}

// tools offers verbs to a model.
func tools(verbs []*action.Verb) []llm.Tool {
	var list []llm.Tool
	for _, v := range verbs {
		list = append(list, llm.Tool{Name: v.Name, Description: v.Text, Schema: v.Schema})
	}
	return list
}

// interpret turns the model's answer into an intent, or tells it what was wrong.
func (r *run) interpret(ctx context.Context) error {
	role, verbs := offered(r.state.Phase, r.state.Task.Single)
	if resp := r.state.Answer; resp != nil && len(resp.ToolCalls) == 0 {
		if r.answersInProse(resp) {
			return r.reply(action.Reply{Text: resp.Content})
		}
		return r.refuse(r.noAction(resp))
	}
	call, content, first := r.state.NextCall()
	reason, all := r.state.Stops(call)
	if first {
		reason, all = r.state.HeldBack(call), false
	}
	if reason != "" {
		return r.record(record.Unrun{Reason: reason, One: !all})
	}
	act, err := action.Parse(call.Name, call.Arguments, verbs)
	if err != nil {
		return r.refuse("Nothing was done. " + err.Error() + r.onlyReads(call.Name, err))
	}
	if reason := r.used(act); !first && reason != "" {
		return r.record(record.Unrun{Reason: reason})
	}
	if act.Thought == "" {
		act.Thought = strings.TrimSpace(content)
	}
	if act.Verb.Effect == action.Submits {
		return r.submit(ctx, act)
	}
	r.live = act
	return r.record(record.ActionChosen{
		Step: r.stepOf(act), Role: role, Action: act.Verb.Name, Thought: act.Thought, Args: act.Raw, CallID: call.ID,
	})
}

// used says that a round has no room for one more action, "" where it has.
func (r *run) used(act *action.Action) string {
	if act.Verb.Effect == action.Submits {
		return "" // it shows nothing, and ends the phase
	}
	free := r.stepOf(act) == 0
	switch f := r.state.Feature(); {
	case r.state.Phase == record.Coding && f.Rollbacks >= r.a.Limits.Rollbacks:
		return "the feature was rolled back as often as it may be."
	case r.state.Phase == record.Coding && !free && r.state.Steps >= r.a.Limits.Steps:
		return "the steps of this round are used up."
	case free && r.state.Free >= r.maxFree():
		return "too many calls that only look."
	}
	if _, some := r.roomLeft(); !some {
		return "the results of the calls before it are as much as one reply can have. Call it again."
	}
	return ""
}

// maxFree is how many calls that only look a round may have.
func (r *run) maxFree() int { return max(maxFreeTurns, r.a.Limits.Steps) }

// maxCalls is how many calls of one reply are kept: as many as a round has room for, one that
// ends it, and one that says that there were more. A reply with thousands would fill the window and
// the journal with results that say that nothing was done.
func (r *run) maxCalls() int { return r.maxFree() + r.a.Limits.Steps + 2 }

// stepOf numbers the action in its feature; aids and other roles cost no step.
func (r *run) stepOf(act *action.Action) int {
	f := r.state.Feature()
	if r.state.Phase != record.Coding || f == nil || act.Verb.FreeOfSteps() {
		return 0
	}
	return f.Step + 1
}

// refuse tells the model why its reply was of no use. After several in a row
// the task pauses: saying it once more would only cost money.
func (r *run) refuse(reason string) error {
	if r.state.RefusedInReply() || r.state.Invalid+1 < maxInvalid {
		return r.record(record.ReplyRefused{Reason: reason, One: true})
	}
	if err := r.record(record.ReplyRefused{Reason: reason}); err != nil {
		return err
	}
	return &pauseError{fmt.Sprintf("the model gave %d unusable replies in a row; the last: %s Resume to try again, or choose another model", maxInvalid, reason)}
}

// submit records a role's typed answer; what follows from it is the phase's business.
func (r *run) submit(ctx context.Context, act *action.Action) error {
	switch args := act.Args.(type) {
	case action.Plan:
		return r.plan(ctx, args)
	case action.Reply:
		return r.reply(args)
	case action.HandOver:
		return r.handOver(args)
	case action.Verdict:
		return r.verdict(args.Settled())
	case action.Tests:
		return r.record(record.TestsWritten{Tests: args})
	case action.Hypothesis:
		return r.record(record.Hypothesised{Hypothesis: args})
	}
	return r.refuse("Nothing was done. " + act.Verb.Name + " is not for now.")
}
