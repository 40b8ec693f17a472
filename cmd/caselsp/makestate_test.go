//go:build fixtures

package main

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/rogpeppe/go-internal/testscript"
	bolt "go.etcd.io/bbolt"
)

var (
	oldBinary = flag.String("old", "", "the caselsp with which TestMakeState makes a fixture")
	oldName   = flag.String("as", "", "the name of the fixture that TestMakeState writes, such as the version or commit of -old")
)

// TestMakeState makes the fixtures that state_test.go describes with the caselsp in
// -old. It compares nothing, so it has a build tag of its own.
func TestMakeState(t *testing.T) {
	if *oldBinary == "" || *oldName == "" {
		t.Fatal("TestMakeState needs -old and -as")
	}
	p := scenarios(t, "")
	p.Files = []string{"testdata/state/make.txtar"}
	setup := p.Setup
	p.Setup = func(env *testscript.Env) error {
		env.Setenv("OLD", *oldBinary)
		return setup(env)
	}
	p.Cmds["dumpstate"], p.Cmds["dumprecording"] = dumpStateCommand, dumpRecordingCommand
	testscript.Run(t, p)
}

func dumpStateCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) > 0 {
		ts.Fatalf("usage: dumpstate")
	}
	text, err := dumpState(ts.Getenv("WORK"), filepath.Join(ts.Getenv("XDG_STATE_HOME"), "caselsp"))
	ts.Check(err)
	ts.Check(os.WriteFile(filepath.Join("testdata/state", *oldName+".state.jsonl"), text, 0o644))
}

func dumpRecordingCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: dumprecording FOLDER")
	}
	ts.Check(ts.Exec(*oldBinary, "history", "--dir", args[0]))
	id, _, _ := strings.Cut(ts.ReadFile("stdout"), " ")
	to, err := filepath.Abs(filepath.Join("testdata/state", *oldName+".recording.jsonl"))
	ts.Check(err)
	ts.Check(ts.Exec(*oldBinary, "export", "--dir", args[0], "-o", to, id))
}

// dumpState is the inverse of loadState.
func dumpState(work, dir string) ([]byte, error) {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	now := time.Now().UTC().Truncate(time.Second)
	if err := enc.Encode(stateLine{Made: &now}); err != nil {
		return nil, err
	}
	files, err := filepath.Glob(filepath.Join(dir, "workspaces", "*", "caselsp.db"))
	if err != nil {
		return nil, err
	}
	for _, path := range append(files, filepath.Join(dir, "user.db")) {
		l := stateLine{File: "user.db"}
		if filepath.Base(path) != l.File {
			name, err := os.ReadFile(filepath.Join(filepath.Dir(path), "name"))
			if err != nil {
				return nil, err
			}
			l = stateLine{File: "workspaces/WORKSPACE/caselsp.db", Name: strings.TrimSpace(string(name))}
		}
		if err := enc.Encode(l); err != nil {
			return nil, err
		}
		db, err := bolt.Open(path, 0o600, nil)
		if err != nil {
			return nil, err
		}
		err = db.View(func(tx *bolt.Tx) error {
			return tx.ForEach(func(name []byte, b *bolt.Bucket) error {
				return dumpBucket(enc, b, []string{string(name)})
			})
		})
		if err != nil {
			return nil, err
		}
		if err := db.Close(); err != nil {
			return nil, err
		}
	}
	return bytes.ReplaceAll(out.Bytes(), []byte(work), []byte(stateWork)), nil
}

func dumpBucket(enc *json.Encoder, b *bolt.Bucket, path []string) error {
	if err := enc.Encode(stateLine{Bucket: path, Sequence: b.Sequence()}); err != nil {
		return err
	}
	return b.ForEach(func(k, v []byte) error {
		if v == nil {
			return dumpBucket(enc, b.Bucket(k), append(slices.Clone(path), string(k)))
		}
		l := stateLine{Bucket: path}
		switch {
		case len(k) == 8 && k[0] == 0:
			l.Number = binary.BigEndian.Uint64(k)
		case utf8.Valid(k):
			l.Key = string(k)
		default:
			l.Hex = hex.EncodeToString(k)
		}
		switch {
		case len(v) > 4 && json.Valid(v[4:]) && binary.BigEndian.Uint32(v) == checksum(v[4:]):
			l.Record = v[4:]
		case utf8.Valid(v):
			text := string(v)
			l.Text = &text
		default:
			l.Base64 = base64.StdEncoding.EncodeToString(v)
		}
		return enc.Encode(l)
	})
}
