//go:build linux && (amd64 || arm64)

package sandbox

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"math"
	"os"
	"runtime"
	"strconv"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// initName is what this program is called when it runs as the first process of
// a sandbox.
const initName = "caselsp-sandbox-init"

// The files that the first process is started with.
const (
	controlFile = 0 // a socket: the order and the tree come in, reports and changes go out; its end is our death
	sayFile     = 3 // what the command writes to
	doorFiles   = 4 // the doors of the command's control group, and those that follow
)

// order is what the engine wants of a sandbox's first process. The contents of
// its files follow it.
type order struct {
	Line    string
	Env     []string
	User    int
	Disk    int64 // bytes of /tmp
	Room    int64 // bytes of the work tree
	Time    time.Duration
	Doors   int
	Way     bool     // a file follows the doors, to hand out the socket of the command's proxy through
	Folders []string // shown beside the system's
	Root    bool     // the engine is root: become the user
	Layer   string   // the folder that is shown as the dependencies'; "": none
	Keep    bool     // the dependencies' folder can be written to, and is handed out
	Files   []treeFile
}

type treeFile struct {
	Path string
	Mode fs.FileMode
	Size int
}

// started says that the command runs, or why it does not.
type started struct {
	Missing string // what the kernel refused
	Cause   string // in its words
}

// ended says how the command ended. The work tree follows it as an archive,
// without the files of Same, which are as they were; before it the dependencies,
// where they are to be kept and the code is 0.
type ended struct {
	Code     int // as a shell has it: 128 and the signal's number
	TimedOut bool
	Full     bool // the work tree or /tmp
	Took     time.Duration
	Same     []int // indices of order.Files, ascending
}

// setupError names the part of the isolation that could not be had.
type setupError struct {
	part string
	err  error
}

func (e *setupError) Error() string { return e.part + ": " + e.err.Error() }

// Init must be the first call of main in a program that uses the native engine,
// and of TestMain in its tests: the engine starts the program itself as the
// first process of each sandbox, and for that process Init does not return.
func Init() {
	if os.Args[0] != initName {
		return
	}
	// Whatever this thread does later, it stays the one that it is.
	runtime.LockOSThread()
	control := os.NewFile(controlFile, "control")
	in := bufio.NewReaderSize(control, 256<<10)
	if err := runInit(control, in); err != nil {
		b := started{Missing: "its first process", Cause: err.Error()}
		if s := (*setupError)(nil); errors.As(err, &s) {
			b = started{Missing: s.part, Cause: s.err.Error()}
		}
		_ = writeLine(control, b) // if that fails too, our end says enough
		os.Exit(1)
	}
	os.Exit(0)
}

func runInit(control io.Writer, in *bufio.Reader) error {
	// Nothing that this process has open is for the command but what it is given.
	if err := unix.CloseRange(sayFile, math.MaxInt32, unix.CLOSE_RANGE_CLOEXEC); err != nil {
		return err
	}
	var o order
	line, err := in.ReadBytes('\n')
	if err == nil {
		err = json.Unmarshal(line, &o)
	}
	if err == nil {
		err = buildView(o)
	}
	if err == nil {
		err = loopbackUp()
	}
	if err == nil {
		err = unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0)
	}
	if err != nil {
		return err
	}
	deafen()
	made, err := writeFiles(o.Files, in)
	if err != nil {
		return &setupError{"room for the work tree", err}
	}
	if o.Way {
		if err := handOutListener(doorFiles + o.Doors); err != nil {
			return &setupError{"a way to the proxy", err}
		}
	}
	go dieWithOwner(in)
	return follow(o, made, control)
}

// deafen makes all signals have their default effect, which is none for the
// first process of a sandbox when they come from within it: the command may
// have the same user, and the handlers of Go's runtime would let it end us.
// The runtime does without: goroutines then yield only where they call.
func deafen() {
	var none [32]byte // the kernel's struct sigaction with SIG_DFL
	for n := 1; n <= 64; n++ {
		_, _, _ = unix.RawSyscall6(unix.SYS_RT_SIGACTION, uintptr(n), uintptr(unsafe.Pointer(&none)), 0, 8, 0, 0) // SIGKILL and SIGSTOP refuse
	}
}

// dieWithOwner ends the sandbox when the engine's process closes the socket or
// dies: with its first process the kernel kills all others.
func dieWithOwner(in io.Reader) {
	_, _ = io.Copy(io.Discard, in)
	os.Exit(1)
}

// follow runs the command to its end and reports it.
func follow(o order, made []madeFile, control io.Writer) error {
	pid, gate, err := startCommand(o)
	if err != nil {
		return err
	}
	for door := range o.Doors {
		if err := enter(doorFiles+door, pid); err != nil {
			return &setupError{"its control group", err}
		}
	}
	if err := writeLine(control, started{}); err != nil {
		return err
	}
	began := time.Now()
	_, _ = gate.Write([]byte("\n")) // fails where it has ended already, which shows below
	gate.Close()
	limit := time.AfterFunc(o.Time, func() { _ = syscall.Kill(-1, syscall.SIGKILL) })
	status, err := reap(pid)
	if err != nil {
		return err
	}
	e := ended{Code: exitCode(status), TimedOut: !limit.Stop(), Took: time.Since(began)}
	if e.TimedOut {
		e.Code = -1
	}
	buryAll()
	e.Full = isFull(workFolder) || isFull("/tmp") || o.Keep && isFull(DepsFolder)
	e.Same = sameFiles(o.Files, made)
	if err := writeLine(control, e); err != nil {
		return err
	}
	if o.Keep && e.Code == 0 {
		if err := packTree(control, DepsFolder, nil, nil); err != nil {
			return err
		}
	}
	return packTree(control, workFolder, o.Files, e.Same)
}

// gated is the script that runs the command once it is in its control group:
// until then it is this script of ours that waits for a line.
const gated = `read -r go; exec /bin/sh -c "$1" </dev/null`

// startCommand starts the command in a thread that gives up everything that the
// command may not have, for what a thread gives up nothing that it starts gets
// back. The thread ends with it; others still need their rights.
func startCommand(o order) (pid int, gate *os.File, err error) {
	waits, gate, err := os.Pipe()
	if err != nil {
		return 0, nil, err
	}
	defer waits.Close()
	if err := limitSelf(o.Room); err != nil {
		return 0, nil, &setupError{"limits on single processes", err}
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread() // and never unlock: the thread must not serve anything else
		if err = confineThread(o.Keep); err != nil {
			return
		}
		pid, err = syscall.ForkExec("/bin/sh", []string{"/bin/sh", "-c", gated, "sh", o.Line}, &syscall.ProcAttr{
			Dir: workFolder, Env: o.Env,
			Files: []uintptr{waits.Fd(), sayFile, sayFile},
			Sys:   &syscall.SysProcAttr{Setsid: true},
		})
		if err != nil {
			err = &setupError{"a shell (/bin/sh)", err}
		}
	}()
	<-done
	unix.Close(sayFile) // its end is seen when the command and its children have closed it
	return pid, gate, err
}

// noCore is the limit on core dumps below which the kernel makes none. With 0 it
// still starts the machine's own program for crashes (systemd-coredump, apport)
// outside of the sandbox, as root and with what the command had in its memory; 1
// it takes as a word for no, see do_coredump in fs/coredump.c.
const noCore = 1

// limitSelf sets the limits of this process, which those that it starts inherit.
func limitSelf(room int64) error {
	size := uint64(sparse * room)
	return errors.Join(
		unix.Setrlimit(unix.RLIMIT_CORE, &unix.Rlimit{Cur: noCore, Max: noCore}),
		unix.Setrlimit(unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: size, Max: size}))
}

// enter puts a process into a control group.
func enter(door, pid int) error {
	_, err := unix.Write(door, strconv.AppendInt(nil, int64(pid), 10))
	unix.Close(door)
	return err
}

// reap waits for the end of a process. Orphans become children of the first
// process, and it has to bury them meanwhile.
func reap(pid int) (syscall.WaitStatus, error) {
	for {
		var status syscall.WaitStatus
		switch ended, err := syscall.Wait4(-1, &status, syscall.WALL, nil); {
		case err == syscall.EINTR:
		case err != nil:
			return 0, err
		case ended == pid:
			return status, nil
		}
	}
}

// orphanTime is how long what a command has started may go on after its end: a
// program that was told to end writes its last line in it.
const orphanTime = 250 * time.Millisecond

// buryAll kills every process of the sandbox but this, those that do not end by
// themselves, and returns when none is left: then nothing can change the work
// tree any more.
func buryAll() {
	defer time.AfterFunc(orphanTime, func() { _ = syscall.Kill(-1, syscall.SIGKILL) }).Stop()
	for {
		if _, err := syscall.Wait4(-1, nil, syscall.WALL, nil); err != nil && err != syscall.EINTR {
			return
		}
	}
}

// exitCode returns the code that a shell would show.
func exitCode(s syscall.WaitStatus) int {
	if s.Signaled() {
		return 128 + int(s.Signal())
	}
	return s.ExitStatus()
}

// isFull reports whether a file system has no free blocks or inodes.
func isFull(folder string) bool {
	var s unix.Statfs_t
	return unix.Statfs(folder, &s) == nil && (s.Bavail == 0 || s.Ffree == 0)
}

func writeLine(w io.Writer, v any) error {
	text, err := json.Marshal(v)
	if err == nil {
		_, err = w.Write(append(text, '\n'))
	}
	return err
}
