package openai

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"caselsp/agent/llm"
	"caselsp/agent/llm/llmtest"
)

// vectorsOf is the body of an answer with these vectors, each as JSON.
func vectorsOf(vectors ...string) string {
	var data []string
	for i, v := range vectors {
		data = append(data, fmt.Sprintf(`{"index": %d, "embedding": %s}`, i, v))
	}
	return `{"data": [` + strings.Join(data, ",") + `], "usage": {"prompt_tokens": 7}}`
}

// TestEmbed holds the embedder to its answer, to what it says of failures, and to how often it tries.
func TestEmbed(t *testing.T) {
	const two = `[3, 4]`
	rule := func(r llmtest.Reply) llmtest.Rule { return llmtest.Rule{Role: llmtest.Embeddings, Reply: r} }
	body := func(text string) llmtest.Rule { return rule(llmtest.Reply{Body: text}) }
	ok := body(vectorsOf(two, `[0, -1]`))
	for _, c := range []struct {
		name       string
		rules      []llmtest.Rule
		dimensions int
		pauses     string
		kind       llm.Kind // "": it answers
		says       string
	}{
		{name: "whole", rules: []llmtest.Rule{ok}},
		{name: "in another order", rules: []llmtest.Rule{body(`{"data": [{"index": 1, "embedding": [0, -1]}, {"index": 0, "embedding": [3, 4]}]}`)}},
		{name: "busy, then whole", rules: []llmtest.Rule{rule(llmtest.Reply{Status: 429, Header: map[string][]string{"Retry-After": {"2"}}}), ok}, pauses: "2s"},
		{name: "fails, then whole", rules: []llmtest.Rule{rule(llmtest.Reply{Status: 500}), ok}, pauses: "500ms"},
		{name: "cut, then whole", rules: []llmtest.Rule{rule(llmtest.Reply{Body: vectorsOf(two, two), Cut: 30}), ok}, pauses: "500ms"},
		{name: "always fails", rules: []llmtest.Rule{rule(llmtest.Reply{Status: 500}), rule(llmtest.Reply{Status: 503}), rule(llmtest.Reply{Status: 500})},
			pauses: "500ms 1s", kind: llm.ServerError, says: "HTTP 500"},
		{name: "always cut", rules: slices.Repeat([]llmtest.Rule{rule(llmtest.Reply{Body: vectorsOf(two, two), Cut: 30})}, 3), pauses: "500ms 1s", kind: llm.Unreadable, says: "not what the protocol says"},
		{name: "malformed", rules: slices.Repeat([]llmtest.Rule{body(`{"data": [}`)}, 3), pauses: "500ms 1s", kind: llm.Unreadable, says: "not what the protocol says"},
		{name: "no number", rules: slices.Repeat([]llmtest.Rule{body(vectorsOf(`[NaN, 1]`, two))}, 3), pauses: "500ms 1s", kind: llm.Unreadable, says: "not what the protocol says"},
		{name: "null for a number", rules: []llmtest.Rule{body(vectorsOf(`[null, 1]`, two))}, kind: llm.Unreadable, says: "a number missing"},
		{name: "too large a number", rules: []llmtest.Rule{body(vectorsOf(`[1e39, 1]`, two))}, kind: llm.Unreadable, says: "without a length"},
		{name: "zeros", rules: []llmtest.Rule{body(vectorsOf(`[0, 0]`, two))}, kind: llm.Unreadable, says: "without a length"},
		{name: "an empty vector", rules: []llmtest.Rule{body(vectorsOf(`[]`, two))}, kind: llm.Unreadable, says: "a vector of 0 numbers"},
		{name: "fewer than asked", rules: []llmtest.Rule{body(vectorsOf(two))}, kind: llm.Unreadable, says: "1 vectors for 2 texts"},
		{name: "more than asked", rules: []llmtest.Rule{body(vectorsOf(two, two, two))}, kind: llm.Unreadable, says: "3 vectors for 2 texts"},
		{name: "the same index twice", rules: []llmtest.Rule{body(strings.ReplaceAll(vectorsOf(two, two), `"index": 1`, `"index": 0`))}, kind: llm.Unreadable, says: "cannot be matched"},
		{name: "an index out of range", rules: []llmtest.Rule{body(strings.ReplaceAll(vectorsOf(two, two), `"index": 1`, `"index": 9`))}, kind: llm.Unreadable, says: "cannot be matched"},
		{name: "two lengths", rules: []llmtest.Rule{body(vectorsOf(two, `[1, 2, 3]`))}, kind: llm.Unreadable, says: "3 numbers, not of 2"},
		{name: "another length than asked for", rules: []llmtest.Rule{body(vectorsOf(two, two))}, dimensions: 3, kind: llm.Unreadable, says: "leave memory.dimensions unset"},
		{name: "an error with status 200", rules: []llmtest.Rule{body(`{"error": {"message": "no model bge", "code": 404}}`)}, kind: llm.BadRequest, says: "no model bge"},
		{name: "a page", rules: slices.Repeat([]llmtest.Rule{body(`<html>`)}, 3), pauses: "500ms 1s", kind: llm.Unreadable, says: "does not serve embeddings"},
		{name: "no embeddings here", rules: []llmtest.Rule{rule(llmtest.Reply{Status: 404, Body: "404 page not found"})}, kind: llm.BadRequest, says: "does not serve embeddings"},
		{name: "a wrong key", rules: []llmtest.Rule{rule(llmtest.Reply{Status: 401, Body: `{"error": {"message": "bad key ` + theKey + `"}}`})}, kind: llm.BadKey, says: "memory.key_env"},
		{name: "a redirect", rules: []llmtest.Rule{rule(llmtest.Reply{Status: 302, Header: map[string][]string{"Location": {"http://127.0.0.1:1/"}}})}, kind: llm.BadRequest, says: "redirects"},
	} {
		t.Run(c.name, func(t *testing.T) {
			srv := llmtest.Start(t, llmtest.Script{Rules: c.rules})
			var pauses []string
			e, err := NewEmbedder(Config{BaseURL: srv.URL, Key: theKey, Model: "small", Section: "memory", Jitter: func() float64 { return 0 },
				Sleep: func(_ context.Context, d time.Duration) error {
					pauses = append(pauses, d.String())
					return nil
				}}, c.dimensions)
			if err != nil {
				t.Fatal(err)
			}
			got, err := e.Embed(t.Context(), []string{"one", "two"})
			if p := strings.Join(pauses, " "); p != c.pauses {
				t.Errorf("it waited %q, want %q", p, c.pauses)
			}
			if left := srv.Unused(); left != nil {
				t.Errorf("not asked: %q", left)
			}
			if c.kind == "" {
				if want := [][]float32{{3, 4}, {0, -1}}; err != nil || !slices.EqualFunc(got, want, slices.Equal) {
					t.Errorf("got %v, %v, want %v", got, err, want)
				}
				return
			}
			var failed *llm.Error
			if !errors.As(err, &failed) || failed.Kind != c.kind || !strings.Contains(failed.Error(), c.says) || strings.Contains(failed.Error(), theKey) {
				t.Errorf("got %v, %v, want a %s with %q", got, err, c.kind, c.says)
			}
		})
	}
}

// TestEmbedUnreachable says where the server was looked for.
func TestEmbedUnreachable(t *testing.T) {
	e, err := NewEmbedder(Config{BaseURL: "http://127.0.0.1:1/v1/embeddings", Model: "small", Sleep: func(context.Context, time.Duration) error { return nil }}, 0)
	if err != nil {
		t.Fatal(err)
	}
	var failed *llm.Error
	if _, err := e.Embed(t.Context(), []string{"x"}); !errors.As(err, &failed) || failed.Kind != llm.Unreachable || !strings.Contains(failed.Error(), "http://127.0.0.1:1/v1") {
		t.Errorf("got %v", err)
	}
	if _, err := NewEmbedder(Config{BaseURL: "http://127.0.0.1:1/v1"}, 0); err == nil || !strings.Contains(err.Error(), "memory.model") {
		t.Errorf("without a model: %v", err)
	}
}

// inputs are the texts of each request that the server was sent.
func inputs(t *testing.T, srv *llmtest.Server) (all [][]string) {
	for _, r := range srv.Requests() {
		var in struct{ Input []string }
		if err := json.Unmarshal(r.Body, &in); err != nil {
			t.Fatal(err)
		}
		all = append(all, in.Input)
	}
	return all
}

// TestEmbedBatches keeps requests within what servers accept, in order and without loss.
func TestEmbedBatches(t *testing.T) {
	srv := llmtest.Start(t, llmtest.Script{})
	e, err := NewEmbedder(Config{BaseURL: srv.URL, Model: "small"}, 8)
	if err != nil {
		t.Fatal(err)
	}
	var texts []string
	for i := range 150 {
		texts = append(texts, fmt.Sprintf("text %c%c", 'a'+i/26, 'a'+i%26))
	}
	for range 40 {
		texts = append(texts, strings.Repeat("ä", maxInput))
	}
	texts = append(texts, "")
	var meter llm.Meter
	vectors, err := e.Embed(llm.Metered(t.Context(), &meter), texts)
	if err != nil || len(vectors) != len(texts) {
		t.Fatalf("%d vectors, %v", len(vectors), err)
	}
	n, sent := 0, 0
	for _, r := range inputs(t, srv) {
		size := 0
		for _, text := range r {
			if want := cut(texts[n:n+1], maxInput)[0]; text != want || text == "" {
				t.Fatalf("text %d was sent as %.20q", n, text)
			}
			size += len(text)
			sent += (len(text) + 3) / 4
			n++
		}
		if len(r) > maxInputs || size > maxInputBytes {
			t.Errorf("a request has %d texts of %d bytes", len(r), size)
		}
	}
	if u := meter.Usage(); u.Prompt != sent || u.Estimated {
		t.Errorf("it cost %+v, the server counted %d tokens", u, sent)
	}
}

// TestEmbedWindow sends less to a model of a small window, and remembers it.
func TestEmbedWindow(t *testing.T) {
	refuse := llmtest.Rule{Role: llmtest.Embeddings, Times: 2, Reply: llmtest.Reply{Status: 400, Body: `{"error": {"message": "maximum context length is 512 tokens"}}`}}
	srv := llmtest.Start(t, llmtest.Script{Rules: []llmtest.Rule{refuse}})
	e, err := NewEmbedder(Config{BaseURL: srv.URL, Model: "small"}, 8)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if _, err := e.Embed(t.Context(), []string{strings.Repeat("x", 2*maxInput)}); err != nil {
			t.Fatal(err)
		}
	}
	var sizes []int
	for _, r := range inputs(t, srv) {
		sizes = append(sizes, len(r[0]))
	}
	if want := []int{maxInput, maxInput / 2, maxInput / 4, maxInput / 4}; !slices.Equal(sizes, want) {
		t.Errorf("sent %d bytes, want %d", sizes, want)
	}
}

// TestEmbedPrice counts cost by the price, and estimates tokens where the server counts none.
func TestEmbedPrice(t *testing.T) {
	srv := llmtest.Start(t, llmtest.Script{Rules: []llmtest.Rule{{Role: llmtest.Embeddings, Reply: llmtest.Reply{Body: `{"data": [{"embedding": [1]}]}`}}}})
	e, err := NewEmbedder(Config{BaseURL: srv.URL, Model: "small", Prices: map[string]Price{"small": {Prompt: 1e6}}}, 0)
	if err != nil {
		t.Fatal(err)
	}
	var meter llm.Meter
	if _, err := e.Embed(llm.Metered(t.Context(), &meter), []string{"12345678"}); err != nil {
		t.Fatal(err)
	}
	if want := (llm.Usage{Prompt: 2, Cost: 2, Estimated: true}); meter.Usage() != want {
		t.Errorf("got %+v, want %+v", meter.Usage(), want)
	}
}
