package openai

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"caselsp/agent/llm"
)

// conclude turns what was received into a response, or says why it is not one.
// broken is how the stream ended: nil for an orderly end, which a cut one
// can look like. Only a finish reason proves that the answer is whole.
func (m *model) conclude(ctx context.Context, req *llm.Request, d dialect, a *answer, t *tap, broken error) (*llm.Response, *llm.Error) {
	if a.failure != nil {
		return nil, m.refused(readRefusal(t.status, a.failure), t)
	}
	if a.finish == "" {
		return nil, m.unfinished(ctx, a, broken)
	}
	if err := m.stopped(req, a.finish); err != nil {
		return nil, err
	}
	resp := &llm.Response{Content: withoutThoughts(a.text.String()), ToolCalls: a.toolCalls(req),
		Finish: a.finish, Model: a.model, Usage: m.usage(req, a)}
	m.keepEcho(resp.ToolCalls, a, d)
	if len(resp.ToolCalls) == 0 && len(req.Tools) > 0 {
		m.lookForAction(req, d, resp)
	}
	m.noticeCalls(req, d, len(resp.ToolCalls) > 0)
	if strings.TrimSpace(resp.Content) == "" && len(resp.ToolCalls) == 0 {
		return nil, m.fail(llm.Incomplete, t.status, "the answer is empty: no text and no tool call",
			"If it happens again, raise max_tokens (reasoning counts), give the model a larger window at its server, or choose another model", nil)
	}
	return resp, nil
}

// ignoredTools is how many answers without a call, where one had to come and none ever came, show that the server leaves the
// tools out of what the model sees: llama.cpp does, without a word, where the model's chat template has no place for them. One
// may be the model's own mistake.
const ignoredTools = 2

// noticeCalls learns from answers whether the server shows tools to the model. Where it does not, later requests describe
// them in their text.
func (m *model) noticeCalls(req *llm.Request, d dialect, called bool) {
	if d.json || len(req.Tools) == 0 || m.config.Tools != ToolsAuto {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case called:
		m.called = true
	case req.MustCall && !m.called:
		m.uncalled++
		m.dialect.json = m.dialect.json || m.uncalled >= ignoredTools
	}
}

// lookForAction finds the action that a model wrote into its text.
func (m *model) lookForAction(req *llm.Request, d dialect, resp *llm.Response) {
	found, ok, err := find(resp.Content, req.Tools)
	resp.Prose = !ok && err == nil
	switch {
	case err != nil:
		resp.Problem = err.Error()
	case ok:
		calls := answer{calls: []*call{{name: found.name}}}
		calls.calls[0].args.WriteString(found.args)
		resp.ToolCalls, resp.Content = calls.toolCalls(req), found.rest
	case req.MustCall && d.json:
		resp.Problem = llm.NoAction + ` Reply with one JSON object: {"action": "NAME", "args": {…}}, where NAME is one of ` + nameList(req.Tools)
	case req.MustCall:
		resp.Problem = llm.NoCall + " Call one of the tools: " + nameList(req.Tools)
	}
}

// unfinished says why there is no finish reason.
func (m *model) unfinished(ctx context.Context, a *answer, broken error) *llm.Error {
	switch cause := context.Cause(ctx); {
	case isLate(cause):
		return m.late(cause)
	case errors.Is(broken, errNoProtocol) || errors.Is(broken, errTooLong):
		return m.fail(llm.Unreadable, 200, broken.Error(), m.addressAdvice(), broken)
	case broken != nil:
		return m.fail(llm.Incomplete, 200, "the answer was cut: "+inner(broken).Error(), "", broken)
	case !a.chosen:
		return m.fail(llm.Incomplete, 200, "the answer held no choice", "", nil)
	}
	return m.fail(llm.Incomplete, 200, "the answer was cut: it ended without a finish reason", "", nil)
}

// stopped says which finish reasons mean that the answer is useless.
func (m *model) stopped(req *llm.Request, finish string) *llm.Error {
	switch f := strings.ToLower(finish); {
	case f == "length" || f == "max_tokens":
		limit := "the server's limit"
		if n := m.config.MaxTokens; n > 0 {
			limit = fmt.Sprintf("max_tokens, now %d", n)
		}
		err := m.fail(llm.Incomplete, 200, "the answer reached its token limit and was cut",
			"Raise "+limit+", or ask for less at once", errFinal)
		err.AtLimit = req.MaxTokens > 0 && m.answerLimit(req, m.learned()) == req.MaxTokens
		return err
	case f == "content_filter" || f == "safety":
		return m.fail(llm.BadRequest, 200, "the provider's content filter stopped the answer",
			filterAdvice, nil)
	case f == "error":
		return m.fail(llm.ServerError, 200, "the server stopped the answer with an error", "", nil)
	case strings.Contains(f, "malformed_function_call"):
		return m.fail(llm.Incomplete, 200, "the model wrote a tool call that its server could not read", "", nil)
	}
	return nil
}

// charsPerToken is the rule of thumb for text and code where the server does
// not count.
const charsPerToken = 4

func (m *model) usage(req *llm.Request, a *answer) llm.Usage {
	var u llm.Usage
	if s := a.usage; s != nil {
		u = llm.Usage{Prompt: int(s.Prompt), Completion: int(s.Completion), Cost: s.Cost,
			Cached: int(min(max(s.Details.Cached, s.CacheHit, s.Cached, s.CacheRead, a.cached), s.Prompt))}
	} else {
		sent, got := 0, a.size()
		for _, msg := range req.Messages {
			sent += len(msg.Content)
			for _, c := range msg.ToolCalls {
				sent += len(c.Name) + len(c.Arguments)
				if c.Echo != nil {
					sent += len(c.Echo.Call) + len(c.Echo.Reply)
				}
			}
		}
		for _, t := range req.Tools {
			sent += len(t.Name) + len(t.Description) + len(t.Schema)
		}
		u = llm.Usage{Prompt: sent / charsPerToken, Completion: (got + charsPerToken - 1) / charsPerToken, Estimated: true}
	}
	if p, ok := m.Price(); ok && u.Cost == 0 {
		u.Cost = p.Cost(u)
	}
	return u
}
