package agent

import (
	"fmt"
	"strings"
	"testing"

	"caselsp/agent/record"
)

// TestMatters shows which lines of a long file a feature begins with.
func TestMatters(t *testing.T) {
	var long strings.Builder
	long.WriteString("import re\nfrom os import path\n\n\nclass Schema:\n    kind = 1\n\n    def validate(self, data):\n") // validate: 8 to 209
	for i := range 200 {
		switch i {
		case 140:
			long.WriteString("        if flavor == DICT: # the mapping branch\n")
		default:
			fmt.Fprintf(&long, "        a%d = data\n", i)
		}
	}
	long.WriteString("        return data\n\n    def repr(self):\n        return ''\n\n\ndef helper():\n    return 1\n\n\ndef validate(x):\n    return x\n")
	for _, c := range []struct{ feature, task, want string }{
		{"Change the DICT mapping branch of Schema.validate", "", "1-2 "},
		{"Rename `repr`", "", "1-2 211-212"},
		{"Change the DICT mapping branch of Schema.validate", "", "part of validate with line 149"},
		{"Make it faster", "", ""},
		{"Make it faster", "the helper is slow", "1-2 215-216"},
	} {
		p := &prompter{state: &record.State{}}
		got := ""
		with := false
		for _, r := range p.matters("schema.py", long.String(), c.feature, c.task) {
			got += fmt.Sprintf("%d-%d ", r.From, r.To)
			with = with || r.From <= 149 && 149 <= r.To && r.To-r.From <= 2*mattersLines
		}
		if strings.HasPrefix(c.want, "part") {
			if !with {
				t.Errorf("%q, %q: %s", c.feature, c.task, got)
			}
			continue
		}
		if !strings.HasPrefix(got, c.want) || c.want == "" && got != "" {
			t.Errorf("%q, %q: %q, want %q", c.feature, c.task, got, c.want)
		}
	}
}
