package ecma

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// Pattern is a regular expression of JavaScript, taken apart.
type Pattern struct {
	Text          string
	Unicode, Sets bool // flags u or v, and v
	named         bool // a group has a name: \k is a reference
	at, depth     int

	Fault      string // what is wrong with it; "" where nothing is
	groups     []regexpGroup
	References []RegexpReference
	Classes    []RegexpClass
	Escapes    []RegexpEscape
	Spaces     []int // where two or more blanks stand one behind the other
	Controls   []int // control characters, written as such or in hexadecimal
	path       []regexpStep
}

// regexpStep is one level above a place: which alternative of which bracket.
type regexpStep struct {
	open, branch      int
	negative, reverse bool // (?! and (?<!; (?<= and (?<!
}

type regexpGroup struct {
	start, end int
	name       string
	path       []regexpStep
}

// RegexpReference is a back reference to a group, by number or by name.
type RegexpReference struct {
	Start, End int
	number     int // 0 where it is by name
	name       string
	path       []regexpStep
}

// RegexpClass is a class such as [a-z].
type RegexpClass struct {
	Start, End int
	Empty      bool
	Items      []RegexpItem
}

// RegexpItem is a character of a class.
type RegexpItem struct {
	R          rune
	Start, End int
	Escaped    bool
}

// RegexpEscape is a backslash with what stands behind it.
type RegexpEscape struct {
	Start int
	Char  rune
	class bool // in a class
	first bool // at its beginning
	last  bool // at its end
	inner bool // of a class of the flag v
}

// deepPattern bounds brackets in brackets; people's are below 20.
const deepPattern = 200

// ParsePattern reads a regular expression of JavaScript. It never fails: what is
// wrong with the pattern is its Fault.
func ParsePattern(text, flags string) *Pattern {
	p := &Pattern{Text: text, Unicode: strings.ContainsAny(flags, "uv"), Sets: strings.Contains(flags, "v")}
	p.named = hasNamedGroup(text)
	p.alternatives(-1, false, false)
	if p.Fault == "" && p.at < len(text) {
		p.fail("a ) closes nothing")
	}
	if p.Fault == "" {
		p.checkReferences()
	}
	return p
}

func hasNamedGroup(text string) bool {
	for i := strings.Index(text, "(?<"); i >= 0; {
		if rest := text[i+3:]; rest != "" && rest[0] != '=' && rest[0] != '!' {
			return true
		}
		next := strings.Index(text[i+1:], "(?<")
		if next < 0 {
			break
		}
		i += 1 + next
	}
	return false
}

func (p *Pattern) fail(what string) {
	if p.Fault == "" {
		p.Fault = what
	}
	p.at = len(p.Text)
}

func (p *Pattern) has(s string) bool { return strings.HasPrefix(p.Text[p.at:], s) }

func (p *Pattern) eat(s string) bool {
	if p.has(s) {
		p.at += len(s)
		return true
	}
	return false
}

func (p *Pattern) rune() (rune, int) { return utf8.DecodeRuneInString(p.Text[p.at:]) }

func (p *Pattern) here() []regexpStep { return append([]regexpStep(nil), p.path...) }

// alternatives reads up to the closing bracket or the end.
func (p *Pattern) alternatives(open int, negative, reverse bool) {
	if p.depth++; p.depth > deepPattern {
		p.at = len(p.Text)
		return
	}
	p.path = append(p.path, regexpStep{open: open, negative: negative, reverse: reverse})
	for p.at < len(p.Text) && p.Text[p.at] != ')' {
		if p.eat("|") {
			p.path[len(p.path)-1].branch++
			continue
		}
		p.term()
	}
	p.path = p.path[:len(p.path)-1]
	p.depth--
}

// term reads an atom or an assertion, and what repeats it.
func (p *Pattern) term() {
	start := p.at
	repeatable := true
	switch c := p.Text[p.at]; c {
	case '^', '$':
		p.at++
		repeatable = false
	case '(':
		repeatable = p.group()
	case '[':
		p.class()
	case '\\':
		repeatable = p.escape()
	case '*', '+', '?':
		p.fail("nothing stands before " + string(c) + " to repeat")
		return
	case '{':
		if _, _, ok := p.braces(); ok {
			p.fail("nothing stands before { to repeat")
			return
		}
		if p.Unicode {
			p.fail("with the flag u, write \\{ for {")
			return
		}
		p.at++
	case '}', ']':
		if p.Unicode {
			p.fail("a " + string(c) + " must be written \\" + string(c) + " with the flag u")
			return
		}
		p.at++
	case ' ':
		for p.at < len(p.Text) && p.Text[p.at] == ' ' {
			p.at++
		}
		if last := p.at; last-start > 1 && !(last-start == 2 && p.at < len(p.Text) && strings.IndexByte("*+?{", p.Text[p.at]) >= 0) {
			p.Spaces = append(p.Spaces, start)
		}
	default:
		r, size := p.rune()
		p.control(r, p.at)
		p.at += size
	}
	p.quantifier(repeatable)
}

func (p *Pattern) control(r rune, at int) {
	if r < 0x20 && r >= 0 {
		p.Controls = append(p.Controls, at)
	}
}

func (p *Pattern) quantifier(repeatable bool) {
	if p.at >= len(p.Text) {
		return
	}
	c := p.Text[p.at]
	switch {
	case c == '*' || c == '+' || c == '?':
		p.at++
	case c == '{':
		low, high, ok := p.braces()
		if !ok {
			return
		}
		if high >= 0 && low > high {
			p.fail("the numbers in {" + strconv.Itoa(low) + "," + strconv.Itoa(high) + "} are out of order")
			return
		}
		p.at = strings.IndexByte(p.Text[p.at:], '}') + p.at + 1
	default:
		return
	}
	p.eat("?")
	if !repeatable {
		p.fail("nothing stands before " + string(c) + " to repeat")
	}
}

// braces reads {2}, {2,} or {2,3} without taking it; high is -1 where there is none.
func (p *Pattern) braces() (low, high int, ok bool) {
	end := strings.IndexByte(p.Text[p.at:], '}')
	if end < 0 {
		return 0, 0, false
	}
	a, b, comma := strings.Cut(p.Text[p.at+1:p.at+end], ",")
	low, err := strconv.Atoi(a)
	if err != nil || a[0] == '-' || a[0] == '+' {
		return 0, 0, false
	}
	if !comma {
		return low, low, true
	}
	if b == "" {
		return low, -1, true
	}
	high, err = strconv.Atoi(b)
	return low, high, err == nil && b[0] != '-' && b[0] != '+'
}

// group reads a bracket and reports whether it can be repeated.
func (p *Pattern) group() bool {
	start := p.at
	p.at++
	negative, reverse, capture, assertion := false, false, false, false
	name := ""
	switch {
	case p.eat("?:"):
	case p.eat("?="):
		assertion = true
	case p.eat("?!"):
		assertion, negative = true, true
	case p.eat("?<="):
		assertion, reverse = true, true
	case p.eat("?<!"):
		assertion, negative, reverse = true, true, true
	case p.eat("?<"):
		capture = true
		if name = p.name(); name == "" {
			p.fail("a group has no right name")
			return false
		}
	case p.has("?"):
		if !p.modifiers() {
			p.fail("(? begins no known kind of group")
			return false
		}
	default:
		capture = true
	}
	index := len(p.groups)
	if capture {
		p.groups = append(p.groups, regexpGroup{start: start, end: len(p.Text), name: name, path: p.here()})
	}
	if !assertion {
		reverse = p.path[len(p.path)-1].reverse
	}
	p.alternatives(start, negative, reverse)
	if !p.eat(")") {
		p.fail("a ( is not closed")
		return false
	}
	if capture {
		p.groups[index].end = p.at
	}
	return !assertion || !p.Unicode && !reverse
}

// modifiers reads ?i: or ?i-s:, which switch flags within a group.
func (p *Pattern) modifiers() bool {
	end := strings.IndexByte(p.Text[p.at:], ':')
	if end < 2 {
		return false
	}
	on, off, _ := strings.Cut(p.Text[p.at+1:p.at+end], "-")
	seen := ""
	for _, c := range on + off {
		if !strings.ContainsRune("ims", c) || strings.ContainsRune(seen, c) {
			return false
		}
		seen += string(c)
	}
	p.at += end + 1
	return seen != ""
}

// name reads the name of a group up to >.
func (p *Pattern) name() string {
	end := strings.IndexByte(p.Text[p.at:], '>')
	if end <= 0 {
		return ""
	}
	name := p.Text[p.at : p.at+end]
	for i, r := range name {
		if !(r == '$' || r == '_' || r == '\\' || r == '{' || r == '}' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || r >= 0x80 || i > 0 && '0' <= r && r <= '9') {
			return ""
		}
	}
	p.at += end + 1
	return name
}

// escape reads a backslash outside of classes and reports whether it can be repeated.
func (p *Pattern) escape() bool {
	start := p.at
	p.at++
	if p.at >= len(p.Text) {
		p.fail("a \\ is at the end")
		return false
	}
	r, size := p.rune()
	p.Escapes = append(p.Escapes, RegexpEscape{Start: start, Char: r})
	switch {
	case r == 'b' || r == 'B':
		p.at += size
		return false
	case '1' <= r && r <= '9':
		p.backreference(start)
	case r == 'k' && (p.named || p.Unicode):
		p.at += size
		if !p.eat("<") {
			p.fail("\\k names no group")
			return false
		}
		name := p.name()
		p.References = append(p.References, RegexpReference{Start: start, End: p.at, name: name, path: p.here()})
	default:
		c, ok := p.character()
		if ok && (r == 'x' || r == 'u') {
			p.control(c, start)
		}
	}
	return true
}

func (p *Pattern) backreference(start int) {
	end := p.at
	for end < len(p.Text) && '0' <= p.Text[end] && p.Text[end] <= '9' {
		end++
	}
	n, err := strconv.Atoi(p.Text[p.at:end])
	if err != nil || n > len(p.Text) {
		n = len(p.Text)
	}
	p.References = append(p.References, RegexpReference{Start: start, End: end, number: n, path: p.here()})
	p.at = end
}

// character reads what stands behind a backslash; ok is false where that is no
// single character, such as \d.
func (p *Pattern) character() (r rune, ok bool) {
	r, size := p.rune()
	p.at += size
	switch r {
	case 'n':
		return '\n', true
	case 't':
		return '\t', true
	case 'r':
		return '\r', true
	case 'v', 'f', 'b':
		return r, false
	case '0', '1', '2', '3', '4', '5', '6', '7':
		return p.octal(r)
	case 'd', 'D', 'w', 'W', 's', 'S':
		return 0, false
	case 'p', 'P':
		if p.Unicode {
			return 0, p.property()
		}
	case 'c':
		if p.at < len(p.Text) && (p.Text[p.at]|0x20 >= 'a' && p.Text[p.at]|0x20 <= 'z') {
			p.at++
			return 0, false
		}
		if p.Unicode {
			p.fail("\\c names no control character")
		}
		return 0, false
	case 'x':
		return p.hexadecimal(2, 'x')
	case 'u':
		if p.Unicode && p.has("{") {
			return p.point()
		}
		return p.hexadecimal(4, 'u')
	}
	if p.Unicode && !strings.ContainsRune("^$\\.*+?()[]{}|/-", r) && !(p.Sets && strings.ContainsRune("&!#%,:;<=>@`~q", r)) {
		p.fail("\\" + string(r) + " means nothing with the flag u")
	}
	return r, true
}

// octal reads up to three digits, as patterns without the flag u have them.
func (p *Pattern) octal(first rune) (rune, bool) {
	v := first - '0'
	if p.Unicode {
		if v > 0 {
			p.fail("\\" + string(first) + " means nothing in a class with the flag u")
		}
		return v, true
	}
	for p.at < len(p.Text) && '0' <= p.Text[p.at] && p.Text[p.at] <= '7' && v*8 < 0o400 {
		v = v*8 + rune(p.Text[p.at]-'0')
		p.at++
	}
	return v, true
}

func (p *Pattern) hexadecimal(digits int, letter rune) (rune, bool) {
	if p.at+digits <= len(p.Text) {
		if v, err := strconv.ParseUint(p.Text[p.at:p.at+digits], 16, 32); err == nil {
			p.at += digits
			return p.surrogates(rune(v)), true
		}
	}
	if p.Unicode {
		p.fail("\\" + string(letter) + " needs " + strconv.Itoa(digits) + " hexadecimal digits")
	}
	return letter, false
}

// surrogates joins two halves that are written one behind the other, as the flag u does.
func (p *Pattern) surrogates(high rune) rune {
	if !p.Unicode || high < 0xd800 || high > 0xdbff || !p.has("\\u") || p.at+6 > len(p.Text) {
		return high
	}
	low, err := strconv.ParseUint(p.Text[p.at+2:p.at+6], 16, 32)
	if err != nil || low < 0xdc00 || low > 0xdfff {
		return high
	}
	p.at += 6
	return (high-0xd800)<<10 + rune(low) - 0xdc00 + 0x10000
}

func (p *Pattern) point() (rune, bool) {
	end := strings.IndexByte(p.Text[p.at:], '}')
	if end > 1 {
		if v, err := strconv.ParseUint(p.Text[p.at+1:p.at+end], 16, 32); err == nil && v <= 0x10ffff {
			p.at += end + 1
			return rune(v), true
		}
	}
	p.fail("\\u{…} is no character")
	return 0, false
}

func (p *Pattern) property() bool {
	end := strings.IndexByte(p.Text[p.at:], '}')
	if !p.has("{") || end < 2 {
		p.fail("\\p needs the name of a property in {}")
		return false
	}
	p.at += end + 1
	return false
}
