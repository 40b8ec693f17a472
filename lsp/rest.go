package lsp

import (
	"context"
	"time"
)

// What takes the keyboard takes the next key, whatever that was meant for: "y" in the
// middle of a word would accept. So nothing of the kind is sent while the user types, and an
// answer that comes faster than its question can be read ([agent.ReadTime]) is none.
const (
	// restTime is how long the user must not have typed: the pauses within and between
	// words are shorter.
	restTime = time.Second
	// restLimit is how long that is waited for; then a way must do that takes no keyboard.
	restLimit = time.Minute
)

// rest waits until the user does not type, and reports whether that came.
func (d *documents) rest(ctx context.Context) bool {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer d.ed.Clock.After(restLimit, cancel)()
	for {
		d.mu.Lock()
		left := restTime - d.ed.Clock.Now().Sub(d.typed)
		d.mu.Unlock()
		if left <= 0 || ctx.Err() != nil {
			return ctx.Err() == nil
		}
		rested := make(chan struct{})
		stop := d.ed.Clock.After(left, func() { close(rested) })
		select {
		case <-rested:
		case <-ctx.Done():
			stop()
		}
	}
}

// touch notes that the user has typed just now, in a document that is next afterwards; not where that is what
// the editor was asked for, or no file, which nobody types into.
func (d *documents) touch(next *document) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if text, ours := d.ours[next.URI]; !virtual(next.URI) && (!ours || text != next.Text) {
		d.typed = d.ed.Clock.Now()
	}
}
