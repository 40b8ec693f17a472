package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"caselsp/agent/llm/llmtest"

	"github.com/rogpeppe/go-internal/txtar"
)

// startFixtures makes the project, and its copy for the replay. It has tests of its own, and
// does already what would be asked about.
func startFixtures(t *testing.T, home string, folders ...string) {
	t.Helper()
	for _, folder := range folders {
		for name, text := range map[string]string{
			"test.sh": "echo 1..1\necho ok 1 - starts\n",
			"main.go": "package main\n\nimport \"net/http\"\n\nfunc main() { _ = http.ListenAndServe(\":8000\", nil) }\n",
		} {
			err := errors.Join(os.MkdirAll(filepath.Join(home, folder), 0o755), os.WriteFile(filepath.Join(home, folder, name), []byte(text), 0o644))
			if err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestFixtures has a model write tests, samples and documentation with passwords in
// them, change what it wrote, and print it. Every byte comes into the accepted files,
// the model is shown what it wrote, and the recording replays to the same.
func TestFixtures(t *testing.T) {
	t.Parallel()
	need(t, "native")
	home := t.TempDir()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	archive, err := txtar.ParseFile("testdata/fixtures.txtar")
	must(err)
	var rules []llmtest.Rule
	call := func(name string, want []string, args map[string]any) {
		raw, err := json.Marshal(args)
		must(err)
		rules = append(rules, llmtest.Rule{Name: fmt.Sprintf("rule %d", len(rules)), Want: want, Reply: llmtest.Reply{Calls: []llmtest.Call{{Name: name, Args: string(raw)}}}})
	}
	want := map[string]string{}
	for _, f := range archive.Files {
		text, path := f.Data, "tests/"+f.Name
		call("WRITE_FILE", nil, map[string]any{"thought": "t", "path": path, "content": string(text)})
		patch := fmt.Sprintf("<<<<<<< SEARCH\n%s=======\n%s\n>>>>>>> REPLACE\n", text, text)
		call("PATCH_FILE", []string{"Staged " + path}, map[string]any{"thought": "t", "path": path, "patch": patch})
		want[path] = string(text) + "\n"
	}
	call("RUN_COMMAND", nil, map[string]any{"thought": "t", "command": "cat tests/test_login.py; false"})
	call("FINISH_FEATURE", []string{`password=\"pass1234\"):\n    return client.post`}, map[string]any{"thought": "t", "summary": "written", "test_command": "sh test.sh", "analysis": "what is written are samples"})
	later := len(rules) // a task in another process
	call("GET_FULL_FILE_CONTENT", nil, map[string]any{"thought": "t", "path": "tests/test_login.py"})
	call("RUN_COMMAND", []string{"pass1234"}, map[string]any{"thought": "t", "command": "cat tests/*; false"})
	call("FINISH_FEATURE", []string{"pass1234"}, map[string]any{"thought": "t", "summary": "read"})
	model := llmtest.Start(t, llmtest.Script{Rules: rules})
	env := []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "XDG_STATE_HOME=" + home + "/.state", "XDG_CONFIG_HOME=" + home + "/.config", "XDG_CACHE_HOME=" + home + "/.cache",
		"CASELSP_SANDBOX_ENGINE=native", "CASELSP_TRUST_FOLDERS=" + home, "CASELSP_MODEL_BASE_URL=" + model.URL, "CASELSP_MODEL_NAME=scripted", "CASELSP_LINT_WHEN=never", "CASELSP_LIMITS_STEPS=60"}
	run := func(args ...string) string {
		t.Helper()
		cmd := exec.Command("caselsp", args...)
		cmd.Dir, cmd.Env = home, env
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("caselsp %q: %v\n%s", args, err, out)
		}
		return string(out)
	}
	startFixtures(t, home, "project", "copy")
	run("run", "--yes", "--single", "--dir", "project", "--task", "write tests, samples and documentation for the login. Write tests/docker-compose.test.yml")
	id := strings.Fields(run("history", "--dir", "project"))[0]
	run("export", "--dir", "project", "-o", "rec.jsonl", id)
	run("replay", "--dir", "copy", "--yes", "rec.jsonl")
	run("run", "--yes", "--single", "--dir", "project", "--task", "read the tests")
	if n := len(model.Requests()); n != len(rules) || later == n {
		t.Errorf("the model was asked %d times, not %d", n, len(rules))
	}
	for path, text := range want {
		for _, folder := range []string{"project", "copy"} {
			got, err := os.ReadFile(filepath.Join(home, folder, path))
			if err != nil || string(got) != text {
				t.Errorf("%s/%s is not what the model wrote (%v):\n%s", folder, path, err, got)
			}
		}
	}
	for _, r := range model.Requests() {
		if bytes.Contains(r.Body, []byte("[redacted]")) {
			t.Errorf("the model was sent a mask in place of its own words: …%s…", around(r.Body, "[redacted]"))
			break
		}
	}
}

// around is what stands around a text.
func around(data []byte, text string) []byte {
	const near = 200
	i := bytes.Index(data, []byte(text))
	return data[max(0, i-near):min(len(data), i+near)]
}
