//go:build corpus

package agent

import (
	"cmp"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"caselsp/agent/llm"
	"caselsp/agent/llm/llmtest"
	"caselsp/agent/llm/openai"
	"caselsp/agent/record"
	"caselsp/agent/settings"
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

// feeder is a model that gives the answers of an earlier run in their order, whatever is asked: to a
// request, the next one of the same role whose calls are offered. What no longer fits in another way is
// refused by the engine. Where a role's answers are used up, the run is brought to its end.
type feeder struct {
	roleOf  func(*llm.Request) string
	answers []fed
	given   int
	made    map[string]int // answers that stand for none of the player's, by conversation
}

// fed is an answer of an earlier run.
type fed struct {
	role string
	resp llm.Response
}

// feed makes a feeder of a played task.
func (p *playedTask) feed() *feeder {
	f := &feeder{roleOf: conversationOf, made: map[string]int{}}
	for i, a := range p.Answers {
		resp := llm.Response{Content: a.Content}
		for k, c := range a.ToolCalls {
			args := string(c.Arguments)
			if text := ""; json.Unmarshal(c.Arguments, &text) == nil {
				args = text
			}
			resp.ToolCalls = append(resp.ToolCalls, llm.ToolCall{ID: fmt.Sprintf("call_%d_%d", i, k), Name: c.Name, Arguments: args})
		}
		f.answers = append(f.answers, fed{a.Role, resp})
	}
	return f
}

// Complete implements llm.Model.
func (f *feeder) Complete(_ context.Context, req *llm.Request) (*llm.Response, error) {
	role := f.roleOf(req)
	for i, a := range f.answers {
		if a.role != role || slices.ContainsFunc(a.resp.ToolCalls, func(c llm.ToolCall) bool {
			return !slices.ContainsFunc(req.Tools, func(t llm.Tool) bool { return t.Name == c.Name })
		}) {
			continue
		}
		f.answers = slices.Delete(f.answers, i, i+1)
		f.given++
		return &a.resp, nil
	}
	return f.end(conversationOf(req))
}

// mostFinishes is how often a feature is finished for a player who gave no further answer.
const mostFinishes = 4

// end is an answer that brings a conversation to its end.
func (f *feeder) end(conversation string) (*llm.Response, error) {
	f.made[conversation]++
	call := map[string]llm.ToolCall{
		"plan":      called("SUBMIT_PLAN", map[string]any{"analysis": "As asked.", "files_to_create": []string{}, "files_to_change": []string{}, "steps": []string{"Do it."}, "considerations": []string{}, "features": []any{map[string]any{"id": "f", "title": "As asked", "description": "What the task asks."}}}),
		"case":      called("FINISH_FEATURE", map[string]any{"thought": "Done.", "summary": "Done.", "fixes_applied": []string{"as above"}, "analysis": "As above."}),
		"verify":    called("SUBMIT_VERDICT", map[string]any{"completion": 100, "summary": "It does what was asked.", "issues": []string{}}),
		"reflector": called("SUBMIT_HYPOTHESIS", map[string]any{"cause": "Not known.", "fix": "Look again."}),
		"tester":    called("SUBMIT_TESTS", map[string]any{"summary": "No further tests."}),
		"advice":    called("SUBMIT_ADVICE", map[string]any{"advice": "Finish with what there is."}),
	}[conversation]
	if conversation == "case" && f.made[conversation] > mostFinishes {
		call = called("ABORT", map[string]any{"thought": "No more.", "reason": "the player gave no further answer"})
	}
	calls := []llm.ToolCall{call}
	if conversation == "verify" { // nothing is approved that nobody has looked at
		calls = []llm.ToolCall{called("GET_FULL_FILE_CONTENT", map[string]any{"path": "README.md"}), call}
	}
	for i := range calls {
		calls[i].ID = fmt.Sprintf("end_%s_%d_%d", conversation, f.made[conversation], i)
	}
	return &llm.Response{ToolCalls: calls}, nil
}

// left counts the answers of a role that were not given yet.
func (f *feeder) left(role string) (n int) {
	for _, a := range f.answers {
		if a.role == role {
			n++
		}
	}
	return n
}

// told says how many answers of the player were given, were left, and were made in their place.
func (f *feeder) told() string {
	made := 0
	for _, n := range f.made {
		made += n
	}
	return fmt.Sprintf("%d answers given, %d left, %d made", f.given, len(f.answers), made)
}

// hereEngine runs commands that read in a copy of the tree, and gives tests the outcome that
// the player met: they fail as long as the player still explains a failure.
type hereEngine struct {
	b        *testing.B
	checkout string
	player   *feeder
}

// Run implements sandbox.Engine.
func (e *hereEngine) Run(ctx context.Context, cmd sandbox.Command) (*sandbox.Result, error) {
	if strings.Contains(cmd.Line, "test") {
		if e.player.left("reflector") > 0 && e.changed(cmd.Tree) {
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

// changed reports whether a tree differs from the checkout.
func (e *hereEngine) changed(tree []sandbox.File) bool {
	return slices.ContainsFunc(tree, func(f sandbox.File) bool {
		old, err := os.ReadFile(filepath.Join(e.checkout, filepath.FromSlash(f.Path)))
		return err != nil || string(old) != string(f.Data)
	})
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
func follow(b *testing.B, a *Agent, task record.Task) (end string) {
	var last Event
	for e, err := range a.Run(b.Context(), task) {
		if err != nil {
			b.Fatal(err)
		}
		last = e
	}
	return strings.TrimSuffix(fmt.Sprintf("%s: %s", last.Status.State, last.Status.Reason), ": ")
}

// measuredRun is a run with its name, what was sent, and how it ended.
type measuredRun struct {
	name string
	row  row
	end  string
}

// play plays one task on its checkout.
func play(b *testing.B, path string) measuredRun {
	raw, err := os.ReadFile(path)
	if err != nil {
		b.Fatal(err)
	}
	var task playedTask
	if err := json.Unmarshal(raw, &task); err != nil {
		b.Fatal(err)
	}
	player := task.feed()
	checkout := filepath.Join(*checkoutsDir, strings.ReplaceAll(task.Repository, "/", "+"))
	a, m := metering(b, checkout, Options{
		User: yes{}, Model: func(string) (llm.Model, error) { return player, nil },
		Sandbox: func(context.Context) (sandbox.Engine, error) { return &hereEngine{b, checkout, player}, nil },
	})
	end := follow(b, a, record.Task{Text: task.Task, Typed: task.Task, Single: strings.Contains(task.How, "--single")})
	writeRequests(b, task.Name, m)
	return measuredRun{task.Name, m.row(), fmt.Sprintf("%s (%s; the first version: %d bytes in)", end, player.told(), task.BytesIn)}
}

// recordedResults is an engine that gives the results of a recording by their command lines, each once as
// long as there are more, on whatever files.
type recordedResults struct{ byLine map[string][]sandbox.Result }

// Run implements sandbox.Engine.
func (e *recordedResults) Run(_ context.Context, cmd sandbox.Command) (*sandbox.Result, error) {
	line := cmp.Or(cmd.Plain, cmd.Line)
	list := e.byLine[line]
	if len(list) == 0 {
		return &sandbox.Result{Status: sandbox.Exited, ExitCode: 127, Output: "not recorded\n"}, nil
	}
	if len(list) > 1 {
		e.byLine[line] = list[1:]
	}
	return &list[0], nil
}

// demo plays the demo's answers, whatever is asked.
func demo(b *testing.B) measuredRun {
	f, err := os.Open("../cmd/caselsp/demo/recording.jsonl")
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	rec, err := ReadRecording(f)
	if err != nil {
		b.Fatal(err)
	}
	player := &feeder{roleOf: func(req *llm.Request) string { return req.Role }, made: map[string]int{}}
	engine := &recordedResults{map[string][]sandbox.Result{}}
	for _, e := range rec.entries {
		switch {
		case e.Answer != nil:
			player.answers = append(player.answers, fed{e.Answer.Role, e.Answer.Response})
		case e.Command != nil:
			engine.byLine[e.Command.Line] = append(engine.byLine[e.Command.Line], e.Command.Result)
		}
	}
	dir := b.TempDir()
	if err := os.CopyFS(dir, os.DirFS("../cmd/caselsp/demo/project")); err != nil {
		b.Fatal(err)
	}
	a, m := metering(b, dir, Options{User: yes{}, Model: func(string) (llm.Model, error) { return player, nil },
		Sandbox: func(context.Context) (sandbox.Engine, error) { return engine, nil }})
	end := follow(b, a, record.Task{Text: rec.Task.Text, Typed: rec.Task.Text})
	writeRequests(b, "demo", m)
	return measuredRun{"demo", m.row(), fmt.Sprintf("%s (%s)", end, player.told())}
}

// scripted is a run of 18 requests and more over HTTP: readings whole and by range, again after an edit,
// searches, edits, commands that fail alike, tests that fail and pass, two verdicts.
func scripted(b *testing.B) measuredRun {
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
	end := follow(b, a, record.Task{Text: "Let sums be rounded."})
	writeRequests(b, "scripted", m)
	return measuredRun{"scripted", m.row(), end}
}

// BenchmarkPrompt measures what models are sent.
func BenchmarkPrompt(b *testing.B) {
	var runs []measuredRun
	if *playedDir == "" || *checkoutsDir == "" {
		b.Log("without -played and -checkouts, only the demo and the scripted runs are measured")
	} else {
		paths, err := filepath.Glob(filepath.Join(*playedDir, "*.json"))
		if err != nil {
			b.Fatal(err)
		}
		for _, path := range paths {
			runs = append(runs, play(b, path))
		}
	}
	long := played(b, settings.CountedOn)
	writeRequests(b, "long", long)
	runs = append(runs, demo(b), scripted(b), measuredRun{"long feature", long.row(), "review"})
	fmt.Printf("\n%-20s %8s %9s %7s %6s %6s %6s %9s  %s\n", "task", "requests", "bytes in", "repeat", "long", "twice", "parted", "compacted", "ended")
	for _, r := range runs {
		fmt.Printf("%-20s %v  %s\n", r.name, r.row, r.end)
	}
	b.ReportMetric(0, "ns/op")
}
