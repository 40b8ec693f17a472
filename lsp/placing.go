package lsp

import (
	"errors"
	"io/fs"
	"strings"

	"caselsp/agent"
	"caselsp/agent/validate"
	"caselsp/agent/workspace"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"
)

// placing leads from the lines of a text that a task has staged to where the user sees them: in their own text, which has
// other lines, or in the staged text itself where the user has no such file.
type placing struct {
	uri     uri.URI // of what the user sees
	own     bool    // that is the user's file
	staged  string
	m       mapper // of what the user sees
	changes []workspace.Hunk
}

// placing returns how the lines of a staged text of this hash lead to what the user sees. It is false where they see nothing
// of it: the user has no such file, and the client opens no staged text. A hash of "" is that of a text that is not staged.
func (d *documents) placing(a *agent.Agent, path, hash, text string) (placing, bool) {
	file, err := a.Workspace.Abs(path)
	if err != nil {
		return placing{}, false
	}
	own, err := d.textOf(a.Workspace, path)
	if err == nil {
		u, open := d.at(a.Workspace, path)
		if !open {
			u = uri.File(file)
		}
		return placing{u, true, text, newMapper(own, d.ed.client.Encoding), workspace.Diff(text, own)}, true
	}
	if hash == "" || !errors.Is(err, fs.ErrNotExist) || !d.ed.client.TextDocumentContent {
		return placing{}, false
	}
	return placing{uri: stagedAddress(hash, path), staged: text, m: newMapper(text, d.ed.client.Encoding)}, true
}

// severity is that of a finding: the user's own text is not in error because of what is staged for it.
func (p placing) severity(s protocol.DiagnosticSeverity) protocol.DiagnosticSeverity {
	if p.own {
		return max(s, protocol.DiagnosticSeverityWarning)
	}
	return s
}

// linesRange is the range in what the user sees of lines of the staged text, from 1 and inclusive, without the last one's end.
// 0 is the first line. Lines that the user does not have yet are where they are to go.
func (p placing) linesRange(from, to int) protocol.Range {
	first := moved(p.changes, max(from, 1)-1, false)
	start := lineStart(p.m, first)
	end := lineStart(p.m, max(moved(p.changes, max(to, from, 1), true), first))
	if end > start && p.m.text[end-1] == '\n' {
		end--
	}
	return p.m.Range(reachable(p.m.text, start, end))
}

// finding returns a finding in the staged text with the offsets of what the user sees: a line that takes the place of one is
// that one, and another that the user does not have is the one at which it is to go.
func (p placing) finding(f validate.Finding) validate.Finding {
	if f.Start.Offset < 0 || f.Start.Offset > f.End.Offset || f.End.Offset > len(p.staged) {
		return f
	}
	start, exact := p.offset(f.Start.Offset)
	lineEnd := start + len(strings.TrimRight(cutLine(p.m.text[start:]), "\r\n"))
	end, ends := p.offset(f.End.Offset)
	if !exact || !ends || end < start {
		end = lineEnd
	}
	f.Start.Offset, f.End.Offset = start, end
	return f
}

// offset is where a place of the staged text is in what the user sees; it is not exact in a line that the user does not have,
// whose place is the beginning of a line.
func (p placing) offset(at int) (offset int, exact bool) {
	line := strings.Count(p.staged[:at], "\n")
	begin := lineStart(p.m, moved(p.changes, line, false))
	for _, c := range p.changes {
		if in := line - (c.OldLine - 1); in >= 0 && in < len(c.Old) {
			if len(c.Old) == len(c.New) {
				begin = lineStart(p.m, c.NewLine-1+in)
			}
			return begin, false
		}
	}
	return min(begin+at-(strings.LastIndexByte(p.staged[:at], '\n')+1), len(p.m.text)), true
}

// cutLine is the first line of a text, with its ending.
func cutLine(text string) string {
	if end := strings.IndexByte(text, '\n'); end >= 0 {
		return text[:end+1]
	}
	return text
}
