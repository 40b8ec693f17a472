package lsp

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"caselsp/agent/workspace"
	"caselsp/lsp/lsptest"
)

// BenchmarkLargeWorkspace measures how long an editor waits for code actions, and for the
// diagnostics of an edit, in a workspace of 100,000 files, while nothing else is done and while the
// workspace is indexed for the first time, again and again: a task that begins does so once. It
// reports the slowest of a hundred, the time of one index, and the memory that the index took.
func BenchmarkLargeWorkspace(b *testing.B) {
	dir := largeWorkspace(b)
	s := newServer(b.Context(), Options{})
	s.install()
	after := s.ed.Clock.After
	s.ed.Clock.After = func(d time.Duration, f func()) func() bool {
		if d == checkPause {
			d = 0 // it is left out
		}
		return after(d, f)
	}
	near, far := net.Pipe()
	go s.ed.Serve(near)
	e := lsptest.Connect(far, lsptest.Options{Root: dir})
	b.Cleanup(func() { e.Hangup() })
	begun := time.Now()
	if _, err := e.Initialize(b.Context()); err != nil {
		b.Fatal(err)
	}
	opened := time.Since(begun)
	text := strings.Repeat("def f(a, b):\n    return {'a': a, 'b': b}\n\n", 30)
	if err := errors.Join(e.OpenText(edited, text), e.Expect(b.Context(), lsptest.Clean(edited))); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		waited(b, e, "idle")
		stop := make(chan struct{})
		var indexing sync.WaitGroup
		indexing.Go(func() {
			for done := false; !done; {
				took, files, bytes := indexed(b, dir)
				b.ReportMetric(took.Seconds(), "index-s")
				b.ReportMetric(float64(bytes)/float64(files), "index-bytes/file")
				select {
				case <-stop:
					done = true
				default:
				}
			}
		})
		waited(b, e, "indexing")
		close(stop)
		indexing.Wait()
	}
	b.ReportMetric(float64(opened.Microseconds())/1000, "initialize-ms")
}

// edited is the file that the user edits.
const edited = "pkg000/mod00.py"

// largeWorkspace makes 100,000 files.
func largeWorkspace(b *testing.B) string {
	dir := b.TempDir()
	for i := range 100_000 {
		file := filepath.Join(dir, fmt.Sprintf("pkg%03d", i/100), fmt.Sprintf("mod%02d.py", i%100))
		var err error
		if i%100 == 0 {
			err = os.Mkdir(filepath.Dir(file), 0o755)
		}
		text := fmt.Sprintf("import os\n\n\nclass Part%d:\n    def size(self):\n        return len(os.environ) + %d\n", i, i)
		if err := errors.Join(err, os.WriteFile(file, []byte(text), 0o644)); err != nil {
			b.Fatal(err)
		}
	}
	return dir
}

// waited reports how long an editor waits for code actions and for diagnostics, a hundred times.
func waited(b *testing.B, e *lsptest.Editor, name string) {
	var actions, edits []time.Duration
	for range 100 {
		begun := time.Now()
		_, err := e.CodeActions(b.Context(), edited, 0, 0)
		actions = append(actions, time.Since(begun))
		begun = time.Now()
		err = errors.Join(err, e.Change(edited, lsptest.Replacement{Text: "("}), e.Expect(b.Context(), lsptest.Diagnosed(edited, "")))
		edits = append(edits, time.Since(begun))
		if err := errors.Join(err, e.Change(edited, lsptest.Replacement{End: 1}), e.Expect(b.Context(), lsptest.Clean(edited))); err != nil {
			b.Fatal(err)
		}
	}
	for what, list := range map[string][]time.Duration{"action": actions, "diagnostics": edits} {
		slices.Sort(list)
		b.ReportMetric(float64(list[len(list)*99/100].Microseconds())/1000, name+"-"+what+"-p99-ms")
	}
}

// indexed indexes a folder for the first time.
func indexed(b *testing.B, dir string) (took time.Duration, files int, bytes int64) {
	w, err := workspace.Open(dir)
	if err != nil {
		b.Error(err)
		return 0, 1, 0
	}
	defer w.Close()
	before := inUse()
	begun := time.Now()
	list, _, err := w.NewOverlay().Structure(b.Context(), "", nil)
	if err != nil {
		b.Error(err)
	}
	took = time.Since(begun)
	bytes = inUse() - before
	runtime.KeepAlive(list)
	return took, max(1, len(list)), bytes
}

// inUse is how many bytes of memory are in use.
func inUse() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
