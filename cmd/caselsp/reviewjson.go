package main

import (
	"io"

	"caselsp/agent/record"
	"caselsp/agent/review"
	"caselsp/agent/workspace"
)

// reviewJSON is a result with what was decided about it, for programs.
type reviewJSON struct {
	Task  string       `json:"task"`
	State record.Phase `json:"state"`
	Files []fileJSON   `json:"files"`
	Notes []noteJSON   `json:"notes,omitempty"` // of the user, that were not sent back yet
	Kept  []keptJSON   `json:"kept"`            // the work of features that failed, not verified
}

type noteJSON struct {
	File string `json:"file,omitempty"`
	Hunk int    `json:"hunk,omitempty"` // from 1; 0: the whole file
	Text string `json:"text"`
}

type keptJSON struct {
	ID     string     `json:"id"`
	Title  string     `json:"title"`
	Reason string     `json:"reason"`
	Files  []fileJSON `json:"files"`
}

type fileJSON struct {
	Op     workspace.Op       `json:"op"`
	Path   string             `json:"path"`
	From   string             `json:"from,omitempty"`
	Obeyed string             `json:"obeyed,omitempty"` // by what, without being told to
	Unfit  string             `json:"unfit,omitempty"`  // why it does not fit the file as it is now
	Hunks  []record.HunkState `json:"hunks"`
	Diff   string             `json:"diff"`
}

func printReview(out io.Writer, rev *review.Review) error {
	j := reviewJSON{Task: rev.Task.ID, State: rev.State, Files: filesJSON(rev.Files), Kept: []keptJSON{}}
	for _, n := range rev.Notes {
		j.Notes = append(j.Notes, noteJSON{n.File, n.Hunk, n.Text})
	}
	for _, k := range rev.Kept {
		j.Kept = append(j.Kept, keptJSON{k.ID, k.Title, k.Words.After(k.Reason), filesJSON(k.Files)})
	}
	return newEncoder(out).Encode(j)
}

func filesJSON(files []review.File) []fileJSON {
	list := []fileJSON{}
	for _, f := range files {
		list = append(list, fileJSON{f.Change.Op, f.Change.Path, f.Change.From, f.Obeyed.By, f.Unfit, f.Hunks, f.Change.Unified()})
	}
	return list
}
