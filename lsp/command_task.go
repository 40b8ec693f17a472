package lsp

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"caselsp/agent"
	"caselsp/agent/record"
	"caselsp/lsp/wire"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"
)

// started is the answer of the commands that set something going.
type started struct {
	TaskID string `json:"taskId"`
}

// taskCommands are the commands that start, stop and resume tasks and tell where
// they are.
type taskCommands struct {
	ed      *editor
	docs    *documents
	engines *engines
	tasks   *tasks
	papers  *papers
	beside  *besideCode

	commenting sync.Mutex // held while the task of a comment is looked for and begun
	offered    offeredTask
}

// doRun starts a task.
func (k *taskCommands) doRun(c *call, a arguments) (any, error) {
	task := record.Task{Text: a.text("task"), Typed: a.text("task"), Single: a.flag("single")}
	task.Language, _ = a.field("language")
	task.Type, _ = a.field("type")
	u, placed := a.uri()
	p, text, err := written(c.docs, u)
	sent := placed && task.Text == "" && err == nil // a document that the user wrote
	if sent {
		task.Text, task.Focus = text, k.refocused(c.docs, p.Focus)
		task.Single = a.flagOr("single", task.Focus != nil)
		if p.Follows != "" {
			if task.Follows, err = k.earlier(p.Follows); err != nil {
				return nil, err
			}
		}
		if _, project := k.engines.path(u); !project { // a project can have such a document, too
			task.Typed = text
		}
	} else if placed {
		r, _ := a.rangeOf()
		task.Focus = k.focus(c.docs, u, r)
		task.Single = a.flagOr("single", task.Focus != nil)
	}
	if strings.TrimSpace(task.Text) == "" && !sent {
		return k.doNew(c, a)
	}
	return k.started(c, task)
}

// doFollow starts a task that goes on from an earlier one.
func (k *taskCommands) doFollow(c *call, a arguments) (any, error) {
	e, release, err := k.engines.use(k.ed.Context())
	if err != nil {
		return nil, err
	}
	id, _ := a.field(argTask.Name)
	earlier, err := e.Agent.Follows(id)
	text := a.text(argText.Name)
	switch {
	case err != nil:
		release()
		return nil, err
	case text == "":
		k.ed.later(c, release, func(ctx context.Context) error { return k.papers.openFollow(ctx, e, earlier) })
		return nil, nil
	}
	release()
	return k.started(c, record.Task{Text: text, Typed: text, Single: a.flag("single"), Follows: earlier})
}

// earlier is what a task is told that follows another one.
func (k *taskCommands) earlier(id string) (*record.Earlier, error) {
	e, release, err := k.engines.use(k.ed.Context())
	if err != nil {
		return nil, err
	}
	defer release()
	return e.Agent.Follows(id)
}

// started starts a task and answers with its id.
func (k *taskCommands) started(c *call, task record.Task) (any, error) {
	id, err := k.tasks.run(c, task)
	if err != nil {
		return nil, err
	}
	return started{id}, nil
}

// focus is the place that a task speaks of; nil for what lies outside of the
// workspace. It opens the workspace, which names its files.
func (k *taskCommands) focus(docs snapshot, u uri.URI, r protocol.Range) *record.Focus {
	_, release, err := k.engines.use(k.ed.Context())
	if err != nil {
		return nil // the task's start says why
	}
	defer release()
	path, ok := k.engines.path(u)
	if !ok {
		return nil
	}
	f := &record.Focus{Path: path, FromLine: int(r.Start.Line) + 1, ToLine: int(r.End.Line) + 1}
	if r.End.Character == 0 && f.ToLine > f.FromLine {
		f.ToLine-- // a selection of whole lines ends at the beginning of the next
	}
	f.Text = linesOf(docs[u], f.FromLine, f.ToLine)
	return f
}

// linesOf returns lines of a document, from 1; "" where it is not open.
func linesOf(doc *document, from, to int) string {
	if doc == nil || from < 1 || from > len(doc.starts) {
		return ""
	}
	end := len(doc.Text)
	if to < len(doc.starts) {
		end = doc.starts[max(to, from)]
	}
	return strings.TrimRight(doc.Text[doc.starts[from-1]:end], "\r\n")
}

// refocused is a paper's focus with the text that stands there now.
func (k *taskCommands) refocused(docs snapshot, f *record.Focus) *record.Focus {
	e, release, err := k.engines.use(k.ed.Context())
	if f == nil || err != nil {
		return nil
	}
	defer release()
	full := *f
	if u, open := k.docs.at(e.Agent.Workspace, f.Path); open {
		full.Text = linesOf(docs[u], f.FromLine, f.ToLine)
	}
	return &full
}

// doNew opens a prompt document.
func (k *taskCommands) doNew(c *call, a arguments) (any, error) {
	e, release, err := k.engines.use(k.ed.Context())
	if err != nil {
		return nil, err
	}
	var focus *record.Focus
	if u, ok := a.uri(); ok {
		r, _ := a.rangeOf()
		focus = k.focus(c.docs, u, r)
	}
	begin := strings.TrimSpace(a.text("task"))
	k.ed.later(c, release, func(ctx context.Context) error { return k.papers.openPrompt(ctx, e, focus, begin) })
	return nil, nil
}

// doFix starts a task that fixes a diagnostic.
func (k *taskCommands) doFix(c *call, a arguments) (any, error) {
	var d protocol.Diagnostic
	u, ok := a.uri()
	raw := a.fields["diagnostic"]
	if !ok || len(raw) == 0 || wire.Decode(raw, &d) != nil {
		return nil, fmt.Errorf("%s needs {\"uri\": …, \"diagnostic\": …}, as the code action on a diagnostic sends it", cmdFix)
	}
	focus := k.focus(c.docs, u, d.Range)
	message, source := cloned(messageOf(d)), ""
	if value, ok := d.Source.Get(); ok {
		source = value
	}
	if strings.TrimSpace(message) == "" {
		return nil, errors.New("the diagnostic has no message, so it is unclear what to fix")
	}
	where := readable(u)
	if focus != nil {
		focus.Diagnostic, focus.Source = message, source
		where = fmt.Sprintf("%s, line %d", focus.Path, focus.FromLine)
	}
	text := fmt.Sprintf("Fix this diagnostic in %s: %s", where, message)
	if source != "" {
		text += " (" + source + ")"
	}
	return k.started(c, record.Task{Text: text, Single: a.flagOr("single", true), Focus: focus}) // the user typed nothing of it
}

// doTodo starts a task that carries out a comment.
func (k *taskCommands) doTodo(c *call, a arguments) (any, error) {
	u, ok := a.uri()
	r, placed := a.rangeOf()
	doc := c.docs[u]
	if !ok || !placed || doc == nil {
		return nil, fmt.Errorf("%s needs {\"uri\": …, \"range\": …} of a comment in an open document, as the code action on it sends them", cmdTodo)
	}
	m := doc.mapper(k.ed.client.Encoding)
	all := directives(doc.kind(), doc.Text)
	found := directivesIn(all, m, r)
	if len(found) == 0 {
		return nil, nothingTo("there is no comment here that begins with case:, case? or TODO")
	}
	d := found[0]
	if d.Ask {
		return k.askHere(c, doc, m.Range(d.Start, d.End), d.Text)
	}
	text := commentTask(d)
	focus := k.focus(c.docs, u, m.Range(d.Start, d.End))
	k.commenting.Lock() // a comment that is clicked twice begins one task
	defer k.commenting.Unlock()
	if focus != nil {
		if st, known := k.ofComment(commentAt{text, focus.Path, focus.FromLine, all}); known {
			k.ed.confirm(k.ed.client.commented(st))
			return started{st.Task.ID}, nil
		}
	}
	return k.started(c, record.Task{Text: text, Single: a.flagOr("single", true), Focus: focus}) // the same: a comment is text of a file
}

// doTest starts a task that writes tests for a file, or for lines of it.
func (k *taskCommands) doTest(c *call, a arguments) (any, error) {
	u, ok := a.uri()
	if !ok {
		return nil, fmt.Errorf("%s needs {\"uri\": …}, of a file of the project, and perhaps {\"range\": …}", cmdTest)
	}
	focus := k.around(c.docs, u, a)
	if focus == nil {
		return nil, nothingTo("%s is no file of the project", readable(u))
	}
	what := focus.Path
	if focus.ToLine > 0 {
		what = fmt.Sprintf("lines %d to %d of %s", focus.FromLine, focus.ToLine, focus.Path)
	}
	text := fmt.Sprintf("Write tests for %s: what it should do, edge cases and errors. Put them where the project's tests are, as those are written. Change no other code.", what)
	return k.started(c, record.Task{Text: text, Type: record.TypeTests, Single: a.flagOr("single", true), Focus: focus})
}

// doStop stops a task.
func (k *taskCommands) doStop(c *call, a arguments) (any, error) {
	id := a.text("task")
	all := k.tasks.all()
	if id != "" {
		all = slices.DeleteFunc(all, func(t *task) bool { return t.id != id })
	}
	switch {
	case len(all) == 0:
		return k.stopOther(c, id)
	case len(all) > 1:
		of := several{what: "stop"}
		for _, t := range all {
			of.tasks = append(of.tasks, t.get())
		}
		return nil, of
	}
	all[0].cancel(errStopped) // the end of its run says so
	return started{all[0].id}, nil
}

// stopOther stops a task that a terminal has this process work on.
func (k *taskCommands) stopOther(c *call, id string) (any, error) {
	a := k.engines.agent()
	if a == nil {
		return nil, nothingTo("no task is being worked on")
	}
	working := slices.DeleteFunc(a.Working(), func(other string) bool { return id != "" && other != id })
	switch {
	case len(working) == 0 && id != "":
		return nil, nothingTo("task %s is not being worked on here", id)
	case len(working) == 0:
		return nil, nothingTo("no task is being worked on")
	case len(working) > 1:
		return nil, fmt.Errorf("%d tasks are being worked on: name one of %s", len(working), strings.Join(working, ", "))
	}
	k.ed.confirm(fmt.Sprintf("Stopping task %s. %s goes on with it.", working[0], cmdResume))
	if err := a.Stop(working[0]); err != nil {
		return nil, err
	}
	return started{working[0]}, nil
}

// doTell says something to a task: the one that is named, else the one under way, else the one
// that can be resumed.
func (k *taskCommands) doTell(c *call, a arguments) (any, error) {
	e, release, err := k.engines.use(k.ed.Context())
	if err != nil {
		return nil, err
	}
	defer release()
	text := a.text(argText.Name)
	if err := record.CheckNote(text); err != nil {
		return nil, err
	}
	id, _ := a.field(argTask.Name)
	switch all := k.tasks.all(); {
	case id != "":
	case len(all) == 1:
		id = all[0].id
	case len(all) > 1:
		return nil, fmt.Errorf("%d tasks are being worked on: name one of %s", len(all), taskNames(all))
	default:
		st, err := pick(e, "", func(st record.Status) bool { return !st.State.Ended() && st.State != record.Review }, "tell something")
		if err != nil {
			return nil, err
		}
		id = st.Task.ID
	}
	if err := e.Agent.Tell(id, text); err != nil {
		return nil, err
	}
	when := "before its next step"
	if k.tasks.get(id) == nil {
		when = "when " + cmdResume + " goes on with it"
	}
	k.ed.confirm(fmt.Sprintf("Told: %s. The task reads it %s.", agent.Quote(cut(text, titleLimit)), when))
	return started{id}, nil
}

func taskNames(all []*task) string {
	var names []string
	for _, t := range all {
		names = append(names, t.id)
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}

// pick returns the status of the task that is named, or of the only one that fits.
func pick(e *Engine, id string, fits func(record.Status) bool, what string) (record.Status, error) {
	if id != "" {
		return e.Agent.Status(id)
	}
	all, err := e.Agent.History()
	all = slices.DeleteFunc(all, func(st record.Status) bool { return !fits(st) })
	switch {
	case len(all) == 1:
		return all[0], nil
	case len(all) == 0 && err != nil:
		return record.Status{}, err
	case len(all) == 0:
		return record.Status{}, nothingTo("there is no task to %s in this workspace", what)
	}
	return record.Status{}, several{what, all}
}

// doResume goes on with a task.
func (k *taskCommands) doResume(c *call, a arguments) (any, error) {
	e, release, err := k.engines.use(k.ed.Context())
	if err != nil {
		return nil, err
	}
	defer release()
	id := a.text("task")
	st, err := pick(e, id, func(st record.Status) bool {
		return !st.State.Ended() && st.State != record.Review && k.tasks.get(st.Task.ID) == nil
	}, "resume")
	if err != nil && id == "" { // or else the only one that can be tried again
		if again, failed := pick(e, "", func(st record.Status) bool { return st.Triable }, "resume"); failed == nil {
			st, err = again, nil
		}
	}
	if err != nil {
		return nil, err
	}
	if (st.State.Ended() || st.State == record.Review) && !st.Triable {
		return nil, nothingTo("task %s is %s, and nothing of it has failed: there is nothing to resume", st.Task.ID, st.State)
	}
	said, _ := a.field("text")
	if err := k.tasks.resume(c, st.Task.ID, said); err != nil {
		return nil, err
	}
	k.ed.confirm(fmt.Sprintf("Resumed: %q.", cut(title(st.Task), maxBrief)))
	return started{st.Task.ID}, nil
}

// statusLine is the answer of caselsp.status, for each task.
type statusLine struct {
	TaskID string `json:"taskId"`
	State  string `json:"state"`
	Text   string `json:"text"`
	record.Class
}

// doStatus tells where tasks are: the one that is named, else those that are not over.
func (k *taskCommands) doStatus(_ *call, a arguments) (any, error) {
	e, release, err := k.engines.use(k.ed.Context())
	if err != nil {
		return nil, err
	}
	defer release()
	if data, err := a.wantsData(); data || err != nil {
		if err != nil {
			return nil, err
		}
		return k.statusAsData(e, a.text("task"))
	}
	var all []record.Status
	if id := a.text("task"); id != "" {
		st, err := e.Agent.Status(id)
		if err != nil {
			return nil, err
		}
		all = append(all, st)
	} else {
		if all, err = e.Agent.History(); err != nil {
			k.ed.Log.Warn("some tasks cannot be read", "error", err)
		}
		all = slices.DeleteFunc(all, func(st record.Status) bool { return st.State.Ended() })
	}
	list, text := []statusLine{}, ""
	for _, st := range all {
		line := statusLine{st.Task.ID, string(st.State), st.String() + keptTold(st), st.Class}
		if st.Reason != "" {
			line.Text += ": " + st.Reason
		}
		if st.Open != nil {
			line.Text += "; open question: " + questionText(*st.Open)
		}
		list = append(list, line)
		text += fmt.Sprintf("%s %q: %s\n", line.TaskID, title(st.Task), line.Text)
	}
	if len(list) == 0 {
		text = "No task is under way or waits for you."
	}
	k.ed.showMessage(protocol.MessageTypeInfo, strings.TrimSpace(text))
	return list, nil
}
