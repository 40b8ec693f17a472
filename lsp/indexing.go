package lsp

import (
	"context"
	"sync"
)

// indexing finds out what the files in the client's folders declare before a task asks for it, and keeps that
// in the state directory, where the task finds it. It begins when the folders have been read for the
// validators, reads only, and takes no lock that a request waits for. A task that begins ends it: the task finds
// out by itself what is left, and the two would parse the same files.
type indexing struct {
	index   func(ctx context.Context, dirs []string) (files int, err error) // nil: tasks find it out
	ed      *editor
	folders *folders

	mu     sync.Mutex
	cancel context.CancelFunc
	done   chan struct{} // closed when it has ended; nil: none was begun
}

// begin indexes the folders as they are now. It is called by one goroutine at a time.
func (x *indexing) begin() {
	dirs := x.folders.dirs()
	if x.index == nil || len(dirs) == 0 {
		return
	}
	x.stop()
	ctx, cancel := context.WithCancel(x.ed.Context())
	done := make(chan struct{})
	x.mu.Lock()
	x.cancel, x.done = cancel, done
	x.mu.Unlock()
	x.ed.Go("indexing the folders", func(context.Context) error {
		defer close(done)
		defer cancel()
		start := x.ed.Clock.Now()
		files, err := x.index(ctx, dirs)
		if ctx.Err() != nil {
			return nil
		}
		if err == nil {
			x.ed.Log.Info("the folders are indexed", "files", files, "time", x.ed.Clock.Now().Sub(start))
		}
		return err
	})
}

// stop ends the indexing that is under way, and waits for its end.
func (x *indexing) stop() {
	x.mu.Lock()
	cancel, done := x.cancel, x.done
	x.cancel, x.done = nil, nil
	x.mu.Unlock()
	if done == nil {
		return
	}
	cancel()
	select {
	case <-done:
	case <-x.ed.Context().Done():
	}
}
