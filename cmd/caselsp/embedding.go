package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"caselsp/agent/llm"
	"caselsp/agent/llm/openai"
	"caselsp/agent/settings"
	"caselsp/store"
)

// asModel is the embeddings server in the words of a model's settings: its key is looked for in the same places. Where
// only a model is named, it is one of the server of the other models.
func asModel(s settings.Settings) settings.Model {
	m := settings.Model{Provider: s.Memory.Provider, BaseURL: s.Memory.BaseURL, Name: s.Memory.Model, KeyEnv: s.Memory.KeyEnv, Timeout: s.Memory.Timeout, Prices: s.Model.Prices}
	if m.Provider == "" && m.BaseURL == "" {
		m.Provider, m.BaseURL, m.KeyEnv = s.Model.Provider, s.Model.BaseURL, cmp.Or(m.KeyEnv, s.Model.KeyEnv)
	}
	return m
}

// endpointOf is the embeddings server that the settings name; nil where they name none. conceal has a key redacted
// that is found in the keyring.
func endpointOf(s settings.Settings, keys map[string]string, conceal func(...string)) (*store.Endpoint, error) {
	if s.Memory.Model == "" {
		return nil, nil
	}
	c := (&models{keys: keys, conceal: conceal}).config(asModel(s))
	c.Section = "memory"
	e, err := openai.NewEmbedder(c, s.Memory.Dimensions)
	if err != nil {
		return nil, err
	}
	price, _ := e.Price()
	return &store.Endpoint{Embedder: e, TokenPrice: price.Cost(llm.Usage{Prompt: 1}), Metered: func(ctx context.Context) (context.Context, func() store.Cost) {
		var meter llm.Meter
		return llm.Metered(ctx, &meter), func() store.Cost {
			u := meter.Usage()
			return store.Cost{Tokens: u.Prompt, Dollars: u.Cost}
		}
	}}, nil
}

// endpoint is the embeddings server of the workspace. One that cannot be asked is a problem of the settings: memory works
// without it.
func (e *engine) endpoint(conceal func(...string)) *store.Endpoint {
	found, err := endpointOf(e.settings, e.keys, conceal)
	if err != nil {
		e.problems = append(e.problems, settings.Problem{Setting: "memory.model", Layer: "the settings", Text: err.Error(), Ignored: true})
	}
	return found
}

// memory is what is remembered, without a workspace. It asks the embeddings server that the user's own settings name.
func (w *wiring) memory() (*store.Memory, error) {
	s := settings.Judge{}.Merge(w.ownLayers()...).Settings
	var keys map[string]string
	if dir, err := settings.Folder(); err == nil {
		keys, _ = settings.LoadEnv(dir) // what is wrong with it, the doctor says
	}
	secrets := concealed(keys)
	endpoint, err := endpointOf(s, keys, func(more ...string) { secrets = append(secrets, more...) })
	if err != nil {
		fmt.Fprintln(os.Stderr, clean("memory is searched by words: "+err.Error()))
	}
	return store.UserMemory(store.Options{StateDir: w.stateDir, Secrets: secrets, Endpoint: endpoint})
}

// examineMemory writes the line of the memory, and reports whether its embeddings server answers, if one is set.
func (e *engine) examineMemory(ctx context.Context, out io.Writer) bool {
	broken, err := e.store.Memory().Unreadable(ctx)
	if says := store.AdviseUnreadable(broken); err == nil && says != "" {
		err = errors.New(says)
	}
	if err != nil {
		fmt.Fprintf(out, "WRONG %-10s %s\n", "memory", clean(err.Error()))
		return false
	}
	if e.settings.Memory.Model == "" {
		fmt.Fprintf(out, "ok    %-10s %s\n", "memory", "searched by words; memory.model adds a search by embeddings")
		return true
	}
	ctx, cancel := context.WithTimeout(ctx, checkTime)
	defer cancel()
	began := time.Now()
	found, err := endpointOf(e.settings, e.keys, e.store.Conceal)
	var vectors [][]float32
	if err == nil {
		vectors, err = found.Embed(ctx, []string{"caselsp"})
	}
	if err != nil {
		fmt.Fprintf(out, "WRONG %-10s %s\n", "memory", clean("searched by words, because the embeddings server does not answer: "+err.Error()))
		return false
	}
	now, err := e.store.Memory().Embedded(ctx)
	if err != nil {
		fmt.Fprintf(out, "WRONG %-10s %s\n", "memory", clean(err.Error()))
		return false
	}
	fmt.Fprintf(out, "ok    %-10s %s: vectors of %d numbers in %d ms; %d of %d records have theirs\n", "memory", clean(found.Name()), len(vectors[0]), time.Since(began).Milliseconds(), now.Done, now.Total)
	return true
}
