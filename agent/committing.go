package agent

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"caselsp/agent/record"
	"caselsp/agent/review"
	"caselsp/agent/workspace"
)

// Where the user's settings say so, what was accepted of a result is committed as soon as nothing of it is left to
// decide: one commit, of the accepted files alone. An undo changes the files back and leaves the commit, because others may have
// it by then; it says how git takes it back.

// maxSubject is the longest first line of a commit's message: git's own lists cut it there.
const maxSubject = 72

// maxBody is how much of what the models say of the work a commit's message holds, in bytes.
const maxBody = 4 << 10

// commit commits what was accepted of a task, and says what became of it; "" where nothing was to be done.
func (a *Agent) commit(ctx context.Context, id string) (string, error) {
	release, err := a.acquire(id)
	if err != nil {
		return "", err
	}
	defer release()
	p, err := a.load(id)
	if err != nil {
		return "", err
	}
	r := &run{a: a, id: id, journal: a.Store.Journal(id), state: p, yield: func(Event, error) bool { return true }}
	var files []workspace.CommitFile
	for _, path := range slices.Sorted(maps.Keys(p.Review.Applied)) {
		list, err := r.committable(p.Review.Applied[path])
		if err != nil {
			return "", err
		}
		files = append(files, list...)
	}
	if len(files) == 0 {
		return "", nil
	}
	made, err := a.Workspace.CommitFiles(ctx, files, a.Store.Redact(commitMessage(p)), a.Now())
	var said []string
	for _, m := range made {
		b := record.Committed{Hash: m.Hash, Branch: m.Branch, Files: m.Files, Ignored: m.Ignored}
		said = append(said, b.Told()+".")
		if err := r.record(b); err != nil {
			return "", err
		}
	}
	if err != nil {
		b := record.Committed{Reason: err.Error()}
		said = append(said, b.Told()+".")
		if no := (*workspace.Uncommittable)(nil); !errors.As(err, &no) {
			a.Log.Error("what was accepted could not be committed", "task", id, "error", err)
		}
		if err := r.record(b); err != nil {
			return "", err
		}
	}
	return strings.Join(said, " "), nil
}

// committable is what was done to a file, as a commit has it: a renamed file is one that is gone and one that is new.
func (r *run) committable(e record.AppliedTo) ([]workspace.CommitFile, error) {
	before, err := e.Before.ContentOrNone(r.a.Store.Blob)
	if err != nil {
		return nil, err
	}
	after, err := e.After.ContentOrNone(r.a.Store.Blob)
	if err != nil {
		return nil, err
	}
	if e.From != "" && e.From != e.Path {
		return []workspace.CommitFile{{Path: e.From, Before: before}, {Path: e.Path, After: after}}, nil
	}
	return []workspace.CommitFile{{Path: e.Path, Before: before, After: after}}, nil
}

// commitMessage is the message of a task's commit: the task, and what the report says of each feature that is done.
func commitMessage(p *record.State) string {
	text := cutWords(plainText(record.FirstLine(p.Task.Text)), maxSubject) + "\n"
	body := ""
	for i := range p.Features {
		if f := &p.Features[i]; f.OK && strings.TrimSpace(f.Said()) != "" {
			body += "\n" + plainText(strings.TrimSpace(f.Said())) + "\n"
		}
	}
	if len(body) > maxBody {
		body = strings.ToValidUTF8(body[:maxBody], "") + "\n"
	}
	return text + body + fmt.Sprintf("\nTask: %s\n", p.Task.ID)
}

// plainText is a text without control characters, for a message that programs and terminals show.
func plainText(text string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' {
			return r
		}
		if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) {
			return -1
		}
		return r
	}, text)
}

// cutWords cuts a text to a length in bytes, between words where it can.
func cutWords(text string, most int) string {
	if len(text) <= most {
		return text
	}
	short := strings.ToValidUTF8(text[:most], "")
	if i := strings.LastIndexByte(short, ' '); i > 0 {
		short = short[:i]
	}
	return short
}

// committed adds to the outcome of a decision what became of the commit, where there is to be one.
func (a *Agent) committed(out review.Outcome, err error) func(context.Context, string) (review.Outcome, error) {
	return func(ctx context.Context, id string) (review.Outcome, error) {
		if err != nil || !a.Commits || out.State != record.Succeeded || out.Open > 0 || out.Kept {
			return out, err
		}
		said, err := a.commit(ctx, id)
		if err != nil {
			said = "Nothing was committed: " + err.Error() + "."
		}
		out.Commit = said
		return out, nil
	}
}

// standingCommits says of the commits of a task that an undo has left them; "" where there are none.
func standingCommits(p *record.State) string {
	var names []string
	for _, c := range p.Review.Commits {
		if c.Hash != "" {
			names = append(names, c.Short())
		}
	}
	if len(names) == 0 {
		return ""
	}
	return fmt.Sprintf("The commit %s stays: `git revert %s` takes it back in git, too.", strings.Join(names, ", "), strings.Join(names, " "))
}
