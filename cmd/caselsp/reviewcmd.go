package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"caselsp/agent/count"
	"caselsp/agent/record"
	"caselsp/agent/review"

	"github.com/spf13/cobra"
)

// reviewArgs say what is decided, or shown.
type reviewArgs struct {
	Task                             string `json:",omitempty"`
	Accept, Reject, Undo, Show, JSON bool   `json:",omitempty"`
	File, Kept                       string `json:",omitempty"`
	Hunk                             int    `json:",omitempty"` // from 1; 0 is all
	Noting, Send, Yes                bool   `json:",omitempty"`
	Note                             string `json:",omitempty"` // with Noting; "" withdraws it
}

var reviewTask = works("review", func(ctx context.Context, e *engine, s *seat, a reviewArgs) error {
	var args []string
	if a.Task != "" {
		args = []string{a.Task}
	}
	if e.decided(s, args, a) {
		return nil
	}
	id, err := e.pickReview(args, a.Undo)
	if err != nil {
		return err
	}
	switch {
	case a.Undo:
		return e.undo(ctx, s, id)
	case a.Noting || a.Send:
		return e.note(ctx, s, id, a)
	case a.Accept || a.Reject:
		return e.decideAll(ctx, s, s.in.tty, id, review.Selection{Kept: a.Kept, File: a.File, Hunk: a.Hunk - 1}, a.Accept) // no --hunk is AllHunks
	}
	rev, err := e.agent.Review(id)
	if err != nil {
		return err
	}
	if a.JSON {
		return printReview(s.out, rev)
	}
	showChanges(s.out, rev)
	if a.Show || !s.in.tty {
		fmt.Fprintf(s.err, "caselsp: %s\n", rev.Tally())
		return nil
	}
	return e.reviewOnTerminal(ctx, s, rev)
})

func reviewCommand(w *wiring) *cobra.Command {
	var a reviewArgs
	cmd := &cobra.Command{
		Use:   "review [TASK]",
		Short: "Show a result, and accept, reject or undo it: all, one file or one hunk",
		Example: `  caselsp review                                        # decide in the terminal
  caselsp review --accept --file shop/views.py --hunk 2
  caselsp review --accept --kept login --file shop/auth.py   # work of a feature that failed
  caselsp review --note "keep the old name" --file shop/views.py --hunk 2
  caselsp review --send                                 # back with all notes, as one correction
  caselsp review --undo`,
		Args: positional(cobra.MaximumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			if a.Hunk > 0 && a.File == "" {
				return usage(errors.New("--hunk needs --file: hunks are counted within each file"))
			}
			if a.Undo && (a.File != "" || a.Kept != "") {
				return usage(errors.New("--undo takes back all that was accepted of the result: leave out --file, --hunk and --kept. To take one file back, undo, then accept the others again"))
			}
			a.Task, a.Noting = strings.Join(args, ""), cmd.Flags().Changed("note")
			if a.Kept != "" && a.Noting {
				return usage(errors.New("--note is about the result: kept work is tried again with `caselsp resume --message`"))
			}
			return reviewTask.run(cmd.Context(), w, a)
		},
	}
	cmd.Flags().BoolVar(&a.Accept, "accept", false, "accept what is selected; by its name also a file or hunk that was rejected")
	cmd.Flags().BoolVar(&a.Reject, "reject", false, "reject what is selected")
	cmd.Flags().BoolVar(&a.Undo, "undo", false, "revert everything that was accepted, and reopen what was rejected")
	cmd.Flags().BoolVar(&a.Show, "show", false, "only show the result")
	cmd.Flags().StringVar(&a.Kept, "kept", "", "select the kept work of a feature that failed, by its name")
	cmd.Flags().StringVar(&a.File, "file", "", "select one file")
	cmd.Flags().IntVar(&a.Hunk, "hunk", 0, "select one hunk of the file, counted from 1")
	cmd.Flags().StringVar(&a.Note, "note", "", "keep a note on what is selected, to be sent back with the others; an empty one withdraws it")
	cmd.Flags().BoolVar(&a.Send, "send", false, "send the result back with all notes: the task goes on, and another review follows")
	cmd.Flags().BoolVarP(&a.Yes, "yes", "y", false, "with --send: as the flag of run, for the next result")
	cmd.Flags().BoolVar(&a.JSON, "json", false, "show the result as one JSON object")
	cmd.MarkFlagsMutuallyExclusive("accept", "reject", "undo", "show")
	cmd.MarkFlagsMutuallyExclusive("accept", "reject", "undo", "json")
	for _, other := range []string{"accept", "reject", "undo", "show"} {
		cmd.MarkFlagsMutuallyExclusive("note", other)
		cmd.MarkFlagsMutuallyExclusive("send", other)
	}
	return cmd
}

// decided tells of the task that a user decides about again who does not know that the interrupted decision was
// finished when the engine was opened, and reports whether there is one.
func (e *engine) decided(s *seat, args []string, a reviewArgs) bool {
	if len(e.over) != 1 || !a.Accept && !a.Reject || len(args) > 0 && args[0] != e.over[0] {
		return false
	}
	all, err := e.agent.History()
	if err != nil {
		return false // it is told where the task is looked for
	}
	i := slices.IndexFunc(all, func(t record.Status) bool { return t.Task.ID == e.over[0] })
	if i < 0 || len(args) == 0 && slices.ContainsFunc(all, func(t record.Status) bool { return t.State == record.Review }) {
		return false
	}
	fmt.Fprintf(s.err, "caselsp: the decision about task %s was interrupted; it is finished now: %s\n", e.over[0], all[i].State)
	return true
}

// pickReview returns the task named in args, or the only one with a result that is open, or
// else the only one with kept work that is. To undo, one that was accepted will do, too.
func (e *engine) pickReview(args []string, undo bool) (string, error) {
	open := func(s record.Status) bool { return s.State == record.Review || undo && s.State == record.Succeeded }
	all, err := e.agent.History()
	if len(args) == 0 && err == nil && !slices.ContainsFunc(all, open) {
		open = func(s record.Status) bool {
			unfinished := s.State == record.Paused || s.State == record.Stopped
			if len(s.Kept) == 0 && !unfinished {
				return false
			}
			rev, err := e.agent.Review(s.Task.ID)
			return err == nil && (undo || unfinished || rev.OpenKept() > 0)
		}
	}
	return e.pick(args, open, "review")
}

// undo reverts a result. It is an error when a file could not be reverted.
func (e *engine) undo(ctx context.Context, s *seat, id string) error {
	out, err := e.agent.Undo(ctx, id, e.applier(id))
	if err != nil {
		return err
	}
	tellResults(s.err, out, "reverted")
	fmt.Fprintf(s.err, "caselsp: %s\n", clean(out.Decided))
	if out.Commit != "" {
		fmt.Fprintf(s.err, "caselsp: %s\n", clean(out.Commit))
	}
	if n := len(out.Failed()); n > 0 {
		return fmt.Errorf("%s could not be reverted", count.Of(n, "file"))
	}
	fmt.Fprintf(s.err, "caselsp: the result can be reviewed again: caselsp review %s\n", id)
	return nil
}

// reviewName and obeyedName are how programs name the questions about a whole result, and about the
// files in it that programs obey. A hunk's name is its file and its number, as in "a.py:1".
const (
	reviewName = "review"
	obeyedName = "obeyed"
)

// reviewOnTerminal lets a person decide file by file and hunk by hunk.
func (e *engine) reviewOnTerminal(ctx context.Context, s *seat, rev *review.Review) error {
	id := rev.Task.ID
	files, kept := rev.OpenFiles(), rev.OpenKept()
	if files+kept == 0 {
		fmt.Fprintf(s.err, "caselsp: nothing is left to decide. %s\ncaselsp: to accept a rejected file after all: caselsp review --accept --file NAME %s\ncaselsp: to take all decisions back: caselsp review --undo %[2]s\n", rev.Tally(), id)
		return exitOfReview(rev.State)
	}
	fmt.Fprintf(s.err, "\n%s\n", rev.Tally())
	line, _, err := s.in.decision(ctx, reviewName, choices(rev)+"anything else = later > ")
	if err != nil {
		tellWaits(s, id)
		return err
	}
	all := review.Selection{Hunk: review.AllHunks}
	switch word := strings.ToLower(line); {
	case word == "a" && files > 0:
		return e.decideAll(ctx, s, true, id, all, true)
	case word == "r" && files > 0:
		return e.decideAll(ctx, s, true, id, all, false)
	case word == "h" && files > 0:
		return e.hunkByHunk(ctx, s, rev, rev.Files)
	case word == "k" && kept > 0:
		return e.hunkByHunk(ctx, s, rev, rev.All()[len(rev.Files):])
	}
	if word := strings.ToLower(line); word != "" && word != "l" && word != "later" && word != "n" {
		fmt.Fprintf(s.err, "caselsp: “%s” is none of the choices, so nothing is decided.\n", clean(line))
	}
	tellWaits(s, id)
	return exitOfReview(rev.State)
}

// tellWaits says how to decide about a result later.
func tellWaits(s *seat, id string) {
	fmt.Fprintf(s.err, "caselsp: the result waits for your review: caselsp review %s\n", id)
}

// exitOfReview is exitOf for a review: that a task has failed is said when it ran.
func exitOfReview(p record.Phase) error {
	if p == record.Failed {
		return nil
	}
	return exitOf(p)
}

// choices are what a person may type to decide about what is open.
func choices(rev *review.Review) string {
	text := ""
	if files := rev.OpenFiles(); files > 0 {
		which, them := fmt.Sprintf("the %d undecided files", files), "them"
		if files == 1 {
			which, them = "the 1 undecided file", "it"
		}
		if decided := len(rev.Files) - files; decided > 0 {
			which += fmt.Sprintf(" (%d decided before stay)", decided)
		}
		text = fmt.Sprintf("a = accept %s, r = reject %s, h = decide hunk by hunk, ", which, them)
	}
	if rev.OpenKept() > 0 {
		text += "k = decide about the kept work hunk by hunk, "
	}
	return text
}

// hunkByHunk lets a person decide about what is open of files.
func (e *engine) hunkByHunk(ctx context.Context, s *seat, rev *review.Review, files []review.File) error {
	p := plain{out: s.err, color: s.err.color}
	state, left := rev.State, 0
	for _, f := range files {
		for h, decided := range f.Hunks {
			if decided != record.HunkOpen {
				continue
			}
			p.line("\n%s, hunk %d of %d%s%s", describe(f.Change), h+1, len(f.Hunks), obeyedMark(f), after(", not verified, kept of ", f.Kept))
			if f.Whole() {
				p.diff(f.Change.Unified())
			} else {
				p.diff(f.Change.Hunk(h))
			}
			word, err := askHunk(ctx, s, fmt.Sprintf("%s:%d", f.Change.Path, h+1), f.Kept == "" && state == record.Review)
			if err == nil && word == hunkNote {
				err = e.noteOn(ctx, s, rev.Task.ID, f, h)
			}
			if err != nil {
				tellWaits(s, rev.Task.ID)
				return err
			}
			if word == hunkLater || word == hunkNote {
				left++
				continue
			}
			out, err := e.agent.Decide(ctx, rev.Task.ID, review.Selection{Kept: f.Kept, File: f.Change.Path, Hunk: h}, word == hunkAccept, e.applier(rev.Task.ID))
			if err != nil {
				return err
			}
			for _, r := range out.Failed() {
				p.line("NOT written: %s: %s", r.Path, r.Reason)
			}
			state = out.State
			p.line("%s", out.Decided)
		}
	}
	if now, err := e.agent.Review(rev.Task.ID); err == nil && len(now.Notes) > 0 {
		if err := e.tellNotes(s, rev.Task.ID); err != nil {
			return err
		}
	}
	if left > 0 {
		fmt.Fprintf(s.err, "caselsp: %s left open: caselsp review %s\n", count.Of(left, "hunk"), rev.Task.ID)
	}
	return exitOfReview(state)
}

// What a person may have become of a hunk.
const (
	hunkAccept = "accept"
	hunkReject = "reject"
	hunkNote   = "note"
	hunkLater  = "later"
)

// askHunk asks what is to become of a hunk, until the answer is one. notes says that a note can be written on it.
func askHunk(ctx context.Context, s *seat, name string, notes bool) (word string, err error) {
	for {
		prompt := "a = accept, r = reject, l = later > "
		if notes {
			prompt = "a = accept, r = reject, w = write a note, l = later > "
		}
		line, more, err := s.in.decision(ctx, name, prompt)
		if err != nil {
			return "", err
		}
		switch word := strings.ToLower(strings.TrimSpace(line)); {
		case word == "a", word == "y":
			return hunkAccept, nil
		case word == "r", word == "n":
			return hunkReject, nil
		case word == "w" && notes:
			return hunkNote, nil
		case word == "" || word == "l" || !more:
			return hunkLater, nil
		}
	}
}
