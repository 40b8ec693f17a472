//go:build linux && (amd64 || arm64)

package sandbox

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// NativeEngine runs each command in namespaces of its own, without Docker: the
// kernel gives the same isolation to whoever asks it directly. The sandbox dies
// with this process, whatever kills it, and leaves nothing behind but an empty
// control group that the next start removes.
type NativeEngine struct {
	places  cgroupPlaces
	folders []string
	layers  layers
}

// Native looks whether this machine gives everything that a sandbox needs, by
// running a first one, and removes what earlier processes may have left. It
// returns an *Unavailable that names each part that is missing. The program must
// call [Init] first thing in main.
func Native(ctx context.Context, opts NativeOptions) (*NativeEngine, error) {
	places, lacks := findCgroups()
	lacks = append(lacks, folderLacks(opts.Folders)...)
	n := &NativeEngine{places: places, folders: opts.Folders, layers: layers{opts.Layers}}
	n.layers.sweep()
	if lacks == nil {
		places.sweep()
	}
	lacks = append(lacks, kernelLacks()...)
	if err := n.probe(ctx, lacks == nil); ctx.Err() != nil {
		return nil, ctx.Err()
	} else if err != nil {
		lacks = append(lacks, *err)
	}
	if lacks != nil {
		return nil, lacking(lacks)
	}
	return n, nil
}

// folderLacks looks at what is to be shown beside the system. Where the sandbox
// has its own files, nothing of the machine's goes over them.
func folderLacks(folders []string) (list []lack) {
	for _, folder := range folders {
		s, err := os.Stat(folder)
		switch own := slices.ContainsFunc([]string{"/dev", "/etc", "/proc", "/sys", "/tmp", workFolder}, func(place string) bool {
			return folder == place || strings.HasPrefix(folder, place+"/")
		}); {
		case err != nil:
			list = append(list, lack{"the folder " + folder + " (" + err.Error() + ")", adviceFolders})
		case !s.IsDir() || !filepath.IsAbs(folder) || filepath.Clean(folder) != folder || folder == "/" || own:
			list = append(list, lack{"the folder " + folder + " (it cannot be shown)", adviceFolders})
		}
	}
	return list
}

// kernelLacks asks the kernel for what Native cannot do without and a first
// sandbox would not name.
func kernelLacks() []lack {
	var list []lack
	if err := unix.MountSetattr(-1, "", unix.AT_EMPTY_PATH, &unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY}); errors.Is(err, unix.ENOSYS) {
		list = append(list, lack{"read-only views of folders (mount_setattr)", adviceKernel})
	}
	if err := unix.Prctl(unix.PR_GET_SECCOMP, 0, 0, 0, 0); err != nil {
		list = append(list, lack{"a filter of system calls (seccomp)", adviceKernel})
	}
	if _, err := os.Stat("/proc/self/ns/user"); err != nil {
		list = append(list, lack{"user namespaces", adviceKernel})
	}
	return list
}

// probe runs a first sandbox and returns what it lacks. Where it is known
// already that there can be no limits, it goes without: it runs no command but true.
func (n *NativeEngine) probe(ctx context.Context, limited bool) *lack {
	cmd, err := Command{Line: "true", Policy: Policy{Memory: 64 << 20, PIDs: 16, Disk: 1 << 20, Time: startTime}}.checked()
	var res *Result
	if err == nil {
		res, err = n.run(ctx, cmd, limited)
	}
	var u *Unavailable
	switch {
	case errors.As(err, &u):
		return &lack{u.Reason, u.Advice}
	case err != nil:
		return &lack{err.Error(), adviceNative}
	case !res.OK():
		return &lack{fmt.Sprintf("a shell that works (%s, %d: %s)", res.Status, res.ExitCode, strings.TrimSpace(res.Output)), adviceNative}
	}
	return nil
}

// Run implements Engine.
func (n *NativeEngine) Run(ctx context.Context, cmd Command) (*Result, error) {
	cmd, err := cmd.checked()
	if err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if _, err := n.layers.find(cmd.Layer); err != nil {
		return nil, err
	}
	if cmd.Keep != "" && n.layers.folder == "" {
		return nil, errNoFolder
	}
	res, err := n.run(ctx, cmd, true)
	if ctx.Err() != nil && err != nil {
		return nil, ctx.Err()
	}
	var u *Unavailable
	if errors.As(err, &u) && !u.Started {
		return nil, lacking([]lack{{u.Reason, u.Advice}})
	}
	return res, err
}

// run runs a command, with or without a control group. An *Unavailable that it
// returns has the missing part as its reason.
func (n *NativeEngine) run(ctx context.Context, cmd Command, limited bool) (res *Result, err error) {
	var g *cgroup
	var doors []*os.File
	if limited {
		if g, err = n.places.makeGroup(cmd.Policy); err != nil {
			return nil, &Unavailable{Engine: "native", Reason: "control groups (" + err.Error() + ")", Advice: adviceCgroups, Err: err}
		}
		defer func() { err = errors.Join(err, g.remove()) }()
		if doors, err = g.doors(); err != nil {
			return nil, err
		}
	}
	p, err := n.start(ctx, cmd, doors)
	closeAll(doors)
	if err != nil {
		return nil, err
	}
	defer p.end()
	return n.follow(p, cmd, g)
}

// cell is a sandbox that runs, seen from outside.
type cell struct {
	process *exec.Cmd
	control *os.File
	in      *bufio.Reader // of control
	said    *os.File      // what the command writes
	way     *os.File      // where the socket of the command's proxy comes from; nil: no network
	last    *output       // what the first process itself had to say
	room    int64
	order   order
}

// capabilities are those that the first process needs inside of its own user
// namespace; outside of it they are worth nothing.
var capabilities = []uintptr{unix.CAP_SYS_ADMIN, unix.CAP_SETUID, unix.CAP_SETGID, unix.CAP_NET_ADMIN, unix.CAP_SETPCAP, unix.CAP_SYS_RESOURCE, unix.CAP_DAC_OVERRIDE, unix.CAP_FOWNER}

// start starts the first process of a sandbox. What it returns without an error
// must be ended.
func (n *NativeEngine) start(ctx context.Context, cmd Command, doors []*os.File) (*cell, error) {
	c := &cell{last: &output{limit: lastWords}, room: cmd.Policy.Disk + treeRoom(cmd.Tree)}
	var theirs []*os.File // the other ends, which are the first process's alone once it runs
	defer func() { closeAll(theirs) }()
	control, far, err := socketPair()
	if err != nil {
		return nil, err
	}
	theirs = append(theirs, far)
	c.control, c.in = control, bufio.NewReaderSize(control, copyBuffer)
	said, says, err := os.Pipe()
	if err != nil {
		c.close()
		return nil, err
	}
	theirs = append(theirs, says)
	c.said = said
	c.process = exec.CommandContext(ctx, "/proc/self/exe")
	c.process.Args = []string{initName}
	c.process.Dir = "/"
	c.process.Env = []string{"GOTRACEBACK=single"}
	c.process.Stdin = far
	c.process.Stderr = c.last
	c.process.ExtraFiles = append([]*os.File{says}, doors...)
	c.process.SysProcAttr = namespaces(cmd.Policy.User)
	if len(cmd.Policy.Hosts) > 0 {
		near, far, err := socketPair()
		if err != nil {
			c.close()
			return nil, err
		}
		c.way, theirs = near, append(theirs, far)
		c.process.ExtraFiles = append(c.process.ExtraFiles, far)
		cmd.Env = slices.Concat(proxyEnv(), cmd.Env)
	}
	if err := c.process.Start(); err != nil {
		c.close()
		return nil, &Unavailable{Engine: "native", Reason: "namespaces (" + err.Error() + ")", Advice: adviceNamespaces, Err: err}
	}
	c.order = order{Line: cmd.Line, Env: nativeEnv(n.folders, cmd), User: cmd.Policy.User, Disk: cmd.Policy.Disk, Room: c.room,
		Time: cmd.Policy.Time, Doors: len(doors), Way: c.way != nil, Folders: n.folders, Keep: cmd.Keep != "", Root: os.Geteuid() == 0}
	c.order.Layer, _ = n.layers.find(cmd.Layer) // it was there, or its absence shows in the sandbox
	for _, f := range cmd.Tree {
		c.order.Files = append(c.order.Files, treeFile{f.Path, f.Mode, len(f.Data)})
	}
	return c, nil
}

// close closes the files that the sandbox is connected with.
func (c *cell) close() {
	for _, f := range []*os.File{c.control, c.said, c.way} {
		if f != nil {
			f.Close()
		}
	}
}

// lastWords is how much the first process may say about its own failure.
const lastWords = 8 << 10

// outsideUser is whom the sandboxed processes of root are, seen from outside:
// nobody whom any machine gives files or processes to. Other users' processes
// stay theirs, since a user can give no other user's identity away.
const outsideUser = 1_879_000_000

// namespaces has a process start in namespaces of its own.
func namespaces(user int) *syscall.SysProcAttr {
	uid, gid, root := os.Geteuid(), os.Getegid(), os.Geteuid() == 0
	if root {
		uid, gid = outsideUser, outsideUser
	}
	attr := &syscall.SysProcAttr{
		Cloneflags: unix.CLONE_NEWUSER | unix.CLONE_NEWNS | unix.CLONE_NEWPID | unix.CLONE_NEWNET |
			unix.CLONE_NEWIPC | unix.CLONE_NEWUTS | unix.CLONE_NEWCGROUP,
		UidMappings:                []syscall.SysProcIDMap{{ContainerID: user, HostID: uid, Size: 1}},
		GidMappings:                []syscall.SysProcIDMap{{ContainerID: user, HostID: gid, Size: 1}},
		GidMappingsEnableSetgroups: root,
		AmbientCaps:                capabilities,
		Setsid:                     true,
	}
	if !root { // root's first process becomes that user itself, see become
		attr.Credential = &syscall.Credential{Uid: uint32(user), Gid: uint32(user), NoSetGroups: true}
	}
	return attr
}

// tell sends the order and the tree.
func (c *cell) tell(tree []File) error {
	w := bufio.NewWriterSize(c.control, copyBuffer)
	err := writeLine(w, c.order)
	for _, f := range tree {
		if err == nil {
			_, err = w.Write(f.Data)
		}
	}
	if err == nil {
		err = w.Flush()
	}
	return err
}

// hear reads one report.
func (c *cell) hear(report any) error {
	line, err := c.in.ReadBytes('\n')
	if err == nil {
		err = json.Unmarshal(line, report)
	}
	return err
}

// follow follows a command from its start to its end.
func (n *NativeEngine) follow(c *cell, cmd Command, g *cgroup) (*Result, error) {
	out := &output{limit: cmd.Policy.Output, live: cmd.Output}
	drained := make(chan struct{})
	go func() {
		defer close(drained)
		_, _ = io.Copy(out, c.said)
	}()
	defer func() { c.stop(); <-drained }()
	told := c.tell(cmd.Tree)
	var b started
	if err := c.hear(&b); err != nil {
		return nil, c.broken("before the command was started", errors.Join(told, err), false)
	}
	if b.Missing != "" {
		return nil, &Unavailable{Engine: "native", Reason: b.Missing + " (" + b.Cause + ")", Advice: adviceOf(b.Missing)}
	}
	network, err := c.serve(cmd.Policy.Hosts)
	if err != nil {
		return nil, c.broken("while its way to the network was opened", err, true)
	}
	var e ended
	if err := c.hear(&e); err != nil {
		network()
		return nil, c.broken("after the command was started", err, true)
	}
	res := &Result{ExitCode: e.Code, Took: e.Took, Network: network(), Engine: "native"}
	res.Status = statusOf(e, g != nil && e.Code != 0 && g.killedForMemory())
	if res.OK() && cmd.Keep != "" {
		if err := n.layers.keep(cmd.Keep, c.in, cmd.Policy.Disk+archiveSlack); err != nil {
			return nil, c.broken("while the dependencies were kept", err, true)
		}
	}
	res.Changes, res.Skipped, err = compareTree(c.without(cmd.Tree, e.Same), c.in, workFolder[1:], 2*sparse*c.room+archiveSlack)
	if err != nil {
		return nil, c.broken("while its changes were copied out", err, true)
	}
	c.stop()
	<-drained
	res.Output, res.Cut = out.text()
	res.Advice = n.advise(res)
	return res, nil
}

// serve serves the command with a proxy to hosts. What it returns ends the proxy
// and says what was reached.
func (c *cell) serve(hosts []string) (network func() []Connection, err error) {
	if c.way == nil {
		return func() []Connection { return nil }, nil
	}
	l, err := takeListener(c.way)
	if err != nil {
		return nil, err
	}
	p := newProxy(hosts)
	go p.Serve(l)
	return p.Close, nil
}

// without returns the tree without the files that are as they were.
func (c *cell) without(tree []File, same []int) []File {
	var rest []File
	for i, f := range tree {
		if len(same) > 0 && same[0] == i {
			same = same[1:]
			continue
		}
		rest = append(rest, f)
	}
	return rest
}

// statusOf says how a command ended, by the same rules as in a container.
func statusOf(e ended, oom bool) Status {
	const sizeExceeded = 128 + int(unix.SIGXFSZ) // the one file was larger than the disk
	switch {
	case e.TimedOut:
		return TimedOut
	case e.Code == 0:
		return Exited
	case oom:
		return OutOfMemory
	case e.Full || e.Code == sizeExceeded:
		return DiskFull
	case e.Code > 128 && e.Code <= 128+31:
		return Killed
	}
	return Exited
}

// stop ends the sandbox: with its first process the kernel ends all.
func (c *cell) stop() {
	c.control.Close()
	_ = c.process.Process.Kill() // it may have ended by itself
}

// end waits for the end of all processes of the sandbox.
func (c *cell) end() {
	c.stop()
	_ = c.process.Wait() // that it was killed is no news
	c.close()
}

// broken says that the first process of a sandbox ended before its time.
func (c *cell) broken(when string, err error, started bool) error {
	c.stop()
	_ = c.process.Wait() // its last words are complete
	said, _ := c.last.text()
	if said = strings.TrimSpace(said); said != "" {
		said = ": " + said
	}
	return &Unavailable{Engine: "native", Started: started, Err: err, Advice: adviceNative,
		Reason: fmt.Sprintf("the sandbox's first process ended %s (%v)%s", when, err, said)}
}

// nativeEnv is the environment of a command: what the bundled image has, then
// what the command brings.
func nativeEnv(folders []string, cmd Command) []string {
	var path []string
	for _, folder := range folders {
		path = append(path, folder+"/bin")
	}
	path = append(path, "/usr/local/sbin", "/usr/local/bin", "/usr/local/go/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin")
	env := []string{
		"PATH=" + strings.Join(path, ":"),
		"HOME=/tmp",
		"LANG=C.UTF-8",
		"PYTHONPYCACHEPREFIX=/tmp/pycache",
		"PYTEST_ADDOPTS=-o cache_dir=/tmp/pytest",
		"HYPOTHESIS_STORAGE_DIRECTORY=/tmp/hypothesis",
	}
	if cmd.Layer != "" {
		env = layerVariables(env)
	}
	return append(env, cmd.Env...)
}
