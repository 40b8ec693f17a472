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
	"caselsp/agent/validate/rules"
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
// second or two for a large project, and without a folder, documents are judged
// alone.
type judgement struct {
	validators func(dirs []string, layers []setting.Layer) (*Validators, error) // nil: documents are judged alone
	ed         *editor
	docs       *documents
	folders    *folders
	engines    *engines // for the client's settings

	// again hears which open documents are judged differently now, and known that the folders
	// were read with the settings.
	again func(docs []*document)
	known func()

	telling sync.Mutex // held while a document is passed to the project: an older text never follows a newer one

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

// install has the folders read again when the files on disk change.
func (j *judgement) install() {
	j.suite = rules.Default()
	j.docs.saved = append(j.docs.saved, func(doc *document) {
		file, _ := doc.file()
		j.read(filepath.Base(file) == setting.RepositoryFile)
	})
	j.docs.changed = append(j.docs.changed, j.changed)
	j.docs.closed = append(j.docs.closed, func(doc *document) { j.shut(doc.URI) })
	wire.OnNotification(j.ed.Conn, protocol.MethodWorkspaceDidChangeWatchedFiles, func(p *protocol.DidChangeWatchedFilesParams) error {
		renewed := slices.ContainsFunc(p.Changes, func(e protocol.FileEvent) bool {
			file, _ := fileOf(e.URI)
			return filepath.Base(file) == setting.RepositoryFile
		})
		j.read(renewed)
		return nil
	})
}

// watch asks the client to tell what changes on disk. Files that no rule
// asks for are watched too: a link may lead to any.
func (j *judgement) watch() {
	if !j.ed.client.WatchFiles || j.validators == nil {
		return
	}
	j.ed.Go("registering for files", func(ctx context.Context) error {
		params := &protocol.RegistrationParams{Registrations: []protocol.Registration{{
			ID: Name + "-files", Method: protocol.MethodWorkspaceDidChangeWatchedFiles,
			RegisterOptions: protocol.LSPAny(`{"watchers":[{"globPattern":"**/*"}]}`),
		}}}
		_, err := wire.Request[protocol.LSPAny](ctx, j.ed.Conn, registerTime, protocol.MethodClientRegisterCapability, params)
		return err
	})
}

// read has the folders read, once at a time; with the settings where these
// may be others. It may be called on the read loop.
func (j *judgement) read(settings bool) {
	if j.validators == nil {
		return
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.disk, j.settings = j.disk || !j.tooLarge, j.settings || settings
	if !j.busy && (j.disk || j.settings) {
		j.start()
	}
}

// start reads the folders, and again if that was asked for meanwhile.
// j.mu is held.
func (j *judgement) start() {
	settings := j.settings
	j.busy, j.disk, j.settings = true, false, false
	j.ed.Go("reading the folders", func(ctx context.Context) error {
		start := j.ed.Clock.Now()
		defer func() {
			// A project that takes long to read is left alone as long.
			j.ed.Clock.After(max(readPause, j.ed.Clock.Now().Sub(start)), func() {
				j.mu.Lock()
				defer j.mu.Unlock()
				if j.busy = false; j.disk || j.settings {
					j.start()
				}
			})
		}()
		return j.readOnce(ctx, settings)
	})
}

// readOnce reads the folders, or what changed of them.
func (j *judgement) readOnce(ctx context.Context, settings bool) error {
	j.mu.Lock()
	in := j.in
	j.mu.Unlock()
	if in != nil && !settings {
		affected, err := in.Refresh(ctx)
		j.judgeAgain(in, affected)
		return err
	}
	v, err := j.validators(j.folders.dirs(), j.engines.settings())
	if err != nil {
		return err
	}
	j.engines.tellProblems(v.Problems)
	j.use(v.Suite, nil, nil)
	if v.Workspace == nil {
		return nil
	}
	read := j.docs.snapshot()
	for _, doc := range read {
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
	defer j.known()
	if err != nil {
		return errors.Join(fmt.Errorf("documents are judged alone: %w", err), v.Workspace.Close())
	}
	j.use(v.Suite, in, v.Workspace)
	j.catchUp(in, read)
	return nil
}

// catchUp tells the project of the documents that were opened, changed or closed
// since it was read, with those of a snapshot: it could not be told before.
func (j *judgement) catchUp(in *agent.Inspection, read snapshot) {
	now := j.docs.snapshot()
	for u, doc := range now {
		if read[u] != doc && doc.Broken == "" {
			j.open(in, doc)
		}
	}
	for u := range read {
		if now[u] == nil {
			j.close(in, u)
		}
	}
}

// use has all documents judged anew.
func (j *judgement) use(suite validate.Suite, in *agent.Inspection, w *workspace.Workspace) {
	j.mu.Lock()
	old := j.w
	j.suite, j.in, j.w = suite, in, w
	j.mu.Unlock()
	if old != nil {
		if err := old.Close(); err != nil {
			j.ed.Log.Warn("closing a folder failed", "error", err)
		}
	}
	j.judgeAgain(nil, nil)
}

// end leaves the folders alone.
func (j *judgement) end() {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.w != nil {
		_ = j.w.Close()
		j.in, j.w = nil, nil
	}
}

// judgeAgain has open documents judged again: those of the given files, or all if
// in is nil.
func (j *judgement) judgeAgain(in *agent.Inspection, files []string) {
	var changed []*document
	for _, doc := range j.docs.snapshot() {
		if in != nil {
			if path, ok := pathIn(in, doc); !ok || !slices.Contains(files, path) {
				continue
			}
		}
		changed = append(changed, doc)
	}
	if len(changed) > 0 {
		j.again(changed)
	}
}

// pathIn returns how a project names a document's file; false if the file is not part
// of the project.
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
func (j *judgement) judge(doc *document) []validate.Finding {
	j.mu.Lock()
	in, suite := j.in, j.suite
	j.mu.Unlock()
	if in != nil {
		if path, ok := j.open(in, doc); ok {
			return in.Findings(path)
		}
	}
	return suite.Check(doc.kind(), doc.Text)
}

// alone returns what the validators find in a text, judged alone.
func (j *judgement) alone(path, text string) []validate.Finding {
	j.mu.Lock()
	suite := j.suite
	j.mu.Unlock()
	return suite.Check(path, text)
}

// changed puts what the editor shows into the project where no check does
// that by itself: a client that pulls may never ask for this document.
func (j *judgement) changed(doc *document) {
	j.mu.Lock()
	in := j.in
	j.mu.Unlock()
	if in == nil || !j.ed.client.PullDiagnostics {
		return
	}
	j.ed.Go("taking in a change", func(context.Context) error {
		if doc := j.docs.get(doc.URI); doc != nil && doc.Broken == "" {
			j.open(in, doc)
		}
		return nil
	})
}

// open puts a document into the project and has those judged again that depend
// on it; false where it is no file of the project's.
func (j *judgement) open(in *agent.Inspection, doc *document) (file string, ok bool) {
	file, ok = pathIn(in, doc)
	if !ok || path.Ext(file) != path.Ext(doc.kind()) { // the editor knows better what it is
		return "", false
	}
	j.telling.Lock()
	if j.docs.get(doc.URI) != doc {
		j.telling.Unlock()
		return "", false
	}
	affected := slices.DeleteFunc(in.Open(file, doc.Text, doc.Version), func(p string) bool { return p == file })
	j.telling.Unlock()
	if len(affected) > 0 {
		j.judgeAgain(in, affected)
	}
	return file, true
}

// shut has a document that was closed judged as it is on disk by those that
// depend on it.
func (j *judgement) shut(u uri.URI) {
	j.mu.Lock()
	in := j.in
	j.mu.Unlock()
	if in == nil {
		return
	}
	j.ed.Go("reading a closed file", func(context.Context) error { j.close(in, u); return nil })
}

// close has the project read a file from disk again, if it is not open any more.
func (j *judgement) close(in *agent.Inspection, u uri.URI) {
	file, ok := fileOf(u)
	path, err := in.Rel(file)
	if !ok || err != nil {
		return
	}
	j.telling.Lock()
	if j.docs.get(u) != nil {
		j.telling.Unlock()
		return
	}
	affected := in.Shut(path)
	j.telling.Unlock()
	j.judgeAgain(in, affected)
}
