package agent

import (
	"slices"
	"time"

	"caselsp/agent/record"
	"caselsp/sandbox"
)

// entry is one line of a recording.
type entry struct {
	Time     time.Time                 `json:"time"`
	Kind     string                    `json:"kind"`
	Given    *record.TaskGiven         `json:"given,omitempty"`
	Answer   *record.CallAnswered      `json:"answer,omitempty"`
	Command  *recordedRun              `json:"command,omitempty"`
	User     *record.Answered          `json:"user,omitempty"`
	Recalled *record.MemoryRecalled    `json:"recalled,omitempty"`
	Layered  *record.DependenciesFound `json:"layered,omitempty"`
	Linted   *record.Linted            `json:"linted,omitempty"`
	Checked  *record.FixChecked        `json:"fix_checked,omitempty"`
	Tried    *record.ValidatorTried    `json:"validator_tried,omitempty"`
	Allowed  *record.Tolerated         `json:"tolerated,omitempty"`
	Told     *record.Told              `json:"told,omitempty"`
	Returned *record.Returned          `json:"returned,omitempty"`
	Tests    *record.TestsFound        `json:"tests,omitempty"`
	Judged   *record.Judged            `json:"judged,omitempty"`  // of a command that nobody was asked about
	Message  *record.Message           `json:"message,omitempty"` // in a thread
	Handed   *record.HandedOver        `json:"handed,omitempty"`  // what a thread was handed over to
	Shown    *record.FilesShown        `json:"shown,omitempty"`   // to the model of a thread, unasked
	Window   *record.WindowTold        `json:"window,omitempty"`  // of a task
	Edited   []editedFile              `json:"edited,omitempty"`  // staged files that the user edited meanwhile
	At       *record.Place             `json:"at,omitempty"`      // from where on the task had their text
	Ended    bool                      `json:"ended,omitempty"`   // the process that worked on the task, here
	Turns    int                       `json:"turns,omitempty"`   // that its model was told by then
}

// editedFile is a file as the user has edited it; Text is nil where it was removed or is no text.
type editedFile struct {
	Path string  `json:"path"`
	Text *string `json:"text,omitempty"`
}

// known reports whether a replay can make these edits.
func (e *entry) known() bool {
	return e.At != nil && len(e.Edited) > 0 && !slices.ContainsFunc(e.Edited, func(f editedFile) bool { return f.Text == nil })
}

// editedFiles are the files of a record with their texts.
func (a *Agent) editedFiles(b record.Edited) (list []editedFile, err error) {
	for _, ref := range b.Files {
		f := editedFile{Path: ref.Path}
		content, err := ref.ContentOrNone(a.Store.Blob)
		if err != nil {
			return nil, err
		}
		if text, ok := content.Text(); ok && content != nil {
			f.Text = &text
		}
		list = append(list, f)
	}
	return list, nil
}

// endedBefore reports whether a record says that another process goes on with the task.
func endedBefore(body record.Body) bool {
	switch b := body.(type) {
	case record.CallFailed:
		return b.Lost
	case record.StateChanged:
		return b.Reason == record.ReasonResumed
	case record.Continued:
		return true
	}
	return false
}

// edited are the files that the user edited, by what staged edits were moved onto.
func (a *Agent) edited(b record.Rebased) (list []editedFile, err error) {
	for _, path := range b.Paths {
		f := editedFile{Path: path}
		i := slices.IndexFunc(b.Staged.Files, func(s record.StagedFile) bool { return s.Path == path })
		if i >= 0 && b.Staged.Files[i].Base != nil {
			content, err := b.Staged.Files[i].Base.Content(a.Store.Blob)
			if err != nil {
				return nil, err
			}
			if text, ok := content.Text(); ok {
				f.Text = &text
			}
		}
		list = append(list, f)
	}
	return list, nil
}

// take takes in a record that a recording holds as it is, and reports whether this is one. That of a thread holds
// more.
func (e *entry) take(body record.Body, thread bool) bool {
	switch b := body.(type) {
	case record.TaskGiven:
		e.Given = &b
	case record.CallAnswered:
		e.Answer = &b
	case record.Answered:
		e.User = &b
		return !record.Aside(b.ID) // a replay is not asked that
	case record.MemoryRecalled:
		e.Recalled = &b
	case record.DependenciesFound:
		e.Layered = &b
	case record.Linted:
		e.Linted = &b
	case record.FixChecked:
		e.Checked = &b
	case record.ValidatorTried:
		e.Tried = &b
	case record.Tolerated:
		e.Allowed = &b
	case record.Told:
		e.Told = &b
	case record.Returned:
		e.Returned = &b
	case record.TestsFound:
		e.Tests = &b
	case record.WindowTold:
		e.Window = &b
		return !thread // its messages hold it
	case record.Judged:
		e.Judged = &b
		return !b.ByAnswer()
	case record.Message:
		e.Message = &b
		return thread
	case record.HandedOver:
		e.Handed = &b
		return thread
	case record.FilesShown:
		e.Shown = &b
		return thread
	default:
		return false
	}
	return true
}

// recordedRun is a command with its result.
type recordedRun struct {
	Line   string         `json:"line"`
	Tree   string         `json:"tree"`
	Memory int64          `json:"memory,omitempty"` // 0: as sandbox.DefaultPolicy has it
	Time   time.Duration  `json:"time,omitempty"`   // the same
	Before bool           `json:"before,omitempty"` // the tests, on the files as they were before the task
	Bare   bool           `json:"bare,omitempty"`   // the tests, without the feature's change of other code
	Result sandbox.Result `json:"result"`
	Masked []string       `json:"masked,omitempty"` // files of the result that the export does not hold as they were
}

// limited notes what a command might use where that is not what is usual.
func (c *recordedRun) limited(by record.CommandStarted) {
	if by.Memory != sandbox.DefaultPolicy.Memory {
		c.Memory = by.Memory
	}
	if by.Time != sandbox.DefaultPolicy.Time {
		c.Time = by.Time
	}
}
