package validate

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"caselsp/agent/syntax"
)

// deepScope bounds recursion into a tree: sums of strings nest a level for each
// line, and programs write some thousand of them.
const deepScope = 4000

// binder makes the scopes of a program.
type binder struct {
	*bindings
	depth     int
	exporting bool
}

// bindNames finds the scopes of a program. Of one that nests too deep, nothing is known.
func bindNames(c *Code) *bindings {
	b := &binder{bindings: &bindings{at: map[syntax.Node]*reference{}}}
	root := c.Tree.Root()
	b.top = b.open(functionScope, root, nil)
	if root.IsZero() {
		return b.bindings
	}
	b.readKind(c)
	b.each(root, b.top)
	for _, r := range b.refs {
		r.to = r.scope.find(r.name.Text())
		if r.to == nil {
			b.free = append(b.free, r)
		} else {
			r.to.refs = append(r.to.refs, r)
		}
	}
	return b.bindings
}

// readKind sets what the program is as a whole.
func (b *binder) readKind(c *Code) {
	esm := len(c.Nodes("import_statement", "export_statement")) > 0
	b.module = esm
	names := map[string]bool{}
	for _, n := range c.Nodes("identifier") {
		switch text := n.Text(); text {
		case "require", "exports", "module":
			names[text] = true
		case "eval":
			b.dynamic = true
		}
	}
	b.module = b.module || names["require"] || names["module"] && names["exports"]
	if c.Owner != nil {
		kind, _ := c.Owner.Get("type")
		b.module = strings.EqualFold(strings.TrimSpace(kind), "module")
		esm = b.module
	}
	b.dynamic = b.dynamic || len(c.Nodes("with_statement")) > 0
	b.jsx = len(c.Nodes("jsx_opening_element", "jsx_self_closing_element", "jsx_fragment")) > 0
	b.strict = esm || isUseStrict(part(c.Tree.Root(), 0))
}

func isUseStrict(n syntax.Node) bool {
	if !is(n, "expression_statement") {
		return false
	}
	s, ok := unquote(part(n, 0))
	return ok && s == "use strict"
}

func (b *binder) open(kind scopeKind, n syntax.Node, outer *scope) *scope {
	s := &scope{kind: kind, node: n, outer: outer, byName: map[string]*variable{}}
	b.all = append(b.all, s)
	return s
}

func (s *scope) find(name string) *variable {
	for ; s != nil; s = s.outer {
		if v := s.byName[name]; v != nil {
			return v
		}
	}
	return nil
}

// function returns the scope that a var belongs to.
func (s *scope) function() *scope {
	for s.kind != functionScope {
		s = s.outer
	}
	return s
}

func (b *binder) declare(s *scope, kind string, name, by syntax.Node) *variable {
	text := name.Text()
	v := s.byName[text]
	if v == nil {
		v = &variable{name: text, scope: s}
		s.byName[text] = v
		s.vars = append(s.vars, v)
	}
	v.defs = append(v.defs, definition{kind, name, by})
	v.exported = v.exported || b.exporting
	return v
}

func (b *binder) refer(s *scope, r reference) {
	r.scope = s
	b.refs = append(b.refs, &r)
	b.at[r.name] = &r
}

// each walks the named children of a node.
func (b *binder) each(n syntax.Node, s *scope) {
	for c := range n.Children() {
		if c.Named() {
			b.walk(c, s)
		}
	}
}

// walk takes a node of any kind.
func (b *binder) walk(n syntax.Node, s *scope) {
	if b.depth++; b.depth > deepScope {
		b.dynamic = true
	} else if !b.statement(n, s) && !b.expression(n, s) && !b.typed(n, s) {
		b.each(n, s)
	}
	b.depth--
}

// statement takes declarations and what has a scope of its own.
func (b *binder) statement(n syntax.Node, s *scope) bool {
	switch n.Kind() {
	case "variable_declaration", "lexical_declaration":
		b.declarations(n, s)
	case "function_declaration", "generator_function_declaration", "function_signature":
		if name := n.Child("identifier"); !name.IsZero() {
			at := s
			if !b.strict {
				at = s.function()
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
		b.each(n, b.open(blockScope, n, s))
	case "for_statement":
		b.each(n, b.open(blockScope, n, s))
	case "for_in_statement":
		b.forIn(n, b.open(blockScope, n, s))
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

func (b *binder) declarations(n syntax.Node, s *scope) {
	kind, at := "var", s.function()
	if n.Kind() == "lexical_declaration" {
		kind, at = "let", s
		if word(n, "const") {
			kind = "const"
		}
	}
	for d := range n.Children() {
		if !is(d, "variable_declarator") {
			continue
		}
		list := parts(d)
		if len(list) == 0 {
			continue
		}
		value := syntax.Node{}
		if word(d, "=") {
			value = list[len(list)-1]
		}
		exporting := b.exporting
		b.pattern(list[0], s, func(name syntax.Node) {
			b.exporting = exporting
			b.declare(at, kind, name, d)
			b.exporting = false
			if !value.IsZero() {
				r := reference{name: name, write: true, init: true, by: d, apart: name != list[0]}
				if name == list[0] {
					r.value = value
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
func (b *binder) pattern(n syntax.Node, s *scope, name func(syntax.Node)) {
	switch n.Kind() {
	case "identifier", "shorthand_property_identifier_pattern", "type_identifier", "undefined":
		name(n)
	case "object_pattern", "array_pattern", "rest_pattern":
		for _, x := range parts(n) {
			b.pattern(x, s, name)
		}
	case "pair_pattern":
		b.walk(part(n, 0), s)
		b.pattern(part(n, -1), s, name)
	case "assignment_pattern", "object_assignment_pattern":
		b.pattern(part(n, 0), s, name)
		b.walk(part(n, -1), s)
	case "parenthesized_expression", "non_null_expression", "as_expression", "satisfies_expression", "type_assertion":
		list := parts(n)
		for _, x := range list {
			if is(x, "identifier", "parenthesized_expression", "member_expression", "subscript_expression", "non_null_expression", "as_expression") {
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
func (b *binder) function(n syntax.Node, outer *scope) {
	exporting := b.exporting
	b.exporting = false
	defer func() { b.exporting = exporting }()
	s := b.open(functionScope, n, outer)
	own := n.Child("identifier")
	arrow := n.Kind() == "arrow_function"
	for _, x := range parts(n) {
		switch {
		case is(x, "formal_parameters"):
			b.parameters(x, s)
		case is(x, "statement_block"):
			b.each(x, s)
		case x == own && arrow && x != part(n, -1):
			b.declare(s, "parameter", x, n)
		case x == own && !arrow, is(x, "property_identifier", "private_property_identifier"):
		case is(x, "computed_property_name", "decorator", "string", "number"):
			b.walk(x, outer)
		default:
			b.walk(x, s)
		}
	}
}

func (b *binder) parameters(n syntax.Node, s *scope) {
	for _, x := range parts(n) {
		list := []syntax.Node{x}
		if is(x, "required_parameter", "optional_parameter") {
			list = parts(x)
		}
		bound := false
		for _, y := range list {
			if !bound && is(y, "identifier", "undefined", "object_pattern", "array_pattern", "rest_pattern", "assignment_pattern") {
				bound = true
				b.pattern(y, s, func(name syntax.Node) { b.declare(s, "parameter", name, n) })
			} else if !is(y, "accessibility_modifier", "this") {
				b.walk(y, s)
			}
		}
	}
}

func (b *binder) class(n syntax.Node, s *scope) {
	exporting := b.exporting
	b.exporting = false
	inner := b.open(classScope, n, s)
	name := n.Child("identifier", "type_identifier")
	for _, x := range parts(n) {
		if x != name {
			b.walk(x, inner)
		}
	}
	b.exporting = exporting
}

func (b *binder) forIn(n syntax.Node, s *scope) {
	list := parts(n)
	if len(list) < 3 {
		b.each(n, s)
		return
	}
	kind := ""
	for _, k := range []string{"var", "let", "const"} {
		if word(n, k) {
			kind = k
		}
	}
	at := s
	if kind == "var" {
		at = s.function()
	}
	b.pattern(list[0], s, func(name syntax.Node) {
		if kind != "" {
			b.declare(at, kind, name, n)
		}
		b.refer(s, reference{name: name, write: true, init: kind != "", by: n, apart: name != list[0]})
	})
	for _, x := range list[1:] {
		b.walk(x, s)
	}
}

func (b *binder) catch(n syntax.Node, s *scope) {
	inner := b.open(catchScope, n, s)
	for _, x := range parts(n) {
		if is(x, "statement_block") {
			b.walk(x, inner)
		} else if is(x, "type_annotation") {
			b.walk(x, inner)
		} else {
			b.pattern(x, inner, func(name syntax.Node) { b.declare(inner, "catch", name, n) })
		}
	}
}

func (b *binder) imports(n syntax.Node, s *scope) {
	for x := range n.Walk() {
		switch x.Kind() {
		case "import_clause", "namespace_import", "import_require_clause":
			if name := x.Child("identifier"); !name.IsZero() {
				b.declare(s, "import", name, x)
			}
		case "import_specifier":
			b.declare(s, "import", part(x, -1), x)
		}
	}
}

func (b *binder) exports(n syntax.Node, s *scope) {
	if !n.Child("string").IsZero() {
		return // from another module
	}
	for _, x := range parts(n) {
		switch {
		case is(x, "export_clause"):
			for _, e := range parts(x) {
				if name := part(e, 0); is(name, "identifier", "type_identifier") {
					b.refer(s, reference{name: name, read: true})
				}
			}
		case is(x, "decorator"):
			b.walk(x, s)
		default:
			b.exporting = true
			b.walk(x, s)
			b.exporting = false
		}
	}
}

// expression takes what reads and writes names.
func (b *binder) expression(n syntax.Node, s *scope) bool {
	switch n.Kind() {
	case "identifier", "undefined", "shorthand_property_identifier", "type_identifier", "jsx_identifier":
		b.refer(s, reference{name: n, read: true})
	case "property_identifier", "statement_identifier", "private_property_identifier", "comment", "string", "number", "regex", "jsx_text", "meta_property":
	case "assignment_expression", "augmented_assignment_expression":
		left, right := part(n, 0), part(n, -1)
		reads := n.Kind() == "augmented_assignment_expression"
		b.pattern(left, s, func(name syntax.Node) {
			b.refer(s, reference{name: name, read: reads, write: true, by: n, value: right, apart: name != bare(left)})
		})
		b.walk(right, s)
	case "update_expression":
		b.pattern(part(n, 0), s, func(name syntax.Node) {
			b.refer(s, reference{name: name, read: true, write: true, by: n})
		})
	case "function", "function_expression", "generator_function":
		if name := n.Child("identifier"); !name.IsZero() {
			s = b.open(nameScope, n, s)
			b.declare(s, "name", name, n)
		}
		b.function(n, s)
	case "arrow_function", "method_definition", "class_static_block":
		b.function(n, s)
	case "class":
		if name := n.Child("identifier", "type_identifier"); !name.IsZero() {
			s = b.open(nameScope, n, s)
			b.declare(s, "name", name, n)
		}
		b.class(n, s)
	case "jsx_opening_element", "jsx_self_closing_element", "jsx_closing_element":
		name := part(n, 0)
		r, _ := utf8.DecodeRuneInString(name.Text())
		for _, x := range parts(n) {
			if x != name || !is(x, "identifier") || unicode.IsUpper(r) || r == '_' || r == '$' {
				b.walk(x, s)
			}
		}
	default:
		return false
	}
	return true
}

// typed takes what TypeScript adds.
func (b *binder) typed(n syntax.Node, s *scope) bool {
	switch n.Kind() {
	case "enum_declaration", "interface_declaration", "type_alias_declaration", "internal_module", "module":
		name := n.Child("identifier", "type_identifier")
		if !name.IsZero() {
			b.declare(s, "type", name, n)
		}
		exporting := b.exporting
		b.exporting = false
		inner := b.open(functionScope, n, s)
		for _, x := range parts(n) {
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
			b.at[name] = nil
		}
		for _, x := range parts(n)[min(1, len(parts(n))):] {
			b.walk(x, s)
		}
	case "index_signature":
		for _, x := range parts(n)[min(1, len(parts(n))):] {
			b.walk(x, s)
		}
	default:
		return false
	}
	return true
}
