package lsp

import (
	"fmt"
	"slices"
	"strings"

	"caselsp/agent"
	"caselsp/agent/record"
	"caselsp/agent/review"
	"caselsp/agent/workspace"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"
)

// maxDataText is how many bytes of one text the data of a review hold: clients read a message at once, and some of
// them wait with everything else meanwhile. What is longer is left out, and said to be.
const maxDataText = 1 << 20

// reviewView is the answer of caselsp.review as data.
type reviewView struct {
	Version  int        `json:"version"`
	Task     string     `json:"task"`
	Title    string     `json:"title"`
	State    string     `json:"state"`
	Open     int        `json:"open"`
	Document string     `json:"document"` // the URI of the review document
	Untested []string   `json:"untested"`
	Notes    []noteView `json:"notes"`          // that were not sent back yet
	Before   []string   `json:"acceptedBefore"` // files, before the task was tried again
	Files    []fileView `json:"files"`
}

// noteView is a note of the user.
type noteView struct {
	File string `json:"file,omitempty"` // "": on the whole result
	Hunk int    `json:"hunk,omitempty"` // from 1; 0: on the whole file
	Text string `json:"text"`
}

// fileView is one file of a review.
type fileView struct {
	Path    string     `json:"path"`
	From    string     `json:"from,omitempty"`
	URI     string     `json:"uri"`
	FromURI string     `json:"fromUri,omitempty"`
	Kind    string     `json:"kind"`
	State   string     `json:"state"`
	Whole   bool       `json:"whole"`
	Binary  bool       `json:"binary"`
	Kept    string     `json:"kept,omitempty"`
	Unfit   string     `json:"unfit,omitempty"`
	Obeyed  obeyedView `json:"obeyed"`
	Diff    string     `json:"diff"`
	Hunks   []hunkView `json:"hunks"`
	Texts   *textsView `json:"texts,omitempty"`
}

// obeyedView says who obeys a file, and whether it is accepted by its name alone.
type obeyedView struct {
	By   string `json:"by"`
	Asks bool   `json:"asks"`
}

// hunkView is one hunk. Its range is in the user's text as it is now: of an open hunk what it would
// replace, else what stands in its place.
type hunkView struct {
	ID    string          `json:"id"`
	Hunk  int             `json:"hunk"` // its number; 0: the file is decided as a whole
	State string          `json:"state"`
	Range *protocol.Range `json:"range"`
	Old   []string        `json:"old"`
	New   []string        `json:"new"`
}

// textsView are the texts of a file: before the task, after it, and the user's text of now with all that is open; what
// overlaps with what they typed stands in the place of that. nil: there is none, or it is no text, or too long.
type textsView struct {
	Before *string `json:"before"`
	After  *string `json:"after"`
	Merged *string `json:"merged"`
}

// The states of hunks and files in the data.
const (
	hunkPending  = "pending"
	hunkConflict = "conflict" // pending, and the user has changed the same lines
	fileMixed    = "mixed"    // its hunks differ
)

// reviewAsData answers caselsp.review as data. file, if any, names the only file; texts asks for its whole texts.
func (l *reviews) reviewAsData(e *Engine, rev *review.Review, file string, texts bool) (any, error) {
	d := reviewView{
		Version: dataVersion, Task: rev.Task.ID, Title: agent.Visible(title(rev.Task)), State: string(rev.State), Untested: append([]string{}, rev.Untested...), Notes: []noteView{},
		Before: append([]string{}, rev.Before...), Files: []fileView{},
		Document: string(l.contents.address(e.Agent.Store.DocumentPath(reviewName(rev.Task.ID)))),
	}
	for _, n := range rev.Notes {
		d.Notes = append(d.Notes, noteView{n.File, n.Hunk, n.Text})
	}
	for _, f := range rev.All() {
		if f.Kept == "" {
			d.Open += f.Open()
		}
		if file == "" || file == f.Change.Path {
			d.Files = append(d.Files, l.fileAsData(e, f, texts))
		}
	}
	return asData(d)
}

// fileAsData is one file of a review as data.
func (l *reviews) fileAsData(e *Engine, f review.File, texts bool) fileView {
	c := f.Change
	d := fileView{Path: c.Path, From: c.From, URI: l.uriOf(e, c.Path), Kind: kinds[c.Op], Whole: f.Whole(), Binary: c.Binary, Kept: f.Kept, Unfit: agent.Visible(f.Unfit),
		Obeyed: obeyedView{f.Obeyed.By, f.Obeyed.Asks()}, Hunks: []hunkView{}}
	if diff := c.Unified(); len(diff) <= maxDataText {
		d.Diff = diff
	}
	own := c.Path
	if c.From != "" {
		own, d.FromURI = c.From, l.uriOf(e, c.From)
	}
	now, there := l.textNow(e, own)
	d.Hunks = l.hunksAsData(f, now, there)
	for i, h := range d.Hunks {
		switch {
		case i == 0:
			d.State = h.State
		case d.State != h.State:
			d.State = fileMixed
		}
	}
	if texts {
		d.Texts = textsOf(f, now, there)
	}
	return d
}

// uriOf is a file's URI, as the client calls it where it is open there.
func (l *reviews) uriOf(e *Engine, path string) string {
	if u, open := l.docs.at(e.Agent.Workspace, path); open {
		return string(u)
	}
	abs, err := e.Agent.Workspace.Abs(path)
	if err != nil {
		return ""
	}
	return string(uri.File(abs))
}

// textNow is what the user's file holds now.
func (l *reviews) textNow(e *Engine, path string) (string, bool) {
	text, err := l.docs.textOf(e.Agent.Workspace, path)
	return text, err == nil
}

// hunksAsData are the hunks of a file, with their ranges in its text of now.
func (l *reviews) hunksAsData(f review.File, now string, there bool) []hunkView {
	var list []hunkView
	m := newMapper(now, l.ed.client.Encoding)
	places := map[int]hunkPlace{}
	if there {
		for _, p := range placesOf(f, now) {
			places[p.hunk] = p
		}
	}
	before, _ := f.Change.Before.Text()
	after, _ := f.Change.After.Text()
	for i, state := range f.Hunks {
		d := hunkView{ID: hunkID(f, i), State: stateWord(state), Old: []string{}, New: []string{}}
		place, placed := places[i]
		if f.Whole() {
			if !f.Change.Binary {
				d.Old, d.New = bounded(strings.SplitAfter(before, "\n")), bounded(strings.SplitAfter(after, "\n"))
			}
			place, placed = hunkPlace{from: 0, to: len(m.starts)}, there
		} else {
			d.Hunk = i + 1
			h := f.Change.Hunks[i]
			d.Old, d.New = bounded(h.Old), bounded(h.New)
			if there && !placed {
				place, placed = follow(before, now, h), true
			}
		}
		if place.conflict {
			d.State = hunkConflict
			place = follow(before, now, f.Change.Hunks[i])
		}
		if placed {
			r := m.Range(lineStart(m, place.from), lineStart(m, max(place.from, place.to)))
			d.Range = &r
		}
		list = append(list, d)
	}
	return list
}

// hunkID names a hunk for as long as its task is not tried again.
func hunkID(f review.File, hunk int) string {
	id := fmt.Sprintf("%s#%d", f.Change.Path, hunk+1)
	if f.Kept != "" {
		id = f.Kept + ":" + id
	}
	return id
}

// stateWord is a hunk's state in the words of the data.
func stateWord(s record.HunkState) string {
	if s == record.HunkOpen {
		return hunkPending
	}
	return string(s)
}

// bounded returns lines, none where they are too many for the data. It leaves out an empty last one.
func bounded(lines []string) []string {
	size := 0
	for _, l := range lines {
		size += len(l)
	}
	if size > maxDataText {
		return []string{}
	}
	if n := len(lines); n > 0 && lines[n-1] == "" {
		lines = lines[:n-1]
	}
	return append([]string{}, lines...)
}

// follow returns what stands now in the place of a hunk's lines of the text before.
func follow(before, now string, h workspace.Hunk) hunkPlace {
	changes, from := workspace.Diff(before, now), h.OldLine-1
	return hunkPlace{from: moved(changes, from, false), to: moved(changes, from+len(h.Old), true)}
}

// moved is where the beginning of a line is after changes. At the end of a stretch of lines, what was inserted there
// belongs to the stretch.
func moved(changes []workspace.Hunk, line int, end bool) int {
	delta := 0
	for _, c := range changes {
		lo, hi := c.OldLine-1, c.OldLine-1+len(c.Old)
		switch {
		case lo > line, lo == line && (!end || hi > lo):
			return line + delta
		case hi <= line:
			delta += len(c.New) - len(c.Old)
		case end:
			return c.NewLine - 1 + len(c.New)
		default:
			return c.NewLine - 1
		}
	}
	return line + delta
}

// textsOf are the whole texts of a file.
func textsOf(f review.File, now string, there bool) *textsView {
	t := &textsView{}
	c := f.Change
	text := func(content *workspace.Content) *string {
		if content == nil {
			return nil
		}
		s, ok := content.Text()
		if !ok || len(s) > maxDataText {
			return nil
		}
		return &s
	}
	t.Before, t.After = text(c.Before), text(c.After)
	if t.After == nil || !there || f.Whole() {
		t.Merged = t.After
		return t
	}
	before, _ := c.Before.Text()
	overlap := map[int]bool{}
	for _, p := range placesOf(f, now) {
		overlap[p.hunk] = p.conflict
	}
	merged, _ := workspace.Merge(before, now, c.Select(func(i int) bool { return f.Hunks[i] == record.HunkOpen && !overlap[i] }))
	for i, h := range slices.Backward(c.Hunks) {
		if overlap[i] { // whole: a merge of a half of it nobody wrote
			lines, at := strings.SplitAfter(merged, "\n"), follow(before, merged, h)
			merged = strings.Join(slices.Replace(lines, min(at.from, len(lines)), min(at.to, len(lines)), h.New...), "")
		}
	}
	if len(merged) <= maxDataText {
		t.Merged = &merged
	}
	return t
}
