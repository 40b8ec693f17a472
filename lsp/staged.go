package lsp

import (
	"maps"
	"slices"
	"sync"

	"caselsp/agent"
	"caselsp/agent/validate"
	"caselsp/agent/workspace"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"
)

// stagedPrefix begins the message of a diagnostic of what a task has staged: the
// text that it is about is not the one that the user sees.
const stagedPrefix = "staged: "

// byLinters ends the source of what linters say of what a task has staged.
const byLinters = " linters"

// stagedFiles are the files that each running task has staged, by content hash,
// so that only those that changed are checked again.
type stagedFiles struct {
	mu    sync.Mutex
	tasks map[string]map[uri.URI]string
}

// installStaged adds the checking of what tasks stage.
func (s *server) installStaged() {
	s.staged.tasks = make(map[string]map[uri.URI]string)
	s.events = append(s.events, s.hearStaged)
}

// hearStaged takes in an event of a task. It runs on the task's goroutine: a
// task has just parsed what it staged and can wait for one more parse.
func (s *server) hearStaged(e agent.Event) {
	id := e.Status.Task.ID
	switch b := e.Body.(type) {
	case agent.ActionDone:
		s.markStaged(id, b.Staged)
	case agent.FeatureEnded:
		s.markStaged(id, b.Staged)
	case agent.Rebased:
		s.markStaged(id, &b.Staged)
	case agent.Linted:
		s.markLinted(id, b)
	}
}

// markStaged checks the files whose staged content is another one than before.
// nil means that nothing changed.
func (s *server) markStaged(task string, now *agent.Staged) {
	a := s.agentOf()
	if now == nil || a == nil {
		return
	}
	s.staged.mu.Lock()
	defer s.staged.mu.Unlock()
	before, after := s.staged.tasks[task], map[uri.URI]string{}
	for _, f := range now.Files {
		file, err := a.Workspace.Abs(f.Path)
		if f.Now == nil || err != nil {
			continue
		}
		u := uri.File(file)
		after[u] = f.Now.Hash
		if before[u] == f.Now.Hash {
			continue
		}
		data, err := a.Store.Blob(f.Now.Hash)
		if err != nil {
			s.conn.Log.Warn("staged content cannot be read", "file", f.Path, "error", err)
			continue
		}
		s.mark(fromStaged+task, u, s.stagedFindings(f.Path, data))
		s.retract(fromStaged+task+byLinters, u)
	}
	for u := range before {
		if _, ok := after[u]; !ok {
			s.mark(fromStaged+task, u, nil)
			s.retract(fromStaged+task+byLinters, u)
		}
	}
	s.staged.tasks[task] = after
}

// stagedFindings returns the diagnostics of a staged file. What is no text has none.
func (s *server) stagedFindings(path string, data []byte) []protocol.Diagnostic {
	text, _, err := workspace.Decode(data)
	if err != nil {
		return nil
	}
	s.judgement.mu.Lock()
	suite := s.judgement.suite
	s.judgement.mu.Unlock()
	return s.asStaged(suite.Check(path, text), text)
}

// asStaged returns findings in a staged text as diagnostics.
func (s *server) asStaged(found []validate.Finding, text string) []protocol.Diagnostic {
	list := s.diagnosticsOf(found, newMapper(text, s.client.Encoding))
	for i, d := range list {
		list[i].Message = protocol.String(stagedPrefix + messageOf(d))
	}
	return list
}

// markLinted shows what linters say of the staged files that are still as they
// were when they looked.
func (s *server) markLinted(task string, b agent.Linted) {
	a := s.agentOf()
	if a == nil {
		return
	}
	s.staged.mu.Lock()
	defer s.staged.mu.Unlock()
	for path, hash := range b.Files {
		file, err := a.Workspace.Abs(path)
		if u := uri.File(file); err == nil && s.staged.tasks[task][u] == hash {
			data, err := a.Store.Blob(hash)
			text, _, undecoded := workspace.Decode(data)
			if err != nil || undecoded != nil {
				continue
			}
			found := slices.DeleteFunc(slices.Clone(b.Findings), func(f validate.Finding) bool { return f.Path != path })
			s.mark(fromStaged+task+byLinters, u, s.asStaged(found, text))
		}
	}
}

// unmarkStaged takes the diagnostics of a task away: it does not run any more,
// however it ended.
func (s *server) unmarkStaged(task string) {
	s.staged.mu.Lock()
	defer s.staged.mu.Unlock()
	for _, u := range slices.Collect(maps.Keys(s.staged.tasks[task])) {
		s.mark(fromStaged+task, u, nil)
		s.retract(fromStaged+task+byLinters, u)
	}
	delete(s.staged.tasks, task)
}

// messageOf returns the message of a diagnostic, plain or marked up.
func messageOf(d protocol.Diagnostic) string {
	switch m := d.Message.(type) {
	case protocol.String:
		return string(m)
	case *protocol.MarkupContent:
		return m.Value
	}
	return ""
}
