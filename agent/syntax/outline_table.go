package syntax

import "strings"

// table says how the declarations of a language look.
type table struct {
	shapes      map[string]shape
	transparent map[string]bool // see transparent
}

// table returns that of the tree's language.
func (t *Tree) table() table {
	if own, ok := tables[t.lang]; ok {
		return own
	}
	return table{shapes, transparent}
}

// members are the kinds of symbols whose functions are methods.
var members = nameSet("class struct interface enum implementation")

// requires are the methods of Ruby that import, and accessors those that declare what is named to them.
var (
	requires  = nameSet("require require_relative load")
	accessors = nameSet("attr_reader attr_writer attr_accessor")
)

// accessors returns the fields that a call of Ruby declares.
func (t *Tree) accessors(n Node) (symbols []Symbol) {
	for c := range n.Child("argument_list").Children() {
		if c.Kind() == "simple_symbol" {
			s := Symbol{Name: strings.TrimPrefix(c.Text(), ":"), Kind: "field", Signature: t.signature(n, Node{}), StartLine: c.Start().Line, EndLine: c.Start().Line, Doc: t.documentation(n, Node{})}
			s.start, s.end = t.extent(c)
			symbols = append(symbols, s)
		}
	}
	return symbols
}

// rows makes the shapes of a table: a line for each, of node kinds, kind, kinds of names
// and of bodies, separated by bars. The fifth column has the kinds of children that
// a name is looked for in; the sixth has marks.
func rows(text string) map[string]shape {
	list := map[string]shape{}
	for line := range strings.Lines(strings.TrimSpace(text)) {
		column := strings.Split(line+"|||||", "|")
		s := shape{
			kind: strings.TrimSpace(column[1]), names: strings.Fields(column[2]), body: strings.Fields(column[3]), via: strings.Fields(column[4]),
			each: HasWord(column[5], "each"), last: HasWord(column[5], "last"), whole: HasWord(column[5], "whole"), within: HasWord(column[5], "within"),
		}
		if HasWord(column[5], "typed") {
			s.inner = strings.Fields("struct_specifier union_specifier enum_specifier class_specifier")
		}
		for _, node := range strings.Fields(column[0]) {
			list[node] = s
		}
	}
	return list
}

// declarators are what a name of C may stand in.
const declarators = "init_declarator pointer_declarator array_declarator reference_declarator function_declarator parenthesized_declarator"

var ofC = table{
	rows(`
		preproc_include | import | system_lib_string string_literal
		preproc_def | constant | identifier
		preproc_function_def | macro | identifier
		namespace_definition | namespace | namespace_identifier identifier nested_namespace_specifier | declaration_list || whole
		class_specifier | class | type_identifier template_type qualified_identifier | field_declaration_list || whole
		struct_specifier union_specifier | struct | type_identifier template_type qualified_identifier | field_declaration_list || whole
		enum_specifier | enum | type_identifier | enumerator_list || whole
		enumerator | constant | identifier
		type_definition | type | type_identifier ||` + declarators + `| last typed
		alias_declaration | type | type_identifier
		function_definition | function | identifier field_identifier qualified_identifier operator_name destructor_name | compound_statement |` + declarators + ` operator_cast | within
		declaration | variable | identifier field_identifier qualified_identifier operator_name destructor_name ||` + declarators + ` operator_cast | each typed
		field_declaration | field | field_identifier operator_name ||` + declarators + ` operator_cast | each typed`),
	nameSet(`preproc_if preproc_ifdef preproc_else preproc_elif linkage_specification declaration_list template_declaration friend_declaration ERROR`),
}

// tables are those of the languages that have an outline only.
var tables = map[Language]table{
	C: ofC, CPP: ofC,
	Java: {rows(`
		import_declaration | import | scoped_identifier identifier
		class_declaration | class | identifier | class_body
		record_declaration | class | identifier | class_body
		interface_declaration | interface | identifier | interface_body
		annotation_type_declaration | interface | identifier | annotation_type_body
		enum_declaration | enum | identifier | enum_body
		enum_constant | constant | identifier
		method_declaration annotation_type_element_declaration | method | identifier | block
		constructor_declaration compact_constructor_declaration | method | identifier | constructor_body block
		field_declaration constant_declaration | field | identifier || variable_declarator | each`),
		nameSet("enum_body_declarations ERROR")},
	Rust: {rows(`
		use_declaration | import | scoped_identifier scoped_use_list identifier use_list use_as_clause use_wildcard
		extern_crate_declaration | import | identifier
		struct_item | struct | type_identifier | field_declaration_list
		union_item | struct | type_identifier | field_declaration_list
		field_declaration | field | field_identifier
		enum_item | enum | type_identifier | enum_variant_list
		enum_variant | constant | identifier
		trait_item | interface | type_identifier | declaration_list
		impl_item | implementation | type_identifier generic_type scoped_type_identifier | declaration_list || last
		mod_item | namespace | identifier | declaration_list
		function_item function_signature_item | function | identifier | block
		const_item | constant | identifier
		static_item | variable | identifier
		type_item associated_type | type | type_identifier
		macro_definition | macro | identifier`),
		nameSet("foreign_mod_item declaration_list ERROR")},
	Ruby: {rows(`
		class | class | constant scope_resolution | body_statement
		module | namespace | constant scope_resolution | body_statement
		method | method | identifier constant operator setter | body_statement
		singleton_method | method | identifier constant operator setter | body_statement || last
		assignment operator_assignment | constant | constant
		call | import | string || argument_list`),
		nameSet(`body_statement singleton_class do_block block argument_list if unless then else elsif if_modifier unless_modifier begin rescue ensure
			case when parenthesized_statements lambda block_body program ERROR`)},
	PHP: {rows(`
		namespace_use_declaration | import | namespace_name qualified_name name || namespace_use_clause | each
		require_expression require_once_expression include_expression include_once_expression | import | string encapsed_string || binary_expression parenthesized_expression
		namespace_definition | namespace | namespace_name | compound_statement
		class_declaration trait_declaration | class | name | declaration_list
		interface_declaration | interface | name | declaration_list
		enum_declaration | enum | name | enum_declaration_list
		enum_case | constant | name
		const_declaration | constant | name || const_element | each
		property_declaration | field | variable_name || property_element | each
		property_promotion_parameter | field | variable_name
		function_call_expression | constant | string encapsed_string
		method_declaration | method | name | compound_statement
		function_definition | function | name | compound_statement`),
		nameSet("expression_statement if_statement else_clause while_statement compound_statement colon_block ERROR")},
}

// phpDefine returns the constant that a call of PHP defines: define('NAME', value).
func (t *Tree) phpDefine(n Node, s shape) []Symbol {
	name := n.Child("arguments").Child("argument").Child(s.names...)
	if name.IsZero() || !strings.EqualFold(strings.TrimPrefix(n.Child("name", "qualified_name").Text(), `\`), "define") {
		return nil
	}
	c := Symbol{Name: oneLine(plainName(name)), Kind: s.kind, Signature: t.signature(n, Node{}), StartLine: n.Start().Line, EndLine: t.lastLine(n), Doc: t.documentation(n, Node{})}
	c.start, c.end = t.extent(n)
	return []Symbol{c}
}

// phpPromoted returns the fields that the parameters of a constructor of PHP declare.
func (t *Tree) phpPromoted(method Node, depth int) (symbols []Symbol) {
	const promoted = "property_promotion_parameter"
	for c := range method.Child("formal_parameters").Children() {
		if c.Kind() == promoted {
			symbols = append(symbols, t.symbols(c, t.table().shapes[promoted], "class", depth+1)...)
		}
	}
	return symbols
}

// cBefore are what stands before the type of a declaration of C.
var cBefore = nameSet("storage_class_specifier type_qualifier attribute_specifier attribute_declaration ms_declspec_modifier virtual_function_specifier virtual explicit_function_specifier comment")

// ofType reports whether a child of a declaration of C is or belongs to its type: std::string is a name like std::string::npos.
func ofType(c Node) bool {
	if c.Kind() != "qualified_identifier" {
		return false
	}
	for other := range c.Parent().Children() {
		if other == c {
			return true
		}
		if !cBefore[other.Kind()] {
			return false
		}
	}
	return false
}

// declared is the kind of what a declaration of C declares.
func declared(n Node, s shape) string {
	for c := range n.Children() {
		for c.Kind() == "pointer_declarator" || c.Kind() == "reference_declarator" {
			next := c.Child("function_declarator", "pointer_declarator", "reference_declarator")
			if next.IsZero() {
				break
			}
			c = next
		}
		if c.Kind() == "function_declarator" && c.Child("parenthesized_declarator").IsZero() {
			return "function"
		}
	}
	return s.kind
}
