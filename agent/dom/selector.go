package dom

import "strings"

// Selector is a complex selector: compounds with combinators between them.
type Selector struct {
	Compounds  []Compound
	Start, End int
	Valid      bool // all of it was understood
}

// Compound is a compound selector, such as a.nav:hover.
type Compound struct {
	Combinator byte   // before it: ' ', '>', '+', '~'; 0 before the first
	Tag        string // lower case; "" or "*" for any
	ID         string
	Classes    []string
	Attrs      []AttrTest
	Pseudos    []Pseudo
	Nesting    bool // it holds &
	Start, End int
	ClassAt    []int // where each class's name begins
	IDAt       int
}

// AttrTest is a test of an attribute.
type AttrTest struct {
	Name, Op, Value string // Op is "", "=", "~=", "|=", "^=", "$=" or "*="
	Fold            bool   // letters' case does not count
}

// Pseudo is a pseudo-class or a pseudo-element.
type Pseudo struct {
	Name    string // lower case, without colons
	Element bool
	Arg     string
	Args    []*Selector // of :is, :where, :not, :has
}

// ParseSelectors reads a list of selectors that begins at offset base.
func ParseSelectors(text string, base int) []*Selector {
	var list []*Selector
	tokens := Tokens(text, base)
	from, level := 0, 0
	for i := 0; i <= len(tokens); i++ {
		if i < len(tokens) {
			t := tokens[i]
			if t.Kind == Function || t.Kind == Mark && (t.Text == "(" || t.Text == "[") {
				level++
			} else if t.Kind == Mark && (t.Text == ")" || t.Text == "]") {
				level--
			}
			if t.Kind != Mark || t.Text != "," || level > 0 {
				continue
			}
		}
		if s := parseSelector(tokens[from:i]); s != nil {
			list = append(list, s)
		}
		from = i + 1
	}
	return list
}

func parseSelector(tokens []Token) *Selector {
	for len(tokens) > 0 && (tokens[0].Kind == White || tokens[0].Kind == Remark) {
		tokens = tokens[1:]
	}
	for len(tokens) > 0 && (tokens[len(tokens)-1].Kind == White || tokens[len(tokens)-1].Kind == Remark) {
		tokens = tokens[:len(tokens)-1]
	}
	if len(tokens) == 0 {
		return nil
	}
	s := &Selector{Start: tokens[0].Start, End: tokens[len(tokens)-1].End, Valid: true}
	c := Compound{Start: s.Start}
	started := false
	flush := func() {
		if started {
			s.Compounds = append(s.Compounds, c)
		}
		c, started = Compound{}, false
	}
	for i := 0; i < len(tokens); {
		t := tokens[i]
		switch {
		case t.Kind == Remark:
			i++
			continue
		case t.Kind == White || t.Kind == Mark && (t.Text == ">" || t.Text == "+" || t.Text == "~"):
			flush()
			if t.Kind == White && c.Combinator == 0 {
				c.Combinator = ' '
			} else if t.Kind == Mark {
				c.Combinator = t.Text[0]
			}
			for i++; i < len(tokens) && (tokens[i].Kind == White || tokens[i].Kind == Remark || tokens[i].Kind == Mark && (tokens[i].Text == ">" || tokens[i].Text == "+" || tokens[i].Text == "~")); i++ {
				if tokens[i].Kind == Mark {
					c.Combinator = tokens[i].Text[0]
				}
			}
			if i < len(tokens) {
				c.Start = tokens[i].Start
			}
			continue
		}
		used := c.simple(tokens[i:])
		if used == 0 {
			s.Valid = false
			used = 1
		}
		started = true
		i += used
		c.End = tokens[i-1].End
	}
	flush()
	return s
}

// simple reads one simple selector and returns how many tokens it took; 0 where there is none.
func (c *Compound) simple(tokens []Token) int {
	t := tokens[0]
	switch {
	case t.Kind == Ident || t.Kind == Mark && t.Text == "*":
		c.Tag = lower(t.Text)
		return 1
	case t.Kind == Mark && t.Text == "&":
		c.Nesting = true
		return 1
	case t.Kind == Hash:
		c.ID, c.IDAt = unescape(t.Text[1:]), t.Start+1
		return 1
	case t.Kind == Mark && t.Text == "." && len(tokens) > 1 && tokens[1].Kind == Ident:
		c.Classes, c.ClassAt = append(c.Classes, unescape(tokens[1].Text)), append(c.ClassAt, tokens[1].Start)
		return 2
	case t.Kind == Mark && t.Text == "[":
		return c.attribute(tokens)
	case t.Kind == Mark && t.Text == ":":
		return c.pseudo(tokens)
	}
	return 0
}

func (c *Compound) attribute(tokens []Token) int {
	var parts []string
	for i, t := range tokens[1:] {
		switch {
		case t.Kind == White || t.Kind == Remark:
			continue
		case t.Kind == Mark && t.Text == "]":
			test := AttrTest{}
			if len(parts) > 0 {
				test.Name = lower(parts[0])
			}
			j := 1
			for ; j < len(parts) && len(parts[j]) == 1 && strings.Contains("=~|^$*", parts[j]); j++ {
				test.Op += parts[j]
			}
			if j < len(parts) {
				test.Value = parts[j]
			}
			test.Fold = j+1 < len(parts) && strings.EqualFold(parts[j+1], "i")
			c.Attrs = append(c.Attrs, test)
			return i + 2
		case t.Kind == String:
			parts = append(parts, unescape(strings.Trim(t.Text, t.Text[:1])))
		default:
			parts = append(parts, unescape(t.Text))
		}
	}
	return 0
}

// nestedPseudos take selectors.
var nestedPseudos = set("is where not has matches any -webkit-any -moz-any host host-context slotted cue")

func (c *Compound) pseudo(tokens []Token) int {
	i, p := 1, Pseudo{}
	if i < len(tokens) && tokens[i].Kind == Mark && tokens[i].Text == ":" {
		p.Element = true
		i++
	}
	if i >= len(tokens) {
		return 0
	}
	t := tokens[i]
	p.Name = lower(strings.TrimSuffix(t.Text, "("))
	switch t.Kind {
	case Ident:
		p.Element = p.Element || p.Name == "before" || p.Name == "after" || p.Name == "first-line" || p.Name == "first-letter"
		c.Pseudos = append(c.Pseudos, p)
		return i + 1
	case Function:
		level := 1
		for j := i + 1; j < len(tokens); j++ {
			if x := tokens[j]; x.Kind == Function || x.Kind == Mark && x.Text == "(" {
				level++
			} else if x.Kind == Mark && x.Text == ")" {
				level--
			}
			if level == 0 {
				p.args(tokens[i+1 : j])
				c.Pseudos = append(c.Pseudos, p)
				return j + 1
			}
		}
	}
	return 0
}

func (p *Pseudo) args(tokens []Token) {
	if len(tokens) == 0 {
		return
	}
	var b strings.Builder
	for _, t := range tokens {
		b.WriteString(t.Text)
	}
	p.Arg = strings.TrimSpace(b.String())
	if nestedPseudos[p.Name] {
		p.Args = ParseSelectors(b.String(), tokens[0].Start)
	}
}

// unescape resolves the escapes of a name: .w-1\/2 is the class w-1/2.
func unescape(s string) string {
	if strings.IndexByte(s, '\\') < 0 {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			b.WriteByte(s[i])
			continue
		}
		i++
		code, n := rune(0), 0
		for n < 6 && i+n < len(s) && hex(s[i+n]) >= 0 {
			code = code<<4 | rune(hex(s[i+n]))
			n++
		}
		if n == 0 {
			b.WriteByte(s[i])
			continue
		}
		b.WriteRune(code)
		i += n - 1
		if i+1 < len(s) && blank(s[i+1]) {
			i++
		}
	}
	return b.String()
}

func hex(c byte) int {
	switch {
	case digit(c):
		return int(c - '0')
	case 'a' <= c && c <= 'f':
		return int(c-'a') + 10
	case 'A' <= c && c <= 'F':
		return int(c-'A') + 10
	}
	return -1
}
