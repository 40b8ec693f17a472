package validate

import (
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

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
	suite   Suite
	looking atomic.Int32 // how many files rules look at just now

	mu    sync.Mutex
	files map[string]*member
	facts map[Key]*factList
	asks  map[Key]map[asker]bool
	curt  ruleSet // the rules that asked nothing yet, of any file
	warm  warmth
}

// factList is what the files state of one fact, a file once.
type factList struct {
	list   []statedBy
	sorted bool // by file
}

// statedBy are the places of one file.
type statedBy struct {
	file  string
	sites []Site
}

// asker is a rule that asked when it looked at a file.
type asker struct {
	file string
	rule int
}

// NewProject returns a project without files.
func NewProject(s Suite) *Project {
	p := &Project{suite: s, files: map[string]*member{}, facts: map[Key]*factList{}, asks: map[Key]map[asker]bool{}}
	p.curt = p.suite.all()
	for _, r := range s.rules {
		p.warm.kept = append(p.warm.kept, r.Keeps...)
	}
	return p
}

// Set puts a file's text into the project and returns the paths of the files
// whose findings may be others now, sorted; its own is among them.
func (p *Project) Set(file, text string) []string {
	wrote := minified(text)
	if lang := syntax.LanguageOf(file); !Reads(file) || len(text) > MaxSource || wrote && lang != syntax.CSS {
		return p.SetAsset(file)
	}
	if old, ok := p.Text(file); ok && old == text {
		return nil
	}
	f := NewFile(file, text)
	m := &member{file: f, facts: facts(f)}
	if !wrote {
		m.stale = p.suite.all()
	}
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

// SetAsset notes that a file exists whose content is not needed, such as
// a picture; see Set.
func (p *Project) SetAsset(file string) []string {
	return p.replace(file, &member{facts: fileFacts(file).m})
}

// Remove takes a file out of the project; see Set.
func (p *Project) Remove(file string) []string { return p.replace(file, nil) }

func (p *Project) replace(file string, m *member) []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	affected := map[string]bool{}
	var before, after map[Key][]Site
	if old := p.files[file]; old != nil {
		before = old.facts
		for rule, keys := range old.asked {
			p.forget(asker{file, rule}, keys)
		}
		p.warm.drop(old)
	}
	if m != nil {
		after = m.facts
		p.files[file] = m
		affected[file] = true
		p.warm.add(m)
	} else {
		delete(p.files, file)
	}
	for k, sites := range before {
		now, ok := after[k]
		if !sameFacts(sites, now) {
			p.touch(k, affected)
		}
		if !ok {
			p.facts[k].remove(file)
		}
	}
	for k, sites := range after {
		if before[k] == nil {
			p.touch(k, affected)
		}
		if p.facts[k] == nil {
			p.facts[k] = &factList{}
		}
		p.facts[k].set(file, sites)
	}
	return slices.Sorted(maps.Keys(affected))
}

// sameFacts reports whether a question has the same answer for two lists of
// sites: where in the file they stand is no part of it.
func sameFacts(a, b []Site) bool {
	return slices.EqualFunc(a, b, func(x, y Site) bool { return x.Detail == y.Detail })
}

// touch has the rules run again that asked for a fact.
func (p *Project) touch(k Key, affected map[string]bool) {
	for a := range p.asks[k] {
		if m := p.files[a.file]; m != nil {
			m.stale.add(a.rule)
			affected[a.file] = true
		}
	}
}

// forget takes back what a rule asked.
func (p *Project) forget(a asker, keys []Key) {
	for _, k := range keys {
		delete(p.asks[k], a)
		if len(p.asks[k]) == 0 {
			delete(p.asks, k)
		}
	}
}

func (l *factList) set(file string, sites []Site) {
	if i := l.index(file); i >= 0 {
		l.list[i].sites = sites
		return
	}
	l.sorted = len(l.list) == 0 || l.sorted && l.list[len(l.list)-1].file < file
	l.list = append(l.list, statedBy{file, sites})
}

func (l *factList) remove(file string) {
	if i := l.index(file); i >= 0 {
		l.list = slices.Delete(l.list, i, i+1)
	}
}

// index returns where a file's sites are; -1 where it has none.
func (l *factList) index(file string) int {
	if l.sorted {
		if i, ok := slices.BinarySearchFunc(l.list, file, byFile); ok {
			return i
		}
		return -1
	}
	return slices.IndexFunc(l.list, func(s statedBy) bool { return s.file == file })
}

func byFile(s statedBy, file string) int { return strings.Compare(s.file, file) }

// sort puts the files in order.
func (l *factList) sort() {
	if !l.sorted {
		slices.SortFunc(l.list, func(a, b statedBy) int { return strings.Compare(a.file, b.file) })
		l.sorted = true
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
