package lsp

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"caselsp/agent"
	"caselsp/agent/count"
	"caselsp/agent/record"
	"caselsp/agent/review"
	"caselsp/agent/workspace"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"
)

// The review document is a unified diff that git and patch can read. Which hunk a
// line belongs to is found by counting the heads above it in the text that the
// editor shows, so an editor that has not read the file again yet still hits the
// right one. What is still open is asked of the agent, not read from the text.

// reviewText is the review document. It is for reading, so that a mark which
// turns the direction of text is spelled out in it, and git would not apply that line.
func reviewText(rev *review.Review) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Result of task %s: %s\n", rev.Task.ID, title(rev.Task))
	if rev.State == record.Review {
		fmt.Fprintf(&b, "Undecided: %s. Decide by the code actions and lenses on a hunk's line, on a file's (diff --git) and here, for all;\nor with %s and %s.\n", counted(rev), cmdAccept, cmdReject)
		writeNotes(&b, rev)
		if len(rev.Before) > 0 {
			fmt.Fprintf(&b, "Accepted before the task was tried again: %s.\n", strings.Join(rev.Before, ", "))
		}
		for _, line := range rev.Untested {
			fmt.Fprintf(&b, "Untested: %s\n", agent.Visible(line))
		}
		if rev.Theirs != "" {
			b.WriteString(agent.Visible(rev.Theirs) + "\n")
		}
		if files := rev.Waiting(); len(files) > 0 {
			b.WriteString("Programs obey these files without being told to. To accept all leaves them undecided: accept each by its name.\n")
			for _, f := range files {
				fmt.Fprintf(&b, "  %s: %s\n", f.Change.Path, f.Obeyed.By)
			}
		}
	} else {
		fmt.Fprintf(&b, "Decided: %s. %s %s takes all decisions back; %s with a rejected file's name accepts it after all.\n", rev.State, rev.Tally(), cmdUndo, cmdAccept)
	}
	for _, f := range rev.Files {
		writeFile(&b, f)
	}
	for _, k := range rev.Kept {
		fmt.Fprintf(&b, "\nKept, not verified: the work on %s (%s), which failed: %s\nTo accept all leaves it out: accept it by hunk or by file here. %s tries it again, with this work as its beginning.\n",
			k.ID, k.Title, oneLine(k.Words.After(k.Reason)), cmdResume)
		for _, f := range k.Files {
			writeFile(&b, f)
		}
	}
	return agent.Visible(b.String())
}

// oneLine is a text as one line: a heading that goes on would be taken for a part of a diff.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// writeFile writes the part of a review document about one file.
func writeFile(b *strings.Builder, f review.File) {
	fmt.Fprintf(b, "\n%s: %s%s\n", describeChange(f.Change), fileState(f), obeyedBy(f))
	if f.Unfit != "" {
		fmt.Fprintf(b, "It does not fit now: %s.\n", oneLine(f.Unfit))
	}
	hunk := 0
	for line := range strings.Lines(f.Change.Unified()) {
		if strings.HasPrefix(line, "@@ ") {
			state, of := f.Hunks[min(hunk, len(f.Hunks)-1)], len(f.Change.Hunks)
			hunk++
			line = fmt.Sprintf("%s hunk %d of %d: %s\n", strings.TrimRight(line, "\r\n"), hunk, of, decision(state))
		}
		b.WriteString(line)
	}
}

// describeChange says what happens to a file.
func describeChange(c workspace.Change) string {
	switch c.Op {
	case workspace.Create:
		return "New file " + c.Path
	case workspace.Delete:
		return "Deleted file " + c.Path
	case workspace.Rename:
		return fmt.Sprintf("File %s renamed to %s", c.From, c.Path)
	}
	return "File " + c.Path
}

// fileState says how far a file is decided.
func fileState(f review.File) string {
	if n := f.Open(); n > 0 && n < len(f.Hunks) {
		return fmt.Sprintf("%d of %s undecided", n, count.Of(len(f.Hunks), "hunk"))
	}
	first := f.Hunks[0]
	for _, h := range f.Hunks {
		if h != first {
			return "decided"
		}
	}
	return decision(first)
}

// decision is a hunk's state as users read it; "open" would be read as open in the editor.
func decision(s record.HunkState) string {
	if s == record.HunkOpen {
		return "undecided"
	}
	return string(s)
}

// hunkArguments are those of caselsp.accept and caselsp.reject.
type hunkArguments struct {
	Task string `json:"task"`
	Kept string `json:"kept,omitzero"` // the id of kept work
	File string `json:"file,omitzero"`
	Hunk int    `json:"hunk,omitzero"` // from 1; 0: the whole file
}

// taskArguments are those of commands about one task.
type taskArguments struct {
	Task string `json:"task"`
}

// head is a line of a review document on which something can be decided.
type head struct {
	line int // from 0
	from int // the first line that belongs to it: of a file, that of its title
	file int // index into all files of the review; -1: all of the result
	hunk int // from 0; -1: the whole file
}

// headsOf returns the heads of a document, in order.
func headsOf(text string) []head {
	heads := []head{{0, 0, -1, -1}}
	file, hunk, line, title := -1, 0, 0, 0
	for l := range strings.Lines(text) {
		switch {
		case strings.HasPrefix(l, "diff --git "):
			file++
			hunk = 0
			heads = append(heads, head{line, title, file, -1})
		case strings.HasPrefix(l, "@@ ") && file >= 0:
			heads = append(heads, head{line, line, file, hunk})
			hunk++
		case strings.TrimRight(l, "\r\n") == "": // between files
			title = line + 1
		}
		line++
	}
	return heads
}

// shows reports whether a document has the hunks of a review, whatever is decided of them. One that an editor has not read
// anew since the task went on would take a decision about one hunk for one about another.
func shows(text string, rev *review.Review) bool {
	return slices.Equal(diffLines(text), diffLines(reviewText(rev)))
}

// diffLines are the lines of a review document that are of its diffs, without what is decided.
func diffLines(text string) (lines []string) {
	inside := false
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		switch {
		case strings.HasPrefix(line, "diff --git "):
			inside = true
		case strings.HasPrefix(line, "@@ "):
			line, _, _ = strings.Cut(line, " hunk ")
		case line == "":
			inside = false
		}
		if inside {
			lines = append(lines, line)
		}
	}
	return lines
}

// shownBy returns the review that a document shows; nil for any other document.
func (l *reviews) shownBy(u uri.URI) *review.Review {
	id, begins := strings.CutPrefix(path.Base(u.Path()), "review-")
	id, ends := strings.CutSuffix(id, ".diff")
	if !begins || !ends {
		return nil
	}
	if rev := l.get(id); rev != nil || !isTaskID(id) {
		return rev
	}
	// Of an earlier session, perhaps: the user opened it by hand.
	e, release, err := l.engines.use(l.ed.Context())
	if err != nil {
		return nil
	}
	defer release()
	rev, err := e.Agent.Review(id)
	if err != nil || !rev.Live() {
		return nil
	}
	if rev, _, err = l.refresh(l.ed.Context(), e, id); err != nil {
		return nil
	}
	return rev
}

// arguments returns what a head decides about; false where nothing of it is open.
func (h head) arguments(rev *review.Review) (args hunkArguments, what string, ok bool) {
	args.Task = rev.Task.ID
	if h.file < 0 {
		return args, "all", rev.OpenFiles() > 0
	}
	files := rev.All()
	if h.file >= len(files) {
		return args, "", false
	}
	f := files[h.file]
	args.Kept, args.File = f.Kept, f.Change.Path
	switch {
	case h.hunk < 0:
		return args, "file", f.Open() > 0 || f.Rejected()
	case f.Whole() || h.hunk >= len(f.Hunks):
		return args, "", false
	}
	args.Hunk = h.hunk + 1
	return args, "hunk", f.Hunks[h.hunk] != record.HunkAccepted
}

// lenses are the decisions above each hunk and file of a review document.
func (l *reviews) lenses(doc *document) []protocol.CodeLens {
	rev := l.shownBy(doc.URI)
	if rev == nil {
		return nil
	}
	var list []protocol.CodeLens
	if !shows(doc.Text, rev) {
		return nil
	}
	for _, h := range headsOf(doc.Text) {
		args, what, ok := h.arguments(rev)
		if !ok {
			continue
		}
		at := protocol.Position{Line: uint32(h.line)}
		commands := append(h.decisions(rev, args, what), noteCommands(rev, args, what)...)
		if h.file < 0 {
			commands = append(commands, sendNotes(rev)...)
		}
		for _, c := range commands {
			list = append(list, protocol.CodeLens{Range: protocol.Range{Start: at, End: at}, Command: c})
		}
	}
	return list
}

// decisions are the commands at a head: what is rejected can only be accepted after all.
func (h head) decisions(rev *review.Review, args hunkArguments, what string) []protocol.Command {
	if h.file >= 0 {
		f := rev.All()[h.file]
		if h.hunk < 0 && f.Rejected() || h.hunk >= 0 && f.Hunks[h.hunk] == record.HunkRejected {
			return []protocol.Command{command("Accept "+what+" after all", cmdAccept, args)}
		}
	}
	return decisions(args, what)
}

// decisions are the two commands about one selection.
func decisions(args hunkArguments, what string) []protocol.Command {
	return []protocol.Command{command("Accept "+what, cmdAccept, args), command("Reject "+what, cmdReject, args)}
}

// documentActions offers the decisions about the hunk, the file and all at a position of a
// review document.
func (l *reviews) documentActions(_ context.Context, docs snapshot, p *protocol.CodeActionParams) []protocol.CodeAction {
	doc := docs[p.TextDocument.URI]
	if doc == nil {
		return nil
	}
	rev := l.shownBy(doc.URI)
	if rev == nil {
		return nil
	}
	return append([]protocol.CodeAction{}, actionsAt(rev, doc, p.Range.Start.Line)...)
}

// actions offers the decisions about a marked hunk in the user's own file.
func (l *reviews) actions(_ context.Context, docs snapshot, p *protocol.CodeActionParams) []protocol.CodeAction {
	doc := docs[p.TextDocument.URI]
	if doc == nil {
		return nil
	}
	var list []protocol.CodeAction
	revs, path := l.marked(doc.URI)
	for _, rev := range revs {
		list = append(list, l.pendingActions(rev, path, doc, p.Range)...)
	}
	return list
}

// actionsAt returns the decisions at a line of a review document, the narrowest first.
func actionsAt(rev *review.Review, doc *document, line uint32) []protocol.CodeAction {
	if !shows(doc.Text, rev) {
		return decisionActions([]protocol.Command{command("Open the result anew: it is another one than this document shows", cmdReview, taskArguments{rev.Task.ID})})
	}
	var hunk, file *head
	heads := headsOf(doc.Text)
	for i, h := range heads {
		if uint32(h.from) > line {
			break
		}
		switch {
		case h.file >= 0 && h.hunk < 0:
			file, hunk = &heads[i], nil
		case h.file >= 0:
			hunk = &heads[i]
		}
	}
	var list []protocol.CodeAction
	for _, h := range []*head{hunk, file, &heads[0]} {
		if h == nil {
			continue
		}
		if args, what, ok := h.arguments(rev); ok {
			list = append(list, decisionActions(h.decisions(rev, args, what))...)
			list = append(list, decisionActions(noteCommands(rev, args, what))...)
		}
	}
	list = append(list, decisionActions(sendNotes(rev))...)
	if rev.Triable {
		list = append(list, decisionActions([]protocol.Command{command("Try again what failed", cmdResume, taskArguments{rev.Task.ID})})...)
	}
	return list
}

func decisionActions(commands []protocol.Command) []protocol.CodeAction {
	var list []protocol.CodeAction
	for _, c := range commands {
		kind := protocol.CodeActionKindQuickFix
		list = append(list, protocol.CodeAction{Title: "CASE: " + strings.ToLower(c.Title[:1]) + c.Title[1:], Kind: &kind, Command: c})
	}
	return list
}

// pendingActions returns the decisions about the open hunks at a place of the
// user's own file.
func (l *reviews) pendingActions(rev *review.Review, own string, doc *document, r protocol.Range) []protocol.CodeAction {
	var list []protocol.CodeAction
	for _, f := range rev.Files {
		if own != f.Change.Path && own != f.Change.From {
			continue
		}
		m := doc.mapper(l.ed.client.Encoding)
		for _, p := range placesOf(f, doc.Text) {
			at := pendingMark(m, rev.Task.ID, f, p).Range
			if at.Start.Line > r.End.Line || at.End.Line < r.Start.Line {
				continue
			}
			args, what := hunkArguments{Task: rev.Task.ID, File: f.Change.Path, Hunk: p.hunk + 1}, "this hunk"
			if f.Whole() {
				args.Hunk, what = 0, "this change of the file"
			}
			what += obeyedBy(f)
			list = append(list, decisionActions(append(decisions(args, what), noteCommands(rev, args, what)...))...)
		}
	}
	return list
}
