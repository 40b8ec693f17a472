package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"

	"caselsp/lsp/wire"
)

// maxRefusals is how many refused connections are told: whoever connects in a loop
// must not fill the log of the terminal or of the editor.
const maxRefusals = 20

// socket is where `serve --socket` waits for its editor.
type socket struct {
	address   string
	tokenFile string
	asJSON    bool

	mu      sync.Mutex
	refused int
}

// heard is what is told on standard error, one object a line with --json.
type heard struct {
	Address string `json:"address,omitempty"`
	Token   string `json:"token,omitempty"`
	Refused string `json:"refused,omitempty"`
}

// wait returns the connection of the user's editor. Everything that another client
// needs to become one is told to out alone.
func (s *socket) wait(ctx context.Context, out io.Writer) (io.ReadWriteCloser, error) {
	l, err := wire.Listen(ctx, s.address, os.Remove)
	if err != nil {
		return nil, err
	}
	defer l.Close()
	if s.tokenFile != "" && l.Token() == "" {
		return nil, usage(errors.New("--token-file: a Unix socket needs no token, the system tells which user connects"))
	}
	if s.tokenFile != "" {
		if err := writePrivate(s.tokenFile, l.Token()+"\n"); err != nil {
			return nil, fmt.Errorf("--token-file: %w", err)
		}
		defer os.Remove(s.tokenFile)
	}
	l.Refused = func(why error) { s.refuse(out, why) }
	s.tell(out, heard{Address: l.Address(), Token: l.Token()})
	return l.Accept(ctx)
}

// tell writes one line, or two: the address and the token.
func (s *socket) tell(out io.Writer, h heard) {
	switch {
	case s.asJSON:
		_ = newEncoder(out).Encode(h) // like the lines below: standard error may be closed
	case h.Refused != "":
		fmt.Fprintln(out, "caselsp: refused a connection:", clean(h.Refused))
	default:
		fmt.Fprintln(out, "caselsp: listening at", h.Address)
		if h.Token != "" {
			fmt.Fprintln(out, "caselsp: initializationOptions.token must be", h.Token)
		}
	}
}

// refuse tells of a connection that was refused.
func (s *socket) refuse(out io.Writer, why error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refused++
	switch {
	case s.refused < maxRefusals:
		s.tell(out, heard{Refused: why.Error()})
	case s.refused == maxRefusals:
		s.tell(out, heard{Refused: why.Error() + "; further ones are refused without a word"})
	}
}

// writePrivate writes a file that only the user may read, in the place of what was
// there: an older file may be open to others, or a link.
func writePrivate(path, text string) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".caselsp-*") // with mode 0600
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		err = errors.Join(err, os.Remove(f.Name()))
	}
	return err
}
