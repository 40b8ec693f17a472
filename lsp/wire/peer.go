//go:build linux || darwin || freebsd

package wire

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// privateDir returns a folder without links, and an error unless it is this user's own and
// nobody else may write there, exchange the folder, or lead the path to another one.
func privateDir(dir string) (string, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	for part := dir; part != filepath.Dir(part); part = filepath.Dir(part) {
		info, err := os.Lstat(part)
		if err != nil {
			return "", err
		}
		if owner := ownerOf(info); owner != 0 && owner != os.Geteuid() {
			return "", fmt.Errorf("other users may change %s, through which the path of the socket leads: name its folder without it", part)
		}
	}
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return "", err
	}
	info, err := os.Stat(dir)
	if err != nil {
		return "", err
	}
	if !info.IsDir() {
		return "", fmt.Errorf("%s is not a folder", dir)
	}
	if ownerOf(info) != os.Geteuid() || info.Mode().Perm()&0o022 != 0 {
		return "", fmt.Errorf("other users may change the folder %s: make one of your own (mkdir -m 700), for example in $XDG_RUNTIME_DIR", dir)
	}
	for above := dir; above != filepath.Dir(above); {
		above = filepath.Dir(above)
		if info, err = os.Stat(above); err != nil {
			return "", err
		}
		owner := ownerOf(info)
		if owner != 0 && owner != os.Geteuid() || info.Mode().Perm()&0o002 != 0 && info.Mode()&fs.ModeSticky == 0 {
			return "", fmt.Errorf("other users may change the folder %s, in which the socket's folder lies", above)
		}
	}
	return dir, nil
}

// ownerOf returns the id of the user who owns a file; -1 if it is not known.
func ownerOf(info fs.FileInfo) int {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return int(stat.Uid)
	}
	return -1
}

// lockDir keeps other servers from opening a socket in a folder until unlock is called: between
// the look at a stale socket and its removal one could begin to listen there.
func lockDir(dir string) (unlock func(), err error) {
	f, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
		return nil, errors.Join(fmt.Errorf("locking the folder %s: %w", dir, err), f.Close())
	}
	return func() { _ = f.Close() }, nil // which unlocks it
}

// staleTime is how long a server may take to accept, which the kernel does for it.
const staleTime = time.Second

// stale reports whether a file is the socket that a killed server has left: a socket of this
// user's at which nobody listens. Where it is not known, it is none.
func stale(ctx context.Context, path string) bool {
	info, err := os.Lstat(path)
	if err != nil || info.Mode().Type() != fs.ModeSocket || ownerOf(info) != os.Geteuid() {
		return false
	}
	conn, err := (&net.Dialer{Timeout: staleTime}).DialContext(ctx, "unix", path)
	if err == nil {
		_ = conn.Close()
		return false
	}
	return errors.Is(err, syscall.ECONNREFUSED)
}
