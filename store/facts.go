package store

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"sync"
)

// What files declare and use is computed from their texts in seconds for a large project, and
// kept in a file beside the workspace's database, to which it is only added. It is a cache: a
// file that cannot be read as one is deleted and begun anew, nothing in it is ever the only
// copy, and it is written without waiting for the disk. What holds a secret is not kept.
//
// bbolt lost to it: reading back what a project of some thousand files declares took longer than
// reading the files, and a database has one owner, while a command may want it beside a server.
// Several processes add whole records; a record that is torn or damaged fails its checksum.

const (
	factsFile = "facts.db"

	// factsHead begins the file, before the version of the program that wrote it: others may find
	// other facts, so that a file of another version is begun anew.
	factsHead = "caselsp facts 2 "

	// maxFacts is the size in bytes of the file from which nothing is added, and from which
	// it is begun anew when it is opened: texts that were changed leave their facts behind. It holds
	// those of some 100,000 files.
	maxFacts = 256 << 20

	// maxFact is the largest value that is kept; larger ones are those of generated files.
	maxFact = 1 << 20

	// maxUnwritten is how many bytes are gathered before they are written.
	maxUnwritten = 4 << 20
)

// Facts is a cache of facts about texts. It is opened when it is first asked for: most
// commands need none. It is safe for concurrent use, and fails nothing: what cannot be kept is
// computed again.
type Facts struct {
	path    string
	version string
	redact  func(string) string

	mu      sync.Mutex
	opened  bool
	file    *os.File // nil: none could be opened, or closed
	size    int64
	at      map[string]span
	text    []byte // the file as it was opened, until Done
	pending []byte
	closed  bool
}

// span is where a value lies in the file.
type span struct {
	offset   int64
	size     uint32
	checksum uint32
}

// head begins a record: the checksum of all that follows it, and the sizes of key and value.
const recordHead = 12

// Facts returns the cache of the store's workspace, for a version of the program.
func (s *Store) Facts(version string) *Facts {
	s.factsMu.Lock()
	defer s.factsMu.Unlock()
	if s.facts == nil {
		s.facts = &Facts{path: filepath.Join(s.dir, factsFile), version: version, redact: s.Redact}
	}
	return s.facts
}

// closeFacts closes the cache.
func (s *Store) closeFacts() error {
	s.factsMu.Lock()
	defer s.factsMu.Unlock()
	if s.facts == nil {
		return nil
	}
	return s.facts.Close()
}

// FactsIn returns the cache of a workspace whose store another process may own. secrets are the secret values
// of its files, beside those of o; it is asked when the first fact is to be kept. Where it fails, none is kept.
func FactsIn(o Options, version string, secrets func() ([]string, error)) (*Facts, error) {
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
	f := &Facts{path: filepath.Join(dir, factsFile), version: version}
	redactor := sync.OnceValue(func() *redactor {
		values, err := secrets()
		if err != nil {
			return nil
		}
		return newRedactor(append(values, o.Secrets...))
	})
	f.redact = func(text string) string {
		if r := redactor(); r != nil {
			return r.text(text)
		}
		return mask // nothing is kept where it is not known what is secret
	}
	return f, nil
}

// open opens the file, anew where it is damaged, too large or of another version. f.mu is held.
func (f *Facts) open() {
	if f.opened || f.closed {
		return
	}
	f.opened = true
	for range 2 {
		file, err := os.OpenFile(f.path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
		if err != nil {
			return
		}
		if f.read(file) {
			f.file = file
			return
		}
		_ = file.Close()
		if os.Remove(f.path) != nil {
			return
		}
	}
}

// read finds the records of a file; false: it is none of this version, or damaged.
func (f *Facts) read(file *os.File) bool {
	head := factsHead + f.version + "\n"
	info, err := file.Stat()
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxFacts {
		return false
	}
	if info.Size() == 0 {
		_, err := file.WriteString(head)
		f.size, f.at = int64(len(head)), map[string]span{}
		return err == nil
	}
	text := make([]byte, info.Size())
	if _, err := io.ReadFull(file, text); err != nil || !bytes.HasPrefix(text, []byte(head)) {
		return false
	}
	at := map[string]span{}
	for i := len(head); i < len(text); {
		if len(text)-i < recordHead {
			return false
		}
		sum, key, value := binary.LittleEndian.Uint32(text[i:]), int(binary.LittleEndian.Uint32(text[i+4:])), int(binary.LittleEndian.Uint32(text[i+8:]))
		if key > maxFact || value > maxFact || len(text)-i-recordHead < key+value {
			return false
		}
		i += recordHead + key
		at[string(text[i-key:i])] = span{int64(i), uint32(value), sum}
		i += value
	}
	f.size, f.at, f.text = int64(len(text)), at, text
	return true
}

// Fact returns what was kept under a key; nil for nothing. It is not to be changed, and lasts
// until Done.
func (f *Facts) Fact(key string) []byte {
	f.mu.Lock()
	f.open()
	s, ok := f.at[key]
	text, file := f.text, f.file
	f.mu.Unlock()
	if !ok || file == nil {
		return nil
	}
	var value []byte
	if end := s.offset + int64(s.size); end <= int64(len(text)) {
		value = text[s.offset:end]
	} else {
		value = make([]byte, s.size)
		if _, err := file.ReadAt(value, s.offset); err != nil {
			return nil
		}
	}
	if checksum(key, value) != s.checksum {
		return nil
	}
	return value
}

func checksum(key string, value []byte) uint32 {
	sum := crc32.Update(0, crc32.IEEETable, []byte(key))
	return crc32.Update(sum, crc32.IEEETable, value)
}

// Keep keeps a value, if it holds no secret and is not too large.
func (f *Facts) Keep(key string, value []byte) {
	if len(value) > maxFact || len(key) > maxFact || f.redact(string(value)) != string(value) {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.open(); f.file == nil || f.size+int64(len(f.pending)+recordHead+len(key)+len(value)) > maxFacts {
		return
	}
	sum := checksum(key, value)
	f.pending = binary.LittleEndian.AppendUint32(f.pending, sum)
	f.pending = binary.LittleEndian.AppendUint32(f.pending, uint32(len(key)))
	f.pending = binary.LittleEndian.AppendUint32(f.pending, uint32(len(value)))
	f.pending = append(f.pending, key...)
	// Where another process adds, too, it lies elsewhere: its checksum says so.
	f.at[key] = span{f.size + int64(len(f.pending)), uint32(len(value)), sum}
	f.pending = append(f.pending, value...)
	if len(f.pending) > maxUnwritten {
		_ = f.write()
	}
}

// write adds what was gathered to the file, in one piece. f.mu is held.
func (f *Facts) write() error {
	if len(f.pending) == 0 {
		return nil
	}
	_, err := f.file.Write(f.pending)
	if err != nil { // perhaps half of it: nothing is added behind that
		_ = f.file.Close()
		f.file, f.at = nil, nil
		_ = os.Remove(f.path)
		err = fmt.Errorf("keep what files declare: %w", err)
	} else {
		f.size += int64(len(f.pending))
	}
	f.pending = nil
	return err
}

// Done writes what was to be kept, and lets go of the memory that reading took.
func (f *Facts) Done() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.text = nil
	return f.write()
}

// Close is Done for the last time. What is kept later is not kept.
func (f *Facts) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	err := f.write()
	if f.file != nil {
		err = errors.Join(err, f.file.Close())
	}
	f.file, f.at, f.text, f.closed = nil, nil, nil, true
	return err
}
