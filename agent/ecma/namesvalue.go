package ecma

import (
	"maps"
	"slices"
	"strings"

	"caselsp/agent/syntax"
	"caselsp/store/lazyregexp"
)

// BuiltText is what is known of a text that a program makes: its literal parts, with
// a hole where something is put in that only the run knows.
type BuiltText struct {
	Known bool   // it is a text at all
	Text  string // each hole is one gap
	Holes []syntax.Node
}

// Gap stands in a value's text for what is unknown. No literal holds it.
const Gap = "\x00"

// Constant reports whether the whole text is known.
func (v BuiltText) Constant() bool { return v.Known && len(v.Holes) == 0 }

func (v BuiltText) plus(w BuiltText) BuiltText {
	return BuiltText{true, v.Text + w.Text, slices.Concat(v.Holes, w.Holes)}
}

// written is a value without holes.
func written(text string) BuiltText {
	return BuiltText{Known: true, Text: strings.ReplaceAll(text, Gap, "")}
}

const (
	// valueDepth bounds how deep expressions and names are followed.
	valueDepth = 40

	// valueHoles and valueBytes bound what is put together: beyond them a value is
	// unknown. Statements and commands that people write are far smaller.
	valueHoles = 200
	valueBytes = 32 << 10
)

// Value folds an expression: literals, concatenation, interpolation, formats,
// and names that were given a value once.
func (n *QualifiedNames) Value(x syntax.Node) BuiltText { return n.fold(x, 0) }

// piece is fold where something unknown is one hole.
func (n *QualifiedNames) piece(x syntax.Node, depth int) BuiltText {
	v := n.fold(x, depth)
	if !v.Known || len(v.Holes) > valueHoles || len(v.Text) > valueBytes {
		return BuiltText{true, Gap, []syntax.Node{x}}
	}
	return v
}

// fold is value at a depth. What a node came to is remembered, as names are
// followed again and again; a value that is made of itself (a = a + b) is unknown
// inside of itself.
func (n *QualifiedNames) fold(x syntax.Node, depth int) BuiltText {
	if x.IsZero() || depth > valueDepth {
		return BuiltText{}
	}
	if v, ok := n.folded.Load(x); ok {
		return v.(BuiltText)
	}
	n.folded.Store(x, BuiltText{})
	v := n.foldKind(x, depth+1)
	n.folded.Store(x, v)
	return v
}

func (n *QualifiedNames) foldKind(x syntax.Node, depth int) BuiltText {
	switch x.Kind() {
	case "string", "template_string", "interpreted_string_literal", "raw_string_literal":
		return n.foldString(x, depth)
	case "concatenated_string":
		v := written("")
		for _, c := range NamedChildren(x) {
			v = v.plus(n.piece(c, depth))
		}
		return v
	case "integer", "float", "number", "int_literal", "float_literal":
		return BuiltText{} // known, and no text: see harmlessHole
	case "parenthesized_expression", "await_expression", "as_expression", "non_null_expression", "satisfies_expression":
		return n.fold(FirstNamed(x), depth)
	case "binary_operator", "binary_expression":
		return n.foldBinary(x, depth)
	case "call", "call_expression":
		return n.foldCall(x, depth)
	case "identifier":
		return n.foldName(x, depth)
	case "conditional_expression", "ternary_expression":
		return n.foldChoice(x, depth)
	}
	return BuiltText{}
}

// foldChoice is a value where both arms are constant: either will do.
func (n *QualifiedNames) foldChoice(x syntax.Node, depth int) BuiltText {
	parts := NamedChildren(x)
	if len(parts) != 3 {
		return BuiltText{}
	}
	a, b := parts[0], parts[2]
	if x.Kind() == "ternary_expression" {
		a = parts[1]
	}
	if v, w := n.fold(a, depth), n.fold(b, depth); v.Constant() && w.Constant() {
		return v
	}
	return BuiltText{}
}

// foldString reads a literal and what is interpolated into it.
func (n *QualifiedNames) foldString(x syntax.Node, depth int) BuiltText {
	text := x.Text()
	if n.Code.Lang == syntax.Python {
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
			hole = FirstNamed(c)
		default:
			continue
		}
		if c.Start().Offset >= from {
			v = v.plus(written(source[from-base : c.Start().Offset-base]))
		}
		if hole.IsZero() {
			v = v.plus(BuiltText{true, Gap, []syntax.Node{c}})
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
var verbPlace = lazyregexp.New(`%(?:\([^)]*\)|\[\d+\])?[-+ #0]*(?:\d+|\*)?(?:\.(?:\d+|\*))?([a-zA-Z%])`)

func (n *QualifiedNames) foldBinary(x syntax.Node, depth int) BuiltText {
	parts := NamedChildren(x)
	if len(parts) != 2 {
		return BuiltText{}
	}
	switch {
	case !x.Child("+").IsZero():
		v, w := n.fold(parts[0], depth), n.fold(parts[1], depth)
		if !v.Known && !w.Known {
			return BuiltText{}
		}
		return n.piece(parts[0], depth).plus(n.piece(parts[1], depth))
	case !x.Child("%").IsZero() && n.Code.Lang == syntax.Python:
		if v := n.fold(parts[0], depth); v.Known {
			args := []syntax.Node{parts[1]}
			switch parts[1].Kind() {
			case "tuple":
				args = NamedChildren(parts[1])
			case "dictionary":
				args = dictValues(parts[1])
			}
			return n.format(v, args, verbPlace, depth)
		}
	case !x.Child("||").IsZero() || !x.Child("??").IsZero():
		return n.foldChoice(x, depth)
	}
	return BuiltText{}
}

// format fills the places of a format in. A place for a number is none that
// anything else can be put into.
func (n *QualifiedNames) format(form BuiltText, args []syntax.Node, place *lazyregexp.Regexp, depth int) BuiltText {
	v, last, i := written(""), 0, 0
	holes := form.Holes
	keep := func(text string) {
		count := strings.Count(text, Gap)
		v = v.plus(BuiltText{true, text, holes[:count]})
		holes = holes[count:]
	}
	for _, m := range place.FindAllStringSubmatchIndex(form.Text, -1) {
		keep(form.Text[last:m[0]])
		last = m[1]
		verb := ""
		if m[2] >= 0 {
			verb = form.Text[m[2]:m[3]]
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
			v = v.plus(BuiltText{true, Gap, args[len(args)-1:]})
		default:
			v = v.plus(written(form.Text[m[0]:m[1]]))
		}
		i++
	}
	keep(form.Text[last:])
	return v
}

// bracePlace is a place in a format of Python's str.format.
var bracePlace = lazyregexp.New(`\{[^{}]*?(?::[^{}]*?([a-zA-Z%])?)?\}`)

// foldCall reads the calls that make texts of texts.
func (n *QualifiedNames) foldCall(x syntax.Node, depth int) BuiltText {
	fn, args := n.Call(x)
	if fn.IsZero() {
		return BuiltText{}
	}
	if n.Code.Lang == syntax.Go {
		if name := n.Name(fn); strings.HasPrefix(name, "fmt.Sprint") && len(args.List) > 0 {
			if name == "fmt.Sprintf" {
				if form := n.fold(args.List[0], depth); form.Known {
					return n.format(form, args.List[1:], verbPlace, depth)
				}
				return BuiltText{}
			}
			v := written("")
			for _, a := range args.List {
				v = v.plus(n.piece(a, depth))
			}
			return v
		}
	}
	if k := fn.Kind(); k != "attribute" && k != "member_expression" {
		return BuiltText{}
	}
	parts := NamedChildren(fn)
	if len(parts) < 2 {
		return BuiltText{}
	}
	v := n.fold(parts[0], depth)
	if !v.Known {
		return BuiltText{}
	}
	switch parts[len(parts)-1].Text() {
	case "format":
		list := args.List
		for _, name := range sortedKeys(args.Named) {
			list = append(list, args.Named[name])
		}
		for _, c := range NamedChildren(args.place) {
			if k := c.Kind(); k != "list_splat" && k != "dictionary_splat" {
				continue
			} else if of := FirstNamed(c); of.Kind() == "list" || of.Kind() == "tuple" {
				list = append(list, NamedChildren(of)...)
			} else if of.Kind() == "dictionary" {
				list = append(list, dictValues(of)...)
			} else {
				list = append(list, c)
			}
		}
		return n.format(v, list, bracePlace, depth)
	case "concat":
		for _, a := range args.List {
			v = v.plus(n.piece(a, depth))
		}
		return v
	case "replace", "replaceAll":
		for _, a := range args.List {
			if !n.fold(a, depth).Constant() {
				return v.plus(n.piece(a, depth))
			}
		}
		return v
	case "strip", "lstrip", "rstrip", "lower", "upper", "encode", "decode", "trim", "trimStart", "trimEnd", "toLowerCase", "toUpperCase", "toString", "dedent":
		return v
	}
	return BuiltText{}
}

// foldName is what a name was given: once, or bit by bit with +=, or in turns
// constants.
func (n *QualifiedNames) foldName(x syntax.Node, depth int) BuiltText {
	list := n.Find(x, x.Text())
	if len(list) == 0 || depth > valueDepth/2 {
		return BuiltText{}
	}
	var v BuiltText
	for i, b := range list {
		// What stands behind the use and not in a loop around it comes too late.
		if !b.Value.IsZero() && b.Value.Start().Offset > x.Start().Offset && i > 0 && n.scope(b.Value) == n.scope(x) {
			continue
		}
		switch b.Way {
		case ByAssignment:
			w := n.fold(b.Value, depth)
			if b.Path != "" || !w.Known {
				return BuiltText{}
			}
			if i == 0 || !w.Constant() {
				v = w
			}
		case ByAddition:
			if !v.Known {
				return BuiltText{}
			}
			v = v.plus(n.piece(b.Value, depth))
		case ByLoop:
			if !n.constants(b.Value, depth) {
				return BuiltText{}
			}
			v = written("x")
		default:
			return BuiltText{}
		}
	}
	return v
}

// constants reports whether an expression is a list of constant texts.
func (n *QualifiedNames) constants(x syntax.Node, depth int) bool {
	switch x.Kind() {
	case "list", "tuple", "set", "array", "expression_list":
	case "identifier":
		list := n.Find(x, x.Text())
		return len(list) == 1 && list[0].Way == ByAssignment && list[0].Path == "" && depth < valueDepth && n.constants(list[0].Value, depth+10)
	default:
		return false
	}
	for _, c := range NamedChildren(x) {
		if !n.fold(c, depth).Constant() && c.Kind() != "integer" && c.Kind() != "number" {
			return false
		}
	}
	return true
}

// Plain reports whether an expression is written out: a text, a number, None, or
// a list of such.
func (n *QualifiedNames) Plain(x syntax.Node) bool {
	if x.IsZero() {
		return true
	}
	switch x.Kind() {
	case "integer", "float", "number", "int_literal", "float_literal", "true", "false", "none", "null", "undefined", "nil", "regex":
		return true
	}
	return n.Value(x).Constant() || n.constants(x, 0)
}

// dictValues returns the values of a dictionary that is written out.
func dictValues(x syntax.Node) []syntax.Node {
	var list []syntax.Node
	for _, pair := range NamedChildren(x) {
		if l := NamedChildren(pair); len(l) > 0 {
			list = append(list, l[len(l)-1])
		}
	}
	return list
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
