package agent

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"caselsp/agent/permit"
	"caselsp/agent/project"
	"caselsp/agent/quote"
	"caselsp/agent/record"
	"caselsp/agent/workspace"
	"caselsp/store"
)

// What is known of a project as a whole has two sources and no third: the facts of its files as
// they are now, which package project puts together, and the journals of its tasks. So it is
// never out of date and there is nothing to repair. Beside these, only the checksums of the files
// are kept as the last task left them: they say what changed since.

// ProjectState is what is known of a workspace.
type ProjectState struct {
	project.State
	Files   map[string]string `json:"files"`             // checksums, by path, without files that may hold secrets
	Changed *FilesChanged     `json:"changed,omitempty"` // since the last task; nil: none has kept them
	Notes   []Note            `json:"notes"`             // of the latest tasks, the newest last
	History []PastTask        `json:"history"`           // all tasks, the newest last
	// Partial says that there are more files than were read.
	Partial bool `json:"partial,omitempty"`
}

// FilesChanged are the files that differ from what the last task left.
type FilesChanged struct {
	Added   []string `json:"added"`
	Changed []string `json:"changed"`
	Removed []string `json:"removed"`
}

// Note is what is noted of a task, in a line.
type Note struct {
	Time    time.Time `json:"time"`
	Task    string    `json:"task"`
	Outcome string    `json:"outcome"`
	Text    string    `json:"text"`
}

// PastTask is a task of the workspace.
type PastTask struct {
	Task string `json:"task"`
	Text string `json:"text"` // its first line
	record.Class
	State   string    `json:"state"`
	Outcome string    `json:"outcome,omitempty"`
	Started time.Time `json:"started"`
	Ended   time.Time `json:"ended"` // the time of its last record
	Files   []string  `json:"files"` // that it changed, whether that was accepted or not
}

const (
	// maxNotes is how many tasks have notes, and maxToldNotes of how many a planner is told: what was
	// done before these is in the files.
	maxNotes, maxToldNotes = 20, 5
	// maxNote is the longest text of a note, in bytes.
	maxNote = 160
)

// Project returns what is known of the workspace. A task whose journal cannot be read is left out,
// and named by the error.
func (a *Agent) Project(ctx context.Context) (ProjectState, error) {
	o := a.Workspace.NewOverlay()
	defer o.Close()
	if err := errors.Join(o.Refresh(ctx), a.conceal(ctx)); err != nil {
		return ProjectState{}, err
	}
	s := ProjectState{}
	var err error
	if s.State, s.Partial, err = a.projectIn(ctx, o, nil); err != nil {
		return s, err
	}
	a.mask(&s.State)
	sums, whole, err := a.checksums(ctx, o)
	if err != nil {
		return s, err
	}
	if s.Files, s.Partial = sums, s.Partial || !whole; whole {
		kept, err := a.Store.Checksums()
		if err != nil {
			return s, err
		}
		s.Changed = changedSince(kept, sums)
	}
	s.History, s.Notes, err = a.past(0)
	return s, err
}

// checksums are those of the files, without those that may hold secrets; none, and false, where there are
// too many files.
func (a *Agent) checksums(ctx context.Context, o *workspace.Overlay) (sums map[string]string, whole bool, err error) {
	if sums, err = o.Manifest(ctx, workspace.MaxStructure); err != nil {
		return nil, false, fmt.Errorf("the workspace cannot be read: %w", err)
	}
	return a.withoutSecrets(sums), sums != nil, nil
}

// withoutSecrets leaves out files that may hold secrets: a checksum confirms a guess.
func (a *Agent) withoutSecrets(sums map[string]string) map[string]string {
	list := map[string]string{}
	for path, sum := range sums {
		if !store.Hidden(path) && !a.hidden(path) {
			list[path] = sum
		}
	}
	return list
}

// known is what a planner is told of the workspace when a task begins, and keeps the checksums for the next
// one. What cannot be read is left out: it is no reason not to begin.
func (a *Agent) known(manifest map[string]string) *record.Known {
	k := &record.Known{}
	_, notes, err := a.past(maxNotes)
	for _, n := range notes[max(0, len(notes)-maxToldNotes):] {
		k.Notes = append(k.Notes, n.String())
	}
	if manifest != nil {
		kept, unread := a.Store.Checksums()
		sums := a.withoutSecrets(manifest)
		if c := changedSince(kept, sums); c != nil {
			k.Changed = c.lines()
		}
		err = errors.Join(err, unread, a.Store.KeepChecksums(sums))
	}
	if err != nil {
		a.Log.Warn("a part of what is known of the project cannot be read", "error", err)
	}
	return k
}

// keepChecksums keeps the checksums of the files as a decision of the user left them.
func (a *Agent) keepChecksums(ctx context.Context) {
	kept, err := a.Store.Checksums()
	if kept == nil && err == nil {
		return // no task has looked yet
	}
	o := a.Workspace.NewOverlay()
	defer o.Close()
	sums, whole, err := a.checksums(ctx, o)
	if err == nil && whole {
		err = a.Store.KeepChecksums(sums)
	}
	if err != nil {
		a.Log.Warn("the checksums of the files cannot be kept", "error", err)
	}
}

// projectIn is the part that the files tell, without those that skip names. more says that there are
// others than were read.
func (a *Agent) projectIn(ctx context.Context, o *workspace.Overlay, skip func(string) bool) (s project.State, more bool, err error) {
	facts, more, err := o.Structure(ctx, "", func(key string) bool { return a.hidden(key) || skip != nil && skip(key) })
	if err != nil {
		return s, more, fmt.Errorf("the structure of the workspace cannot be read: %w", err)
	}
	files := make([]project.File, len(facts))
	for i, f := range facts {
		files[i] = project.File{Path: f.Path, Facts: f.Facts}
	}
	return project.Of(files), more, nil
}

// mask takes secrets out of what is written in the files.
func (a *Agent) mask(s *project.State) {
	for i := range s.Routes {
		r := &s.Routes[i]
		all := strings.Join([]string{r.Path, r.View, r.Name}, "\n")
		if a.Store.Redact(all) == all {
			continue
		}
		r.Path, r.View, r.Name = a.Store.Redact(r.Path), a.Store.Redact(r.View), a.Store.Redact(r.Name)
	}
	for i := range s.Apps {
		s.Apps[i].Name, s.Apps[i].Label = a.Store.Redact(s.Apps[i].Name), a.Store.Redact(s.Apps[i].Label)
	}
	for i := range s.Artifacts {
		s.Artifacts[i].Key = a.Store.Redact(s.Artifacts[i].Key)
	}
}

// changedSince compares checksums; nil where none were kept.
func changedSince(kept, now map[string]string) *FilesChanged {
	if kept == nil {
		return nil
	}
	c := &FilesChanged{Added: []string{}, Changed: []string{}, Removed: []string{}}
	for _, path := range slices.Sorted(maps.Keys(now)) {
		switch old, ok := kept[path]; {
		case !ok:
			c.Added = append(c.Added, path)
		case old != now[path]:
			c.Changed = append(c.Changed, path)
		}
	}
	for _, path := range slices.Sorted(maps.Keys(kept)) {
		if _, ok := now[path]; !ok {
			c.Removed = append(c.Removed, path)
		}
	}
	return c
}

// past folds the journals: the history of all tasks, or of the last ones, and the notes of the latest.
func (a *Agent) past(last int, without ...string) (history []PastTask, notes []Note, err error) {
	history, notes = []PastTask{}, []Note{}
	ids, err := a.Store.Tasks()
	if err != nil {
		return history, notes, err
	}
	ids = slices.DeleteFunc(ids, func(id string) bool { return id == permit.Journal || slices.Contains(without, id) })
	if last > 0 && len(ids) > last {
		ids = ids[len(ids)-last:]
	}
	var unread []error
	for i, id := range ids {
		p, err := a.load(id)
		if err != nil {
			unread = append(unread, err)
			continue
		}
		if p.Task.Thread != "" {
			continue
		}
		t := pastTask(p)
		history = append(history, t)
		if len(ids)-i <= maxNotes && t.Outcome != "" {
			notes = append(notes, noteOf(p, t))
		}
	}
	return history, notes, errors.Join(unread...)
}

// pastTask is a task in the history.
func pastTask(p *record.State) PastTask {
	t := PastTask{Task: p.Task.ID, Text: record.FirstLine(p.Task.Text), Class: p.Class(),
		State: string(p.Phase), Started: p.Started, Ended: p.Changed, Files: []string{}}
	if p.Report != nil {
		t.Outcome = p.Report.Outcome
	}
	for _, f := range p.Staged.Files {
		t.Files = append(t.Files, f.Path)
	}
	return t
}

// noteOf is what is noted of a task: what was asked for and, in the words of the models, what was done.
func noteOf(p *record.State, t PastTask) Note {
	n := Note{Time: t.Ended, Task: t.Task, Outcome: t.Outcome, Text: t.Text}
	switch p.Phase {
	case record.Rejected, record.Review:
		n.Outcome += ", " + map[record.Phase]string{record.Rejected: "rejected by the user", record.Review: "not reviewed yet"}[p.Phase]
	}
	var done []string
	for _, f := range p.Features {
		if said := record.FirstLine(f.Said()); f.OK && said != "" {
			done = append(done, said)
		}
	}
	if len(done) > 0 {
		n.Text += ": " + quote.Words(strings.Join(done, "; ")).String()
	}
	if len(n.Text) > maxNote {
		n.Text = strings.ToValidUTF8(n.Text[:maxNote], "") + "…"
	}
	return n
}

// Text is the state for people. Everything in it comes from files and journals: who shows it on a
// terminal cleans it.
func (s ProjectState) Text() string {
	var b strings.Builder
	own := slices.DeleteFunc(slices.Clone(s.Apps), func(a project.App) bool { return a.Path == "" })
	if len(s.Apps) > 0 {
		fmt.Fprintf(&b, "apps       %d registered, %d of them in the project\n", len(s.Apps), len(own))
	}
	for _, a := range s.Apps {
		fmt.Fprintf(&b, "  %s  %s  %s\n", a.Name, cmp.Or(a.Path, "-"), at(a.Settings[0]))
	}
	fmt.Fprintf(&b, "models     %d\n", len(s.Models))
	for _, m := range s.Models {
		fmt.Fprintf(&b, "  %s:%s  %s%s\n", m.Kind, m.Name, at(m.Place), marked(m))
	}
	fmt.Fprintf(&b, "routes     %d%s\n", len(s.Routes), map[bool]string{true: " and more"}[s.More])
	for _, r := range s.Routes {
		fmt.Fprintf(&b, "  %s\n", routeLine(r))
	}
	fmt.Fprintf(&b, "artifacts  %d, with their files in --json\n", len(s.Artifacts))
	fmt.Fprintf(&b, "files      %d, by checksum%s\n", len(s.Files), map[bool]string{true: "; there are more"}[s.Partial])
	if c := s.Changed; c != nil {
		for _, l := range c.lines() {
			fmt.Fprintf(&b, "  %s\n", l)
		}
	}
	fmt.Fprintf(&b, "tasks      %d\n", len(s.History))
	for _, n := range s.Notes {
		fmt.Fprintf(&b, "  %s\n", n)
	}
	return b.String()
}

// at is a place in words.
func at(p project.Place) string { return fmt.Sprintf("%s:%d", p.File, p.Line) }

// marked says what is special about a model.
func marked(m project.Model) string {
	switch {
	case m.Abstract:
		return "  (abstract)"
	case m.Unregistered:
		return "  (its app is not registered)"
	}
	return ""
}

// routeLine is a route in a line.
func routeLine(r project.Route) string {
	text := r.Path
	if len(r.Methods) > 0 {
		text = strings.Join(r.Methods, ",") + " " + text
	}
	if r.View != "" {
		text += "  " + r.View
	}
	if r.Name != "" {
		text += "  name=" + r.Name
	}
	return text + "  " + at(r.Place)
}

// String is the note in a line.
func (n Note) String() string {
	return fmt.Sprintf("%s %s %s: %s", n.Time.UTC().Format("2006-01-02 15:04"), n.Task, n.Outcome, n.Text)
}

// maxChanged is how many changed files are named: more are a change of branch.
const maxChanged = 10

// lines says what changed; none where nothing did.
func (c *FilesChanged) lines() (lines []string) {
	for _, l := range []struct {
		what string
		list []string
	}{{"new", c.Added}, {"changed", c.Changed}, {"gone", c.Removed}} {
		if n := len(l.list); n > 0 {
			more := ""
			if n > maxChanged {
				more = fmt.Sprintf(" and %d more", n-maxChanged)
			}
			lines = append(lines, fmt.Sprintf("%s since the last task: %s%s", l.what, strings.Join(l.list[:min(n, maxChanged)], ", "), more))
		}
	}
	return lines
}
