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
	"unicode"
	"unicode/utf8"

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
	// maxFields is how many fields a header may have; the protocol knows two.
	maxFields = 8
	// fieldPrefix is how the protocol's fields begin.
	fieldPrefix = "Content-"
	// maxID is the longest id of a request that is a text, in bytes.
	maxID = 256
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
		if req, ok := msg.(*jsonrpc2.Call); ok && err == nil {
			err = badID(req.ID())
		}
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

// badID returns an error for an id that is not repeated in an answer: a text that
// is too long, or that has bytes which a client cannot show or read.
func badID(id jsonrpc2.ID) error {
	text, _ := id.StringValue()
	if len(text) <= maxID && utf8.ValidString(text) && !strings.ContainsFunc(text, unicode.IsControl) {
		return nil
	}
	return jsonrpc2.NewError(jsonrpc2.InvalidRequest, fmt.Sprintf("the id of a request is a number or a text of at most %d bytes without control characters", maxID))
}

// frame reads the header and the body of one message.
func (s *stream) frame() ([]byte, error) {
	length, err := header(s.in, maxMessage)
	if err != nil {
		return nil, err
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

// header reads the header of a message and returns the length of its body.
func header(in *bufio.Reader, longest int) (length int, err error) {
	length = -1
	for n := 0; ; n++ {
		line, err := headerLine(in, n > 0)
		switch {
		case err != nil:
			return 0, err
		case len(line) == 0 && length < 0:
			return 0, errors.New("a message without Content-Length")
		case len(line) == 0:
			return length, nil
		case n == maxFields:
			return 0, fmt.Errorf("a header of more than %d fields: is this a language client?", maxFields)
		}
		name, value, ok := strings.Cut(string(line), ":")
		if !ok {
			return 0, fmt.Errorf("header line %.40q has no colon: is this a language client?", line)
		}
		if strings.EqualFold(strings.TrimSpace(name), "Content-Length") {
			if length, err = strconv.Atoi(strings.TrimSpace(value)); err != nil || length < 0 || length > longest {
				return 0, fmt.Errorf("a message of length %.40q: lengths are 0 to %d", strings.TrimSpace(value), longest)
			}
		}
	}
}

// headerLine reads a line of a header, without its end. The protocol's two fields
// begin with "Content-". What begins otherwise is another protocol (a request of a
// browser, a TLS handshake) and refused at its first wrong byte, before its line
// ends: nothing that follows it may be taken for a message.
func headerLine(in *bufio.Reader, more bool) ([]byte, error) {
	ended := func(read []byte, err error) error {
		if errors.Is(err, io.EOF) && (more || len(read) > 0) {
			err = io.ErrUnexpectedEOF
		}
		return fmt.Errorf("reading a header: %w", err)
	}
	for n := 1; n <= len(fieldPrefix); n++ {
		start, err := in.Peek(n)
		switch {
		case err != nil:
			return nil, ended(start, err)
		case (n == 1 || n == 2 && start[0] == '\r') && start[n-1] == '\n':
			_, err := in.Discard(n)
			return nil, err
		case n == 1 && start[0] == '\r', strings.EqualFold(string(start), fieldPrefix[:n]):
		default:
			return nil, fmt.Errorf("a header begins with %q, not with %s: is this a language client?", start, fieldPrefix)
		}
	}
	line, err := in.ReadSlice('\n')
	if err != nil {
		return nil, ended(line, err)
	}
	return bytes.TrimRight(line, "\r\n"), nil
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
