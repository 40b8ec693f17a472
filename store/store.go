// Package store keeps the state directory: the journal of every task and the
// bytes that it refers to, what was learnt from past tasks, the documents that
// a person reviews, and the log.
//
// It hides where the state directory is (XDG_STATE_HOME and its equivalents),
// bbolt, chromem-go, and the failures of a disk. It never touches a workspace, never deletes
// or repairs a file that it cannot read, but for that cache, and opens no connection.
//
// Two databases: one per workspace (caselsp.db), owned by one process from
// [Open] to [Store.Close], with a cache beside it (facts.db), and one for the user (user.db), locked for each
// operation of [Memory] only, so that editors on different projects learn from
// each other. SQLite lost to bbolt because it needs cgo or a large translation
// and the journal asks for nothing but ordered keys; chromem-go's own files lost
// to bbolt because they do not survive a crash, so vectors are kept in bbolt and
// chromem-go only searches them in memory.
//
// Redaction stands at the journal's only door: nothing becomes a record, a log
// line or a memory before its secrets are masked. Blobs and documents are exempt
// on purpose: they are the user's own files, which must be restored byte for byte
// and reviewed as they are. They are kept in files of mode 0600.
package store

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	bolt "go.etcd.io/bbolt"
)

// Options say which store to open. Workspace is required.
type Options struct {
	StateDir  string           // "": the user's state directory, see [Open]
	Workspace string           // the workspace's id, as workspace.ID gives it; a folder is named after it
	Name      string           // what people know the workspace by, such as its root folders
	Clock     func() time.Time // stamps records; nil: time.Now
	Secrets   []string         // values to redact wherever they occur, see [Store.Conceal]
	Endpoint  *Endpoint        // a server of embeddings beside the built-in search; nil: none
}

// Store is the state of one workspace, owned by this process, and the door to
// the user's memory. It is safe for concurrent use.
type Store struct {
	dir    string // of the workspace
	clock  func() time.Time
	db     *database
	memory *Memory
	closed sync.Once

	factsMu sync.Mutex
	facts   *Facts // the cache; nil until it is asked for

	secrets  sync.Mutex // held while known is replaced
	redactor atomic.Pointer[redactor]
}

const (
	databaseFile = "caselsp.db"
	ownerFile    = "owner" // the process id of the store's owner, in decimal
	nameFile     = "name"  // Options.Name: tells a person whose folder this is
)

// The buckets of a workspace's database.
var (
	journalsBucket = []byte("journals") // task id -> (sequence number -> record)
	tasksBucket    = []byte("tasks")    // order of creation -> task id
	blobsBucket    = []byte("blobs")    // SHA-256 -> bytes
)

// Open opens the store of a workspace and makes this process its owner. It creates
// what does not exist yet. Without Options.StateDir the state directory is
// $XDG_STATE_HOME/caselsp, else in ~/.local/state/caselsp (macOS:
// ~/Library/Application Support/caselsp, Windows: %LocalAppData%\caselsp).
//
// Errors: a *[Locked] when another process, or this one, has it open, found
// after at most one second; a *[Broken] when its file is not readable as a store;
// an *[Unwritable] when the directory cannot be made or written.
func Open(o Options) (*Store, error) {
	if err := checkName("workspace id", o.Workspace); err != nil {
		return nil, err
	}
	root, err := stateDir(o.StateDir)
	if err != nil {
		return nil, err
	}
	dir := filepath.Join(root, "workspaces", o.Workspace)
	if err := makeDirs(root, filepath.Join(root, "workspaces"), dir); err != nil {
		return nil, err
	}
	if err := emptied(dir); err != nil {
		return nil, err
	}
	db, err := openDatabase(filepath.Join(dir, databaseFile), ownerWait, journalsBucket, tasksBucket, blobsBucket)
	if err != nil {
		var locked *Locked
		if errors.As(err, &locked) {
			locked.PID = readOwner(dir)
		}
		return nil, err
	}
	s := &Store{dir: dir, clock: o.Clock, db: db}
	if err := removeStale(db.path + shrinkSuffix); err != nil { // of a process that was killed; this one has the lock
		return nil, errors.Join(err, db.close())
	}
	if s.clock == nil {
		s.clock = time.Now
	}
	s.redactor.Store(newRedactor(o.Secrets))
	s.memory = newMemory(filepath.Join(root, memoryFile), s.clock, s.Redact)
	s.memory.endpoint = newEndpoint(s.memory, o.Endpoint)
	if err := s.sign(o.Name); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// emptied refuses an empty database file where a store existed before: bbolt would
// treat it as a new database, and the tasks would be lost silently.
func emptied(dir string) error {
	path := filepath.Join(dir, databaseFile)
	info, err := os.Stat(path)
	if err != nil || info.Size() > 0 || !info.Mode().IsRegular() {
		return nil // opening it will say what is wrong
	}
	if _, err := os.Stat(filepath.Join(dir, nameFile)); err != nil {
		return nil // the process that created it was killed before it wrote the first page
	}
	return &Broken{Path: path, Err: errors.New("it is empty")}
}

// sign writes the files that tell other processes and people whose store this is.
func (s *Store) sign(name string) error {
	if err := writeFile(filepath.Join(s.dir, ownerFile), []byte(strconv.Itoa(os.Getpid()))); err != nil {
		return err
	}
	path := filepath.Join(s.dir, nameFile)
	if old, err := os.ReadFile(path); name == "" || err == nil && string(old) == name+"\n" {
		return nil
	}
	return writeFile(path, []byte(name+"\n"))
}

// readOwner returns the process id that the owner of the store in dir left
// there, 0 when there is none. The lock decides about ownership; this only names the owner.
func readOwner(dir string) int {
	text, err := os.ReadFile(filepath.Join(dir, ownerFile))
	if err != nil {
		return 0
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		return 0
	}
	return pid
}

// Close releases the store. Calls after the first do nothing.
func (s *Store) Close() error {
	var err error
	s.closed.Do(func() {
		s.memory.Close()
		// Before the lock is released: afterwards it would be the next owner's file.
		_ = os.Remove(filepath.Join(s.dir, ownerFile)) // a stale one does no harm: the lock decides
		err = errors.Join(s.closeFacts(), s.db.close())
	})
	return err
}

// Tasks returns the ids of all tasks that have a journal, oldest first.
func (s *Store) Tasks() ([]string, error) {
	var tasks []string
	err := s.db.view(func(tx *bolt.Tx) error {
		tasks = nil
		return tx.Bucket(tasksBucket).ForEach(func(_, id []byte) error {
			tasks = append(tasks, string(id))
			return nil
		})
	})
	if err != nil {
		return nil, fmt.Errorf("list the tasks: %w", err)
	}
	return tasks, nil
}

// Memory returns what was learnt from past tasks in all of the user's
// workspaces. It stays usable after Close, without an embeddings server.
func (s *Store) Memory() *Memory { return s.memory }
