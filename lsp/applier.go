package lsp

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"caselsp/agent"
	"caselsp/agent/workspace"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"
)

// How long the text of an applied edit may take to arrive. Neovim's didChange
// comes about 150 ms after its answer, eglot's on an idle timer of half a second;
// these leave a busy machine its time.
const (
	arriveTime = 3 * time.Second
	// refusedTime is for an edit that the editor reports as not applied: some editors
	// have applied a part of it anyway.
	refusedTime = time.Second
	// tellTime is for an editor that never answers, and tells of a change when the user next rests (ALE).
	tellTime = 15 * time.Second
)

// applier changes the user's files: what is open in the editor by an edit that
// the editor is asked to make, everything else on disk. File operations are done
// on disk even where the file is open: what editors make of them differs too much.
type applier struct {
	ed      *editor
	docs    *documents
	engines *engines
	agent   *agent.Agent
	label   string // what the editor calls the edit, for instance in its list of undos

	// offer asks the user about each change, in editors that do (see
	// client.Confirms), and leaves alone what is not open.
	offer bool
	// obeyed are the files that programs obey, with who does: each is offered under a name of
	// its own.
	obeyed map[string]string
	// outdated are the files of an offer that the user changed while it stood: editors make nothing of it there.
	outdated []string
}

// outgoing is one document's part of an edit.
type outgoing struct {
	at     int // the index of the edit
	path   string
	uri    uri.URI
	before string
	wanted string
	op     *protocol.TextDocumentEdit
}

// Apply implements workspace.Applier.
func (a *applier) Apply(ctx context.Context, edits []workspace.FileEdit, begin workspace.Begin) ([]workspace.Applied, error) {
	results := make([]workspace.Applied, len(edits))
	var out []outgoing
	var rest []int
	for i, e := range edits {
		results[i].Path = e.Path
		u, open := a.docs.at(a.agent.Workspace, e.Path)
		switch {
		case open && e.Op == workspace.Modify:
			one, err := a.prepare(u, e)
			switch {
			case errors.Is(err, errSameText) && !a.offer:
				rest = append(rest, i)
			case err != nil:
				results[i].Reason = err.Error()
			case one.op == nil:
				results[i].OK = true
			default:
				one.at, one.path = i, e.Path
				out = append(out, one)
			}
		case a.offer:
			results[i].Reason = "it is not open in the editor: decide in the review"
		default:
			rest = append(rest, i)
		}
	}
	var sent []workspace.Applied
	if len(out) > 0 {
		var paths []string
		for _, one := range out {
			paths = append(paths, one.path)
		}
		if err := begin.Tell(nil, paths...); err != nil {
			return results, err
		}
		a.send(ctx, out, results)
		for _, one := range out {
			sent = append(sent, results[one.at])
		}
	}
	return results, a.onDisk(ctx, edits, rest, results, begin.After(sent))
}

// errTyping says that the user changed the file meanwhile.
var errTyping = errors.New("the file changed at this moment: nothing was overwritten; try again")

// errSameText says that an edit changes bytes or permissions but no text, as a change of the encoding
// does: an editor cannot make it, the disk can.
var errSameText = errors.New("the text stays the same")

// errNotText says that a document is not what the file holds.
var errNotText = errors.New("it is not text, and an editor cannot write its bytes: close the file, then try again")

// prepare makes the edit of one open document, against its version now. An edit
// that changes nothing has no op.
func (a *applier) prepare(u uri.URI, e workspace.FileEdit) (outgoing, error) {
	a.engines.feed(u)
	doc := a.docs.get(u)
	now, err := a.agent.Workspace.Read(e.Path)
	wanted, text := e.Content.Text()
	var binary *workspace.NotText
	switch {
	case errors.As(err, &binary):
		return outgoing{}, errNotText
	case doc == nil || err != nil:
		return outgoing{}, errors.Join(errTyping, err)
	case doc.Broken != "":
		return outgoing{}, errors.New("its text here differs from the editor's: close the file, open it, then try again")
	case now.Hash != e.Expect || now.Text != doc.Text:
		return outgoing{}, errTyping
	case !text:
		return outgoing{}, errors.New("its new content is not text, which an editor cannot show: close the file, then try again")
	}
	one := outgoing{uri: u, before: doc.Text, wanted: wanted}
	switch sameMode := e.Content.Mode == 0 || (e.Content.Mode^now.Mode)&0o100 == 0; {
	case wanted == doc.Text && (e.Content.Hash != now.Hash || !sameMode):
		return outgoing{}, errSameText
	case wanted != doc.Text:
		one.op = documentEdit(doc, wanted, a.ed.client.Encoding)
	}
	return one, nil
}

// offered is the annotation of changes that the user is to confirm.
const offered annotation = Name

// documentEdit is the edit that makes a document wanted, of as few lines as may be:
// marks, folds and the cursor stay where nothing changes.
func documentEdit(doc *document, wanted string, e encoding) *protocol.TextDocumentEdit {
	op := &protocol.TextDocumentEdit{TextDocument: protocol.OptionalVersionedTextDocumentIdentifier{
		TextDocumentIdentifier: protocol.TextDocumentIdentifier{URI: doc.URI}, Version: &doc.Version,
	}}
	m := doc.mapper(e)
	at, line := 0, 1
	for _, h := range workspace.Diff(doc.Text, wanted) {
		for ; line < h.OldLine; line++ {
			at += strings.IndexByte(doc.Text[at:], '\n') + 1
		}
		end := at + len(strings.Join(h.Old, ""))
		op.Edits = append(op.Edits, textEdit(m.Range(at, end), strings.Join(h.New, ""), ""))
		at, line = end, line+len(h.Old)
	}
	return op
}

// send has the editor change its documents, and looks at what became of them.
func (a *applier) send(ctx context.Context, out []outgoing, results []workspace.Applied) {
	edit := protocol.WorkspaceEdit{}
	notes := map[annotation]protocol.ChangeAnnotation{offered: {Label: agent.Visible(a.label), NeedsConfirmation: new(true)}}
	for _, one := range out {
		if a.offer {
			id := offered
			if by := a.obeyed[one.path]; by != "" {
				id = annotation(one.path)
				notes[id] = protocol.ChangeAnnotation{Label: agent.Visible(fmt.Sprintf("%s, obeyed by %s", one.path, by)), NeedsConfirmation: new(true)}
			}
			one.op.Edits = annotated(one.op.Edits, id)
		}
		edit.DocumentChanges = append(edit.DocumentChanges, one.op)
	}
	if a.offer {
		edit.ChangeAnnotations = notes
	}
	answer, err := a.ed.applyEdit(ctx, agent.Visible(a.label), edit)
	limit, reason := arriveTime, "the editor says that it made the change, but the text is not as expected: check it, then try again"
	switch {
	case a.ed.client.MayApply:
		limit, reason = tellTime, "the editor has told of no change; its messages can say why. Vim makes it only with `set hidden` while another buffer is not saved"
	case err != nil:
		limit, reason = refusedTime, "the editor did not make the change: "+err.Error()
	case !answer.Applied:
		limit, reason = refusedTime, "the editor did not make the change"
		if answer.FailureReason != nil && *answer.FailureReason != "" {
			reason += ": " + *answer.FailureReason
		}
		reason += "; try again"
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer a.ed.Clock.After(limit, cancel)()
	for _, one := range out {
		doc, ok := a.docs.await(ctx, one.uri, func(d *document) bool { return d != nil && d.Broken == "" && d.Text == one.wanted })
		a.engines.feed(one.uri)
		results[one.at].OK = ok
		if !ok && a.offer && err == nil && !answer.Applied && doc != nil && doc.Text != one.before {
			a.outdated = append(a.outdated, one.path)
		}
		switch {
		case ok:
		case doc == nil:
			results[one.at].Reason = "it was closed while it was being changed: check it, then try again"
		case doc.Text == one.before && err == nil && answer.Applied:
			results[one.at].Reason = "the editor says that it made the change, but the text did not change: the change was declined or lost"
		case doc.Text != one.before && err == nil && !answer.Applied && !a.ed.client.MayApply:
			results[one.at].Reason = "the editor did not make the change, because the text changed at this moment: look at it, then try again"
		default:
			results[one.at].Reason = reason
		}
	}
}

// annotated returns the edits with an annotation that asks the user.
func annotated(edits []protocol.TextDocumentEditElement, id annotation) []protocol.TextDocumentEditElement {
	var list []protocol.TextDocumentEditElement
	for _, e := range edits {
		if plain, ok := e.(*protocol.TextEdit); ok {
			e = textEdit(plain.Range, plain.NewText, id)
		}
		list = append(list, e)
	}
	return list
}

// onDisk makes the edits of the files that are not open, and those that no
// editor is trusted with.
func (a *applier) onDisk(ctx context.Context, edits []workspace.FileEdit, which []int, results []workspace.Applied, begin workspace.Begin) error {
	if len(which) == 0 {
		return nil
	}
	var own []workspace.FileEdit
	for _, i := range which {
		own = append(own, edits[i])
	}
	done, err := workspace.Disk(a.agent.Workspace).Apply(ctx, own, begin)
	for n, r := range done {
		results[which[n]] = r
		e := own[n]
		gone := e.Path
		if e.Op == workspace.Rename {
			gone = e.From
		}
		if _, open := a.docs.at(a.agent.Workspace, gone); r.OK && open && (e.Op == workspace.Delete || e.Op == workspace.Rename) {
			a.ed.showMessage(protocol.MessageTypeWarning, fmt.Sprintf("%s does not exist on disk any more (%s) but is still open here: close it without saving.", gone, e.Op))
		}
	}
	return err
}
