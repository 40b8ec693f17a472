package openai

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"caselsp/agent/llm"
	"caselsp/agent/llm/llmtest"
)

// build makes a model for a test whose pauses do not pass.
func build(t *testing.T, c Config) llm.Model {
	t.Helper()
	if c.Model == "" {
		c.Model = "scripted"
	}
	c.Sleep = func(ctx context.Context, _ time.Duration) error { return ctx.Err() }
	m, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func ask(text string) *llm.Request {
	return &llm.Request{Role: "case", Messages: []llm.Message{{Speaker: llm.System, Content: "You are CASE."}, {Speaker: llm.User, Content: text}}}
}

func kindOf(err error) llm.Kind {
	var e *llm.Error
	if errors.As(err, &e) {
		return e.Kind
	}
	return ""
}

// Each status has its kind, and the kind decides how often it is tried.
func TestStatuses(t *testing.T) {
	for _, c := range []struct {
		status, tries int
		kind          llm.Kind
	}{
		{301, 1, llm.BadRequest}, {400, 1, llm.BadRequest}, {401, 1, llm.BadKey}, {402, 1, llm.RateLimited}, {403, 1, llm.BadKey},
		{404, 1, llm.BadRequest}, {405, 1, llm.BadRequest}, {408, 3, llm.TimedOut}, {409, 3, llm.ServerError}, {413, 1, llm.BadRequest},
		{422, 1, llm.BadRequest}, {425, 3, llm.ServerError}, {429, 3, llm.RateLimited}, {500, 3, llm.ServerError},
		{501, 1, llm.BadRequest}, {502, 3, llm.ServerError}, {503, 3, llm.ServerError}, {504, 3, llm.TimedOut},
		{524, 3, llm.TimedOut}, {529, 3, llm.ServerError},
	} {
		t.Run(fmt.Sprint(c.status), func(t *testing.T) {
			srv := llmtest.Start(t, llmtest.Script{Rules: []llmtest.Rule{{Times: llmtest.Always,
				Reply: llmtest.Reply{Status: c.status, Body: "no\x1b[31m", Header: http.Header{"Location": {"http://127.0.0.1:1/stolen"}}}}}})
			_, err := build(t, Config{BaseURL: srv.URL, Key: theKey}).Complete(t.Context(), ask("Go on."))
			var e *llm.Error
			if !errors.As(err, &e) || e.Kind != c.kind || e.Status != c.status {
				t.Errorf("got %v, want kind %q", err, c.kind)
			}
			if n := len(srv.Requests()); n != c.tries {
				t.Errorf("%d requests, want %d", n, c.tries)
			}
			if strings.ContainsAny(err.Error(), "\x1b\n") {
				t.Errorf("the error carries control characters: %q", err)
			}
		})
	}
}

func TestOnTextGetsEachPiece(t *testing.T) {
	srv := llmtest.Start(t, llmtest.Script{Rules: []llmtest.Rule{{Reply: llmtest.Reply{Text: "one two"}}}})
	var pieces []string
	req := ask("Go on.")
	req.OnText = func(s string) { pieces = append(pieces, s) }
	if _, err := build(t, Config{BaseURL: srv.URL}).Complete(t.Context(), req); err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprintf("%q", pieces); got != `["one" " two"]` {
		t.Errorf("pieces: %s", got)
	}
}

func TestCancelIsImmediate(t *testing.T) {
	t.Run("while the server thinks", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		srv := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body) // else net/http does not notice that the client leaves
			cancel()
			<-r.Context().Done()
		}))
		defer srv.Close()
		if _, err := build(t, Config{BaseURL: srv.URL + "/v1"}).Complete(ctx, ask("Go on.")); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
	})
	t.Run("in a pause", func(t *testing.T) {
		srv := llmtest.Start(t, llmtest.Script{Rules: []llmtest.Rule{{
			Reply: llmtest.Reply{Status: 429, Header: http.Header{"Retry-After": {"60"}}}}}})
		ctx, cancel := context.WithCancel(t.Context())
		m, err := New(Config{BaseURL: srv.URL, Model: "scripted", Sleep: func(ctx context.Context, d time.Duration) error {
			cancel()
			return sleep(ctx, d)
		}})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := m.Complete(ctx, ask("Go on.")); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
		if n := len(srv.Requests()); n != 1 {
			t.Errorf("%d requests after a cancel", n)
		}
	})
}

func TestSilenceTimesOut(t *testing.T) {
	srv := llmtest.Start(t, llmtest.Script{Rules: []llmtest.Rule{{Times: llmtest.Always, Reply: llmtest.Reply{Hold: true}}}})
	_, err := build(t, Config{BaseURL: srv.URL, Timeout: 20 * time.Millisecond}).Complete(t.Context(), ask("Go on."))
	if kindOf(err) != llm.TimedOut || len(srv.Requests()) != 3 {
		t.Errorf("%d requests, %v", len(srv.Requests()), err)
	}
}

// A server that stops in the middle of its answer, with the connection open.
func TestSilenceInTheMiddleTimesOut(t *testing.T) {
	open := make(chan struct{})
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, "data: {\"choices\":[{\"delta\":{\"content\":\"Well, \"}}]}\n\n")
		w.(http.Flusher).Flush()
		select {
		case <-open:
		case <-r.Context().Done():
		}
	}))
	defer srv.Close()
	defer close(open)
	_, err := build(t, Config{BaseURL: srv.URL + "/v1", Timeout: 20 * time.Millisecond}).Complete(t.Context(), ask("Go on."))
	if kindOf(err) != llm.TimedOut {
		t.Errorf("got %v", err)
	}
}

// A server that only keeps the connection alive: a proxy does so when the model behind it is gone.
func TestOnlyKeptAliveTimesOut(t *testing.T) {
	for name, line := range map[string]string{"comments": ": processing\n\n", "events without a part": `data: {"choices":[{"delta":{"content":""}}]}` + "\n\n"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				beat := time.NewTicker(5 * time.Millisecond)
				defer beat.Stop()
				for r.Context().Err() == nil {
					fmt.Fprint(w, line)
					w.(http.Flusher).Flush()
					<-beat.C
				}
			}))
			defer srv.Close()
			ctx, cancel := context.WithCancel(t.Context())
			req := ask("Go on.")
			var failed *llm.Error
			req.OnWait = func(w llm.Wait) { failed = w.Failed; cancel() }
			_, err := build(t, Config{BaseURL: srv.URL + "/v1", Timeout: 300 * time.Millisecond}).Complete(ctx, req)
			if failed == nil || failed.Kind != llm.TimedOut || !strings.Contains(failed.Detail, "kept the connection alive for 600ms and sent no part") {
				t.Errorf("got %v, %v", failed, err)
			}
		})
	}
}

// What counts as a part of an answer: text, reasoning and calls, in pieces of any size.
func TestPartsOfAnAnswer(t *testing.T) {
	for event, part := range map[string]bool{
		`{"choices":[{"delta":{"content":"x"}}]}`:                                          true,
		`{"choices":[{"delta":{"reasoning":"x"}}]}`:                                        true,
		`{"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"name":"ABORT"}}]}}]}`: true,
		`{"choices":[{"delta":{"role":"assistant","content":""}}]}`:                        false,
		`{"choices":[]}`: false,
		``:               false,
	} {
		parts, events := 0, []string{event}
		a := answer{grown: func() { parts++ }}
		err := a.receive(func() ([]byte, error) {
			if len(events) == 0 {
				return nil, io.EOF
			}
			next := events[0]
			events = events[1:]
			return []byte(next), nil
		}, &tap{})
		if err != nil || parts == 1 != part {
			t.Errorf("%s: %d parts, %v", event, parts, err)
		}
	}
}

func TestUnreachable(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	free := l.Addr().String()
	l.Close()
	plain := llmtest.New(llmtest.Script{})
	defer plain.Close()
	for _, c := range []struct{ name, url, provider, says string }{
		{"nobody listens", "http://" + free + "/v1", "", "Check the network and the base URL"},
		{"local server not started", "http://" + free + "/v1", "ollama", "`ollama serve` starts it"},
		{"TLS to a plain server", strings.Replace(plain.URL, "http:", "https:", 1), "", "write the base URL with http://"},
	} {
		t.Run(c.name, func(t *testing.T) {
			conf := Config{BaseURL: c.url, Provider: c.provider, Key: theKey, Model: "scripted"}
			_, err := build(t, conf).Complete(t.Context(), ask("Go on."))
			_, checked := Check(t.Context(), conf)
			for _, err := range []error{err, checked} {
				if kindOf(err) != llm.Unreachable || !strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), theKey) {
					t.Errorf("got %v, want %q", err, c.says)
				}
			}
		})
	}
}

func TestBaseURLWithoutVersion(t *testing.T) {
	srv := llmtest.New(llmtest.Script{})
	defer srv.Close()
	base := strings.TrimSuffix(srv.URL, "/v1")
	_, err := build(t, Config{BaseURL: base}).Complete(t.Context(), ask("Go on."))
	if kindOf(err) != llm.BadRequest || !strings.Contains(err.Error(), "set it to "+base+"/v1") {
		t.Errorf("got %v", err)
	}
}

// What a server refused once is not sent again, even by concurrent requests.
func TestConcurrentUse(t *testing.T) {
	srv := llmtest.Start(t, llmtest.Script{Rules: []llmtest.Rule{
		{When: []string{"[tool]"}, Times: llmtest.Always, Reply: llmtest.Reply{Status: 400, Body: `{"error":"x does not support tools"}`}},
		{Times: llmtest.Always, Reply: llmtest.Reply{Calls: []llmtest.Call{{Name: "ABORT"}}}},
	}})
	m := build(t, Config{BaseURL: srv.URL})
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			req := ask("Go on.")
			req.Tools = theTools
			resp, err := m.Complete(t.Context(), req)
			if err != nil || len(resp.ToolCalls) != 1 {
				t.Errorf("got %v, %v", resp, err)
			}
		})
	}
	wg.Wait()
	before := len(srv.Requests())
	req := ask("Go on.")
	req.Tools = theTools
	if _, err := m.Complete(t.Context(), req); err != nil || len(srv.Requests()) != before+1 {
		t.Errorf("%d requests for one more answer, %v", len(srv.Requests())-before, err)
	}
}

func TestAzure(t *testing.T) {
	srv := llmtest.Start(t, llmtest.Script{Rules: []llmtest.Rule{{Times: llmtest.Always, Reply: llmtest.Reply{Text: "Hello."}}}})
	host := strings.TrimSuffix(srv.URL, "/v1")
	for base, path := range map[string]string{
		host:                           "/openai/deployments/gpt-3.5/chat/completions?api-version=" + azureVersion,
		host + "/openai":               "/openai/deployments/gpt-3.5/chat/completions?api-version=" + azureVersion,
		host + "/openai/deployments/x": "/openai/deployments/gpt-3.5/chat/completions?api-version=" + azureVersion,
		srv.URL:                        "/v1/chat/completions",
	} {
		conf := Config{Provider: "azure", BaseURL: base, Key: theKey, Model: "gpt-3.5"}
		if _, err := build(t, conf).Complete(t.Context(), ask("Go on.")); err != nil {
			t.Fatalf("%s: %v", base, err)
		}
		all := srv.Requests()
		r := all[len(all)-1]
		if r.Path != path {
			t.Errorf("%s: asked at %s, want %s", base, r.Path, path)
		}
		key := r.Header.Get("Api-Key") + r.Header.Get("Authorization")
		if want := map[bool]string{true: "Bearer " + theKey, false: theKey}[base == srv.URL]; key != want {
			t.Errorf("%s: the key went as %q", base, key)
		}
		if _, err := Check(t.Context(), conf); err != nil {
			t.Errorf("%s: %v", base, err)
		}
	}
}

// A redirect would take the key along, Azure's header even to another host.
func TestRedirectIsNotFollowed(t *testing.T) {
	elsewhere := llmtest.New(llmtest.Script{Rules: []llmtest.Rule{{Times: llmtest.Always, Reply: llmtest.Reply{Text: "Thanks."}}}})
	defer elsewhere.Close()
	for _, status := range []int{301, 302, 307, 308} {
		srv := llmtest.Start(t, llmtest.Script{Rules: []llmtest.Rule{{Reply: llmtest.Reply{Status: status,
			Header: http.Header{"Location": {elsewhere.URL + "/chat/completions"}}}}}})
		_, err := build(t, Config{BaseURL: srv.URL, Key: theKey}).Complete(t.Context(), ask("Go on."))
		if kindOf(err) != llm.BadRequest || !strings.Contains(err.Error(), elsewhere.URL) {
			t.Errorf("%d: got %v", status, err)
		}
	}
	if n := len(elsewhere.Requests()); n != 0 {
		t.Errorf("the redirect was followed %d times", n)
	}
}
