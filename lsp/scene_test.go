package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"caselsp/agent"
	"caselsp/agent/fixcheck"
	"caselsp/agent/llm"
	"caselsp/agent/llm/llmtest"
	"caselsp/agent/llm/openai"
	"caselsp/agent/record"
	setting "caselsp/agent/settings"
	"caselsp/agent/shell"
	"caselsp/agent/workspace"
	"caselsp/lsp/lsptest"
	"caselsp/lsp/wire"
	"caselsp/sandbox"
	"caselsp/store"

	"go.lsp.dev/protocol"
)

// scene is a session with a project, and the real agent, store and model behind
// the server.
type scene struct {
	*session
	model  *llmtest.Server
	state  string
	closed sync.Map // by *agent.Agent: a channel that is closed with its engine
}

// plot is what a scene begins with.
type plot struct {
	files  map[string]string // of the project
	open   []string          // in the editor
	script string            // of the model
	editor lsptest.Options
	runs   []sandbox.Recording // what commands will have done; none: nothing may run
	state  string              // the state directory; "": a new one
	hasty  bool                // waits of the server are a tenth of what they are
	clock  *lsptest.Clock      // of the server; nil: the real one
	reads  bool                // answers count only once the question can have been read; else all do
	review *setting.Review     // nil: nothing is offered, the review document is opened
	tells  bool                // of what waits in the store
	plans  bool                // the user is asked about plans
	wary   bool                // nothing is trusted yet
	// validators are the fix validators of folders.
	validators []fixcheck.Validator
	ring       *sync.Map // the keyring: values of secrets by name; nil: there is none
}

// play starts a scene.
func play(t testing.TB, p plot) *scene {
	t.Helper()
	script, err := llmtest.ParseScript(p.script)
	if err != nil {
		t.Fatal(err)
	}
	sc := &scene{model: llmtest.Start(t, script), state: p.state}
	if sc.state == "" {
		sc.state = t.TempDir()
	}
	if p.editor.Root == "" {
		p.editor.Root = t.TempDir()
	}
	for name, text := range p.files {
		file := filepath.Join(p.editor.Root, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	sc.session = begin(t, p.editor, func(s *server) {
		if p.hasty {
			s.ed.Clock.After = func(d time.Duration, f func()) func() bool { return time.AfterFunc(d/10, f).Stop }
		}
		if p.wary {
			kept, err := store.TrustIn(sc.state)
			if err != nil {
				t.Fatal(err)
			}
			s.trust.kept = &agent.Trust{Kept: kept}
		}
		if p.clock != nil {
			s.ed.Clock = wire.Clock{Now: p.clock.Now, After: p.clock.After}
		}
		if p.tells {
			s.standing.stands = sc.stands()
		}
		if !p.reads {
			s.questions.readTime = func(string) time.Duration { return 0 }
		}
		s.engines.backend = sc.backend(p, s.trust.kept)
		s.install()
	})
	for _, name := range p.open {
		sc.must(sc.Open(name))
	}
	return sc
}

// stands is what cmd wires, with the scene's state.
func (sc *scene) stands() *Stands {
	in := func(dirs []string, f func(ws *workspace.Workspace, o store.Options)) error {
		ws, err := workspace.Open(dirs...)
		if err != nil {
			return err
		}
		f(ws, store.Options{StateDir: sc.state, Workspace: ws.ID()})
		return ws.Close()
	}
	return &Stands{
		Read: func(dirs []string) (list []agent.Standing, err error) {
			failed := in(dirs, func(ws *workspace.Workspace, o store.Options) { list, err = agent.StandingIn(ws, o) })
			return list, errors.Join(err, failed)
		},
		Stamp: func(dirs []string) (stamp string) {
			_ = in(dirs, func(_ *workspace.Workspace, o store.Options) { stamp = store.Stamp(o) })
			return stamp
		},
	}
}

// backend is what cmd wires, with the scene's model and state.
func (sc *scene) backend(p plot, trust *agent.Trust) Backend {
	return func(_ context.Context, dirs []string, layers []setting.Layer, face Face) (*Engine, error) {
		ws, err := workspace.Open(dirs...)
		if err != nil {
			return nil, err
		}
		st, err := store.Open(store.Options{StateDir: sc.state, Workspace: ws.ID()})
		if err != nil {
			return nil, errors.Join(err, ws.Close())
		}
		model, err := openai.New(openai.Config{BaseURL: sc.model.URL, Model: "scripted"})
		if err != nil {
			return nil, err
		}
		merged, wrong := setting.Merge(layers...)
		merged.Review = setting.Review{Open: true}
		if p.review != nil {
			merged.Review = *p.review
		}
		o := agent.Options{Workspace: ws, Store: st, User: face.User, Watch: face.Watch, Limits: record.Limits(merged.Limits), Commands: shell.Policy{Sandboxed: true}, Trust: trust, PlanReview: p.plans,
			Model: func(string) (llm.Model, error) { return model, nil },
			Sandbox: func(context.Context) (sandbox.Engine, error) {
				if p.runs == nil {
					return nil, nil
				}
				return sandbox.Recorded(p.runs), nil
			}}
		if p.validators != nil {
			o.Validators = func() []fixcheck.Validator { return p.validators }
		}
		if p.ring != nil {
			o.Secrets.Get = func(name string) (string, bool, error) {
				value, ok := p.ring.Load(name)
				text, _ := value.(string)
				return text, ok, nil
			}
		}
		a, closed := agent.New(o), make(chan struct{})
		sc.closed.Store(a, closed)
		return &Engine{Agent: a, Settings: merged, Problems: wrong,
			Doctor: func(context.Context) string { return "all well\n" },
			Close: func() error {
				defer close(closed)
				return errors.Join(st.Close(), ws.Close())
			}}, nil
	}
}

// letGo waits until nothing uses an agent any more that is out of date.
func (sc *scene) letGo(a *agent.Agent) {
	sc.t.Helper()
	closed, ok := sc.closed.Load(a)
	if !ok {
		sc.t.Fatal("no such agent")
	}
	<-closed.(chan struct{})
}

// run starts a task in one loop, without plan and verification, and returns its id.
func (sc *scene) run(text string) string {
	sc.t.Helper()
	return sc.command(cmdRun, map[string]any{"task": text, "single": true})
}

// command runs a command that must not fail, and returns the task that it names.
func (sc *scene) command(id string, args ...any) string {
	sc.t.Helper()
	raw, err := sc.Command(sc.t.Context(), id, args...)
	if err != nil {
		sc.t.Fatalf("%s: %v", id, err)
	}
	var answer started
	_ = json.Unmarshal(raw, &answer) // some answer with a list, or null
	return answer.TaskID
}

// refused runs a command that must fail with a text.
func (sc *scene) refused(want, id string, args ...any) {
	sc.t.Helper()
	_, err := sc.Command(sc.t.Context(), id, args...)
	if err == nil || !strings.Contains(err.Error(), want) {
		sc.t.Errorf("%s %v: got %v, want %q", id, args, err, want)
	}
}

// idle runs a command that has nothing to do: it answers null, and a message says why.
func (sc *scene) idle(want, id string, args ...any) {
	sc.t.Helper()
	raw, err := sc.Command(sc.t.Context(), id, args...)
	if err != nil || string(raw) != "null" {
		sc.t.Errorf("%s %v: got %s, %v; want null", id, args, raw, err)
		return
	}
	sc.expect(lsptest.Expectation{What: "an information message with " + want, Check: func(s *lsptest.State) lsptest.Verdict {
		for _, m := range s.Messages {
			if m.Type == protocol.MessageTypeInfo && strings.Contains(m.Text, want) {
				return lsptest.Met
			}
		}
		return lsptest.Unmet
	}})
}

// act carries out the code action of that title, on the first place of text in a document.
func (sc *scene) act(path, text, title string) {
	sc.t.Helper()
	at := strings.Index(sc.Text(path), text)
	if at < 0 {
		sc.t.Fatalf("%s has no %q:\n%s", path, text, sc.Text(path))
	}
	list, err := sc.CodeActions(sc.t.Context(), path, at, at)
	sc.must(err)
	var titles []string
	for _, a := range list {
		if a.Title == title {
			_, err := sc.Do(sc.t.Context(), a)
			sc.must(err)
			return
		}
		titles = append(titles, a.Title)
	}
	sc.t.Fatalf("no action %q at %q, but %q", title, text, titles)
}

// shown waits until the server has shown a document, and opens it.
func (sc *scene) shown(name string) string {
	sc.t.Helper()
	sc.expect(lsptest.Opened(name))
	for _, d := range sc.State().Shown {
		if strings.Contains(d.Path, name) {
			sc.must(sc.Open(d.Path))
			return d.Path
		}
	}
	return ""
}

// disk expects the content of files on disk; "" is no file.
func (sc *scene) disk(want map[string]string) {
	sc.t.Helper()
	for name, text := range want {
		raw, err := os.ReadFile(sc.Abs(name))
		if text == "" && errors.Is(err, os.ErrNotExist) {
			continue
		}
		if string(raw) != text {
			sc.t.Errorf("%s on disk: %q, %v; want %q", name, raw, err, text)
		}
	}
}

// hunks expects what was decided about a file's hunks.
func (sc *scene) hunks(task, path string, want ...record.HunkState) {
	sc.t.Helper()
	e, release, err := sc.srv.engines.use(sc.t.Context())
	sc.must(err)
	defer release()
	rev, err := e.Agent.Review(task)
	sc.must(err)
	for _, f := range rev.Files {
		if f.Change.Path == path && !slices.Equal(f.Hunks, want) {
			sc.t.Errorf("hunks of %s: %v, want %v", path, f.Hunks, want)
		}
	}
}

// status expects the state of a task.
func (sc *scene) status(task string, want record.Phase) {
	sc.t.Helper()
	e, release, err := sc.srv.engines.use(sc.t.Context())
	sc.must(err)
	defer release()
	st, err := e.Agent.Status(task)
	sc.must(err)
	if st.State != want {
		sc.t.Errorf("the task is %s (%s), want %s", st.State, st.Reason, want)
	}
}

// said waits for a message to the user.
func (sc *scene) said(text string) {
	sc.t.Helper()
	sc.expect(lsptest.ShownMessage(text))
}
