package lsp

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"caselsp/agent/validate"

	"go.lsp.dev/protocol"
)

// fixAllKind is the kind of the action that carries out all certain fixes of a
// document: editors run it on saving where the user says so.
const fixAllKind = protocol.CodeActionKindSourceFixAll + "." + Name

// certainActions offers the fixes of the validators' findings on the lines of a
// range, and all fixes of the document. They cost nothing and need no question: the
// edit is in the action.
func (o *offers) certainActions(_ context.Context, docs snapshot, p *protocol.CodeActionParams) []protocol.CodeAction {
	doc := docs[p.TextDocument.URI]
	if doc == nil || doc.Broken != "" {
		return nil
	}
	result := o.diagnostics.check(doc)
	var list []protocol.CodeAction
	for f, d := range result.on(p.Range) {
		if len(list) == maxOffers {
			break
		}
		if f.Fix != nil {
			a := o.editing(doc, protocol.CodeActionKindQuickFix, f.Fix.Title, f.Fix.Edits)
			a.Diagnostics, a.IsPreferred = []protocol.Diagnostic{d}, new(true)
			list = append(list, a)
		}
	}
	edits, n := validate.Edits(result.judged)
	if n > 0 && (len(list) > 0 || len(p.Context.Only) > 0) {
		list = append(list, o.editing(doc, fixAllKind, fmt.Sprintf("Carry out all certain fixes (%d)", n), edits))
	}
	return list
}

// on are the findings on the lines of a range, with their diagnostics.
func (r *result) on(lines protocol.Range) iter.Seq2[validate.Finding, protocol.Diagnostic] {
	return func(yield func(validate.Finding, protocol.Diagnostic) bool) {
		for i, f := range r.judged {
			d := r.found[i]
			if d.Range.Start.Line <= lines.End.Line && lines.Start.Line <= d.Range.End.Line && !yield(f, d) {
				return
			}
		}
	}
}

// offActions offers to switch off the rules that found something on the lines of a range: behind what mends it.
func (o *offers) offActions(_ context.Context, docs snapshot, p *protocol.CodeActionParams) []protocol.CodeAction {
	doc := docs[p.TextDocument.URI]
	if doc == nil || doc.Broken != "" {
		return nil
	}
	result := o.diagnostics.check(doc)
	var list []protocol.CodeAction
	for f, d := range result.on(p.Range) {
		if len(list) == maxOffers {
			break
		}
		if fix := validate.Disable(doc.kind(), doc.Text, f); fix != nil {
			a := o.editing(doc, protocol.CodeActionKindQuickFix, fix.Title, fix.Edits)
			a.Diagnostics = []protocol.Diagnostic{d}
			list = append(list, a)
		}
	}
	return list
}

// editing returns the action that makes edits of a document.
func (o *offers) editing(doc *document, kind protocol.CodeActionKind, title string, edits []validate.Edit) protocol.CodeAction {
	edit, err := o.ed.client.fit(fixEdit(doc, o.ed.client.Encoding, edits))
	if err != nil {
		panic("lsp: " + err.Error()) // it has no operations on files
	}
	return protocol.CodeAction{Title: title, Kind: &kind, Edit: &edit}
}

// fixEdit returns edits of a document's text as the protocol has them.
func fixEdit(doc *document, e encoding, edits []validate.Edit) protocol.WorkspaceEdit {
	m := doc.mapper(e)
	op := &protocol.TextDocumentEdit{TextDocument: protocol.OptionalVersionedTextDocumentIdentifier{
		TextDocumentIdentifier: protocol.TextDocumentIdentifier{URI: doc.URI}, Version: &doc.Version,
	}}
	for _, e := range edits {
		op.Edits = append(op.Edits, textEdit(m.Range(e.Start, e.End), e.New, ""))
	}
	return protocol.WorkspaceEdit{DocumentChanges: []protocol.DocumentChange{op}}
}

// doFixAll carries out all certain fixes of a document.
func (o *offers) doFixAll(c *call, a arguments) (any, error) {
	u, ok := a.uri()
	if !ok {
		return nil, fmt.Errorf("%s needs {\"uri\": …}, of a document that is open", cmdFixAll)
	}
	doc := c.docs[u]
	switch {
	case doc == nil:
		return nil, fmt.Errorf("%s is not open: open it first", readable(u))
	case doc.Broken != "":
		return nil, errors.New("its text here differs from the editor's: close the file, open it, then try again")
	}
	judged := o.diagnostics.check(doc).judged
	edits, n := validate.Edits(judged)
	if n == 0 {
		return map[string]int{"fixes": 0}, nil
	}
	c.AfterAnswer(func(ctx context.Context) error {
		_, err := o.ed.applyEdit(ctx, "Certain fixes", fixEdit(doc, o.ed.client.Encoding, edits))
		if err != nil && ctx.Err() == nil {
			o.ed.showMessage(protocol.MessageTypeError, sentence(err.Error()))
		}
		return nil
	})
	return map[string]int{"fixes": n}, nil
}
