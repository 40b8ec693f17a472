package openai

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"caselsp/agent/llm"
	"caselsp/agent/llm/llmtest"
)

var update = flag.Bool("update", false, "rewrite what the fixtures expect")

// theKey must never show up in an error.
const theKey = "sk-secret-0123456789abcdef"

var theTools = []llm.Tool{
	{Name: "WRITE_FILE", Description: "Writes a file.",
		Schema: json.RawMessage(`{"type":"object","properties":{"thought":{"type":"string"},"path":{"type":"string"},"content":{"type":"string"}}}`)},
	{Name: "RENAME_FILE", Description: "Renames a file.",
		Schema: json.RawMessage(`{"type":"object","properties":{"name":{"type":"string"},"input":{"type":"object"}}}`)},
	{Name: "ABORT", Description: "Gives up."},
}

// TestWire plays each fixture of testdata/wire: a script for the server, how
// the model is set, and what Complete must make of it.
func TestWire(t *testing.T) {
	files, err := filepath.Glob("testdata/wire/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no fixtures: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) { checkWire(t, file) })
	}
}

// TestServers plays the documented answers of each server: the fixtures of testdata/servers/SERVER.
// Each preset must have the fixtures of serverCases, and each fixture must name its source.
func TestServers(t *testing.T) {
	for _, p := range Presets() {
		for _, name := range serverCases {
			if _, err := os.Stat(filepath.Join("testdata/servers", p.Name, name+".txtar")); err != nil {
				t.Errorf("the preset %s has no fixture: %v", p.Name, err)
			}
		}
	}
	files, err := filepath.Glob("testdata/servers/*/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no fixtures: %v", err)
	}
	for _, file := range files {
		server, name := filepath.Split(strings.TrimPrefix(strings.TrimSuffix(filepath.ToSlash(file), ".txtar"), "testdata/servers/"))
		t.Run(server+name, func(t *testing.T) {
			if raw, err := os.ReadFile(file); err != nil || !strings.Contains(string(raw), "\nSource: ") {
				t.Errorf("%s does not name its source: %v", file, err)
			}
			checkWire(t, file)
		})
	}
}

// serverCases are an answer with tool calls, and the errors of every server: a wrong key, an unknown model,
// a conversation that is too long, a rate limit or an overload, and a model without tool calls.
var serverCases = []string{"calls", "key", "model", "context", "busy", "tools"}

func checkWire(t *testing.T, file string) {
	ar, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	section := map[string]string{}
	for _, f := range ar.Files {
		section[f.Name] = string(f.Data)
	}
	script, err := llmtest.ParseScript(section["script"])
	if err != nil {
		t.Fatal(err)
	}
	srv := llmtest.Start(t, script)
	var got strings.Builder
	conf, req := configOf(t, section["config"], srv.URL)
	conf.Sleep = func(_ context.Context, d time.Duration) error {
		fmt.Fprintf(&got, "pause: %v\n", d)
		return nil
	}
	asked := 0
	m, err := New(conf)
	if err != nil {
		t.Fatal(err)
	}
	for range 1 + strings.Count(section["config"], "again") + strings.Count(section["config"], "results") {
		resp, err := m.Complete(t.Context(), req)
		for _, r := range srv.Requests()[asked:] {
			fmt.Fprintf(&got, "sent: %s\n%s", parameters(t, r.Body), echoesOf(t, r.Body))
			asked++
		}
		got.WriteString(strings.NewReplacer(srv.URL, "BASE", strings.TrimSuffix(srv.URL, "/v1"), "BASE").Replace(outcome(t, resp, err)))
		if resp != nil && strings.Contains(section["config"], "results") {
			req.Messages = append(req.Messages, recorded(t, resp)...)
		}
	}
	if left := srv.Unused(); len(left) > 0 {
		fmt.Fprintf(&got, "never asked for: %s\n", strings.Join(left, ", "))
	}
	if got.String() == section["want"] {
		return
	}
	if !*update {
		t.Fatalf("got:\n%s\nwant:\n%s", got.String(), section["want"])
	}
	for i := range ar.Files {
		if ar.Files[i].Name == "want" {
			ar.Files[i].Data = []byte(got.String())
		}
	}
	if err := os.WriteFile(file, txtar.Format(ar), 0o644); err != nil {
		t.Fatal(err)
	}
}

// configOf reads lines of a word and its value.
func configOf(t *testing.T, text, url string) (Config, *llm.Request) {
	c := Config{BaseURL: url, Key: theKey, Model: "scripted", Now: func() time.Time { return time.Unix(1e9, 0) },
		Jitter: func() float64 { return 0.5 }}
	req := &llm.Request{Role: "case", Tools: theTools,
		Messages: []llm.Message{{Speaker: llm.System, Content: "You are CASE."}, {Speaker: llm.User, Content: "Go on."}}}
	for _, line := range strings.Split(strings.TrimSpace(text), "\n") {
		word, value, _ := strings.Cut(line, " ")
		n, _ := strconv.ParseFloat(value, 32) // words without a number have none
		switch word {
		case "", "again", "results": // results: asked again with the results of the calls
		case "model":
			c.Model = value
		case "provider":
			c.Provider = value
		case "deployments": // Azure's addresses
			c.BaseURL = strings.TrimSuffix(url, "/v1")
		case "tools":
			c.Tools = value
		case "temperature":
			t := float32(n)
			c.Temperature = &t
		case "max_tokens":
			c.MaxTokens = int(n)
		case "price":
			c.Prices = map[string]Price{c.Model: {Prompt: 1, Cached: 0.5, Completion: n}}
		case "notools":
			req.Tools = nil
		case "must":
			req.MustCall = true
		case "messages":
			if err := json.Unmarshal([]byte(value), &req.Messages); err != nil {
				t.Fatal(err)
			}
		default:
			t.Fatalf("config: unknown word %q", word)
		}
	}
	return c, req
}

// recorded is a reply and the results of its calls as the next request holds them: read back from a journal.
func recorded(t *testing.T, resp *llm.Response) []llm.Message {
	raw, err := json.Marshal(resp)
	if err != nil {
		t.Fatal(err)
	}
	var read llm.Response
	if err := json.Unmarshal(raw, &read); err != nil {
		t.Fatal(err)
	}
	messages := []llm.Message{{Speaker: llm.Assistant, Content: read.Content, ToolCalls: read.ToolCalls}}
	for _, c := range read.ToolCalls {
		messages = append(messages, llm.Message{Speaker: llm.ToolReply, CallID: c.ID, Content: "Done."})
	}
	return messages
}

// echoesOf shows what a request holds beside the protocol, a line for each message and call that has such fields.
func echoesOf(t *testing.T, body []byte) string {
	var o struct{ Messages []map[string]json.RawMessage }
	if err := json.Unmarshal(body, &o); err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	show := func(what string, fields map[string]json.RawMessage, known ...string) {
		for _, k := range known {
			delete(fields, k)
		}
		if len(fields) > 0 {
			fmt.Fprintf(&b, "  %s: %s\n", what, compact(fields))
		}
	}
	for i, m := range o.Messages {
		var calls []map[string]json.RawMessage
		if m["tool_calls"] != nil {
			if err := json.Unmarshal(m["tool_calls"], &calls); err != nil {
				t.Fatal(err)
			}
		}
		show(fmt.Sprintf("message %d", i), m, "role", "content", "tool_calls", "tool_call_id")
		for j, c := range calls {
			show(fmt.Sprintf("message %d, call %d", i, j), c, "id", "type", "function")
		}
	}
	return b.String()
}

// parameters shows a request without what all requests have.
func parameters(t *testing.T, body []byte) string {
	var o map[string]json.RawMessage
	if err := json.Unmarshal(body, &o); err != nil {
		t.Fatal(err)
	}
	if string(o["stream"]) != "true" {
		t.Errorf("a request does not stream: %s", body)
	}
	for _, k := range []string{"messages", "model", "stream"} {
		delete(o, k)
	}
	if o["tools"] != nil {
		o["tools"] = json.RawMessage(`"…"`)
	}
	if string(o["stream_options"]) == `{"include_usage":true}` {
		o["stream_options"] = json.RawMessage(`"usage"`)
	}
	return compact(o)
}

func outcome(t *testing.T, resp *llm.Response, err error) string {
	var b strings.Builder
	if err != nil {
		var e *llm.Error
		if !errors.As(err, &e) {
			t.Fatalf("the error is a %T: %v", err, err)
		}
		if strings.Contains(fmt.Sprintf("%v %+v %v", err, e, e.Err), theKey) {
			t.Errorf("the error shows the key: %v", err)
		}
		fmt.Fprintf(&b, "error: %v\n", err)
		if e.After > 0 {
			fmt.Fprintf(&b, "after: %v\n", e.After)
		}
		return b.String()
	}
	fmt.Fprintf(&b, "content: %q\n", resp.Content)
	for _, c := range resp.ToolCalls {
		fmt.Fprintf(&b, "call: %s %s %s\n", c.ID, c.Name, c.Arguments)
	}
	if resp.Problem != "" {
		fmt.Fprintf(&b, "problem: %s\n", resp.Problem)
	}
	fmt.Fprintf(&b, "finish: %s, usage: %s\n", resp.Finish, compact(resp.Usage))
	return b.String()
}
