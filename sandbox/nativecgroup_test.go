//go:build linux && (amd64 || arm64)

package sandbox

import (
	"fmt"
	"maps"
	"testing"
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
