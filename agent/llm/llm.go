// Package llm is the data of a conversation with a language model and the one
// method that every model has.
//
// It hides nothing and does nothing: how a conversation reaches a server is
// agent/llm/openai's business, how one is played back agent/llm/replay's.
package llm

import (
	"context"
	"encoding/json"
	"fmt"
	"time"
)

// Model answers one request. Implementations are safe for concurrent use.
//
// Complete returns an *Error for everything that went wrong with the model or
// on the way to it, and ctx.Err() when ctx ended first. It never returns a
// partial answer: a stream that was cut is an error of kind [Incomplete].
type Model interface {
	Complete(ctx context.Context, req *Request) (*Response, error)
}

// Speaker says who wrote a message.
type Speaker string

// The speakers of a conversation, as the chat-completions protocol names them.
const (
	System    Speaker = "system"
	User      Speaker = "user"
	Assistant Speaker = "assistant"
	ToolReply Speaker = "tool"
)

// Message is one entry of a conversation.
type Message struct {
	Speaker   Speaker    `json:"speaker"`
	Content   string     `json:"content,omitempty"`
	ToolCalls []ToolCall `json:"tool_calls,omitempty"` // of an Assistant
	CallID    string     `json:"call_id,omitempty"`    // of a ToolReply: the call it answers
}

// Tool is an action that the model may choose.
type Tool struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Schema      json.RawMessage `json:"schema"` // JSON Schema of the arguments, an object
}

// ToolCall is the model's choice of a tool. Arguments is what the model wrote,
// repaired where the repair was certain; it may still not be valid JSON.
type ToolCall struct {
	ID        string `json:"id,omitempty"`
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
	Echo      *Echo  `json:"echo,omitempty"`
}

// Echo is what a server sent with a call beside name and arguments and wants back in the history: signatures
// and reasoning. It goes back to the server and model that it came from, and to no other.
type Echo struct {
	From  string          `json:"from"`            // the server's base URL and the model
	Call  json.RawMessage `json:"call,omitempty"`  // fields of the call, an object
	Reply json.RawMessage `json:"reply,omitempty"` // fields of the whole reply, an object; stands at its first call
}

// Request is one question to a model.
type Request struct {
	Role        string       `json:"role"` // the asking agent: tars, case, tester, reflector
	Messages    []Message    `json:"messages"`
	Tools       []Tool       `json:"tools,omitempty"`
	MustCall    bool         `json:"must_call,omitempty"` // an answer without a tool call is of no use
	Temperature *float32     `json:"temperature,omitempty"`
	MaxTokens   int          `json:"max_tokens,omitempty"` // of the answer, beside the model's own limit; 0: only that one
	OnText      func(string) `json:"-"`                    // called with each piece of text as it streams in (again from the start when a try failed); may be nil
	// Retry is called before the request is sent again, with what the tries so far cost. It may
	// lower MaxTokens; its error ends the call. It may be nil.
	Retry func(spent Usage) error `json:"-"`
	// OnWait is called when a try has failed and another follows, after a pause. It may be nil.
	OnWait func(Wait) `json:"-"`
}

// Wait is what lies between two tries of a request.
type Wait struct {
	Failed    *Error // why the try before it gave no answer
	For       time.Duration
	Try, Most int  // the try that follows, of so many; 0 where another model is asked
	Another   bool // the fallback model is asked, at once
}

// Text is a line for the user: it begins with what goes on now.
func (w Wait) Text(now time.Time) string {
	because := string(w.Failed.Kind)
	if w.Failed.Status != 0 {
		because += fmt.Sprintf(" (HTTP %d)", w.Failed.Status)
	}
	if w.Failed.Detail != "" {
		because += ": " + w.Failed.Detail
	}
	if w.Another {
		return "Asking the fallback model: the first one is " + because
	}
	pause := w.For.Round(time.Second / 10)
	return fmt.Sprintf("Waiting %s for the model, until %s, then try %d of %d: %s", pause, now.Add(w.For).Format(time.TimeOnly), w.Try, w.Most, because)
}

// Waits tells OnWait of a pause.
func (r *Request) Waits(w Wait) {
	if r.OnWait != nil {
		r.OnWait(w)
	}
}

// Again asks Retry whether the request may be sent again.
func (r *Request) Again(spent Usage) error {
	if r.Retry == nil {
		return nil
	}
	return r.Retry(spent)
}

// Beginnings of a Problem: the text tries no tool call, where the model has tools and where it answers in JSON.
const (
	NoCall   = "the reply holds no tool call."
	NoAction = "the reply holds no action."
)

// Response is a model's whole answer.
type Response struct {
	Content   string     `json:"content,omitempty"`
	ToolCalls []ToolCall `json:"tool_calls,omitempty"`
	Problem   string     `json:"problem,omitempty"` // why the text holds no usable tool call although one was tried or had to be; for the model
	Finish    string     `json:"finish,omitempty"`  // the server's finish reason, such as "stop" or "tool_calls"
	Model     string     `json:"model,omitempty"`   // the model that answered, as the server names it
	Usage     Usage      `json:"usage"`
	Failed    Usage      `json:"failed,omitzero"` // what tries cost that gave no answer
	// Prose says that the text is words for a reader: no call was made, nor one tried.
	Prose bool `json:"prose,omitempty"`
	// Dropped is how many calls the model made behind ToolCalls: one reply had too many.
	Dropped int `json:"dropped,omitempty"`
}

// Shorten drops the calls behind the first most ones.
func (r *Response) Shorten(most int) {
	if over := len(r.ToolCalls) - most; over > 0 {
		r.ToolCalls, r.Dropped = r.ToolCalls[:most:most], r.Dropped+over
	}
}

// Usage is what an answer cost.
type Usage struct {
	Prompt     int     `json:"prompt"`              // tokens sent
	Cached     int     `json:"cached,omitempty"`    // of those, tokens that the provider had cached
	Completion int     `json:"completion"`          // tokens received
	Cost       float64 `json:"cost,omitempty"`      // US dollars by the configured prices; 0 when no price is known
	Estimated  bool    `json:"estimated,omitempty"` // the server sent no count: a token is taken to be four characters
}

// Add returns the sum of u and v; it is an estimate when either is one.
func (u Usage) Add(v Usage) Usage {
	return Usage{u.Prompt + v.Prompt, u.Cached + v.Cached, u.Completion + v.Completion, u.Cost + v.Cost, u.Estimated || v.Estimated}
}
