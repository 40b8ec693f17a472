package validate

import (
	"path"
	"strings"

	"caselsp/agent/syntax"
)

// bindPython reads what one node of Python binds.
func (n *symbols) bindPython(x syntax.Node) {
	switch x.Kind() {
	case "import_statement":
		for _, c := range namedChildren(x) {
			if c.Kind() == "aliased_import" {
				if parts := namedChildren(c); len(parts) > 0 {
					n.add(n.scope(x), parts[len(parts)-1].Text(), binding{how: fromModule, path: squeezed(parts[0])})
				}
			} else {
				// import a.b binds a
				top, _, _ := strings.Cut(squeezed(c), ".")
				n.add(n.scope(x), top, binding{how: fromModule, path: top})
			}
		}
	case "import_from_statement":
		parts := namedChildren(x)
		if len(parts) == 0 {
			return
		}
		module := squeezed(parts[0])
		for _, c := range parts[1:] {
			name, as := c, c
			if p := namedChildren(c); c.Kind() == "aliased_import" && len(p) > 0 {
				name, as = p[0], p[len(p)-1]
			}
			n.add(n.scope(x), as.Text(), binding{how: fromModule, path: module + "." + name.Text()})
		}
	case "assignment", "named_expression":
		if parts := namedChildren(x); len(parts) > 1 && parts[len(parts)-1].Kind() != "type" {
			n.target(x, parts[0], parts[len(parts)-1], given)
		}
	case "augmented_assignment":
		if parts := namedChildren(x); len(parts) == 2 {
			n.target(x, parts[0], parts[1], added)
		}
	case "for_statement", "for_in_clause":
		if parts := namedChildren(x); len(parts) > 1 {
			n.target(x, parts[0], parts[1], each)
		}
	case "as_pattern":
		if parts := namedChildren(x); len(parts) == 2 {
			n.target(x, firstNamed(parts[1]), parts[0], given)
		}
	case "parameters", "lambda_parameters":
		for _, c := range namedChildren(x) {
			n.parameter(x, c)
		}
	case "global_statement", "nonlocal_statement":
		for _, c := range namedChildren(x) {
			n.add(n.scope(x), c.Text(), binding{how: unknown})
		}
	case "function_definition", "class_definition":
		n.add(n.scope(x), textOf(x.Child("identifier")), binding{how: defined})
	}
}

// squeezed returns the text of a dotted name.
func squeezed(x syntax.Node) string { return strings.Join(strings.Fields(x.Text()), "") }

// textOf is the text of a node that may be none.
func textOf(x syntax.Node) string {
	if x.IsZero() {
		return ""
	}
	return x.Text()
}

// target binds what stands to the left of an assignment.
func (n *symbols) target(at, to, value syntax.Node, how how) {
	if to.IsZero() {
		return
	}
	switch to.Kind() {
	case "identifier":
		n.add(n.scope(at), to.Text(), binding{how: how, value: value})
	case "pattern_list", "tuple_pattern", "list_pattern", "tuple", "expression_list":
		left, right := namedChildren(to), []syntax.Node(nil)
		if k := value.Kind(); how == given && (k == "expression_list" || k == "tuple" || k == "list") {
			right = namedChildren(value)
		}
		for i, l := range left {
			if len(left) == len(right) {
				n.target(at, l, right[i], how)
			} else if l.Kind() == "identifier" {
				n.add(n.scope(at), l.Text(), binding{how: unknown})
			} else {
				n.target(at, l, value, unknown)
			}
		}
	}
}

// parameter binds a parameter, with its type where one is written. The plain
// value that it has by default is no value: callers give others.
func (n *symbols) parameter(at, p syntax.Node) {
	if p.Kind() == "identifier" || p.Kind() == "shorthand_property_identifier_pattern" {
		n.add(n.scope(at), p.Text(), binding{how: parameter})
		return
	}
	kind := p.Child("type", "type_annotation")
	for _, c := range namedChildren(p) {
		switch c.Kind() {
		case "type", "type_annotation":
		case "identifier", "shorthand_property_identifier_pattern":
			n.add(n.scope(at), c.Text(), binding{how: parameter, value: kind})
			if p.Kind() != "object_pattern" && p.Kind() != "array_pattern" {
				return
			}
		case "object_pattern", "array_pattern", "rest_pattern", "pair_pattern", "assignment_pattern", "object_assignment_pattern", "list_splat_pattern", "dictionary_splat_pattern":
			n.parameter(at, c)
		}
	}
}

// bindScript reads what one node of JavaScript or TypeScript binds.
func (n *symbols) bindScript(x syntax.Node) {
	switch x.Kind() {
	case "import_statement":
		n.importScript(x)
	case "variable_declarator":
		parts := namedChildren(x)
		if len(parts) == 0 {
			return
		}
		value := parts[len(parts)-1]
		if len(parts) == 1 || value.Kind() == "type_annotation" {
			n.declare(n.scope(x), parts[0])
			return
		}
		n.pattern(n.scope(x), parts[0], value, "")
	case "assignment_expression", "augmented_assignment_expression":
		parts := namedChildren(x)
		if len(parts) != 2 || parts[0].Kind() != "identifier" {
			return
		}
		b := binding{how: given, value: parts[1]}
		if x.Kind() == "augmented_assignment_expression" {
			b.how = added
			if x.Child("+=").IsZero() {
				b.how = unknown
			}
		}
		n.add(n.owner(x, parts[0].Text()), parts[0].Text(), b)
	case "for_in_statement":
		parts := namedChildren(x)
		b := binding{how: unknown}
		if !x.Child("of").IsZero() && len(parts) > 1 {
			b = binding{how: each, value: parts[1]}
		}
		if len(parts) > 1 && parts[0].Kind() == "identifier" {
			n.add(n.scope(x), parts[0].Text(), b)
		}
	case "formal_parameters":
		for _, c := range namedChildren(x) {
			n.parameter(x, c)
		}
	case "arrow_function":
		if c := firstNamed(x); !c.IsZero() && c.Kind() == "identifier" {
			n.add(x, c.Text(), binding{how: parameter})
		}
	case "catch_clause":
		if c := firstNamed(x); !c.IsZero() && c.Kind() == "identifier" {
			n.add(n.scope(x), c.Text(), binding{how: unknown})
		}
	case "function_declaration", "class_declaration", "generator_function_declaration":
		n.add(n.scope(x), textOf(x.Child("identifier", "type_identifier")), binding{how: defined})
	}
}

// declare notes a name without a value.
func (n *symbols) declare(scope, to syntax.Node) {
	if k := (nameAt{scope, to.Text()}); to.Kind() == "identifier" && n.bound[k] == nil {
		n.bound[k] = []binding{}
	}
}

// owner returns the scope that an assigned name belongs to.
func (n *symbols) owner(x syntax.Node, name string) syntax.Node {
	for scope := n.scope(x); ; scope = n.scope(scope) {
		if n.bound[nameAt{scope, name}] != nil || scope.Parent().IsZero() {
			return scope
		}
	}
}

// pattern binds the names of a destructuring declaration.
func (n *symbols) pattern(scope, to, value syntax.Node, path string) {
	switch to.Kind() {
	case "identifier", "shorthand_property_identifier_pattern":
		n.add(scope, to.Text(), binding{how: given, value: value, path: path})
	case "object_pattern":
		for _, c := range namedChildren(to) {
			switch c.Kind() {
			case "shorthand_property_identifier_pattern":
				n.pattern(scope, c, value, path+"."+c.Text())
			case "pair_pattern":
				if parts := namedChildren(c); len(parts) == 2 {
					n.pattern(scope, parts[1], value, path+"."+parts[0].Text())
				}
			default:
				if id := c.Child("shorthand_property_identifier_pattern", "identifier"); !id.IsZero() {
					n.add(scope, id.Text(), binding{how: unknown})
				}
			}
		}
	case "array_pattern":
		for _, c := range namedChildren(to) {
			if c.Kind() == "identifier" {
				n.add(scope, c.Text(), binding{how: unknown})
			}
		}
	}
}

func (n *symbols) importScript(x syntax.Node) {
	module := strings.TrimPrefix(strings.Trim(textOf(x.Child("string")), "\"'`"), "node:")
	clause := x.Child("import_clause")
	if clause.IsZero() {
		return
	}
	for _, c := range namedChildren(clause) {
		switch c.Kind() {
		case "identifier": // the default export stands for the module
			n.add(n.scope(x), c.Text(), binding{how: fromModule, path: module})
		case "namespace_import":
			n.add(n.scope(x), textOf(firstNamed(c)), binding{how: fromModule, path: module})
		case "named_imports":
			for _, s := range namedChildren(c) {
				if parts := namedChildren(s); len(parts) > 0 {
					n.add(n.scope(x), parts[len(parts)-1].Text(), binding{how: fromModule, path: module + "." + parts[0].Text()})
				}
			}
		}
	}
}

// major is the last element of the path of a module's later version.
var major = expr(`^v[0-9]+$`)

// bindGo reads what one node of Go binds.
func (n *symbols) bindGo(x syntax.Node) {
	switch x.Kind() {
	case "import_spec":
		module := strings.Trim(textOf(x.Child("interpreted_string_literal", "raw_string_literal")), "\"`")
		name := path.Base(module)
		if major.MatchString(name) {
			name = path.Base(path.Dir(module))
		}
		if as := x.Child("package_identifier"); !as.IsZero() {
			name = as.Text()
		}
		n.add(n.scope(x), name, binding{how: fromModule, path: module})
	case "short_var_declaration", "assignment_statement":
		parts := namedChildren(x)
		if len(parts) != 2 {
			return
		}
		how := given
		if !x.Child("+=").IsZero() {
			how = added
		} else if x.Kind() == "assignment_statement" && x.Child("=").IsZero() {
			how = unknown
		}
		n.assignGo(x, namedChildren(parts[0]), namedChildren(parts[1]), how)
	case "var_spec", "const_spec":
		var left, right []syntax.Node
		for _, c := range namedChildren(x) {
			switch c.Kind() {
			case "identifier":
				left = append(left, c)
			case "expression_list":
				right = namedChildren(c)
			}
		}
		n.assignGo(x, left, right, given)
	case "parameter_declaration", "variadic_parameter_declaration":
		parts := namedChildren(x)
		for _, c := range parts[:max(len(parts)-1, 0)] {
			n.add(n.scope(x), c.Text(), binding{how: parameter, value: parts[len(parts)-1]})
		}
	case "range_clause":
		parts := namedChildren(x)
		if len(parts) == 2 && parts[0].Kind() == "expression_list" {
			for i, c := range namedChildren(parts[0]) {
				b := binding{how: unknown}
				if i == 1 {
					b = binding{how: each, value: parts[1]}
				}
				n.add(n.scope(x), c.Text(), b)
			}
		}
	case "function_declaration":
		n.add(n.scope(x), textOf(x.Child("identifier")), binding{how: defined})
	}
}

// assignGo binds the left side of an assignment. The first of several results of
// a call stands for the call: the others are mostly errors.
func (n *symbols) assignGo(x syntax.Node, left, right []syntax.Node, how how) {
	for i, l := range left {
		if l.Kind() != "identifier" || l.Text() == "_" {
			continue
		}
		scope := n.scope(x)
		if x.Kind() == "assignment_statement" {
			scope = n.owner(x, l.Text())
		}
		switch {
		case len(left) == len(right):
			n.add(scope, l.Text(), binding{how: how, value: right[i]})
		case len(right) == 1 && i == 0:
			n.add(scope, l.Text(), binding{how: how, value: right[0]})
		case len(right) == 0:
			n.declare(scope, l)
		default:
			n.add(scope, l.Text(), binding{how: unknown})
		}
	}
}
