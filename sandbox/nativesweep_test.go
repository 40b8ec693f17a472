//go:build linux && (amd64 || arm64)

package sandbox

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestSweepNative shows that the group of a sandbox whose process was killed is removed
// wherever it is: the next process may be in another group. Those of processes that
// still run stay.
func TestSweepNative(t *testing.T) {
	n := machine{}.need(t)
	ended := exec.Command("true")
	if err := ended.Run(); err != nil {
		t.Fatal(err)
	}
	dead := self()
	dead.pid, dead.start = ended.Process.Pid, "another boot 1"
	mountinfo, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		t.Fatal(err)
	}
	for _, folder := range distinct(n.places.folders) {
		// Beside the group that this process is in, where there is such a place.
		for _, m := range cgroupMounts(mountinfo) {
			if rel, err := filepath.Rel(m.point, folder); err == nil && filepath.IsLocal(rel) {
				folder = m.point
			}
		}
		other := filepath.Join(folder, "caselsp-test-other")
		left, running := filepath.Join(other, nameOf(dead, 1)), filepath.Join(other, groupName())
		for _, name := range []string{other, left, running} {
			if err := os.Mkdir(name, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
				t.Fatal(err)
			}
			defer os.Remove(name)
		}
		SweepNative()
		if _, err := os.Stat(left); err == nil {
			t.Errorf("%s is left", left)
		}
		if _, err := os.Stat(running); err != nil {
			t.Errorf("%s of a process that runs: %v", running, err)
		}
	}
}
