package store

import (
	"cmp"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	bolt "go.etcd.io/bbolt"
)

// The kinds of patterns.
const (
	KindPattern = "pattern" // what solved a task
	KindFailure = "failure" // an error, and what fixed it once something did
)

const (
	memoryFile = "user.db"

	// MinSimilarity is the similarity below which two texts count as dissimilar. How it was
	// measured is in README.md.
	MinSimilarity = 0.12

	// maxPatterns is how many patterns are kept: the most that was measured, see README.md.
	maxPatterns = 100_000
	// dropShare is which part of the patterns is removed when there are too many, the least
	// useful ones: to find them all must be read.
	dropShare = 100

	// idLength is how much of a hash is an id, in hexadecimal digits.
	idLength = 32

	// maxPatternText is the longest text or solution in bytes: the core of one,
	// not a whole project.
	maxPatternText = 256 << 10

	// maxRecalled is the most that one call recalls: more fits in no prompt.
	maxRecalled = 50

	// minWorth is the worth below which a pattern is not recalled: two tasks that it did not help
	// and none that it did, or five with one.
	minWorth = 0.3

	// ignoredWeight is what a task counts that relied on another pattern, beside one that it did not
	// help: six such tasks are as two, for what does not fit here may fit elsewhere.
	ignoredWeight = 1.0 / 3

	// halfLife is after how long what was learnt counts half as fresh: projects change their
	// libraries about once a year.
	halfLife = 365 * 24 * time.Hour

	// candidates is how many times more patterns are looked at than are
	// recalled, so that success and use can lift one.
	candidates = 4
)

// The buckets of the user's database.
var (
	patternsBucket = []byte("patterns") // id -> pattern
	vectorsBucket  = []byte("vectors")  // embedder's name -> (id -> hash of the text, vector)

	generationKey = []byte("generation") // in metaBucket: counts the changes of texts and vectors
)

// Pattern is something learnt. Text is what it is found by: the task of a
// success, the normalised signature of a failure.
type Pattern struct {
	ID       string `json:"id"`   // "": made from Kind, Type and Text
	Kind     string `json:"kind"` // KindPattern, KindFailure or KindValidator
	Text     string `json:"text"`
	Solution string `json:"solution,omitempty"`
	Type     string `json:"type,omitempty"` // of the problem or the error
	Task     string `json:"task,omitempty"` // the id of the task it comes from
	// Language is that of the code which it changes, as the agent names languages; "" where none is known.
	Language string `json:"language,omitempty"`
	// Source says of one that was imported from where; "" for one that the user's own tasks have taught.
	Source string `json:"source,omitempty"`
	Uses   int    `json:"uses,omitempty"` // how often it was recalled
	// Trials is how many tasks of which the user has decided had it in their prompts, and
	// Successes how many of those the user has accepted.
	Trials    int `json:"trials,omitempty"`
	Successes int `json:"successes,omitempty"`
	// Ignored is how many such tasks had it in their prompts and relied on another.
	Ignored int `json:"ignored,omitempty"`
	// Taught is how many tasks have taught it; 0 for one that no task did, such as an imported one.
	Taught int `json:"taught,omitempty"`
}

// Recalled is a pattern with the similarity of its text to the text that was asked for,
// from 0 to 1: for the most part the cosine.
type Recalled struct {
	Pattern
	Similarity float64 `json:"similarity"`
}

// Kept is a pattern as the database holds it.
type Kept struct {
	Pattern
	Created time.Time `json:"created"`
}

// Memory is what was learnt in all of the user's workspaces. It holds the lock of its
// database only during an operation, so that several editors share it. It
// is safe for concurrent use; errors are *[Locked], *[Broken] and *[Unwritable] as
// those of [Open], of the embedder, and of ctx.
type Memory struct {
	path     string
	kept     kept
	clock    func() time.Time
	redact   func(string) string
	endpoint *endpoint // nil: no embeddings server

	mu     sync.Mutex // one operation at a time in this process
	tails  tails      // what was read of the index
	used   uses       // recalls that are not in the database yet
	met    []string   // ids of records that could not be read, and of which the user is to be told
	told   bool       // the user was told of some
	looked bool       // for those that cannot be read, among all records
}

func newMemory(path string, clock func() time.Time, redact func(string) string) *Memory {
	return &Memory{path: path, kept: kept{path: path}, clock: clock, redact: redact, tails: tails{}}
}

// with runs fn on the open database, to read and to write.
func (m *Memory) with(fn func(*database) error) error { return m.kept.with(fn) }

// view runs fn in a read transaction.
func (m *Memory) view(fn func(*bolt.Tx) error) error { return m.kept.view(fn) }

// Remember keeps a pattern. One that is known already, by ID or else by Kind,
// Type and Text, is brought up to date: an empty Solution or Task leaves the
// known one, and the larger counts remain. What a task has taught is said with
// [Memory.Learn].
func (m *Memory) Remember(ctx context.Context, p Pattern) error {
	p, err := m.checked(p)
	if err == nil {
		err = ctx.Err()
	}
	if err == nil {
		err = m.change(func(tx *bolt.Tx) error { return m.put(tx, p) })
	}
	if err != nil {
		return fmt.Errorf("remember a pattern: %w", err)
	}
	return nil
}

// change runs fn in a transaction, and erases what it has dropped.
func (m *Memory) change(fn func(*bolt.Tx) error) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.changeLocked(fn)
}

func (m *Memory) changeLocked(fn func(*bolt.Tx) error) error {
	return m.with(func(db *database) error {
		err := db.update(func(tx *bolt.Tx) error { return errors.Join(m.used.write(tx), fn(tx)) })
		if err != nil {
			return err
		}
		m.used.written()
		return db.eraseDropped()
	})
}

// checked is p as it is kept: without secrets, and with an id.
func (m *Memory) checked(p Pattern) (Pattern, error) {
	p.Text, p.Solution, p.Type = m.redact(strings.TrimSpace(p.Text)), m.redact(p.Solution), m.redact(p.Type)
	if p.ID == "" {
		p.ID = Hash([]byte(p.Kind + "\x00" + p.Type + "\x00" + p.Text))[:idLength]
	}
	return p, checkPattern(p)
}

func checkPattern(p Pattern) error {
	switch {
	case !slices.Contains(kinds, p.Kind):
		return fmt.Errorf("its kind is %q, not one of %q", p.Kind, kinds)
	case p.Text == "":
		return errors.New("its text is empty")
	case len(p.Text) > maxPatternText || len(p.Solution) > maxPatternText:
		return fmt.Errorf("its text or solution is longer than %d bytes: keep the core of it", maxPatternText)
	case min(p.Uses, p.Trials, p.Successes, p.Ignored, p.Taught) < 0:
		return errors.New("one of its counts is negative")
	case len(p.ID) > maxTask:
		return fmt.Errorf("its id is longer than %d bytes", maxTask)
	}
	return nil
}

// put merges p with what is known of it and writes it.
func (m *Memory) put(tx *bolt.Tx, p Pattern) error {
	if err := searchReady(tx); err != nil {
		return err
	}
	patterns := tx.Bucket(patternsBucket)
	now := Kept{Pattern: p, Created: m.clock().Round(0).UTC()}
	if old := readPattern(tx, p.ID); old != nil {
		now.Created = old.Created
		now.Solution = cmp.Or(p.Solution, old.Solution)
		now.Task, now.Language = cmp.Or(p.Task, old.Task), cmp.Or(p.Language, old.Language)
		now.Uses, now.Trials = max(p.Uses, old.Uses), max(p.Trials, old.Trials)
		now.Successes, now.Taught = max(p.Successes, old.Successes), max(p.Taught, old.Taught)
		now.Ignored = max(p.Ignored, old.Ignored)
		if old.Kind == p.Kind && old.Text == p.Text {
			return errors.Join(putPattern(patterns, now), nextGeneration(tx))
		}
		if err := removeRow(tx, p.ID); err != nil {
			return err
		}
	} else if err := errors.Join(removeRow(tx, p.ID), makeRoom(tx, maxPatterns)); err != nil { // of one that cannot be read there is a row
		return err
	}
	return errors.Join(putPattern(patterns, now), addRow(tx, p), nextGeneration(tx))
}

func putPattern(patterns *bolt.Bucket, p Kept) error {
	text, err := json.Marshal(p)
	if err != nil {
		return err
	}
	return patterns.Put([]byte(p.ID), text)
}

// decodePattern reads a pattern. One that cannot be read is passed over by whoever meets it, and [Memory.Unreadable]
// names it: it must keep nobody from the others.
func decodePattern(id string, v []byte) (p Kept, ok bool) {
	if json.Unmarshal(v, &p) != nil || !slices.Contains(kinds, p.Kind) {
		return Kept{}, false
	}
	p.ID = id
	return p, true
}

// makeRoom removes the least useful patterns when limit patterns are kept: those
// with the fewest successes, then uses, then the oldest.
func makeRoom(tx *bolt.Tx, limit int) error {
	if rowsOf(tx) < limit {
		return nil
	}
	var all []Kept
	err := tx.Bucket(patternsBucket).ForEach(func(k, v []byte) error {
		p, _ := decodePattern(string(k), v)          // one that cannot be read goes first
		p.ID, p.Text, p.Solution = string(k), "", "" // a hundred thousand of them
		all = append(all, p)
		return nil
	})
	if err != nil {
		return err
	}
	slices.SortFunc(all, func(a, b Kept) int {
		return cmp.Or(cmp.Compare(a.Successes, b.Successes), cmp.Compare(a.Uses, b.Uses), a.Created.Compare(b.Created))
	})
	for _, p := range all[:max(limit/dropShare, 1)] {
		if err := drop(tx, p.ID); err != nil {
			return err
		}
	}
	return nil
}

// drop removes a pattern with its vectors and its row.
func drop(tx *bolt.Tx, id string) error {
	vectors := tx.Bucket(vectorsBucket)
	err := vectors.ForEachBucket(func(embedder []byte) error {
		return vectors.Bucket(embedder).Delete([]byte(id))
	})
	return errors.Join(err, dropEndpoints(tx, id), removeRow(tx, id), tx.Bucket(patternsBucket).Delete([]byte(id)), toErase(tx))
}

// generation tells whether the texts or vectors have changed since an index
// was made, by this process or another.
func generation(tx *bolt.Tx) uint64 {
	v := tx.Bucket(metaBucket).Get(generationKey)
	if len(v) != 8 {
		return 0
	}
	return binary.BigEndian.Uint64(v)
}

// nextGeneration counts a change of patterns, and of the search index with them.
func nextGeneration(tx *bolt.Tx) error {
	next := key(int64(generation(tx) + 1))
	if inStep(tx) {
		if err := tx.Bucket(searchBucket).Put(searchStateKey, next); err != nil {
			return err
		}
	}
	return tx.Bucket(metaBucket).Put(generationKey, next)
}

// Recall returns the n patterns of a kind that are most useful for text: those
// most similar to it, the ones that have helped before first among near equals,
// and counts their use. Nothing similar means nothing recalled, without an error. One that has
// been tried and seldom led to a result that the user accepted is not recalled any longer.
func (m *Memory) Recall(ctx context.Context, kind, text string, n int) ([]Recalled, error) {
	return m.RecallOf(ctx, kind, text, n, nil)
}

// RecallOf is Recall of the patterns that keep accepts: the others take no place of theirs. keep is called while the memory is
// locked; nil accepts all.
func (m *Memory) RecallOf(ctx context.Context, kind, text string, n int, keep func(Pattern) bool) ([]Recalled, error) {
	return m.recall(ctx, wanted{kind, text, keep}, n, true)
}

// wanted is what a recall asks for.
type wanted struct {
	kind, text string
	keep       func(Pattern) bool // nil: all
}

// keeps reports whether a pattern of an id is there and wanted.
func (w wanted) keeps(tx *bolt.Tx, id string) bool {
	p := readPattern(tx, id)
	return p != nil && w.keep(p.Pattern)
}

// Look is Recall for people: it counts no use.
func (m *Memory) Look(ctx context.Context, kind, text string, n int) ([]Recalled, error) {
	return m.recall(ctx, wanted{kind: kind, text: text}, n, false)
}

func (m *Memory) recall(ctx context.Context, w wanted, n int, use bool) ([]Recalled, error) {
	find := m.find
	if m.endpoint != nil {
		find = m.recallBeside
	}
	found, err := find(ctx, w, min(n, maxRecalled), use)
	if err != nil {
		return nil, fmt.Errorf("recall a %s: %w", w.kind, err)
	}
	return found, nil
}

func (m *Memory) find(ctx context.Context, w wanted, n int, use bool) (found []Recalled, err error) {
	if n <= 0 {
		return nil, nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	err = m.search(ctx, w, n*candidates, nil, func(tx *bolt.Tx, similar []match) {
		found = m.ranked(tx, similar, n, use)
	})
	return found, err
}

// search finds what is similar, of the patterns whose ids among has; nil is all of them. It calls use with that, in the same
// transaction. The index is made first where there is none. The lock is held.
func (m *Memory) search(ctx context.Context, w wanted, n int, among map[string]bool, use func(*bolt.Tx, []match)) error {
	ready := false
	w.text = m.redact(w.text)
	read := func(tx *bolt.Tx) error {
		if ready = inStep(tx); !ready {
			return nil
		}
		similar, err := m.tails.search(ctx, tx, w, n, among)
		if err == nil {
			use(tx, similar)
		}
		return err
	}
	err := m.view(read)
	if err == nil && !ready {
		err = m.with(func(db *database) error { return errors.Join(db.update(searchReady), db.view(read)) })
	}
	return err
}

// ranked are the n best of what is similar, by their rank; use counts that they were recalled. The lock is held.
func (m *Memory) ranked(tx *bolt.Tx, similar []match, n int, use bool) (found []Recalled) {
	for _, c := range m.best(tx, similar, n) {
		if use {
			m.used.count(c.ID, m.writeUses)
		}
		c.Uses += m.used.of[c.ID]
		found = append(found, Recalled{c.Pattern, c.similarity})
	}
	return found
}

// candidate is a pattern that is similar to what was asked for.
type candidate struct {
	Kept
	similarity float64
}

// best reads the patterns that were found and returns the n best, by their rank. A pattern that is gone
// by now is left out.
func (m *Memory) best(tx *bolt.Tx, similar []match, n int) (found []candidate) {
	now := m.clock()
	for _, s := range similar {
		p := readPattern(tx, s.id)
		if p == nil && tx.Bucket(patternsBucket).Get([]byte(s.id)) != nil {
			m.met = append(m.met, s.id)
		}
		if p != nil && !p.Useless() {
			found = append(found, candidate{*p, s.similarity})
		}
	}
	slices.SortStableFunc(found, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(b.rank(now), a.rank(now)), cmp.Compare(a.ID, b.ID))
	})
	return found[:min(n, len(found))]
}

// worth is the share of tasks in which the pattern helped, of those that it was tried in: the mean of
// the Beta distribution that begins with one success and one failure, so that one without
// experience is in the middle.
func (p Pattern) worth() float64 {
	return float64(p.Successes+1) / (float64(max(p.Trials, p.Successes)+2) + ignoredWeight*float64(p.Ignored))
}

// Useless reports whether the pattern was tried and seldom helped, so that it is not recalled.
func (p Pattern) Useless() bool { return p.worth() < minWorth }

// rank is the similarity, raised or lowered by at most a sixth by what the
// pattern has achieved: enough to decide between near equals, never enough to
// put something else in front of the same thing. The more experience there is, the more it
// counts, and what was learnt long ago counts a little less.
func (c candidate) rank(now time.Time) float64 {
	experience := min(math.Log1p(float64(c.Successes))/math.Log(100), 1)
	fresh := math.Exp2(-max(now.Sub(c.Created).Hours(), 0) / halfLife.Hours())
	return c.similarity * (0.83 + 0.25*c.worth() + 0.05*experience + 0.02*fresh)
}
