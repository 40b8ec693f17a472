package lsp

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync/atomic"
	"time"

	"caselsp/agent"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
)

// maxLogLine is how many bytes of a record the client is sent: its log is read
// by people. The whole record goes to [Options.Log].
const maxLogLine = 4 << 10

// clientLog is a slog handler that writes to the client's log, through the
// outbox: a record may be written anywhere, on the read loop too.
type clientLog struct {
	s      *server
	attrs  string // " name=value" of those that With gave
	prefix string // of the names: the open groups
}

// newLog returns the server's log: the client's, and that of the options.
func newLog(s *server) *slog.Logger {
	own := clientLog{s: s}
	if s.opts.Log == nil {
		return slog.New(own)
	}
	return slog.New(slog.NewMultiHandler(own, s.opts.Log))
}

// Enabled implements slog.Handler. Debug records are for the trace's sake.
func (h clientLog) Enabled(_ context.Context, level slog.Level) bool {
	return level >= slog.LevelInfo || h.s.trace.value() == protocol.TraceValueVerbose
}

// Handle implements slog.Handler.
func (h clientLog) Handle(_ context.Context, r slog.Record) error {
	var line strings.Builder
	line.WriteString(r.Message)
	line.WriteString(h.attrs)
	r.Attrs(func(a slog.Attr) bool {
		writeAttr(&line, h.prefix, a)
		return true
	})
	text := agent.Visible(line.String())
	if len(text) > maxLogLine {
		text = strings.ToValidUTF8(text[:maxLogLine], "") + fmt.Sprintf(" … (%d bytes more)", len(text)-maxLogLine)
	}
	h.s.out.post(note{method: protocol.MethodWindowLogMessage, params: &protocol.LogMessageParams{Type: messageType(r.Level), Message: text}, log: true})
	return nil
}

// WithAttrs implements slog.Handler.
func (h clientLog) WithAttrs(attrs []slog.Attr) slog.Handler {
	var line strings.Builder
	for _, a := range attrs {
		writeAttr(&line, h.prefix, a)
	}
	h.attrs += line.String()
	return h
}

// WithGroup implements slog.Handler.
func (h clientLog) WithGroup(name string) slog.Handler {
	if name != "" {
		h.prefix += name + "."
	}
	return h
}

// writeAttr writes " name=value"; a value with blanks is quoted, except for a
// stack, which only its line breaks make readable.
func writeAttr(line *strings.Builder, prefix string, a slog.Attr) {
	v := a.Value.Resolve()
	switch {
	case a.Equal(slog.Attr{}):
	case v.Kind() == slog.KindGroup:
		if a.Key != "" {
			prefix += a.Key + "."
		}
		for _, inner := range v.Group() {
			writeAttr(line, prefix, inner)
		}
	case a.Key == "stack":
		line.WriteString("\n" + v.String())
	case strings.ContainsAny(v.String(), " \t\r\n\"="):
		fmt.Fprintf(line, " %s%s=%q", prefix, a.Key, v.String())
	default:
		fmt.Fprintf(line, " %s%s=%s", prefix, a.Key, v.String())
	}
}

// messageType maps levels to the protocol's types. Its own debug type is of
// 3.18, and no capability says whether a client knows it.
func messageType(level slog.Level) protocol.MessageType {
	switch {
	case level >= slog.LevelError:
		return protocol.MessageTypeError
	case level >= slog.LevelWarn:
		return protocol.MessageTypeWarning
	case level >= slog.LevelInfo:
		return protocol.MessageTypeInfo
	}
	return protocol.MessageTypeLog
}

// trace is the level of $/logTrace that the client set; off at first.
type trace struct{ level atomic.Value }

// set takes the client's value; one that is unknown means off.
func (t *trace) set(v protocol.TraceValue) { t.level.Store(cloned(v)) }

// value returns the level.
func (t *trace) value() protocol.TraceValue {
	v, _ := t.level.Load().(protocol.TraceValue)
	return v
}

// traceLine sends one line of the trace; verbose goes along where the client
// wants that much.
func (s *server) traceLine(message, verbose string) {
	level := s.trace.value()
	if level != protocol.TraceValueMessages && level != protocol.TraceValueVerbose {
		return
	}
	params := &protocol.LogTraceParams{Message: agent.Visible(message)}
	if level == protocol.TraceValueVerbose && verbose != "" {
		params.Verbose = new(agent.Visible(verbose))
	}
	s.out.post(note{method: protocol.MethodLogTrace, params: params, log: true})
}

// traceRequest tells the trace of a request that was answered. Its params are
// not told: they hold the user's text.
func (s *server) traceRequest(req *jsonrpc2.Request, start time.Time, err error) {
	outcome := "answered"
	var coded *jsonrpc2.Error
	if errors.As(err, &coded) {
		outcome = fmt.Sprintf("failed with %d", coded.Code)
	}
	text := ""
	if err != nil {
		text = err.Error()
	}
	s.traceLine(fmt.Sprintf("%s %s after %v", req.Method(), outcome, s.clock.now().Sub(start).Round(time.Millisecond)), text)
}
