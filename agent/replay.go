package agent

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"sort"
	"time"

	"caselsp/agent/count"
	"caselsp/agent/llm"
	"caselsp/agent/llm/replay"
	"caselsp/agent/record"
	"caselsp/agent/workspace"
	"caselsp/sandbox"
	"caselsp/store"
)

// Recording is what came to a task from outside: model answers, command
// results, user answers, what memory gave, and when. A replay computes
// everything else anew and says where it parts from the recording.
//
// On disk it is JSON Lines: a [Header], then the exported journal without what can
// be computed.
type Recording struct {
	Task                   record.Task
	Manifest               map[string]string
	limits                 record.Limits
	writeTests             string
	planReview, planChecks bool
	context                int
	answers                bool
	packages               map[sandbox.Profile][]string
	offers                 bool
	known                  *record.Known
	entries                []entry
	Made                   Header
}

// Export writes a task's recording.
func (a *Agent) Export(id string, w io.Writer) error {
	events, err := a.Events(id)
	if err == nil {
		_, err = a.load(id) // its records fit each other
	}
	if err != nil {
		return err
	}
	if err := errors.Join(a.conceal(context.Background()), a.adopt(id)); err != nil {
		return err
	}
	if err := writeHeader(w, a.Version); err != nil {
		return err
	}
	var started record.CommandStarted
	accepted := false
	var state record.State
	for _, e := range events {
		state.Apply(e.Seq, e.Time, e.Body)
		line := entry{Time: e.Time, Kind: record.KindOf(e.Body)}
		_, back := e.Body.(record.Returned)
		_, applied := e.Body.(record.Applied)
		accepted = accepted || applied
		if _, again := e.Body.(record.Retried); again || back && accepted {
			break // what the user accepted before it is theirs, and no part of a recording
		}
		switch b := e.Body.(type) {
		case record.CommandStarted:
			started = b
			continue
		case record.CommandEnded:
			result, err := b.WithChanges(a.Store.Blob)
			if err != nil {
				return fmt.Errorf("record %d: %w", e.Seq, err)
			}
			line.Command = &recordedRun{Line: started.Line, Tree: started.Tree, Before: started.Before, Bare: started.Bare, Result: *result}
			line.Command.limited(started)
		case record.Rebased:
			if line.Edited, err = a.edited(b); err != nil {
				return fmt.Errorf("record %d: %w", e.Seq, err)
			}
			line.At = b.At
		case record.Edited:
			if line.Edited, err = a.editedFiles(b); err != nil {
				return fmt.Errorf("record %d: %w", e.Seq, err)
			}
			line.At = &b.At
		default:
			if line.Ended = endedBefore(b); line.Ended {
				line.At, line.Turns = new(state.Place()), len(state.Turns)
			} else if !line.take(b, record.IsThread(id)) {
				continue
			}
		}
		raw, err := a.exported(e.Body, line)
		if err == nil {
			_, err = w.Write(append(raw, '\n'))
		}
		if err != nil {
			return fmt.Errorf("the recording cannot be written: %w", err)
		}
	}
	return nil
}

// exported is a line of a recording without secrets. What the journal has was redacted
// when it was kept; the files that a command wrote were not: those that change are named.
func (a *Agent) exported(body record.Body, line entry) ([]byte, error) {
	raw, err := json.Marshal(line)
	if err != nil {
		return nil, err
	}
	if wrote, ok := body.(store.Authored); ok {
		return a.Store.RedactAuthored(wrote, raw), nil
	}
	clean := a.Store.RedactJSON(raw)
	if line.Command == nil || bytes.Equal(clean, raw) {
		return clean, nil
	}
	for i := range line.Command.Result.Changes {
		c := &line.Command.Result.Changes[i]
		if c.Data == nil {
			continue
		}
		if raw, err = json.Marshal(c.Data); err != nil {
			return nil, err
		}
		var kept []byte
		if json.Unmarshal(a.Store.RedactJSON(raw), &kept) != nil { // its letters in base64 have the form of a secret: it cannot be kept in part
			c.Data = []byte{}
			line.Command.Masked = append(line.Command.Masked, c.Path)
		} else if !bytes.Equal(c.Data, kept) {
			line.Command.Masked = append(line.Command.Masked, c.Path)
		}
	}
	if raw, err = json.Marshal(line); err != nil {
		return nil, err
	}
	return a.Store.RedactJSON(raw), nil
}

// Masked returns the files that commands wrote and that the recording does not hold as
// they were, because they held secrets.
func (rec *Recording) Masked() []string {
	var list []string
	for _, e := range rec.entries {
		if e.Command != nil {
			list = append(list, e.Command.Masked...)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// Edited returns the files that the user edited while the task worked on them, and those whose text the recording does not
// hold: a replay lacks these edits.
func (rec *Recording) Edited() (all, lost []string) {
	for _, e := range rec.entries {
		for _, f := range e.Edited {
			all = append(all, f.Path)
			if !e.known() {
				lost = append(lost, f.Path)
			}
		}
	}
	slices.Sort(all)
	slices.Sort(lost)
	return slices.Compact(all), slices.Compact(lost)
}

// maxRecordingLine bounds one line of a recording: a command's result with the
// largest files that the sandbox gives back.
const maxRecordingLine = 256 << 20

// ReadRecording reads what Export wrote.
func ReadRecording(r io.Reader) (*Recording, error) {
	rec := &Recording{}
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 0, 64<<10), maxRecordingLine)
	for n := 1; lines.Scan(); n++ {
		if n == 1 {
			header, found, err := readHeader(lines.Bytes())
			if err != nil {
				return nil, err
			}
			if rec.Made = header; found {
				continue
			}
		}
		var e entry
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			return nil, fmt.Errorf("line %d of the recording is not what `caselsp export` writes: %w", n, err)
		}
		if e.Given != nil {
			rec.Task, rec.Manifest = e.Given.Asked(), e.Given.Manifest
			rec.limits, rec.context, rec.answers = e.Given.Limits, e.Given.Context, e.Given.Answers
			rec.writeTests, rec.planReview, rec.planChecks = e.Given.WriteTests, e.Given.PlanReview, e.Given.PlanChecks
			rec.packages, rec.offers, rec.known = e.Given.Packages, e.Given.Offers, e.Given.Known
		}
		rec.entries = append(rec.entries, e)
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("the recording cannot be read: %w", err)
	}
	if rec.Task.ID == "" {
		return nil, errors.New("this is no recording: it does not hold a task. Make one with `caselsp export`")
	}
	return rec, nil
}

// Answers returns what the user answered to each question, in order.
func (rec *Recording) Answers() []record.Answer {
	var list []record.Answer
	for _, e := range rec.entries {
		if e.User != nil {
			list = append(list, e.User.Answer)
		}
	}
	return list
}

// Matches reports the first file by name that differs from the workspace in
// which the recording was made; nil where all are the same.
func (rec *Recording) Matches(ctx context.Context, w *workspace.Workspace) error {
	if rec.Manifest == nil {
		return nil // it was too large to be kept; the prompts will tell
	}
	o := w.NewOverlay()
	defer o.Close()
	now, err := o.Manifest(ctx, maxManifest)
	if err != nil {
		return err
	}
	var differ []string
	for path, hash := range rec.Manifest {
		switch got, ok := now[path]; {
		case !ok:
			differ = append(differ, path+" is missing")
		case got != hash && hash != store.Redacted: // the hash of a file whose name says secret looks like one
			differ = append(differ, path+" differs")
		}
	}
	for path := range now {
		if _, ok := rec.Manifest[path]; !ok {
			differ = append(differ, path+" was not there")
		}
	}
	if len(differ) == 0 {
		return nil
	}
	sort.Strings(differ)
	return fmt.Errorf("the replay parts from the recording before it begins: %s (%s in all)", differ[0], count.Of(len(differ), "file"))
}

// answer is an answer for the replay. One that was given in another conversation is not
// compared by its request; of its calls only the first was done.
func (rec *Recording) answer(a record.CallAnswered) replay.Answer {
	if rec.Made.Format >= appendOnly {
		return replay.Answer{Role: a.Role, Digest: a.Digest, Messages: a.Messages, Response: a.Response}
	}
	if len(a.Response.ToolCalls) > 1 {
		a.Response.ToolCalls = a.Response.ToolCalls[:1]
	}
	return replay.Answer{Role: a.Role, Response: a.Response}
}

// Player plays a recording: it is the model, the sandbox, the memory and the clock
// of a replay, and the user too if there is no other. One run uses it.
type Player struct {
	rec   *Recording
	model llm.Model
	box   sandbox.Engine
	user  []entry
	found []entry
	layer []record.DependenciesFound
	says  []record.Told
	edits []entry // of files, by the user
	ends  []entry // of processes that worked on the task
	sizes []record.WindowTold
	now   *said // the message of a thread that is replayed now

	played map[string]int // entries by kind
	at     time.Time
}

// Play begins a replay.
func (rec *Recording) Play() *Player {
	p := &Player{rec: rec, played: map[string]int{}}
	var answers []replay.Answer
	var runs []sandbox.Recording
	for _, e := range rec.entries {
		switch {
		case e.Given != nil:
			p.at = e.Time
		case e.Answer != nil:
			answers = append(answers, rec.answer(*e.Answer))
		case e.Command != nil:
			runs = append(runs, sandbox.Recording{Line: e.Command.Line, Tree: e.Command.Tree, Result: e.Command.Result})
		case e.User != nil:
			p.user = append(p.user, e)
		case e.Recalled != nil:
			p.found = append(p.found, e)
		case e.Told != nil:
			p.says = append(p.says, *e.Told)
		case e.Window != nil:
			p.sizes = append(p.sizes, *e.Window)
		case e.Ended && e.At != nil:
			p.ends = append(p.ends, e)
		case e.known():
			p.edits = append(p.edits, e)
		case e.Layered != nil:
			p.layer = append(p.layer, *e.Layered)
		}
	}
	p.model, p.box = replay.New(answers), sandbox.Recorded(runs)
	return p
}

// Now is the recording's clock: the time of the last thing that was played.
func (p *Player) Now() time.Time { return p.at }

// Attach lets the options play the recording instead of reaching outside.
func (p *Player) Attach(o *Options) {
	o.Model = func(string) (llm.Model, error) { return p, nil }
	o.Sandbox = func(context.Context) (sandbox.Engine, error) { return p, nil }
	o.outside = p
	o.Limits, o.Context = p.rec.limits, p.rec.context
	o.WriteTests, o.PlanReview = p.rec.writeTests, p.rec.planReview
	o.Linting.When = ""
	if slices.ContainsFunc(p.rec.entries, func(e entry) bool { return e.Linted != nil }) {
		o.Linting.When = LintEdits
	}
	o.Trust, o.Limits.Commands = nil, 0                     // it runs nothing
	o.Limits.Tokens, o.Limits.Cost, o.Limits.Time = 0, 0, 0 // and costs nothing
	if len(p.layer) == 0 {
		o.Dependencies = nil // they were not looked for
	}
	for _, e := range p.rec.entries {
		if c := e.Command; c != nil { // the first is a first try, with what the settings allowed
			o.Policy.Memory, o.Policy.Time = cmp.Or(c.Memory, sandbox.DefaultPolicy.Memory), cmp.Or(c.Time, sandbox.DefaultPolicy.Time)
			break
		}
	}
	if o.User == nil {
		o.User = p
	}
}

// tick moves the clock to the next entry of a kind.
func (p *Player) tick(kind string) {
	n := p.played[kind]
	for _, e := range p.rec.entries {
		if e.Kind != kind {
			continue
		}
		if n == 0 {
			p.at = e.Time
			break
		}
		n--
	}
	p.played[kind]++
}

// Complete implements llm.Model.
func (p *Player) Complete(ctx context.Context, req *llm.Request) (*llm.Response, error) {
	if !p.answered() {
		return nil, errUnanswered
	}
	resp, err := p.model.Complete(ctx, req)
	if err == nil {
		p.tick(record.KindOf(record.CallAnswered{}))
	}
	return resp, err
}

// Run implements sandbox.Engine.
func (p *Player) Run(ctx context.Context, cmd sandbox.Command) (*sandbox.Result, error) {
	result, err := p.box.Run(ctx, cmd)
	if err == nil {
		p.tick(record.KindOf(record.CommandEnded{}))
	}
	return result, err
}

// Ask implements User with the recorded answers.
func (p *Player) Ask(_ context.Context, q record.Question) (record.Answer, error) {
	if len(p.user) == 0 {
		return record.Answer{}, fmt.Errorf("%w: the replay parts from the recording: it asks %q, which was not asked", ErrUndecided, q.Text)
	}
	e := p.user[0]
	if e.User.ID != q.ID {
		return record.Answer{}, fmt.Errorf("%w: the replay parts from the recording: question %s is asked where %s was", ErrUndecided, q.ID, e.User.ID)
	}
	p.user, p.at = p.user[1:], e.Time
	return e.User.Answer, nil
}

// dependencies is what was found of the dependencies. Their key differs where the
// sandbox's image does.
func (p *Player) dependencies(key string) (found record.DependenciesFound, recorded bool) {
	if len(p.layer) == 0 {
		return record.DependenciesFound{Key: key, Without: true}, true
	}
	l := p.layer[0]
	p.layer = p.layer[1:]
	l.Key = key
	return l, true
}

// linted is what linters said of files at this place.
func (p *Player) linted(files map[string]string) (said *record.Linted, recorded bool) {
	for _, e := range p.here() {
		if e.Linted != nil && maps.Equal(e.Linted.Files, files) {
			return e.Linted, true
		}
	}
	return nil, true
}

// fixChecked is what was said of a claim at this place: nothing by versions that did not check any.
func (p *Player) fixChecked(fixes []string, files map[string]string) (said *record.FixChecked, recorded bool) {
	for _, e := range p.here() {
		if e.Checked != nil && e.Checked.Same(fixes, files) {
			return e.Checked, true
		}
	}
	return nil, true
}

// Tolerated implements permit.Outside: the approval by which a finding was allowed here.
func (p *Player) Tolerated(key string) (rule string, recorded bool) {
	for _, e := range p.here() {
		if e.Allowed != nil && e.Allowed.Key == key {
			return e.Allowed.Rule, true
		}
	}
	return "", true
}

// here are the entries behind the call or the command that was played last, up to
// the next call.
func (p *Player) here() []entry {
	calls, runs, next := p.played[record.KindOf(record.CallAnswered{})], p.played[record.KindOf(record.CommandEnded{})], 0
	for i, e := range p.rec.entries {
		switch {
		case e.Answer != nil && calls > 0:
			calls, next = calls-1, i+1
		case e.Command != nil && runs > 0:
			runs, next = runs-1, i+1
		}
	}
	rest := p.rec.entries[next:]
	if end := slices.IndexFunc(rest, func(e entry) bool { return e.Answer != nil }); end >= 0 {
		rest = rest[:end]
	}
	return rest
}

// masked is what was masked in the answer that was played last.
func (p *Player) masked() []string {
	calls := p.played[record.KindOf(record.CallAnswered{})]
	for _, e := range p.rec.entries {
		if e.Answer == nil {
			continue
		}
		if calls--; calls == 0 {
			return e.Answer.Masked
		}
	}
	return nil
}
