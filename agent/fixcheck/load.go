package fixcheck

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"

	"caselsp/sandbox"
)

// Limits of a folder of validators.
const (
	maxFolders   = 500       // that are looked into: someone has put a project there by mistake
	maxFiles     = 64        // of one validator: a script and some modules
	maxFile      = 256 << 10 // bytes of one file: no script is larger, what is larger is data
	maxTree      = 1 << 20   // bytes of all files of one validator: they are copied for each run
	maxManifests = 200       // of one folder: each may be run
)

// Validator is a program that judges claims.
type Validator struct {
	Manifest
	Origin Origin
	ID     string         // a hash of the manifest and the files
	Files  []sandbox.File // of its folder
	Where  string         // the path of its manifest, in the folder that was loaded
}

//go:embed all:shipped
var shippedFiles embed.FS

// shipped loads the validators that come with the program.
var shipped = sync.OnceValues(func() ([]Validator, []error) {
	fsys, err := fs.Sub(shippedFiles, "shipped")
	if err != nil {
		return nil, []error{err}
	}
	return Load(fsys, Shipped)
})

// ShippedValidators returns the validators that come with the program.
func ShippedValidators() []Validator {
	list, _ := shipped() // a test shows that all of them load
	return slices.Clone(list)
}

// Load reads the validators of a folder and of the folders in it. A folder that has manifests (*.yaml) is that
// of their validators; what else is in it is theirs, but for the sample claims. What is broken is left out, with an error
// that names it; the others are loaded. A folder that is not there has none.
//
// Symbolic links are refused. The folder may change meanwhile: that of a stranger should be an [os.Root]'s, which
// does not lead out of it then either.
func Load(fsys fs.FS, origin Origin) ([]Validator, []error) {
	if _, err := fs.Stat(fsys, "."); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	l := &loader{fsys: fsys, origin: origin, names: map[string]string{}}
	l.folder(".")
	return l.list, l.problems
}

type loader struct {
	fsys     fs.FS
	origin   Origin
	list     []Validator
	problems []error
	names    map[string]string // where each name is
	folders  int
	full     bool
}

func (l *loader) problem(form string, args ...any) {
	l.problems = append(l.problems, fmt.Errorf(form, args...))
}

// ignored are files that editors, version control and interpreters leave.
func ignored(name string) bool {
	return strings.HasPrefix(name, ".") || strings.HasSuffix(name, "~") || strings.HasSuffix(name, ".pyc") || name == "__pycache__" || name == "node_modules"
}

func isManifest(name string) bool {
	return !ignored(path.Base(name)) && (path.Ext(name) == ".yaml" || path.Ext(name) == ".yml")
}

// isSample reports whether a file is a claim for `caselsp fixcheck test`, which no validator reads as its own.
func isSample(name string) bool {
	base := path.Base(name)
	return path.Ext(base) == ".json" && (strings.HasPrefix(base, "good") || strings.HasPrefix(base, "bad"))
}

// folder loads the validators of one folder, or of those in it.
func (l *loader) folder(dir string) {
	if l.full {
		return
	}
	if l.folders++; l.folders > maxFolders {
		l.full = true
		l.problem("%s: there are more than %d folders here: the rest is left out. A folder of validators holds manifests and scripts only", dir, maxFolders)
		return
	}
	entries, err := fs.ReadDir(l.fsys, dir)
	if err != nil {
		l.problems = append(l.problems, err)
		return
	}
	var manifests, folders, links []string
	for _, e := range entries {
		switch name := path.Join(dir, e.Name()); {
		case ignored(e.Name()):
		case e.IsDir():
			folders = append(folders, name)
		case isManifest(name):
			manifests = append(manifests, name)
		case e.Type()&fs.ModeSymlink != 0:
			links = append(links, name)
		}
	}
	if len(manifests) > 0 {
		l.validators(dir, manifests)
	} else {
		for _, name := range links { // perhaps to folders of validators
			l.problem("%s: %w", name, errLink)
		}
	}
	if dir == "." || len(manifests) == 0 { // others hold files of the validators
		for _, name := range folders {
			l.folder(name)
		}
	}
}

var errLink = errors.New("it is a symbolic link, which may lead anywhere: copy what it leads to")

// validators loads those of one folder.
func (l *loader) validators(dir string, manifests []string) {
	files, err := l.files(dir)
	if err != nil {
		l.problem("%w: the validators of %s are left out", err, dir)
		return
	}
	for _, name := range manifests {
		if l.full = l.full || len(l.list) >= maxManifests; l.full {
			l.problem("%s: there are more than %d validators here: the rest is left out", name, maxManifests)
			return
		}
		source, err := l.read(name, MaxManifest)
		if err != nil {
			l.problems = append(l.problems, err)
			continue
		}
		if err := l.add(name, source, files); err != nil {
			l.problems = append(l.problems, err)
		}
	}
}

// add adds the validator of a manifest.
func (l *loader) add(name string, source []byte, files []sandbox.File) error {
	m, err := ParseManifest(name, source)
	if err != nil {
		return err
	}
	if other, taken := l.names[m.Name]; taken {
		return fmt.Errorf("%s: its name %s is that of %s too: give it another", name, m.Name, other)
	}
	if file, own := strings.CutPrefix(m.Command, "./"); own && !slices.ContainsFunc(files, func(f sandbox.File) bool { return f.Path == file }) {
		return fmt.Errorf("%s: the field command names %s, which is not in its folder", name, file)
	}
	l.names[m.Name] = name
	l.list = append(l.list, Validator{Manifest: m, Origin: l.origin, ID: identity(m, files), Files: files, Where: name})
	return nil
}

// files returns the files of the validators of a folder.
func (l *loader) files(dir string) (files []sandbox.File, err error) {
	size := 0
	err = fs.WalkDir(l.fsys, dir, func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case name == dir:
			return nil
		case d.IsDir() && (ignored(d.Name()) || dir == "."):
			return fs.SkipDir
		case d.IsDir() || ignored(d.Name()) || path.Dir(name) == dir && (isManifest(name) || isSample(name)):
			return nil
		case d.Type()&fs.ModeSymlink != 0:
			return fmt.Errorf("%s: %w", name, errLink)
		case !d.Type().IsRegular():
			return fmt.Errorf("%s: it is not a regular file", name)
		case len(files) == maxFiles:
			return fmt.Errorf("%s: a validator may have %d files, here are more", name, maxFiles)
		}
		data, err := l.read(name, maxFile)
		if err != nil {
			return err
		}
		if size += len(data); size > maxTree {
			return fmt.Errorf("%s: with it the files have more than the %d bytes that a validator may have", name, maxTree)
		}
		files = append(files, sandbox.File{Path: strings.TrimPrefix(name, strings.TrimSuffix(dir, ".")+"/"), Mode: modeOf(data), Data: data})
		return nil
	})
	return files, err
}

// modeOf is the mode of a validator's file: a script can be run, whatever the umask of the one who copied it.
func modeOf(data []byte) fs.FileMode {
	if strings.HasPrefix(string(data[:min(len(data), 2)]), "#!") {
		return 0o755
	}
	return 0o644
}

// read reads a regular file of at most so many bytes.
func (l *loader) read(name string, most int64) ([]byte, error) {
	entry, err := fs.Lstat(l.fsys, name)
	if err == nil && entry.Mode()&fs.ModeSymlink != 0 {
		err = fmt.Errorf("%s: %w", name, errLink)
	} else if err == nil && !entry.Mode().IsRegular() {
		err = fmt.Errorf("%s: it is not a regular file", name)
	}
	if err != nil {
		return nil, err
	}
	f, err := l.fsys.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, most+1))
	if err == nil && int64(len(data)) > most {
		err = fmt.Errorf("%s: it has more than %d bytes, the limit of such a file", name, most)
	}
	return data, err
}

// identity is a hash of all that decides what a validator says. The words that only describe it count too: a new
// description finds it for other failures.
func identity(m Manifest, files []sandbox.File) string {
	raw, err := json.Marshal(m)
	if err != nil {
		panic(err) // it holds texts and finite numbers only
	}
	sum := sha256.Sum256(append(raw, sandbox.Digest(files)...))
	return hex.EncodeToString(sum[:])
}

// Join returns the validators of all origins. A user's validator takes the place of a shipped one of its name; a
// workspace's does not, as it may only make more claims invalid: one whose name is taken is left out, with an error.
func Join(shipped, user, workspace []Validator) ([]Validator, []error) {
	var problems []error
	named := func(list []Validator, name string) int {
		return slices.IndexFunc(list, func(v Validator) bool { return v.Name == name })
	}
	all := slices.DeleteFunc(slices.Clone(shipped), func(v Validator) bool { return named(user, v.Name) >= 0 })
	all = append(all, user...)
	for _, v := range workspace {
		if i := named(all, v.Name); i >= 0 {
			problems = append(problems, fmt.Errorf("%s: its name %s is that of a %s validator: give it another", v.Where, v.Name, all[i].Origin))
			continue
		}
		all = append(all, v)
	}
	return all, problems
}
