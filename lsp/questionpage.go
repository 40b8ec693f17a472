package lsp

import (
	"context"
	"fmt"
	"hash/fnv"
	"path"
	"slices"
	"strings"

	"caselsp/agent"
	"caselsp/agent/record"

	"go.lsp.dev/protocol"
)

// The open questions are a document in the state directory, so that there is no client in
// which a task could wait for an answer that cannot be given. Each question stands under a
// heading of its own, on which it is decided. What a model, a command or a file says has a
// mark before each of its lines, so that it cannot pass for a heading.
//
// The document is not changed afterwards: another list has another name. So no editor is
// left with a modified buffer, and a question that was decided has no choices any more.

const (
	questionsName = "questions" // begins the documents' names
	questionsHead = "# Open questions"
)

// questionPage shows the list.
type questionPage struct {
	questions *questions
	pages     *pages
}

// doQuestions opens the list.
func (l *questionPage) doQuestions(c *call, a arguments) (any, error) {
	data, err := a.wantsData()
	if err != nil {
		return nil, err
	}
	e, release, err := l.pages.engines.use(l.pages.ed.Context())
	if err != nil {
		return nil, err
	}
	defer release()
	list, err := l.questions.all(e)
	if err != nil {
		return nil, err
	}
	if task, named := a.field(argTask.Name); named {
		list = slices.DeleteFunc(list, func(q record.Question) bool { return q.Task != task })
	}
	if data {
		d := questionsView{Version: dataVersion, Questions: []questionView{}}
		for _, q := range list {
			d.Questions = append(d.Questions, questionAsData(q, l.questions.tasks.get(q.Task) != nil))
		}
		return asData(d)
	}
	if len(list) == 0 {
		l.pages.ed.showMessage(protocol.MessageTypeInfo, "No question is open.")
		return nil, nil
	}
	text := questionsText(list)
	sum := fnv.New32a()
	sum.Write([]byte(text)) // never fails
	name := fmt.Sprintf("%s-%08x.md", questionsName, sum.Sum32())
	return l.pages.openAt(c, name, firstHeading(text), func(context.Context, *Engine) (string, error) { return text, nil })
}

// firstHeading is where the first question of the list stands: what can be decided is offered on its lines.
func firstHeading(text string) *protocol.Range {
	before, _, _ := strings.Cut(text, "\n## ")
	at := protocol.Position{Line: uint32(strings.Count(before, "\n") + 1)}
	return &protocol.Range{Start: at, End: at}
}

// questionsText is the list.
func questionsText(list []record.Question) string {
	var b strings.Builder
	b.WriteString(questionsHead + "\n\nDecide by the lenses and code actions on a question's lines. Typing here decides nothing.\n" +
		"Lines that begin with \"" + strings.TrimSpace(quoteMark) + "\" are quoted: a model, a command or a file says that, not caselsp.\n")
	for _, q := range list {
		fmt.Fprintf(&b, "\n%s\n\n", headingOf(q))
		switch about := q.Subject.(type) {
		case record.Approvable:
			offer := about.Offer()
			if offer.Called == "" {
				b.WriteString(agent.QuoteLines(offer.What, quoteMark) + "\n")
			}
			b.WriteString(inLine(q.Text) + "\n")
			for _, touched := range offer.Touches {
				b.WriteString("* " + inLine("it "+touched) + "\n")
			}
			for _, gets := range offer.Gets(agent.Quote) {
				b.WriteString("* " + inLine(gets) + "\n")
			}
			if offer.Where != "" {
				b.WriteString("* " + inLine("where: "+offer.Where) + "\n")
			}
			if offer.Always != "" {
				b.WriteString("\n" + chooseAlways + ":\n\n" + agent.QuoteLines(offer.Always, quoteMark))
			}
		case record.Input:
			b.WriteString(capital(about.Who()) + " asks:\n\n" + agent.QuoteLines(q.Whole(), quoteMark))
			for _, c := range about.Choices {
				b.WriteString("\nOne of its answers:\n\n" + agent.QuoteLines(c, quoteMark))
			}
			b.WriteString("\n" + notASecret + ".\n")
		default:
			b.WriteString(questionText(q) + "\n")
			continue
		}
		if q.Why != "" {
			b.WriteString("\n" + inLine(q.Why) + "\n")
		}
		if shortened(q) {
			b.WriteString("\nWhat would run:\n\n" + agent.QuoteLines(q.Subject.(record.Approvable).Offer().What, quoteMark))
		}
	}
	return b.String()
}

// headingOf is the heading of a question; headed reads it.
func headingOf(q record.Question) string { return "## " + q.ID + " of task " + q.Task }

// headed returns the open questions of a list by the lines of their headings, in order;
// nil for any other document.
func (l *questionPage) headed(doc *document) (lines []uint32, list []record.Question) {
	if doc == nil || !strings.HasPrefix(path.Base(doc.URI.Path()), questionsName+"-") || !strings.HasPrefix(doc.Text, questionsHead) {
		return nil, nil
	}
	lines = []uint32{}
	e, release, err := l.pages.engines.use(l.pages.ed.Context())
	if err != nil {
		return lines, nil
	}
	defer release()
	open, err := l.questions.all(e)
	if err != nil {
		return lines, nil
	}
	n := uint32(0)
	for line := range strings.Lines(doc.Text) {
		for _, q := range open {
			if strings.TrimRight(line, "\r\n") == headingOf(q) {
				lines, list = append(lines, n), append(list, q)
			}
		}
		n++
	}
	return lines, list
}

// lenses are the choices above each question.
func (l *questionPage) lenses(doc *document) []protocol.CodeLens {
	lines, list := l.headed(doc)
	var lenses []protocol.CodeLens
	for i, q := range list {
		at := protocol.Position{Line: lines[i]}
		for _, c := range choicesOf(q) {
			lenses = append(lenses, protocol.CodeLens{Range: protocol.Range{Start: at, End: at}, Command: c.command(q, c.title)})
		}
	}
	return lenses
}

// actions are the choices of the question in whose part the cursor is.
func (l *questionPage) actions(_ context.Context, docs snapshot, p *protocol.CodeActionParams) []protocol.CodeAction {
	lines, list := l.headed(docs[p.TextDocument.URI])
	if lines == nil {
		return nil
	}
	actions := []protocol.CodeAction{}
	for i := len(list) - 1; i >= 0; i-- {
		if lines[i] > p.Range.Start.Line {
			continue
		}
		for _, c := range choicesOf(list[i]) {
			title := "CASE: " + lowered(c.title)
			actions = append(actions, protocol.CodeAction{Title: title, Kind: new(protocol.CodeActionKindQuickFix), Command: c.command(list[i], title)})
		}
		return actions
	}
	return actions
}
