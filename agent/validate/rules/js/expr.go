package js

import (
	"strconv"
	"strings"

	"caselsp/agent/ecma"
	"caselsp/agent/syntax"
	"caselsp/agent/validate"
)

// exprRules are about expressions that cannot be what was meant.
var exprRules = validate.Authored([]validate.Rule{{
	ID: "js-duplicate-key", Title: "Duplicate key in an object literal", Severity: validate.Warning, Category: validate.Scripts,
	Aliases: validate.Aliases{validate.ESLint: {"no-dupe-keys"}, validate.Biome: {"noDuplicateObjectKeys"}},
	Doc:     "The last one counts; the first is silently dropped.",
	File:    "app.js", Bad: "const o = { name: 1, size: 2, name: 3 };\n", Good: "const o = { name: 1, size: 2, get top() { return 1; }, set top(v) {} };\n",
	Check: validate.ScriptNodes(func(p *validate.Pass, c *validate.Code, n syntax.Node) { checkKeys(p, c, n, "key") }, "object"),
}, {
	ID: "js-duplicate-member", Title: "Duplicate class member", Severity: validate.Warning, Category: validate.Scripts,
	Aliases: validate.Aliases{validate.ESLint: {"no-dupe-class-members"}, validate.Biome: {"noDuplicateClassMembers"}},
	Doc:     "The last one counts, the first is dropped without a word.",
	File:    "app.js", Bad: "class A {\n  open() { return 1; }\n  open() { return 2; }\n}\n", Good: "class A {\n  open() { return 1; }\n  static open() { return 2; }\n}\n",
	Check: validate.ScriptNodes(func(p *validate.Pass, c *validate.Code, n syntax.Node) {
		checkKeys(p, c, n, "member")
	}, "class_body"),
}, {
	ID: "js-self-assign", Title: "Self-assignment", Severity: validate.Warning, Category: validate.Scripts,
	Aliases: validate.Aliases{validate.ESLint: {"no-self-assign"}, validate.Biome: {"noSelfAssign"}},
	Doc:     "It has no effect; usually one of the sides is a mistake. Properties whose setter has an effect in browsers, as in `location.href = location.href`, pass.",
	File:    "app.js", Bad: "function set(name) { name = name; }\n", Good: "function set(name) { this.name = name; location.href = location.href; }\n",
	Check: validate.ScriptNodes(checkSelfAssign, "assignment_expression"),
}, {
	ID: "js-self-compare", Title: "Comparison of a value with itself", Severity: validate.Warning, Category: validate.Scripts,
	Aliases: validate.Aliases{validate.ESLint: {"no-self-compare"}, validate.Biome: {"noSelfCompare"}},
	Doc:     "The result is always the same. To test for NaN, write `Number.isNaN(x)`; the old idioms `x !== x` and `x >= x` pass.",
	File:    "app.js", Bad: "if (a.size === a.size) { go(); }\n", Good: "if (a.size === b.size || x !== x) { go(); }\n",
	Check: validate.ScriptNodes(func(p *validate.Pass, c *validate.Code, n syntax.Node) {
		left, right := ecma.Part(n, 0), ecma.Part(n, 1)
		switch ecma.Operator(n) {
		case "==", "===", "<", ">", "<=", ">=", "!=", "!==", "&&", "||":
			op := ecma.Operator(n)
			nan := op == "!=" || op == "!==" || strings.HasSuffix(op, "=") && ecma.Is(left, "identifier")
			if !right.IsZero() && !nan && !ecma.IsLiteral(left) && ecma.IsSteady(left) && ecma.SameCode(left, right) {
				p.Node(c, n, "Both sides are the same, %s.", syntax.Clip(left.Text()))
			}
		}
	}, "binary_expression"),
}, {
	ID: "js-nan-compare", Title: "Comparison with NaN", Severity: validate.Warning, Category: validate.Scripts,
	Aliases: validate.Aliases{validate.ESLint: {"use-isnan"}, validate.Biome: {"useIsNan"}},
	Doc:     "NaN equals nothing, not even itself: the result is always the same. Write `Number.isNaN(x)`.",
	File:    "app.js", Bad: "if (n === NaN) { reset(); }\n", Good: "if (Number.isNaN(n)) { reset(); }\n",
	Check: validate.EachScript(checkNaN),
}, {
	ID: "js-negative-zero", Title: "Comparison with -0", Severity: validate.Warning, Category: validate.Scripts,
	Aliases: validate.Aliases{validate.ESLint: {"no-compare-neg-zero"}, validate.Biome: {"noCompareNegZero"}},
	Doc:     "`x === -0` is also true for 0. Write `Object.is(x, -0)`, or compare with 0.",
	File:    "app.js", Bad: "if (n === -0) { reset(); }\n", Good: "if (Object.is(n, -0) || n === 0) { reset(); }\n",
	Check: validate.ScriptNodes(func(p *validate.Pass, c *validate.Code, n syntax.Node) {
		for _, x := range ecma.Parts(n) {
			if ecma.Is(x, "unary_expression") && ecma.Operator(x) == "-" && ecma.Is(ecma.Part(x, 0), "number") && ecma.TruthOf(ecma.Part(x, 0)) == ecma.No && comparisons[ecma.Operator(n)] {
				p.Node(c, n, "This is also true for 0: write Object.is(…, -0), or compare with 0.")
			}
		}
	}, "binary_expression"),
}, {
	ID: "js-constant-operand", Title: "Operator with a constant result", Severity: validate.Warning, Category: validate.Scripts,
	Aliases: validate.Aliases{validate.ESLint: {"no-constant-binary-expression"}, validate.Biome: {"noConstantBinaryExpressions"}},
	Doc: "`a + b ?? c` uses the sum, which is never null; `x === {}` compares with a new object, which equals nothing; `!a === null` compares a boolean with null. Usually " +
		"parentheses are missing.",
	File: "app.js", Bad: "const size = options.size + 1 ?? 10;\nif (list === []) { clear(); }\n", Good: "const size = options.size + (step ?? 10);\nif (list.length === 0) { clear(); }\n",
	Check: validate.EachScript(checkOperands),
}, {
	ID: "js-boolean-cast", Title: "Redundant boolean cast", Severity: validate.Info, Category: validate.Scripts,
	Aliases: validate.Aliases{validate.ESLint: {"no-extra-boolean-cast"}, validate.Biome: {"noExtraBooleanCast"}},
	Doc:     "`if (!!x)` is `if (x)`, and `!Boolean(x)` is `!x`.",
	File:    "app.js", Bad: "if (!!user) { greet(user); }\n", Good: "if (user) { greet(user); }\nconst known = !!user;\n",
	Check: validate.EachScript(checkCasts),
}, {
	ID: "js-invalid-typeof", Title: "Comparison of typeof with an invalid type name", Severity: validate.Warning, Category: validate.Scripts,
	Aliases: validate.Aliases{validate.ESLint: {"valid-typeof"}, validate.Biome: {"useValidTypeof"}},
	Doc:     "`typeof` gives undefined, object, boolean, number, string, function, symbol or bigint; of an array and of null it gives object.",
	File:    "app.js", Bad: "if (typeof name === \"strnig\") { go(); }\n", Good: "if (typeof name === \"string\" || typeof a === typeof b) { go(); }\n",
	Check: validate.ScriptNodes(func(p *validate.Pass, c *validate.Code, n syntax.Node) {
		switch ecma.Operator(n) {
		case "==", "===", "!=", "!==":
			for i := range 2 {
				x := ecma.Bare(ecma.Part(n, i))
				if ecma.Is(x, "unary_expression") && ecma.Operator(x) == "typeof" && c.Scopes().Global(ecma.Bare(ecma.Part(n, 1-i)), "undefined") {
					p.Node(c, ecma.Part(n, 1-i), "typeof gives a string: write \"undefined\".")
				}
				if s, ok := ecma.LiteralText(ecma.Part(n, 1-i)); ok && ecma.Is(x, "unary_expression") && ecma.Operator(x) == "typeof" && !typeNames[s] {
					p.Node(c, ecma.Part(n, 1-i), "typeof never gives %q.%s", s, syntax.DidYouMean(s, func(t string) bool { return typeNames[t] }))
				}
			}
		}
	}, "binary_expression"),
}, {
	ID: "js-unsafe-negation", Title: "Negation of the left operand of in or instanceof", Severity: validate.Warning, Category: validate.Scripts,
	Aliases: validate.Aliases{validate.ESLint: {"no-unsafe-negation"}, validate.Biome: {"noUnsafeNegation"}},
	Doc:     "`!key in map` asks whether `false` is in the map. Write `!(key in map)`.",
	File:    "app.js", Bad: "if (!key in map) { add(key); }\n", Good: "if (!(key in map)) { add(key); }\n",
	Check: validate.ScriptNodes(func(p *validate.Pass, c *validate.Code, n syntax.Node) {
		left := ecma.Part(n, 0)
		if op := ecma.Operator(n); (op == "in" || op == "instanceof") && ecma.Is(left, "unary_expression") && ecma.Operator(left) == "!" {
			start, end := c.Span(n)
			fix := &validate.Fix{Title: "Negate the whole expression", Edits: []validate.Edit{{Start: start + 1, End: start + 1, New: "("}, {Start: end, End: end, New: ")"}}}
			p.Offer(start, end, fix, "The negation applies to %s first: write !(…).", op)
		}
	}, "binary_expression"),
}, {
	ID: "js-sparse-array", Title: "Sparse array", Severity: validate.Warning, Category: validate.Scripts,
	Aliases: validate.Aliases{validate.ESLint: {"no-sparse-arrays"}, validate.Biome: {"noSparseArray"}},
	Doc:     "Two commas in a row create a hole, usually by mistake. Write `undefined` if it is intended.",
	File:    "app.js", Bad: "const rgb = [255, , 0];\n", Good: "const rgb = [255, 0, 0,];\nconst [, green] = rgb;\n",
	Check: validate.ScriptNodes(func(p *validate.Pass, c *validate.Code, n syntax.Node) {
		if ecma.Is(n.Parent(), "array") { // tables that compilers of generators write
			return
		}
		if ecma.Is(n.Parent(), "assignment_expression") && ecma.Part(n.Parent(), 0).Start().Offset == n.Start().Offset || ecma.Is(n.Parent(), "for_in_statement") {
			return
		}
		item := false
		for x := range n.Children() {
			switch {
			case x.Kind() == "," && !item:
				p.Node(c, x, "There is no item before this comma: the array has a hole.")
				return
			case x.Kind() == ",":
				item = false
			case x.Named() && x.Kind() != "comment":
				item = true
			}
		}
	}, "array"),
}, {
	ID: "js-number-precision", Title: "Number literal that loses precision", Severity: validate.Warning, Category: validate.Scripts,
	Aliases: validate.Aliases{validate.ESLint: {"no-loss-of-precision"}, validate.Biome: {"noPrecisionLoss"}},
	Doc:     "Most integers above 9007199254740991 are stored as another number. Write a BigInt (`…n`) or a string. Fractions pass: constants are written with more digits than are stored.",
	File:    "app.js", Bad: "const id = 9007199254740993;\n", Good: "const id = 9007199254740993n;\n",
	Check: validate.ScriptNodes(func(p *validate.Pass, c *validate.Code, n syntax.Node) {
		if stored := misheld(n); stored != "" {
			p.Node(c, n, "JavaScript stores %s: write a BigInt (…n), a string, or fewer digits.", stored)
		}
	}, "number"),
}, {
	ID: "js-wrapper-object", Title: "Wrapper object: new String, new Number or new Boolean", Severity: validate.Warning, Category: validate.Scripts,
	Aliases: validate.Aliases{validate.ESLint: {"no-new-wrappers"}},
	Doc:     "They create objects, which are truthy (`new Boolean(false)` too) and equal to nothing. Leave `new` out.",
	File:    "app.js", Bad: "const flag = new Boolean(input);\n", Good: "const flag = Boolean(input);\n",
	Check: validate.ScriptNodes(func(p *validate.Pass, c *validate.Code, n syntax.Node) {
		if c.Scopes().Global(ecma.Part(n, 0), "String", "Number", "Boolean") {
			start, end := c.Span(n)
			at, _ := c.Span(ecma.Part(n, 0))
			p.Offer(start, end, &validate.Fix{Title: "Leave new out", Edits: []validate.Edit{{Start: start, End: at}}}, "This creates an object, which is always truthy: remove new.")
		}
	}, "new_expression"),
}})

var comparisons = syntax.WordSet("== === != !== < > <= >=")

var typeNames = syntax.WordSet("undefined object boolean number string function symbol bigint unknown date")

// checkKeys finds keys that stand twice, each of them written out.
func checkKeys(p *validate.Pass, c *validate.Code, n syntax.Node, what string) {
	type key struct{ name, kind string }
	seen := map[key]bool{}
	for _, x := range ecma.Parts(n) {
		k := key{}
		name := ecma.Part(x, 0)
		switch x.Kind() {
		case "pair", "field_definition", "public_field_definition":
			k.kind = "value"
		case "method_definition":
			k.kind = "value"
			if ecma.HasKeyword(x, "get") || ecma.HasKeyword(x, "set") {
				k.kind = "get"
				if ecma.HasKeyword(x, "set") {
					k.kind = "set"
				}
			}
		case "shorthand_property_identifier":
			k.kind, name = "value", x
		default:
			continue
		}
		if ecma.HasKeyword(x, "static") {
			k.kind += " static"
		}
		var ok bool
		if k.name, ok = keyName(name); !ok {
			continue
		}
		if computed := ecma.Is(name, "computed_property_name"); k.name == "constructor" && what == "member" && (!computed && !ecma.HasKeyword(x, "static")) {
			continue // two of them are a mistake of syntax
		}
		if k.name == "__proto__" && ecma.Is(x, "pair") && !ecma.Is(name, "computed_property_name") || ecma.HasKeyword(x, "declare") {
			continue
		}
		value := key{k.name, strings.Replace(strings.Replace(k.kind, "get", "value", 1), "set", "value", 1)}
		accessor := key{k.name, strings.Replace(k.kind, "value", "get", 1)}
		setter := key{k.name, strings.Replace(k.kind, "value", "set", 1)}
		if seen[k] || seen[value] || strings.HasPrefix(k.kind, "value") && (seen[accessor] || seen[setter]) {
			p.Node(c, name, "%s is already defined above as a %s: only this one counts.", k.name, what)
		}
		seen[k] = true
	}
}

// keyName is the name that a key stands for; false where it is computed.
func keyName(n syntax.Node) (string, bool) {
	switch {
	case ecma.Is(n, "property_identifier", "shorthand_property_identifier", "private_property_identifier"):
		return n.Text(), !strings.Contains(n.Text(), "\\")
	case ecma.Is(n, "number"):
		if v, ok := ecma.NumberOf(n); ok {
			f, _ := v.Float64()
			return strconv.FormatFloat(f, 'f', -1, 64), true
		}
	case ecma.Is(n, "string", "template_string"):
		return ecma.LiteralText(n)
	case ecma.Is(n, "null", "true", "false"):
		return n.Text(), true
	case ecma.Is(n, "computed_property_name"):
		if inner := ecma.Bare(ecma.Part(n, 0)); ecma.Is(inner, "number", "string", "template_string", "null") {
			return keyName(inner)
		}
	}
	return "", false
}

// acting are members whose setters do something in browsers, whatever they are set to.
var acting = syntax.WordSet("href hash search location src srcdoc innerHTML outerHTML textContent value className scrollTop scrollLeft selectedIndex width height currentTime cssText display style type data volume disabled selected checked lastIndex stack")

func checkSelfAssign(p *validate.Pass, c *validate.Code, n syntax.Node) {
	left, right := ecma.Part(n, 0), ecma.Part(n, 1)
	if ecma.Is(left, "object_pattern", "array_pattern") {
		checkSamePattern(p, c, left, right, 0)
		return
	}
	if right.IsZero() || !ecma.Is(left, "identifier", "member_expression", "subscript_expression") || !ecma.IsSteady(left) || acting[memberName(left)] || strings.Contains(left.Text(), "location") || ecma.Is(left, "member_expression") && syntax.HasWord("global window self root globalThis", ecma.Part(left, 0).Text()) {
		return
	}
	if ecma.SameCode(left, ecma.Bare(right)) {
		p.Node(c, n, "%s is assigned to itself: one of the two sides is wrong.", syntax.Clip(left.Text()))
	}
}

// checkSamePattern finds parts of a pattern that are given what they are.
func checkSamePattern(p *validate.Pass, c *validate.Code, left, right syntax.Node, depth int) {
	if depth > ecma.MaxDepth {
		return
	}
	same := func(a, b syntax.Node) {
		if ecma.Is(a, "object_pattern", "array_pattern") {
			checkSamePattern(p, c, a, b, depth+1)
		} else if !a.IsZero() && !b.IsZero() && ecma.Is(a, "identifier", "member_expression", "shorthand_property_identifier_pattern") && a.Text() == b.Text() && ecma.Is(b, "identifier", "member_expression", "shorthand_property_identifier") {
			reportAt(p, c, b, "%s is assigned to itself: one of the two sides is wrong.", syntax.Clip(a.Text()))
		}
	}
	if ecma.Is(left, "array_pattern") && ecma.Is(right, "array") && ecma.HasKeyword(left, ",") == ecma.HasKeyword(right, ",") {
		a, b := ecma.Parts(left), ecma.Parts(right)
		for i := 0; i < len(a) && i < len(b) && !ecma.Is(b[i], "spread_element") && strings.Count(left.Text(), ",") == len(a)-1 && strings.Count(right.Text(), ",") == len(b)-1; i++ {
			same(a[i], b[i])
		}
		return
	}
	if !ecma.Is(left, "object_pattern") || !ecma.Is(right, "object") {
		return
	}
	values := map[string]syntax.Node{}
	for _, x := range ecma.Parts(right) {
		switch {
		case ecma.Is(x, "spread_element"):
			values = map[string]syntax.Node{} // it may set any key
		case ecma.Is(x, "pair"):
			if name, ok := keyName(ecma.Part(x, 0)); ok {
				values[name] = ecma.Part(x, 1)
			}
		case ecma.Is(x, "shorthand_property_identifier"):
			values[x.Text()] = x
		}
	}
	for _, x := range ecma.Parts(left) {
		switch {
		case ecma.Is(x, "pair_pattern"):
			if name, ok := keyName(ecma.Part(x, 0)); ok {
				same(ecma.Part(x, 1), values[name])
			}
		case ecma.Is(x, "shorthand_property_identifier_pattern"):
			same(x, values[x.Text()])
		}
	}
}

// isNaN reports whether an expression is the language's NaN.
func isNaN(s *ecma.Scopes, n syntax.Node) bool {
	n = ecma.Bare(n)
	if ecma.Is(n, "sequence_expression") {
		return isNaN(s, ecma.Part(n, -1))
	}
	return s.Global(n, "NaN") || memberName(n) == "NaN" && s.Global(ecma.Part(n, 0), "Number")
}

func checkNaN(p *validate.Pass, c *validate.Code) {
	s := c.Scopes()
	for _, n := range c.Nodes("binary_expression") {
		if !comparisons[ecma.Operator(n)] {
			continue
		}
		for i := range 2 {
			if isNaN(s, ecma.Part(n, i)) {
				reportAt(p, c, n, "NaN equals nothing: write Number.isNaN(%s).", syntax.Clip(ecma.Part(n, 1-i).Text()))
				break
			}
		}
	}
	for _, n := range c.Nodes("switch_statement", "switch_case") {
		if x := ecma.Part(n, 0); isNaN(s, x) {
			reportAt(p, c, x, "NaN equals nothing: this case never runs.")
		}
	}
	for _, n := range c.Nodes("call_expression") {
		f := ecma.Part(n, 0)
		if name := memberName(f); name != "indexOf" && name != "lastIndexOf" {
			continue
		}
		if args := ecma.Arguments(n); len(args) > 0 && len(args) < 3 && isNaN(s, args[0]) {
			reportAt(p, c, n, "NaN equals nothing, so it is never found: write findIndex(Number.isNaN).")
		}
	}
}

func checkOperands(p *validate.Pass, c *validate.Code) {
	s := c.Scopes()
	for _, n := range c.Nodes("binary_expression") {
		left, right, op := ecma.Part(n, 0), ecma.Part(n, 1), ecma.Operator(n)
		if right.IsZero() {
			continue
		}
		switch op {
		case "&&", "||":
			if !assigns(left) && s.Constant(left, true) && !inConstantTest(n) {
				reportAt(p, c, left, "The left side of %s is always the same: are parentheses missing?", op)
			}
		case "??":
			if s.Nullish(left) != ecma.Unsure {
				reportAt(p, c, left, "The left side of ?? is always the same: are parentheses missing?")
			}
		case "==", "===", "!=", "!==":
			if why := s.ConstantComparison(left, right, op); why != "" {
				reportAt(p, c, n, "This comparison is always the same: %s.", why)
			}
		}
	}
}

// assigns reports whether an expression sets something, as in (x < 0 && (x = 0)) || ….
func assigns(n syntax.Node) bool {
	for x := range n.Walk() {
		if ecma.Is(x, "assignment_expression", "augmented_assignment_expression") {
			return true
		}
	}
	return false
}

// inConstantTest reports whether a condition around an operator is told as a whole.
func inConstantTest(n syntax.Node) bool {
	by := n.Parent()
	for ecma.Is(by, "parenthesized_expression") {
		by = by.Parent()
	}
	return ecma.Is(by, "if_statement") && ecma.IsLiteral(ecma.Bare(ecma.Part(n, 0))) // a switch for who reads the source
}

func checkCasts(p *validate.Pass, c *validate.Code) {
	for _, n := range c.Nodes("unary_expression") {
		inner := ecma.Bare(ecma.Part(n, 0))
		if ecma.Operator(n) != "!" || !ecma.Is(inner, "unary_expression") || ecma.Operator(inner) != "!" || !askedAsBool(c, n) {
			continue
		}
		start, end := c.Span(n)
		x, _ := c.Span(ecma.Part(inner, 0))
		if at, _ := c.Span(inner); at == start+1 && p.Written(start, end) {
			p.Offer(start, end, &validate.Fix{Title: "Remove !!", Edits: []validate.Edit{{Start: start, End: x}}}, "This is used as a boolean anyway: remove !!.")
		} else {
			reportAt(p, c, n, "This is used as a boolean anyway: remove !!.")
		}
	}
	for _, n := range c.Nodes("call_expression") {
		if args := ecma.Arguments(n); len(args) == 1 && !ecma.Is(args[0], "spread_element") && c.Scopes().Global(ecma.Part(n, 0), "Boolean") && askedAsBool(c, n) {
			reportAt(p, c, n, "This is used as a boolean anyway: remove Boolean().")
		}
	}
}

// askedAsBool reports whether only the truth of an expression counts.
func askedAsBool(c *validate.Code, n syntax.Node) bool {
	for by := n.Parent(); !by.IsZero(); n, by = by, by.Parent() {
		switch by.Kind() {
		case "parenthesized_expression":
			if ecma.Is(by.Parent(), "if_statement", "while_statement", "do_statement") {
				return true
			}
		case "ternary_expression":
			return ecma.Part(by, 0) == n
		case "unary_expression":
			return ecma.Operator(by) == "!"
		case "expression_statement":
			return ecma.Is(by.Parent(), "for_statement") && ecma.Part(by.Parent(), 1) == by
		case "arguments":
			call := by.Parent()
			return len(ecma.Parts(by)) == 1 && c.Scopes().Global(ecma.Part(call, 0), "Boolean")
		default:
			return false
		}
	}
	return false
}

// misheld is the number that a literal is stored as, where that is another one.
func misheld(n syntax.Node) string {
	text := strings.ToLower(strings.ReplaceAll(n.Text(), "_", ""))
	if strings.HasSuffix(text, "n") || len(text) < 16 {
		return ""
	}
	if len(text) > 1 && text[0] == '0' && text[1] != '.' && text[1] != 'e' {
		v, ok := ecma.NumberOf(n)
		if !ok {
			return ""
		}
		f, exact := v.Float64()
		if exact == 0 {
			return ""
		}
		return strconv.FormatFloat(f, 'f', -1, 64)
	}
	mantissa, _, _ := strings.Cut(text, "e")
	if strings.Contains(mantissa, ".") {
		return "" // constants of tables are written with all their digits on purpose
	}
	digits := strings.Trim(mantissa, "0")
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || digits == "" || f == 0 {
		return ""
	}
	stored, _, _ := strings.Cut(strconv.FormatFloat(f, 'e', max(len(digits)-1, 0), 64), "e")
	if strings.Replace(stored, ".", "", 1) == digits {
		return ""
	}
	return strconv.FormatFloat(f, 'g', -1, 64)
}
