package lsp

import (
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
	must := func(err error) {
		b.Helper()
		if err != nil {
			b.Fatal(err)
		}
	}
	dir := b.TempDir()
	for i := range 100_000 {
		file := filepath.Join(dir, fmt.Sprintf("pkg%03d", i/100), fmt.Sprintf("mod%02d.py", i%100))
		if i%100 == 0 {
			must(os.Mkdir(filepath.Dir(file), 0o755))
		}
		must(os.WriteFile(file, fmt.Appendf(nil, "import os\n\n\nclass Part%d:\n    def size(self):\n        return len(os.environ) + %d\n", i, i), 0o644))
	}
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
	_, err := e.Initialize(b.Context())
	must(err)
	opened := time.Since(begun)
	text := strings.Repeat("def f(a, b):\n    return {'a': a, 'b': b}\n\n", 30)
	must(e.OpenText("pkg000/mod00.py", text))
	must(e.Expect(b.Context(), lsptest.Clean("pkg000/mod00.py")))

	var actions, edits []time.Duration
	timed := func(list *[]time.Duration, do func() error) {
		b.Helper()
		begun := time.Now()
		must(do())
		*list = append(*list, time.Since(begun))
	}
	requests := func(name string) {
		for range 100 {
			timed(&actions, func() error {
				_, err := e.CodeActions(b.Context(), "pkg000/mod00.py", 0, 0)
				return err
			})
			timed(&edits, func() error {
				if err := e.Change("pkg000/mod00.py", lsptest.Replacement{Text: "("}); err != nil {
					return err
				}
				return e.Expect(b.Context(), lsptest.Diagnosed("pkg000/mod00.py", ""))
			})
			must(e.Change("pkg000/mod00.py", lsptest.Replacement{End: 1}))
			must(e.Expect(b.Context(), lsptest.Clean("pkg000/mod00.py")))
		}
		for what, list := range map[string][]time.Duration{"action": actions, "diagnostics": edits} {
			slices.Sort(list)
			b.ReportMetric(float64(list[len(list)*99/100].Microseconds())/1000, name+"-"+what+"-p99-ms")
		}
		actions, edits = nil, nil
	}
	for b.Loop() {
		requests("idle")
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
		requests("indexing")
		close(stop)
		indexing.Wait()
	}
	b.ReportMetric(float64(opened.Microseconds())/1000, "initialize-ms")
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
