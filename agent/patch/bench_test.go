package patch

import (
	"fmt"
	"strings"
	"testing"
)

// BenchmarkApply shows that the time grows with the file and the patch, not with
// their product, also where nothing matches and where all lines are equal.
func BenchmarkApply(b *testing.B) {
	for _, c := range []struct {
		name         string
		lines, hunks int
		line         string // of the file; %d: its number
		old          string // that a hunk expects
	}{
		{"40kB", 1000, 3, "line %d of the file, about forty bytes", "line %d of the file, about forty bytes"},
		{"10MB", 250_000, 1000, "line %d of the file, about forty bytes", "line %d of the file, about forty bytes"},
		{"40kB misquoted", 1000, 3, "line %d of the file, about forty bytes", "line %d of the flie, about forty bytes"},
		{"10MB indented", 250_000, 1000, "line %d of the file, about forty bytes", "  line %d of the file, about forty bytes"},
		{"10MB misquoted", 250_000, 1000, "line %d of the file, about forty bytes", "line %d of the flie, about forty bytes"},
		{"10MB nothing matches", 250_000, 1000, "line %d of the file, about forty bytes", "another %d"},
		{"10MB equal lines", 250_000, 10, "a line that is the same everywhere", "a line that is the same everywhere"},
	} {
		b.Run(c.name, func(b *testing.B) {
			var before strings.Builder
			for i := range c.lines {
				before.WriteString(strings.ReplaceAll(c.line, "%d", fmt.Sprint(i)) + "\n")
			}
			hunks := make([]Hunk, c.hunks)
			for i := range hunks {
				at := i * (c.lines / c.hunks)
				for k := range 3 {
					hunks[i].Lines = append(hunks[i].Lines, Line{Context, strings.ReplaceAll(c.old, "%d", fmt.Sprint(at+k))})
				}
				hunks[i].Lines = append(hunks[i].Lines, Line{Added, "new"})
			}
			text := before.String()
			for b.Loop() {
				_, _, _ = (&File{Op: Modify, Path: "f.txt", Hunks: hunks}).Apply(text)
			}
		})
	}
}
