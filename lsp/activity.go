package lsp

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"caselsp/agent"
	"caselsp/agent/count"
	"caselsp/agent/record"

	"go.lsp.dev/protocol"
)

const (
	// maxActivity is how many bytes of what happened an activity document holds: editors are slow with larger documents
	// that change all the time. What is older is left out; the export has all of it.
	maxActivity = 256 << 10
	// maxEntryLines is how many lines of a command's output or of a diff one entry shows.
	maxEntryLines = 80
	// activityInterval is the shortest time between two writings of one document.
	activityInterval = time.Second
)

// activityName is the name of a task's activity document.
func activityName(task string) string { return "activity-" + task + ".md" }

// activities are documents that tell what tasks do. Each is kept current from when it is asked for, as long as this
// server works on its task.
type activities struct {
	ed      *editor
	engines *engines
	tasks   *tasks
	papers  *papers

	mu   sync.Mutex
	logs map[string]*activityLog // by task: those that were asked for
}

// activityLog is what happened in one task.
type activityLog struct {
	writing sync.Mutex // held while the document is written

	// Guarded by activities.mu.
	entries []string
	size    int // bytes of the entries
	left    int // entries that were left out
	seq     int64
	waits   bool // the document will be written
}

// add takes in an event, unless it is there already.
func (g *activityLog) add(e agent.Event) {
	if e.Seq <= g.seq {
		return
	}
	g.seq = e.Seq
	text := entryText(e)
	if text == "" {
		return
	}
	text = fmt.Sprintf("**%s** %s\n", e.Time.Local().Format("15:04:05"), text)
	g.entries, g.size = append(g.entries, text), g.size+len(text)
	for g.size > maxActivity && len(g.entries) > 1 {
		g.size -= len(g.entries[0])
		g.entries, g.left = g.entries[1:], g.left+1
	}
}

// doActivity opens the activity document of the task that is named, else of the one under way, else of the latest.
func (l *activities) doActivity(c *call, a arguments) (any, error) {
	e, release, err := l.engines.use(l.ed.Context())
	if err != nil {
		return nil, err
	}
	id := a.text(argTask.Name)
	if all := l.tasks.all(); id == "" && len(all) > 0 {
		id = all[len(all)-1].id
	}
	st, err := pickLatest(e, id, func(record.Status) bool { return true }, "show")
	if err != nil {
		release()
		return nil, err
	}
	id = st.Task.ID
	if err := l.seed(e, id); err != nil {
		release()
		return nil, err
	}
	l.ed.later(c, release, func(ctx context.Context) error {
		text, err := l.text(e, id)
		if err != nil {
			return err
		}
		u, err := l.papers.put(ctx, e, activityName(id), text)
		if err != nil {
			return err
		}
		return l.papers.showMessage(ctx, u, text, strings.Count(text, "\n")-1, l.ed.showDocument)
	})
	return started{id}, nil
}

// seed reads what has happened in a task so far.
func (l *activities) seed(e *Engine, id string) error {
	events, err := e.Agent.Events(id)
	if err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.logs == nil {
		l.logs = map[string]*activityLog{}
	}
	if l.logs[id] == nil {
		l.logs[id] = &activityLog{}
	}
	for _, event := range events {
		l.logs[id].add(event)
	}
	return nil
}

// hear takes in an event of any task. It does not wait: the document is written beside the task.
func (l *activities) hear(e agent.Event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	id := e.Status.Task.ID
	g := l.logs[id]
	if g == nil || e.Body == nil {
		return
	}
	g.add(e)
	if g.waits {
		return
	}
	g.waits = true
	l.ed.Clock.After(activityInterval, func() {
		l.ed.Go("writing an activity document", func(ctx context.Context) error { return l.write(ctx, id, g) })
	})
}

// write brings a document up to date.
func (l *activities) write(ctx context.Context, id string, g *activityLog) error {
	g.writing.Lock()
	defer g.writing.Unlock()
	l.mu.Lock()
	g.waits = false
	l.mu.Unlock()
	e, release, err := l.engines.use(ctx)
	if err != nil {
		return err
	}
	defer release()
	text, err := l.text(e, id)
	if err != nil {
		return err
	}
	_, err = l.papers.put(ctx, e, activityName(id), text)
	return err
}

// text is a task's activity document.
func (l *activities) text(e *Engine, id string) (string, error) {
	o, err := e.Agent.Overview(id)
	if err != nil {
		return "", err
	}
	if t := l.tasks.get(id); t != nil {
		o.Doing = t.doing()
	}
	var b strings.Builder
	line, _ := progressText(o.Status, o.Doing)
	fmt.Fprintf(&b, "# Activity of task %s\n\n%s\n\n%s\n", id, agent.QuoteLines(o.Task.Text, quoteMark), line)
	if o.Usage.Cached > 0 {
		fmt.Fprintf(&b, "\n%d of %d tokens that were sent had been cached.\n", o.Usage.Cached, o.Usage.Prompt)
	}
	if o.Reason != "" {
		fmt.Fprintf(&b, "\n%s\n", sentence(oneLine(o.Reason)))
	}
	if o.Open != nil {
		fmt.Fprintf(&b, "\n**It waits for you:** %s %s\n", questionText(*o.Open), answerAdvice(*o.Open))
	}
	writePlan(&b, o)
	b.WriteString("\n## What happened\n\n")
	l.mu.Lock()
	defer l.mu.Unlock()
	g := l.logs[id]
	if g == nil {
		return b.String(), nil
	}
	if g.left > 0 {
		fmt.Fprintf(&b, "%s left out; `caselsp export %s` has all.\n\n", count.Of(g.left, "earlier entry")+" is", id)
	}
	b.WriteString(strings.Join(g.entries, "\n"))
	return b.String(), nil
}

// writePlan writes the plan of a task and what it has changed.
func writePlan(b *strings.Builder, o agent.Overview) {
	if !o.Task.Single && len(o.Plan) > 0 {
		b.WriteString("\n## Plan\n\n")
		for i, f := range o.Plan {
			fmt.Fprintf(b, "%d. %s (%s)\n", i+1, oneLine(f.Title), f.State)
		}
	}
	if len(o.Files) == 0 {
		return
	}
	b.WriteString("\n## Changed so far\n\n")
	for _, f := range o.Files {
		fmt.Fprintf(b, "* %s, %s, +%d -%d\n", f.Path, kinds[f.Op], f.Added, f.Removed)
	}
}

// entryText is what an activity document says of an event, "" for nothing.
func entryText(e agent.Event) string {
	switch b := e.Body.(type) {
	case record.StateChanged:
		text := string(b.To)
		if b.Attempt > 0 {
			text += fmt.Sprintf(", feature %d, attempt %d, round %d", b.Feature+1, b.Attempt, b.Round)
		}
		if b.Reason != "" {
			text += ": " + oneLine(b.Reason)
		}
		return text
	case record.ActionChosen:
		text := agent.DoingOf(b).String()
		if b.Thought != "" {
			text += "\n\n" + agent.QuoteLines(b.Thought, quoteMark)
		}
		return text
	case record.ActionDone:
		return doneText(b)
	case record.Asked:
		return "asked: " + questionText(b.Question)
	case record.Answered:
		return "answered: " + agent.Visible(cut(oneLine(b.Answer.Text), maxReason))
	}
	return oneLine(eventText(e))
}

// doneText is the outcome of an action, with its diff or output.
func doneText(b record.ActionDone) string {
	said, text := b.Said(), b.Words.After(b.Note)
	if !b.OK {
		text = "refused or failed: " + oneLine(cut(said.Text, maxReason))
	}
	switch {
	case b.Diff != "":
		text += "\n\n" + shownLines(b.Diff)
	case b.Shown == nil && said.Quote != "":
		text += "\n\n" + shownLines(said.Quote)
	}
	return text
}

// shownLines are the first lines of a text, set off so that nothing of them is taken for markup.
func shownLines(text string) string {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	if more := len(lines) - maxEntryLines; more > 0 {
		lines = append(lines[:maxEntryLines], fmt.Sprintf("… %s more", count.Of(more, "line")))
	}
	return agent.QuoteLines(strings.Join(lines, "\n"), "    ")
}

// lenses offer to stop and to talk to the task in its document.
func (l *activities) lenses(doc *document) []protocol.CodeLens {
	name := doc.URI.Path()
	id, begins := strings.CutPrefix(name[strings.LastIndexByte(name, '/')+1:], "activity-")
	id, ends := strings.CutSuffix(id, ".md")
	if !begins || !ends || !isTaskID(id) {
		return nil
	}
	if l.tasks.get(id) == nil {
		return lensesAt(protocol.Range{}, command("Show its result", cmdReview, taskArguments{id}), command("Show its report", cmdReport, taskArguments{id}))
	}
	return lensesAt(protocol.Range{}, command("Stop it", cmdStop, taskArguments{id}), command("Show its questions", cmdQuestions, map[string]any{}))
}
