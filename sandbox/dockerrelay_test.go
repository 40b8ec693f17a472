package sandbox

import (
	"bytes"
	"strings"
	"testing"
)

// TestRelay feeds what a runner says in pieces of all sizes: the marks are found
// whatever noise stands before them, and the command's output begins behind.
func TestRelay(t *testing.T) {
	many := strings.Repeat("tar: a complaint\n", lookLimit/8)
	for _, tt := range []struct {
		name, said, output string
		prepared, begun    bool
		noise              string // its beginning
	}{
		{"a shell", preparedMark + "\n" + readyMark + "1.5\nout\nput", "out\nput", true, true, ""},
		{"a pytest", preparedMark + pytestMark + "\n" + readyMark + "1.5\n", "", true, true, ""},
		{"a complaint", preparedMark + "\ntar: x\n" + readyMark + "1.5\nout", "out", true, true, "tar: x"},
		{"complaints above the limit", preparedMark + "\n" + many + readyMark + "1.5\nout", "out", true, true, "tar: a complaint\ntar:"},
		{"a line above the limit", strings.Repeat("x", 3*lookLimit) + "\n" + preparedMark + "\n" + readyMark + "1\nout", "out", true, true, ""},
		{"no end", preparedMark + "\nsh: not found", "", true, false, "sh: not found"},
		{"marks in the output", preparedMark + "\n" + readyMark + "1\n" + readyMark + "2\n", readyMark + "2\n", true, true, ""},
	} {
		for _, size := range []int{1, 7, 4096, len(tt.said)} {
			r, out := newRelay(), &bytes.Buffer{}
			r.to(out)
			for text := []byte(tt.said); len(text) > 0; text = text[min(size, len(text)):] {
				if n, err := r.Write(text[:min(size, len(text))]); err != nil || n != min(size, len(text)) {
					t.Fatalf("%s: %d, %v", tt.name, n, err)
				}
			}
			if r.emptied != tt.prepared || r.begun != tt.begun || out.String() != tt.output || !strings.HasPrefix(r.noise(), tt.noise) || tt.noise == "" && r.noise() != "" {
				t.Errorf("%s by %d: prepared %v, begun %v, output %q, noise %.60q", tt.name, size, r.emptied, r.begun, out, r.noise())
			}
		}
	}
}
