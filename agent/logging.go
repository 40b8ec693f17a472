package agent

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"maps"
	"slices"
	"strings"

	"caselsp/agent/record"
)

const (
	// maxLogText is how many bytes of a text stand in a field of the log: enough for a reason or a command. The
	// journal has the rest.
	maxLogText = 200

	// maxLogFields is how many fields of a record stand in the log, and maxLogDepth in how many objects within one
	// another they are looked for: what a person can read in a line.
	maxLogFields = 24
	maxLogDepth  = 3
)

// log writes an event of a task into the log: its kind is the message, and the short values of its record are
// fields. It follows from the record alone, so that each new kind is in the log without being named here.
// Contents are left to the journal.
func (a *Agent) log(e Event) {
	level := slog.LevelInfo
	var kind string
	var fields []slog.Attr
	switch {
	case e.Body != nil:
		kind, level = record.KindOf(e.Body), severity(e.Body)
	case e.Doing != "":
		kind, level, fields = "doing", slog.LevelDebug, []slog.Attr{slog.String("text", e.Doing)}
	default:
		return // a piece of an answer
	}
	if ctx := context.Background(); !a.Log.Enabled(ctx, level) {
		return
	}
	if e.Body != nil {
		fields = fieldsOf(e.Body)
	}
	s := e.Status
	place := []slog.Attr{s.Where(), slog.Int("feature", s.Feature), slog.Int("step", s.Step), slog.Int64("seq", e.Seq), slog.GroupAttrs("is", fields...)}
	a.Log.LogAttrs(context.Background(), level, kind, place...)
}

// severity is the level of a record in the log.
func severity(body record.Body) slog.Level {
	switch b := body.(type) {
	case record.CallFailed, record.ReplyRefused:
		return slog.LevelWarn
	case record.StateChanged:
		if b.To == record.Failed {
			return slog.LevelWarn
		}
	case record.CallSent, record.FilesShown, record.Compared:
		return slog.LevelDebug
	}
	return slog.LevelInfo
}

// fieldsOf are the short values in a record, by the names of its JSON: those of objects within it have the names
// of both. Lists are counted, and texts of several lines, mostly contents of files, are measured.
func fieldsOf(body record.Body) []slog.Attr {
	raw, err := json.Marshal(body)
	if err != nil {
		return nil
	}
	var values map[string]any
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	if decoder.Decode(&values) != nil {
		return nil
	}
	list := flattened(nil, "", values, maxLogDepth)
	return list[:min(len(list), maxLogFields)]
}

func flattened(list []slog.Attr, prefix string, values map[string]any, depth int) []slog.Attr {
	for _, name := range slices.Sorted(maps.Keys(values)) {
		switch v := values[name].(type) {
		case string:
			if strings.Contains(v, "\n") {
				list = append(list, slog.Int(prefix+name+".bytes", len(v)))
			} else {
				list = append(list, slog.String(prefix+name, shortened(v)))
			}
		case bool:
			list = append(list, slog.Bool(prefix+name, v))
		case json.Number:
			if n, err := v.Int64(); err == nil {
				list = append(list, slog.Int64(prefix+name, n))
			} else if f, err := v.Float64(); err == nil {
				list = append(list, slog.Float64(prefix+name, f))
			}
		case []any:
			list = append(list, slog.Int(prefix+name+".count", len(v)))
		case map[string]any:
			if depth > 1 {
				list = flattened(list, prefix+name+".", v, depth-1)
			}
		}
	}
	return list
}

// shortened is a text of one line, cut at maxLogText.
func shortened(text string) string {
	if len(text) <= maxLogText {
		return text
	}
	return strings.ToValidUTF8(text[:maxLogText], "") + " …"
}
