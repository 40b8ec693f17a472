package ecma

import (
	"slices"
	"strings"
	"sync"

	"caselsp/agent/syntax"
)

// QualifiedNames says what the names of a program stand for: it is what lets a rule see
// through imports, aliases and single assignments. It is a reading of one file,
// function by function, without control flow: what a name was given in any branch
// counts, and a name that a parameter or an unknown value shadows is unknown.
type QualifiedNames struct {
	Code  *Program
	bound map[nameAt][]Binding
	Calls []Call

	Modules []string // what is imported

	folded sync.Map // of nodes, their madeText
}

// Call is a call with its function's qualified name.
type Call struct {
	CallArguments
	Node syntax.Node
	Name string // see symbols.name
	Base string // the last part of its name: execute
}

// nameAt is a name in the function or class that binds it; the root of the tree
// stands for the file.
type nameAt struct {
	scope syntax.Node
	name  string
}

// Binding is one way in which a name got its value.
type Binding struct {
	Way   Way
	Value syntax.Node // of given, added and each
	Path  string      // of an import; of given, what is taken out of the value
}

// Way is how a name got its value.
type Way int

const (
	ByImport     Way = iota // by an import
	ByAssignment            // by an assignment
	ByAddition              // by +=
	ByLoop                  // by a loop, an element of the value
	ByParameter             // of a function
	ByDefinition            // a function or a class of the file
	ByUnknown               // in a way that is not followed
)

const (
	// NameDepth bounds how many aliases a name is followed through.
	NameDepth = 12

	// Unseen stands before the attributes of a value of which nothing is known:
	// ?.execute is a method of that name.
	Unseen = "?"
)

// BindingKinds are the kinds of nodes that bind names of their own.
var BindingKinds = map[string]bool{
	"function_definition": true, "lambda": true, "class_definition": true, // Python
	"function_declaration": true, "function": true, "function_expression": true, "arrow_function": true, "method_definition": true,
	"generator_function": true, "generator_function_declaration": true, // JavaScript; the first is Go's too
	"method_declaration": true, "func_literal": true, // Go
}

// bind reads the names of a program.
func bind(c *Program) *QualifiedNames {
	n := &QualifiedNames{Code: c, bound: map[nameAt][]Binding{}}
	root := c.Tree.Root()
	if root.IsZero() {
		return n
	}
	for x := range root.Walk() {
		if !x.Named() {
			continue
		}
		switch c.Lang {
		case syntax.Python:
			n.bindPython(x)
		case syntax.Go:
			n.bindGo(x)
		default:
			n.bindScript(x)
		}
	}
	for _, x := range c.Nodes("call", "call_expression", "new_expression") {
		fn, args := n.Call(x)
		if name := n.Name(fn); name != "" {
			n.Calls = append(n.Calls, Call{args, x, name, name[strings.LastIndexByte(name, '.')+1:]})
		}
	}
	return n
}

// scope returns the function or class that a node stands in; the node itself is
// not meant where it is one.
func (n *QualifiedNames) scope(x syntax.Node) syntax.Node {
	for p := x.Parent(); !p.IsZero(); p = p.Parent() {
		if BindingKinds[p.Kind()] {
			return p
		}
		x = p
	}
	return x
}

func (n *QualifiedNames) add(scope syntax.Node, name string, b Binding) {
	k := nameAt{scope, name}
	n.bound[k] = append(n.bound[k], b)
	if b.Way == ByImport {
		n.Modules = append(n.Modules, b.Path)
	}
}

// Find returns how the name at a place got its value; nil where the file does
// not say: a builtin, a global.
func (n *QualifiedNames) Find(at syntax.Node, name string) []Binding {
	for scope, first := n.scope(at), true; ; scope, first = n.scope(scope), false {
		if first || scope.Kind() != "class_definition" {
			if list := n.bound[nameAt{scope, name}]; list != nil {
				return list
			}
		}
		if scope.Parent().IsZero() {
			return nil
		}
	}
}

// Name returns the qualified name of an expression: subprocess.run for run
// after "from subprocess import run", paramiko.SSHClient().connect for the method
// of what a variable holds. An attribute of something unknown begins with "?.";
// an expression that is no name is "".
func (n *QualifiedNames) Name(x syntax.Node) string { return n.follow(x, 0) }

func (n *QualifiedNames) follow(x syntax.Node, depth int) string {
	if x.IsZero() || depth > NameDepth {
		return ""
	}
	depth++
	switch x.Kind() {
	case "identifier", "shorthand_property_identifier", "package_identifier", "type_identifier", "this", "self":
		return n.identifier(x, depth)
	case "attribute", "member_expression", "selector_expression", "qualified_type":
		parts := NamedChildren(x)
		if len(parts) < 2 {
			return ""
		}
		return join(n.follow(parts[0], depth), parts[len(parts)-1].Text())
	case "subscript_expression":
		parts := NamedChildren(x)
		if len(parts) == 2 {
			if v := n.Value(parts[1]); v.Constant() {
				return join(n.follow(parts[0], depth), v.Text)
			}
		}
		return ""
	case "call", "call_expression", "new_expression":
		return n.called(x, depth)
	case "parenthesized_expression", "await", "await_expression", "non_null_expression", "as_expression", "satisfies_expression":
		return n.follow(FirstNamed(x), depth)
	case "sequence_expression":
		if parts := NamedChildren(x); len(parts) > 0 {
			return n.follow(parts[len(parts)-1], depth)
		}
	}
	return ""
}

func join(of, attribute string) string {
	if of == "" {
		of = Unseen
	}
	return of + "." + attribute
}

// identifier follows a plain name to what it was given.
func (n *QualifiedNames) identifier(x syntax.Node, depth int) string {
	list := n.Find(x, x.Text())
	if len(list) == 0 {
		return x.Text()
	}
	// try: import a / except ImportError: a = None is an import.
	for _, b := range list {
		if b.Way == ByImport {
			return b.Path
		}
	}
	if len(list) != 1 || list[0].Way != ByAssignment || list[0].Value.IsZero() {
		return ""
	}
	of := n.follow(list[0].Value, depth)
	if of == "" || list[0].Path == "" {
		return of
	}
	return of + list[0].Path
}

// called names what a call returns: f(), or the module that it imports.
func (n *QualifiedNames) called(x syntax.Node, depth int) string {
	fn, args := n.Call(x)
	name := n.follow(fn, depth)
	text := func(i int) (string, bool) {
		if len(args.List) <= i {
			return "", false
		}
		v := n.Value(args.List[i])
		return v.Text, v.Constant()
	}
	switch name {
	case "":
		return ""
	case "__import__", "importlib.import_module", "importlib.__import__", "builtins.__import__":
		if module, ok := text(0); ok && n.Code.Lang == syntax.Python {
			return module
		}
	case "require":
		if module, ok := text(0); ok && n.Code.Lang != syntax.Go {
			return strings.TrimPrefix(module, "node:")
		}
	case "getattr":
		if attribute, ok := text(1); ok && n.Code.Lang == syntax.Python {
			return join(n.follow(args.List[0], depth), attribute)
		}
	}
	return name + "()"
}

// CallArguments are those of a call.
type CallArguments struct {
	List  []syntax.Node          // by place
	Named map[string]syntax.Node // by name; Python's
	Open  bool                   // more come out of a list: *a, **k, ...a
	place syntax.Node            // the list with its brackets
}

// At returns an argument by its place or its name; no node where it is not given.
func (a CallArguments) At(i int, name string) syntax.Node {
	if i >= 0 && i < len(a.List) {
		return a.List[i]
	}
	return a.Named[name]
}

// Call takes a call apart. Without one, the function is no node.
func (n *QualifiedNames) Call(x syntax.Node) (fn syntax.Node, args CallArguments) {
	if x.IsZero() {
		return fn, args
	}
	for c := range x.Children() {
		switch c.Kind() {
		case "argument_list", "arguments":
			args.place = c
		case "generator_expression":
			args.place = c
			args.List = []syntax.Node{c}
			return fn, args
		default:
			if c.Named() && fn.IsZero() && c.Kind() != "comment" {
				fn = c
			}
		}
	}
	if args.place.IsZero() {
		return fn, args
	}
	for c := range args.place.Children() {
		switch c.Kind() {
		case "keyword_argument":
			if parts := NamedChildren(c); len(parts) > 0 {
				if args.Named == nil {
					args.Named = map[string]syntax.Node{}
				}
				args.Named[parts[0].Text()] = parts[len(parts)-1]
			}
		case "list_splat", "dictionary_splat", "spread_element", "variadic_argument":
			args.Open = true
		case "comment", "type_identifier", "line_comment":
		default:
			if c.Named() {
				args.List = append(args.List, c)
			}
		}
	}
	return fn, args
}

// Is reports whether an expression has one of the qualified names.
func (n *QualifiedNames) Is(x syntax.Node, list ...string) bool {
	return slices.Contains(list, n.Name(x))
}

// NamedChildren returns what a node holds, without marks and comments.
func NamedChildren(x syntax.Node) []syntax.Node {
	var list []syntax.Node
	for c := range x.Children() {
		if c.Named() && c.Kind() != "comment" && c.Kind() != "line_continuation" && c.Kind() != "optional_chain" {
			list = append(list, c)
		}
	}
	return list
}

// FirstNamed returns the first of NamedChildren; the zero node where there is none.
func FirstNamed(x syntax.Node) syntax.Node {
	for c := range x.Children() {
		if c.Named() && c.Kind() != "comment" && c.Kind() != "line_continuation" && c.Kind() != "optional_chain" {
			return c
		}
	}
	return syntax.Node{}
}
