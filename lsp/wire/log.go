package wire

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync/atomic"
	"time"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
)

// maxLogLine is how many bytes of a record are sent to the client, whose log is
// read by people. The whole record goes to [Options.Log].
const maxLogLine = 4 << 10

// clientLog is a slog handler that writes to the client's log, through the
// outbox: a record may be written anywhere, also on the read loop.
type clientLog struct {
	c      *Conn
	attrs  string // " name=value" of the attributes of With
	prefix string // of names: the open groups
}

// newLog returns a logger that writes to the client's log and to [Options.Log].
func newLog(c *Conn) *slog.Logger {
	own := clientLog{c: c}
	if c.opts.Log == nil {
		return slog.New(own)
	}
	return slog.New(slog.NewMultiHandler(own, c.opts.Log))
}

// Enabled implements slog.Handler. Debug records are only sent while the trace
// is verbose.
func (h clientLog) Enabled(_ context.Context, level slog.Level) bool {
	return level >= slog.LevelInfo || h.c.trace.value() == protocol.TraceValueVerbose
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
	text := h.c.opts.Visible(line.String())
	if len(text) > maxLogLine {
		text = strings.ToValidUTF8(text[:maxLogLine], "") + fmt.Sprintf(" … (%d bytes more)", len(text)-maxLogLine)
	}
	h.c.out.post(note{method: protocol.MethodWindowLogMessage, params: &protocol.LogMessageParams{Type: messageType(r.Level), Message: text}, log: true})
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

// writeAttr writes " name=value". A value with spaces is quoted, except for a
// stack, which is only readable with its line breaks.
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

// messageType maps levels to the protocol's types. Debug records become type Log:
// the debug type is new in 3.18, and no capability says whether a client knows it.
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

// trace is the level of $/logTrace that the client has set; initially off.
type trace struct{ level atomic.Value }

// set takes the client's value; an unknown one means off.
func (t *trace) set(v protocol.TraceValue) {
	t.level.Store(protocol.TraceValue(strings.Clone(string(v))))
}

// value returns the level.
func (t *trace) value() protocol.TraceValue {
	v, _ := t.level.Load().(protocol.TraceValue)
	return v
}

// traceLine sends one line of the trace, with verbose if the client has asked for
// that much.
func (c *Conn) traceLine(message, verbose string) {
	level := c.trace.value()
	if level != protocol.TraceValueMessages && level != protocol.TraceValueVerbose {
		return
	}
	params := &protocol.LogTraceParams{Message: c.opts.Visible(message)}
	if level == protocol.TraceValueVerbose && verbose != "" {
		params.Verbose = new(c.opts.Visible(verbose))
	}
	c.out.post(note{method: protocol.MethodLogTrace, params: params, log: true})
}

// traceRequest adds a request that was answered to the trace, without its params:
// they hold the user's text.
func (c *Conn) traceRequest(req *jsonrpc2.Request, start time.Time, err error) {
	outcome := "answered"
	var coded *jsonrpc2.Error
	if errors.As(err, &coded) {
		outcome = fmt.Sprintf("failed with %d", coded.Code)
	}
	text := ""
	if err != nil {
		text = err.Error()
	}
	c.traceLine(fmt.Sprintf("%s %s after %v", req.Method(), outcome, c.Clock.Now().Sub(start).Round(time.Millisecond)), text)
}
