//go:build linux && (amd64 || arm64)

package inside

import (
	"errors"
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"
)

// confineThread takes from the calling thread, and so from all that it starts,
// the capabilities, the way to get new ones by running a program, the files
// that it has no business with, and the dangerous system calls.
func confineThread(keep bool) error {
	if err := dropCapabilities(); err != nil {
		return &setupError{"dropping all capabilities", err}
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return &setupError{"no_new_privs", err}
	}
	if err := restrictFiles(keep); err != nil {
		return &setupError{"Landlock", err}
	}
	if err := filterCalls(); err != nil {
		return &setupError{"a filter of system calls", err}
	}
	return nil
}

// dropCapabilities empties all five sets.
func dropCapabilities() error {
	for c := uintptr(0); ; c++ {
		err := unix.Prctl(unix.PR_CAPBSET_DROP, c, 0, 0, 0)
		if err == unix.EINVAL && c > unix.CAP_AUDIT_READ {
			break // the kernel knows no more
		}
		if err != nil {
			return fmt.Errorf("capability %d: %w", c, err)
		}
	}
	if err := unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0); err != nil {
		return err
	}
	var none [2]unix.CapUserData
	return unix.Capset(&unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}, &none[0])
}

// Landlock's rights, by the version that brought them. Version 1 cannot be used:
// it forbids to move a file from one folder to another.
const (
	landlockUsable = 2
	landlockScopes = 6 // keeps signals and abstract sockets within the sandbox
)

func landlockRights(version int) uint64 {
	rights := uint64(unix.LANDLOCK_ACCESS_FS_REFER<<1 - 1)
	if version >= 3 {
		rights |= unix.LANDLOCK_ACCESS_FS_TRUNCATE
	}
	if version >= 5 {
		rights |= unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
	}
	return rights
}

// landlockVersion returns the version that the kernel has; 0 for none.
func landlockVersion() int {
	v, _, errno := unix.RawSyscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 {
		return 0
	}
	return int(v)
}

// restrictFiles says once more, by Landlock, what the view of the files says
// already: everything is to be read, three folders are to be written to, or four. Were
// there a hole in one, the other still holds. A kernel without Landlock is no
// reason to refuse: what is promised holds without it.
func restrictFiles(keep bool) error {
	version := landlockVersion()
	if version < landlockUsable {
		return nil
	}
	all := landlockRights(version)
	attr := unix.LandlockRulesetAttr{Handled_access_fs: all}
	size := unsafe.Sizeof(attr.Handled_access_fs) // what the first versions knew
	if version >= landlockScopes {
		attr.Scoped = unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET | unix.LANDLOCK_SCOPE_SIGNAL
		size = unsafe.Offsetof(attr.Scoped) + unsafe.Sizeof(attr.Scoped)
	}
	set, _, errno := unix.RawSyscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&attr)), size, 0)
	if errno != 0 {
		return errno
	}
	defer unix.Close(int(set))
	const reads = unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_READ_DIR
	const writes = unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_TRUNCATE | unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
	err := errors.Join(
		allowBeneath(int(set), "/", reads),
		allowBeneath(int(set), WorkFolder, all),
		allowBeneath(int(set), "/tmp", all),
		allowBeneath(int(set), "/dev/shm", all),
		allowBeneath(int(set), "/dev", (reads|writes)&all),
		allowBeneath(int(set), "/proc", (reads|writes)&all))
	if keep {
		err = errors.Join(err, allowBeneath(int(set), DepsFolder, all))
	}
	if err != nil {
		return err
	}
	if _, _, errno := unix.RawSyscall(unix.SYS_LANDLOCK_RESTRICT_SELF, set, 0, 0); errno != 0 {
		return errno
	}
	return nil
}

func allowBeneath(set int, folder string, rights uint64) error {
	fd, err := unix.Open(folder, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	attr := unix.LandlockPathBeneathAttr{Allowed_access: rights, Parent_fd: int32(fd)}
	_, _, errno := unix.RawSyscall6(unix.SYS_LANDLOCK_ADD_RULE, uintptr(set), unix.LANDLOCK_RULE_PATH_BENEATH, uintptr(unsafe.Pointer(&attr)), 0, 0, 0)
	if errno != 0 {
		return fmt.Errorf("%s: %w", folder, errno)
	}
	return nil
}
