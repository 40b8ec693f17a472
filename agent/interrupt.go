package agent

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"

	"caselsp/agent/llm"
	"caselsp/agent/permit"
	"caselsp/agent/record"
	"caselsp/sandbox"
	"caselsp/store"
)

// Unrecorded says that the store does not take what a task did, so that the task
// stops after its last record: nothing is done that is not recorded. Once the
// store is mended, Resume goes on from there.
type Unrecorded struct {
	Task string
	Err  error // has a *store.Unwritable or a *store.Broken in it, which says what to do
}

// Error implements error.
func (u *Unrecorded) Error() string {
	var why = u.Err
	var unwritable *store.Unwritable
	var broken *store.Broken
	if errors.As(u.Err, &unwritable) { // without the record's kind, which is nothing to a user
		why = unwritable
	} else if errors.As(u.Err, &broken) {
		why = broken
	}
	return fmt.Sprintf("task %s stops after its last record: %v; then resume the task, or its review", u.Task, why)
}

// Unwrap returns the cause.
func (u *Unrecorded) Unwrap() error { return u.Err }

// unwritten reports whether the store is to blame for an error.
func unwritten(err error) bool {
	var unrecorded *Unrecorded
	var unwritable *store.Unwritable
	var broken *store.Broken
	return errors.As(err, &unrecorded) || errors.As(err, &unwritable) || errors.As(err, &broken)
}

// panicError is what is left of a panic.
type panicError struct{ value any }

func (e *panicError) Error() string {
	return fmt.Sprintf("caselsp itself failed (%v); nothing that was recorded is lost: resume to try again, and if it fails again, report it with the log", e.value)
}

// guarded runs f and turns a panic into an error of f, so that it does not end the
// process. A panic in the consumer of the events is not caught here.
func (r *run) guarded(what string, f func() error) (err error) {
	defer func() {
		if r.telling {
			return
		}
		if p := recover(); p != nil {
			err = r.panicked(what, p)
		}
	}()
	return f()
}

// panicked logs a panic, and is the error for it.
func (r *run) panicked(what string, p any) error {
	r.a.Log.Error("panic", "in", what, "task", r.id, "value", fmt.Sprint(p), "stack", string(debug.Stack()))
	return &panicError{p}
}

// pauseError pauses the task: the user reads the reason, which says what to do.
type pauseError struct{ reason string }

func (e *pauseError) Error() string { return e.reason }

// interrupt turns an error into the transition it means. It returns an error
// only if the store itself fails or the consumer has left: whatever else
// goes wrong, the task is left paused, with the reason in its journal.
func (r *run) interrupt(ctx context.Context, err error) error {
	var pause *pauseError
	var model *llm.Error
	var engine *sandbox.Unavailable
	var replay *sandbox.Diverged
	var panicked *panicError
	switch {
	case errors.Is(err, errLeft):
		return r.leave()
	case ctx.Err() != nil:
		reason := "stopped by the user"
		if cause := context.Cause(ctx); cause != nil && !errors.Is(cause, context.Canceled) {
			reason = cause.Error()
		}
		return r.record(record.StateChanged{To: record.Stopped, Reason: reason, Feature: r.state.Current})
	case errors.Is(err, errPlanStopped):
		return r.record(record.StateChanged{To: record.Stopped, Reason: err.Error(), Feature: r.state.Current})
	case errors.As(err, &pause), errors.As(err, &model), errors.As(err, &engine), errors.As(err, &replay), errors.As(err, &panicked):
		return r.record(record.StateChanged{To: record.Paused, Reason: err.Error(), Feature: r.state.Current})
	case errors.Is(err, ErrUndecided) && r.state.Open != nil && r.state.Open.Kind() == record.KindTrust:
		return r.record(record.StateChanged{To: record.Paused, Reason: "the workspace is not trusted: " + permit.AdviseTrust + ", then resume", Feature: r.state.Current})
	case errors.Is(err, ErrUndecided):
		return r.record(record.StateChanged{To: record.Paused, Reason: "a question is open: answer it, then resume", Feature: r.state.Current})
	}
	if unwritten(err) {
		return &Unrecorded{Task: r.id, Err: err}
	}
	return r.record(record.StateChanged{To: record.Paused, Reason: err.Error() + ": mend that, then resume", Feature: r.state.Current})
}

// leave records the stop that a consumer's leaving means.
func (r *run) leave() error {
	if r.state.Phase.Works() || r.state.Phase == record.Waiting {
		if err := r.record(record.StateChanged{To: record.Stopped, Reason: "stopped by the user", Feature: r.state.Current}); err != nil {
			return err
		}
	}
	return errLeft
}
