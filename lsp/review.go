package lsp

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"caselsp/agent"
	"caselsp/agent/count"
	"caselsp/agent/record"
	"caselsp/agent/review"
	"caselsp/agent/workspace"
	"caselsp/lsp/wire"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"
)

// reviews are the results that this server has shown and that are not decided yet.
type reviews struct {
	ed          *editor
	docs        *documents
	engines     *engines
	contents    *contents
	diagnostics *diagnostics
	failing     *failingTests
	questions   *questions
	events      *changedEvents

	mu     sync.Mutex
	byTask map[string]*shownReview
	over   map[string]*shownReview // results that were decided here
	left   map[string][]string     // by task: the files of results that an earlier server has left, until one of them is opened here
	dir    string                  // of the review documents; "" as long as none was written
}

// shownReview is one result under review.
type shownReview struct {
	deciding  sync.Mutex // held while a decision is carried out
	rewriting sync.Mutex // held while the editor rewrites the document

	// Guarded by reviews.mu.
	of     *review.Review
	marked map[uri.URI]string // documents that hold marks of open hunks, and their paths in the workspace
	offer  func()             // takes an offer off the screen; nil if there is none
	tell   func() bool        // a timer that tells of decisions about single hunks
	typed  func() bool        // a timer that looks again after the user typed
	undone string             // what was told last of accepted hunks that the editor undid, of a result that is decided
}

// typingPause is how long the user must not have typed before the marks of open
// hunks are moved to where the lines are now.
const typingPause = 300 * time.Millisecond

// reviewName is the name of a task's review document.
func reviewName(task string) string { return "review-" + task + ".diff" }

// get returns a review as it is now; nil if this server has none of the task.
func (l *reviews) get(task string) *review.Review {
	l.mu.Lock()
	defer l.mu.Unlock()
	if r := l.byTask[task]; r != nil {
		return r.of
	}
	return nil
}

// marked returns the results that have marks in a document, and how the workspace
// names it. It needs no engine: one that nothing uses is closed after a while.
func (l *reviews) marked(u uri.URI) (list []*review.Review, path string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, r := range l.byTask {
		if own := r.marked[u]; own != "" {
			list, path = append(list, r.of), own
		}
	}
	return list, path
}

// applier returns what changes the user's files for a review.
func (l *reviews) applier(a *agent.Agent, label string, offer bool) *applier {
	return &applier{ed: l.ed, docs: l.docs, engines: l.engines, agent: a, label: label, offer: offer}
}

// elsewhere is what changes the user's files for a decision in another process, which this one carries out: what is
// open in the editor is changed there.
func (l *reviews) elsewhere(a *agent.Agent, task string) workspace.Applier {
	label := "CASE: " + task
	if st, err := a.Status(task); err == nil {
		label = "CASE: " + title(st.Task)
	}
	return l.applier(a, label, false)
}

// watch brings the review of a task up to date when it is decided about in another process, or by the editor's
// user while that is not under way here.
func (l *reviews) watch(e agent.Event) {
	switch b := e.Body.(type) {
	case record.Applied, record.Decided, record.Noted:
	case record.Returned:
		l.gaveBack(e)
		return
	case record.StateChanged:
		if !b.To.Ended() {
			return
		}
	default:
		return
	}
	id := e.Status.Task.ID
	l.mu.Lock()
	r, document := l.byTask[id], l.contents.address(filepath.Join(l.dir, reviewName(id)))
	l.mu.Unlock()
	if r == nil && l.docs.get(document) == nil {
		return // it is not shown
	}
	if r = l.take(id); !r.deciding.TryLock() {
		return // here: who decides brings it up to date
	}
	r.deciding.Unlock()
	l.ed.Go("refreshing a review", func(ctx context.Context) error {
		e := l.engines.current()
		if e == nil {
			return nil
		}
		defer l.engines.release(e)
		_, _, err := l.refresh(ctx, e, id)
		return err
	})
}

// take returns the review of a task, for keeping what is known of it.
func (l *reviews) take(task string) *shownReview {
	l.mu.Lock()
	defer l.mu.Unlock()
	r := l.byTask[task]
	if r == nil {
		r = &shownReview{marked: make(map[uri.URI]string)}
		l.byTask[task] = r
	}
	return r
}

// toReview brings a result to the user: where the editor can ask about each
// change of what is open, it does so first; what is still open then is in the review
// document, which is shown beside the text where the editor can do that.
func (l *reviews) toReview(ctx context.Context, e *Engine, last record.Status) {
	id := last.Task.ID
	rev, path, err := l.refresh(ctx, e, id)
	if err != nil {
		l.ed.showMessage(protocol.MessageTypeError, fmt.Sprintf("The result of %q cannot be shown: %s", title(last.Task), sentence(err.Error())))
		return
	}
	if l.ed.client.Confirms && l.ed.client.DocumentChanges && e.Settings.Review.Annotations && l.offerable(e, rev) {
		if l.docs.rest(ctx) { // the preview takes the keyboard
			if l.offerReview(ctx, e, id) {
				return // a command decided in its place, and tells what it led to
			}
		}
		if rev = l.get(id); rev == nil || rev.State != record.Review {
			if text := l.acceptedText(last.Task); rev == nil || rev.State != record.Rejected {
				l.ed.showMessage(protocol.MessageTypeInfo, text+keptTold(last))
			} else {
				l.ed.showMessage(protocol.MessageTypeInfo, fmt.Sprintf("Rejected: %q. Nothing was changed.", l.ed.client.brief(last.Task))+keptTold(last))
			}
			return // all is decided
		}
	}
	// Short where the document tells the rest: a message of two lines makes Neovim wait for a key.
	text := fmt.Sprintf("%q is done: %s to review.", l.ed.client.brief(rev.Task), counted(rev)) + keptTold(last)
	if rev.State != record.Review {
		text = fmt.Sprintf("Failed: %q. %s", l.ed.client.brief(rev.Task), sentence(cut(last.Reason, maxReason))) + keptTold(last)
	}
	how := fmt.Sprintf(" Accept or reject with %s and %s, or in the review document %s, which %s opens.", cmdAccept, cmdReject, path, cmdReview)
	if e.Settings.Review.Open {
		if err := l.ed.showAside(ctx, l.contents.address(path), nil); err == nil {
			if how = ""; rev.State != record.Review { // the document has the reason and the work
				text = fmt.Sprintf("Failed: %q. Its work is kept. %s tries again", cut(title(rev.Task), maxBrief), cmdResume)
			}
		}
	}
	l.ed.showMessage(protocol.MessageTypeInfo, text+how)
}

// counted says how much of a review is open.
func counted(rev *review.Review) string {
	hunks, files := 0, 0
	for _, f := range rev.Files {
		n := f.Open()
		hunks += n
		if n > 0 {
			files++
		}
	}
	return count.Of(hunks, "hunk") + " in " + count.Of(files, "file")
}

// offerable reports whether there is an open hunk in a document that is open.
func (l *reviews) offerable(e *Engine, rev *review.Review) bool {
	for _, f := range rev.Files {
		if _, open := l.docs.at(e.Agent.Workspace, f.Change.Path); open && f.Change.Op == workspace.Modify && f.Open() > 0 {
			return true
		}
	}
	return false
}

// offerReview has the editor ask about the changes of what is open. What the user
// took is found in the texts afterwards, and recorded as accepted; the rest stays
// open. A decision by command takes the question off the screen: then it is taken back.
func (l *reviews) offerReview(ctx context.Context, e *Engine, id string) (takenBack bool) {
	r := l.take(id)
	r.deciding.Lock()
	defer r.deciding.Unlock()
	session := ctx
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	l.mu.Lock()
	r.offer = cancel
	label := "CASE: " + title(r.of.Task)
	l.mu.Unlock()
	// Recorded to its end even where the question was taken back. What programs obey is
	// confirmed there by its name, beside who obeys it.
	all, to := review.Selection{Hunk: review.AllHunks}, l.applier(e.Agent, label, true)
	to.obeyed = map[string]string{}
	for _, f := range l.get(id).Waiting() {
		all.Consent, to.obeyed[f.Change.Path] = append(all.Consent, f.Change.Path), f.Obeyed.By
	}
	_, err := e.Agent.Decide(ctx, id, all, true, to)
	l.mu.Lock()
	r.offer = nil
	l.mu.Unlock()
	if err != nil {
		l.ed.Log.Warn("the editor's preview could not be used", "error", err)
	}
	if _, _, err := l.refresh(context.WithoutCancel(ctx), e, id); err != nil {
		l.ed.Log.Error("the review cannot be read", "error", err)
	}
	takenBack = ctx.Err() != nil && session.Err() == nil
	if !takenBack && len(to.outdated) > 0 {
		l.ed.showMessage(protocol.MessageTypeInfo, named("Nothing of the preview was made in files that you changed while it stood: ", to.outdated)+" The review shows what fits now.")
	}
	return takenBack
}

// refresh reads a review again and brings all that shows it up to date: the
// document, whose path it returns, the marks and the lenses.
func (l *reviews) refresh(ctx context.Context, e *Engine, id string) (*review.Review, string, error) {
	rev, err := e.Agent.Review(id)
	if err != nil {
		return nil, "", err
	}
	r := l.take(id)
	l.mu.Lock()
	if r.of = rev; rev.Live() {
		delete(l.over, id)
	} else {
		delete(l.byTask, id)
		l.over[id] = r
	}
	l.mu.Unlock()
	if !rev.Live() {
		l.failing.forget(id)
	}
	path, err := l.write(e, r, reviewName(id))
	if err != nil {
		return nil, "", err
	}
	l.mark(e, id, r)
	l.ed.lensesChanged()
	return rev, path, nil
}

// write brings the review document up to date and returns its path: in the
// editor where it is open there, else on disk. Never both: an editor that finds a
// changed file under a changed buffer asks the user which of the two is right, and
// one that finds only a changed file (Neovim, Emacs, Helix) goes on showing the old. In
// Helix it is the file all the same: see client.KeepsModified.
func (l *reviews) write(e *Engine, r *shownReview, name string) (string, error) {
	l.mu.Lock()
	path, text := filepath.Join(l.dir, name), reviewText(r.of)
	l.mu.Unlock()
	u := l.contents.address(path)
	if !virtual(u) && l.docs.get(u) != nil && l.ed.client.rewrites() {
		l.ed.Go("rewriting a review document", func(ctx context.Context) error { return l.rewriteOpen(ctx, r, u) })
		return path, nil
	}
	if l.ed.client.KeepsModified {
		text = strings.Replace(text, "\n", "\n`:reload` shows here what was decided since.\n", 1)
	}
	path, err := e.Agent.Store.Document(name, []byte(text))
	l.mu.Lock()
	l.dir = filepath.Dir(path)
	l.mu.Unlock()
	if err == nil && virtual(u) {
		l.ed.Go("refreshing a review document", func(ctx context.Context) error { l.contents.refresh(ctx, u); return nil })
	}
	return path, err
}

// rewriteOpen has the editor change an open review document to what is decided now.
func (l *reviews) rewriteOpen(ctx context.Context, r *shownReview, u uri.URI) error {
	r.rewriting.Lock()
	defer r.rewriting.Unlock()
	l.mu.Lock()
	text := reviewText(r.of)
	l.mu.Unlock()
	return l.docs.rewrite(ctx, u, text)
}

// mark marks in the user's open documents where open hunks would go, and
// takes away the marks of those that are decided.
func (l *reviews) mark(e *Engine, id string, r *shownReview) {
	marks, paths := map[uri.URI][]protocol.Diagnostic{}, map[uri.URI]string{}
	l.mu.Lock()
	rev := r.of
	l.mu.Unlock()
	if rev.State == record.Review {
		for _, f := range rev.Files {
			path := f.Change.Path
			if f.Change.Op == workspace.Rename {
				path = f.Change.From
			}
			u, open := l.docs.at(e.Agent.Workspace, path)
			doc := l.docs.get(u)
			if !open || doc == nil {
				continue
			}
			for _, p := range placesOf(f, doc.Text) {
				marks[u] = append(marks[u], pendingMark(doc.mapper(l.ed.client.Encoding), id, f, p))
				paths[u] = path
			}
		}
	}
	l.mu.Lock()
	gone := r.marked
	r.marked = paths
	for u := range marks {
		delete(gone, u)
	}
	l.mu.Unlock()
	for u, list := range marks {
		l.diagnostics.mark(fromReview+id, u, list)
	}
	for u := range gone {
		l.diagnostics.mark(fromReview+id, u, nil)
	}
}

// hunkPlace is where an open hunk would go in a text: the lines from, to (the one
// behind the last), from 0.
type hunkPlace struct {
	hunk     int // from 0
	from, to int
	conflict bool // the user changed the same lines
}

// placesOf returns where the open hunks of a file would go in its text as it is now.
func placesOf(f review.File, now string) []hunkPlace {
	var places []hunkPlace
	if f.Whole() {
		if f.Open() > 0 {
			places = append(places, hunkPlace{})
		}
		return places
	}
	before, _ := f.Change.Before.Text()
	for h, state := range f.Hunks {
		if state != record.HunkOpen {
			continue
		}
		own := f.Change.Hunks[h]
		// What is accepted already is in the text, or was taken out by the user.
		merged, conflicts := workspace.Merge(before, now, f.Change.Select(func(i int) bool { return i == h }))
		changes := workspace.Diff(now, merged)
		switch {
		case len(conflicts) > 0:
			line := conflicts[0].Changed - 1
			places = append(places, hunkPlace{h, line, line + 1, true})
		case len(changes) > 0:
			first, last := changes[0], changes[len(changes)-1]
			places = append(places, hunkPlace{hunk: h, from: first.OldLine - 1, to: last.OldLine - 1 + len(last.Old)})
		default: // the user made the same change, or an undo of the editor brought it again
			place := follow(before, now, own)
			place.hunk = h
			places = append(places, place)
		}
	}
	return places
}

// maxShownLines is how many lines of a hunk stand in the message of its mark.
const maxShownLines = 12

// pendingMark is the diagnostic of an open hunk.
func pendingMark(m mapper, id string, f review.File, p hunkPlace) protocol.Diagnostic {
	start := lineStart(m, p.from)
	end := max(start, lineStart(m, p.to))
	if p.to > p.from && end > start && strings.HasSuffix(m.text[:end], "\n") {
		end-- // not into the next line
	}
	if start == len(m.text) { // what is added at the end of the file: the cursor gets to its last line
		start, end = reachable(m.text, start, end)
	}
	return protocol.Diagnostic{
		Range: m.Range(start, end), Severity: protocol.DiagnosticSeverityInformation, Code: protocol.String(codePending),
		Source: protocol.NewOptional(Name), Message: protocol.String(pendingText(f, p)),
		Data: wire.Encode(hunkArguments{Task: id, File: f.Change.Path, Hunk: p.hunk + 1}),
	}
}

// lineStart returns the offset of a line as diffs count them, by "\n" alone.
func lineStart(m mapper, line int) int {
	at := 0
	for ; line > 0; line-- {
		next := strings.IndexByte(m.text[at:], '\n')
		if next < 0 {
			return len(m.text)
		}
		at += next + 1
	}
	return at
}

// pendingText says what a hunk would do.
func pendingText(f review.File, p hunkPlace) string {
	c := f.Change
	switch {
	case c.Op == workspace.Delete:
		return "CASE wants to delete this file" + obeyedBy(f) + "."
	case c.Op == workspace.Rename:
		return fmt.Sprintf("CASE wants to rename this file to %s%s.", c.Path, obeyedBy(f))
	case f.Whole():
		return "CASE wants to change this file as a whole" + obeyedBy(f) + "."
	}
	text := fmt.Sprintf("CASE wants to change this (hunk %d of %d%s):", p.hunk+1, len(f.Hunks), obeyedBy(f))
	if p.conflict {
		text = fmt.Sprintf("CASE wants to change this (hunk %d of %d%s), but you changed the same lines. Change them by hand to what you want of both, then reject it:", p.hunk+1, len(f.Hunks), obeyedBy(f))
	}
	shown := 0
	for _, line := range strings.Split(strings.TrimSuffix(c.Hunk(p.hunk), "\n"), "\n")[1:] {
		if strings.HasPrefix(line, " ") {
			continue
		}
		if shown++; shown > maxShownLines {
			return text + "\n…"
		}
		text += "\n" + line
	}
	return text
}
