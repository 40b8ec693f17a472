package js

import (
	_ "embed"
	"slices"
	"strings"
	"sync"

	"caselsp/agent/ecma"
	"caselsp/agent/syntax"
	"caselsp/agent/validate"
	"caselsp/store/lazyregexp"
)

// scopeRules are about names: what declares them, and who uses them.
var scopeRules = validate.Authored([]validate.Rule{{
	ID: "js-unused-variable", Title: "Unused variable, function or import", Severity: validate.Warning, Category: validate.Scripts,
	Aliases: validate.Aliases{validate.ESLint: {"no-unused-vars"}, validate.Biome: {"noUnusedVariables", "noUnusedImports"}},
	Doc: "Usually left over from an edit, or misspelt elsewhere. A variable that is only written, or used only to update itself (`n = n + 1`), counts as unused. These pass: " +
		"names that begin with `_`, exports, all but the last item of an array pattern, names excluded from a rest (`{ a, ...rest }`), and names that other scripts of the " +
		"page may use.",
	File: "app.js", Bad: "import { format } from \"./date.js\";\nexport const year = 2024;\n", Good: "import { format } from \"./date.js\";\nexport const year = format(\"2024\");\n",
	Check: validate.EachScript(checkUnused),
}, {
	ID: "js-unused-parameter", Title: "Unused parameter", Severity: validate.Info, Category: validate.Scripts,
	Aliases: validate.Aliases{validate.ESLint: {"no-unused-vars"}, validate.Biome: {"noUnusedFunctionParameters"}},
	Doc: "Reported are parameters after the last one that is used, and caught errors that are not looked at. Names that begin with `_`, callbacks, methods, and functions that " +
		"are exported or stored pass, since somebody else decides how they are called.",
	File: "app.js", Bad: "function area(width, height, unit) { return width * height; }\nshow(area(2, 3));\n", Good: "function area(width, height) { return width * height; }\nshow(area(2, 3));\nlist.map((item, index) => 1);\n",
	Check: validate.EachScript(checkParameters),
}, {
	ID: "js-dead-store", Title: "Dead store: the value is overwritten before it is read", Severity: validate.Warning, Category: validate.Scripts,
	Aliases: validate.Aliases{validate.ESLint: {"no-useless-assignment", "sonarjs/no-dead-store"}},
	Doc: "Usually one of the two names is a mistake, or a condition between them was lost. Reported if both are in one list of statements and nothing in between reads the " +
		"variable or leaves the list. An initial value that only shows the type (`let list = []`) passes.",
	File: "app.js", Bad: "function size(box) {\n  let n = box.width();\n  n = box.height();\n  return n;\n}\n", Good: "function size(box) {\n  let n = 0;\n  n = box.width();\n  if (box.tall) n = box.height();\n  return n;\n}\n",
	Check: validate.EachScript(checkDeadStores),
}, {
	ID: "js-const-assignment", Title: "Assignment to a constant", Severity: validate.Warning, Category: validate.Scripts,
	Aliases: validate.Aliases{validate.ESLint: {"no-const-assign", "no-import-assign"}, validate.Biome: {"noConstAssign"}},
	Doc:     "Assigning to a `const`, an import or a member of an imported namespace throws a TypeError. Declare it with `let`.",
	File:    "app.js", Bad: "const tries = 0;\nfunction again() { tries += 1; }\n", Good: "let tries = 0;\nfunction again() { tries += 1; }\n",
	Check: validate.EachScript(checkConstants),
}, {
	ID: "js-reassigned-name", Title: "Assignment to a function, a class or a caught error", Severity: validate.Warning, Category: validate.Scripts,
	Aliases: validate.Aliases{validate.ESLint: {"no-func-assign", "no-class-assign", "no-ex-assign"}},
	Doc:     "Usually another variable was meant, or `==`. A function that replaces itself on its first call passes.",
	File:    "app.js", Bad: "function total(list) { total = 0; for (const x of list) total += x; return total; }\n", Good: "function total(list) { let sum = 0; for (const x of list) sum += x; return sum; }\n",
	Check: validate.EachScript(checkReassigned),
}, {
	ID: "js-global-assignment", Title: "Assignment to a built-in name", Severity: validate.Warning, Category: validate.Scripts,
	Aliases: validate.Aliases{validate.ESLint: {"no-global-assign"}, validate.Biome: {"noGlobalAssign"}},
	Doc:     "After `Object = …` or `undefined = …` nothing works as expected, or the assignment throws.",
	File:    "app.js", Bad: "function clear(box) { Object = {}; return box; }\n", Good: "function clear(box) { box.value = undefined; }\n",
	Check: validate.EachScript(checkGlobals),
}, {
	ID: "js-undeclared-assignment", Title: "Assignment to an undeclared variable", Severity: validate.Warning, Category: validate.Scripts,
	Aliases: validate.Aliases{validate.ESLint: {"no-undef"}},
	Doc: "In a module, and under `\"use strict\"`, it throws a ReferenceError; usually the name is misspelt or a `const` is missing. Names of browsers, and those in a `/* " +
		"global … */` comment, pass.",
	File: "app.js", Bad: "export function total(list) {\n  sum = 0;\n  for (const x of list) sum += x;\n  return sum;\n}\n", Good: "export function total(list) {\n  let sum = 0;\n  for (const x of list) sum += x;\n  return sum;\n}\n",
	Check: validate.EachScript(checkUndeclared),
}, {
	ID: "js-undefined-name", Title: "Undefined name", Severity: validate.Warning, Category: validate.Scripts,
	Aliases: validate.Aliases{validate.ESLint: {"no-undef"}, validate.Biome: {"noUndeclaredVariables"}},
	Doc: "Reading it throws a ReferenceError. Checked in modules, which do not see the names of other files. If a module uses `require`, or the name begins with a capital, it " +
		"is reported only if it resembles a known name, since other scripts may define it. The names of the language, of browsers, Node.js, test runners and well-known " +
		"libraries pass, and so do names that the file tests with `typeof`, names in a `/* global … */` comment, and names in capitals, which build tools replace.",
	File: "app.js", Bad: "import { load } from \"./load.js\";\nexport const size = laod(\"a\").size + load(\"b\").size;\n", Good: "import { load } from \"./load.js\";\nexport const size = load(\"a\").size + window.innerWidth;\n",
	Check: validate.EachScript(checkUndefined),
}, {
	ID: "js-duplicate-parameter", Title: "Duplicate parameter name", Severity: validate.Warning, Category: validate.Scripts,
	Aliases: validate.Aliases{validate.ESLint: {"no-dupe-args"}, validate.Biome: {"noDuplicateParameters"}},
	Doc:     "The function sees only the last one. In strict mode it is a syntax error.",
	File:    "app.js", Bad: "function move(x, y, x) { return x + y; }\n", Good: "function move(x, y, z) { return x + y + z; }\n",
	Check: validate.EachScript(func(p *validate.Pass, c *validate.Code) {
		for _, s := range c.Scopes().All {
			for _, v := range s.Vars {
				for i, d := range v.Defs {
					if i > 0 && d.Kind == "parameter" && v.Defs[i-1].Kind == "parameter" && v.Defs[i-1].By == d.By && v.Name != "_" && v.Name != "this" {
						reportAt(p, c, d.Name, "The function has another parameter %s, which this one shadows.", v.Name)
					}
				}
			}
		}
	}),
}, {
	ID: "js-redeclared-name", Title: "Redeclared name", Severity: validate.Warning, Category: validate.Scripts,
	Aliases: validate.Aliases{validate.ESLint: {"no-redeclare", "no-func-assign"}, validate.Biome: {"noRedeclare"}},
	Doc: "Of two functions with the same name only the last is ever called, and a variable with the name of a parameter overwrites it. A `var` declared again in another " +
		"branch or loop, as in older code, passes, and so do overloads.",
	File: "app.js", Bad: "function load() { return 1; }\nfunction load() { return 2; }\n", Good: "function load() { return 1; }\nvar i = 0;\nfor (var i = 1; i < 3; i++) load();\n",
	Check: validate.EachScript(checkRedeclared),
}, {
	ID: "js-shadowed-builtin", Title: "Shadowed built-in value (undefined, NaN, arguments ...)", Severity: validate.Warning, Category: validate.Scripts,
	Aliases: validate.Aliases{validate.ESLint: {"no-shadow-restricted-names"}, validate.Biome: {"noShadowRestrictedNames"}},
	Doc:     "Readers of `undefined`, `NaN`, `Infinity`, `eval` or `arguments` expect the built-in value. A parameter `undefined` that no caller passes is accepted.",
	File:    "app.js", Bad: "function read(text) { var NaN = parse(text); return NaN; }\n", Good: "function read(text) { var number = parse(text); return number; }\n",
	Check: validate.EachScript(func(p *validate.Pass, c *validate.Code) {
		for _, s := range c.Scopes().All {
			for _, v := range s.Vars {
				if d := v.Defs[0]; hiddenNames[v.Name] && d.Kind != "type" && !(v.Name == "undefined" && !written(v) && (d.Kind == "parameter" || d.Kind == "var")) {
					reportAt(p, c, d.Name, "This shadows the built-in %s: choose another name.", v.Name)
				}
			}
		}
	}),
}, {
	ID: "js-placeholder-in-string", Title: "Template placeholder in an ordinary string", Severity: validate.Warning, Category: validate.Scripts,
	Aliases: validate.Aliases{validate.ESLint: {"no-template-curly-in-string"}, validate.Biome: {"noTemplateCurlyInString"}},
	Doc:     "`\"Hello ${name}\"` keeps the dollar sign and the braces: only template literals, in backticks, replace them. Reported if the name is defined in the file.",
	File:    "app.js", Bad: "const name = \"Ada\";\nshow(\"Hello ${name}\");\n", Good: "const name = \"Ada\";\nshow(`Hello ${name}`);\n",
	Check: validate.EachScript(checkPlaceholders),
}})

var hiddenNames = syntax.WordSet("undefined NaN Infinity eval arguments globalThis")

// reportAt reports at a name of a program, unless a template writes it.
func reportAt(p *validate.Pass, c *validate.Code, n syntax.Node, form string, args ...any) {
	if start, end := c.Span(n); p.Written(start, end) {
		p.Report(start, end, form, args...)
	}
}

// written reports whether anything but its declaration gives a variable a value.
func written(v *ecma.Variable) bool {
	return slices.ContainsFunc(v.Refs, func(r *ecma.Reference) bool { return r.Write })
}

// usedRemark finds the names that comments for linters speak of.
var usedRemark = lazyregexp.New(`^/[/*]\s*(?:global|globals|exported|eslint-disable\S*|@ts-\S+|@jsx\S*)\b([^*]*)`)

// saysUsed reports whether a comment for linters names a name.
func saysUsed(c *validate.Code, name string) bool {
	for _, n := range c.Nodes("comment") {
		if m := usedRemark.FindStringSubmatch(n.Text()); m != nil && slices.Contains(strings.FieldsFunc(m[1], func(r rune) bool { return strings.ContainsRune(" ,:\t\n", r) }), name) {
			return true
		}
	}
	return false
}

func checkConstants(p *validate.Pass, c *validate.Code) {
	s := c.Scopes()
	for _, at := range s.All {
		for _, v := range at.Vars {
			d := v.Defs[0]
			if d.Kind != "const" && d.Kind != "import" || len(v.Defs) > 1 {
				continue
			}
			what := "constant"
			if d.Kind == "import" {
				what = "import"
			}
			for _, r := range v.Refs {
				if r.Write && (!r.Init || r.By != d.By) {
					reportAt(p, c, r.Name, "%s is a%s %s: assigning to it throws. Declare it with let.", v.Name, article(what), what)
				}
				if ecma.Is(d.By, "namespace_import") && changesMember(s, r.Name) {
					reportAt(p, c, r.Name, "%s is an imported namespace: its members cannot be changed.", v.Name)
				}
			}
		}
	}
}

// changesMember reports whether a member of what a name names is assigned to,
// deleted or defined.
func changesMember(s *ecma.Scopes, name syntax.Node) bool {
	m := name.Parent()
	if ecma.Is(m, "arguments") {
		call := m.Parent()
		object, method := ecma.Method(call)
		changes := s.Global(object, "Object") && syntax.HasWord("assign defineProperty defineProperties freeze setPrototypeOf", method) ||
			s.Global(object, "Reflect") && syntax.HasWord("defineProperty deleteProperty set setPrototypeOf", method)
		return changes && ecma.Part(m, 0) == name
	}
	if !ecma.Is(m, "member_expression", "subscript_expression") || ecma.Part(m, 0) != name {
		return false
	}
	for x, by := m, m.Parent(); !by.IsZero(); x, by = by, by.Parent() {
		switch by.Kind() {
		case "assignment_expression", "augmented_assignment_expression", "for_in_statement", "assignment_pattern":
			return ecma.Part(by, 0) == x
		case "update_expression":
			return true
		case "unary_expression":
			return ecma.Operator(by) == "delete"
		case "parenthesized_expression", "array_pattern", "object_pattern", "rest_pattern":
		case "pair_pattern":
			if ecma.Part(by, -1) != x {
				return false
			}
		default:
			return false
		}
	}
	return false
}

func article(word string) string {
	if strings.ContainsRune("aeiou", rune(word[0])) {
		return "n"
	}
	return ""
}

func checkReassigned(p *validate.Pass, c *validate.Code) {
	for _, at := range c.Scopes().All {
		for _, v := range at.Vars {
			d := v.Defs[0]
			what := map[string]string{"function": "function", "class": "class", "catch": "caught error", "name": "function"}[d.Kind]
			if what == "" || len(v.Defs) > 1 {
				continue
			}
			for _, r := range v.Refs {
				if !r.Write || d.Kind == "function" && replaced(r, d) {
					continue
				}
				reportAt(p, c, r.Name, "%s is the name of a %s: did you mean another variable, or to compare?", v.Name, what)
			}
		}
	}
}

// replaced reports whether an assignment to a function's name puts another
// function there, as one does that decides on its first call.
func replaced(r *ecma.Reference, d ecma.Definition) bool {
	v := ecma.Bare(r.Value)
	made := ecma.Is(v, "function", "function_expression", "arrow_function")
	return made || within(r.Name, d.By) && ecma.Is(v, "call_expression", "member_expression", "ternary_expression", "binary_expression")
}

// builtins are the language's own names, and others all that a program need not declare.
var jsNames = sync.OnceValue(func() (n struct{ builtins, others map[string]bool }) {
	own, others, _ := strings.Cut(jsNamesText, "# others\n")
	_, own, _ = strings.Cut(own, "\"others\"")
	_, own, _ = strings.Cut(own, "\n")
	_, own, _ = strings.Cut(own, "\n")
	n.builtins, n.others = syntax.WordSet(own), syntax.WordSet(others)
	return n
})

//go:embed names.txt
var jsNamesText string

func checkGlobals(p *validate.Pass, c *validate.Code) {
	s := c.Scopes()
	for _, r := range s.Free {
		if name := r.Name.Text(); r.Write && jsNames().builtins[name] && !saysUsed(c, name) && !polyfills(r) {
			reportAt(p, c, r.Name, "%s is a built-in name: choose another name.", name)
		}
	}
}

// polyfills reports whether an assignment brings a name to browsers that do
// not have it: Promise = Promise || ….
func polyfills(r *ecma.Reference) bool {
	for x := r.By; !x.IsZero(); x = x.Parent() {
		if ecma.Is(x, "if_statement", "binary_expression") && strings.Contains(ecma.Part(x, 0).Text(), r.Name.Text()) {
			return true
		}
	}
	return !r.Value.IsZero() && strings.Contains(r.Value.Text(), r.Name.Text())
}

// pageNames are names that browsers and modules of Node have anyway.
var pageNames = syntax.WordSet("location name status document window self globalThis global module exports opener event parent top history screen origin length closed undefined NaN $ jQuery process")

func checkUndeclared(p *validate.Pass, c *validate.Code) {
	s := c.Scopes()
	if c.Lang != syntax.JavaScript || !s.Strict || s.Dynamic {
		return // compilers of TypeScript say so
	}
	for _, r := range s.Free {
		name := r.Name.Text()
		if !r.Write || pageNames[name] || jsNames().builtins[name] || strings.HasPrefix(name, "on") || saysUsed(c, name) {
			continue
		}
		reportAt(p, c, r.Name, "%s is not declared: this throws in strict mode. Declare it with let or const.", name)
	}
}

// strangers is how many different names a file may have that are declared
// nowhere; where there are more, it is a part of something larger.
const strangers = 4

func checkUndefined(p *validate.Pass, c *validate.Code) {
	s := c.Scopes()
	if c.Lang != syntax.JavaScript || !s.Module || s.Dynamic || c.Owner != nil {
		return
	}
	k := jsNames()
	asked, unknown, names := map[string]bool{}, []*ecma.Reference{}, map[string]bool{}
	for _, r := range s.Free {
		name := r.Name.Text()
		if ecma.Is(r.Name.Parent(), "unary_expression") && ecma.Operator(r.Name.Parent()) == "typeof" || name == "define" {
			asked[name] = true
		}
	}
	for _, r := range s.Free {
		name := r.Name.Text()
		if !r.Read || k.builtins[name] || k.others[name] || asked[name] || name == "arguments" || name == strings.ToUpper(name) || strings.HasPrefix(name, "_") || saysUsed(c, name) {
			continue
		}
		unknown = append(unknown, r)
		names[name] = true
	}
	if len(names) > strangers || asked["define"] {
		return
	}
	for _, r := range unknown {
		name := r.Name.Text()
		guess := syntax.DidYouMean(name, func(n string) bool { return visible(s, r, n) })
		if guess == "" && (!s.Strict || name[0] < 'a') {
			continue // a script beside it may well bring the name
		}
		reportAt(p, c, r.Name, "%s is not declared: reading it throws.%s", name, guess)
	}
}

// visible reports whether a name could stand in the place of a reference.
func visible(s *ecma.Scopes, r *ecma.Reference, name string) bool {
	return r.Scope.Find(name) != nil || jsNames().builtins[name]
}

func checkRedeclared(p *validate.Pass, c *validate.Code) {
	s := c.Scopes()
	for _, at := range s.All {
		for _, v := range at.Vars {
			if c.Lang != syntax.JavaScript || len(v.Defs) < 2 {
				continue
			}
			for i, d := range v.Defs[1:] {
				first := v.Defs[i]
				twice := d.Kind == "function" && first.Kind == "function" && d.By.Parent() == first.By.Parent()
				over := first.Kind == "parameter" && d.Kind == "function" || first.Kind == "function" && d.Kind == "var" && ecma.HasKeyword(d.By, "=") && d.By.Parent().Parent() == first.By.Parent()
				if twice || over {
					reportAt(p, c, d.Name, "%s is already declared on line %d, as a %s: only one of the two counts.", v.Name, line(c, p, first.Name), first.Kind)
				}
			}
		}
	}
}

// line is the line of a node in its file, from 1.
func line(c *validate.Code, p *validate.Pass, n syntax.Node) int {
	start, _ := c.Span(n)
	return p.Tree.Position(start).Line + 1
}

// mistakes is how many strings of one file may want for backticks; where there
// are more, they are no mistake.
const mistakes = 2

var placeholder = lazyregexp.New(`\$\{\s*([A-Za-z_$][\w$]*)(?:\.[\w$]+)*\s*\}`)

func checkPlaceholders(p *validate.Pass, c *validate.Code) {
	var found []syntax.Node
	for _, n := range c.Nodes("string") {
		if strings.Contains(n.Text(), "${") && placeholder.MatchString(n.Text()) {
			found = append(found, n)
		}
	}
	if len(found) > mistakes {
		return // a library of templates fills them
	}
	for _, n := range found {
		m := placeholder.FindStringSubmatch(n.Text())
		object, name := ecma.Method(n.Parent().Parent())
		if !declares(c.Scopes(), m[1]) || !object.IsZero() && (name == "replace" || name == "replaceAll" || name == "split") {
			continue
		}
		reportAt(p, c, n, "Only template literals replace %s: put the string in backticks.", m[0])
	}
}

// declares reports whether any scope of the program declares a name.
func declares(s *ecma.Scopes, name string) bool {
	return slices.ContainsFunc(s.All, func(at *ecma.Scope) bool { return at.ByName[name] != nil })
}
