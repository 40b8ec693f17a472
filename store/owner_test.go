package store

import (
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// TestOwner asks the owner of a store, in a directory that is too deep for the name of a socket;
// who does not serve is only known to have it.
func TestOwner(t *testing.T) {
	dir := filepath.Join(t.TempDir(), strings.Repeat("d", 120))
	if runtime.GOOS != "linux" {
		dir = t.TempDir() // names of sockets are short there
	}
	o := Options{StateDir: dir, Workspace: "w"}
	var locked *Locked
	if err := AskOwner(o, "hello", new(string)); !errors.As(err, &locked) {
		t.Errorf("nobody answers: %v", err)
	}
	s, err := Open(o)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for range 2 { // the socket is made anew
		stop, err := s.Serve(func(_ context.Context, raw json.RawMessage) any { return "got " + string(raw) })
		if err != nil {
			t.Fatal(err)
		}
		var said string
		if err := AskOwner(o, "hello", &said); err != nil || said != `got "hello"` {
			t.Errorf("got %q, %v", said, err)
		}
		if err := stop(); err != nil {
			t.Error(err)
		}
		if err := AskOwner(o, "hello", &said); !errors.As(err, &locked) {
			t.Errorf("it serves no more: %v", err)
		}
	}
}
