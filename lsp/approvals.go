package lsp

import (
	"context"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"caselsp/agent"
	"caselsp/agent/count"
	"caselsp/agent/record"

	"go.lsp.dev/protocol"
)

// The list of what is always allowed is a document in the state directory, as
// the review is. Each rule stands under a heading of its own, on which it can be
// revoked; editing the text has no other effect.

// approvalsDocument is the list's name, approvalsHead its first line.
const (
	approvalsDocument = "approvals.md"
	approvalsHead     = "# Always allowed in this workspace"
)

// endedShown is how many rules that have ended the list shows: enough to see why
// something is asked for again.
const endedShown = 10

// approvals shows the list and keeps it up to date.
type approvals struct {
	ed       *editor
	docs     *documents
	engines  *engines
	contents *contents
	tasks    *tasks
	pages    *pages

	renewing sync.Mutex // held while the list is written anew
}

// doApprovals opens the list.
func (l *approvals) doApprovals(c *call, _ arguments) (any, error) {
	return l.pages.open(c, approvalsDocument, func(_ context.Context, e *Engine) (string, error) { return approvalsText(e) })
}

// approvalsText is the list.
func approvalsText(e *Engine) (string, error) {
	all, err := e.Agent.Rules(true)
	if err != nil {
		return "", err
	}
	var b, ended strings.Builder
	b.WriteString(approvalsHead + "\n\nThese exact commands run in the sandbox without a question, until a file or setting that they depend on\n" +
		"changes. Revoke them by the lens or code action on their line, or with " + cmdRevoke + ".\n")
	holds, over := 0, 0
	for i := len(all) - 1; i >= 0; i-- {
		switch r := all[i]; {
		case r.Ended == nil:
			holds++
			b.WriteString(ruleText(r))
		case over < endedShown:
			over++
			fmt.Fprintf(&ended, "* `%s`, since %s: %s\n", r.Shape, day(r.Ended.At), r.Ended.Reason)
		}
	}
	if holds == 0 {
		b.WriteString("\nNothing.\n")
	}
	values, err := e.Agent.Values()
	if err != nil {
		return "", err
	}
	if len(values) > 0 {
		b.WriteString("\n# Remembered for this project\n\nAsked for once; " + cmdRevoke + " with a name makes caselsp ask for it again.\n\n")
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		fmt.Fprintf(&b, "* %s: %s\n", name, strings.Join(strings.Fields(values[name]), " "))
	}
	confirmed, err := e.Agent.Trust.Confirmed()
	if err != nil {
		return "", err
	}
	if len(confirmed) > 0 {
		b.WriteString("\n# Settings of the editor that you confirmed\n\nIn every folder; " + cmdSettings + " opens the list in which they can be withdrawn.\n\n")
	}
	for _, v := range confirmed {
		fmt.Fprintf(&b, "* %s: `%s`, since %s\n", v.Setting, v.Value, day(v.At))
	}
	if over > 0 {
		b.WriteString("\n# No longer allowed\n\n" + ended.String())
	}
	return b.String(), nil
}

// ruleText is a rule's part of the list.
func ruleText(r agent.Rule) string {
	var b strings.Builder
	fmt.Fprintf(&b, "\n## %s `%s`\n\n", r.ID, r.Shape)
	fmt.Fprintf(&b, "* allowed %s by %s in task %s, after %d approvals; until %s\n", day(r.Given), r.By, r.Task, r.Seen, day(r.Expires))
	fmt.Fprintf(&b, "* ran without a question: %s\n", count.Of(r.Uses, "time"))
	if len(r.Touches) > 0 {
		fmt.Fprintf(&b, "* it %s\n", strings.Join(r.Touches, ", "))
	}
	if on := r.Basis.String(); on != "" {
		fmt.Fprintf(&b, "* it depends on %s\n", on)
	}
	return b.String()
}

// ruleOf returns the id of the rule whose heading a line is.
func ruleOf(line string) (id string, ok bool) {
	rest, ok := strings.CutPrefix(line, "## r")
	id, _, spaced := strings.Cut(rest, " ")
	return "r" + id, ok && spaced
}

// ruleLines returns the rules of a document by the lines of their headings, in
// order; none of any other document.
func (l *approvals) ruleLines(doc *document) (lines []int, ids []string) {
	if path.Base(doc.URI.Path()) != approvalsDocument || !strings.HasPrefix(doc.Text, approvalsHead) {
		return nil, nil
	}
	e, release, err := l.engines.use(l.ed.Context())
	if err != nil {
		return nil, nil
	}
	defer release()
	rules, err := e.Agent.Rules(false)
	if err != nil {
		return nil, nil
	}
	hold := map[string]bool{}
	for _, r := range rules {
		hold[r.ID] = true
	}
	n := 0
	for line := range strings.Lines(doc.Text) {
		if id, ok := ruleOf(line); ok && hold[id] {
			lines, ids = append(lines, n), append(ids, id)
		}
		n++
	}
	return lines, ids
}

// lenses are above each rule of the list.
func (l *approvals) lenses(doc *document) []protocol.CodeLens {
	lines, ids := l.ruleLines(doc)
	var list []protocol.CodeLens
	for i, id := range ids {
		at := protocol.Position{Line: uint32(lines[i])}
		list = append(list, protocol.CodeLens{Range: protocol.Range{Start: at, End: at}, Command: revoking(id)})
	}
	return list
}

// actions offers to revoke the rule in whose part the cursor is.
func (l *approvals) actions(_ context.Context, docs snapshot, p *protocol.CodeActionParams) []protocol.CodeAction {
	doc := docs[p.TextDocument.URI]
	if doc == nil {
		return nil
	}
	lines, ids := l.ruleLines(doc)
	if ids == nil {
		return nil
	}
	for i := len(ids) - 1; i >= 0; i-- {
		if uint32(lines[i]) <= p.Range.Start.Line {
			c := revoking(ids[i])
			return []protocol.CodeAction{offer(protocol.CodeActionKindQuickFix, "CASE: "+strings.ToLower(c.Title[:1])+c.Title[1:], cmdRevoke, map[string]string{"rule": ids[i]})}
		}
	}
	return []protocol.CodeAction{}
}

func revoking(id string) protocol.Command {
	return command("Ask again before this ("+id+")", cmdRevoke, map[string]string{"rule": id})
}

// hear brings the list up to date after an event of a task, while it is open in
// the editor.
func (l *approvals) hear(event agent.Event) {
	switch b := event.Body.(type) {
	case record.Answered:
	case record.Judged:
		if b.By != record.ByRule {
			return
		}
	default:
		return
	}
	if l.shown() == nil {
		return
	}
	l.ed.Go("rewriting the list of approvals", func(ctx context.Context) error {
		e, release, err := l.engines.use(ctx)
		if err != nil {
			return err
		}
		defer release()
		return l.renew(ctx, e)
	})
}

// shown returns the list as it is open in the editor; nil where it is not.
func (l *approvals) shown() *document {
	for u, doc := range l.docs.snapshot() {
		if path.Base(u.Path()) == approvalsDocument && strings.HasPrefix(doc.Text, approvalsHead) {
			return doc
		}
	}
	return nil
}

// renew brings the list up to date: in the editor where it is open there,
// as the review is, else on disk.
func (l *approvals) renew(ctx context.Context, e *Engine) error {
	l.renewing.Lock()
	defer l.renewing.Unlock()
	text, err := approvalsText(e)
	if err != nil {
		return err
	}
	err = l.contents.renew(ctx, l.docs, e, l.shown(), approvalsDocument, agent.Visible(text))
	l.ed.lensesChanged()
	return err
}

// doRevoke ends one rule, or all.
func (l *approvals) doRevoke(c *call, a arguments) (any, error) {
	e, release, err := l.engines.use(l.ed.Context())
	if err != nil {
		return nil, err
	}
	forgotten, err := e.Agent.ForgetValue(a.text("rule"))
	var ended []agent.Rule
	if err == nil && !forgotten {
		ended, err = e.Agent.Revoke(a.text("rule"), "command")
	}
	if err != nil {
		release()
		return nil, err
	}
	l.ed.later(c, release, func(ctx context.Context) error {
		if err := l.renew(ctx, e); err != nil {
			return err
		}
		if forgotten {
			l.ed.showMessage(protocol.MessageTypeInfo, fmt.Sprintf("Forgotten: %s. It is asked for again.", a.text("rule")))
		} else {
			l.ed.showMessage(protocol.MessageTypeInfo, fmt.Sprintf("Revoked: %s. Such commands are asked for again.", count.Of(len(ended), "approval")))
		}
		return nil
	})
	return nil, nil
}

// day is a date in the user's time zone.
func day(t time.Time) string { return t.Local().Format("2006-01-02") }
