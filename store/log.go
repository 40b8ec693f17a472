package store

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"gopkg.in/natefinch/lumberjack.v2"
)

const (
	// maxLog is the size in MiB at which the log is set aside: days of work, in a
	// file that opens in any editor.
	maxLog = 10

	// maxLogs is how many logs that were set aside are kept: with the log itself
	// 30 MiB a workspace at most, and one noisy day does not push the one before out.
	maxLogs = 2

	// maxLogLine is how many bytes of a line without an end are held back.
	maxLogLine = 1 << 20

	logFile = "caselsp.log"
)

// LogFile opens the log in the state directory, logs/caselsp.log, for
// appending. What is written is expected to be lines of JSON; each is redacted
// as a whole, when its end has come, so that a secret in two writes is found as well.
//
// Only the store's owner writes the log, so close it before the store: rotation by
// lumberjack truncates what it takes for a new file, and a second process that
// wrote the same log would lose lines to that.
func (s *Store) LogFile() (io.WriteCloser, error) {
	dir := filepath.Join(s.dir, "logs")
	if err := makeDirs(s.dir, dir); err != nil {
		return nil, err
	}
	path := filepath.Join(dir, logFile)
	// lumberjack opens the file at the first write. A log that cannot be written is
	// reported now, and a new one gets its mode here.
	f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err == nil {
		err = f.Close()
	}
	if err != nil {
		return nil, unwritable(path, err)
	}
	return &log{file: &lumberjack.Logger{Filename: path, MaxSize: maxLog, MaxBackups: maxLogs, LocalTime: true}, redactor: s.redactor.Load}, nil
}

// Log returns the log of a workspace, the older files first; "" where none was written. It
// needs no owner: each line was written whole.
func Log(o Options) (string, error) {
	root, err := stateDir(o.StateDir)
	if err != nil {
		return "", err
	}
	return logIn(filepath.Join(root, "workspaces", o.Workspace, "logs"))
}

// Log is [Log] of an open store.
func (s *Store) Log() (string, error) { return logIn(filepath.Join(s.dir, "logs")) }

func logIn(dir string) (string, error) {
	older, err := filepath.Glob(filepath.Join(dir, strings.TrimSuffix(logFile, ".log")+"-*.log")) // as lumberjack names them: by their time
	if err != nil {
		return "", err
	}
	slices.Sort(older)
	var all strings.Builder
	for _, path := range append(older, filepath.Join(dir, logFile)) {
		text, err := os.ReadFile(path)
		if err != nil && !errors.Is(err, os.ErrNotExist) { // it may be set aside or removed meanwhile
			return all.String(), err
		}
		all.Write(text)
	}
	return all.String(), nil
}

// log is the writer that LogFile returns.
type log struct {
	redactor func() *redactor

	mu     sync.Mutex
	file   *lumberjack.Logger
	closed bool   // lumberjack would open the file again
	rest   []byte // of a line whose end has not come yet
}

// Write implements io.Writer. It takes all of p or returns an error.
func (l *log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return 0, os.ErrClosed
	}
	l.rest = append(l.rest, p...)
	for {
		end := bytes.IndexByte(l.rest, '\n')
		if end < 0 && len(l.rest) <= maxLogLine {
			return len(p), nil
		}
		if end < 0 {
			end = len(l.rest) - 1
		}
		line := l.rest[:end+1]
		l.rest = l.rest[end+1:]
		if err := l.line(line); err != nil {
			return 0, err
		}
	}
}

// line writes one redacted line, in one call: a process that is killed leaves it
// whole or not at all.
func (l *log) line(line []byte) error {
	r := l.redactor()
	if json.Valid(line) {
		line = r.json(line)
	} else {
		line = []byte(r.text(string(line)))
	}
	_, err := l.file.Write(line)
	return unwritable(l.file.Filename, err)
}

// Close implements io.Closer. It writes a line that was left without an end.
func (l *log) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return nil
	}
	l.closed = true
	var err error
	if len(l.rest) > 0 {
		err = l.line(l.rest)
		l.rest = nil
	}
	return errors.Join(err, l.file.Close())
}
