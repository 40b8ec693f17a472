package lsp

import (
	"context"
	"fmt"
	"slices"

	"caselsp/agent/record"
	"caselsp/agent/review"

	"go.lsp.dev/protocol"
)

// typing has the marks moved when the user has stopped to type. It runs on
// the read loop.
func (l *reviews) typing(doc *document) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for id, r := range l.byTask {
		l.look(r, doc, func(ctx context.Context, e *Engine) error {
			defer l.events.tell(id, changedReview) // where hunks are, and which overlap with what was typed
			if l.takes(r, doc) {                   // the editor's own undo may have taken it back
				_, _, err := l.refresh(ctx, e, id)
				return err
			}
			l.mark(e, id, r)
			return nil
		})
	}
	for id, r := range l.over {
		l.look(r, doc, func(_ context.Context, e *Engine) error { return l.tellUndone(e, id, r) })
	}
}

// look calls do when the user has stopped to type in a document that the review is about. reviews.mu is held.
func (l *reviews) look(r *shownReview, doc *document, do func(context.Context, *Engine) error) {
	if !l.concerns(r, doc) {
		return
	}
	l.engines.whenTyped(&r.typed, "looking at hunks in what was typed", do)
}

// whenTyped calls do when the user has not typed for a moment. timer is the wait that this one takes the place of; its owner
// guards it.
func (g *engines) whenTyped(timer *func() bool, what string, do func(context.Context, *Engine) error) {
	if *timer != nil {
		(*timer)()
	}
	*timer = g.ed.Clock.After(typingPause, func() {
		g.ed.Go(what, func(ctx context.Context) error {
			e, release, err := g.use(ctx)
			if err != nil {
				return err
			}
			defer release()
			return do(ctx, e)
		})
	})
}

// tellUndone says of a result that is decided what the editor's own undo took out of it.
func (l *reviews) tellUndone(e *Engine, id string, r *shownReview) error {
	rev, err := e.Agent.Review(id)
	if err != nil {
		return err
	}
	undone := rev.Undone()
	l.mu.Lock()
	news := undone != r.undone
	r.undone = undone
	l.mu.Unlock()
	if !news {
		return nil
	}
	l.events.tell(id, changedStatus, changedReview)
	if undone != "" {
		l.ed.showMessage(protocol.MessageTypeInfo, fmt.Sprintf("%q: %s %s with the file's name accepts it again.", l.ed.client.brief(rev.Task), undone, cmdAccept))
	}
	return nil
}

// takes reports whether something of a document's file is accepted, or was before the editor undid it.
func (l *reviews) takes(r *shownReview, doc *document) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return r.of != nil && slices.ContainsFunc(r.of.Files, func(f review.File) bool {
		return doc.mayBe(f.Change.Path) && (f.Unmade != nil || slices.Contains(f.Hunks, record.HunkAccepted))
	})
}

// concerns reports whether a document may hold marks of a review. reviews.mu is held.
func (l *reviews) concerns(r *shownReview, doc *document) bool {
	if r.marked[doc.URI] != "" {
		return true
	}
	return r.of != nil && slices.ContainsFunc(r.of.Files, func(f review.File) bool {
		return doc.mayBe(f.Change.Path) || f.Change.From != "" && doc.mayBe(f.Change.From)
	})
}
