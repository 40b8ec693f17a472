package openai

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	api "github.com/sashabaranov/go-openai"

	"caselsp/agent/llm"
)

const (
	// maxInputs is how many texts one request has: all known servers accept 64 (Gemini 100,
	// OpenAI 2,048), and what a killed process has to ask for again stays small.
	maxInputs = 64
	// maxInputBytes bounds the texts of one request in all: OpenAI refuses more than 300,000 tokens.
	maxInputBytes = 256 << 10
	// maxInput is how much of one text is sent, in bytes: 8,192 tokens, the usual window, hold it
	// whatever the language. Its beginning says what a text is about.
	maxInput = 8 << 10
	// leastInput is the length to which texts are cut for a model of a small window: 128 tokens,
	// the smallest that models of sentences have.
	leastInput = 384
	// embedTimeout is the longest silence: an embedding takes milliseconds, loading a local
	// model seconds.
	embedTimeout = 30 * time.Second
	// maxDimension bounds a vector; the longest that models give has 8,192 numbers.
	maxDimension = 16_384
)

// Embedder turns texts into vectors at a server's /embeddings. It implements store.Embedder and is
// safe for concurrent use. What it costs is booked on the meter of the context ([llm.Metered]).
type Embedder struct {
	model      *model
	dimensions int // that are asked for; 0: the model's own

	mu     sync.Mutex
	length int // of its vectors; 0: not known yet
	input  int // the longest text that the server takes, as far as known
}

// NewEmbedder returns the embedder that c describes: of c, Tools, Temperature and MaxTokens do not
// count. dimensions is the length of the vectors for models that have a choice; 0 leaves it to
// the model. It sends nothing; its errors are those of [New].
func NewEmbedder(c Config, dimensions int) (*Embedder, error) {
	c.BaseURL = strings.TrimSuffix(strings.TrimRight(c.BaseURL, "/"), "/embeddings")
	if c.Timeout <= 0 {
		c.Timeout = embedTimeout
	}
	c.Tools = ToolsAuto
	made, err := New(c)
	if err != nil {
		return nil, err
	}
	m := made.(*model)
	m.serves = "embeddings"
	if m.config.Model == "" {
		return nil, &llm.Error{Kind: llm.BadRequest, Detail: "no embedding model is set", Advice: "Set memory.model to one that " + m.config.BaseURL + " has"}
	}
	return &Embedder{model: m, dimensions: dimensions, length: dimensions, input: maxInput}, nil
}

// Name names the server, the model and the length that is asked for: vectors of another name are of
// another space.
func (e *Embedder) Name() string {
	name := e.model.config.BaseURL + " " + e.model.config.Model
	if e.dimensions > 0 {
		name += fmt.Sprintf(" %d", e.dimensions)
	}
	return name
}

// Price returns what the model costs, where that is known.
func (e *Embedder) Price() (Price, bool) { return e.model.Price() }

// Embed returns a vector of the same length for each text, none of them of zeros. Errors are
// *llm.Error, or ctx's. An answer that is not one vector for each text, or has another length than
// those before, is an error as a whole.
func (e *Embedder) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	var vectors [][]float32
	for len(texts) > 0 {
		n, bytes := 0, 0
		for n < len(texts) && n < maxInputs && (n == 0 || bytes+min(len(texts[n]), maxInput) <= maxInputBytes) {
			bytes += min(len(texts[n]), maxInput)
			n++
		}
		some, err := e.request(ctx, texts[:n])
		if err != nil {
			return nil, err
		}
		vectors, texts = append(vectors, some...), texts[n:]
	}
	return vectors, nil
}

// request embeds what fits into one request, and tries again where that can help.
func (e *Embedder) request(ctx context.Context, texts []string) ([][]float32, error) {
	m := e.model
	for try := 1; ; try++ {
		vectors, err := e.fitting(ctx, texts)
		if err == nil {
			return vectors, nil
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if try == maxTries || !again(err) {
			return nil, err
		}
		if m.config.Sleep(ctx, m.pause(try, err.After)) != nil && ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
}

// fitting sends texts, and again with less of each where the model's window is smaller. What it
// learns of the window holds for all that is sent later.
func (e *Embedder) fitting(ctx context.Context, texts []string) ([][]float32, *llm.Error) {
	for {
		e.mu.Lock()
		most := e.input
		e.mu.Unlock()
		vectors, err := e.send(ctx, cut(texts, most))
		if err == nil || most <= leastInput || !overlong(err) {
			return vectors, err
		}
		e.mu.Lock()
		e.input = max(min(e.input, most/2), leastInput)
		e.mu.Unlock()
	}
}

// overlong reports whether a server refused texts for their length. llama.cpp's server says so with status 500.
func overlong(err *llm.Error) bool {
	return err.Status >= 400 && (contextWords.MatchString(err.Detail) || strings.Contains(err.Detail, "too large to process"))
}

// cut returns the beginnings of texts. An empty text, which servers refuse, becomes a space.
func cut(texts []string, most int) []string {
	list := make([]string, len(texts))
	for i, t := range texts {
		end := min(len(t), most)
		for end < len(t) && !utf8.RuneStart(t[end]) {
			end--
		}
		if list[i] = t[:end]; list[i] == "" {
			list[i] = " "
		}
	}
	return list
}

// send is one request.
func (e *Embedder) send(ctx context.Context, texts []string) ([][]float32, *llm.Error) {
	m := e.model
	ctx, stop := context.WithTimeoutCause(ctx, m.config.Timeout, errSilent)
	defer stop()
	t := &tap{}
	_, err := m.client.CreateEmbeddings(context.WithValue(ctx, tapKey{}, t), api.EmbeddingRequestStrings{
		Input: texts, Model: api.EmbeddingModel(m.config.Model), Dimensions: e.dimensions,
	})
	switch {
	case t.status == 0 && err == nil:
		err = errors.New("no answer")
		fallthrough
	case t.status == 0:
		return nil, m.unreached(ctx, err)
	case t.status >= 300:
		return nil, m.refused(readRefusal(t.status, t.stray), t)
	}
	return e.read(ctx, t, texts)
}

// read makes vectors of an answer. go-openai's own reading is not used: it takes null for 0 and
// does not tell a vector that is missing.
func (e *Embedder) read(ctx context.Context, t *tap, texts []string) ([][]float32, *llm.Error) {
	m := e.model
	var body struct {
		Data []struct {
			Index     *int       `json:"index"`
			Embedding []*float64 `json:"embedding"`
		} `json:"data"`
		Usage struct {
			Prompt int     `json:"prompt_tokens"`
			Cost   float64 `json:"cost"`
		} `json:"usage"`
		Error json.RawMessage `json:"error"`
	}
	err := json.Unmarshal(t.stray, &body)
	if err == nil && body.Data == nil && body.Error != nil {
		return nil, m.refused(readRefusal(t.status, t.stray), t)
	}
	e.book(ctx, texts, body.Usage.Prompt, body.Usage.Cost)
	if err != nil {
		return nil, m.fail(llm.Unreadable, t.status, "the answer is not what the protocol says: "+err.Error(), m.addressAdvice(), nil)
	}
	wrong := func(what string) *llm.Error {
		return m.fail(llm.Unreadable, t.status, what, "Set memory.model to a model for embeddings", errFinal)
	}
	if len(body.Data) != len(texts) {
		return nil, wrong(fmt.Sprintf("the server gave %d vectors for %d texts", len(body.Data), len(texts)))
	}
	vectors := make([][]float32, len(texts))
	for i, d := range body.Data {
		at := i
		if d.Index != nil {
			at = *d.Index
		}
		if at < 0 || at >= len(vectors) || vectors[at] != nil {
			return nil, wrong(fmt.Sprintf("the server's vectors cannot be matched to the texts: one has the index %d, of %d", at, len(texts)))
		}
		v, what := vector(d.Embedding)
		if what != "" {
			return nil, wrong(what)
		}
		vectors[at] = v
	}
	return vectors, e.checkLength(vectors, t.status)
}

// vector is what a server gave as one; what says why it is none.
func vector(numbers []*float64) (v []float32, what string) {
	if len(numbers) == 0 || len(numbers) > maxDimension {
		return nil, fmt.Sprintf("the server gave a vector of %d numbers", len(numbers))
	}
	v = make([]float32, len(numbers))
	square := 0.0
	for i, x := range numbers {
		if x == nil {
			return nil, "the server gave a vector with a number missing"
		}
		v[i] = float32(*x)
		square += float64(v[i]) * float64(v[i])
	}
	if square == 0 || math.IsInf(square, 0) || math.IsNaN(square) {
		return nil, "the server gave a vector without a length"
	}
	return v, ""
}

// checkLength holds all vectors to one length: the one that was asked for, else that of the first.
func (e *Embedder) checkLength(vectors [][]float32, status int) *llm.Error {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, v := range vectors {
		if e.length == 0 {
			e.length = len(v)
		}
		if len(v) != e.length {
			advice := "Set memory.model to a model for embeddings"
			if e.dimensions > 0 {
				advice = fmt.Sprintf("The model has no vectors of %d numbers: leave memory.dimensions unset", e.dimensions)
			}
			return e.model.fail(llm.Unreadable, status, fmt.Sprintf("the server gave a vector of %d numbers, not of %d", len(v), e.length), advice, errFinal)
		}
	}
	return nil
}

// book counts what a request cost: what the server says, else by its length.
func (e *Embedder) book(ctx context.Context, texts []string, tokens int, cost float64) {
	u := llm.Usage{Prompt: max(tokens, 0), Cost: max(cost, 0)}
	if u.Prompt == 0 {
		for _, t := range texts {
			u.Prompt += (len(t) + 3) / 4
		}
		u.Estimated = true
	}
	if p, ok := e.model.Price(); ok && u.Cost == 0 {
		u.Cost = p.Cost(u)
	}
	llm.Book(ctx, u)
}
