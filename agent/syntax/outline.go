package syntax

import (
	"slices"
	"strings"

	"caselsp/store/lazyregexp"
)

// Symbol is something that a text declares, or in HTML an element that people
// look for. Kind is one of: import, class, interface, struct, type, enum,
// namespace, implementation (Rust), macro, function, method, field, variable,
// constant, rule (CSS), element, block (a template's), key (JSON), test (a call that
// declares one, or a group of them), heading.
type Symbol struct {
	Name      string   `json:"name"`
	Kind      string   `json:"kind"`
	Signature string   `json:"signature,omitempty"` // the declaration up to its body, on one line
	StartLine int      `json:"start_line"`          // 0-based
	EndLine   int      `json:"end_line"`            // 0-based, inclusive
	Doc       string   `json:"doc,omitempty"`       // the first line of its documentation
	Children  []Symbol `json:"children,omitempty"`

	start, end int // offsets into the body; both 0: only its lines are known
}

const (
	maxSignature = 200 // bytes; a declaration that is longer is not read for its end
	maxNesting   = 50  // levels of symbols; what is deeper is not people's
)

// Outline returns what the text declares, in order. A text with syntax errors
// has an outline too, of what could be made out.
func (t *Tree) Outline() []Symbol {
	switch t.lang {
	case HTML:
		return t.pageOutline()
	case JSON, JSONC:
		return t.jsonOutline()
	case Markdown, RST, Text:
		return t.proseOutline()
	}
	root := t.Root()
	if root.IsZero() {
		return nil
	}
	return t.symbolsIn(root, "", 0)
}

// shape says how a kind of node declares a symbol.
type shape struct {
	kind  string
	names []string // kinds of the child that is the name
	each  bool     // every such child is a symbol
	body  []string // kinds of the child that holds the children
	via   []string // kinds of children that may have the name in them
	last  bool     // the name is the last child of its kind, after those of types
	whole bool     // it is one only where it has a body
	inner []string // kinds of children that may be symbols too

	within bool // the name stands only in one of via: its own children are types
}

// shapes are by node kinds of the grammars that are judged; where two share a kind they
// mean the same. The other languages have tables of their own, see outline_table.go.
var shapes = map[string]shape{}

func shaped(nodes, kind, names, body string) {
	for _, n := range strings.Fields(nodes) {
		shapes[n] = shape{kind: kind, names: strings.Fields(names), body: strings.Fields(body)}
	}
}

func init() {
	const property = "property_identifier private_property_identifier field_identifier string number"
	shaped("class_definition", "class", "identifier", "block")
	shaped("function_definition", "function", "identifier", "block")
	shaped("class_declaration abstract_class_declaration", "class", "identifier type_identifier", "class_body")
	shaped("function_declaration generator_function_declaration function_signature", "function", "identifier", "statement_block block")
	shaped("method_definition", "method", property+" computed_property_name", "statement_block")
	shaped("abstract_method_signature method_signature method_elem method_spec", "method", property, "")
	shaped("method_declaration", "method", "field_identifier", "block")
	shaped("public_field_definition field_definition property_signature", "field", property, "class_body")
	shaped("interface_declaration", "interface", "type_identifier", "interface_body object_type")
	shaped("type_alias_declaration type_alias", "type", "type_identifier", "")
	shaped("type_spec", "type", "type_identifier", "struct_type interface_type")
	shaped("enum_declaration", "enum", "identifier", "enum_body")
	shaped("internal_module module", "namespace", "identifier nested_identifier string", "statement_block")
	shaped("field_declaration", "field", "field_identifier", "")
	shaped("const_spec", "constant", "identifier", "")
	shaped("var_spec variable_declarator assignment", "variable", "identifier", "")
	shaped("enum_assignment", "constant", property, "")
	shaped("import_statement", "import", "dotted_name aliased_import string string_value call_expression", "")
	shaped("future_import_statement", "import", "", "")
	shaped("import_from_statement", "import", "dotted_name relative_import", "")
	shaped("import_spec", "import", "interpreted_string_literal raw_string_literal", "")
	shaped("rule_set", "rule", "selectors", "block")
	shaped("keyframes_statement", "rule", "keyframes_name", "keyframe_block_list")
	shaped("media_statement supports_statement at_rule", "rule", "", "block")
	for _, n := range []string{"const_spec", "var_spec", "field_declaration", "import_statement"} {
		s := shapes[n]
		s.each = true
		shapes[n] = s
	}
	chained := shapes["assignment"]
	chained.inner = []string{"assignment"} // a = b = 1
	shapes["assignment"] = chained
}

// transparent nodes declare nothing, but hold what does.
var transparent = nameSet(`block class_body export_statement decorated_definition if_statement elif_clause else_clause
	try_statement except_clause finally_clause with_statement for_statement while_statement type_declaration const_declaration var_declaration
	var_spec_list import_declaration import_spec_list expression_statement lexical_declaration variable_declaration
	ambient_declaration declaration_list field_declaration_list statement_block interface_body object_type ERROR`)

// symbolsIn returns the symbols below n, which is or is in a symbol of kind inside.
func (t *Tree) symbolsIn(n Node, inside string, depth int) []Symbol {
	if depth > maxNesting {
		return nil
	}
	var symbols []Symbol
	of := t.table()
	for c := range n.Children() {
		s, ok := of.shapes[c.Kind()]
		switch {
		case ok && t.lang == Ruby && (c.Kind() == "assignment" || c.Kind() == "operator_assignment"):
			symbols = append(symbols, t.rubyAssignment(c, s, inside, depth)...)
		case ok && (s.kind == "variable" || s.kind == "constant") && (inside == "function" || inside == "method" || inside == "test"):
		case ok && c.Named():
			symbols = append(symbols, t.symbols(c, s, inside, depth)...)
		case c.Kind() == "expression_statement" && t.cFamily():
			symbols = append(symbols, t.testMacro(c)...)
		case c.Kind() == "call_expression" && t.scripted():
			symbols = append(symbols, t.testCall(c, depth)...)
			fallthrough
		case (c.Kind() == "parenthesized_expression" || c.Kind() == "unary_expression") && t.scripted():
			symbols = append(symbols, t.wrapped(c, depth)...)
		case n.Kind() == "enum_body" && (c.Kind() == "property_identifier" || c.Kind() == "string") && t.scripted():
			symbols = append(symbols, t.enumerator(c))
		case c.Kind() == "assignment_expression" && t.scripted():
			symbols = append(symbols, t.assigned(c, depth)...)
		case c.Kind() == "object" && t.scripted() && n.Kind() == "export_statement":
			symbols = append(symbols, t.properties(c, depth)...)
		case of.transparent[c.Kind()]:
			symbols = append(symbols, t.symbolsIn(c, inside, depth+1)...)
		}
	}
	return symbols
}

// symbols returns what the node n of shape s declares.
func (t *Tree) symbols(n Node, s shape, inside string, depth int) []Symbol {
	body := n.Child(s.body...)
	if symbols, ok := t.called(n, s, body, inside, depth); ok {
		return symbols
	}
	value := Node{}
	switch n.Kind() {
	case "variable_declarator", "public_field_definition", "field_definition":
		// A name that is given a function is one.
		if value = n.Child(functions...); !value.IsZero() {
			s.kind, body = map[string]string{"variable": "function", "field": "method"}[s.kind], value.Child("statement_block")
		} else if call := n.Child("call_expression"); !call.IsZero() && strings.HasPrefix(call.Text(), "require(") {
			s.kind = "import"
		}
	case "function_definition":
		if !n.Child("pure_virtual_clause").IsZero() && n.Child("field_identifier").Kind() != "" {
			s = t.table().shapes["field_declaration"] // int size = 0; in a class, which C++'s grammar takes for a pure function
		}
	case "declaration", "field_declaration":
		if s.kind = declared(n, s); s.kind == "variable" && members[inside] {
			s.kind = "field"
		}
	case "assignment":
		if inside == "class" && s.kind == "variable" {
			s.kind = "field"
		}
	case "type_spec":
		if k := strings.TrimSuffix(body.kindOrEmpty(), "_type"); k != "" {
			s.kind = k
		}
	}
	if s.kind == "function" && members[inside] {
		s.kind = "method"
	}
	if s.whole && body.IsZero() {
		return nil
	}
	signature := t.signature(n, body)
	if n.Kind() == "type_spec" && !body.IsZero() {
		signature += " " + s.kind // which is a part of what holds the fields
	}
	base := Symbol{
		Kind:      s.kind,
		Signature: signature,
		StartLine: outer(n).Start().Line,
		EndLine:   t.lastLine(n),
		Doc:       t.documentation(n, body),
	}
	base.start, base.end = t.extent(n)
	if !body.IsZero() {
		base.Children = t.symbolsIn(body, s.kind, depth+1)
	} else if n.Kind() == "variable_declarator" {
		base.Children = t.properties(n.Child("object"), depth+1)
	}
	symbols := t.innerSymbols(n, s, inside, depth)
	names := t.names(n, s)
	if len(names) == 0 && s.whole {
		return append(symbols, base.Children...) // of what has no name, such as a namespace of C++
	}
	for _, name := range names {
		symbol := base
		symbol.Name = name
		symbols = append(symbols, symbol)
	}
	if t.lang == PHP && n.Kind() == "method_declaration" {
		symbols = append(symbols, t.phpPromoted(n, depth)...)
	}
	return symbols
}

// called returns what a call declares, or a definition by a macro; false where n is neither.
func (t *Tree) called(n Node, s shape, body Node, inside string, depth int) ([]Symbol, bool) {
	switch n.Kind() {
	case "function_definition":
		if head := n.Child("function_declarator"); t.cFamily() && testMacros[head.Child("identifier").Text()] {
			return []Symbol{t.test(n, body, oneLine(head.Child("parameter_list").Text()))}, true
		}
	case "function_call_expression":
		return t.phpDefine(n, s), true
	case "call": // of Ruby
		if accessors[n.Child("identifier").Text()] {
			return t.accessors(n), true
		}
		if test, ok := t.rubyTest(n, depth); ok {
			return []Symbol{test}, true
		}
		if !requires[n.Child("identifier").Text()] {
			return t.symbolsIn(n, inside, depth+1), true
		}
	}
	return nil, false
}

// innerSymbols returns what the children of a node declare that may be symbols, too.
func (t *Tree) innerSymbols(n Node, s shape, inside string, depth int) (symbols []Symbol) {
	for c := range n.Children() {
		if inner := t.table().shapes[c.Kind()]; slices.Contains(s.inner, c.Kind()) {
			symbols = append(symbols, t.symbols(c, inner, inside, depth+1)...)
		}
	}
	return symbols
}

func (n Node) kindOrEmpty() string {
	if n.IsZero() {
		return ""
	}
	return n.Kind()
}

// names returns the names that n declares.
func (t *Tree) names(n Node, s shape) []string {
	var names []string
	switch n.Kind() {
	case "at_rule", "media_statement", "supports_statement":
		return []string{strings.TrimSuffix(t.signature(n, n.Child("block")), ";")}
	case "future_import_statement":
		return []string{"__future__"}
	case "keyframes_statement":
		return []string{t.signature(n, n.Child("keyframe_block_list"))}
	case "method_declaration":
		return []string{receiver(n) + n.Child(s.names...).Text()}
	}
	for c := range n.Children() {
		if s.within && !slices.Contains(s.via, c.Kind()) && !strings.Contains(c.Text(), "::operator ") || s.inner != nil && ofType(c) {
			continue
		}
		switch found := nameIn(c, s); {
		case !found.IsZero():
			if name := oneLine(plainName(found)); name != "" && (name != "_" || t.lang != Go && t.lang != Rust) {
				names = append(names, name)
			}
			if !s.each && !s.last {
				return names
			}
		case c.Named() && (n.Kind() == "assignment" || n.Kind() == "operator_assignment"):
			return nil // what is assigned to is no plain name
		}
	}
	if s.last && len(names) > 1 {
		return names[len(names)-1:]
	}
	return names
}

// nameIn returns the name that a child of a declaration is or has in it.
func nameIn(n Node, s shape) Node {
	if n.Kind() == "operator_cast" || slices.Contains(s.names, n.Kind()) {
		return n
	}
	if slices.Contains(s.via, n.Kind()) {
		for c := range n.Children() {
			if found := nameIn(c, s); !found.IsZero() {
				return found
			}
		}
	}
	return Node{}
}

// plainName is the name that a node gives: of an alias what it stands for, of
// a string what is in it.
func plainName(n Node) string {
	switch n.Kind() {
	case "aliased_import":
		n = n.Child("dotted_name")
	case "generic_type": // of Rust
		name, _, _ := strings.Cut(n.Text(), "<")
		return name
	case "operator_cast", "qualified_identifier": // of C++: operator bool(), Shape::operator bool()
		if i := strings.Index(n.Text(), "operator "); i >= 0 {
			name, _, _ := strings.Cut(n.Text()[i:], "(")
			return n.Text()[:i] + name
		}
	case "system_lib_string":
		return strings.Trim(n.Text(), "<>")
	case "variable_name":
		return strings.TrimPrefix(n.Text(), "$")
	}
	return strings.Trim(n.Text(), "\"'`")
}

// receiver is the type that a Go method belongs to, with a dot.
func receiver(n Node) string {
	for c := range n.Child("parameter_list").Walk() {
		if c.Kind() == "type_identifier" {
			return c.Text() + "."
		}
	}
	return ""
}

// outer is the node that n's decorators, export or keyword stand in.
func outer(n Node) Node {
	for p := n.Parent(); !p.IsZero(); p = n.Parent() {
		switch p.Kind() {
		case "decorated_definition", "export_statement", "ambient_declaration", "template_declaration":
			n = p
			continue
		case "lexical_declaration", "variable_declaration", "type_declaration", "const_declaration", "var_declaration":
			if p.Start().Line == n.Start().Line {
				n = p
				continue
			}
		}
		break
	}
	return n
}

// cPrefix is what stands in a line before a declaration of C where it is a macro; see blankMacros.
var cPrefix = lazyregexp.New(`[A-Z][A-Z0-9_]{2,}\s*(?:\([^;{}]*)?$`)

// signature is the text of n up to its body.
func (t *Tree) signature(n, body Node) string {
	start, end := n.node().start, n.node().end
	if o := outer(n); o.Start().Line == n.Start().Line {
		start = o.node().start
	}
	if t.cFamily() {
		line := strings.LastIndexByte(t.body()[:start], '\n') + 1
		if at := cPrefix.FindStringIndex(t.body()[max(line, int(start)-maxSignature):start]); at != nil && line > int(start)-maxSignature {
			start = uint32(line + at[0])
		}
	}
	if !body.IsZero() {
		end = body.node().start
	}
	if c := n.Child("comment"); !c.IsZero() { // between the head and the body
		end = min(end, c.node().start)
	}
	text := oneLine(t.body()[start:max(start, min(end, start+2*maxSignature))])
	return strings.TrimRight(strings.TrimSuffix(strings.TrimRight(text, ":{ "), "=>"), " ")
}

// oneLine is the text with its white space as single blanks, cut to a size.
func oneLine(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if len(text) > maxSignature {
		text = strings.ToValidUTF8(text[:maxSignature], "") + "…"
	}
	return text
}

// lastLine is the line of n's last byte that is not white space: tree-sitter's
// blocks of Python end where the next statement begins.
func (t *Tree) lastLine(n Node) int {
	start, end := t.extent(n)
	return t.at(max(end-1, start, int(n.node().start))).Line
}

// extent is where n stands with what belongs to it, without white space after it.
func (t *Tree) extent(n Node) (start, end int) {
	start, end = int(outer(n).node().start), int(n.node().end)
	text := strings.TrimRight(t.body()[n.node().start:end], " \t\r\n\f")
	return start, int(n.node().start) + len(text)
}

// Extent returns where a symbol of this tree's outline begins and ends. Where only its
// lines are known, it is these.
func (t *Tree) Extent(s Symbol) (start, end Position) {
	if s.end > 0 {
		return t.at(s.start), t.at(s.end)
	}
	x := t.lines()
	last := x.length
	if s.EndLine+1 < len(x.starts) {
		last = x.starts[s.EndLine+1] - 1
	}
	return x.position(x.starts[min(s.StartLine, len(x.starts)-1)]), x.position(last)
}
