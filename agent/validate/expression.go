package validate

import (
	"regexp"
	"regexp/syntax"
	"sync"
)

// expression is a regular expression that is compiled when it is first used:
// a server starts before it judges, and most files need few of them.
type expression struct {
	text     string
	compiled func() *regexp.Regexp
}

func expr(text string) *expression {
	return &expression{text, sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })}
}

// literals returns texts of which one is in every match, see [literals].
func (e *expression) literals() ([]string, bool) {
	tree, err := syntax.Parse(e.text, syntax.Perl)
	if err != nil {
		panic(err) // as MustCompile has it
	}
	return literals(tree)
}

// MatchString is [regexp.Regexp.MatchString].
func (e *expression) MatchString(s string) bool { return e.compiled().MatchString(s) }

// FindString is [regexp.Regexp.FindString].
func (e *expression) FindString(s string) string { return e.compiled().FindString(s) }

// FindStringIndex is [regexp.Regexp.FindStringIndex].
func (e *expression) FindStringIndex(s string) []int { return e.compiled().FindStringIndex(s) }

// FindStringSubmatch is [regexp.Regexp.FindStringSubmatch].
func (e *expression) FindStringSubmatch(s string) []string { return e.compiled().FindStringSubmatch(s) }

// FindStringSubmatchIndex is [regexp.Regexp.FindStringSubmatchIndex].
func (e *expression) FindStringSubmatchIndex(s string) []int {
	return e.compiled().FindStringSubmatchIndex(s)
}

// FindAllStringSubmatch is [regexp.Regexp.FindAllStringSubmatch], of all matches.
func (e *expression) FindAllStringSubmatch(s string) [][]string {
	return e.compiled().FindAllStringSubmatch(s, -1)
}

// FindAllStringSubmatchIndex is [regexp.Regexp.FindAllStringSubmatchIndex], of all matches.
func (e *expression) FindAllStringSubmatchIndex(s string) [][]int {
	return e.compiled().FindAllStringSubmatchIndex(s, -1)
}
