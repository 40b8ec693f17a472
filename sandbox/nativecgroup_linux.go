//go:build linux && (amd64 || arm64)

package sandbox

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"
)

// Cgroups come in two versions: version 2 has one tree of folders for all
// controllers, version 1 a tree for each. A machine may have both; then a
// controller is in one of them.
const (
	memoryController = "memory"
	pidsController   = "pids"
	cpuController    = "cpu"
)

var controllers = []string{memoryController, pidsController, cpuController}

// cgroupPlaces are the folders below which groups can be made, by controller.
// In version 2 they are one and the same.
type cgroupPlaces struct {
	unified bool // version 2
	folders map[string]string
}

// cgroup is the group of one command: its processes are limited in all, which
// limits of single processes cannot do.
type cgroup struct {
	unified bool
	folders map[string]string // by controller
}

// cgroupMount is a mounted tree of groups.
type cgroupMount struct {
	root, point string
	controllers []string // of version 1; nil: version 2
}

// cgroupMounts reads the trees of groups out of a mountinfo file.
func cgroupMounts(mountinfo []byte) []cgroupMount {
	var list []cgroupMount
	for line := range bytes.Lines(mountinfo) {
		front, back, _ := strings.Cut(strings.TrimSpace(string(line)), " - ")
		f, b := strings.Fields(front), strings.Fields(back)
		if len(f) < 5 || len(b) < 3 {
			continue
		}
		switch b[0] {
		case "cgroup":
			list = append(list, cgroupMount{root: f[3], point: f[4], controllers: strings.Split(b[2], ",")})
		case "cgroup2":
			list = append(list, cgroupMount{root: f[3], point: f[4]})
		}
	}
	return list
}

// own returns the folders of the groups that a process is in, by controller of
// version 1, with "" for version 2's, and the point where its tree is mounted.
func own(membership []byte, mounts []cgroupMount) (folders, points map[string]string) {
	folders, points = make(map[string]string), make(map[string]string)
	for line := range bytes.Lines(membership) {
		parts := strings.SplitN(strings.TrimSpace(string(line)), ":", 3)
		if len(parts) != 3 {
			continue
		}
		for controller := range strings.SplitSeq(parts[1], ",") {
			for _, m := range mounts {
				below, err := filepath.Rel(m.root, parts[2])
				fits := controller == "" && m.controllers == nil || controller != "" && slices.Contains(m.controllers, controller)
				if fits && err == nil && filepath.IsLocal(below) && folders[controller] == "" {
					folders[controller], points[controller] = filepath.Join(m.point, below), m.point
				}
			}
		}
	}
	return folders, points
}

// findCgroups finds where groups can be made, or what is missing for that.
func findCgroups() (cgroupPlaces, []lack) {
	mountinfo, err := os.ReadFile("/proc/self/mountinfo")
	membership, err2 := os.ReadFile("/proc/self/cgroup")
	if err := errors.Join(err, err2); err != nil {
		return cgroupPlaces{}, []lack{{"control groups (" + err.Error() + ")", adviceCgroups}}
	}
	folders, points := own(membership, cgroupMounts(mountinfo))
	p := cgroupPlaces{folders: make(map[string]string)}
	if folders[memoryController] == "" && folders[""] != "" {
		return p.findUnified(folders[""], points[""])
	}
	var lacks []lack
	for _, c := range controllers {
		p.folders[c] = folders[c]
		if err := tryFolder(folders[c]); err != nil {
			lacks = append(lacks, lack{limitNames[c] + " (" + err.Error() + ")", adviceCgroups})
		}
	}
	return p, lacks
}

// limitNames say what a controller is for.
var limitNames = map[string]string{
	memoryController: "a limit on memory",
	pidsController:   "a limit on processes",
	cpuController:    "a limit on processors",
}

// tryFolder reports whether groups can be made in a folder.
func tryFolder(folder string) error {
	if folder == "" {
		return errors.New("no such control group is mounted")
	}
	probe := filepath.Join(folder, groupName())
	if err := syscall.Mkdir(probe, 0o755); err != nil {
		return fmt.Errorf("no group can be made in %s: %w", folder, err)
	}
	return os.Remove(probe)
}

// findUnified looks for the nearest group, from our own upwards, that may have
// groups below it with all three controllers. The kernel wants such a group to
// have no processes of its own, except for the topmost.
func (p cgroupPlaces) findUnified(folder, top string) (cgroupPlaces, []lack) {
	p.unified = true
	var last error
	for {
		err := enableControllers(folder)
		if err == nil {
			err = tryFolder(folder)
		}
		if err == nil {
			for _, c := range controllers {
				p.folders[c] = folder
			}
			return p, nil
		}
		last = err
		if folder == top || !strings.HasPrefix(folder, top) {
			return p, []lack{{"limits on memory, processes and processors (" + last.Error() + ")", adviceCgroups}}
		}
		folder = filepath.Dir(folder)
	}
}

// enableControllers has a group of version 2 hand its controllers on to the
// groups below it.
func enableControllers(folder string) error {
	control := filepath.Join(folder, "cgroup.subtree_control")
	on, err := os.ReadFile(control)
	if err != nil {
		return err
	}
	var missing []string
	for _, c := range controllers {
		if !slices.Contains(strings.Fields(string(on)), c) {
			missing = append(missing, "+"+c)
		}
	}
	if missing == nil {
		return nil
	}
	enable := func() error { return os.WriteFile(control, []byte(strings.Join(missing, " ")), 0o644) }
	err = enable()
	if errors.Is(err, syscall.EBUSY) && stepAside(folder) == nil {
		err = enable()
	}
	return err
}

// asideName is the group that stepAside makes; it goes with the one that it is in.
const asideName = "caselsp"

// stepAside moves this process out of a group that it is alone in to one below
// it, as a program does to which a group was delegated.
func stepAside(folder string) error {
	procs, err := os.ReadFile(filepath.Join(folder, "cgroup.procs"))
	if err != nil {
		return err
	}
	if strings.TrimSpace(string(procs)) != strconv.Itoa(os.Getpid()) {
		return errors.New("other processes are in " + folder)
	}
	leaf := filepath.Join(folder, asideName)
	if err := os.Mkdir(leaf, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return os.WriteFile(filepath.Join(leaf, "cgroup.procs"), []byte("0"), 0o644)
}

// groupPrefix begins the names of our groups; their owner and a number follow.
const groupPrefix = "caselsp,"

var groups atomic.Int64

// groupName returns a new name that says whose the group is.
func groupName() string {
	return nameOf(self(), groups.Add(1))
}

// nameOf returns the name of an owner's n-th group.
func nameOf(o owner, n int64) string {
	return groupPrefix + strings.Join([]string{url.PathEscape(o.place), strconv.Itoa(o.pid), url.PathEscape(o.start), strconv.FormatInt(n, 10)}, ",")
}

// groupOwner reads the owner out of a name.
func groupOwner(name string) (owner, bool) {
	rest, ours := strings.CutPrefix(name, groupPrefix)
	parts := strings.Split(rest, ",")
	if !ours || len(parts) != 4 {
		return owner{}, false
	}
	place, err := url.PathUnescape(parts[0])
	pid, err2 := strconv.Atoi(parts[1])
	start, err3 := url.PathUnescape(parts[2])
	return owner{place: place, pid: pid, start: start}, errors.Join(err, err2, err3) == nil
}

// distinct returns the folders of a map, each once: in version 1 two
// controllers may share a tree.
func distinct(folders map[string]string) []string {
	return slices.Compact(slices.Sorted(maps.Values(folders)))
}

// The limits of a sweep: machines with many containers have some thousand groups.
const (
	maxSwept      = 20_000
	maxSweptDepth = 16
)

// SweepNative removes the groups of native sandboxes whose processes have ended,
// wherever they are: the group that this process is in, and below which it makes its
// own, differs from terminal to terminal and from service to service. What cannot be
// read or removed now is left for another start.
func SweepNative() {
	mountinfo, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return
	}
	left := maxSwept
	for _, m := range cgroupMounts(mountinfo) {
		if m.controllers == nil || slices.ContainsFunc(controllers, func(c string) bool { return slices.Contains(m.controllers, c) }) {
			sweepGroups(m.point, maxSweptDepth, &left)
		}
	}
}

// sweepGroups removes what is left of ours in a folder and those below it.
func sweepGroups(folder string, depth int, left *int) {
	entries, _ := os.ReadDir(folder)
	for _, e := range entries {
		if !e.IsDir() {
			continue
		}
		if *left--; *left < 0 {
			return
		}
		name := filepath.Join(folder, e.Name())
		switch o, ours := groupOwner(e.Name()); {
		case ours && o.gone():
			_ = removeGroup(name)
		case !ours && depth > 0:
			sweepGroups(name, depth-1, left)
		}
	}
}

// makeGroup makes a group with the limits of a policy.
func (p cgroupPlaces) makeGroup(policy Policy) (*cgroup, error) {
	g := &cgroup{unified: p.unified, folders: make(map[string]string)}
	name := groupName()
	for c, folder := range p.folders {
		g.folders[c] = filepath.Join(folder, name)
	}
	err := g.fill(policy)
	if err != nil {
		return nil, errors.Join(err, g.remove())
	}
	return g, nil
}

// cpuPeriod is over what time, in microseconds, the use of processors is
// counted: the kernel's default.
const cpuPeriod = 100_000

func (g *cgroup) fill(p Policy) error {
	for _, folder := range distinct(g.folders) {
		if err := os.Mkdir(folder, 0o755); err != nil {
			return err
		}
	}
	quota := max(int64(p.CPUs*cpuPeriod), 1000) // the kernel takes no less
	memory, pids := strconv.FormatInt(p.Memory, 10), strconv.FormatInt(p.PIDs, 10)
	if g.unified {
		return errors.Join(
			g.set(memoryController, "memory.max", memory),
			optional(g.set(memoryController, "memory.swap.max", "0")),
			g.set(pidsController, "pids.max", pids),
			g.set(cpuController, "cpu.max", fmt.Sprintf("%d %d", quota, cpuPeriod)))
	}
	return errors.Join(
		g.set(memoryController, "memory.limit_in_bytes", memory),
		optional(g.set(memoryController, "memory.memsw.limit_in_bytes", memory)),
		g.set(pidsController, "pids.max", pids),
		g.set(cpuController, "cpu.cfs_period_us", strconv.Itoa(cpuPeriod)),
		g.set(cpuController, "cpu.cfs_quota_us", strconv.FormatInt(quota, 10)))
}

// optional ignores that the kernel has no limit on swap: many cannot count swap,
// and the memory itself is limited anyway.
func optional(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

func (g *cgroup) set(controller, file, value string) error {
	f, err := os.OpenFile(filepath.Join(g.folders[controller], file), os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteString(value)
	return errors.Join(err, f.Close())
}

// doors opens the files through which a process enters the group. Whoever
// writes to them later does so with the rights of now.
func (g *cgroup) doors() ([]*os.File, error) {
	var list []*os.File
	for _, folder := range distinct(g.folders) {
		f, err := os.OpenFile(filepath.Join(folder, "cgroup.procs"), os.O_WRONLY, 0)
		if err != nil {
			closeAll(list)
			return nil, err
		}
		list = append(list, f)
	}
	return list, nil
}

func closeAll(files []*os.File) {
	for _, f := range files {
		f.Close()
	}
}

// killedForMemory reports whether the kernel killed a process of the group
// because it had used up its memory.
func (g *cgroup) killedForMemory() bool {
	file := "memory.oom_control"
	if g.unified {
		file = "memory.events"
	}
	text, err := os.ReadFile(filepath.Join(g.folders[memoryController], file))
	return err == nil && groupKills.Match(text)
}

// groupKills finds the kernel's own count of such kills.
var groupKills = regexp.MustCompile(`(?m)^oom_kill [1-9]\d*$`)

// remove removes the group. Its processes are dead.
func (g *cgroup) remove() error {
	var errs []error
	for _, folder := range distinct(g.folders) {
		errs = append(errs, removeGroup(folder))
	}
	return errors.Join(errs...)
}

// removeGroup kills what is left in a group and removes it. The kernel may need
// a moment to let go of the dead.
func removeGroup(folder string) error {
	for wait := time.Millisecond; ; wait *= 2 {
		err := syscall.Rmdir(folder)
		if err == nil || errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if !errors.Is(err, syscall.EBUSY) || wait > time.Second {
			return fmt.Errorf("the control group %s cannot be removed: %w", folder, err)
		}
		killGroup(folder)
		time.Sleep(wait)
	}
}

func killGroup(folder string) {
	f, err := os.Open(filepath.Join(folder, "cgroup.procs"))
	if err != nil {
		return
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if pid, err := strconv.Atoi(lines.Text()); err == nil && pid > 1 {
			_ = syscall.Kill(pid, syscall.SIGKILL) // it may have ended meanwhile
		}
	}
}
