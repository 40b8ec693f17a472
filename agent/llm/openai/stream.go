package openai

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"caselsp/agent/llm"
)

// chunk is one event of a stream, or a whole answer of a server that does not
// stream. go-openai's own type is not used: it fails on arguments that are
// objects, drops reasoning, and has no place for errors.
type chunk struct {
	Model   string `json:"model"`
	Choices []struct {
		Index   int    `json:"index"`
		Delta   *delta `json:"delta"`
		Message *delta `json:"message"`
		Finish  loose  `json:"finish_reason"`
		Usage   *usage `json:"usage"` // Moonshot's
	} `json:"choices"`
	Usage *usage `json:"usage"`
	Groq  struct {
		Usage *usage `json:"usage"`
	} `json:"x_groq"`
	Timings struct {
		Cached float64 `json:"cache_n"` // of the prompt's tokens, in llama.cpp
	} `json:"timings"`
	Error  json.RawMessage `json:"error"`
	Object string          `json:"object"`  // "error" in older vLLM
	Detail json.RawMessage `json:"detail"`  // of FastAPI's errors
	Said   loose           `json:"message"` // of errors without an envelope
}

type delta struct {
	Content   content    `json:"content"`
	Refusal   loose      `json:"refusal"`
	Reasoning loose      `json:"reasoning"`
	Thoughts  loose      `json:"reasoning_content"` // some send it under both names
	Thinking  loose      `json:"thinking"`
	Calls     []fragment `json:"tool_calls"`
	Function  *function  `json:"function_call"` // the protocol before tools
	// Details are OpenRouter's, in pieces.
	Details json.RawMessage `json:"reasoning_details"`
}

type fragment struct {
	Index    loose    `json:"index"`
	ID       loose    `json:"id"`
	Function function `json:"function"`
	// Extra holds the signature of Gemini's thoughts.
	Extra json.RawMessage `json:"extra_content"`
}

type function struct {
	Name      loose `json:"name"`
	Arguments loose `json:"arguments"`
}

type usage struct {
	Prompt     float64 `json:"prompt_tokens"` // some servers write 12.0
	Completion float64 `json:"completion_tokens"`
	Cost       float64 `json:"cost"`                    // OpenRouter's, in dollars
	CacheHit   float64 `json:"prompt_cache_hit_tokens"` // DeepSeek's
	Cached     float64 `json:"cached_tokens"`           // Moonshot's and Together's
	CacheRead  float64 `json:"cache_read_input_tokens"` // of gateways to Anthropic
	Details    struct {
		Cached float64 `json:"cached_tokens"`
	} `json:"prompt_tokens_details"`
}

// content is text, or a list of parts of which some are thoughts, as Mistral sends them.
type content struct{ text, thought loose }

// UnmarshalJSON implements json.Unmarshaler.
func (w *content) UnmarshalJSON(raw []byte) error {
	var parts []struct {
		Thinking loose `json:"thinking"`
	}
	if json.Unmarshal(raw, &parts) == nil { // what it says otherwise, loose says, too
		for _, p := range parts {
			w.thought += p.Thinking
		}
	}
	return w.text.UnmarshalJSON(raw)
}

// loose is text that servers send as a string, as null, as a number, as a
// list of text parts, or as the JSON that the string should have held.
type loose string

// UnmarshalJSON implements json.Unmarshaler.
func (l *loose) UnmarshalJSON(raw []byte) error {
	raw = bytes.TrimSpace(raw)
	switch {
	case string(raw) == "null":
		*l = ""
	case raw[0] == '"':
		return json.Unmarshal(raw, (*string)(l))
	case raw[0] == '[':
		var parts []struct {
			Text string `json:"text"`
		}
		if err := json.Unmarshal(raw, &parts); err != nil {
			return err
		}
		for _, p := range parts {
			*l += loose(p.Text)
		}
	default:
		*l = loose(raw)
	}
	return nil
}

// call is a tool call in the making.
type call struct {
	id, name string
	args     strings.Builder
	extra    json.RawMessage
}

// whole reports whether nothing can follow the arguments.
func (c *call) whole() bool {
	return c.args.Len() > 0 && json.Valid([]byte(c.args.String()))
}

// answer is a response in the making.
type answer struct {
	known  map[string]bool // the tools' names
	onText func(string)
	limit  int    // in tokens, that was asked for; 0: none
	grown  func() // called when a part of the answer has come; may be nil

	text    strings.Builder
	thought int // characters of reasoning, which are paid like others
	reasons reasons
	calls   []*call
	slots   map[string]*call // by the index that the server gave last
	finish  string
	model   string
	usage   *usage
	cached  float64 // tokens of the prompt, where they are not in the usage
	chosen  bool    // there was a choice
	failure json.RawMessage
}

var errNoProtocol = errors.New("the answer is not what the protocol says")

// receive takes in all events. Its error is the transport's, or wraps errNoProtocol.
func (a *answer) receive(next func() ([]byte, error), t *tap) error {
	events := 0
	for a.failure == nil {
		raw, err := next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		if len(raw) == 0 {
			continue
		}
		events++
		before := a.size()
		if err := a.add(raw); err != nil {
			return err
		}
		if a.grown != nil && a.size() > before {
			a.grown()
		}
		if a.runsAway() {
			a.finish = "length"
			return nil // who called ends the exchange
		}
	}
	if stray := bytes.TrimSpace(t.stray); events == 0 && len(stray) > 0 {
		return a.add(stray)
	}
	return nil
}

const (
	// runawayBytes is how many bytes a token has at most on average of an answer: English has
	// 4, source code with deep indentation up to 10.
	runawayBytes = 16
	// runawaySlack lets short answers be blanks alone, in bytes.
	runawaySlack = 4 << 10
)

// runsAway reports whether the answer is longer than the limit that was asked for, whatever its tokens
// are: the server does not heed it, and each further token is paid for.
func (a *answer) runsAway() bool {
	return a.limit > 0 && a.size() > a.limit*runawayBytes+runawaySlack
}

// size is how much the model has written, in bytes.
func (a *answer) size() int {
	n := a.text.Len() + a.thought
	for _, c := range a.calls {
		n += len(c.name) + c.args.Len()
	}
	return n
}

func (a *answer) add(raw []byte) error {
	var c chunk
	if err := json.Unmarshal(raw, &c); err != nil {
		return fmt.Errorf("%w: %s", errNoProtocol, readRefusal(0, raw).message)
	}
	bare := len(c.Choices) == 0 && (len(c.Detail) > 0 || c.Said != "")
	if len(c.Error) > 0 && string(c.Error) != "null" || c.Object == "error" || bare {
		a.failure = raw
		return nil
	}
	if c.Model != "" {
		a.model = c.Model
	}
	a.count(c.Groq.Usage)
	a.count(c.Usage)
	a.cached = max(a.cached, c.Timings.Cached)
	for _, choice := range c.Choices {
		if choice.Index != 0 {
			continue // only one was asked for
		}
		a.chosen = true
		a.count(choice.Usage)
		if choice.Finish != "" {
			a.finish = string(choice.Finish)
		}
		for _, d := range []*delta{choice.Delta, choice.Message} {
			if d != nil {
				a.extend(d)
			}
		}
	}
	return nil
}

// count keeps the last usage that says anything: some servers send zeros first.
func (a *answer) count(u *usage) {
	if u != nil && u.Prompt+u.Completion > 0 {
		a.usage = u
	}
}

func (a *answer) extend(d *delta) {
	a.thought += max(len(d.Reasoning), len(d.Thoughts)) + len(d.Thinking) + len(d.Content.thought)
	a.reasons.add(d)
	if piece := string(d.Content.text + d.Refusal); piece != "" {
		a.text.WriteString(piece)
		if a.onText != nil {
			a.onText(piece)
		}
	}
	for _, f := range d.Calls {
		a.join(f)
	}
	if d.Function != nil {
		a.join(fragment{Index: "0", Function: *d.Function})
	}
}

// join adds a fragment to the call that it continues, or begins another.
// Servers number calls from 0 or 1, give every call the number 0, or none;
// send a call whole or name and arguments apart, and some repeat the name or
// the id with every piece.
func (a *answer) join(f fragment) {
	if a.slots == nil {
		a.slots = map[string]*call{}
	}
	c := a.slots[string(f.Index)]
	if f.Index == "" && len(a.calls) > 0 {
		c = a.calls[len(a.calls)-1]
		for _, other := range a.calls {
			if f.ID != "" && other.id == string(f.ID) {
				c = other
			}
		}
	}
	if c == nil || a.begins(c, f) {
		c = &call{}
		a.calls = append(a.calls, c)
	}
	a.slots[string(f.Index)] = c
	if f.ID != "" {
		c.id = string(f.ID)
	}
	if name := string(f.Function.Name); name != c.name {
		c.name += name
	}
	c.args.WriteString(string(f.Function.Arguments))
	if isObject(f.Extra) {
		c.extra = f.Extra
	}
}

// begins reports whether f, which by its index belongs to c, is another call.
func (a *answer) begins(c *call, f fragment) bool {
	id, name := string(f.ID), string(f.Function.Name)
	switch {
	case id != "" && c.id != "":
		return id != c.id
	case name == "" || c.name == "":
		return false
	case c.whole():
		return f.Function.Arguments != "" || name != c.name
	}
	// Two names in a row: the second half of one that was cut, unless the
	// first is whole and the second is another tool's.
	return name != c.name && a.known[c.name] && a.known[name]
}

// toolCalls returns the assembled calls with ids that are unique in the
// conversation: some servers give none, or the same one in every answer.
func (a *answer) toolCalls(req *llm.Request) []llm.ToolCall {
	taken := map[string]bool{"": true}
	for _, m := range req.Messages {
		for _, c := range m.ToolCalls {
			taken[c.ID] = true
		}
	}
	var calls []llm.ToolCall
	for _, c := range a.calls {
		if c.name == "" {
			continue
		}
		id := c.id
		for n := len(taken); taken[id]; n++ {
			id = "call_" + strconv.Itoa(n)
		}
		taken[id] = true
		calls = append(calls, llm.ToolCall{ID: id, Name: c.name, Arguments: mendArguments(c.args.String())})
	}
	return calls
}

func toolNames(tools []llm.Tool) map[string]bool {
	names := map[string]bool{}
	for _, t := range tools {
		names[t.Name] = true
	}
	return names
}
