package agent

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"caselsp/agent/record"
	"caselsp/agent/review"
	"caselsp/agent/workspace"
)

// A task that is over and of which features failed is resumed by trying these again. The
// result stays as far as the user has not decided about it; each feature begins anew, with
// new rounds and what is kept of the work on it staged.

// tryAgain records that a task is tried again.
func (r *run) tryAgain(said string) error {
	if err := record.CheckSaid(said); err != nil {
		return err
	}
	s := r.session()
	if err := s.Settle(); err != nil {
		return err
	}
	var carried workspace.State
	rev, err := review.Of(r.state, r.a.Store.Blob, s.Obeyed)
	if err == nil {
		carried, err = rev.Carried()
	}
	if err != nil && !errors.Is(err, review.ErrNoReview) {
		return err
	}
	if err := r.overlay.Restore(carried); err != nil {
		return fmt.Errorf("the staged files cannot be put back: %w", err)
	}
	staged, blobs := record.StagedOf(r.overlay.State())
	return r.record(record.Retried{Staged: staged, Said: said}, blobs...)
}

// takeUp stages what is kept of the work on the feature that begins anew, as far as the user
// has not decided about it and it fits what is there now, and tells CASE of it.
func (r *run) takeUp() error {
	f := r.state.Feature()
	works, err := review.KeptOf(r.state, r.a.Store.Blob, r.a.obeyed(r.state))
	if err != nil {
		return err
	}
	works = slices.DeleteFunc(works, func(k review.Kept) bool { return k.Feature != f.ID })
	b := record.TakenUp{Feature: r.state.Current, Left: map[string][]string{}}
	var decided, unfit []string
	for _, k := range works {
		for _, file := range k.Files {
			path := file.Change.Path
			if file.Open() < len(file.Hunks) {
				decided = append(decided, path+": "+file.Standing())
			}
			if file.Open() == 0 {
				continue
			}
			before, after, err := file.Rest()
			if err == nil {
				err = r.overlay.Carry(file.Change, before, after)
			}
			if err != nil {
				b.Left[k.ID] = append(b.Left[k.ID], path)
				unfit = append(unfit, err.Error()+":\n"+r.window().text(partChanged, file.Change.Unified(), ""))
			}
		}
	}
	var blobs [][]byte
	b.Staged, blobs = record.StagedOf(r.overlay.State())
	b.Text, b.Quote, b.More = r.toldAgain(f, decided, unfit)
	return r.record(b, blobs...)
}

// toldAgain is what CASE is told of a feature that begins anew: why it failed, what of the
// work on it is staged again, and what the user has decided about it.
func (r *run) toldAgain(f *record.Feature, decided, unfit []string) (text, quoted, more string) {
	again := f.Again
	if noted(f) && len(decided)+len(unfit) == 0 && r.prompter().featureDiff() == unchangedDiff {
		return r.toldNotes(f)
	}
	text = "The task goes on with this feature, which was not begun yet.\n"
	if again.Reason != "" {
		text = fmt.Sprintf("This feature was worked on before and failed: %s. It is tried again, with new rounds.\n", again.Words.PlainAfter(again.Reason))
	}
	if again.Said != "" {
		text += "The user says how: " + again.Said + "\n"
	}
	diff := r.prompter().featureDiff()
	switch {
	case diff != unchangedDiff:
		text += "What was done is staged again as below, and nobody has verified it: check it before you build on it.\n"
		quoted = diff
	case again.Reason != "":
		text += "Nothing of what was done then is staged.\n"
	}
	if again.Failure != "" {
		quoted += "\nThe tests failed with this at the end:\n" + r.window().text(partChanged, again.Failure, "")
	}
	if len(unfit) > 0 {
		quoted += "\nThis of it does not fit the files as they are now, and is not staged:\n" + strings.Join(unfit, "")
	}
	if len(decided) > 0 {
		more = "\nThe user has decided about parts of it. What is written is in their files; what is rejected is not wanted in this form:\n" + bullets(decided)
	}
	return text, quoted, more
}
