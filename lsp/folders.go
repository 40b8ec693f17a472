package lsp

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"caselsp/lsp/wire"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"
)

// Root is a folder that the client has open.
type Root struct {
	Name string // as the client calls it
	Dir  string // absolute, in the host's form
}

// folders are the client's roots.
type folders struct {
	ed      *editor
	changed func() // runs beside the read loop after the client changed its folders; may be nil

	mu   sync.Mutex
	list []Root
}

// set replaces the roots.
func (f *folders) set(list []Root) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.list = list
}

// all returns the roots, in the client's order.
func (f *folders) all() []Root {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.list)
}

// dirs returns the paths of the roots, in the client's order.
func (f *folders) dirs() []string {
	var list []string
	for _, r := range f.all() {
		list = append(list, r.Dir)
	}
	return list
}

// cloned detaches a decoded string from the message that it aliases.
func cloned[S ~string](s S) S { return S(strings.Clone(string(s))) }

// rootsOf returns the roots that initialize names: its folders, else its root
// in either of the older forms. What is not a folder of this host is left out.
func rootsOf(p *protocol.InitializeParams) []Root {
	if list, ok := p.WorkspaceFolders.Get(); ok && len(list) > 0 {
		return addRoots(nil, list)
	}
	//lint:ignore SA1019 clients without folders have nothing else (ALE, Kate, vim-lsp)
	if root := p.RootURI; root != nil {
		return addRoots(nil, []protocol.WorkspaceFolder{{URI: *root}})
	}
	//lint:ignore SA1019 the same, of an older protocol
	if dir, ok := p.RootPath.Get(); ok && filepath.IsAbs(dir) {
		return addRoots(nil, []protocol.WorkspaceFolder{{URI: uri.File(dir)}})
	}
	return nil
}

// addRoots adds folders to roots, each once.
func addRoots(roots []Root, list []protocol.WorkspaceFolder) []Root {
	for _, f := range list {
		dir, ok := fileOf(f.URI)
		if !ok || slices.ContainsFunc(roots, func(r Root) bool { return r.Dir == dir }) {
			continue
		}
		name := cloned(f.Name)
		if name == "" {
			name = filepath.Base(dir)
		}
		roots = append(roots, Root{Name: name, Dir: dir})
	}
	return roots
}

// fileOf returns the cleaned absolute path of a file URI.
func fileOf(u uri.URI) (string, bool) {
	if !u.IsFile() {
		return "", false
	}
	path := filepath.Clean(cloned(u.FsPath()))
	return path, filepath.IsAbs(path)
}

// methods adds the changes of folders to the table.
func (f *folders) methods() {
	wire.OnNotification(f.ed.Conn, protocol.MethodWorkspaceDidChangeWorkspaceFolders, func(p *protocol.DidChangeWorkspaceFoldersParams) error {
		roots := slices.DeleteFunc(f.all(), func(r Root) bool {
			return slices.ContainsFunc(p.Event.Removed, func(gone protocol.WorkspaceFolder) bool {
				dir, _ := fileOf(gone.URI)
				return dir == r.Dir
			})
		})
		roots = addRoots(roots, p.Event.Added)
		f.set(roots)
		if f.changed != nil {
			f.ed.Go("changing the folders", func(context.Context) error { f.changed(); return nil })
		}
		return nil
	})
}
