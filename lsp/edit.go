package lsp

import (
	"fmt"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"
)

// annotation is the id of a change annotation; "" means none.
type annotation = protocol.ChangeAnnotationIdentifier

// createFile, renameFile and deleteFile are the file operations of an edit. They
// are made here alone, because the library does not fill in their kind.
func createFile(u uri.URI, note annotation) *protocol.CreateFile {
	const kind = string(protocol.ResourceOperationKindCreate)
	return &protocol.CreateFile{Kind: kind, URI: u, ResourceOperation: protocol.ResourceOperation{Kind: kind, AnnotationID: note}}
}

func renameFile(from, to uri.URI, note annotation) *protocol.RenameFile {
	const kind = string(protocol.ResourceOperationKindRename)
	return &protocol.RenameFile{Kind: kind, OldURI: from, NewURI: to, ResourceOperation: protocol.ResourceOperation{Kind: kind, AnnotationID: note}}
}

func deleteFile(u uri.URI, note annotation) *protocol.DeleteFile {
	const kind = string(protocol.ResourceOperationKindDelete)
	return &protocol.DeleteFile{Kind: kind, URI: u, ResourceOperation: protocol.ResourceOperation{Kind: kind, AnnotationID: note}}
}

// textEdit replaces a range; with a note it is an annotated one.
func textEdit(r protocol.Range, text string, note annotation) protocol.TextDocumentEditElement {
	plain := protocol.TextEdit{Range: r, NewText: text}
	if note == "" {
		return &plain
	}
	return &protocol.AnnotatedTextEdit{TextEdit: plain, AnnotationID: note}
}

// fit returns an edit in the form that the client takes: without annotations,
// and with plain changes in the place of versioned ones, where it does not know
// those. The edit that comes in is not changed. An operation on files that the
// client does not know is an error: the caller has to do it in another way.
func (c *client) fit(edit protocol.WorkspaceEdit) (protocol.WorkspaceEdit, error) {
	fitted := protocol.WorkspaceEdit{Changes: edit.Changes}
	if c.Annotations {
		fitted.ChangeAnnotations = edit.ChangeAnnotations
	}
	for _, change := range edit.DocumentChanges {
		switch op := change.(type) {
		case *protocol.TextDocumentEdit:
			one := &protocol.TextDocumentEdit{TextDocument: op.TextDocument}
			for _, e := range op.Edits {
				one.Edits = append(one.Edits, c.fitText(e))
			}
			change = one
		case *protocol.CreateFile:
			copied := *op
			copied.AnnotationID = c.fitNote(op.AnnotationID)
			change = &copied
			if !c.CreateFile {
				return fitted, fmt.Errorf("this editor does not create files for a server: %s", readable(op.URI))
			}
		case *protocol.RenameFile:
			copied := *op
			copied.AnnotationID = c.fitNote(op.AnnotationID)
			change = &copied
			if !c.RenameFile {
				return fitted, fmt.Errorf("this editor does not rename files for a server: %s", readable(op.OldURI))
			}
		case *protocol.DeleteFile:
			copied := *op
			copied.AnnotationID = c.fitNote(op.AnnotationID)
			change = &copied
			if !c.DeleteFile {
				return fitted, fmt.Errorf("this editor does not delete files for a server: %s", readable(op.URI))
			}
		}
		fitted.DocumentChanges = append(fitted.DocumentChanges, change)
	}
	if !c.DocumentChanges && len(fitted.DocumentChanges) > 0 {
		return unversioned(fitted), nil
	}
	return fitted, nil
}

// fitNote returns an annotation's id, or none where the client knows none.
func (c *client) fitNote(note annotation) annotation {
	if c.Annotations {
		return note
	}
	return ""
}

// fitText returns one replacement without its annotation where it must be.
func (c *client) fitText(e protocol.TextDocumentEditElement) protocol.TextDocumentEditElement {
	if a, ok := e.(*protocol.AnnotatedTextEdit); ok && !c.Annotations {
		return &a.TextEdit
	}
	return e
}

// unversioned returns the edit of a client without documentChanges: such a
// client knows neither file operations nor annotations.
func unversioned(edit protocol.WorkspaceEdit) protocol.WorkspaceEdit {
	changes := make(map[uri.URI][]protocol.TextEdit)
	for _, change := range edit.DocumentChanges {
		op, ok := change.(*protocol.TextDocumentEdit)
		if !ok {
			continue
		}
		for _, e := range op.Edits {
			switch e := e.(type) {
			case *protocol.TextEdit:
				changes[op.TextDocument.URI] = append(changes[op.TextDocument.URI], *e)
			case *protocol.AnnotatedTextEdit:
				changes[op.TextDocument.URI] = append(changes[op.TextDocument.URI], e.TextEdit)
			}
		}
	}
	return protocol.WorkspaceEdit{Changes: changes}
}
