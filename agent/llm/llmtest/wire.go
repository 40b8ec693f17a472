package llmtest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

// wireRequest is what the server reads of a request.
type wireRequest struct {
	Model    string `json:"model"`
	Stream   bool   `json:"stream"`
	Max      int    `json:"max_tokens"`
	MaxNew   int    `json:"max_completion_tokens"`
	Messages []struct {
		Role    string `json:"role"`
		Content any    `json:"content"`
		CallID  string `json:"tool_call_id"`
		// Reasoning and Extra are what servers want back of replies and calls beside the protocol.
		Reasoning *string `json:"reasoning_content"`
		Calls     []struct {
			ID       string          `json:"id"`
			Extra    json.RawMessage `json:"extra_content"`
			Function struct {
				Name      string `json:"name"`
				Arguments string `json:"arguments"`
			} `json:"function"`
		} `json:"tool_calls"`
	} `json:"messages"`
	Tools []struct {
		Function struct {
			Name        string          `json:"name"`
			Description string          `json:"description"`
			Parameters  json.RawMessage `json:"parameters"`
		} `json:"function"`
	} `json:"tools"`
	Options struct {
		Usage bool `json:"include_usage"`
	} `json:"stream_options"`
}

// markers are the words by which the agents' system messages tell who asks.
var markers = []struct{ text, role string }{
	{"You are TARS", "tars"}, {"You are CASE", "case"},
	{"You are the tester", "tester"}, {"You are the reflector", "reflector"},
}

// role returns the role whose marker stands first in the system messages.
func (r *wireRequest) role() string {
	first, role := -1, ""
	for _, m := range r.Messages {
		text, ok := m.Content.(string)
		if m.Role != "system" || !ok || first >= 0 {
			continue
		}
		for _, k := range markers {
			if at := strings.Index(text, k.text); at >= 0 && (first < 0 || at < first) {
				first, role = at, k.role
			}
		}
	}
	return role
}

// text shows messages, calls and tools as patterns see them: decoded, so that
// a newline is a newline.
func (r *wireRequest) text() string {
	var b strings.Builder
	for _, m := range r.Messages {
		content, ok := m.Content.(string)
		if !ok && m.Content != nil {
			raw, err := json.Marshal(m.Content)
			if err != nil {
				raw = []byte(err.Error())
			}
			content = string(raw)
		}
		fmt.Fprintf(&b, "[%s]\n%s\n", strings.TrimSpace(m.Role+" "+m.CallID), content)
		if m.Reasoning != nil {
			fmt.Fprintf(&b, "[reasoning] %s\n", *m.Reasoning)
		}
		for _, c := range m.Calls {
			fmt.Fprintf(&b, "[call %s] %s %s\n", c.ID, c.Function.Name, c.Function.Arguments)
			if c.Extra != nil {
				fmt.Fprintf(&b, "[extra %s] %s\n", c.ID, c.Extra)
			}
		}
	}
	for _, t := range r.Tools {
		fmt.Fprintf(&b, "[tool] %s: %s %s\n", t.Function.Name, t.Function.Description, t.Function.Parameters)
	}
	return b.String()
}

// last is the content of the last message.
func (r *wireRequest) last() string {
	if len(r.Messages) == 0 {
		return ""
	}
	text, _ := r.Messages[len(r.Messages)-1].Content.(string)
	return text
}

// replies counts the messages of the model.
func (r *wireRequest) replies() int {
	n := 0
	for _, m := range r.Messages {
		if m.Role == "assistant" {
			n++
		}
	}
	return n
}

func (r *wireRequest) toolNames() []string {
	var names []string
	for _, t := range r.Tools {
		names = append(names, t.Function.Name)
	}
	return names
}

func refuse(w http.ResponseWriter, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusBadRequest)
	// A client that went away needs no answer.
	_ = json.NewEncoder(w).Encode(object{"error": object{"message": message, "type": "script"}})
}

type object map[string]any

// send writes a reply as the protocol has it, or as the reply insists.
func send(w http.ResponseWriter, in *wireRequest, r Reply) {
	body, kind := r.Body, "text/event-stream"
	switch {
	case body != "" && r.Status >= 300:
		kind = "application/json"
	case body == "" && r.Status < 300 && in.Stream:
		body = stream(in, r)
	case body == "" && r.Status < 300:
		body, kind = encode(whole(in, r)), "application/json"
	}
	w.Header().Set("Content-Type", kind)
	for k, v := range r.Header {
		w.Header()[http.CanonicalHeaderKey(k)] = v
	}
	if r.Status != 0 {
		w.WriteHeader(r.Status)
	}
	broken := r.Cut > 0 && r.Cut < len(body)
	if broken {
		body = body[:r.Cut]
	}
	_, err := w.Write([]byte(body))
	if f, ok := w.(http.Flusher); ok && err == nil {
		f.Flush()
	}
	if broken {
		panic(http.ErrAbortHandler) // the documented way to break a connection
	}
}

func encode(v any) string {
	raw, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(raw)
}

// content returns text and calls as in can take them: to one that offers no
// tools a call is a JSON action.
func content(in *wireRequest, r Reply) (string, []Call) {
	text := r.Text
	if len(in.Tools) > 0 || len(r.Calls) == 0 {
		return text, r.Calls
	}
	for _, c := range r.Calls {
		text += "\n" + encode(object{"action": c.Name, "args": json.RawMessage(arguments(c))})
	}
	return strings.TrimPrefix(text, "\n"), nil
}

func arguments(c Call) string {
	if c.Args == "" {
		return "{}"
	}
	return c.Args
}

func finish(r Reply, calls []Call) string {
	switch {
	case r.Finish != "":
		return r.Finish
	case len(calls) > 0:
		return "tool_calls"
	}
	return "stop"
}

func (r Reply) usage() object {
	u := Usage{Prompt: 100, Completion: 10}
	if r.Usage != nil {
		u = *r.Usage
	}
	return object{"prompt_tokens": u.Prompt, "completion_tokens": u.Completion, "total_tokens": u.Prompt + u.Completion,
		"prompt_tokens_details": object{"cached_tokens": u.Cached}}
}

// toolCall is one call as OpenAI sends it; id numbers it within the answer.
func toolCall(i int, c Call, args string) object {
	return object{"index": i, "id": fmt.Sprintf("call_%d", i), "type": "function",
		"function": object{"name": c.Name, "arguments": args}}
}

// stream renders a reply as events: text and arguments in two pieces each, so
// that every client has something to put together.
func stream(in *wireRequest, r Reply) string {
	var b strings.Builder
	emit := func(choices []object, usage any) {
		e := object{"id": "scripted", "object": "chat.completion.chunk", "model": in.Model, "choices": choices}
		if usage != nil {
			e["usage"] = usage
		}
		b.WriteString("data: " + encode(e) + "\n\n")
	}
	delta := func(d object, finish any) {
		emit([]object{{"index": 0, "delta": d, "finish_reason": finish}}, nil)
	}
	text, calls := content(in, r)
	delta(object{"role": "assistant"}, nil)
	for _, piece := range halves(text) {
		delta(object{"content": piece}, nil)
	}
	for i, c := range calls {
		for j, piece := range halves(arguments(c)) {
			t := toolCall(i, c, piece)
			if j > 0 {
				t = object{"index": i, "function": object{"arguments": piece}}
			}
			delta(object{"tool_calls": []object{t}}, nil)
		}
	}
	delta(object{}, finish(r, calls))
	if in.Options.Usage {
		emit([]object{}, r.usage())
	}
	b.WriteString("data: [DONE]\n\n")
	return b.String()
}

// halves cuts s in two between runes; what is empty has no halves.
func halves(s string) []string {
	runes := []rune(s)
	switch n := len(runes); {
	case n == 0:
		return nil
	case n == 1:
		return []string{s}
	default:
		return []string{string(runes[:n/2]), string(runes[n/2:])}
	}
}

// whole renders a reply for a client that does not stream.
func whole(in *wireRequest, r Reply) object {
	text, calls := content(in, r)
	message := object{"role": "assistant", "content": text}
	var list []object
	for i, c := range calls {
		list = append(list, toolCall(i, c, arguments(c)))
	}
	if list != nil {
		message["tool_calls"] = list
	}
	return object{"id": "scripted", "object": "chat.completion", "model": in.Model, "usage": r.usage(),
		"choices": []object{{"index": 0, "message": message, "finish_reason": finish(r, calls)}}}
}
