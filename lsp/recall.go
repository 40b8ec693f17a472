package lsp

import (
	"context"
	"slices"
	"strings"

	"caselsp/agent"
	"caselsp/agent/record"
)

// recall takes in which results wait in the store, and of which tasks that is news. A result that an earlier server has left is marked
// in the user's files as soon as one of them is open; one that is shown here is brought up to date.
func (l *reviews) recall(list []agent.Standing, news []string) {
	left := map[string][]string{}
	for _, s := range list {
		if s.State == record.Review {
			left[s.Task.ID] = s.Files
		}
	}
	var shown []string
	l.mu.Lock()
	for id := range l.byTask {
		if delete(left, id); slices.Contains(news, id) {
			shown = append(shown, id)
		}
	}
	l.left = left
	l.mu.Unlock()
	for _, id := range shown {
		l.load(id, nil)
	}
	for _, doc := range l.docs.snapshot() {
		l.remind(doc)
	}
}

// remind has the results marked that an earlier server has left for a document that is open now. It runs on the read loop, too.
func (l *reviews) remind(doc *document) {
	about := map[string][]string{}
	l.mu.Lock()
	for id, files := range l.left {
		if slices.ContainsFunc(files, doc.mayBe) {
			about[id] = files
			delete(l.left, id)
		}
	}
	l.mu.Unlock()
	for id, files := range about {
		l.load(id, files)
	}
}

// load shows a result as the store has it. Where that fails, such as while another process has the store, its files remain left.
func (l *reviews) load(id string, files []string) {
	l.ed.Go("marking open hunks", func(ctx context.Context) error {
		e, release, err := l.engines.use(ctx)
		if err == nil {
			defer release()
			_, _, err = l.refresh(ctx, e, id)
		}
		if err != nil && files != nil {
			l.mu.Lock()
			l.left[id] = files
			l.mu.Unlock()
		}
		return err
	})
}

// mayBe reports whether a document may be the file that a workspace names so.
func (d *document) mayBe(path string) bool {
	file, ok := d.file()
	return ok && strings.HasSuffix(file, "/"+path)
}
