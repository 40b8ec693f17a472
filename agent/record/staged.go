package record

import (
	"fmt"
	"io/fs"

	"caselsp/agent/workspace"
)

// StagedOf describes a staged state by hashes, beside the contents they name.
func StagedOf(s workspace.State) (Staged, [][]byte) {
	refs := Staged{Files: []StagedFile{}}
	var blobs [][]byte
	ref := func(path string, c *workspace.Content) *FileRef {
		if c == nil {
			return nil
		}
		blobs = append(blobs, c.Data)
		return &FileRef{Path: path, Hash: c.Hash, Mode: c.Mode}
	}
	for _, f := range s.Files {
		refs.Files = append(refs.Files, StagedFile{Path: f.Path, From: f.From, Base: ref(f.Path, f.Base), Now: ref(f.Path, f.Now)})
	}
	return refs, blobs
}

// State brings the staged files back from the store.
func (s Staged) State(blob Blobs) (workspace.State, error) {
	var state workspace.State
	for _, f := range s.Files {
		w := workspace.Staged{Path: f.Path, From: f.From}
		var err error
		if w.Base, err = f.Base.Content(blob); err != nil {
			return state, err
		}
		if w.Now, err = f.Now.Content(blob); err != nil {
			return state, err
		}
		state.Files = append(state.Files, w)
	}
	return state, nil
}

// Blobs returns the content that the store keeps under a hash.
type Blobs func(hash string) ([]byte, error)

// Content returns the content that a reference names, nil where there is no file.
func (ref *FileRef) Content(blob Blobs) (*workspace.Content, error) {
	if ref == nil {
		return nil, nil
	}
	data, err := blob(ref.Hash)
	if err != nil {
		return nil, fmt.Errorf("the staged content of %s: %w", ref.Path, err)
	}
	mode := ref.Mode
	if mode == 0 {
		mode = fs.FileMode(0o644)
	}
	return &workspace.Content{Data: data, Mode: mode, Hash: ref.Hash}, nil
}

// ContentOrNone is content for a reference whose empty hash means that there was no file.
func (ref *FileRef) ContentOrNone(blob Blobs) (*workspace.Content, error) {
	if ref.Hash == "" {
		return nil, nil
	}
	return ref.Content(blob)
}

// Describe says what is staged of a file.
func (f StagedFile) Describe() string {
	switch {
	case f.Now == nil:
		return "deleted " + f.Path
	case f.From != "":
		return fmt.Sprintf("renamed %s to %s", f.From, f.Path)
	case f.Base == nil:
		return "created " + f.Path
	default:
		return "changed " + f.Path
	}
}
