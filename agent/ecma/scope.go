package ecma

import (
	"caselsp/agent/syntax"
)

// Scopes are the names of a program: where each is declared, read and written.
// Names of types and of values are held together, as rules only ask whether a
// name is used at all.
type Scopes struct {
	Top     *Scope
	All     []*Scope
	refs    []*Reference
	Free    []*Reference // to names that the program does not declare
	At      map[syntax.Node]*Reference
	Module  bool // the top scope is the file's own
	Strict  bool
	Dynamic bool // with or eval: names are reached in ways that no reader sees
	Jsx     bool
}

// ScopeKind is what makes a scope.
type ScopeKind uint8

const (
	BlockScope    ScopeKind = iota // of a block, a loop or a switch
	FunctionScope                  // of functions, static blocks and the program
	ClassScope                     // of a class body
	CatchScope                     // of a caught error
	NameScope                      // of the name of a function or class expression alone
)

// Scope is a region of the source in which names are declared.
type Scope struct {
	Kind   ScopeKind
	Node   syntax.Node
	outer  *Scope
	ByName map[string]*Variable
	Vars   []*Variable // in the order of their declaration
}

// Variable is a name of a scope.
type Variable struct {
	Name     string
	Scope    *Scope
	Defs     []Definition
	Refs     []*Reference
	Exported bool
}

// Definition is a place that declares a name.
type Definition struct {
	Kind string      // var, let, const, function, class, import, parameter, catch, name, type, enum
	Name syntax.Node // the name itself
	By   syntax.Node // the declarator, function, class, specifier or clause
}

// Reference is a place that reads or writes a name.
type Reference struct {
	Name        syntax.Node
	Scope       *Scope
	Read, Write bool
	Init        bool        // the declaration's own value
	By          syntax.Node // what writes: the assignment, update, declarator or loop
	Value       syntax.Node // what is written; zero where that is no plain expression
	To          *Variable   // nil of a free name
	Apart       bool        // written by taking something apart
}
