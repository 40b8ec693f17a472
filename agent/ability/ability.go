// Package ability tells what code can do to the machine that it runs on: start programs,
// reach the network, load native code, and more. It reads syntax trees and qualified names,
// never the text, so that a word in a comment or a name of the project's own is none.
//
// It is not part of package validate: an ability is no finding. Whether it matters depends
// on what the project does already, which package permit asks the user about. It does no I/O
// and knows Python, Go, JavaScript and TypeScript; other languages have no abilities here.
package ability

import (
	"slices"
	"strings"

	"caselsp/agent/ecma"
	"caselsp/agent/syntax"
)

// Ability is something that code can do, in words behind "the code can".
type Ability string

// The abilities.
const (
	Processes   Ability = "start other programs"
	Network     Ability = "open network connections"
	Native      Ability = "load native code"
	Dynamic     Ability = "run code that is made at run time"
	Environment Ability = "read environment variables"
	Deletion    Ability = "delete files"
	System      Ability = "change rights, users or other processes"
)

// Use is a place where code has an ability.
type Use struct {
	Ability Ability
	Line    int    // from 0
	Text    string // of the line, without the space around it
}

// In returns the first use of each ability in a file, in the order of their places.
func In(path, text string) []Use {
	lang := syntax.LanguageOf(path)
	known := tables[lang]
	if known == nil || !slices.ContainsFunc(known.words, func(w string) bool { return strings.Contains(text, w) }) {
		return nil
	}
	program := ecma.NewProgram(lang, syntax.Parse(lang, text), 0, false, false)
	root := program.Tree.Root()
	if root.IsZero() {
		return nil
	}
	names := program.QualifiedNames()
	var uses []Use
	for n := range root.Walk() {
		a := known.of(names, n)
		if a == "" || slices.ContainsFunc(uses, func(u Use) bool { return u.Ability == a }) {
			continue
		}
		at := n.Start()
		line := text[strings.LastIndexByte(text[:at.Offset], '\n')+1:]
		line, _, _ = strings.Cut(line, "\n")
		uses = append(uses, Use{Ability: a, Line: at.Line, Text: strings.TrimSpace(line)})
	}
	return uses
}

// of returns the ability that a node gives, "" for none.
func (t *table) of(names *ecma.QualifiedNames, n syntax.Node) Ability {
	switch n.Kind() {
	case "identifier":
		return t.identifier(names, n)
	case "attribute", "member_expression", "selector_expression":
		return t.named(names.Name(n))
	case "import_spec", "import_statement", "export_statement": // Go's and JavaScript's name a module by a text
		return t.named(moduleIn(n.Child("string", "interpreted_string_literal", "raw_string_literal")))
	case "import_from_statement":
		if parts := ecma.NamedChildren(n); !n.Child("wildcard_import").IsZero() && len(parts) > 0 {
			if module := ecma.Squeezed(parts[0]); module != "os" {
				return t.named(module)
			}
			return Processes
		}
	case "call_expression", "call", "new_expression":
		return t.called(names, n)
	}
	return ""
}

// identifier judges a name by itself: one that an import binds, or a global.
func (t *table) identifier(names *ecma.QualifiedNames, n syntax.Node) Ability {
	if parent := n.Parent(); parent.Kind() == "keyword_argument" || parent.Kind() == "attribute" && ecma.FirstNamed(parent) != n {
		return ""
	}
	if len(names.Find(n, n.Text())) == 0 {
		return "" // a global is judged where it is called
	}
	return t.named(names.Name(n))
}

// called judges a call: of a global function, of one that imports a module by its name, and
// of one that is looked up in a module.
func (t *table) called(names *ecma.QualifiedNames, n syntax.Node) Ability {
	fn, args := names.Call(n)
	name := names.Name(fn)
	if fn.Kind() == "import" {
		name = fn.Kind()
	}
	if a := t.globals[name]; a != "" && (fn.Kind() != "identifier" || len(names.Find(fn, fn.Text())) == 0) {
		return a
	}
	first := args.At(0, "")
	if first.IsZero() {
		return ""
	}
	switch {
	case slices.Contains(t.importers, name):
		if v := names.Value(first); v.Known {
			return t.named(strings.TrimPrefix(v.Text, "node:"))
		}
		return Dynamic
	case name == "getattr" && names.Name(first) == "os":
		return Processes
	}
	return ""
}

// named looks a qualified name up: an entry stands for itself and what is in it.
func (t *table) named(name string) Ability {
	for ; name != ""; name = name[:max(strings.LastIndexByte(name, '.'), 0)] {
		if a := t.names[name]; a != "" {
			return a
		}
	}
	return ""
}

// moduleIn is the module that a string names.
func moduleIn(n syntax.Node) string {
	return strings.TrimPrefix(strings.Trim(ecma.TextOf(n), "\"'`"), "node:")
}
