package store

import (
	"errors"
	"sync"
	"time"

	bolt "go.etcd.io/bbolt"
)

// kept is the user's database, which stays open and mapped between operations, without its lock. To open it takes as long as
// to search it: the file is mapped, its list of free pages is read, and each page that is touched faults. Between two
// operations the file belongs to other processes, so what the next one relies on is compared under the lock, and where it differs
// the database is opened anew. A copy of the index in a file of its own lost to this: it would be a second truth to keep in step.
type kept struct {
	path string

	mu     sync.Mutex // one operation at a time
	db     *database  // nil: not open
	was    identity   // of the file to which belongs what db holds in memory
	mapped int64      // bytes that are mapped at least
	page   int64      // size of a page
	rest   *time.Timer
}

const (
	// keptFor is how long a database that nobody uses stays open: minutes of work lie between two recalls of a task.
	keptFor = 10 * time.Minute

	// relockPause is how long to wait before the lock is tried again: an operation of another process takes some
	// milliseconds.
	relockPause = 2 * time.Millisecond

	// metaPrefix is how much of a meta page is in use: 16 bytes of header, then 64 with a checksum.
	metaPrefix = 80
)

// identity tells whether a database has changed. Each transaction changes the meta pages, and whatever else writes, such as a
// backup that is copied over the file, the time of its change.
type identity struct {
	size  int64
	at    time.Time
	metas [2][metaPrefix]byte
}

// errStale says that the file does not fit what was kept open.
var errStale = errors.New("another process has changed the database")

// view runs fn in a read transaction. It needs what is mapped alone, which shows the changes of other processes.
func (k *kept) view(fn func(*bolt.Tx) error) error {
	return k.run(func(db *database) error { return db.view(fn) }, k.readable)
}

// with runs fn on the database. To write, bbolt relies on its list of free pages, too: nobody else may have written.
func (k *kept) with(fn func(*database) error) error {
	return k.run(fn, func() error { return errStale })
}

// run runs fn under the lock. Where the file has changed since the lock was given back, changed says whether what is open will do.
func (k *kept) run(fn func(*database) error, changed func() error) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.rest != nil {
		k.rest.Stop()
	}
	current := true
	if k.db != nil {
		err := k.relock()
		if err == nil {
			if err = k.same(); errors.Is(err, errStale) {
				current, err = false, changed()
			}
		}
		var locked *Locked
		if errors.As(err, &locked) {
			return err
		}
		if err != nil {
			k.close() // opening says what is wrong
		}
	}
	if k.db == nil {
		current = true
		if err := k.open(); err != nil {
			return err
		}
	}
	err := fn(k.db)
	if err == nil && relocks && (!current || k.note() == nil) {
		unlock(k.db.file)
		k.rest = time.AfterFunc(keptFor, k.release)
		return nil
	}
	return errors.Join(err, k.close())
}

func (k *kept) open() error {
	db, err := openUser(k.path)
	if err != nil {
		return err
	}
	info, err := db.file.Stat()
	if err != nil {
		return errors.Join(unwritable(k.path, err), db.close())
	}
	k.db, k.mapped, k.page = db, info.Size(), int64(db.bolt.Info().PageSize)
	return nil
}

// close closes the database, whose lock need not be held.
func (k *kept) close() error {
	if k.db == nil {
		return nil
	}
	db := k.db
	k.db = nil
	return db.close()
}

// release closes a database that nobody uses. The next operation opens it again.
func (k *kept) release() {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.rest != nil {
		k.rest.Stop()
	}
	_ = k.close() // each transaction is on the disk
}

// relock takes the lock again, and waits for it as long as opening does.
func (k *kept) relock() error {
	for until := time.Now().Add(memoryWait); ; time.Sleep(relockPause) {
		done, err := lock(k.db.file)
		if done || err != nil {
			return err
		}
		if time.Now().After(until) {
			return &Locked{Path: k.path}
		}
	}
}

// same reports whether the file is as it was: otherwise errStale, or why it cannot be used.
func (k *kept) same() error {
	if err := k.db.inPlace(); err != nil {
		return err
	}
	now, err := k.identity()
	if err == nil && now != k.was {
		err = errStale
	}
	return err
}

// note notes what the file is now, at the end of an operation that knew all of it.
func (k *kept) note() (err error) {
	k.was, err = k.identity()
	return err
}

// identity reads the file and not what is mapped of it, where a page may be gone.
func (k *kept) identity() (id identity, err error) {
	info, err := k.db.file.Stat()
	if err != nil {
		return id, err
	}
	id.size, id.at = info.Size(), info.ModTime()
	for i := range id.metas {
		if _, err := k.db.file.ReadAt(id.metas[i][:], int64(i)*k.page); err != nil {
			return id, err
		}
	}
	return id, nil
}

// readable reports whether a file that has changed can be read through what is mapped: it was not cut, and what its last
// transaction refers to lies within.
func (k *kept) readable() error {
	info, err := k.db.file.Stat()
	if err != nil || info.Size() < k.mapped {
		return errors.Join(errStale, err)
	}
	return k.db.view(func(tx *bolt.Tx) error {
		if tx.Size() > k.mapped {
			return errStale
		}
		fresh, err := k.db.verify(tx, userBuckets)
		if fresh {
			err = errStale
		}
		return err
	})
}
