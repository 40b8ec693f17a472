package agent

import (
	"path"
	"strings"
	"unicode/utf8"

	"caselsp/agent/action"
	"caselsp/agent/record"
	"caselsp/agent/workspace"
)

// FeatureState is how far a feature of a plan is.
type FeatureState string

// The states of a feature.
const (
	FeatureOpen    FeatureState = "open"
	FeatureWorking FeatureState = "working"
	FeatureDone    FeatureState = "done"
	FeatureFailed  FeatureState = "failed"
)

// Overview is a task for those who show all of it: where it is, its plan, and what it has
// staged so far.
type Overview struct {
	record.Status
	Analysis string           // of the plan, in a model's words
	Plan     []PlannedFeature // in the order of work; in a task in one loop the task itself
	Files    []FileCount      // sorted by path
	// Before are the files that were accepted before the task was tried again, and can still be undone.
	Before  []string
	Decided bool // the user has accepted or rejected some of it
	Doing   Doing
	Calls   int // of models
}

// PlannedFeature is one feature of a plan. Title is a model's words, marked as such.
type PlannedFeature struct {
	ID, Title string
	State     FeatureState
	Reason    string // why it ended
	Attempt   int    // from 1; 0: not begun
	Round     int
	Tests     string // how the last run of its tests went, in one line
	Steps     []Step // the latest, in order
}

// Step is an action in the work on a feature.
type Step struct {
	Round int
	Step  int // of the round; 0: it costs no step, as the tests that the engine runs
	Doing
}

// maxSteps is how many steps of a feature an overview has: three rounds of them.
const maxSteps = 45

// FileCount is a file that a task has staged, and how many lines of it differ, without the hunks that the user rejected.
type FileCount struct {
	Path, From     string
	Op             workspace.Op
	Binary         bool
	Added, Removed int
	// Hunks by what the user decided; a file that is decided as a whole has one.
	Open, Accepted, Rejected int
	AllRejected              bool
}

// Doing is what a task does at the moment: nothing where Action and Beside are empty.
type Doing struct {
	Action, Thought string
	File            string // of an action on one file
	Command         string // of a command line
	Beside          string // what is done that no record tells of, such as an installation: for it the action waits
}

// maxShownPath is how many characters of a file's name or of a command stand in the line about what a task does,
// which has to fit into 80 columns with where the task is.
const maxShownPath = 32

// deeds are the actions in words, for people; the others are called as they are.
var deeds = map[string]string{
	action.WriteFileName: "write", action.PatchFileName: "edit", action.DeleteFileName: "delete", action.RenameFileName: "rename",
	action.RunCommandName: "run", action.ListFilesName: "list files", action.SearchTextName: "search", action.SubmitPlanName: "plan",
	action.GetFullFileContent: "read", action.OutlineName: "outline", action.RequestUserInput: "ask you",
	action.FinishFeatureName: "finish the feature", action.SubmitVerdictName: "judge the work", action.SubmitFixName: "suggest a fix",
	action.SubmitTestsName: "write tests", action.SubmitCheckName: "write a validator", action.SubmitAdviceName: "advise",
}

// String is what a task does in a few words, "" for nothing.
func (d Doing) String() string {
	switch {
	case d.Beside != "":
		return d.Beside
	case d.Action == "":
		return ""
	}
	deed, known := deeds[d.Action]
	if !known {
		deed = strings.ToLower(strings.ReplaceAll(d.Action, "_", " "))
	}
	shown := d.File
	switch {
	case d.Command != "":
		shown = Quote(cutRunes(strings.Join(strings.Fields(d.Command), " ")))
	case utf8.RuneCountInString(d.File) > maxShownPath:
		shown = "…/" + cutRunes(path.Base(d.File))
	}
	return strings.TrimSpace(deed + " " + shown)
}

// cutRunes returns the beginning of a text of that length.
func cutRunes(text string) string {
	if r := []rune(text); len(r) > maxShownPath {
		return string(r[:maxShownPath]) + "…"
	}
	return text
}

// DoingOf is what an action does, for people.
func DoingOf(b record.ActionChosen) Doing {
	return Doing{Action: b.Action, Thought: b.Thought, File: record.FileOf(b.Args), Command: record.CommandOf(b.Args)}
}

// Overview returns all that is shown of a task.
func (a *Agent) Overview(id string) (Overview, error) {
	p, err := a.settled(id)
	if err != nil {
		return Overview{}, err
	}
	o := Overview{Status: p.Status(a.Limits.Rounds), Calls: p.Calls}
	o.Interrupted = a.interrupted(p)
	if p.Plan != nil && !p.Task.Single { // without a plan it is not a model's
		o.Analysis = p.Plan.Analysis
	}
	for i := range p.Features {
		o.Plan = append(o.Plan, plannedFeature(p, i))
	}
	if p.Pending != nil && !o.Interrupted {
		o.Doing = DoingOf(p.Pending.ActionChosen)
	}
	staged, err := p.Staged.State(a.Store.Blob)
	if err != nil {
		return o, err
	}
	for _, c := range workspace.Compare(workspace.State{}, staged).Files {
		o.Files = append(o.Files, countOf(c, func(hunk int) record.HunkState { return p.Review.Decided[record.HunkID{Path: c.Path, Hunk: hunk}] }))
	}
	o.Before, o.Decided = p.AcceptedBefore(), len(p.Review.Decided) > 0
	return o, nil
}

// plannedFeature is a feature of a task's plan, by its index.
func plannedFeature(p *record.State, i int) PlannedFeature {
	f := &p.Features[i]
	one := PlannedFeature{ID: f.ID, Title: p.TitleOf(f), State: FeatureOpen, Attempt: f.Attempt, Round: f.Round, Tests: f.Tests}
	switch {
	case f.Ended && f.OK:
		one.State = FeatureDone
	case f.Ended:
		one.State, one.Reason = FeatureFailed, f.Words.After(f.Reason)
	case i == p.Current && f.Attempt > 0:
		one.State = FeatureWorking
	}
	for _, t := range f.Taken[max(0, len(f.Taken)-maxSteps):] {
		one.Steps = append(one.Steps, Step{t.Round, t.Step, Doing{Action: t.Action, Thought: t.Thought, File: t.File, Command: t.Command}})
	}
	return one
}

// countOf counts the lines of a change. Of a file that is decided as a whole, hunk 0 stands for all.
func countOf(c workspace.Change, decided func(hunk int) record.HunkState) FileCount {
	n := FileCount{Path: c.Path, From: c.From, Op: c.Op, Binary: c.Binary}
	hunks := len(c.Hunks)
	if c.Op != workspace.Modify || c.Binary {
		hunks = min(hunks, 1)
	}
	for h := range max(1, hunks) {
		switch decided(h) {
		case record.HunkAccepted:
			n.Accepted++
		case record.HunkRejected:
			n.Rejected++
		default:
			n.Open++
		}
	}
	n.AllRejected = n.Rejected == max(1, hunks)
	if c.Binary || n.AllRejected {
		return n
	}
	before, _ := c.Before.Text()
	after := c.Select(func(hunk int) bool { return decided(min(hunk, hunks-1)) != record.HunkRejected })
	for _, h := range workspace.Diff(before, after) {
		n.Added, n.Removed = n.Added+len(h.New), n.Removed+len(h.Old)
	}
	return n
}
