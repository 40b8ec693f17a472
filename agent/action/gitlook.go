package action

import (
	_ "embed" // the texts for the model
	"errors"
)

//go:embed gitstatus.md
var gitStatusText string

// GitStatus shows which files differ from the last commit. Package agent answers
// it: the repository belongs to the workspace, not to the overlay.
type GitStatus struct{}

var _ = register[GitStatus](GitStatusName, Looks, gitStatusText)

// Check implements Args.
func (GitStatus) Check() error { return nil }

//go:embed gitdiff.md
var gitDiffText string

// GitDiff shows how files differ from the last commit.
type GitDiff struct {
	Path string `json:"path,omitempty" doc:"Only this file. Leave out for all."`
}

var _ = register[GitDiff](GitDiffName, Looks, gitDiffText)

// Check implements Args.
func (GitDiff) Check() error { return nil }

//go:embed recall.md
var recallText string

// Recall looks for similar past work in memory (SPEC row M4).
type Recall struct {
	Query string `json:"query" doc:"What to look for, in words."`
}

var _ = register[Recall](RecallName, Looks, recallText)

// Check implements Args.
func (a Recall) Check() error {
	if a.Query == "" {
		return errors.New("query is empty: say what to look for")
	}
	return nil
}
