package main

import (
	"context"
	"io"
	"log/slog"
	"math"
	"time"

	"go.uber.org/zap/exp/zapslog"
	"go.uber.org/zap/zapcore"
)

// critical is the level above those of log/slog.
const critical = slog.LevelError + 4

// levels are the names of the log's levels, as the setting and the file have them.
var levels = map[string]slog.Level{
	"debug": slog.LevelDebug, "info": slog.LevelInfo, "warning": slog.LevelWarn,
	"error": slog.LevelError, "critical": critical,
}

// Sampling bounds what a loop that logs can do to the disk: of the same message at
// the same level, the first sampleFirst lines of a second are written, then each
// sampleThereafter-th. Nothing logs one message that often in normal work.
const (
	sampleFirst      = 1000
	sampleThereafter = 100
)

// fileLog writes records as lines of JSON with the fields time, level and message
// and those of the record. Code logs through log/slog; zap is the handler: its
// encoder, its sampling. zapslog knows no level above error, so critical records
// have a handler of their own, which differs in that name only.
type fileLog struct {
	least           slog.Level // what is below it is not written
	usual, critical slog.Handler
}

// newFileLog returns the handler that writes to w.
func newFileLog(w io.Writer, least slog.Level) slog.Handler {
	return fileLog{least, zapHandler(w, zapName), zapHandler(w, func(_ zapcore.Level, out zapcore.PrimitiveArrayEncoder) { out.AppendString("critical") })}
}

// zapName writes zap's levels by the names of the setting.
func zapName(level zapcore.Level, out zapcore.PrimitiveArrayEncoder) {
	name := level.String()
	if level == zapcore.WarnLevel {
		name = "warning"
	}
	out.AppendString(name)
}

func zapHandler(w io.Writer, name zapcore.LevelEncoder) slog.Handler {
	encoder := zapcore.NewJSONEncoder(zapcore.EncoderConfig{
		TimeKey: "time", LevelKey: "level", MessageKey: "message",
		EncodeLevel: name, EncodeTime: zapcore.RFC3339NanoTimeEncoder, EncodeDuration: zapcore.NanosDurationEncoder,
	})
	// Which levels are written is decided by Enabled alone, below.
	core := zapcore.NewCore(encoder, zapcore.AddSync(w), zapcore.DebugLevel)
	sampled := zapcore.NewSamplerWithOptions(core, time.Second, sampleFirst, sampleThereafter)
	return zapslog.NewHandler(sampled, zapslog.AddStacktraceAt(math.MaxInt)) // a panic's record has its stack as a field
}

// Enabled implements slog.Handler.
func (l fileLog) Enabled(_ context.Context, level slog.Level) bool { return level >= l.least }

// Handle implements slog.Handler.
func (l fileLog) Handle(ctx context.Context, r slog.Record) error {
	if r.Level >= critical {
		return l.critical.Handle(ctx, r)
	}
	return l.usual.Handle(ctx, r)
}

// WithAttrs implements slog.Handler.
func (l fileLog) WithAttrs(attrs []slog.Attr) slog.Handler {
	return fileLog{l.least, l.usual.WithAttrs(attrs), l.critical.WithAttrs(attrs)}
}

// WithGroup implements slog.Handler.
func (l fileLog) WithGroup(name string) slog.Handler {
	return fileLog{l.least, l.usual.WithGroup(name), l.critical.WithGroup(name)}
}
