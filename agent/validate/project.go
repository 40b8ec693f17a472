package validate

import (
	"maps"
	"path"
	"slices"
	"strings"
	"sync"

	"caselsp/agent/syntax"
)

// What is read of a project. Beyond, a text is no source that people write: it
// is there, its style sheets' classes are defined, and nobody judges it.
const (
	MaxSource   = 1 << 20 // bytes
	minifiedRow = 1000    // bytes of a line on average
)

// Kind says what a fact is about.
type Kind string

// The kinds of facts that files state. The name of a fact is given in brackets.
const (
	FileNamed Kind = "file"     // a file is there (its base name)
	FolderAt  Kind = "folder"   // a file lies in a folder (the folder's path)
	Template  Kind = "template" // what a template extends and which blocks it has (its path)
	IDAt      Kind = "id"       // a page has an element with an id (path#id)
	IDNamed   Kind = "ids"      // an element has an id, or a script makes one (the id)
	ClassRule Kind = "class"    // a style sheet has a rule for a class (the class)
	Route     Kind = "route"    // a route is named (its name, with its namespace)
	Namespace Kind = "routes"   // routes are named in a namespace (the namespace; "" for none)
	OpenNames Kind = "included" // routes are included whose names are not known ("")
	Library   Kind = "library"  // a library of template tags is there (its name); the detail is what it registers
	ScriptUse Kind = "script"   // a page loads a script (its base name)
	Framework Kind = "django"   // the project is one of Django's ("")
)

// Key names a fact, and the question after it.
type Key struct {
	Kind Kind
	Name string
}

// Site is a place that states a fact.
type Site struct {
	Path       string
	Start, End int
	Detail     string // what the kind says
}

// Project is a set of files that are judged together. It is safe for
// concurrent use.
type Project struct {
	suite Suite

	mu    sync.Mutex
	round int // counts the changes of files
	files map[string]*member
	facts map[Key]map[string][]Site // by the file that states them
	asks  map[Key]map[string]bool   // which files asked
}

// member is a file of a project.
type member struct {
	file  *File // nil of an asset
	facts map[Key][]Site
	asked map[Key]bool
	found []Finding
	fresh bool // found is what the rules say now
}

// NewProject returns a project without files.
func NewProject(s Suite) *Project {
	return &Project{suite: s, files: map[string]*member{}, facts: map[Key]map[string][]Site{}, asks: map[Key]map[string]bool{}}
}

// Set puts a file's text into the project and returns the paths of the files
// whose findings may be others now, sorted; its own is among them.
func (p *Project) Set(file, text string) []string {
	wrote := minified(text)
	if lang := syntax.LanguageOf(file); !Reads(file) || len(text) > MaxSource || wrote && lang != syntax.CSS {
		return p.SetAsset(file)
	}
	f := newFile(file, text)
	m := &member{file: f, facts: facts(f), fresh: wrote}
	return p.replace(file, m)
}

// minified reports whether a program wrote the text.
func minified(text string) bool {
	return len(text) > 4*minifiedRow && len(text)/(strings.Count(text, "\n")+1) > minifiedRow
}

// Text returns the text of a file; false where it has none that is judged.
func (p *Project) Text(file string) (string, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if m := p.files[file]; m != nil && m.file != nil {
		return m.file.Text, true
	}
	return "", false
}

// SetAsset notes that a file is there whose text is nobody's business, such as
// a picture; see Set.
func (p *Project) SetAsset(file string) []string {
	return p.replace(file, &member{facts: fileFacts(file).m, fresh: true})
}

// Remove takes a file out of the project; see Set.
func (p *Project) Remove(file string) []string { return p.replace(file, nil) }

func (p *Project) replace(file string, m *member) []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	old := p.files[file]
	if old != nil && m != nil && old.file != nil && m.file != nil && old.file.Text == m.file.Text {
		return nil
	}
	p.round++
	affected := map[string]bool{}
	var before, after map[Key][]Site
	if old != nil {
		before = old.facts
		for k := range old.asked {
			delete(p.asks[k], file)
		}
	}
	if m != nil {
		after = m.facts
		p.files[file] = m
		affected[file] = true
	} else {
		delete(p.files, file)
	}
	for k, sites := range before {
		if !sameFacts(sites, after[k]) {
			p.touch(k, affected)
		}
		delete(p.facts[k], file)
	}
	for k, sites := range after {
		if before[k] == nil {
			p.touch(k, affected)
		}
		if p.facts[k] == nil {
			p.facts[k] = map[string][]Site{}
		}
		p.facts[k][file] = sites
	}
	return slices.Sorted(maps.Keys(affected))
}

// sameFacts reports whether a question has the same answer for two lists of
// sites: where in the file they stand is no part of it.
func sameFacts(a, b []Site) bool {
	return slices.EqualFunc(a, b, func(x, y Site) bool { return x.Detail == y.Detail })
}

// touch has those checked again who asked for a fact.
func (p *Project) touch(k Key, affected map[string]bool) {
	for file := range p.asks[k] {
		if m := p.files[file]; m != nil {
			m.fresh = false
			affected[file] = true
		}
	}
}

// Paths returns the files with a text, sorted.
func (p *Project) Paths() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	var list []string
	for file, m := range p.files {
		if m.file != nil {
			list = append(list, file)
		}
	}
	slices.Sort(list)
	return list
}

// Findings returns what the rules find in a file, as Check orders it. A file
// is checked again only where its text changed, or the answer to what one of its
// rules asked.
func (p *Project) Findings(file string) []Finding {
	const tries = 3 // somebody who changes files faster than that asks again
	var found []Finding
	for range tries {
		p.mu.Lock()
		m, round := p.files[file], p.round
		if m == nil || m.fresh {
			defer p.mu.Unlock()
			if m == nil {
				return nil
			}
			return m.found
		}
		p.mu.Unlock()
		// Rules run without the lock; they take it for each question. What changed
		// meanwhile may have been asked for before, and not be noted as asked for yet.
		var asked map[Key]bool
		if found, asked = p.suite.run(m.file, p); p.keep(file, m, round, found, asked) {
			break
		}
	}
	return found
}

// keep notes what the rules found in a file and asked; false where the answers
// may be others by now.
func (p *Project) keep(file string, m *member, round int, found []Finding, asked map[Key]bool) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.files[file] != m {
		return false
	}
	m.found, m.asked, m.fresh = found, asked, p.round == round
	for k := range asked {
		if p.asks[k] == nil {
			p.asks[k] = map[string]bool{}
		}
		p.asks[k][file] = true
	}
	return m.fresh
}

// Alone reports whether the file is judged without its project: then no
// question has an answer, and rules about several files are silent.
func (p *Pass) Alone() bool { return p.project == nil }

// Sites returns the places in the project that state a fact, sorted by file.
// The question is remembered.
func (p *Pass) Sites(kind Kind, name string) []Site {
	if p.project == nil {
		return nil
	}
	k := Key{kind, name}
	p.asked[k] = true
	p.project.mu.Lock()
	defer p.project.mu.Unlock()
	by := p.project.facts[k]
	var list []Site
	for _, file := range slices.Sorted(maps.Keys(by)) {
		list = append(list, by[file]...)
	}
	return list
}

// Other returns another file of the project; nil where it has no text. Ask for
// it by a fact first: what is read of it is not remembered.
func (p *Pass) Other(file string) *File {
	if p.project == nil {
		return nil
	}
	p.project.mu.Lock()
	defer p.project.mu.Unlock()
	if m := p.project.files[file]; m != nil {
		return m.file
	}
	return nil
}

// Named returns the paths of the files whose path ends in name, folder by
// folder: a/b.css is the end of x/a/b.css and not of xa/b.css.
func (p *Pass) Named(name string) []string {
	name = path.Clean("/" + name)
	var list []string
	for _, s := range p.Sites(FileNamed, path.Base(name)) {
		if strings.HasSuffix("/"+s.Path, name) {
			list = append(list, s.Path)
		}
	}
	return list
}

// Exists reports whether a file lies at a path.
func (p *Pass) Exists(file string) bool {
	return slices.ContainsFunc(p.Sites(FileNamed, path.Base(file)), func(s Site) bool { return s.Path == file })
}
