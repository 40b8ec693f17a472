package lsp

import (
	"context"
	"encoding/json"
	"fmt"
	"path"
	"strings"

	"caselsp/agent"
	"caselsp/agent/count"
	"caselsp/agent/record"

	"go.lsp.dev/protocol"
)

// What is remembered of past tasks is a document in the state directory, as the approvals are. Each record stands
// under a heading of its own, on which it can be shown whole or forgotten; its words are quoted, so that none of them
// is taken for a heading. Editing the text has no other effect.

// memoryDocument is the list's name, memoryHead its first line.
const (
	memoryDocument = "memory.md"
	memoryHead     = "# Remembered of past tasks"
	// memoryMark begins the heading of a record: then come its id and its kind.
	memoryMark = "## record "
	// memoryShown is how many records the list shows, the latest first: more makes a document that editors are slow with.
	memoryShown = 500
)

// memoryPage shows the list.
type memoryPage struct {
	ed       *editor
	docs     *documents
	engines  *engines
	contents *contents
	pages    *pages
}

// doMemory opens the list, a record or the export, or forgets a record.
func (l *memoryPage) doMemory(c *call, a arguments) (any, error) {
	id := a.text("record")
	switch {
	case a.flag("export"):
		return l.pages.open(c, "memory.jsonl", l.exported)
	case id == "":
		return l.pages.open(c, memoryDocument, memoryText)
	case !a.flag("forget"):
		return l.pages.open(c, "memory-"+shortRecord(id)+".md", func(ctx context.Context, e *Engine) (string, error) { return recordText(ctx, e, id) })
	}
	e, release, err := l.engines.use(l.ed.Context())
	if err != nil {
		return nil, err
	}
	l.ed.later(c, release, func(ctx context.Context) error {
		n, err := e.Agent.Store.Memory().Forget(ctx, id)
		if err != nil {
			return err
		}
		if err := l.renew(ctx, e); err != nil {
			return err
		}
		l.ed.showMessage(protocol.MessageTypeInfo, fmt.Sprintf("Forgotten: %s.", count.Of(n, "record")))
		return nil
	})
	return nil, nil
}

func shortRecord(id string) string { return id[:min(len(id), record.ShortID)] }

// memoryText is the list.
func memoryText(ctx context.Context, e *Engine) (string, error) {
	all, err := e.Agent.Store.Memory().All(ctx, "")
	if err != nil {
		return "", err
	}
	var b strings.Builder
	b.WriteString(memoryHead + "\n\nWhat results that you accepted have taught, in all workspaces; later tasks are told of it as data. Show or forget a record by the lens or\n" +
		"code action on its line; " + cmdMemory + " with `export: true` opens all of it as JSON.\n")
	broken, err := e.Agent.Store.Memory().Unreadable(ctx)
	if err != nil {
		return "", err
	}
	if len(all)+len(broken) == 0 {
		b.WriteString("\nNothing yet.\n")
	}
	for _, id := range broken {
		fmt.Fprintf(&b, "\n%s%s %s\n\n* it cannot be read, and is left out of everything else\n", memoryMark, shownID(id), unreadableRecord)
	}
	for i, p := range all {
		if i == memoryShown {
			fmt.Fprintf(&b, "\n%d older ones are not shown: `caselsp memory list` has them.\n", len(all)-i)
			break
		}
		from := "of task " + agent.Quote(p.Task)
		if p.Source != "" {
			from = agent.Quote(p.Source)
		}
		if p.Useless() {
			from += "; not recalled any longer, because it seldom helped"
		}
		fmt.Fprintf(&b, "\n%s%s %s\n\n* learnt %s, %s\n* recalled %s; helped in %d of %s\n\n%s", memoryMark, p.ID, p.Kind, day(p.Created), from,
			count.Of(p.Uses, "time"), p.Successes, count.Of(max(p.Trials, p.Successes), "task"), agent.QuoteLines(record.FirstLine(p.Text), quoteMark))
	}
	return b.String(), nil
}

// unreadableRecord stands for the kind of a record that cannot be read.
const unreadableRecord = "unreadable"

// shownID is the id of a record that cannot be read, as it can stand in a heading: what is damaged may be the id.
func shownID(id string) string {
	if strings.Trim(id, "0123456789abcdefghijklmnopqrstuvwxyz-") != "" {
		return agent.Quote(id)
	}
	return id
}

// recordText is one record, whole.
func recordText(ctx context.Context, e *Engine, id string) (string, error) {
	all, err := e.Agent.Store.Memory().All(ctx, "")
	if err != nil {
		return "", err
	}
	for _, p := range all {
		if p.ID == id {
			return "# A " + p.Kind + " that is remembered\n\n" + agent.QuoteLines(p.Text, quoteMark) + "\nSolved by:\n\n" + agent.QuoteLines(p.Solution, quoteMark), nil
		}
	}
	return "", fmt.Errorf("nothing of the id %q is remembered any longer", id)
}

// exported is all that is remembered, as `caselsp memory export` prints it. What cannot be read is not in it, which is said.
func (l *memoryPage) exported(ctx context.Context, e *Engine) (string, error) {
	all, err := e.Agent.Store.Memory().All(ctx, "")
	if err != nil {
		return "", err
	}
	says, err := e.Agent.Store.Memory().SayUnreadable(ctx)
	if err != nil {
		return "", err
	}
	if says != "" {
		l.ed.showMessage(protocol.MessageTypeWarning, says)
	}
	var b strings.Builder
	for _, p := range all {
		line, err := json.Marshal(p)
		if err != nil {
			return "", err
		}
		b.Write(append(line, '\n'))
	}
	return b.String(), nil
}

// onPage is a record of the list.
type onPage struct {
	id         string
	unreadable bool
}

// recordLines returns the records of the list by the lines of their headings, in order; none of any other document.
func recordLines(doc *document) (lines []int, records []onPage) {
	if path.Base(doc.URI.Path()) != memoryDocument || !strings.HasPrefix(doc.Text, memoryHead) {
		return nil, nil
	}
	n := 0
	for line := range strings.Lines(doc.Text) {
		if rest, ok := strings.CutPrefix(line, memoryMark); ok {
			if id, kind, spaced := strings.Cut(rest, " "); spaced && id != "" {
				lines, records = append(lines, n), append(records, onPage{id, strings.TrimSpace(kind) == unreadableRecord})
			}
		}
		n++
	}
	return lines, records
}

// recordCommands are what can be done with a record.
func recordCommands(r onPage) []protocol.Command {
	short := shortRecord(r.id)
	forget := command("Forget "+short, cmdMemory, map[string]any{"record": r.id, "forget": true})
	if r.unreadable {
		return []protocol.Command{forget}
	}
	return []protocol.Command{command("Show "+short+" whole", cmdMemory, map[string]any{"record": r.id}), forget}
}

// lenses are above each record of the list.
func (l *memoryPage) lenses(doc *document) []protocol.CodeLens {
	lines, records := recordLines(doc)
	var list []protocol.CodeLens
	for i, r := range records {
		at := protocol.Position{Line: uint32(lines[i])}
		for _, c := range recordCommands(r) {
			list = append(list, protocol.CodeLens{Range: protocol.Range{Start: at, End: at}, Command: c})
		}
	}
	return list
}

// actions offers to show or forget the record in whose part the cursor is, and to export all.
func (l *memoryPage) actions(_ context.Context, docs snapshot, p *protocol.CodeActionParams) []protocol.CodeAction {
	doc := docs[p.TextDocument.URI]
	if doc == nil {
		return nil
	}
	lines, records := recordLines(doc)
	if records == nil {
		return nil
	}
	var list []protocol.CodeAction
	for i := len(records) - 1; i >= 0; i-- {
		if uint32(lines[i]) <= p.Range.Start.Line {
			for _, c := range recordCommands(records[i]) {
				list = append(list, protocol.CodeAction{Title: c.Title, Kind: new(protocol.CodeActionKindQuickFix), Command: c})
			}
			break
		}
	}
	c := command("Export all that is remembered", cmdMemory, map[string]any{"export": true})
	return append(list, protocol.CodeAction{Title: c.Title, Kind: new(protocol.CodeActionKindQuickFix), Command: c})
}

// renew brings the list up to date: in the editor where it is open there, else on disk.
func (l *memoryPage) renew(ctx context.Context, e *Engine) error {
	text, err := memoryText(ctx, e)
	if err != nil {
		return err
	}
	err = l.contents.renew(ctx, l.docs, e, l.shown(), memoryDocument, agent.Visible(text))
	l.ed.lensesChanged()
	return err
}

// shown returns the list as it is open in the editor; nil where it is not.
func (l *memoryPage) shown() *document {
	for u, doc := range l.docs.snapshot() {
		if path.Base(u.Path()) == memoryDocument && strings.HasPrefix(doc.Text, memoryHead) {
			return doc
		}
	}
	return nil
}
