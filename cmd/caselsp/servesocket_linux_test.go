package main

import (
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// dialAs connects to a Unix socket as another user.
func dialAs(uid int, path string) (conn net.Conn, err error) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread() // and never unlocked: the thread ends with the goroutine, its user with it
		if _, _, errno := unix.RawSyscall(unix.SYS_SETRESUID, ^uintptr(0), uintptr(uid), ^uintptr(0)); errno != 0 {
			err = errno
			return
		}
		conn, err = net.Dial("unix", path)
	}()
	<-done
	return conn, err
}

// TestServeSocketUser shows that another user cannot use a Unix socket, by the mode
// of the file, nor where somebody has changed that.
func TestServeSocketUser(t *testing.T) {
	need(t, "root")
	dir, err := os.MkdirTemp("", "caselsp-socket-*")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	path := filepath.Join(dir, "s")
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	s := startListening(t, path)
	const nobody = 65534
	if conn, err := dialAs(nobody, path); err == nil {
		conn.Close()
		t.Error("another user may open the socket's file")
	}
	s.must(os.Chmod(path, 0o777))
	conn, err := dialAs(nobody, path)
	s.must(err)
	body := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{}}}`
	_, _ = fmt.Fprintf(conn, "Content-Length: %d\r\n\r\n%s", len(body), body)
	if answer, _ := io.ReadAll(conn); len(answer) > 0 {
		t.Errorf("another user is answered %q", answer)
	}
	if why := s.hear().Refused; !strings.Contains(why, "belongs to the user with the id 65534") {
		t.Errorf("refused because of %q", why)
	}
	s.works(`{"token": "needed by nobody"}`)
	if _, err := os.Lstat(path); err == nil {
		t.Error("the socket's file is still there")
	}
}

// TestServeSocketKilled kills a server that waits: the next one listens at the same place.
func TestServeSocketKilled(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s")
	killed := startListening(t, path)
	killed.must(killed.cmd.Process.Kill())
	_ = killed.cmd.Wait()
	if _, err := os.Lstat(path); err != nil {
		t.Fatalf("a killed server leaves no socket: %v", err)
	}
	startListening(t, path).works("null")
}
