package record

import (
	"testing"

	"caselsp/agent/action"
)

// TestSaidOfOldRecords reads outcomes that hold one text, as older versions wrote
// them: what came from outside is quoted all the same.
func TestSaidOfOldRecords(t *testing.T) {
	for name, c := range map[string]struct {
		verb string
		done ActionDone
		want string
	}{
		"a reading":         {action.GetFullFileContent, ActionDone{OK: true, Text: "a.py (1 lines)\n"}, "<data>\na.py (1 lines)\n</data>"},
		"one that failed":   {action.GetFullFileContent, ActionDone{Text: "a.py does not exist"}, "a.py does not exist"},
		"an edit":           {action.PatchFileName, ActionDone{OK: true, Text: "Staged a.py: 1 lines added, 0 removed.\n+x\n"}, "Staged a.py: 1 lines added, 0 removed.\n<data>\n+x\n</data>"},
		"a deletion":        {action.DeleteFileName, ActionDone{OK: true, Text: "Staged the deletion of a.py."}, "Staged the deletion of a.py."},
		"a command":         {action.RunCommandName, ActionDone{OK: true, Text: "$ ls\nexit code 0\n<output>\na\n</output>\n"}, "$ ls\nexit code 0\n<output>\na\n</output>\n"},
		"an edit of today":  {action.PatchFileName, ActionDone{Text: "Refused.", More: "\nWrite it whole."}, "Refused.\nWrite it whole."},
		"a reading of now":  {action.SearchTextName, ActionDone{OK: true, Mark: "data", Quote: "a.py:1: x\n"}, "<data>\na.py:1: x\n</data>"},
		"a verb of no more": {"EXPLODE", ActionDone{OK: true, Text: "Boom.\nx"}, "Boom.\nx"},
	} {
		if got := c.done.saidBy(c.verb).String(); got != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", name, got, c.want)
		}
	}
}
