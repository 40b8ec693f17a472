package lsp

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"caselsp/agent"

	"go.lsp.dev/protocol"
)

// pages are documents for reading: the history, the reports and what the doctor
// says.
type pages struct {
	ed      *editor
	engines *engines
	papers  *papers
}

// open opens a document that text makes, in the state directory.
func (l *pages) open(c *call, name string, text func(ctx context.Context, e *Engine) (string, error)) (any, error) {
	return l.openAt(c, name, nil, text)
}

// openAt is open at a place; nil: at its beginning.
func (l *pages) openAt(c *call, name string, at *protocol.Range, text func(ctx context.Context, e *Engine) (string, error)) (any, error) {
	e, release, err := l.engines.use(l.ed.Context())
	if err != nil {
		return nil, err
	}
	l.ed.later(c, release, func(ctx context.Context) error {
		page, err := text(ctx, e)
		if err != nil {
			return err
		}
		return l.papers.openAt(ctx, e, name, page, at)
	})
	return nil, nil
}

// doHistory opens the list of tasks, the latest first.
func (l *pages) doHistory(c *call, _ arguments) (any, error) {
	return l.open(c, "history.md", func(_ context.Context, e *Engine) (string, error) {
		all, err := e.Agent.History()
		var b strings.Builder
		b.WriteString("# Tasks of this workspace\n\n")
		if len(all) == 0 && err == nil {
			b.WriteString("None yet.\n")
		}
		for _, st := range slices.Backward(all) {
			fmt.Fprintf(&b, "* **%s** %s, %s: %s", st.Task.ID, st.Started.Local().Format("2006-01-02 15:04"), st.State, title(st.Task))
			if st.Reason != "" {
				fmt.Fprintf(&b, " (%s)", st.Reason)
			}
			b.WriteString("\n")
		}
		if err != nil {
			fmt.Fprintf(&b, "\nNot readable: %v\n", err)
		}
		return b.String(), nil
	})
}

// reportName is the name of a report's document.
func reportName(task string) string { return "report-" + task + ".md" }

// doReport opens the report of a task.
func (l *pages) doReport(c *call, a arguments) (any, error) {
	e, release, err := l.engines.use(l.ed.Context())
	if err != nil {
		return nil, err
	}
	id := a.text("task")
	if id == "" {
		all, err := e.Agent.History()
		if len(all) == 0 {
			release()
			return nil, errors.Join(nothingTo("there is no task in this workspace yet"), err)
		}
		id = all[len(all)-1].Task.ID
	}
	text, err := e.Agent.Report(id)
	if err != nil {
		release()
		return nil, err
	}
	l.ed.later(c, release, func(ctx context.Context) error { return l.papers.openDocument(ctx, e, reportName(id), text) })
	return started{id}, nil
}

// doState opens what is known of the project.
func (l *pages) doState(c *call, _ arguments) (any, error) {
	return l.open(c, "state.md", func(ctx context.Context, e *Engine) (string, error) {
		s, err := e.Agent.Project(ctx)
		if s.Files == nil {
			return "", err
		}
		text := "# Known of this project\n\n" + agent.QuoteLines(s.Text(), "    ")
		if err != nil {
			text += fmt.Sprintf("\nNot readable: %v\n", err)
		}
		return text, nil
	})
}

// doMetrics opens the figures of the workspace's tasks.
func (l *pages) doMetrics(c *call, _ arguments) (any, error) {
	return l.open(c, "metrics.md", func(_ context.Context, e *Engine) (string, error) {
		m, err := e.Agent.Metrics()
		text := "# Figures of this workspace's tasks\n\n```text\n" + m.Summary() + "```\n"
		if err != nil {
			text += fmt.Sprintf("\nNot readable: %v\n", err)
		}
		return text, nil
	})
}

// trustTerminal is how the folder is trusted in a terminal, as the doctor says it.
const trustTerminal = "`caselsp trust`"

// doDoctor opens what is well and what is not.
func (l *pages) doDoctor(c *call, _ arguments) (any, error) {
	return l.open(c, "doctor.md", func(ctx context.Context, e *Engine) (string, error) {
		if e.Doctor == nil {
			return "", errors.New("this server has no self-check")
		}
		said := strings.ReplaceAll(e.Doctor(ctx), trustTerminal, trustTerminal+" or the command "+cmdTrust)
		return "# Doctor\n\n```text\n" + said + "```\n\nEditor: " + l.ed.client.String() + "\n", nil
	})
}
