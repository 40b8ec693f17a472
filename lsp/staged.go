package lsp

import (
	"maps"
	"slices"
	"strings"
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

// byValidators ends the source of what checks say of a fix that a task claims.
const byValidators = " fix validators"

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
	// claims are the files that verdicts on a claimed fix are shown in, of each task.
	claims map[string][]uri.URI
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
		data, err := a.Store.Blob(f.Now.Hash)
		if err != nil {
			l.ed.Log.Warn("staged content cannot be read", "file", f.Path, "error", err)
			continue
		}
		l.diagnostics.mark(fromStaged+task, u, l.findings(f.Path, data))
		l.diagnostics.retract(fromStaged+task+byValidators, u)
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

// markChecked shows the verdicts that speak against what a task claims to have fixed, at the places that they are about. They
// stay until the file or the claim is another one.
func (l *stagedFiles) markChecked(task string, b record.FixChecked) {
	a := l.engines.agent()
	if a == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.unmarkChecked(task)
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
		text := ""
		if data, err := a.Store.Blob(b.Files[path]); err == nil {
			text, _, _ = workspace.Decode(data)
		} else if f, err := o.Read(path); err == nil {
			text = f.Text
		}
		u := uri.File(file)
		l.diagnostics.mark(fromStaged+task+byValidators, u, l.asStaged(placed(list, text), text))
		l.claims[task] = append(l.claims[task], u)
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

// unmarkChecked takes back what was shown of the claim before. The lock is held.
func (l *stagedFiles) unmarkChecked(task string) {
	for _, u := range l.claims[task] {
		l.diagnostics.retract(fromStaged+task+byValidators, u)
	}
	delete(l.claims, task)
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
	l.unmarkChecked(task)
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
