package store

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"unicode"
)

const (
	// maxName is the longest name of a document or a workspace in bytes: file
	// systems take 255, and a temporary file's name is longer by a few.
	maxName = 200
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
	syncDir(filepath.Dir(path))
	return nil
}

// syncDir has the new name of a file reach the disk. Windows cannot sync a directory, and some file systems refuse: the content is
// safe anyway.
func syncDir(path string) {
	if dir, err := os.Open(path); err == nil {
		_ = dir.Sync()
		_ = dir.Close()
	}
}

// Document writes a review, a plan or a report into the state directory, redacted, and
// returns its path, for the editor to open. An older document of that name is
// replaced atomically. name is a file name without a folder, such as "review-7.diff".
func (s *Store) Document(name string, text []byte) (string, error) {
	return document(s.dir, name, []byte(s.redactor.Load().lines(string(text))))
}

// DocumentPath is where a document of a name lies, or would.
func (s *Store) DocumentPath(name string) string { return filepath.Join(s.dir, documents, name) }

// DocumentText returns a document as it was written, redacted.
func (s *Store) DocumentText(name string) ([]byte, error) {
	if err := checkName("document", name); err != nil {
		return nil, err
	}
	text, err := os.ReadFile(filepath.Join(s.dir, documents, name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("there is no document %s in this workspace's store", name)
	}
	return text, err
}

// Discard removes a document, where there is one of that name.
func (s *Store) Discard(name string) error {
	if err := checkName("document", name); err != nil {
		return err
	}
	path := filepath.Join(s.dir, documents, name)
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return unwritable(path, err)
	}
	return nil
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
