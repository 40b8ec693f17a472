// Package telemetry exports what tasks do as OpenTelemetry spans and metrics. It uses OTLP, and the names of the semantic
// conventions for generative AI. See https://opentelemetry.io/docs/specs/semconv/gen-ai/, of version 1.41.
//
// A task is a span invoke_agent, of the time in which it works; each request to a model is a span chat within it, and
// each action a span execute_tool. Two metrics count tokens and seconds of requests. All of it follows from the records of a
// task's journal as they are written.
//
// What leaves the machine are names of models and actions, ids, counts, times and outcomes: never a text of the user,
// of a model, a file or a command. Exporting never holds a task up: what a collector does not take is dropped.
package telemetry

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"sync"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlpmetric/otlpmetrichttp"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	semconv "go.opentelemetry.io/otel/semconv/v1.41.0"
	"go.opentelemetry.io/otel/semconv/v1.41.0/genaiconv"
	"go.opentelemetry.io/otel/trace"

	"caselsp/agent/record"
)

const (
	scope     = "caselsp"
	agentName = "caselsp"

	// closeTime is how long a process that ends waits for the collector: what a person at a terminal hardly notices.
	closeTime = 2 * time.Second

	// sendTime is how long one request to the collector may take.
	sendTime = 10 * time.Second
)

// Options say where to.
type Options struct {
	// Endpoint is the address of a collector that speaks OTLP over HTTP, such as http://localhost:4318. Headers, such as
	// those of a login, come from the variable OTEL_EXPORTER_OTLP_HEADERS.
	Endpoint string
	Version  string // of caselsp
	// Server says which server a role asks.
	Server func(role string) Server
	Log    *slog.Logger // of what could not be exported
}

// Server is a server of models and the model that is asked.
type Server struct {
	Provider string // a preset's name, such as openai; "": not known
	Model    string
	Host     string
	Port     int // 0: the scheme's
}

// Exporter turns records into spans and metrics. It is safe for use by several tasks at once.
type Exporter struct {
	server   func(role string) Server
	tracer   trace.Tracer
	tokens   genaiconv.ClientTokenUsage
	duration genaiconv.ClientOperationDuration
	closers  []func(context.Context) error

	mu     sync.Mutex
	closed bool
	tasks  map[string]*task
}

// task is what is open of a task.
type task struct {
	ctx         context.Context // of its span
	span        trace.Span
	call, tool  trace.Span
	asked       time.Time
	role, model string
}

// New returns an exporter to a collector. It does not wait for the collector, and fails only for an address that is none.
func New(ctx context.Context, o Options) (*Exporter, error) {
	base, err := url.Parse(o.Endpoint)
	if err != nil || base.Host == "" || base.Scheme != "http" && base.Scheme != "https" {
		return nil, fmt.Errorf("%q is no address such as http://localhost:4318", o.Endpoint)
	}
	from, err := resource.New(ctx, resource.WithTelemetrySDK(), resource.WithFromEnv(),
		resource.WithAttributes(semconv.ServiceName(agentName), semconv.ServiceVersion(o.Version)))
	if err != nil && !errors.Is(err, resource.ErrPartialResource) && !errors.Is(err, resource.ErrSchemaURLConflict) {
		return nil, err
	}
	spans, err := otlptracehttp.New(ctx, otlptracehttp.WithEndpointURL(base.JoinPath("v1/traces").String()), otlptracehttp.WithTimeout(sendTime))
	if err != nil {
		return nil, err
	}
	figures, err := otlpmetrichttp.New(ctx, otlpmetrichttp.WithEndpointURL(base.JoinPath("v1/metrics").String()), otlpmetrichttp.WithTimeout(sendTime))
	if err != nil {
		return nil, err
	}
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) { o.Log.Warn("telemetry was not exported", "error", err) }))
	traces := sdktrace.NewTracerProvider(sdktrace.WithResource(from), sdktrace.WithBatcher(spans))
	meters := metric.NewMeterProvider(metric.WithResource(from), metric.WithReader(metric.NewPeriodicReader(figures)))
	e := &Exporter{server: o.Server, tracer: traces.Tracer(scope, trace.WithInstrumentationVersion(o.Version), trace.WithSchemaURL(semconv.SchemaURL)),
		closers: []func(context.Context) error{traces.Shutdown, meters.Shutdown}, tasks: map[string]*task{}}
	meter := meters.Meter(scope)
	if e.tokens, err = genaiconv.NewClientTokenUsage(meter); err != nil {
		return nil, err
	}
	e.duration, err = genaiconv.NewClientOperationDuration(meter)
	return e, err
}

// Close ends the spans that are open and sends what is left, for as long as a person would wait.
func (e *Exporter) Close() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return nil
	}
	e.closed = true
	for id, t := range e.tasks {
		t.end(time.Now())
		delete(e.tasks, id)
	}
	ctx, cancel := context.WithTimeout(context.Background(), closeTime)
	defer cancel()
	for _, shut := range e.closers {
		if err := shut(ctx); err != nil {
			otel.Handle(err) // a collector that is away is no failure of the task
		}
	}
	return nil
}

// Observe is told each record of a task, in their order, with the task's status after it.
func (e *Exporter) Observe(at time.Time, body record.Body, status record.Status) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return
	}
	id := status.Task.ID
	t := e.tasks[id]
	if t == nil {
		if !status.State.Works() {
			return // it waits, or what is recorded is a decision about its result
		}
		t = &task{}
		t.ctx, t.span = e.tracer.Start(context.Background(), "invoke_agent "+agentName, trace.WithTimestamp(at), trace.WithAttributes(
			semconv.GenAIOperationNameInvokeAgent, semconv.GenAIAgentName(agentName), semconv.GenAIConversationID(id)))
		e.tasks[id] = t
	}
	e.follow(t, at, body, status)
	if !status.State.Works() && status.State != record.Waiting {
		t.sum(status)
		t.end(at)
		delete(e.tasks, id)
	}
}

// follow opens and closes the spans within a task's.
func (e *Exporter) follow(t *task, at time.Time, body record.Body, status record.Status) {
	place := []attribute.KeyValue{attribute.Int("caselsp.feature", status.Feature), attribute.Int("caselsp.round", status.Round), attribute.Int("caselsp.step", status.Step)}
	switch b := body.(type) {
	case record.CallSent:
		e.ask(t, at, b.Role, status.Task.ID, place)
	case record.CallAnswered:
		r := b.Response
		e.answered(t, at, "", answer{model: r.Model, finish: r.Finish, prompt: r.Usage.Prompt, cached: r.Usage.Cached, completion: r.Usage.Completion})
	case record.CallFailed:
		why := "failed"
		if b.Lost {
			why = "lost"
		}
		e.answered(t, at, why, answer{prompt: b.Usage.Prompt, cached: b.Usage.Cached, completion: b.Usage.Completion})
	case record.ActionChosen:
		finish(t.tool, at)
		with := append(place, semconv.GenAIOperationNameExecuteTool, semconv.GenAIToolName(b.Action), attribute.String("caselsp.role", b.Role))
		if b.CallID != "" {
			with = append(with, semconv.GenAIToolCallID(b.CallID))
		}
		_, t.tool = e.tracer.Start(t.ctx, "execute_tool "+b.Action, trace.WithTimestamp(at), trace.WithAttributes(with...))
	case record.ActionDone:
		if t.tool == nil {
			return
		}
		if why := outcome(b); why != "" {
			t.tool.SetAttributes(semconv.ErrorTypeKey.String(why))
		}
		finish(t.tool, at)
		t.tool = nil
	}
}

// outcome says why an action did not succeed, in a word of ours; "" for one that did.
func outcome(b record.ActionDone) string {
	switch {
	case b.OK:
		return ""
	case b.Lost:
		return "lost"
	case b.Skipped:
		return "denied"
	case b.Refused != "":
		return b.Refused
	}
	return "failed"
}

// ask opens the span of a request.
func (e *Exporter) ask(t *task, at time.Time, role, id string, place []attribute.KeyValue) {
	finish(t.call, at)
	s := e.server(role)
	t.asked, t.role, t.model = at, role, s.Model
	with := append(place, semconv.GenAIOperationNameChat, provider(s), semconv.GenAIRequestModel(s.Model), semconv.GenAIConversationID(id), attribute.String("caselsp.role", role))
	with = append(with, s.place()...)
	_, t.call = e.tracer.Start(t.ctx, "chat "+s.Model, trace.WithTimestamp(at), trace.WithSpanKind(trace.SpanKindClient), trace.WithAttributes(with...))
}

// answer is what is told of an answer.
type answer struct {
	model, finish              string
	prompt, cached, completion int
}

// answered closes the span of a request, and counts what it took.
func (e *Exporter) answered(t *task, at time.Time, failed string, a answer) {
	if t.call == nil {
		return // the request was sent by another process
	}
	s := e.server(t.role)
	more := append(s.place(), semconv.GenAIRequestModel(t.model))
	if a.model != "" {
		more = append(more, semconv.GenAIResponseModel(a.model))
	}
	name := genaiconv.ProviderNameAttr(provider(s).Value.AsString())
	for kind, n := range map[genaiconv.TokenTypeAttr]int{genaiconv.TokenTypeInput: a.prompt, genaiconv.TokenTypeOutput: a.completion} {
		if n > 0 {
			e.tokens.Record(t.ctx, int64(n), genaiconv.OperationNameChat, name, kind, more...)
		}
	}
	t.call.SetAttributes(semconv.GenAIUsageInputTokens(a.prompt), semconv.GenAIUsageOutputTokens(a.completion), semconv.GenAIUsageCacheReadInputTokens(a.cached))
	if a.model != "" {
		t.call.SetAttributes(semconv.GenAIResponseModel(a.model))
	}
	if a.finish != "" {
		t.call.SetAttributes(semconv.GenAIResponseFinishReasons(a.finish))
	}
	if failed != "" {
		t.call.SetAttributes(semconv.ErrorTypeKey.String(failed))
		more = append(more, semconv.ErrorTypeKey.String(failed))
	}
	e.duration.Record(t.ctx, at.Sub(t.asked).Seconds(), genaiconv.OperationNameChat, name, more...)
	finish(t.call, at)
	t.call = nil
}

// sum puts what the task came to into its span.
func (t *task) sum(s record.Status) {
	t.span.SetAttributes(attribute.String("caselsp.state", string(s.State)), attribute.Float64("caselsp.cost", s.Usage.Cost), attribute.Int("caselsp.features", s.Features),
		semconv.GenAIUsageInputTokens(s.Usage.Prompt), semconv.GenAIUsageOutputTokens(s.Usage.Completion), semconv.GenAIUsageCacheReadInputTokens(s.Usage.Cached))
	if s.Outcome != "" {
		t.span.SetAttributes(attribute.String("caselsp.outcome", s.Outcome))
	}
	if s.State == record.Failed {
		t.span.SetAttributes(semconv.ErrorTypeKey.String("failed"))
	}
}

// end closes all of a task's spans.
func (t *task) end(at time.Time) {
	finish(t.call, at)
	finish(t.tool, at)
	finish(t.span, at)
}

func finish(s trace.Span, at time.Time) {
	if s != nil {
		s.End(trace.WithTimestamp(at))
	}
}

// place is where the server is.
func (s Server) place() []attribute.KeyValue {
	var list []attribute.KeyValue
	if s.Host != "" {
		list = append(list, semconv.ServerAddress(s.Host))
	}
	if s.Port > 0 {
		list = append(list, semconv.ServerPort(s.Port))
	}
	return list
}

// provider is the server's name in the conventions, which have names for some of the presets.
func provider(s Server) attribute.KeyValue {
	switch s.Provider {
	case "openai":
		return semconv.GenAIProviderNameOpenAI
	case "azure":
		return semconv.GenAIProviderNameAzureAIOpenAI
	case "gemini":
		return semconv.GenAIProviderNameGCPGemini
	case "":
		return semconv.GenAIProviderNameKey.String("custom")
	}
	return semconv.GenAIProviderNameKey.String(s.Provider)
}
