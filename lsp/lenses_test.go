package lsp

import (
	"slices"
	"strings"
	"testing"

	"caselsp/lsp/lsptest"

	"go.lsp.dev/protocol"
)

// TestLensesFollow shows lenses as clients do: they ask when they are told to, and not when a task goes on. The question's lens
// goes when the question is answered, the task's when it ends, in a file that nobody edits.
func TestLensesFollow(t *testing.T) {
	sc := play(t, plot{files: map[string]string{"a.py": "a = 1\n"}, open: []string{"a.py"}, script: `
on case
call WRITE_FILE {"thought": "write", "path": "a.py", "content": "a = 2\n"}
on case
call REQUEST_USER_INPUT {"thought": "unclear", "question": "Which format?", "choices": ["JSON", "YAML"]}
on case
call FINISH_FEATURE {"thought": "done", "summary": "done"}
`})
	asked := func() (n int) {
		for _, method := range sc.State().Refreshed {
			if method == protocol.MethodWorkspaceCodeLensRefresh {
				n++
			}
		}
		return n
	}
	seen, shown := 0, sc.lensTitles("a.py")
	follow := func(what string, has bool) {
		t.Helper()
		for slices.ContainsFunc(shown, func(title string) bool { return strings.Contains(title, what) }) != has {
			sc.expect(lsptest.Expectation{What: "to be asked for the lenses again", Check: func(s *lsptest.State) lsptest.Verdict {
				if len(slices.DeleteFunc(slices.Clone(s.Refreshed), func(method string) bool { return method != protocol.MethodWorkspaceCodeLensRefresh })) > seen {
					return lsptest.Met
				}
				return lsptest.Unmet
			}})
			seen, shown = asked(), sc.lensTitles("a.py")
		}
	}
	sc.run("write it down")
	follow("asks: “Which format?”", true)
	follow("CASE works on this: ", true)
	sc.command(cmdAnswer, "JSON")
	follow("asks: ", false)
	follow("CASE works on this: ", false)
}
