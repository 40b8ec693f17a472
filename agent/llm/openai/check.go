package openai

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sort"
	"strings"
	"time"

	"caselsp/agent/llm"
)

// checkTimeout is short: a server that lists its models slower than this does
// not work as one.
const checkTimeout = 15 * time.Second

// maxNamed bounds how many models an error names.
const maxNamed = 8

// Check asks the server for its models, which costs nothing, and returns what
// it says of the one in c when it answers, takes the key and has the model. Its
// errors (*llm.Error, or ctx's) say which of these fails and what to do. Where a
// server keeps no list, or one that does not name what can be asked for (Azure,
// llama.cpp), the model is not checked; OpenRouter gives its list to any key.
func Check(ctx context.Context, c Config) (Facts, error) {
	made, err := New(c)
	if err != nil {
		return Facts{}, err
	}
	m := made.(*model)
	outer := ctx
	ctx, stop := context.WithTimeoutCause(ctx, min(checkTimeout, m.config.Timeout), errSilent)
	defer stop()
	t := &tap{}
	_, err = m.client.ListModels(context.WithValue(ctx, tapKey{}, t))
	switch {
	case outer.Err() != nil:
		return Facts{}, outer.Err()
	case t.status == 0:
		return Facts{}, m.unreached(ctx, err)
	case (t.status == 404 || t.status == 405 || t.status == 501) && versionedPath(m.config.BaseURL):
		return Facts{}, nil // reachable, without a list
	case t.status >= 300:
		return Facts{}, m.refused(readRefusal(t.status, t.stray), t)
	}
	// go-openai's own reading is not used: it fails on fields that servers fill freely.
	list, err := modelList(t.stray)
	if err != nil {
		return Facts{}, m.fail(llm.Unreadable, t.status, "the list of models is not what the protocol says: "+err.Error(), m.addressAdvice(), nil)
	}
	var names []string
	var entry fields
	for _, e := range list {
		// Gemini lists models/NAME and is asked for NAME.
		names = append(names, strings.TrimPrefix(e.text("id"), "models/"))
		if has(names[len(names)-1:], m.config.Model) || m.preset.anyModel && len(list) == 1 {
			entry = e
		}
	}
	if m.config.Model == "" {
		return Facts{}, m.fail(llm.BadRequest, 0, "no model is set", "Set it to one that the server has: "+some(names, ""), nil)
	}
	if m.preset.anyModel || has(names, m.config.Model) {
		f := factsOf(entry)
		m.ask(ctx, entry, &f)
		return f, nil
	}
	return Facts{}, m.fail(llm.BadRequest, 0, fmt.Sprintf("%s has no model %s", m.serverName(), quote(m.config.Model)),
		"Set it to one that it has: "+some(names, m.config.Model), nil)
}

// serverName names the server in a sentence.
func (m *model) serverName() string {
	if m.preset.Name == custom.Name {
		return "the server"
	}
	return m.preset.Title
}

func modelList(body []byte) ([]fields, error) {
	var list struct {
		Models []fields        `json:"data"`
		Error  json.RawMessage `json:"error"`
	}
	if err := json.Unmarshal(body, &list); err != nil || list.Error != nil || list.Models == nil {
		return nil, errors.New(quote(readRefusal(0, body).message))
	}
	return list.Models, nil
}

func has(names []string, model string) bool {
	model = strings.TrimPrefix(model, "models/")
	for _, n := range names {
		if n == model || n == model+":latest" { // Ollama's default tag
			return true
		}
	}
	return false
}

// some lists the names that are likeliest meant: those that share the longest
// beginning with model go first.
func some(names []string, model string) string {
	if len(names) == 0 {
		return "none (the server's list is empty: load or fetch a model first)"
	}
	names = append([]string(nil), names...)
	shared := func(n string) (k int) {
		for k < len(n) && k < len(model) && n[k] == model[k] {
			k++
		}
		return k
	}
	sort.Slice(names, func(i, j int) bool {
		if a, b := shared(names[i]), shared(names[j]); a != b {
			return a > b
		}
		return names[i] < names[j]
	})
	if n := len(names); n > maxNamed {
		return strings.Join(names[:maxNamed], ", ") + fmt.Sprintf(" and %d more", n-maxNamed)
	}
	return strings.Join(names, ", ")
}
