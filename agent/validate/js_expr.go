package validate

import (
	"strconv"
	"strings"

	"caselsp/agent/syntax"
)

// jsExprRules are about expressions that cannot be what was meant.
var jsExprRules = authored([]Rule{{
	ID: "js-duplicate-key", Title: "A key that stands twice in one object", Severity: Warning, Category: Scripts,
	Doc:  "The last one counts, the first is dropped without a word.",
	File: "app.js", Bad: "const o = { name: 1, size: 2, name: 3 };\n", Good: "const o = { name: 1, size: 2, get top() { return 1; }, set top(v) {} };\n",
	Check: script(func(p *Pass, c *Code, n syntax.Node) { checkKeys(p, c, n, "key") }, "object"),
}, {
	ID: "js-duplicate-member", Title: "A member that stands twice in one class", Severity: Warning, Category: Scripts,
	Doc:  "The last one counts, the first is dropped without a word.",
	File: "app.js", Bad: "class A {\n  open() { return 1; }\n  open() { return 2; }\n}\n", Good: "class A {\n  open() { return 1; }\n  static open() { return 2; }\n}\n",
	Check: script(func(p *Pass, c *Code, n syntax.Node) {
		if c.Lang == syntax.JavaScript {
			checkKeys(p, c, n, "member")
		}
	}, "class_body"),
}, {
	ID: "js-self-assign", Title: "Something is assigned to itself", Severity: Warning, Category: Scripts,
	Doc:  "It does nothing; mostly one of the sides is a slip. Members of other objects pass, where a setter may do something, as in `location.href = location.href`.",
	File: "app.js", Bad: "function set(name) { name = name; }\n", Good: "function set(name) { this.name = name; location.href = location.href; }\n",
	Check: script(func(p *Pass, c *Code, n syntax.Node) {
		left, right := part(n, 0), part(n, 1)
		own := is(left, "identifier") || is(left, "member_expression") && part(left, 0).Text() == "this" && plainChain(left)
		if own && !right.IsZero() && sameCode(left, right) && !containsAny(left.Text(), []string{"location", "width", "height"}) {
			p.Node(c, n, "%s is assigned to itself: one of the two sides is mistaken.", clip(left.Text()))
		}
	}, "assignment_expression"),
}, {
	ID: "js-self-compare", Title: "Something is compared with itself", Severity: Warning, Category: Scripts,
	Doc:  "The result is known beforehand. To find NaN, write `Number.isNaN(x)`; the old ways, `x !== x` and `x >= x`, pass.",
	File: "app.js", Bad: "if (a.size === a.size) { go(); }\n", Good: "if (a.size === b.size || x !== x) { go(); }\n",
	Check: script(func(p *Pass, c *Code, n syntax.Node) {
		left, right := part(n, 0), part(n, 1)
		switch operator(n) {
		case "==", "===", "<", ">", "<=", ">=", "!=", "!==", "&&", "||":
			op := operator(n)
			nan := op == "!=" || op == "!==" || strings.HasSuffix(op, "=") && is(left, "identifier")
			if !right.IsZero() && !nan && !literal(left) && steady(left) && sameCode(left, right) {
				p.Node(c, n, "Both sides are the same, %s.", clip(left.Text()))
			}
		}
	}, "binary_expression"),
}, {
	ID: "js-nan-compare", Title: "A comparison with NaN", Severity: Warning, Category: Scripts,
	Doc:  "NaN is equal to nothing, not even to itself: the comparison is always the same. Write `Number.isNaN(x)`.",
	File: "app.js", Bad: "if (n === NaN) { reset(); }\n", Good: "if (Number.isNaN(n)) { reset(); }\n",
	Check: script(func(p *Pass, c *Code, n syntax.Node) {
		switch operator(n) {
		case "==", "===", "!=", "!==", "<", ">", "<=", ">=":
			for i := range 2 {
				if x := part(n, i); !x.IsZero() && (x.Text() == "NaN" || x.Text() == "Number.NaN") {
					p.Node(c, n, "NaN is equal to nothing: write Number.isNaN(%s).", clip(part(n, 1-i).Text()))
				}
			}
		}
	}, "binary_expression"),
}, {
	ID: "js-invalid-typeof", Title: "typeof is compared with a type that there is not", Severity: Warning, Category: Scripts,
	Doc:  "`typeof` gives undefined, object, boolean, number, string, function, symbol or bigint; of an array and of null it gives object.",
	File: "app.js", Bad: "if (typeof name === \"strnig\") { go(); }\n", Good: "if (typeof name === \"string\" || typeof a === typeof b) { go(); }\n",
	Check: script(func(p *Pass, c *Code, n syntax.Node) {
		switch operator(n) {
		case "==", "===", "!=", "!==":
			for i := range 2 {
				x := bare(part(n, i))
				if s, ok := unquote(part(n, 1-i)); ok && is(x, "unary_expression") && operator(x) == "typeof" && !typeNames[s] {
					p.Node(c, part(n, 1-i), "typeof never gives %q.%s", s, meant(s, func(t string) bool { return typeNames[t] }))
				}
			}
		}
	}, "binary_expression"),
}, {
	ID: "js-unsafe-negation", Title: "A negation that is done too early", Severity: Warning, Category: Scripts,
	Doc:  "`!key in map` asks whether `false` is in the map. Write `!(key in map)`.",
	File: "app.js", Bad: "if (!key in map) { add(key); }\n", Good: "if (!(key in map)) { add(key); }\n",
	Check: script(func(p *Pass, c *Code, n syntax.Node) {
		left := part(n, 0)
		if op := operator(n); (op == "in" || op == "instanceof") && is(left, "unary_expression") && operator(left) == "!" {
			start, end := c.Span(n)
			fix := &Fix{"Negate the whole", []Edit{{start + 1, start + 1, "("}, {end, end, ")"}}}
			p.Offer(start, end, fix, "The negation comes before %s: write !(…).", op)
		}
	}, "binary_expression"),
}, {
	ID: "js-sparse-array", Title: "A hole in an array", Severity: Warning, Category: Scripts,
	Doc:  "Two commas in a row make an item that is not there, mostly by mistake. Write `undefined` where it is meant.",
	File: "app.js", Bad: "const rgb = [255, , 0];\n", Good: "const rgb = [255, 0, 0,];\nconst [, green] = rgb;\n",
	Check: script(func(p *Pass, c *Code, n syntax.Node) {
		if is(n.Parent(), "array") { // tables that compilers of generators write
			return
		}
		if is(n.Parent(), "assignment_expression") && part(n.Parent(), 0).Start().Offset == n.Start().Offset || is(n.Parent(), "for_in_statement") {
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
	ID: "js-number-precision", Title: "A number that JavaScript cannot hold", Severity: Warning, Category: Scripts,
	Doc:  "Whole numbers above 9007199254740991 lose digits: another number is stored. Write a BigInt (`…n`) or a string.",
	File: "app.js", Bad: "const id = 9007199254740993;\n", Good: "const id = 9007199254740993n;\n",
	Check: script(func(p *Pass, c *Code, n syntax.Node) {
		text := strings.ReplaceAll(n.Text(), "_", "")
		v, err := strconv.ParseUint(text, 10, 64)
		if err != nil || strings.HasPrefix(text, "0") || uint64(float64(v)) == v {
			return
		}
		// The decimal that is stored may still be written the same: 2e22 with zeros.
		if strconv.FormatFloat(float64(v), 'f', -1, 64) != text {
			p.Node(c, n, "JavaScript stores %s: write a BigInt (%sn) or a string.", strconv.FormatFloat(float64(v), 'f', -1, 64), text)
		}
	}, "number"),
}, {
	ID: "js-wrapper-object", Title: "new String, new Number or new Boolean", Severity: Warning, Category: Scripts,
	Doc:  "They make objects, which are true in conditions (`new Boolean(false)` too) and equal to nothing. Leave `new` out.",
	File: "app.js", Bad: "const flag = new Boolean(input);\n", Good: "const flag = Boolean(input);\n",
	Check: script(func(p *Pass, c *Code, n syntax.Node) {
		if name := callee(n); name == "String" || name == "Number" || name == "Boolean" {
			start, end := c.Span(n)
			at, _ := c.Span(part(n, 0))
			p.Offer(start, end, &Fix{"Leave new out", []Edit{{Start: start, End: at}}}, "This makes an object that is always true: leave new out.")
		}
	}, "new_expression"),
}, {
	ID: "js-invalid-regexp", Title: "A regular expression that is none", Severity: Warning, Category: Scripts,
	Doc:  "It throws a SyntaxError where it is made: a bracket is not closed, or a quantifier has nothing to repeat.",
	File: "app.js", Bad: "const re = new RegExp(\"[a-z\");\n", Good: "const re = new RegExp(\"[a-z]+\", \"gi\");\n",
	Check: script(func(p *Pass, c *Code, n syntax.Node) {
		args := arguments(n)
		if callee(n) != "RegExp" || len(args) == 0 {
			return
		}
		if pattern, ok := unquote(args[0]); ok {
			if wrong := regexpFault(pattern); wrong != "" {
				p.Node(c, args[0], "This throws when it runs: %s.", wrong)
			}
		}
		if len(args) > 1 {
			if flags, ok := unquote(args[1]); ok && strings.Trim(flags, "dgimsuvy") != "" {
				p.Node(c, args[1], "This throws when it runs: there is no flag %s.", strings.Trim(flags, "dgimsuvy"))
			}
		}
	}, "new_expression", "call_expression"),
}})

var typeNames = words("undefined object boolean number string function symbol bigint unknown date")

// checkKeys finds keys that stand twice, each of them written out.
func checkKeys(p *Pass, c *Code, n syntax.Node, what string) {
	type key struct{ name, kind string }
	seen := map[key]bool{}
	for _, x := range parts(n) {
		k := key{}
		name := part(x, 0)
		switch x.Kind() {
		case "pair", "field_definition":
			k.kind = "value"
		case "method_definition":
			k.kind = "value"
			if word(x, "get") || word(x, "set") {
				k.kind = "get"
				if word(x, "set") {
					k.kind = "set"
				}
			}
		case "shorthand_property_identifier":
			k.kind, name = "value", x
		default:
			continue
		}
		if word(x, "static") {
			k.kind += " static"
		}
		switch {
		case is(name, "property_identifier", "shorthand_property_identifier", "private_property_identifier", "number"):
			k.name = name.Text()
		case is(name, "string"):
			s, ok := unquote(name)
			if !ok {
				continue
			}
			k.name = s
		default:
			continue
		}
		if k.name == "__proto__" || word(x, "declare") {
			continue
		}
		if seen[k] {
			p.Node(c, name, "%s stands above as a %s already: only this one counts.", k.name, what)
		}
		seen[k] = true
	}
}

// regexpFault says what is certainly wrong with a pattern; "" where nothing is.
func regexpFault(s string) string {
	open, repeatable := 0, false
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '[':
			end := i + 1
			for ; end < len(s) && s[end] != ']'; end++ {
				if s[end] == '[' {
					return "" // sets of the flag v nest
				}
			}
			if end >= len(s) {
				return "a [ is not closed"
			}
			i, repeatable = end, true
		case '(':
			open++
			repeatable = false
			if strings.HasPrefix(s[i+1:], "?") {
				i++
			}
		case ')':
			if open--; open < 0 {
				return "a ) closes nothing"
			}
			repeatable = true
		case '*', '+', '?':
			if !repeatable {
				return "nothing stands before " + s[i:i+1] + " to repeat"
			}
			if repeatable = false; i+1 < len(s) && s[i+1] == '?' {
				i++
			}
		case '|':
			repeatable = false
		default:
			repeatable = s[i] != '^'
		}
	}
	if open > 0 {
		return "a ( is not closed"
	}
	return ""
}
