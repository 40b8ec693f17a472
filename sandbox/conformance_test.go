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

// A fixture is one file of testdata/commands or testdata/abuse: the runs of one
// engine, one after the other. Above the files of a run stand comments and "key:
// value" lines: limits (time, memory, pids, output, disk), env, mode of a file, needs
// (programs and modules of Python, by blanks, that not every machine has);
// and what is expected: status (default "exited 0"), cut (bytes, or "some"),
// skipped, deleted, changed (a file whose content does not matter), counts (of
// changes and of skipped lines, where they are too many to name), matches (a
// pattern for the output), host ("git status" works on what came back, and
// harms nobody). The files are the command ("line"), the tree ("in/..."), the
// whole output ("output") and the changed files ("changes/..."). What is not
// expected must not be there. A file "then" holds the lines of the next run,
// which has the tree of the run before, its own files over it and without those
// that "without" names.
type fixture struct {
	cmd     Command
	status  string
	output  string
	matches *regexp.Regexp
	cut     int64 // someCut: any number but 0
	skipped []string
	changes []string // as changeLine writes them
	changed []string
	counts  string
	git     bool
	needs   []string
	modes   map[string]fs.FileMode
	removed []string
}

const someCut = -1

// conformance runs all cases on an engine, and those in more folders. Every
// engine must pass it. need skips a case where what it needs is missing; it is nil
// for an engine that brings its programs along.
func conformance(t *testing.T, e Engine, need func(*testing.T, []string), more ...string) {
	for _, dir := range append([]string{"commands", "abuse"}, more...) {
		files, err := filepath.Glob("testdata/" + dir + "/*.txtar")
		if err != nil || len(files) == 0 {
			t.Fatalf("no cases: %v", err)
		}
		for _, file := range files {
			t.Run(dir+"/"+strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
				t.Parallel()
				var h *host
				if dir != "commands" {
					h = newHost(t)
				}
				for _, f := range parseFixture(t, file) {
					if need != nil && f.needs != nil {
						need(t, f.needs)
					}
					f.run(t, e, h)
				}
			})
		}
	}
}

// run runs one command. With a host it may try to harm it.
func (f *fixture) run(t *testing.T, e Engine, h *host) {
	t.Helper()
	if h != nil {
		h.equip(&f.cmd)
	}
	live := &stream{limit: f.cmd.Policy.Output + DefaultPolicy.Output}
	f.cmd.Output = live
	res, err := e.Run(t.Context(), f.cmd)
	if err != nil {
		t.Fatal(err)
	}
	f.compare(t, res)
	if text := strings.ToValidUTF8(live.String(), "\uFFFD"); res.Cut == 0 && text != res.Output || live.total < res.Cut {
		t.Errorf("streamed %d bytes that are not the output: %.200q", live.total, text)
	}
	if h != nil {
		h.intact(t, res)
	}
	if h != nil && f.git {
		h.git(t, res.Changes)
	}
}

// stream keeps the beginning of what is written to it, and counts.
type stream struct {
	bytes.Buffer
	limit int64
	total int64
}

func (s *stream) Write(p []byte) (int, error) {
	s.total += int64(len(p))
	s.Buffer.Write(p[:min(int64(len(p)), max(0, s.limit-int64(s.Len())))])
	return len(p), nil
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
	} else if res.Output != f.output && f.cut == 0 {
		t.Errorf("output: got %q, want %q", res.Output, f.output)
	}
	if res.Cut != f.cut && (f.cut != someCut || res.Cut == 0) {
		t.Errorf("cut: got %d, want %d", res.Cut, f.cut)
	}
	if res.Took <= 0 || res.Took > f.cmd.Policy.Time+drainTime+5*time.Second && f.cmd.Policy.Time > 0 {
		t.Errorf("took %v", res.Took)
	}
	if f.counts != "" {
		if got := fmt.Sprintf("%d changes, %d skipped", len(res.Changes), len(res.Skipped)); got != f.counts {
			t.Errorf("got %s, want %s", got, f.counts)
		}
		return
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
}

func changeLine(c Change) string {
	if c.Deleted {
		return c.Path + " deleted"
	}
	return fmt.Sprintf("%s %o %q", c.Path, c.Mode, c.Data)
}

func parseFixture(t *testing.T, file string) (runs []*fixture) {
	t.Helper()
	a, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	begin := func(lines []byte) *fixture {
		f := &fixture{status: "exited 0", modes: make(map[string]fs.FileMode)}
		if err := f.setAll(string(lines)); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		runs = append(runs, f)
		return f
	}
	f := begin(a.Comment)
	for _, part := range a.Files {
		if part.Name == "then" {
			tree := f.cmd.Tree
			f = begin(part.Data)
			f.inherit(tree)
			continue
		}
		if err := f.add(part); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
	}
	return runs
}

// inherit takes the tree of the run before.
func (f *fixture) inherit(tree []File) {
	links := f.cmd.Tree
	f.cmd.Tree = tree
	for _, path := range f.removed {
		f.without(path)
	}
	for _, l := range links {
		f.without(l.Path)
		f.cmd.Tree = append(f.cmd.Tree, l)
	}
}

func (f *fixture) without(path string) {
	f.cmd.Tree = slices.DeleteFunc(slices.Clone(f.cmd.Tree), func(old File) bool { return old.Path == path })
}

// add takes one file of a run.
func (f *fixture) add(part txtar.File) error {
	mode := orDefault(f.modes[part.Name], 0o644)
	dir, path, _ := strings.Cut(part.Name, "/")
	switch {
	case part.Name == "line":
		f.cmd.Line = string(part.Data)
	case part.Name == "output":
		f.output = string(part.Data)
	case dir == "in":
		f.without(path)
		f.cmd.Tree = append(f.cmd.Tree, File{Path: path, Mode: mode, Data: part.Data})
	case dir == "changes":
		f.changes = append(f.changes, changeLine(Change{Path: path, Mode: mode, Data: part.Data}))
	default:
		return fmt.Errorf("what is %q?", part.Name)
	}
	return nil
}

func (f *fixture) setAll(lines string) error {
	for line := range strings.Lines(lines) {
		line = strings.TrimSuffix(line, "\n")
		if strings.HasPrefix(line, "#") || line == "" {
			continue
		}
		key, value, _ := strings.Cut(line, ": ")
		if err := f.set(key, value); err != nil {
			return fmt.Errorf("%q: %w", line, err)
		}
	}
	return nil
}

// set takes one "key: value" line.
func (f *fixture) set(key, value string) (err error) {
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
	case "env":
		f.cmd.Env = append(f.cmd.Env, value)
	case "needs":
		f.needs = strings.Fields(value)
	case "link", "folder link": // name -> text: what it leads to is the file of the tree above it, or nothing of it
		name, text, _ := strings.Cut(value, " -> ")
		link := File{Path: name, Link: text, Mode: 0o644, Data: []byte("found through it\n")}
		if key != "link" {
			link.Mode, link.Data = fs.ModeDir|0o755, nil
		}
		f.without(name)
		f.cmd.Tree = append(f.cmd.Tree, link)
	case "without":
		f.removed = append(f.removed, value)
	case "mode":
		name, octal, _ := strings.Cut(value, " ")
		var mode uint64
		mode, err = strconv.ParseUint(octal, 8, 9)
		f.modes[name] = fs.FileMode(mode)
	default:
		return f.expect(key, value)
	}
	return err
}

// expect takes one "key: value" line of what is expected.
func (f *fixture) expect(key, value string) (err error) {
	switch key {
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
	case "counts":
		f.counts = value
	case "cut":
		if f.cut = someCut; value != "some" {
			f.cut, err = size(value)
		}
	case "host":
		if f.git = value == "git status"; !f.git {
			err = fmt.Errorf("unknown check of the host")
		}
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
