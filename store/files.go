package store

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"unicode"
)

const (
	// maxName is the longest name of a document or a workspace in bytes: file
	// systems take 255, and a temporary file's name is longer by a few.
	maxName = 200

	// maxLog is the size in bytes at which the log is set aside; one older log
	// is kept. It holds days of work and opens in any editor.
	maxLog = 10 << 20

	// maxLogLine is how much of a line without an end is held back, in bytes.
	maxLogLine = 1 << 20
)

// stateDir returns the absolute path of the state directory. It ignores a relative
// XDG_STATE_HOME, as the XDG specification demands.
func stateDir(configured string) (string, error) {
	if configured != "" {
		dir, err := filepath.Abs(configured)
		if err != nil {
			return "", fmt.Errorf("find the state directory %s: %w", configured, err)
		}
		return dir, nil
	}
	if xdg := os.Getenv("XDG_STATE_HOME"); filepath.IsAbs(xdg) {
		return filepath.Join(xdg, "caselsp"), nil
	}
	if local := os.Getenv("LocalAppData"); runtime.GOOS == "windows" && filepath.IsAbs(local) {
		return filepath.Join(local, "caselsp"), nil
	}
	home, err := os.UserHomeDir()
	if err != nil || !filepath.IsAbs(home) {
		return "", errors.New("there is no home directory for the state: set XDG_STATE_HOME to a directory that you can write to")
	}
	if runtime.GOOS == "darwin" {
		return filepath.Join(home, "Library", "Application Support", "caselsp"), nil
	}
	return filepath.Join(home, ".local", "state", "caselsp"), nil
}

// makeDirs creates directories that only the user can enter. A root that exists
// keeps its mode, which may be the user's choice; the directories below it do not.
func makeDirs(root string, below ...string) error {
	if err := os.MkdirAll(root, 0o700); err != nil {
		return &Unwritable{Path: root, Advice: adviseDir, Err: err}
	}
	for _, dir := range below {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return &Unwritable{Path: dir, Advice: adviseDir, Err: err}
		}
		if info, err := os.Stat(dir); err == nil && info.Mode().Perm()&0o077 != 0 {
			_ = os.Chmod(dir, 0o700) // not every file system has modes
		}
	}
	return nil
}

// checkName refuses names that are not valid file names on every system.
func checkName(what, name string) error {
	reason := ""
	switch {
	case name == "":
		reason = "it is empty"
	case len(name) > maxName:
		reason = fmt.Sprintf("it is longer than %d bytes", maxName)
	case strings.ContainsAny(name, `/\:*?"<>|`):
		reason = `it contains one of / \ : * ? " < > |`
	case strings.ContainsFunc(name, unicode.IsControl):
		reason = "it contains control characters"
	case strings.HasPrefix(name, ".") || strings.HasSuffix(name, ".") || strings.TrimSpace(name) != name:
		reason = "it starts or ends with a dot or a space"
	case !filepath.IsLocal(name): // on Windows also CON, NUL and the other devices
		reason = "it names a device"
	}
	if reason != "" {
		return fmt.Errorf("%s %q cannot be a file name: %s", what, name, reason)
	}
	return nil
}

// writeFile writes a file of mode 0600 so that path has the old or the new
// content at any moment, whatever happens, and the new one when it returns nil.
func writeFile(path string, text []byte) error {
	tmp, err := os.CreateTemp(filepath.Dir(path), ".new-*") // mode 0600
	if err != nil {
		return unwritable(path, err)
	}
	_, err = tmp.Write(text)
	if err == nil {
		err = tmp.Sync()
	}
	err = errors.Join(err, tmp.Close())
	if err == nil {
		err = os.Rename(tmp.Name(), path)
	}
	if err != nil {
		_ = os.Remove(tmp.Name()) // the first error counts
		return unwritable(path, err)
	}
	// The new name is safe when its directory is. Windows cannot sync one, and
	// some file systems refuse: the content is safe all the same.
	if dir, err := os.Open(filepath.Dir(path)); err == nil {
		_ = dir.Sync()
		_ = dir.Close()
	}
	return nil
}

// Document writes a review, a plan or a report into the state directory and
// returns its path, for the editor to open. An older document of that name is
// replaced atomically. name is a file name without a folder, such as "review-7.diff".
func (s *Store) Document(name string, text []byte) (string, error) {
	return document(s.dir, name, text)
}

// Manual writes a document that is the same for every workspace, without a
// store: dir is the state directory, "" the user's. A document that has this text
// already is not written again.
func Manual(dir, name string, text []byte) (string, error) {
	dir, err := stateDir(dir)
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, documents, name)
	if old, err := os.ReadFile(path); err == nil && bytes.Equal(old, text) {
		return path, nil
	}
	return document(dir, name, text)
}

// documents is the folder of the state directory that editors open files of.
const documents = "documents"

func document(state, name string, text []byte) (string, error) {
	if err := checkName("document", name); err != nil {
		return "", err
	}
	dir := filepath.Join(state, documents)
	if err := makeDirs(state, dir); err != nil {
		return "", err
	}
	path := filepath.Join(dir, name)
	return path, writeFile(path, text)
}

// LogFile opens the log in the state directory, logs/caselsp.log, for
// appending. What is written is expected to be lines of JSON; each is redacted
// when its end has come, so that a secret in two writes is found as well.
func (s *Store) LogFile() (io.WriteCloser, error) {
	dir := filepath.Join(s.dir, "logs")
	if err := makeDirs(s.dir, dir); err != nil {
		return nil, err
	}
	l := &log{path: filepath.Join(dir, "caselsp.log"), redactor: s.redactor.Load}
	if err := l.open(); err != nil {
		return nil, err
	}
	return l, nil
}

// log is the writer that LogFile returns.
type log struct {
	path     string
	redactor func() *redactor

	mu   sync.Mutex
	file *os.File
	size int64
	rest []byte // of a line whose end has not come yet
}

func (l *log) open() error {
	f, err := os.OpenFile(l.path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return unwritable(l.path, err)
	}
	info, err := f.Stat()
	if err != nil {
		return errors.Join(unwritable(l.path, err), f.Close())
	}
	l.file, l.size = f, info.Size()
	return nil
}

// Write implements io.Writer. It takes all of p or returns an error.
func (l *log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.file == nil {
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

// line writes one redacted line.
func (l *log) line(line []byte) error {
	if l.size > maxLog {
		if err := l.rotate(); err != nil {
			return err
		}
	}
	r := l.redactor()
	if json.Valid(line) {
		line = r.json(line)
	} else {
		line = []byte(r.text(string(line)))
	}
	n, err := l.file.Write(line)
	l.size += int64(n)
	return unwritable(l.path, err)
}

// rotate sets the log aside in place of the one that was set aside before. It
// is closed first because Windows renames no open file.
func (l *log) rotate() error {
	err := l.file.Close()
	l.file = nil
	if err == nil {
		err = os.Rename(l.path, strings.TrimSuffix(l.path, ".log")+".old.log")
	}
	return errors.Join(unwritable(l.path, err), l.open())
}

// Close implements io.Closer. It writes a line that was left without an end.
func (l *log) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.file == nil {
		return nil
	}
	var err error
	if len(l.rest) > 0 {
		err = l.line(l.rest)
		l.rest = nil
	}
	err = errors.Join(err, l.file.Close())
	l.file = nil
	return err
}
