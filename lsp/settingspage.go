package lsp

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strings"

	"caselsp/agent"
	setting "caselsp/agent/settings"

	"go.lsp.dev/protocol"
)

// The settings are a document in the state directory, as the approvals are: which hold
// and where they come from, which of the editor's wait to be confirmed, and which the
// user has confirmed. A value stands under a heading of its own, on which it can be
// confirmed or withdrawn. Nothing ever asks for it: a question could be answered by
// accident, and the project decides what would be asked.

// settingsDocument is the page's name, settingsHead its first line.
const (
	settingsDocument = "settings.md"
	settingsHead     = "# Settings"
)

// settingsPage shows the settings.
type settingsPage struct {
	ed        *editor
	docs      *documents
	engines   *engines
	contents  *contents
	judgement *judgement
	pages     *pages
}

// value is a value on the page.
type value struct {
	setting.Value
	confirmed bool
	about     string // where it comes from
}

// values are those that wait in the client's folders, and those that are confirmed.
func values(e *Engine) ([]value, error) {
	var dirs []string
	for _, r := range e.Agent.Workspace.Roots() {
		dirs = append(dirs, r.Dir)
	}
	waiting, err := e.Agent.Trust.Waiting(dirs...)
	if err != nil {
		return nil, err
	}
	confirmed, err := e.Agent.Trust.Confirmed()
	if err != nil {
		return nil, err
	}
	var list []value
	for _, v := range waiting {
		list = append(list, value{setting.Value{Setting: v.Setting, Text: v.Value}, false, fmt.Sprintf("handed over by %s", v.From)})
	}
	for _, v := range confirmed {
		about := fmt.Sprintf("confirmed %s by %s; handed over by %s, in %s", day(v.At), v.By, v.From, v.Folders)
		list = append(list, value{setting.Value{Setting: v.Setting, Text: v.Value}, true, about})
	}
	return list, nil
}

// doSettings opens the page.
func (l *settingsPage) doSettings(c *call, _ arguments) (any, error) {
	return l.pages.open(c, settingsDocument, func(_ context.Context, e *Engine) (string, error) { return settingsText(e) })
}

// settingsText is the page.
func settingsText(e *Engine) (string, error) {
	list, err := values(e)
	if err != nil {
		return "", err
	}
	var waiting, confirmed, held strings.Builder
	for _, v := range list {
		b := &waiting
		if v.confirmed {
			b = &confirmed
		}
		fmt.Fprintf(b, "\n## %s `%s`\n\n* value: `%s`\n* %s\n", v.ID(), v.Setting, v.Text, v.about)
	}
	for _, s := range e.Sources {
		fmt.Fprintf(&held, "* %s\n", s)
	}
	text := settingsHead + "\n"
	if waiting.Len() > 0 {
		text += "\n# Not confirmed, so not used\n\nThe editor handed these over. They may be yours, or of a file in the project that the editor passed on.\n" +
			"Confirm one by the lens or code action on its line, or in a terminal with `caselsp trust --settings`; it then\ncounts in every folder where an editor sets it. What you do not know, leave.\n" + waiting.String()
	}
	if confirmed.Len() > 0 {
		text += "\n# Confirmed\n" + confirmed.String()
	}
	if held.Len() == 0 {
		held.WriteString("All settings have their defaults.\n")
	}
	return text + "\n# What holds\n\n" + held.String(), nil
}

// headings returns the values of a document by the lines of their headings; none of any
// other document.
func (l *settingsPage) headings(doc *document) map[int]value {
	if path.Base(doc.URI.Path()) != settingsDocument || !strings.HasPrefix(doc.Text, settingsHead) {
		return nil
	}
	e, release, err := l.engines.use(l.ed.Context())
	if err != nil {
		return nil
	}
	defer release()
	list, err := values(e)
	if err != nil {
		return nil
	}
	found, n := map[int]value{}, 0
	for line := range strings.Lines(doc.Text) {
		for _, v := range list {
			if strings.HasPrefix(line, "## "+v.ID()+" ") {
				found[n] = v
			}
		}
		n++
	}
	return found
}

// deciding is the command that confirms a value, or withdraws it. The line of the value, which may be long, stands under it.
func (v value) deciding() protocol.Command {
	if v.confirmed {
		return command("Do not use it any more", cmdConfirm, map[string]any{"value": v.ID(), "withdraw": true})
	}
	return command("Use it from now on", cmdConfirm, map[string]any{"value": v.ID()})
}

// lenses are above each value of the page.
func (l *settingsPage) lenses(doc *document) []protocol.CodeLens {
	var list []protocol.CodeLens
	for line, v := range l.headings(doc) {
		at := protocol.Position{Line: uint32(line)}
		list = append(list, protocol.CodeLens{Range: protocol.Range{Start: at, End: at}, Command: v.deciding()})
	}
	return list
}

// actions offers what can be decided about the value on whose heading the cursor is.
func (l *settingsPage) actions(_ context.Context, docs snapshot, p *protocol.CodeActionParams) []protocol.CodeAction {
	doc := docs[p.TextDocument.URI]
	if doc == nil {
		return nil
	}
	v, ok := l.headings(doc)[int(p.Range.Start.Line)]
	if !ok {
		return nil
	}
	c, kind := v.deciding(), protocol.CodeActionKindQuickFix
	return []protocol.CodeAction{{Title: "CASE: " + c.Title + ": " + brief(v.String()), Kind: &kind, Command: c}}
}

// doConfirm confirms a value, or withdraws it.
func (l *settingsPage) doConfirm(c *call, a arguments) (any, error) {
	id := a.text("value")
	if id == "" {
		return nil, errors.New("no value is named: open the list of values with " + cmdSettings)
	}
	e, release, err := l.engines.use(l.ed.Context())
	if err != nil {
		return nil, err
	}
	done, decide := "Not used any more: ", func() (setting.Value, error) {
		v, err := e.Agent.Trust.Unconfirm(id)
		return setting.Value{Setting: v.Setting, Text: v.Value}, err
	}
	if !a.flag("withdraw") {
		done, decide = "Used from now on: ", func() (setting.Value, error) {
			v, err := e.Agent.Trust.Confirm(id, "command")
			return setting.Value{Setting: v.Setting, Text: v.Value}, err
		}
	}
	v, err := decide()
	if err != nil {
		release()
		return nil, err
	}
	l.engines.renew() // a task under way keeps the settings with which it began
	l.judgement.read(true)
	l.ed.later(c, release, func(ctx context.Context) error {
		release() // so that the page shows what holds now
		now, end, err := l.engines.use(ctx)
		if err != nil {
			return err
		}
		err = l.rewrite(ctx, now)
		end()
		l.ed.showMessage(protocol.MessageTypeInfo, agent.Visible(done+v.String()))
		return err
	})
	return nil, nil
}

// rewrite brings the page up to date where it is open.
func (l *settingsPage) rewrite(ctx context.Context, e *Engine) error {
	text, err := settingsText(e)
	if err != nil {
		return err
	}
	for u, doc := range l.docs.snapshot() {
		if path.Base(u.Path()) == settingsDocument && strings.HasPrefix(doc.Text, settingsHead) {
			err = l.contents.renew(ctx, l.docs, e, doc, settingsDocument, agent.Visible(text))
		}
	}
	l.ed.lensesChanged()
	return err
}
