// Package replay is a model that answers from a recording.
//
// It hides how a recording is compared with what is asked now: by digests of
// the messages, so that a recording holds no prompts and yet says at which
// message a replay parts from it. It never opens a connection and never
// answers a question that is not the recorded one.
package replay

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"caselsp/agent/llm"
)

// Answer is one recorded call: who asked, what was asked as digests, and the
// response.
type Answer struct {
	Role     string       `json:"role"`
	Digest   string       `json:"digest"`             // of the request, by Digest; "": it is not compared
	Messages []string     `json:"messages,omitempty"` // of each message, by Digests; without them a difference has no place
	Response llm.Response `json:"response"`
}

// Record makes the answer that a recording holds for a call.
func Record(req *llm.Request, resp *llm.Response) Answer {
	return Answer{Role: req.Role, Digest: Digest(req), Messages: Digests(req), Response: copyOf(resp)}
}

// Model plays a recording back, call for call.
type Model struct {
	mu      sync.Mutex
	answers []Answer
	next    int
}

// New returns a model that gives the answers in their order.
func New(answers []Answer) *Model { return &Model{answers: slices.Clone(answers)} }

// Left returns how many answers were not asked for yet.
func (m *Model) Left() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.answers) - m.next
}

// Complete implements [llm.Model]. A request that is not the next recorded one
// gets an *llm.Error of kind Diverged that says where they part, and uses up
// no answer.
func (m *Model) Complete(ctx context.Context, req *llm.Request) (*llm.Response, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	m.mu.Lock()
	call := m.next + 1
	if m.next == len(m.answers) {
		m.mu.Unlock()
		return nil, diverged("call %d (%s): the recording ends after %d", call, req.Role, len(m.answers))
	}
	a := m.answers[m.next]
	if why := a.differs(req); why != "" {
		m.mu.Unlock()
		return nil, diverged("call %d of %d (%s): %s", call, len(m.answers), req.Role, why)
	}
	m.next++
	m.mu.Unlock()
	resp := copyOf(&a.Response)
	if req.OnText != nil && resp.Content != "" {
		req.OnText(resp.Content)
	}
	return &resp, nil
}

func diverged(format string, args ...any) error {
	return &llm.Error{Kind: llm.Diverged, Detail: fmt.Sprintf(format, args...),
		Advice: "The recording was made of other files, another task or another version of caselsp, or it lacks what somebody did to the files while the task worked: record the run again"}
}

// differs says where req is not what was recorded; "" when it is.
func (a *Answer) differs(req *llm.Request) string {
	if a.Role != req.Role {
		return fmt.Sprintf("in the recording %s asks here", a.Role)
	}
	if a.Digest == "" || a.Digest == Digest(req) {
		return ""
	}
	if len(a.Messages) == 0 {
		return "the messages differ from the recorded ones"
	}
	now := Digests(req)
	for i := range min(len(now), len(a.Messages)) {
		if now[i] != a.Messages[i] {
			return fmt.Sprintf("message %d of %d (%s) differs from the recorded one: %s",
				i+1, len(now), req.Messages[i].Speaker, brief(req.Messages[i]))
		}
	}
	if len(now) == len(a.Messages) {
		return "the messages are the recorded ones, but their digest is not: the recording was changed by hand"
	}
	return fmt.Sprintf("the request has %d messages, the recorded one %d; the first %d agree", len(now), len(a.Messages), min(len(now), len(a.Messages)))
}

// brief shows a message's beginning and end in one line.
func brief(m llm.Message) string {
	text := m.Content
	for _, c := range m.ToolCalls {
		text += " " + c.Name + " " + c.Arguments
	}
	text = strings.Join(strings.Fields(text), " ")
	const head, tail = 160, 80
	if utf8.RuneCountInString(text) > head+tail {
		r := []rune(text)
		text = string(r[:head]) + " … " + string(r[len(r)-tail:])
	}
	return fmt.Sprintf("%q", text)
}

// digestBytes is the length of a message's digest: long enough that two
// different messages of one recording do not share it by chance.
const digestBytes = 8

// Digests returns a digest of each of req's messages, in hexadecimal.
func Digests(req *llm.Request) []string {
	out := make([]string, len(req.Messages))
	for i, m := range req.Messages {
		raw, err := json.Marshal(m)
		if err != nil {
			panic(err) // a message is strings alone
		}
		sum := sha256.Sum256(raw)
		out[i] = hex.EncodeToString(sum[:digestBytes])
	}
	return out
}

// Digest returns a digest of who asks and of all messages, in hexadecimal. The
// tools, the limits and the temperature are not in it: they come from the
// program, and what they change for the run shows in the messages.
func Digest(req *llm.Request) string {
	raw, err := json.Marshal(struct {
		Role     string        `json:"role"`
		Messages []llm.Message `json:"messages"`
	}{req.Role, req.Messages})
	if err != nil {
		panic(err) // strings alone
	}
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:])
}

// copyOf keeps callers from changing the recording.
func copyOf(r *llm.Response) llm.Response {
	c := *r
	c.ToolCalls = slices.Clone(r.ToolCalls)
	return c
}
