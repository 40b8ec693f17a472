// Package agent is the engine: TARS plans and verifies, CASE carries out one
// action at a time on a staged copy of the workspace, commands and tests run in
// the sandbox, a reflector explains failures, and the user decides.
//
// A run is a journal. The whole state of a task is a fold over its records
// (package record), the loop looks at that state and does the next thing (run.go),
// and everything it does is written down before and after. So
// stopping, crashing, resuming, undoing and replaying are readings of one record:
//
//	run.go       the loop: look at the state, do the next thing
//	interrupt.go what ends or pauses it, and the barrier for panics
//	settle.go    what an acceptance left open when the process ended, settled by looking
//	phase.go     what is next in planning, coding, testing, reflecting, verifying
//	turn.go      one question to a model and what its answer means
//	perform.go   carrying out an action: decide, ask, run, record
//	command.go   the same for commands
//	permit.go    who decides whether a command runs
//	approval.go  what the user allowed for always, learnt and revoked
//	trust.go     what may be done in a workspace that nobody has said to trust
//	guard.go     what needs the user's leave beside commands: secret files, files that programs obey
//	tests.go     and a task that leaves fewer tests than there were
//	testtree.go  which are counted in syntax trees
//	secret.go    secrets that commands are given
//	value.go     values that are none, asked for once
//	fill.go      secrets in files, where placeholders were written for them
//	prompt.go    what a model is told
//	review.go    accepting, rejecting and undoing the result
//	accept.go    carrying the decisions into the user's files, and back
//	arrival.go   what came of an acceptance that an editor carried out in part
//	report.go    what a task ends in, and what is learnt from it
//	replay.go    recordings: export, and running one again
//
// The agent knows no editor and no terminal: it yields events and asks
// questions through [User]. It never touches the user's files; the only way out
// is a change set that the user accepts, carried by a workspace.Applier. It never
// runs a command itself, and no model ever decides whether one may run.
package agent
