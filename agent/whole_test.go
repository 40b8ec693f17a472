package agent

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"caselsp/agent/record"
	"caselsp/agent/shell"
	"caselsp/sandbox"
)

// keepingEngine is a sandbox that keeps dependencies, and has none yet.
type keepingEngine struct {
	lines []string
	env   []string
}

func (e *keepingEngine) Run(_ context.Context, cmd sandbox.Command) (*sandbox.Result, error) {
	if strings.Contains(cmd.Line, "--dry-run") { // whether the sandbox has the dependencies itself
		return &sandbox.Result{Status: sandbox.Exited, ExitCode: 1}, nil
	}
	e.lines = append(e.lines, strings.Fields(cmd.Line)[0])
	e.env = append(e.env, cmd.Env...)
	return &sandbox.Result{Status: sandbox.Exited, Output: "done\n"}, nil
}

func (e *keepingEngine) HasLayer(context.Context, string) (bool, error) { return false, nil }

// asking answers each kind of question with the next of its answers, and notes what was asked.
type asking struct {
	answers []string
	asked   []record.Question
}

func (a *asking) Ask(_ context.Context, q record.Question) (record.Answer, error) {
	a.asked = append(a.asked, q)
	if len(a.answers) == 0 {
		return record.Answer{}, ErrUndecided
	}
	text := a.answers[0]
	a.answers = a.answers[1:]
	return record.Answer{Text: text}, nil
}

// summary is the questions in a few words, one each.
func (a *asking) summary() string {
	var list []string
	for _, q := range a.asked {
		text := string(q.Kind())
		if about, ok := q.Subject.(record.Approvable); ok {
			text += ": " + strings.Fields(about.Offer().What)[0] + about.Offer().With() + ": " + q.Decisions()
		}
		list = append(list, text)
	}
	return strings.Join(list, "\n")
}

// wholeBench is an agent whose commands can get secrets and dependencies: the keyring has KNOWN_KEY.
func wholeBench(t *testing.T, script string, user User) (*bench, *keepingEngine) {
	b := newBench(t, script, user)
	engine := &keepingEngine{}
	b.Sandbox = func(context.Context) (sandbox.Engine, error) { return engine, nil }
	b.Commands.Sandboxed, b.Commands.Level = true, shell.LevelOf("default")
	b.Dependencies = func(tree []sandbox.File, p sandbox.Profile, more ...string) *sandbox.Dependencies {
		return sandbox.DependenciesOf(tree, p, sandbox.Sources{Python: "https://index.example/simple"}, more...)
	}
	b.Secrets.Get = func(name string) (string, bool, error) { return "c4nary-of-the-keyring", name == "KNOWN_KEY", nil }
	requirements := filepath.Join(b.Workspace.Roots()[0].Dir, "requirements.txt")
	if err := os.WriteFile(requirements, []byte("answer==1.0\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	return b, engine
}

const wholeCommand = `
on case
call RUN_COMMAND {"thought": "t", "secrets": ["KNOWN_KEY", "LOGIN_KEY"], "command": "deploy {{ KNOWN_KEY }} {{ LOGIN_KEY }}"}
on case
call FINISH_FEATURE {"thought": "t", "summary": "deployed"}
`

// TestOneQuestion: a command is asked for once, with all that it gets; only a value that is
// missing is asked for after it.
func TestOneQuestion(t *testing.T) {
	const yes, no = record.Approve, record.Deny
	command := func(args string) string {
		return "\non case\ncall RUN_COMMAND {\"thought\": \"t\", " + args + "}\non case\ncall FINISH_FEATURE {\"thought\": \"t\", \"summary\": \"s\"}\n"
	}
	for _, c := range []struct {
		name, script string
		answers      []string
		asked, ran   string
		gets         string // the names of variables that came to the command
	}{
		{"all of it", wholeCommand, []string{yes, "c4nary-typed"},
			"approval: deploy with the secrets KNOWN_KEY, LOGIN_KEY after installing the dependencies: approve or deny\nsecret", "pip deploy", "KNOWN_KEY LOGIN_KEY"},
		{"denied", wholeCommand, []string{no},
			"approval: deploy with the secrets KNOWN_KEY, LOGIN_KEY after installing the dependencies: approve or deny", "", ""},
		{"no value", wholeCommand, []string{yes, no},
			"approval: deploy with the secrets KNOWN_KEY, LOGIN_KEY after installing the dependencies: approve or deny\nsecret", "", ""},
		{"a known secret", command(`"secrets": ["KNOWN_KEY"], "command": "deploy"`), []string{yes},
			"approval: deploy with the secret KNOWN_KEY after installing the dependencies: approve or deny", "pip deploy", "KNOWN_KEY"},
		{"a command that only reads", command(`"secrets": ["KNOWN_KEY"], "command": "ls"`), []string{yes},
			"approval: ls with the secret KNOWN_KEY: approve or deny", "ls", "KNOWN_KEY"},
		{"no secret", command(`"command": "python3 -c 1"`), []string{record.ApproveTask},
			"approval: python3 after installing the dependencies: approve, task or deny", "pip python3", ""},
		{"not asked for itself", command(`"command": "pytest"`), []string{yes},
			"approval: pip: approve or deny", "pip pytest", ""},
		{"nothing", command(`"command": "ls"`), nil, "", "ls", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			user := &asking{answers: c.answers}
			b, engine := wholeBench(t, c.script, user)
			for _, err := range b.Run(t.Context(), record.Task{ID: "t", Text: "deploy", Single: true}) {
				if err != nil {
					t.Fatal(err)
				}
			}
			if got := user.summary(); got != c.asked {
				t.Errorf("asked:\n%s\nwant:\n%s", got, c.asked)
			}
			if got := strings.Join(engine.lines, " "); got != c.ran {
				t.Errorf("ran %q, want %q", got, c.ran)
			}
			var gets []string
			for _, pair := range engine.env {
				if name, _, _ := strings.Cut(pair, "="); strings.HasSuffix(name, "_KEY") {
					gets = append(gets, name)
				}
			}
			if got := strings.Join(gets, " "); got != c.gets {
				t.Errorf("the command got %q, want %q", got, c.gets)
			}
			for _, q := range user.asked {
				about, command := q.Subject.(record.Command)
				if command && len(about.Secrets) > 0 && (q.Flagged() || about.Like != "") {
					t.Errorf("a command that gets secrets is approved by a flag, or counted: %+v", about)
				}
			}
			replayed(t, b, engine.lines)
		})
	}
}

// TestOldQuestions replays what a version recorded that asked for secrets, for a value, for the
// command and for the dependencies one after the other.
func TestOldQuestions(t *testing.T) {
	recording, err := os.ReadFile(filepath.Join("testdata", "secrets_apart.recording.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	playedAgain(t, recording, []string{"pip", "deploy"})
}

// willing approves everything, and has a value for every secret.
type willing struct{ asked int }

func (w *willing) Ask(_ context.Context, q record.Question) (record.Answer, error) {
	w.asked++
	if q.Kind() == record.KindSecret {
		return record.Answer{Text: "c4nary-typed-again"}, nil
	}
	return record.Answer{Text: record.Approve}, nil
}

// TestResumeOldQuestions cuts the journal of that version between its questions and resumes: what
// was answered is not asked again, and the command runs once, with all that it gets.
func TestResumeOldQuestions(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("testdata", "secrets_apart.journal"))
	if err != nil {
		t.Fatal(err)
	}
	records := slices.Collect(strings.Lines(string(text)))
	// The last record before the cut, and what is asked after it: the value once more, which no
	// journal has.
	for n, asked := range map[int]int{7: 2, 8: 3, 9: 2, 10: 2, 11: 2, 12: 3, 13: 2, 14: 2, 15: 2, 16: 2, 17: 1, 18: 2, 19: 1} {
		kind, _, _ := strings.Cut(records[n-1], " ")
		t.Run(fmt.Sprintf("%d_%s", n, kind), func(t *testing.T) {
			user := &willing{}
			b, engine := wholeBench(t, "on case\ncall FINISH_FEATURE {\"thought\": \"t\", \"summary\": \"s\"}\n", user)
			for _, line := range records[:n] {
				kind, body, _ := strings.Cut(line, " ")
				if _, err := b.Store.Journal("t").Append(kind, json.RawMessage(strings.TrimSpace(body))); err != nil {
					t.Fatal(err)
				}
			}
			for _, err := range b.Resume(t.Context(), "t") {
				if err != nil {
					t.Fatal(err)
				}
			}
			if want := []string{"pip", "deploy"}; n < 19 && !slices.Equal(engine.lines, want) || n == 19 && !slices.Equal(engine.lines, want[1:]) {
				t.Errorf("ran %q", engine.lines)
			}
			if !slices.Contains(engine.env, "LOGIN_KEY=c4nary-typed-again") || !slices.Contains(engine.env, "KNOWN_KEY=c4nary-of-the-keyring") {
				t.Errorf("the command got %q", engine.env)
			}
			if user.asked != asked {
				t.Errorf("asked %d times, want %d", user.asked, asked)
			}
		})
	}
}

// replayed exports the task of a bench, and replays it to the same commands.
func replayed(t *testing.T, b *bench, ran []string) {
	t.Helper()
	var recording bytes.Buffer
	if err := b.Export("t", &recording); err != nil {
		t.Fatal(err)
	}
	playedAgain(t, recording.Bytes(), ran)
}

func playedAgain(t *testing.T, recording []byte, ran []string) {
	t.Helper()
	rec, err := ReadRecording(bytes.NewReader(recording))
	if err != nil {
		t.Fatal(err)
	}
	b, _ := wholeBench(t, "", nil)
	o := b.Options
	o.User = nil
	rec.Play().Attach(&o)
	var again []string
	for e, err := range New(o).Run(t.Context(), rec.Task) {
		if err != nil {
			t.Fatal(err)
		}
		switch body := e.Body.(type) {
		case record.CommandStarted:
			again = append(again, strings.Fields(body.Line)[0])
		case record.StateChanged:
			if body.To == record.Paused {
				t.Fatalf("the replay paused: %s", body.Reason)
			}
		}
	}
	if !slices.Equal(again, ran) {
		t.Errorf("the replay ran %q, not %q", again, ran)
	}
}
