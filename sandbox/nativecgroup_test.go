//go:build linux && (amd64 || arm64)

package sandbox

import (
	"fmt"
	"go/build"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/moby/profiles/seccomp"
)

// TestOwn finds the groups of a process in the layouts that there are.
func TestOwn(t *testing.T) {
	for _, tt := range []struct{ name, mountinfo, membership, want string }{
		{"version 2",
			"30 24 0:26 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw\n",
			"0::/user.slice/user-1000.slice/user@1000.service/app.slice/app-code.scope\n",
			"map[:/sys/fs/cgroup/user.slice/user-1000.slice/user@1000.service/app.slice/app-code.scope]"},
		{"version 1 with systemd",
			"30 24 0:26 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n31 24 0:27 / /sys/fs/cgroup/memory rw shared:5 - cgroup cgroup rw,memory\n" +
				"32 24 0:28 / /sys/fs/cgroup/pids rw - cgroup cgroup rw,pids\n33 24 0:29 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n",
			"5:memory:/user.slice\n4:pids:/user.slice/user-1000.slice\n2:cpu,cpuacct:/\n1:name=systemd:/x\n0::/user.slice\n",
			"map[:/sys/fs/cgroup/unified/user.slice cpu:/sys/fs/cgroup/cpu,cpuacct memory:/sys/fs/cgroup/memory/user.slice pids:/sys/fs/cgroup/pids/user.slice/user-1000.slice]"},
		{"in a container",
			"30 24 0:26 /docker/abc /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n",
			"5:memory:/docker/abc/inner\n",
			"map[memory:/sys/fs/cgroup/memory/inner]"},
		{"mounted from elsewhere",
			"30 24 0:26 /docker/abc /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n",
			"5:memory:/docker/def\n",
			"map[]"},
		{"nothing", "22 1 8:1 / / rw - ext4 /dev/sda1 rw\n", "", "map[]"},
	} {
		folders, _ := own([]byte(tt.membership), cgroupMounts([]byte(tt.mountinfo)))
		maps.DeleteFunc(folders, func(controller, _ string) bool { return controller == "cpuacct" })
		if got := fmt.Sprint(folders); got != tt.want {
			t.Errorf("%s:\n got %s\nwant %s", tt.name, got, tt.want)
		}
	}
}

func TestGroupName(t *testing.T) {
	first, second := groupName(), groupName()
	if o, ours := groupOwner(first); !ours || o != self() || first == second {
		t.Errorf("got %+v, %v, want %+v; then %s", o, ours, self(), second)
	}
	for _, name := range []string{"docker", "caselsp", "caselsp,a,b,c", "caselsp,a,b,c,d", "caselsp,%zz,1,c,1"} {
		if o, ours := groupOwner(name); ours {
			t.Errorf("%s is %+v's", name, o)
		}
	}
}

// TestCallFilter holds the filter against the profile that Docker has for a
// container without capabilities: what that allows and nothing else.
func TestCallFilter(t *testing.T) {
	numbers := callNumbers(t)
	want := make(map[uint32]bool)
	for _, rule := range seccomp.DefaultProfile().Syscalls {
		in := rule.Includes
		if rule.Action != "SCMP_ACT_ALLOW" || len(rule.Args) > 0 || in != nil && (in.Caps != nil || in.Arches != nil && !slices.Contains(in.Arches, build.Default.GOARCH)) {
			continue
		}
		for _, name := range rule.Names {
			if n, known := numbers[strings.ToUpper(name)]; known {
				want[n] = true
			}
		}
	}
	got := make(map[uint32]bool)
	for _, n := range slices.Concat(harmlessCalls, processorCalls) {
		got[n] = true
	}
	if !maps.Equal(got, want) {
		for name, n := range numbers {
			if got[n] != want[n] {
				t.Errorf("%s is allowed: %v, by Docker: %v", name, got[n], want[n])
			}
		}
	}
}

// callNumbers reads the numbers of this processor's system calls where the
// filter has them from.
func callNumbers(t *testing.T) map[string]uint32 {
	t.Helper()
	pkg, err := build.Import("golang.org/x/sys/unix", ".", build.FindOnly)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(pkg.Dir, "zsysnum_linux_"+build.Default.GOARCH+".go"))
	if err != nil {
		t.Fatal(err)
	}
	numbers := make(map[string]uint32)
	for _, m := range regexp.MustCompile(`(?m)^\tSYS_(\w+) += (\d+)$`).FindAllStringSubmatch(string(text), -1) {
		n, _ := strconv.ParseUint(m[2], 10, 32)
		numbers[m[1]] = uint32(n)
	}
	return numbers
}
