package workspace

import (
	"encoding/binary"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

const (
	// watchedEvents are those after which what a folder's list says of its files may be wrong. What merely
	// reads is not among them.
	watchedEvents = unix.IN_MODIFY | unix.IN_ATTRIB | unix.IN_CLOSE_WRITE | unix.IN_CREATE | unix.IN_DELETE |
		unix.IN_MOVED_FROM | unix.IN_MOVED_TO | unix.IN_DELETE_SELF | unix.IN_MOVE_SELF | unix.IN_ONLYDIR

	// eventHead is the size of an event without its name: watch, mask, cookie and length of the name, of four bytes each.
	eventHead = unix.SizeofInotifyEvent
)

// localSystems are the file systems of which the kernel of this machine makes all changes, so that it can tell of them.
// Another machine, or a program behind FUSE, changes a file of others untold.
var localSystems = map[int64]bool{
	unix.EXT4_SUPER_MAGIC: true, unix.XFS_SUPER_MAGIC: true, unix.BTRFS_SUPER_MAGIC: true, unix.F2FS_SUPER_MAGIC: true, unix.TMPFS_MAGIC: true,
}

// watcher is told by the system of changes in folders (inotify).
type watcher struct {
	fd  int
	buf []byte
}

// newWatcher returns nil where the system has no more to give.
func newWatcher() *watcher {
	fd, err := unix.InotifyInit1(unix.IN_NONBLOCK | unix.IN_CLOEXEC)
	if err != nil {
		return nil
	}
	return &watcher{fd: fd, buf: make([]byte, 64<<10)}
}

// add watches a folder that is open: that one, wherever its path leads by now.
func (w *watcher) add(dir *os.File) (id int32, ok bool) {
	raw, err := dir.SyscallConn()
	if err != nil {
		return 0, false
	}
	control := func(fd uintptr) {
		var system unix.Statfs_t
		if unix.Fstatfs(int(fd), &system) != nil || !localSystems[int64(system.Type)] {
			return
		}
		n, err := unix.InotifyAddWatch(w.fd, fmt.Sprintf("/proc/self/fd/%d", fd), watchedEvents)
		id, ok = int32(n), err == nil
	}
	if raw.Control(control) != nil {
		return 0, false
	}
	return id, ok
}

// remove ends a watch.
func (w *watcher) remove(id int32) { _, _ = unix.InotifyRmWatch(w.fd, uint32(id)) }

// drain returns the watches whose folders have changed since it was last called; gone are those that lie elsewhere or
// nowhere now.
// all says that there were too many changes to tell, or that they cannot be told any more.
func (w *watcher) drain() (changed, gone []int32, all bool) {
	for {
		n, err := unix.Read(w.fd, w.buf)
		switch {
		case err == unix.EINTR:
			continue
		case err == unix.EAGAIN:
			return changed, gone, all
		case err != nil || n < eventHead:
			return changed, gone, true
		}
		for at := 0; at+eventHead <= n; {
			event := w.buf[at:n]
			id, mask := int32(binary.NativeEndian.Uint32(event)), binary.NativeEndian.Uint32(event[4:])
			switch {
			case mask&unix.IN_Q_OVERFLOW != 0:
				all = true
			case mask&(unix.IN_IGNORED|unix.IN_MOVE_SELF) != 0:
				gone = append(gone, id)
			case len(changed) == 0 || changed[len(changed)-1] != id:
				changed = append(changed, id)
			}
			at += eventHead + int(binary.NativeEndian.Uint32(event[12:]))
		}
	}
}

func (w *watcher) close() { _ = unix.Close(w.fd) }
