// Package project knows what a project is made of beyond its symbols: the apps that its settings
// register, the models of its databases, and its routes. It reads them from the marks of the
// files (package syntax) and from nothing else, so that there is one source for them: whoever has
// the facts of the files as they are now has the state as it is now.
//
// It is a package of its own because the planner, the command line and the editor ask it the same
// question. What is named here is named by its path: two files of one name never mix. Names are
// resolved as Python and Node do, as far as that can be told without running anything; what
// cannot be resolved is shown as it is written. Files of tests declare nothing.
// It does no I/O.
package project

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"caselsp/agent/syntax"
	"caselsp/agent/testreport"
)

// File is a file with its facts.
type File struct {
	Path string
	*syntax.Facts
}

// State is what a project is made of. The lists are sorted, and never nil.
type State struct {
	Apps      []App      `json:"apps"`
	Models    []Model    `json:"models"`
	Routes    []Route    `json:"routes"`
	Artifacts []Artifact `json:"artifacts"`
	// More says that there are more routes than are listed.
	More bool `json:"more,omitempty"`
}

// Place is a line of a file, from 1.
type Place struct {
	File string `json:"file"`
	Line int    `json:"line"`
}

// App is a registered Django app.
type App struct {
	Name     string  `json:"name"`  // of its package
	Label    string  `json:"label"` // by which models are named
	Path     string  `json:"path"`  // its folder; "" for one that is not part of the project
	Settings []Place `json:"settings"`
}

// Model is a class that a database's tables or documents are made of.
type Model struct {
	Kind     string `json:"kind"` // such as django_model
	Name     string `json:"name"` // blog.Post: behind the label of the app, else behind the module
	Abstract bool   `json:"abstract,omitempty"`
	// Unregistered says that its app stands in no INSTALLED_APPS, although there are such.
	Unregistered bool `json:"unregistered,omitempty"`
	Place
}

// Route is a path that is answered.
type Route struct {
	Methods   []string `json:"methods,omitempty"` // none: any, or those that the view has
	Path      string   `json:"path"`              // with the prefixes of what it is included in
	View      string   `json:"view,omitempty"`    // as it is written; include(...) for routes of other packages
	Name      string   `json:"name,omitempty"`
	Framework string   `json:"framework"`
	Place
}

// Artifact is an entry of the registry: what it is, and where. Two of one key in different files are two.
type Artifact struct {
	Key string `json:"artifact"` // django_model:blog.Post
	Place
}

const (
	// maxRoutes bounds the routes of one state: projects of some hundred views have fewer. Includes
	// that include each other end there too.
	maxRoutes = 2000
	// maxChain bounds how far a name is followed through imports, a class through its bases and
	// a route through its includes.
	maxChain = 12
)

// project resolves names over the files of one state.
type project struct {
	files map[string]*file
	// byName has the files by their last path element, for names that are found in one place only.
	byName map[string][]*file
	dirs   map[string]bool // that have files of Python
	apps   []App
	kinds  map[point]string // of classes: "" where it is no model
	state  *State
}

// file is a file with its marks by what they are looked up for.
type file struct {
	path    string
	imports []string // modules
	marks   []syntax.Mark
	named   map[string]syntax.Mark // imports
	stars   []string
	classes map[string]syntax.Mark
	made    map[string]syntax.Mark
	exports map[string]string
	lists   map[string][]syntax.Mark // items and URLs
}

// point is a name in a file.
type point struct{ file, name string }

// Of returns the state of a project.
func Of(files []File) State {
	s := State{Apps: []App{}, Models: []Model{}, Routes: []Route{}, Artifacts: []Artifact{}}
	p := &project{files: map[string]*file{}, byName: map[string][]*file{}, dirs: map[string]bool{}, kinds: map[point]string{}, state: &s}
	for _, f := range files {
		if f.Facts != nil && !testreport.IsTest(f.Path) {
			p.take(f)
		}
	}
	order := slices.SortedFunc(values(p.files), func(a, b *file) int { return cmp.Compare(a.path, b.path) })
	p.findApps(order)
	p.findModels(order)
	p.findURLs(order)
	p.findRoutes(order)
	p.sort()
	p.register()
	return s
}

func values[K comparable, V any](m map[K]V) func(func(V) bool) {
	return func(yield func(V) bool) {
		for _, v := range m {
			if !yield(v) {
				return
			}
		}
	}
}

// take sorts the marks of a file.
func (p *project) take(from File) {
	f := &file{path: from.Path, imports: from.Imports, marks: from.Marks, named: map[string]syntax.Mark{}, classes: map[string]syntax.Mark{},
		made: map[string]syntax.Mark{}, exports: map[string]string{}, lists: map[string][]syntax.Mark{}}
	p.files[f.path] = f
	p.byName[path.Base(f.path)] = append(p.byName[path.Base(f.path)], f)
	if from.Language == syntax.Python {
		for dir := path.Dir(f.path); !p.dirs[dir]; dir = path.Dir(dir) {
			p.dirs[dir] = true
		}
	}
	for _, m := range f.marks {
		switch m.Kind {
		case syntax.MarkImport:
			f.named[m.Name] = m
		case syntax.MarkStar:
			f.stars = append(f.stars, m.Value)
		case syntax.MarkClass:
			f.classes[m.Name] = m
		case syntax.MarkMade:
			if _, ok := f.made[m.Name]; !ok {
				f.made[m.Name] = m
			}
		case syntax.MarkExport:
			f.exports[m.Name] = m.To
		case syntax.MarkItem, syntax.MarkURL:
			f.lists[m.On] = append(f.lists[m.On], m)
		}
	}
}

// sort orders the lists, and takes out what stands there twice.
func (p *project) sort() {
	place := func(a, b Place) int { return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line)) }
	s := p.state
	s.Apps = append(s.Apps, p.apps...)
	slices.SortFunc(s.Apps, func(a, b App) int {
		return cmp.Or(cmp.Compare(own(a), own(b)), cmp.Compare(a.Name, b.Name), cmp.Compare(a.Path, b.Path))
	})
	slices.SortFunc(s.Models, func(a, b Model) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Name, b.Name), place(a.Place, b.Place))
	})
	slices.SortStableFunc(s.Routes, func(a, b Route) int {
		return cmp.Or(cmp.Compare(a.Path, b.Path), place(a.Place, b.Place), slices.Compare(a.Methods, b.Methods))
	})
	s.Routes = slices.CompactFunc(s.Routes, func(a, b Route) bool {
		return a.Path == b.Path && a.Place == b.Place && a.View == b.View && slices.Equal(a.Methods, b.Methods)
	})
}

// own puts the apps of the project before those of others.
func own(a App) int {
	if a.Path != "" {
		return 0
	}
	return 1
}

// register lists what has a name of its own and a file.
func (p *project) register() {
	s := p.state
	for _, a := range s.Apps {
		if a.Path != "" {
			place := Place{a.Path, 1}
			for _, name := range []string{"apps.py", "__init__.py"} {
				if f := p.files[path.Join(a.Path, name)]; f != nil {
					place.File = f.path
					break
				}
			}
			s.Artifacts = append(s.Artifacts, Artifact{"django_app:" + a.Label, place})
		}
	}
	for _, m := range s.Models {
		s.Artifacts = append(s.Artifacts, Artifact{m.Kind + ":" + m.Name, m.Place})
	}
	for _, r := range s.Routes {
		if r.Name != "" {
			s.Artifacts = append(s.Artifacts, Artifact{r.Framework + "_route:" + r.Name, r.Place})
		}
	}
	slices.SortStableFunc(s.Artifacts, func(a, b Artifact) int {
		return cmp.Or(strings.Compare(a.Key, b.Key), strings.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line))
	})
	s.Artifacts = slices.Compact(s.Artifacts)
}
