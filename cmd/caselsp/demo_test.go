package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"caselsp/agent"
	"caselsp/agent/llm"
	"caselsp/agent/llm/llmtest"
	"caselsp/agent/llm/openai"
	"caselsp/agent/record"
	"caselsp/sandbox"
	"caselsp/store"
)

// demoTask is what the demo's user asks for.
var demoTask = record.Task{
	ID:    "20260302-090000-demo",
	Text:  demoText,
	Typed: demoText,
}

const demoText = "Let readers comment on posts: a Comment model with moderation, a form on the post page, and tests."

// pastWork is what memory holds when the demo begins, from another project: the
// prompts of the plan and of the reflection must show it.
var pastWork = []store.Pattern{{
	Kind: store.KindPattern, Task: "20260211-141500-shop", Uses: 1, Successes: 1,
	Text:     "Let customers review products: a Review model with moderation, a form on the product page, and tests.",
	Solution: "A Review model with a status, approved in the admin site; a view of its own that takes reviews of visible products only; approved reviews on the page (created shop/migrations/0007_review.py, changed shop/models.py, shop/admin.py, shop/views.py)",
}, {
	Kind: store.KindFailure, Task: "20260211-141500-shop", Uses: 1, Successes: 1,
	Text: `FAIL: test_shows_the_reviews_that_were_approved (shop.tests.test_views.ProductTests)
self.assertNotContains(response, "This is pending.")
AssertionError: 1 != 0 : Response should not contain 'This is pending.'
FAILED (failures=1)`,
	Solution: "In shop/templates/shop/product.html go through product.reviews.approved. Cause: product.reviews.all is every review of the product.",
}}

// decider decides in the recording as a careful user would.
type decider struct{ t *testing.T }

// Ask implements agent.User.
func (u decider) Ask(_ context.Context, q record.Question) (record.Answer, error) {
	switch about := q.Subject.(type) {
	case record.Input:
		if len(about.Choices) > 0 {
			return record.Answer{Text: about.Choices[0], By: "prompt"}, nil
		}
	case record.Approvable:
		if strings.Contains(about.Offer().What, "manage.py") {
			return record.Answer{Text: record.Approve, By: "prompt"}, nil
		}
	}
	u.t.Errorf("unexpected question %q about %+v", q.Text, q.Subject)
	return record.Answer{}, agent.ErrUndecided
}

// counted gives the answers of a scripted model the usage that a real one would
// claim: a token is taken to be four characters, and the count says that it is
// an estimate.
type counted struct{ llm.Model }

// Complete implements llm.Model.
func (m counted) Complete(ctx context.Context, req *llm.Request) (*llm.Response, error) {
	resp, err := m.Model.Complete(ctx, req)
	if err != nil {
		return nil, err
	}
	sent, got := 0, len(resp.Content)
	for _, msg := range req.Messages {
		sent += len(msg.Content)
		for _, c := range msg.ToolCalls {
			sent += len(c.Arguments)
		}
	}
	for _, c := range resp.ToolCalls {
		got += len(c.Arguments)
	}
	resp.Usage = llm.Usage{Prompt: sent / 4, Completion: got / 4, Estimated: true}
	return resp, nil
}

// ticking is a clock that advances by a second at each reading, so that a recording
// that is made again does not change without need.
func ticking() func() time.Time {
	at := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	return func() time.Time {
		at = at.Add(time.Second)
		return at
	}
}

// TestDemoRecording makes the demo's recording: the whole task with the scripted
// model over real HTTP and the real sandbox. With -update it is kept, else
// compared with the one that is bundled.
func TestDemoRecording(t *testing.T) {
	t.Parallel()
	need(t, "docker")
	box, err := sandbox.Docker(t.Context(), sandbox.DockerOptions{Workspace: t.Name()})
	if err != nil {
		t.Fatal(err)
	}
	defer box.Close()
	got := recordDemo(t, box)
	if *update {
		if err := os.WriteFile("demo/recording.jsonl", got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	compareRecordings(t, got)
}

// TestDemoScript is TestDemoRecording where Docker is missing, with the recorded
// results of the commands: it too fails when a prompt no longer holds what the
// script wants of it.
func TestDemoScript(t *testing.T) {
	t.Parallel()
	rec, err := demoRecording()
	if err != nil {
		t.Fatal(err)
	}
	compareRecordings(t, recordDemo(t, rec.Play()))
}

// compareRecordings compares a recording with the bundled one.
func compareRecordings(t *testing.T, got []byte) {
	t.Helper()
	bundled, err := demoFiles.ReadFile("demo/recording.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	g, w := steady(t, got), steady(t, bundled)
	for i := range min(len(g), len(w)) {
		if g[i] != w[i] {
			t.Fatalf("entry %d of the recording is not the bundled one; go test ./cmd/caselsp -run DemoRecording -update makes it anew\n got %s\nwant %s", i+1, g[i], w[i])
		}
	}
	if len(g) != len(w) {
		t.Fatalf("the recording has %d entries, the bundled one %d", len(g), len(w))
	}
}

// recordDemo runs the task with the scripted model and returns its recording.
func recordDemo(t *testing.T, box sandbox.Engine) []byte {
	text, err := os.ReadFile("demo/script.txt")
	if err != nil {
		t.Fatal(err)
	}
	script, err := llmtest.ParseScript(string(text))
	if err != nil {
		t.Fatal(err)
	}
	server := llmtest.Start(t, script)
	model, err := openai.New(openai.Config{BaseURL: server.URL, Model: "scripted"})
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := copyProject(os.DirFS("demo/project"), dir); err != nil {
		t.Fatal(err)
	}
	e, err := openPlayed(dir, t.TempDir(), ticking(), func(o *agent.Options) {
		o.User = decider{t}
		o.Model = func(string) (llm.Model, error) { return counted{model}, nil }
		o.Sandbox = func(context.Context) (sandbox.Engine, error) { return box, nil }
	})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	for _, p := range pastWork {
		if err := e.store.Memory().Remember(t.Context(), p); err != nil {
			t.Fatal(err)
		}
	}
	var seen bytes.Buffer
	var last record.Status
	for event, err := range e.agent.Run(t.Context(), demoTask) {
		if err != nil {
			t.Fatal(err)
		}
		plain{out: &seen}.show(event)
		last = event.Status
	}
	if unused := server.Unused(); last.State != record.Review || len(unused) > 0 {
		t.Fatalf("the task is %s (%s); the model was not asked for %q; it went:\n%s", last.State, last.Reason, unused, &seen)
	}
	var recording bytes.Buffer
	if err := e.agent.Export(demoTask.ID, &recording); err != nil {
		t.Fatal(err)
	}
	return recording.Bytes()
}

// essence is what every version of Django and Python says of a test run.
var essence = regexp.MustCompile(`(?m)^(Ran \d+ tests|OK|FAILED \(.*\)|(FAIL|ERROR): \w+|AssertionError: .*|Migrations for .*)`)

// steady returns a recording's entries without what differs from machine to
// machine: how long commands took, what versions of Django word differently
// and, because prompts hold that, the digests and sizes of prompts.
func steady(t *testing.T, recording []byte) []string {
	var list []string
	for line := range bytes.Lines(recording) {
		var e map[string]any
		if err := json.Unmarshal(line, &e); err != nil {
			t.Fatal(err)
		}
		if a, ok := e["answer"].(map[string]any); ok {
			delete(a, "digest")
			delete(a, "messages")
			delete(a["response"].(map[string]any), "usage")
		}
		if c, ok := e["command"].(map[string]any); ok {
			r := c["result"].(map[string]any)
			delete(r, "took")
			r["output"] = essence.FindAllString(r["output"].(string), -1)
			changes, _ := r["changes"].([]any)
			for _, change := range changes {
				delete(change.(map[string]any), "data")
			}
		}
		text, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, string(text))
	}
	return list
}

// tree returns a digest of a folder's files, and their number.
func tree(t *testing.T, dir string) (string, int) {
	files, err := regularFiles(dir)
	if err != nil {
		t.Fatal(err)
	}
	return sandbox.Digest(files), len(files)
}

// demo runs the real command.
func demo(t *testing.T, args ...string) (code int, stdout, stderr string) {
	cmd := exec.CommandContext(t.Context(), "caselsp", append([]string{"demo"}, args...)...)
	// No key, no Docker, no network, nothing of the user's: all of it is the demo's promise.
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "TMPDIR=" + t.TempDir(), "DOCKER_HOST=tcp://127.0.0.1:1"}
	var out, wrong bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &wrong
	err := cmd.Run()
	if cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), out.String(), wrong.String()
}

// lastPassed returns the digest of the tree that the recording's last tests passed on.
func lastPassed(t *testing.T) string {
	text, err := demoFiles.ReadFile("demo/recording.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	digest := ""
	for line := range bytes.Lines(text) {
		var e struct{ Command *sandbox.Recording }
		if err := json.Unmarshal(line, &e); err != nil {
			t.Fatal(err)
		}
		if e.Command != nil {
			digest = ""
			if e.Command.Result.OK() {
				digest = e.Command.Tree
			}
		}
	}
	return digest
}

func TestDemo(t *testing.T) {
	t.Parallel()
	t.Run("the same bytes every time", func(t *testing.T) {
		var digests []string
		for range 2 {
			dir := filepath.Join(t.TempDir(), "kept")
			code, out, wrong := demo(t, "--dir", dir)
			if code != exitOK {
				t.Fatalf("exit code %d\n%s\n%s", code, out, wrong)
			}
			for _, want := range []string{
				"When should a comment appear", "makemigrations blog", "rollback", "verified: 80 percent", "verified: 100 percent",
				"hypothesis: ", "+class Comment(models.Model):", "FAILED (failures=1)", "Ran 34 tests", "> [Allow once]",
				"previewed and confirmed", "caselsp.accept", dir,
			} {
				if !strings.Contains(out, want) {
					t.Errorf("the demo does not show %q:\n%s", want, out)
				}
			}
			digest, n := tree(t, dir)
			if n < 30 {
				t.Errorf("the changed project has %d files", n)
			}
			digests = append(digests, digest)
		}
		if digests[0] != digests[1] {
			t.Error("two runs left different bytes")
		}
		if passed := lastPassed(t); digests[0] != passed {
			t.Errorf("the project has the digest %s, and its tests passed on %s", digests[0], passed)
		}
	})
	t.Run("one byte changed", func(t *testing.T) {
		project := t.TempDir()
		if err := copyProject(os.DirFS("demo/project"), project); err != nil {
			t.Fatal(err)
		}
		name := filepath.Join(project, "blog", "forms.py")
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		text[len(text)-3] ^= 1
		if err := os.WriteFile(name, text, 0o644); err != nil {
			t.Fatal(err)
		}
		dir := filepath.Join(t.TempDir(), "kept")
		code, _, wrong := demo(t, "--project", project, "--dir", dir)
		if code != exitDiverged || !strings.Contains(wrong, "blog/forms.py differs") {
			t.Errorf("exit code %d: %s", code, wrong)
		}
	})
	t.Run("a folder that is in use", func(t *testing.T) {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "mine"), nil, 0o644); err != nil {
			t.Fatal(err)
		}
		code, _, wrong := demo(t, "--dir", dir)
		if code != exitUsage || !strings.Contains(wrong, "is not empty") {
			t.Errorf("exit code %d: %s", code, wrong)
		}
		if _, n := tree(t, dir); n != 1 {
			t.Error("the folder was touched")
		}
	})
}

// TestDemoTerminal plays the demo at a real terminal of 80 columns: what is longer than a row is broken between words.
func TestDemoTerminal(t *testing.T) {
	t.Parallel()
	c := newCrashed(t, crashRun{})
	c.must(os.MkdirAll(c.project(), 0o755))
	h := sitAt(c, "80", "60")
	h.runs(c, "TERM=screen", "demo")
	whole := func() string { return h.must("capture-pane", "-p", "-S", "-") }
	h.see("the end of the demo", func() bool { return strings.Contains(whole(), "previewed and confirmed") })
	if text := whole(); !strings.Contains(text, "“The page of a post shows its comments and the form with its\n        errors; styles; tests.”") {
		t.Errorf("a line is not broken between words:\n%s", text)
	}
}
