package lsp

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"caselsp/agent"
	"caselsp/agent/count"
	setting "caselsp/agent/settings"

	"go.lsp.dev/protocol"
)

// What would be pruned is a document in the state directory: what goes, and what stays and why. The action on its first line prunes what it
// shows, once the user has confirmed that. Editing the text has no other effect.

const (
	pruneDocument = "prune.md"
	pruneHead     = "# Old tasks"
	// pruneConfirm is the first line where the user is asked: clients that show no question beside the text.
	pruneConfirm = "# Prune these old tasks?"
	// defaultPruneDays is what counts as old where neither the command nor the settings say it.
	defaultPruneDays = 90
)

// prunePage shows the list.
type prunePage struct {
	ed       *editor
	docs     *documents
	engines  *engines
	contents *contents
	pages    *pages

	mu         sync.Mutex
	rule       agent.PruneRule
	shown      []agent.PruneLine // what would go, as the document says
	bytes      int64
	confirming bool
}

// doPrune opens the list, or prunes what it shows.
func (l *prunePage) doPrune(c *call, a arguments) (any, error) {
	if a.flag("sure") {
		return l.confirmed(c)
	}
	task, _ := a.field("task")
	days, err := number(a, "days")
	if err != nil {
		return nil, err
	}
	megabytes, err := number(a, "megabytes")
	if err != nil {
		return nil, err
	}
	e, release, err := l.engines.use(l.ed.Context())
	if err != nil {
		return nil, err
	}
	l.ed.later(c, release, func(ctx context.Context) error {
		text, err := l.text(ctx, e, pruneRuleOf(task, days, megabytes, e.Settings.History), "")
		if err == nil && l.open() != nil {
			if err = l.renew(ctx, e, text); err == nil {
				return l.ed.showDocument(ctx, l.open().URI, nil)
			}
		}
		if err != nil {
			return err
		}
		return l.pages.papers.openDocument(ctx, e, pruneDocument, text)
	})
	return nil, nil
}

// pruneRuleOf is the rule that the command names, or else the settings, or else the usual one.
func pruneRuleOf(task string, days, megabytes int, h setting.History) agent.PruneRule {
	if task != "" {
		return agent.PruneRule{Tasks: []string{task}}
	}
	if days == 0 && megabytes == 0 {
		days, megabytes = h.Days, h.Megabytes
	}
	if days == 0 && megabytes == 0 {
		days = defaultPruneDays
	}
	return agent.PruneRule{OlderThan: time.Duration(days) * 24 * time.Hour, KeepBytes: int64(megabytes) << 20}
}

// number is an argument that is a number from 1; 0 where it is not given.
func number(a arguments, name string) (int, error) {
	text, given := a.field(name)
	if !given {
		return 0, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > 1<<20 {
		return 0, fmt.Errorf("%s is %.20q: a number from 1 is wanted", name, text)
	}
	return n, nil
}

// confirmed prunes what the list shows, once the user has confirmed it.
func (l *prunePage) confirmed(c *call) (any, error) {
	l.mu.Lock()
	rule, shown, bytes, sure := l.rule, l.shown, l.bytes, l.confirming
	l.mu.Unlock()
	if len(shown) == 0 {
		return nil, nothingTo("nothing is shown that could be pruned: the command %s shows it first", cmdPrune)
	}
	e, release, err := l.engines.use(l.ed.Context())
	if err != nil {
		return nil, err
	}
	l.ed.later(c, release, func(ctx context.Context) error {
		question := fmt.Sprintf("Prune %s (%s)? Their reports and their undo will be gone.", agent.CountPruned(shown), count.Bytes(bytes))
		if l.ed.client.AsksBeside {
			if chosen, _ := l.ed.ask(ctx, question, "Keep", "Prune"); chosen != 1 {
				return nil
			}
		} else if !sure {
			text, err := l.text(ctx, e, rule, pruneConfirm)
			if err != nil {
				return err
			}
			return l.renew(ctx, e, text)
		}
		return l.prune(ctx, e, rule, shown)
	})
	return nil, nil
}

// prune prunes what was shown, if it is what would go now.
func (l *prunePage) prune(ctx context.Context, e *Engine, rule agent.PruneRule, shown []agent.PruneLine) error {
	plan, err := e.Agent.PlanPrune(ctx, rule)
	if err != nil {
		return err
	}
	same := func(a, b agent.PruneLine) bool { return a.Task == b.Task && a.Changed.Equal(b.Changed) }
	says := "The list has changed: nothing was pruned."
	if slices.EqualFunc(plan.Prune, shown, same) {
		gone, freed, failed := e.Agent.Prune(ctx, plan)
		if _, _, unshrunk := e.Agent.Shrink(ctx); !errors.Is(unshrunk, agent.ErrWorks) {
			failed = errors.Join(failed, unshrunk)
		}
		err, says = failed, fmt.Sprintf("Pruned: %s, %s.", agent.CountPruned(gone), count.Bytes(freed))
	}
	text, failed := l.text(ctx, e, rule, "")
	if failed == nil {
		failed = l.renew(ctx, e, text)
	}
	l.ed.showMessage(protocol.MessageTypeInfo, says)
	return errors.Join(err, failed)
}

// text is the list by a rule, and becomes what is shown. head is its first line, "" the usual one.
func (l *prunePage) text(ctx context.Context, e *Engine, rule agent.PruneRule, head string) (string, error) {
	if len(rule.Tasks) > 0 {
		if _, err := e.Agent.Status(rule.Tasks[0]); errors.Is(err, agent.ErrPruned) {
			rule = agent.PruneRule{OlderThan: defaultPruneDays * 24 * time.Hour} // it was the only one
		}
	}
	plan, err := e.Agent.PlanPrune(ctx, rule)
	if err != nil {
		return "", err
	}
	l.mu.Lock()
	l.rule, l.shown, l.bytes, l.confirming = rule, plan.Prune, plan.Bytes, head != ""
	l.mu.Unlock()
	var b strings.Builder
	if head == "" {
		head = pruneHead
	}
	b.WriteString(head + "\n\n" + pruneRuleText(rule) + " " + cmdPrune + " takes `days`, `megabytes` or a `task`.\n")
	if len(plan.Prune) == 0 {
		fmt.Fprintf(&b, "\nNothing would go. All tasks take %s.\n", count.Bytes(plan.Total))
	} else {
		fmt.Fprintf(&b, "\n%s would go: %s of %s. Prune them by the lens or code action on the first line. What memory has learnt stays; the reports and the\nundo of these tasks do not.\n",
			agent.CountPruned(plan.Prune), count.Bytes(plan.Bytes), count.Bytes(plan.Total))
	}
	writeLines(&b, "Would go", plan.Prune)
	writeLines(&b, "Stay", plan.Stay)
	return b.String(), nil
}

// pruneRuleText says what counts as old.
func pruneRuleText(r agent.PruneRule) string {
	var parts []string
	if len(r.Tasks) > 0 {
		parts = append(parts, "the task that was named")
	}
	if r.OlderThan > 0 {
		parts = append(parts, "what had no activity for "+count.Of(int(r.OlderThan.Hours()/24), "day"))
	}
	if r.KeepBytes > 0 {
		parts = append(parts, "the oldest tasks until the rest takes no more than "+count.Bytes(r.KeepBytes))
	}
	return "Shown is " + strings.Join(parts, ", and ") + "."
}

func writeLines(b *strings.Builder, title string, list []agent.PruneLine) {
	if len(list) > 0 {
		fmt.Fprintf(b, "\n## %s\n\n", title)
	}
	for _, line := range list {
		fmt.Fprintf(b, "* **%s** %s, %s, %s: %s", line.Task, day(line.Changed), line.State, count.Bytes(line.Bytes), agent.Quote(line.Text))
		if line.Why != "" {
			fmt.Fprintf(b, " (%s)", line.Why)
		}
		b.WriteString("\n")
	}
}

// commands are what can be done with the list in a document; none for any other document.
func (l *prunePage) commands(doc *document) []protocol.Command {
	if !isPruneList(doc) {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.shown) == 0 {
		return nil
	}
	title := fmt.Sprintf("Prune %s (%s)", agent.CountPruned(l.shown), count.Bytes(l.bytes))
	if l.confirming {
		return []protocol.Command{command("Yes, p"+title[1:], cmdPrune, map[string]any{"sure": true}), command("Keep them", cmdHistory)}
	}
	return []protocol.Command{command(title, cmdPrune, map[string]any{"sure": true})}
}

func isPruneList(doc *document) bool {
	return path.Base(doc.URI.Path()) == pruneDocument && (strings.HasPrefix(doc.Text, pruneHead) || strings.HasPrefix(doc.Text, pruneConfirm))
}

// lenses are above the first line of the list.
func (l *prunePage) lenses(doc *document) (list []protocol.CodeLens) {
	for _, c := range l.commands(doc) {
		list = append(list, protocol.CodeLens{Command: c})
	}
	return list
}

// actions offers the same anywhere in the list.
func (l *prunePage) actions(_ context.Context, docs snapshot, p *protocol.CodeActionParams) (list []protocol.CodeAction) {
	if doc := docs[p.TextDocument.URI]; doc != nil {
		for _, c := range l.commands(doc) {
			list = append(list, protocol.CodeAction{Title: c.Title, Kind: new(protocol.CodeActionKindQuickFix), Command: c})
		}
	}
	return list
}

// renew brings the list up to date: in the editor where it is open there, else on disk.
func (l *prunePage) renew(ctx context.Context, e *Engine, text string) (err error) {
	err = l.contents.renew(ctx, l.docs, e, l.open(), pruneDocument, agent.Visible(text))
	l.ed.lensesChanged()
	return err
}

// open is the list as it is open in the editor; nil where it is not.
func (l *prunePage) open() *document {
	for _, doc := range l.docs.snapshot() {
		if isPruneList(doc) {
			return doc
		}
	}
	return nil
}
