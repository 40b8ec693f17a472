//go:build corpus

package main

import (
	"errors"
	"flag"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// make bench-validators PEERS=folder PROJECT=folder sets these.
var (
	peers   = flag.String("peers", "", "a folder with html-validate and eslint in its node_modules")
	project = flag.String("project", "", "a folder with pages and scripts")
)

// BenchmarkPeers runs html-validate over a project's pages, ESLint over its
// scripts, both with their recommended rules, and caselsp validate over the pages,
// over the scripts, and over both with the style sheets as one project, in one run
// on the same processors, the start of each program counted. It reports how many
// times as long as caselsp the others take.
func BenchmarkPeers(b *testing.B) {
	if *peers == "" || *project == "" {
		b.Fatal("say where the others are and what is judged: make bench-validators PEERS=folder PROJECT=folder")
	}
	nodes, err := filepath.Abs(filepath.Join(*peers, "node_modules"))
	if err != nil {
		b.Fatal(err)
	}
	root := b.TempDir()
	pages, scripts, whole := filepath.Join(root, "pages"), filepath.Join(root, "scripts"), filepath.Join(root, "whole")
	copySources(b, pages, ".html", ".htm")
	copySources(b, scripts, ".js", ".mjs", ".cjs")
	copySources(b, whole, ".html", ".htm", ".css", ".js", ".mjs", ".cjs")
	config := filepath.Join(root, "eslint.config.mjs")
	for file, text := range map[string]string{
		filepath.Join(pages, ".htmlvalidate.json"): `{"root": true, "extends": ["html-validate:recommended"]}`,
		config: "import js from \"@eslint/js\";\nexport default [js.configs.recommended, {languageOptions: {parserOptions: {ecmaFeatures: {jsx: true}}}}];\n",
	} {
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			b.Fatal(err)
		}
	}
	if err := os.Symlink(nodes, filepath.Join(root, "node_modules")); err != nil {
		b.Fatal(err)
	}
	wall := map[string]time.Duration{}
	for b.Loop() {
		for _, run := range []struct{ name, dir, command string }{
			{"html-validate", pages, filepath.Join(nodes, ".bin/html-validate") + " --formatter json --ext html,htm ."},
			{"caselsp on pages", pages, "caselsp validate --format json ."},
			{"eslint", scripts, filepath.Join(nodes, ".bin/eslint") + " -c " + config + " -f json ."},
			{"caselsp on scripts", scripts, "caselsp validate --format json ."},
			{"caselsp on all", whole, "caselsp validate --format json ."},
		} {
			wall[run.name] += judgeOnce(b, run.name, run.dir, strings.Fields(run.command))
		}
	}
	b.ReportMetric(wall["html-validate"].Seconds()/wall["caselsp on pages"].Seconds(), "x-html-validate")
	b.ReportMetric(wall["eslint"].Seconds()/wall["caselsp on scripts"].Seconds(), "x-eslint")
	b.ReportMetric((wall["html-validate"]+wall["eslint"]).Seconds()/wall["caselsp on all"].Seconds(), "x-both")
}

// judgeOnce runs a linter, whose output is thrown away as a pipe would take it.
func judgeOnce(b *testing.B, name, dir string, command []string) time.Duration {
	b.Helper()
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Dir = dir
	errs := &strings.Builder{}
	cmd.Stderr = errs
	start := time.Now()
	err := cmd.Run()
	took := time.Since(start)
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) || errs.Len() > 0 && strings.Contains(errs.String(), "rror") {
		b.Fatalf("%s: %v\n%s", name, err, errs)
	}
	state := cmd.ProcessState
	b.Logf("%-20s %7.2f s, of processors %7.2f s", name, took.Seconds(), (state.UserTime() + state.SystemTime()).Seconds())
	return took
}

// copySources copies the project's sources of some endings: without what was
// minified, which caselsp does not judge, and without settings of linters.
func copySources(b *testing.B, to string, endings ...string) {
	b.Helper()
	var files, bytes int
	err := filepath.WalkDir(*project, func(file string, d fs.DirEntry, err error) error {
		base := filepath.Base(file)
		switch {
		case err != nil:
			return err
		case d.IsDir() && (base == "node_modules" || base == ".git"):
			return filepath.SkipDir
		case !d.Type().IsRegular() || !slices.Contains(endings, filepath.Ext(base)) || strings.Contains(base, ".min.") || strings.Contains(base, "eslint"):
			return nil
		}
		rel, err := filepath.Rel(*project, file)
		if err != nil {
			return err
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		files, bytes = files+1, bytes+len(text)
		if err := os.MkdirAll(filepath.Join(to, filepath.Dir(rel)), 0o755); err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(to, rel), text, 0o644)
	})
	if err != nil || files == 0 {
		b.Fatalf("%d files of %s: %v", files, *project, err)
	}
	b.Logf("%s: %d files, %.1f MB", filepath.Base(to), files, float64(bytes)/1e6)
}
