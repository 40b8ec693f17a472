package lsp

import (
	"context"
	"fmt"
	"sync"
	"time"

	"caselsp/agent"
	"caselsp/lsp/wire"

	"go.lsp.dev/protocol"
)

// reportInterval is the shortest time between two reports of one progress:
// editors draw each, and some write each into a log.
const reportInterval = 500 * time.Millisecond

// progresses are those under way, so that the client can cancel them.
type progresses struct {
	mu     sync.Mutex
	last   int
	cancel map[string]func()
}

// progress is one work-done progress in the editor. Its methods may be called
// from anywhere and never wait; on a client that shows none they do nothing.
type progress struct {
	ed    *editor
	token protocol.String
	shown bool

	mu      sync.Mutex
	sent    time.Time                        // of the last report
	pending *protocol.WorkDoneProgressReport // newer than that one; sent when its time comes
	ended   bool
}

// startProgress shows a progress with a token of the server's making. cancel, if
// any, is called when the user cancels it, which only some editors can. A client
// that does not answer within createTime is gone on without.
func (ed *editor) startProgress(ctx context.Context, title, message string, cancel func()) *progress {
	p := &progress{ed: ed}
	if !ed.client.Progress {
		return p
	}
	p.token = ed.progress.add(cancel)
	params := &protocol.WorkDoneProgressCreateParams{Token: p.token}
	if _, err := wire.Request[protocol.LSPAny](ctx, ed.Conn, createTime, protocol.MethodWindowWorkDoneProgressCreate, params); err != nil {
		ed.Log.Info("no progress is shown", "error", err)
		ed.progress.remove(string(p.token))
		return p
	}
	p.shown = true
	p.sent = ed.Clock.Now()
	message = agent.Visible(message)
	begin := &protocol.WorkDoneProgressBegin{Kind: "begin", Title: agent.Visible(title), Cancellable: new(cancel != nil)}
	if message != "" {
		begin.Message = &message
	}
	p.send(begin)
	return p
}

// report shows where the work is. percent is 0 to 100, or negative for unknown.
// Of reports that follow each other too fast the last is shown.
func (p *progress) report(message string, percent int) {
	message = agent.Visible(message)
	report := &protocol.WorkDoneProgressReport{Kind: "report", Message: &message}
	if percent >= 0 {
		report.Percentage = new(uint32(min(percent, 100)))
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.shown || p.ended {
		return
	}
	waiting := p.pending != nil
	p.pending = report
	wait := p.sent.Add(reportInterval).Sub(p.ed.Clock.Now())
	switch {
	case wait <= 0:
		p.flush()
	case !waiting:
		p.ed.Clock.After(wait, func() {
			p.mu.Lock()
			defer p.mu.Unlock()
			p.flush()
		})
	}
}

// flush sends the report that waits, if there is one. p.mu is held.
func (p *progress) flush() {
	if p.pending == nil || p.ended {
		return
	}
	p.send(p.pending)
	p.pending, p.sent = nil, p.ed.Clock.Now()
}

// end takes the progress away; message is the last word. Only the first call counts.
func (p *progress) end(message string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.shown || p.ended {
		return
	}
	p.ended = true
	p.ed.progress.remove(string(p.token))
	message = agent.Visible(message)
	end := &protocol.WorkDoneProgressEnd{Kind: "end"}
	if message != "" {
		end.Message = &message
	}
	p.send(end)
}

// send posts one value. The kind is in the value already: the library does not
// fill it in.
func (p *progress) send(value any) {
	p.ed.Notify(protocol.MethodProgress, &protocol.ProgressParams{Token: p.token, Value: wire.Encode(value)})
}

// add makes a token.
func (l *progresses) add(cancel func()) protocol.String {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.last++
	token := fmt.Sprintf("%s-%d", Name, l.last)
	if l.cancel == nil {
		l.cancel = make(map[string]func())
	}
	l.cancel[token] = cancel
	return protocol.String(token)
}

// remove forgets a token.
func (l *progresses) remove(token string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.cancel, token)
}

// methods adds the cancelling of progresses to the table.
func (ed *editor) methods() {
	wire.OnNotification(ed.Conn, protocol.MethodWindowWorkDoneProgressCancel, func(p *protocol.WorkDoneProgressCancelParams) error {
		token, _ := p.Token.(protocol.String)
		ed.progress.mu.Lock()
		cancel := ed.progress.cancel[string(token)]
		ed.progress.mu.Unlock()
		if cancel != nil {
			// What is cancelled may take its time; the read loop has none.
			ed.Go("cancelling", func(context.Context) error { cancel(); return nil })
		}
		return nil
	})
}
