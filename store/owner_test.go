package store

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// answerOf returns how the one value of an answer is taken.
func answerOf(said *string) func(json.RawMessage, func(any) error) (bool, error) {
	return func(raw json.RawMessage, _ func(any) error) (bool, error) { return true, json.Unmarshal(raw, said) }
}

// ownedStore is a store in a directory that is too deep for the name of a socket.
func ownedStore(t *testing.T) (*Store, Options) {
	dir := filepath.Join(t.TempDir(), strings.Repeat("d", 120))
	if runtime.GOOS != "linux" {
		dir = t.TempDir() // names of sockets are short there
	}
	o := Options{StateDir: dir, Workspace: "w"}
	if err := AskOwner(t.Context(), o, "hello", "stop", answerOf(new(string))); !errors.Is(err, ErrNoOwner) {
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
		if err := AskOwner(t.Context(), o, "hello", "stop", answerOf(&said)); err != nil || said != `got "hello"` {
			t.Errorf("got %q, %v", said, err)
		}
		if err := stop(); err != nil {
			t.Error(err)
		}
		if err := AskOwner(t.Context(), o, "hello", "stop", answerOf(&said)); !errors.Is(err, ErrNoOwner) {
			t.Errorf("it serves no more: %v", err)
		}
	}
}

// TestOwnerConverses has an owner that tells something, asks something and answers; then it hears that who asked
// stops it, sees that they have left, and they see that the owner has.
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
			return nil
		}
		return "you said " + said
	})
	if err != nil {
		t.Fatal(err)
	}
	ask := func(ctx context.Context, does func(say func(any) error) error) (heard string, err error) {
		err = AskOwner(ctx, o, "hello", "stop", func(raw json.RawMessage, say func(any) error) (bool, error) {
			if heard += string(raw); string(raw) != `"which?"` {
				return true, nil
			}
			return false, does(say)
		})
		return heard, err
	}
	if heard, err := ask(t.Context(), func(say func(any) error) error { return say("this") }); err != nil || heard != `"which?""you said this"` {
		t.Errorf("heard %s, %v", heard, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	if heard, err := ask(ctx, func(func(any) error) error { cancel(); return nil }); err != nil || heard != `"which?""you said stop"` {
		t.Errorf("who asks stops it: heard %s, %v", heard, err)
	}
	left := errors.New("left")
	if _, err := ask(t.Context(), func(func(any) error) error { return left }); !errors.Is(err, left) {
		t.Errorf("who asks has left: %v", err)
	}
	if err := <-ended; !errors.Is(err, errAskerLeft) {
		t.Errorf("the owner sees %v", err)
	}
	stopped := make(chan error, 1)
	if _, err := ask(t.Context(), func(func(any) error) error { go func() { stopped <- stop() }(); return nil }); !errors.Is(err, ErrOwnerLeft) {
		t.Errorf("the owner has left: %v", err)
	}
	if err := errors.Join(<-stopped); err != nil {
		t.Error(err)
	}
	if err := <-ended; !errors.Is(err, ErrOwnerLeft) {
		t.Errorf("the owner ends with %v", err)
	}
}

// TestOwnerSocket looks at who may connect to the owner: the socket is the user's alone, and so is the
// process at each end.
func TestOwnerSocket(t *testing.T) {
	s, _ := ownedStore(t)
	stop, err := s.Serve(func(context.Context, *Exchange) any { return "" })
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = stop() }()
	info, err := os.Stat(filepath.Join(s.dir, socketFile))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the socket: %v, %v", info.Mode(), err)
	}
	near, far := net.Pipe()
	defer near.Close()
	defer far.Close()
	if samePeer(near) == nil {
		t.Error("what is no socket of the system is trusted")
	}
}
