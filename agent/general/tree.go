package general

import (
	"strings"
	"unicode"

	"caselsp/agent/syntax"
)

func kinds(list string) map[string]bool {
	set := map[string]bool{}
	for _, k := range strings.Fields(list) {
		set[k] = true
	}
	return set
}

// The kinds of nodes of all grammars that matter here.
var (
	commentKinds    = kinds("comment line_comment block_comment html_comment")
	stringKinds     = kinds("string template_string interpreted_string_literal raw_string_literal string_literal regex quoted_attribute_value")
	numberKinds     = kinds("integer float number int_literal float_literal number_literal decimal_integer_literal integer_literal")
	identifierKinds = kinds("identifier property_identifier private_property_identifier shorthand_property_identifier shorthand_property_identifier_pattern type_identifier field_identifier package_identifier statement_identifier label_name constant class_name id_name")
	fieldKinds      = kinds("field_declaration field_definition public_field_definition property_signature method_signature method_spec method_elem enum_assignment")
	isImport        = kinds("import_statement import_from_statement future_import_statement import_spec lexical_declaration variable_declaration")
	holes           = kinds("interpolation template_substitution")
)

// last is the last named child.
func last(node syntax.Node) (found syntax.Node) {
	for c := range node.Children() {
		if c.Named() {
			found = c
		}
	}
	return found
}

func first(node syntax.Node) syntax.Node {
	for c := range node.Children() {
		return c
	}
	return syntax.Node{}
}

// platform are the names that programs set members of and that are not theirs.
var platform = kinds("module exports window document console process globalThis location os sys")

// assigned reports whether a member of something of the project's own gets a value.
func (n *Names) assigned(node syntax.Node) bool {
	if of := root(node); platform[of] || n.public[of] {
		return false
	}
	p := node.Parent()
	return strings.Contains(p.Kind(), "assignment") && first(p) == node
}

// readImport notes what an import of a public package binds.
func (n *Names) readImport(node syntax.Node) {
	module := ""
	var bound []string
	for c := range node.Walk() {
		switch k := c.Kind(); {
		case k == "dotted_name" || k == "relative_import":
			if module == "" || node.Kind() == "import_statement" {
				module = c.Text()
			}
			bound = append(bound, strings.Split(c.Text(), ".")...)
		case k == "string" || k == "interpreted_string_literal":
			if module == "" {
				module = strings.Trim(c.Text(), "\"'`")
			}
		case identifierKinds[k]:
			bound = append(bound, c.Text())
		}
	}
	if strings.HasSuffix(node.Kind(), "_declaration") && !strings.Contains(node.Text(), "require(") || module == "" {
		return
	}
	if n.ownModule(module) {
		for _, name := range bound {
			n.local[name] = true
		}
		return
	}
	if node.Kind() == "import_spec" { // Go names the package by the end of its path
		parts := strings.Split(module, "/")
		end := parts[len(parts)-1]
		if len(parts) > 1 && len(end) > 1 && end[0] == 'v' && unicode.IsDigit(rune(end[1])) {
			bound = append(bound, parts[len(parts)-2])
		}
		end, _, _ = strings.Cut(end, ".")
		bound = append(bound, end, strings.TrimPrefix(end, "go-"))
	}
	for _, name := range bound {
		n.public[name] = true
	}
}

// ownModule reports whether a module belongs to the project.
func (n *Names) ownModule(name string) bool {
	if strings.HasPrefix(name, ".") || strings.HasPrefix(name, "/") || strings.HasPrefix(name, "@/") || strings.HasPrefix(name, "~") {
		return true
	}
	return n.project.Module != nil && n.project.Module(name)
}

// roleOf says what an identifier names, for its placeholder.
func roleOf(node syntax.Node) string {
	p := node.Parent()
	switch k := p.Kind(); {
	case k == "dotted_name" && p.Parent().Kind() == "import_from_statement" && p.Parent().Child("dotted_name", "relative_import") != p:
		return "name"
	case k == "dotted_name" || k == "relative_import" || node.Kind() == "package_identifier":
		return "module"
	case (k == "call" || k == "call_expression") && first(p) == node,
		strings.Contains(k, "function") || strings.Contains(k, "method"):
		return "func"
	case (k == "attribute" || k == "member_expression" || k == "selector_expression") && last(p) == node:
		if g := p.Parent(); (g.Kind() == "call" || g.Kind() == "call_expression") && first(g) == p {
			return "func"
		}
	}
	return "name"
}

// keeps reports whether an identifier is not the project's own.
func (n *Names) keeps(node syntax.Node) bool {
	name := node.Text()
	if vocabulary[strings.ToLower(name)] || strings.HasPrefix(name, "__") && strings.HasSuffix(name, "__") || len(strings.Trim(name, "_$#")) == 0 {
		return true
	}
	if n.public[name] && n.own[name] == "" && !n.local[name] {
		return true
	}
	p := node.Parent()
	switch p.Kind() {
	case "attribute", "member_expression", "selector_expression", "qualified_type", "nested_identifier", "nested_type_identifier":
		if first(p) == node {
			return false
		}
		if of := first(p).Text(); (of == "self" || of == "this" || of == "cls") && roleOf(node) != "func" {
			return false // a value of an own object; a method may be that of a library's class
		}
		return n.public[root(p)] && !n.local[root(p)] || !n.declared(name) // a member that nobody here declares is a library's
	case "keyword_argument":
		return first(p) == node && !n.declared(name)
	case "jsx_opening_element", "jsx_closing_element", "jsx_self_closing_element":
		return unicode.IsLower([]rune(name)[0])
	case "jsx_attribute", "property_name", "tag_name":
		return !n.declared(name)
	}
	switch node.Kind() {
	case "property_identifier", "field_identifier":
		if p.Kind() == "pair" || p.Kind() == "keyed_element" || p.Kind() == "literal_element" {
			return !n.declared(name) && !composed(name)
		}
	}
	return false
}

// root is the text of the name that a chain of members begins with.
func root(node syntax.Node) string {
	for {
		of := first(node)
		if of.IsZero() {
			return node.Text()
		}
		node = of
	}
}

// literal is what stands in place of a string: its quotes, and its holes with what is in them.
func (n *Names) literal(node syntax.Node) (string, bool) {
	text := node.Text()
	open := len(text) - len(strings.TrimLeft(text, "rRbBuUfF\"'`/"))
	if i := strings.IndexAny(text, "\"'`/"); i >= 0 && i <= 2 {
		open = i + 1
		if strings.HasPrefix(text[i:], `"""`) || strings.HasPrefix(text[i:], "'''") {
			open = i + 3
		}
	}
	if open == 0 || !strings.ContainsAny(text[:open], "\"'`/") {
		return "", false // a keyword that is called so
	}
	if open > len(text)/2 {
		return text, true // empty
	}
	closing := text[open-1 : open]
	if node.Kind() == "regex" {
		return text, true // a pattern says how, not what
	}
	end := len(text) - 1
	if open > 2 && strings.HasSuffix(text, strings.Repeat(closing, 3)) {
		end = len(text) - 3
	}
	if end < open || n.specifier(node) {
		inner := text[min(open, len(text)):max(end, open)]
		if n.specifier(node) && n.ownModule(inner) {
			return text[:open] + n.modulePath(inner) + text[end:], true
		}
		return text, true
	}
	var b strings.Builder
	b.WriteString(text[:open])
	start, _ := node.Offsets()
	at := open
	for c := range node.Children() {
		if !holes[c.Kind()] {
			continue
		}
		from, to := c.Offsets()
		if from-start < at {
			continue
		}
		b.WriteString(n.value(text[at:from-start]) + n.hole(c))
		at = to - start
	}
	end = max(end, at) // a string that does not end may end with a hole
	b.WriteString(n.value(text[at:end]) + text[end:])
	return b.String(), true
}

// hole is an expression within a string.
func (n *Names) hole(node syntax.Node) string {
	text := node.Text()
	from, _ := node.Offsets()
	var b strings.Builder
	at := 0
	for c := range node.Walk() {
		start, end := c.Offsets()
		if c == node || start-from < at {
			continue
		}
		if instead, ok := n.node(c); ok {
			b.WriteString(text[at:start-from] + instead)
			at = end - from
		}
	}
	return b.String() + text[at:]
}

// specifier reports whether a string names a module.
func (n *Names) specifier(node syntax.Node) bool {
	p := node.Parent()
	switch k := p.Kind(); {
	case k == "import_statement", k == "export_statement", k == "import_spec":
		return true
	case k == "arguments" || k == "argument_list":
		callee := first(p.Parent()).Text()
		return callee == "require" || callee == "import"
	}
	return false
}

// modulePath is the path of a module of the project.
func (n *Names) modulePath(path string) string {
	lead := path[:len(path)-len(strings.TrimLeft(path, "./@~"))]
	end := path[strings.LastIndexByte(path, '/')+1:]
	end, _, _ = strings.Cut(end, ".")
	if end == "" {
		return path
	}
	return lead + n.name(end, "module")
}
