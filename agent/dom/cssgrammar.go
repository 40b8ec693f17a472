package dom

import (
	_ "embed"
	"strconv"
	"strings"
	"sync"
)

// cssTable holds the CSS that browsers know; its head says where it is from.
//
//go:embed css_table.txt
var cssTable string

// CSSNames is the table, taken apart when it is first asked for.
type CSSNames struct {
	Properties  map[string]string            // syntax by name; "" where any value passes
	Descriptors map[string]map[string]string // syntax by at-rule and name
	types       map[string]string            // syntax by name; functions with their ()
	AtRules     map[string]bool
	Pseudos     map[string]bool   // with their colons
	features    map[string]string // syntax by name of the feature of media queries; "" where any value passes
	Elements    map[string]bool   // of HTML, SVG and MathML
	functions   map[string]bool   // that a syntax has

	mu     sync.Mutex
	parsed map[string]*grammar // by syntax
}

// KnownCSS returns what CSS defines: properties, at-rules, selectors and the
// syntax of their values. It is read when it is first asked for.
var KnownCSS = sync.OnceValue(func() *CSSNames {
	k := &CSSNames{
		Properties: map[string]string{}, Descriptors: map[string]map[string]string{}, types: map[string]string{},
		AtRules: map[string]bool{}, Pseudos: map[string]bool{}, features: map[string]string{}, Elements: map[string]bool{}, functions: map[string]bool{}, parsed: map[string]*grammar{},
	}
	for line := range strings.Lines(cssTable) {
		k.calls(line)
		kind, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		name, syntax, _ := strings.Cut(rest, " ")
		switch kind {
		case "p":
			k.Properties[name] = syntax
		case "d":
			at, descriptor, _ := strings.Cut(name, "/")
			if k.Descriptors[at] == nil {
				k.Descriptors[at] = map[string]string{}
			}
			k.Descriptors[at][descriptor] = syntax
		case "t":
			k.types[name] = syntax
		case "a":
			k.AtRules[name] = true
		case "s":
			k.Pseudos[name] = true
		case "f":
			k.features[name] = syntax
		case "e":
			k.Elements[name] = true
		}
	}
	for _, name := range HTMLElements {
		k.Elements[name] = true
	}
	for name := range ObsoleteElements {
		k.Elements[name] = true
	}
	return k
})

// calls notes the functions of a line of the table.
func (k *CSSNames) calls(line string) {
	if line[0] == '#' {
		return
	}
	for i := range len(line) {
		if line[i] != '(' {
			continue
		}
		start := i
		for start > 0 && (line[start-1] == '-' || 'a' <= line[start-1] && line[start-1] <= 'z' || 'A' <= line[start-1] && line[start-1] <= 'Z' || '0' <= line[start-1] && line[start-1] <= '9') {
			start--
		}
		k.functions[strings.ToLower(line[start:i])] = true
	}
}

// grammar returns a syntax as a tree; it is parsed once.
func (k *CSSNames) grammar(syntax string) *grammar {
	k.mu.Lock()
	defer k.mu.Unlock()
	g := k.parsed[syntax]
	if g == nil {
		p := grammarParser{text: syntax}
		g = p.alternatives()
		k.parsed[syntax] = g
	}
	return g
}

// grammarKind says what a part of a syntax is.
type grammarKind uint8

const (
	oneWord  grammarKind = iota // a keyword, or a mark such as , or /
	oneCall                     // rgb(
	oneType                     // <length>, <'margin-top'>
	inOrder                     // a b
	anyOrder                    // a && b
	someOf                      // a || b
	eitherOf                    // a | b
	repeated                    // a{1,4}, a#, a?
	notEmpty                    // [ a? b? ]!
)

// grammar is a part of a syntax in CSS's value definition syntax.
type grammar struct {
	kind     grammarKind
	text     string // of words, calls and types
	parts    []*grammar
	min, max int  // of repeated
	commas   bool // between the repetitions
	floor    float64
	bounded  bool // numbers below floor do not match
}

// endless stands for the upper bound of a*: no value is as long.
const endless = 1 << 20

type grammarParser struct {
	text string
	at   int
}

func (p *grammarParser) blanks() {
	for p.at < len(p.text) && p.text[p.at] == ' ' {
		p.at++
	}
}

func (p *grammarParser) has(mark string) bool {
	p.blanks()
	return strings.HasPrefix(p.text[p.at:], mark)
}

func (p *grammarParser) eat(mark string) bool {
	if p.has(mark) {
		p.at += len(mark)
		return true
	}
	return false
}

// list reads parts with a mark between them.
func (p *grammarParser) list(kind grammarKind, mark string, part func() *grammar) *grammar {
	g := &grammar{kind: kind, parts: []*grammar{part()}}
	for p.has(mark) && (mark != "|" || !p.has("||")) && p.eat(mark) {
		g.parts = append(g.parts, part())
	}
	if len(g.parts) == 1 {
		return g.parts[0]
	}
	return g
}

func (p *grammarParser) alternatives() *grammar {
	return p.list(eitherOf, "|", func() *grammar {
		return p.list(someOf, "||", func() *grammar {
			return p.list(anyOrder, "&&", p.sequence)
		})
	})
}

func (p *grammarParser) sequence() *grammar {
	g := &grammar{kind: inOrder}
	for p.blanks(); p.at < len(p.text) && !p.has("]") && !p.has(")") && !p.has("|") && !p.has("&&"); p.blanks() {
		g.parts = append(g.parts, p.multiplied())
	}
	if len(g.parts) == 1 {
		return g.parts[0]
	}
	return g
}

// multiplied reads a term and what stands behind it: ? * + # {2} !
func (p *grammarParser) multiplied() *grammar {
	g := p.term()
	for p.at < len(p.text) {
		r := &grammar{kind: repeated, parts: []*grammar{g}, min: 1, max: 1}
		switch p.text[p.at] {
		case '?':
			r.min = 0
		case '*':
			r.min, r.max = 0, endless
		case '+':
			r.max = endless
		case '!':
			r.kind = notEmpty
		case '#':
			r.max, r.commas = endless, true
			if strings.HasPrefix(p.text[p.at+1:], "{") {
				p.at++
				p.bounds(r)
			}
		case '{':
			p.bounds(r)
		default:
			return g
		}
		p.at++
		g = r
	}
	return g
}

// bounds reads {2}, {1,4} or {2,} up to its brace.
func (p *grammarParser) bounds(r *grammar) {
	end := strings.IndexByte(p.text[p.at:], '}')
	if end < 0 {
		return
	}
	low, high, comma := strings.Cut(p.text[p.at+1:p.at+end], ",")
	p.at += end
	r.min, _ = strconv.Atoi(strings.TrimSpace(low))
	r.max = r.min
	if comma {
		r.max = endless
		if n, err := strconv.Atoi(strings.TrimSpace(high)); err == nil {
			r.max = n
		}
	}
}

func (p *grammarParser) term() *grammar {
	p.blanks()
	switch c := p.text[p.at]; {
	case c == '[':
		p.at++
		g := p.alternatives()
		p.eat("]")
		return g
	case c == '<':
		return p.typed()
	case c == '\'':
		end := strings.IndexByte(p.text[p.at+1:], '\'')
		g := &grammar{kind: oneWord, text: p.text[p.at+1 : p.at+1+end]}
		p.at += end + 2
		return g
	case c == ',' || c == '/' || c == '(' || c == ':' || c == ';' || c == '{' || c == '}' || c == '@' || c == '>' || c == '=':
		p.at++
		return &grammar{kind: oneWord, text: string(c)}
	}
	start := p.at
	for p.at < len(p.text) && !strings.ContainsRune(" []|&,/()?*+#{}!<>", rune(p.text[p.at])) {
		p.at++
	}
	if p.at == start {
		p.at++ // a mark that no syntax of the table has
	}
	word := p.text[start:p.at]
	if p.at < len(p.text) && p.text[p.at] == '(' {
		p.at++
		call := &grammar{kind: inOrder, parts: []*grammar{{kind: oneCall, text: word}, p.alternatives(), {kind: oneWord, text: ")"}}}
		p.eat(")")
		return call
	}
	return &grammar{kind: oneWord, text: strings.ToLower(word)}
}

// typed reads <length [0,∞]>.
func (p *grammarParser) typed() *grammar {
	end := strings.IndexByte(p.text[p.at:], '>')
	if end < 0 {
		end = len(p.text) - p.at - 1
	}
	inside := p.text[p.at+1 : p.at+end]
	p.at += end + 1
	name, bounds, ok := strings.Cut(inside, " [")
	g := &grammar{kind: oneType, text: strings.TrimSpace(name)}
	if ok {
		low, _, _ := strings.Cut(bounds, ",")
		if n, err := strconv.ParseFloat(low, 64); err == nil {
			g.floor, g.bounded = n, true
		}
	}
	return g
}
