package dom

import (
	"strconv"
	"strings"

	"caselsp/agent/syntax"
)

// matchSteps bounds the work on one value: syntaxes with || try many orders.
// Values of people take below 2,000; one that takes more is let pass.
const matchSteps = 50_000

// matcher tries a value against a syntax, going back where a way does not lead on.
type matcher struct {
	known  *CSSNames
	tokens []Token
	steps  int
}

// Fits reports whether a property may have a value, and true wherever that is
// not certain: what a variable, a vendor or a later CSS brings is unknown.
func (k *CSSNames) Fits(property, value string) bool {
	return k.Suits(k.Properties[property], value)
}

// Suits reports whether a value may be of a syntax, see fits.
func (k *CSSNames) Suits(syntax, value string) bool {
	if syntax == "" {
		return true
	}
	m := &matcher{known: k}
	m.tokens = Significant(value, 0)
	for i, t := range m.tokens {
		// A colour made of another one, rgb(from …), has calculations of any shape.
		if !k.familiar(t) || i > 0 && strings.EqualFold(t.Text, "from") && m.tokens[i-1].Kind == Function && !strings.Contains(m.tokens[i-1].Text, "gradient") {
			return true
		}
	}
	if len(m.tokens) == 0 || len(m.tokens) == 1 && cssWide[strings.ToLower(m.tokens[0].Text)] {
		return true
	}
	return m.match(k.grammar(syntax), 0, func(at int) bool { return at == len(m.tokens) })
}

var (
	cssWide = syntax.WordSet("inherit initial unset revert revert-layer")
	// CSSMath are the functions that may stand for any number.
	CSSMath = syntax.WordSet("calc min max clamp round mod rem sin cos tan asin acos atan atan2 pow sqrt hypot log exp abs sign anchor anchor-size progress sibling-index sibling-count")
	// cssLate are the functions that browsers resolve after parsing: their values have any shape.
	cssLate = syntax.WordSet("calc-size var env attr constant if inherit random random-item first-valid")
)

// familiar reports whether the table can judge values with the token.
func (k *CSSNames) familiar(t Token) bool {
	switch t.Kind {
	case Function:
		name := strings.ToLower(t.Text[:len(t.Text)-1])
		return !cssLate[name] && (CSSMath[name] || k.functions[name])
	case Ident:
		return t.Text[0] != '-' && t.Text[0] != '_' && !strings.Contains(t.Text, "\\")
	case Mark:
		return strings.Contains(",/()+-*", t.Text)
	case AtKeyword:
		return false
	}
	return true
}

// match calls then with the place behind each way in which g matches at a
// place, until it returns true.
func (m *matcher) match(g *grammar, at int, then func(int) bool) bool {
	if m.steps++; m.steps > matchSteps {
		return true
	}
	switch g.kind {
	case oneWord:
		return m.word(g.text, at, then)
	case oneCall:
		return at < len(m.tokens) && m.tokens[at].Kind == Function && strings.EqualFold(strings.TrimSuffix(m.tokens[at].Text, "("), g.text) && then(at+1)
	case oneType:
		return m.typed(g, at, then)
	case inOrder:
		return m.order(g.parts, at, then)
	case eitherOf:
		for _, part := range g.parts {
			if m.match(part, at, then) {
				return true
			}
		}
		return false
	case anyOrder, someOf:
		return m.choose(g, 0, at, then)
	case notEmpty:
		return m.match(g.parts[0], at, func(end int) bool { return end > at && then(end) })
	}
	return m.repeat(g, 0, at, then)
}

func (m *matcher) order(parts []*grammar, at int, then func(int) bool) bool {
	if len(parts) == 0 {
		return then(at)
	}
	return m.match(parts[0], at, func(end int) bool { return m.order(parts[1:], end, then) })
}

// choose matches parts in any order: all of them for &&, one or more for ||.
func (m *matcher) choose(g *grammar, taken uint64, at int, then func(int) bool) bool {
	for i, part := range g.parts {
		if taken&(1<<i) != 0 {
			continue
		}
		if m.match(part, at, func(end int) bool {
			return (g.kind == anyOrder || end > at) && m.choose(g, taken|1<<i, end, then)
		}) {
			return true
		}
	}
	if g.kind == someOf && taken == 0 || g.kind == anyOrder && taken != 1<<len(g.parts)-1 {
		return false
	}
	return then(at)
}

func (m *matcher) repeat(g *grammar, count, at int, then func(int) bool) bool {
	from := at
	again := count < g.max
	if again && g.commas && count > 0 {
		again = at < len(m.tokens) && m.tokens[at].Text == ","
		from = at + 1
	}
	if again && m.match(g.parts[0], from, func(end int) bool { return end > from && m.repeat(g, count+1, end, then) }) {
		return true
	}
	return count >= g.min && then(at)
}

// word matches a keyword or a mark. A comma may be left out where nothing
// stands on one side of it, as css-values-4 says.
func (m *matcher) word(text string, at int, then func(int) bool) bool {
	if at < len(m.tokens) && strings.EqualFold(m.tokens[at].Text, text) {
		return then(at + 1)
	}
	if text != "," {
		return false
	}
	before := at == 0 || m.tokens[at-1].Text == "," || m.tokens[at-1].Kind == Function
	after := at == len(m.tokens) || m.tokens[at].Text == ")"
	return (before || after) && then(at)
}

// typed matches a type: one that is a syntax of its own, or one of tokens.
func (m *matcher) typed(g *grammar, at int, then func(int) bool) bool {
	name := g.text
	if property, ok := strings.CutPrefix(name, "'"); ok {
		if syntax := m.known.Properties[strings.TrimSuffix(property, "'")]; syntax != "" {
			return m.match(m.known.grammar(syntax), at, then)
		}
		return m.anything(at, then)
	}
	if syntax := m.known.types[name]; syntax != "" && !(name == "integer" && m.mathAt(at)) {
		inner := m.known.grammar(syntax)
		if g.bounded && (name == "length-percentage" || name == "integer") {
			return m.match(boundAll(inner, g), at, then)
		}
		return m.match(inner, at, then)
	}
	if at >= len(m.tokens) {
		return !tokenTypes[name] && then(at)
	}
	if !tokenTypes[name] {
		return m.anything(at, then)
	}
	t := m.tokens[at]
	if numeric[name] && m.mathAt(at) {
		end := m.closing(at)
		return (name == "number" || name == "integer" || !m.plainNumber(at, end)) && then(end)
	}
	return isToken(name, t) && (!g.bounded || aboveFloor(t, g.floor)) && then(at+1)
}

// mathAt reports whether a calculation begins at a place.
func (m *matcher) mathAt(at int) bool {
	if at >= len(m.tokens) || m.tokens[at].Kind != Function {
		return false
	}
	t := m.tokens[at]
	return CSSMath[strings.ToLower(t.Text[:len(t.Text)-1])]
}

// plainNumber reports whether a calculation has nothing but numbers in it, so
// that its result can be no length.
func (m *matcher) plainNumber(at, end int) bool {
	for _, t := range m.tokens[at:min(end, len(m.tokens))] {
		if t.Kind != Number && t.Kind != Mark && !strings.EqualFold(t.Text, "calc(") {
			return false
		}
	}
	return true
}

// boundAll gives each part of a choice of numbers the bounds of the whole.
func boundAll(g, by *grammar) *grammar {
	parts := make([]*grammar, len(g.parts))
	for i, part := range g.parts {
		b := *part
		b.floor, b.bounded = by.floor, by.bounded
		parts[i] = &b
	}
	b := *g
	b.parts = parts
	if g.kind == oneType {
		b.floor, b.bounded = by.floor, by.bounded
	}
	return &b
}

// anything matches any number of tokens: the table does not know the type.
func (m *matcher) anything(at int, then func(int) bool) bool {
	for end := len(m.tokens); end >= at; end-- {
		if then(end) {
			return true
		}
	}
	return false
}

// closing returns the place behind the bracket that closes the function at a place.
func (m *matcher) closing(at int) int {
	level := 0
	for ; at < len(m.tokens); at++ {
		switch t := m.tokens[at]; {
		case t.Kind == Function || t.Text == "(":
			level++
		case t.Text == ")":
			if level--; level == 0 {
				return at + 1
			}
		}
	}
	return at
}

var (
	tokenTypes = syntax.WordSet(`length percentage number integer number-token angle time frequency resolution flex dimension zero x y top right bottom left
		string url ident custom-ident dashed-ident ident-token hex-color custom-property-name`)
	numeric = syntax.WordSet("length percentage number integer angle time frequency resolution flex dimension x y")
)

func isToken(name string, t Token) bool {
	switch name {
	case "string":
		return t.Kind == String
	case "url":
		return t.Kind == URL
	case "ident", "custom-ident", "ident-token":
		return t.Kind == Ident
	case "dashed-ident", "custom-property-name":
		return t.Kind == Ident && strings.HasPrefix(t.Text, "--")
	case "hex-color":
		return t.Kind == Hash // a wrong one has a rule of its own
	case "number", "number-token", "x", "y":
		return t.Kind == Number
	case "integer":
		return t.Kind == Number && !strings.ContainsAny(t.Text, ".eE")
	case "percentage":
		return t.Kind == Percent
	case "zero":
		return IsZero(t)
	case "length":
		return IsZero(t) || unitIs(t, "length")
	case "top", "right", "bottom", "left":
		return IsZero(t) || unitIs(t, "length") || strings.EqualFold(t.Text, "auto")
	case "dimension":
		return t.Kind == Dimension
	}
	return unitIs(t, name)
}

// IsZero reports whether a token is the number 0 without a unit.
func IsZero(t Token) bool {
	n, err := strconv.ParseFloat(t.Text, 64)
	return t.Kind == Number && err == nil && n == 0
}

// CSSUnits are the units of css-values-4 and css-contain-3, by what they measure.
var CSSUnits = func() map[string]string {
	units := map[string]string{}
	for kind, list := range map[string]string{
		"length": `px cm mm q in pc pt em rem ex rex cap rcap ch rch ic ric lh rlh vw svw lvw dvw vh svh lvh dvh vi svi lvi dvi vb svb lvb dvb
			vmin svmin lvmin dvmin vmax svmax lvmax dvmax cqw cqh cqi cqb cqmin cqmax`,
		"angle": "deg grad rad turn", "time": "s ms", "frequency": "hz khz", "resolution": "dpi dpcm dppx x", "flex": "fr",
		"decibel": "db", "semitones": "st",
	} {
		for unit := range syntax.WordSet(list) {
			units[unit] = kind
		}
	}
	return units
}()

// unitIs reports whether a dimension measures a kind of thing. One whose unit is
// not known does: that has a rule of its own, and one mistake is one finding.
func unitIs(t Token, kind string) bool {
	if t.Kind != Dimension {
		return false
	}
	_, unit := t.Unit()
	return CSSUnits[unit] == kind || CSSUnits[unit] == ""
}

func aboveFloor(t Token, floor float64) bool {
	number, _ := t.Unit()
	n, err := strconv.ParseFloat(number, 64)
	return err != nil || n >= floor
}
