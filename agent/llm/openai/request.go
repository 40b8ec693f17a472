package openai

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"

	api "github.com/sashabaranov/go-openai"

	"caselsp/agent/llm"
	"caselsp/store/lazyregexp"
)

// dialect is what a server does not understand. It starts with what is known
// of the preset and the model's name and only ever grows: a server that
// refused a parameter once is not asked again while the process lives.
type dialect struct {
	json            bool // no tools: they are described in the text
	noUsage         bool // no stream_options
	noChoice        bool // no tool_choice
	noTemperature   bool
	noMaxTokens     bool // no max_tokens
	noMaxCompletion bool // no max_completion_tokens
	completionFirst bool // of the two, max_completion_tokens is tried first
	signs           bool // wants a signature with the first call of each reply of the history
	reasons         bool // wants the reasoning of each reply of the history that has calls
	most            int  // the longest answer that the server lets be asked for; 0: not known
}

// fixedModels are the names for which go-openai itself refuses max_tokens and
// any temperature, whatever server they are asked of.
var fixedModels = lazyregexp.New(`^(o1|o3|o4|gpt-5|gpt-6)`)

func firstDialect(c Config, p Preset) dialect {
	fixed := fixedModels.MatchString(c.Model)
	return dialect{json: c.Tools == ToolsJSON, noTemperature: fixed, noMaxTokens: fixed, completionFirst: p.completion, reasons: wantsReasoning(c.BaseURL)}
}

func (m *model) learned() dialect {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.dialect
}

// refusing matches the words that say that a parameter is not known, rather
// than that its value is out of range.
var refusing = lazyregexp.New(`(?i)unsupported|not support|unrecogni[sz]ed|unknown|not permitted|not allowed|unexpected|extra_forbidden|only the default`)

// noTools matches what servers say when they, or the model, have no tool calls:
// Ollama, OpenRouter, vLLM without a tool parser, llama.cpp without --jinja, old
// deployments of Azure; and Gemini, DeepSeek and Moonshot where they do not take what is sent
// back of a call's signature or reasoning (see echo.go).
var noTools = lazyregexp.New(`(?i)(not|n't|un)[ -]?support\S*( \S+){0,4}? ["'` + "`" + `]?(tools\b|tool use|tool[ _-]call|function[ _-]call)` +
	`|(tools\b["'` + "`" + `]?|tool use|tool[ _-]call(s|ing)?|function[ _-]call(s|ing)?)( \S+){0,4}? (not|un)[ -]?(support|available|enabled|implemented)` +
	`|no endpoints found that support tool` +
	`|unsupported param: tools|--jinja|enable-auto-tool-choice|tool-call-parser|thought_signature` +
	`|unrecogni[sz]ed request arguments? supplied: tools\b` +
	`|reasoning_content.*(passed back|missing)|missing .?reasoning_content` +
	`|requires the Responses API`)

// learn reports whether err says that the server does not understand something
// that dialect used made use of, so that the same request can go out without it.
func (m *model) learn(req *llm.Request, used dialect, err *llm.Error) bool {
	if err.Kind != llm.BadRequest && err.Kind != llm.ServerError || err.Status == 200 {
		return false
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	text := strings.ToLower(err.Detail)
	says := func(parameter string) bool { return refusing.MatchString(text) && strings.Contains(text, parameter) }
	d := &m.dialect
	native := !used.json && len(req.Tools) > 0
	asked := m.answerLimit(req, used)
	switch limit := used.limit(asked); {
	case limit != "" && asked == req.MaxTokens && asked > leastAnswer && tooLong.MatchString(text): // a setting is the user's to mend
		d.most = m.shorter(text, asked)
	case native && req.MustCall && !used.noChoice && says("tool_choice"):
		d.noChoice = true
	case native && !used.signs && wantedSignature.MatchString(text):
		d.signs = true
	case native && !used.reasons && wantedReasoning.MatchString(text):
		d.reasons = true
	case native && m.config.Tools == ToolsAuto && noTools.MatchString(text):
		d.json = true
	case !used.noUsage && (says("stream_options") || says("include_usage")):
		d.noUsage = true
	case !used.noTemperature && m.config.temperature(req) != nil && says("temperature"):
		d.noTemperature = true
	case limit == "max_tokens" && says(limit):
		d.noMaxTokens = true
	case limit == "max_completion_tokens" && says(limit):
		d.noMaxCompletion = true
	default:
		return false
	}
	return true
}

// limit names the parameter that bounds the answer; "" for none.
func (d dialect) limit(tokens int) string {
	switch {
	case tokens <= 0:
		return ""
	case !d.noMaxTokens && (!d.completionFirst || d.noMaxCompletion):
		return "max_tokens"
	case !d.noMaxCompletion:
		return "max_completion_tokens"
	}
	return ""
}

// answerLimit is the longest answer that is asked for: the least of the limits of the
// request, the settings and the server; 0: the server's default.
func (m *model) answerLimit(req *llm.Request, d dialect) int {
	least := 0
	for _, n := range []int{req.MaxTokens, m.config.MaxTokens} {
		if n > 0 && (least == 0 || n < least) {
			least = n
		}
	}
	if least > 0 && d.most > 0 {
		return min(least, d.most)
	}
	return least
}

// tooLong matches what servers say when an answer may not be as long as was asked for.
var tooLong = lazyregexp.New(`max(imum)?[ _](completion[ _])?(output[ _])?tokens?\b.*(too large|at most|less than|exceed|greater than)|\d+ in the completion`)

// atMost matches the limit where the server names it.
var atMost = lazyregexp.New(`at most (\d+) (completion|output|tokens)`)

// leastAnswer is the shortest answer, in tokens, that is still asked for.
const leastAnswer = 256

// shorter is the answer's limit that is tried after one that the server refused: what it
// names, or half.
func (m *model) shorter(text string, refused int) int {
	if found := atMost.FindStringSubmatch(text); found != nil {
		if n, err := strconv.Atoi(found[1]); err == nil && n > 0 && n < refused {
			return n
		}
	}
	return refused / 2
}

func (c Config) temperature(req *llm.Request) *float32 {
	if req.Temperature != nil {
		return req.Temperature
	}
	return c.Temperature
}

// request puts req into the words of the protocol.
func (m *model) request(req *llm.Request, d dialect) api.ChatCompletionRequest {
	body := api.ChatCompletionRequest{Model: m.config.Model, Stream: true}
	if !d.noUsage {
		body.StreamOptions = &api.StreamOptions{IncludeUsage: true}
	}
	if t := m.config.temperature(req); t != nil && !d.noTemperature {
		// go-openai leaves a zero out, and the server's default is near one.
		body.Temperature = max(*t, math.SmallestNonzeroFloat32)
	}
	switch tokens := m.answerLimit(req, d); d.limit(tokens) {
	case "max_tokens":
		//lint:ignore SA1019 deprecated at OpenAI, and the only name that many servers know
		body.MaxTokens = tokens
	case "max_completion_tokens":
		body.MaxCompletionTokens = tokens
	}
	messages := req.Messages
	if d.json {
		messages = inText(req)
	} else {
		for _, t := range req.Tools {
			body.Tools = append(body.Tools, api.Tool{Type: api.ToolTypeFunction, Function: &api.FunctionDefinition{
				Name: t.Name, Description: t.Description, Parameters: schema(t)}})
		}
		if req.MustCall && len(req.Tools) > 0 && !d.noChoice {
			body.ToolChoice = "required"
		}
	}
	for _, msg := range messages {
		body.Messages = append(body.Messages, message(msg))
	}
	return body
}

func schema(t llm.Tool) json.RawMessage {
	if len(t.Schema) == 0 {
		return json.RawMessage(`{"type":"object","properties":{}}`)
	}
	return t.Schema
}

func message(m llm.Message) api.ChatCompletionMessage {
	out := api.ChatCompletionMessage{Role: string(m.Speaker), Content: m.Content, ToolCallID: m.CallID}
	for _, c := range m.ToolCalls {
		out.ToolCalls = append(out.ToolCalls, api.ToolCall{ID: c.ID, Type: api.ToolTypeFunction,
			Function: api.FunctionCall{Name: c.Name, Arguments: object(c.Arguments)}})
	}
	// go-openai leaves an empty content out, and servers want one.
	if out.Content == "" && len(out.ToolCalls) == 0 {
		out.Content = "(empty)"
	}
	return out
}

// object returns arguments as they can stand in a conversation's history.
// Servers parse them there and refuse the whole conversation for one bad
// answer of long ago.
func object(arguments string) string {
	var o map[string]json.RawMessage
	if json.Unmarshal([]byte(arguments), &o) == nil && o != nil {
		return arguments
	}
	return compact(map[string]string{"invalid_json": arguments})
}

// compact encodes v without the escapes for HTML, which cost tokens.
func compact(v any) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return "{}" // no caller passes what has no encoding
	}
	return strings.TrimSuffix(b.String(), "\n")
}
