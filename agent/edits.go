package agent

import (
	"context"
	"errors"
	"io/fs"
	"slices"

	"caselsp/agent/action"
	"caselsp/agent/record"
)

// noteEdits records what the user changed in files that a model was shown, or that an action is about to read: so a recording
// holds it. Of staged files, [run.observe] tells. A file that may hold secrets is left out.
func (r *run) noteEdits(paths []string) error {
	if r.a.outside.replays() || r.state.Task.Thread != "" {
		return nil
	}
	b := record.Edited{At: r.state.Place()}
	var blobs [][]byte
	for _, path := range paths {
		if r.staged(path) || r.may().Hides(path) {
			continue
		}
		ref := record.FileRef{Path: path}
		content, err := r.a.Workspace.Bytes(path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			continue // whoever reads it is told
		default:
			text, isText := content.Text()
			if !isText || len(text) > maxBegunFile || r.may().Tells(path, text) || r.a.Store.Redact(text) != text {
				continue
			}
			ref.Hash, ref.Mode = content.Hash, content.Mode
		}
		if !r.state.EditedSince(path, ref.Hash) {
			continue
		}
		if b.Files = append(b.Files, ref); content != nil {
			blobs = append(blobs, content.Data)
		}
	}
	if len(b.Files) == 0 {
		return nil
	}
	return r.record(b, blobs...)
}

// staged reports whether something is staged of a file.
func (r *run) staged(path string) bool {
	for _, f := range r.state.Staged.Files {
		if f.Path == path || f.From == path {
			return true
		}
	}
	return false
}

// readBy are the files that places name: of those that are looked through as a whole, the ones that are others now than when the
// task began.
func (r *run) readBy(ctx context.Context, places []action.Place) (paths []string) {
	for _, p := range places {
		if f, ok := p.(action.File); ok {
			paths = append(paths, string(f))
			continue
		}
		began := r.state.Manifest()
		if began == nil { // too many files to look through for each action
			continue
		}
		now, err := r.overlay.Manifest(ctx, maxManifest)
		if now == nil || err != nil {
			continue
		}
		for path, hash := range now {
			if began[path] != hash {
				paths = append(paths, path)
			}
		}
		for path := range began {
			if now[path] == "" {
				paths = append(paths, path)
			}
		}
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}
