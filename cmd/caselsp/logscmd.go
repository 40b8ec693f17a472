package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"caselsp/agent"
	"caselsp/store"

	"github.com/spf13/cobra"
)

// logFilter says which lines of a log are printed.
type logFilter struct {
	task  string // of this task; "": of all
	level string // at least this
	lines int    // only the last; 0: all
	json  bool
}

func logsCommand(w *wiring) *cobra.Command {
	var f logFilter
	cmd := &cobra.Command{
		Use:   "logs",
		Short: "Print the log of a workspace",
		Long: "logs prints what caselsp has logged in this workspace, also what was moved to older files: each record of a task's journal\n" +
			"with its short values, and what went wrong. On a terminal a line is for people; piped, or with --json, it is one JSON object.\n" +
			"The setting log.level says what is logged: info, or debug for the requests to models, too. Secrets are cut out.",
		Example: "  caselsp logs --lines 20\n  caselsp logs --task last --level warning\n  caselsp logs --json | jq .message",
		Args:    positional(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if _, known := levels[f.level]; !known {
				return usage(fmt.Errorf("--level %s: there are debug, info, warning, error and critical", agent.Quote(f.level)))
			}
			o, err := w.storeOptions()
			if err != nil {
				return err
			}
			text, err := store.Log(o)
			lines := f.of(text)
			if len(lines) == 0 && err == nil && isTerminal(os.Stdout) {
				fmt.Fprintln(os.Stderr, "caselsp: nothing of that is in the log")
			}
			return errors.Join(f.print(os.Stdout, lines, isTerminal(os.Stdout)), err)
		},
	}
	cmd.Flags().StringVar(&f.task, "task", "", "only what belongs to this task; last is the newest in the log")
	cmd.Flags().StringVar(&f.level, "level", "debug", "only what is at least this: debug, info, warning, error or critical")
	cmd.Flags().IntVarP(&f.lines, "lines", "n", 0, "only the last lines, this many (default: all)")
	cmd.Flags().BoolVar(&f.json, "json", false, "one JSON object a line, also on a terminal")
	return cmd
}

// logLine is a line of the log with what it is filtered and shown by.
type logLine struct {
	text   string
	fields map[string]any // nil: it is no JSON
}

func (l logLine) field(name string) string {
	text, _ := l.fields[name].(string)
	return text
}

// of returns the lines of a log that the filter lets through.
func (f logFilter) of(log string) []logLine {
	var list []logLine
	for text := range strings.Lines(log) {
		l := logLine{text: text}
		_ = json.Unmarshal([]byte(text), &l.fields) // what is no JSON is shown as it is
		list = append(list, l)
	}
	task := f.task
	if task == lastTask {
		for _, l := range list {
			if id := l.field("task"); id != "" {
				task = id
			}
		}
	}
	list = slices.DeleteFunc(list, func(l logLine) bool {
		return task != "" && l.field("task") != task || levels[f.level] > slog.LevelDebug && levels[l.field("level")] < levels[f.level]
	})
	if n := len(list) - f.lines; f.lines > 0 && n > 0 {
		list = list[n:]
	}
	return list
}

// print writes lines as JSON, or for people.
func (f logFilter) print(out io.Writer, lines []logLine, tty bool) error {
	for _, l := range lines {
		var err error
		if tty && !f.json && l.fields != nil {
			_, err = fmt.Fprintln(out, l.told())
		} else {
			_, err = io.WriteString(plainJSON{out}, l.text)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// told is a line for people: time, level, message, place and the other fields in the order of their names.
func (l logLine) told() string {
	at := l.field("time")
	if t, err := time.Parse(time.RFC3339Nano, at); err == nil {
		at = t.Local().Format("2006-01-02 15:04:05.000")
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s %-7s %s", at, l.field("level"), clean(l.field("message")))
	for _, name := range slices.Sorted(maps.Keys(l.fields)) {
		if name == "time" || name == "level" || name == "message" {
			continue
		}
		if value, err := json.Marshal(l.fields[name]); err == nil {
			fmt.Fprintf(&b, "  %s=%s", clean(name), clean(string(value)))
		}
	}
	return b.String()
}
