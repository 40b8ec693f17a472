package sandbox

import (
	"errors"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
)

// owner names a process so that another one can tell, later, whether it still
// lives: a bare process id is used again after a while and means nothing in
// another container or on another machine that shares the engine.
type owner struct {
	place string // the machine, and the process namespace in it
	pid   int
	start string // when it started, where the system tells; else empty
}

// self is the owner of what this process makes.
var self = sync.OnceValue(func() owner {
	host, _ := os.Hostname() // without a name all machines without a name are one
	space, _ := os.Readlink("/proc/self/ns/pid")
	return owner{place: host + " " + space, pid: os.Getpid(), start: startOf(os.Getpid())}
})

// startOf returns when a process started, as something to compare: the boot and
// the time since it. It is empty where /proc does not tell.
func startOf(pid int) string {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return ""
	}
	// The name of the program, in parentheses, may hold spaces; the start is
	// the 20th field after it.
	_, rest, _ := strings.Cut(string(stat[max(0, strings.LastIndexByte(string(stat), ')')):]), " ")
	fields := strings.Fields(rest)
	if len(fields) < 20 {
		return ""
	}
	boot, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	return strings.TrimSpace(string(boot)) + " " + fields[19]
}

// gone reports whether the process has certainly ended. One of another place
// may live.
func (o owner) gone() bool {
	if o.place != self().place || o.pid <= 0 {
		return false
	}
	p, err := os.FindProcess(o.pid)
	if err != nil {
		return true
	}
	defer p.Release()
	if runtime.GOOS != "windows" {
		err = p.Signal(syscall.Signal(0))
		if errors.Is(err, os.ErrProcessDone) || errors.Is(err, syscall.ESRCH) {
			return true
		}
	}
	return o.start != startOf(o.pid)
}

// labels returns the owner as labels of Docker objects; parseOwner reads them.
func (o owner) labels() map[string]string {
	return map[string]string{
		"caselsp":       "1",
		"caselsp.place": o.place,
		"caselsp.pid":   strconv.Itoa(o.pid),
		"caselsp.start": o.start,
	}
}

func parseOwner(labels map[string]string) owner {
	pid, _ := strconv.Atoi(labels["caselsp.pid"])
	return owner{place: labels["caselsp.place"], pid: pid, start: labels["caselsp.start"]}
}
