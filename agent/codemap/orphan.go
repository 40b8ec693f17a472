package codemap

import (
	"path"
	"strings"
)

// Orphan is a file that imports one which is gone.
type Orphan struct{ Path, Import, Gone string }

// Orphans are the files that import one of those that are gone, by names that mean no file which is left. A name that may be
// that of a library's module, such as json for a package's own json.py, is passed over.
func Orphans(files []File, gone []string) (list []Orphan) {
	all := make([]File, len(files), len(files)+len(gone))
	copy(all, files)
	for _, p := range gone {
		all = append(all, File{Path: p})
	}
	before, now := modulesOf(all), modulesOf(files)
	for _, f := range files {
		if f.Facts == nil {
			continue
		}
		for _, name := range f.Imports {
			to, ok := before.find(path.Dir(f.Path), name)
			if !ok || int(to) < len(files) || !own(name, before.files[to]) {
				continue
			}
			if _, left := now.find(path.Dir(f.Path), name); !left {
				list = append(list, Orphan{f.Path, name, all[to].Path})
			}
		}
	}
	return list
}

// own reports whether an import means a module of the project for certain: it is relative, has several parts, or the module lies
// at the root of the sources.
func own(name string, m module) bool {
	name = separators.Replace(name)
	parts := strings.ContainsAny(strings.Trim(name, "."), "./")
	return strings.HasPrefix(name, ".") || parts || m.stem == name || m.stem == "src/"+name
}
