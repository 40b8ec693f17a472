package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"caselsp/agent/llm/llmtest"

	"go.yaml.in/yaml/v3"
)

// The templates for continuous integration are run here as their runners do: the steps of GitHub's actions by the shell
// that GitHub starts, with the inputs' defaults, the scripts of GitLab's jobs, the entries of the hooks. What builds the program is left out.

// ciAction is a composite action of GitHub.
type ciAction struct {
	Inputs map[string]struct{ Default string }
	Runs   struct {
		Using string
		Steps []struct {
			Name, Shell, Run string
			Env              map[string]string
		}
	}
}

// ciProject has a page, committed, and a change of it with a critical finding.
func ciProject(t *testing.T) string {
	dir := t.TempDir()
	write := func(text string) {
		if err := os.WriteFile(filepath.Join(dir, "index.html"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	const page = "<!DOCTYPE html>\n<html lang=\"en\">\n<head><meta charset=\"utf-8\"><title>Shop</title></head>\n<body>\n<p>Hello</p>\n</body>\n</html>\n"
	write(page)
	for _, args := range [][]string{{"init", "-q"}, {"add", "."}, {"-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-q", "-m", "one"}} {
		if out, err := exec.Command("git", append([]string{"-C", dir}, args...)...).CombinedOutput(); err != nil {
			t.Fatalf("git %q: %v\n%s", args, err, out)
		}
	}
	write(strings.Replace(page, "<p>Hello</p>", "<p>Hello</p>\n<img src=\"data:,\">", 1))
	return dir
}

// ciShell runs a script in dir with the environment of a runner, and returns its exit code and what it said.
func ciShell(t *testing.T, dir, script string, env map[string]string) (code int, said string) {
	t.Helper()
	home := t.TempDir()
	cmd := exec.Command("bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script)
	cmd.Dir, cmd.Env = dir, []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "CASELSP_SANDBOX_ENGINE=none"}
	for _, name := range slices.Sorted(maps.Keys(env)) {
		cmd.Env = append(cmd.Env, name+"="+env[name])
	}
	out, err := cmd.CombinedOutput()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), string(out)
}

var ciExpression = regexp.MustCompile(`\$\{\{ *([\w.-]+) *\}\}`)

// ciStep runs the last step of an action.
func ciStep(t *testing.T, name, dir string, inputs, env map[string]string) (code int, said string) {
	t.Helper()
	raw, err := os.ReadFile(filepath.FromSlash("../../editors/ci/github/" + name + "/action.yml"))
	if err != nil {
		t.Fatal(err)
	}
	var a ciAction
	if err := yaml.Unmarshal(raw, &a); err != nil {
		t.Fatal(err)
	}
	known := map[string]string{"github.action_path": "../action", "github.workspace": dir}
	for input, of := range a.Inputs {
		known["inputs."+input] = cmp.Or(inputs[input], of.Default)
	}
	step := a.Runs.Steps[len(a.Runs.Steps)-1]
	if a.Runs.Using != "composite" || step.Shell != "bash" || strings.Contains(step.Run, "${{") {
		t.Fatalf("%s is no composite action whose step is a script of bash without expressions", name)
	}
	all := maps.Clone(env)
	for key, value := range step.Env {
		all[key] = ciExpression.ReplaceAllStringFunc(value, func(e string) string {
			is, ok := known[ciExpression.FindStringSubmatch(e)[1]]
			if !ok {
				t.Fatalf("%s: nothing is known of %s", name, e)
			}
			return is
		})
	}
	all["CASELSP"] = "caselsp" // the one that is tested
	return ciShell(t, dir, step.Run, all)
}

func TestCIGitHub(t *testing.T) {
	need(t, "git")
	need(t, "bash")
	need(t, "jq")
	dir := ciProject(t)
	code, said := ciStep(t, "validate", dir, map[string]string{"base": "HEAD"}, map[string]string{})
	if code != 10 || !strings.Contains(said, "::error file=index.html,line=6") {
		t.Errorf("validate ends with %d and says:\n%s", code, said)
	}
	var sarif struct{ Runs []struct{ Results []any } }
	ciRead(t, filepath.Join(dir, "caselsp.sarif"), &sarif)
	if len(sarif.Runs) != 1 || len(sarif.Runs[0].Results) != 1 {
		t.Errorf("the findings are %+v, want the one that the change introduces", sarif)
	}
	model := ciModel(t)
	temp := t.TempDir()
	env := map[string]string{"RUNNER_TEMP": temp, "GITHUB_OUTPUT": temp + "/output", "GITHUB_STEP_SUMMARY": temp + "/summary"}
	code, said = ciStep(t, "run", dir, map[string]string{"task": "Greet the world", "model": "scripted", "base-url": model}, env)
	out, _ := os.ReadFile(temp + "/output")
	summary, _ := os.ReadFile(temp + "/summary")
	if code != 0 || string(out) != "result="+temp+"/caselsp-run.jsonl\noutcome=success\nexit-code=0\n" || !bytes.Contains(summary, []byte("- create `greet.txt`")) {
		t.Errorf("run ends with %d, tells GitHub %q and %q, and says:\n%s", code, out, summary, said)
	}
	if text, err := os.ReadFile(filepath.Join(dir, "greet.txt")); err != nil || string(text) != "hello\n" {
		t.Errorf("greet.txt is %q, %v", text, err)
	}
}

func TestCIGitLab(t *testing.T) {
	need(t, "git")
	need(t, "bash")
	need(t, "jq")
	raw, err := os.ReadFile(filepath.FromSlash("../../editors/ci/gitlab/caselsp.gitlab-ci.yml"))
	if err != nil {
		t.Fatal(err)
	}
	var jobs map[string]yaml.Node
	if err := yaml.Unmarshal(raw, &jobs); err != nil {
		t.Fatal(err)
	}
	run := func(name, dir string, env map[string]string) (int, string) {
		var job struct {
			Script    []string
			Variables map[string]string
		}
		variables := jobs["variables"]
		node := jobs[name]
		if err := errors.Join(variables.Decode(&job.Variables), node.Decode(&job)); err != nil {
			t.Fatal(err)
		}
		maps.Copy(job.Variables, env)
		return ciShell(t, dir, strings.Join(job.Script, "\n"), job.Variables)
	}
	origin := ciProject(t)
	dir := filepath.Join(t.TempDir(), "clone")
	if out, err := exec.Command("git", "clone", "-q", origin, dir).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	page, err := os.ReadFile(filepath.Join(origin, "index.html"))
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "index.html"), page, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	branch, err := exec.Command("git", "-C", dir, "branch", "--show-current").Output()
	if err != nil {
		t.Fatal(err)
	}
	code, said := run(".caselsp-validate", dir, map[string]string{"CI_MERGE_REQUEST_TARGET_BRANCH_NAME": strings.TrimSpace(string(branch))})
	var quality []struct {
		Severity, Fingerprint string
		Location              struct {
			Path  string
			Lines struct{ Begin int }
		}
	}
	ciRead(t, filepath.Join(dir, "gl-code-quality-report.json"), &quality)
	if code != 10 || len(quality) != 1 || quality[0].Severity != "critical" || quality[0].Location.Path != "index.html" || quality[0].Location.Lines.Begin != 6 || quality[0].Fingerprint == "" {
		t.Errorf("validate ends with %d, reports %+v, and says:\n%s", code, quality, said)
	}
	code, said = run(".caselsp-run", dir, map[string]string{"CI_PROJECT_DIR": dir, "CASELSP_TASK": "Greet the world", "CASELSP_MODEL_NAME": "scripted", "CASELSP_MODEL_BASE_URL": ciModel(t)})
	patch, _ := os.ReadFile(filepath.Join(dir, "caselsp.patch"))
	if code != 0 || !bytes.Contains(patch, []byte("+++ b/greet.txt")) || bytes.Contains(patch, []byte("jsonl")) {
		t.Errorf("run ends with %d, keeps the patch\n%s\nand says:\n%s", code, patch, said)
	}
}

// TestCIHooks runs the hooks for pre-commit, on a change with a critical finding and on none.
func TestCIHooks(t *testing.T) {
	need(t, "git")
	need(t, "bash")
	raw, err := os.ReadFile("../../.pre-commit-hooks.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var hooks []struct{ ID, Entry, Language string }
	if err := yaml.Unmarshal(raw, &hooks); err != nil || len(hooks) != 2 {
		t.Fatalf("%d hooks, %v", len(hooks), err)
	}
	for _, h := range hooks {
		dir := ciProject(t)
		if code, said := ciShell(t, dir, h.Entry, nil); code != 10 || !strings.Contains(said, "img-alt") {
			t.Errorf("%s ends with %d and says:\n%s", h.ID, code, said)
		}
		if code, said := ciShell(t, dir, "git checkout -q index.html && "+h.Entry, nil); code != 0 {
			t.Errorf("%s: nothing is introduced, but it ends with %d and says:\n%s", h.ID, code, said)
		}
	}
}

// ciModel is a model that greets.
func ciModel(t *testing.T) (url string) {
	script, err := llmtest.ParseScript(`
on tars
call SUBMIT_PLAN
	{"analysis": "x", "files_to_create": ["greet.txt"], "files_to_change": [], "steps": ["write"], "considerations": [],
	 "features": [{"id": "f", "title": "Greet", "description": "Greet the world.", "files": ["greet.txt"]}]}
on case
call WRITE_FILE {"thought": "t", "path": "greet.txt", "content": "hello\n"}
on case
call FINISH_FEATURE {"thought": "t", "summary": "done"}
on tars
call SUBMIT_VERDICT {"completion": 100, "summary": "done", "issues": []}
`)
	if err != nil {
		t.Fatal(err)
	}
	return llmtest.Start(t, script).URL
}

func ciRead(t *testing.T, path string, into any) {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(raw, into)
	}
	if err != nil {
		t.Fatal(err)
	}
}
