package ecma

import (
	"unicode"
	"unicode/utf8"

	"caselsp/agent/syntax"
)

// deepScope bounds recursion into a tree: sums of strings nest a level for each
// line, and programs write some thousand of them.
const deepScope = 4000

// binder makes the scopes of a program.
type binder struct {
	*Scopes
	depth     int
	exporting bool
}

// bindNames finds the scopes of a program. Of one that nests too deep, nothing is known.
func bindNames(c *Program) *Scopes {
	b := &binder{Scopes: &Scopes{At: map[syntax.Node]*Reference{}}}
	root := c.Tree.Root()
	b.Top = b.open(FunctionScope, root, nil)
	if root.IsZero() {
		return b.Scopes
	}
	b.readKind(c)
	b.each(root, b.Top)
	for _, r := range b.refs {
		r.To = r.Scope.Find(r.Name.Text())
		if r.To == nil {
			b.Free = append(b.Free, r)
		} else {
			r.To.Refs = append(r.To.Refs, r)
		}
	}
	return b.Scopes
}

// readKind sets what the program is as a whole.
func (b *binder) readKind(c *Program) {
	esm := len(c.Nodes("import_statement", "export_statement")) > 0
	b.Module = esm
	names := map[string]bool{}
	for _, n := range c.Nodes("identifier") {
		switch text := n.Text(); text {
		case "require", "exports", "module":
			names[text] = true
		case "eval":
			b.Dynamic = true
		}
	}
	b.Module = b.Module || names["require"] || names["module"] && names["exports"]
	if c.Inline {
		b.Module = c.Module
		esm = b.Module
	}
	b.Dynamic = b.Dynamic || len(c.Nodes("with_statement")) > 0
	b.Jsx = len(c.Nodes("jsx_opening_element", "jsx_self_closing_element", "jsx_fragment")) > 0
	b.Strict = esm || isUseStrict(Part(c.Tree.Root(), 0))
}

func isUseStrict(n syntax.Node) bool {
	if !Is(n, "expression_statement") {
		return false
	}
	s, ok := Unquote(Part(n, 0))
	return ok && s == "use strict"
}

func (b *binder) open(kind ScopeKind, n syntax.Node, outer *Scope) *Scope {
	s := &Scope{Kind: kind, Node: n, outer: outer, ByName: map[string]*Variable{}}
	b.All = append(b.All, s)
	return s
}

// Find returns the variable that a name means in a scope; nil where no scope
// around it declares the name.
func (s *Scope) Find(name string) *Variable {
	for ; s != nil; s = s.outer {
		if v := s.ByName[name]; v != nil {
			return v
		}
	}
	return nil
}

// Function returns the scope that a var belongs to.
func (s *Scope) Function() *Scope {
	for s.Kind != FunctionScope {
		s = s.outer
	}
	return s
}

func (b *binder) declare(s *Scope, kind string, name, by syntax.Node) *Variable {
	text := name.Text()
	v := s.ByName[text]
	if v == nil {
		v = &Variable{Name: text, Scope: s}
		s.ByName[text] = v
		s.Vars = append(s.Vars, v)
	}
	v.Defs = append(v.Defs, Definition{kind, name, by})
	v.Exported = v.Exported || b.exporting
	return v
}

func (b *binder) refer(s *Scope, r Reference) {
	r.Scope = s
	b.refs = append(b.refs, &r)
	b.At[r.Name] = &r
}

// each walks the named children of a node.
func (b *binder) each(n syntax.Node, s *Scope) {
	for c := range n.Children() {
		if c.Named() {
			b.walk(c, s)
		}
	}
}

// walk takes a node of any kind.
func (b *binder) walk(n syntax.Node, s *Scope) {
	if b.depth++; b.depth > deepScope {
		b.Dynamic = true
	} else if !b.statement(n, s) && !b.expression(n, s) && !b.typed(n, s) {
		b.each(n, s)
	}
	b.depth--
}

// statement takes declarations and what has a scope of its own.
func (b *binder) statement(n syntax.Node, s *Scope) bool {
	switch n.Kind() {
	case "variable_declaration", "lexical_declaration":
		b.declarations(n, s)
	case "function_declaration", "generator_function_declaration", "function_signature":
		if name := n.Child("identifier"); !name.IsZero() {
			at := s
			if !b.Strict {
				at = s.Function()
			}
			b.declare(at, "function", name, n)
		}
		b.function(n, s)
	case "class_declaration", "abstract_class_declaration":
		if name := n.Child("identifier", "type_identifier"); !name.IsZero() {
			b.declare(s, "class", name, n)
		}
		b.class(n, s)
	case "statement_block", "switch_body":
		b.each(n, b.open(BlockScope, n, s))
	case "for_statement":
		b.each(n, b.open(BlockScope, n, s))
	case "for_in_statement":
		b.forIn(n, b.open(BlockScope, n, s))
	case "catch_clause":
		b.catch(n, s)
	case "import_statement":
		b.imports(n, s)
	case "export_statement":
		b.exports(n, s)
	default:
		return false
	}
	return true
}

func (b *binder) declarations(n syntax.Node, s *Scope) {
	kind, at := "var", s.Function()
	if n.Kind() == "lexical_declaration" {
		kind, at = "let", s
		if HasKeyword(n, "const") {
			kind = "const"
		}
	}
	for d := range n.Children() {
		if !Is(d, "variable_declarator") {
			continue
		}
		list := Parts(d)
		if len(list) == 0 {
			continue
		}
		value := syntax.Node{}
		if HasKeyword(d, "=") {
			value = list[len(list)-1]
		}
		exporting := b.exporting
		b.pattern(list[0], s, func(name syntax.Node) {
			b.exporting = exporting
			b.declare(at, kind, name, d)
			b.exporting = false
			if !value.IsZero() {
				r := Reference{Name: name, Write: true, Init: true, By: d, Apart: name != list[0]}
				if name == list[0] {
					r.Value = value
				}
				b.refer(s, r)
			}
		})
		b.exporting = false
		for _, x := range list[1:] {
			b.walk(x, s)
		}
		b.exporting = exporting
	}
}

// pattern calls name for each name that a pattern introduces, and walks the
// default values and computed keys in it.
func (b *binder) pattern(n syntax.Node, s *Scope, name func(syntax.Node)) {
	switch n.Kind() {
	case "identifier", "shorthand_property_identifier_pattern", "type_identifier", "undefined":
		name(n)
	case "object_pattern", "array_pattern", "rest_pattern":
		for _, x := range Parts(n) {
			b.pattern(x, s, name)
		}
	case "pair_pattern":
		b.walk(Part(n, 0), s)
		b.pattern(Part(n, -1), s, name)
	case "assignment_pattern", "object_assignment_pattern":
		b.pattern(Part(n, 0), s, name)
		b.walk(Part(n, -1), s)
	case "parenthesized_expression", "non_null_expression", "as_expression", "satisfies_expression", "type_assertion":
		list := Parts(n)
		for _, x := range list {
			if Is(x, "identifier", "parenthesized_expression", "member_expression", "subscript_expression", "non_null_expression", "as_expression") {
				b.pattern(x, s, name)
			} else {
				b.walk(x, s)
			}
		}
	default:
		b.walk(n, s)
	}
}

// function takes the parameters and the body of a function of any kind.
func (b *binder) function(n syntax.Node, outer *Scope) {
	exporting := b.exporting
	b.exporting = false
	defer func() { b.exporting = exporting }()
	s := b.open(FunctionScope, n, outer)
	own := n.Child("identifier")
	arrow := n.Kind() == "arrow_function"
	for _, x := range Parts(n) {
		switch {
		case Is(x, "formal_parameters"):
			b.parameters(x, s)
		case Is(x, "statement_block"):
			b.each(x, s)
		case x == own && arrow && x != Part(n, -1):
			b.declare(s, "parameter", x, n)
		case x == own && !arrow, Is(x, "property_identifier", "private_property_identifier"):
		case Is(x, "computed_property_name", "decorator", "string", "number"):
			b.walk(x, outer)
		default:
			b.walk(x, s)
		}
	}
}

func (b *binder) parameters(n syntax.Node, s *Scope) {
	for _, x := range Parts(n) {
		list := []syntax.Node{x}
		if Is(x, "required_parameter", "optional_parameter") {
			list = Parts(x)
		}
		bound := false
		for _, y := range list {
			if !bound && Is(y, "identifier", "undefined", "object_pattern", "array_pattern", "rest_pattern", "assignment_pattern") {
				bound = true
				b.pattern(y, s, func(name syntax.Node) { b.declare(s, "parameter", name, n) })
			} else if !Is(y, "accessibility_modifier", "this") {
				b.walk(y, s)
			}
		}
	}
}

func (b *binder) class(n syntax.Node, s *Scope) {
	exporting := b.exporting
	b.exporting = false
	inner := b.open(ClassScope, n, s)
	name := n.Child("identifier", "type_identifier")
	for _, x := range Parts(n) {
		if x != name {
			b.walk(x, inner)
		}
	}
	b.exporting = exporting
}

func (b *binder) forIn(n syntax.Node, s *Scope) {
	list := Parts(n)
	if len(list) < 3 {
		b.each(n, s)
		return
	}
	kind := ""
	for _, k := range []string{"var", "let", "const"} {
		if HasKeyword(n, k) {
			kind = k
		}
	}
	at := s
	if kind == "var" {
		at = s.Function()
	}
	b.pattern(list[0], s, func(name syntax.Node) {
		if kind != "" {
			b.declare(at, kind, name, n)
		}
		b.refer(s, Reference{Name: name, Write: true, Init: kind != "", By: n, Apart: name != list[0]})
	})
	for _, x := range list[1:] {
		b.walk(x, s)
	}
}

func (b *binder) catch(n syntax.Node, s *Scope) {
	inner := b.open(CatchScope, n, s)
	for _, x := range Parts(n) {
		if Is(x, "statement_block") {
			b.walk(x, inner)
		} else if Is(x, "type_annotation") {
			b.walk(x, inner)
		} else {
			b.pattern(x, inner, func(name syntax.Node) { b.declare(inner, "catch", name, n) })
		}
	}
}

func (b *binder) imports(n syntax.Node, s *Scope) {
	for x := range n.Walk() {
		switch x.Kind() {
		case "import_clause", "namespace_import", "import_require_clause":
			if name := x.Child("identifier"); !name.IsZero() {
				b.declare(s, "import", name, x)
			}
		case "import_specifier":
			b.declare(s, "import", Part(x, -1), x)
		}
	}
}

func (b *binder) exports(n syntax.Node, s *Scope) {
	if !n.Child("string").IsZero() {
		return // from another module
	}
	for _, x := range Parts(n) {
		switch {
		case Is(x, "export_clause"):
			for _, e := range Parts(x) {
				if name := Part(e, 0); Is(name, "identifier", "type_identifier") {
					b.refer(s, Reference{Name: name, Read: true})
				}
			}
		case Is(x, "decorator"):
			b.walk(x, s)
		default:
			b.exporting = true
			b.walk(x, s)
			b.exporting = false
		}
	}
}

// expression takes what reads and writes names.
func (b *binder) expression(n syntax.Node, s *Scope) bool {
	switch n.Kind() {
	case "identifier", "undefined", "shorthand_property_identifier", "type_identifier", "jsx_identifier":
		b.refer(s, Reference{Name: n, Read: true})
	case "property_identifier", "statement_identifier", "private_property_identifier", "comment", "string", "number", "regex", "jsx_text", "meta_property":
	case "assignment_expression", "augmented_assignment_expression":
		left, right := Part(n, 0), Part(n, -1)
		reads := n.Kind() == "augmented_assignment_expression"
		b.pattern(left, s, func(name syntax.Node) {
			b.refer(s, Reference{Name: name, Read: reads, Write: true, By: n, Value: right, Apart: name != Bare(left)})
		})
		b.walk(right, s)
	case "update_expression":
		b.pattern(Part(n, 0), s, func(name syntax.Node) {
			b.refer(s, Reference{Name: name, Read: true, Write: true, By: n})
		})
	case "function", "function_expression", "generator_function":
		if name := n.Child("identifier"); !name.IsZero() {
			s = b.open(NameScope, n, s)
			b.declare(s, "name", name, n)
		}
		b.function(n, s)
	case "arrow_function", "method_definition", "class_static_block":
		b.function(n, s)
	case "class":
		if name := n.Child("identifier", "type_identifier"); !name.IsZero() {
			s = b.open(NameScope, n, s)
			b.declare(s, "name", name, n)
		}
		b.class(n, s)
	case "jsx_opening_element", "jsx_self_closing_element", "jsx_closing_element":
		name := Part(n, 0)
		r, _ := utf8.DecodeRuneInString(name.Text())
		for _, x := range Parts(n) {
			if x != name || !Is(x, "identifier") || unicode.IsUpper(r) || r == '_' || r == '$' {
				b.walk(x, s)
			}
		}
	default:
		return false
	}
	return true
}

// typed takes what TypeScript adds.
func (b *binder) typed(n syntax.Node, s *Scope) bool {
	switch n.Kind() {
	case "enum_declaration", "interface_declaration", "type_alias_declaration", "internal_module", "module":
		name := n.Child("identifier", "type_identifier")
		if !name.IsZero() {
			b.declare(s, "type", name, n)
		}
		exporting := b.exporting
		b.exporting = false
		inner := b.open(FunctionScope, n, s)
		for _, x := range Parts(n) {
			if x != name {
				b.walk(x, inner)
			}
		}
		b.exporting = exporting
	case "ambient_declaration":
		b.exporting = true
		b.each(n, s)
		b.exporting = false
	case "function_type", "constructor_type", "method_signature", "abstract_method_signature", "call_signature", "construct_signature":
		b.function(n, s)
	case "type_parameter":
		if name := n.Child("type_identifier"); !name.IsZero() {
			b.declare(s, "type", name, n)
			b.At[name] = nil
		}
		for _, x := range Parts(n)[min(1, len(Parts(n))):] {
			b.walk(x, s)
		}
	case "index_signature":
		for _, x := range Parts(n)[min(1, len(Parts(n))):] {
			b.walk(x, s)
		}
	default:
		return false
	}
	return true
}
