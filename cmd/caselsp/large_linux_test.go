package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"caselsp/lsp/lsptest"

	"go.lsp.dev/protocol"
)

// largeFiles is how many files the large workspace has, and smallFiles the one that it is compared with.
const (
	largeFiles = 100_000
	smallFiles = 1_000
)

// calmRequests is how many requests of a kind are sent after the folders were indexed.
const calmRequests = 200

// BenchmarkLargeServer starts the real server on a workspace of 100,000 files that it sees for the first time, and sends
// what an editor sends while the user types: edits with hovers, code actions, code lenses and diagnostics, one after another, until
// the folders are indexed, and 200 times afterwards. It reports the 99th percentile and the slowest of each, how long the index took, the
// memory that the process had at most, beside that of a workspace of 1,000 files, the size of the kept index, and the load of the
// machine, by which the times must be read.
func BenchmarkLargeServer(b *testing.B) {
	for b.Loop() {
		for _, files := range []int{smallFiles, largeFiles} {
			largeServer(b, files)
		}
	}
}

// largeServer measures one server on a new workspace.
func largeServer(b *testing.B, files int) {
	must := func(err error) {
		b.Helper()
		if err != nil {
			b.Fatal(err)
		}
	}
	home := b.TempDir()
	root := filepath.Join(home, "project")
	edited := largeTree(b, root, files)
	cmd := exec.Command("caselsp", "serve")
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "XDG_STATE_HOME=" + filepath.Join(home, ".state"), "XDG_CONFIG_HOME=" + filepath.Join(home, ".config"),
		"CASELSP_SANDBOX_ENGINE=none", "CASELSP_TRUST_FOLDERS=" + home}
	in, err := cmd.StdinPipe()
	must(err)
	out, err := cmd.StdoutPipe()
	must(err)
	must(cmd.Start())
	e := lsptest.Connect(lsptest.Join(out, in), lsptest.Options{Root: root})
	defer func() {
		_ = e.Hangup()
		_ = cmd.Wait() // how it ends when its editor is gone is another test's matter
	}()
	began := time.Now()
	_, err = e.Initialize(b.Context())
	must(err)
	must(e.Open(edited))
	indexed := make(chan error, 1)
	go func() { indexed <- e.Expect(b.Context(), lsptest.Logged("the folders are indexed")) }()
	busy, calm := waits{}, waits{}
	for done := false; !done; {
		must(busy.round(b, e, edited))
		select {
		case err := <-indexed:
			must(err)
			done = true
		default:
		}
	}
	took := time.Since(began)
	for range calmRequests {
		must(calm.round(b, e, edited))
	}
	name := strconv.Itoa(files)
	b.ReportMetric(took.Seconds(), name+"-index-s")
	busy.report(b, name+"-indexing")
	calm.report(b, name+"-calm")
	b.ReportMetric(peakMemory(b, cmd.Process.Pid), name+"-peak-MB")
	kept, err := filepath.Glob(filepath.Join(home, ".state", "caselsp", "workspaces", "*", "facts.db"))
	must(err)
	for _, file := range kept {
		info, err := os.Stat(file)
		must(err)
		b.ReportMetric(float64(info.Size())/(1<<20), name+"-kept-MB")
	}
	if load, err := os.ReadFile("/proc/loadavg"); err == nil {
		b.Logf("%d files: %d rounds while it indexes, load %s", files, len(busy["hover"]), strings.TrimSpace(string(load)))
	}
}

// largeTree makes small files of Python, JavaScript and Go in folders of a hundred, and returns the path of one to edit.
func largeTree(b *testing.B, root string, files int) (edited string) {
	b.Helper()
	kinds := []struct{ ext, text string }{
		{".py", "import os\n\n\nclass Part%[1]d:\n    def size(self):\n        return len(os.environ) + %[1]d\n"},
		{".js", "export class Part%[1]d {\n  size() {\n    return %[1]d;\n  }\n}\n"},
		{".go", "package part\n\n// Size%[1]d is a size.\nfunc Size%[1]d() int { return %[1]d }\n"},
	}
	for i := range files {
		kind := kinds[i%len(kinds)]
		file := filepath.Join(root, fmt.Sprintf("pkg%03d", i/100), fmt.Sprintf("part%02d%s", i%100, kind.ext))
		var err error
		if i%100 == 0 {
			err = os.MkdirAll(filepath.Dir(file), 0o755)
		}
		if err := errors.Join(err, os.WriteFile(file, fmt.Appendf(nil, kind.text, i), 0o644)); err != nil {
			b.Fatal(err)
		}
	}
	edited = "pkg000/edited.py"
	// A comment with TODO has a code lens, which is one of the requests.
	text := "# TODO: tidy up\n" + strings.Repeat("def f(a, b):\n    return {'a': a, 'b': b}\n\n\n", 30)
	if err := os.WriteFile(filepath.Join(root, filepath.FromSlash(edited)), []byte(text), 0o644); err != nil {
		b.Fatal(err)
	}
	return edited
}

// waits are how long requests took, by their names.
type waits map[string][]time.Duration

// round sends an edit and one request of each kind, each of which is about the text after the edit.
func (w waits) round(b *testing.B, e *lsptest.Editor, path string) error {
	document := map[string]any{"uri": "file://" + e.Abs(path)}
	for _, r := range []struct {
		name, method string
		params       map[string]any
	}{
		{"hover", protocol.MethodTextDocumentHover, map[string]any{"position": protocol.Position{Line: 1, Character: 5}}},
		{"action", protocol.MethodTextDocumentCodeAction, map[string]any{"range": protocol.Range{End: protocol.Position{Character: 3}}, "context": map[string]any{"diagnostics": []any{}}}},
		{"lens", protocol.MethodTextDocumentCodeLens, map[string]any{}},
		{"diagnostic", protocol.MethodTextDocumentDiagnostic, map[string]any{}},
	} {
		if err := e.Replace(path, "'b'", "'b'"); err != nil { // the user types: nothing is answered from what was found before
			return err
		}
		r.params["textDocument"] = document
		began := time.Now()
		if err := e.Request(b.Context(), r.method, r.params, nil); err != nil {
			return fmt.Errorf("%s: %w", r.method, err)
		}
		w[r.name] = append(w[r.name], time.Since(began))
	}
	return nil
}

func (w waits) report(b *testing.B, stage string) {
	for name, list := range w {
		slices.Sort(list)
		ms := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
		b.ReportMetric(ms(list[len(list)*99/100]), stage+"-"+name+"-p99-ms")
		b.ReportMetric(ms(list[len(list)-1]), stage+"-"+name+"-max-ms")
	}
}

// peakMemory is the most memory that a process had, in megabytes.
func peakMemory(b *testing.B, pid int) float64 {
	b.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		b.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if fields := strings.Fields(line); len(fields) > 1 && fields[0] == "VmHWM:" {
			kB, err := strconv.ParseFloat(fields[1], 64)
			if err != nil {
				b.Fatal(err)
			}
			return kB / 1024
		}
	}
	b.Fatal("/proc tells no peak memory")
	return 0
}
