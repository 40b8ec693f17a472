package main

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"hash/crc32"
	"os"
	"path/filepath"
	"strings"
	"time"

	"caselsp/agent/workspace"

	"github.com/rogpeppe/go-internal/testscript"
	bolt "go.etcd.io/bbolt"
)

// The fixtures in testdata/state are state directories and recordings that
// released versions of caselsp have written: what people have must open in every
// later one. They are text. A state directory is JSON Lines, one [stateLine] a
// line. The scenarios' command `state NAME` makes databases of it again. This
// file reads and writes the database's format by itself, on purpose: it is the
// format of those versions, whatever package store does today.

// stateLine is a line of a fixture. The first has Made; one with File begins a
// database, and those after it are what is in it.
type stateLine struct {
	Made     *time.Time      `json:"made,omitempty"`     // when the fixture was made
	File     string          `json:"file,omitempty"`     // of a database, in the state directory; a workspace's folder is WORKSPACE
	Name     string          `json:"name,omitempty"`     // of that workspace, as its file "name" has it
	Bucket   []string        `json:"bucket,omitempty"`   // the path of the bucket
	Sequence uint64          `json:"sequence,omitempty"` // of the bucket; a line with it has no key
	Number   uint64          `json:"number,omitempty"`   // the key, if it has eight bytes and is a number
	Hex      string          `json:"hex,omitempty"`      // the key, if it is binary
	Key      string          `json:"key,omitempty"`      // the key, if it is text
	Record   json.RawMessage `json:"record,omitempty"`   // the value, if it is a record with its checksum
	Text     *string         `json:"text,omitempty"`     // the value, if it is text
	Base64   string          `json:"base64,omitempty"`   // the value, if it is binary
}

// stateRecord is a journal's record. Approvals expire, so loading a fixture makes its
// records as old as they were on the day when it was made.
type stateRecord struct {
	Seq  int64           `json:"seq"`
	Time time.Time       `json:"time"`
	Kind string          `json:"kind"`
	Body json.RawMessage `json:"body"`
}

const stateWork = "$WORK" // stands in a fixture for the scenario's folder

func stateCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 || len(args) > 2 {
		ts.Fatalf("usage: state NAME [AGE]")
	}
	var older time.Duration
	if len(args) == 2 {
		var err error
		older, err = time.ParseDuration(args[1])
		ts.Check(err)
	}
	text, err := os.ReadFile(filepath.Join("testdata/state", args[0]+".state.jsonl"))
	ts.Check(err)
	ts.Check(loadState(text, older, ts.Getenv("WORK"), filepath.Join(ts.Getenv("XDG_STATE_HOME"), "caselsp")))
}

func recordingCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: recording NAME FILE")
	}
	text, err := os.ReadFile(filepath.Join("testdata/state", args[0]+".recording.jsonl"))
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), text, 0o644))
}

// loadState makes the state directory that a fixture describes, for the folder work, as if it had been made so long before.
func loadState(text []byte, older time.Duration, work, dir string) error {
	text = bytes.ReplaceAll(text, []byte(stateWork), []byte(filepath.ToSlash(work)))
	var age time.Duration
	var db *bolt.DB
	done := func() error {
		if db == nil {
			return nil
		}
		return db.Close()
	}
	for line := range bytes.Lines(text) {
		var l stateLine
		if err := json.Unmarshal(line, &l); err != nil {
			return err
		}
		var err error
		switch {
		case l.Made != nil:
			age = time.Since(*l.Made) - older
		case l.File != "":
			if err = done(); err == nil {
				db, err = newStateFile(dir, l)
			}
		default:
			err = db.Update(func(tx *bolt.Tx) error { return l.put(tx, age) })
		}
		if err != nil {
			return err
		}
	}
	return done()
}

// newStateFile makes an empty database, and the file beside it that names its workspace.
func newStateFile(dir string, l stateLine) (*bolt.DB, error) {
	path := filepath.Join(dir, l.File)
	if l.Name != "" {
		w, err := workspace.Open(strings.Split(l.Name, ", ")...)
		if err != nil {
			return nil, err
		}
		path = filepath.Join(dir, strings.ReplaceAll(l.File, "WORKSPACE", w.ID()))
		if err := w.Close(); err != nil {
			return nil, err
		}
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	if l.Name != "" {
		if err := os.WriteFile(filepath.Join(filepath.Dir(path), "name"), []byte(l.Name+"\n"), 0o600); err != nil {
			return nil, err
		}
	}
	return bolt.Open(path, 0o600, &bolt.Options{NoSync: true})
}

// put writes what the line says, with a record's time later by age.
func (l stateLine) put(tx *bolt.Tx, age time.Duration) error {
	b, err := tx.CreateBucketIfNotExists([]byte(l.Bucket[0]))
	for _, name := range l.Bucket[1:] {
		if err == nil {
			b, err = b.CreateBucketIfNotExists([]byte(name))
		}
	}
	if err != nil {
		return err
	}
	key, err := l.key()
	switch {
	case err != nil:
		return err
	case len(key) == 0:
		return b.SetSequence(l.Sequence)
	}
	value, err := l.value(age)
	if err != nil {
		return err
	}
	return b.Put(key, value)
}

func (l stateLine) key() ([]byte, error) {
	if l.Number > 0 {
		return binary.BigEndian.AppendUint64(nil, l.Number), nil
	}
	if l.Hex != "" {
		return hex.DecodeString(l.Hex)
	}
	return []byte(l.Key), nil
}

func (l stateLine) value(age time.Duration) ([]byte, error) {
	switch {
	case l.Text != nil:
		return []byte(*l.Text), nil
	case l.Record == nil:
		return base64.StdEncoding.DecodeString(l.Base64)
	}
	var r stateRecord
	if err := json.Unmarshal(l.Record, &r); err != nil {
		return nil, err
	}
	r.Time = r.Time.Add(age).UTC()
	text, err := json.Marshal(r)
	if err != nil {
		return nil, err
	}
	return append(binary.BigEndian.AppendUint32(nil, checksum(text)), text...), nil
}

func checksum(text []byte) uint32 {
	return crc32.Checksum(text, crc32.MakeTable(crc32.Castagnoli))
}
