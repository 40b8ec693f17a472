package lsp

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"caselsp/agent"
	"caselsp/agent/record"

	"go.lsp.dev/protocol"
)

// choice is one of the ways to decide a question. The prompt, the code actions and the
// lenses of the document of questions offer the same, in the same order: what denies or
// only shows something comes before what allows.
type choice struct {
	title  string
	id     string         // the command that does it
	args   map[string]any // beside task and question
	answer record.Answer  // what it answers
	allows bool           // something happens that would not happen otherwise
	opens  bool           // it opens a document to write the answer into
}

// The choices.
const (
	chooseLater   = "Decide later" // the first of every prompt: it changes nothing
	chooseKept    = "It is there now"
	chooseOnce    = "Allow once"
	chooseTask    = "Allow for this task"
	chooseAlways  = "Always allow exactly this here"
	chooseProject = "Allow for this project"
	chooseDeny    = "Deny"
	chooseWhy     = "Deny and say why…"
	chooseWrite   = "Write an answer…"
	chooseTrust   = "Trust this folder"
	chooseRead    = "Only read"
	chooseMore    = "Go on"
	chooseEnough  = "Stop here"
	chooseChange  = "Change the plan…"
)

// choicesOf returns the choices of a question.
func choicesOf(q record.Question) []choice {
	allow := func(title, id, text string) choice {
		return choice{title: title, id: id, answer: record.Answer{Text: text}, allows: true}
	}
	deny := func(title string) choice {
		return choice{title: title, id: cmdDeny, answer: record.Answer{Text: record.Deny}}
	}
	switch about := q.Subject.(type) {
	case record.Approvable:
		list := []choice{deny(chooseDeny), {title: chooseWhy, id: cmdDeny, args: map[string]any{"why": true}, opens: true}}
		offer := about.Offer()
		switch {
		case offer.Kept:
			list = append(list, allow(chooseProject, cmdApprove, record.Approve))
		case offer.Once:
			list = append(list, allow(chooseOnce, cmdApprove, record.Approve))
		}
		if offer.Task {
			list = append(list, allow(chooseTask, cmdApproveTask, record.ApproveTask))
		}
		if offer.Always != "" {
			list = append(list, allow(chooseAlways, cmdApproveAlways, record.ApproveAlways))
		}
		return list
	case record.Secret:
		// An answer in a document or in an LSP message would be visible and be stored.
		return []choice{deny(chooseDeny), allow(chooseKept, cmdApprove, record.Kept)}
	case record.Trust:
		return []choice{deny(chooseRead), allow(chooseTrust, cmdTrust, record.Approve)}
	case record.Limit:
		return []choice{deny(chooseEnough), allow(chooseMore, cmdApprove, record.Approve)}
	case record.Input:
		if about.Plan != nil {
			return planChoices()
		}
		list := []choice{{title: chooseWrite, id: cmdAnswer, args: map[string]any{"write": true}, opens: true}}
		for _, text := range about.Choices {
			// Quoted: a choice that is called "Allow once" does not look like ours.
			title := "Answer: " + agent.Quote(cut(text, titleLimit))
			list = append(list, choice{title: title, id: cmdAnswer, args: map[string]any{"text": text}, answer: record.Answer{Text: text}})
		}
		return list
	}
	return nil
}

// planChoices are those about a plan: what is to change is written into a document.
func planChoices() []choice {
	answer := func(title, text string, allows bool) choice {
		return choice{title: title, id: cmdAnswer, args: map[string]any{"text": text}, answer: record.Answer{Text: text}, allows: allows}
	}
	return []choice{
		{title: chooseChange, id: cmdAnswer, args: map[string]any{"write": true}, opens: true},
		answer(chooseEnough, record.PlanStop, false), answer(chooseMore, record.PlanGo, true),
	}
}

// command is the command of a choice, about one question and no other.
func (c choice) command(q record.Question, title string) protocol.Command {
	if c.id == cmdTrust {
		return command(title, c.id, map[string]any{})
	}
	args := map[string]any{"task": q.Task, "question": q.ID}
	for name, value := range c.args {
		args[name] = value
	}
	return command(title, c.id, args)
}

// subjectOf is what is asked about, in a title or in the middle of a message.
func subjectOf(q record.Question) string {
	switch about := q.Subject.(type) {
	case record.Approvable:
		offer := about.Offer()
		return cmp.Or(offer.Called, agent.Quote(offer.What)) + offer.With()
	case record.Input:
		return about.Who() + " asks: " + agent.Quote(q.Text)
	case record.Secret:
		return "the secret " + about.Name
	}
	return agent.Visible(q.Text)
}

// shortened reports whether what is asked about stands in titles in other words.
func shortened(q record.Question) bool {
	about, ok := q.Subject.(record.Approvable)
	return ok && about.Offer().Called != ""
}

// maxAction is how long what is asked about may be for a code action to allow it, in runes:
// menus cut what is longer, and what is cut off is not agreed to.
const maxAction = 100

// actions offers the decisions about the questions that are open, in the user's own files.
// First stands what shows the question.
func (l *questions) actions(_ context.Context, docs snapshot, p *protocol.CodeActionParams) []protocol.CodeAction {
	if ownDocument(p.TextDocument.URI) {
		return nil
	}
	var list []protocol.CodeAction
	for _, q := range l.tasks.questions() {
		about := subjectOf(q)
		list = append(list, offer(protocol.CodeActionKindQuickFix, "CASE asks: show the question: "+brief(about), cmdQuestions, map[string]any{}))
		for _, c := range choicesOf(q) {
			whole := utf8.RuneCountInString(about) <= maxAction && !shortened(q)
			if c.allows && !whole {
				continue
			}
			title := fmt.Sprintf("CASE asks: %s: %s", lowered(c.title), about)
			switch q.Subject.(type) {
			case record.Input, record.Trust:
				title = "CASE asks: " + lowered(c.title)
			}
			if !whole {
				title = brief(title)
			}
			list = append(list, protocol.CodeAction{Title: title, Kind: new(protocol.CodeActionKindQuickFix), Command: c.command(q, title)})
		}
	}
	return list
}

// capital returns a text at the beginning of a sentence.
func capital(text string) string { return strings.ToUpper(text[:1]) + text[1:] }

// lowered returns a title within a sentence.
func lowered(title string) string { return strings.ToLower(title[:1]) + title[1:] }

// questionText is the whole of a question in one line, since VS Code and Helix show no
// others: what it is about first, quoted and whole; then a full stop, why and where. A program of caselsp's own comes last:
// what it does stands in the question.
func questionText(q record.Question) string {
	var parts []string
	switch about := q.Subject.(type) {
	case record.Approvable:
		offer := about.Offer()
		touches := ""
		if len(offer.Touches) > 0 {
			touches = "It " + strings.Join(offer.Touches, ", ")
		}
		parts = append([]string{q.Text, offer.Where}, offer.Gets(agent.Quote)...)
		parts = append(parts, touches, q.Why)
		if what := agent.Quote(offer.What) + "."; offer.Called == "" {
			parts = slices.Insert(parts, 0, what)
		} else {
			parts = append(parts, "What would run: "+what)
		}
		if offer.Always != "" {
			parts = append(parts, chooseAlways+": "+agent.Quote(offer.Always))
		}
	case record.Input:
		if about.Plan != nil {
			parts = append([]string{q.Text}, about.Plan.Titles(agent.Quote)...)
			parts = append(parts, "The whole plan is shown by "+cmdQuestions, q.Why)
			break
		}
		parts = []string{capital(about.Who()) + " asks: " + agent.Quote(q.Text) + "."}
		if len(about.Choices) > 0 { // without numbers: those of an editor's menu are others
			parts = append(parts, "Its answers: "+quoted(about.Choices))
		}
		parts = append(parts, q.Why, notASecret)
	case record.Secret:
		parts = []string{q.Text, fmt.Sprintf("Run `caselsp secret set %s` in a terminal, which asks for it and keeps it in your keyring", about.Name)}
	default:
		parts = []string{q.Text, q.Why}
	}
	var list []string
	for _, p := range parts {
		if p != "" {
			list = append(list, inLine(p))
		}
	}
	return strings.Join(list, " ")
}

// quoted are texts in quotes, one behind the other.
func quoted(list []string) string {
	var texts []string
	for _, text := range list {
		texts = append(texts, agent.Quote(text))
	}
	return strings.Join(texts, ", ")
}

// notASecret is told with every question of a model: it may have been asked for by whoever
// wrote a file that the model has read.
const notASecret = "The answer goes to the model: write no password, key or token into it"

// inLine returns a sentence in one line.
func inLine(text string) string { return sentence(strings.ReplaceAll(text, "\n", " ")) }

// sentence returns a text that begins with a capital and ends with a stop.
func sentence(text string) string {
	text = strings.TrimSpace(text)
	if text == "" {
		return ""
	}
	if last, _ := utf8.DecodeLastRuneInString(text); !strings.ContainsRune(".!?", last) {
		text += "."
	}
	first, width := utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(first)) + text[width:]
}

// answerAdvice says how a question is answered without a prompt.
func answerAdvice(q record.Question) string {
	ids := answerCommands(q)
	last := len(ids) - 1
	how := strings.Join(ids[:last], ", ")
	if how != "" {
		how += " or "
	}
	return fmt.Sprintf("Nothing happens until you answer: by code action, with %s, or in the document that %s opens.", how+ids[last], cmdQuestions)
}
