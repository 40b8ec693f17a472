package store

import (
	"cmp"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	bolt "go.etcd.io/bbolt"
)

// UserMemory is the memory of the user, where no workspace is open. Of o, StateDir, Clock, Secrets
// and Endpoint count.
func UserMemory(o Options) (*Memory, error) {
	root, err := stateDir(o.StateDir)
	if err != nil {
		return nil, err
	}
	clock := o.Clock
	if clock == nil {
		clock = time.Now
	}
	redactor := newRedactor(o.Secrets)
	m := newMemory(filepath.Join(root, memoryFile), clock, redactor.text)
	m.endpoint = newEndpoint(m, o.Endpoint)
	return m, makeDirs(root)
}

// Close ends what the memory does in the background and closes its database, which opens again when it is used.
func (m *Memory) Close() {
	m.endpoint.close()
	m.writeUses()
	m.kept.release()
}

// lessonsBucket has what each task has taught: its key -> lesson. Files of older versions have
// none; it is made when the first is kept.
var lessonsBucket = []byte("lessons")

// maxLessons is how many tasks' lessons can still be changed: of an older one, the patterns
// stay as they are. A lesson takes some 300 bytes.
const maxLessons = 20_000

// Lesson is what a task teaches, by what the user has decided about its result. The zero value is
// the lesson of a task of which nothing is decided.
type Lesson struct {
	Patterns []Pattern // that are proven by it
	Uses     []Use     // of what was recalled for it
	Decided  bool      // the user has decided about the result: the uses count
}

// Use is one task's use of a pattern that was recalled for it.
type Use struct {
	ID      string `json:"id"`
	Helped  bool   `json:"helped,omitempty"`
	Ignored bool   `json:"ignored,omitempty"` // other patterns were relied on: weak evidence against it
}

// lesson is what the database holds of one, so that it can be taken back.
type lesson struct {
	Taught  []string `json:"taught,omitempty"` // ids of its patterns
	Uses    []Use    `json:"uses,omitempty"`
	Decided bool     `json:"decided,omitempty"`

	// Older versions kept the uses so: all of them helped where the user has accepted the result.
	Recalled []string `json:"recalled,omitempty"`
	Worked   bool     `json:"worked,omitempty"`
}

// uses are the uses of what was recalled, in whatever form they were kept.
func (l lesson) uses() []Use {
	uses := slices.Clone(l.Uses)
	for _, id := range l.Recalled {
		uses = append(uses, Use{ID: id, Helped: l.Worked})
	}
	return uses
}

// Learn keeps what a task teaches in place of what it has taught before: a user who changes their
// mind changes the lesson. A pattern that no task teaches any longer is removed, unless it was
// imported. Learning the same twice changes nothing. task is the task's id, and begins with its
// date.
func (m *Memory) Learn(ctx context.Context, task string, l Lesson) error {
	patterns := slices.Clone(l.Patterns)
	err := ctx.Err()
	now := lesson{Uses: l.Uses, Decided: l.Decided}
	for i := range patterns {
		var wrong error
		patterns[i].Task = cmp.Or(patterns[i].Task, task)
		patterns[i], wrong = m.checked(patterns[i])
		patterns[i].ID = lessonID(patterns[i])
		now.Taught = append(now.Taught, patterns[i].ID)
		err = errors.Join(err, wrong)
	}
	if err == nil {
		slices.Sort(now.Taught)
		now.Taught = slices.Compact(now.Taught)
		err = m.change(func(tx *bolt.Tx) error { return m.relearn(tx, task, now, patterns) })
	}
	if err != nil {
		return fmt.Errorf("learn from task %s: %w", task, err)
	}
	return nil
}

// lessonID is the id of what a task has taught. Two tasks teach the same where their solutions are the same, too:
// one error has more than one cause.
func lessonID(p Pattern) string {
	id := p.Kind + "\x00" + p.Type
	for _, s := range []string{p.Text, p.Solution} {
		id += "\x00" + strings.Join(words(s), " ")
	}
	return Hash([]byte(id))[:idLength]
}

// relearn replaces what a task has taught.
func (m *Memory) relearn(tx *bolt.Tx, task string, now lesson, patterns []Pattern) error {
	lessons, err := tx.CreateBucketIfNotExists(lessonsBucket)
	if err != nil {
		return err
	}
	var before lesson
	if v := lessons.Get([]byte(task)); v != nil && json.Unmarshal(v, &before) != nil {
		before = lesson{} // it cannot be read, and must not keep the task from teaching
	}
	for _, p := range patterns {
		if err := m.put(tx, p); err != nil {
			return err
		}
	}
	if err := count(tx, before, -1); err != nil {
		return err
	}
	if err := count(tx, now, 1); err != nil {
		return err
	}
	for _, id := range before.Taught {
		if err := untaught(tx, lessons, id, task, now); err != nil {
			return err
		}
	}
	text, err := json.Marshal(now)
	if err != nil {
		return err
	}
	known := lessons.Get([]byte(task)) != nil
	err = lessons.Put([]byte(task), text)
	if !known {
		err = errors.Join(err, countLesson(tx, lessons))
	}
	return errors.Join(err, nextGeneration(tx))
}

// untaught takes back what a task no longer teaches: a pattern that no other teaches is dropped, and one that another does is
// that task's.
func untaught(tx *bolt.Tx, lessons *bolt.Bucket, id, task string, now lesson) error {
	p := readPattern(tx, id)
	switch {
	case p == nil || slices.Contains(now.Taught, id):
		return nil
	case p.Taught == 0:
		return drop(tx, id)
	case p.Task != task:
		return nil
	}
	p.Task = ""
	c := lessons.Cursor()
	for k, v := c.Last(); k != nil && p.Task == ""; k, v = c.Prev() {
		var other lesson
		if string(k) != task && json.Unmarshal(v, &other) == nil && slices.Contains(other.Taught, id) {
			p.Task = string(k)
		}
	}
	return putPattern(tx.Bucket(patternsBucket), *p)
}

// lessonsKey is how many lessons there are, in metaBucket: to count them is to read them all.
var lessonsKey = []byte("lessons")

// countLesson counts a lesson that was added, and removes the oldest where there are too many.
func countLesson(tx *bolt.Tx, lessons *bolt.Bucket) error {
	meta := tx.Bucket(metaBucket)
	n := uint64(0)
	if v := meta.Get(lessonsKey); len(v) == 8 {
		n = binary.BigEndian.Uint64(v) + 1
	} else {
		n = uint64(lessons.Stats().KeyN) // once, in a file of an older caselsp
	}
	if n > maxLessons {
		oldest, _ := lessons.Cursor().First()
		if err := lessons.Delete(oldest); err != nil {
			return err
		}
		n--
	}
	return meta.Put(lessonsKey, key(int64(n)))
}

// count adds a lesson to the counts of its patterns, or takes it away. Patterns that are gone stay gone.
func count(tx *bolt.Tx, l lesson, by int) error {
	change := func(id string, f func(*Kept)) error {
		p := readPattern(tx, id)
		if p == nil {
			return nil
		}
		f(p)
		p.Trials, p.Successes, p.Ignored, p.Taught = max(p.Trials, 0), max(p.Successes, 0), max(p.Ignored, 0), max(p.Taught, 0)
		return putPattern(tx.Bucket(patternsBucket), *p)
	}
	for _, id := range l.Taught {
		if err := change(id, func(p *Kept) { p.Taught += by }); err != nil {
			return err
		}
	}
	if !l.Decided {
		return nil
	}
	for _, u := range l.uses() {
		err := change(u.ID, func(p *Kept) {
			switch {
			case u.Ignored:
				p.Ignored += by
			case u.Helped:
				p.Trials, p.Successes = p.Trials+by, p.Successes+by
			default:
				p.Trials += by
			}
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// readPattern returns a pattern, nil where there is none of that id that can be read.
func readPattern(tx *bolt.Tx, id string) *Kept {
	if v := tx.Bucket(patternsBucket).Get([]byte(id)); v != nil {
		if p, ok := decodePattern(id, v); ok {
			return &p
		}
	}
	return nil
}

// each calls fn with each record as the database has it.
func (m *Memory) each(fn func(id string, v []byte)) error {
	return m.view(func(tx *bolt.Tx) error {
		return tx.Bucket(patternsBucket).ForEach(func(k, v []byte) error {
			fn(string(k), v)
			return nil
		})
	})
}

// All returns what is remembered of a kind, the latest first; where kind is "", what tasks have taught, which leaves out
// validators. What cannot be read is left
// out: [Memory.Unreadable] names it.
func (m *Memory) All(ctx context.Context, kind string) (all []Kept, err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	err = m.each(func(id string, v []byte) {
		if p, ok := decodePattern(id, v); ok && (kind == "" && p.Kind != KindValidator || p.Kind == kind) {
			p.Uses += m.used.of[p.ID]
			all = append(all, p)
		}
	})
	if err != nil {
		return nil, fmt.Errorf("list the memory: %w", err)
	}
	slices.SortFunc(all, func(a, b Kept) int { return cmp.Or(b.Created.Compare(a.Created), cmp.Compare(a.ID, b.ID)) })
	return all, nil
}

// Forget removes patterns, and returns how many there were.
func (m *Memory) Forget(ctx context.Context, ids ...string) (forgotten int, err error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	err = m.change(func(tx *bolt.Tx) error {
		forgotten = 0
		for _, id := range ids {
			if tx.Bucket(patternsBucket).Get([]byte(id)) != nil {
				forgotten++
			}
			if err := drop(tx, id); err != nil {
				return err
			}
		}
		return nextGeneration(tx)
	})
	if err != nil {
		return 0, fmt.Errorf("forget: %w", err)
	}
	return forgotten, nil
}
