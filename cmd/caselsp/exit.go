package main

import (
	"fmt"
	"strings"

	"caselsp/agent/record"
)

// The exit codes.
const (
	exitOK       = 0
	exitError1   = 1
	exitUsage    = 2
	exitFailed   = 3
	exitPaused   = 4
	exitStopped  = 5
	exitReview   = 6
	exitRejected = 7
	exitDiverged = 8
	exitRefused  = 9
	exitCritical = 10
	exitWarnings = 11
	exitPartial  = 12
	exitInvalid  = 13
)

// exitCodes documents them, for help texts and the reference.
var exitCodes = []struct {
	Code int
	Text string
}{
	{exitOK, "done: the task succeeded and its result was accepted, or there was nothing to change"},
	{exitError1, "an error: the message says what to do"},
	{exitUsage, "the command line is wrong"},
	{exitFailed, "the task failed: no feature could be built, and no work on one is left"},
	{exitPaused, "the task is paused: a question is open, or the model, the sandbox or the state directory is not available; resume it"},
	{exitStopped, "the task was stopped: resume it"},
	{exitReview, "the result, or what of it programs obey without being told to (hooks, build scripts ...), waits for a review: caselsp review"},
	{exitRejected, "the result was rejected; nothing was changed"},
	{exitDiverged, "a replay differed from its recording"},
	{exitRefused, "a patch was refused; nothing was changed"},
	{exitCritical, "validate has critical findings"},
	{exitWarnings, "validate has warnings, but no critical findings"},
	{exitPartial, "run or resume did the task in part: features failed, and their work is kept, not verified (caselsp review); what succeeded was accepted, or waits for a review as with 6"},
	{exitInvalid, "fixcheck: a claimed fix is invalid, or a validator judges one of its samples wrongly"},
}

func exitCodesText() string {
	var b strings.Builder
	b.WriteString("Exit codes:\n")
	for _, c := range exitCodes {
		fmt.Fprintf(&b, "  %d  %s\n", c.Code, c.Text)
	}
	return b.String()
}

// exitError is an error with an exit code; with a nil err, nothing is printed.
type exitError struct {
	code int
	err  error
}

func (e *exitError) Error() string {
	if e.err == nil {
		return fmt.Sprintf("exit code %d", e.code)
	}
	return e.err.Error()
}

func (e *exitError) Unwrap() error { return e.err }

func usage(err error) error { return &exitError{exitUsage, err} }

// exitOfRun is exitOf for a run: a task that is done in part, or of which only kept work is left,
// has a code of its own.
func exitOfRun(s record.Phase, last record.Status) error {
	partly := last.Outcome == record.OutcomePartial && (s == record.Succeeded || s == record.Review)
	if partly || s == record.Failed && len(last.Kept) > 0 {
		return &exitError{code: exitPartial}
	}
	return exitOf(s)
}

// exitOf turns a task's state into the command's result.
func exitOf(s record.Phase) error {
	code, ok := map[record.Phase]int{
		record.Succeeded: exitOK, record.Failed: exitFailed, record.Paused: exitPaused,
		record.Stopped: exitStopped, record.Review: exitReview, record.Rejected: exitRejected,
		record.Idle: exitOK,
	}[s]
	if !ok {
		code = exitError1
	}
	if code == exitOK {
		return nil
	}
	return &exitError{code: code}
}
