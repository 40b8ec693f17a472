package main

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"
)

// make bench-table sets it.
var measure = flag.Bool("table", false, "measure, and write benchmarks.md")

// benchmarksPage holds the table that make bench-table writes.
const benchmarksPage = "benchmarks.md"

// peerRow is a line of the table: what a benchmark reports beside another program, in turns in one run.
type peerRow struct {
	what, beside string
	bench        int    // of peerBenches
	run          string // the sub-benchmark; "": the benchmark itself
	unit         string
}

// peerBench is a benchmark that reports ratios, and what it needs.
type peerBench struct {
	name     string
	needs    []string // programs
	folders  []string // flags of this test that name folders
	packages string
	pattern  string
	times    string // how often: the ratios of a few turns are steadier than those of one
}

var peerBenches = []peerBench{
	{"IndexPeers", []string{"ctags", "rg"}, nil, "./cmd/caselsp", "^BenchmarkIndexPeers$", "3x"},
	{"Peers", nil, []string{"peers", "project"}, "./cmd/caselsp", "^BenchmarkPeers$", "3x"},
	{"Figures", []string{"docker"}, nil, "./sandbox", "^BenchmarkFigures$/^(first|warm)-(true|pytest)$", "10x"},
	{"NativeOverhead", nil, nil, "./sandbox", "^BenchmarkNativeOverhead$", "30x"},
}

var peerRows = []peerRow{
	{"first outline of a project, with the start of the program", "universal-ctags", 0, "", "cold/ctags"},
	{"the same again", "ripgrep reading all files", 0, "", "warm/rg"},
	{"first search, in a process that runs", "ripgrep", 0, "", "search/rg"},
	{"validation of pages", "html-validate", 1, "", "x-html-validate"},
	{"validation of scripts", "ESLint", 1, "", "x-eslint"},
	{"first command in the Docker sandbox", "`docker run`", 2, "first-true", "times"},
	{"next command in it", "`docker exec`", 2, "warm-true", "times"},
	{"pytest in it", "`docker exec`", 2, "warm-pytest", "times"},
	{"first command in the native sandbox", "without a sandbox", 3, "", "cold-over-ms"},
	{"next command in it", "without a sandbox", 3, "", "warm-over-ms"},
}

// shown is a figure in words: how many times as long caselsp takes, or the milliseconds that it adds.
func (r peerRow) shown(v float64) string {
	switch {
	case strings.HasSuffix(r.unit, "-ms"):
		return fmt.Sprintf("%.1f ms more", v)
	case strings.HasPrefix(r.unit, "x-"):
		return fmt.Sprintf("%.2f times as long", 1/v)
	}
	return fmt.Sprintf("%.2f times as long", v)
}

// TestBenchTable reads what benchmarks print, and checks that each line of benchmarks.md is still measured.
// With -table it measures and writes that file.
func TestBenchTable(t *testing.T) {
	printed := fmt.Sprintf("goos: linux\nBenchmarkFigures/warm-true-%d  10  0 ns/op  31.5 docker-ms  33.0 ms  1.048 times\nBenchmarkIndexPeers \t3\t 12 ns/op\t 2.5 cold/ctags\nok x 1s\n", runtime.GOMAXPROCS(0))
	got := readBenchmarks(printed)
	if got["Figures/warm-true"]["times"] != 1.048 || got["IndexPeers"]["cold/ctags"] != 2.5 || len(got) != 2 {
		t.Fatalf("read %v", got)
	}
	if *measure {
		if err := os.WriteFile(benchmarksPage, []byte(benchTable(t)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(benchmarksPage)
	if err != nil {
		t.Fatal(err)
	}
	known, lines := map[string]bool{"what": true, "---": true}, 0
	for _, r := range peerRows {
		known[r.what] = true
	}
	for line := range strings.Lines(string(text)) {
		if cells := strings.Split(line, "|"); len(cells) > 1 {
			lines++
			if !known[strings.TrimSpace(cells[1])] {
				t.Errorf("%s has a line that nothing measures: %s", benchmarksPage, line)
			}
		}
	}
	if lines < 3 {
		t.Errorf("%s has no table", benchmarksPage)
	}
}

// readBenchmarks returns the figures by benchmark and unit.
func readBenchmarks(printed string) map[string]map[string]float64 {
	all := map[string]map[string]float64{}
	for line := range strings.Lines(printed) {
		fields := strings.Fields(line)
		if len(fields) < 4 || !strings.HasPrefix(fields[0], "Benchmark") {
			continue
		}
		name := strings.TrimSuffix(strings.TrimPrefix(fields[0], "Benchmark"), fmt.Sprintf("-%d", runtime.GOMAXPROCS(0)))
		figures := map[string]float64{}
		for i := 2; i+1 < len(fields); i += 2 {
			if v, err := strconv.ParseFloat(fields[i], 64); err == nil {
				figures[fields[i+1]] = v
			}
		}
		all[name] = figures
	}
	return all
}

// benchTable measures what this machine has the inputs for.
func benchTable(t *testing.T) string {
	before := load()
	root, err := exec.CommandContext(t.Context(), "go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	indexed := cmp.Or(flagOf("project"), filepath.Join(strings.TrimSpace(string(root)), "src"))
	figures, left := map[string]map[string]float64{}, []string{}
	for _, b := range peerBenches {
		if why := b.lacks(); why != "" {
			left = append(left, b.name+" ("+why+")")
			continue
		}
		args := []string{"test", "-tags", "corpus", b.packages, "-run", "^$", "-bench", b.pattern, "-benchtime", b.times, "-timeout", "30m"}
		if b.packages == "./cmd/caselsp" {
			args = append(args, "-project", indexed, "-peers", flagOf("peers"))
		}
		cmd := exec.CommandContext(t.Context(), "go", args...)
		cmd.Dir = filepath.Join("..", "..")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", b.name, err, out)
		}
		read := readBenchmarks(string(out))
		if len(read) == 0 {
			left = append(left, b.name+" (it was skipped)")
		}
		for name, f := range read {
			figures[name] = f
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, `# Benchmarks

Written by `+"`make bench-table`"+` on %s: %s/%s, %d processors, load average %s before and %s after.
Each ratio is of runs that take turns, so that a busy machine slows both. What is indexed is %s.

| what | beside | caselsp takes |
|---|---|---|
`, time.Now().UTC().Format(time.DateOnly), runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), before, load(), indexedProject())
	for _, r := range peerRows {
		name := strings.TrimSuffix(peerBenches[r.bench].name+"/"+r.run, "/")
		if v, ok := figures[name][r.unit]; ok {
			fmt.Fprintf(&b, "| %s | %s | %s |\n", r.what, r.beside, r.shown(v))
		}
	}
	if len(left) > 0 {
		fmt.Fprintf(&b, "\nNot measured: %s.\n", strings.Join(left, ", "))
	}
	b.WriteString("\n`make bench` runs all benchmarks; `make help` lists those that need inputs (`bench-*`) and print tables of their own.\n")
	return b.String()
}

// indexedProject names what is indexed, without a path of this machine.
func indexedProject() string {
	if p := flagOf("project"); p != "" {
		return "`" + filepath.Base(p) + "`"
	}
	return "the standard library of " + runtime.Version()
}

// lacks says what a benchmark needs that is not there; "": nothing.
func (b peerBench) lacks() string {
	for _, p := range b.needs {
		if _, err := exec.LookPath(p); err != nil {
			return "needs " + p
		}
	}
	for _, f := range b.folders {
		if flagOf(f) == "" {
			return "needs " + strings.ToUpper(f) + "=folder"
		}
	}
	return ""
}

// flagOf is the value of a flag that only tests with the tag corpus have.
func flagOf(name string) string {
	if f := flag.Lookup(name); f != nil {
		return f.Value.String()
	}
	return ""
}

// load is the load of the last minute, where the system tells it.
func load() string {
	raw, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "unknown"
	}
	return strings.Fields(string(raw) + " unknown")[0]
}
