package validate

import (
	"container/list"
	"path"
	"runtime"
	"slices"
	"strings"
	"sync"
)

// What is judged again. Each rule's verdict on each file is kept, with what the
// rule asked the project for it. A file that changes is judged anew; of other
// files only those rules run again whose questions have another answer. What was
// read of a file (its tree, its sheets) is let go when others were read since,
// and is read again when a rule needs it.

// member is a file of a project.
type member struct {
	judging  sync.Mutex        // held while rules look at it
	verdicts map[int][]Finding // by rule; of those that found something

	// The rest is the project's mutex's.
	file  *File // nil of an asset
	facts map[Key][]Site
	stale ruleSet       // the rules that are to run
	asked map[int][]Key // by rule
	found []Finding     // all verdicts, without what comments switch off
	warm  *list.Element // its place among those that were read last; nil where it is none
}

// note remembers what a rule asked.
func (m *member) note(rule int, k Key) {
	if m.asked == nil {
		m.asked = map[int][]Key{}
	}
	m.asked[rule] = append(m.asked[rule], k)
}

// ruleSet is a set of rules, by their index in the suite.
type ruleSet []uint64

func (s Suite) all() ruleSet {
	set := make(ruleSet, (len(s.rules)+63)/64)
	for i := range s.rules {
		set.add(i)
	}
	return set
}

func (s *ruleSet) add(rule int) {
	for len(*s) <= rule/64 {
		*s = append(*s, 0)
	}
	(*s)[rule/64] |= 1 << (rule % 64)
}

func (s ruleSet) has(rule int) bool { return rule/64 < len(s) && s[rule/64]>>(rule%64)&1 == 1 }

func (s ruleSet) empty() bool { return !slices.ContainsFunc(s, func(w uint64) bool { return w != 0 }) }

// meets reports whether a rule is in both sets.
func (s ruleSet) meets(of ruleSet) bool {
	for i := range min(len(s), len(of)) {
		if s[i]&of[i] != 0 {
			return true
		}
	}
	return false
}

// take removes the rules of another set and returns those that were in both.
func (s ruleSet) take(of ruleSet) ruleSet {
	taken := make(ruleSet, len(s))
	for i := range min(len(s), len(of)) {
		taken[i] = s[i] & of[i]
		s[i] &^= of[i]
	}
	return taken
}

// Findings returns what the rules find in a file, as Check orders it. A rule
// runs again only where the file's text changed, or the answer to what it asked.
func (p *Project) Findings(file string) []Finding { return p.judge(file, p.suite.all()) }

// Ahead has those rules look at a file that ask nothing of other files: for
// whoever puts many files into a project and wants the findings of all, while
// what was read of this one is at hand. Findings does the rest.
func (p *Project) Ahead(file string) {
	p.mu.Lock()
	curt := slices.Clone(p.curt)
	p.mu.Unlock()
	p.judge(file, curt)
}

// judge has those rules of a set look at a file that are to.
func (p *Project) judge(file string, set ruleSet) []Finding {
	const tries = 3 // somebody who changes files faster than that asks again
	for range tries {
		p.mu.Lock()
		m := p.files[file]
		asset := m == nil || m.file == nil
		p.mu.Unlock()
		if asset || p.look(m, file, set) {
			break
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if m := p.files[file]; m != nil {
		return m.found
	}
	return nil
}

// look runs the rules; false where the file or the answers are others meanwhile.
func (p *Project) look(m *member, path string, set ruleSet) bool {
	m.judging.Lock()
	defer m.judging.Unlock()
	p.mu.Lock()
	due := m.stale.take(set)
	if due.empty() {
		p.mu.Unlock()
		return true
	}
	for rule, keys := range m.asked {
		if due.has(rule) {
			p.forget(asker{path, rule}, keys)
			delete(m.asked, rule)
		}
	}
	file := m.file
	p.warm.add(m)
	p.mu.Unlock()

	// Rules run without the lock; they take it for each question. What changes
	// meanwhile makes them stale again.
	verdicts := p.run(m, file, due)
	for i, found := range m.verdicts {
		if !due.has(i) {
			verdicts[i] = found
		}
	}
	m.verdicts = verdicts
	found := p.suite.merge(file, m.verdicts)
	p.mu.Lock()
	defer p.mu.Unlock()
	m.found = found
	return p.files[path] == m && !m.stale.meets(set)
}

// run has rules look at a file with the processors that no other file needs. After
// a panic, which ends what the caller does, they are still to run.
func (p *Project) run(m *member, file *File, due ruleSet) map[int][]Finding {
	workers := runtime.GOMAXPROCS(0) / int(p.looking.Add(1))
	ended := false
	defer func() {
		p.looking.Add(-1)
		if !ended {
			p.mu.Lock()
			defer p.mu.Unlock()
			for i := range p.suite.rules {
				if due.has(i) {
					m.stale.add(i)
				}
			}
		}
	}()
	verdicts := p.suite.run(Pass{File: file, project: p, member: m}, due, workers)
	ended = true
	return verdicts
}

// warmth holds the members whose files were read last, the oldest first.
type warmth struct {
	members list.List
	kept    []Kept
	bytes   int // of their texts
}

// maxWarm is how much text is kept with what was read of it: the heap holds
// some 30 bytes for each, and what people work on is a few files.
const maxWarm = 2 << 20

// add notes that a member's file is read now, and lets the oldest go.
func (w *warmth) add(m *member) {
	if m.file == nil {
		return
	}
	if m.warm != nil {
		w.members.MoveToBack(m.warm)
		return
	}
	m.warm = w.members.PushBack(m)
	w.bytes += len(m.file.Text)
	for w.bytes > maxWarm && w.members.Len() > 1 {
		oldest := w.members.Front().Value.(*member)
		w.drop(oldest)
		oldest.file = oldest.file.rested(w.kept)
	}
}

func (w *warmth) drop(m *member) {
	if m.warm != nil {
		w.members.Remove(m.warm)
		w.bytes -= len(m.file.Text)
		m.warm = nil
	}
}

// Alone reports whether the file is judged without its project: then no
// question has an answer, and rules about several files are silent.
func (p *Pass) Alone() bool { return p.project == nil }

// Sites returns the places in the project that state a fact, sorted by file.
// The question is remembered.
func (p *Pass) Sites(kind Kind, name string) []Site {
	var sites []Site
	p.ask(Key{kind, name}, func(l *factList) {
		l.sort()
		for _, s := range l.list {
			sites = append(sites, s.sites...)
		}
	})
	return sites
}

// Stated reports whether any file states a fact. The question is remembered.
func (p *Pass) Stated(kind Kind, name string) bool {
	found := false
	p.ask(Key{kind, name}, func(l *factList) { found = len(l.list) > 0 })
	return found
}

// AnySite reports whether a place that states a fact is as wanted. The question
// is remembered.
func (p *Pass) AnySite(kind Kind, name string, wanted func(Site) bool) bool {
	found := false
	p.ask(Key{kind, name}, func(l *factList) {
		found = slices.ContainsFunc(l.list, func(s statedBy) bool { return slices.ContainsFunc(s.sites, wanted) })
	})
	return found
}

// ask calls answer with what is stated of a fact, if anything is, and remembers
// the question.
func (p *Pass) ask(k Key, answer func(*factList)) {
	if p.project == nil {
		return
	}
	p.project.mu.Lock()
	defer p.project.mu.Unlock()
	if p.project.files[p.Path] == p.member {
		a := asker{p.Path, p.index}
		if p.project.asks[k] == nil {
			p.project.asks[k] = map[asker]bool{}
		}
		if !p.project.asks[k][a] {
			p.project.asks[k][a] = true
			p.member.note(p.index, k)
		}
		p.project.curt[p.index/64] &^= 1 << (p.index % 64)
	}
	if l := p.project.facts[k]; l != nil {
		answer(l)
	}
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
		p.project.warm.add(m)
		return m.file
	}
	return nil
}

// Named returns the paths of the files whose path ends in name, folder by
// folder: a/b.css is the end of x/a/b.css and not of xa/b.css.
func (p *Pass) Named(name string) []string {
	name = path.Clean("/" + name)
	var list []string
	p.ask(Key{FileNamed, path.Base(name)}, func(l *factList) {
		for _, s := range l.list {
			if strings.HasSuffix("/"+s.file, name) {
				list = append(list, s.file)
			}
		}
	})
	slices.Sort(list)
	return list
}

// Exists reports whether a file lies at a path.
func (p *Pass) Exists(file string) bool {
	found := false
	p.ask(Key{FileNamed, path.Base(file)}, func(l *factList) {
		l.sort()
		found = l.index(file) >= 0
	})
	return found
}
