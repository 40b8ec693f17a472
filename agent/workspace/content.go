package workspace

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"
)

const (
	// MaxText is the size in bytes up to which a file is read and written as text.
	// No source that people write comes near it; data sets do, and neither a model
	// nor a line diff has use for those.
	MaxText = 10 << 20

	// MaxContent is the size in bytes up to which a file can be staged at all. A
	// staged file is held in memory and in the journal, before and after.
	MaxContent = 32 << 20

	newFileMode fs.FileMode = 0o644
)

// TooLarge says that a file is larger than what is read or staged.
type TooLarge struct {
	Path  string
	Size  int64 // bytes
	Limit int64 // bytes
}

// Error implements error.
func (e *TooLarge) Error() string {
	return fmt.Sprintf("%s is too large: %.1f MiB, the limit is %d MiB; look at parts of it with a command such as head, or leave it out", e.Path, float64(e.Size)/(1<<20), e.Limit>>20)
}

// Content is what a file holds, as an immutable value. Its bytes are
// left out of JSON: they are kept as a blob under Hash.
type Content struct {
	Data []byte      `json:"-"`
	Mode fs.FileMode `json:"mode"`
	Hash string      `json:"hash"` // sha256 of Data in hex
}

// NewContent returns data as a content, with its hash.
func NewContent(data []byte, mode fs.FileMode) *Content {
	return &Content{Data: data, Mode: mode.Perm(), Hash: hashOf(data)}
}

func hashOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// Text returns the content as text, and false where it is none or too large for it.
func (c *Content) Text() (string, bool) {
	text, _, err := c.decode("")
	return text, err == nil
}

func (c *Content) decode(path string) (string, Encoding, error) {
	if c == nil {
		return "", Encoding{Charset: UTF8}, nil
	}
	if len(c.Data) > MaxText {
		return "", Encoding{}, &TooLarge{path, int64(len(c.Data)), MaxText}
	}
	text, enc, err := Decode(c.Data)
	if refused, ok := err.(*NotText); ok {
		refused.Path = path
	}
	return text, enc, err
}

// same reports whether two contents are one to a user: the same bytes, and both
// or neither executable. The other permission bits belong to the disk.
func same(a, b *Content) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.Hash == b.Hash && executable(a.Mode) == executable(b.Mode)
}

func executable(mode fs.FileMode) bool { return mode&0o100 != 0 }

// withExecutable returns the permissions of mode with the executable bits set
// (where the same reader may read) or cleared.
func withExecutable(mode fs.FileMode, on bool) fs.FileMode {
	if on == executable(mode) {
		return mode
	}
	if on {
		return mode | mode&0o444>>2
	}
	return mode &^ 0o111
}

// bufferContent returns what the editor's text is as bytes of a file in an encoding. A
// buffer has no byte-order mark. A text that the encoding cannot hold is taken
// as UTF-8: what the user typed is never lost.
func bufferContent(text string, enc Encoding, mode fs.FileMode) *Content {
	if enc.BOM && len(text) >= 3 && text[:3] == string(bom) {
		enc.BOM = false
		if enc.Charset == UTF8 {
			return NewContent([]byte(text), mode)
		}
	}
	data, err := enc.encodeExact(text)
	if err != nil {
		data = []byte(text)
	}
	return NewContent(data, mode)
}

// read returns the bytes of a regular file and what the disk says of it. It
// looks before it opens, because a pipe would block it, and again after.
func (f *folder) read(rel, key string, limit int64) ([]byte, fs.FileInfo, error) {
	info, err := f.root.Stat(rel)
	if err == nil {
		err = readable(info, key, limit)
	}
	if err != nil {
		return nil, nil, fileError(key, err)
	}
	file, err := f.root.OpenFile(rel, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, nil, fileError(key, err)
	}
	defer file.Close()
	var buf bytes.Buffer
	if info, err = readAll(file, key, limit, &buf); err != nil {
		return nil, nil, fileError(key, err)
	}
	return buf.Bytes(), info, nil
}

// readAll reads a file that was opened just now, if it is a regular one of at
// most limit bytes, and returns what the disk says of it.
func readAll(file *os.File, key string, limit int64, buf *bytes.Buffer) (fs.FileInfo, error) {
	info, err := file.Stat()
	if err == nil {
		err = readable(info, key, limit)
	}
	if err != nil {
		return nil, err
	}
	buf.Grow(int(info.Size()) + bytes.MinRead)
	n, err := io.Copy(buf, io.LimitReader(file, limit+1))
	if err == nil && n > limit {
		err = &TooLarge{key, n, limit}
	}
	return info, err
}

func readable(info fs.FileInfo, key string, limit int64) error {
	switch {
	case info.IsDir():
		return &PathError{Path: key, Reason: "it is a folder", Advice: "name a file in it", Err: syscall.EISDIR}
	case !info.Mode().IsRegular():
		return &PathError{Path: key, Reason: "it is a device, pipe or socket", Advice: "use a regular file"}
	case info.Size() > limit:
		return &TooLarge{key, info.Size(), limit}
	}
	return nil
}

// fileError gives an error of the file system the path that the user knows.
func fileError(key string, err error) error {
	switch err.(type) {
	case *PathError, *TooLarge:
		return err
	}
	if missing(err) {
		return fmt.Errorf("%s: %w", key, fs.ErrNotExist)
	}
	return fmt.Errorf("reading %s: %w", key, err)
}

// load returns the content of a file on disk, nil if there is none.
func (p place) load(limit int64) (*Content, error) {
	data, info, err := p.folder.read(p.rel, p.key, limit)
	if missing(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return NewContent(data, info.Mode()), nil
}
