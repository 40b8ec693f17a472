package openai

import (
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"caselsp/agent/llm"
	"caselsp/agent/llm/llmtest"
)

// What can be known to be wrong is said before anything is sent.
func TestSettings(t *testing.T) {
	for _, c := range []struct {
		name string
		conf Config
		kind llm.Kind // "": none
		says string
	}{
		{"nothing set", Config{Model: "x"}, llm.NoKey, "OPENAI_API_KEY"},
		{"gemini", Config{Provider: "gemini", Model: "x"}, llm.NoKey, "GEMINI_API_KEY"},
		{"by host", Config{BaseURL: "https://openrouter.ai/api/v1", Model: "x"}, llm.NoKey, "OPENROUTER_API_KEY"},
		{"azure", Config{Provider: "azure", BaseURL: "https://me.openai.azure.com", Model: "x"}, llm.NoKey, "AZURE_OPENAI_API_KEY"},
		{"azure by host", Config{BaseURL: "https://me.openai.azure.com", Model: "x"}, llm.NoKey, "AZURE_OPENAI_API_KEY"},
		{"azure without address", Config{Provider: "azure", Key: theKey}, llm.BadRequest, "https://NAME.openai.azure.com"},
		{"blank key", Config{Key: " \n"}, llm.NoKey, "OPENAI_API_KEY"},
		{"two keys pasted", Config{Key: "sk-1 " + theKey}, llm.BadKey, "Copy it anew"},
		{"own server under a service's name", Config{Provider: "openai", BaseURL: "http://localhost:9/v1"}, "", ""},
		{"local", Config{Provider: "ollama"}, "", ""},
		{"any server", Config{BaseURL: "http://192.0.2.1:8000/v1/"}, "", ""},
		{"unknown provider", Config{Provider: "claude"}, llm.BadRequest, "azure, custom, gemini"},
		{"custom without address", Config{Provider: "custom"}, llm.BadRequest, "no base URL"},
		{"no scheme", Config{BaseURL: "localhost:11434/v1"}, llm.BadRequest, "http://localhost:11434/v1"},
		{"key in the address", Config{BaseURL: "http://localhost/v1?key=" + theKey}, llm.BadRequest, "set the key as the key"},
		{"tools", Config{Provider: "ollama", Tools: "yes"}, llm.BadRequest, "auto, native or json"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := New(c.conf)
			if kindOf(err) != c.kind || err != nil && !strings.Contains(err.Error(), c.says) {
				t.Errorf("got %v, want %q and %q", err, c.kind, c.says)
			}
			if err != nil && strings.Contains(err.Error(), theKey) {
				t.Errorf("the error shows the key: %v", err)
			}
		})
	}
}

func TestBaseURLForms(t *testing.T) {
	for given, want := range map[string]string{
		"http://h:1/v1":                         "http://h:1/v1",
		" http://h:1/v1/ ":                      "http://h:1/v1",
		"http://h:1/v1/chat/completions":        "http://h:1/v1",
		"https://me.openai.azure.com/openai/":   "https://me.openai.azure.com",
		"https://me.openai.azure.com/openai/v1": "https://me.openai.azure.com/openai/v1",
	} {
		c, _, err := locate(Config{BaseURL: given})
		if err != nil || c.BaseURL != want {
			t.Errorf("%q became %q, %v; want %q", given, c.BaseURL, err, want)
		}
	}
}

func TestPresetsAreWhole(t *testing.T) {
	for _, p := range Presets() {
		if p.Name == "" || p.Title == "" || p.KeyVar == "" {
			t.Errorf("incomplete: %+v", p)
		}
		if _, err := New(Config{Provider: p.Name, BaseURL: p.BaseURL, Key: theKey}); err != nil && p.BaseURL != "" {
			t.Errorf("%s: %v", p.Name, err)
		}
	}
}

func TestPrices(t *testing.T) {
	u := llm.Usage{Prompt: 1e6, Completion: 1e6}
	for _, c := range []struct {
		provider, model string
		prices          map[string]Price
		want            float64
	}{
		{"openai", "gpt-4.1", nil, 10},
		{"openai", "gpt-4.1-2025-04-14", nil, 10},
		{"openai", "gpt-4.1-pro", nil, 0},
		{"ollama", "gpt-4.1", nil, 0},
		{"ollama", "mine", map[string]Price{"mine": {Prompt: 0.1, Completion: 0.2}}, 0.3},
		{"openai", "gpt-4.1", map[string]Price{"gpt-4.1": {Prompt: 1}}, 1},
	} {
		m := build(t, Config{Provider: c.provider, Key: theKey, Model: c.model, Prices: c.prices}).(*model)
		p, _ := m.Price()
		if got := p.Cost(u); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%s %s costs %v, want %v", c.provider, c.model, got, c.want)
		}
	}
}

func TestBackoffGrowsAndIsBounded(t *testing.T) {
	m := build(t, Config{Provider: "ollama", Jitter: func() float64 { return 0.999 }}).(*model)
	last := time.Duration(0)
	for try := 1; try < maxTries; try++ {
		low, full := firstPause<<(try-1)/2, firstPause<<(try-1)
		got := m.pause(try, 0)
		if got < low || got > full || got <= last {
			t.Errorf("try %d: a pause of %v, want one of %v to %v", try, got, low, full)
		}
		last = got
	}
	for after, want := range map[time.Duration]bool{time.Minute: true, longestRetryAfter: true, time.Hour: false} {
		if got := m.pause(1, after); got != after || again(&llm.Error{Kind: llm.RateLimited, After: after}) != want {
			t.Errorf("a server that wants %v has a pause of %v; tried again: %v", after, got, !want)
		}
	}
}

func TestCheck(t *testing.T) {
	answer := func(status int, body string) string {
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(status)
			fmt.Fprint(w, body)
		}))
		t.Cleanup(srv.Close)
		return srv.URL + "/v1"
	}
	list := llmtest.Start(t, llmtest.Script{Models: []string{"llama3:latest", "qwen2.5-coder:7b", "qwen2.5:7b"}})
	for _, c := range []struct {
		name string
		url  string
		conf Config
		kind llm.Kind
		says string
	}{
		{"there", list.URL, Config{Model: "qwen2.5:7b"}, "", ""},
		{"the default tag", list.URL, Config{Model: "llama3"}, "", ""},
		{"not there", list.URL, Config{Model: "qwen2.5-coder"}, llm.BadRequest, "one that it has: qwen2.5-coder:7b, qwen2.5:7b, llama3:latest"},
		{"not set", list.URL, Config{}, llm.BadRequest, "llama3:latest"},
		{"any model", list.URL, Config{Provider: "llamacpp", Model: "x"}, "", ""},
		{"no version", strings.TrimSuffix(list.URL, "/v1"), Config{Model: "llama3"}, llm.BadRequest, "/v1"},
		{"bad key", answer(401, `{"error":{"message":"`+theKey+`?"}}`), Config{Model: "x"}, llm.BadKey, "model.key_env"},
		{"no list", answer(404, ""), Config{Model: "x"}, "", ""},
		{"a web page", answer(200, "<title>Hi</title>"), Config{Model: "x"}, llm.Unreadable, "Hi"},
		{"an error inside", answer(200, `{"error":"Unexpected endpoint"}`), Config{Model: "x"}, llm.Unreadable, "Unexpected endpoint"},
		{"free fields", answer(200, `{"data":[{"id":"models/x","created":"today","permission":{}}]}`), Config{Model: "x"}, "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.conf.BaseURL, c.conf.Key = c.url, theKey
			_, err := Check(t.Context(), c.conf)
			if (err == nil) != (c.kind == "") || kindOf(err) != c.kind {
				t.Fatalf("got %v, want kind %q", err, c.kind)
			}
			if err != nil && (!strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), theKey)) {
				t.Errorf("got %v, want %q", err, c.says)
			}
		})
	}
	if _, err := Check(t.Context(), Config{Model: "x"}); kindOf(err) != llm.NoKey {
		t.Errorf("without a key: %v", err)
	}
}
