package lint

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"caselsp/agent/validate"
	"caselsp/sandbox"

	"golang.org/x/tools/txtar"
)

var update = flag.Bool("update", false, "write what the linters say into testdata")

// need returns a Docker engine with the image of a profile.
func need(t *testing.T, profile sandbox.Profile) *sandbox.DockerEngine {
	t.Helper()
	engine, err := sandbox.Docker(t.Context(), sandbox.DockerOptions{Workspace: t.Name()})
	if err == nil {
		t.Cleanup(func() { engine.Close() })
		// A run without the image would build it for minutes.
		var images []sandbox.Image
		images, err = engine.Images(t.Context())
		if i := slices.IndexFunc(images, func(i sandbox.Image) bool { return i.Profile == profile }); err == nil && images[i].Built.IsZero() {
			err = fmt.Errorf("the image %s is missing: make sandbox-image builds it", images[i].Tag)
		}
	}
	if err != nil && slices.Contains(strings.Split(os.Getenv("CASELSP_REQUIRE"), ","), "docker") {
		t.Fatalf("docker is required here: %v", err)
	} else if err != nil {
		t.Skipf("needs docker: %v", err)
	}
	return engine
}

// shown is a report as testdata has it.
func shown(r *Report) string {
	var b strings.Builder
	for _, f := range r.Findings {
		fmt.Fprintf(&b, "%s:%d:%d-%d:%d %s %s %s\n", f.Path, f.Start.Line+1, f.Start.Byte+1, f.End.Line+1, f.End.Byte+1, f.Severity, f.Rule, strings.Join(f.Standards, " "))
	}
	if r.Scored {
		fmt.Fprintf(&b, "score %.2f\n", r.Score)
	}
	if r.Trouble != "" {
		fmt.Fprintf(&b, "trouble: %s\n", strings.SplitN(r.Trouble, "\n", 2)[0])
	}
	return b.String()
}

// TestLinters runs the real linters on the files of testdata/*.txtar. The archive's
// name begins with the linter's; want is what it says.
func TestLinters(t *testing.T) {
	names, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(names) == 0 {
		t.Fatal("no testdata", err)
	}
	for _, name := range names {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			a, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			linter := named(filepath.Base(name))
			engine := need(t, linter.Profile)
			var tree []sandbox.File
			var files []string
			want := ""
			for _, f := range a.Files {
				if f.Name == "want" {
					want = string(f.Data)
					continue
				}
				tree = append(tree, sandbox.File{Path: f.Name, Mode: 0o644, Data: f.Data})
				files = append(files, f.Name)
			}
			files = linter.Files(files)
			report, err := linter.Run(t.Context(), engine, linter.Command(tree, files), files, DefaultPolicy)
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range report.Findings {
				if f.Message == "" || !strings.HasPrefix(f.Rule, linter.Name+"/") {
					t.Errorf("not a finding: %+v", f)
				}
			}
			got := shown(report)
			if *update {
				a.Files = slices.DeleteFunc(a.Files, func(f txtar.File) bool { return f.Name == "want" })
				a.Files = append(a.Files, txtar.File{Name: "want", Data: []byte(got)})
				if err := os.WriteFile(name, txtar.Format(a), 0o644); err != nil {
					t.Fatal(err)
				}
			} else if got != want {
				t.Errorf("got\n%swant\n%s%s", got, want, report.Trouble)
			}
		})
	}
}

// named returns the linter that a name begins with.
func named(name string) *Linter {
	for _, l := range All {
		if strings.HasPrefix(name, l.Name) {
			return l
		}
	}
	return nil
}

// A linter that gives no report is never taken for one that finds nothing.
func TestTrouble(t *testing.T) {
	for _, c := range []struct {
		name   string
		linter *Linter
		result sandbox.Result
		want   string
	}{
		{"not there", Bandit, sandbox.Result{Status: sandbox.Exited, ExitCode: 127, Output: "sh: bandit: not found"}, "bandit is not in the sandbox"},
		{"killed", Pylint, sandbox.Result{Status: sandbox.TimedOut, Output: "x"}, "pylint did not end by itself"},
		{"no report", Gosec, sandbox.Result{Status: sandbox.Exited}, "gosec's report cannot be read: it is empty"},
		{"half a report", ESLint, sandbox.Result{Status: sandbox.Exited, ExitCode: 1, Changes: []sandbox.Change{{Path: reportFile, Data: []byte(`[{"file`)}}}, "eslint's report cannot be read"},
		{"the host's advice", Vet, sandbox.Result{Status: sandbox.Exited, ExitCode: 127, Advice: "install go"}, "vet did not run: install go"},
	} {
		report := c.linter.Read(nil, nil, &c.result, DefaultPolicy)
		if !strings.HasPrefix(report.Trouble, c.want) || len(report.Findings) > 0 {
			t.Errorf("%s: %q, want %q", c.name, report.Trouble, c.want)
		}
	}
}

func TestPolicy(t *testing.T) {
	for _, c := range []struct {
		policy               Policy
		severity, confidence Grade
		want                 validate.Severity
	}{
		{DefaultPolicy, High, High, validate.Critical},
		{DefaultPolicy, High, Medium, validate.Critical},
		{DefaultPolicy, High, Low, validate.Warning},
		{DefaultPolicy, Medium, High, validate.Warning},
		{DefaultPolicy, Medium, Low, validate.Info},
		{DefaultPolicy, Low, High, validate.Info},
		{Policy{Critical: Medium, Warning: Low, Sure: Low}, Medium, Low, validate.Critical},
		{Policy{Warning: Low, Sure: Low}, High, High, validate.Warning},
	} {
		if got := c.policy.severity(c.severity, c.confidence); got != c.want {
			t.Errorf("%+v of %s and %s: %s, want %s", c.policy, c.severity, c.confidence, got, c.want)
		}
	}
}

// Findings of a report in files that were not asked about, and at places that are not
// there, do no harm.
func TestPlaces(t *testing.T) {
	tree := []sandbox.File{{Path: "a.py", Data: []byte("x = 'ä' + y\n")}}
	data := `[{"type":"warning","path":"a.py","symbol":"s","message":"m","message-id":"W1","line":1,"column":10,"endLine":1,"endColumn":11},
		{"type":"error","path":"/workspace/a.py","symbol":"s","message":"m","message-id":"E1","line":99,"column":5},
		{"type":"error","path":"../etc/b.py","symbol":"s","message":"m","message-id":"E1","line":1,"column":0}]`
	result := &sandbox.Result{Status: sandbox.Exited, ExitCode: 4, Output: "Your code has been rated at -2.50/10", Changes: []sandbox.Change{{Path: reportFile, Data: []byte(data)}}}
	got := shown(Pylint.Read(tree, []string{"a.py"}, result, DefaultPolicy))
	want := "a.py:1:12-1:13 warning pylint/s \na.py:2:1-2:1 warning pylint/s \nscore -2.50\n"
	if got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// Types and formatting are judged only in projects that have chosen to.
func TestUsed(t *testing.T) {
	for _, c := range []struct {
		linter *Linter
		file   string
		text   string
		want   bool
	}{
		{Mypy, "mypy.ini", "", true},
		{Mypy, "setup.cfg", "[metadata]\n[mypy-django.*]\n", true},
		{Mypy, "setup.cfg", "[mypycpp]\n", false},
		{Mypy, "pyproject.toml", "[tool.mypy]\n", true},
		{Mypy, "pyproject.toml", "# [tool.mypy]\n", false},
		{Mypy, "requirements-dev.txt", "pytest\nmypy==1.8\n", true},
		{Mypy, "requirements.txt", "mypy-extensions\n", false},
		{Mypy, "docs/requirements.txt", "mypy\n", false},
		{Mypy, ".pre-commit-config.yaml", "repos:\n- hooks:\n  - id: mypy\n", true},
		{Black, "pyproject.toml", "[tool.black]\n", true},
		{Black, "pyproject.toml", "[tool.blacken]\n", false},
		{Black, "requirements/dev.txt", "black\n", true},
		{Black, "black.py", "", false},
		{Prettier, ".prettierrc.json", "{}", true},
		{Prettier, "package.json", `{"prettier": {"semi": false}}`, true},
		{Prettier, "package.json", `{"devDependencies": {"prettier": "^3"}}`, true},
		{Prettier, "package.json", `{"name": "prettier"}`, false},
		{Prettier, "web/package.json", `{"prettier": {}}`, false},
	} {
		tree := []sandbox.File{{Path: c.file, Data: []byte(c.text)}}
		if got := slices.Contains(For([]string{"a.py", "a.css"}, tree), c.linter); got != c.want {
			t.Errorf("%s with %s %q: %v, want %v", c.linter.Name, c.file, c.text, got, c.want)
		}
	}
}
