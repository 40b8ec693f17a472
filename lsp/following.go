package lsp

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"caselsp/agent"
	"caselsp/agent/count"
	"caselsp/agent/record"
	"caselsp/agent/workspace"

	"go.lsp.dev/protocol"
)

// With the setting editor.follow, the user sees each file as CASE edits it. What is edited is
// staged: it is neither on disk nor in a buffer of the user's. To show the real file there would move
// the cursor in a text that the user may be reading, and show nothing of the change. So one document
// a task is shown beside the text, which compares the file with its staged copy.

const (
	// followInterval is the shortest time between two places that are shown: one that goes sooner cannot be read.
	followInterval = 2 * time.Second
	// followContext is how many lines around a change are shown: a screen of most editors in all.
	followContext = 20
	// maxFollowedLines is how many lines a document of following has: more are written anew at each edit, and nobody scrolls
	// through them before the next.
	maxFollowedLines = 2000
)

// followingName is the name of the document in which a task is followed.
func followingName(task string) string { return "following-" + task + ".diff" }

// following shows where tasks edit.
type following struct {
	ed      *editor
	docs    *documents
	engines *engines
	papers  *papers

	mu    sync.Mutex
	tasks map[string]*followed
}

// followed is a task under way whose edits are shown. Guarded by following.mu.
type followed struct {
	staged []record.StagedFile // as the task has it
	next   *stagedEdit         // what is to be shown; nil: nothing
	waits  bool                // it will be shown
	shown  time.Time           // when the last one was
}

// stagedEdit is a file that was edited, and what was staged of it before that edit; nil: nothing.
type stagedEdit struct {
	record.StagedFile
	before *record.FileRef
}

// hear takes in an event of a task. It does not wait: the document is shown beside the task.
func (l *following) hear(e agent.Event) {
	var staged *record.Staged
	edits := false // else the staged files follow what the user typed
	switch b := e.Body.(type) {
	case record.ActionDone:
		staged, edits = b.Staged, true
	case record.Rebased:
		staged = &b.Staged
	}
	if staged == nil || l.ed.client.Aside == neverAside || !l.ed.client.ShowDocument {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	id := e.Status.Task.ID
	t := l.tasks[id]
	if t == nil {
		t = &followed{}
		l.tasks[id] = t
	}
	for _, f := range staged.Files {
		before := f.Base
		if i := slices.IndexFunc(t.staged, func(g record.StagedFile) bool { return g.Path == f.Path }); i >= 0 {
			before = t.staged[i].Now
		}
		if edits && !sameContent(before, f.Now) {
			t.next = &stagedEdit{f, before}
		}
	}
	t.staged = staged.Files
	if t.next == nil || t.waits {
		return
	}
	t.waits = true
	wait := max(0, followInterval-l.ed.Clock.Now().Sub(t.shown))
	l.ed.Clock.After(wait, func() {
		l.ed.Go("showing what is edited", func(ctx context.Context) error { return l.show(ctx, id, t) })
	})
}

// sameContent reports whether two references are of one content; nil is none.
func sameContent(a, b *record.FileRef) bool {
	return a == b || a != nil && b != nil && a.Hash == b.Hash
}

// forget ends the following of a task.
func (l *following) forget(task string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.tasks, task)
}

// show shows what a task has edited last, as soon as the user does not type. Where they type on and on, it is left out.
func (l *following) show(ctx context.Context, id string, t *followed) error {
	rested := l.docs.rest(ctx)
	l.mu.Lock()
	next, under := t.next, l.tasks[id] == t
	t.next, t.waits, t.shown = nil, false, l.ed.Clock.Now()
	l.mu.Unlock()
	if !rested || !under || next == nil {
		return nil
	}
	e, release, err := l.engines.use(ctx)
	if err != nil {
		return err
	}
	defer release()
	if !e.Settings.Editor.Follow {
		return nil
	}
	text, at, err := followingText(e.Agent, id, *next)
	if err != nil {
		return err
	}
	u, err := l.papers.put(ctx, e, followingName(id), text)
	if err != nil {
		return err
	}
	return l.ed.showAside(ctx, u, &at)
}

// followingText is the document about an edited file, and where in it the lines are that were edited.
func followingText(a *agent.Agent, task string, f stagedEdit) (string, protocol.Range, error) {
	var texts [3]string // the user's, before this edit, now
	for i, ref := range []*record.FileRef{f.Base, f.before, f.Now} {
		if ref == nil {
			continue
		}
		data, err := a.Store.Blob(ref.Hash)
		if err != nil {
			return "", protocol.Range{}, err
		}
		if texts[i], _, err = workspace.Decode(data); err != nil {
			texts[i] = "(no text)\n"
		}
	}
	what := "edits " + f.Path
	switch {
	case f.Now == nil:
		what = "deletes " + f.Path
	case f.From != "":
		what = fmt.Sprintf("renames %s to %s", f.From, f.Path)
	case f.Base == nil:
		what = "creates " + f.Path
	}
	head := fmt.Sprintf("Task %s %s. This is the staged copy: your files change only when you accept.\n\n--- %s\n+++ %s, staged\n", task, what, f.Path, f.Path)
	body, from, to := comparison(texts[0], texts[1], texts[2])
	top := strings.Count(head, "\n")
	return head + strings.Join(body, ""), protocol.Range{Start: protocol.Position{Line: uint32(top + from)}, End: protocol.Position{Line: uint32(top + to)}}, nil
}

// comparison compares a text with what it is now, and says which of the lines returned are about the first change since
// before. What is far from changes is left out.
func comparison(base, before, now string) (lines []string, from, to int) {
	latest, hunks := workspace.Diff(before, now), workspace.Diff(base, now)
	shown := slices.Concat(latest, hunks)
	shown = shown[:min(len(shown), maxFollowedLines/(2*followContext))]
	near := func(at int) bool {
		return slices.ContainsFunc(shown, func(h workspace.Hunk) bool {
			return at >= h.NewLine-1-followContext && at < h.NewLine-1+len(h.New)+followContext
		})
	}
	var first, end int // of the edited lines, in the text
	if len(latest) > 0 {
		first, end = latest[0].NewLine-1, latest[0].NewLine-1+len(latest[0].New)
	}
	from = -1
	skipped := true // lines before the next one
	walk(now, hunks, func(mark, line string, at int) {
		if !near(at) {
			skipped = true
			return
		}
		if skipped {
			lines, skipped = append(lines, fmt.Sprintf("@@ line %d @@\n", at+1)), false
		}
		if from < 0 && at >= first {
			from = len(lines)
		}
		lines = append(lines, mark+strings.TrimRight(line, "\r\n")+"\n")
		if at < end || mark == "-" && at == first {
			to = len(lines)
		}
	})
	if from < 0 {
		from = len(lines)
	}
	if more := len(lines) - maxFollowedLines; more > 0 {
		lines = append(lines[:maxFollowedLines], fmt.Sprintf("… %s more\n", count.Of(more, "line")))
	}
	from = min(from, len(lines))
	return lines, from, min(max(from, to), len(lines))
}

// walk goes through a text and what its changes took out, in order; at is the line in the text, from 0.
func walk(now string, hunks []workspace.Hunk, add func(mark, line string, at int)) {
	lines, at := slices.Collect(strings.Lines(now)), 0
	same := func(to int) {
		for ; at < to; at++ {
			add(" ", lines[at], at)
		}
	}
	for _, h := range hunks {
		same(h.NewLine - 1)
		for _, old := range h.Old {
			add("-", old, at)
		}
		for range h.New {
			add("+", lines[at], at)
			at++
		}
	}
	same(len(lines))
}
