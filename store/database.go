package store

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	bolt "go.etcd.io/bbolt"
	bolterrors "go.etcd.io/bbolt/errors"
)

const (
	// ownerWait is how long Open waits for a workspace's lock: long enough for
	// an editor that is just closing, short enough for a person who waits.
	ownerWait = time.Second

	// memoryWait is how long an operation waits for the user's database, which
	// others hold for milliseconds only. bbolt asks again every 50 ms.
	memoryWait = 5 * time.Second

	// maxDatabase stops a runaway task before it fills the user's disk. It is
	// some hundred thousand staged files.
	maxDatabase = 16 << 30

	// writeTries is how often a write that failed for a transient reason is
	// tried in all; the pause before the next try starts at writePause and
	// grows tenfold. An editor's user does not notice 110 ms.
	writeTries = 3
	writePause = 10 * time.Millisecond
)

// format is the version of what the buckets hold.
const format = "1"

var (
	metaBucket = []byte("meta")
	formatKey  = []byte("format")
)

// database is one bbolt file. bbolt trusts its file: a damaged page ends in a
// panic or, where the file was truncated, in a fault of the memory map. Here
// both become a *Broken, once and for all: the state of bbolt is not known
// afterwards, so the file is not touched again.
type database struct {
	path   string
	bolt   *bolt.DB
	file   *os.File
	broken atomic.Pointer[Broken]
	pause  func(time.Duration)

	swapping sync.RWMutex // held while a smaller file takes the place of this one, see shrink
}

// openDatabase opens or creates the file, waits for its lock, and creates the
// buckets.
func openDatabase(path string, wait time.Duration, buckets ...[]byte) (*database, error) {
	until := time.Now().Add(wait)
	for {
		d, err := openNamed(path, wait, buckets)
		if err == nil && errors.Is(d.inPlace(), errMoved) {
			// Its owner has put a smaller file in its place while this process waited for the lock, see shrink.
			if err = d.close(); err == nil {
				err = &Locked{Path: path}
			}
			if time.Now().Before(until) {
				continue
			}
		}
		return d, err
	}
}

// openNamed opens the file that has the name at first.
func openNamed(path string, wait time.Duration, buckets [][]byte) (*database, error) {
	d := &database{path: path, pause: time.Sleep}
	err := d.guard(func() (err error) {
		d.bolt, err = bolt.Open(path, 0o600, d.options(wait))
		return err
	})
	if err != nil {
		err = d.openError(err)
	} else {
		err = d.check(buckets)
	}
	if err != nil {
		_ = d.close() // the first error counts
		return nil, err
	}
	return d, nil
}

// options differ from bbolt's defaults in four places. A database that is opened for single operations reads its
// list of free pages each time, as an array, which is faster. NoFreelistSync, which
// saves a third of a small commit, is not among them: with it every opening and
// every rollback reads the whole file, and a journal that only grows has hardly
// any free pages to write.
func (d *database) options(wait time.Duration) *bolt.Options {
	free := bolt.FreelistMapType
	if wait == memoryWait {
		free = bolt.FreelistArrayType
	}
	return &bolt.Options{
		Timeout:      wait, // the default is to block forever
		FreelistType: free,
		MaxSize:      int(min(int64(maxDatabase), int64(math.MaxInt))),
		NoStatistics: wait == memoryWait, // else they say how much of the file is free
		OpenFile: func(name string, flag int, mode os.FileMode) (*os.File, error) {
			f, err := os.OpenFile(name, flag, mode)
			d.file = f // bbolt loses it, lock and all, when Open panics
			return f, err
		},
	}
}

// openError says what an error of bbolt's Open means for the user. An error that
// does not come from the operating system comes from the file's content.
func (d *database) openError(err error) error {
	if errors.Is(err, bolterrors.ErrTimeout) {
		return &Locked{Path: d.path}
	}
	if info, err := os.Stat(d.path); err == nil && !info.Mode().IsRegular() {
		return &Broken{Path: d.path, Err: errors.New("not a regular file")}
	}
	var errno syscall.Errno
	if errors.As(err, &errno) {
		return unwritable(d.path, err)
	}
	var broken *Broken
	if errors.As(err, &broken) {
		return broken
	}
	return &Broken{Path: d.path, Err: err}
}

// check creates the buckets of a new file. Of an existing file it verifies that it
// is complete and was written by caselsp.
func (d *database) check(buckets [][]byte) error {
	fresh := false
	err := d.view(func(tx *bolt.Tx) (err error) {
		fresh, err = d.verify(tx, buckets)
		return err
	})
	if err != nil || !fresh {
		return err
	}
	return d.update(func(tx *bolt.Tx) error {
		for _, name := range buckets {
			if _, err := tx.CreateBucketIfNotExists(name); err != nil {
				return err
			}
		}
		meta, err := tx.CreateBucketIfNotExists(metaBucket)
		if err != nil {
			return err
		}
		return meta.Put(formatKey, []byte(format))
	})
}

// verify reports whether the file is a new one, or why it cannot be used.
func (d *database) verify(tx *bolt.Tx, buckets [][]byte) (fresh bool, err error) {
	info, err := os.Stat(d.path)
	if err != nil {
		return false, err
	}
	if info.Size() < tx.Size() {
		return false, &Broken{Path: d.path, Err: fmt.Errorf("the file has %d bytes of %d", info.Size(), tx.Size())}
	}
	meta := tx.Bucket(metaBucket)
	if meta == nil {
		if name, _ := tx.Cursor().First(); name != nil {
			return false, &Broken{Path: d.path, Err: errors.New("another program's database")}
		}
		return true, nil
	}
	if v := meta.Get(formatKey); !bytes.Equal(v, []byte(format)) {
		return false, fmt.Errorf("the store %s has format %q and this caselsp knows format %s: use the newer caselsp that wrote it", d.path, v, format)
	}
	for _, name := range buckets {
		if tx.Bucket(name) == nil {
			return false, &Broken{Path: d.path, Err: fmt.Errorf("its bucket %q is missing", name)}
		}
	}
	return false, nil
}

// view runs fn in a read transaction. fn must not begin another one.
func (d *database) view(fn func(*bolt.Tx) error) error {
	d.swapping.RLock()
	defer d.swapping.RUnlock()
	return d.guard(func() error { return d.bolt.View(fn) })
}

// update runs fn in a write transaction that is on the disk when update
// returns nil. fn may run several times, and a failed transaction may have reached
// the disk (its fsync failed, not its write): fn must detect that its work is
// already done.
func (d *database) update(fn func(*bolt.Tx) error) error {
	d.swapping.RLock()
	defer d.swapping.RUnlock()
	pause := writePause
	for try := 1; ; try++ {
		var refused error // fn's own error: not a failure of the disk
		err := d.guard(func() error {
			if err := d.inPlace(); err != nil {
				return err
			}
			return d.bolt.Update(func(tx *bolt.Tx) error {
				refused = fn(tx)
				return refused
			})
		})
		switch {
		case err == nil:
			return nil
		case try < writeTries && transient(err):
			d.pause(pause)
			pause *= 10
		case err == errClosed, err == refused && !errors.Is(err, bolterrors.ErrMaxSizeReached):
			return err
		default:
			return unwritable(d.path, err)
		}
	}
}

// inPlace reports whether the file still has its name. Writes to a file that was
// moved or deleted succeed, and are lost when it is closed.
func (d *database) inPlace() error {
	open, err := d.file.Stat()
	if err != nil {
		return nil // closed, as the transaction will say
	}
	named, err := os.Stat(d.path)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !os.SameFile(open, named) {
		return &Unwritable{Path: d.path, Advice: adviseMoved, Err: errMoved}
	}
	return nil
}

// errMoved says that the file of a database has its name no longer.
var errMoved = errors.New("the file was moved or deleted")

// errClosed is returned by a store that was closed.
var errClosed = errors.New("the store is closed")

// guard runs fn and turns panics and faults into errors.
func (d *database) guard(fn func() error) (err error) {
	if b := d.broken.Load(); b != nil {
		return b
	}
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if p := recover(); p != nil {
			b := &Broken{Path: d.path, Err: fmt.Errorf("%v", p)}
			if _, fault := p.(runtime.Error); fault { // its message would look like a bug of caselsp
				b.Err = fmt.Errorf("a page of it is damaged or missing: %v", p)
			}
			d.broken.Store(b)
			err = b
		}
		if errors.Is(err, bolterrors.ErrDatabaseNotOpen) {
			err = errClosed
		}
	}()
	return fn()
}

// close releases the lock. A broken database is not closed by bbolt, which may
// wait forever for a transaction that a panic left open: the file is closed
// under it, and its memory map stays until the process ends.
func (d *database) close() error {
	if d.bolt != nil && d.broken.Load() == nil {
		return unwritable(d.path, d.guard(d.bolt.Close))
	}
	if d.file != nil {
		unlock(d.file)
		_ = d.file.Close() // bbolt may have closed it before; nothing was written that is not synced
	}
	return nil
}
