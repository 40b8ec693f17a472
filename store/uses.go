package store

import (
	"errors"
	"time"

	bolt "go.etcd.io/bbolt"
)

// usesDelay is how long recalls are counted in this process before they are written: a recall would wait for the disk longer
// than it searches. A process that is killed loses the count of its last second, and nothing else.
const usesDelay = time.Second

// uses counts recalls that are not in the database yet. The memory's lock is held by whoever uses it.
type uses struct {
	of    map[string]int // by id
	timer *time.Timer    // runs while there are some
}

// count counts one, and has all written soon.
func (u *uses) count(id string, write func()) {
	if u.of == nil {
		u.of = map[string]int{}
	}
	u.of[id]++
	if u.timer == nil {
		u.timer = time.AfterFunc(usesDelay, write)
	}
}

// write adds what was counted to the patterns.
func (u *uses) write(tx *bolt.Tx) (err error) {
	for id, n := range u.of {
		if p := readPattern(tx, id); p != nil {
			p.Uses += n
			err = errors.Join(err, putPattern(tx.Bucket(patternsBucket), *p))
		}
	}
	return err
}

// written begins anew: what was counted is in the database.
func (u *uses) written() {
	if u.timer != nil {
		u.timer.Stop()
	}
	*u = uses{}
}

// writeUses writes what was counted. What cannot be written now, such as on a full disk, goes with the next change.
func (m *Memory) writeUses() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.used.of) > 0 && m.changeLocked(func(*bolt.Tx) error { return nil }) != nil {
		m.used.timer = nil // the next recall tries again
	}
}
