package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	bolt "go.etcd.io/bbolt"
)

const (
	// endpointPatience is how long a recall waits for the server: somebody waits for the task. Afterwards
	// the built-in search answers alone.
	endpointPatience = 10 * time.Second
	// upkeepPatience is how long a recall waits for vectors of what was learnt since the last one, where one
	// request makes them.
	upkeepPatience = 2 * time.Second
	// endpointRest is how long a server that failed is not asked again.
	endpointRest = time.Minute
	// maxQueries is how many vectors of queries are kept in memory: a task asks the same again when it plans anew.
	maxQueries = 256
)

// Endpoint is a server of embeddings: what is remembered is found by its vectors beside the
// built-in search. While it does not answer, the built-in search answers alone.
type Endpoint struct {
	Embedder
	// Metered returns a context whose calls are counted, and what they have cost so far. nil: they are not.
	Metered func(context.Context) (context.Context, func() Cost)
	// TokenPrice is what a token costs, in US dollars; 0 where that is not known.
	TokenPrice float64
}

// Cost is what embeddings cost.
type Cost struct {
	Tokens  int     `json:"tokens"`
	Dollars float64 `json:"cost"` // by the configured prices
}

// endpoint is what the memory knows of its server. The lock of the memory is never waited for while its own is
// held.
type endpoint struct {
	Endpoint
	memory *Memory
	life   context.Context // ends with the memory
	end    context.CancelFunc
	work   sync.WaitGroup

	mu      sync.Mutex
	index   *nearest          // the vectors; nil before the first load
	spots   map[string]string // the kinds of the patterns in it, by their ids
	read    [3]uint64         // what it has: the generations of the patterns and of the vectors, and the dimension
	open    bool              // some had no vector when it was read
	queries map[string][]float32
	scale   *scale
	until   time.Time     // it is not asked before
	trouble string        // what the user is to be told
	down    bool          // the user was told that it does not answer
	upkeep  chan struct{} // closed when the upkeep that runs has ended; nil: none runs
}

func newEndpoint(m *Memory, e *Endpoint) *endpoint {
	if e == nil {
		return nil
	}
	life, end := context.WithCancel(context.Background())
	return &endpoint{Endpoint: *e, memory: m, life: life, end: end, queries: map[string][]float32{}}
}

// close ends the upkeep. The vectors that it has written stay, and the next one goes on with the rest.
func (e *endpoint) close() {
	if e != nil {
		e.end()
		e.work.Wait()
	}
}

type builtInKey struct{}

// BuiltInOnly returns a context whose recalls ask no server.
func BuiltInOnly(ctx context.Context) context.Context {
	return context.WithValue(ctx, builtInKey{}, true)
}

// Trouble returns what the user is to be told about the embeddings server, and about records that a recall could not
// read, once; "" for nothing.
func (m *Memory) Trouble() string {
	text := m.unreadMet()
	e := m.endpoint
	if e == nil {
		return text
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if text != "" && e.trouble != "" {
		text += "; "
	}
	text += e.trouble
	e.trouble = ""
	return text
}

// TokenPrice is what a token of a query costs, in US dollars; asks reports whether recalls ask a server.
func (m *Memory) TokenPrice() (dollars float64, asks bool) {
	if m.endpoint == nil {
		return 0, false
	}
	return m.endpoint.Endpoint.TokenPrice, true
}

// recallBeside is a recall by the built-in search and by the server's vectors: a pattern counts as similar as the
// higher of both says.
func (m *Memory) recallBeside(ctx context.Context, w wanted, n int, use bool) ([]Recalled, error) {
	most := n * candidates
	if w.keep != nil {
		most = max(most, sifted)
	}
	near := m.endpoint.search(ctx, w.kind, m.redact(w.text), most)
	if len(near) == 0 {
		return m.find(ctx, w, n, use)
	}
	found, err := m.find(ctx, w, min(n*candidates, maxRecalled), false)
	if err != nil {
		return nil, err
	}
	similar := map[string]float64{}
	for _, r := range found {
		near = append(near, match{id: r.ID, similarity: r.Similarity})
	}
	for _, s := range near {
		similar[s.id] = max(similar[s.id], s.similarity)
	}
	var all []match
	for _, id := range slices.Sorted(maps.Keys(similar)) {
		all = append(all, match{id: id, similarity: similar[id]})
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	var best []Recalled
	err = m.view(func(tx *bolt.Tx) error {
		if w.keep != nil {
			all = slices.DeleteFunc(all, func(one match) bool { return !w.keeps(tx, one.id) })
		}
		best = m.ranked(tx, all, n, use)
		return nil
	})
	return best, err
}

// search returns at most n patterns of a kind that are similar to a text; none where the server does not answer.
func (e *endpoint) search(ctx context.Context, kind, text string, n int) []match {
	e.mu.Lock()
	rests := e.memory.clock().Before(e.until)
	e.mu.Unlock()
	if off, _ := ctx.Value(builtInKey{}).(bool); rests || off || e.life.Err() != nil {
		return nil
	}
	within, cancel := context.WithTimeout(ctx, endpointPatience)
	defer cancel()
	query, err := e.query(within, text)
	if err == nil {
		err = e.current(within, len(query))
	}
	if err != nil {
		if ctx.Err() == nil {
			e.failed(err)
		}
		return nil
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.scale == nil {
		return nil // it is not known yet what a cosine of this model says
	}
	found, err := e.index.near(ctx, kind, query, n+tied)
	if err != nil {
		return nil
	}
	var near []match
	for _, f := range found {
		if similar := e.scale.similarity(f.similarity); similar >= MinSimilarity {
			near = append(near, match{id: f.id, similarity: similar})
		}
	}
	slices.SortFunc(near, func(a, b match) int {
		return cmp.Or(cmp.Compare(b.similarity, a.similarity), cmp.Compare(a.id, b.id))
	})
	return near[:min(n, len(near))]
}

// tied is how many more vectors are asked for than are wanted: of equal ones chromem-go gives any.
const tied = 16

// query is the vector of a text.
func (e *endpoint) query(ctx context.Context, text string) ([]float32, error) {
	e.mu.Lock()
	known := e.queries[text]
	e.mu.Unlock()
	if known != nil {
		return known, nil
	}
	vectors, err := e.embed(ctx, []string{text})
	if err != nil {
		return nil, err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.queries) >= maxQueries {
		clear(e.queries)
	}
	e.queries[text] = vectors[0]
	return vectors[0], nil
}

// embed returns vectors of length one, all of the same number of dimensions.
func (e *endpoint) embed(ctx context.Context, texts []string) ([][]float32, error) {
	vectors, err := e.Embed(ctx, texts)
	if err != nil {
		return nil, err
	}
	if len(vectors) != len(texts) {
		return nil, fmt.Errorf("%s gave %d vectors for %d texts", e.Name(), len(vectors), len(texts))
	}
	for i, v := range vectors {
		if vectors[i] = unit(v); isZero(vectors[i]) || len(v) != len(vectors[0]) {
			return nil, fmt.Errorf("%s gave a vector that cannot be compared", e.Name())
		}
	}
	return vectors, nil
}

// failed lets the server rest, and has the user told once.
func (e *endpoint) failed(err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.until = e.memory.clock().Add(endpointRest)
	if e.life.Err() == nil && !e.down {
		e.down = true
		e.trouble = "the embeddings server is not used, and memory is searched by words: " + err.Error()
	}
}

// current has the index brought up to date for vectors of a dimension. What has no vector yet is embedded meanwhile: where that
// is one request, it is waited for.
func (e *endpoint) current(ctx context.Context, dimension int) error {
	missing, err := e.load(dimension)
	if err != nil {
		return err
	}
	e.mu.Lock()
	if len(missing) == 0 && e.scale != nil {
		e.down = false
		e.mu.Unlock()
		return nil
	}
	if e.upkeep == nil {
		ended := make(chan struct{})
		e.upkeep = ended
		e.work.Go(func() {
			err := e.embedMissing(e.life, nil)
			e.mu.Lock()
			e.upkeep = nil
			e.mu.Unlock()
			if err != nil {
				e.failed(err)
			}
			close(ended)
		})
	}
	ended := e.upkeep
	e.mu.Unlock()
	if len(missing) > embedBatch {
		return nil
	}
	patience := time.NewTimer(upkeepPatience)
	defer patience.Stop()
	select {
	case <-ended:
	case <-patience.C:
	case <-ctx.Done():
	}
	_, err = e.load(dimension)
	return err
}

// errNoEndpoint is returned where no server of embeddings is set.
var errNoEndpoint = errors.New("no embeddings server is set: see memory.model in `caselsp help settings`")

// EmbedAll embeds what has no vector of the embeddings server yet, and tells after each request how much
// of all is done. What is done stays done when it ends early.
func (m *Memory) EmbedAll(ctx context.Context, tell func(Embedded)) error {
	if m.endpoint == nil {
		return errNoEndpoint
	}
	if err := m.endpoint.embedMissing(ctx, tell); err != nil {
		return fmt.Errorf("embed what is remembered: %w", err)
	}
	return nil
}

// embedMissing embeds in batches what has no vector yet, and finds out first what the model's cosines say.
func (e *endpoint) embedMissing(ctx context.Context, tell func(Embedded)) error {
	counted := func() Cost { return Cost{} }
	if e.Metered != nil {
		ctx, counted = e.Metered(ctx)
	}
	booked := Cost{}
	spent := func() Cost { // since it was asked last
		now := counted()
		since := Cost{now.Tokens - booked.Tokens, now.Dollars - booked.Dollars}
		booked = now
		return since
	}
	dimension, err := e.calibrate(ctx, spent)
	if err != nil {
		return err
	}
	missing, err := e.load(dimension)
	if err != nil {
		return err
	}
	for batch := range slices.Chunk(missing, embedBatch) {
		texts := make([]string, len(batch))
		for i, p := range batch {
			texts[i] = e.memory.redact(p.text)
		}
		vectors, err := e.embed(ctx, texts)
		if err != nil {
			return err
		}
		if err := e.keep(batch, vectors, spent()); err != nil {
			return err
		}
		if tell != nil {
			now, err := e.memory.Embedded(ctx)
			if err != nil {
				return err
			}
			tell(now)
		}
	}
	return nil
}
