package agent

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"caselsp/agent/llm"
	"caselsp/agent/record"
)

// A budget (limits.tokens, limits.cost, limits.time) is reserved before the call that
// would break it: a call is made when the request, by an estimate with an upper margin,
// and an answer of a useful length fit into what is left, and the answer's limit is cut
// to the rest. A server that honours that limit can exceed no budget. One that does not
// exceeds it by one answer, after which the task pauses and says so.

const (
	// firstTokens is how many tokens a byte is taken for before a server has counted: the
	// common tokenizers need 3 to 4 bytes a token for code and prose.
	firstTokens = 1.0 / 3
	// margin is what the estimate adds to what the server counted so far: the next part of
	// a conversation can be denser than those before it.
	margin = 1.15
	// leastAnswer is the shortest answer, in tokens, for which a call is made: a shorter
	// one holds no action.
	leastAnswer = 256
)

// errTimeSpent ends what runs when the task's time is over.
var errTimeSpent = errors.New("the task's time is over")

// requestBytes is the size of what a model is sent: texts, tool calls and tool schemas.
func requestBytes(req *llm.Request) int {
	n := 0
	for _, m := range req.Messages {
		n += len(m.Speaker) + len(m.Content) + len(m.CallID)
		for _, c := range m.ToolCalls {
			n += len(c.ID) + len(c.Name) + len(c.Arguments)
		}
	}
	for _, t := range req.Tools {
		n += len(t.Name) + len(t.Description) + len(t.Schema)
	}
	return n
}

// estimateTokens is how many tokens a request of that size is taken for. rate is the
// most tokens a byte that a server has counted in this task; 0: none has.
func estimateTokens(bytes int, rate float64) int {
	if rate == 0 {
		rate = firstTokens
	}
	return int(math.Ceil(float64(bytes) * rate * margin))
}

// booking is what was reserved for one call.
type booking struct {
	r     *run
	req   *llm.Request
	price llm.Price
	bytes int
	start int       // tokens of the request, estimated
	spent llm.Usage // by tries of this call that failed
}

// reserve books a call. It pauses the task before one that would break a budget.
func (r *run) reserve(model llm.Model, req *llm.Request) (*booking, error) {
	b := &booking{r: r, req: req, bytes: requestBytes(req)}
	b.price, _ = llm.PriceOf(model)
	b.start = estimateTokens(b.bytes, r.state.TokensPerByte)
	if err := r.inTime(); err != nil {
		return nil, err
	}
	return b, b.fit(llm.Usage{})
}

// fit cuts the answer's limit to what is left, beside what this call has spent already,
// or returns an error that pauses the task.
func (b *booking) fit(spent llm.Usage) error {
	limits, used := b.r.a.Limits, b.r.state.Spent().Add(spent)
	b.req.MaxTokens = 0
	if most := limits.Tokens; most > 0 {
		left := most - used.Prompt - used.Completion - b.start
		if left < leastAnswer {
			return &pauseError{fmt.Sprintf("the task has used %d of its %d tokens, and the next call needs about %d and %d for an answer: raise limits.tokens and resume, or stop here",
				used.Prompt+used.Completion, most, b.start, leastAnswer)}
		}
		b.cut(left)
	}
	if most := limits.Cost; most > 0 {
		left := most - used.Cost - b.price.Cost(llm.Usage{Prompt: b.start})
		tokens, priced := b.price.Tokens(left)
		if left < 0 || priced && tokens < leastAnswer || used.Cost >= most {
			next := b.price.Cost(llm.Usage{Prompt: b.start, Completion: leastAnswer})
			return &pauseError{fmt.Sprintf("the task has cost $%.4f of its $%.4f, and the next call costs about $%.4f at least: raise limits.cost and resume, or stop here", used.Cost, most, next)}
		}
		if priced {
			b.cut(tokens)
		}
	}
	return nil
}

// cut bounds the answer, unless no answer can be as long.
func (b *booking) cut(tokens int) {
	if tokens < b.r.context() && (b.req.MaxTokens == 0 || tokens < b.req.MaxTokens) {
		b.req.MaxTokens = tokens
	}
}

// sent is the record of the call.
func (b *booking) sent(c record.CallSent) record.CallSent {
	c.Tokens, c.Bytes, c.Most = b.start, b.bytes, b.req.MaxTokens
	return c
}

// complete makes the call within the time that is left. The usage is what it cost where
// it gave no answer.
func (b *booking) complete(ctx context.Context, model llm.Model) (*llm.Response, llm.Usage, error) {
	within, cancel := b.r.within(ctx)
	defer cancel()
	b.req.Retry = func(spent llm.Usage) error {
		b.spent = spent
		return b.fit(spent)
	}
	resp, err := model.Complete(within, b.req)
	if err == nil {
		return resp, llm.Usage{}, nil
	}
	var failed *llm.Error
	if errors.As(err, &failed) {
		if failed.AtLimit {
			err = &pauseError{fmt.Sprintf("the answer was cut after %d tokens, which is all that is left of the task's budget: raise limits.tokens or limits.cost and resume, or stop here", b.req.MaxTokens)}
		}
		return nil, failed.Usage, err
	}
	var pause *pauseError
	if errors.As(err, &pause) { // there is nothing left for another try
		return nil, b.spent, err
	}
	unsent := (*llm.Unsent)(nil)
	between := errors.As(err, &unsent)
	if ctx.Err() == nil && errors.Is(context.Cause(within), errTimeSpent) {
		err = b.r.timeSpent()
	}
	if between {
		return nil, unsent.Usage, err
	}
	lost := llm.Usage{Prompt: b.start, Estimated: true} // at least
	lost.Cost = b.price.Cost(lost)
	return nil, b.spent.Add(lost), err
}

// within is ctx, ended when the task's time is over.
func (r *run) within(ctx context.Context) (context.Context, context.CancelFunc) {
	most := r.a.Limits.Time
	if most == 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeoutCause(ctx, max(most-r.state.TimeSpent(), 0), errTimeSpent)
}

// commandTime is how long a command may run that could run for most: no longer than the
// task's time lasts.
func (r *run) commandTime(most time.Duration) time.Duration {
	if r.a.Limits.Time == 0 {
		return most
	}
	return min(most, max(r.a.Limits.Time-r.state.TimeSpent(), time.Second))
}

// timeSpent pauses a task whose time is over.
func (r *run) timeSpent() error {
	return &pauseError{fmt.Sprintf("the task has worked for its %s: raise limits.time and resume, or stop here", r.a.Limits.Time)}
}

// inTime pauses a task that has reached its time, before it calls a model or runs a command.
func (r *run) inTime() error {
	if most := r.a.Limits.Time; most > 0 && r.state.TimeSpent() >= most {
		return r.timeSpent()
	}
	return nil
}

// overspent pauses a task that used more than it may, because a server did not keep to
// the answer's limit or counted more than was estimated.
func (r *run) overspent() error {
	limits, used := r.a.Limits, r.state.Spent()
	why, setting := "", "limits.tokens"
	switch {
	case limits.Tokens > 0 && used.Prompt+used.Completion > limits.Tokens:
		why = fmt.Sprintf("the task has used %d tokens, more than its %d", used.Prompt+used.Completion, limits.Tokens)
	case limits.Cost > 0 && used.Cost > limits.Cost:
		why, setting = fmt.Sprintf("the task has cost $%.4f, more than its $%.4f", used.Cost, limits.Cost), "limits.cost"
	default:
		return nil
	}
	if asked := r.state.LastMost; asked > 0 && r.state.LastAnswer > asked {
		why += fmt.Sprintf(": the last answer has %d tokens, and the server was asked for %d at most", r.state.LastAnswer, asked)
	}
	return &pauseError{why + ". Raise " + setting + " and resume, or stop here"}
}
