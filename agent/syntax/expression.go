package syntax

import (
	"regexp"
	"regexp/syntax"
	"sync"
)

// Expression is a regular expression that is compiled when it is first used:
// a server starts before it judges, and most files need few of them.
type Expression struct {
	text     string
	compiled func() *regexp.Regexp
}

// Expr returns the expression of a text in the syntax of package regexp. One that
// does not compile panics when it is first used.
func Expr(text string) *Expression {
	return &Expression{text, sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })}
}

// Literals returns texts of which one is in every match, see [literals].
func (e *Expression) Literals() ([]string, bool) {
	tree, err := syntax.Parse(e.text, syntax.Perl)
	if err != nil {
		panic(err) // as MustCompile has it
	}
	return literals(tree)
}

// String returns the source of the expression.
func (e *Expression) String() string { return e.text }

// MatchString is [regexp.Regexp.MatchString].
func (e *Expression) MatchString(s string) bool { return e.compiled().MatchString(s) }

// FindString is [regexp.Regexp.FindString].
func (e *Expression) FindString(s string) string { return e.compiled().FindString(s) }

// FindStringIndex is [regexp.Regexp.FindStringIndex].
func (e *Expression) FindStringIndex(s string) []int { return e.compiled().FindStringIndex(s) }

// FindStringSubmatch is [regexp.Regexp.FindStringSubmatch].
func (e *Expression) FindStringSubmatch(s string) []string { return e.compiled().FindStringSubmatch(s) }

// FindStringSubmatchIndex is [regexp.Regexp.FindStringSubmatchIndex].
func (e *Expression) FindStringSubmatchIndex(s string) []int {
	return e.compiled().FindStringSubmatchIndex(s)
}

// FindAllStringSubmatch is [regexp.Regexp.FindAllStringSubmatch], of all matches.
func (e *Expression) FindAllStringSubmatch(s string) [][]string {
	return e.compiled().FindAllStringSubmatch(s, -1)
}

// FindAllStringSubmatchIndex is [regexp.Regexp.FindAllStringSubmatchIndex], of all matches.
func (e *Expression) FindAllStringSubmatchIndex(s string) [][]int {
	return e.compiled().FindAllStringSubmatchIndex(s, -1)
}
