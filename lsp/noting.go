package lsp

import (
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"iter"
	"path/filepath"
	"strconv"
	"strings"

	"caselsp/agent"
	"caselsp/agent/count"
	"caselsp/agent/record"
	"caselsp/agent/review"
	"caselsp/lsp/wire"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"
)

// Notes are what the user writes about hunks, files or all of a result. They are kept with the result and go back with
// it as one correction. They are written with the command, or in a document that the code action on a hunk opens.

// noteArguments are those of caselsp.note.
type noteArguments struct {
	Task     string `json:"task"`
	File     string `json:"file,omitzero"`
	Hunk     int    `json:"hunk,omitzero"` // from 1; 0: the whole file
	Send     bool   `json:"send,omitzero"`
	Withdraw bool   `json:"withdraw,omitzero"`
}

// doNote keeps a note, opens a document for one, and sends a result back with those that are kept.
func (l *reviews) doNote(c *call, a arguments) (any, error) {
	if err := l.questions.notOfProject(a); err != nil {
		return nil, err
	}
	u, paper := a.uri()
	if paper {
		if err := a.fromNotePaper(c.docs, u); err != nil {
			return nil, err
		}
	}
	note := record.HunkNote{Text: strings.TrimSpace(a.text(argText.Name))}
	note.File, _ = a.field(argFile.Name)
	if number, given := a.field(argHunk.Name); given && number != "" {
		n, err := strconv.Atoi(number)
		if err != nil || n < 0 {
			return nil, fmt.Errorf("%q is not a hunk number: hunks count from 1", number)
		}
		note.Hunk = n
	}
	task, _ := a.field(argTask.Name)
	e, release, err := l.engines.use(l.ed.Context())
	if err != nil {
		return nil, err
	}
	st, err := pickReview(e, task)
	if err == nil && st.State != record.Review {
		err = nothingTo("task %s is %s: notes are written on a result under review", st.Task.ID, st.State)
	}
	if err != nil {
		release()
		return nil, err
	}
	send, withdraw := a.flag(argSend.Name), a.flag(argWithdraw.Name)
	if note.Text == "" && !send && !withdraw && !paper {
		l.ed.later(c, release, func(ctx context.Context) error { return l.openNote(ctx, e, st.Task.ID, note) })
		return started{st.Task.ID}, nil
	}
	return l.keepNote(c, e, release, st.Task.ID, note, send, withdraw)
}

// afterDecision waits until no decision about a task is being carried out; one that the editor asks about is taken off the screen.
func (l *reviews) afterDecision(r *shownReview) {
	l.mu.Lock()
	if r.offer != nil {
		r.offer()
	}
	l.mu.Unlock()
	r.deciding.Lock()
	defer r.deciding.Unlock()
}

// keepNote keeps a note, or withdraws it, and sends the result back where that is asked. It calls release.
func (l *reviews) keepNote(c *call, e *Engine, release func(), id string, note record.HunkNote, send, withdraw bool) (any, error) {
	r := l.take(id)
	if !r.deciding.TryLock() {
		l.ed.later(c, func() {}, func(context.Context) error {
			l.afterDecision(r)
			_, err := l.keepNote(nil, e, release, id, note, send, withdraw)
			return err
		})
		return started{id}, nil
	}
	r.deciding.Unlock()
	kept, err := 0, error(nil)
	switch {
	case withdraw:
		note.Text = ""
		kept, err = e.Agent.Note(id, note)
	case note.Text != "":
		kept, err = e.Agent.Note(id, note)
	case !send:
		err = nothingTo("the note is empty: write what should be different")
	}
	if err == nil && send {
		if err = e.Agent.Returnable(id); err == nil {
			return started{id}, l.questions.tasks.workOn(c, e, release, record.Task{ID: id}, func(ctx context.Context) iter.Seq2[agent.Event, error] { return e.Agent.Return(ctx, id) })
		}
		err = nothingTo("%s", err)
	}
	if err != nil {
		release()
		return nil, err
	}
	text := "No note is left on the result."
	if kept > 0 {
		text = fmt.Sprintf("%s kept. %s with send sends the result back.", capital(count.Of(kept, "note")), cmdNote)
	}
	l.ed.showMessage(protocol.MessageTypeInfo, text) // at once: after a command that sends them it would be wrong
	l.ed.later(c, release, func(ctx context.Context) error {
		_, _, err := l.refresh(ctx, e, id)
		return err
	})
	return started{id}, nil
}

// fromNotePaper takes what a note is about, and its text, out of the document in which it was written.
func (a arguments) fromNotePaper(docs snapshot, u uri.URI) error {
	p, text, err := written(docs, u)
	if err == nil && p.Kind != forNote {
		err = fmt.Errorf("%s is no document for a note", readable(u))
	}
	if err != nil {
		return err
	}
	for name, value := range map[string]any{argTask.Name: p.Task, argFile.Name: p.File, argHunk.Name: p.Hunk, argText.Name: text} {
		a.fields[name] = json.RawMessage(wire.Encode(value))
	}
	return nil
}

// openNote opens a document for a note, with the one that is kept on the same part.
func (l *reviews) openNote(ctx context.Context, e *Engine, id string, note record.HunkNote) error {
	rev, err := e.Agent.Review(id)
	if err != nil {
		return err
	}
	lines, err := rev.Lines(note.File, note.Hunk)
	if err != nil {
		return err
	}
	begin := ""
	for _, n := range rev.Notes {
		if n.File == note.File && n.Hunk == note.Hunk {
			begin = n.Text + "\n"
		}
	}
	words := fmt.Sprintf("Write below what should be different in %s. Then run the code action %q; others can follow. %q has CASE do all of them at once.", note.Place(), keepNoteTitle, sendNoteTitle)
	if lines != "" {
		words += "\n\n" + agent.QuoteLines(strings.TrimRight(lines, "\n"), quoteMark)
	}
	place := fnv.New32a()
	fmt.Fprintf(place, "%s\x00%d", note.File, note.Hunk)
	p := paper{Kind: forNote, Task: id, File: note.File, Hunk: note.Hunk}
	return l.questions.papers.openDocument(ctx, e, fmt.Sprintf("%s-%s-%08x.md", forNote, id, place.Sum32()), p.write(words, begin))
}

// The titles of what sends the document of a note.
const (
	keepNoteTitle = "Keep this note"
	sendNoteTitle = "Keep it and send all notes back"
)

// noteSends are the commands in the document of a note.
func noteSends(u uri.URI) []protocol.Command {
	return []protocol.Command{
		command(keepNoteTitle, cmdNote, map[string]any{"uri": string(u)}),
		command(sendNoteTitle, cmdNote, map[string]any{"uri": string(u), "send": true}),
	}
}

// noteCommands are what can be done about notes at a place of a result.
func noteCommands(rev *review.Review, args hunkArguments, what string) []protocol.Command {
	if rev.State != record.Review || args.Kept != "" {
		return nil
	}
	place := noteArguments{Task: args.Task, File: args.File, Hunk: args.Hunk}
	if what == "all" {
		what = "the whole result"
	}
	list := []protocol.Command{command("Write a note on "+what, cmdNote, place)}
	for _, n := range rev.Notes {
		if n.File == args.File && n.Hunk == args.Hunk {
			list = []protocol.Command{command("Change the note on "+what, cmdNote, place), command("Withdraw the note on "+what, cmdNote, noteArguments{place.Task, place.File, place.Hunk, false, true})}
		}
	}
	return list
}

// sendNotes is what sends a result back, none where there are no notes.
func sendNotes(rev *review.Review) []protocol.Command {
	if len(rev.Notes) == 0 || rev.State != record.Review {
		return nil
	}
	return []protocol.Command{command("Send the result back with "+count.Of(len(rev.Notes), "note"), cmdNote, noteArguments{Task: rev.Task.ID, Send: true})}
}

// writeNotes lists the notes of a result at the top of its document: a diff has no place for them further down.
func writeNotes(b *strings.Builder, rev *review.Review) {
	if len(rev.Notes) == 0 {
		return
	}
	fmt.Fprintf(b, "Your notes, which the code action here sends back:\n")
	for _, n := range rev.Notes {
		fmt.Fprintf(b, "  %s: %s\n", n.Place(), oneLine(n.Text))
	}
}

// gaveBack takes away what shows a result that has gone back with notes: until the next review, nothing of it is decided.
func (l *reviews) gaveBack(e agent.Event) {
	id := e.Status.Task.ID
	l.mu.Lock()
	r, document := l.byTask[id], l.contents.address(filepath.Join(l.dir, reviewName(id)))
	delete(l.byTask, id)
	var marked map[uri.URI]string
	if r != nil {
		marked, r.marked = r.marked, nil
		if r.offer != nil {
			r.offer()
		}
	}
	l.mu.Unlock()
	for u := range marked {
		l.diagnostics.mark(fromReview+id, u, nil)
	}
	text := fmt.Sprintf("Result of task %s: %s\nIt went back with your notes: the next review shows what came of them.\n", id, agent.Visible(title(e.Status.Task)))
	l.ed.Go("telling that a result went back", func(ctx context.Context) error {
		defer l.ed.lensesChanged()
		doc := l.docs.get(document)
		if doc == nil {
			return nil
		}
		e := l.engines.current()
		if e == nil {
			return nil
		}
		defer l.engines.release(e)
		return l.contents.renew(ctx, l.docs, e, doc, reviewName(id), text)
	})
}
