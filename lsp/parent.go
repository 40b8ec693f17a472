package lsp

import (
	"errors"
	"os"
	"runtime"
	"syscall"
	"time"
)

// parentInterval is how often the client's process is looked at. Its end mostly
// shows at once as the end of input; this is for the others, such as a wrapper
// that keeps the pipe open.
const parentInterval = 5 * time.Second

// watchParent ends the server when the client's process is gone. A process that
// is not there at the beginning is not watched: its number belongs to another
// machine or container.
func (s *server) watchParent(pid int) {
	if pid <= 0 || !processAlive(pid) {
		return
	}
	var look func()
	look = func() {
		switch {
		case s.ctx.Err() != nil:
		case processAlive(pid):
			s.clock.after(parentInterval, look)
		default:
			s.log.Warn("the client's process is gone", "pid", pid)
			s.cancel()
		}
	}
	s.clock.after(parentInterval, look)
}

// processAlive reports whether there is a process of this number.
func processAlive(pid int) bool {
	p, err := os.FindProcess(pid)
	if err != nil {
		return false
	}
	defer p.Release()
	if runtime.GOOS == "windows" {
		return true // there, FindProcess opens the process and fails where there is none
	}
	err = p.Signal(syscall.Signal(0))
	return err == nil || errors.Is(err, os.ErrPermission)
}
