package store

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	bolt "go.etcd.io/bbolt"
)

// meaning is an embedder that knows which words mean the same, as a model does. It is down while broken is set.
type meaning struct {
	name string

	mu     sync.Mutex
	asked  []string // without the wordings of the calibration
	broken error
	after  int // fails after so many batches; 0: never
	flat   bool
}

func (e *meaning) Name() string { return e.name }

var synonyms = map[string]string{"weather": "rain", "forecast": "rain", "umbrella": "rain"}

func (e *meaning) Embed(_ context.Context, texts []string) ([][]float32, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.broken != nil {
		return nil, e.broken
	}
	var vectors [][]float32
	calibrates := slices.ContainsFunc(wordings[:], func(w [2]string) bool { return w[0] == texts[0] })
	if !calibrates {
		if e.asked = append(e.asked, texts...); len(texts) > 1 && e.after > 0 {
			if e.after--; e.after == 0 {
				e.broken = errors.New("out of credit")
			}
		}
	}
	for _, text := range texts {
		v := make([]float32, 128)
		v[0] = 1
		if calibrates && !e.flat {
			for i, w := range wordings {
				if text == w[0] || text == w[1] {
					v[0], v[1+i] = 0.5, 1
				}
			}
		} else if !e.flat {
			v[0] = 0.2
			for _, w := range strings.Fields(text) {
				if s := synonyms[w]; s != "" {
					w = s
				}
				h := fnv.New32a()
				_, _ = h.Write([]byte(w))
				v[1+h.Sum32()%127]++
			}
		}
		vectors = append(vectors, v)
	}
	return vectors, nil
}

// took returns what was asked since the last time, sorted.
func (e *meaning) took() []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	list := e.asked
	e.asked = nil
	slices.Sort(list)
	return list
}

func (e *meaning) breaks(err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.broken = err
}

func keepText(t *testing.T, m *Memory, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if err := m.Remember(t.Context(), Pattern{Kind: KindPattern, Text: text, Solution: "s"}); err != nil {
			t.Fatal(err)
		}
	}
}

func looked(t *testing.T, m *Memory, text string) (found []string) {
	t.Helper()
	list, err := m.Look(t.Context(), KindPattern, text, 5)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range list {
		if r.Similarity < MinSimilarity || r.Similarity > 1 {
			t.Errorf("%q has the similarity %v", r.Text, r.Similarity)
		}
		found = append(found, r.Text)
	}
	return found
}

// TestEndpoint finds by meaning what shares no word, and by words while the server is down.
func TestEndpoint(t *testing.T) {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	e := &meaning{name: "a"}
	m := open(t, Options{StateDir: t.TempDir(), Endpoint: &Endpoint{Embedder: e}, Clock: func() time.Time { return now }, Secrets: []string{"hunter2-hunter2"}}).Memory()
	keepText(t, m, "umbrella", "bicycle chain")
	if got := looked(t, m, "weather forecast"); !slices.Equal(got, []string{"umbrella"}) {
		t.Errorf("by meaning: %q", got)
	}
	if got := looked(t, m, "bicycle"); !slices.Equal(got, []string{"bicycle chain"}) {
		t.Errorf("by words: %q", got)
	}
	if got := looked(t, m, "tax"); got != nil || m.Trouble() != "" {
		t.Errorf("nothing similar: %q", got)
	}
	e.took()
	looked(t, m, "weather hunter2-hunter2")
	if got := e.took(); !slices.Equal(got, []string{"weather [redacted]"}) {
		t.Errorf("sent %q", got)
	}
	looked(t, m, "weather hunter2-hunter2")
	if got := e.took(); got != nil {
		t.Errorf("the same query was sent again: %q", got)
	}

	e.breaks(errors.New("connection refused"))
	if got := looked(t, m, "bicycle forecast"); !slices.Equal(got, []string{"bicycle chain"}) {
		t.Errorf("while it is down: %q", got)
	}
	if says := m.Trouble(); !strings.Contains(says, "connection refused") || m.Trouble() != "" {
		t.Errorf("trouble %q, then %q", says, m.Trouble())
	}
	now = now.Add(endpointRest)
	looked(t, m, "umbrella forecast, still down")
	if says := m.Trouble(); says != "" {
		t.Errorf("told again: %q", says)
	}
	e.breaks(nil)
	if got := looked(t, m, "forecast"); got != nil {
		t.Errorf("it did not rest: %q", got)
	}
	now = now.Add(endpointRest)
	if got := looked(t, m, "forecast"); !slices.Equal(got, []string{"umbrella"}) {
		t.Errorf("once it is back: %q", got)
	}
	list, err := m.Look(BuiltInOnly(t.Context()), KindPattern, "forecast", 5)
	if err != nil || list != nil {
		t.Errorf("without the server: %v, %v", list, err)
	}
}

// TestEndpointForgets keeps no vector of what was forgotten.
func TestEndpointForgets(t *testing.T) {
	e := &meaning{name: "a"}
	m := open(t, Options{StateDir: t.TempDir(), Endpoint: &Endpoint{Embedder: e}}).Memory()
	keepText(t, m, "umbrella", "bicycle")
	if err := m.EmbedAll(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	all, err := m.All(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Forget(t.Context(), all[0].ID); err != nil {
		t.Fatal(err)
	}
	n := 0
	err = m.endpoint.view(func(tx *bolt.Tx) error {
		return m.endpoint.vectorsOf(tx).ForEach(func(k, _ []byte) error { n++; return nil })
	})
	if err != nil || n != 1 {
		t.Errorf("%d vectors are left, %v", n, err)
	}
}

// TestEndpointResumes embeds each text once: where it was interrupted, after a restart, and when an earlier
// embedder comes back.
func TestEndpointResumes(t *testing.T) {
	dir := t.TempDir()
	with := func(e *meaning) *Memory {
		m, err := UserMemory(Options{StateDir: dir, Endpoint: &Endpoint{Embedder: e}})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(m.Close)
		return m
	}
	var texts []string
	for i := range 3*embedBatch + 5 {
		texts = append(texts, fmt.Sprintf("text %d of many", i))
	}
	first := &meaning{name: "a", after: 2}
	m := with(first)
	keepText(t, m, texts...)
	if err := m.EmbedAll(t.Context(), nil); err == nil || !strings.Contains(err.Error(), "out of credit") {
		t.Fatalf("got %v", err)
	}
	check := func(m *Memory, done int) {
		t.Helper()
		now, err := m.Embedded(t.Context())
		if err != nil || now.Done != done || now.Total != len(texts) {
			t.Errorf("%+v, %v: want %d of %d", now, err, done, len(texts))
		}
	}
	check(m, 2*embedBatch)
	second := &meaning{name: "a"}
	var told []int
	if err := with(second).EmbedAll(t.Context(), func(e Embedded) { told = append(told, e.Done) }); err != nil {
		t.Fatal(err)
	}
	both := append(first.took(), second.took()...)
	slices.Sort(both)
	slices.Sort(texts)
	if !slices.Equal(both, texts) || !slices.Equal(told, []int{3 * embedBatch, len(texts)}) {
		t.Errorf("%d texts were embedded, of %d; told %d", len(both), len(texts), told)
	}
	other := &meaning{name: "b"}
	m = with(other)
	check(m, 0)
	if err := m.EmbedAll(t.Context(), nil); err != nil || len(other.took()) != len(texts) {
		t.Errorf("another embedder: %v", err)
	}
	third := &meaning{name: "a"}
	m = with(third)
	if err := m.EmbedAll(t.Context(), nil); err != nil || third.took() != nil {
		t.Errorf("the first one again: %v", err)
	}
	check(m, len(texts))
}

// TestEndpointBackground answers by words while many texts are embedded, and by meaning afterwards.
func TestEndpointBackground(t *testing.T) {
	e := &meaning{name: "a"}
	s := open(t, Options{StateDir: t.TempDir(), Endpoint: &Endpoint{Embedder: e}})
	m := s.Memory()
	for i := range embedBatch {
		keepText(t, m, fmt.Sprintf("thing number%d", i))
	}
	keepText(t, m, "umbrella")
	looked(t, m, "thing number")
	m.endpoint.work.Wait()
	if got := looked(t, m, "weather"); got == nil || got[0] != "umbrella" {
		t.Errorf("found %q", got)
	}
}

// TestEndpointUnfit does not use a model that cannot tell texts apart.
func TestEndpointUnfit(t *testing.T) {
	m := open(t, Options{StateDir: t.TempDir(), Endpoint: &Endpoint{Embedder: &meaning{name: "a", flat: true}}}).Memory()
	keepText(t, m, "umbrella")
	if got := looked(t, m, "weather"); got != nil {
		t.Errorf("found %q", got)
	}
	if says := m.Trouble(); !strings.Contains(says, "cannot tell texts apart") {
		t.Errorf("told %q", says)
	}
}
