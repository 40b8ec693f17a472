package sandbox

import (
	"bytes"
	"fmt"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"
)

// A case is one file of testdata/commands. Above its files stand comments and
// "key: value" lines: limits (time, memory, pids, output, disk), env, mode of a
// file; and what is expected: status (default "exited 0"), cut, skipped,
// deleted, changed (a file whose content does not matter), matches (a pattern
// for the output). Its files are the command ("line"), the tree ("in/..."), the
// whole output ("output") and the changed files ("changes/..."). What is not
// expected must not be there.
type fixture struct {
	cmd     Command
	status  string
	output  string
	matches *regexp.Regexp
	cut     int64
	skipped []string
	changes []string // as changeLine writes them
	changed []string
}

// check runs all cases on an engine. Every engine must pass it.
func check(t *testing.T, e Engine) {
	files, err := filepath.Glob("testdata/commands/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			f := parseFixture(t, file)
			var live bytes.Buffer
			f.cmd.Output = &live
			res, err := e.Run(t.Context(), f.cmd)
			if err != nil {
				t.Fatal(err)
			}
			f.compare(t, res)
			if text := strings.ToValidUTF8(live.String(), "\uFFFD"); res.Cut == 0 && text != res.Output || int64(len(text)) < res.Cut {
				t.Errorf("streamed %d bytes that are not the output: %.200q", live.Len(), text)
			}
		})
	}
}

func (f *fixture) compare(t *testing.T, res *Result) {
	t.Helper()
	if got := fmt.Sprintf("%s %d", res.Status, res.ExitCode); got != f.status {
		t.Errorf("status: got %q, want %q", got, f.status)
	}
	if f.matches != nil {
		if !f.matches.MatchString(res.Output) {
			t.Errorf("output: got %q, want %s", res.Output, f.matches)
		}
	} else if res.Output != f.output {
		t.Errorf("output: got %q, want %q", res.Output, f.output)
	}
	if res.Cut != f.cut {
		t.Errorf("cut: got %d, want %d", res.Cut, f.cut)
	}
	if !slices.Equal(res.Skipped, f.skipped) {
		t.Errorf("skipped: got %q, want %q", res.Skipped, f.skipped)
	}
	var got []string
	for _, c := range res.Changes {
		if slices.Contains(f.changed, c.Path) && !c.Deleted {
			got = append(got, c.Path)
		} else {
			got = append(got, changeLine(c))
		}
	}
	want := slices.Concat(f.changes, f.changed)
	slices.Sort(want)
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("changes:\n got %q\nwant %q", got, want)
	}
	if res.Took <= 0 || res.Took > f.cmd.Policy.Time+drainTime+5*time.Second && f.cmd.Policy.Time > 0 {
		t.Errorf("took %v", res.Took)
	}
}

func changeLine(c Change) string {
	if c.Deleted {
		return c.Path + " deleted"
	}
	return fmt.Sprintf("%s %o %q", c.Path, c.Mode, c.Data)
}

func parseFixture(t *testing.T, file string) *fixture {
	t.Helper()
	a, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	f := &fixture{status: "exited 0"}
	modes := make(map[string]fs.FileMode)
	for line := range strings.Lines(string(a.Comment)) {
		line = strings.TrimSuffix(line, "\n")
		if strings.HasPrefix(line, "#") {
			continue
		}
		key, value, _ := strings.Cut(line, ": ")
		if err := f.set(key, value, modes); err != nil {
			t.Fatalf("%s: %q: %v", file, line, err)
		}
	}
	for _, part := range a.Files {
		mode := orDefault(modes[part.Name], 0o644)
		dir, path, _ := strings.Cut(part.Name, "/")
		switch {
		case part.Name == "line":
			f.cmd.Line = string(part.Data)
		case part.Name == "output":
			f.output = string(part.Data)
		case dir == "in":
			f.cmd.Tree = append(f.cmd.Tree, File{Path: path, Mode: mode, Data: part.Data})
		case dir == "changes":
			f.changes = append(f.changes, changeLine(Change{Path: path, Mode: mode, Data: part.Data}))
		default:
			t.Fatalf("%s: what is %q?", file, part.Name)
		}
	}
	return f
}

// set takes one "key: value" line.
func (f *fixture) set(key, value string, modes map[string]fs.FileMode) (err error) {
	p := &f.cmd.Policy
	switch key {
	case "time":
		p.Time, err = time.ParseDuration(value)
	case "memory":
		p.Memory, err = size(value)
	case "disk":
		p.Disk, err = size(value)
	case "output":
		p.Output, err = size(value)
	case "pids":
		p.PIDs, err = size(value)
	case "cut":
		f.cut, err = size(value)
	case "env":
		f.cmd.Env = append(f.cmd.Env, value)
	case "status":
		f.status = value
	case "matches":
		f.matches, err = regexp.Compile(value)
	case "skipped":
		f.skipped = append(f.skipped, value)
	case "deleted":
		f.changes = append(f.changes, changeLine(Change{Path: value, Deleted: true}))
	case "changed":
		f.changed = append(f.changed, value)
	case "mode":
		name, octal, _ := strings.Cut(value, " ")
		var mode uint64
		mode, err = strconv.ParseUint(octal, 8, 9)
		modes[name] = fs.FileMode(mode)
	default:
		err = fmt.Errorf("unknown key")
	}
	return err
}

// size parses a number, with K or M for binary thousands and millions.
func size(s string) (int64, error) {
	shift := 0
	if strings.HasSuffix(s, "K") {
		shift = 10
	} else if strings.HasSuffix(s, "M") {
		shift = 20
	}
	n, err := strconv.ParseInt(strings.TrimRight(s, "KM"), 10, 64)
	return n << shift, err
}
