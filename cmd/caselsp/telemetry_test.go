package main

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	colmetrics "go.opentelemetry.io/proto/otlp/collector/metrics/v1"
	coltrace "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	common "go.opentelemetry.io/proto/otlp/common/v1"
	"google.golang.org/protobuf/proto"
)

const telemetryModel = `
on tars
usage 900 30 700
call SUBMIT_PLAN
	{"analysis": "the canary plan", "files_to_create": ["canary.txt"], "files_to_change": [], "steps": ["write"], "considerations": [],
	 "features": [{"id": "f", "title": "Write the canary title", "description": "Write canary.", "files": ["canary.txt"]}]}
on case
usage 1000 50
call PATCH_FILE {"thought": "canary", "path": "none.txt", "patch": "<<<<<<< SEARCH\ncanary\n=======\nx\n>>>>>>> REPLACE\n"}
on case
call WRITE_FILE {"thought": "canary", "path": "canary.txt", "content": "canary\n"}
on case
call FINISH_FEATURE {"thought": "canary", "summary": "canary"}
on tars
call SUBMIT_VERDICT {"completion": 100, "summary": "canary", "issues": []}
`

// collector keeps what is exported to it.
type collector struct {
	mu      sync.Mutex
	raw     bytes.Buffer
	headers []string
	spans   []string // of each its name, and the attributes that are asserted
	figures map[string]float64
}

func (c *collector) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	body, err := io.ReadAll(r.Body)
	c.raw.Write(body)
	c.headers = append(c.headers, r.Header.Get("X-Tenant"))
	switch {
	case err == nil && r.URL.Path == "/otlp/v1/traces":
		err = c.trace(body)
	case err == nil && r.URL.Path == "/otlp/v1/metrics":
		err = c.count(body)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
	}
}

func (c *collector) trace(body []byte) error {
	var got coltrace.ExportTraceServiceRequest
	if err := proto.Unmarshal(body, &got); err != nil {
		return err
	}
	for _, resource := range got.ResourceSpans {
		for _, scope := range resource.ScopeSpans {
			for _, span := range scope.Spans {
				text := span.Name
				for _, name := range []string{"gen_ai.provider.name", "gen_ai.usage.input_tokens", "gen_ai.usage.cache_read.input_tokens", "gen_ai.response.model", "caselsp.outcome", "error.type"} {
					if v := attributeOf(span.Attributes, name); v != "" {
						text += " " + strings.TrimPrefix(name, "gen_ai.") + "=" + v
					}
				}
				c.spans = append(c.spans, text)
			}
		}
	}
	return nil
}

func (c *collector) count(body []byte) error {
	var got colmetrics.ExportMetricsServiceRequest
	if err := proto.Unmarshal(body, &got); err != nil {
		return err
	}
	for _, resource := range got.ResourceMetrics {
		for _, scope := range resource.ScopeMetrics {
			for _, m := range scope.Metrics {
				for _, p := range m.GetHistogram().GetDataPoints() {
					name := strings.TrimSpace(m.Name + " " + attributeOf(p.Attributes, "gen_ai.token.type"))
					c.figures[name] += float64(p.Count)
					c.figures[name+" sum"] += p.GetSum()
				}
			}
		}
	}
	return nil
}

func attributeOf(list []*common.KeyValue, name string) string {
	for _, a := range list {
		if a.Key == name {
			if n, ok := a.Value.Value.(*common.AnyValue_IntValue); ok {
				return strconv.FormatInt(n.IntValue, 10)
			}
			return a.Value.GetStringValue()
		}
	}
	return ""
}

// TestTelemetry runs a task whose every text holds a mark: a collector gets its spans and counts by the names of
// the conventions, and none of its texts.
func TestTelemetry(t *testing.T) {
	t.Parallel()
	got := &collector{figures: map[string]float64{}}
	server := httptest.NewServer(got)
	defer server.Close()
	c := newCrashed(t, crashRun{model: telemetryModel, project: map[string]string{"none.txt": "here\n"}})
	cmd := c.command("run", "--yes", "Write the canary")
	cmd.Env = append(cmd.Env, "CASELSP_TELEMETRY_ENDPOINT="+server.URL+"/otlp", "OTEL_EXPORTER_OTLP_HEADERS=x-tenant=mine")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	got.mu.Lock()
	defer got.mu.Unlock()
	slices.Sort(got.spans)
	const call = "chat scripted provider.name=custom usage.input_tokens="
	want := []string{call + "1000 usage.cache_read.input_tokens=0 response.model=scripted", call + "900 usage.cache_read.input_tokens=700", "execute_tool FINISH_FEATURE",
		"execute_tool PATCH_FILE error.type=not_found", "execute_tool WRITE_FILE", "invoke_agent caselsp"}
	for _, w := range want {
		if !slices.ContainsFunc(got.spans, func(s string) bool { return strings.HasPrefix(s, w) }) {
			t.Errorf("no span %q in\n%s", w, strings.Join(got.spans, "\n"))
		}
	}
	if !slices.ContainsFunc(got.spans, func(s string) bool { return strings.Contains(s, "caselsp.outcome=success") }) {
		t.Errorf("no span says how the task ended:\n%s", strings.Join(got.spans, "\n"))
	}
	if n := got.figures["gen_ai.client.operation.duration"]; n != 5 {
		t.Errorf("%v requests were timed, of 5: %v", n, got.figures)
	}
	if n := got.figures["gen_ai.client.token.usage input sum"]; n < 1900 {
		t.Errorf("%v tokens were counted: %v", n, got.figures)
	}
	if bytes.Contains(bytes.ToLower(got.raw.Bytes()), []byte("canary")) {
		t.Errorf("a text of the task was exported:\n%q", got.raw.Bytes())
	}
	if slices.Contains(got.headers, "") || len(got.headers) < 2 {
		t.Errorf("the headers that were asked for: %q", got.headers)
	}
}

// TestTelemetryWithoutCollector shows that a collector that is away, that answers nothing or that is no address
// changes nothing about a task.
func TestTelemetryWithoutCollector(t *testing.T) {
	t.Parallel()
	stop := make(chan struct{})
	silent := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-stop }))
	defer silent.Close()
	defer close(stop)
	away := httptest.NewServer(http.NotFoundHandler())
	away.Close()
	for _, address := range []string{silent.URL, away.URL, "localhost:4318"} {
		c := newCrashed(t, crashRun{model: telemetryModel, project: map[string]string{"none.txt": "here\n"}})
		cmd := c.command("run", "--yes", "Write the canary")
		cmd.Env = append(cmd.Env, "CASELSP_TELEMETRY_ENDPOINT="+address)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Errorf("%s: %v\n%s", address, err, out)
		}
		if text, err := os.ReadFile(filepath.Join(c.project(), "canary.txt")); err != nil || string(text) != "canary\n" {
			t.Errorf("%s: %v, %q", address, err, text)
		}
	}
}
