package settings

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Origin says where a layer comes from. [Judge.Merge] puts higher origins over lower ones.
type Origin int

// The origins, in rising order. An origin that was not given counts as a stranger.
const (
	User          Origin = iota + 1 // the user's settings.json
	Environment                     // CASELSP_ variables
	Editor                          // initializationOptions
	Pushed                          // workspace/didChangeConfiguration
	Configuration                   // workspace/configuration
	Repository                      // the workspace's own .caselsp.json
	Flags                           // the command line
)

// origins are the names and the standings of the origins.
var origins = map[Origin]struct {
	name     string
	standing standing
}{
	User:          {"the user's settings", own},
	Environment:   {"the environment", own},
	Editor:        {"initializationOptions", editor},
	Pushed:        {"workspace/didChangeConfiguration", editor},
	Configuration: {"workspace/configuration", editor},
	Repository:    {"the workspace's settings", workspace},
	Flags:         {"the command line", own},
}

// String returns the origin as messages name it.
func (o Origin) String() string { return origins[o].name }

// standing says whose word a layer is. The zero value is a stranger's.
type standing int

const (
	// workspace: the file of a project, which can only tighten.
	workspace standing = iota
	// editor: what an editor hands over. It may be the user's, and it may be a file of
	// the project that the editor passed on (.dir-locals.el, .vscode/settings.json): nothing
	// in the message tells them apart. What a workspace may not set counts once the user
	// has confirmed the value.
	editor
	// own: the user's file, variables and flags, which no project writes.
	own
)

// The names of the files, in the user's configuration folder and in a
// workspace's root.
const (
	UserFile       = "settings.json"
	EnvFile        = ".env"
	RepositoryFile = ".caselsp.json"
)

// Layer is what one origin sets. Editors must send null for settings that are not
// set, or their copies of the defaults would hide the user's file.
type Layer struct {
	Origin   Origin
	Place    string         // a file's path, or the editor's name; "" where the origin says enough
	Values   map[string]any // as JSON decodes it; nested, or with dotted names
	Problems []Problem      // met while it was read; Merge passes them on
	// Untrusted marks a layer of a workspace that the user does not trust, or of an editor
	// that has one open: what a workspace could set to any value, it cannot set at all.
	Untrusted bool
}

// standing says whose word the layer is.
func (l Layer) standing() standing { return origins[l.Origin].standing }

// Foreign reports whether an editor handed the layer over.
func (l Layer) Foreign() bool { return l.standing() == editor }

// name returns the layer as messages name it.
func (l Layer) name() string {
	if l.Place == "" {
		return l.Origin.String()
	}
	return l.Origin.String() + " (" + l.Place + ")"
}

// problem returns a problem of this layer.
func (l Layer) problem(setting, form string, args ...any) Problem {
	return Problem{Setting: setting, Layer: l.name(), Text: fmt.Sprintf(form, args...)}
}

// ignoring returns a problem because of which what it is about is ignored.
func (l Layer) ignoring(setting, form string, args ...any) Problem {
	p := l.problem(setting, form, args...)
	p.Ignored = true
	return p
}

// Decode returns the layer that a JSON text holds: an object, in which comments
// and trailing commas are allowed, or null. What is wrong with it is in Problems.
func Decode(o Origin, place string, text []byte) Layer {
	l := Layer{Origin: o, Place: place}
	value, err := decode(text)
	if err != nil {
		l.Problems = []Problem{l.problem("", "not readable as JSON: %v; all of it is ignored", err)}
		return l
	}
	values, ok := value.(map[string]any)
	if !ok && value != nil {
		l.Problems = []Problem{l.problem("", "%s is not an object of settings; it is ignored", shown(value))}
	}
	l.Values = values
	return l
}

// notSettings are variables with our prefix that no setting is made from: they tell
// tests what they must not skip (see the Makefile) and where the editors are.
var notSettings = []string{prefix + "REQUIRE", prefix + "NVIM", prefix + "EMACS", prefix + "HELIX"}

// Variables returns the layer of the environment; environ is as os.Environ has it.
func Variables(environ []string) Layer {
	l := Layer{Origin: Environment, Values: make(map[string]any)}
	for _, pair := range environ {
		name, value, _ := strings.Cut(pair, "=")
		if !strings.HasPrefix(name, prefix) || slices.Contains(notSettings, name) {
			continue
		}
		i := slices.IndexFunc(entries, func(e entry) bool { return e.Env == name })
		switch {
		case i < 0:
			l.Problems = append(l.Problems, l.ignoring(name, "there is no such setting%s", nearest(name)))
		case value != "": // an empty variable is as good as none
			l.Values[entries[i].Name] = value
		}
	}
	return l
}

// Folder returns the user's configuration folder of caselsp:
// $XDG_CONFIG_HOME/caselsp, or the system's own place for it.
func Folder() (string, error) {
	if dir := os.Getenv("XDG_CONFIG_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, section), nil
	}
	dir, err := os.UserConfigDir()
	if err != nil {
		return "", fmt.Errorf("no folder for settings: %w; set XDG_CONFIG_HOME", err)
	}
	return filepath.Join(dir, section), nil
}

// Load reads the user's file in dir, which [Folder] returns, and the file of
// each workspace root. A missing file is no layer; what is wrong with one is in
// the Problems of its layer.
func Load(dir string, roots ...string) []Layer {
	var layers []Layer
	add := func(o Origin, file string) {
		text, err := read(file, o == Repository)
		switch {
		case err == nil:
			layers = append(layers, Decode(o, file, text))
		case !errors.Is(err, fs.ErrNotExist):
			l := Layer{Origin: o, Place: file}
			l.Problems = []Problem{l.ignoring("", "not readable: %v", err)}
			layers = append(layers, l)
		}
	}
	if dir != "" {
		add(User, filepath.Join(dir, UserFile))
	}
	for _, root := range roots {
		add(Repository, filepath.Join(root, RepositoryFile))
	}
	return layers
}

// Stamp is another text when one of the files that [Load] and [LoadEnv] read has changed. It is cheap.
func Stamp(dir string, roots ...string) string {
	var files []string
	if dir != "" {
		files = append(files, filepath.Join(dir, UserFile), filepath.Join(dir, EnvFile))
	}
	for _, root := range roots {
		files = append(files, filepath.Join(root, RepositoryFile))
	}
	var b strings.Builder
	for _, file := range files {
		if about, err := os.Stat(file); err == nil {
			fmt.Fprintf(&b, "%s %d %d\n", file, about.Size(), about.ModTime().UnixNano())
		}
	}
	return b.String()
}

// fileLimit is a hundred times what a file of settings holds.
const fileLimit = 1 << 20

// read returns a regular file's content. Of a stranger it does not follow a
// link: it would read what the link points to into messages.
func read(file string, stranger bool) ([]byte, error) {
	stat := os.Stat
	if stranger {
		stat = os.Lstat
	}
	about, err := stat(file)
	if err != nil {
		return nil, err
	}
	if !about.Mode().IsRegular() {
		return nil, errors.New("it is not a regular file") // a pipe would never end
	}
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, fileLimit+1))
	if err == nil && len(text) > fileLimit {
		err = fmt.Errorf("it is larger than %d bytes", fileLimit)
	}
	return text, err
}

// sortedKeys returns the keys of m, sorted, so that problems come in one order.
func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
