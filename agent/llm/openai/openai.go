// Package openai is the HTTP client for language models: any server that speaks
// OpenAI's chat-completions protocol, through go-openai, and for their embeddings.
//
// It hides how servers differ: where they want the key, which parameters they
// refuse, how they cut tool calls into pieces, whether they know tools at all
// (where not, the tools become JSON actions in the text, and the reply is
// parsed), and how they fail. What goes wrong comes out as an *llm.Error that
// says what can be done about it; failures that pass are tried again here.
//
// It never reads the environment, never prints, never follows a redirect (the
// key would go along), never puts the key into an error, never returns part
// of an answer, and never asks twice for what it has: one try, one paid call.
package openai

import (
	"cmp"
	"context"
	"errors"
	"math/rand/v2"
	"net/http"
	"sync"
	"time"

	api "github.com/sashabaranov/go-openai"

	"caselsp/agent/llm"
)

// The ways tools are offered to a model: the values of [Config].Tools.
const (
	ToolsAuto   = "auto"   // native until the server says that it has no tools, then JSON
	ToolsNative = "native" // function calling
	ToolsJSON   = "json"   // described in the system message, one JSON object a reply
)

// Config says which model is asked and how. The zero value is OpenAI's server
// without a key and without a model, which [New] refuses with what is missing.
type Config struct {
	Provider    string           // name of a [Preset]; "": found by BaseURL's host, OpenAI when that is empty too
	BaseURL     string           // of the server, up to and with its /v1; "": the preset's
	Key         string           // the secret; "": none
	Model       string           // as the server names it; Azure: the deployment
	Tools       string           // ToolsAuto (also ""), ToolsNative or ToolsJSON
	Temperature *float32         // nil: the server's default. Left out for models that refuse it
	MaxTokens   int              // of an answer; 0: the server's default
	APIVersion  string           // Azure's api-version; "": the one that this package was written for
	Prices      map[string]Price // by model; they go before the built-in table
	Timeout     time.Duration    // the longest silence of the server before and within an answer, see idleTimeouts; 0: defaultTimeout
	Section     string           // of the settings that advice names; "": "model"
	HTTPClient  *http.Client     // nil: a client of its own; redirects are never followed

	Sleep  func(context.Context, time.Duration) error // waits between tries; nil: by the clock
	Now    func() time.Time                           // nil: time.Now
	Jitter func() float64                             // in [0,1); nil: random
}

const (
	// defaultTimeout lets a local server load a large model from a slow disk
	// and read a long prompt on the processor before its first token.
	defaultTimeout = 5 * time.Minute
	// longestTry ends a try whose answer goes on and on.
	longestTry = 30 * time.Minute
	// idleTimeouts is for how many times Config.Timeout an answer may stand still while the
	// server sends comments or empty events to keep the connection: it says that it works, as it
	// does while a model thinks or waits in a queue, so it has more time than a silent one. But a
	// proxy says so, too, when the model behind it is gone.
	idleTimeouts = 2
	// maxRefusals bounds how often one try is sent again without a parameter
	// that the server refused (nothing was paid for those): one for each
	// parameter that can be left out, one for what is wanted back of earlier calls, and one for the tools.
	maxRefusals = 7
)

// model is a server and what was learned about it.
type model struct {
	config Config
	preset Preset
	client *api.Client
	serves string // what is asked of the server, in words

	mu       sync.Mutex
	dialect  dialect // what this server turned out not to understand
	called   bool    // a tool call has come
	uncalled int     // answers without a tool call where one had to come, before any came
}

// New returns the model that c describes. It sends nothing: its errors
// (*llm.Error of kind NoKey, BadKey or BadRequest) are about c alone.
func New(c Config) (llm.Model, error) {
	c, p, err := settle(c)
	if err != nil {
		return nil, err
	}
	m := &model{config: c, preset: p, dialect: firstDialect(c, p)}
	m.client = api.NewClientWithConfig(clientConfig(c, p))
	return m, nil
}

// settle fills in what c leaves open and refuses what cannot work.
func settle(c Config) (Config, Preset, error) {
	c, p, err := locate(c)
	if err != nil {
		return c, p, err
	}
	if err := checkKey(&c, p); err != nil {
		return c, p, err
	}
	switch c.Tools {
	case "":
		c.Tools = ToolsAuto
	case ToolsAuto, ToolsNative, ToolsJSON:
	default:
		return c, p, &llm.Error{Kind: llm.BadRequest, Detail: "tools is " + quote(c.Tools),
			Advice: "Set it to auto, native or json"}
	}
	c.Section = cmp.Or(c.Section, "model")
	if c.Timeout <= 0 {
		c.Timeout = defaultTimeout
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Sleep == nil {
		c.Sleep = sleep
	}
	if c.Jitter == nil {
		c.Jitter = rand.Float64
	}
	return c, p, nil
}

func clientConfig(c Config, p Preset) api.ClientConfig {
	conf := api.DefaultConfig(c.Key)
	conf.BaseURL = c.BaseURL
	if p.deployments && !versionedPath(c.BaseURL) {
		conf = api.DefaultAzureConfig(c.Key, c.BaseURL)
		conf.APIVersion = c.APIVersion
		// go-openai's own mapper takes dots and colons out of names; what the
		// user wrote is the deployment.
		conf.AzureModelMapperFunc = func(name string) string { return name }
	}
	client := http.Client{}
	if c.HTTPClient != nil {
		client = *c.HTTPClient
	}
	client.Transport = &transport{base: client.Transport, now: c.Now}
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	conf.HTTPClient = &client
	return conf
}

// Complete implements [llm.Model]. It tries up to maxTries times where trying
// again can help; each try streams, so req.OnText may see the beginning of an
// answer more than once.
func (m *model) Complete(ctx context.Context, req *llm.Request) (*llm.Response, error) {
	if m.config.Model == "" {
		return nil, &llm.Error{Kind: llm.BadRequest, Detail: "no model is set",
			Advice: "Set the model's name as the server knows it; `caselsp doctor` lists what the server has"}
	}
	var spent llm.Usage
	for try := 1; ; try++ {
		resp, err := m.try(ctx, req)
		if err == nil {
			resp.Failed = spent
			return resp, nil
		}
		spent = spent.Add(err.Usage)
		err.Usage = spent
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if try == maxTries || !again(err) {
			return nil, err
		}
		pause := m.pause(try, err.After)
		req.Waits(llm.Wait{Failed: err, For: pause, Try: try + 1, Most: maxTries})
		if m.config.Sleep(ctx, pause) != nil && ctx.Err() != nil {
			return nil, &llm.Unsent{Usage: spent, Err: ctx.Err()}
		}
		if stopped := req.Again(spent); stopped != nil {
			return nil, stopped
		}
	}
}

// try sends req once in a form that the server accepts.
func (m *model) try(ctx context.Context, req *llm.Request) (*llm.Response, *llm.Error) {
	for refusals := 0; ; refusals++ {
		d := m.learned()
		resp, err := m.send(ctx, req, d)
		if err == nil || refusals == maxRefusals || !m.learn(req, d, err) {
			return resp, err
		}
	}
}

var (
	errSilent = errors.New("the server said nothing for too long")
	errIdle   = errors.New("the server sent no part of the answer for too long")
	errSlow   = errors.New("the answer took too long")
)

// send is one call.
func (m *model) send(ctx context.Context, req *llm.Request, d dialect) (*llm.Response, *llm.Error) {
	body := m.request(req, d)
	// go-openai knows some models by name and answers for their server.
	if err := api.NewReasoningValidator().Validate(body); err != nil {
		return nil, &llm.Error{Kind: llm.BadRequest, Detail: err.Error(), Err: err,
			Advice: "Set tools to json, or choose another model"}
	}
	ctx, stop := context.WithTimeoutCause(ctx, longestTry, errSlow)
	defer stop()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	silence := time.AfterFunc(m.config.Timeout, func() { cancel(errSilent) })
	defer silence.Stop()
	idle := time.AfterFunc(m.idleTime(), func() { cancel(errIdle) })
	defer idle.Stop()
	t := &tap{alive: func() { silence.Reset(m.config.Timeout) }, echoes: m.echoes(req, d)}

	stream, err := m.client.CreateChatCompletionStream(context.WithValue(ctx, tapKey{}, t), body)
	if t.status >= 300 {
		if err == nil {
			stream.Close()
		}
		return nil, m.refused(readRefusal(t.status, t.stray), t)
	}
	if err != nil {
		failed := m.unreached(ctx, err)
		if failed.Kind == llm.TimedOut { // the server may have read it
			failed.Usage = m.usage(req, &answer{})
		}
		return nil, failed
	}
	defer stream.Close()
	a := answer{known: toolNames(req.Tools), onText: req.OnText, limit: m.answerLimit(req, d), grown: func() { idle.Reset(m.idleTime()) }}
	broken := a.receive(stream.RecvRaw, t)
	resp, failed := m.conclude(ctx, req, d, &a, t, broken)
	if failed != nil && a.failure == nil {
		failed.Usage = m.usage(req, &a)
	}
	return resp, failed
}

// idleTime is how long an answer may stand still.
func (m *model) idleTime() time.Duration { return idleTimeouts * m.config.Timeout }
