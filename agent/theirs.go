package agent

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"caselsp/agent/action"
	"caselsp/agent/record"
	"caselsp/agent/workspace"
)

// theirs returns the user's file that is seen under a path, beside what it was before the task changed anything: as it began,
// where that is known, else as it was when something of it was first staged.
func (r *run) theirs(path string) (file action.Theirs, known bool) {
	if i := slices.IndexFunc(r.state.Staged.Files, func(f record.StagedFile) bool { return f.Path == path && f.From != "" }); i >= 0 {
		path = r.state.Staged.Files[i].From
	}
	now, err := r.a.Workspace.Read(path)
	if err != nil {
		return file, false
	}
	file.Now, file.Hash = now.Text, now.Hash
	if file.Began, known = r.began(path); known {
		return file, true
	}
	base, known := r.state.FirstBase(path)
	if !known {
		return file, false
	}
	content, err := base.Content(r.a.Store.Blob)
	if err != nil {
		return file, false
	}
	file.Began, known = content.Text()
	return file, known || content == nil
}

// warned reports whether CASE was told in this feature that an edit goes against what the user did.
func (r *run) warned(key string) bool { return r.state.Objected[r.warning(key)] }

func (r *run) warning(key string) string {
	return fmt.Sprintf("feature %d, edit of %s", r.state.Current, key)
}

// overTheirs are the places, as path:lines, where the result changes or takes out what the user wrote while the task worked.
func (r *run) overTheirs() (places []string) {
	for _, f := range r.state.Staged.Files {
		file, known := r.theirs(f.Path)
		now, err := f.Now.Content(r.a.Store.Blob)
		text, isText := now.Text()
		if !known || f.Base == nil || err != nil || !isText && now != nil {
			continue
		}
		if lost := file.Lost(file.Now, text); len(lost) > 0 {
			path := f.Path
			if f.From != "" {
				path = f.From
			}
			places = append(places, action.Places(path, lost))
		}
	}
	return places
}

const (
	// maxBegun bounds the texts that are kept of the beginning of a task, in bytes: a few thousand files of code.
	maxBegun = 16 << 20
	// maxBegunFile is the longest of them: longer ones are data, which nobody types in.
	maxBegunFile = 256 << 10
)

// keepBegun keeps how the user's files were when the task began, as far as they are so now: what they write while it works is
// told from that. Like [texts], it is never written down.
func (r *run) keepBegun(ctx context.Context) {
	r.begun = map[string]string{}
	size := 0
	for path, hash := range r.state.Manifest() {
		if ctx.Err() != nil || size > maxBegun {
			return
		}
		f, err := r.a.Workspace.Read(path)
		if err == nil && strings.HasPrefix(f.Hash, hash) && len(f.Text) <= maxBegunFile {
			r.begun[path] = f.Text
			size += len(f.Text)
		}
	}
}

// began is the text of a file as the task began, where it is known.
func (r *run) began(path string) (text string, known bool) {
	hash := r.state.ManifestHash(path)
	if hash == "" {
		return "", false
	}
	if text, known = r.begun[path]; known {
		return text, true
	}
	return r.texts.beginning(hash)
}

// rejected is what the user has rejected of a file in earlier results of the task.
func (r *run) rejected(path string) (list []workspace.Hunk) {
	for _, file := range r.a.rejectedBefore(r.state) {
		if file.Path == path {
			list = append(list, file.Hunks...)
		}
	}
	return list
}

// rejectedBefore are the files of earlier results, with the hunks that the user has rejected of them.
func (a *Agent) rejectedBefore(p *record.State) (list []workspace.Change) {
	for _, b := range p.Rejections() {
		state, err := b.Staged.State(a.Store.Blob)
		if err != nil {
			continue // the review has said what is wrong
		}
		for _, c := range workspace.Compare(workspace.State{}, state).Files {
			all := c.Hunks
			c.Hunks = nil
			for _, h := range b.Hunks {
				if h.Path == c.Path && h.Hunk >= 0 && h.Hunk < len(all) {
					c.Hunks = append(c.Hunks, all[h.Hunk])
				}
			}
			list = append(list, c)
		}
	}
	return list
}

// backAgain names the files in which the result makes changes again that the user has rejected.
func (a *Agent) backAgain(p *record.State) (names []string) {
	for _, rejected := range a.rejectedBefore(p) {
		i := slices.IndexFunc(p.Staged.Files, func(f record.StagedFile) bool { return f.Path == rejected.Path })
		if i < 0 || slices.Contains(names, rejected.Path) {
			continue
		}
		base, errBase := p.Staged.Files[i].Base.Content(a.Store.Blob)
		now, errNow := p.Staged.Files[i].Now.Content(a.Store.Blob)
		before, _ := base.Text()
		after, _ := now.Text()
		if errors.Join(errBase, errNow) == nil && slices.ContainsFunc(rejected.Hunks, func(h workspace.Hunk) bool { return action.BringsBack(h, before, after) }) {
			names = append(names, rejected.Path)
		}
	}
	return names
}
