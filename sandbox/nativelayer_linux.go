//go:build linux && (amd64 || arm64)

package sandbox

import (
	"archive/tar"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// layers is the folder in which the native engine keeps layers: each is a folder
// by its key. What is there was made by third-party code; none of it is ever run
// or followed outside of a sandbox, and sandboxes only read it.
type layers struct {
	folder string
	most   int // that are kept; 0: layersLimit
}

// errNoFolder says that a layer is to be kept and there is no place for it.
var errNoFolder = errors.New("the native engine has no folder to keep dependencies in: set XDG_CACHE_HOME or HOME")

// find returns the folder of a layer, or ErrNoLayer.
func (l layers) find(key string) (string, error) {
	if key == "" {
		return "", nil
	}
	folder := filepath.Join(l.folder, key)
	if s, err := os.Stat(folder); l.folder == "" || err != nil || !s.IsDir() {
		return "", fmt.Errorf("%w (%s)", ErrNoLayer, folder)
	}
	return folder, nil
}

// HasLayer reports whether a layer is there.
func (n *NativeEngine) HasLayer(_ context.Context, key string) (bool, error) {
	_, err := n.layers.find(key)
	return err == nil && key != "", nil
}

// sweep removes what processes that have inside.Ended did not finish.
func (l layers) sweep() {
	entries, _ := os.ReadDir(l.folder) // none, or it shows when it is used
	for _, e := range entries {
		if o, ours := groupOwner(e.Name()); ours && o.gone() {
			_ = os.RemoveAll(filepath.Join(l.folder, e.Name()))
		}
	}
}

// keep makes a layer of an archive whose paths lie below the dependencies'
// folder, up to a limit of bytes. Where it fails, nothing is left.
func (l layers) keep(key string, archive io.Reader, limit int64) (err error) {
	if l.folder == "" {
		return errNoFolder
	}
	made := filepath.Join(l.folder, groupName())
	if err := os.MkdirAll(made, 0o755); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(made)) }()
	root, err := os.OpenRoot(made)
	if err != nil {
		return err
	}
	defer root.Close()
	if err := unpackLayer(root, archive, limit); err != nil {
		return err
	}
	final := filepath.Join(l.folder, key)
	if err := os.RemoveAll(final); err != nil {
		return err
	}
	if err := os.Rename(made, final); err != nil {
		return err
	}
	return l.prune(key)
}

// unpackLayer writes an archive into a folder and never out of it. What is
// neither file, folder nor link has no business in a layer.
func unpackLayer(root *os.Root, archive io.Reader, limit int64) error {
	in := tar.NewReader(archive)
	for {
		h, err := in.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		name := strings.TrimSuffix(strings.TrimPrefix(h.Name, DepsFolder[1:]+"/"), "/")
		if limit -= h.Size; limit < 0 {
			return errors.New("the dependencies have more bytes than their disk")
		}
		switch h.Typeflag {
		case tar.TypeDir:
			err = root.MkdirAll(name, fs.FileMode(h.Mode)&0o777|0o700)
		case tar.TypeReg:
			err = unpackFile(root, name, fs.FileMode(h.Mode)&0o777, in)
		case tar.TypeSymlink:
			err = root.Symlink(h.Linkname, name)
		case tar.TypeLink:
			err = root.Link(strings.TrimPrefix(h.Linkname, DepsFolder[1:]+"/"), name)
		default:
			continue
		}
		if err == nil && os.Geteuid() == 0 {
			err = root.Lchown(name, outsideUser, outsideUser)
		}
		if err != nil {
			return err
		}
	}
}

func unpackFile(root *os.Root, name string, mode fs.FileMode, content io.Reader) error {
	if dir := path.Dir(name); dir != "." {
		if err := root.MkdirAll(dir, 0o755); err != nil {
			return err
		}
	}
	f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, content)
	return errors.Join(err, f.Close())
}

// prune removes the oldest layers above the limit, but not the new one.
func (l layers) prune(newest string) error {
	entries, err := os.ReadDir(l.folder)
	if err != nil {
		return err
	}
	type aged struct {
		name string
		made time.Time
	}
	var old []aged
	for _, e := range entries {
		info, err := e.Info()
		if err == nil && layerKey.MatchString(e.Name()) && e.Name() != newest {
			old = append(old, aged{e.Name(), info.ModTime()})
		}
	}
	slices.SortFunc(old, func(a, b aged) int { return cmp.Or(b.made.Compare(a.made), cmp.Compare(a.name, b.name)) })
	for _, a := range old[min(len(old), cmp.Or(l.most, layersLimit)-1):] {
		err = errors.Join(err, os.RemoveAll(filepath.Join(l.folder, a.name)))
	}
	return err
}
