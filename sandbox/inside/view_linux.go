//go:build linux && (amd64 || arm64)

package inside

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// newRoot is where the sandbox's root is put together. The mount covers what
// lies there, in this mount namespace only.
const newRoot = "/tmp"

// systemFolders are the folders of the machine that a command sees, read-only:
// programs and their libraries. What else there is (home folders, /var, /run,
// /srv, /mnt, sockets of daemons) is not there.
var systemFolders = []string{"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"}

// configuration are the files and folders of /etc that programs need: how to
// find libraries and alternatives, whom to trust, what a type or a time zone is
// called, and the settings of languages. No names of users, no keys, no
// credentials, nothing that says how this machine is reached.
var configuration = []string{
	"alternatives", "ca-certificates", "ca-certificates.conf", "crypto-policies/back-ends", "debian_version", "default/locale",
	"fedora-release", "fonts", "inputrc", "java-11-openjdk", "java-17-openjdk", "java-21-openjdk", "java-25-openjdk",
	"ld.so.cache", "ld.so.conf", "ld.so.conf.d", "locale.alias", "locale.conf", "localtime", "lsb-release", "magic", "magic.mime",
	"mime.types", "os-release", "perl", "php", "pki/ca-trust/extracted", "pki/tls/cert.pem", "pki/tls/certs", "pki/tls/openssl.cnf",
	"protocols", "python2.7", "python3", "python3.9", "python3.10", "python3.11", "python3.12", "python3.13", "python3.14",
	"redhat-release", "services", "ssl/cert.pem", "ssl/certs", "ssl/openssl.cnf", "terminfo", "timezone", "xattr.conf",
}

// devices are the nodes of /dev.
var devices = []string{"full", "null", "random", "tty", "urandom", "zero"}

// Of /proc and /sys a container of Docker sees the same: hidden is what tells
// secrets of the kernel or controls the hardware, fixed is what may be read only.
var (
	hidden = []string{"/proc/acpi", "/proc/asound", "/proc/interrupts", "/proc/kcore", "/proc/keys", "/proc/latency_stats",
		"/proc/sched_debug", "/proc/scsi", "/proc/timer_list", "/proc/timer_stats", "/sys/devices/virtual/powercap", "/sys/firmware"}
	fixed = []string{"/proc/bus", "/proc/fs", "/proc/irq", "/proc/sys", "/proc/sysrq-trigger"}
)

// invented are the files of /etc that are the sandbox's own.
func invented(user int) map[string]string {
	return map[string]string{
		"group":         fmt.Sprintf("root:x:0:\ncase:x:%d:\nnogroup:x:65534:\n", user),
		"hostname":      hostname + "\n",
		"hosts":         "127.0.0.1 localhost " + hostname + "\n::1 localhost ip6-localhost\n",
		"nsswitch.conf": "passwd: files\ngroup: files\nhosts: files dns\n",
		"passwd":        fmt.Sprintf("root:x:0:0:root:/root:/bin/sh\ncase:x:%d:%d::/tmp:/bin/sh\nnobody:x:65534:65534::/nonexistent:/bin/false\n", user, user),
	}
}

const hostname = "sandbox"

// graft is a mounted copy of a part of the machine's files on its way into the
// new root.
type graft struct {
	tree int // a file descriptor
	path string
}

// become makes root's first process the user that it is to be. What is to be
// shown it has taken before, from folders that may be root's alone.
func become(user int) error {
	return errors.Join(syscall.Setgroups(nil), syscall.Setresgid(user, user, user), syscall.Setresuid(user, user, user))
}

// take makes a copy of what is mounted at path, with what is mounted below it,
// with at least the given restrictions.
func take(path string, restrict uint64) (graft, error) {
	fd, err := unix.OpenTree(unix.AT_FDCWD, path, unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC|unix.AT_RECURSIVE)
	if err != nil {
		return graft{}, &fs.PathError{Op: "open_tree", Path: path, Err: err}
	}
	err = unix.MountSetattr(fd, "", unix.AT_EMPTY_PATH|unix.AT_RECURSIVE, &unix.MountAttr{Attr_set: restrict})
	if err != nil {
		unix.Close(fd)
		return graft{}, &fs.PathError{Op: "mount_setattr", Path: path, Err: err}
	}
	return graft{fd, path}, nil
}

// put mounts it at path below the new root.
func (g graft) put(path string) error {
	defer unix.Close(g.tree)
	err := unix.MoveMount(g.tree, "", unix.AT_FDCWD, newRoot+path, unix.MOVE_MOUNT_F_EMPTY_PATH)
	if err != nil {
		return &fs.PathError{Op: "move_mount", Path: path, Err: err}
	}
	return nil
}

const readOnly = unix.MOUNT_ATTR_RDONLY | unix.MOUNT_ATTR_NOSUID | unix.MOUNT_ATTR_NODEV

// buildView replaces the files that this process sees by those of the sandbox.
func buildView(o Setup) error {
	unix.Umask(0o022)
	grafts, links, err := gather(o.Folders)
	if err == nil && o.Layer != "" {
		var g graft
		g, err = take(o.Layer, readOnly)
		g.path = DepsFolder
		grafts = append(grafts, g)
	}
	if err == nil && o.Built != "" {
		var g graft
		g, err = take(o.Built, readOnly)
		g.path = GoBuilt
		grafts = append(grafts, g)
	}
	if err == nil && o.Root {
		err = become(o.User)
	}
	if err == nil {
		err = unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, "")
	}
	if err == nil {
		err = mountNew("tmpfs", "/", 0, "mode=0755,size=16m,nr_inodes=4096")
	}
	if err == nil {
		err = plant(grafts, links, o)
	}
	if err == nil {
		err = mountOwn(o)
	}
	if err == nil {
		err = enterRoot()
	}
	if err == nil {
		err = errors.Join(unix.Sethostname([]byte(hostname)), unix.Setdomainname(nil))
	}
	if err != nil {
		return &setupError{"a view of the files of its own", err}
	}
	return nil
}

// gather takes what is to be shown, before anything covers it.
func gather(more []string) (grafts []graft, links map[string]string, err error) {
	links = make(map[string]string)
	paths := append(append([]string{}, systemFolders...), more...)
	for _, name := range configuration {
		paths = append(paths, "/etc/"+name)
	}
	for _, path := range paths {
		s, err := os.Lstat(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, nil, err
		}
		if s.Mode()&fs.ModeSymlink != 0 { // /bin is one to usr/bin nearly everywhere
			if links[path], err = os.Readlink(path); err != nil {
				return nil, nil, err
			}
			continue
		}
		g, err := take(path, readOnly)
		if err != nil {
			return nil, nil, err
		}
		grafts = append(grafts, g)
	}
	for _, name := range devices {
		g, err := take("/dev/"+name, unix.MOUNT_ATTR_NOSUID|unix.MOUNT_ATTR_NOEXEC)
		if err != nil {
			return nil, nil, err
		}
		grafts = append(grafts, g)
	}
	return grafts, links, nil
}

// plant fills the new root.
func plant(grafts []graft, links map[string]string, o Setup) error {
	var errs []error
	for _, dir := range []string{"/etc", "/proc", "/sys", "/dev", "/tmp", WorkFolder} {
		errs = append(errs, os.MkdirAll(newRoot+dir, 0o755))
	}
	errs = append(errs, mountNew("tmpfs", "/dev", unix.MS_NOSUID|unix.MS_NOEXEC, "mode=0755,size=64k,nr_inodes=64"))
	for _, dir := range []string{"/dev/pts", "/dev/shm"} {
		errs = append(errs, os.Mkdir(newRoot+dir, 0o755))
	}
	for name, to := range map[string]string{"fd": "/proc/self/fd", "stdin": "/proc/self/fd/0", "stdout": "/proc/self/fd/1",
		"stderr": "/proc/self/fd/2", "ptmx": "pts/ptmx"} {
		links["/dev/"+name] = to
	}
	if o.Layer != "" {
		links[NodeLink] = NodeModules
	}
	if o.Keep {
		errs = append(errs, os.Mkdir(newRoot+DepsFolder, 0o755))
	}
	for path, to := range links {
		errs = append(errs, os.MkdirAll(filepath.Dir(newRoot+path), 0o755), os.Symlink(to, newRoot+path))
	}
	for _, g := range grafts {
		errs = append(errs, makePoint(g), g.put(g.path))
		if slices.Contains(o.Folders, g.path) {
			errs = append(errs, veil(g.path))
		}
	}
	for name, text := range invented(o.User) {
		errs = append(errs, os.WriteFile(newRoot+"/etc/"+name, []byte(text), 0o444))
	}
	return errors.Join(errs...)
}

// veil covers a folder with a view of itself whose sockets and pipes lead nowhere: a
// command can connect with those of a read-only folder, too, and a process of the
// machine may listen there. An overlay replaces them by files of its own. It needs two
// folders; the second is empty.
func veil(path string) error {
	escaped := strings.NewReplacer(`\`, `\\`, ":", `\:`, ",", `\,`).Replace(newRoot + path)
	return mountNew("overlay", path, unix.MS_RDONLY|plain, "lowerdir="+escaped+":"+newRoot+WorkFolder)
}

// makePoint makes the file or folder that a graft is put on.
func makePoint(g graft) error {
	var s unix.Stat_t
	if err := unix.Fstat(g.tree, &s); err != nil {
		return err
	}
	if s.Mode&unix.S_IFMT == unix.S_IFDIR {
		return os.MkdirAll(newRoot+g.path, 0o755)
	}
	if err := os.MkdirAll(filepath.Dir(newRoot+g.path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(newRoot+g.path, nil, 0o444)
}

func mountNew(kind, path string, flags uintptr, options string) error {
	if err := unix.Mount(kind, newRoot+strings.TrimSuffix(path, "/"), kind, flags, options); err != nil {
		return fmt.Errorf("mounting %s on %s: %w", kind, path, err)
	}
	return nil
}

// mountOwn mounts what is the sandbox's own.
func mountOwn(o Setup) error {
	err := errors.Join(
		// A process that the command may not look into, such as the first, does not even show.
		mountNew("proc", "/proc", plain|unix.MS_NOEXEC, "hidepid=ptraceable"),
		mountNew("sysfs", "/sys", plain|unix.MS_NOEXEC|unix.MS_RDONLY, ""),
		mountNew("devpts", "/dev/pts", unix.MS_NOSUID|unix.MS_NOEXEC, "newinstance,ptmxmode=0666,mode=0620"),
		mountScratch(newRoot, o.Disk),
		mountNew("tmpfs", WorkFolder, plain, fmt.Sprintf("mode=0755,size=%d,nr_inodes=%d", o.Disk, InodesLimit)))
	if err != nil {
		return err
	}
	if o.Keep {
		err = mountNew("tmpfs", DepsFolder, plain, fmt.Sprintf("mode=0755,size=%d,nr_inodes=%d", o.Disk, InodesLimit))
	}
	return errors.Join(err, noUserNamespaces(), cover(hidden), fix(fixed))
}

// plain is what all folders have that can be written to.
const plain = unix.MS_NOSUID | unix.MS_NODEV

// mountScratch mounts what each command finds empty.
func mountScratch(root string, disk int64) error {
	return errors.Join(
		unix.Mount("tmpfs", root+"/dev/shm", "tmpfs", plain|unix.MS_NOEXEC, fmt.Sprintf("mode=1777,size=%d,nr_inodes=%d", SharedMemory, InodesLimit)),
		unix.Mount("tmpfs", root+"/tmp", "tmpfs", plain, fmt.Sprintf("mode=1777,size=%d,nr_inodes=%d", disk, InodesLimit)))
}

// noUserNamespaces has the kernel allow no user namespace below this one, so that no
// process in it becomes root of another even if the filter of system calls failed.
func noUserNamespaces() error {
	return os.WriteFile(newRoot+"/proc/sys/user/max_user_namespaces", []byte("0"), 0o644)
}

// cover puts nothing over files and folders.
func cover(paths []string) error {
	for _, path := range paths {
		s, err := os.Lstat(newRoot + path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err == nil && s.IsDir() {
			err = mountNew("tmpfs", path, unix.MS_RDONLY|unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, "size=0,nr_inodes=1,mode=0555")
		} else if err == nil {
			var g graft
			if g, err = take(newRoot+"/dev/null", unix.MOUNT_ATTR_RDONLY|unix.MOUNT_ATTR_NOSUID|unix.MOUNT_ATTR_NOEXEC); err == nil {
				err = g.put(path)
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// fix makes files and folders read-only for every user.
func fix(paths []string) error {
	for _, path := range paths {
		if _, err := os.Lstat(newRoot + path); errors.Is(err, fs.ErrNotExist) {
			continue
		}
		g, err := take(newRoot+path, readOnly|unix.MOUNT_ATTR_NOEXEC)
		if err == nil {
			err = g.put(path)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// enterRoot makes the new root the only one and closes it: its own folders
// belong to the command's user, but it must not write there.
func enterRoot() error {
	if err := unix.Chdir(newRoot); err != nil {
		return err
	}
	// The old root is put on top of the new one and taken away from there, which
	// needs no folder for it.
	if err := unix.PivotRoot(".", "."); err != nil {
		return fmt.Errorf("pivot_root: %w", err)
	}
	if err := unix.Unmount(".", unix.MNT_DETACH); err != nil {
		return err
	}
	if err := unix.Chdir("/"); err != nil {
		return err
	}
	for _, path := range []string{"/", "/dev"} {
		if err := unix.MountSetattr(unix.AT_FDCWD, path, 0, &unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY}); err != nil {
			return fmt.Errorf("making %s read-only: %w", path, err)
		}
	}
	return nil
}
