package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"

	"caselsp/agent"
	"caselsp/agent/workspace"
	"caselsp/cmd/caselsp/screen"
	"caselsp/lsp"
	"caselsp/store"
)

// An editor whose workspace another process has open, an editor or a terminal, has that one do what a terminal would:
// by the same verbs, at a seat without keys.

// owned says to an editor that another process owns the store; other errors stay, and so does one that
// names this process, which cannot be asked to do what it cannot do itself.
func owned(err error) error {
	if locked := (*store.Locked)(nil); errors.As(err, &locked) && locked.PID != os.Getpid() {
		return &lsp.Owned{Process: locked.PID, Err: err}
	}
	return err
}

// besideArgs are a verb whose output becomes a document, which editors can open.
type besideArgs struct {
	Do       string
	Args     json.RawMessage
	Document string
	Plain    bool `json:",omitempty"` // what is said is no Markdown
}

var documentOf = reads("document", func(ctx context.Context, e *engine, s *seat, a besideArgs) error {
	inner, known := verbs[a.Do]
	if !known {
		return usage(fmt.Errorf("there is no verb %q", a.Do))
	}
	var text bytes.Buffer
	there := *s
	there.out = stream{Writer: &text}
	if err := inner.do(ctx, e, &there, a.Args); err != nil {
		return err
	}
	said := agent.Visible(text.String())
	if a.Plain {
		said = "# " + strings.TrimSuffix(a.Document, ".md") + "\n\n" + agent.QuoteLines(said, "    ")
	}
	path, err := e.store.Document(a.Document, []byte(said))
	if err == nil {
		fmt.Fprint(s.out, path)
	}
	return err
})

// waitForEnd lasts as long as this process owns the store.
var waitForEnd = reads("wait", func(ctx context.Context, _ *engine, s *seat, _ struct{}) error {
	fmt.Fprint(s.err, "") // so that it may last
	<-ctx.Done()
	return context.Cause(ctx)
})

// verbFor is the verb of an errand. plain says that what it says is no Markdown.
func verbFor(e lsp.Errand) (do string, args any, plain bool) {
	switch e.Do {
	case lsp.DoStatus:
		return showStatus.name, statusArgs{Task: e.Task}, true
	case lsp.DoTell:
		return tellToTask.name, tellArgs{Task: e.Task, Text: e.Text}, true
	case lsp.DoStop:
		return stopTask.name, e.Task, true
	case lsp.DoHistory:
		return showHistory.name, historyArgs{Task: e.Task}, e.Task == ""
	case lsp.DoState:
		return showState.name, false, true
	case lsp.DoReview:
		return reviewTask.name, reviewArgs{Task: e.Task, Show: true}, true
	case lsp.DoAccept, lsp.DoReject, lsp.DoUndo:
		return reviewTask.name, reviewArgs{Task: e.Task, Accept: e.Do == lsp.DoAccept, Reject: e.Do == lsp.DoReject, Undo: e.Do == lsp.DoUndo, File: e.File, Kept: e.Kept, Hunk: e.Hunk}, true
	case lsp.DoNote:
		return reviewTask.name, reviewArgs{Task: e.Task, Noting: true, Note: e.Text, File: e.File, Hunk: e.Hunk}, true
	case lsp.DoGranted:
		return listApprovals.name, approvalsArgs{}, true
	case lsp.DoRevoke:
		return revokeApprovals.name, e.Rule, true
	case lsp.DoThreads:
		return listThreads.name, false, true
	case lsp.DoThread:
		return showThread.name, e.Thread, false
	case lsp.DoForget:
		return deleteThread.name, e.Thread, true
	case lsp.DoAsk:
		return sayInThread.name, chatArgs{Thread: e.Thread, Text: e.Text}, true
	case lsp.DoWaitHere:
		return waitForEnd.name, struct{}{}, true
	}
	return e.Do, nil, true // the other process says that it does not know it
}

// noKeys are those of a seat at which nobody can be asked.
type noKeys struct{}

func (noKeys) next() (string, bool) { return "", false }
func (noKeys) flush()               {}
func (noKeys) hide() (show func())  { return func() {} }
func (noKeys) recall([]string)      {}

func (noKeys) ask(screen.Prompt) (done func(), asked bool) { return nil, false }

// beside has the process that owns the store of an editor's folders do something for the editor.
func (w *wiring) beside(ctx context.Context, dirs []string, e lsp.Errand) (string, error) {
	ws, err := workspace.Open(dirs...)
	if err != nil {
		return "", err
	}
	o := store.Options{StateDir: w.stateDir, Workspace: ws.ID()}
	if err := ws.Close(); err != nil {
		return "", err
	}
	do, args, plain := verbFor(e)
	ask := ownerAsk{Do: do}
	if ask.Args, err = argsOf(args); err != nil {
		return "", err
	}
	if e.Document != "" {
		ask.Do = documentOf.name
		if ask.Args, err = argsOf(besideArgs{do, ask.Args, e.Document, plain}); err != nil {
			return "", err
		}
	}
	var out, notes bytes.Buffer
	s := &seat{out: stream{Writer: &out}, err: stream{Writer: &notes}, then: func(string, any) {}}
	s.in = newLineReader(noKeys{}, false, &notes)
	err = askOwnerOf(ctx, o, &ask, s)
	switch coded := (*exitError)(nil); {
	case errors.Is(err, store.ErrNoOwner), errors.Is(err, store.ErrOwnerLeft) && !verbs[do].works:
		return "", lsp.ErrAlone
	case errors.Is(err, store.ErrOwnerLeft):
		return "", errors.New("the process that worked on this workspace has ended in the middle of it: look at what came of it, and try again")
	case errors.As(err, &coded) && coded.err == nil:
		return "", errors.New(noteOf(notes.String()))
	case err != nil:
		return "", err
	case out.Len() == 0:
		return noteOf(notes.String()), nil
	}
	return out.String(), nil
}

// noteOf is what was said on standard error, without the program's name.
func noteOf(text string) string {
	var lines []string
	for line := range strings.Lines(text) {
		lines = append(lines, strings.TrimPrefix(strings.TrimSpace(line), "caselsp: "))
	}
	return strings.Join(lines, "\n")
}
