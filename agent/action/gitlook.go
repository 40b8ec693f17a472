package action

import (
	_ "embed" // the texts for the model
	"errors"
)

//go:embed gitstatus.md
var gitStatusText string

// GitStatus shows which files differ from the last commit. Package agent answers
// it: the repository belongs to the workspace, not to the overlay.
type GitStatus struct{ reading }

// GitStatusVerb is the verb whose arguments are GitStatus.
var GitStatusVerb = register[GitStatus](GitStatusName, Looks, gitStatusText)

// Check implements Args.
func (GitStatus) Check() error { return nil }

// Reads implements Reach.
func (GitStatus) Reads() []Place { return []Place{FileNames("")} }

//go:embed gitdiff.md
var gitDiffText string

// GitDiff shows how files differ from the last commit.
type GitDiff struct {
	reading
	Path string `json:"path,omitempty"`
}

// GitDiffVerb is the verb whose arguments are GitDiff.
var GitDiffVerb = register[GitDiff](GitDiffName, Looks, gitDiffText)

// Check implements Args.
func (GitDiff) Check() error { return nil }

// Reads implements Reach.
func (a GitDiff) Reads() []Place {
	if a.Path == "" {
		return []Place{Files("")}
	}
	return []Place{File(a.Path)}
}

//go:embed recall.md
var recallText string

// Recall looks for similar past work in memory.
type Recall struct {
	reading
	Query string `json:"query"`
}

// RecallVerb is the verb whose arguments are Recall.
var RecallVerb = register[Recall](RecallName, Looks, recallText)

// Check implements Args.
func (a Recall) Check() error {
	if a.Query == "" {
		return errors.New("query is empty: say what to look for")
	}
	return nil
}

// Reads implements Reach.
func (Recall) Reads() []Place { return []Place{Memory{}} }
