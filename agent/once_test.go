package agent

import (
	"fmt"
	"strings"
	"testing"

	"caselsp/agent/llm"
)

// TestSayOnce shows what a reference to lines that were said names, and what it never stands for.
func TestSayOnce(t *testing.T) {
	block := func(from int, prefix string) string {
		var b strings.Builder
		for i := range 12 {
			if from > 0 {
				fmt.Fprintf(&b, "%4d  ", from+i)
			}
			fmt.Fprintf(&b, "%s line %d of a block\n", prefix, i)
		}
		return b.String()
	}
	for _, tt := range []struct{ name, first, second, want, not string }{
		{"the file is named", "The files of the plan.\n\nmux.go (lines 1 to 2 of 90)\n   1  package mux\n   2  import x\n\nchi.go (lines 91 to 102 of 140)\n" + block(91, "route"), block(210, "route"),
			"[lines 210 to 221 stand above, in: The files of the plan., chi.go, as 91 to 102]", "mux.go"},
		{"a heading stays", "# Test results\n\n" + block(0, "ok") + "\n# Findings\n\nNo findings.\n", "# Again\n\n" + block(0, "ok") + "\n# Findings\n\nNo findings.\n",
			"[12 lines as above, in: Test results]\n\n# Findings\n\nNo findings.", ""},
		{"short runs are said again", "one\ntwo\n", "one\ntwo\n", "one\ntwo\n", "above"},
	} {
		messages := sayOnce([]llm.Message{{Speaker: llm.User, Content: tt.first}, {Speaker: llm.User, Content: tt.second}})
		if got := messages[1].Content; !strings.Contains(got, tt.want) || tt.not != "" && strings.Contains(got, tt.not) {
			t.Errorf("%s: got\n%s", tt.name, got)
		}
		if messages[0].Content != tt.first {
			t.Errorf("%s: the first message became\n%s", tt.name, messages[0].Content)
		}
	}
}
