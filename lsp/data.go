package lsp

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"caselsp/agent"
	"caselsp/agent/record"
	"caselsp/agent/workspace"

	"go.lsp.dev/uri"
)

// Plugins show tasks, questions and results in their own way. For them some commands answer with
// data instead of showing something: {"format": "data"}. README.md, "For plugins", documents the
// fields. What is published stays: fields are added, none is renamed or removed.

// dataVersion changes when a plugin must not read the data as before.
const dataVersion = 1

// dataFormat is the only format beside the usual one, in which a command shows something.
const dataFormat = "data"

// recentTasks is how many tasks that are over stand in the data of the status: a list of more is the
// history's.
const recentTasks = 10

// wantsData reports whether the answer is to be data.
func (a arguments) wantsData() (bool, error) {
	switch format, given := a.field(argFormat.Name); {
	case !given || format == "":
		return false, nil
	case format != dataFormat:
		return false, fmt.Errorf("unknown format %.80q: the only one is %q", format, dataFormat)
	}
	return true, nil
}

// asData returns an answer as JSON. encoding/json writes it, since the codec of the protocol
// leaves out and adds fields by rules of its own.
func asData(v any) (any, error) {
	raw, err := json.Marshal(v)
	return json.RawMessage(raw), err
}

// statusView is the answer of caselsp.status as data.
type statusView struct {
	Version int        `json:"version"`
	Tasks   []taskView `json:"tasks"`
	// Unconfirmed are the settings of which a value of the editor waits to be confirmed; only where no task is named.
	Unconfirmed []string `json:"unconfirmed,omitempty"`
}

// taskView is one task.
type taskView struct {
	ID           string         `json:"id"`
	Title        string         `json:"title"`
	Text         string         `json:"text"`
	Class        record.Class   `json:"class"`
	State        string         `json:"state"`
	Interrupted  bool           `json:"interrupted"`
	Here         bool           `json:"here"` // this server works on it
	Line         string         `json:"line"`
	Reason       string         `json:"reason"`
	Outcome      string         `json:"outcome"`
	Feature      int            `json:"feature"`
	Features     int            `json:"features"`
	FeatureTitle string         `json:"featureTitle"`
	Attempt      int            `json:"attempt"`
	Round        int            `json:"round"`
	Rounds       int            `json:"rounds"`
	Step         int            `json:"step"`
	Action       string         `json:"action"`
	File         string         `json:"file"`
	Command      string         `json:"command"`
	Doing        string         `json:"doing"` // the action in a few words
	Thought      string         `json:"thought"`
	Tokens       int            `json:"tokens"`
	CachedTokens int            `json:"cachedTokens"`
	Cost         float64        `json:"cost"`
	Estimated    bool           `json:"estimated"`
	Started      time.Time      `json:"started"`
	Changed      time.Time      `json:"changed"`
	Questions    []questionView `json:"questions"`
	Files        []fileCount    `json:"files"`
	Before       []string       `json:"acceptedBefore"` // files, before the task was tried again
	Analysis     string         `json:"analysis"`
	Plan         []planView     `json:"plan"`
	Kept         []keptView     `json:"kept"`
	Can          []string       `json:"can"`
}

// fileCount is a file that a task has staged.
type fileCount struct {
	Path    string `json:"path"`
	From    string `json:"from,omitempty"`
	URI     string `json:"uri"`
	Kind    string `json:"kind"`
	Binary  bool   `json:"binary,omitempty"`
	Added   int    `json:"added"`
	Removed int    `json:"removed"`
	// Hunks by what the user decided. Added and Removed do not count those that are rejected.
	Open        int  `json:"open,omitempty"`
	Accepted    int  `json:"accepted,omitempty"`
	Rejected    int  `json:"rejected,omitempty"`
	AllRejected bool `json:"allRejected,omitempty"`
}

// planView is one feature of a plan.
type planView struct {
	ID      string     `json:"id"`
	Title   string     `json:"title"`
	State   string     `json:"state"`
	Reason  string     `json:"reason"`
	Attempt int        `json:"attempt"`
	Round   int        `json:"round"`
	Tests   string     `json:"tests"`
	Steps   []stepView `json:"steps,omitempty"` // the latest, in order
}

// stepView is an action in the work on a feature.
type stepView struct {
	Round   int    `json:"round"`
	Step    int    `json:"step"` // of the round, from 1; 0: it costs no step, as the tests that caselsp runs
	Doing   string `json:"doing"`
	About   string `json:"about,omitempty"` // the whole command, or the file
	Thought string `json:"thought,omitempty"`
}

// keptView is the work of a feature that failed.
type keptView struct {
	ID     string   `json:"id"`
	Title  string   `json:"title"`
	Reason string   `json:"reason"`
	Files  []string `json:"files"`
}

// kinds are what becomes of a file, in words for plugins.
var kinds = map[workspace.Op]string{workspace.Create: "created", workspace.Modify: "changed", workspace.Delete: "deleted", workspace.Rename: "renamed"}

// statusAsData answers caselsp.status as data: the task that is named, else all that are not over
// and the latest of the others.
func (k *taskCommands) statusAsData(e *Engine, id string) (any, error) {
	var ids []string
	if id != "" {
		ids = []string{id}
	} else {
		all, err := e.Agent.History()
		if err != nil {
			k.ed.Log.Warn("some tasks cannot be read", "error", err)
		}
		over := 0
		for _, st := range slices.Backward(all) {
			if st.State.Ended() {
				if over++; over > recentTasks {
					continue
				}
			}
			ids = append(ids, st.Task.ID)
		}
	}
	data := statusView{Version: dataVersion, Tasks: []taskView{}}
	if id == "" {
		list, err := values(e)
		if err != nil {
			k.ed.Log.Warn("the settings that wait cannot be read", "error", err)
		}
		for _, v := range list {
			if !v.confirmed {
				data.Unconfirmed = append(data.Unconfirmed, v.Setting)
			}
		}
	}
	for _, id := range ids {
		o, err := e.Agent.Overview(id)
		if err != nil {
			return nil, err
		}
		data.Tasks = append(data.Tasks, k.taskAsData(e, o))
	}
	return asData(data)
}

// taskAsData is one task as data.
func (k *taskCommands) taskAsData(e *Engine, o agent.Overview) taskView {
	doing := o.Doing
	t := k.tasks.get(o.Task.ID)
	if t != nil {
		doing = t.doing()
	}
	line, _ := progressText(o.Status, doing)
	d := taskView{
		ID: o.Task.ID, Title: agent.Visible(title(o.Task)), Text: o.Task.Text, Class: o.Class, State: string(o.State), Interrupted: o.Interrupted, Here: t != nil, Line: agent.Visible(line),
		Reason: agent.Visible(o.Reason), Outcome: o.Outcome, Feature: o.Feature, Features: o.Features, FeatureTitle: agent.Visible(o.Title), Attempt: o.Attempt, Round: o.Round, Rounds: o.Rounds, Step: o.Step,
		Action: doing.Action, File: doing.File, Command: agent.Visible(doing.Command), Doing: agent.Visible(doing.String()), Thought: agent.Quote(doing.Thought),
		Tokens: o.Usage.Prompt + o.Usage.Completion, CachedTokens: o.Usage.Cached, Cost: o.Usage.Cost, Estimated: o.Usage.Estimated, Started: o.Started, Changed: o.Changed,
		Questions: []questionView{}, Files: []fileCount{}, Before: append([]string{}, o.Before...), Analysis: agent.Quote(o.Analysis), Plan: []planView{}, Kept: []keptView{}, Can: k.can(o, t != nil),
	}
	if doing.Thought == "" {
		d.Thought = ""
	}
	if o.Analysis == "" {
		d.Analysis = ""
	}
	if o.Open != nil {
		d.Questions = append(d.Questions, questionAsData(*o.Open, t != nil))
	}
	for _, f := range o.Files {
		abs, err := e.Agent.Workspace.Abs(f.Path)
		if err == nil {
			abs = string(uri.File(abs))
		}
		d.Files = append(d.Files, fileCount{Path: f.Path, From: f.From, URI: abs, Kind: kinds[f.Op], Binary: f.Binary, Added: f.Added, Removed: f.Removed, Open: f.Open, Accepted: f.Accepted, Rejected: f.Rejected, AllRejected: f.AllRejected})
	}
	for _, f := range o.Plan {
		d.Plan = append(d.Plan, planView{f.ID, agent.Visible(f.Title), string(f.State), agent.Visible(f.Reason), f.Attempt, f.Round, f.Tests, stepsAsData(f.Steps)})
	}
	for _, f := range o.Kept {
		d.Kept = append(d.Kept, keptView{f.ID, agent.Visible(f.Title), agent.Visible(f.Reason), f.Files})
	}
	return d
}

// stepsAsData are steps as data.
func stepsAsData(steps []agent.Step) (list []stepView) {
	for _, s := range steps {
		d := stepView{s.Round, s.Step, agent.Visible(s.Doing.String()), agent.Visible(cmp.Or(s.Command, s.File)), ""}
		if s.Thought != "" {
			d.Thought = agent.Quote(s.Thought)
		}
		list = append(list, d)
	}
	return list
}

// can are the ids of the commands that have something to do about a task.
func (k *taskCommands) can(o agent.Overview, here bool) []string {
	list, st := []string{}, o.Status
	add := func(fits bool, id string) {
		if fits {
			list = append(list, id)
		}
	}
	resumable := !here && (st.Interrupted || !st.State.Ended() && st.State != record.Review && !st.State.Works())
	decided := st.State == record.Succeeded || st.State == record.Review
	add(here, cmdStop)
	add(here || resumable, cmdTell)
	add(resumable || st.Triable, cmdResume)
	add(st.State == record.Review || unfinished(st) || len(st.Kept) > 0 || decided && st.Reply == "", cmdReview)
	add(st.State == record.Review || unfinished(st), cmdAccept)
	add(o.Decided && (decided || st.State == record.Rejected || len(st.Kept) > 0), cmdUndo)
	add(true, cmdReport)
	return list
}

// questionsView is the answer of caselsp.questions as data.
type questionsView struct {
	Version   int            `json:"version"`
	Questions []questionView `json:"questions"`
}

// questionView is one open question. Choices are in the order in which they are to be shown: what
// allows something never comes first.
type questionView struct {
	ID      string       `json:"id"`
	Task    string       `json:"task"`
	Kind    string       `json:"kind"`
	Text    string       `json:"text"`
	Asks    string       `json:"asks"` // in plain words
	What    string       `json:"what"`
	Called  string       `json:"called,omitempty"` // what in a few words, where it is a program of caselsp's own
	Who     string       `json:"who"`
	Where   string       `json:"where"`
	Touches []string     `json:"touches"`
	Gets    []string     `json:"gets"`
	Why     string       `json:"why"`
	Secret  string       `json:"secret,omitempty"`
	Answers []string     `json:"answers"`
	Choices []choiceView `json:"choices"`
	ReadMS  int64        `json:"readMs"`
	Resumes bool         `json:"resumes,omitempty"` // the task lies still: an answer resumes it
}

// choiceView is one way to decide, as a command to be sent.
type choiceView struct {
	Title     string `json:"title"`
	Command   string `json:"command"`
	Arguments []any  `json:"arguments"`
	Allows    bool   `json:"allows"`
	Opens     bool   `json:"opens"`
}

// questionAsData is one question as data; here says whether this server works on its task.
func questionAsData(q record.Question, here bool) questionView {
	d := questionView{
		ID: q.ID, Task: q.Task, Kind: string(q.Kind()), Text: questionText(q), Who: Name, Touches: []string{}, Gets: []string{}, Answers: []string{}, Choices: []choiceView{},
		Asks: inLine(agent.Visible(q.Text)), Why: agent.Visible(q.Why), Resumes: !here, ReadMS: agent.ReadTime(questionText(q)).Milliseconds(),
	}
	switch about := q.Subject.(type) {
	case record.Approvable:
		offer := about.Offer()
		d.What, d.Called, d.Where = agent.Visible(offer.What), offer.Called, agent.Visible(offer.Where)
		d.Touches = append(d.Touches, offer.Touches...)
		d.Gets = append(d.Gets, offer.Gets(agent.Quote)...)
	case record.Input:
		d.What, d.Who = agent.Visible(q.Whole()), cmp.Or(about.Who(), Name)
		for _, c := range about.Choices {
			d.Answers = append(d.Answers, agent.Visible(c))
		}
	case record.Secret:
		d.Secret = about.Name
	}
	for _, c := range choicesOf(q) {
		sent := c.command(q, c.title)
		args := make([]any, len(sent.Arguments)) // decoded: their fields come in one order
		for i, raw := range sent.Arguments {
			_ = json.Unmarshal(raw, &args[i])
		}
		d.Choices = append(d.Choices, choiceView{Title: sent.Title, Command: sent.Command, Arguments: args, Allows: c.allows, Opens: c.opens})
	}
	return d
}
