// Package sandbox runs one command under a policy, on a private copy of a
// tree of files, and returns what the command said and what it changed. It is
// shaped like os/exec.
//
// It never touches the files of the user: trees come in as values and changes
// go out as values. It never runs anything on the bare host: an engine that
// cannot give the isolation it promises returns an [Unavailable] error.
//
// Both engines, [Docker] and [Native], lie in this package, because they must promise
// the same and share the code that does it: the check of a command and its policy,
// the comparison of what a command left with the tree that it was given, the limit of
// its output, the network proxy with its rule for hosts, the recipes and variables of
// dependency layers, the key by which a warm sandbox is found again, and the mark by
// which the remains of a dead process are told from those of a living one. In packages
// of their own, the engines would need all of this exported, for no other caller, and
// each could come to handle a limit in its own way. What runs inside of the native
// sandbox is package inside: it is another process.
package sandbox

import (
	"context"
	"io"
	"io/fs"
	"time"
)

// Engine runs commands. Implementations are safe for concurrent use.
//
// Run returns a Result for every command that was started, however it ended.
// It returns an error where the command could not be started, where ctx ended
// first (then the command is dead when Run returns), or where the engine itself
// failed: an *[Unavailable], whose Started says whether the command may have run.
type Engine interface {
	Run(ctx context.Context, cmd Command) (*Result, error)
}

// Command is one command line and the tree it runs on.
type Command struct {
	Line    string   // run by a shell in the root of the tree: bash where there is one, else /bin/sh
	Plain   string   // the line that is recorded for it, where that is not Line itself
	Tree    []File   // the private copy's content, in any order
	Env     []string // NAME=value, besides PATH, HOME and LANG, which the engine sets
	Policy  Policy   // the zero value means [DefaultPolicy]
	Profile Profile  // the tools that the command finds; "" means [Python]
	// Layer is the key of the dependencies that the command finds in [DepsFolder]; ""
	// for none. Where they are not there, Run returns ErrNoLayer.
	Layer string
	// Keep makes a layer: what the command leaves in DepsFolder, which it can write
	// to, is kept under this key if it ends with code 0.
	Keep string
	// Progress is told, a line at a time, what the engine does before the command
	// begins and a user would wonder about, such as building an image; may be nil.
	Progress func(line string)
	Output   io.Writer // receives all output as it comes, also what Result.Output leaves out; may be nil
}

// File is one regular file of a tree, or a symbolic link.
type File struct {
	Path string // slash-separated, relative, inside the tree
	Mode fs.FileMode
	Data []byte
	// Link is the text of a symbolic link; "" for a regular file. Mode and Data are then of the file that it leads to;
	// of a folder, Mode has [fs.ModeDir]. A link that leads to nothing of the tree is laid out as that file.
	Link string

	target string // where the link ends in the tree; see settled
}

// Profile names a set of tools: an image of the recipe.
type Profile string

// The profiles.
const (
	Python Profile = "python"
	Go     Profile = "go"
	Node   Profile = "node"
)

// Policy is what a command may use. A field that is zero means the field of
// [DefaultPolicy], so that a forgotten field never means no limit, or root.
type Policy struct {
	CPUs   float64
	Memory int64         // bytes, without swap; what is written to Disk counts too, for it lies in memory
	PIDs   int64         // processes and threads at once
	Time   time.Duration // wall time, after which the command is killed
	Output int64         // bytes of output that are kept; the rest is cut from the middle
	Disk   int64         // bytes that may be written to the work tree (on top of Tree) and to /tmp, each
	// Hosts are the names that the command may reach, see [CheckHosts]; empty: no network at all.
	Hosts []string
	User  int // the numeric user and group
}

// DefaultPolicy is the policy that applies unless the settings loosen it: its limits
// are enough for the unit tests of a usual project, and too low for a runaway program
// to hurt a laptop.
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

// The ways a command ends. A command that had code 0 has Exited, whatever
// happened on the way: one that coped with a full disk did not fail.
const (
	Exited      Status = "exited"        // by itself: ExitCode holds its code
	TimedOut    Status = "timed out"     // after Policy.Time, with all that it had started; ExitCode is -1
	OutOfMemory Status = "out of memory" // it failed, and one of its processes was killed for Policy.Memory
	Killed      Status = "killed"        // by a signal that was not the engine's: ExitCode is 128 and its number
	DiskFull    Status = "disk full"     // it failed, and the work tree or /tmp was full when it ended
)

// Result is what a command said and did.
type Result struct {
	Status   Status        `json:"status"`
	ExitCode int           `json:"exit_code"`
	Output   string        `json:"output"`            // standard output and standard error as they came, as valid UTF-8
	Cut      int64         `json:"cut,omitempty"`     // bytes that were cut from the middle of Output, where a line says so
	Changes  []Change      `json:"changes,omitempty"` // sorted by Path
	Skipped  []string      `json:"skipped,omitempty"` // "path: reason" for what changed and is not in Changes
	Network  []Connection  `json:"network,omitempty"` // what it did with Policy.Hosts and tried with others, the first first
	Took     time.Duration `json:"took"`              // the command alone, without what the engine did before and after
	// Quiet is how long a command that timed out had written nothing when it was stopped, or little
	// more; results of older versions have none.
	Quiet  time.Duration `json:"quiet,omitempty"`
	Engine string        `json:"engine,omitempty"` // which one ran it: "docker" or "native"
	// Advice says what a command that failed did not find in the sandbox, and what
	// the user can do so that the next one does; "" where nothing is known to be missing.
	Advice string `json:"advice,omitempty"`
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
	Engine  string
	Reason  string
	Advice  string
	Started bool  // the command had been started and its outcome is unknown: never run it again unasked
	Err     error // the cause; may be nil
}

// Error implements error.
func (u *Unavailable) Error() string {
	return "sandbox " + u.Engine + " cannot run commands: " + u.Reason + ". " + u.Advice
}

// Unwrap returns the cause.
func (u *Unavailable) Unwrap() error { return u.Err }
