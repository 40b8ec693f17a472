// Package agent is the engine: TARS plans and verifies, CASE carries out one action at a
// time on a staged copy of the workspace, commands and tests run in the sandbox, a
// reflector explains failures, and the user decides.
//
// A run is a journal. The state of a task is a fold over its records (record/state.go), the
// loop looks at that state and does the next thing (run.go), and everything it does is
// written down before and after. So stopping, crashing, resuming, undoing and replaying are
// readings of one record. What a task is told from outside is one value: outside.go when it
// runs now, replay.go when it is replayed.
//
// # The way of a task text
//
// Agent.Run (agent.go) takes it. run.begin (run.go) records it, run.loop calls run.next until
// nothing is left to do, and run.next does what the phase asks for (phase.go): run.planning,
// run.coding, run.testing, run.reflecting, run.verifying (verify.go). Each of those that
// asks a model is told once what it works on (opening.go) and calls run.converse (window.go)
// with its prompt (prompt.go; once.go takes out what was said before). That shortens a
// conversation which does not fit and calls run.consult (turn.go), which books the call with
// run.reserve (budget.go) and records the question and the answer; run.interpret makes of
// each call of the answer a plan, a verdict, or an action to perform. When no feature is
// left, run.conclude writes the report (report.go) and hands the result over for review. The
// work of features that failed is kept beside it (kept.go), and a resume tries them again with
// it (tryagain.go). A decision about a paused task closes it as it is (closing.go).
//
// CASE has one conversation for a feature, which is only added to (record/talk.go):
// run.openFeature (opening.go) shows it the files that the plan names, run.tellChanges
// (talk.go) what changed since behind its back.
//
// # The way of a message in a thread
//
// Agent.Chat (chat.go) takes it. run.hears begins the thread's journal or goes on with it, run.naming
// (naming.go) looks up what the message names with @, and run.loop and run.next work on it as on
// a task, in one phase: run.answering. Its model is offered what reads, ANSWER and HAND_OVER. The
// latter, or Agent.HandOver, makes the text of a task; whoever shows the thread runs that.
//
// # The way of a command line
//
// run.perform (perform.go) carries out the action that was chosen. It asks permit.Decide
// (permit/decide.go): is the workspace trusted, may the action read and change what it names,
// are its secrets there, and may the command run (permit/command.go). run.heed (permit.go)
// writes the judgement down, and asks the user or tells the model where the answer is not yes.
// Then run.runCommand (command.go) makes the tree with run.commandOn, sees to the project's
// dependencies (dependencies.go), runs it with run.execute and stages what it changed with
// run.commandEnded. One that ran out of memory or time may run again (again.go).
//
// # The way of an approval's answer
//
// run.question (perform.go) records a question and the task waits. run.ask puts it to the User
// (user.go), whom a face implements, and run.answered keeps the decision among the approvals
// (permit/approvals.go) and records the answer. The fold gives the answer to the action that
// waits for it (record/command.go), and run.perform asks permit.Decide again, which now
// knows it. Without an answer, the task pauses with the question open: Agent.Answer takes
// the answer later and Agent.Resume goes on.
//
// # The way of a patch text
//
// run.interpret (turn.go) parses the arguments and records the action. run.perform asks
// permit.Decide whether the file may be changed (permit/guard.go) and calls run.do, which has
// package action apply the patch to the overlay and record where its hunks landed. run.safe
// (objection.go) takes the edit back where a safety rule objects and the user has not allowed
// it (permit/finding.go). The user's own file changes only when Agent.Decide (review.go)
// accepts the result: package review merges it into what the file holds then, with a leave
// from package permit, and a workspace.Applier writes it. A leave covers a file that programs
// obey (permit/obeyed.go, package obey) only where the user has accepted it by its name.
//
// Beside these: projectstate.go is what is known of a project as a whole, and known.go what TARS is
// told of it (package project); interrupt.go is what ends or pauses a run, and the barrier for panics;
// bounds.go ends what would go on without end, and record/loops.go finds work that goes in
// circles;
// secret.go and fill.go give secrets to commands and files; linting.go runs linters beside
// the model; gate.go and inspect.go judge the project; layers.go counts how patches fared;
// recordingformat.go and replay.go are recordings; shown.go shows what is not ours (package quote).
//
// The agent knows no editor and no terminal: it yields events and asks questions. It never
// touches the user's files; the only way out is a change set that the user accepts. It never
// runs a command itself, and no model ever decides whether one may run.
package agent
