// Package sandbox runs one command under a policy, on a private copy of a
// tree of files, and returns what the command said and what it changed. It is
// shaped like os/exec.
//
// It never touches the files of the user: trees come in as values and changes
// go out as values. It never runs anything on the bare host: an engine that
// cannot give the isolation it promises returns an [Unavailable] error.
package sandbox

import (
	"context"
	"io"
	"io/fs"
	"time"
)

// Engine runs commands. Implementations are safe for concurrent use.
//
// Run returns a Result for every command that was started, however it ended,
// and an error only where it could not be started (an *Unavailable when the
// engine itself is the reason) or where ctx ended first.
type Engine interface {
	Run(ctx context.Context, cmd Command) (*Result, error)
}

// Command is one command line and the tree it runs on.
type Command struct {
	Line   string    // run by /bin/sh -c in the root of the tree
	Tree   []File    // the private copy's content; sorted by Path
	Env    []string  // NAME=value, besides PATH, HOME and LANG, which the engine sets
	Policy Policy    // the zero value means [DefaultPolicy]
	Output io.Writer // receives output as it comes, beside Result.Output; may be nil
}

// File is one regular file of a tree.
type File struct {
	Path string // slash-separated, relative, inside the tree
	Mode fs.FileMode
	Data []byte
}

// Policy is what a command may use.
type Policy struct {
	CPUs    float64
	Memory  int64         // bytes
	PIDs    int64         // processes and threads at once
	Time    time.Duration // wall time, after which the command is killed
	Output  int64         // bytes of output that are kept; the rest is cut from the middle
	Disk    int64         // bytes that may be written to the work tree and to /tmp, each
	Network bool          // false: no network at all
	User    int           // the numeric user and group
}

// DefaultPolicy is the policy of SPEC row X1: each limit is what a unit test of
// a usual project fits in and what a runaway program cannot hurt a laptop with.
var DefaultPolicy = Policy{
	CPUs:   1,
	Memory: 1 << 30,
	PIDs:   256,
	Time:   5 * time.Minute,
	Output: 1 << 20,
	Disk:   512 << 20,
	User:   1000,
}

// Status says how a command ended.
type Status string

// The ways a command ends.
const (
	Exited      Status = "exited" // by itself: ExitCode holds its code
	TimedOut    Status = "timed out"
	OutOfMemory Status = "out of memory"
	Killed      Status = "killed" // by a signal that was not the engine's
	DiskFull    Status = "disk full"
)

// Result is what a command said and did.
type Result struct {
	Status   Status        `json:"status"`
	ExitCode int           `json:"exit_code"`
	Output   string        `json:"output"`        // standard output and standard error as they came
	Cut      int64         `json:"cut,omitempty"` // bytes that were cut from the middle of Output
	Changes  []Change      `json:"changes,omitempty"`
	Skipped  []string      `json:"skipped,omitempty"` // paths that changed but are not regular files inside the tree, with the reason
	Took     time.Duration `json:"took"`
}

// OK reports whether the command ended by itself with code 0.
func (r *Result) OK() bool { return r.Status == Exited && r.ExitCode == 0 }

// Change is a file that the command created, changed or deleted.
type Change struct {
	Path    string      `json:"path"`
	Deleted bool        `json:"deleted,omitempty"`
	Mode    fs.FileMode `json:"mode,omitempty"`
	Data    []byte      `json:"data,omitempty"`
}

// Unavailable says that an engine cannot run anything now, and what to do about it.
type Unavailable struct {
	Engine string
	Reason string
	Advice string
}

// Error implements error.
func (u *Unavailable) Error() string {
	return "sandbox " + u.Engine + " cannot run commands: " + u.Reason + ". " + u.Advice
}
