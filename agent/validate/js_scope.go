package validate

import (
	"regexp"
	"slices"
	"strings"

	"caselsp/agent/syntax"
)

// names is what a program says of its names, without their scopes: a rule that
// must be sure takes only names that are declared once.
type names struct {
	declared map[string][]syntax.Node // the nodes that introduce a name
	uses     map[string]int           // how often it stands anywhere, its declarations included
	module   bool                     // it has a scope of its own
	strict   bool
}

// nameKinds are the nodes that are names of variables, types or parts of JSX.
var nameKinds = []string{"identifier", "shorthand_property_identifier", "shorthand_property_identifier_pattern", "type_identifier", "jsx_identifier", "namespace_identifier"}

func namesOf(c *Code) *names {
	s := &names{declared: map[string][]syntax.Node{}, uses: map[string]int{}}
	for _, n := range c.Nodes(nameKinds...) {
		s.uses[n.Text()]++
	}
	for _, n := range c.Nodes("variable_declarator", "function_declaration", "generator_function_declaration", "class_declaration", "function_expression", "function", "generator_function", "class",
		"enum_declaration", "namespace_import", "import_clause", "catch_clause", "for_in_statement", "arrow_function", "internal_module", "abstract_class_declaration") {
		s.introduce(part(n, 0), n)
	}
	for _, n := range c.Nodes("import_specifier") {
		s.introduce(part(n, -1), n)
	}
	for _, n := range c.Nodes("formal_parameters") {
		for _, x := range parts(n) {
			if is(x, "required_parameter", "optional_parameter") {
				x = part(x, 0)
			}
			s.introduce(x, n)
		}
	}
	s.module = len(c.Nodes("import_statement", "export_statement")) > 0 || s.uses["require"] > 0 && s.uses["require"] > len(s.declared["require"]) || s.uses["module"] > 0 && s.uses["exports"] > 0
	if c.Owner != nil {
		kind, _ := c.Owner.Get("type")
		s.module = strings.EqualFold(strings.TrimSpace(kind), "module")
	}
	first := part(c.Tree.Root(), 0)
	s.strict = s.module && len(c.Nodes("import_statement", "export_statement")) > 0 || is(first, "expression_statement") && strings.Trim(first.Text(), `"';`) == "use strict"
	return s
}

// introduce notes the names in a pattern.
func (s *names) introduce(pattern, by syntax.Node) {
	if pattern.IsZero() {
		return
	}
	switch pattern.Kind() {
	case "identifier", "shorthand_property_identifier_pattern", "type_identifier":
		list := s.declared[pattern.Text()]
		if len(list) == 0 || list[len(list)-1].Start().Offset != pattern.Start().Offset {
			s.declared[pattern.Text()] = append(list, pattern)
		}
	case "object_pattern", "array_pattern", "rest_pattern":
		for _, x := range parts(pattern) {
			s.introduce(x, by)
		}
	case "pair_pattern":
		s.introduce(part(pattern, -1), by)
	case "assignment_pattern", "object_assignment_pattern":
		s.introduce(part(pattern, 0), by)
	}
}

// dynamic reports whether the program reaches names in ways that no reader sees.
func (s *names) dynamic(c *Code) bool {
	return s.uses["eval"] > 0 || len(c.Nodes("with_statement")) > 0
}

// jsScopeRules are about names.
var jsScopeRules = authored([]Rule{{
	ID: "js-unused-variable", Title: "A variable, a function or an import that nothing uses", Severity: Warning, Category: Scripts,
	Doc: "It is mostly what an edit left over, or a misspelt name elsewhere. Told only where the name stands nowhere else in the file. Parameters, names that begin with `_`, " +
		"what is exported, items of an array that is taken apart, names left out of a rest (`{ a, ...rest }`) and what a page's other scripts may use pass.",
	File: "app.js", Bad: "import { format } from \"./date.js\";\nexport const year = 2024;\n", Good: "import { format } from \"./date.js\";\nexport const year = format(\"2024\");\n",
	Check: scripts(checkUnused),
}, {
	ID: "js-const-assignment", Title: "A constant that is assigned to", Severity: Warning, Category: Scripts,
	Doc:  "Assigning to a `const`, an import or a class throws a TypeError when it runs. Declare it with `let`.",
	File: "app.js", Bad: "const tries = 0;\nfunction again() { tries += 1; }\n", Good: "let tries = 0;\nfunction again() { tries += 1; }\n",
	Check: scripts(checkConstants),
}, {
	ID: "js-undeclared-assignment", Title: "An assignment to a name that is declared nowhere", Severity: Warning, Category: Scripts,
	Doc: "In a module, and under `\"use strict\"`, it throws a ReferenceError when it runs; mostly the name is misspelt or a `const` is missing. " +
		"Browsers' own names and those in a `/* global … */` comment pass.",
	File: "app.js", Bad: "export function total(list) {\n  sum = 0;\n  for (const x of list) sum += x;\n  return sum;\n}\n", Good: "export function total(list) {\n  let sum = 0;\n  for (const x of list) sum += x;\n  return sum;\n}\n",
	Check: scripts(checkUndeclared),
}, {
	ID: "js-duplicate-parameter", Title: "Two parameters of one name", Severity: Warning, Category: Scripts,
	Doc:  "The function sees the last one only. In strict code it is a syntax error.",
	File: "app.js", Bad: "function move(x, y, x) { return x + y; }\n", Good: "function move(x, y, z) { return x + y + z; }\n",
	Check: script(func(p *Pass, c *Code, n syntax.Node) {
		seen := map[string]bool{}
		for _, x := range parts(n) {
			if is(x, "identifier") && seen[x.Text()] && x.Text() != "_" {
				p.Node(c, x, "The function has another parameter %s, which this one hides.", x.Text())
			}
			seen[x.Text()] = true
		}
	}, "formal_parameters"),
}, {
	ID: "js-placeholder-in-string", Title: "A placeholder in a string that is no template", Severity: Warning, Category: Scripts,
	Doc:  "`\"Hello ${name}\"` keeps the dollar sign and the braces: only strings in backticks fill them. Told where the name is one of the file's own.",
	File: "app.js", Bad: "const name = \"Ada\";\nshow(\"Hello ${name}\");\n", Good: "const name = \"Ada\";\nshow(`Hello ${name}`);\n",
	Check: scripts(checkPlaceholders),
}})

// unusedSkip are names that tools use without naming them: of JSX, and of frameworks' files.
var unusedSkip = words("React h Fragment jsx jsxs preact Component emit props")

func checkUnused(p *Pass, c *Code) {
	s := namesOf(c)
	if s.dynamic(c) || c.Attr != nil || strings.HasSuffix(p.Path, ".d.ts") || len(c.Nodes("decorator")) > 0 {
		return
	}
	for name, list := range s.declared {
		if len(list) != 1 || s.uses[name] != 1 || strings.HasPrefix(name, "_") || unusedSkip[name] {
			continue
		}
		what := unusedKind(s, list[0])
		if start, end := c.Span(list[0]); what != "" && p.written(start, end) && !saysUsed(c, name) {
			p.Report(start, end, "Nothing uses the %s %s: delete it, or find out where its name is misspelt.", what, name)
		}
	}
}

// unusedKind says what a declaration declares, "" where it may well be unused.
func unusedKind(s *names, n syntax.Node) string {
	by := n.Parent()
	for x := by; !x.IsZero(); x = x.Parent() {
		if is(x, "variable_declarator") && is(x.Parent().Parent(), "export_statement") || is(x, "array_pattern", "rest_pattern", "formal_parameters", "export_statement", "ambient_declaration") || is(x, "object_pattern") && !x.Child("rest_pattern").IsZero() {
			return ""
		}
		if is(x, functions...) && is(x.Parent(), "export_statement") {
			return ""
		}
		if is(x, "variable_declarator", "import_statement") || is(x, functions...) {
			break
		}
	}
	top := enclosing(n, "function_declaration", "function_expression", "function", "arrow_function", "method_definition", "generator_function", "generator_function_declaration", "class_static_block")
	if is(by, functions...) || is(by, "class_declaration") {
		top = enclosing(by, functions...)
	}
	if top.IsZero() && !s.module {
		return ""
	}
	switch {
	case !enclosing(n, "import_statement").IsZero():
		return "import"
	case is(by, "function_declaration", "generator_function_declaration"):
		return "function"
	case is(by, "class_declaration"):
		return "class"
	case is(by, "variable_declarator") || is(by, "object_pattern", "pair_pattern", "assignment_pattern", "object_assignment_pattern") && !enclosing(n, "variable_declarator").IsZero():
		if d := enclosing(n, "variable_declarator"); is(d.Parent().Parent(), "for_in_statement") || !is(part(d, 0), "identifier", "object_pattern") || !within(n, part(d, 0)) {
			return ""
		}
		return "variable"
	}
	return ""
}

func within(n, outer syntax.Node) bool {
	return n.Start().Offset >= outer.Start().Offset && n.End().Offset <= outer.End().Offset
}

// usedRemark finds the names that comments for linters speak of.
var usedRemark = regexp.MustCompile(`^/[/*]\s*(?:global|globals|exported|eslint-disable\S*|@ts-\S+|@jsx\S*)\b([^*]*)`)

// saysUsed reports whether a comment for linters names a name.
func saysUsed(c *Code, name string) bool {
	for _, n := range c.Nodes("comment") {
		if m := usedRemark.FindStringSubmatch(n.Text()); m != nil && slices.Contains(strings.FieldsFunc(m[1], func(r rune) bool { return strings.ContainsRune(" ,:\t\n", r) }), name) {
			return true
		}
	}
	return false
}

// assigned returns the names that a program assigns to, by the node of the name.
func assigned(c *Code) []syntax.Node {
	var list []syntax.Node
	for _, n := range c.Nodes("assignment_expression", "augmented_assignment_expression", "update_expression") {
		if x := part(n, 0); is(x, "identifier") {
			list = append(list, x)
		}
	}
	return list
}

func checkConstants(p *Pass, c *Code) {
	s := namesOf(c)
	for _, x := range assigned(c) {
		list := s.declared[x.Text()]
		if len(list) != 1 {
			continue
		}
		what := ""
		switch by := list[0].Parent(); {
		case is(by, "variable_declarator") && is(by.Parent(), "lexical_declaration") && word(by.Parent(), "const") && !is(by.Parent().Parent(), "for_statement"):
			what = "constant"
		case is(by, "import_specifier", "namespace_import", "import_clause"):
			what = "import"
		}
		if block := enclosing(list[0], "statement_block", "program", "switch_body"); what == "" || !within(x, block) {
			continue
		}
		if start, end := c.Span(x); p.written(start, end) {
			p.Report(start, end, "%s is a%s %s: assigning to it throws. Declare it with let.", x.Text(), article(what), what)
		}
	}
}

func article(word string) string {
	if strings.ContainsRune("aeiou", rune(word[0])) {
		return "n"
	}
	return ""
}

// pageNames are names that browsers and modules of Node have anyway.
var pageNames = words("location name status document window self globalThis global module exports opener event parent top history screen origin length closed undefined NaN $ jQuery process")

func checkUndeclared(p *Pass, c *Code) {
	if c.Lang != syntax.JavaScript {
		return // compilers of TypeScript say so
	}
	s := namesOf(c)
	if !s.strict || s.dynamic(c) {
		return
	}
	for _, x := range assigned(c) {
		name := x.Text()
		if len(s.declared[name]) > 0 || pageNames[name] || strings.HasPrefix(name, "on") || saysUsed(c, name) {
			continue
		}
		if start, end := c.Span(x); p.written(start, end) {
			p.Report(start, end, "%s is declared nowhere: this throws in strict code. Declare it with let or const.", name)
		}
	}
}

// mistakes is how many strings of one file may want for backticks; where there
// are more, they are no mistake.
const mistakes = 2

var placeholder = regexp.MustCompile(`\$\{\s*([A-Za-z_$][\w$]*)(?:\.[\w$]+)*\s*\}`)

func checkPlaceholders(p *Pass, c *Code) {
	var s *names
	var found []syntax.Node
	for _, n := range c.Nodes("string") {
		if placeholder.MatchString(n.Text()) {
			found = append(found, n)
		}
	}
	if len(found) > mistakes {
		return // a library of templates fills them
	}
	for _, n := range found {
		m := placeholder.FindStringSubmatch(n.Text())
		if s == nil {
			s = namesOf(c)
		}
		if object, name := method(n.Parent().Parent()); len(s.declared[m[1]]) == 0 || !object.IsZero() && (name == "replace" || name == "replaceAll" || name == "split") {
			continue
		}
		if start, end := c.Span(n); p.written(start, end) {
			p.Report(start, end, "Only strings in backticks fill in %s: write it between backticks.", m[0])
		}
	}
}
