package replay

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"caselsp/agent/llm"
)

// request makes a request of a role from lines of a conversation.
func request(role string, lines ...string) *llm.Request {
	req := &llm.Request{Role: role, Messages: []llm.Message{{Speaker: llm.System, Content: "You are " + role}}}
	for _, l := range lines {
		req.Messages = append(req.Messages, llm.Message{Speaker: llm.User, Content: l})
	}
	return req
}

var recorded = []struct {
	req  *llm.Request
	resp *llm.Response
}{
	{request("tars", "make a blog"), &llm.Response{Content: "The plan."}},
	{request("case", "feature 1"), &llm.Response{ToolCalls: []llm.ToolCall{{ID: "a", Name: "ABORT", Arguments: "{}"}}}},
	{request("case", "feature 1", "it failed"), &llm.Response{Content: "Well."}},
}

// recording goes through JSON, as it does on disk.
func recording(t *testing.T) []Answer {
	t.Helper()
	var answers []Answer
	for _, r := range recorded {
		answers = append(answers, Record(r.req, r.resp))
	}
	raw, err := json.Marshal(answers)
	if err != nil {
		t.Fatal(err)
	}
	answers = nil
	if err := json.Unmarshal(raw, &answers); err != nil {
		t.Fatal(err)
	}
	return answers
}

func TestReplay(t *testing.T) {
	m := New(recording(t))
	heard := ""
	for i, r := range recorded {
		req := *r.req
		req.OnText = func(s string) { heard += s }
		req.MaxTokens = 10 * i // no part of what is compared
		got, err := m.Complete(t.Context(), &req)
		if err != nil {
			t.Fatal(err)
		}
		if got.Content != r.resp.Content || len(got.ToolCalls) != len(r.resp.ToolCalls) {
			t.Errorf("call %d: got %+v", i+1, got)
		}
	}
	if heard != "The plan.Well." || m.Left() != 0 {
		t.Errorf("heard %q, %d left", heard, m.Left())
	}
}

func TestDivergence(t *testing.T) {
	for _, c := range []struct {
		name   string
		before int // recorded calls that are asked first
		req    *llm.Request
		says   string
	}{
		{"another role", 0, request("case", "make a blog"), "call 1 of 3 (case): in the recording tars asks here"},
		{"a message", 2, request("case", "feature 1", "it  worked"), `call 3 of 3 (case): message 3 of 3 (user) differs from the recorded one: "it worked"`},
		{"the system message", 0, &llm.Request{Role: "tars", Messages: []llm.Message{{Speaker: llm.System, Content: "Be TARS"}}}, "message 1 of 1 (system) differs"},
		{"a message more", 1, request("case", "feature 1", "again"), "the request has 3 messages, the recorded one 2; the first 2 agree"},
		{"a message less", 2, request("case", "feature 1"), "the request has 2 messages, the recorded one 3"},
		{"the end", 3, request("case", "more"), "call 4 (case): the recording ends after 3"},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := New(recording(t))
			for _, r := range recorded[:c.before] {
				if _, err := m.Complete(t.Context(), r.req); err != nil {
					t.Fatal(err)
				}
			}
			for range 2 { // a refused question uses up no answer
				_, err := m.Complete(t.Context(), c.req)
				var e *llm.Error
				if !errors.As(err, &e) || e.Kind != llm.Diverged || e.Retryable() || !strings.Contains(e.Error(), c.says) {
					t.Errorf("got %v, want %q", err, c.says)
				}
			}
			if m.Left() != len(recorded)-c.before {
				t.Errorf("%d answers left", m.Left())
			}
		})
	}
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	m := New(recording(t))
	if _, err := m.Complete(ctx, recorded[0].req); !errors.Is(err, context.Canceled) || m.Left() != 3 {
		t.Errorf("got %v, %d left", err, m.Left())
	}
}

// Digests must not change from version to version, or recordings are lost.
func TestDigestIsStable(t *testing.T) {
	const want = "2a71b75b9e8646cf0310da640ae718f25251113daa4ad7a8a0eef0c933d18c4d"
	req := request("tars", "make a blog")
	if got := Digests(req)[1]; got != "ad6506222a1e188e" {
		t.Errorf("message: %s", got)
	}
	if got := Digest(req); got != want {
		t.Errorf("request: %s", got)
	}
	req.Messages[1].Content += " "
	if Digest(req) == "2a71b75b9e8646cf0310da640ae718f25251113daa4ad7a8a0eef0c933d18c4d" {
		t.Error("a changed message has the same digest")
	}
}
