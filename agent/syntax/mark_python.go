package syntax

import (
	"slices"
	"strings"
)

// python marks what Django, Flask, FastAPI and the mappers of Python read.
func (m *marking) python() {
	for _, n := range m.t.Nodes("class_definition") {
		m.pythonClass(n)
	}
	for _, kind := range []string{"assignment", "augmented_assignment"} {
		for _, n := range m.t.Nodes(kind) {
			if parts := named(n); len(parts) >= 2 && parts[0].Kind() == "identifier" {
				m.pythonAssigned(n, parts[0].Text(), parts[len(parts)-1])
			}
		}
	}
	for _, n := range m.t.Nodes("decorated_definition") {
		m.pythonDecorated(n)
	}
	for _, n := range m.t.Nodes("call") {
		m.pythonCall(n)
	}
	m.pythonImports()
}

func (m *marking) pythonImports() {
	for _, n := range m.t.Nodes("import_from_statement") {
		module := ""
		for i, c := range named(n) {
			switch {
			case i == 0:
				module = c.Text()
			case c.Kind() == "wildcard_import":
				m.add(c, Mark{Kind: MarkStar, Value: module})
			default:
				m.pythonImported(c, module+dotBefore(module))
			}
		}
	}
	for _, n := range m.t.Nodes("import_statement") {
		for _, c := range named(n) {
			m.pythonImported(c, "")
		}
	}
}

// dotBefore is what stands between a module and a name in it: nothing behind the dots of a package.
func dotBefore(module string) string {
	if strings.HasSuffix(module, ".") {
		return ""
	}
	return "."
}

// pythonImported marks one name of an import.
func (m *marking) pythonImported(n Node, from string) {
	switch n.Kind() {
	case "dotted_name":
		name := n.Text()
		if from == "" {
			name, _, _ = strings.Cut(name, ".")
			m.add(n, Mark{Kind: MarkImport, Name: name, Value: name})
			return
		}
		m.add(n, Mark{Kind: MarkImport, Name: name, Value: from + name})
	case "aliased_import":
		if parts := named(n); len(parts) == 2 {
			m.add(n, Mark{Kind: MarkImport, Name: parts[1].Text(), Value: from + parts[0].Text()})
		}
	}
}

// pythonClass marks a class that has bases, with what its Meta and its body say of it.
func (m *marking) pythonClass(n Node) {
	x := Mark{Kind: MarkClass, Name: n.Child("identifier").Text(), Args: map[string]string{}}
	for _, c := range named(n.Child("argument_list")) {
		if c.Kind() == "subscript" { // of a generic class
			c = c.Child("identifier", "attribute")
		}
		if base := dotted(c); base != "" {
			x.Words = append(x.Words, m.refer(base))
		}
		if c.Kind() == "keyword_argument" {
			keyword(x.Args, c)
		}
	}
	if len(x.Words) == 0 || below(n, "function_definition") {
		return
	}
	for _, s := range named(n.Child("block")) {
		switch {
		case s.Kind() == "class_definition" && s.Child("identifier").Text() == "Meta":
			for _, inner := range named(s.Child("block")) {
				assigned(x.Args, inner)
			}
		case s.Kind() == "expression_statement":
			assigned(x.Args, s)
		}
	}
	for name := range x.Args {
		if !classArgs[name] {
			delete(x.Args, name)
		}
	}
	m.add(n, x)
}

// classArgs are what is kept of the body of a class, of its Meta and of its keywords.
var classArgs = nameSet("abstract proxy app_label __tablename__ __abstract__ table name label")

// assigned adds a name that a statement gives a string or a truth value.
func assigned(args map[string]string, statement Node) {
	n := statement.Child("assignment")
	if parts := named(n); len(parts) >= 2 && parts[0].Kind() == "identifier" {
		if value := literal(parts[len(parts)-1]); value != "" {
			args[parts[0].Text()] = value
		}
	}
}

// keyword adds a keyword argument whose value is a string or a truth value.
func keyword(args map[string]string, n Node) {
	if parts := named(n); len(parts) == 2 {
		if value := literal(parts[1]); value != "" {
			args[parts[0].Text()] = value
		}
	}
}

// literal is the value of a string or of True; "" for others.
func literal(n Node) string {
	if s, ok := pythonString(n); ok {
		return s
	}
	if n.Kind() == "true" {
		return "True"
	}
	return ""
}

// pythonString is the value of a string as far as paths and names of modules need it: escapes stay.
func pythonString(n Node) (string, bool) {
	switch n.Kind() {
	case "concatenated_string":
		all := ""
		for _, c := range named(n) {
			s, ok := pythonString(c)
			if !ok {
				return "", false
			}
			all += s
		}
		return all, true
	case "string":
		text := strings.TrimLeft(n.Text(), "rRbBuUfF")
		for _, q := range []string{`"""`, `'''`, `"`, `'`} {
			if strings.HasPrefix(text, q) && strings.HasSuffix(text, q) && len(text) >= 2*len(q) && len(text) <= maxSignature {
				return text[len(q) : len(text)-len(q)], true
			}
		}
	}
	return "", false
}

// pythonAssigned marks what a variable is given.
func (m *marking) pythonAssigned(n Node, name string, value Node) {
	call := value
	if value.Kind() == "await" {
		call = value.Child("call")
	}
	if call.Kind() == "call" && !below(n, "class_definition") {
		if callee := dotted(firstOf(call)); callee != "" {
			x := Mark{Kind: MarkMade, Name: name, Value: callee, Args: map[string]string{}}
			for _, a := range named(call.Child("argument_list")) {
				if a.Kind() == "keyword_argument" {
					keyword(x.Args, a)
				}
			}
			m.add(n, x)
			if !below(n, "function_definition") {
				m.used[name] = true // by other modules
			}
		}
	}
	if below(n, "class_definition", "function_definition", "lambda") {
		return
	}
	if s, ok := pythonString(value); ok && name == "ROOT_URLCONF" {
		m.add(n, Mark{Kind: MarkSetting, Name: name, Value: s})
		return
	}
	if strings.HasSuffix(name, appsSuffix) {
		m.items(name, value, 0)
	}
	m.urls(name, "", value, 0)
}

// appsSuffix ends the names of lists of apps: INSTALLED_APPS, and those that it is put together from.
const appsSuffix = "APPS"

// items marks the strings and names of a list, and of sums of lists.
func (m *marking) items(list string, value Node, depth int) {
	if depth > maxFactDepth {
		return
	}
	switch value.Kind() {
	case "list", "tuple", "set", "binary_operator", "parenthesized_expression", "list_splat", "call", "argument_list", "conditional_expression", "expression_list":
		for _, c := range named(value) {
			m.items(list, c, depth+1)
		}
	case "identifier", "attribute":
		if ref := dotted(value); strings.HasSuffix(ref, appsSuffix) && ref != list {
			m.add(value, Mark{Kind: MarkItem, On: list, To: m.refer(ref)})
		}
	default:
		if s, ok := pythonString(value); ok {
			m.add(value, Mark{Kind: MarkItem, On: list, Value: s})
		}
	}
}

// patterns are the functions that make an entry of a list of URLs.
var patterns = nameSet("path re_path url")

// urls marks the entries of a list of URLs. prefix is that of the lists around.
func (m *marking) urls(list, prefix string, value Node, depth int) {
	if depth > maxFactDepth {
		return
	}
	switch value.Kind() {
	case "identifier", "attribute": // another list, of which all entries are taken in
		if ref := dotted(value); ref != list && (strings.HasSuffix(ref, "urls") || strings.HasSuffix(ref, "patterns")) {
			m.add(value, Mark{Kind: MarkURL, On: list, Value: prefix, Args: map[string]string{"include": m.refer(ref)}})
		}
	case "call":
		callee, args := dotted(firstOf(value)), named(value.Child("argument_list"))
		if patterns[lastName(callee)] && len(args) >= 2 {
			m.url(list, prefix, value, args, depth)
			return
		}
		for _, a := range args { // such as i18n_patterns(...)
			if a.Kind() == "call" || a.Kind() == "list" {
				m.urls(list, prefix, a, depth+1)
			}
		}
	case "list", "tuple", "binary_operator", "parenthesized_expression", "list_splat":
		for _, c := range named(value) {
			m.urls(list, prefix, c, depth+1)
		}
	}
}

// lastName is the part of a name behind its last dot.
func lastName(s string) string { return s[strings.LastIndexByte(s, '.')+1:] }

// url marks one entry.
func (m *marking) url(list, prefix string, n Node, args []Node, depth int) {
	pattern, ok := pythonString(args[0])
	if !ok {
		if args[0].Kind() != "call" || len(named(args[0].Child("argument_list"))) != 1 {
			return
		}
		if pattern, ok = pythonString(firstOf(args[0].Child("argument_list"))); !ok { // a translated one
			return
		}
	}
	x := Mark{Kind: MarkURL, On: list, Value: prefix + strings.TrimSuffix(strings.TrimPrefix(pattern, "^"), "$"), Args: map[string]string{}}
	for _, a := range args[2:] {
		if a.Kind() == "keyword_argument" {
			keyword(x.Args, a)
		}
	}
	for name := range x.Args {
		if name != "name" {
			delete(x.Args, name)
		}
	}
	view := args[1]
	if view.Kind() == "keyword_argument" {
		view = view.last()
	}
	if view.Kind() == "call" && lastName(dotted(firstOf(view))) == "include" {
		target := Node{}
		if inner := named(view.Child("argument_list")); len(inner) > 0 {
			target = inner[0]
		}
		if target.Kind() == "tuple" && len(named(target)) > 0 { // with a namespace
			target = firstOf(target)
		}
		if target.Kind() == "list" {
			m.urls(list, x.Value, target, depth+1)
			return
		}
		if module, ok := pythonString(target); ok {
			x.Args["module"] = module
		} else {
			x.Args["include"] = m.refer(expression(target))
		}
		m.add(n, x)
		return
	}
	x.To = viewOf(view)
	m.add(n, x)
}

// viewOf names a view: a class by its name.
func viewOf(n Node) string {
	if n.Kind() == "call" {
		if f := firstOf(n); f.Kind() == "attribute" && lastName(f.Text()) == "as_view" {
			return expression(firstOf(f))
		}
	}
	return expression(n)
}

// methods are the names of functions that add a route for one method of HTTP.
var methods = nameSet("get post put patch delete head options all websocket")

// pythonDecorated marks a function that answers requests.
func (m *marking) pythonDecorated(n Node) {
	f := n.Child("function_definition", "class_definition")
	for c := range n.Children() {
		call := c.Child("call")
		if c.Kind() != "decorator" || call.IsZero() {
			continue
		}
		callee, args := dotted(firstOf(call)), named(call.Child("argument_list"))
		on, verb := cutLast(callee)
		if on == "" || len(args) == 0 || verb != "route" && verb != "api_route" && !methods[verb] {
			continue
		}
		path, ok := pythonString(args[0])
		if !ok || path != "" && path[0] != '/' {
			continue
		}
		x := Mark{Kind: MarkRoute, On: m.refer(on), Value: path, To: f.Child("identifier").Text(), Words: pythonMethods(args)}
		if methods[verb] {
			x.Words = []string{strings.ToUpper(verb)}
		}
		m.add(call, x)
	}
}

// cutLast parts a name at its last dot.
func cutLast(s string) (before, last string) {
	if i := strings.LastIndexByte(s, '.'); i >= 0 {
		return s[:i], s[i+1:]
	}
	return "", s
}

// pythonMethods are the methods of a route's keyword, sorted.
func pythonMethods(args []Node) (list []string) {
	for _, a := range args {
		if parts := named(a); a.Kind() == "keyword_argument" && len(parts) == 2 && parts[0].Text() == "methods" {
			for _, s := range named(parts[1]) {
				if word, ok := pythonString(s); ok {
					list = append(list, strings.ToUpper(word))
				}
			}
		}
	}
	slices.Sort(list)
	return list
}

// pythonCall marks calls that add a route, a router, an app or an entry of a list.
func (m *marking) pythonCall(n Node) {
	on, verb := cutLast(dotted(firstOf(n)))
	args := named(n.Child("argument_list"))
	if on == "" || len(args) == 0 {
		return
	}
	words := map[string]string{}
	var plain []Node
	for _, a := range args {
		if a.Kind() == "keyword_argument" {
			keyword(words, a)
			continue
		}
		plain = append(plain, a)
	}
	switch verb {
	case "append", "extend", "insert":
		if value := args[len(args)-1]; !below(n, "function_definition", "class_definition") {
			if strings.HasSuffix(on, appsSuffix) {
				m.items(on, value, 0)
			}
			m.urls(on, "", value, 0)
		}
	case "register_blueprint", "include_router", "mount":
		x := Mark{Kind: MarkMount, On: m.refer(on), Value: words["url_prefix"] + words["prefix"]}
		if verb == "mount" && len(plain) > 1 {
			x.Value, _ = pythonString(plain[0])
			plain = plain[1:]
		}
		if len(plain) > 0 {
			if x.To = dotted(plain[0]); x.To != "" {
				m.refer(x.To)
				m.add(n, x)
			}
		}
	case "add_url_rule", "add_api_route", "register":
		m.pythonAdded(n, on, verb, plain, args)
	}
}

// pythonAdded marks a call that adds a route.
func (m *marking) pythonAdded(n Node, on, verb string, plain, args []Node) {
	if len(plain) == 0 {
		return
	}
	path, ok := pythonString(plain[0])
	if !ok || verb == "register" && len(plain) < 2 {
		return
	}
	x := Mark{Kind: MarkRoute, On: m.refer(on), Value: path, Words: pythonMethods(args)}
	if verb == "register" { // of a router of Django's REST framework
		x.Args = map[string]string{"views": "True"}
		x.Value = strings.TrimPrefix(path, "^")
	}
	if len(plain) > 1 {
		x.To = viewOf(plain[len(plain)-1])
	}
	for _, a := range args {
		if p := named(a); a.Kind() == "keyword_argument" && len(p) == 2 && p[0].Text() == "view_func" {
			x.To = viewOf(p[1])
		}
	}
	m.add(n, x)
}
