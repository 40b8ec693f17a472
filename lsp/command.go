package lsp

import (
	"fmt"
	"slices"
	"strings"

	"caselsp/agent"
	"caselsp/agent/near"
	"caselsp/lsp/wire"

	"go.lsp.dev/protocol"
)

// The ids of the commands, which the clients are told.
const (
	cmdRun           = "caselsp.run"
	cmdNew           = "caselsp.new"
	cmdFollow        = "caselsp.follow"
	cmdFix           = "caselsp.fix"
	cmdFixAll        = "caselsp.fixAll"
	cmdTodo          = "caselsp.todo"
	cmdTest          = "caselsp.test"
	cmdActivity      = "caselsp.activity"
	cmdMetrics       = "caselsp.metrics"
	cmdAsk           = "caselsp.ask"
	cmdThread        = "caselsp.thread"
	cmdTell          = "caselsp.tell"
	cmdStop          = "caselsp.stop"
	cmdResume        = "caselsp.resume"
	cmdStatus        = "caselsp.status"
	cmdApprove       = "caselsp.approve"
	cmdApproveTask   = "caselsp.approveTask"
	cmdApproveAlways = "caselsp.approveAlways"
	cmdDeny          = "caselsp.deny"
	cmdAnswer        = "caselsp.answer"
	cmdQuestions     = "caselsp.questions"
	cmdReview        = "caselsp.review"
	cmdAccept        = "caselsp.accept"
	cmdReject        = "caselsp.reject"
	cmdNext          = "caselsp.next"
	cmdNote          = "caselsp.note"
	cmdUndo          = "caselsp.undo"
	cmdHistory       = "caselsp.history"
	cmdPrune         = "caselsp.prune"
	cmdReport        = "caselsp.report"
	cmdApprovals     = "caselsp.approvals"
	cmdRevoke        = "caselsp.revoke"
	cmdMemory        = "caselsp.memory"
	cmdValidators    = "caselsp.validators"
	cmdTrust         = "caselsp.trust"
	cmdSettings      = "caselsp.settings"
	cmdConfirm       = "caselsp.confirm"
	cmdDoctor        = "caselsp.doctor"
	cmdState         = "caselsp.state"
)

// Command is one of the server's commands, for those who run it.
type Command struct {
	ID        string
	Arguments Arguments
	Does      string
}

// Arguments is what a command takes: one string, or one object with some of the
// fields. The documentation is made from it, and what clients send is checked
// against it: a misspelt field must not be passed over, because an acceptance
// without its file would be one of all files.
type Arguments struct {
	Alone    string // what a plain string means; "" where the documentation offers none
	Fields   []Field
	Optional bool // said in the documentation: none may be given
}

// Field is one field of an object of arguments.
type Field struct {
	Name string
	kind kind
}

// kind is what the value of a field must be.
type kind int

const (
	word   kind = iota // a string or a number
	flag               // true or false
	object             // an object, such as a range
)

// The fields of arguments.
var (
	argTask       = Field{"task", word}
	argQuestion   = Field{"question", word}
	argText       = Field{"text", word}
	argURI        = Field{"uri", word}
	argRange      = Field{"range", object}
	argDiagnostic = Field{"diagnostic", object}
	argSingle     = Field{"single", flag}
	argLanguage   = Field{"language", word}
	argType       = Field{"type", word}
	argReason     = Field{"reason", word}
	argWhy        = Field{"why", flag}
	argWrite      = Field{"write", flag}
	argSure       = Field{"sure", flag}
	argFile       = Field{"file", word}
	argHunk       = Field{"hunk", word}
	argKept       = Field{"kept", word}
	argRule       = Field{"rule", word}
	argValue      = Field{"value", word}
	argWithdraw   = Field{"withdraw", flag}
	argThread     = Field{"thread", word}
	argDo         = Field{"do", flag}
	argDelete     = Field{"delete", flag}
	argRecord     = Field{"record", word}
	argForget     = Field{"forget", flag}
	argExport     = Field{"export", flag}
	argDays       = Field{"days", word}
	argMegabytes  = Field{"megabytes", word}
	argFormat     = Field{"format", word}
	argTexts      = Field{"texts", flag}
	argSend       = Field{"send", flag}
	argValidator  = Field{"validator", word}
	argTry        = Field{"try", flag}
	argApprove    = Field{"approve", flag}
	argRemove     = Field{"remove", flag}
)

// namesOf returns the names of fields.
func namesOf(list []Field) []string {
	names := make([]string, len(list))
	for i, f := range list {
		names[i] = f.Name
	}
	return names
}

// fields are arguments given as an object.
func fields(list ...Field) Arguments { return Arguments{Fields: list} }

// oneTask are the arguments of commands that take a task and nothing else.
var oneTask = Arguments{Alone: argTask.Name, Fields: []Field{argTask}}

// or lets a plain string stand for the object.
func (a Arguments) or(alone string) Arguments {
	a.Alone = alone
	return a
}

// orNone says that the arguments may be left out.
func (a Arguments) orNone() Arguments {
	a.Optional = true
	return a
}

// String is the arguments in words, for the documentation.
func (a Arguments) String() string {
	names := namesOf(a.Fields)
	var ways []string
	if a.Alone != "" {
		ways = append(ways, a.Alone)
	}
	if len(names) > 1 || len(names) == 1 && names[0] != a.Alone {
		ways = append(ways, "`{"+strings.Join(names, ", ")+"}`")
	}
	if a.Optional || len(ways) == 0 {
		ways = append(ways, "none")
	}
	return strings.Join(ways, " or ")
}

// handler carries a command out. It answers at once: what takes time or calls the
// editor is left to [editor.later].
type handler func(c *call, a arguments) (any, error)

// entry is a command and which part of the server carries it out.
type entry struct {
	Command
	do func(s *server) handler
}

// table are all commands, in the order of the documentation. A command that is
// not here is not advertised either.
var table = []entry{
	{Command{cmdRun, fields(argTask, argSingle, argLanguage, argType, argURI, argRange).or("text"), "start a task, or open a prompt document where there is no text; `uri` and `range` say what it is about, or which prompt document holds its text; one about a place is done in one loop, unless `single` is false"}, func(s *server) handler { return s.taskCommands.doRun }},
	{Command{cmdNew, fields(argURI, argRange).orNone(), "open a prompt document, about this place where one is given"}, func(s *server) handler { return s.taskCommands.doNew }},
	{Command{cmdFollow, fields(argTask, argText, argSingle).or("text"), "start a task that goes on from an earlier one (`task`, or the last): its text, report and diff are given along; without a text, a prompt document is opened"}, func(s *server) handler { return s.taskCommands.doFollow }},
	{Command{cmdFix, fields(argURI, argDiagnostic, argSingle), "fix one diagnostic of any language server, in one loop without a plan; `single: false` plans and verifies it"}, func(s *server) handler { return s.taskCommands.doFix }},
	{Command{cmdFixAll, fields(argURI), "apply all fixes of a document that are certain"}, func(s *server) handler { return s.offers.doFixAll }},
	{Command{cmdTodo, fields(argURI, argRange, argSingle), "carry out this TODO or `case:` comment, in one loop like a fix; answer a `case?` comment beside it"}, func(s *server) handler { return s.taskCommands.doTodo }},
	{Command{cmdTest, fields(argURI, argRange, argSingle), "write tests for a file, or for a range of it"}, func(s *server) handler { return s.taskCommands.doTest }},
	{Command{cmdAsk, fields(argText, argThread, argURI, argRange).or(argText.Name).orNone(), "ask about the code, in a thread that is remembered (`main` where none is named); `uri` and `range` show the model a file or a selection, or say which prompt document holds the text; without a text, such a document is opened"}, func(s *server) handler { return s.taskCommands.doAsk }},
	{Command{cmdThread, fields(argThread, argDo, argDelete).or(argThread.Name).orNone(), "open a thread, or the list of them; `do: true` has a task do what its last answer proposes, `delete: true` deletes it"}, func(s *server) handler { return s.taskCommands.doThread }},
	{Command{cmdTell, fields(argTask, argText).or("text"), "say something to a task that is under way or can be resumed: its models are told before the next step"}, func(s *server) handler { return s.taskCommands.doTell }},
	{Command{cmdStop, oneTask.orNone(), "stop a task; it can be resumed"}, func(s *server) handler { return s.taskCommands.doStop }},
	{Command{cmdResume, fields(argTask, argText).or(argTask.Name).orNone(), "go on with a task that was stopped, paused or interrupted, or try again what failed of one that is over; `text` says how"}, func(s *server) handler { return s.taskCommands.doResume }},
	{Command{cmdStatus, fields(argTask, argFormat).or(argTask.Name).orNone(), "say what state the tasks are in; `format: \"data\"` answers with data for plugins and says nothing"}, func(s *server) handler { return s.taskCommands.doStatus }},
	{Command{cmdActivity, oneTask.orNone(), "open what a task does, as a document that is kept current: its plan, thoughts, commands with their output, diffs, tokens and cost"}, func(s *server) handler { return s.activities.doActivity }},
	{Command{cmdApprove, fields(argTask, argQuestion), "run the command that is asked about, once; let the task go on; say that a secret is in the keyring now"}, func(s *server) handler { return s.questions.doApprove }},
	{Command{cmdApproveTask, fields(argTask, argQuestion), "allow for this task: of a command this exact line, while the files that it rests on stay the same; where that is offered"}, func(s *server) handler { return s.questions.doApproveTask }},
	{Command{cmdApproveAlways, fields(argTask, argQuestion), "run it, and allow this exact command in this workspace from now on, where that is offered"}, func(s *server) handler { return s.questions.doApproveAlways }},
	{Command{cmdDeny, fields(argTask, argQuestion, argReason, argWhy, argURI), "deny it; the reason goes to the model; `why: true` opens a document for it, `uri` is that document"}, func(s *server) handler { return s.questions.doDeny }},
	{Command{cmdAnswer, fields(argTask, argQuestion, argText, argURI, argWrite, argSure).or("text"), "answer a question; `write: true` opens a document for the answer, `uri` is that document; `sure: true` says that what looks like a password in it is not a secret"}, func(s *server) handler { return s.questions.doAnswer }},
	{Command{cmdQuestions, fields(argTask, argFormat).orNone(), "open the questions that wait for an answer, to decide them; `format: \"data\"` answers with data for plugins and opens nothing"}, func(s *server) handler { return s.questionPage.doQuestions }},
	{Command{cmdReview, fields(argTask, argFile, argTexts, argFormat).or(argTask.Name).orNone(), "open the review document; `format: \"data\"` answers with data for plugins (of one `file`, with its whole `texts`) and opens nothing"}, func(s *server) handler { return s.reviews.doReview }},
	{Command{cmdAccept, fields(argTask, argFile, argHunk, argKept), "accept all, one file or one hunk; hunks count from 1; `kept` names the work of a feature that failed"}, func(s *server) handler { return s.reviews.doAccept }},
	{Command{cmdReject, fields(argTask, argFile, argHunk, argKept), "reject all, one file or one hunk, or the same of kept work"}, func(s *server) handler { return s.reviews.doReject }},
	{Command{cmdNext, fields(argTask, argFile, argHunk).orNone(), "go to the next open hunk in your files: the one behind this, else the first"}, func(s *server) handler { return s.reviews.doNext }},
	{Command{cmdNote, fields(argTask, argFile, argHunk, argText, argURI, argSend, argWithdraw).or(argText.Name).orNone(), "keep a note on a hunk, a file or all of a result (`uri` is the document that holds it; without a text, one is opened); `send: true` sends the result back with all notes, as one correction of the same task; `withdraw: true` drops the note"}, func(s *server) handler { return s.reviews.doNote }},
	{Command{cmdUndo, oneTask, "revert what was accepted, of the latest task where none is named; what you wrote since stays"}, func(s *server) handler { return s.reviews.doUndo }},
	{Command{cmdHistory, fields(), "open the list of the workspace's tasks"}, func(s *server) handler { return s.pages.doHistory }},
	{Command{cmdPrune, fields(argDays, argMegabytes, argTask, argSure).orNone(), "open the list of old tasks that can be pruned: without activity for so many `days`, or the oldest until the rest takes so many `megabytes`; without both, by the settings; `sure: true` prunes what the list shows, once you confirm it"}, func(s *server) handler { return s.prune.doPrune }},
	{Command{cmdState, fields(), "open what is known of the project: its apps, models and routes, what changed since the last task, and notes of the latest tasks"}, func(s *server) handler { return s.pages.doState }},
	{Command{cmdReport, oneTask, "open a task's report; without a task, the latest"}, func(s *server) handler { return s.pages.doReport }},
	{Command{cmdMetrics, fields(), "open the figures of the workspace's tasks, as `caselsp metrics` prints them"}, func(s *server) handler { return s.pages.doMetrics }},
	{Command{cmdApprovals, fields(), "open the list of what is always allowed here, to revoke it"}, func(s *server) handler { return s.approvals.doApprovals }},
	{Command{cmdRevoke, fields(argRule).orNone(), "ask again before a command that was always allowed, or for a remembered value; without a rule, before all such commands"}, func(s *server) handler { return s.approvals.doRevoke }},
	{Command{cmdMemory, fields(argRecord, argForget, argExport).orNone(), "open the list of what is remembered of past tasks, or a `record` of it by its id; `forget: true` deletes that record, `export: true` opens all as JSON"}, func(s *server) handler { return s.memory.doMemory }},
	{Command{cmdValidators, fields(argValidator, argTry, argApprove, argRemove).or(argValidator.Name).orNone(), "open the list of the fix validators, or one of them by its name; `try: true` runs it on claims of which it is known what the tests said, or on its samples, `approve: true` lets one count that a model has written, `remove: true` deletes it"}, func(s *server) handler { return s.validators.doValidators }},
	{Command{cmdTrust, fields(argWithdraw).orNone(), "trust the open folders (caselsp only reads in others); `withdraw: true` withdraws the trust"}, func(s *server) handler { return s.trust.doTrust }},
	{Command{cmdSettings, fields(), "open the list of the settings that hold, of the editor's that wait to be confirmed, and of those that you confirmed"}, func(s *server) handler { return s.settings.doSettings }},
	{Command{cmdConfirm, fields(argValue, argWithdraw), "use a value that the editor has set, by its name in that list; `withdraw: true` takes it back"}, func(s *server) handler { return s.settings.doConfirm }},
	{Command{cmdDoctor, fields(), "check settings, model, sandbox and store, and say what to do"}, func(s *server) handler { return s.pages.doDoctor }},
}

// Commands returns what the server can be asked to do with
// workspace/executeCommand, in the order of the documentation.
func Commands() []Command {
	var list []Command
	for _, e := range table {
		list = append(list, e.Command)
	}
	return list
}

// command returns a command of this server as clients carry it out: the id that
// was advertised, and its arguments.
func command(title, id string, args ...any) protocol.Command {
	c := protocol.Command{Title: agent.Visible(title), Command: id}
	for _, a := range args {
		c.Arguments = append(c.Arguments, wire.Encode(a))
	}
	return c
}

// fixArguments are those of caselsp.fix.
type fixArguments struct {
	URI        string `json:"uri"`
	Diagnostic any    `json:"diagnostic"` // as the client sent it
}

// placeArguments are those of caselsp.todo and, for a selection, caselsp.new.
type placeArguments struct {
	URI   string `json:"uri"`
	Range any    `json:"range"` // a protocol.Range
}

// advertised are the ids of the commands, for the client.
func advertised() protocol.ExecuteCommandOptions {
	options := protocol.ExecuteCommandOptions{}
	for _, e := range table {
		options.Commands = append(options.Commands, e.ID)
	}
	return options
}

// entryOf returns the command of an id.
func entryOf(id string) (entry, error) {
	i := slices.IndexFunc(table, func(e entry) bool { return e.ID == id })
	if i < 0 {
		return entry{}, fmt.Errorf("there is no command %q%s", id, nearestCommand(id))
	}
	return table[i], nil
}

// nearestCommand names the command that was probably meant, or says that there is none.
func nearestCommand(id string) string {
	short := func(id string) string { return strings.ToLower(strings.TrimPrefix(id, Name+".")) }
	var names []string
	for _, e := range table {
		names = append(names, short(e.ID))
	}
	best := slices.Index(names, near.Closest(short(id), names, len(id)/2))
	if best < 0 {
		return ": `caselsp help commands` lists the commands"
	}
	return fmt.Sprintf(": did you mean %s?", table[best].ID)
}
