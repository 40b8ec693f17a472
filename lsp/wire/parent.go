package wire

import (
	"errors"
	"os"
	"runtime"
	"syscall"
	"time"
)

// parentInterval is how often the client's process is looked at. When a client
// ends, the end of the input usually tells at once; this is for the other cases,
// such as a wrapper that keeps the pipe open.
const parentInterval = 5 * time.Second

// watchParent ends the connection when the client's process is gone. A process
// that does not exist at the beginning is not watched: its id belongs to another
// machine or container.
func (c *Conn) watchParent(pid int) {
	if pid <= 0 || !processAlive(pid) {
		return
	}
	var look func()
	look = func() {
		switch {
		case c.ctx.Err() != nil:
		case processAlive(pid):
			c.Clock.After(parentInterval, look)
		default:
			c.Log.Warn("the client's process is gone", "pid", pid)
			c.cancel()
		}
	}
	c.Clock.After(parentInterval, look)
}

// processAlive reports whether a process with this id exists.
func processAlive(pid int) bool {
	p, err := os.FindProcess(pid)
	if err != nil {
		return false
	}
	defer p.Release()
	if runtime.GOOS == "windows" {
		return true // there, FindProcess opens the process and fails if it does not exist
	}
	err = p.Signal(syscall.Signal(0))
	return err == nil || errors.Is(err, os.ErrPermission)
}
