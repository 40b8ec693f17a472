// Package inside is the first process of a native sandbox: it lays out what a
// command sees, confines it, runs it and hands out what it changed. It never speaks
// with anybody but the engine that started it, see package sandbox.
//
// Its use of Landlock and its filter of system calls are written here, on
// golang.org/x/sys/unix. Two libraries lost: go-landlock restricts all threads of a
// process, while here one thread is restricted, which the command starts from, and
// the others prepare the next command with the rights that they keep; its calls for
// one thread are marked as highly unstable. elastic/go-seccomp-bpf compares all 64 bits of
// an argument, of which the kernel reads the lower 32 for most calls, so that a
// command could pass a forbidden value with a higher bit set; and libseccomp-golang
// needs a C library on every machine.
//
// It is a package of its own, with few others below it, so that it begins before
// the rest of this program is initialised: that takes longer than making a sandbox,
// and nothing of it is needed here. Go initialises a package as soon as all those
// are that it imports; a function that main calls would come last.
package inside

import "strings"

// Places in every sandbox, also a container's.
const (
	// WorkFolder is where the work tree lies.
	WorkFolder = "/workspace"

	// DepsFolder is where a command finds the dependencies of its project.
	DepsFolder = "/deps"

	// GoCache is Go's build cache, which goes with each command, and GoBuilt what it begins with:
	// Go's own packages, compiled. Commands only read that.
	GoCache = "/tmp/gocache"
	GoBuilt = "/gobuilt"

	// NodeDeps is where Node's packages of the dependencies lie, which nothing can write to.
	NodeDeps = DepsFolder + "/node/node_modules"

	// NodeModules is what commands see of them: a folder of links, made anew for each
	// command. Vite, Vitest, Babel and others keep temporary files and caches in
	// node_modules and end with an error where they cannot.
	NodeModules = "/tmp/node_modules"

	// NodeLink leads there: Node looks for packages beside the program and in
	// every folder above that.
	NodeLink = "/node_modules"

	// NodeName is the same in the work tree, for what names a file in it
	// (./node_modules/.bin/mocha).
	NodeName = "node_modules"

	// ProxyPort is where a command finds the proxy on its own loopback: a port that
	// no usual program listens on, below those that systems give out by themselves.
	ProxyPort = 29918
)

// Limits of every sandbox that no policy sets.
const (
	// SharedMemory is the size of /dev/shm, the one more place that can be
	// written to: without it Python's multiprocessing has no locks.
	SharedMemory = 64 << 20

	// InodesLimit is for the work tree's volume: a tmpfs of 512 MiB would allow
	// none or millions, by the machine's memory. A project with its
	// dependencies has some ten thousands.
	InodesLimit = 400_000

	// Sparse is how many times the disk's size a file may claim to have. A file
	// of holes takes no room in the sandbox and all of it in an archive; with
	// less than this, a program that fills the disk would be killed for the
	// size of its file before it could see that the disk is full.
	Sparse = 2

	// NoCore is the limit on core dumps below which the kernel makes none. With 0 it
	// still starts the machine's own program for crashes (systemd-coredump, apport)
	// outside of the sandbox, as root and with what the command had in its memory; 1
	// it takes as a word for no, see do_coredump in fs/coredump.c.
	NoCore = 1
)

// LineShell is the script that runs its first argument as a command line. Lines are
// judged by the rules of bash (agent/shell), and other shells read some of them in
// another way, dash for instance $'...': so bash runs them wherever it is, and
// only in an image without it the shell that every image has.
const LineShell = nodeView + `[ -x /bin/bash ] && exec /bin/bash -c "$1" </dev/null; exec /bin/sh -c "$1" </dev/null`

// nodeView lays out NodeModules where there are packages of Node. A project that has a
// node_modules of its own keeps it. Nothing of it fails a command: the command's own
// words about a package that it does not find say more.
const nodeView = `(
[ -d ` + NodeDeps + ` ] && mkdir ` + NodeModules + ` && shift || exit
for f in ` + NodeDeps + `/* ` + NodeDeps + `/.[!.]*; do if [ -e "$f" ]; then set -- "$@" "$f"; fi; done
ln -s "$@" ` + NodeModules + `/
[ -e ` + NodeName + ` ] || [ -L ` + NodeName + ` ] || ln -s ` + NodeModules + ` ` + NodeName + `
) 2>/dev/null
`

// Parents yields the folders above a path, the nearest first.
func Parents(path string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for i := strings.LastIndexByte(path, '/'); i > 0; i = strings.LastIndexByte(path[:i], '/') {
			if !yield(path[:i]) {
				return
			}
		}
	}
}
