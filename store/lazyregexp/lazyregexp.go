// Package lazyregexp has regular expressions that are compiled when they are first used.
//
// The program has several hundred, of which a run needs few, and it starts often: for each command of a terminal, and
// again within the native sandbox for each command of a task. To compile all of them took most of the time of a start.
package lazyregexp

import (
	"regexp"
	"sync"
	"testing"
)

// Regexp is a regular expression of package regexp, whose methods it has with the same meaning. Its zero value cannot
// be used; several goroutines may.
type Regexp struct {
	text string
	get  func() *regexp.Regexp
}

// New returns the regular expression that a text is in the syntax of package regexp. Where it does not compile, its first
// use panics: those of package variables are checked by a test of the program.
func New(text string) *Regexp {
	p := &Regexp{text, sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })}
	if testing.Testing() {
		made.Lock()
		made.all = append(made.all, text)
		made.Unlock()
	}
	return p
}

// made are the texts of all expressions, in tests.
var made struct {
	sync.Mutex
	all []string
}

// Check returns an error for each expression made so far that is wrong. Only in tests does it know them.
func Check() (wrong []error) {
	made.Lock()
	defer made.Unlock()
	for _, text := range made.all {
		if _, err := regexp.Compile(text); err != nil {
			wrong = append(wrong, err)
		}
	}
	return wrong
}

// String returns the text of the expression.
func (p *Regexp) String() string { return p.text }

// Match is [regexp.Regexp.Match].
func (p *Regexp) Match(b []byte) bool { return p.get().Match(b) }

// MatchString is [regexp.Regexp.MatchString].
func (p *Regexp) MatchString(s string) bool { return p.get().MatchString(s) }

// FindString is [regexp.Regexp.FindString].
func (p *Regexp) FindString(s string) string { return p.get().FindString(s) }

// FindStringIndex is [regexp.Regexp.FindStringIndex].
func (p *Regexp) FindStringIndex(s string) []int { return p.get().FindStringIndex(s) }

// FindStringSubmatch is [regexp.Regexp.FindStringSubmatch].
func (p *Regexp) FindStringSubmatch(s string) []string { return p.get().FindStringSubmatch(s) }

// FindStringSubmatchIndex is [regexp.Regexp.FindStringSubmatchIndex].
func (p *Regexp) FindStringSubmatchIndex(s string) []int { return p.get().FindStringSubmatchIndex(s) }

// FindAllString is [regexp.Regexp.FindAllString].
func (p *Regexp) FindAllString(s string, n int) []string { return p.get().FindAllString(s, n) }

// FindAllStringIndex is [regexp.Regexp.FindAllStringIndex].
func (p *Regexp) FindAllStringIndex(s string, n int) [][]int { return p.get().FindAllStringIndex(s, n) }

// FindAllStringSubmatch is [regexp.Regexp.FindAllStringSubmatch].
func (p *Regexp) FindAllStringSubmatch(s string, n int) [][]string {
	return p.get().FindAllStringSubmatch(s, n)
}

// FindAllStringSubmatchIndex is [regexp.Regexp.FindAllStringSubmatchIndex].
func (p *Regexp) FindAllStringSubmatchIndex(s string, n int) [][]int {
	return p.get().FindAllStringSubmatchIndex(s, n)
}

// FindSubmatch is [regexp.Regexp.FindSubmatch].
func (p *Regexp) FindSubmatch(b []byte) [][]byte { return p.get().FindSubmatch(b) }

// ReplaceAllString is [regexp.Regexp.ReplaceAllString].
func (p *Regexp) ReplaceAllString(s, with string) string { return p.get().ReplaceAllString(s, with) }

// ReplaceAllStringFunc is [regexp.Regexp.ReplaceAllStringFunc].
func (p *Regexp) ReplaceAllStringFunc(s string, with func(string) string) string {
	return p.get().ReplaceAllStringFunc(s, with)
}

// Split is [regexp.Regexp.Split].
func (p *Regexp) Split(s string, n int) []string { return p.get().Split(s, n) }

// SubexpNames is [regexp.Regexp.SubexpNames].
func (p *Regexp) SubexpNames() []string { return p.get().SubexpNames() }
