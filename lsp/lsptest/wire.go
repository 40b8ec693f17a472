package lsptest

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/textproto"
	"strconv"
	"sync"
	"time"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
)

// wire is the connection: framing, ids, and the calls that wait.
type wire struct {
	rwc io.ReadWriteCloser
	in  *bufio.Reader

	writing sync.Mutex

	mu      sync.Mutex
	last    int64
	waiting map[int64]chan message
	ended   bool
}

// message is any message of the protocol.
type message struct {
	JSONRPC string           `json:"jsonrpc"`
	ID      *json.RawMessage `json:"id,omitempty"`
	Method  string           `json:"method,omitempty"`
	Params  json.RawMessage  `json:"params,omitempty"`
	Result  json.RawMessage  `json:"result,omitempty"`
	Error   *wireError       `json:"error,omitempty"`
}

// wireError is the error of an answer.
type wireError struct {
	Code    int             `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data,omitempty"`
}

func newWire(rwc io.ReadWriteCloser) *wire {
	return &wire{rwc: rwc, in: bufio.NewReader(rwc), waiting: make(map[int64]chan message)}
}

// receive reads one message.
func (w *wire) receive() (message, error) {
	header, err := textproto.NewReader(w.in).ReadMIMEHeader()
	if err != nil {
		return message{}, err
	}
	length, err := strconv.Atoi(header.Get("Content-Length"))
	if err != nil {
		return message{}, fmt.Errorf("a message without a good Content-Length: %w", err)
	}
	body := make([]byte, length)
	if _, err := io.ReadFull(w.in, body); err != nil {
		return message{}, err
	}
	var m message
	if err := json.Unmarshal(body, &m); err != nil {
		return message{}, fmt.Errorf("a message that is not JSON: %w: %.200s", err, body)
	}
	if m.JSONRPC != "2.0" {
		return message{}, fmt.Errorf("a message that is not of JSON-RPC 2.0: %.200s", body)
	}
	return m, nil
}

// send writes one message.
func (w *wire) send(m message) error {
	m.JSONRPC = "2.0"
	body, err := json.Marshal(m)
	if err != nil {
		return err
	}
	return w.sendRaw(body)
}

// sendRaw frames any bytes.
func (w *wire) sendRaw(body []byte) error {
	var frame bytes.Buffer
	fmt.Fprintf(&frame, "Content-Length: %d\r\n\r\n", len(body))
	frame.Write(body)
	w.writing.Lock()
	defer w.writing.Unlock()
	_, err := w.rwc.Write(frame.Bytes())
	return err
}

// encode returns v as JSON; nil stays absent.
func encode(v any) (json.RawMessage, error) {
	switch raw := v.(type) {
	case nil:
		return nil, nil
	case json.RawMessage:
		return raw, nil
	}
	return protocol.Marshal(v)
}

// decode reads JSON into v.
func decode(raw json.RawMessage, v any) error {
	if out, ok := v.(*json.RawMessage); ok {
		*out = raw
		return nil
	}
	if len(raw) == 0 || string(raw) == "null" {
		return nil
	}
	return protocol.Unmarshal(raw, v)
}

// begin registers a call.
func (w *wire) begin() (int64, chan message, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.ended {
		return 0, nil, io.ErrClosedPipe
	}
	w.last++
	answer := make(chan message, 1)
	w.waiting[w.last] = answer
	return w.last, answer, nil
}

// deliver hands an answer to the call that waits for it.
func (w *wire) deliver(m message) error {
	id, err := strconv.ParseInt(string(*m.ID), 10, 64)
	w.mu.Lock()
	answer := w.waiting[id]
	delete(w.waiting, id)
	w.mu.Unlock()
	if err != nil || answer == nil {
		return fmt.Errorf("an answer to nothing that was asked: %s", *m.ID)
	}
	answer <- m
	return nil
}

// end lets all calls that wait fail.
func (w *wire) end() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ended = true
	for id, answer := range w.waiting {
		close(answer)
		delete(w.waiting, id)
	}
}

// Pending is a request that was sent.
type Pending struct {
	e      *Editor
	method string
	id     int64
	answer chan message
}

// Send sends a request and does not wait for its answer: what is sent next
// follows it on the wire.
func (e *Editor) Send(method string, params any) (*Pending, error) {
	raw, err := encode(params)
	if err != nil {
		return nil, err
	}
	e.noise()
	id, answer, err := e.wire.begin()
	if err != nil {
		return nil, fmt.Errorf("%s: the connection has ended", method)
	}
	number := json.RawMessage(strconv.FormatInt(id, 10))
	if err := e.wire.send(message{ID: &number, Method: method, Params: raw}); err != nil {
		return nil, fmt.Errorf("%s: %w", method, err)
	}
	return &Pending{e, method, id, answer}, nil
}

// ID returns the id under which the request was sent.
func (p *Pending) ID() int64 { return p.id }

// Wait waits for the answer; result may be nil. The server's own error is a
// *jsonrpc2.Error. When ctx ends first the request is cancelled, and the server's
// answer to that awaited.
func (p *Pending) Wait(ctx context.Context, result any) error {
	defer context.AfterFunc(ctx, func() { p.e.Notify(protocol.MethodCancelRequest, map[string]int64{"id": p.id}) })()
	var m message
	var ok bool
	select {
	case m, ok = <-p.answer:
	case <-time.After(p.e.opts.Ceiling):
		return fmt.Errorf("%s: no answer in %v; received:\n%s", p.method, p.e.opts.Ceiling, p.e.Received())
	}
	switch {
	case !ok:
		return fmt.Errorf("%s: the connection ended before the answer", p.method)
	case m.Error != nil:
		return &jsonrpc2.Error{Code: jsonrpc2.Code(m.Error.Code), Message: m.Error.Message, Data: jsonrpc2.RawMessage(m.Error.Data)}
	case result == nil:
		return nil
	}
	return decode(m.Result, result)
}

// Request is Send and Wait.
func (e *Editor) Request(ctx context.Context, method string, params, result any) error {
	p, err := e.Send(method, params)
	if err != nil {
		return err
	}
	return p.Wait(ctx, result)
}

// Notify sends a notification.
func (e *Editor) Notify(method string, params any) error {
	raw, err := encode(params)
	if err != nil {
		return err
	}
	return e.wire.send(message{Method: method, Params: raw})
}

// SendRaw sends a body as it is, which need not be a message.
func (e *Editor) SendRaw(body string) error { return e.wire.sendRaw([]byte(body)) }

// read takes in what the server says, to the end of the connection.
func (e *Editor) read() {
	for {
		m, err := e.wire.receive()
		if err != nil {
			e.record(func(s *State) { s.Ended = true })
			e.note("the connection ended: %v", err)
			e.wire.end()
			return
		}
		switch {
		case m.Method == "" && m.ID != nil && string(*m.ID) != "null":
			if err := e.wire.deliver(m); err != nil {
				e.note("%v", err)
			}
		case m.Method == "":
			e.record(func(s *State) { s.Complaints = append(s.Complaints, string(m.Params)+errorText(m.Error)) })
		case m.ID == nil:
			e.notified(m)
		default:
			e.asked(m)
		}
	}
}

// errorText returns the text of an error that answers nothing.
func errorText(err *wireError) string {
	if err == nil {
		return ""
	}
	return err.Message
}
