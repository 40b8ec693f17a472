package agent

import (
	"context"

	"caselsp/agent/record"
)

// maxWindowAsks is how often a run asks servers for their windows that do not know yet: one loads a model for the first
// request, and says after it what the model got.
const maxWindowAsks = 3

// windowAsks is how far a run is with asking for windows.
type windowAsks struct {
	done    int
	replies int // of models, when it asked last
	sure    bool
}

// context is how many tokens fit into the window of the task's models.
func (r *run) context() int {
	if told := r.state.Window.Tokens; told > 0 {
		return min(told, r.a.Context)
	}
	return r.a.Context
}

// learnWindow asks how large a window the models have, where the settings leave that to the server: once in a run, and
// after later answers of a model while the server does not know.
func (r *run) learnWindow(ctx context.Context) error {
	at := r.state.Place()
	b, recorded := r.a.outside.window(at)
	if !recorded {
		b = r.askWindow(ctx, at)
	}
	if b == nil || b.Tokens == r.state.Window.Tokens && b.Enlarge == r.state.Window.Enlarge {
		return nil
	}
	return r.record(*b)
}

// askWindow asks where it is time to; nil is nothing new.
func (r *run) askWindow(ctx context.Context, at record.Place) *record.WindowTold {
	asks := &r.windowAsks
	if asks.sure || asks.done == maxWindowAsks || asks.done > 0 && asks.replies == at.Replies {
		return nil
	}
	b := &record.WindowTold{At: at}
	asks.done, asks.replies, asks.sure = asks.done+1, at.Replies, true
	if r.a.Window != nil {
		b.Tokens, b.Enlarge, asks.sure = r.a.Window(ctx)
	}
	if b.Tokens >= r.a.Context { // it bounds nothing
		b.Tokens, b.Enlarge = 0, ""
	}
	if !asks.sure && b.Tokens == 0 {
		return nil
	}
	return b
}

// moreWindow says how a request gets more room.
func (r *run) moreWindow() string {
	switch told := r.state.Window; {
	case told.Tokens == 0:
		return "set model.context_tokens to the window that the model has, use one with a larger window, or give a shorter task"
	case told.Enlarge != "":
		return "the server gives no more. Start it with a larger window (" + told.Enlarge + ") and resume, use another model, or give a shorter task"
	}
	return "the server gives no more. Start it with a larger window and resume, use another model, or give a shorter task"
}
