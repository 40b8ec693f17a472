package wire

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strconv"
	"strings"
	"sync"

	"go.lsp.dev/jsonrpc2"
)

// The limits of the wire.
const (
	// maxMessage is the largest message that is read, in bytes: an escaped file of
	// 50 MB fits in it, and a wrong length does not allocate all memory.
	maxMessage = 256 << 20
	// keptBuffer is the largest read buffer that is kept for the next message.
	keptBuffer = 1 << 20
	// maxHeader is the longest header line; the protocol's two fields need 80 bytes.
	maxHeader = 1 << 12
	// maxMalformed is how many unreadable messages in a row end the connection:
	// one is a mistake of the client, this many do not come from a language client.
	maxMalformed = 16
)

// stream frames messages. It writes with the library and has a reader of its own,
// because the library's reader ends the connection at the first message that
// is not JSON, and does not report the end of the input while a handler runs.
type stream struct {
	jsonrpc2.Stream
	in    *bufio.Reader
	buf   []byte
	bad   int // unreadable messages in a row
	ended func()

	mu  sync.Mutex
	err error // what ended the reading
}

// newStream returns the stream of rwc; ended is called when nothing more can be read.
func newStream(rwc io.ReadWriteCloser, ended func()) *stream {
	return &stream{Stream: jsonrpc2.NewHeaderStream(rwc), in: bufio.NewReaderSize(rwc, maxHeader), ended: ended}
}

// Read returns the next message that can be understood. Requests borrow the
// buffer, until the next Read.
func (s *stream) Read(ctx context.Context) (jsonrpc2.Message, int64, error) {
	for {
		body, err := s.frame()
		if err != nil {
			s.mu.Lock()
			s.err = err
			s.mu.Unlock()
			s.ended()
			return nil, 0, err
		}
		msg, err := jsonrpc2.DecodeMessage(body)
		if err == nil {
			s.bad = 0
			return msg, int64(len(body)), nil
		}
		if s.bad++; s.bad >= maxMalformed {
			s.mu.Lock()
			s.err = fmt.Errorf("%d messages in a row could not be read, the last one: %w", s.bad, err)
			s.mu.Unlock()
			s.ended()
			return nil, 0, io.EOF
		}
		// Beside the loop, which must not wait for a client that does not read.
		go s.Write(context.WithoutCancel(ctx), jsonrpc2.NewResponse(jsonrpc2.ID{}, nil, err))
	}
}

// frame reads the header and the body of one message.
func (s *stream) frame() ([]byte, error) {
	length := -1
	for first := true; ; first = false {
		line, err := s.in.ReadSlice('\n')
		if err != nil {
			if errors.Is(err, io.EOF) && (!first || len(line) > 0) {
				err = io.ErrUnexpectedEOF
			}
			return nil, fmt.Errorf("reading a header: %w", err)
		}
		if line = bytes.TrimRight(line, "\r\n"); len(line) == 0 {
			break
		}
		name, value, ok := strings.Cut(string(line), ":")
		if !ok {
			return nil, fmt.Errorf("header line %.40q has no colon: is this a language client?", line)
		}
		if strings.EqualFold(strings.TrimSpace(name), "Content-Length") {
			if length, err = strconv.Atoi(strings.TrimSpace(value)); err != nil || length < 0 || length > maxMessage {
				return nil, fmt.Errorf("a message of length %.40q: lengths are 0 to %d", strings.TrimSpace(value), maxMessage)
			}
		}
	}
	if length < 0 {
		return nil, errors.New("a message without Content-Length")
	}
	if cap(s.buf) < length || cap(s.buf) > keptBuffer {
		s.buf = make([]byte, length)
	}
	body := s.buf[:length]
	if _, err := io.ReadFull(s.in, body); err != nil {
		return nil, fmt.Errorf("a message ended before its %d bytes: %w", length, io.ErrUnexpectedEOF)
	}
	return body, nil
}

// failure returns what broke the connection; nil when it just ended.
func (s *stream) failure() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, ordinary := range []error{io.EOF, io.ErrClosedPipe, os.ErrClosed, net.ErrClosed} {
		if errors.Is(s.err, ordinary) {
			return nil
		}
	}
	return s.err
}
