package agent

import (
	"strings"
	"testing"

	"caselsp/agent/record"
)

// TestWriteInstead: from the third refused patch of a file in a row, CASE is told to write what it
// wants: the lines of a long file, the whole of a short one.
func TestWriteInstead(t *testing.T) {
	for _, c := range []struct {
		refused, lines int
		want           string
	}{
		{1, 10, ""},
		{2, maxWhole, "then write it whole with WRITE_FILE."},
		{2, maxWhole + 1, "read the lines concerned with GET_FULL_FILE_CONTENT, then write these with WRITE_FILE, by from and to."},
	} {
		got := writeInstead(&record.Feature{Refused: map[string]int{"a.py": c.refused}}, "a.py", c.lines)
		if c.want == "" && got != "" || !strings.HasSuffix(got, c.want) {
			t.Errorf("%d refused, %d lines: %q", c.refused, c.lines, got)
		}
	}
}
