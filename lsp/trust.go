package lsp

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"caselsp/agent"
	"caselsp/agent/record"

	"go.lsp.dev/protocol"
)

// untrusted are the folders of the client that the user does not trust, as they
// were when somebody looked last: for what is shown. What is done looks anew.
type trust struct {
	kept      *agent.Trust // nil: every folder is trusted
	ed        *editor
	folders   *folders
	engines   *engines
	tasks     *tasks
	questions *questions

	mu   sync.Mutex
	dirs []string
}

func (t *trust) set(dirs []string) (news bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	news = strings.Join(t.dirs, "\x00") != strings.Join(dirs, "\x00")
	t.dirs = dirs
	return news
}

func (t *trust) get() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.dirs
}

// look finds out which folders are not trusted, and tells the user once.
func (t *trust) look() {
	list, err := t.kept.Untrusted(t.folders.dirs()...)
	if err != nil {
		t.ed.Log.Warn("the trusted folders could not be looked up", "error", err)
		return
	}
	if t.set(list) && len(list) > 0 {
		t.ed.showMessage(protocol.MessageTypeInfo, trustText(list))
	}
}

// trustText says what is not trusted and what that means.
func trustText(dirs []string) string {
	return fmt.Sprintf("%s only reads in %s, which is not trusted. Trust it with the command %s.", Name, strings.Join(dirs, ", "), cmdTrust)
}

// actions offers to trust the folders. These are source actions, for which editors
// show no light bulb. The first only tells: some editors carry out a single action unasked.
func (t *trust) actions(context.Context, snapshot, *protocol.CodeActionParams) []protocol.CodeAction {
	if len(t.get()) == 0 {
		return nil
	}
	if now, err := t.kept.Untrusted(t.folders.dirs()...); err == nil && t.set(now) && len(now) == 0 {
		return nil // trusted since, in a terminal or another editor
	}
	list := []protocol.CodeAction{
		offer(protocol.CodeActionKindSource, "CASE: this folder is not trusted: show the tasks that wait", cmdStatus, map[string]any{}),
	}
	for _, q := range t.questions.tasks.questions() {
		if q.Kind() == record.KindTrust { // whose own action does that
			return list
		}
	}
	return append(list, offer(protocol.CodeActionKindSource, "CASE: trust this folder", cmdTrust, map[string]any{}))
}

// doTrust trusts the client's folders, or withdraws the trust, and answers the
// questions that wait for it.
func (t *trust) doTrust(c *call, a arguments) (any, error) {
	if t.kept == nil {
		return nil, nothingTo("every folder is trusted here")
	}
	if len(a.words) > 0 { // such as a folder, which is not what would be trusted
		return nil, fmt.Errorf("%s trusts the open folders and takes no text: run `caselsp trust` in a terminal to trust other folders", cmdTrust)
	}
	dirs := t.folders.dirs()
	if len(dirs) == 0 {
		return nil, nothingTo("the editor has no folder open")
	}
	var err error
	if withdraw := a.flag("withdraw"); withdraw {
		err = t.kept.Withdraw(dirs...)
	} else if dirs, err = t.kept.Untrusted(dirs...); err == nil {
		err = t.kept.Give("command", dirs...)
	}
	if err != nil {
		return nil, err
	}
	t.engines.renew() // the folder's own settings count as far as it is trusted
	c.AfterAnswer(func(context.Context) error {
		t.look()
		if len(t.get()) == 0 {
			t.ed.showMessage(protocol.MessageTypeInfo, "The open folders are trusted: "+strings.Join(t.folders.dirs(), ", "))
			t.answerTrust()
		}
		return nil
	})
	return nil, nil
}

// answerTrust answers the open questions whether the folder is trusted: it is now.
func (t *trust) answerTrust() {
	for _, q := range t.tasks.questions() {
		if q.Kind() != record.KindTrust {
			continue
		}
		if err := t.questions.answer(nil, q, record.Answer{Text: record.Approve}); err != nil {
			t.ed.showMessage(protocol.MessageTypeError, sentence(err.Error()))
		}
	}
}
