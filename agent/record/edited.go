package record

import "strings"

// Edited says that the user changed files which a model was shown or is about to read, while nothing of them was staged: what
// they did to staged files, a [Rebased] says. Files are their contents now; one without a hash is gone.
type Edited struct {
	Files []FileRef `json:"files"`
	At    Place     `json:"at"`
}

func (Edited) kind() string { return "edited" }

// applyTyped folds what the user did to files.
func (p *State) applyTyped(body Body) {
	switch b := body.(type) {
	case Rebased:
		p.applyRebased(b)
	case Edited:
		p.applyEdited(b)
	}
}

// applyEdited folds what the user changed.
func (p *State) applyEdited(b Edited) {
	if p.edits == nil {
		p.edits = map[string]string{}
	}
	for _, f := range b.Files {
		p.edits[f.Path] = f.Hash
	}
}

// EditedSince reports whether the user's file is another than when the task began, or than was recorded since; hash is of its
// content, "" for none. Where the files were too many for their hashes to be kept, it is false.
func (p *State) EditedSince(path, hash string) bool {
	if last, known := p.edits[path]; known {
		return hash != last
	}
	began := p.manifest[path]
	return p.manifest != nil && (began != "" || hash != "") && (began == "" || hash == "" || !strings.HasPrefix(hash, began)) && !strings.HasPrefix(began, "size-")
}

// ReasonResumed is the reason of a state in which a task goes on.
const ReasonResumed = "resumed"
