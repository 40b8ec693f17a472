package validate

import (
	"maps"
	"slices"
	"strings"

	"caselsp/agent/syntax"
)

// madeText is what is known of a text that a program makes: its literal parts, with
// a hole where something is put in that only the run knows.
type madeText struct {
	known bool   // it is a text at all
	text  string // each hole is one gap
	holes []syntax.Node
}

// gap stands in a value's text for what is unknown. No literal holds it.
const gap = "\x00"

// constant reports whether the whole text is known.
func (v madeText) constant() bool { return v.known && len(v.holes) == 0 }

func (v madeText) plus(w madeText) madeText {
	return madeText{true, v.text + w.text, slices.Concat(v.holes, w.holes)}
}

// written is a value without holes.
func written(text string) madeText {
	return madeText{known: true, text: strings.ReplaceAll(text, gap, "")}
}

const (
	// valueDepth bounds how deep expressions and names are followed.
	valueDepth = 40

	// valueHoles and valueBytes bound what is put together: beyond them a value is
	// unknown. Statements and commands that people write are far smaller.
	valueHoles = 200
	valueBytes = 32 << 10
)

// value folds an expression: literals, concatenation, interpolation, formats,
// and names that were given a value once.
func (n *symbols) value(x syntax.Node) madeText { return n.fold(x, 0) }

// piece is fold where something unknown is one hole.
func (n *symbols) piece(x syntax.Node, depth int) madeText {
	v := n.fold(x, depth)
	if !v.known || len(v.holes) > valueHoles || len(v.text) > valueBytes {
		return madeText{true, gap, []syntax.Node{x}}
	}
	return v
}

// fold is value at a depth. What a node came to is remembered, as names are
// followed again and again; a value that is made of itself (a = a + b) is unknown
// inside of itself.
func (n *symbols) fold(x syntax.Node, depth int) madeText {
	if x.IsZero() || depth > valueDepth {
		return madeText{}
	}
	if v, ok := n.folded.Load(x); ok {
		return v.(madeText)
	}
	n.folded.Store(x, madeText{})
	v := n.foldKind(x, depth+1)
	n.folded.Store(x, v)
	return v
}

func (n *symbols) foldKind(x syntax.Node, depth int) madeText {
	switch x.Kind() {
	case "string", "template_string", "interpreted_string_literal", "raw_string_literal":
		return n.foldString(x, depth)
	case "concatenated_string":
		v := written("")
		for _, c := range namedChildren(x) {
			v = v.plus(n.piece(c, depth))
		}
		return v
	case "integer", "float", "number", "int_literal", "float_literal":
		return madeText{} // known, and no text: see harmlessHole
	case "parenthesized_expression", "await_expression", "as_expression", "non_null_expression", "satisfies_expression":
		return n.fold(firstNamed(x), depth)
	case "binary_operator", "binary_expression":
		return n.foldBinary(x, depth)
	case "call", "call_expression":
		return n.foldCall(x, depth)
	case "identifier":
		return n.foldName(x, depth)
	case "conditional_expression", "ternary_expression":
		return n.foldChoice(x, depth)
	}
	return madeText{}
}

// foldChoice is a value where both arms are constant: either will do.
func (n *symbols) foldChoice(x syntax.Node, depth int) madeText {
	parts := namedChildren(x)
	if len(parts) != 3 {
		return madeText{}
	}
	a, b := parts[0], parts[2]
	if x.Kind() == "ternary_expression" {
		a = parts[1]
	}
	if v, w := n.fold(a, depth), n.fold(b, depth); v.constant() && w.constant() {
		return v
	}
	return madeText{}
}

// foldString reads a literal and what is interpolated into it.
func (n *symbols) foldString(x syntax.Node, depth int) madeText {
	text := x.Text()
	if n.code.Lang == syntax.Python {
		text = strings.TrimLeft(text, "rRbBfFuUtT")
	}
	quote := 1
	if strings.HasPrefix(text, `"""`) || strings.HasPrefix(text, "'''") {
		quote = 3
	}
	if len(text) < 2*quote {
		return written("")
	}
	from := x.End().Offset - len(text) + quote
	to, base := x.End().Offset-quote, x.Start().Offset
	source := x.Text()
	v := written("")
	for c := range x.Children() {
		var hole syntax.Node
		switch c.Kind() {
		case "interpolation", "template_substitution":
			hole = firstNamed(c)
		default:
			continue
		}
		if c.Start().Offset >= from {
			v = v.plus(written(source[from-base : c.Start().Offset-base]))
		}
		if hole.IsZero() {
			v = v.plus(madeText{true, gap, []syntax.Node{c}})
		} else {
			v = v.plus(n.piece(hole, depth))
		}
		from = c.End().Offset
	}
	if to > from {
		v = v.plus(written(source[from-base : to-base]))
	}
	return v
}

// verbPlace is a place in a format of % or Sprintf.
var verbPlace = expr(`%(?:\([^)]*\)|\[\d+\])?[-+ #0]*(?:\d+|\*)?(?:\.(?:\d+|\*))?([a-zA-Z%])`)

func (n *symbols) foldBinary(x syntax.Node, depth int) madeText {
	parts := namedChildren(x)
	if len(parts) != 2 {
		return madeText{}
	}
	switch {
	case !x.Child("+").IsZero():
		v, w := n.fold(parts[0], depth), n.fold(parts[1], depth)
		if !v.known && !w.known {
			return madeText{}
		}
		return n.piece(parts[0], depth).plus(n.piece(parts[1], depth))
	case !x.Child("%").IsZero() && n.code.Lang == syntax.Python:
		if v := n.fold(parts[0], depth); v.known {
			args := []syntax.Node{parts[1]}
			switch parts[1].Kind() {
			case "tuple":
				args = namedChildren(parts[1])
			case "dictionary":
				args = dictValues(parts[1])
			}
			return n.format(v, args, verbPlace, depth)
		}
	case !x.Child("||").IsZero() || !x.Child("??").IsZero():
		return n.foldChoice(x, depth)
	}
	return madeText{}
}

// format fills the places of a format in. A place for a number is none that
// anything else can be put into.
func (n *symbols) format(form madeText, args []syntax.Node, place *expression, depth int) madeText {
	v, last, i := written(""), 0, 0
	holes := form.holes
	keep := func(text string) {
		count := strings.Count(text, gap)
		v = v.plus(madeText{true, text, holes[:count]})
		holes = holes[count:]
	}
	for _, m := range place.FindAllStringSubmatchIndex(form.text) {
		keep(form.text[last:m[0]])
		last = m[1]
		verb := ""
		if m[2] >= 0 {
			verb = form.text[m[2]:m[3]]
		}
		switch {
		case verb == "%":
			v = v.plus(written("%"))
			continue
		case strings.Contains("dioxXfFeEgGcbtTpU", verb) && verb != "":
			v = v.plus(written("0"))
		case i < len(args):
			v = v.plus(n.piece(args[i], depth))
		case len(args) > 0:
			v = v.plus(madeText{true, gap, args[len(args)-1:]})
		default:
			v = v.plus(written(form.text[m[0]:m[1]]))
		}
		i++
	}
	keep(form.text[last:])
	return v
}

// bracePlace is a place in a format of Python's str.format.
var bracePlace = expr(`\{[^{}]*?(?::[^{}]*?([a-zA-Z%])?)?\}`)

// foldCall reads the calls that make texts of texts.
func (n *symbols) foldCall(x syntax.Node, depth int) madeText {
	fn, args := n.call(x)
	if fn.IsZero() {
		return madeText{}
	}
	if n.code.Lang == syntax.Go {
		if name := n.name(fn); strings.HasPrefix(name, "fmt.Sprint") && len(args.list) > 0 {
			if name == "fmt.Sprintf" {
				if form := n.fold(args.list[0], depth); form.known {
					return n.format(form, args.list[1:], verbPlace, depth)
				}
				return madeText{}
			}
			v := written("")
			for _, a := range args.list {
				v = v.plus(n.piece(a, depth))
			}
			return v
		}
	}
	if k := fn.Kind(); k != "attribute" && k != "member_expression" {
		return madeText{}
	}
	parts := namedChildren(fn)
	if len(parts) < 2 {
		return madeText{}
	}
	v := n.fold(parts[0], depth)
	if !v.known {
		return madeText{}
	}
	switch parts[len(parts)-1].Text() {
	case "format":
		list := args.list
		for _, name := range sortedKeys(args.named) {
			list = append(list, args.named[name])
		}
		for _, c := range namedChildren(args.place) {
			if k := c.Kind(); k != "list_splat" && k != "dictionary_splat" {
				continue
			} else if of := firstNamed(c); of.Kind() == "list" || of.Kind() == "tuple" {
				list = append(list, namedChildren(of)...)
			} else if of.Kind() == "dictionary" {
				list = append(list, dictValues(of)...)
			} else {
				list = append(list, c)
			}
		}
		return n.format(v, list, bracePlace, depth)
	case "concat":
		for _, a := range args.list {
			v = v.plus(n.piece(a, depth))
		}
		return v
	case "replace", "replaceAll":
		for _, a := range args.list {
			if !n.fold(a, depth).constant() {
				return v.plus(n.piece(a, depth))
			}
		}
		return v
	case "strip", "lstrip", "rstrip", "lower", "upper", "encode", "decode", "trim", "trimStart", "trimEnd", "toLowerCase", "toUpperCase", "toString", "dedent":
		return v
	}
	return madeText{}
}

// foldName is what a name was given: once, or bit by bit with +=, or in turns
// constants.
func (n *symbols) foldName(x syntax.Node, depth int) madeText {
	list := n.find(x, x.Text())
	if len(list) == 0 || depth > valueDepth/2 {
		return madeText{}
	}
	var v madeText
	for i, b := range list {
		// What stands behind the use and not in a loop around it comes too late.
		if !b.value.IsZero() && b.value.Start().Offset > x.Start().Offset && i > 0 && n.scope(b.value) == n.scope(x) {
			continue
		}
		switch b.how {
		case given:
			w := n.fold(b.value, depth)
			if b.path != "" || !w.known {
				return madeText{}
			}
			if i == 0 || !w.constant() {
				v = w
			}
		case added:
			if !v.known {
				return madeText{}
			}
			v = v.plus(n.piece(b.value, depth))
		case each:
			if !n.constants(b.value, depth) {
				return madeText{}
			}
			v = written("x")
		default:
			return madeText{}
		}
	}
	return v
}

// constants reports whether an expression is a list of constant texts.
func (n *symbols) constants(x syntax.Node, depth int) bool {
	switch x.Kind() {
	case "list", "tuple", "set", "array", "expression_list":
	case "identifier":
		list := n.find(x, x.Text())
		return len(list) == 1 && list[0].how == given && list[0].path == "" && depth < valueDepth && n.constants(list[0].value, depth+10)
	default:
		return false
	}
	for _, c := range namedChildren(x) {
		if !n.fold(c, depth).constant() && c.Kind() != "integer" && c.Kind() != "number" {
			return false
		}
	}
	return true
}

// plain reports whether an expression is written out: a text, a number, None, or
// a list of such.
func (n *symbols) plain(x syntax.Node) bool {
	if x.IsZero() {
		return true
	}
	switch x.Kind() {
	case "integer", "float", "number", "int_literal", "float_literal", "true", "false", "none", "null", "undefined", "nil", "regex":
		return true
	}
	return n.value(x).constant() || n.constants(x, 0)
}

// dictValues returns the values of a dictionary that is written out.
func dictValues(x syntax.Node) []syntax.Node {
	var list []syntax.Node
	for _, pair := range namedChildren(x) {
		if l := namedChildren(pair); len(l) > 0 {
			list = append(list, l[len(l)-1])
		}
	}
	return list
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
