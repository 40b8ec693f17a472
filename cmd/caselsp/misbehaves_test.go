package main

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"caselsp/agent"
	"caselsp/agent/llm"
	"caselsp/agent/llm/llmtest"
	"caselsp/agent/llm/openai"
	"caselsp/agent/record"
	"caselsp/agent/workspace"
	"caselsp/sandbox"
	"caselsp/store"

	"golang.org/x/tools/txtar"
)

// misbehaving is a run of one of the scenarios misbehaves_*.txtar within this process,
// with a clock that goes on by a second with each record.
type misbehaving struct {
	*agent.Agent
	t      *testing.T
	dir    string
	model  *llmtest.Server
	last   record.Status
	bodies []record.Body
	count  llmtest.Count
}

// misbehave begins a run of the scenario with a server that counts so, under these limits.
func misbehave(t *testing.T, scenario *txtar.Archive, count llmtest.Count, limits record.Limits, engine sandbox.Engine) *misbehaving {
	t.Helper()
	m := &misbehaving{t: t, dir: t.TempDir(), count: count}
	for _, f := range scenario.Files {
		if f.Name == "script.txt" {
			script, err := llmtest.ParseScript(string(f.Data))
			m.must(err)
			script.Count = count
			m.model = llmtest.New(script)
			t.Cleanup(m.model.Close)
		} else if name, ok := strings.CutPrefix(f.Name, "project/"); ok {
			m.must(os.WriteFile(filepath.Join(m.dir, name), f.Data, 0o644))
		}
	}
	w, err := workspace.Open(m.dir)
	m.must(err)
	now := time.Unix(0, 0)
	s, err := store.Open(store.Options{StateDir: t.TempDir(), Workspace: w.ID(), Clock: func() time.Time { now = now.Add(time.Second); return now }})
	m.must(err)
	t.Cleanup(func() { _, _ = w.Close(), s.Close() })
	model, err := openai.New(openai.Config{BaseURL: m.model.URL, Model: "scripted", Prices: map[string]llm.Price{"scripted": {Prompt: 10, Completion: 30}}})
	m.must(err)
	m.Agent = agent.New(agent.Options{
		Workspace: w, Store: s, User: agent.Headless{Yes: true}, Limits: limits,
		Model:   func(string) (llm.Model, error) { return model, nil },
		Sandbox: func(context.Context) (sandbox.Engine, error) { return engine, nil },
	})
	m.hear(m.Run(t.Context(), record.Task{ID: "t", Text: "write a.txt"}))
	return m
}

func (m *misbehaving) must(err error) {
	m.t.Helper()
	if err != nil {
		m.t.Fatal(err)
	}
}

// hear runs the task to its end or pause.
func (m *misbehaving) hear(events func(func(agent.Event, error) bool)) {
	m.t.Helper()
	for e, err := range events {
		m.must(err)
		if e.Body != nil {
			m.last, m.bodies = e.Status, append(m.bodies, e.Body)
		}
	}
}

// used are the tokens that the task has used.
func (m *misbehaving) used() int { return m.last.Usage.Prompt + m.last.Usage.Completion }

// files are the user's files.
func (m *misbehaving) files() map[string]string {
	m.t.Helper()
	found, err := os.ReadDir(m.dir)
	m.must(err)
	files := map[string]string{}
	for _, f := range found {
		text, err := os.ReadFile(filepath.Join(m.dir, f.Name()))
		m.must(err)
		files[f.Name()] = string(text)
	}
	return files
}

// longest is the longest answer that the model has given, in tokens.
func (m *misbehaving) longest() (n int) {
	for _, b := range m.bodies {
		if answer, ok := b.(record.CallAnswered); ok {
			n = max(n, answer.Response.Usage.Completion)
		}
	}
	return n
}

// keeps checks that the run has kept its limit and left the user's files alone, and that it
// has come to an end.
func (m *misbehaving) keeps(files map[string]string) {
	m.t.Helper()
	if !maps.Equal(m.files(), files) {
		m.t.Errorf("the user's files changed to %q", m.files())
	}
	if state := m.last.State; state.Works() || state == record.Waiting {
		m.t.Errorf("%+v: the run ended while the task was %s", m.Limits, state)
	}
	beyond, price := 0, 0.0
	if m.count == llmtest.CountOnly {
		beyond = m.longest()
		price = float64(beyond) * 30e-6
	}
	limits, u := m.Limits, m.last.Usage
	switch commands := 0; {
	case limits.Tokens > 0 && m.used() > limits.Tokens+beyond:
		m.t.Errorf("%d tokens are used of %d, and the longest answer has %d", m.used(), limits.Tokens, beyond)
	case limits.Cost > 0 && u.Cost > limits.Cost+price:
		m.t.Errorf("$%f are spent of $%f, and the longest answer costs $%f", u.Cost, limits.Cost, price)
	case limits.Tokens+int(limits.Time) > 0 || limits.Cost > 0:
		if !strings.Contains(m.last.Reason, "limits.") {
			m.t.Errorf("%+v: the task is %s (%s), not paused for its budget", limits, m.last.State, m.last.Reason)
		}
	default:
		for _, b := range m.bodies {
			if changed, ok := b.(record.StateChanged); ok && changed.Round > limits.Rounds {
				m.t.Errorf("round %d of %d began", changed.Round, limits.Rounds)
			}
			if _, ok := b.(record.CommandStarted); ok {
				commands++
			}
		}
		if limits.Commands > 0 && commands > limits.Commands {
			m.t.Errorf("%d commands ran, of %d", commands, limits.Commands)
		}
	}
	if m.last.State == record.Paused && strings.Contains(m.last.Reason, "limits.") {
		asked := len(m.model.Requests())
		m.hear(m.Resume(m.t.Context(), "t"))
		if n := len(m.model.Requests()) - asked; n > 0 {
			m.t.Errorf("%+v: resumed, the model was asked %d times more", limits, n)
		}
	}
}

// TestMisbehavingModelsKeepLimits runs every scenario of a model that misbehaves under
// each limit: half of the tokens and of the money that it uses without one, half of the
// time, one round, one command. With a server that honours the answer's limit no budget is
// exceeded, with one that does not by one answer at most; a task whose budget is spent asks
// the model nothing when it is resumed; and no user's file changes.
func TestMisbehavingModelsKeepLimits(t *testing.T) {
	t.Parallel()
	names, err := filepath.Glob("testdata/script/misbehaves_*.txtar")
	if err != nil || len(names) < 15 {
		t.Fatalf("%d scenarios: %v", len(names), err)
	}
	var engine sandbox.Engine
	if lacking("native") == nil {
		b := &box{}
		t.Cleanup(func() { _ = b.Close() })
		if engine, err = b.natively(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range names {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			scenario, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			whole := misbehave(t, scenario, llmtest.CountAndCut, record.Limits{}, engine)
			files := whole.files()
			for _, count := range []llmtest.Count{llmtest.CountAndCut, llmtest.CountOnly} {
				misbehave(t, scenario, count, record.Limits{Tokens: whole.used() / 2}, engine).keeps(files)
				misbehave(t, scenario, count, record.Limits{Cost: whole.last.Usage.Cost / 2}, engine).keeps(files)
			}
			misbehave(t, scenario, llmtest.CountOnly, record.Limits{Time: whole.last.Changed.Sub(whole.last.Started) / 2}, engine).keeps(files)
			misbehave(t, scenario, llmtest.CountOnly, record.Limits{Rounds: 1}, engine).keeps(files)
			misbehave(t, scenario, llmtest.CountOnly, record.Limits{Commands: 1}, engine).keeps(files)
		})
	}
}
