package record

import "caselsp/agent/workspace"

// Applying is the intent to change the user's files.
type Applying struct {
	Undo  bool        `json:"undo,omitempty"`
	Hunks []HunkID    `json:"hunks,omitempty"` // what was accepted
	Edits []AppliedTo `json:"edits"`
}

// AppliedTo is one file's content before and after it was applied.
type AppliedTo struct {
	Op     workspace.Op `json:"op"`
	Path   string       `json:"path"`
	From   string       `json:"from,omitempty"`
	Before FileRef      `json:"before"`
	After  FileRef      `json:"after"`
	// Alone is what was accepted of the file, now and before, without what the user wrote between
	// the two; nil where they wrote nothing.
	Alone *FileRef `json:"alone,omitempty"`
	// Without is the user's file without anything that was accepted of it, with what they wrote since the first acceptance; nil
	// where they wrote nothing, or where the two cannot be told from each other: then Alone stands for that.
	Without *FileRef `json:"without,omitempty"`
	// Reopens is, of an undo, what the result that is open again is based on: the base of what is staged without what was accepted
	// of an earlier result; nil where that has no part of it.
	Reopens *FileRef `json:"reopens,omitempty"`
	// Makes are the folders that were missing for it, the innermost first: an undo removes those that are empty.
	Makes []string `json:"makes,omitempty"`
}

// Applied says what arrived, as looked at afterwards. One that is not the last of its intent
// comes before each file that is touched: it has what arrived since the one before, and the
// files that come next, so that a crash leaves only these uncertain. Journals of older versions
// have the last one alone.
type Applied struct {
	Undo    bool                `json:"undo,omitempty"`
	Results []workspace.Applied `json:"results"`
	Partly  []Partly            `json:"partly,omitempty"`
	Goes    bool                `json:"goes,omitempty"` // it is not the last one
	Next    []string            `json:"next,omitempty"` // with Goes: the files that are touched now
	// Settled says that a crash interrupted the intent, and that the results were found later by
	// looking at the files. Unsure are those in which it cannot be seen whether it arrived.
	Settled bool     `json:"settled,omitempty"`
	Unsure  []string `json:"unsure,omitempty"`
}

// Partly is a file into which some of the accepted hunks came, and not the
// others: editors let their users decline single changes of an edit.
type Partly struct {
	Path  string  `json:"path"`
	Hunks []int   `json:"hunks"` // those that arrived
	After FileRef `json:"after"` // the file with them alone
}

// Decided are hunks that the user rejected, or took back into the open.
type Decided struct {
	Hunks  []HunkID `json:"hunks"`
	Accept bool     `json:"accept"`
	Open   bool     `json:"open,omitempty"` // taken back into the open
}

// HunkID names one hunk of the change set under review. Hunk counts from 0; -1
// is the file's own operation (its creation, deletion or renaming) where it has no hunks.
type HunkID struct {
	Path string `json:"path"`
	Hunk int    `json:"hunk"`
	Kept string `json:"kept,omitempty"` // the [KeptWork] that it is of; "" for the result
}
