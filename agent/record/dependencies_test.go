package record

import (
	"strings"
	"testing"

	"caselsp/sandbox"
)

// TestFailedInstallation: the user's line, the report and what a model is told are the installer's reason
// and what to do about it; where it gives none, what it said last.
func TestFailedInstallation(t *testing.T) {
	tail := strings.Repeat("a line of progress\n", 200) + "the last line\n"
	for _, c := range []struct{ output, want string }{
		{"ERROR: Could not find a version\nERROR: No matching distribution found for lacking==2.0\n" + tail, "No matching distribution found for lacking==2.0 (exited, exit code 1). Correct the name"},
		{"npm error code E404\nnpm error 404 Not Found - GET lacking\n" + tail, "404 Not Found - GET lacking (exited, exit code 1). Correct the name"},
		{"WARNING: Retrying after NewConnectionError\nERROR: No matching distribution found for six\n" + tail, "the package index could not be reached: No matching distribution found for six (exited, exit code 1). Check the index"},
		{tail, "exited, exit code 1\n"},
	} {
		ended := CommandEnded{Layer: "k", Result: sandbox.Result{Status: sandbox.Exited, ExitCode: 1, Output: c.output}}
		p := &State{}
		p.applyEnded(ended)
		list := p.Uninstalled()
		if len(list) != 1 || list[0] != ended.Trouble() {
			t.Errorf("the report has %q, the screen %q", list, ended.Trouble())
		}
		for _, text := range []string{ended.Trouble(), p.WithoutLayers()} {
			if _, said, found := strings.Cut(text, "could not be installed"); !found || !strings.HasPrefix(strings.TrimLeft(said, ":. "), c.want) || strings.HasSuffix(strings.TrimSpace(text), "the last line") != strings.HasPrefix(c.want, "exited") || strings.Count(text, "a line of progress") > 0 && !strings.HasPrefix(c.want, "exited") {
				t.Errorf("it is told as\n%s\nwant it to begin with %q", text, c.want)
			}
		}
	}
}
