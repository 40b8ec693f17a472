//go:build unix

package workspace

import "syscall"

// hold marks a folder as one that a write works in, until release is called or the process
// ends, however that comes about. Where the mark cannot be made the write goes on without.
func (p place) hold(dir string) (release func()) {
	release, _ = p.lock(dir, syscall.LOCK_SH)
	return release
}

// alone reports whether no write works in a folder, and keeps it so until release is called.
func (p place) alone(dir string) (release func(), ok bool) { return p.lock(dir, syscall.LOCK_EX) }

func (p place) lock(dir string, how int) (release func(), ok bool) {
	f, err := p.folder.root.Open(dir)
	if err != nil {
		return func() {}, false
	}
	ok = syscall.Flock(int(f.Fd()), how|syscall.LOCK_NB) == nil
	return func() { _ = f.Close() }, ok
}
