package sandbox

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
)

// Recording is one run as it was. It leaves out the environment, which may hold
// secrets, and the policy, which does not change what a recorded run said.
type Recording struct {
	Line   string            `json:"line"`
	Tree   string            `json:"tree"`            // the Digest of the tree that it ran on
	Files  map[string]string `json:"files,omitempty"` // the tree's Manifest; with it a divergence names the files
	Result Result            `json:"result"`
}

// Record returns the recording of a run. With files it holds the tree's
// manifest: some 90 bytes a file, against a divergence that can name them.
func Record(cmd Command, res *Result, files bool) Recording {
	r := Recording{Line: cmp.Or(cmd.Plain, cmd.Line), Tree: Digest(cmd.Tree), Result: *res}
	if files {
		r.Files = Manifest(cmd.Tree)
	}
	return r
}

// Diverged says that a replay asked for another run than the recorded one.
type Diverged struct {
	Run   int      // the number of the run, from 1
	Of    int      // how many runs are recorded
	Line  string   // what was asked for
	Want  string   // the recorded line; empty when the recording had ended
	Files []string // "path: how it differs"; empty when only the line differs or no manifest was recorded
}

// diffShown is how many differing files an error names: the first few show the
// cause, and a thousand would hide it.
const diffShown = 10

// Error implements error.
func (d *Diverged) Error() string {
	at := fmt.Sprintf("the replay parts from the recording at command %d of %d", d.Run, d.Of)
	switch {
	case d.Run > d.Of:
		return at + fmt.Sprintf(": %q was run, but the recording had ended", d.Line)
	case d.Line != d.Want:
		return at + fmt.Sprintf(": %q was run, recorded was %q", d.Line, d.Want)
	case len(d.Files) == 0:
		return at + fmt.Sprintf(": %q was run on other files than the recorded ones", d.Line)
	}
	shown := d.Files[:min(len(d.Files), diffShown)]
	more := ""
	if n := len(d.Files) - len(shown); n > 0 {
		more = fmt.Sprintf("; and %d more", n)
	}
	return at + fmt.Sprintf(": %q was run on other files: %s%s", d.Line, strings.Join(shown, "; "), more)
}

// Recorded returns an engine that answers the runs of a replay with the
// recorded ones, in their order, and with a *Diverged error where a run is not
// the one that was recorded. It starts nothing. After a divergence it stays
// where it is: a later run can only be further off.
func Recorded(runs []Recording) Engine { return &recorded{runs: runs} }

type recorded struct {
	mu   sync.Mutex
	runs []Recording
	next int
}

// Run implements Engine.
func (r *recorded) Run(ctx context.Context, cmd Command) (*Result, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	cmd, err := cmd.checked()
	if err != nil {
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	d := &Diverged{Run: r.next + 1, Of: len(r.runs), Line: cmp.Or(cmd.Plain, cmd.Line)}
	if r.next == len(r.runs) {
		return nil, d
	}
	run := r.runs[r.next]
	d.Want = run.Line
	if run.Line != d.Line {
		return nil, d
	}
	if run.Tree != Digest(cmd.Tree) && run.Tree != Digest(flattened(cmd.Tree)) {
		if run.Files != nil {
			d.Files = differences(run.Files, Manifest(cmd.Tree))
		}
		return nil, d
	}
	r.next++
	if cmd.Output != nil {
		_, _ = io.WriteString(cmd.Output, run.Result.Output)
	}
	res := run.Result
	res.Changes = slices.Clone(res.Changes)
	res.Skipped = slices.Clone(res.Skipped)
	res.Network = slices.Clone(res.Network)
	return &res, nil
}

// differences compares two manifests.
func differences(want, got map[string]string) []string {
	var list []string
	all := maps.Clone(want)
	maps.Copy(all, got)
	for _, path := range slices.Sorted(maps.Keys(all)) {
		w, inWant := want[path]
		g, inGot := got[path]
		switch {
		case !inGot:
			list = append(list, path+": is missing")
		case !inWant:
			list = append(list, path+": is new")
		case strings.TrimSuffix(w, "+x") != strings.TrimSuffix(g, "+x"):
			list = append(list, path+": has other content")
		case w != g:
			list = append(list, path+": is executable in only one of them")
		}
	}
	return list
}
