package lsp

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"caselsp/agent"

	"go.lsp.dev/protocol"
)

// untrusted are the folders of the client that the user does not trust, as they
// were when somebody looked last: for what is shown. What is done looks anew.
type untrusted struct {
	mu   sync.Mutex
	dirs []string
}

func (u *untrusted) set(dirs []string) (news bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	news = strings.Join(u.dirs, "\x00") != strings.Join(dirs, "\x00")
	u.dirs = dirs
	return news
}

func (u *untrusted) get() []string {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.dirs
}

// lookAtTrust finds out which folders are not trusted, and tells the user once.
func (s *server) lookAtTrust() {
	var dirs []string
	for _, r := range s.folders.all() {
		dirs = append(dirs, r.Dir)
	}
	list, err := s.opts.Trust.Untrusted(dirs...)
	if err != nil {
		s.conn.Log.Warn("it is not known which folders are trusted", "error", err)
		return
	}
	if s.untrusted.set(list) && len(list) > 0 {
		s.showMessage(protocol.MessageTypeInfo, trustText(list))
	}
}

// trustText says what is not trusted and what that means.
func trustText(dirs []string) string {
	return fmt.Sprintf("%s only reads in %s: the command %s trusts it.", Name, strings.Join(dirs, ", "), cmdTrust)
}

// trustActions offers to trust the folders. It is an action on the whole file, so
// that no light bulb burns for it.
func (s *server) trustActions(context.Context, snapshot, *protocol.CodeActionParams) []protocol.CodeAction {
	if len(s.untrusted.get()) == 0 {
		return nil
	}
	return []protocol.CodeAction{offer(protocol.CodeActionKindSource, "CASE: trust this folder", cmdTrust, map[string]any{})}
}

// doTrust trusts the client's folders, or no longer, and answers what waits for that.
func (s *server) doTrust(c *call, a arguments) (any, error) {
	if s.opts.Trust == nil {
		return nil, errors.New("every folder is trusted here")
	}
	if len(a.words) > 0 { // such as a folder, which is not what would be trusted
		return nil, fmt.Errorf("%s trusts the folders that are open, and takes no words: `caselsp trust` in a terminal trusts others", cmdTrust)
	}
	var dirs []string
	for _, r := range s.folders.all() {
		dirs = append(dirs, r.Dir)
	}
	if len(dirs) == 0 {
		return nil, errors.New("the editor has no folder open")
	}
	var err error
	if withdraw := a.flag("withdraw"); withdraw {
		err = s.opts.Trust.Withdraw(dirs...)
	} else if dirs, err = s.opts.Trust.Untrusted(dirs...); err == nil {
		err = s.opts.Trust.Give("command", dirs...)
	}
	if err != nil {
		return nil, err
	}
	s.renewEngine() // the folder's own settings count as far as it is trusted
	c.AfterAnswer(func(context.Context) error {
		s.lookAtTrust()
		if len(s.untrusted.get()) == 0 {
			s.showMessage(protocol.MessageTypeInfo, "The folders that are open are trusted.")
			s.answerTrust()
		}
		return nil
	})
	return nil, nil
}

// answerTrust answers the questions whether the workspace is trusted, now that it is.
func (s *server) answerTrust() {
	for _, q := range s.tasks.questions() {
		if q.Kind != agent.Trusting {
			continue
		}
		if err := s.answer(nil, q, agent.Answer{Text: agent.Approve}); err != nil {
			s.showMessage(protocol.MessageTypeError, sentence(err.Error()))
		}
	}
}
