package openai

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"caselsp/agent/llm"
	"caselsp/agent/llm/llmtest"
)

// asked are the answers' limits of the requests, in order; 0: none.
func asked(srv *llmtest.Server) string {
	var list []string
	for _, r := range srv.Requests() {
		_, rest, found := strings.Cut(string(r.Body), `"max_tokens":`)
		n := 0
		if found {
			fmt.Sscan(strings.NewReplacer(",", " ", "}", " ").Replace(rest), &n)
		}
		list = append(list, fmt.Sprint(n))
	}
	return strings.Join(list, " ")
}

// TestAnswerLimit checks that the least of the limits is asked for, and that one which the
// server refuses is lowered and remembered.
func TestAnswerLimit(t *testing.T) {
	const large = `{"error": {"message": "max_tokens is too large: %d. This model supports at most 16384 completion tokens, whereas you provided %d."}}`
	for _, c := range []struct {
		name              string
		settings, request int
		refusal           string
		want              string
	}{
		{"none", 0, 0, "", "0 0"},
		{"the settings'", 500, 0, "", "500 500"},
		{"the request's", 0, 400, "", "400 400"},
		{"the lower one is the request's", 500, 400, "", "400 400"},
		{"the lower one is the settings'", 300, 400, "", "300 300"},
		{"the server names its own", 0, 90000, fmt.Sprintf(large, 90000, 90000), "90000 16384 16384"},
		{"the server does not name its own", 0, 90000, `{"error": {"message": "max_tokens is too large"}}`, "90000 45000 45000"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var rules []llmtest.Rule
			if c.refusal != "" {
				rules = append(rules, llmtest.Rule{Reply: llmtest.Reply{Status: 400, Body: c.refusal}})
			}
			rules = append(rules, llmtest.Rule{Times: llmtest.Always, Reply: llmtest.Reply{Text: "yes"}})
			srv := llmtest.Start(t, llmtest.Script{Rules: rules})
			m := build(t, Config{BaseURL: srv.URL, MaxTokens: c.settings})
			for range 2 {
				req := ask("Go on.")
				req.MaxTokens = c.request
				if _, err := m.Complete(t.Context(), req); err != nil {
					t.Fatal(err)
				}
			}
			if got := asked(srv); got != c.want {
				t.Errorf("asked for %s, want %s", got, c.want)
			}
		})
	}
}

// TestFailedTriesCost checks that what tries cost that gave no answer is known before the
// next one, which can then be left out.
func TestFailedTriesCost(t *testing.T) {
	full := llmtest.Reply{Text: strings.Repeat("word ", 100), Usage: &llmtest.Usage{Prompt: 70, Completion: 30}}
	broken := full
	broken.Cut = 900
	errEnough := errors.New("enough")
	for _, c := range []struct {
		name   string
		stop   int // the retry that is refused; 0: none
		failed llm.Usage
		asked  int
	}{
		{"two tries are cut", 0, llm.Usage{Estimated: true}, 3},
		{"the second retry is too dear", 2, llm.Usage{}, 2},
	} {
		srv := llmtest.Start(t, llmtest.Script{Rules: []llmtest.Rule{{Times: 2, Reply: broken}, {Times: llmtest.Always, Reply: full}}})
		m := build(t, Config{BaseURL: srv.URL})
		req := ask("Go on.")
		var told []llm.Usage
		req.Retry = func(spent llm.Usage) error {
			told = append(told, spent)
			if len(told) == c.stop {
				return errEnough
			}
			return nil
		}
		resp, err := m.Complete(t.Context(), req)
		if n := len(srv.Requests()); n != c.asked {
			t.Errorf("%s: %d requests, want %d", c.name, n, c.asked)
		}
		if len(told) != 2 || told[0].Prompt == 0 || told[0].Completion == 0 || told[1].Prompt != 2*told[0].Prompt {
			t.Errorf("%s: told of %+v", c.name, told)
		}
		switch {
		case c.stop > 0 && !errors.Is(err, errEnough):
			t.Errorf("%s: the error is %v", c.name, err)
		case c.stop == 0 && (err != nil || resp.Failed != told[1] || resp.Usage.Prompt != 70):
			t.Errorf("%s: %+v, %v", c.name, resp, err)
		}
	}
}

// TestRunaway ends an answer that goes on beyond the limit that was asked for, whatever its tokens are.
func TestRunaway(t *testing.T) {
	for _, c := range []struct {
		name  string
		text  string
		limit int
		cut   bool
	}{
		{"words", strings.Repeat("word ", 20_000), 100, true},
		{"one word", strings.Repeat("x", 100_000), 100, true},
		{"long tokens within the limit", strings.Repeat(" ", 5_000), 100, false},
		{"no limit", strings.Repeat("word ", 20_000), 0, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			srv := llmtest.Start(t, llmtest.Script{Rules: []llmtest.Rule{{Reply: llmtest.Reply{Text: c.text + ".", Usage: &llmtest.Usage{Prompt: 70, Completion: 60_000}}}}})
			req := ask("Go on.")
			req.MaxTokens = c.limit
			_, err := build(t, Config{BaseURL: srv.URL}).Complete(t.Context(), req)
			var failed *llm.Error
			switch {
			case !c.cut && err != nil:
				t.Error(err)
			case c.cut && (!errors.As(err, &failed) || !failed.AtLimit):
				t.Errorf("the error is %v", err)
			case c.cut && failed.Usage.Completion >= 60_000:
				t.Errorf("%d tokens were counted", failed.Usage.Completion)
			}
			if n := len(srv.Requests()); n != 1 {
				t.Errorf("%d requests", n)
			}
		})
	}
}
