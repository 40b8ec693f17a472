package lsp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"caselsp/agent"
	"caselsp/agent/count"
	"caselsp/agent/record"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"
)

// What judges claimed fixes is a document in the state directory, as the approvals are. Each validator stands under a heading of its
// own, on which it can be shown, tried, approved or removed; words of models and projects are quoted, so that none of them is taken
// for a heading. A validator that is shown has a document, too. Editing their texts has no other effect.

// validatorsDocument is the list's name, validatorsHead its first line.
const (
	validatorsDocument = "validators.md"
	validatorsHead     = "# Fix validators"
	// validatorMark begins the heading of a validator in the list, and validatorHead the document of one: then comes its name.
	validatorMark = "## validator "
	validatorHead = "# Fix validator "
)

// validatorDocument is the name of the document of a validator.
func validatorDocument(name string) string { return "validator-" + name + ".md" }

// validatorsPage shows the list, and the validators.
type validatorsPage struct {
	ed       *editor
	docs     *documents
	engines  *engines
	contents *contents
	pages    *pages
}

// doValidators opens the list or a validator, tries one, or decides about one that a model has written.
func (l *validatorsPage) doValidators(c *call, a arguments) (any, error) {
	name, wanted := a.text("validator"), 0
	for _, f := range []string{"try", "approve", "remove"} {
		if a.flag(f) {
			wanted++
		}
	}
	switch {
	case wanted > 1:
		return nil, errors.New("only one of try, approve and remove can be true")
	case wanted == 1 && name == "":
		return nil, fmt.Errorf("no validator is named: %s lists them", cmdValidators)
	case name == "":
		return l.pages.open(c, validatorsDocument, validatorsText)
	case wanted == 0:
		return l.pages.open(c, validatorDocument(name), func(ctx context.Context, e *Engine) (string, error) { return validatorText(ctx, e, name, "") })
	}
	e, release, err := l.engines.use(l.ed.Context())
	if err != nil {
		return nil, err
	}
	if a.flag("try") {
		l.ed.later(c, release, func(ctx context.Context) error { return l.try(ctx, e, name) })
		return nil, nil
	}
	decide, done, after := agent.ApproveValidator, name+" counts from now on, in all workspaces.", func(ctx context.Context) (string, error) { return validatorText(ctx, e, name, "") }
	if a.flag("remove") {
		decide, done, after = agent.RemoveValidator, "Removed: "+name+".", func(context.Context) (string, error) { return validatorHead + name + "\n\nIt was removed.\n", nil }
	}
	if err := decide(e.Agent.Store.Memory(), name); err != nil {
		release()
		return nil, err
	}
	l.ed.later(c, release, func(ctx context.Context) error {
		err := l.renew(ctx, e, validatorsDocument, func(ctx context.Context) (string, error) { return validatorsText(ctx, e) })
		if err == nil {
			err = l.renew(ctx, e, validatorDocument(name), after)
		}
		l.ed.showMessage(protocol.MessageTypeInfo, done)
		return err
	})
	return nil, nil
}

// try runs a validator, and opens its document with how it did.
func (l *validatorsPage) try(ctx context.Context, e *Engine, name string) error {
	v, err := validatorOf(ctx, e, name)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	p := l.ed.startProgress(ctx, progressTitle, "trying the fix validator "+name, cancel)
	tried, err := tryValidator(ctx, e, v)
	p.end("")
	if err != nil {
		if ctx.Err() != nil {
			return nil // the user has cancelled it
		}
		return err
	}
	text, err := validatorText(ctx, e, name, tried)
	if err != nil {
		return err
	}
	if u, err := l.rewrite(ctx, e, validatorDocument(name), text); err != nil {
		return err
	} else if u != "" {
		return l.ed.showDocument(ctx, u, nil)
	}
	return l.pages.papers.openDocument(ctx, e, validatorDocument(name), text)
}

// tryValidator runs a validator that a model has written on the claims of this workspace's tasks, another one on its samples, and says
// how it did.
func tryValidator(ctx context.Context, e *Engine, v agent.ListedValidator) (string, error) {
	if v.Generated == nil {
		if e.TryValidator == nil || !ofFolder(v) {
			return "", fmt.Errorf("there are no sample claims to try %s on", v.Name)
		}
		said, err := e.TryValidator(ctx, v.Name)
		return agent.QuoteLines(said, codeMark), err
	}
	trial, err := e.Agent.TryValidator(ctx, v.Name)
	if err != nil {
		return "", err
	}
	if trial.Tried == 0 {
		return "No task of this workspace has a claim on its error of which it is known what the tests said.\n", nil
	}
	var b strings.Builder
	fmt.Fprintf(&b, "It judged %d of %s as the tests did.\n", trial.Right, count.Of(trial.Tried, "known claim"))
	for _, f := range trial.Faults {
		b.WriteString(agent.QuoteLines(f, quoteMark))
	}
	return b.String(), nil
}

// codeMark is before the lines of a program.
const codeMark = "    "

// validatorOf is the validator of a name.
func validatorOf(ctx context.Context, e *Engine, name string) (agent.ListedValidator, error) {
	list, err := e.Agent.ListValidators(ctx)
	i := slices.IndexFunc(list, func(v agent.ListedValidator) bool { return v.Name == name })
	if i >= 0 {
		return list[i], nil
	}
	return agent.ListedValidator{}, errors.Join(fmt.Errorf("there is no fix validator %s: %s lists them", agent.Quote(name), cmdValidators), err)
}

// ofFolder reports whether a validator's files are the user's or the project's.
func ofFolder(v agent.ListedValidator) bool { return v.Generated == nil && filepath.IsAbs(v.Where) }

// validatorsText is the list.
func validatorsText(ctx context.Context, e *Engine) (string, error) {
	list, err := e.Agent.ListValidators(ctx)
	figures, failed := e.Agent.Metrics()
	var b strings.Builder
	b.WriteString(validatorsHead + "\n\nWhat judges the claim that failed tests were fixed, before the tests run again. Show one, try it, approve or remove one that a model\n" +
		"has written by the lens or code action on its line, or with " + cmdValidators + ". `caselsp help fixcheck` says how to write one.\n")
	if err := errors.Join(err, failed); err != nil {
		b.WriteString("\nNot readable:\n\n" + agent.QuoteLines(err.Error(), quoteMark))
	}
	if e.ValidatorProblems != nil {
		for i, p := range e.ValidatorProblems() {
			if i == 0 {
				b.WriteString("\n# Left out\n\n")
			}
			b.WriteString(agent.QuoteLines(p, quoteMark))
		}
	}
	var sections []string // by whose they are
	parts := map[string]string{}
	for _, v := range list {
		title := capital(string(v.Origin))
		if parts[title] == "" {
			sections = append(sections, title)
		}
		parts[title] += fmt.Sprintf("\n%s%s\n\n%s", validatorMark, v.Name, aboutValidator(v, figures))
	}
	for _, title := range slices.Backward(sections) { // what the user decides about stands first
		b.WriteString("\n# " + title + "\n" + parts[title])
	}
	return b.String(), nil
}

// aboutValidator says what a validator judges, and how it did.
func aboutValidator(v agent.ListedValidator, m agent.Metrics) string {
	var b strings.Builder
	if v.Trouble != "" {
		fmt.Fprintf(&b, "* it cannot be used: %s\n", agent.Quote(v.Trouble))
		return b.String()
	}
	fmt.Fprintf(&b, "* judges fixes of %s\n", agent.Quote(strings.Join(v.ErrorTypes, ", ")))
	counts := fmt.Sprintf("an invalid verdict of at least %.2f sends the fix back", v.Threshold)
	if !v.AutoApply {
		counts = "its verdicts are only shown"
	}
	if v.Generated != nil {
		counts = v.Generated.Standing()
	}
	if v.Retired {
		counts = "retired: it was too often wrong"
	}
	fmt.Fprintf(&b, "* %s; weight %.2f\n", counts, v.Weight)
	if sum := v.Right + v.Wrong; sum > 0 {
		fmt.Fprintf(&b, "* the tests agreed with %d of %s\n", v.Right, count.Of(sum, "verdict"))
	}
	if v.Generated != nil {
		fmt.Fprintf(&b, "* in its trial %s\n", agent.Quote(v.Generated.Trial.Told()))
	}
	key := cmp.Or(v.ID, v.Name)
	if i := slices.IndexFunc(m.Validators, func(f agent.ValidatorFigures) bool { return cmp.Or(f.ID, f.Name) == key }); i >= 0 {
		f := m.Validators[i]
		fmt.Fprintf(&b, "* in this workspace: %s, of which %d refused the fix; none %s\n", count.Of(f.Verdicts-f.Troubles, "verdict"), f.Invalid, count.Of(f.Troubles, "time"))
	}
	if ofFolder(v) {
		fmt.Fprintf(&b, "* its manifest is %s\n", agent.Quote(v.Where))
	}
	b.WriteString("\n" + agent.QuoteLines(record.FirstLine(v.Description), quoteMark))
	return b.String()
}

// validatorText is the document of a validator. tried says how it did just now; "" where it was not tried.
func validatorText(ctx context.Context, e *Engine, name, tried string) (string, error) {
	v, err := validatorOf(ctx, e, name)
	if err != nil {
		return "", err
	}
	figures, err := e.Agent.Metrics()
	if err != nil {
		return "", err
	}
	text := validatorHead + name + "\n\n" + aboutValidator(v, figures)
	if tried != "" {
		text += "\n# Tried\n\n" + tried
	}
	if v.Generated != nil {
		text += "\n# Its program\n\nA model has written it. Read it before you approve it.\n\n" + agent.QuoteLines(v.Generated.Code, codeMark)
	}
	return text, nil
}

// validatorLines returns the names of the validators of a document by the lines of their headings, in order, and whether it is the list;
// none of any other document.
func validatorLines(doc *document) (lines []int, names []string, list bool) {
	base, n := path.Base(doc.URI.Path()), 0
	list = base == validatorsDocument && strings.HasPrefix(doc.Text, validatorsHead)
	for line := range strings.Lines(doc.Text) {
		line = strings.TrimRight(line, "\r\n")
		if name, one := strings.CutPrefix(line, validatorHead); n == 0 && one && base == validatorDocument(name) {
			return []int{0}, []string{name}, false
		}
		if name, ok := strings.CutPrefix(line, validatorMark); ok && list {
			lines, names = append(lines, n), append(names, name)
		}
		n++
	}
	return lines, names, list
}

// commands are what can be done with the validators of a document, by the lines of their headings; nil for any other document.
func (l *validatorsPage) commands(doc *document) (lines []int, commands [][]protocol.Command) {
	all, names, inList := validatorLines(doc)
	if len(names) == 0 {
		return nil, nil
	}
	e, release, err := l.engines.use(l.ed.Context())
	if err != nil {
		return nil, nil
	}
	defer release()
	list, err := e.Agent.ListValidators(l.ed.Context())
	if err != nil {
		l.ed.Log.Warn("fix validators cannot be read", "error", err)
	}
	for i, name := range names {
		if at := slices.IndexFunc(list, func(v agent.ListedValidator) bool { return v.Name == name }); at >= 0 {
			lines, commands = append(lines, all[i]), append(commands, validatorCommands(list[at], inList))
		}
	}
	return lines, commands
}

// validatorCommands are what can be done with a validator.
func validatorCommands(v agent.ListedValidator, inList bool) (list []protocol.Command) {
	add := func(title string, flag string) {
		args := map[string]any{"validator": v.Name}
		if flag != "" {
			args[flag] = true
		}
		list = append(list, command(title+" "+v.Name, cmdValidators, args))
	}
	if inList && v.Trouble == "" {
		add("Show", "")
	}
	if v.Trouble == "" && (v.Generated != nil || ofFolder(v)) {
		add("Try", "try")
	}
	if v.Generated == nil {
		return list
	}
	if v.Trouble == "" && !v.Generated.Approved {
		add("Approve", "approve")
	}
	add("Remove", "remove")
	return list
}

// lenses are above each validator.
func (l *validatorsPage) lenses(doc *document) (list []protocol.CodeLens) {
	lines, commands := l.commands(doc)
	for i, line := range lines {
		at := protocol.Position{Line: uint32(line)}
		for _, c := range commands[i] {
			list = append(list, protocol.CodeLens{Range: protocol.Range{Start: at, End: at}, Command: c})
		}
	}
	return list
}

// actions offers the same for the validator in whose part the cursor is.
func (l *validatorsPage) actions(_ context.Context, docs snapshot, p *protocol.CodeActionParams) (list []protocol.CodeAction) {
	doc := docs[p.TextDocument.URI]
	if doc == nil {
		return nil
	}
	lines, commands := l.commands(doc)
	for i := len(lines) - 1; i >= 0; i-- {
		if uint32(lines[i]) <= p.Range.Start.Line {
			for _, c := range commands[i] {
				list = append(list, protocol.CodeAction{Title: c.Title, Kind: new(protocol.CodeActionKindQuickFix), Command: c})
			}
			return list
		}
	}
	return nil
}

// hear brings the list up to date when a task has had a validator written.
func (l *validatorsPage) hear(event agent.Event) {
	if _, tried := event.Body.(record.ValidatorTried); !tried {
		return
	}
	l.ed.Go("rewriting the list of fix validators", func(ctx context.Context) error {
		e, release, err := l.engines.use(ctx)
		if err != nil {
			return err
		}
		defer release()
		return l.renew(ctx, e, validatorsDocument, func(ctx context.Context) (string, error) { return validatorsText(ctx, e) })
	})
}

// renew brings a document up to date that is open in the editor.
func (l *validatorsPage) renew(ctx context.Context, e *Engine, name string, text func(context.Context) (string, error)) error {
	if l.docs.get(l.contents.address(e.Agent.Store.DocumentPath(name))) == nil {
		return nil
	}
	now, err := text(ctx)
	if err == nil {
		_, err = l.rewrite(ctx, e, name, now)
	}
	l.ed.lensesChanged()
	return err
}

// rewrite brings a document up to date in the editor, where it is open there, and returns its URI; "" where it is not.
func (l *validatorsPage) rewrite(ctx context.Context, e *Engine, name, text string) (uri.URI, error) {
	u := l.contents.address(e.Agent.Store.DocumentPath(name))
	open := l.docs.get(u)
	if open == nil {
		return "", nil
	}
	return u, l.contents.renew(ctx, l.docs, e, open, name, agent.Visible(text))
}
