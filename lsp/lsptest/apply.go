package lsptest

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"
)

// carryOut applies an edit as the options say; failed is the error to answer
// with instead. The server is notified of changes at once or, if the options say
// so, with the next Flush.
func (e *Editor) carryOut(edit protocol.WorkspaceEdit) (answer protocol.ApplyWorkspaceEditResult, failed string) {
	h := e.opts.Hostile
	steps := stepsOf(edit)
	switch {
	case h.FailEdits:
		return answer, "this editor fails at every edit"
	case h.RefuseFiles && slices.ContainsFunc(steps, isFileStep):
		return answer, "this editor refuses file operations"
	case h.LieApplied:
		return protocol.ApplyWorkspaceEditResult{Applied: true}, ""
	case h.HalfEdits:
		steps = half(steps)
	}
	if e.opts.Meanwhile != nil {
		e.opts.Meanwhile()
	}
	e.editing.Lock()
	defer e.editing.Unlock()
	if err := e.flush(); err != nil {
		return refused(0, err), ""
	}
	for i, step := range steps {
		if err := e.checkVersion(step); err != nil {
			return refused(i, err), ""
		}
	}
	for i, step := range steps {
		if err := e.step(step, edit.ChangeAnnotations); err != nil {
			return refused(i, err), ""
		}
	}
	return protocol.ApplyWorkspaceEditResult{Applied: true}, ""
}

// refused is the answer where a step could not be done; those before it are.
func refused(step int, err error) protocol.ApplyWorkspaceEditResult {
	return protocol.ApplyWorkspaceEditResult{FailureReason: new(err.Error()), FailedChange: new(uint32(step))}
}

// stepsOf returns what is to be done, in order.
func stepsOf(edit protocol.WorkspaceEdit) []protocol.DocumentChange {
	if len(edit.DocumentChanges) > 0 {
		return edit.DocumentChanges
	}
	var steps []protocol.DocumentChange
	for _, u := range slices.Sorted(maps.Keys(edit.Changes)) {
		one := &protocol.TextDocumentEdit{TextDocument: protocol.OptionalVersionedTextDocumentIdentifier{TextDocumentIdentifier: protocol.TextDocumentIdentifier{URI: u}}}
		for _, t := range edit.Changes[u] {
			one.Edits = append(one.Edits, &t)
		}
		steps = append(steps, one)
	}
	return steps
}

// isFileStep reports whether a step is a file operation.
func isFileStep(step protocol.DocumentChange) bool {
	_, text := step.(*protocol.TextDocumentEdit)
	return !text
}

// half returns the first half of the steps; of a single text edit, of its changes.
func half(steps []protocol.DocumentChange) []protocol.DocumentChange {
	if len(steps) != 1 {
		return steps[:len(steps)/2]
	}
	one, ok := steps[0].(*protocol.TextDocumentEdit)
	if !ok {
		return nil
	}
	less := *one
	less.Edits = one.Edits[:len(one.Edits)/2]
	return []protocol.DocumentChange{&less}
}

// checkVersion refuses an edit of another version than the buffer's.
func (e *Editor) checkVersion(step protocol.DocumentChange) error {
	one, ok := step.(*protocol.TextDocumentEdit)
	if !ok || one.TextDocument.Version == nil {
		return nil
	}
	b, open := e.buffer(one.TextDocument.URI)
	if !open || b.Version != *one.TextDocument.Version {
		return fmt.Errorf("%s is at version %d, the edit is for %d", e.name(one.TextDocument.URI), b.Version, *one.TextDocument.Version)
	}
	return nil
}

// confirmed asks for an annotated change, where its annotation wants that.
func (e *Editor) confirmed(notes map[protocol.ChangeAnnotationIdentifier]protocol.ChangeAnnotation, id protocol.ChangeAnnotationIdentifier, u uri.URI) (bool, error) {
	if id == "" {
		return true, nil
	}
	note, ok := notes[id]
	if !ok {
		return false, fmt.Errorf("the edit has no annotation %q", id)
	}
	if note.NeedsConfirmation == nil || !*note.NeedsConfirmation || e.opts.Confirm == nil {
		return true, nil
	}
	return e.opts.Confirm(note, e.name(u)), nil
}

// step carries out one step. e.editing is held.
func (e *Editor) step(step protocol.DocumentChange, notes map[protocol.ChangeAnnotationIdentifier]protocol.ChangeAnnotation) error {
	switch op := step.(type) {
	case *protocol.TextDocumentEdit:
		return e.edit(op, notes)
	case *protocol.CreateFile:
		if op.Kind != "create" {
			return fmt.Errorf("a file operation of kind %q", op.Kind)
		}
		if ok, err := e.confirmed(notes, op.AnnotationID, op.URI); !ok {
			return err
		}
		return e.create(op)
	case *protocol.RenameFile:
		if ok, err := e.confirmed(notes, op.AnnotationID, op.OldURI); !ok {
			return err
		}
		return e.rename(op)
	case *protocol.DeleteFile:
		if ok, err := e.confirmed(notes, op.AnnotationID, op.URI); !ok {
			return err
		}
		return e.delete(op)
	}
	return fmt.Errorf("an edit of an unknown kind, %T", step)
}

// span is a replacement of the original text's bytes.
type span struct {
	start, end int
	r          protocol.Range
	text       string
}

// edit changes a document; one that is not open is opened for it, as editors do.
func (e *Editor) edit(op *protocol.TextDocumentEdit, notes map[protocol.ChangeAnnotationIdentifier]protocol.ChangeAnnotation) error {
	u := op.TextDocument.URI
	text := e.text(u)
	var spans []span
	for _, element := range op.Edits {
		var t protocol.TextEdit
		var note protocol.ChangeAnnotationIdentifier
		switch x := element.(type) {
		case *protocol.TextEdit:
			t = *x
		case *protocol.AnnotatedTextEdit:
			t, note = x.TextEdit, x.AnnotationID
		default:
			return fmt.Errorf("a text edit of an unknown kind, %T", element)
		}
		ok, err := e.confirmed(notes, note, u)
		if err != nil {
			return err
		} else if !ok {
			continue
		}
		start, err1 := Offset(text, t.Range.Start, e.Encoding())
		end, err2 := Offset(text, t.Range.End, e.Encoding())
		if err := errors.Join(err1, err2); err != nil || end < start {
			return fmt.Errorf("a bad range in %s: %+v: %w", e.name(u), t.Range, err)
		}
		spans = append(spans, span{start, end, t.Range, t.NewText})
	}
	if len(spans) == 0 {
		return nil
	}
	b, open := e.buffer(u)
	if !open {
		if err := e.open(u, text); err != nil {
			return err
		}
		b = Buffer{Text: text, Version: 1}
	}
	next, events, err := weave(text, spans)
	if err != nil {
		return fmt.Errorf("%s: %w", e.name(u), err)
	}
	b.Text = next
	version := e.keep(u, b)
	e.held = append(e.held, func() error { return e.tell(u, version, events) })
	if e.opts.Hostile.LateChange != 0 {
		return nil
	}
	return e.flush()
}

// weave applies all spans to the text, and returns the events that do the same
// one after the other: from the last to the first, so that none moves another.
func weave(text string, spans []span) (string, []protocol.TextDocumentContentChangeEvent, error) {
	slices.SortStableFunc(spans, func(a, b span) int { return cmp.Compare(a.start, b.start) })
	next, at := "", 0
	var events []protocol.TextDocumentContentChangeEvent
	for _, s := range spans {
		if s.start < at {
			return "", nil, fmt.Errorf("edits overlap at byte %d", s.start)
		}
		next += text[at:s.start] + s.text
		at = s.end
		events = append(events, &protocol.TextDocumentContentChangePartial{Range: s.r, Text: s.text})
	}
	slices.Reverse(events)
	return next + text[at:], events, nil
}

// create makes an empty file.
func (e *Editor) create(op *protocol.CreateFile) error {
	path := op.URI.FsPath()
	if _, err := os.Lstat(path); err == nil {
		overwrite := op.Options != nil && op.Options.Overwrite != nil && *op.Options.Overwrite
		ignore := op.Options != nil && op.Options.IgnoreIfExists != nil && *op.Options.IgnoreIfExists
		if ignore && !overwrite {
			return nil
		} else if !overwrite {
			return fmt.Errorf("%s exists", e.name(op.URI))
		}
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, nil, 0o644)
}

// rename moves a file; a buffer of it follows.
func (e *Editor) rename(op *protocol.RenameFile) error {
	from, to := op.OldURI.FsPath(), op.NewURI.FsPath()
	if op.Kind != "rename" {
		return fmt.Errorf("a file operation of kind %q", op.Kind)
	}
	if _, err := os.Lstat(to); err == nil && (op.Options == nil || op.Options.Overwrite == nil || !*op.Options.Overwrite) {
		return fmt.Errorf("%s exists", e.name(op.NewURI))
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	b, open := e.buffer(op.OldURI)
	if err := os.Rename(from, to); err != nil || !open {
		return err
	}
	return errors.Join(e.close(op.OldURI), e.open(op.NewURI, b.Text))
}

// delete removes a file, and its buffer.
func (e *Editor) delete(op *protocol.DeleteFile) error {
	if op.Kind != "delete" {
		return fmt.Errorf("a file operation of kind %q", op.Kind)
	}
	_, open := e.buffer(op.URI)
	err := os.Remove(op.URI.FsPath())
	if errors.Is(err, os.ErrNotExist) && op.Options != nil && op.Options.IgnoreIfNotExists != nil && *op.Options.IgnoreIfNotExists {
		err = nil
	}
	if err != nil || !open {
		return err
	}
	return e.close(op.URI)
}
