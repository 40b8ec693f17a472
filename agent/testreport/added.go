package testreport

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"caselsp/store/lazyregexp"
)

// Declared is a test as its file declares it. A runner may call it by another name: with its class or
// suite before it, with parameters in its title or after it, or by its subtests.
type Declared struct{ Path, Name string }

// Added returns the tests that files have now and had not before, and all that they have now.
func Added(changes []Change) (added, all []Declared) {
	for _, c := range changes {
		if !testFile.MatchString(c.Path) || c.Deleted {
			continue
		}
		had := map[string]int{}
		for _, t := range tallyOf(c.Path, c.Before).tests {
			had[t.name]++
		}
		for _, t := range tallyOf(c.Path, c.After).tests {
			if t.name == "" {
				continue
			}
			d := Declared{Path: c.Path, Name: t.name}
			if all = append(all, d); had[t.name] <= 0 {
				added = append(added, d)
			}
			had[t.name]--
		}
	}
	return added, all
}

// OfRun returns the test files that the run covered: those with a result of a declared test, and those that declare no test. Where
// the results do not name every passed test, it returns all files.
func (r Report) OfRun(files []string, all []Declared) (ran []string) {
	passed := 0
	for _, t := range r.Tests {
		if t.Outcome == Passed {
			passed++
		}
	}
	for _, file := range files {
		declares, found := false, passed < r.Passed
		for _, d := range all {
			if d.Path == file {
				declares = true
				name, part := d.patterns()
				found = found || slices.ContainsFunc(r.Tests, func(t Test) bool { return name.MatchString(t.Name) || part.MatchString(t.Name) })
			}
		}
		if found || !declares {
			ran = append(ran, file)
		}
	}
	return ran
}

// Passing are those of the added tests that have certainly passed: a result of each says so, which can be
// of no other declared test, and no result that is not good can be of it.
func (r Report) Passing(added, all []Declared) (names []string) {
	for _, d := range added {
		name, part := d.patterns()
		passed, doubt := false, false
		for _, t := range r.Tests {
			switch {
			case !d.within(t):
			case t.Outcome != Passed:
				doubt = doubt || part.MatchString(t.Name)
			case name.MatchString(t.Name):
				passed = true
				doubt = doubt || claims(all, t) > 1
			}
		}
		if passed && !doubt {
			names = append(names, d.Name)
		}
	}
	return names
}

// claims is how many declared tests a result can be of.
func claims(all []Declared, t Test) (n int) {
	for _, d := range all {
		if name, _ := d.patterns(); d.within(t) && name.MatchString(t.Name) {
			n++
		}
	}
	return n
}

// MayBe reports whether a result can be of one of the declared tests.
func (t Test) MayBe(all []Declared) bool {
	return slices.ContainsFunc(all, func(d Declared) bool {
		_, part := d.patterns()
		return d.within(t) && part.MatchString(t.Name)
	})
}

// within reports whether a result's file can be the test's. Go says of a test only where it has failed, which can be a helper in
// another file of the package; in that, its name is the only one.
func (d Declared) within(t Test) bool {
	if path.Ext(d.Path) == ".go" {
		return t.File == "" || path.Dir(t.File) == path.Dir(d.Path)
	}
	return t.File == "" || t.File == d.Path
}

// filledIn is what runners of JavaScript replace in a title (%s, $name, ${x}), and escapes of a string,
// which a runner prints otherwise.
var filledIn = lazyregexp.New(`\$\{[^}]*\}|%[a-zA-Z#$%]|\$[\w#][\w.#]*|\\u\{[^}]*\}|\\.|\s+`)

// patterns match the names by which a runner may call a test: the whole one, and one that has it as a part.
func (d Declared) patterns() (name, part *lazyregexp.Regexp) {
	before, within, after := `(?:^|::|\.)`, regexp.QuoteMeta(d.Name), `(?:\[.*)?$`
	switch path.Ext(d.Path) {
	case ".py":
		part = lazyregexp.New(`(?:^|\W)` + within + `(?:$|\W)`)
	case ".go":
		before, after = `^`, `(?:/.*)?$`
		part = lazyregexp.New(`^` + within + `(?:$|/)`)
	default:
		literal := filledIn.Split(d.Name, -1)
		for i, text := range literal {
			literal[i] = regexp.QuoteMeta(text)
		}
		before, within, after = `(?:^| )`, strings.Join(literal, `.*`), `$`
		part = lazyregexp.New(`(?s)` + within)
	}
	return lazyregexp.New(`(?s)` + before + within + after), part
}
