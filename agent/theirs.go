package agent

import (
	"slices"

	"caselsp/agent/action"
	"caselsp/agent/record"
)

// theirs returns the user's file that is seen under a path, beside what it was before the task changed anything: as it began,
// where the model was shown that, else as it was when something of it was first staged.
func (r *run) theirs(path string) (file action.Theirs, known bool) {
	if i := slices.IndexFunc(r.state.Staged.Files, func(f record.StagedFile) bool { return f.Path == path && f.From != "" }); i >= 0 {
		path = r.state.Staged.Files[i].From
	}
	now, err := r.a.Workspace.Read(path)
	if err != nil {
		return file, false
	}
	file.Now, file.Hash = now.Text, now.Hash
	if file.Began, known = r.texts.beginning(r.state.ManifestHash(path)); known {
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

// overTheirs are the places, as path:lines, where the result changes or takes out what the user wrote while the task worked.
func (a *Agent) overTheirs(p *record.State) (places []string) {
	for _, f := range p.Staged.Files {
		path := f.Path
		if f.From != "" {
			path = f.From
		}
		first, known := p.FirstBase(path)
		if !known || f.Base == nil || first != nil && first.Hash == f.Base.Hash {
			continue
		}
		var texts [3]string
		whole := true
		for i, ref := range []*record.FileRef{first, f.Base, f.Now} {
			content, err := ref.Content(a.Store.Blob)
			text, ok := content.Text()
			texts[i], whole = text, whole && err == nil && (ok || content == nil)
		}
		if lost := (action.Theirs{Began: texts[0], Now: texts[1]}).Lost(texts[1], texts[2]); whole && len(lost) > 0 {
			places = append(places, action.Places(path, lost))
		}
	}
	return places
}
