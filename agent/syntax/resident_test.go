package syntax_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// resident returns the process's memory in bytes.
func resident(t *testing.T) int {
	t.Helper()
	b, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0 // no /proc on this system: its memory cannot be measured, and never grows
	}
	_, rest, _ := strings.Cut(string(b), "VmRSS:")
	kb := 0
	if _, err := fmt.Sscan(rest, &kb); err != nil {
		t.Fatal(err)
	}
	return kb << 10
}

func writeFile(t *testing.T, path string, data []byte) {
	t.Helper()
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
}
