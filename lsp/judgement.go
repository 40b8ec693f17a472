package lsp

import (
	"context"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"caselsp/agent"
	setting "caselsp/agent/settings"
	"caselsp/agent/validate"
	"caselsp/agent/workspace"
	"caselsp/lsp/wire"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"
)

// Validators are how documents are judged.
type Validators struct {
	Suite     validate.Suite
	Workspace *workspace.Workspace // the client's folders, which are closed with the server; nil: documents are judged alone
	Problems  []setting.Problem    // shown to the user
}

// judgement is what the validators know of the client's folders: each document
// is judged as a file of its project. Until the folders are read, which takes a
// second or two of a large project, and where there are none, documents are
// judged alone.
type judgement struct {
	mu       sync.Mutex
	suite    validate.Suite
	in       *agent.Inspection // nil: documents are judged alone
	w        *workspace.Workspace
	tooLarge bool // the folders are no single project
	busy     bool // the folders are being read, or it was a moment ago
	disk     bool // they are to be read again
	settings bool // with the settings
}

// readPause is the least time between two readings of the folders: a build
// writes hundreds of files one by one.
const readPause = time.Second

// installJudgement adds the reading of the folders.
func (s *server) installJudgement() {
	s.judgement.suite = validate.Default()
	s.hooks.saved = func(doc *document) {
		file, _ := doc.file()
		s.readFolders(filepath.Base(file) == setting.RepositoryFile)
	}
	s.changed = append(s.changed, s.tellProject)
	wire.OnNotification(s.conn, protocol.MethodWorkspaceDidChangeWatchedFiles, func(p *protocol.DidChangeWatchedFilesParams) error {
		renewed := slices.ContainsFunc(p.Changes, func(e protocol.FileEvent) bool {
			file, _ := fileOf(e.URI)
			return filepath.Base(file) == setting.RepositoryFile
		})
		s.readFolders(renewed)
		return nil
	})
}

// watchFiles asks the client to tell what changes on disk. Files that no rule
// asks for are watched too: a link may lead to any.
func (s *server) watchFiles() {
	if !s.client.WatchFiles || s.opts.Validators == nil {
		return
	}
	s.conn.Go("registering for files", func(ctx context.Context) error {
		params := &protocol.RegistrationParams{Registrations: []protocol.Registration{{
			ID: Name + "-files", Method: protocol.MethodWorkspaceDidChangeWatchedFiles,
			RegisterOptions: protocol.LSPAny(`{"watchers":[{"globPattern":"**/*"}]}`),
		}}}
		_, err := wire.Request[protocol.LSPAny](ctx, s.conn, registerTime, protocol.MethodClientRegisterCapability, params)
		return err
	})
}

// readFolders has the folders read, once at a time; with the settings where these
// may be others. It may be called on the read loop.
func (s *server) readFolders(settings bool) {
	if s.opts.Validators == nil {
		return
	}
	j := &s.judgement
	j.mu.Lock()
	defer j.mu.Unlock()
	j.disk, j.settings = j.disk || !j.tooLarge, j.settings || settings
	if !j.busy && (j.disk || j.settings) {
		s.startReading()
	}
}

// startReading reads the folders, and again if that was asked for meanwhile.
// s.judgement.mu is held.
func (s *server) startReading() {
	j := &s.judgement
	settings := j.settings
	j.busy, j.disk, j.settings = true, false, false
	s.conn.Go("reading the folders", func(ctx context.Context) error {
		start := s.conn.Clock.Now()
		defer func() {
			// A project that takes long to read is left alone as long.
			s.conn.Clock.After(max(readPause, s.conn.Clock.Now().Sub(start)), func() {
				j.mu.Lock()
				defer j.mu.Unlock()
				if j.busy = false; j.disk || j.settings {
					s.startReading()
				}
			})
		}()
		return s.readOnce(ctx, settings)
	})
}

// readOnce reads the folders, or what changed of them.
func (s *server) readOnce(ctx context.Context, settings bool) error {
	j := &s.judgement
	j.mu.Lock()
	in := j.in
	j.mu.Unlock()
	if in != nil && !settings {
		affected, err := in.Refresh(ctx)
		s.judgeAgain(in, affected)
		return err
	}
	var dirs []string
	for _, r := range s.folders.all() {
		dirs = append(dirs, r.Dir)
	}
	v, err := s.opts.Validators(dirs, s.engines.settings(s.settings.options))
	if err != nil {
		return err
	}
	s.tellProblems(v.Problems)
	s.useValidators(v.Suite, nil, nil)
	if v.Workspace == nil {
		return nil
	}
	for _, doc := range s.docs.snapshot() {
		if file, ok := doc.file(); ok && doc.Broken == "" {
			if path, err := v.Workspace.Rel(file); err == nil {
				v.Workspace.OpenBuffer(path, doc.Text, doc.Version)
			}
		}
	}
	in, err = agent.Inspect(ctx, v.Workspace, v.Suite)
	j.mu.Lock()
	j.tooLarge = errors.Is(err, agent.ErrTooManySources)
	j.mu.Unlock()
	if err != nil {
		return errors.Join(fmt.Errorf("documents are judged alone: %w", err), v.Workspace.Close())
	}
	s.useValidators(v.Suite, in, v.Workspace)
	return nil
}

// useValidators has all documents judged anew.
func (s *server) useValidators(suite validate.Suite, in *agent.Inspection, w *workspace.Workspace) {
	j := &s.judgement
	j.mu.Lock()
	old := j.w
	j.suite, j.in, j.w = suite, in, w
	j.mu.Unlock()
	if old != nil {
		if err := old.Close(); err != nil {
			s.conn.Log.Warn("a folder was not closed in order", "error", err)
		}
	}
	s.judgeAgain(nil, nil)
}

// endJudgement leaves the folders alone.
func (s *server) endJudgement() {
	j := &s.judgement
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.w != nil {
		_ = j.w.Close()
		j.in, j.w = nil, nil
	}
}

// judgeAgain has open documents checked again: those of the files, or all where
// in is nil. Clients that pull are told to.
func (s *server) judgeAgain(in *agent.Inspection, files []string) {
	pulled := false
	for _, doc := range s.docs.snapshot() {
		if in != nil {
			if path, ok := pathIn(in, doc); !ok || !slices.Contains(files, path) {
				continue
			}
		}
		pulled = true
		s.diagnostics.mu.Lock()
		m := s.diagnostics.of(doc.URI)
		m.stale = true
		m.round++
		s.diagnostics.mu.Unlock()
		s.checkSoon(doc)
	}
	if pulled && s.client.PullDiagnostics {
		s.conn.Go("having diagnostics pulled again", func(ctx context.Context) error {
			s.refreshDiagnostics(ctx)
			return nil
		})
	}
}

// pathIn returns how a project names a document's file; false where it is none of its.
func pathIn(in *agent.Inspection, doc *document) (string, bool) {
	file, ok := doc.file()
	if !ok {
		return "", false
	}
	path, err := in.Rel(file)
	return path, err == nil
}

// judge returns what the validators find in a document, as it is now: with the
// project where it is one of its files.
func (s *server) judge(doc *document) []validate.Finding {
	j := &s.judgement
	j.mu.Lock()
	in, suite := j.in, j.suite
	j.mu.Unlock()
	if in != nil {
		if path, ok := s.open(in, doc); ok {
			return in.Findings(path)
		}
	}
	return suite.Check(doc.kind(), doc.Text)
}

// tellProject puts what the editor shows into the project where no check does
// that by itself: a client that pulls may never ask for this document.
func (s *server) tellProject(doc *document) {
	j := &s.judgement
	j.mu.Lock()
	in := j.in
	j.mu.Unlock()
	if in == nil || !s.client.PullDiagnostics {
		return
	}
	s.conn.Go("taking in a change", func(context.Context) error {
		if doc := s.docs.get(doc.URI); doc != nil && doc.Broken == "" {
			s.open(in, doc)
		}
		return nil
	})
}

// open puts a document into the project and has those judged again that depend
// on it; false where it is no file of the project's.
func (s *server) open(in *agent.Inspection, doc *document) (file string, ok bool) {
	file, ok = pathIn(in, doc)
	if !ok || path.Ext(file) != path.Ext(doc.kind()) { // the editor knows better what it is
		return "", false
	}
	affected := slices.DeleteFunc(in.Open(file, doc.Text, doc.Version), func(p string) bool { return p == file })
	if len(affected) > 0 {
		s.judgeAgain(in, affected)
	}
	return file, true
}

// unjudge has a document that was closed judged as it is on disk by those that
// depend on it.
func (s *server) unjudge(u uri.URI) {
	j := &s.judgement
	j.mu.Lock()
	in := j.in
	j.mu.Unlock()
	if in == nil {
		return
	}
	s.conn.Go("reading a closed file", func(context.Context) error {
		file, ok := fileOf(u)
		if path, err := in.Rel(file); ok && err == nil && s.docs.get(u) == nil {
			s.judgeAgain(in, in.Shut(path))
		}
		return nil
	})
}
