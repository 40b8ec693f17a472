package lsp

import (
	"maps"
	"slices"
	"sync"

	"caselsp/agent"
	"caselsp/agent/record"
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
	ed          *editor
	engines     *engines
	judgement   *judgement
	diagnostics *diagnostics

	mu    sync.Mutex
	tasks map[string]map[uri.URI]string
}

// hear takes in an event of a task. It runs on the task's goroutine: a
// task has just parsed what it staged and can wait for one more parse.
func (l *stagedFiles) hear(e agent.Event) {
	id := e.Status.Task.ID
	switch b := e.Body.(type) {
	case record.ActionDone:
		l.mark(id, b.Staged)
	case record.FeatureEnded:
		l.mark(id, b.Staged)
	case record.Rebased:
		l.mark(id, &b.Staged)
	case record.Linted:
		l.markLinted(id, b)
	}
}

// mark checks the files whose staged content is another one than before.
// nil means that nothing changed.
func (l *stagedFiles) mark(task string, now *record.Staged) {
	a := l.engines.agent()
	if now == nil || a == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	before, after := l.tasks[task], map[uri.URI]string{}
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
			l.ed.Log.Warn("staged content cannot be read", "file", f.Path, "error", err)
			continue
		}
		l.diagnostics.mark(fromStaged+task, u, l.findings(f.Path, data))
		l.diagnostics.retract(fromStaged+task+byLinters, u)
	}
	for u := range before {
		if _, ok := after[u]; !ok {
			l.diagnostics.mark(fromStaged+task, u, nil)
			l.diagnostics.retract(fromStaged+task+byLinters, u)
		}
	}
	l.tasks[task] = after
}

// findings returns the diagnostics of a staged file. A file that is not text has none.
func (l *stagedFiles) findings(path string, data []byte) []protocol.Diagnostic {
	text, _, err := workspace.Decode(data)
	if err != nil {
		return nil
	}
	return l.asStaged(l.judgement.alone(path, text), text)
}

// asStaged returns findings in a staged text as diagnostics.
func (l *stagedFiles) asStaged(found []validate.Finding, text string) []protocol.Diagnostic {
	list := l.diagnostics.diagnosticsOf(found, newMapper(text, l.ed.client.Encoding))
	for i, d := range list {
		list[i].Message = protocol.String(stagedPrefix + messageOf(d))
	}
	return list
}

// markLinted shows what linters say of the staged files that are still as they
// were when they looked.
func (l *stagedFiles) markLinted(task string, b record.Linted) {
	a := l.engines.agent()
	if a == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for path, hash := range b.Files {
		file, err := a.Workspace.Abs(path)
		if u := uri.File(file); err == nil && l.tasks[task][u] == hash {
			data, err := a.Store.Blob(hash)
			text, _, undecoded := workspace.Decode(data)
			if err != nil || undecoded != nil {
				continue
			}
			found := slices.DeleteFunc(slices.Clone(b.Findings), func(f validate.Finding) bool { return f.Path != path })
			l.diagnostics.mark(fromStaged+task+byLinters, u, l.asStaged(found, text))
		}
	}
}

// unmark takes the diagnostics of a task away: it does not run any more,
// however it ended.
func (l *stagedFiles) unmark(task string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, u := range slices.Collect(maps.Keys(l.tasks[task])) {
		l.diagnostics.mark(fromStaged+task, u, nil)
		l.diagnostics.retract(fromStaged+task+byLinters, u)
	}
	delete(l.tasks, task)
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
