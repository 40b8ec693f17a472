package agent

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"caselsp/agent/record"
	"caselsp/agent/review"
	"caselsp/agent/workspace"
)

const arrivalScript = `
on case
call DELETE_FILE {"thought": "t", "path": "d.txt"}
on case
call WRITE_FILE {"thought": "t", "path": "m.txt", "content": "top\n1\n2\n3\nnew\n"}
on case
call WRITE_FILE {"thought": "t", "path": "n.txt", "content": "made\n"}
on case
call RENAME_FILE {"thought": "t", "from": "r.txt", "to": "s.txt"}
on case
call WRITE_FILE {"thought": "t", "path": "z.txt", "content": "top\n1\n2\n3\nnew\n"}
on case
times always
call FINISH_FEATURE {"thought": "t", "summary": "done"}
`

var arrivalFiles = map[string]string{"d.txt": "d\ne\n", "m.txt": "top\n1\n2\n3\nold\n", "r.txt": "r\n", "z.txt": "top\n1\n2\n3\nold\n"}

// killed is an applier whose process is killed when it has made some edits and has begun with
// the next one.
type killed struct {
	workspace.Applier
	after int
	blind bool // it does not say where it is, as older versions did not
}

var errKilled = errors.New("killed")

// Apply implements workspace.Applier.
func (k killed) Apply(ctx context.Context, edits []workspace.FileEdit, begin workspace.Begin) ([]workspace.Applied, error) {
	if k.blind {
		begin = nil
	}
	done, err := k.Applier.Apply(ctx, edits[:k.after], begin)
	if err == nil && k.after < len(edits) {
		err = begin.Tell(done[max(0, k.after-1):], edits[k.after].Path)
	}
	panic(errors.Join(errKilled, err))
}

const mixed = "top\n1\n2\n3\n"

var arrivals = []struct {
	name   string
	killed killed
	writes map[string]string // what the user writes then
	stands string
	undone map[string]string // what differs from before the task
	failed string            // what the undo refuses
}{
	{"nothing is touched", killed{after: 0}, nil, "undecided undecided undecided undecided undecided", nil, ""},
	{"two are written", killed{after: 2}, nil, "written written undecided undecided undecided", nil, ""},
	{"all are written", killed{after: 5}, nil, "written written written written written", nil, ""},
	{"a written file is changed at another place", killed{after: 3}, map[string]string{"m.txt": "USER\n" + mixed + "new\n"},
		"written written written undecided undecided", map[string]string{"m.txt": "USER\n" + mixed + "old\n"}, ""},
	{"a written file is changed at the same place", killed{after: 3}, map[string]string{"m.txt": mixed + "USER\n"},
		"written written written undecided undecided", map[string]string{"m.txt": mixed + "USER\n"}, "m.txt"},
	{"an unwritten file is changed", killed{after: 1}, map[string]string{"m.txt": "USER\n" + mixed + "old\n", "z.txt": mixed + "USER\n"},
		"written undecided undecided undecided undecided", map[string]string{"m.txt": "USER\n" + mixed + "old\n", "z.txt": mixed + "USER\n"}, ""},
	{"the file in question is changed at the same place", killed{after: 1}, map[string]string{"m.txt": mixed + "USER\n"},
		"written undecided undecided undecided undecided", map[string]string{"m.txt": mixed + "USER\n"}, "m.txt"},
	{"not recorded", killed{after: 4, blind: true}, nil, "written written written written undecided", nil, ""},
	{"not recorded, all changed", killed{after: 4, blind: true}, map[string]string{"m.txt": "USER\n" + mixed + "new\n", "n.txt": "USER\nmade\n", "s.txt": "USER\nr\n", "z.txt": "USER\n" + mixed + "old\n"},
		"written written written written undecided",
		map[string]string{"m.txt": "USER\n" + mixed + "old\n", "n.txt": "USER\nmade\n", "s.txt": "USER\nr\n", "r.txt": "", "z.txt": "USER\n" + mixed + "old\n"}, "n.txt s.txt"},
	{"not recorded, others in the place", killed{after: 3, blind: true}, map[string]string{"d.txt": "USER\n", "n.txt": "USER\n"},
		"undecided written undecided undecided undecided", map[string]string{"d.txt": "USER\n", "n.txt": "USER\n"}, "d.txt n.txt"},
	{"not recorded, renamed in part", killed{after: 3, blind: true}, map[string]string{"s.txt": "r\n"}, "written written written undecided undecided", nil, ""},
}

// TestArrival kills an acceptance in the middle, then the user changes files: what arrived is
// known, is never called rejected, and is taken back without what the user wrote.
func TestArrival(t *testing.T) {
	for _, tt := range arrivals {
		t.Run(tt.name, func(t *testing.T) {
			b, dir := arrivalBench(t)
			disk, all := workspace.Disk(b.Workspace), review.Selection{Hunk: review.AllHunks}
			tt.killed.Applier = disk
			func() {
				defer func() {
					if err, ok := recover().(error); !ok || err.Error() != errKilled.Error() {
						t.Fatalf("it ended with %v", err)
					}
				}()
				_, err := b.Decide(t.Context(), "t", all, true, tt.killed)
				t.Fatalf("it was not killed: %v", err)
			}()
			for name, text := range tt.writes {
				writeText(t, filepath.Join(dir, name), text)
			}
			if got := b.standings(t); got != tt.stands {
				t.Errorf("the files are %s, want %s", got, tt.stands)
			}
			report, err := b.Report("t")
			if err != nil || !strings.Contains(report, fmt.Sprintf("interrupted: it reached %d of 5 files", strings.Count(tt.stands, "written"))) {
				t.Errorf("the report is %s, %v", report, err)
			}
			if _, err := b.Decide(t.Context(), "t", all, false, disk); err != nil && !errors.Is(err, review.ErrDecided) {
				t.Fatal(err)
			}
			for path := range strings.FieldsSeq(tt.failed) {
				if got := b.standings(t); strings.Contains(strings.Fields(got)[slices.Index([]string{"d.txt", "m.txt", "n.txt", "s.txt", "z.txt"}, path)], "rejected") {
					t.Errorf("%s is called rejected: %s", path, got)
				}
			}
			out, err := b.Undo(t.Context(), "t", disk)
			if err != nil {
				t.Fatal(err)
			}
			var failed []string
			for _, r := range out.Failed() {
				failed = append(failed, r.Path)
			}
			if got := strings.Join(failed, " "); got != tt.failed {
				t.Errorf("not undone: %v, want %s", out.Failed(), tt.failed)
			}
			checkFiles(t, dir, tt.undone)
		})
	}
}

// TestArrivalUndo is the same for an undo.
func TestArrivalUndo(t *testing.T) {
	b, dir := arrivalBench(t)
	disk, all := workspace.Disk(b.Workspace), review.Selection{Hunk: review.AllHunks}
	if out, err := b.Decide(t.Context(), "t", all, true, disk); err != nil || len(out.Failed()) > 0 {
		t.Fatal(out.Failed(), err)
	}
	func() {
		defer func() { _ = recover() }()
		_, _ = b.Undo(t.Context(), "t", killed{Applier: disk, after: 2})
	}()
	writeText(t, filepath.Join(dir, "m.txt"), "USER\n"+arrivalFiles["m.txt"])
	if got, want := b.standings(t), "undecided undecided written written written"; got != want {
		t.Errorf("the files are %s, want %s", got, want)
	}
	if st, err := b.Status("t"); err != nil || st.State != record.Review {
		t.Errorf("the task is %s, %v", st.State, err)
	}
	if out, err := b.Undo(t.Context(), "t", disk); err != nil || len(out.Failed()) > 0 {
		t.Error(out.Failed(), err)
	}
	checkFiles(t, dir, map[string]string{"m.txt": "USER\n" + arrivalFiles["m.txt"]})
}

// TestUndoBetween: what the user writes between two acceptances of hunks of a file is not taken
// back with them.
func TestUndoBetween(t *testing.T) {
	const was, wanted = "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n", "one\n2\n3\n4\n5\n6\n7\n8\n9\n10\neleven\n"
	b := newBench(t, `
on case
call WRITE_FILE {"thought": "t", "path": "b.txt", "content": "one\n2\n3\n4\n5\n6\n7\n8\n9\n10\neleven\n"}
on case
times always
call FINISH_FEATURE {"thought": "t", "summary": "done"}
`, agreeable{})
	name := filepath.Join(b.Workspace.Roots()[0].Dir, "b.txt")
	writeText(t, name, was)
	for _, err := range b.Run(t.Context(), record.Task{ID: "t", Text: "write", Single: true}) {
		if err != nil {
			t.Fatal(err)
		}
	}
	disk := workspace.Disk(b.Workspace)
	for h, typed := range []string{strings.Replace(was, "6\n", "6\nUSER\n", 1), strings.Replace(wanted, "6\n", "6\nUSER\n", 1)} {
		if out, err := b.Decide(t.Context(), "t", review.Selection{File: "b.txt", Hunk: h}, true, disk); err != nil || len(out.Failed()) > 0 {
			t.Fatal(out.Failed(), err)
		}
		if h == 0 {
			typed = strings.Replace(typed, "1\n", "one\n", 1)
			writeText(t, name, typed)
		} else if text, err := os.ReadFile(name); err != nil || string(text) != typed {
			t.Errorf("accepted it is %q, %v", text, err)
		}
	}
	if out, err := b.Undo(t.Context(), "t", disk); err != nil || len(out.Failed()) > 0 {
		t.Fatal(out.Failed(), err)
	}
	if text, err := os.ReadFile(name); err != nil || string(text) != strings.Replace(was, "6\n", "6\nUSER\n", 1) {
		t.Errorf("undone it is %q, %v", text, err)
	}
}

func arrivalBench(t *testing.T) (*bench, string) {
	t.Helper()
	b := newBench(t, arrivalScript, agreeable{})
	dir := b.Workspace.Roots()[0].Dir
	if err := os.Remove(filepath.Join(dir, "b.txt")); err != nil {
		t.Fatal(err)
	}
	for name, text := range arrivalFiles {
		writeText(t, filepath.Join(dir, name), text)
	}
	for _, err := range b.Run(t.Context(), record.Task{ID: "t", Text: "write", Single: true}) {
		if err != nil {
			t.Fatal(err)
		}
	}
	return b, dir
}

func writeText(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// standings are those of the files, in order.
func (b *bench) standings(t *testing.T) string {
	t.Helper()
	rev, err := b.Review("t")
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, f := range rev.Files {
		list = append(list, f.Standing())
	}
	return strings.Join(list, " ")
}

// checkFiles compares the folder with what it held before the task; differs is what differs, ""
// for a file that is not there.
func checkFiles(t *testing.T, dir string, differs map[string]string) {
	t.Helper()
	want, got := maps.Clone(arrivalFiles), map[string]string{}
	maps.Copy(want, differs)
	maps.DeleteFunc(want, func(_, text string) bool { return text == "" })
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		got[filepath.Base(path)] = string(text)
		return err
	})
	if err != nil || !maps.Equal(got, want) {
		t.Errorf("the folder holds %q, want %q, %v", got, want, err)
	}
}
