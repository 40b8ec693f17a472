package validate

import (
	"slices"
	"strings"
	"sync"

	"caselsp/agent/syntax"
)

// symbols says what the names of a program stand for: it is what lets a rule see
// through imports, aliases and single assignments. It is a reading of one file,
// function by function, without control flow: what a name was given in any branch
// counts, and a name that a parameter or an unknown value shadows is unknown.
type symbols struct {
	code  *Code
	bound map[nameAt][]binding
	calls []call

	modules []string // what is imported

	folded sync.Map // of nodes, their madeText
}

// call is a call with its function's qualified name.
type call struct {
	callArgs
	node syntax.Node
	name string // see symbols.name
	base string // the last part of its name: execute
}

// nameAt is a name in the function or class that binds it; the root of the tree
// stands for the file.
type nameAt struct {
	scope syntax.Node
	name  string
}

// binding is one way in which a name got its value.
type binding struct {
	how   how
	value syntax.Node // of given, added and each
	path  string      // of an import; of given, what is taken out of the value
}

type how int

const (
	fromModule how = iota
	given          // by an assignment
	added          // by +=
	each           // by a loop, an element of the value
	parameter
	defined // a function or a class of the file
	unknown
)

const (
	// nameDepth bounds how many aliases a name is followed through.
	nameDepth = 12

	// unseen stands before the attributes of a value of which nothing is known:
	// ?.execute is a method of that name.
	unseen = "?"
)

// scopes are the kinds of nodes that bind names of their own.
var scopes = map[string]bool{
	"function_definition": true, "lambda": true, "class_definition": true, // Python
	"function_declaration": true, "function": true, "function_expression": true, "arrow_function": true, "method_definition": true,
	"generator_function": true, "generator_function_declaration": true, // JavaScript; the first is Go's too
	"method_declaration": true, "func_literal": true, // Go
}

// bind reads the names of a program.
func bind(c *Code) *symbols {
	n := &symbols{code: c, bound: map[nameAt][]binding{}}
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
		fn, args := n.call(x)
		if name := n.name(fn); name != "" {
			n.calls = append(n.calls, call{args, x, name, name[strings.LastIndexByte(name, '.')+1:]})
		}
	}
	return n
}

// eachCall is for rules about the calls of programs whose functions have a name.
func eachCall(langs []syntax.Language, check func(*Pass, *Code, call)) func(*Pass) {
	return func(p *Pass) {
		for _, c := range p.Code(langs...) {
			for _, k := range c.names().calls {
				check(p, c, k)
			}
		}
	}
}

// eachCallOf is eachCall for the functions in a table of what to say of each.
func eachCallOf(langs []syntax.Language, table map[string]string) func(*Pass) {
	return eachCall(langs, func(p *Pass, c *Code, k call) {
		if text := table[k.name]; text != "" {
			p.Node(c, k.node, "%s", text)
		}
	})
}

// onlyPython is the language of the rules about Python.
var onlyPython = []syntax.Language{syntax.Python}

// scope returns the function or class that a node stands in; the node itself is
// not meant where it is one.
func (n *symbols) scope(x syntax.Node) syntax.Node {
	for p := x.Parent(); !p.IsZero(); p = p.Parent() {
		if scopes[p.Kind()] {
			return p
		}
		x = p
	}
	return x
}

func (n *symbols) add(scope syntax.Node, name string, b binding) {
	k := nameAt{scope, name}
	n.bound[k] = append(n.bound[k], b)
	if b.how == fromModule {
		n.modules = append(n.modules, b.path)
	}
}

// find returns how the name at a place got its value; nil where the file does
// not say: a builtin, a global.
func (n *symbols) find(at syntax.Node, name string) []binding {
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

// name returns the qualified name of an expression: subprocess.run for run
// after "from subprocess import run", paramiko.SSHClient().connect for the method
// of what a variable holds. An attribute of something unknown begins with "?.";
// an expression that is no name is "".
func (n *symbols) name(x syntax.Node) string { return n.follow(x, 0) }

func (n *symbols) follow(x syntax.Node, depth int) string {
	if x.IsZero() || depth > nameDepth {
		return ""
	}
	depth++
	switch x.Kind() {
	case "identifier", "shorthand_property_identifier", "package_identifier", "type_identifier", "this", "self":
		return n.identifier(x, depth)
	case "attribute", "member_expression", "selector_expression", "qualified_type":
		parts := namedChildren(x)
		if len(parts) < 2 {
			return ""
		}
		return join(n.follow(parts[0], depth), parts[len(parts)-1].Text())
	case "subscript_expression":
		parts := namedChildren(x)
		if len(parts) == 2 {
			if v := n.value(parts[1]); v.constant() {
				return join(n.follow(parts[0], depth), v.text)
			}
		}
		return ""
	case "call", "call_expression", "new_expression":
		return n.called(x, depth)
	case "parenthesized_expression", "await", "await_expression", "non_null_expression", "as_expression", "satisfies_expression":
		return n.follow(firstNamed(x), depth)
	case "sequence_expression":
		if parts := namedChildren(x); len(parts) > 0 {
			return n.follow(parts[len(parts)-1], depth)
		}
	}
	return ""
}

func join(of, attribute string) string {
	if of == "" {
		of = unseen
	}
	return of + "." + attribute
}

// identifier follows a plain name to what it was given.
func (n *symbols) identifier(x syntax.Node, depth int) string {
	list := n.find(x, x.Text())
	if len(list) == 0 {
		return x.Text()
	}
	// try: import a / except ImportError: a = None is an import.
	for _, b := range list {
		if b.how == fromModule {
			return b.path
		}
	}
	if len(list) != 1 || list[0].how != given || list[0].value.IsZero() {
		return ""
	}
	of := n.follow(list[0].value, depth)
	if of == "" || list[0].path == "" {
		return of
	}
	return of + list[0].path
}

// called names what a call returns: f(), or the module that it imports.
func (n *symbols) called(x syntax.Node, depth int) string {
	fn, args := n.call(x)
	name := n.follow(fn, depth)
	text := func(i int) (string, bool) {
		if len(args.list) <= i {
			return "", false
		}
		v := n.value(args.list[i])
		return v.text, v.constant()
	}
	switch name {
	case "":
		return ""
	case "__import__", "importlib.import_module", "importlib.__import__", "builtins.__import__":
		if module, ok := text(0); ok && n.code.Lang == syntax.Python {
			return module
		}
	case "require":
		if module, ok := text(0); ok && n.code.Lang != syntax.Go {
			return strings.TrimPrefix(module, "node:")
		}
	case "getattr":
		if attribute, ok := text(1); ok && n.code.Lang == syntax.Python {
			return join(n.follow(args.list[0], depth), attribute)
		}
	}
	return name + "()"
}

// callArgs are those of a call.
type callArgs struct {
	list  []syntax.Node          // by place
	named map[string]syntax.Node // by name; Python's
	open  bool                   // more come out of a list: *a, **k, ...a
	place syntax.Node            // the list with its brackets
}

// at returns an argument by its place or its name; no node where it is not given.
func (a callArgs) at(i int, name string) syntax.Node {
	if i >= 0 && i < len(a.list) {
		return a.list[i]
	}
	return a.named[name]
}

// call takes a call apart. Without one, the function is no node.
func (n *symbols) call(x syntax.Node) (fn syntax.Node, args callArgs) {
	if x.IsZero() {
		return fn, args
	}
	for c := range x.Children() {
		switch c.Kind() {
		case "argument_list", "arguments":
			args.place = c
		case "generator_expression":
			args.place = c
			args.list = []syntax.Node{c}
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
			if parts := namedChildren(c); len(parts) > 0 {
				if args.named == nil {
					args.named = map[string]syntax.Node{}
				}
				args.named[parts[0].Text()] = parts[len(parts)-1]
			}
		case "list_splat", "dictionary_splat", "spread_element", "variadic_argument":
			args.open = true
		case "comment", "type_identifier", "line_comment":
		default:
			if c.Named() {
				args.list = append(args.list, c)
			}
		}
	}
	return fn, args
}

// is reports whether an expression has one of the qualified names.
func (n *symbols) is(x syntax.Node, list ...string) bool { return slices.Contains(list, n.name(x)) }

// namedChildren returns what a node holds, without marks and comments.
func namedChildren(x syntax.Node) []syntax.Node {
	var list []syntax.Node
	for c := range x.Children() {
		if c.Named() && c.Kind() != "comment" && c.Kind() != "line_continuation" && c.Kind() != "optional_chain" {
			list = append(list, c)
		}
	}
	return list
}

func firstNamed(x syntax.Node) syntax.Node {
	for c := range x.Children() {
		if c.Named() && c.Kind() != "comment" && c.Kind() != "line_continuation" && c.Kind() != "optional_chain" {
			return c
		}
	}
	return syntax.Node{}
}
