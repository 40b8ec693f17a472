//go:build linux && (amd64 || arm64)

package sandbox

import (
	"fmt"
	"runtime"
	"slices"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Offsets in the kernel's struct seccomp_data. The arguments are 64 bits wide;
// the kernel itself reads only the lower half of those that are looked at here,
// and both processors have it first.
const (
	callOffset     = 0
	archOffset     = 4
	argumentOffset = 16
)

// newNamespaces are the flags of clone that make namespaces.
const newNamespaces = unix.CLONE_NEWNS | unix.CLONE_NEWUTS | unix.CLONE_NEWIPC | unix.CLONE_NEWUSER |
	unix.CLONE_NEWPID | unix.CLONE_NEWNET | unix.CLONE_NEWCGROUP

// personalities are those that change nothing but how a program sees itself:
// Linux, its 32-bit mode, uname's old version numbers, both, and asking.
var personalities = []uint32{0, 0x8, 0x20000, 0x20008, 0xffffffff}

// signalCalls send signals to the process that their first argument names. The
// sandbox's first process does not hear them, but it may be of the same user, and
// then a call would seem to have worked that fails in a container.
var signalCalls = []uint32{unix.SYS_KILL, unix.SYS_TKILL, unix.SYS_TGKILL, unix.SYS_RT_SIGQUEUEINFO, unix.SYS_RT_TGSIGQUEUEINFO}

// callFilter returns the program by which the kernel judges each system call of
// a command: the harmless ones pass, of some the arguments decide, all others
// fail with EPERM. Calls of another processor's kind (32-bit programs)
// fail too: their numbers mean other calls.
func callFilter() []unix.SockFilter {
	deny := ret(unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM))
	p := []unix.SockFilter{
		load(archOffset),
		jump(unix.BPF_JEQ, nativeArch, 1, 0),
		deny,
		load(callOffset),
	}
	for _, call := range signalCalls {
		p = append(p, when(call, load(argumentOffset), jump(unix.BPF_JEQ, 1, 0, 1), deny, ret(unix.SECCOMP_RET_ALLOW))...)
	}
	calls := slices.Sorted(slices.Values(slices.Concat(harmlessCalls, processorCalls)))
	for i := 0; i < len(calls); {
		last := i
		for last+1 < len(calls) && calls[last+1] == calls[last]+1 {
			last++
		}
		p = append(p,
			jump(unix.BPF_JGE, calls[i], 0, 2),
			jump(unix.BPF_JGT, calls[last], 1, 0),
			ret(unix.SECCOMP_RET_ALLOW))
		i = last + 1
	}
	p = append(p, when(unix.SYS_CLONE3, ret(unix.SECCOMP_RET_ERRNO|uint32(unix.ENOSYS)))...) // its flags lie in memory, which a filter cannot read; C libraries then take clone
	p = append(p, when(unix.SYS_CLONE, load(argumentOffset), jump(unix.BPF_JSET, newNamespaces, 1, 0), ret(unix.SECCOMP_RET_ALLOW), deny)...)
	p = append(p, when(unix.SYS_SOCKET, load(argumentOffset), jump(unix.BPF_JEQ, unix.AF_ALG, 2, 0), jump(unix.BPF_JEQ, unix.AF_VSOCK, 1, 0), ret(unix.SECCOMP_RET_ALLOW), deny)...)
	personality := []unix.SockFilter{load(argumentOffset)}
	for _, v := range personalities {
		personality = append(personality, jump(unix.BPF_JEQ, v, 0, 1), ret(unix.SECCOMP_RET_ALLOW))
	}
	p = append(p, when(unix.SYS_PERSONALITY, append(personality, deny)...)...)
	return append(p, deny)
}

// when runs body, which must return, for one call.
func when(call uint32, body ...unix.SockFilter) []unix.SockFilter {
	return append([]unix.SockFilter{jump(unix.BPF_JEQ, call, 0, uint8(len(body)))}, body...)
}

func load(offset uint32) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: offset}
}

// jump compares what was loaded with k and skips as many instructions.
func jump(how uint16, k uint32, yes, no uint8) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_K | how, Jt: yes, Jf: no, K: k}
}

func ret(action uint32) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: action}
}

// filterCalls puts the filter on the calling thread and what it starts. The
// thread must have no_new_privs.
func filterCalls() error {
	filter := callFilter()
	program := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	_, _, errno := unix.RawSyscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, 0, uintptr(unsafe.Pointer(&program)))
	runtime.KeepAlive(filter)
	if errno != 0 {
		return fmt.Errorf("seccomp: %w", errno)
	}
	return nil
}
