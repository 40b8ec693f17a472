package validate

import (
	"caselsp/agent/syntax"
)

// bindings are the names of a program: where each is declared, read and written.
// Names of types and of values are held together, as rules only ask whether a
// name is used at all.
type bindings struct {
	top     *scope
	all     []*scope
	refs    []*reference
	free    []*reference // to names that the program does not declare
	at      map[syntax.Node]*reference
	module  bool // the top scope is the file's own
	strict  bool
	dynamic bool // with or eval: names are reached in ways that no reader sees
	jsx     bool
}

// scopeKind is what makes a scope.
type scopeKind uint8

const (
	blockScope    scopeKind = iota
	functionScope           // of functions, static blocks and the program
	classScope
	catchScope
	nameScope // of the name of a function or class expression alone
)

// scope is a region of the source in which names are declared.
type scope struct {
	kind   scopeKind
	node   syntax.Node
	outer  *scope
	byName map[string]*variable
	vars   []*variable // in the order of their declaration
}

// variable is a name of a scope.
type variable struct {
	name     string
	scope    *scope
	defs     []definition
	refs     []*reference
	exported bool
}

// definition is a place that declares a name.
type definition struct {
	kind string      // var, let, const, function, class, import, parameter, catch, name, type, enum
	name syntax.Node // the name itself
	by   syntax.Node // the declarator, function, class, specifier or clause
}

// reference is a place that reads or writes a name.
type reference struct {
	name        syntax.Node
	scope       *scope
	read, write bool
	init        bool        // the declaration's own value
	by          syntax.Node // what writes: the assignment, update, declarator or loop
	value       syntax.Node // what is written; zero where that is no plain expression
	to          *variable   // nil of a free name
	apart       bool        // written by taking something apart
}
