package lsp

import (
	"context"
	"fmt"
	"strings"

	"caselsp/agent"
	"caselsp/agent/count"
	"caselsp/agent/record"
	"caselsp/agent/review"

	"go.lsp.dev/protocol"
)

// Files that programs obey without being told to are left open when all is accepted: they
// are marked in the review document, in the editor's preview and in the user's own files, and
// accepted by name. After an acceptance of all the user is asked about them once, in one
// list: by a prompt where the editor shows it beside the text, else by a message.

// maxListed is how many files stand in such a prompt: what nobody reads is not agreed to.
const maxListed = 8

// obeyedBy says behind a file's name who obeys it.
func obeyedBy(f review.File) string {
	if f.Obeyed.By == "" {
		return ""
	}
	return "; obeyed by " + f.Obeyed.By
}

// listed are files with who obeys them, in one line.
func listed(files []review.File) string {
	var list []string
	for _, f := range files {
		list = append(list, agent.Quote(f.Change.Path)+" ("+f.Obeyed.By+")")
	}
	return strings.Join(list, ", ")
}

// askObeyed asks about what an acceptance of all has left open. It returns at once.
func (l *reviews) askObeyed(task record.Task, sel review.Selection, files []review.File) {
	what := count.Of(len(files), "file")
	l.ed.Go("asking about files that programs obey", func(ctx context.Context) error {
		text := fmt.Sprintf("%s. Programs obey %s of %q without being told to.", listed(files), what, title(task))
		if len(files) > maxListed || !l.questions.agreed(ctx, text, "Accept "+what) {
			if len(files) > maxListed {
				text = listed(files[:maxListed]) + fmt.Sprintf(" and %d more", len(files)-maxListed) + strings.TrimPrefix(text, listed(files))
			}
			l.ed.showMessage(protocol.MessageTypeWarning, text+fmt.Sprintf(" Nothing of them was changed: accept or reject each by its name, in the review document that %s opens or with %s and %s.", cmdReview, cmdAccept, cmdReject))
			return nil
		}
		e, release, err := l.engines.use(ctx)
		if err != nil {
			return err
		}
		defer release()
		var names []string
		for _, f := range files {
			names = append(names, f.Change.Path)
		}
		return l.decide(ctx, e, task, review.Selection{Kept: sel.Kept, Hunk: review.AllHunks, Consent: names}, true)
	})
}

// agreed asks a question that no task waits with, in its turn and while the user does not
// type, and reports whether they chose yes. Where the editor does not show it beside the text
// they are not asked, and whatever else happens is no.
func (l *questions) agreed(ctx context.Context, text, yes string) bool {
	if !l.ed.client.AsksBeside {
		return false
	}
	select {
	case l.turn <- struct{}{}:
		defer func() { <-l.turn }()
	case <-ctx.Done():
		return false
	}
	if !l.docs.rest(ctx) {
		return false
	}
	began := l.ed.Clock.Now()
	chosen, ok := l.ed.ask(ctx, text, chooseLater, yes)
	return ok && chosen == 1 && l.ed.Clock.Now().Sub(began) >= l.readTime(text)
}
