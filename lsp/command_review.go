package lsp

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"caselsp/agent"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"
)

// inReview reports whether a task's result waits for decisions.
func inReview(st agent.Status) bool { return st.State == agent.Review }

// doReview opens the review document.
func (s *server) doReview(c *call, a arguments) (any, error) {
	e, release, err := s.engine(s.conn.Context())
	if err != nil {
		return nil, err
	}
	st, err := pick(e, a.text("task"), inReview, "review")
	if err != nil {
		release()
		return nil, err
	}
	s.later(c, release, func(ctx context.Context) error {
		_, path, err := s.refreshReview(ctx, e, st.Task.ID)
		if err != nil {
			return err
		}
		return s.showDocument(ctx, uri.File(path), true, nil)
	})
	return started{st.Task.ID}, nil
}

// doAccept and doReject decide about all, one file or one hunk.
func (s *server) doAccept(c *call, a arguments) (any, error) { return s.doDecide(c, a, true) }
func (s *server) doReject(c *call, a arguments) (any, error) { return s.doDecide(c, a, false) }

func (s *server) doDecide(c *call, a arguments, accept bool) (any, error) {
	id, sel, err := a.selection()
	if err != nil {
		return nil, err
	}
	e, release, err := s.engine(s.conn.Context())
	if err != nil {
		return nil, err
	}
	st, err := pick(e, id, inReview, "review")
	if err == nil && st.State != agent.Review {
		err = fmt.Errorf("task %s is %s: there is nothing to decide", st.Task.ID, st.State)
	}
	if err == nil {
		err = selectable(e, st.Task.ID, sel)
	}
	if err != nil {
		release()
		return nil, err
	}
	s.later(c, release, func(ctx context.Context) error { return s.decideReview(ctx, e, st.Task, sel, accept) })
	return started{st.Task.ID}, nil
}

// selectable says what is wrong with a selection, so that the command fails and
// not only what follows it.
func selectable(e *Engine, id string, sel agent.Selection) error {
	rev, err := e.Agent.Review(id)
	if err != nil || sel.File == "" {
		return err
	}
	var names []string
	for _, f := range rev.Files {
		names = append(names, f.Change.Path)
		if f.Change.Path == sel.File && sel.Hunk < len(f.Hunks) {
			return nil
		} else if f.Change.Path == sel.File {
			return fmt.Errorf("%s has %s, there is no hunk %d", sel.File, plural(len(f.Hunks), "hunk"), sel.Hunk+1)
		}
	}
	return fmt.Errorf("the task does not change %q, but %s", sel.File, strings.Join(names, ", "))
}

// decideReview carries a decision out and tells what came of it.
func (s *server) decideReview(ctx context.Context, e *Engine, task agent.Task, sel agent.Selection, accept bool) error {
	r := s.reviews.take(task.ID)
	s.reviews.mu.Lock()
	if r.offer != nil {
		r.offer()
	}
	s.reviews.mu.Unlock()
	r.deciding.Lock()
	defer r.deciding.Unlock()
	out, err := e.Agent.Decide(ctx, task.ID, sel, accept, &applier{s: s, e: e, label: "CASE: " + title(task)})
	if err != nil {
		return err
	}
	if _, _, err := s.refreshReview(ctx, e, task.ID); err != nil {
		return err
	}
	s.tellOutcome(out, task)
	left, err := e.Agent.Unfilled(task.ID)
	for _, file := range slices.Sorted(maps.Keys(left)) {
		s.showMessage(protocol.MessageTypeInfo, fmt.Sprintf("%s has places for secrets (%s). Fill them in by `caselsp secret fill` in a terminal.", file, strings.Join(left[file], ", ")))
	}
	return err
}

// tellOutcome tells what did not arrive, and what is left to decide.
func (s *server) tellOutcome(out agent.Outcome, task agent.Task) {
	typ, text := protocol.MessageTypeInfo, ""
	for _, f := range out.Failed() {
		typ = protocol.MessageTypeWarning
		text += fmt.Sprintf("Not changed: %s: %s\n", f.Path, sentence(f.Reason))
	}
	switch out.State {
	case agent.Review:
		text += fmt.Sprintf("%s of %q left to decide.", plural(out.Open, "hunk"), title(task))
	case agent.Succeeded:
		text += acceptedText(task)
	case agent.Rejected:
		text += fmt.Sprintf("Rejected: %q. Nothing was changed.", title(task))
	}
	s.showMessage(typ, text)
}

// acceptedText tells that a result is in the user's files.
func acceptedText(task agent.Task) string {
	return fmt.Sprintf("Accepted: %q. The command %s takes it back.", title(task), cmdUndo)
}

// doUndo reverts what was accepted.
func (s *server) doUndo(c *call, a arguments) (any, error) {
	e, release, err := s.engine(s.conn.Context())
	if err != nil {
		return nil, err
	}
	st, err := pick(e, a.text("task"), func(st agent.Status) bool {
		if st.State != agent.Succeeded && st.State != agent.Review {
			return false
		}
		rev, err := e.Agent.Review(st.Task.ID)
		return err == nil && anyAccepted(rev)
	}, "undo")
	if err != nil {
		release()
		return nil, err
	}
	s.later(c, release, func(ctx context.Context) error { return s.undo(ctx, e, st.Task) })
	return started{st.Task.ID}, nil
}

func anyAccepted(rev *agent.ReviewOf) bool {
	return slices.ContainsFunc(rev.Files, func(f agent.FileReview) bool { return slices.Contains(f.Hunks, agent.Accepted) })
}

// undo takes back what was accepted of a task.
func (s *server) undo(ctx context.Context, e *Engine, task agent.Task) error {
	r := s.reviews.take(task.ID)
	r.deciding.Lock()
	defer r.deciding.Unlock()
	out, err := e.Agent.Undo(ctx, task.ID, &applier{s: s, e: e, label: "Undo CASE: " + title(task)})
	if err != nil {
		return err
	}
	if _, _, err := s.refreshReview(ctx, e, task.ID); err != nil {
		return err
	}
	typ, text := protocol.MessageTypeInfo, ""
	for _, f := range out.Failed() {
		typ = protocol.MessageTypeWarning
		text += fmt.Sprintf("Not taken back: %s: %s\n", f.Path, sentence(f.Reason))
	}
	s.showMessage(typ, text+fmt.Sprintf("Undone: %q. Its result can be reviewed again with %s.", title(task), cmdReview))
	return nil
}

// page opens a document that text makes, in the state directory.
func (s *server) page(c *call, name string, text func(ctx context.Context, e *Engine) (string, error)) (any, error) {
	e, release, err := s.engine(s.conn.Context())
	if err != nil {
		return nil, err
	}
	s.later(c, release, func(ctx context.Context) error {
		page, err := text(ctx, e)
		if err != nil {
			return err
		}
		return s.openDocument(ctx, e, name, page, true)
	})
	return nil, nil
}

// doHistory opens the list of tasks, the latest first.
func (s *server) doHistory(c *call, _ arguments) (any, error) {
	return s.page(c, "history.md", func(_ context.Context, e *Engine) (string, error) {
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

// doReport opens the report of a task.
func (s *server) doReport(c *call, a arguments) (any, error) {
	e, release, err := s.engine(s.conn.Context())
	if err != nil {
		return nil, err
	}
	id := a.text("task")
	if id == "" {
		all, err := e.Agent.History()
		if len(all) == 0 {
			release()
			return nil, errors.Join(errors.New("there is no task in this workspace yet"), err)
		}
		id = all[len(all)-1].Task.ID
	}
	text, err := e.Agent.Report(id)
	if err != nil {
		release()
		return nil, err
	}
	s.later(c, release, func(ctx context.Context) error { return s.openDocument(ctx, e, "report-"+id+".md", text, true) })
	return started{id}, nil
}

// doDoctor opens what is well and what is not.
func (s *server) doDoctor(c *call, _ arguments) (any, error) {
	return s.page(c, "doctor.md", func(ctx context.Context, e *Engine) (string, error) {
		if e.Doctor == nil {
			return "", errors.New("this server has no doctor")
		}
		return "# Doctor\n\n```text\n" + e.Doctor(ctx) + "```\n\nEditor: " + s.client.String() + "\n", nil
	})
}
