package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"unicode/utf8"

	"caselsp/agent"
	"caselsp/agent/workspace"
	"caselsp/lsp"
	"caselsp/store"
)

// One process owns a workspace's store, and several may need it: an editor's server, and terminals. What a
// command does in the store is a verb. A verb is done in the process that owns the store, with the seat of the
// command that asks for it: here, where no other process owns it, else over the owner's socket (see owner.go).
// Both ways are this one function, so that a command that is a verb needs nothing more to work beside
// an editor; and a test holds that no command opens the store in another way.

// verb is something that a command does in the store, with arguments that can be sent.
type verb[A any] struct {
	name string
	// works says that it runs tasks or threads: it is shown as it happens, and settings count, so that it is
	// not done where those of the command line do not.
	works bool
}

// doing is a verb, by the arguments as they are sent.
type doing struct {
	do    func(ctx context.Context, e *engine, s *seat, args json.RawMessage) error
	works bool
}

// verbs are all of them, by name.
var verbs = map[string]doing{}

// reads makes a verb that looks at the store, or changes it in one step.
func reads[A any](name string, do func(ctx context.Context, e *engine, s *seat, a A) error) verb[A] {
	return addVerb(name, false, do)
}

// works makes a verb that runs a task or a thread.
func works[A any](name string, do func(ctx context.Context, e *engine, s *seat, a A) error) verb[A] {
	return addVerb(name, true, do)
}

func addVerb[A any](name string, live bool, do func(ctx context.Context, e *engine, s *seat, a A) error) verb[A] {
	verbs[name] = doing{works: live, do: func(ctx context.Context, e *engine, s *seat, args json.RawMessage) error {
		var a A
		dec := json.NewDecoder(bytes.NewReader(args))
		dec.DisallowUnknownFields() // what is not understood may matter
		if err := dec.Decode(&a); err != nil {
			return usage(fmt.Errorf("the process that works on this workspace does not understand %q (%w): it is another version of caselsp. Start that one again", name, err))
		}
		return do(ctx, e, s, a)
	}}
	return verb[A]{name, live}
}

// run does the verb where the store is.
func (v verb[A]) run(ctx context.Context, w *wiring, a A) error { return v.at(ctx, w, ownSeat(), a) }

// at is run from a seat of this process.
func (v verb[A]) at(ctx context.Context, w *wiring, s *seat, a A) error {
	args, err := argsOf(a)
	if err != nil {
		return err
	}
	return w.carryOut(ctx, ownerAsk{Do: v.name, Args: args}, s)
}

// argsOf are the arguments of a verb as they are sent: the only way to make them.
func argsOf(a any) (json.RawMessage, error) {
	if err := sendable(reflect.ValueOf(a)); err != nil {
		return nil, err
	}
	return json.Marshal(a)
}

// sendable refuses text that JSON cannot hold. It would be sent as other text, without an error: a name would
// be that of another file.
func sendable(v reflect.Value) error {
	switch v.Kind() {
	case reflect.String:
		if !utf8.ValidString(v.String()) {
			return fmt.Errorf("%q is not valid UTF-8", v.String())
		}
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			return sendable(v.Elem())
		}
	case reflect.Struct:
		for _, field := range v.Fields() {
			if err := sendable(field); err != nil {
				return err
			}
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			if err := sendable(v.Index(i)); err != nil {
				return err
			}
		}
	case reflect.Map:
		for key, value := range v.Seq2() {
			if err := errors.Join(sendable(key), sendable(value)); err != nil {
				return err
			}
		}
	}
	return nil
}

// maxOwners is how many owners of the store are asked that end before they have answered.
const maxOwners = 5

// carryOut does a verb: in the process that owns the store and serves it, else in this one. Where
// the owner ends before it has answered, another does, or this one, with what is recorded.
func (w *wiring) carryOut(ctx context.Context, ask ownerAsk, s *seat) error {
	for n := 1; ; n++ {
		err := w.askOwner(ctx, &ask, s)
		if errors.Is(err, store.ErrNoOwner) {
			var e *engine
			if e, err = w.openFor(lsp.Face{User: agent.Headless{}}, []string{w.dir}, nil); err == nil {
				return errors.Join(verbs[ask.Do].do(ctx, e, s, ask.Args), e.Close())
			}
		}
		locked := (*store.Locked)(nil)
		switch {
		case ctx.Err() != nil, n == maxOwners && !errors.As(err, &locked):
			return err
		case n == maxOwners:
			return locked
		case errors.Is(err, store.ErrOwnerLeft) && !errors.As(err, &locked):
			fmt.Fprintln(s.err, "caselsp: the process that worked on this has ended. Another one goes on")
		case !errors.As(err, &locked):
			return err
		}
	}
}

// storeOptions name the store of the workspace in the folder.
func (w *wiring) storeOptions() (store.Options, error) {
	ws, err := workspace.Open(w.dir)
	if err != nil {
		return store.Options{}, err
	}
	return store.Options{StateDir: w.stateDir, Workspace: ws.ID()}, ws.Close()
}
