package lsp

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"caselsp/agent"
	setting "caselsp/agent/settings"
	"caselsp/agent/workspace"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"
)

// Backend puts together what works on the client's folders. dirs are absolute,
// layers what the client set. Its error is shown to the
// user; it is called again when something is asked for the next time.
type Backend func(ctx context.Context, dirs []string, layers []setting.Layer, face Face) (*Engine, error)

// Face is what an engine reaches of the editor.
type Face struct {
	User agent.User // whom the agent asks
	// Applier returns what changes the user's files when the result of a task is decided about in another process,
	// for which this one does it.
	Applier func(a *agent.Agent, task string) workspace.Applier
	Watch   func(e agent.Event) // is told everything that happens to tasks
}

// Engine is what a Backend put together.
type Engine struct {
	Agent    *agent.Agent
	Settings setting.Settings
	Problems []setting.Problem                // shown to the user
	Sources  []setting.Source                 // where the settings that are not the defaults come from
	Stale    func() bool                      // the user has decided otherwise about the settings since; may be nil
	Doctor   func(ctx context.Context) string // what is well and what is not, in lines; may be nil
	Close    func() error

	// ValidatorProblems say what is wrong with fix validators of folders, which are left out; may be nil.
	ValidatorProblems func() []string
	// TryValidator runs a fix validator of a folder on its samples, and says for each whether the verdict is right; may be nil.
	TryValidator func(ctx context.Context, name string) (string, error)
}

// idleTime is how long an engine is kept when nothing uses it. Its store belongs
// to one process: other editors and the terminal must not have to wait until this
// editor is closed.
const idleTime = time.Minute

// freeTime is how long new work waits for an engine whose task has ended, and of which only the end is still being told.
const freeTime = 5 * time.Second

// errNoBackend is what a server without a backend answers.
var errNoBackend = errors.New("this server does not run tasks")

// engines opens the engine when something needs it and closes it when nothing does,
// so that an editor that is only open does not lock the store.
type engines struct {
	backend Backend
	face    Face
	ed      *editor
	docs    *documents
	folders *folders
	config  *configuration

	opening sync.Mutex // held while one is opened

	mu     sync.Mutex
	now    *Engine
	users  int
	stale  bool // made of settings or folders that have changed: closed when its last user is done
	idle   func() bool
	gone   chan struct{} // closed with now
	opened []string      // the folders that it was made of
	layers []setting.Layer
	told   string // problems that the user was shown

	waiting map[string]bool // the values of editors' settings that the user was told of
}

// agent returns the agent, nil until there is one.
func (e *engines) agent() *agent.Agent {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.now == nil {
		return nil
	}
	return e.now.Agent
}

// current returns the engine if one is open, and counts its use.
func (e *engines) current() *Engine {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.now != nil {
		e.users++
		if e.idle != nil {
			e.idle()
			e.idle = nil
		}
	}
	return e.now
}

// use returns the engine of the client's folders; it opens one if none is open.
// The caller must call release when done with it.
func (e *engines) use(ctx context.Context) (_ *Engine, release func(), err error) {
	if e.backend == nil {
		return nil, nil, errNoBackend
	}
	e.config.wait(ctx)
	e.opening.Lock()
	defer e.opening.Unlock()
	e.closeStale()
	now := e.current()
	if now == nil {
		if now, err = e.open(ctx); err != nil {
			return nil, nil, err
		}
	}
	var once sync.Once
	return now, func() { once.Do(func() { e.release(now) }) }, nil
}

// closeStale has an engine renewed where the user has written settings, confirmed or withdrawn them, in another process
// since it was opened. e.opening is held.
func (e *engines) closeStale() {
	e.mu.Lock()
	now := e.now
	e.mu.Unlock()
	if now != nil && now.Stale != nil && now.Stale() { // it reads a file: not under the lock
		e.renew()
	}
}

// open opens an engine. e.opening is held.
func (e *engines) open(ctx context.Context) (*Engine, error) {
	dirs := e.folders.dirs()
	e.mu.Lock()
	e.stale = false
	e.mu.Unlock()
	now, err := e.backend(ctx, dirs, e.settings(), e.face)
	if err != nil {
		e.ed.Log.Warn("the workspace cannot be opened", "error", err)
		return nil, err
	}
	e.mu.Lock()
	e.now, e.users, e.gone, e.opened = now, 1, make(chan struct{}), dirs
	// Under the lock, as in feed: what the user types meanwhile comes after it.
	for _, doc := range e.docs.snapshot() {
		openBuffer(now, doc)
	}
	e.mu.Unlock()
	e.tellProblems(now.Problems)
	e.ed.Log.Info("the workspace is open", "folders", len(dirs))
	return now, nil
}

// useAll is use for new work, which has to have all of the client's folders: where one was added that the engine does
// not have, it waits for the engine to be closed, if no task works with it, and opens another.
func (e *engines) useAll(ctx context.Context, working func() bool) (*Engine, func(), error) {
	for {
		now, release, err := e.use(ctx)
		if err != nil {
			return nil, nil, err
		}
		missing := e.errAdded()
		if missing == nil {
			return now, release, nil
		}
		release()
		if working() || !e.freed(ctx) {
			return nil, nil, missing
		}
	}
}

// errAdded returns an error if a folder was added that the engine does not have, because it is in use.
func (e *engines) errAdded() error {
	dirs := e.folders.dirs()
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, dir := range dirs {
		if !slices.Contains(e.opened, dir) {
			return fmt.Errorf("the folder %s was added while a task works, and its files can be used when that has ended: start this then, or stop the other task with %s", dir, cmdStop)
		}
	}
	return nil
}

// freed waits until the engine is closed, for which its last user has to be done with it, and reports whether it is.
func (e *engines) freed(ctx context.Context) bool {
	e.mu.Lock()
	now, gone := e.now, e.gone
	e.mu.Unlock()
	if now == nil {
		return true
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer e.ed.Clock.After(freeTime, cancel)()
	select {
	case <-gone:
		return true
	case <-ctx.Done():
		return false
	}
}

// standing returns what stands in the store: from the engine where one is open, which owns it, else by
// read. None is opened meanwhile, which would be kept from the store by this very process.
func (e *engines) standing(dirs []string, read func(dirs []string) ([]agent.Standing, error)) ([]agent.Standing, error) {
	e.opening.Lock()
	defer e.opening.Unlock()
	if a := e.agent(); a != nil {
		return a.Standing()
	}
	return read(dirs)
}

// settings returns what the client has set: until it was asked, only its
// initialization options.
func (e *engines) settings() []setting.Layer {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.layers == nil {
		return e.decode([]layer{{setting.Editor, e.config.options}})
	}
	return slices.Clone(e.layers)
}

// tellProblems shows the user what is wrong with the settings, each list once, and each value
// that waits to be confirmed once a session.
func (e *engines) tellProblems(list []setting.Problem) {
	var others, waiting []setting.Problem
	e.mu.Lock()
	for _, p := range list {
		if p.Once == "" {
			others = append(others, p)
		} else if !e.waiting[p.Once] {
			e.waiting[p.Once] = true
			waiting = append(waiting, p)
		}
	}
	told := problemText(others)
	if told == e.told {
		others = nil
	}
	e.told = told
	e.mu.Unlock()
	for _, text := range []string{problemText(others), setting.Waiting(waiting)} {
		if text != "" {
			e.ed.showMessage(protocol.MessageTypeWarning, text)
		}
	}
}

func problemText(list []setting.Problem) string {
	var lines []string
	for _, p := range list {
		if !p.Quiet {
			lines = append(lines, p.String())
		}
	}
	return strings.Join(lines, "\n")
}

// release ends one use.
func (e *engines) release(used *Engine) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.now != used {
		return // closed at the server's end
	}
	if e.users--; e.users > 0 {
		return
	}
	if e.stale && !e.inUse() {
		e.close()
		return
	}
	e.rest(used)
}

// inUse reports whether something uses the engine: this editor, or another process that has asked it
// for something. e.mu is held.
func (e *engines) inUse() bool {
	return e.users > 0 || e.now != nil && len(e.now.Agent.Working()) > 0
}

// rest closes an engine that nothing uses, in a while. e.mu is held.
func (e *engines) rest(unused *Engine) {
	e.idle = e.ed.Clock.After(idleTime, func() {
		e.mu.Lock()
		defer e.mu.Unlock()
		switch {
		case e.now != unused || e.users > 0:
		case e.inUse():
			e.rest(unused)
		default:
			e.close()
		}
	})
}

// close closes the engine. e.mu is held.
func (e *engines) close() {
	now := e.now
	e.now, e.users = nil, 0
	if now == nil {
		return
	}
	defer close(e.gone)
	if err := now.Close(); err != nil {
		e.ed.Log.Error("closing the workspace failed", "error", err)
	}
}

// end closes the engine at the server's end, even if it is in use.
func (e *engines) end() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.close()
}

// renew makes the next use open a new engine, because the settings or the folders
// have changed. Tasks under way keep the old one to their end.
func (e *engines) renew() {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.now == nil {
		return
	}
	if e.stale = true; !e.inUse() {
		e.close()
	}
}

// configure takes the client's settings. news reports that they are the first or
// differ from those before; the error names the settings that are wrong. Whether they
// may count shows when they are merged with the others.
func (e *engines) configure(given []layer) (news bool, err error) {
	layers := e.decode(given)
	e.mu.Lock()
	first, changed := e.layers == nil, !slices.EqualFunc(e.layers, layers, sameLayer)
	e.layers = layers
	e.mu.Unlock()
	if changed {
		e.renew()
	}
	if wrong := setting.Check(layers...); len(wrong) > 0 {
		err = errors.New(problemText(wrong))
	}
	return first || changed, err
}

// decode reads what the client set.
func (e *engines) decode(given []layer) []setting.Layer {
	layers, client := []setting.Layer{}, ""
	if e.ed.client.Name != "" {
		client = brief(e.ed.client.String())
	}
	for _, l := range given {
		if len(l.JSON) > 0 {
			layers = append(layers, setting.Decode(l.Origin, client, withoutClients(l.JSON)))
		}
	}
	return layers
}

func sameLayer(a, b setting.Layer) bool {
	return a.Origin == b.Origin && fmt.Sprint(a.Values, a.Problems) == fmt.Sprint(b.Values, b.Problems)
}

// feed tells the workspace what the editor shows of a document now. It may be
// called anywhere, also on the read loop: it looks at a few links on disk.
func (e *engines) feed(u uri.URI) {
	e.mu.Lock()
	defer e.mu.Unlock()
	now := e.now
	if now == nil {
		return
	}
	if doc := e.docs.get(u); doc != nil {
		openBuffer(now, doc)
		return
	}
	if file, ok := fileOf(u); ok {
		if path, err := now.Agent.Workspace.Rel(file); err == nil {
			now.Agent.Workspace.CloseBuffer(path)
		}
	}
}

// openBuffer hands a document to the workspace. If its changes could not be followed,
// the workspace keeps its last good text: the text on disk is not what the user sees
// either.
func openBuffer(e *Engine, doc *document) {
	file, ok := doc.file()
	if !ok || doc.Broken != "" {
		return
	}
	if path, err := e.Agent.Workspace.Rel(file); err == nil {
		e.Agent.Workspace.OpenBuffer(path, doc.Text, doc.Version)
	}
}

// path returns how the workspace names a document's file; false for a file outside
// the client's folders, and while no engine is open.
func (e *engines) path(u uri.URI) (string, bool) {
	a := e.agent()
	file, ok := fileOf(u)
	if a == nil || !ok {
		return "", false
	}
	path, err := a.Workspace.Rel(file)
	return path, err == nil
}
