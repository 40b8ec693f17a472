// Package lsp connects the agent to editors. It is the only package that knows both
// the Language Server Protocol and the agent: it turns messages of the editor into
// calls of the agent, events of the agent into messages, questions into prompts, and
// change sets into edits of open documents. It hides the three position encodings
// and what each client can and cannot do. The connection itself is package
// lsp/wire.
//
// It never changes a file without the user's decision, never lets a client block
// the agent (each request to the client has a timeout, each notification goes
// through a bounded queue), and never trusts a client's word where it can look: after
// an edit it compares the text.
//
// # The parts
//
// [server] is made of parts, each with one idea, its own state and its own lock;
// newServer shows which part uses which. [editor] is the client and what it can do.
// [documents], [folders] and [configuration] are what is open in it and how it is
// set. [engines] opens the agent when something needs it, and [indexing] finds out
// before what it will ask of the files. [judgement], [diagnostics]
// and [stagedFiles] are about findings; [reviews] about results that wait for
// decisions; [tasks], [questions], [questionPage], [papers], [pages], [approvals] and [trust] about
// the agent's work and its user; [offers] and taskCommands about what the user can
// start; [attached] about what another process does, where that works on the folders.
//
// They are one package, although it is larger than others, because they are one
// idea, a session with one client, and refer to each other in circles: engines hand
// the agent the questions to ask, questions resume tasks through engines, diagnostics
// and judgement call each other. All send through the one editor, whose capabilities
// decide what each may send. Packages of their own would need an interface with one
// implementation at each of these places. The positions and the text of documents
// (position.go, document.go) need none of these parts, but they are some 300 lines
// without a second importer: in a package of their own they would have to export most
// of their names, and this package would be hardly smaller.
//
// # From a message to its handler
//
// wire.Conn reads a message and calls what was registered for its method.
// Notifications run on the read loop, in the order of the wire: [documents.didChange]
// makes a new version of a document and calls those in documents.changed, which must
// not wait. A request is registered with [onRequest], which takes the snapshot of the
// documents on the read loop and runs the handler beside it: diagnostics.pull,
// offers.all for code actions, or, for workspace/executeCommand, server.execute. That
// finds the command in table, checks its arguments and calls its handler, such as
// taskCommands.doRun. A command is answered at once with the id of its task
// ([started]); the work, tasks.follow, begins after the answer ([editor.later],
// wire.Call.AfterAnswer) and yields the agent's events, which become progress, log
// messages and diagnostics.
//
// # From a question to its answer
//
// The agent calls [questions.Ask], which waits for the first decision, however it comes.
// questions.show presents the question by what is known of the client: beside the text as a
// prompt with choices (questions.prompt), one at a time and not while the user types
// (documents.rest), or, where a prompt would take the keyboard, as a message (questions.tell).
// choicesOf says what can be chosen, for the prompt, for the code actions (questions.actions)
// and for the list of questions (questionPage) alike; free text is written into a document
// (papers.openAnswer). The commands questions.doApprove, doDeny or doAnswer find the open
// question (questions.find) and hand the answer over (questions.answer); questions.deliver
// gives it to the Ask that waits. A client that dismisses the prompt, fails, answers what was
// not offered, or answers faster than one can read has decided nothing: the task goes on
// waiting. After waitTime Ask returns agent.ErrUndecided and the task pauses with the question
// in its journal; a later answer is recorded there and resumes the task
// (questions.answerPaused).
package lsp

import (
	"context"
	"io"
	"log/slog"

	"caselsp/agent"
	"caselsp/agent/record"
	setting "caselsp/agent/settings"
)

// Name is what the server calls itself, and the section of its settings in the
// client's configuration.
const Name = "caselsp"

// Options say how a client is served. The zero value works.
type Options struct {
	Version string       // told to the client; may be empty
	Log     slog.Handler // gets every record; the client gets those of level info and above; may be nil

	// Backend carries out tasks. A server without one only checks documents.
	Backend Backend

	// Trust says which folders are trusted; nil: all of them.
	Trust *agent.Trust

	// Validators returns how the documents in the client's folders are judged; nil:
	// each document alone, by all rules with their default severities.
	Validators func(dirs []string, layers []setting.Layer) (*Validators, error)

	// Index finds out what the files in the client's folders declare, and keeps it where the
	// Backend's tasks find it. It ends with ctx, and returns of how many files it knows; nil: tasks find it out.
	Index func(ctx context.Context, dirs []string) (files int, err error)

	// Unfinished returns the tasks in the client's folders that can be resumed or wait for a review, of which the
	// user is told at the start; nil: nobody is told. An *[Owned] says that another process works on the folders.
	Unfinished func(dirs []string) ([]record.Status, error)

	// Beside has the process that works on the client's folders do something, and returns what it says: where that becomes a
	// document, its path. [ErrAlone] says that there is none. nil: commands are refused while there is one.
	Beside func(ctx context.Context, dirs []string, e Errand) (said string, err error)

	// Docs returns the file and the line, from 1, where a validator's rule is
	// documented; line 0 if it is not documented. It may be nil.
	Docs func(rule string) (file string, line int)

	// Remote says that the client may run on another machine, where its process id
	// means nothing: only the end of the connection then tells that it is gone.
	Remote bool
}

// Serve talks to one client until it says exit, its process ends, the
// connection ends, or ctx does. The exit code is the protocol's: 0 after
// shutdown, otherwise 1. The error says what broke the connection; it is nil when
// the connection just ended. Serve closes rwc.
func Serve(ctx context.Context, rwc io.ReadWriteCloser, o Options) (exitCode int, err error) {
	s := newServer(ctx, o)
	s.install()
	return s.ed.Serve(rwc)
}
