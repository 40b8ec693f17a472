package validate

import (
	"math/big"
	"strings"

	"caselsp/agent/syntax"
)

// truth says what a literal is in a condition.
func truth(n syntax.Node) truthValue {
	n = bare(n)
	switch {
	case n.IsZero():
	case is(n, "true", "regex", "array", "object", "arrow_function", "function_expression", "function", "generator_function", "class", "new_expression"):
		return yes
	case is(n, "false", "null"):
		return no
	case is(n, "string"):
		return truthOf(len(n.Text()) > len(`""`))
	case is(n, "template_string"):
		if n.Text() == "``" {
			return no
		}
		return hasText(n)
	case is(n, "number"):
		if v, ok := numberOf(n); ok {
			return truthOf(v.Sign() != 0)
		}
	case is(n, "unary_expression"):
		switch operator(n) {
		case "!":
			return truth(part(n, 0)).not()
		case "void":
			return no
		case "typeof":
			return yes
		}
	}
	return unsure
}

// hasText tells a template with letters of its own, which is never empty.
func hasText(n syntax.Node) truthValue {
	length := len("``")
	for _, x := range parts(n) {
		if is(x, "template_substitution") {
			length += len(x.Text())
		}
	}
	if length < len(n.Text()) {
		return yes
	}
	return unsure
}

// numberOf reads a number of any notation.
func numberOf(n syntax.Node) (*big.Float, bool) {
	text := strings.TrimSuffix(strings.ReplaceAll(n.Text(), "_", ""), "n")
	if len(text) > 1 && text[0] == '0' && '0' <= text[1] && text[1] <= '9' {
		if strings.ContainsAny(text, "89.") {
			text = strings.TrimLeft(text, "0")
		} else {
			text = "0o" + text[1:]
		}
	}
	if len(text) > 400 {
		return nil, false
	}
	v, _, err := big.ParseFloat(text, 0, 2000, big.ToNearestEven)
	return v, err == nil
}

// global reports whether a node is a name that the program does not declare.
func (s *bindings) global(n syntax.Node, names ...string) bool {
	if !is(n, "identifier", "undefined") {
		return false
	}
	text := n.Text()
	for _, name := range names {
		if text == name {
			r := s.at[n]
			return r == nil || r.to == nil
		}
	}
	return false
}

// constant reports whether an expression is the same each time; asked for its
// truth only, where inBool.
func (s *bindings) constant(n syntax.Node, inBool bool) bool {
	n = bare(n)
	if n.IsZero() {
		return false
	}
	switch n.Kind() {
	case "number", "string", "true", "false", "null", "regex", "arrow_function", "function", "function_expression", "generator_function", "class", "object":
		return true
	case "identifier", "undefined":
		return s.global(n, "undefined")
	case "new_expression":
		return inBool
	case "template_string":
		return s.constantTemplate(n, inBool)
	case "array":
		if inBool {
			return true
		}
		for _, x := range parts(n) {
			if is(x, "spread_element") && !s.constant(part(x, 0), false) || !is(x, "spread_element") && !s.constant(x, false) {
				return false
			}
		}
		return true
	case "unary_expression":
		switch operator(n) {
		case "void":
			return true
		case "typeof":
			return inBool
		case "!":
			return s.constant(part(n, 0), true)
		case "delete":
			return false
		}
		return s.constant(part(n, 0), false)
	case "binary_expression":
		return s.constantBinary(n, inBool)
	case "assignment_expression":
		return s.constant(part(n, -1), inBool)
	case "augmented_assignment_expression":
		op := operator(n)
		return inBool && (op == "||=" && s.truth(part(n, 1)) == yes || op == "&&=" && s.truth(part(n, 1)) == no)
	case "sequence_expression":
		return s.constant(part(n, -1), inBool)
	case "call_expression":
		args := arguments(n)
		return s.global(part(n, 0), "Boolean") && (len(args) == 0 || s.constant(args[0], true))
	}
	return false
}

func (s *bindings) constantTemplate(n syntax.Node, inBool bool) bool {
	if inBool && truth(n) == yes {
		return true
	}
	for _, x := range parts(n) {
		if is(x, "template_substitution") && !s.constant(part(x, 0), false) {
			return false
		}
	}
	return true
}

func (s *bindings) constantBinary(n syntax.Node, inBool bool) bool {
	left, right := part(n, 0), part(n, 1)
	switch op := operator(n); op {
	case "&&", "||":
		ends := no
		if op == "||" {
			ends = yes
		}
		a, b := s.constant(left, inBool), s.constant(right, inBool)
		return a && b || a && s.truth(left) == ends || inBool && b && s.truth(right) == ends
	case "??":
		return s.constant(left, inBool) && s.constant(right, inBool)
	case "in", "instanceof":
		return false
	}
	return s.constant(left, false) && s.constant(right, false)
}

// truth is the truth of an expression whose names it knows.
func (s *bindings) truth(n syntax.Node) truthValue {
	n = bare(n)
	if v := truth(n); v != unsure {
		return v
	}
	switch {
	case s.global(n, "undefined"):
		return no
	case is(n, "unary_expression") && operator(n) == "!":
		return s.truth(part(n, 0)).not()
	case is(n, "binary_expression"):
		a, b := s.truth(part(n, 0)), s.truth(part(n, 1))
		switch operator(n) {
		case "||":
			if a == yes || b == yes {
				return yes
			}
			if a == no {
				return b
			}
		case "&&":
			if a == no || b == no {
				return no
			}
			if a == yes {
				return b
			}
		}
	case is(n, "assignment_expression"):
		return s.truth(part(n, -1))
	case is(n, "sequence_expression"):
		return s.truth(part(n, -1))
	case is(n, "call_expression") && s.global(part(n, 0), "Boolean"):
		if args := arguments(n); len(args) > 0 {
			return s.truth(args[0])
		}
		return no
	}
	return unsure
}

// nullish says whether an expression is null or undefined: certainly, never, or unsure.
func (s *bindings) nullish(n syntax.Node) truthValue {
	n = bare(n)
	switch {
	case n.IsZero():
		return unsure
	case is(n, "null") || s.global(n, "undefined") || is(n, "unary_expression") && operator(n) == "void":
		return yes
	case is(n, "number", "string", "true", "false", "regex", "template_string", "array", "object", "arrow_function", "function", "function_expression", "generator_function", "class", "new_expression", "unary_expression", "update_expression"):
		return no
	case is(n, "binary_expression"):
		switch operator(n) {
		case "&&", "||":
			return unsure
		case "??":
			if s.nullish(part(n, 1)) == no {
				return no
			}
			return unsure
		}
		return no
	case is(n, "assignment_expression"):
		return s.nullish(part(n, -1))
	case is(n, "augmented_assignment_expression"):
		switch operator(n) {
		case "&&=", "||=", "??=":
			return unsure
		}
		return no
	case is(n, "sequence_expression"):
		return s.nullish(part(n, -1))
	case is(n, "call_expression") && s.global(part(n, 0), "Boolean", "String", "Number"):
		return no
	}
	return unsure
}

// fresh reports whether an expression makes a new object each time, which is
// equal to nothing else.
func (s *bindings) fresh(n syntax.Node) bool {
	n = bare(n)
	switch {
	case is(n, "object", "array", "arrow_function", "function", "function_expression", "generator_function", "class", "regex"):
		return true
	case is(n, "new_expression"):
		return s.global(part(n, 0), "Boolean", "String", "Number", "Array", "Object", "RegExp", "Map", "Set", "WeakMap", "WeakSet", "Date", "Promise", "Error", "URL", "ArrayBuffer", "DataView")
	case is(n, "ternary_expression"):
		return s.fresh(part(n, 1)) && s.fresh(part(n, 2))
	case is(n, "assignment_expression"), is(n, "sequence_expression"):
		return s.fresh(part(n, -1))
	}
	return false
}

// boolean reports whether an expression is true or false and nothing else.
func (s *bindings) boolean(n syntax.Node) bool {
	n = bare(n)
	switch {
	case is(n, "true", "false"):
		return true
	case is(n, "unary_expression"):
		return operator(n) == "!" || operator(n) == "delete"
	case is(n, "binary_expression"):
		switch operator(n) {
		case "==", "===", "!=", "!==", "<", ">", "<=", ">=", "in", "instanceof":
			return true
		}
	case is(n, "call_expression"):
		return s.global(part(n, 0), "Boolean")
	case is(n, "assignment_expression"), is(n, "sequence_expression"):
		return s.boolean(part(n, -1))
	}
	return false
}

// constantComparison says why comparing a with b always gives the same; "" where it may not.
func (s *bindings) constantComparison(a, b syntax.Node, op string) string {
	a, b = bare(a), bare(b)
	strict := op == "===" || op == "!=="
	if strict && (s.fresh(a) || s.fresh(b)) || s.fresh(a) && s.fresh(b) {
		return "a new object is equal to nothing else"
	}
	for range 2 {
		switch {
		case s.nullish(a) == yes && s.nullish(b) == no:
			return "the other side is never " + clip(a.Text())
		case s.nullish(a) == yes && s.nullish(b) == yes && (!strict || is(a, "null") && is(b, "null")):
			return "both sides are nothing"
		case strict && is(a, "true", "false") && (s.kindOf(b) != "" && s.kindOf(b) != "boolean" || s.boolean(b) && s.constant(b, true)):
			return "the other side is always the same"
		case is(a, "true", "false") && !strict && (s.fresh(b) && !is(b, "array", "new_expression") || s.boolean(b) && s.constant(b, true)):
			return "the other side is always the same"
		}
		a, b = b, a
	}
	return ""
}

// kindOf is the type of an expression where its form says it.
func (s *bindings) kindOf(n syntax.Node) string {
	n = bare(n)
	switch {
	case s.boolean(n):
		return "boolean"
	case is(n, "string", "template_string") || is(n, "unary_expression") && operator(n) == "typeof" || is(n, "call_expression") && s.global(part(n, 0), "String"):
		return "string"
	case is(n, "number", "update_expression") || is(n, "unary_expression") && strings.Contains("+-~", operator(n)) || is(n, "call_expression") && s.global(part(n, 0), "Number"):
		return "number"
	case is(n, "null") || s.global(n, "undefined"):
		return "nothing"
	case s.fresh(n):
		return "object"
	case is(n, "binary_expression"):
		switch operator(n) {
		case "-", "*", "/", "%", "|", "&", "^", "<<", ">>", ">>>", "**":
			return "number"
		}
	}
	return ""
}
