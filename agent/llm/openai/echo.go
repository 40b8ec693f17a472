package openai

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"caselsp/agent/llm"
	"caselsp/store/lazyregexp"
)

// Some servers want a part of the model's reply back in the history that the chat-completions protocol has no
// field for, and refuse the conversation without it:
//
//   - Gemini from 3 on: tool_calls[].extra_content, with a signature of the model's thoughts. Of calls made by
//     others it takes a dummy (Google AI for Developers, "Thought signatures").
//   - DeepSeek and Moonshot in thinking mode: reasoning_content of replies with calls (DeepSeek API docs,
//     "Thinking mode: tool calls"; Kimi's "thinking model" guide). An empty one passes.
//   - OpenRouter: reasoning_details, for the models behind it that sign or encrypt their reasoning
//     (OpenRouter docs, "Preserving reasoning").
//
// What is not demanded does not go back: it would be paid for as input each time.

// echoed is what is added to one message of a request, and to its calls.
type echoed struct {
	message int
	reply   json.RawMessage // fields of the message, an object; nil: none
	calls   map[int]json.RawMessage
}

const (
	// maxReasoning is the longest reasoning of a reply that is kept to be sent back, in bytes: about
	// 16,000 tokens, which every later request pays for. An empty one goes back in place of a longer.
	maxReasoning = 64 << 10
	// noSignature is what Gemini takes in place of the signature of a call that its model did not make.
	noSignature = `{"extra_content":{"google":{"thought_signature":"skip_thought_signature_validator"}}}`
	noReasoning = `{"reasoning_content":""}`
)

var (
	wantedSignature = lazyregexp.New(`(?i)missing a .?thought_signature`)
	wantedReasoning = lazyregexp.New(`(?i)reasoning_content.*(passed back|missing)|missing .?reasoning_content`)
	reasoningHosts  = []string{"api.deepseek.com", "api.moonshot.ai", "api.moonshot.cn"}
)

// wantsReasoning reports whether a server is known to demand reasoning_content back. Others are learned.
func wantsReasoning(baseURL string) bool {
	u, err := url.Parse(baseURL)
	return err == nil && slices.Contains(reasoningHosts, strings.ToLower(u.Hostname()))
}

// reasons is the reasoning of a reply in the making.
type reasons struct {
	text    strings.Builder
	details []map[string]json.RawMessage
}

func (r *reasons) add(d *delta) {
	if r.text.Len() <= maxReasoning {
		r.text.WriteString(string(d.Thoughts))
	}
	var pieces []map[string]json.RawMessage
	if json.Unmarshal(d.Details, &pieces) != nil {
		return
	}
	for _, p := range pieces {
		if last := len(r.details) - 1; last < 0 || !continues(r.details[last], p) {
			r.details = append(r.details, p)
		} else {
			join(r.details[last], p)
		}
	}
}

// continues reports whether a piece of reasoning_details belongs to the block before it.
func continues(block, piece map[string]json.RawMessage) bool {
	same := func(key string) bool { return bytes.Equal(block[key], piece[key]) }
	return piece != nil && block["index"] != nil && same("index") && same("type")
}

// join adds a piece to its block: texts grow, of all else the last one counts.
func join(block, piece map[string]json.RawMessage) {
	for key, value := range piece {
		var before, more string
		grows := key == "text" || key == "summary" || key == "data"
		if grows && json.Unmarshal(block[key], &before) == nil && json.Unmarshal(value, &more) == nil {
			value = json.RawMessage(compact(before + more))
		}
		if string(value) != "null" {
			block[key] = value
		}
	}
}

// signed reports whether the model behind OpenRouter wants its reasoning back: it is signed or encrypted.
func (r *reasons) signed() bool {
	return slices.ContainsFunc(r.details, func(block map[string]json.RawMessage) bool {
		var kind, signature string
		_ = json.Unmarshal(block["type"], &kind) // what is no text is none of these
		_ = json.Unmarshal(block["signature"], &signature)
		return kind == "reasoning.encrypted" || signature != ""
	})
}

// reply is what goes back beside the calls of a reply, an object; nil: nothing.
func (r *reasons) reply(d dialect) json.RawMessage {
	fields := map[string]any{}
	if n := r.text.Len(); d.reasons && n > 0 && n <= maxReasoning {
		fields["reasoning_content"] = r.text.String()
	}
	if r.signed() {
		if raw := compact(r.details); len(raw) <= maxReasoning {
			fields["reasoning_details"] = json.RawMessage(raw)
		}
	}
	if len(fields) == 0 {
		return nil
	}
	return json.RawMessage(compact(fields))
}

// echoFrom names who gave an echo: what one model signed, another does not know.
func (m *model) echoFrom() string { return m.config.BaseURL + " " + m.config.Model }

// keepEcho notes with the calls of a reply what the server wants back with them.
func (m *model) keepEcho(calls []llm.ToolCall, a *answer, d dialect) {
	made := slices.DeleteFunc(slices.Clone(a.calls), func(c *call) bool { return c.name == "" })
	for i := range calls {
		echo := llm.Echo{From: m.echoFrom()}
		if extra := made[i].extra; extra != nil {
			echo.Call = json.RawMessage(compact(map[string]json.RawMessage{"extra_content": extra}))
		}
		if i == 0 {
			echo.Reply = a.reasons.reply(d)
		}
		if echo.Call != nil || echo.Reply != nil {
			calls[i].Echo = &echo
		}
	}
}

// echoes is what goes back with req: what this server and model gave, and stand-ins where it is known to
// demand one.
func (m *model) echoes(req *llm.Request, d dialect) []echoed {
	if d.json {
		return nil
	}
	var all []echoed
	for i, msg := range req.Messages {
		e := echoed{message: i, calls: map[int]json.RawMessage{}}
		for j, c := range msg.ToolCalls {
			if c.Echo == nil || c.Echo.From != m.echoFrom() {
				continue
			}
			if c.Echo.Call != nil {
				e.calls[j] = c.Echo.Call
			}
			if c.Echo.Reply != nil {
				e.reply = c.Echo.Reply
			}
		}
		if len(msg.ToolCalls) > 0 {
			if d.signs && e.calls[0] == nil {
				e.calls[0] = json.RawMessage(noSignature)
			}
			if d.reasons && e.reply == nil {
				e.reply = json.RawMessage(noReasoning)
			}
		}
		if e.reply != nil || len(e.calls) > 0 {
			all = append(all, e)
		}
	}
	return all
}

// withEchoes returns req with echoes in its body. go-openai's types have no place for them.
func withEchoes(req *http.Request, echoes []echoed) (*http.Request, error) {
	raw, err := io.ReadAll(req.Body)
	if err != nil {
		return nil, err
	}
	if err := req.Body.Close(); err != nil {
		return nil, err
	}
	var body map[string]json.RawMessage
	var messages []map[string]json.RawMessage
	if err := json.Unmarshal(raw, &body); err != nil {
		return nil, err
	}
	if err := json.Unmarshal(body["messages"], &messages); err != nil {
		return nil, err
	}
	for _, e := range echoes {
		var calls []map[string]json.RawMessage
		if err := json.Unmarshal(messages[e.message]["tool_calls"], &calls); err != nil {
			return nil, err
		}
		for i, fields := range e.calls {
			if err := json.Unmarshal(fields, &calls[i]); err != nil { // adds to what is there
				return nil, err
			}
		}
		messages[e.message]["tool_calls"] = json.RawMessage(compact(calls))
		if e.reply != nil {
			if err := json.Unmarshal(e.reply, &messages[e.message]); err != nil {
				return nil, err
			}
		}
	}
	body["messages"] = json.RawMessage(compact(messages))
	sent := []byte(compact(body))
	out := req.Clone(req.Context())
	out.Body, out.ContentLength = io.NopCloser(bytes.NewReader(sent)), int64(len(sent))
	out.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(sent)), nil }
	return out, nil
}

func isObject(raw json.RawMessage) bool {
	raw = bytes.TrimSpace(raw)
	return len(raw) > 0 && raw[0] == '{'
}
