//go:build corpus

package agent

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"caselsp/agent/llm"
	"caselsp/agent/llm/llmtest"
	"caselsp/agent/llm/openai"
	"caselsp/agent/record"
	"caselsp/sandbox"
)

var (
	playedDir    = flag.String("played", "", "folder of tasks as they were played, *.json")
	checkoutsDir = flag.String("checkouts", "", "folder with a checkout of each of their repositories, named owner+name")
	requestsDir  = flag.String("requests", "", "folder to which the requests are written")
)

// playedTask is a task with the answers that a player gave, in order, by role.
type playedTask struct {
	Name, Repository, Commit, How, Task string

	Requests int `json:"requests"`
	BytesIn  int `json:"bytes_in"`
	Repeated int `json:"repeated_beginning_bytes"`
	Answers  []struct {
		Role      string
		Content   string
		ToolCalls []struct {
			Name      string
			Arguments json.RawMessage
		} `json:"tool_calls"`
	}
}

// Complete implements llm.Model: the next answer of the role, whatever is asked.
func (p *playedTask) Complete(_ context.Context, req *llm.Request) (*llm.Response, error) {
	role, _, _ := strings.Cut(conversationOf(req), " ")
	for i, a := range p.Answers {
		if a.Role != role {
			continue
		}
		p.Answers = append(p.Answers[:i:i], p.Answers[i+1:]...)
		resp := &llm.Response{Content: a.Content}
		for k, c := range a.ToolCalls {
			args := string(c.Arguments)
			if text := ""; json.Unmarshal(c.Arguments, &text) == nil {
				args = text
			}
			resp.ToolCalls = append(resp.ToolCalls, llm.ToolCall{ID: fmt.Sprintf("call_%d_%d", len(p.Answers), k), Name: c.Name, Arguments: args})
		}
		return resp, nil
	}
	return nil, &llm.Error{Kind: llm.BadRequest, Detail: "the player gave no further answer as " + role}
}

// left counts the answers of a role that were not given yet.
func (p *playedTask) left(role string) (n int) {
	for _, a := range p.Answers {
		if a.Role == role {
			n++
		}
	}
	return n
}

// hereEngine runs commands that read in a copy of the tree, and gives tests the outcome that
// the player met: they fail as long as the player still explains a failure.
type hereEngine struct {
	b    *testing.B
	task *playedTask
}

// Run implements sandbox.Engine.
func (e *hereEngine) Run(ctx context.Context, cmd sandbox.Command) (*sandbox.Result, error) {
	if strings.Contains(cmd.Line, "test") {
		if e.task != nil && e.task.left("reflector") > 0 {
			return &sandbox.Result{Status: sandbox.Exited, ExitCode: 1, Output: failingTests}, nil
		}
		return &sandbox.Result{Status: sandbox.Exited, Output: passingTests}, nil
	}
	dir := e.b.TempDir()
	for _, f := range cmd.Tree {
		path := filepath.Join(dir, filepath.FromSlash(f.Path))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return nil, err
		}
		if err := os.WriteFile(path, f.Data, 0o644); err != nil {
			return nil, err
		}
	}
	sh := exec.CommandContext(ctx, "sh", "-c", cmd.Line)
	sh.Dir = dir
	out, err := sh.CombinedOutput()
	result := &sandbox.Result{Status: sandbox.Exited, Output: string(out)}
	if err != nil {
		result.ExitCode = 1
	}
	return result, nil
}

// The output of test runs, of the length that runners of these projects write.
var (
	failingTests = "============================= test session starts ==============================\ncollected 48 items\n\n" + dots() +
		"=================================== FAILURES ===================================\n_________________ test_one_per_user _________________\n\n    def test_one_per_user(self):\n        Review.objects.create(book=self.book, user=self.user)\n        with self.assertRaises(IntegrityError):\n            Review.objects.create(book=self.book, user=self.user)\n>       self.assertEqual(Review.objects.count(), 1)\nE       django.db.transaction.TransactionManagementError: An error occurred in the current transaction. You can't execute queries until the end of the 'atomic' block.\n\ntests/test_reviews.py:41: TransactionManagementError\n=========================== short test summary info ============================\nFAILED tests/test_reviews.py::test_one_per_user\n========================= 1 failed, 47 passed in 2.31s =========================\n"
	passingTests = "============================= test session starts ==============================\ncollected 48 items\n\n" + dots() + "============================== 48 passed in 2.20s ==============================\n"
)

func dots() string {
	var b strings.Builder
	for i := range 48 {
		fmt.Fprintf(&b, "tests/test_module_%02d.py::test_something_with_a_name PASSED [%3d%%]\n", i, i*100/48)
	}
	return b.String()
}

// yes answers every question with the first choice, or allows.
type yes struct{}

// Ask implements User.
func (yes) Ask(_ context.Context, q record.Question) (record.Answer, error) {
	switch s := q.Subject.(type) {
	case record.Input:
		if len(s.Choices) > 0 {
			return record.Answer{Text: s.Choices[0]}, nil
		}
		return record.Answer{Text: "yes"}, nil
	}
	return agreeable{}.Ask(context.Background(), q)
}

func writeRequests(b *testing.B, name string, m *meter) {
	if *requestsDir == "" {
		return
	}
	if err := os.MkdirAll(*requestsDir, 0o755); err != nil {
		b.Fatal(err)
	}
	for i, req := range m.texts {
		var text strings.Builder
		fmt.Fprintf(&text, "%+v\n", m.sent[i])
		for _, msg := range req.Messages {
			fmt.Fprintf(&text, "\n===== %s %s\n%s\n", msg.Speaker, msg.CallID, msg.Content)
			for _, c := range msg.ToolCalls {
				fmt.Fprintf(&text, "-> %s %s\n", c.Name, c.Arguments)
			}
		}
		for _, run := range told(req) {
			fmt.Fprintf(&text, "\n##### twice: %q\n", run)
		}
		if err := os.WriteFile(filepath.Join(*requestsDir, fmt.Sprintf("%s-%02d.txt", name, i+1)), []byte(text.String()), 0o644); err != nil {
			b.Fatal(err)
		}
	}
}

// follow runs a task and says how it ended.
func follow(b *testing.B, name string, a *Agent, task record.Task) {
	var last Event
	for e, err := range a.Run(b.Context(), task) {
		if err != nil {
			b.Logf("%s: %v", name, err)
			return
		}
		last = e
	}
	b.Logf("%s ended in %s: %s", name, last.Status.State, last.Status.Reason)
}

// play plays one task on its checkout.
func play(b *testing.B, path string) (string, row, int) {
	raw, err := os.ReadFile(path)
	if err != nil {
		b.Fatal(err)
	}
	var task playedTask
	if err := json.Unmarshal(raw, &task); err != nil {
		b.Fatal(err)
	}
	a, m := metering(b, filepath.Join(*checkoutsDir, strings.ReplaceAll(task.Repository, "/", "+")), Options{
		User: yes{}, Model: func(string) (llm.Model, error) { return &task, nil },
		Sandbox: func(context.Context) (sandbox.Engine, error) { return &hereEngine{b, &task}, nil },
	})
	follow(b, task.Name, a, record.Task{Text: task.Task, Typed: task.Task, Single: strings.Contains(task.How, "--single")})
	writeRequests(b, task.Name, m)
	return task.Name, m.row(), task.BytesIn
}

// inOrder is an engine that gives recorded results in their order, on whatever files.
type inOrder struct {
	rec  *Recording
	next int
}

// Run implements sandbox.Engine.
func (e *inOrder) Run(_ context.Context, cmd sandbox.Command) (*sandbox.Result, error) {
	for ; e.next < len(e.rec.entries); e.next++ {
		if c := e.rec.entries[e.next].Command; c != nil && c.Line == cmd.Line {
			e.next++
			return &c.Result, nil
		}
	}
	return &sandbox.Result{Status: sandbox.Exited, ExitCode: 127, Output: "not recorded\n"}, nil
}

// demo plays the demo's recording, without comparing the requests.
func demo(b *testing.B) row {
	f, err := os.Open("../cmd/caselsp/demo/recording.jsonl")
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	rec, err := ReadRecording(f)
	if err != nil {
		b.Fatal(err)
	}
	for i := range rec.entries {
		if answer := rec.entries[i].Answer; answer != nil {
			answer.Digest, answer.Messages = "", nil
		}
	}
	player := rec.Play()
	var o Options
	player.Attach(&o)
	o.Sandbox = func(context.Context) (sandbox.Engine, error) { return &inOrder{rec: rec}, nil }
	dir := b.TempDir()
	if err := os.CopyFS(dir, os.DirFS("../cmd/caselsp/demo/project")); err != nil {
		b.Fatal(err)
	}
	a, m := metering(b, dir, o)
	follow(b, "demo", a, rec.Task)
	writeRequests(b, "demo", m)
	return m.row()
}

// scripted is a run of 18 requests and more over HTTP: readings whole and by range, again after an edit,
// searches, edits, commands that fail alike, tests that fail and pass, two verdicts.
func scripted(b *testing.B) row {
	raw, err := os.ReadFile("testdata/prompt_run.txt")
	if err != nil {
		b.Fatal(err)
	}
	script, err := llmtest.ParseScript(string(raw))
	if err != nil {
		b.Fatal(err)
	}
	server := llmtest.Start(b, script)
	model, err := openai.New(openai.Config{BaseURL: server.URL, Model: "scripted"})
	if err != nil {
		b.Fatal(err)
	}
	engine := &repeating{}
	a, m := metering(b, largeProject(b), Options{User: yes{}, Model: func(string) (llm.Model, error) { return model, nil },
		Sandbox: func(context.Context) (sandbox.Engine, error) { return engine, nil }})
	follow(b, "scripted", a, record.Task{Text: "Let sums be rounded."})
	writeRequests(b, "scripted", m)
	return m.row()
}

// BenchmarkPrompt measures what models are sent.
func BenchmarkPrompt(b *testing.B) {
	var table strings.Builder
	fmt.Fprintf(&table, "\n%-22s %8s %9s %7s %6s %6s %6s %9s  %s\n", "task", "requests", "bytes in", "repeat", "long", "twice", "parted", "compacted", "bytes of the first version")
	if *playedDir == "" || *checkoutsDir == "" {
		b.Log("without -played and -checkouts, only the demo and the scripted run are measured")
	} else {
		paths, err := filepath.Glob(filepath.Join(*playedDir, "*.json"))
		if err != nil {
			b.Fatal(err)
		}
		for _, path := range paths {
			name, r, before := play(b, path)
			fmt.Fprintf(&table, "%-22s %v  %d\n", name, r, before)
		}
	}
	fmt.Fprintf(&table, "%-22s %v\n", "demo", demo(b))
	fmt.Fprintf(&table, "%-22s %v\n", "scripted", scripted(b))
	fmt.Println(table.String())
	b.ReportMetric(0, "ns/op")
}
