package lsp

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"

	"caselsp/agent"
	"caselsp/agent/record"
	"caselsp/agent/workspace"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"
)

// byTests ends the source of the failing tests of a task: they are places in what it has
// staged, and outlive an open document as other findings there do.
const byTests = " tests"

// codeFailing is the code of a failing test's diagnostic.
const codeFailing = "failing-test"

// failingTests shows the tests that fail in what a task has done, each at the line that
// failed, or where that is to go in the user's text: while the task works, and as long as
// its result waits for a decision.
type failingTests struct {
	ed          *editor
	docs        *documents
	engines     *engines
	diagnostics *diagnostics

	mu    sync.Mutex
	tasks map[string]shownTests
	typed func() bool // gives up to show them anew; nil: that was never begun
}

// shownTests are the results that are shown of a task, and the files that they mark.
type shownTests struct {
	now    record.TestsNow
	marked map[uri.URI]bool
	lists  map[uri.URI][]protocol.Diagnostic
}

// hear takes in an event of a task. It runs on the task's goroutine.
func (l *failingTests) hear(e agent.Event) {
	a := l.engines.agent()
	if a == nil {
		return
	}
	now := e.Status.Tests
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.tasks[e.Status.Task.ID].now.Results != now.Results {
		l.show(e.Status.Task.ID, now, l.diagnosticsOf(a, now))
	}
}

// typing shows failing tests anew where the user changes a text in which they stand, in a moment.
func (l *failingTests) typing(doc *document) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !slices.ContainsFunc(slices.Collect(maps.Values(l.tasks)), func(s shownTests) bool { return s.marked[doc.URI] }) {
		return
	}
	l.engines.whenTyped(&l.typed, "placing failing tests", func(_ context.Context, e *Engine) error {
		l.mu.Lock()
		defer l.mu.Unlock()
		for task, shown := range maps.Clone(l.tasks) {
			if shown.marked[doc.URI] {
				l.show(task, shown.now, l.diagnosticsOf(e.Agent, shown.now))
			}
		}
		return nil
	})
}

// show replaces what is shown of a task. l.mu is held.
func (l *failingTests) show(task string, now record.TestsNow, lists map[uri.URI][]protocol.Diagnostic) {
	marked := map[uri.URI]bool{}
	for u, list := range lists {
		l.diagnostics.mark(fromStaged+task+byTests, u, list)
		marked[u] = true
	}
	for u := range l.tasks[task].marked {
		if !marked[u] {
			l.diagnostics.retract(fromStaged+task+byTests, u)
		}
	}
	if l.tasks[task] = (shownTests{now, marked, lists}); now.Results == nil {
		delete(l.tasks, task)
	}
}

// ended keeps what is shown of a task that ended with a result to decide about, and takes
// away what is shown of any other.
func (l *failingTests) ended(task string, last record.Status) {
	if last.State != record.Review && (last.State != record.Failed || len(last.Kept) == 0) {
		l.forget(task)
	}
}

// forget takes away what is shown of a task.
func (l *failingTests) forget(task string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.show(task, record.TestsNow{}, nil)
}

// diagnosticsOf returns the diagnostics of the tests that failed, by file. A test whose place
// is not known has none.
func (l *failingTests) diagnosticsOf(a *agent.Agent, now record.TestsNow) map[uri.URI][]protocol.Diagnostic {
	if now.Results == nil {
		return nil
	}
	o := a.Workspace.NewOverlay()
	defer o.Close()
	places := map[string]*placing{}
	place := func(path string) *placing {
		p, known := places[path]
		if !known {
			if found, ok := l.docs.placing(a, path, hashOf(now.On, path), textAt(a, o, now.On, path)); ok {
				p = &found
			}
			places[path] = p
		}
		return p
	}
	lists := map[uri.URI][]protocol.Diagnostic{}
	for _, t := range now.Results.Bad() {
		if t.File == "" {
			continue
		}
		p := place(t.File)
		if p == nil {
			continue
		}
		d := protocol.Diagnostic{
			Range: p.linesRange(t.Line, t.Line), Severity: p.severity(protocol.DiagnosticSeverityError), Code: protocol.String(codeFailing),
			Source: protocol.NewOptional(Name), Message: protocol.String(stagedPrefix + cut(t.Told(), maxReason)),
		}
		if h, behind := now.Results.Behind[t.Name]; behind {
			if hunk := place(h.Path); hunk != nil {
				d.RelatedInformation = []protocol.DiagnosticRelatedInformation{{
					Location: protocol.Location{URI: hunk.uri, Range: hunk.linesRange(h.From, h.To)},
					Message:  fmt.Sprintf("changed lines that the failure comes through, at line %d", h.Line),
				}}
			}
		}
		lists[p.uri] = append(lists[p.uri], d)
	}
	return lists
}

// hashOf is the hash of what was staged of a file; "" where nothing was.
func hashOf(on record.Staged, path string) string {
	for _, f := range on.Files {
		if f.Path == path && f.Now != nil {
			return f.Now.Hash
		}
	}
	return ""
}

// textAt is a file's text as the tests ran on it: what was staged, else what the workspace
// holds; "" where it cannot be read.
func textAt(a *agent.Agent, o *workspace.Overlay, on record.Staged, path string) string {
	if hash := hashOf(on, path); hash != "" {
		text, _ := stagedText(a, hash)
		return text
	}
	f, err := o.Read(path)
	if err != nil {
		return ""
	}
	return f.Text
}
