package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"caselsp/agent/testreport"
)

const (
	// perFault is how many tests are kept of one fault: more of the same fault would count it twice.
	perFault = 4
	// maxOutput bounds what is kept of one test's output, in bytes.
	maxOutput = 6 << 10
	// perTry is how long the tests of one fault may take: a fault can make an endless loop.
	perTry = 90 * time.Second
	// mostTries is how many lines are tried for each fault that is wanted: many change nothing
	// that a test sees.
	mostTries = 4
)

// change is a way to make a line wrong.
type change struct {
	re *regexp.Regexp
	by string
}

var changes = []change{
	{regexp.MustCompile(` == `), " != "},
	{regexp.MustCompile(` != `), " == "},
	{regexp.MustCompile(` < `), " >= "},
	{regexp.MustCompile(` > `), " <= "},
	{regexp.MustCompile(` <= `), " < "},
	{regexp.MustCompile(` >= `), " > "},
	{regexp.MustCompile(` \+ 1\b`), " + 2"},
	{regexp.MustCompile(` - 1\b`), " - 2"},
	{regexp.MustCompile(` and | && `), " or "},
	{regexp.MustCompile(` or | \|\| `), " and "},
	{regexp.MustCompile(`\bif not `), "if "},
	{regexp.MustCompile(`\bif !`), "if "},
	{regexp.MustCompile(` is not None`), " is None"},
	{regexp.MustCompile(`\bTrue\b`), "False"},
	{regexp.MustCompile(`\bFalse\b`), "True"},
	{regexp.MustCompile(`\btrue\b`), "false"},
	{regexp.MustCompile(`\bfalse\b`), "true"},
	{regexp.MustCompile(`\[0\]`), "[1]"},
	{regexp.MustCompile(`\[1:\]`), "[2:]"},
	{regexp.MustCompile(`\[:-1\]`), "[:-2]"},
	{regexp.MustCompile(`\b0\b`), "1"},
	{regexp.MustCompile(`\b1\b`), "0"},
	{regexp.MustCompile(`\breturn [a-z_]\w*$`), "return None"},
	{regexp.MustCompile(`\.append\(`), ".remove("},
	{regexp.MustCompile(`\.lower\(\)`), ".upper()"},
	{regexp.MustCompile(`\.strip\(\)`), ""},
	{regexp.MustCompile(`\bself\.(\w+) = .*$`), "self.$1 = None"},
	{regexp.MustCompile(`= \w+\(.*\)$`), "= None"},
	{regexp.MustCompile(`^(\s+)[\w.]+\(.*\)$`), "$1pass"},
	{regexp.MustCompile(`\berr != nil`), "err == nil"},
	{regexp.MustCompile(`\braise (ValueError|TypeError|KeyError|IndexError)`), "raise RuntimeError"},
	{regexp.MustCompile(`'(\w{2,})'`), "'x$1'"},
	{regexp.MustCompile(`"(\w{2,})"`), `"x$1"`},
}

// failures injects faults into a copy of dir and returns what the tests say, of each fault.
func failures(dir string, seed uint64, most int) ([]Record, error) {
	work, err := os.MkdirTemp("", "corpus")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(work)
	work = filepath.Join(work, filepath.Base(dir))
	if err := os.CopyFS(work, os.DirFS(dir)); err != nil {
		return nil, err
	}
	files, err := sources(work)
	if err != nil || len(files) == 0 {
		return nil, err
	}
	run := pytest
	if _, err := os.Stat(filepath.Join(work, "go.mod")); err == nil {
		run = goTest
	}
	rng := rand.New(rand.NewPCG(seed, 0))
	before := run(work, files[0]) // what fails without a fault
	var records []Record
	tried := map[string]bool{}
	for n, tries := 0, 0; n < most && tries < most*mostTries; tries++ {
		file := files[rng.IntN(len(files))]
		found, fault, err := inject(rng, work, file, run)
		if err != nil {
			return nil, err
		}
		found = slices.DeleteFunc(found, func(r Record) bool {
			return r.Signatures == "" || slices.ContainsFunc(before, func(b Record) bool { return b.Test == r.Test })
		})
		if len(found) == 0 || tried[fault] {
			continue
		}
		tried[fault] = true
		n++
		for _, r := range found[:min(len(found), perFault)] {
			r.Fault = fault
			records = append(records, r)
		}
	}
	return records, nil
}

// sources are the files that faults may go into: weighted by their length, so that each line is as
// likely.
func sources(dir string) (files []string, err error) {
	skip := regexp.MustCompile(`(^|/)(tests?|testdata|docs?|examples?|bench\w*|vendor|\.\w+|_\w+)/|(^|/)(test_|conftest|setup|_version|zz_)|_test\.(go|py)$|(^|/)\w*(bench|gen)\w*\.(go|py)$`)
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		rel, _ := filepath.Rel(dir, path)
		if err != nil || !d.Type().IsRegular() || skip.MatchString(filepath.ToSlash(rel)) {
			return err
		}
		if ext := filepath.Ext(path); ext != ".go" && ext != ".py" {
			return nil
		}
		text, err := os.ReadFile(path)
		for range 1 + strings.Count(string(text), "\n")/50 {
			files = append(files, rel)
		}
		return err
	})
	return files, err
}

// inject makes one line of a file wrong, runs the tests and restores the file.
func inject(rng *rand.Rand, work, file string, run func(work, file string) []Record) (found []Record, fault string, err error) {
	path := filepath.Join(work, file)
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, "", err
	}
	lines := strings.Split(string(text), "\n")
	for range 50 {
		i, c := rng.IntN(len(lines)), changes[rng.IntN(len(changes))]
		line := lines[i]
		trimmed := strings.TrimSpace(line)
		if trimmed == line || strings.HasPrefix(trimmed, "#") || strings.HasPrefix(trimmed, "//") || !c.re.MatchString(line) {
			continue // outside of a function, or a comment
		}
		lines[i] = c.re.ReplaceAllString(line, c.by)
		if filepath.Ext(file) == ".go" {
			lines[i] = strings.NewReplacer(" or ", " || ", " and ", " && ", "return None", "return nil", "= None", "= nil").Replace(lines[i])
		}
		fault = fmt.Sprintf("%s:%d %s", file, i+1, c.re)
		if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")), 0o600); err != nil {
			return nil, "", err
		}
		found = run(work, file)
		return found, fault, os.WriteFile(path, text, 0o600)
	}
	return nil, "", nil
}

// output runs a command that may fail, and returns what it said.
func output(dir string, env []string, name string, args ...string) string {
	ctx, cancel := context.WithTimeout(context.Background(), perTry)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Env, cmd.WaitDelay = dir, append(os.Environ(), env...), time.Second
	out, _ := cmd.CombinedOutput() // a failed test is what is wanted
	return string(out)
}

// section is the line with which pytest begins what it says about a test.
var section = regexp.MustCompile(`(?m)^_{3,} (?:ERROR at \w+ of )?(\S+?)(?:\[.*)? _{3,}$`)

// python is the interpreter that has pytest.
const python = "/usr/bin/python3"

func pytest(work, _ string) (found []Record) {
	paths := work
	if _, err := os.Stat(filepath.Join(work, "src")); err == nil {
		paths = filepath.Join(work, "src")
	}
	out := output(work, []string{"PYTHONPATH=" + paths, "PYTHONDONTWRITEBYTECODE=1", "NO_COLOR=1"}, python, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--maxfail=12", "--continue-on-collection-errors", "--color=no")
	out, _, _ = strings.Cut(out, "= short test summary info =")
	starts := section.FindAllStringSubmatchIndex(out, -1)
	for i, m := range starts {
		end := len(out)
		if i+1 < len(starts) {
			end = starts[i+1][0]
		}
		found = add(found, out[m[2]:m[3]], out[m[1]:end])
	}
	return found
}

// goTest runs the tests of the package of a file and of those that are beside it.
func goTest(work, file string) (found []Record) {
	out := output(work, nil, "go", "test", "-json", "./"+filepath.ToSlash(filepath.Dir(file))+"/...")
	said, failed := map[string]string{}, []string{}
	for line := range strings.Lines(out) {
		var e struct{ Action, Test, Output string }
		if json.Unmarshal([]byte(line), &e) != nil || e.Test == "" {
			continue
		}
		said[e.Test] += e.Output
		if e.Action == "fail" {
			failed = append(failed, e.Test)
		}
	}
	for _, name := range failed {
		if slices.ContainsFunc(failed, func(other string) bool { return strings.HasPrefix(other, name+"/") }) {
			continue // its part tells
		}
		top, _, _ := strings.Cut(name, "/")
		found = add(found, top, said[name])
	}
	return found
}

// add keeps what a test said, once a test function.
func add(found []Record, test, said string) []Record {
	if slices.ContainsFunc(found, func(r Record) bool { return r.Test == test }) {
		return found
	}
	said = strings.TrimSpace(said)
	kind, signatures := testreport.Signatures(said)
	return append(found, Record{Test: test, Type: kind, Signatures: strings.Join(signatures, "\n"), Output: strings.ToValidUTF8(said[:min(len(said), maxOutput)], "")})
}
