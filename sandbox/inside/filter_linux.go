//go:build linux && (amd64 || arm64)

package inside

import (
	"fmt"
	"runtime"
	"slices"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Offsets in the kernel's struct seccomp_data.
const (
	callOffset = 0
	archOffset = 4
)

// argument returns the offset of an argument of the call, from 0. It is 64 bits
// wide; of all that is looked at here but pointers the kernel itself reads only the
// lower half, and both processors have that first.
func argument(n uint32) uint32 { return 16 + 8*n }

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

// families are the kinds of sockets that programs need. Of the many others, some
// lead out of a sandbox (AF_VSOCK), and the rest is rarely tested kernel code.
var families = []uint32{unix.AF_UNIX, unix.AF_INET, unix.AF_INET6, unix.AF_NETLINK}

// terminalTricks are requests to a terminal that put words into the mouth of its
// user, or load code into the kernel that speaks some modem's language.
var terminalTricks = []uint32{unix.TIOCSTI, unix.TIOCLINUX, unix.TIOCSETD}

// The answers of the filter.
var (
	allow   = ret(unix.SECCOMP_RET_ALLOW)
	deny    = ret(unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM))
	pretend = ret(unix.SECCOMP_RET_ERRNO) // nothing is done, and the caller is told that it was
)

// callFilter returns the program by which the kernel judges each system call of
// a command: the harmless ones pass, of some the arguments decide, all others
// fail with EPERM. Calls of another processor's kind (32-bit programs)
// fail too: their numbers mean other calls.
func callFilter() []unix.SockFilter {
	p := []unix.SockFilter{
		load(archOffset),
		jump(unix.BPF_JEQ, nativeArch, 1, 0),
		deny,
		load(callOffset),
	}
	p = append(p, stricter()...)
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
	p = append(p, when(unix.SYS_CLONE, load(argument(0)), jump(unix.BPF_JSET, newNamespaces, 1, 0), allow, deny)...)
	p = append(p, when(unix.SYS_SOCKET, oneOf(0, families, allow, deny)...)...)
	p = append(p, when(unix.SYS_PERSONALITY, oneOf(0, personalities, allow, deny)...)...)
	return append(p, deny)
}

// stricter judges calls that a container may make, too, but that reach further
// here: the first process may be of the command's own user, crashes are told to
// programs of the machine, and its huge pages count to no control group.
func stricter() (p []unix.SockFilter) {
	for _, call := range signalCalls {
		p = append(p, when(call, oneOf(0, []uint32{1}, deny, allow)...)...)
	}
	core := []uint32{unix.RLIMIT_CORE}
	p = append(p, when(unix.SYS_SETRLIMIT, oneOf(0, core, pretend, allow)...)...)
	limits := []unix.SockFilter{
		load(argument(2)), jump(unix.BPF_JEQ, 0, 0, 3), // a pointer to new limits?
		load(argument(2) + 4), jump(unix.BPF_JEQ, 0, 0, 1), allow,
		load(argument(0)), jump(unix.BPF_JEQ, 0, 1, 0), deny, // to other processes than one's own
	}
	p = append(p, when(unix.SYS_PRLIMIT64, append(limits, oneOf(1, core, pretend, allow)...)...)...)
	p = append(p, when(unix.SYS_IOCTL, oneOf(1, terminalTricks, deny, allow)...)...)
	p = append(p, when(unix.SYS_MMAP, load(argument(3)), jump(unix.BPF_JSET, unix.MAP_HUGETLB, 0, 1), deny, allow)...)
	return append(p, when(unix.SYS_MEMFD_CREATE, load(argument(1)), jump(unix.BPF_JSET, unix.MFD_HUGETLB, 0, 1), deny, allow)...)
}

// oneOf answers yes if an argument is one of the values, else no.
func oneOf(n uint32, values []uint32, yes, no unix.SockFilter) []unix.SockFilter {
	p := []unix.SockFilter{load(argument(n))}
	for _, v := range values {
		p = append(p, jump(unix.BPF_JEQ, v, 0, 1), yes)
	}
	return append(p, no)
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
