package workspace

import (
	"runtime"
	"syscall"
)

// asideNice is how far the threads give way that parse in the background: with it, one that answers a request gets
// nine tenths of a processor that both want.
const asideNice = 10

// yieldThread has the thread of the calling goroutine give way to the others, to the goroutine's end, which ends the thread:
// Go's scheduler knows no priorities, and what is parsed runs in C, where it cannot be interrupted.
func yieldThread() {
	runtime.LockOSThread()
	_ = syscall.Setpriority(syscall.PRIO_PROCESS, 0, asideNice) // of the calling thread; without it, it is only slower for others
}
