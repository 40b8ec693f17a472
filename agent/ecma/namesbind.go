package ecma

import (
	"path"
	"strings"

	"caselsp/agent/syntax"
	"caselsp/store/lazyregexp"
)

// bindPython reads what one node of Python binds.
func (n *QualifiedNames) bindPython(x syntax.Node) {
	switch x.Kind() {
	case "import_statement":
		for _, c := range NamedChildren(x) {
			if c.Kind() == "aliased_import" {
				if parts := NamedChildren(c); len(parts) > 0 {
					n.add(n.scope(x), parts[len(parts)-1].Text(), Binding{Way: ByImport, Path: Squeezed(parts[0])})
				}
			} else {
				// import a.b binds a
				top, _, _ := strings.Cut(Squeezed(c), ".")
				n.add(n.scope(x), top, Binding{Way: ByImport, Path: top})
			}
		}
	case "import_from_statement":
		parts := NamedChildren(x)
		if len(parts) == 0 {
			return
		}
		module := Squeezed(parts[0])
		for _, c := range parts[1:] {
			name, as := c, c
			if p := NamedChildren(c); c.Kind() == "aliased_import" && len(p) > 0 {
				name, as = p[0], p[len(p)-1]
			}
			n.add(n.scope(x), as.Text(), Binding{Way: ByImport, Path: module + "." + name.Text()})
		}
	case "assignment", "named_expression":
		if parts := NamedChildren(x); len(parts) > 1 && parts[len(parts)-1].Kind() != "type" {
			n.target(x, parts[0], parts[len(parts)-1], ByAssignment)
		}
	case "augmented_assignment":
		if parts := NamedChildren(x); len(parts) == 2 {
			n.target(x, parts[0], parts[1], ByAddition)
		}
	case "for_statement", "for_in_clause":
		if parts := NamedChildren(x); len(parts) > 1 {
			n.target(x, parts[0], parts[1], ByLoop)
		}
	case "as_pattern":
		if parts := NamedChildren(x); len(parts) == 2 {
			n.target(x, FirstNamed(parts[1]), parts[0], ByAssignment)
		}
	case "parameters", "lambda_parameters":
		for _, c := range NamedChildren(x) {
			n.parameter(x, c)
		}
	case "global_statement", "nonlocal_statement":
		for _, c := range NamedChildren(x) {
			n.add(n.scope(x), c.Text(), Binding{Way: ByUnknown})
		}
	case "function_definition", "class_definition":
		n.add(n.scope(x), TextOf(x.Child("identifier")), Binding{Way: ByDefinition})
	}
}

// Squeezed returns the text of a dotted name.
func Squeezed(x syntax.Node) string { return strings.Join(strings.Fields(x.Text()), "") }

// TextOf is the text of a node that may be none.
func TextOf(x syntax.Node) string {
	if x.IsZero() {
		return ""
	}
	return x.Text()
}

// target binds what stands to the left of an assignment.
func (n *QualifiedNames) target(at, to, value syntax.Node, how Way) {
	if to.IsZero() {
		return
	}
	switch to.Kind() {
	case "identifier":
		n.add(n.scope(at), to.Text(), Binding{Way: how, Value: value})
	case "pattern_list", "tuple_pattern", "list_pattern", "tuple", "expression_list":
		left, right := NamedChildren(to), []syntax.Node(nil)
		if k := value.Kind(); how == ByAssignment && (k == "expression_list" || k == "tuple" || k == "list") {
			right = NamedChildren(value)
		}
		for i, l := range left {
			if len(left) == len(right) {
				n.target(at, l, right[i], how)
			} else if l.Kind() == "identifier" {
				n.add(n.scope(at), l.Text(), Binding{Way: ByUnknown})
			} else {
				n.target(at, l, value, ByUnknown)
			}
		}
	}
}

// parameter binds a parameter, with its type where one is written. The plain
// value that it has by default is no value: callers give others.
func (n *QualifiedNames) parameter(at, p syntax.Node) {
	if p.Kind() == "identifier" || p.Kind() == "shorthand_property_identifier_pattern" {
		n.add(n.scope(at), p.Text(), Binding{Way: ByParameter})
		return
	}
	kind := p.Child("type", "type_annotation")
	for _, c := range NamedChildren(p) {
		switch c.Kind() {
		case "type", "type_annotation":
		case "identifier", "shorthand_property_identifier_pattern":
			n.add(n.scope(at), c.Text(), Binding{Way: ByParameter, Value: kind})
			if p.Kind() != "object_pattern" && p.Kind() != "array_pattern" {
				return
			}
		case "object_pattern", "array_pattern", "rest_pattern", "pair_pattern", "assignment_pattern", "object_assignment_pattern", "list_splat_pattern", "dictionary_splat_pattern":
			n.parameter(at, c)
		}
	}
}

// bindScript reads what one node of JavaScript or TypeScript binds.
func (n *QualifiedNames) bindScript(x syntax.Node) {
	switch x.Kind() {
	case "import_statement":
		n.importScript(x)
	case "variable_declarator":
		parts := NamedChildren(x)
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
		parts := NamedChildren(x)
		if len(parts) != 2 || parts[0].Kind() != "identifier" {
			return
		}
		b := Binding{Way: ByAssignment, Value: parts[1]}
		if x.Kind() == "augmented_assignment_expression" {
			b.Way = ByAddition
			if x.Child("+=").IsZero() {
				b.Way = ByUnknown
			}
		}
		n.add(n.owner(x, parts[0].Text()), parts[0].Text(), b)
	case "for_in_statement":
		parts := NamedChildren(x)
		b := Binding{Way: ByUnknown}
		if !x.Child("of").IsZero() && len(parts) > 1 {
			b = Binding{Way: ByLoop, Value: parts[1]}
		}
		if len(parts) > 1 && parts[0].Kind() == "identifier" {
			n.add(n.scope(x), parts[0].Text(), b)
		}
	case "formal_parameters":
		for _, c := range NamedChildren(x) {
			n.parameter(x, c)
		}
	case "arrow_function":
		if c := FirstNamed(x); !c.IsZero() && c.Kind() == "identifier" {
			n.add(x, c.Text(), Binding{Way: ByParameter})
		}
	case "catch_clause":
		if c := FirstNamed(x); !c.IsZero() && c.Kind() == "identifier" {
			n.add(n.scope(x), c.Text(), Binding{Way: ByUnknown})
		}
	case "function_declaration", "class_declaration", "generator_function_declaration":
		n.add(n.scope(x), TextOf(x.Child("identifier", "type_identifier")), Binding{Way: ByDefinition})
	}
}

// declare notes a name without a value.
func (n *QualifiedNames) declare(scope, to syntax.Node) {
	if k := (nameAt{scope, to.Text()}); to.Kind() == "identifier" && n.bound[k] == nil {
		n.bound[k] = []Binding{}
	}
}

// owner returns the scope that an assigned name belongs to.
func (n *QualifiedNames) owner(x syntax.Node, name string) syntax.Node {
	for scope := n.scope(x); ; scope = n.scope(scope) {
		if n.bound[nameAt{scope, name}] != nil || scope.Parent().IsZero() {
			return scope
		}
	}
}

// pattern binds the names of a destructuring declaration.
func (n *QualifiedNames) pattern(scope, to, value syntax.Node, path string) {
	switch to.Kind() {
	case "identifier", "shorthand_property_identifier_pattern":
		n.add(scope, to.Text(), Binding{Way: ByAssignment, Value: value, Path: path})
	case "object_pattern":
		for _, c := range NamedChildren(to) {
			switch c.Kind() {
			case "shorthand_property_identifier_pattern":
				n.pattern(scope, c, value, path+"."+c.Text())
			case "pair_pattern":
				if parts := NamedChildren(c); len(parts) == 2 {
					n.pattern(scope, parts[1], value, path+"."+parts[0].Text())
				}
			default:
				if id := c.Child("shorthand_property_identifier_pattern", "identifier"); !id.IsZero() {
					n.add(scope, id.Text(), Binding{Way: ByUnknown})
				}
			}
		}
	case "array_pattern":
		for _, c := range NamedChildren(to) {
			if c.Kind() == "identifier" {
				n.add(scope, c.Text(), Binding{Way: ByUnknown})
			}
		}
	}
}

func (n *QualifiedNames) importScript(x syntax.Node) {
	module := strings.TrimPrefix(strings.Trim(TextOf(x.Child("string")), "\"'`"), "node:")
	clause := x.Child("import_clause")
	if clause.IsZero() {
		return
	}
	for _, c := range NamedChildren(clause) {
		switch c.Kind() {
		case "identifier": // the default export stands for the module
			n.add(n.scope(x), c.Text(), Binding{Way: ByImport, Path: module})
		case "namespace_import":
			n.add(n.scope(x), TextOf(FirstNamed(c)), Binding{Way: ByImport, Path: module})
		case "named_imports":
			for _, s := range NamedChildren(c) {
				if parts := NamedChildren(s); len(parts) > 0 {
					n.add(n.scope(x), parts[len(parts)-1].Text(), Binding{Way: ByImport, Path: module + "." + parts[0].Text()})
				}
			}
		}
	}
}

// major is the last element of the path of a module's later version.
var major = lazyregexp.New(`^v[0-9]+$`)

// bindGo reads what one node of Go binds.
func (n *QualifiedNames) bindGo(x syntax.Node) {
	switch x.Kind() {
	case "import_spec":
		module := strings.Trim(TextOf(x.Child("interpreted_string_literal", "raw_string_literal")), "\"`")
		name := path.Base(module)
		if major.MatchString(name) {
			name = path.Base(path.Dir(module))
		}
		if as := x.Child("package_identifier"); !as.IsZero() {
			name = as.Text()
		}
		n.add(n.scope(x), name, Binding{Way: ByImport, Path: module})
	case "short_var_declaration", "assignment_statement":
		parts := NamedChildren(x)
		if len(parts) != 2 {
			return
		}
		how := ByAssignment
		if !x.Child("+=").IsZero() {
			how = ByAddition
		} else if x.Kind() == "assignment_statement" && x.Child("=").IsZero() {
			how = ByUnknown
		}
		n.assignGo(x, NamedChildren(parts[0]), NamedChildren(parts[1]), how)
	case "var_spec", "const_spec":
		var left, right []syntax.Node
		for _, c := range NamedChildren(x) {
			switch c.Kind() {
			case "identifier":
				left = append(left, c)
			case "expression_list":
				right = NamedChildren(c)
			}
		}
		n.assignGo(x, left, right, ByAssignment)
	case "parameter_declaration", "variadic_parameter_declaration":
		parts := NamedChildren(x)
		for _, c := range parts[:max(len(parts)-1, 0)] {
			n.add(n.scope(x), c.Text(), Binding{Way: ByParameter, Value: parts[len(parts)-1]})
		}
	case "range_clause":
		parts := NamedChildren(x)
		if len(parts) == 2 && parts[0].Kind() == "expression_list" {
			for i, c := range NamedChildren(parts[0]) {
				b := Binding{Way: ByUnknown}
				if i == 1 {
					b = Binding{Way: ByLoop, Value: parts[1]}
				}
				n.add(n.scope(x), c.Text(), b)
			}
		}
	case "function_declaration":
		n.add(n.scope(x), TextOf(x.Child("identifier")), Binding{Way: ByDefinition})
	}
}

// assignGo binds the left side of an assignment. The first of several results of
// a call stands for the call: the others are usually errors.
func (n *QualifiedNames) assignGo(x syntax.Node, left, right []syntax.Node, how Way) {
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
			n.add(scope, l.Text(), Binding{Way: how, Value: right[i]})
		case len(right) == 1 && i == 0:
			n.add(scope, l.Text(), Binding{Way: how, Value: right[0]})
		case len(right) == 0:
			n.declare(scope, l)
		default:
			n.add(scope, l.Text(), Binding{Way: ByUnknown})
		}
	}
}
