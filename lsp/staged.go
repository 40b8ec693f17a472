package lsp

import (
	"context"
	"maps"
	"slices"
	"strings"
	"sync"

	"caselsp/agent"
	"caselsp/agent/record"
	"caselsp/agent/validate"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"
)

// stagedPrefix begins the message of a diagnostic of what a task has staged: the
// text that it is about is not the one that the user sees.
const stagedPrefix = "in CASE's change: "

// byValidators ends the source of what checks say of a fix that a task claims.
const byValidators = " fix validators"

// byLinters ends the source of what linters say of what a task has staged.
const byLinters = " linters"

// stagedFiles are the files that each running task has staged, by content hash,
// so that only those that changed are checked again.
type stagedFiles struct {
	ed          *editor
	docs        *documents
	engines     *engines
	judgement   *judgement
	diagnostics *diagnostics

	mu    sync.Mutex
	tasks map[string]map[uri.URI]string
	found map[string]map[string]foundStaged // by source and path
	typed func() bool                       // gives up to place them anew; nil: that was never begun
}

// foundStaged is what one source finds in a staged text, and the document in which that is shown.
type foundStaged struct {
	hash, text string
	list       []validate.Finding
	file, in   uri.URI // the user's file; what is marked, "" for nothing
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
	case record.FixChecked:
		l.markChecked(id, b)
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
		now := foundStaged{hash: f.Now.Hash, file: u}
		if now.text, err = stagedText(a, now.hash); err == nil {
			now.list = l.judgement.alone(f.Path, now.text)
		} // else it is not text, of which nothing is found
		l.show(a, fromStaged+task, f.Path, now)
		l.show(a, fromStaged+task+byValidators, f.Path, foundStaged{})
		l.show(a, fromStaged+task+byLinters, f.Path, foundStaged{})
	}
	for _, source := range []string{fromStaged + task, fromStaged + task + byLinters} {
		for path, f := range l.found[source] {
			if _, ok := after[f.file]; !ok {
				l.show(a, source, path, foundStaged{})
			}
		}
	}
	l.tasks[task] = after
}

// show replaces what one source finds in what is staged of a file, where that is in what the user sees. The lock is held.
func (l *stagedFiles) show(a *agent.Agent, source, path string, now foundStaged) {
	var list []protocol.Diagnostic
	if len(now.list) > 0 {
		if p, ok := l.docs.placing(a, path, now.hash, now.text); ok {
			now.in = p.uri
			for _, f := range now.list {
				d := l.diagnostics.diagnosticOf(p.finding(f), p.m)
				d.Severity, d.Message = p.severity(d.Severity), protocol.String(stagedPrefix+messageOf(d))
				list = append(list, d)
			}
		}
	}
	if before := l.found[source][path]; before.in != "" && before.in != now.in {
		l.diagnostics.retract(source, before.in)
	}
	if len(now.list) == 0 {
		delete(l.found[source], path)
		return
	}
	if l.found[source] == nil {
		l.found[source] = map[string]foundStaged{}
	}
	if l.found[source][path] = now; now.in != "" {
		l.diagnostics.mark(source, now.in, list)
	}
}

// typing places what was found anew where the user changes the text of a file, in a moment.
func (l *stagedFiles) typing(doc *document) {
	l.mu.Lock()
	defer l.mu.Unlock()
	about := func(f foundStaged) bool { return f.in == doc.URI || f.file == doc.URI }
	if !slices.ContainsFunc(slices.Collect(maps.Values(l.found)), func(files map[string]foundStaged) bool {
		return slices.ContainsFunc(slices.Collect(maps.Values(files)), about)
	}) {
		return
	}
	l.engines.whenTyped(&l.typed, "placing what is wrong with staged files", func(_ context.Context, e *Engine) error {
		l.mu.Lock()
		defer l.mu.Unlock()
		for source, files := range l.found {
			for path, f := range maps.Clone(files) {
				if about(f) {
					l.show(e.Agent, source, path, f)
				}
			}
		}
		return nil
	})
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
			text, err := stagedText(a, hash)
			if err != nil {
				continue
			}
			found := slices.DeleteFunc(slices.Clone(b.Findings), func(f validate.Finding) bool { return f.Path != path })
			l.show(a, fromStaged+task+byLinters, path, foundStaged{hash: hash, text: text, list: found, file: u})
		}
	}
}

// markChecked shows the verdicts that speak against what a task claims to have fixed, at the places that they are about. They
// stay until the file or the claim is another one.
func (l *stagedFiles) markChecked(task string, b record.FixChecked) {
	a := l.engines.agent()
	if a == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.drop(fromStaged + task + byValidators)
	found := map[string][]validate.Finding{}
	for _, v := range b.Verdicts {
		path := v.Path
		if changed := slices.Sorted(maps.Keys(b.Files)); path == "" && len(changed) > 0 {
			path = changed[0]
		}
		if !v.Refuses() || path == "" {
			continue
		}
		f := validate.Finding{Path: path, Rule: "fix/" + v.Validator, Severity: validate.Warning, Message: "claimed fix: " + record.Verdict(v)}
		f.Start.Line = max(v.Line-1, 0)
		found[path] = append(found[path], f)
	}
	o := a.Workspace.NewOverlay()
	defer o.Close()
	for path, list := range found {
		file, err := a.Workspace.Abs(path)
		if err != nil {
			continue
		}
		text, err := stagedText(a, b.Files[path])
		if err != nil {
			f, _ := o.Read(path) // not staged, or gone: then without a text
			text = f.Text
		}
		l.show(a, fromStaged+task+byValidators, path, foundStaged{hash: b.Files[path], text: text, list: placed(list, text), file: uri.File(file)})
	}
}

// placed extends findings that only have a line to the whole line. A line beyond the end of the file becomes the first.
func placed(list []validate.Finding, text string) []validate.Finding {
	lines := strings.SplitAfter(text, "\n")
	for i, f := range list {
		n := f.Start.Line
		if n >= len(lines) {
			n = 0
		}
		offset := len(strings.Join(lines[:n], ""))
		width := len(strings.TrimRight(lines[n], "\r\n"))
		list[i].Start.Line, list[i].Start.Offset = n, offset
		list[i].End.Line, list[i].End.Byte, list[i].End.Offset = n, width, offset+width
	}
	return list
}

// drop takes back all that a source has found. The lock is held.
func (l *stagedFiles) drop(source string) {
	for _, f := range l.found[source] {
		if f.in != "" {
			l.diagnostics.retract(source, f.in)
		}
	}
	delete(l.found, source)
}

// unmark takes the diagnostics of a task away: it does not run any more,
// however it ended.
func (l *stagedFiles) unmark(task string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, by := range []string{"", byLinters, byValidators} {
		l.drop(fromStaged + task + by)
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
