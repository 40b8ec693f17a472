//go:build linux && (amd64 || arm64)

package inside

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/moby/profiles/seccomp"
)

// TestCallFilter holds the filter against the profile that Docker has for a
// container without capabilities: what that allows and nothing else.
func TestCallFilter(t *testing.T) {
	numbers := callNumbers(t)
	want := make(map[uint32]bool)
	for _, rule := range seccomp.DefaultProfile().Syscalls {
		in := rule.Includes
		if rule.Action != "SCMP_ACT_ALLOW" || len(rule.Args) > 0 || in != nil && (in.Caps != nil || in.Arches != nil && !slices.Contains(in.Arches, runtime.GOARCH)) {
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
	dir, err := exec.Command("go", "list", "-f", "{{.Dir}}", "golang.org/x/sys/unix").Output()
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(dir)), "zsysnum_linux_"+runtime.GOARCH+".go"))
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
