package main

import (
	"context"
	"fmt"
	"strings"

	"caselsp/agent/count"
	"caselsp/agent/record"
	"caselsp/agent/review"
)

// note keeps a note on a result, and sends it back with all of them.
func (e *engine) note(ctx context.Context, s *seat, id string, a reviewArgs) error {
	if a.Noting {
		if _, err := e.agent.Note(id, record.HunkNote{File: a.File, Hunk: a.Hunk, Text: a.Note}); err != nil {
			return err
		}
	}
	if a.Send {
		f := taskFlags{Yes: a.Yes}
		ctx = f.asked(ctx, s)
		e.tellProblems(s)
		return f.follow(ctx, e, s, e.agent.Return(ctx, id))
	}
	return e.tellNotes(s, id)
}

// tellNotes says how many notes wait, and how they are sent back.
func (e *engine) tellNotes(s *seat, id string) error {
	rev, err := e.agent.Review(id)
	if err != nil {
		return err
	}
	if n := len(rev.Notes); n > 0 {
		fmt.Fprintf(s.err, "caselsp: %s kept: caselsp review --send %s\n", count.Of(n, "note"), id)
		return nil
	}
	fmt.Fprintln(s.err, "caselsp: no note is left on the result")
	return nil
}

// noteOn asks a person for a note on a hunk, from 0, and keeps it.
func (e *engine) noteOn(ctx context.Context, s *seat, id string, f review.File, hunk int) error {
	text, _, err := s.in.behind("What should be different? > ")(ctx)
	if err != nil || strings.TrimSpace(text) == "" {
		return err
	}
	if hunk++; f.Whole() {
		hunk = 0
	}
	_, err = e.agent.Note(id, record.HunkNote{File: f.Change.Path, Hunk: hunk, Text: text})
	return err
}
