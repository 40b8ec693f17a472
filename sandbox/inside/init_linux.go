//go:build linux && (amd64 || arm64)

package inside

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

// Name is what this program is called when it runs as the first process of
// a sandbox.
const Name = "caselsp-sandbox-init"

// The files that the first process is started with.
const (
	controlFile = 0 // a socket: orders and trees come in, reports and changes go out
	hatchFile   = 3 // a socket that only files pass through, both ways; its end is our death
)

// Setup is what is the same for all commands of a sandbox.
type Setup struct {
	User    int
	Disk    int64    // bytes of /tmp
	Folders []string // shown beside the system's
	Root    bool     // the engine is root: become the user
	Layer   string   // the folder that is shown as the dependencies'; "": none
	Keep    bool     // the dependencies' folder can be written to, and is handed out
	Built   string   // the folder that is shown as GoBuilt; "": none
}

// Order is one command, and what makes the work tree of the one before into its
// own. The contents of its files follow it. Through the hatch come, as one
// message, the file that the command writes to and the doors of its control group.
type Order struct {
	Line  string
	Env   []string
	Room  int64 // bytes of the work tree
	Time  time.Duration
	Way   bool     // the socket of the command's proxy goes out through the hatch
	Gone  []string // files that are not there any more, or that Files has
	Files []TreeFile
}

// TreeFile is a file of an Order, whose content follows it, or a symbolic link with the text Link.
type TreeFile struct {
	Path string
	Mode fs.FileMode
	Size int
	Link string `json:",omitempty"`
}

// Started says that the command runs, or why it does not.
type Started struct {
	Missing string // what the kernel refused
	Cause   string // in its words
}

// Ended says how the command ended. The work tree follows it as an archive,
// without the files that are as they were given; before it the dependencies, where
// they are to be kept and the code is 0.
type Ended struct {
	Code     int // as a shell has it: 128 and the signal's number
	TimedOut bool
	Full     bool // the work tree or /tmp
	Took     time.Duration
	Touched  []string // given files that are not as they were in every way; sorted
}

// setupError names the part of the isolation that could not be had.
type setupError struct {
	part string
	err  error
}

func (e *setupError) Error() string { return e.part + ": " + e.err.Error() }

// An engine starts this program itself as the first process of each sandbox, and
// for that process there is no main.
func init() {
	if os.Args[0] != Name {
		return
	}
	// Whatever this thread does later, it stays the one that it is.
	runtime.LockOSThread()
	control := os.NewFile(controlFile, "control")
	in := bufio.NewReaderSize(control, CopyBuffer)
	err := runInit(control, in)
	b := Started{Missing: "its first process", Cause: err.Error()}
	if s := (*setupError)(nil); errors.As(err, &s) {
		b = Started{Missing: s.part, Cause: s.err.Error()}
	}
	_ = WriteLine(control, b) // if that fails too, our end says enough
	os.Exit(1)
}

// resident is the first process of a sandbox, which runs one command after the
// other in it. Nothing of one is there for the next: see clean.
type resident struct {
	Setup
	control io.Writer
	in      *bufio.Reader
	files   map[string]madeFile // of the work tree, by path, that are as they were given
	born    time.Time
	runs    int
	given   chan []int // what came through the hatch
}

// runInit runs commands until something fails or the engine has ended.
func runInit(control io.Writer, in *bufio.Reader) error {
	// Nothing that this process has open is for the command but what it is given.
	if err := unix.CloseRange(hatchFile, math.MaxInt32, unix.CLOSE_RANGE_CLOEXEC); err != nil {
		return err
	}
	r := &resident{control: control, in: in, files: make(map[string]madeFile), born: time.Now(), given: make(chan []int)}
	err := ReadLine(in, &r.Setup)
	if err == nil {
		err = buildView(r.Setup)
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
	go r.watch()
	for {
		if err := r.serve(); err != nil {
			return err
		}
		r.runs++
		if err := r.clean(); err != nil {
			return err
		}
	}
}

// watch takes what comes through the hatch, and ends the sandbox when the
// engine's process closes it or dies: with its first process the kernel kills all
// others.
func (r *resident) watch() {
	for {
		files, err := TakeFiles(hatchFile)
		if err != nil || len(files) == 0 {
			os.Exit(1)
		}
		r.given <- files
	}
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

// serve runs one command.
func (r *resident) serve() error {
	var o Order
	if err := ReadLine(r.in, &o); err != nil {
		return err
	}
	given := <-r.given
	if err := r.write(o); err != nil {
		return &setupError{"room for the work tree", err}
	}
	if err := r.linkBuilt(); err != nil {
		return &setupError{"room for Go's build cache", err}
	}
	pid, gate, err := r.startCommand(o, given[0])
	if err != nil {
		return err
	}
	for _, door := range given[1:] {
		if err := enter(door, pid); err != nil {
			return &setupError{"its control group", err}
		}
	}
	if err := limit(pid, o.Room); err != nil {
		return &setupError{"limits on single processes", err}
	}
	if err := WriteLine(r.control, Started{}); err != nil {
		return err
	}
	e, err := follow(o, pid, gate)
	if err != nil {
		return err
	}
	e.Full = isFull(WorkFolder) || isFull("/tmp") || r.Keep && isFull(DepsFolder)
	e.Touched = r.touched()
	if err := WriteLine(r.control, e); err != nil {
		return err
	}
	if r.Keep && e.Code == 0 {
		if err := packTree(r.control, DepsFolder, nil); err != nil {
			return err
		}
	}
	return packTree(r.control, WorkFolder, r.files)
}

// follow follows a command from its gate to its end, and that of all that it started.
func follow(o Order, pid int, gate *os.File) (Ended, error) {
	began := time.Now()
	_, _ = gate.Write([]byte("\n")) // fails where it has ended already, which shows below
	gate.Close()
	limit := time.AfterFunc(o.Time, func() { _ = syscall.Kill(-1, syscall.SIGKILL) })
	status, err := reap(pid)
	if err != nil {
		return Ended{}, err
	}
	e := Ended{Code: exitCode(status), TimedOut: !limit.Stop(), Took: time.Since(began)}
	if e.TimedOut {
		e.Code = -1
	}
	buryAll()
	return e, nil
}

// gated is the script that runs the command once it is in its control group:
// until then it is this script of ours that waits for a line.
const gated = `read -r go; ` + LineShell

// startCommand starts the command in a thread that gives up everything that the
// command may not have, for what a thread gives up nothing that it starts gets
// back. The thread ends with it; others still need their rights.
func (r *resident) startCommand(o Order, say int) (pid int, gate *os.File, err error) {
	defer unix.Close(say) // its end is seen when the command and its children have closed it
	waits, gate, err := os.Pipe()
	if err != nil {
		return 0, nil, err
	}
	defer waits.Close()
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread() // and never unlock: the thread must not serve anything else
		if err = r.secludeThread(o.Way); err != nil {
			return
		}
		if err = confineThread(r.Keep); err != nil {
			return
		}
		pid, err = syscall.ForkExec("/bin/sh", []string{"/bin/sh", "-c", gated, "sh", o.Line}, &syscall.ProcAttr{
			Dir: WorkFolder, Env: o.Env,
			Files: []uintptr{waits.Fd(), uintptr(say), uintptr(say)},
			Sys:   &syscall.SysProcAttr{Setsid: true},
		})
		if err != nil {
			err = &setupError{"a shell (/bin/sh)", err}
		}
	}()
	<-done
	return pid, gate, err
}

// secludeThread gives the calling thread, and so the command, what no command
// before it had its hands on: System V memory, semaphores and queues, and a network.
func (r *resident) secludeThread(way bool) error {
	if r.runs > 0 {
		if err := unix.Unshare(unix.CLONE_NEWIPC | unix.CLONE_NEWNET); err != nil {
			return &setupError{"a network of its own", err}
		}
		if err := loopbackUp(); err != nil {
			return err
		}
	}
	if way {
		if err := handOutListener(); err != nil {
			return &setupError{"a way to the proxy", err}
		}
	}
	return nil
}

// limit sets the limits of a command that waits at its gate.
func limit(pid int, room int64) error {
	size := uint64(Sparse * room)
	var core unix.Rlimit
	err := unix.Prlimit(pid, unix.RLIMIT_CORE, nil, &core)
	if err == nil && core.Max >= NoCore { // a lower limit was set by whoever started caselsp, and only root could raise it
		err = unix.Prlimit(pid, unix.RLIMIT_CORE, &unix.Rlimit{Cur: NoCore, Max: NoCore}, nil)
	}
	return errors.Join(err, unix.Prlimit(pid, unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: size, Max: size}, nil))
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
		switch Ended, err := syscall.Wait4(-1, &status, syscall.WALL, nil); {
		case err == syscall.EINTR:
		case err != nil:
			return 0, err
		case Ended == pid:
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

// WriteLine writes a value as a line of JSON.
func WriteLine(w io.Writer, v any) error {
	text, err := json.Marshal(v)
	if err == nil {
		_, err = w.Write(append(text, '\n'))
	}
	return err
}

// ReadLine reads what WriteLine wrote.
func ReadLine(r *bufio.Reader, v any) error {
	line, err := r.ReadBytes('\n')
	if err == nil {
		err = json.Unmarshal(line, v)
	}
	return err
}
