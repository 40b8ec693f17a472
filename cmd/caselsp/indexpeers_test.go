//go:build corpus

package main

import (
	"cmp"
	"context"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"caselsp/agent"
	"caselsp/agent/codemap"
	"caselsp/agent/syntax"
	"caselsp/agent/workspace"
	"caselsp/store"
)

// BenchmarkIndexPeers indexes a project beside universal-ctags, which reads all files and writes
// their tags to nobody, and ripgrep, which reads all files for a word that none has, in one run on
// the same processors. "cold" is the first outline, "warm" the same by another process, both with
// the start of the program; the rest is within this process: a search before anything is indexed,
// the index when nothing changed, a map, and a file of median size that the user changed, twice:
// before the first fact is kept, the process looks once for what is secret. make bench-index PROJECT=folder runs it.
func BenchmarkIndexPeers(b *testing.B) {
	if *project == "" {
		b.Fatal("say what is indexed: make bench-index PROJECT=folder")
	}
	dir, err := filepath.Abs(*project)
	if err != nil {
		b.Fatal(err)
	}
	wall, processors := map[string]time.Duration{}, map[string]time.Duration{}
	for b.Loop() {
		state := b.TempDir()
		outline := []string{"caselsp", "--state-dir", state, "outline", "--symbol", "no_such_name", "."}
		for _, run := range []struct {
			name    string
			command []string
		}{
			{"ctags", []string{"ctags", "--quiet", "-R", "--sort=no", "-f", "-", "."}},
			{"cold", outline},
			{"rg", []string{"rg", "-c", "no_such_word_in_it", "."}},
			{"warm", outline},
		} {
			took, busy := runOnce(b, run.name, dir, run.command)
			wall[run.name] += took
			processors[run.name] += busy
		}
		indexInside(b, dir, filepath.Join(state, "inside"), wall)
	}
	b.ReportMetric(wall["cold"].Seconds()/wall["ctags"].Seconds(), "cold/ctags")
	b.ReportMetric(processors["cold"].Seconds()/processors["ctags"].Seconds(), "cold/ctags-cpu")
	b.ReportMetric(wall["warm"].Seconds()/wall["rg"].Seconds(), "warm/rg")
	b.ReportMetric(wall["warm inside"].Seconds()/wall["rg"].Seconds(), "warm-inside/rg")
	b.ReportMetric(wall["search"].Seconds()/wall["rg"].Seconds(), "search/rg")
	for _, name := range []string{"unchanged", "first-changed", "changed", "map"} {
		b.ReportMetric(wall[name].Seconds()*1000/float64(b.N), name+"-ms")
	}
}

// runOnce runs a program, and returns how long it took and kept processors busy. ctags warns of what it
// cannot name, and ripgrep fails where it finds nothing.
func runOnce(b *testing.B, name, dir string, command []string) (took, busy time.Duration) {
	b.Helper()
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Dir = dir
	start := time.Now()
	err := cmd.Run()
	took = time.Since(start)
	if state := cmd.ProcessState; state == nil || state.ExitCode() > 1 {
		b.Fatalf("%s: %v", name, err)
	}
	busy = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	b.Logf("%-6s %7.2f s, of processors %7.2f s", name, took.Seconds(), busy.Seconds())
	return took, busy
}

// indexInside measures what needs no process of its own.
func indexInside(b *testing.B, dir, state string, wall map[string]time.Duration) {
	timed := func(name string, do func() error) {
		b.Helper()
		begun := time.Now()
		if err := do(); err != nil {
			b.Fatal(err)
		}
		wall[name] += time.Since(begun)
	}
	opened := func(do func(context.Context, *workspace.Workspace, *workspace.Overlay)) {
		w, err := workspace.Open(dir)
		if err != nil {
			b.Fatal(err)
		}
		facts, err := store.FactsIn(store.Options{StateDir: state, Workspace: "inside"}, "1", func() ([]string, error) { return agent.SecretsIn(b.Context(), w) })
		if err != nil {
			b.Fatal(err)
		}
		w.KeepFacts(workspace.Kept{Fact: facts.Fact, Keep: facts.Keep, Done: facts.Done})
		do(b.Context(), w, w.NewOverlay())
		if err := w.Close(); err != nil {
			b.Fatal(err)
		}
		if err := facts.Close(); err != nil {
			b.Fatal(err)
		}
	}
	var files []workspace.FileFacts
	structure := func(ctx context.Context, o *workspace.Overlay, glob string) func() error {
		return func() (err error) { files, _, err = o.Structure(ctx, glob, nil); return err }
	}
	opened(func(ctx context.Context, _ *workspace.Workspace, o *workspace.Overlay) {
		timed("search", func() error {
			_, _, err := o.Search(ctx, workspace.Query{Pattern: "no_such_word_in_it"})
			return err
		})
		timed("cold inside", structure(ctx, o, ""))
	})
	opened(func(ctx context.Context, w *workspace.Workspace, o *workspace.Overlay) {
		files = nil
		before := heap()
		timed("warm inside", structure(ctx, o, ""))
		b.ReportMetric(float64(heap()-before)/float64(len(files)), "bytes/file")
		timed("unchanged", structure(ctx, o, ""))
		known := make([]codemap.File, len(files))
		for i, f := range files {
			known[i] = codemap.File{Path: f.Path, Facts: f.Facts}
		}
		timed("map", func() error {
			codemap.Map(known, codemap.Query{Text: "the parser reads a date with a time zone wrongly"}, mapTokens)
			return nil
		})
		median := medianOf(b, o)
		for i, name := range []string{"first-changed", "changed"} {
			w.OpenBuffer(median.Path, median.Text+strings.Repeat("\n", i+1), int32(i+1))
			timed(name, structure(ctx, o, "/"+literal.Replace(median.Path)))
		}
	})
}

// heap is how many bytes are in use.
func heap() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// medianOf returns the file of median size among those with an outline.
func medianOf(b *testing.B, o *workspace.Overlay) workspace.File {
	entries, _, err := o.List(b.Context(), "", workspace.MaxStructure)
	if err != nil {
		b.Fatal(err)
	}
	entries = slices.DeleteFunc(entries, func(e workspace.Entry) bool { return !syntax.Outlined(e.Path) })
	slices.SortFunc(entries, func(x, y workspace.Entry) int { return cmp.Compare(x.Size, y.Size) })
	f, err := o.Read(entries[len(entries)/2].Path)
	if err != nil {
		b.Fatal(err)
	}
	return f
}
