//go:build linux && (amd64 || arm64)

package sandbox

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"caselsp/sandbox/inside"
)

// NativeEngine runs each command in namespaces of its own, without Docker: the
// kernel gives the same isolation without an engine. The sandbox dies
// with this process, whatever kills it, and leaves nothing behind but an empty
// control group, which SweepNative removes at the next start. One that has run a command waits for
// the next, see Close.
type NativeEngine struct {
	places  cgroupPlaces
	folders []string
	layers  layers
	built   goBuilt
	warm    slot
}

// Native looks whether this machine gives everything that a sandbox needs, by
// running a first one, and removes what earlier processes may have left. It
// returns an *Unavailable that names each part that is missing. A sandbox's first
// process is this program itself: see package inside.
func Native(ctx context.Context, opts NativeOptions) (*NativeEngine, error) {
	places, lacks := findCgroups()
	lacks = append(lacks, folderLacks(opts.Folders)...)
	n := &NativeEngine{places: places, folders: opts.Folders, layers: layers{folder: opts.Layers}, built: goBuilt{layers: builtLayers(opts.Layers)}}
	n.layers.sweep()
	n.built.layers.sweep()
	SweepNative()
	lacks = append(lacks, kernelLacks()...)
	if err := n.probe(ctx, lacks == nil); ctx.Err() != nil {
		return nil, ctx.Err()
	} else if err != nil {
		lacks = append(lacks, *err)
	}
	if lacks != nil {
		_ = n.Close()
		return nil, lacking(lacks)
	}
	return n, nil
}

// folderLacks looks at what is to be shown beside the system. Where the sandbox
// has its own files, nothing of the machine's goes over them.
func folderLacks(folders []string) (list []lack) {
	for _, folder := range folders {
		s, err := os.Stat(folder)
		switch own := slices.ContainsFunc([]string{"/dev", "/etc", "/proc", "/sys", "/tmp", inside.WorkFolder}, func(place string) bool {
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

// probe runs a first sandbox, which then waits for a command, and returns what it
// lacks. On a machine that cannot set limits it goes without them: it runs no
// command but true.
func (n *NativeEngine) probe(ctx context.Context, limited bool) *lack {
	cmd, err := Command{Line: "true", Policy: Policy{Memory: 64 << 20, PIDs: 16, Time: startTime}}.checked()
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
	if err := n.buildGo(ctx, cmd); err != nil {
		return nil, err
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
		doors, err = g.doors()
		defer closeAll(doors)
		if err != nil {
			return nil, err
		}
	}
	k := keyOf(cmd)
	k.built = n.findBuilt(cmd)
	if c := n.warm.take(k); c != nil {
		res, err := n.runIn(ctx, c, cmd, g, doors)
		if u := (*Unavailable)(nil); !errors.As(err, &u) || u.Started || ctx.Err() != nil {
			return res, err
		} // it had gone bad while it waited
	}
	c, err := n.start(cmd, k)
	if err != nil {
		return nil, err
	}
	return n.runIn(ctx, c, cmd, g, doors)
}

// runIn runs a command in a sandbox, which then waits for the next one or ends.
func (n *NativeEngine) runIn(ctx context.Context, c *cell, cmd Command, g *cgroup, doors []*os.File) (*Result, error) {
	unwatch := context.AfterFunc(ctx, c.stop)
	res, sound, err := n.follow(c, cmd, g, doors)
	if !unwatch() || err != nil || !sound || g == nil || !n.warm.put(c) {
		c.end()
	}
	return res, err
}

// cell is a sandbox that runs, seen from outside.
type cell struct {
	key     cellKey
	process *exec.Cmd
	control *os.File
	in      *bufio.Reader // of control
	hatch   *os.File      // where files go in and out
	last    *output       // what the first process itself had to say
	tree    map[string]given
	born    time.Time
	runs    int
}

// capabilities are those that the first process needs inside of its own user
// namespace; outside of it they are worth nothing.
var capabilities = []uintptr{unix.CAP_SYS_ADMIN, unix.CAP_SETUID, unix.CAP_SETGID, unix.CAP_NET_ADMIN, unix.CAP_SETPCAP, unix.CAP_SYS_RESOURCE, unix.CAP_DAC_OVERRIDE, unix.CAP_FOWNER}

// start starts the first process of a sandbox. What it returns without an error
// must be inside.Ended.
func (n *NativeEngine) start(cmd Command, k cellKey) (*cell, error) {
	c := &cell{key: k, last: &output{limit: lastWords}, tree: make(map[string]given), born: time.Now()}
	var theirs []*os.File // the other ends, which are the first process's alone once it runs
	defer func() { closeAll(theirs) }()
	for _, near := range []**os.File{&c.control, &c.hatch} {
		mine, far, err := socketPair()
		if err != nil {
			c.close()
			return nil, err
		}
		*near, theirs = mine, append(theirs, far)
	}
	c.in = bufio.NewReaderSize(c.control, inside.CopyBuffer)
	c.process = exec.Command("/proc/self/exe")
	c.process.Args = []string{inside.Name}
	c.process.Dir = "/"
	c.process.Env = []string{"GOTRACEBACK=single"}
	c.process.Stdin = theirs[0]
	c.process.Stderr = c.last
	c.process.ExtraFiles = theirs[1:]
	c.process.SysProcAttr = namespaces(cmd.Policy.User)
	if err := c.process.Start(); err != nil {
		c.close()
		return nil, &Unavailable{Engine: "native", Reason: "namespaces (" + err.Error() + ")", Advice: adviceNamespaces, Err: err}
	}
	s := inside.Setup{User: k.user, Disk: k.disk, Folders: n.folders, Root: os.Geteuid() == 0, Keep: k.keep, Built: k.built}
	s.Layer, _ = n.layers.find(cmd.Layer) // it was there, or its absence shows in the sandbox
	if err := inside.WriteLine(c.control, s); err != nil {
		return nil, c.broken("at its start", err, false)
	}
	return c, nil
}

// close closes the files that the sandbox is connected with.
func (c *cell) close() {
	for _, f := range []*os.File{c.control, c.hatch} {
		if f != nil {
			f.Close()
		}
	}
}

// lastWords is how much the first process may say about its own failure.
const lastWords = 8 << 10

// outsideUser is the user id, seen from outside, of the processes that root runs in
// a sandbox: no machine gives files or processes to it. The processes of other users
// keep their user's id, since only root can
// map another one.
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

// tell sends the order with what the sandbox's work tree lacks, and the files.
func (c *cell) tell(env []string, cmd Command, files []*os.File) error {
	if err := inside.GiveFiles(int(c.hatch.Fd()), files...); err != nil {
		return err
	}
	o := inside.Order{Line: cmd.Line, Env: env, Room: c.room(cmd), Time: cmd.Policy.Time, Way: len(cmd.Policy.Hosts) > 0}
	var news []File
	o.Gone, news = c.delta(cmd.Tree)
	for i, f := range news {
		if f.Link != "" {
			news[i].Data = nil
		}
		o.Files = append(o.Files, inside.TreeFile{Path: f.Path, Mode: f.Mode, Size: len(news[i].Data), Link: f.Link})
	}
	w := bufio.NewWriterSize(c.control, inside.CopyBuffer)
	err := inside.WriteLine(w, o)
	for _, f := range news {
		if err == nil {
			_, err = w.Write(f.Data)
		}
	}
	if err == nil {
		err = w.Flush()
	}
	return err
}

// room is how large the work tree may be.
func (c *cell) room(cmd Command) int64 { return cmd.Policy.Disk + treeRoom(cmd.Tree) }

// follow follows a command from its start to its end, and says whether the
// sandbox can serve another.
func (n *NativeEngine) follow(c *cell, cmd Command, g *cgroup, doors []*os.File) (res *Result, sound bool, err error) {
	said, says, err := os.Pipe()
	if err != nil {
		return nil, false, err
	}
	defer said.Close()
	env := nativeEnv(n.folders, cmd)
	told := c.tell(env, cmd, append([]*os.File{says}, doors...))
	says.Close()
	out := &output{limit: cmd.Policy.Output, live: cmd.Output}
	drained := make(chan struct{})
	go func() {
		defer close(drained)
		_, _ = io.Copy(out, said)
	}()
	defer func() {
		if err != nil {
			c.stop()
		}
		<-drained
	}()
	var b inside.Started
	if err := inside.ReadLine(c.in, &b); err != nil {
		return nil, false, c.broken("before the command was started", errors.Join(told, err), false)
	}
	if b.Missing != "" {
		return nil, false, &Unavailable{Engine: "native", Reason: b.Missing + " (" + b.Cause + ")", Advice: adviceOf(b.Missing)}
	}
	network, err := c.serve(cmd.Policy.Hosts)
	if err != nil {
		return nil, false, c.broken("while its way to the network was opened", err, true)
	}
	var e inside.Ended
	if err := inside.ReadLine(c.in, &e); err != nil {
		network()
		return nil, false, c.broken("after the command was started", err, true)
	}
	oom := g != nil && g.killedForMemory()
	res = &Result{ExitCode: e.Code, Took: e.Took, Network: network(), Engine: "native", Status: statusOf(e, oom)}
	whole, err := n.conclude(c, cmd, e, res)
	if err != nil {
		return nil, false, err
	}
	<-drained
	res.Output, res.Cut = out.text()
	if res.Status == TimedOut {
		res.Quiet = out.quiet(res.Took)
	}
	res.Advice = n.advise(res)
	return res, whole && res.Status == Exited && !oom && !e.Full && cmd.Keep == "", nil
}

// conclude takes what the command made. It reports false where it was too much to
// look at all of it.
func (n *NativeEngine) conclude(c *cell, cmd Command, e inside.Ended, res *Result) (whole bool, err error) {
	if res.OK() && cmd.Keep != "" {
		if err := n.layers.keep(cmd.Keep, c.in, cmd.Policy.Disk+archiveSlack); err != nil {
			return false, c.broken("while the dependencies were kept", err, true)
		}
	}
	limit := 2*inside.Sparse*c.room(cmd) + archiveSlack
	archive := &io.LimitedReader{R: c.in, N: limit}
	res.Changes, res.Skipped, err = compareTree(c.touched(cmd.Tree, e.Touched), archive, inside.WorkFolder[1:], limit)
	if err != nil {
		return false, c.broken("while its changes were copied out", err, true)
	}
	return archive.N > 0, nil
}

// serve serves the command with a proxy to hosts. What it returns ends the proxy
// and says what was reached.
func (c *cell) serve(hosts []string) (network func() []Connection, err error) {
	if len(hosts) == 0 {
		return func() []Connection { return nil }, nil
	}
	l, err := takeListener(c.hatch)
	if err != nil {
		return nil, err
	}
	p := newProxy(hosts)
	go p.Serve(l)
	return p.Close, nil
}

// statusOf says how a command ended, by the same rules as in a container.
func statusOf(e inside.Ended, oom bool) Status {
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
	_ = c.process.Process.Kill() // it may have inside.Ended by itself
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
	env := []string{
		"PATH=" + strings.Join(nativePath(folders), ":"),
		"HOME=/tmp",
		"LANG=C.UTF-8",
		"PYTEST_ADDOPTS=-o cache_dir=/tmp/pytest",
		"HYPOTHESIS_STORAGE_DIRECTORY=/tmp/hypothesis",
		// Not kept, not even for one workspace: what a command writes there, later ones would run
		// unseen, also after the user has rejected the change that it came with. It begins with
		// what no project has had a hand in, see goBuilt.
		"GOCACHE=" + inside.GoCache,
	}
	env = append(env, bytecode...)
	if cmd.Layer != "" {
		env = layerVariables(env)
	}
	env = append(env, networkEnv(cmd.Policy.Hosts)...)
	return append(env, cmd.Env...)
}
