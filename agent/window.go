package agent

import (
	"context"
	"fmt"
	"strings"

	"caselsp/agent/action"
	"caselsp/agent/llm"
	"caselsp/agent/record"
)

// What goes to a model fits into its window, whatever the role: each part of a request has a
// share of the window, here and nowhere else, and what is left out is said, with how to get
// it. The fixed parts (system prompt, tools, task, plan, what the role works on) take less
// than half of a window of 8,000 tokens, so that there is room for a talk; of the
// talk, the beginning is told shortened when the request would pass [window.request].
// What does not fit even then pauses the task.

// window is how many bytes of text fit into the window of a model, by the usual estimate:
// what a server counts may be more, for other languages than English, so that the
// request itself is measured again.
type window int

func windowOf(tokens int) window { return window(float64(tokens) / (firstTokens * margin)) }

// The shares of a window. A part that is set to 8 has an eighth of it.
const (
	partPlan     = 24 // of the plan's analysis, steps and considerations
	partFeature  = 24 // of a feature's description, and of the list of features
	partFocus    = 48 // of the lines that a task speaks of
	partListing  = 16 // of the first list of files
	partMade     = 96 // of what the project is made with
	partRules    = 32 // of the project's own rule files
	partMap      = 24 // of the map of the code
	partKnown    = 64 // of what is known of the project as a whole
	partOpening  = 6  // of the files that CASE begins with, all together
	partWhole    = 24 // of one of them: above it, its outline and the ranges that matter
	partOutline  = 64 // of an outline there
	partDiff     = 8  // of a diff
	partTests    = 24 // of the output of tests
	partLog      = 32 // of the work log
	partFindings = 32 // of findings
	partRecalled = 32 // of what memory gave
	partReason   = 24 // of what CASE asks TARS
	partResult   = 8  // of what one action shows
	partReply    = 6  // of what the actions of one reply show, all together
	partChanged  = 64 // of how one file changed behind the model's back
	partShort    = 32 // of the beginning of a talk, told shortened
	partThread   = 8  // of that in a thread, where it is all that is left of what was said
	partNamed    = 6  // of what a message in a thread names
	partKept     = 4  // of the end of a talk that is kept when the beginning is shortened
)

// of is the part's share in bytes.
func (w window) of(part int) int { return int(w) / part }

// request is how many tokens a request may have: the rest is for the answer.
func request(tokens int) int { return tokens * 3 / 4 }

// text cuts a text at a line end, and says how much is left out and what to do about it.
func (w window) text(part int, s, advice string) string { return cutText(s, w.of(part), advice) }

func cutText(s string, most int, advice string) string {
	if len(s) <= most {
		return s
	}
	cut := strings.ToValidUTF8(s[:max(most, 0)], "")
	if i := strings.LastIndexByte(cut, '\n'); i >= 0 {
		cut = cut[:i+1]
	} else if cut != "" {
		cut += "\n"
	}
	return fmt.Sprintf("%s[%d bytes left out%s]\n", cut, len(s)-len(cut), advice)
}

// last keeps the last of a list that fit, and says how many are left out.
func (w window) last(part int, lines []string) []string {
	left := w.of(part)
	for i := len(lines) - 1; i >= 0; i-- {
		if left -= len(lines[i]) + 3; left < 0 {
			return append([]string{fmt.Sprintf("[%d earlier lines are left out]", i+1)}, lines[i+1:]...)
		}
	}
	return lines
}

// first keeps the first of a list that fit.
func (w window) first(part int, lines []string) []string {
	left := w.of(part)
	for i := range lines {
		if left -= len(lines[i]) + 3; left < 0 {
			return append(lines[:i:i], fmt.Sprintf("[%d more are left out]", len(lines)-i))
		}
	}
	return lines
}

// result bounds what the model is told of an action. Of a command's output the end matters
// most, of anything else the beginning.
func (w window) result(said action.Said, verb action.Effect) action.Said {
	most := w.of(partResult)
	if len(said.Text)+len(said.Quote)+len(said.More) <= most {
		return said
	}
	said.Text, said.More = cutText(said.Text, most/4, ""), cutText(said.More, most/4, "")
	most -= len(said.Text) + len(said.More)
	switch verb {
	case action.Runs:
		said.Quote = headAndTail(said.Quote, most)
	case action.Reads, action.Looks:
		said.Quote = cutText(said.Quote, most, ": narrow it by a path, a glob or a range")
	default:
		said.Quote = cutText(said.Quote, most, ": read the file where you need more")
	}
	return said
}

// headAndTail keeps a quarter of what fits of the beginning of an output, and the rest of
// its end, where runners sum up.
func headAndTail(s string, most int) string {
	if len(s) <= most {
		return s
	}
	head, tail := strings.ToValidUTF8(s[:most/4], ""), strings.ToValidUTF8(s[len(s)-most*3/4:], "")
	if i := strings.LastIndexByte(head, '\n'); i >= 0 {
		head = head[:i+1]
	}
	if i := strings.IndexByte(tail, '\n'); i >= 0 {
		tail = tail[i+1:]
	}
	return fmt.Sprintf("%s\n[%d bytes left out: run it again with less output, or into a file]\n%s", strings.TrimSuffix(head, "\n"), len(s)-len(head)-len(tail), tail)
}

// window is that of the task's models.
func (r *run) window() window { return windowOf(r.context()) }

// tokensOf is how many tokens a request has.
func (r *run) tokensOf(messages []llm.Message, verbs []*action.Verb) int {
	return estimateTokens(requestBytes(&llm.Request{Messages: messages, Tools: tools(verbs)}), r.state.TokensPerByte)
}

// converse asks the model of a role with a prompt, which it shortens first where it would
// not fit into the model's window: to what fits beside the answer, then to the last reply and
// its results, then without them.
func (r *run) converse(ctx context.Context, role string, verbs []*action.Verb, prompt func(*prompter) ([]llm.Message, error)) error {
	messages, err := prompt(r.prompter())
	if err != nil {
		return err
	}
	talk := &r.state.Talk
	for _, most := range []int{r.window().of(partKept), 1, 0} {
		size := r.tokensOf(messages, verbs)
		if size <= request(r.context()) {
			break
		}
		cut := len(talk.Turns)
		if most > 0 {
			cut = cutAt(talk, most)
		}
		if cut <= talk.Cut {
			continue
		}
		if err := r.record(record.Compacted{Turns: cut, Why: fmt.Sprintf("the request has about %d tokens, and the window of the model %d", size, r.context())}); err != nil {
			return err
		}
		if messages, err = prompt(r.prompter()); err != nil {
			return err
		}
	}
	return r.consult(ctx, role, messages, verbs)
}

// tooLarge pauses a task whose request does not fit into the window, however short.
func (r *run) tooLarge(messages []llm.Message, verbs []*action.Verb) error {
	if size := r.tokensOf(messages, verbs); size > request(r.context()) {
		return &pauseError{fmt.Sprintf("the request has about %d tokens, and of the model's window of %d at most %d are for it: %s", size, r.context(), request(r.context()), r.moreWindow())}
	}
	return nil
}

// cutAt returns how many of the first turns of a talk are to be shortened so that the
// others have at most so many bytes. It never parts the calls of one reply, and keeps the
// latest: the model has not seen their results yet.
func cutAt(talk *record.Talk, most int) int {
	size, cut := 0, len(talk.Turns)
	for i := len(talk.Turns) - 1; i >= talk.Cut; i-- {
		t := talk.Turns[i]
		size += len(t.Said.String()) + len(t.Call.Arguments) + len(t.Reply)
		if latest := i == len(talk.Turns)-1 || t.Batch != 0 && t.Batch == talk.Turns[len(talk.Turns)-1].Batch; size > most && !latest {
			break
		}
		if i == 0 || t.Batch == 0 || talk.Turns[i-1].Batch != t.Batch {
			cut = i
		}
	}
	return cut
}

// roomLeft is how many bytes the next action of a reply may show, so that the results of one
// reply fit together; said is false where none is left.
func (r *run) roomLeft() (bytes int, some bool) {
	left := r.window().of(partReply)
	for i := len(r.state.Turns) - 1; i >= 0 && r.state.InReply(i); i-- {
		left -= len(r.state.Turns[i].Said.String())
	}
	return min(left, r.window().of(partResult)), left > r.window().of(partReply)/4
}
