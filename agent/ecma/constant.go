package ecma

import (
	"math/big"
	"strings"

	"caselsp/agent/syntax"
)

// TruthOf says what a literal is in a condition.
func TruthOf(n syntax.Node) Truth {
	n = Bare(n)
	switch {
	case n.IsZero():
	case Is(n, "true", "regex", "array", "object", "arrow_function", "function_expression", "function", "generator_function", "class", "new_expression"):
		return Yes
	case Is(n, "false", "null"):
		return No
	case Is(n, "string"):
		return truthOf(len(n.Text()) > len(`""`))
	case Is(n, "template_string"):
		if n.Text() == "``" {
			return No
		}
		return hasText(n)
	case Is(n, "number"):
		if v, ok := NumberOf(n); ok {
			return truthOf(v.Sign() != 0)
		}
	case Is(n, "unary_expression"):
		switch Operator(n) {
		case "!":
			return TruthOf(Part(n, 0)).not()
		case "void":
			return No
		case "typeof":
			return Yes
		}
	}
	return Unsure
}

// hasText tells a template with letters of its own, which is never empty.
func hasText(n syntax.Node) Truth {
	length := len("``")
	for _, x := range Parts(n) {
		if Is(x, "template_substitution") {
			length += len(x.Text())
		}
	}
	if length < len(n.Text()) {
		return Yes
	}
	return Unsure
}

// NumberOf reads a number of any notation.
func NumberOf(n syntax.Node) (*big.Float, bool) {
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

// Global reports whether a node is a name that the program does not declare.
func (s *Scopes) Global(n syntax.Node, names ...string) bool {
	if !Is(n, "identifier", "undefined") {
		return false
	}
	text := n.Text()
	for _, name := range names {
		if text == name {
			r := s.At[n]
			return r == nil || r.To == nil
		}
	}
	return false
}

// Constant reports whether an expression is the same each time; asked for its
// truth only, where inBool.
func (s *Scopes) Constant(n syntax.Node, inBool bool) bool {
	n = Bare(n)
	if n.IsZero() {
		return false
	}
	switch n.Kind() {
	case "number", "string", "true", "false", "null", "regex", "arrow_function", "function", "function_expression", "generator_function", "class", "object":
		return true
	case "identifier", "undefined":
		return s.Global(n, "undefined")
	case "new_expression":
		return inBool
	case "template_string":
		return s.constantTemplate(n, inBool)
	case "array":
		if inBool {
			return true
		}
		for _, x := range Parts(n) {
			if Is(x, "spread_element") && !s.Constant(Part(x, 0), false) || !Is(x, "spread_element") && !s.Constant(x, false) {
				return false
			}
		}
		return true
	case "unary_expression":
		switch Operator(n) {
		case "void":
			return true
		case "typeof":
			return inBool
		case "!":
			return s.Constant(Part(n, 0), true)
		case "delete":
			return false
		}
		return s.Constant(Part(n, 0), false)
	case "binary_expression":
		return s.constantBinary(n, inBool)
	case "assignment_expression":
		return s.Constant(Part(n, -1), inBool)
	case "augmented_assignment_expression":
		op := Operator(n)
		return inBool && (op == "||=" && s.TruthOf(Part(n, 1)) == Yes || op == "&&=" && s.TruthOf(Part(n, 1)) == No)
	case "sequence_expression":
		return s.Constant(Part(n, -1), inBool)
	case "call_expression":
		args := Arguments(n)
		return s.Global(Part(n, 0), "Boolean") && (len(args) == 0 || s.Constant(args[0], true))
	}
	return false
}

func (s *Scopes) constantTemplate(n syntax.Node, inBool bool) bool {
	if inBool && TruthOf(n) == Yes {
		return true
	}
	for _, x := range Parts(n) {
		if Is(x, "template_substitution") && !s.Constant(Part(x, 0), false) {
			return false
		}
	}
	return true
}

func (s *Scopes) constantBinary(n syntax.Node, inBool bool) bool {
	left, right := Part(n, 0), Part(n, 1)
	switch op := Operator(n); op {
	case "&&", "||":
		ends := No
		if op == "||" {
			ends = Yes
		}
		a, b := s.Constant(left, inBool), s.Constant(right, inBool)
		return a && b || a && s.TruthOf(left) == ends || inBool && b && s.TruthOf(right) == ends
	case "??":
		return s.Constant(left, inBool) && s.Constant(right, inBool)
	case "in", "instanceof":
		return false
	}
	return s.Constant(left, false) && s.Constant(right, false)
}

// TruthOf is the truth of an expression whose names it knows.
func (s *Scopes) TruthOf(n syntax.Node) Truth {
	n = Bare(n)
	if v := TruthOf(n); v != Unsure {
		return v
	}
	switch {
	case s.Global(n, "undefined"):
		return No
	case Is(n, "unary_expression") && Operator(n) == "!":
		return s.TruthOf(Part(n, 0)).not()
	case Is(n, "binary_expression"):
		a, b := s.TruthOf(Part(n, 0)), s.TruthOf(Part(n, 1))
		switch Operator(n) {
		case "||":
			if a == Yes || b == Yes {
				return Yes
			}
			if a == No {
				return b
			}
		case "&&":
			if a == No || b == No {
				return No
			}
			if a == Yes {
				return b
			}
		}
	case Is(n, "assignment_expression"):
		return s.TruthOf(Part(n, -1))
	case Is(n, "sequence_expression"):
		return s.TruthOf(Part(n, -1))
	case Is(n, "call_expression") && s.Global(Part(n, 0), "Boolean"):
		if args := Arguments(n); len(args) > 0 {
			return s.TruthOf(args[0])
		}
		return No
	}
	return Unsure
}

// Nullish says whether an expression is null or undefined: certainly, never, or unsure.
func (s *Scopes) Nullish(n syntax.Node) Truth {
	n = Bare(n)
	switch {
	case n.IsZero():
		return Unsure
	case Is(n, "null") || s.Global(n, "undefined") || Is(n, "unary_expression") && Operator(n) == "void":
		return Yes
	case Is(n, "number", "string", "true", "false", "regex", "template_string", "array", "object", "arrow_function", "function", "function_expression", "generator_function", "class", "new_expression", "unary_expression", "update_expression"):
		return No
	case Is(n, "binary_expression"):
		switch Operator(n) {
		case "&&", "||":
			return Unsure
		case "??":
			if s.Nullish(Part(n, 1)) == No {
				return No
			}
			return Unsure
		}
		return No
	case Is(n, "assignment_expression"):
		return s.Nullish(Part(n, -1))
	case Is(n, "augmented_assignment_expression"):
		switch Operator(n) {
		case "&&=", "||=", "??=":
			return Unsure
		}
		return No
	case Is(n, "sequence_expression"):
		return s.Nullish(Part(n, -1))
	case Is(n, "call_expression") && s.Global(Part(n, 0), "Boolean", "String", "Number"):
		return No
	}
	return Unsure
}

// fresh reports whether an expression makes a new object each time, which is
// equal to nothing else.
func (s *Scopes) fresh(n syntax.Node) bool {
	n = Bare(n)
	switch {
	case Is(n, "object", "array", "arrow_function", "function", "function_expression", "generator_function", "class", "regex"):
		return true
	case Is(n, "new_expression"):
		return s.Global(Part(n, 0), "Boolean", "String", "Number", "Array", "Object", "RegExp", "Map", "Set", "WeakMap", "WeakSet", "Date", "Promise", "Error", "URL", "ArrayBuffer", "DataView")
	case Is(n, "ternary_expression"):
		return s.fresh(Part(n, 1)) && s.fresh(Part(n, 2))
	case Is(n, "assignment_expression"), Is(n, "sequence_expression"):
		return s.fresh(Part(n, -1))
	}
	return false
}

// boolean reports whether an expression is true or false and nothing else.
func (s *Scopes) boolean(n syntax.Node) bool {
	n = Bare(n)
	switch {
	case Is(n, "true", "false"):
		return true
	case Is(n, "unary_expression"):
		return Operator(n) == "!" || Operator(n) == "delete"
	case Is(n, "binary_expression"):
		switch Operator(n) {
		case "==", "===", "!=", "!==", "<", ">", "<=", ">=", "in", "instanceof":
			return true
		}
	case Is(n, "call_expression"):
		return s.Global(Part(n, 0), "Boolean")
	case Is(n, "assignment_expression"), Is(n, "sequence_expression"):
		return s.boolean(Part(n, -1))
	}
	return false
}

// ConstantComparison says why comparing a with b always gives the same; "" where it may not.
func (s *Scopes) ConstantComparison(a, b syntax.Node, op string) string {
	a, b = Bare(a), Bare(b)
	strict := op == "===" || op == "!=="
	if strict && (s.fresh(a) || s.fresh(b)) || s.fresh(a) && s.fresh(b) {
		return "a new object equals nothing else"
	}
	for range 2 {
		switch {
		case s.Nullish(a) == Yes && s.Nullish(b) == No:
			return "the other side is never " + syntax.Clip(a.Text())
		case s.Nullish(a) == Yes && s.Nullish(b) == Yes && (!strict || Is(a, "null") && Is(b, "null")):
			return "both sides are nothing"
		case strict && Is(a, "true", "false") && (s.kindOf(b) != "" && s.kindOf(b) != "boolean" || s.boolean(b) && s.Constant(b, true)):
			return "the other side is always the same"
		case Is(a, "true", "false") && !strict && (s.fresh(b) && !Is(b, "array", "new_expression") || s.boolean(b) && s.Constant(b, true)):
			return "the other side is always the same"
		}
		a, b = b, a
	}
	return ""
}

// kindOf is the type of an expression where its form says it.
func (s *Scopes) kindOf(n syntax.Node) string {
	n = Bare(n)
	switch {
	case s.boolean(n):
		return "boolean"
	case Is(n, "string", "template_string") || Is(n, "unary_expression") && Operator(n) == "typeof" || Is(n, "call_expression") && s.Global(Part(n, 0), "String"):
		return "string"
	case Is(n, "number", "update_expression") || Is(n, "unary_expression") && strings.Contains("+-~", Operator(n)) || Is(n, "call_expression") && s.Global(Part(n, 0), "Number"):
		return "number"
	case Is(n, "null") || s.Global(n, "undefined"):
		return "nothing"
	case s.fresh(n):
		return "object"
	case Is(n, "binary_expression"):
		switch Operator(n) {
		case "-", "*", "/", "%", "|", "&", "^", "<<", ">>", ">>>", "**":
			return "number"
		}
	}
	return ""
}
