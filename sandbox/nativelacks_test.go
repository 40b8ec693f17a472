//go:build linux && (amd64 || arm64)

package sandbox

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// withoutVariable names a system call, by its number, and the error that it gives.
const withoutVariable = "CASELSP_TEST_WITHOUT"

func init() {
	roles["without"] = func() error {
		if err := forgo(os.Getenv(withoutVariable)); err != nil {
			return err
		}
		if len(os.Args) > 1 {
			os.Unsetenv(ownerVariable)
			return syscall.Exec("/proc/self/exe", append([]string{"/proc/self/exe"}, os.Args[1:]...), os.Environ())
		}
		_, err := Native(context.Background(), NativeOptions{})
		return err
	}
}

// forgo gives a system call up, for this process and all that it starts: so a
// kernel looks that does not have it, or a container that does not allow it.
func forgo(what string) error {
	var call, errno uint32
	if _, err := fmt.Sscan(what, &call, &errno); err != nil {
		return err
	}
	filter := []unix.SockFilter{
		{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: 0}, // the call's number
		{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: call, Jf: 1},
		{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ERRNO | errno},
		{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ALLOW},
	}
	program := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}
	_, _, failed := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, unix.SECCOMP_FILTER_FLAG_TSYNC, uintptr(unsafe.Pointer(&program)))
	if failed != 0 {
		return failed
	}
	return nil
}

func without(call int, errno syscall.Errno, args ...string) *exec.Cmd {
	cmd := role("without", args...)
	cmd.Env = append(cmd.Env, fmt.Sprintf("%s=%d %d", withoutVariable, call, errno))
	return cmd
}

// TestNativeLacks shows that each part that cannot be had is named, with what
// to do, and that nothing is run without it.
func TestNativeLacks(t *testing.T) {
	machine{}.need(t)
	walled := role("walled")
	walled.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWUSER,
		UidMappings: []syscall.SysProcIDMap{{HostID: os.Getuid(), Size: 1}}, GidMappings: []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}}}
	type lacking struct {
		cmd  *exec.Cmd
		want []string
	}
	view := []string{"a view of the files of its own", "user.max_user_namespaces"}
	tests := []lacking{
		{walled, []string{"namespaces (", "max_user_namespaces"}},
		{without(unix.SYS_MOUNT_SETATTR, unix.ENOSYS), []string{"read-only views of folders (mount_setattr)", "5.12"}},
		{without(unix.SYS_OPEN_TREE, unix.EPERM), view},
		{without(unix.SYS_MOUNT, unix.EPERM), view},
		{without(unix.SYS_PIVOT_ROOT, unix.EPERM), view},
		{without(unix.SYS_SECCOMP, unix.EINVAL), []string{"a filter of system calls", "Use a kernel"}},
		{without(unix.SYS_CAPSET, unix.EPERM), []string{"namespaces (", "a container must be started with leave"}},
	}
	if os.Geteuid() == 0 {
		tests = append(tests, lacking{role("nobody"), []string{"memory", "processes", "processors", "permission denied", "Delegate="}})
	}
	for _, tt := range tests {
		out, _ := tt.cmd.CombinedOutput() // it fails, as every role does that returns
		for _, want := range append(tt.want, "cannot run commands: this machine does not give it", "Or use Docker") {
			if !bytes.Contains(out, []byte(want)) {
				t.Errorf("%q does not say %q", out, want)
			}
		}
	}
}

// TestNativeWithoutLandlock shows that what is promised holds also where the
// kernel has no Landlock, which only says some of it once more.
func TestNativeWithoutLandlock(t *testing.T) {
	machine{}.need(t, "python3")
	cmd := without(unix.SYS_LANDLOCK_CREATE_RULESET, unix.ENOSYS, "-test.v",
		"-test.run=^TestNative(First)?$/machine/(abuse|commands|native)/(host-files|links|writable-places|proc-sys|processes-of-others|devices|network|kernel|rights|outside)")
	cmd.Env = append(cmd.Env, "CASELSP_REQUIRE=native")
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "--- PASS: TestNative/machine/abuse/host-files") {
		t.Errorf("%v\n%s", err, out)
	}
	probe := without(unix.SYS_LANDLOCK_CREATE_RULESET, unix.ENOSYS)
	if out, err := probe.CombinedOutput(); err != nil && !errors.As(err, new(*exec.ExitError)) || len(out) > 0 {
		t.Errorf("it does not start: %v, %s", err, out)
	}
}
