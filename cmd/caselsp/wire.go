package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"caselsp/agent"
	"caselsp/agent/llm"
	"caselsp/agent/llm/openai"
	"caselsp/agent/permit"
	"caselsp/agent/record"
	"caselsp/agent/settings"
	"caselsp/agent/shell"
	"caselsp/agent/workspace"
	"caselsp/lsp"
	"caselsp/sandbox"
	"caselsp/store"
)

// wiring holds the global flags.
type wiring struct {
	dir      string
	set      []string
	logLevel string             // as --log-level has it; "": the setting
	limits   map[string]*string // of taskLimits, by flag; "": the setting
	stateDir string
}

// engine is everything that works on one workspace, put together.
type engine struct {
	settings  settings.Settings
	set       []string // as --set has them
	dir       string   // as --dir has it
	problems  []settings.Problem
	sources   []settings.Source    // of what is not the default
	folder    string               // of the user's settings; "" where there is none
	stamp     string               // of the files of settings that were read
	foreign   bool                 // an editor has handed settings over
	confirmed []store.SettingValue // of the editor's settings
	keys      map[string]string    // of the user's .env file
	workspace *workspace.Workspace
	trust     *permit.Trust
	store     *store.Store
	agent     *agent.Agent
	over      []string // tasks whose decision was interrupted, and that ended when the engine was opened
	log       slog.Handler
	closers   []io.Closer
	// edit changes files for the result of a task as the editor that this process serves does; nil: it serves none.
	edit          func(a *agent.Agent, task string) workspace.Applier
	fixValidators fixValidators
}

// Close closes the store last: running tasks may still record their end.
func (e *engine) Close() error {
	var errs []error
	for i := len(e.closers) - 1; i >= 0; i-- {
		errs = append(errs, e.closers[i].Close())
	}
	return errors.Join(errs...)
}

// openFor puts the parts together for the workspace in dirs. The face is that of the editor, or has only the user, for
// a command.
func (w *wiring) openFor(face lsp.Face, dirs []string, layers []settings.Layer) (*engine, error) {
	ws, err := workspace.Open(dirs...)
	if err != nil {
		return nil, err
	}
	e := &engine{workspace: ws, set: w.set, dir: w.dir, edit: face.Applier, closers: []io.Closer{ws}}
	e.configure(w, layers)
	if err := e.openStore(w); err != nil {
		return nil, errors.Join(err, e.Close())
	}
	e.log = e.logHandler()
	b := &box{settings: e.settings.Sandbox, name: strings.Join(dirs, ", ")}
	e.closers = append(e.closers, b)
	o := agent.Options{
		Workspace: ws, Store: e.store, User: askingFor(face.User), Watch: e.watch(face.Watch), Log: slog.New(e.log),
		Model:   e.models().of,
		Sandbox: b.engine,
		Secrets: agent.Secrets{Get: secretOf, Keep: keepSecret},
		Dependencies: func(tree []sandbox.File, p sandbox.Profile, more ...string) *sandbox.Dependencies {
			s := e.settings.Sandbox
			from := sandbox.Sources{Python: s.Indexes.Python, Node: s.Indexes.Node, Go: s.Indexes.Go, Image: s.Image}
			return sandbox.DependenciesOf(tree, p, from.Pick(os.Getenv), more...)
		},
		Policy: policy(e.settings.Sandbox), RetryMemory: int64(e.settings.Sandbox.RetryMemoryMB) << 20,
		Context: e.settings.Model.Window(), Window: e.askWindows(),
		Commands: e.commands(),
		Trust:    e.trust,
		AskReads: e.settings.Approvals.ReadOnlyCommands == "ask", Files: e.files(),
		Rules:      e.settings.Validate.Rules,
		WriteTests: e.settings.Tests.Write,
		PlanReview: e.settings.Plan.Review,
		Commits:    e.settings.Review.Commit,
		Validators: e.validators, WriteValidators: e.settings.Fixcheck.Write, UncheckedFixes: !e.settings.Fixcheck.Enabled,
		TestedFixes: e.settings.Fixcheck.Tests, FailingFirst: e.settings.Fixcheck.FailingFirst,
		Linting: agent.Linting{When: e.settings.Lint.When, Grades: gradesOf(e.settings.Lint.Critical)},
		Expiry:  time.Duration(e.settings.Approvals.Days) * 24 * time.Hour,
		Version: versionText(),
		Limits:  limitsOf(e.settings.Limits),
	}
	e.agent = agent.New(o)
	e.over = e.agent.CatchUp(context.Background()) // before another process can ask for the tasks
	if err := e.serveOthers(); err != nil {
		o.Log.Debug("other processes are told that the store is in use", "error", err)
	}
	e.pruneOld()
	return e, nil
}

// limitsOf returns the limits of a task. They are copied one by one, so that a test
// sees that each setting is read.
func limitsOf(l settings.Limits) record.Limits {
	return record.Limits{Steps: l.Steps, Rounds: l.Rounds, Attempts: l.Attempts, Rollbacks: l.Rollbacks, Tokens: l.Tokens, Cost: l.Cost, Time: l.Time, Commands: l.Commands}
}

// dirs are the workspace's folders; none where no workspace is open.
func (e *engine) dirs() []string {
	var list []string
	if e.workspace != nil {
		for _, r := range e.workspace.Roots() {
			list = append(list, r.Dir)
		}
	}
	return list
}

// configure merges the settings and reads the user's keys.
func (e *engine) configure(w *wiring, layers []settings.Layer) {
	dir, err := settings.Folder()
	e.folder, e.stamp = dir, settings.Stamp(dir, e.dirs()...) // before they are read: what is written meanwhile is read anew
	if err != nil {
		e.problems = append(e.problems, settings.Problem{Text: err.Error()})
	} else {
		layers = append(layers, settings.Load(dir, e.dirs()...)...)
		var wrong []settings.Problem
		e.keys, wrong = settings.LoadEnv(dir)
		e.problems = append(e.problems, wrong...)
	}
	layers = append(layers, settings.Variables(os.Environ()), w.flags())
	j, err := e.trustOf(w, layers)
	if err != nil {
		e.problems = append(e.problems, settings.Problem{Setting: "trust.folders", Layer: "the state directory", Text: err.Error()})
	}
	e.merge(j, layers)
}

// trustOf finds out which folders the user trusts, also by their settings, and returns
// how all settings are judged.
func (e *engine) trustOf(w *wiring, layers []settings.Layer) (settings.Judge, error) {
	kept, err := store.TrustIn(w.stateDir)
	e.trust = &permit.Trust{Kept: kept}
	if err != nil {
		return settings.Judge{}, err
	}
	j, err := e.judge(layers)
	own := slices.DeleteFunc(slices.Clone(layers), func(l settings.Layer) bool { return l.Origin == settings.Repository })
	e.trust.Folders = j.Merge(own...).Settings.Trust.Folders
	return j, err
}

// merge merges the settings, and notes what of an editor's waits for the user.
func (e *engine) merge(j settings.Judge, layers []settings.Layer) {
	dirs := e.dirs()
	for i, l := range layers {
		in := dirs
		switch {
		case l.Foreign():
			e.foreign = true
		case l.Origin == settings.Repository:
			in = []string{filepath.Dir(l.Place)}
		default:
			continue
		}
		untrusted, err := e.trust.Untrusted(in...)
		layers[i].Untrusted = err != nil || len(untrusted) > 0
	}
	m := j.Merge(layers...)
	e.settings, e.sources = m.Settings, m.Sources
	e.problems = append(e.problems, m.Problems...)
	if !e.foreign || dirs == nil {
		return
	}
	if err := e.trust.Note(dirs, m.Pending); err != nil {
		e.problems = append(e.problems, settings.Problem{Layer: "the state directory", Text: err.Error()})
	}
}

// ownTrust is trust where no workspace is open.
func (w *wiring) ownTrust() (*permit.Trust, error) {
	e := &engine{}
	_, err := e.trustOf(w, w.ownLayers())
	return e.trust, err
}

// ownLayers are the user's own settings.
func (w *wiring) ownLayers() []settings.Layer {
	layers := []settings.Layer{settings.Variables(os.Environ()), w.flags()}
	if dir, err := settings.Folder(); err == nil {
		layers = append(layers, settings.Load(dir)...)
	}
	return layers
}

// flags is the layer of --set name=value.
func (w *wiring) flags() settings.Layer {
	l := settings.Layer{Origin: settings.Flags, Values: map[string]any{}}
	for _, s := range w.set {
		name, value, ok := strings.Cut(s, "=")
		if !ok {
			l.Problems = append(l.Problems, settings.Problem{Setting: s, Layer: "--set", Text: "must be name=value"})
			continue
		}
		l.Values[name] = value
	}
	return l
}

func (e *engine) openStore(w *wiring) error {
	secrets := concealed(e.keys)
	for _, name := range append(keyNames(e.settings.Model), keyNames(asModel(e.settings))...) {
		if v := os.Getenv(name); v != "" {
			secrets = append(secrets, v)
		}
	}
	endpoint := e.endpoint(func(more ...string) { secrets = append(secrets, more...) })
	s, err := store.Open(store.Options{
		StateDir: w.stateDir, Workspace: e.workspace.ID(), Name: strings.Join(e.dirs(), ", "), Secrets: secrets, Endpoint: endpoint,
	})
	if err != nil {
		return err
	}
	e.store = s
	e.closers = append(e.closers, s)
	return nil
}

// concealed are the secrets of the user's .env file and of the environment.
func concealed(keys map[string]string) []string {
	return slices.AppendSeq(store.Variables(os.Environ()), maps.Values(keys))
}

// logHandler writes the log file; a log that cannot be written is no reason not to work.
func (e *engine) logHandler() slog.Handler {
	f, err := e.store.LogFile()
	if err != nil {
		e.problems = append(e.problems, settings.Problem{Setting: "log.level", Text: err.Error()})
		return slog.DiscardHandler
	}
	e.closers = append(e.closers, f)
	return newFileLog(f, levels[e.settings.Log.Level])
}

func policy(s settings.Sandbox) sandbox.Policy {
	p := sandbox.DefaultPolicy
	p.CPUs, p.Memory, p.Time, p.Hosts = s.CPUs, int64(s.MemoryMB)<<20, s.Time, s.Hosts
	p.Disk, p.PIDs, p.User = int64(s.DiskMB)<<20, int64(s.Processes), s.User
	return p
}

// commands returns what the settings say about commands. A pattern that cannot be
// read is reported and left out.
func (e *engine) commands() shell.Policy {
	c := e.settings.Commands
	p := shell.Policy{Hosts: e.settings.Sandbox.Hosts, Sandboxed: true, Level: shell.LevelOf(e.settings.Approvals.Level)}
	p.Allow = parsed(e, "commands.allow", c.Allow, shell.ParseAllow)
	p.Ask = parsed(e, "commands.ask", c.Ask, shell.ParsePattern)
	p.Deny = parsed(e, "commands.deny", c.Deny, shell.ParsePattern)
	p.Packages = parsed(e, "commands.packages", c.Packages, func(_, text string) (shell.Package, error) { return shell.ParsePackage(text) })
	return p
}

// files returns what the settings say about files that are asked for by name.
func (e *engine) files() permit.Files {
	glob := func(_, text string) (workspace.Glob, error) { return workspace.ParseGlob(text) }
	return permit.Files{Ask: parsed(e, "files.ask", e.settings.Files.Ask, glob), Allow: parsed(e, "files.allow", e.settings.Files.Allow, glob)}
}

func parsed[T any](e *engine, setting string, texts []string, parse func(setting, text string) (T, error)) (list []T) {
	for _, text := range texts {
		v, err := parse(setting, text)
		if err != nil {
			e.problems = append(e.problems, settings.Problem{Setting: setting, Layer: "the settings", Text: err.Error(), Ignored: true})
			continue
		}
		list = append(list, v)
	}
	return list
}

// box connects to the sandbox when the first command is to run, and again after a
// failure: the user may have started Docker since. With `auto` it chooses the engine
// once: a task never continues in another sandbox than it began in.
type box struct {
	settings settings.Sandbox
	name     string
	mu       sync.Mutex
	chosen   string // "docker", once it is
	docker   *sandbox.DockerEngine
	native   *sandbox.NativeEngine
	instead  *fallback // where native stands in for Docker
}

// fallback is the native engine in place of Docker, which did not answer. It says so
// once.
type fallback struct {
	*sandbox.NativeEngine
	why  string
	told sync.Once
}

// Run implements sandbox.Engine.
func (f *fallback) Run(ctx context.Context, cmd sandbox.Command) (*sandbox.Result, error) {
	if cmd.Progress != nil {
		f.told.Do(func() { cmd.Progress("commands run in the native sandbox (sandbox.engine is auto), because " + f.why) })
	}
	return f.NativeEngine.Run(ctx, cmd)
}

// Close closes the connection to the engine, and the sandboxes that wait for a command.
func (b *box) Close() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	var errs []error
	if b.docker != nil {
		errs = append(errs, b.docker.Close())
	}
	if b.native != nil {
		errs = append(errs, b.native.Close())
	}
	b.docker, b.native, b.instead = nil, nil, nil
	return errors.Join(errs...)
}

func (b *box) engine(ctx context.Context) (sandbox.Engine, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.instead != nil {
		return b.instead, nil
	}
	switch cmp.Or(b.chosen, b.settings.Engine) {
	case "none":
		return nil, nil
	case "docker":
		return b.inDocker(ctx)
	case "native":
		return b.natively(ctx)
	}
	e, errDocker := b.inDocker(ctx)
	if errDocker == nil {
		b.chosen = "docker"
		return e, nil
	}
	var docker, native *sandbox.Unavailable
	_, errNative := b.natively(ctx)
	switch {
	case !errors.As(errDocker, &docker) || errNative != nil && !errors.As(errNative, &native):
		return nil, errors.Join(errDocker, errNative)
	case errNative == nil:
		b.instead = &fallback{NativeEngine: b.native, why: docker.Reason}
		return b.instead, nil
	}
	return nil, &sandbox.Unavailable{Engine: "docker, and without it native,", Err: errors.Join(docker, native),
		Reason: docker.Reason + "; and " + native.Reason, Advice: docker.Advice + ". Or, without Docker: " + native.Advice +
			". Or set sandbox.engine to none: then caselsp edits, and runs neither commands nor tests"}
}

func (b *box) inDocker(ctx context.Context) (sandbox.Engine, error) {
	if b.docker == nil {
		d, err := sandbox.Docker(ctx, sandbox.DockerOptions{Image: b.settings.Image, Workspace: b.name})
		if err != nil {
			return nil, err
		}
		b.docker = d
	}
	if err := b.docker.Check(ctx); err != nil {
		return nil, err
	}
	return b.docker, nil
}

func (b *box) natively(ctx context.Context) (sandbox.Engine, error) {
	if b.native == nil {
		o := sandbox.NativeOptions{Folders: b.settings.Folders}
		if cache, err := os.UserCacheDir(); err == nil {
			o.Layers = filepath.Join(cache, "caselsp", "layers")
		}
		n, err := sandbox.Native(ctx, o)
		if err != nil {
			return nil, err
		}
		b.native = n
	}
	return b.native, nil
}

// models makes each model once. Roles with the same settings share a model, so that
// what it learns about its server, such as missing tool calls, is learned once.
type models struct {
	settings settings.Model
	keys     map[string]string // of the user's .env file
	conceal  func(...string)   // has a key that is found later redacted
	mu       sync.Mutex
	made     []madeModel
}

type madeModel struct {
	settings settings.Model
	model    llm.Model
}

// models are those that the settings name.
func (e *engine) models() *models {
	return &models{settings: e.settings.Model, keys: e.keys, conceal: e.store.Conceal}
}

func (m *models) of(role string) (llm.Model, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	s := m.settings.For(role)
	for _, made := range m.made {
		if reflect.DeepEqual(made.settings, s) {
			return made.model, nil
		}
	}
	chosen := s
	first, err := openai.New(m.config(s))
	if err != nil {
		return nil, err
	}
	model := first
	if s.Fallback != "" {
		s.Name = s.Fallback
		second, err := openai.New(m.config(s))
		if err != nil {
			return nil, fmt.Errorf("model.fallback: %w", err)
		}
		model = llm.Fallback(first, second)
	}
	m.made = append(m.made, madeModel{chosen, model})
	return model, nil
}

// config returns the settings of one role as the connection needs them.
func (m *models) config(s settings.Model) openai.Config {
	c := openai.Config{
		Provider: s.Provider, BaseURL: s.BaseURL, Model: s.Name, Tools: s.Tools, MaxTokens: s.MaxTokens,
		Timeout: s.Timeout, Prices: map[string]openai.Price{},
	}
	if s.Temperature != nil {
		t := float32(*s.Temperature)
		c.Temperature = &t
	}
	for name, p := range s.Prices {
		c.Prices[name] = openai.Price(p)
	}
	for _, name := range keyNames(s) {
		if c.Key = os.Getenv(name); c.Key == "" {
			c.Key = m.keys[name]
		}
		if c.Key != "" {
			return c
		}
	}
	for _, name := range keyNames(s) {
		// Without a keyring the model's error says which key is missing.
		if key, ok, err := secretOf(name); err == nil && ok {
			m.conceal(key)
			c.Key = key
			return c
		}
	}
	return c
}

// keyNames are the environment variables that may hold the key of a model, first the
// one that the settings name.
func keyNames(s settings.Model) []string {
	var names []string
	if s.KeyEnv != "" {
		names = append(names, s.KeyEnv)
	}
	if p, err := openai.PresetOf(openai.Config{Provider: s.Provider, BaseURL: s.BaseURL}); err == nil && p.KeyVar != "" && s.KeyEnv == "" {
		names = append(names, p.KeyVar)
	}
	return names
}
