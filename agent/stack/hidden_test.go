package stack

import (
	"strings"
	"testing"
)

// TestHidden: a module or a file that git ignores is told with its place, and the most frequent cause first.
func TestHidden(t *testing.T) {
	paths := []string{"src/humanize/__init__.py", "src/humanize/time.py", "package.json", "app/main.go"}
	here := func(name string) bool {
		return name == "src/humanize/_version.py" || name == "dist/index.js" || name == "testdata/big.json"
	}
	const module = "E   ModuleNotFoundError: No module named 'humanize._version'\n"
	for name, c := range map[string]struct {
		output, want string
		nobody       bool
	}{
		"the most frequent first": {output: "E   ModuleNotFoundError: No module named 'freezegun'\n" + module + module,
			want: "src/humanize/_version.py is in your folder, but git ignores it, so the sandbox has no copy; the Python module freezegun is not installed in the sandbox"},
		"a built file of Node":          {output: "Error: Cannot find module '/workspace/dist/index.js'\n", want: "dist/index.js is in your folder, but git ignores it, so the sandbox has no copy"},
		"a file that Go opens":          {output: "open testdata/big.json: no such file or directory\n", want: "testdata/big.json is in your folder, but git ignores it, so the sandbox has no copy"},
		"a module that is nowhere":      {output: "E   ModuleNotFoundError: No module named 'humanize.gone'\n"},
		"a file outside of the project": {output: "No such file or directory: '/etc/dist/index.js'\n"},
		"nobody knows":                  {output: module, nobody: true},
	} {
		t.Run(name, func(t *testing.T) {
			run := Run{Line: "python3 -m pytest", Exit: 2, Output: c.output, Paths: paths, Hidden: here}
			if c.nobody {
				run.Hidden = nil
			}
			read := Read(run)
			if got := Causes(read.Lacks); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
			for _, l := range read.Lacks {
				if l.Said == "" || strings.Contains(l.Hint, "%") {
					t.Errorf("%+v", l)
				}
			}
		})
	}
}
