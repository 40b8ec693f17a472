package syntax

import (
	"slices"
	"strings"
)

// script marks what Express, its relatives and the mappers of JavaScript read.
func (m *marking) script() {
	m.scriptImports()
	for _, n := range m.t.Nodes("variable_declarator") {
		if parts := named(n); len(parts) >= 2 {
			m.scriptDeclared(n, parts[0], parts[len(parts)-1])
		}
	}
	for _, n := range m.t.Nodes("assignment_expression") {
		if parts := named(n); len(parts) == 2 {
			m.scriptAssigned(n, parts[0], parts[1])
		}
	}
	for _, n := range m.t.Nodes("export_statement") {
		m.scriptExport(n)
	}
	for _, kind := range []string{"class_declaration", "class"} {
		for _, n := range m.t.Nodes(kind) {
			m.scriptClass(n)
		}
	}
	for _, n := range m.t.Nodes("call_expression") {
		m.scriptCall(n)
	}
}

// scriptString is the value of a string that has no substitutions.
func scriptString(n Node) (string, bool) {
	if n.Kind() != "string" && n.Kind() != "template_string" || strings.Contains(n.Text(), "${") || len(n.Text()) < 2 || len(n.Text()) > maxSignature {
		return "", false
	}
	return n.Text()[1 : len(n.Text())-1], true
}

func (m *marking) scriptImports() {
	for _, n := range m.t.Nodes("import_statement") {
		module, ok := scriptString(n.Child("string"))
		if !ok {
			continue
		}
		for c := range n.Child("import_clause").Walk() {
			switch c.Kind() {
			case "identifier":
				if c.Parent().Kind() == "import_clause" {
					m.add(c, Mark{Kind: MarkImport, Name: c.Text(), Value: module + "#default"})
				}
			case "namespace_import":
				m.add(c, Mark{Kind: MarkImport, Name: c.Child("identifier").Text(), Value: module + "#default"})
			case "import_specifier":
				if parts := named(c); len(parts) > 0 {
					m.add(c, Mark{Kind: MarkImport, Name: parts[len(parts)-1].Text(), Value: module + "#" + parts[0].Text()})
				}
			}
		}
	}
}

// required is the module of a call of require, with what is taken of it.
func required(n Node) string {
	switch n.Kind() {
	case "member_expression":
		if parts := named(n); len(parts) == 2 {
			if module, name, ok := strings.Cut(required(parts[0]), "#"); ok && name == "default" {
				return module + "#" + parts[1].Text()
			}
		}
	case "call_expression":
		args := named(n.Child("arguments"))
		if n.Child("identifier").Text() == "require" && len(args) == 1 {
			if module, ok := scriptString(args[0]); ok {
				return module + "#default"
			}
		}
	}
	return ""
}

// scriptDeclared marks what a variable is given.
func (m *marking) scriptDeclared(n, name, value Node) {
	module := required(value)
	switch {
	case name.Kind() == "object_pattern" && module != "":
		from, _, _ := strings.Cut(module, "#")
		for _, c := range named(name) {
			if parts := named(c); c.Kind() == "shorthand_property_identifier_pattern" {
				m.add(c, Mark{Kind: MarkImport, Name: c.Text(), Value: from + "#" + c.Text()})
			} else if c.Kind() == "pair_pattern" && len(parts) == 2 {
				m.add(c, Mark{Kind: MarkImport, Name: parts[1].Text(), Value: from + "#" + parts[0].Text()})
			}
		}
	case name.Kind() != "identifier":
	case module != "":
		m.add(n, Mark{Kind: MarkImport, Name: name.Text(), Value: module})
	default:
		m.scriptMade(n, name.Text(), value)
	}
}

// scriptMade marks a variable that holds what a call returns.
func (m *marking) scriptMade(n Node, name string, value Node) {
	if value.Kind() == "await_expression" && len(named(value)) == 1 {
		value = firstOf(value)
	}
	if value.Kind() != "call_expression" && value.Kind() != "new_expression" || len(named(value)) == 0 {
		return
	}
	callee := dotted(firstOf(value))
	if module := required(firstOf(value)); module != "" { // require("express")()
		callee = name + "()"
		m.add(n, Mark{Kind: MarkImport, Name: callee, Value: module})
	}
	if callee == "" {
		return
	}
	x := Mark{Kind: MarkMade, Name: name, Value: callee, Args: map[string]string{}}
	for _, a := range named(value.Child("arguments")) {
		for _, pair := range named(a) {
			if parts := named(pair); pair.Kind() == "pair" && len(parts) == 2 && parts[0].Text() == "prefix" {
				x.Args["prefix"], _ = scriptString(parts[1])
			}
		}
	}
	m.add(n, x)
}

// scriptAssigned marks what a module exports by CommonJS.
func (m *marking) scriptAssigned(n, to, value Node) {
	text := dotted(to)
	if value.Kind() == "assignment_expression" && len(named(value)) == 2 { // var app = module.exports = express()
		value = named(value)[1]
	}
	switch {
	case text == "module.exports" || text == "exports":
		if value.Kind() == "object" {
			for _, p := range named(value) {
				parts := named(p)
				if p.Kind() == "shorthand_property_identifier" {
					m.add(p, Mark{Kind: MarkExport, Name: p.Text(), To: m.refer(p.Text())})
				} else if p.Kind() == "pair" && len(parts) == 2 && dotted(parts[1]) != "" {
					m.add(p, Mark{Kind: MarkExport, Name: parts[0].Text(), To: m.refer(dotted(parts[1]))})
				}
			}
			return
		}
		m.scriptExported(n, "default", value)
		if p := n.Parent(); p.Kind() == "variable_declarator" {
			m.scriptMade(n, firstOf(p).Text(), value)
		}
	case strings.HasPrefix(text, "module.exports.") || strings.HasPrefix(text, "exports."):
		m.scriptExported(n, lastName(text), value)
	case to.Kind() == "identifier":
		m.scriptMade(n, to.Text(), value)
	}
}

// scriptExported marks what a module exports under a name.
func (m *marking) scriptExported(n Node, name string, value Node) {
	switch {
	case dotted(value) != "":
		m.add(n, Mark{Kind: MarkExport, Name: name, To: m.refer(dotted(value))})
	case value.Kind() == "call_expression", value.Kind() == "new_expression": // made where it is exported
		m.used["exports."+name] = true
		m.scriptMade(n, "exports."+name, value)
		m.add(n, Mark{Kind: MarkExport, Name: name, To: "exports." + name})
	case handles(value):
		m.add(n, Mark{Kind: MarkExport, Name: name})
	}
}

// scriptExport marks what an export statement exports.
func (m *marking) scriptExport(n Node) {
	isDefault := false
	for c := range n.Children() {
		switch c.Kind() {
		case "default":
			isDefault = true
		case "lexical_declaration", "variable_declaration":
			for _, d := range named(c) {
				if name := d.Child("identifier"); !name.IsZero() {
					m.add(d, Mark{Kind: MarkExport, Name: name.Text(), To: m.refer(name.Text())})
				}
			}
		case "export_clause":
			for _, s := range named(c) {
				if parts := named(s); len(parts) > 0 {
					m.add(s, Mark{Kind: MarkExport, Name: parts[len(parts)-1].Text(), To: m.refer(parts[0].Text())})
				}
			}
		default:
			if isDefault && c.Named() {
				m.scriptExported(n, "default", c)
			}
		}
	}
}

// scriptClass marks a class that extends another one.
func (m *marking) scriptClass(n Node) {
	name := n.Child("identifier", "type_identifier").Text()
	heritage := n.Child("class_heritage")
	for c := range heritage.Walk() {
		if base := dotted(c); base != "" && name != "" {
			m.add(n, Mark{Kind: MarkClass, Name: name, Words: []string{m.refer(base)}})
			return
		}
	}
}

// scriptCall marks calls that add a route, a router or a model.
func (m *marking) scriptCall(n Node) {
	callee := n.Child("member_expression")
	parts := named(callee)
	if callee.IsZero() || len(parts) != 2 {
		return
	}
	verb, args := parts[1].Text(), named(n.Child("arguments"))
	on := dotted(parts[0])
	switch {
	case verb == "use" && on != "":
		m.scriptMount(n, on, args)
	case (verb == "model" || verb == "define") && on != "" && len(args) >= 2:
		if name, ok := scriptString(args[0]); ok {
			m.add(n, Mark{Kind: MarkModel, Name: name, On: m.refer(on), Value: verb})
		}
	case methods[verb] && len(args) > 0:
		if on == "" {
			m.scriptChained(n, verb, parts[0], args)
			return
		}
		path, ok := scriptPath(args[0])
		if handler := args[len(args)-1]; ok && len(args) >= 2 && handles(handler) {
			x := Mark{Kind: MarkRoute, On: m.refer(on), Value: path, To: handlerOf(handler), Words: []string{strings.ToUpper(verb)}}
			if isParameter(n, on) {
				x.Args = map[string]string{"parameter": "True"}
			}
			m.add(n, x)
		}
	}
}

// scriptPath is the path of a route: a string, a regular expression, or the first of a list.
func scriptPath(n Node) (string, bool) {
	switch n.Kind() {
	case "regex":
		return expression(n), true
	case "array":
		if parts := named(n); len(parts) > 0 {
			return scriptPath(parts[0])
		}
	}
	s, ok := scriptString(n)
	return s, ok && (s == "" || s[0] == '/' || s[0] == '*')
}

// handles reports whether an expression can be a function: what a route ends with.
func handles(n Node) bool {
	switch n.Kind() {
	case "arrow_function", "function", "function_expression", "generator_function", "identifier", "member_expression", "call_expression", "array":
		return true
	}
	return false
}

// handlerOf names a handler; a function that stands there has no name.
func handlerOf(n Node) string {
	if n.Kind() == "identifier" || n.Kind() == "member_expression" || n.Kind() == "call_expression" {
		return expression(n)
	}
	return ""
}

// scriptChained marks router.route("/x").get(f).post(g).
func (m *marking) scriptChained(n Node, verb string, chain Node, args []Node) {
	for depth := 0; depth < maxNesting && chain.Kind() == "call_expression"; depth++ {
		parts := named(chain.Child("member_expression"))
		if len(parts) != 2 {
			return
		}
		on := dotted(parts[0])
		if parts[1].Text() != "route" || on == "" {
			chain = parts[0]
			continue
		}
		inner := named(chain.Child("arguments"))
		if len(inner) == 0 {
			return
		}
		if path, ok := scriptPath(inner[0]); ok {
			m.add(n.Child("member_expression").last(), Mark{Kind: MarkRoute, On: m.refer(on), Value: path, To: handlerOf(args[len(args)-1]), Words: []string{strings.ToUpper(verb)}})
		}
		return
	}
}

// last is the last named child.
func (n Node) last() Node {
	if parts := named(n); len(parts) > 0 {
		return parts[len(parts)-1]
	}
	return n
}

// scriptMount marks what is mounted: every name among the arguments may be a router.
func (m *marking) scriptMount(n Node, on string, args []Node) {
	prefix := ""
	if len(args) > 0 {
		if s, ok := scriptPath(args[0]); ok {
			prefix, args = s, args[1:]
		}
	}
	for _, a := range args {
		module := required(a)
		if inner := named(a); module == "" && a.Kind() == "call_expression" && len(inner) > 0 && (required(inner[0]) != "" || inner[0].Kind() == "member_expression") {
			module, a = required(inner[0]), inner[0] // require("./x")(y), or router.routes()
			if a.Kind() == "member_expression" && module == "" {
				a = firstOf(a)
			}
		}
		x := Mark{Kind: MarkMount, On: m.refer(on), Value: prefix, To: dotted(a)}
		if module != "" {
			x.To = "require " + module
		}
		if x.To != "" {
			m.refer(x.To)
			m.add(a, x)
		}
	}
}

// isParameter reports whether a name is a parameter of a function around a node.
func isParameter(n Node, name string) bool {
	for p := n.Parent(); !p.IsZero(); p = p.Parent() {
		if slices.ContainsFunc(named(p.Child("formal_parameters")), func(c Node) bool {
			return c.Text() == name || c.Child("identifier").Text() == name
		}) || p.Kind() == "arrow_function" && p.Child("identifier").Text() == name {
			return true
		}
	}
	return false
}
