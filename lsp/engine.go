package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"caselsp/agent"
	setting "caselsp/agent/settings"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"
)

// Backend puts together what works on the client's folders. dirs are absolute,
// layers what the client set, user whom the agent asks. Its error is shown to the
// user; it is called again when something is asked for the next time.
type Backend func(ctx context.Context, dirs []string, layers []setting.Layer, user agent.User) (*Engine, error)

// Engine is what a Backend put together.
type Engine struct {
	Agent    *agent.Agent
	Settings setting.Settings
	Problems []setting.Problem                // shown to the user
	Doctor   func(ctx context.Context) string // what is well and what is not, in lines; may be nil
	Close    func() error
}

// idleTime is how long an engine is kept when nothing uses it. Its store belongs
// to one process: other editors and the terminal should not have to wait for the
// end of this one.
const idleTime = time.Minute

// errNoBackend is what a server without a backend answers.
var errNoBackend = errors.New("this server carries out no tasks")

// engines open the engine when something needs it, and close it when nothing
// does: an editor that is only open keeps nobody from the store.
type engines struct {
	opening sync.Mutex // held while one is opened

	mu     sync.Mutex
	now    *Engine
	users  int
	stale  bool // made of settings or folders that have changed: closed when its last user is done
	idle   func() bool
	layers []setting.Layer
	told   string // problems that the user was shown
}

// agent returns the agent, nil while there is none.
func (e *engines) agent() *agent.Agent {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.now == nil {
		return nil
	}
	return e.now.Agent
}

// use returns the engine where there is one.
func (e *engines) use() *Engine {
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

// engine returns what works on the client's folders and opens it if need be.
// Whoever gets it calls release when done with it.
func (s *server) engine(ctx context.Context) (_ *Engine, release func(), err error) {
	if s.opts.Backend == nil {
		return nil, nil, errNoBackend
	}
	e := &s.engines
	e.opening.Lock()
	defer e.opening.Unlock()
	now := e.use()
	if now == nil {
		if now, err = s.openEngine(ctx); err != nil {
			return nil, nil, err
		}
	}
	var once sync.Once
	return now, func() { once.Do(func() { s.releaseEngine(now) }) }, nil
}

// openEngine opens one. e.opening is held.
func (s *server) openEngine(ctx context.Context) (*Engine, error) {
	e := &s.engines
	var dirs []string
	for _, r := range s.folders.all() {
		dirs = append(dirs, r.Dir)
	}
	e.mu.Lock()
	e.stale = false
	e.mu.Unlock()
	now, err := s.opts.Backend(ctx, dirs, e.settings(s.settings.options), asker{s})
	if err != nil {
		s.conn.Log.Warn("the workspace cannot be worked on", "error", err)
		return nil, err
	}
	e.mu.Lock()
	e.now, e.users = now, 1
	// Under the lock, as in feed: what the user types meanwhile comes after it.
	for _, doc := range s.docs.snapshot() {
		openBuffer(now, doc)
	}
	e.mu.Unlock()
	s.tellProblems(now.Problems)
	s.conn.Log.Info("the workspace is open", "folders", len(dirs))
	return now, nil
}

// settings returns what the client set; as long as it has not been asked, that
// is what it said at first.
func (e *engines) settings(options json.RawMessage) []setting.Layer {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.layers == nil {
		return decodeLayers([]layer{{fromOptions, options}})
	}
	return slices.Clone(e.layers)
}

// tellProblems shows what is wrong with the settings, each list once.
func (s *server) tellProblems(list []setting.Problem) {
	text := problemText(list)
	s.engines.mu.Lock()
	news := text != "" && text != s.engines.told
	s.engines.told = text
	s.engines.mu.Unlock()
	if news {
		s.showMessage(protocol.MessageTypeWarning, text)
	}
}

func problemText(list []setting.Problem) string {
	text := ""
	for i, p := range list {
		if i > 0 {
			text += "\n"
		}
		text += p.String()
	}
	return text
}

// releaseEngine ends one use.
func (s *server) releaseEngine(used *Engine) {
	e := &s.engines
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.now != used {
		return // closed at the server's end
	}
	if e.users--; e.users > 0 {
		return
	}
	if e.stale {
		s.closeEngine()
		return
	}
	e.idle = s.conn.Clock.After(idleTime, func() {
		e.mu.Lock()
		defer e.mu.Unlock()
		if e.now == used && e.users == 0 {
			s.closeEngine()
		}
	})
}

// closeEngine closes the engine. e.mu is held.
func (s *server) closeEngine() {
	e := &s.engines
	now := e.now
	e.now, e.users = nil, 0
	if now == nil {
		return
	}
	if err := now.Close(); err != nil {
		s.conn.Log.Error("the workspace was not closed in order", "error", err)
	}
}

// endEngine closes the engine at the server's end, whoever uses it.
func (s *server) endEngine() {
	s.engines.mu.Lock()
	defer s.engines.mu.Unlock()
	s.closeEngine()
}

// renewEngine has the next use open another engine, as the settings or the
// folders are others now. Tasks under way keep theirs to their end.
func (s *server) renewEngine() {
	e := &s.engines
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.now == nil {
		return
	}
	if e.stale = true; e.users == 0 {
		s.closeEngine()
	}
}

// configureEngine takes the client's settings. Its error names those that are wrong.
func (s *server) configureEngine(_ context.Context, given []layer) error {
	layers := decodeLayers(given)
	e := &s.engines
	e.mu.Lock()
	first, changed := e.layers == nil, !slices.EqualFunc(e.layers, layers, sameLayer)
	e.layers = layers
	e.mu.Unlock()
	if changed {
		s.renewEngine()
	}
	if changed || first {
		s.readFolders(true)
	}
	if _, wrong := setting.Merge(layers...); len(wrong) > 0 {
		return errors.New(problemText(wrong))
	}
	return nil
}

// decodeLayers reads what the client set.
func decodeLayers(given []layer) []setting.Layer {
	layers := []setting.Layer{}
	for _, l := range given {
		origin, place := setting.Configuration, ""
		if l.Origin == fromOptions {
			origin = setting.Editor
		}
		if len(l.JSON) > 0 {
			layers = append(layers, setting.Decode(origin, place, l.JSON))
		}
	}
	return layers
}

func sameLayer(a, b setting.Layer) bool {
	return a.Origin == b.Origin && fmt.Sprint(a.Values, a.Problems) == fmt.Sprint(b.Values, b.Problems)
}

// feed tells the workspace what the editor shows of a document now. It may be
// called anywhere, also on the read loop: it looks at a few links on disk.
func (s *server) feed(u uri.URI) {
	s.engines.mu.Lock()
	defer s.engines.mu.Unlock()
	now := s.engines.now
	if now == nil {
		return
	}
	if doc := s.docs.get(u); doc != nil {
		openBuffer(now, doc)
		return
	}
	if file, ok := fileOf(u); ok {
		if path, err := now.Agent.Workspace.Rel(file); err == nil {
			now.Agent.Workspace.CloseBuffer(path)
		}
	}
}

// openBuffer hands a document to the workspace. A document that is out of step
// stays what it was: the text on disk is not what the user sees either.
func openBuffer(e *Engine, doc *document) {
	file, ok := doc.file()
	if !ok || doc.Broken != "" {
		return
	}
	if path, err := e.Agent.Workspace.Rel(file); err == nil {
		e.Agent.Workspace.OpenBuffer(path, doc.Text, doc.Version)
	}
}
