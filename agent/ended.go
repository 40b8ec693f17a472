package agent

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"caselsp/agent/record"
	"caselsp/agent/testreport"
	"caselsp/sandbox"
)

// reduce leaves of what a command wrote only what is kept in the journal, whose file contents are
// not redacted: what may be staged, and of a test run's results what is read of them, redacted.
// What tests and TARS's looking around wrote is never staged, nor is what the ignore rules keep out
// of the result: reports, caches and logs there hold what the command saw.
func (r *run) reduce(line string, result *sandbox.Result) {
	if r.state.Pending.Role == record.RoleCase {
		r.leaveIgnored(line, result)
		return
	}
	results := map[string][]byte{}
	if r.testsRun() {
		results = testreport.Distil(takeResults(result), r.a.Store.Redact)
	}
	result.Changes, result.Skipped = nil, nil
	for _, name := range slices.Sorted(maps.Keys(results)) {
		result.Changes = append(result.Changes, sandbox.Change{Path: testreport.Folder + "/" + name, Mode: resultMode, Data: results[name]})
	}
}

// resultMode is the mode of a result in the journal: it is never written to a folder.
const resultMode = 0o644

// leaveIgnored leaves out what the ignore rules keep out of the result. What the line names is
// told; caches and build output that it only causes go unsaid.
func (r *run) leaveIgnored(line string, result *sandbox.Result) {
	var ignored []string
	result.Changes = slices.DeleteFunc(result.Changes, func(c sandbox.Change) bool {
		no := r.overlay.Ignored(c.Path)
		if no && !c.Deleted && strings.Contains(line, path.Base(c.Path)) {
			ignored = append(ignored, c.Path)
		}
		return no
	})
	result.Skipped = append(result.Skipped, ignoredNotes(ignored)...)
}

// maxIgnored is how many files that are not taken over are named one by one; more of one
// folder are counted.
const maxIgnored = 5

// ignoredNotes say what a command wrote by name that the ignore rules keep out of the result, by name
// and count.
func ignoredNotes(paths []string) (notes []string) {
	const why = "it is ignored, by .gitignore or as a cache or build output; it stays in the sandbox and is lost"
	if len(paths) <= maxIgnored {
		for _, p := range paths {
			notes = append(notes, p+": "+why)
		}
		return notes
	}
	var folders []string
	count := map[string]int{}
	for _, p := range paths {
		top, _, inside := strings.Cut(p, "/")
		if inside {
			top += "/"
		}
		if count[top]++; count[top] == 1 {
			folders = append(folders, top)
		}
	}
	for _, f := range folders[:min(len(folders), 2*maxIgnored)] {
		notes = append(notes, fmt.Sprintf("%s (files: %d): %s", f, count[f], why))
	}
	if more := len(folders) - len(notes); more > 0 {
		notes = append(notes, fmt.Sprintf("files in %d more folders (%d files in all): %s", more, len(paths), why))
	}
	return notes
}
