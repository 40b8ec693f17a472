package lsp

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	setting "caselsp/agent/settings"
	"caselsp/lsp/wire"

	"go.lsp.dev/protocol"
)

// The ids of the commands, which the clients are told.
const (
	cmdRun           = "caselsp.run"
	cmdNew           = "caselsp.new"
	cmdFix           = "caselsp.fix"
	cmdFixAll        = "caselsp.fixAll"
	cmdTodo          = "caselsp.todo"
	cmdStop          = "caselsp.stop"
	cmdResume        = "caselsp.resume"
	cmdStatus        = "caselsp.status"
	cmdApprove       = "caselsp.approve"
	cmdApproveAlways = "caselsp.approveAlways"
	cmdDeny          = "caselsp.deny"
	cmdAnswer        = "caselsp.answer"
	cmdReview        = "caselsp.review"
	cmdAccept        = "caselsp.accept"
	cmdReject        = "caselsp.reject"
	cmdUndo          = "caselsp.undo"
	cmdHistory       = "caselsp.history"
	cmdReport        = "caselsp.report"
	cmdApprovals     = "caselsp.approvals"
	cmdRevoke        = "caselsp.revoke"
	cmdTrust         = "caselsp.trust"
	cmdDoctor        = "caselsp.doctor"
)

// Command is one of the server's commands, for those who run it.
type Command struct {
	ID        string
	Arguments string // in words
	Does      string
}

// fields are the names that the arguments of a command may have as an object, in
// the words of its documentation. A misspelt one must not be passed over: without
// its file, an acceptance would be one of all files.
func (c Command) fields() []string {
	var names []string
	for _, object := range inBraces.FindAllStringSubmatch(c.Arguments, -1) {
		names = append(names, strings.FieldsFunc(object[1], func(r rune) bool { return r == ',' || r == ' ' })...)
	}
	for _, word := range []string{"task", "question"} {
		if strings.HasPrefix(c.Arguments, word) {
			names = append(names, word)
		}
	}
	return names
}

var inBraces = regexp.MustCompile(`\{([a-z, ]+)\}`)

// entry is a command and what it does. do answers the request at once: whatever
// takes time or talks to the editor, it leaves to call.afterAnswer.
type entry struct {
	Command
	do func(s *server, c *call, a arguments) (any, error)
}

// table are all commands, in the order of the documentation. A command that is
// not here is not advertised either.
var table = []entry{
	{Command{cmdRun, "text or `{task, single, language, type, uri, range}`", "start a task; `uri` and `range` say what it is about, or which prompt document holds its text"}, (*server).doRun},
	{Command{cmdNew, "`{uri, range}` or none", "open a prompt document, about this place where one is given"}, (*server).doNew},
	{Command{cmdFix, "`{uri, diagnostic}`", "fix one diagnostic, whoever published it"}, (*server).doFix},
	{Command{cmdFixAll, "`{uri}`", "carry out all fixes of a document that are certain"}, (*server).doFixAll},
	{Command{cmdTodo, "`{uri, range}`", "carry out this TODO or `case:` comment"}, (*server).doTodo},
	{Command{cmdStop, "task", "stop a task; it can be resumed"}, (*server).doStop},
	{Command{cmdResume, "task", "go on with a task that was stopped, paused or interrupted"}, (*server).doResume},
	{Command{cmdStatus, "task", "say where the tasks are"}, (*server).doStatus},
	{Command{cmdApprove, "`{task, question}`", "run the command that is asked about, once; let the task go on; say that a secret is in the keyring now"}, (*server).doApprove},
	{Command{cmdApproveAlways, "`{task, question}`", "run it, and do not ask again for exactly its like in this workspace; for what is offered so"}, (*server).doApproveAlways},
	{Command{cmdDeny, "`{task, question, reason, why, uri}`", "refuse it; the reason goes to the model; `why: true` opens a document for it, `uri` is that document"}, (*server).doDeny},
	{Command{cmdAnswer, "text or `{task, question, text, uri}`", "answer a question; `uri` is the document that the answer stands in"}, (*server).doAnswer},
	{Command{cmdReview, "task", "open the review document"}, (*server).doReview},
	{Command{cmdAccept, "`{task, file, hunk}`", "accept all, one file or one hunk; hunks count from 1"}, (*server).doAccept},
	{Command{cmdReject, "`{task, file, hunk}`", "reject all, one file or one hunk"}, (*server).doReject},
	{Command{cmdUndo, "task", "revert what was accepted; what you wrote since stays"}, (*server).doUndo},
	{Command{cmdHistory, "none", "open the list of the workspace's tasks"}, (*server).doHistory},
	{Command{cmdReport, "task", "open a task's report, of the latest where none is named"}, (*server).doReport},
	{Command{cmdApprovals, "none", "open the list of what is always allowed here, to revoke it"}, (*server).doApprovals},
	{Command{cmdRevoke, "`{rule}` or none", "ask again before a command that was always allowed, or for a value that is remembered; before all such commands where none is named"}, (*server).doRevoke},
	{Command{cmdTrust, "none or `{withdraw}`", "trust the folders that are open: what is not trusted is only read; `withdraw: true` takes it back"}, (*server).doTrust},
	{Command{cmdDoctor, "none", "check settings, model, sandbox and store, and say what to do"}, (*server).doDoctor},
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
	c := protocol.Command{Title: title, Command: id}
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

// installCommands adds workspace/executeCommand.
func (s *server) installCommands() {
	s.capabilities = append(s.capabilities, func(c *protocol.ServerCapabilities) {
		options := protocol.ExecuteCommandOptions{}
		for _, e := range table {
			options.Commands = append(options.Commands, e.ID)
		}
		c.ExecuteCommandProvider = options
	})
	onRequest(s, protocol.MethodWorkspaceExecuteCommand, func(_ context.Context, c *call, p *executeParams) (any, error) {
		return s.execute(c, p)
	})
}

// execute runs a command.
func (s *server) execute(c *call, p *executeParams) (any, error) {
	i := slices.IndexFunc(table, func(e entry) bool { return e.ID == p.Command })
	if i < 0 {
		return nil, fmt.Errorf("there is no command %q%s", p.Command, nearestCommand(p.Command))
	}
	args, err := parseArguments(p.Arguments)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", p.Command, err)
	}
	if err := args.check(table[i].fields()); err != nil {
		return nil, fmt.Errorf("%s: %w", p.Command, err)
	}
	return table[i].do(s, c, args)
}

// nearestCommand names the command that was probably meant, or says that there is none.
func nearestCommand(id string) string {
	best, least := "", len(id)/2+1
	short := strings.ToLower(strings.TrimPrefix(id, Name+"."))
	for _, e := range table {
		name := strings.ToLower(strings.TrimPrefix(e.ID, Name+"."))
		if d := setting.Distance(short, name); d < least {
			best, least = e.ID, d
		}
	}
	if best == "" {
		return ": `caselsp help commands` lists the commands"
	}
	return fmt.Sprintf(": did you mean %s?", best)
}
