package openai

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"time"
)

const (
	// maxAnswer bounds the bytes of one answer. The longest that models give
	// today (128,000 tokens, some 300 bytes for each one's event) is 40 MB.
	maxAnswer = 64 << 20
	// maxRefusal bounds what is read of an error response.
	maxRefusal = 64 << 10
	// maxList bounds the list of models; OpenRouter's is the longest, near 1 MB.
	maxList = 8 << 20
)

var errTooLong = errors.New("the answer is longer than any answer can be")

// tap sees what go-openai drops: the pause that a server asks for, and what
// its answer held that was no event. It belongs to one exchange and one goroutine.
type tap struct {
	alive    func() // called when bytes arrive; may be nil
	status   int    // 0 until there was an answer
	after    time.Duration
	location string // of a redirect
	stray    []byte // a refusal's or a list's body; the lines beside the events of a stream

	echoes []echoed // what is added to the request's messages
}

type tapKey struct{}

// transport fills the tap that a request's context carries.
type transport struct {
	base http.RoundTripper // nil: http.DefaultTransport
	now  func() time.Time
}

// RoundTrip implements http.RoundTripper.
func (t *transport) RoundTrip(req *http.Request) (*http.Response, error) {
	base := t.base
	if base == nil {
		base = http.DefaultTransport
	}
	p, ok := req.Context().Value(tapKey{}).(*tap)
	if ok && len(p.echoes) > 0 {
		var err error
		if req, err = withEchoes(req, p.echoes); err != nil {
			return nil, err
		}
	}
	resp, err := base.RoundTrip(req)
	if err != nil || !ok {
		return resp, err
	}
	p.status = resp.StatusCode
	p.after = retryAfter(resp.Header, t.now())
	p.location = resp.Header.Get("Location")
	if resp.StatusCode < 300 && req.Header.Get("Accept") == "text/event-stream" {
		live := &pulse{src: resp.Body, alive: p.alive, left: maxAnswer}
		resp.Body = &events{lines: bufio.NewReader(live), tap: p, Closer: resp.Body}
		return resp, nil
	}
	limit := int64(maxRefusal)
	if resp.StatusCode < 300 {
		limit = maxList
	}
	body := resp.Body
	// Half a refusal is still a refusal: its status says the most.
	p.stray, _ = io.ReadAll(io.LimitReader(body, limit))
	resp.Body = struct {
		io.Reader
		io.Closer
	}{bytes.NewReader(p.stray), body}
	return resp, nil
}

// pulse reports each arrival of bytes and ends what is too long.
type pulse struct {
	src   io.Reader
	alive func()
	left  int64
}

func (p *pulse) Read(b []byte) (int, error) {
	n, err := p.src.Read(b)
	if n > 0 && p.alive != nil {
		p.alive()
	}
	if p.left -= int64(n); p.left < 0 {
		return 0, errTooLong
	}
	return n, err
}

// events lets only the data lines of an event stream through to go-openai,
// whose reader counts comments as faults, mixes them into error messages and
// loses errors that are not shaped like OpenAI's.
type events struct {
	lines *bufio.Reader
	tap   *tap
	io.Closer

	pending []byte
	err     error
}

// Read implements io.Reader.
func (e *events) Read(b []byte) (int, error) {
	for len(e.pending) == 0 {
		if e.err != nil {
			return 0, e.err
		}
		var line []byte
		line, e.err = e.lines.ReadBytes('\n')
		e.pending = e.sift(line, e.err == nil)
	}
	n := copy(b, e.pending)
	e.pending = e.pending[n:]
	return n, nil
}

var (
	dataField   = []byte("data:")
	otherFields = [][]byte{[]byte(":"), []byte("event:"), []byte("id:"), []byte("retry:")}
)

// sift returns what go-openai should see of line.
func (e *events) sift(line []byte, whole bool) []byte {
	line = bytes.TrimSpace(line)
	payload, isData := bytes.CutPrefix(line, dataField)
	if !isData {
		for _, f := range otherFields {
			if bytes.HasPrefix(line, f) {
				return nil
			}
		}
		if len(line) > 0 {
			e.tap.stray = append(append(e.tap.stray, line...), '\n')
		}
		return nil
	}
	payload = bytes.TrimSpace(payload)
	if !whole && !json.Valid(payload) && string(payload) != "[DONE]" {
		return nil // the stream was cut in the middle of this line
	}
	// The space keeps go-openai from recognising {"error": and keeping it to itself.
	if inner, ok := bytes.CutPrefix(payload, []byte("{")); ok {
		return append(append([]byte("data: { "), inner...), '\n')
	}
	return append(append([]byte("data: "), payload...), '\n')
}
