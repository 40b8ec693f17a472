package lsp

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"

	"caselsp/agent"
	"caselsp/agent/record"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"
)

// One process owns what is kept of a workspace. While that is another editor or a terminal, commands of this editor are
// carried out there, as far as they need no conversation with this one. What begins a task waits until that process has ended.

// Owned is the error of a [Backend] where another process works on the client's folders.
type Owned struct {
	Process int // its id; 0: not known
	Err     error
}

// Error implements error.
func (o *Owned) Error() string { return o.Err.Error() }

// Unwrap returns what the store said.
func (o *Owned) Unwrap() error { return o.Err }

// name is the other process in words.
func (o *Owned) name() string {
	if o.Process == 0 {
		return "another process"
	}
	return "process " + strconv.Itoa(o.Process)
}

// Errand is what the process that owns the store is asked to do for this editor.
type Errand struct {
	Do                                   string // which of the errands
	Task, Text, Thread, File, Kept, Rule string
	Hunk                                 int    // from 1; 0: all
	Document                             string // the name of the document that what is said becomes; "": none
}

// What another process does for an editor.
const (
	DoStatus   = "status"
	DoTell     = "tell"
	DoStop     = "stop"
	DoHistory  = "history"
	DoState    = "state"
	DoReview   = "review"
	DoAccept   = "accept"
	DoReject   = "reject"
	DoUndo     = "undo"
	DoNote     = "note"
	DoGranted  = "approvals"
	DoRevoke   = "revoke"
	DoThreads  = "threads"
	DoThread   = "thread"
	DoForget   = "forget"
	DoAsk      = "ask"
	DoWaitHere = "wait" // until it has ended
)

// ErrAlone says that no other process works on the folders any longer.
var ErrAlone = errors.New("no other process works on this workspace")

// attached are the commands that another process carries out.
type attached struct {
	do     func(ctx context.Context, dirs []string, e Errand) (said string, err error) // nil: none is
	ed     *editor
	parted func(ctx context.Context) // is told when the other process has ended

	mu    sync.Mutex
	owned *Owned // the process that works on the folders, as far as is known
}

// now is the process that works on the folders; nil: none is known.
func (t *attached) now() *Owned {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.owned
}

// errandOf is what a command is at the other process; false: it is not done there.
func errandOf(id string, a arguments) (e Errand, ok bool) {
	if data, err := a.wantsData(); data || err != nil {
		return e, false // what another process says is for people
	}
	e.Task, _ = a.field(argTask.Name)
	e.Thread, _ = a.field(argThread.Name)
	e.File, _ = a.field(argFile.Name)
	e.Kept, _ = a.field(argKept.Name)
	if hunk, given := a.field(argHunk.Name); given {
		e.Hunk, _ = strconv.Atoi(hunk)
	}
	switch id {
	case cmdStatus, cmdStop, cmdReview, cmdUndo, cmdReport:
		e.Task = a.text(argTask.Name)
	}
	switch id {
	case cmdStatus:
		e.Do = DoStatus
	case cmdTell:
		e.Do, e.Text = DoTell, a.text(argText.Name)
	case cmdStop:
		e.Do = DoStop
	case cmdHistory:
		e.Do, e.Document = DoHistory, "beside-history.md"
	case cmdReport:
		e.Do, e.Document = DoHistory, "beside-report.md"
		if e.Task == "" {
			e.Task = "last"
		}
	case cmdState:
		e.Do, e.Document = DoState, "beside-state.md"
	case cmdReview:
		e.Do, e.Document = DoReview, "beside-review.md"
	case cmdAccept:
		e.Do = DoAccept
	case cmdReject:
		e.Do = DoReject
	case cmdUndo:
		e.Do = DoUndo
	case cmdNote:
		e.Do, e.Text = DoNote, a.text(argText.Name)
		_, paper := a.uri()
		return e, e.Text != "" && !paper && !a.flag(argSend.Name)
	case cmdApprovals:
		e.Do, e.Document = DoGranted, "beside-approvals.md"
	case cmdRevoke:
		e.Do, e.Rule = DoRevoke, a.text(argRule.Name)
	case cmdThread, cmdAsk:
		return threadErrand(id, e, a)
	}
	return e, e.Do != ""
}

// threadErrand is errandOf for the commands about threads. What needs a document to write in, or begins a task, is not done there.
func threadErrand(id string, e Errand, a arguments) (Errand, bool) {
	if id == cmdAsk {
		if e.Thread == "" {
			e.Thread = agent.DefaultThread
		}
		e.Do, e.Text = DoAsk, a.text(argText.Name)
		_, placed := a.uri()
		return e, e.Text != "" && !placed && record.CheckThread(e.Thread) == nil
	}
	e.Thread = a.text(argThread.Name)
	switch {
	case a.flag(argDo.Name):
		return e, false
	case a.flag(argDelete.Name):
		e.Do = DoForget
	case e.Thread == "":
		e.Do, e.Document = DoThreads, "beside-threads.md"
	default:
		e.Do, e.Document = DoThread, "beside-thread.md"
	}
	return e, true
}

// here names what works while another process has the workspace open, for the user.
const here = cmdStatus + ", " + cmdHistory + ", " + cmdReport + ", " + cmdReview + ", " + cmdAccept + ", " + cmdReject + ", " + cmdUndo + ", " + cmdTell + ", " + cmdStop + ", " + cmdAsk + " with a text, " + cmdThread + " and " + cmdApprovals

// carryOut has the other process carry a command out. [ErrAlone] says that this one can, now.
func (t *attached) carryOut(c *call, id string, a arguments, dirs []string, owned *Owned) (any, error) {
	e, ok := errandOf(id, a)
	if t.do == nil {
		return nil, owned
	}
	if !ok {
		return nil, fmt.Errorf("%s works on this workspace, perhaps another editor: do this there, or here when it has ended. Meanwhile work here: the checks of files, %s", owned.name(), here)
	}
	if e.Do == DoAsk {
		t.ed.later(c, func() {}, func(ctx context.Context) error { return t.ask(ctx, dirs, e) })
		return started{record.ThreadID(e.Thread)}, nil
	}
	said, err := t.do(t.ed.Context(), dirs, e)
	if err != nil {
		return nil, err
	}
	if e.Document != "" {
		t.ed.later(c, func() {}, func(ctx context.Context) error { return t.ed.showDocument(ctx, uri.File(said), nil) })
		return nil, nil
	}
	if said = strings.TrimSpace(said); said != "" {
		t.ed.showMessage(protocol.MessageTypeInfo, said)
	}
	return nil, nil
}

// ask says something in a thread, and shows the thread when it is answered.
func (t *attached) ask(ctx context.Context, dirs []string, e Errand) error {
	answer, err := t.do(ctx, dirs, e)
	if err != nil {
		return err
	}
	how := fmt.Sprintf(" The command %s shows all of it.", cmdThread)
	if path, err := t.do(ctx, dirs, Errand{Do: DoThread, Thread: e.Thread, Document: "beside-thread.md"}); err == nil && t.ed.showAside(ctx, uri.File(path), nil) == nil {
		how = ""
	}
	t.ed.showMessage(protocol.MessageTypeInfo, fmt.Sprintf("Answered in the thread %s: %s.%s", e.Thread, cut(strings.TrimSpace(answer), maxReason), how))
	return nil
}

// meet tells the user, when the server starts, that another process works on the folders.
func (t *attached) meet(dirs []string, owned *Owned) {
	if t.do == nil {
		return
	}
	text := fmt.Sprintf("%s works here, too: %s", strings.ToUpper(owned.name()[:1])+owned.name()[1:], cmdStatus) // short, as [taskCommands.announce]
	if t.ed.client.AsksBeside {
		text += fmt.Sprintf(" tells where its tasks are. New tasks wait until it has ended. Meanwhile work here: the checks of files, %s.", here)
	}
	t.ed.showMessage(protocol.MessageTypeInfo, text)
	t.await(dirs, owned)
}

// await has commands go to the other process until that has ended, and tells the user then that tasks can begin here.
func (t *attached) await(dirs []string, owned *Owned) {
	t.mu.Lock()
	before := t.owned
	t.owned = owned
	t.mu.Unlock()
	if before != nil || t.do == nil {
		return
	}
	t.ed.Go("waiting for another process to end", func(ctx context.Context) error {
		_, err := t.do(ctx, dirs, Errand{Do: DoWaitHere})
		t.mu.Lock()
		t.owned = nil
		t.mu.Unlock()
		if errors.Is(err, ErrAlone) && ctx.Err() == nil {
			t.ed.showMessage(protocol.MessageTypeInfo, "The other process has ended: tasks begin here now.")
			t.parted(ctx)
		}
		return nil
	})
}
