package stack

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

var update = flag.Bool("update", false, "rewrite what the fixtures want")

// TestFixtures reads projects and outputs. A fixture with a file named "output" is a test run,
// with the command line and the exit code above its files; any other one is a project.
func TestFixtures(t *testing.T) {
	names, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(names) == 0 {
		t.Fatalf("no fixtures: %v", err)
	}
	for _, name := range names {
		t.Run(filepath.Base(name), func(t *testing.T) {
			a, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			var files []File
			var paths []string
			var want, output string
			run := false
			for _, f := range a.Files {
				switch f.Name {
				case "want":
					want = string(f.Data)
				case "output":
					output, run = string(f.Data), true
				default:
					files = append(files, File{Path: f.Name, Text: string(f.Data)})
					paths = append(paths, f.Name)
				}
			}
			got := candidates(files)
			if run {
				got = reading(t, string(a.Comment), output, paths)
			}
			if *update {
				a.Files = append(slices.DeleteFunc(a.Files, func(f txtar.File) bool { return f.Name == "want" }), txtar.File{Name: "want", Data: []byte(got)})
				if err := os.WriteFile(name, txtar.Format(a), 0o644); err != nil {
					t.Fatal(err)
				}
			} else if got != want {
				t.Errorf("got:\n%s\nwant:\n%s", got, want)
			}
		})
	}
}

func candidates(files []File) string {
	var b strings.Builder
	for _, c := range Tests(files) {
		fmt.Fprintf(&b, "%s (%s, %s:%d)\n", c.Command, c.Program, c.File, c.Line)
	}
	for _, f := range Profile(files) {
		fmt.Fprintf(&b, "%s: %s\n", f.Kind, f)
	}
	return b.String()
}

func reading(t *testing.T, head, output string, paths []string) string {
	t.Helper()
	line, exit, _ := strings.Cut(strings.TrimSpace(head), "\nexit: ")
	code, err := strconv.Atoi(exit)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if cause := InstallCause(output); strings.Contains(line, " install") || strings.Contains(line, "npm ci") {
		fmt.Fprintf(&b, "cause: %s\n", cause)
		return b.String()
	}
	r := Read(Run{Line: strings.TrimPrefix(line, "$ "), Exit: code, Output: output, Tests: -1, Paths: paths})
	fmt.Fprintf(&b, "%s %s\n", r.Outcome, r.What)
	for _, l := range r.Lacks {
		fmt.Fprintf(&b, "%s %s: %s. %s\n\t%s\n", l.Kind, l.Name, l.Cause, l.Hint, l.Said)
		if l.Package != "" {
			fmt.Fprintf(&b, "\toffered: %s of %s\n", l.Package, l.Of)
		}
	}
	if said, way := Circle(output, paths); said != "" {
		fmt.Fprintf(&b, "circle: %s\n\t%s\n", said, strings.Join(way, " -> "))
	}
	return b.String()
}

func TestWhat(t *testing.T) {
	for line, want := range map[string]string{
		"python3 -m pytest -q":                     "",
		"PYTHONPATH=src pytest tests/test_a.py":    "",
		"cd sub && go test ./...":                  "",
		"npm run test -- --watch=false":            "",
		"npx jest":                                 "",
		"python3 manage.py test blog":              "",
		"timeout 60 node --test test/":             "",
		"make -C sub check":                        "",
		"sh test.sh":                               "",
		"./run_everything":                         "",
		"python3 check.py":                         "",
		"tsc --noEmit && npm test":                 "",
		"python3 -m py_compile app.py":             "a syntax check",
		"node --check server.js":                   "a syntax check",
		"npx tsc --noEmit":                         "a build",
		"go build ./...":                           "a build",
		"go vet ./...":                             "a linter",
		"npm run lint":                             "a linter",
		`python3 -c "import app"`:                  "an import",
		"python3 -m compileall pytest_thing tests": "a syntax check",
	} {
		if got := What(line, false); got != want {
			t.Errorf("%s: got %q, want %q", line, got, want)
		}
	}
	if got := What("ls test.txt", true); got != "a command that only reads" {
		t.Errorf("ls: %q", got)
	}
}

func TestSources(t *testing.T) {
	if got := Sources([]string{"src/pkg/__init__.py", "src/pkg/a.py", "lib/x/y/__init__.py", "tests/test_a.py"}); !slices.Equal(got, []string{"src"}) {
		t.Errorf("got %q", got)
	}
}

func TestInstalls(t *testing.T) {
	for line, want := range map[string]bool{
		"pip install six":                    true,
		"python3 -m pip install -r dev.txt":  true,
		"cd web && npm ci":                   true,
		"npm install --save-dev mocha":       true,
		"uv pip install six":                 true,
		"go get example.org/x":               true,
		"go mod download":                    true,
		"python3 -m pytest tests/install.py": false,
		"npm test":                           false,
		"echo pip install":                   false,
	} {
		if got := Installs(line); got != want {
			t.Errorf("%s: %v", line, got)
		}
	}
}

func TestRunOf(t *testing.T) {
	of := func(commands ...string) (list []Candidate) {
		for _, c := range commands {
			list = append(list, Candidate{Command: c})
		}
		return list
	}
	script := func(text string) []Candidate { return []Candidate{{Command: "npm test", Script: text}} }
	for _, c := range []struct {
		line       string
		candidates []Candidate
		want       bool
	}{
		{"python3 -m pytest", of("python3 -m pytest"), true},
		{"pytest -q tests/test_a.py -k one", of("python3 -m pytest tests"), true},
		{"python3 -m unittest tests.test_a", of("python3 -m unittest discover -s tests"), true},
		{"go test ./sub -run X", of("go test ./..."), true},
		{"npm run test", of("npm test"), true},
		{"node --test test/a.js", of("node --test"), true},
		{"python3 manage.py test blog", of("python3 manage.py test"), true},
		{"cd web && npm test", of("go test ./...", "cd web && npm test"), true},
		{"make test", of("make test"), true},
		{"npm test", of("cd web && npm test"), false},
		{"cd api && npm test", of("cd web && npm test"), false},
		{"pytest", of("go test ./..."), false},
		{"pytest; rm -r src", of("python3 -m pytest"), false},
		{"pytest > out.txt", of("python3 -m pytest"), false},
		{"pytest $(cat list)", of("python3 -m pytest"), false},
		{"echo pytest", of("python3 -m pytest"), false},
		{"make install test", of("make test"), false},
		{"go build ./...", of("go test ./..."), false},
		{"pytest", nil, false},
		{"node --test test/a.js", script("node --test && tsc"), true},
		{"npx mocha test/a.js -g one", script("npm run build && NODE_ENV=test mocha"), true},
		{"mocha test/a.js", script("eslint . && cross-env CI=1 mocha --exit"), true},
		{"node --test test/a.js && tsc", script("node --test && tsc"), false},
		{"node --test test/a.js > out", script("node --test && tsc"), false},
		{"tsc --outDir /tmp", script("node --test && tsc"), false},
		{"rm -r src", script("rm -r out && node --test"), false},
		{"mocha", script("node --test && tsc"), false},
		{"mocha test/a.js", script("if true; then mocha; fi"), false},
		{"mocha test/a.js", script("node build.js || mocha"), false},
	} {
		if got := RunOf(c.line, c.candidates); got != c.want {
			t.Errorf("%s of %v: %v", c.line, c.candidates, got)
		}
	}
}
