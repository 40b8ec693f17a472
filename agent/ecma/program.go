// Package ecma reads programs for the rules that ask about JavaScript and
// TypeScript: scopes and references, where statements lead, what an expression is
// in a condition, regular expressions.
//
// It has two analyses of names. [Scopes] binds every reference of a program in
// JavaScript or TypeScript to its declaration, as the language does.
// [QualifiedNames] says what an expression stands for (subprocess.run,
// child_process.exec) through imports, aliases and single assignments; it is a
// coarser reading without control flow, of Python and Go as well, since the
// questions of the security rules are the same in each language. They are not
// joined: the one is exact about one language, the other one guesses alike in three.
//
// The package does no I/O and never fails: of a broken text, what can be seen is
// read.
package ecma

import (
	"strings"
	"sync"

	"caselsp/agent/syntax"
)

// Program is the source of a program, with what was read of its names. Each
// reading is made when it is first asked for. It is safe for concurrent use.
type Program struct {
	Lang   syntax.Language
	Tree   *syntax.Tree
	Base   int  // where it begins in its file, in bytes
	Inline bool // it stands in a page
	Module bool // the page says that it is a module

	readSound    func() bool
	readNames    func() *QualifiedNames
	readBindings func() *Scopes
	readFlows    func() *Flows
	readPatterns func() []Regexp
}

// Sound reports whether the program parses and was written by people.
func (c *Program) Sound() bool { return c.readSound() }

// QualifiedNames returns what the program's names stand for, in any language.
func (c *Program) QualifiedNames() *QualifiedNames { return c.readNames() }

// Scopes returns the scopes of a program in JavaScript or TypeScript.
func (c *Program) Scopes() *Scopes { return c.readBindings() }

// Flows returns where the statements of a program in JavaScript or TypeScript lead.
func (c *Program) Flows() *Flows { return c.readFlows() }

// Patterns returns the regular expressions of a program in JavaScript or TypeScript.
func (c *Program) Patterns() []Regexp { return c.readPatterns() }

// NewProgram returns a program that begins at an offset of its file. Inline
// says that it stands in a page, module that the page calls it one.
func NewProgram(lang syntax.Language, tree *syntax.Tree, base int, inline, module bool) *Program {
	c := &Program{Lang: lang, Tree: tree, Base: base, Inline: inline, Module: module}
	c.readSound = sync.OnceValue(func() bool { return isSound(c) })
	c.readNames = sync.OnceValue(func() *QualifiedNames { return bind(c) })
	c.readBindings = sync.OnceValue(func() *Scopes { return bindNames(c) })
	c.readPatterns = sync.OnceValue(func() []Regexp { return readPatterns(c) })
	c.readFlows = sync.OnceValue(func() *Flows { return follow(c) })
	return c
}

// Nodes returns the nodes of one of the kinds, in the order of the kinds, and of
// each in document order.
func (c *Program) Nodes(kinds ...string) []syntax.Node {
	if len(kinds) == 1 {
		return c.Tree.Nodes(kinds[0])
	}
	var list []syntax.Node
	for _, k := range kinds {
		list = append(list, c.Tree.Nodes(k)...)
	}
	return list
}

// Span returns the place of a node in the file.
func (c *Program) Span(n syntax.Node) (start, end int) {
	start, end = n.Offsets()
	return c.Base + start, c.Base + end
}

// isSound reports whether a program parses and was written by people.
func isSound(c *Program) bool {
	return len(c.Nodes("ERROR")) == 0 && !c.Tree.Root().IsZero() && (!c.Inline || !Dense(c.Tree.Root().Text()))
}

// Dense reports whether a script or a style sheet was written by a machine.
func Dense(text string) bool {
	return len(text) > crowded && len(text)/(strings.Count(text, "\n")+1) > crowded
}

// crowded is the mean length of line, in bytes, above which a script or a style
// sheet was written by a machine; people's are below 80, minified ones in the
// thousands.
const crowded = 300

// ecma are the languages that scripts of pages are written in.
var Languages = []syntax.Language{syntax.JavaScript, syntax.TypeScript, syntax.TSX}
