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

// answerOf returns how the one value of an answer is taken.
func answerOf(said *string) func(json.RawMessage) (any, bool, error) {
	return func(raw json.RawMessage) (any, bool, error) { return nil, true, json.Unmarshal(raw, said) }
}

// ownedStore is a store in a directory that is too deep for the name of a socket.
func ownedStore(t *testing.T) (*Store, Options) {
	dir := filepath.Join(t.TempDir(), strings.Repeat("d", 120))
	if runtime.GOOS != "linux" {
		dir = t.TempDir() // names of sockets are short there
	}
	o := Options{StateDir: dir, Workspace: "w"}
	var locked *Locked
	if err := AskOwner(t.Context(), o, "hello", answerOf(new(string))); !errors.As(err, &locked) {
		t.Errorf("nobody answers: %v", err)
	}
	s, err := Open(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s, o
}

// TestOwner asks the owner of a store; one that does not serve is only known to have it.
func TestOwner(t *testing.T) {
	s, o := ownedStore(t)
	for range 2 { // the socket is made anew
		stop, err := s.Serve(func(_ context.Context, x *Exchange) any { return "got " + string(x.Request) })
		if err != nil {
			t.Fatal(err)
		}
		var said string
		if err := AskOwner(t.Context(), o, "hello", answerOf(&said)); err != nil || said != `got "hello"` {
			t.Errorf("got %q, %v", said, err)
		}
		if err := stop(); err != nil {
			t.Error(err)
		}
		var locked *Locked
		if err := AskOwner(t.Context(), o, "hello", answerOf(&said)); !errors.As(err, &locked) {
			t.Errorf("it serves no more: %v", err)
		}
	}
}

// TestOwnerConverses has an owner that tells something, asks something and answers; then it sees that who asked
// has left, and who asks that the owner has.
func TestOwnerConverses(t *testing.T) {
	s, o := ownedStore(t)
	ended := make(chan error, 2)
	stop, err := s.Serve(func(ctx context.Context, x *Exchange) any {
		if err := x.Tell("which?"); err != nil {
			return err.Error()
		}
		var said string
		if err := x.Hear(ctx, &said); err != nil {
			ended <- err
			return ""
		}
		return "you said " + said
	})
	if err != nil {
		t.Fatal(err)
	}
	var heard []string
	say := func(say any, end func()) func(json.RawMessage) (any, bool, error) {
		return func(raw json.RawMessage) (any, bool, error) {
			heard = append(heard, string(raw))
			if end != nil {
				end()
				return nil, false, nil
			}
			return say, len(heard) == 2, nil
		}
	}
	if err := AskOwner(t.Context(), o, "hello", say("this", nil)); err != nil || strings.Join(heard, " ") != `"which?" "you said this"` {
		t.Errorf("heard %q, %v", heard, err)
	}
	ctx, leave := context.WithCancel(t.Context())
	if err := AskOwner(ctx, o, "hello", say(nil, leave)); !errors.Is(err, context.Canceled) {
		t.Errorf("who asks has left: %v", err)
	}
	if err := <-ended; !errors.Is(err, errAskerLeft) {
		t.Errorf("the owner sees %v", err)
	}
	stopped := make(chan error, 1)
	if err := AskOwner(t.Context(), o, "hello", say(nil, func() { go func() { stopped <- stop() }() })); err != nil && !errors.Is(err, ErrOwnerLeft) {
		t.Errorf("the owner has left: %v", err)
	}
	if err := errors.Join(<-stopped); err != nil {
		t.Error(err)
	}
	if err := <-ended; !errors.Is(err, ErrOwnerLeft) {
		t.Errorf("the owner ends with %v", err)
	}
}
