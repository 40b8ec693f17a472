package syntax

import "strings"

// A macro of C that expands to a modifier (class API Shape, INLINE void f(), int f() NOEXCEPT) stands where the grammar has
// no place, and hides what it stands beside. The preprocessor, which knows better, would need the headers of every
// library and the flags of the build. So a word in capitals is taken for such a macro where the words around
// it make a declaration without it; where it may be a type (UINT n, FILE *f, BOOL f()), it stays.

// cToken is a word or a mark of a text in C. A directive of the preprocessor, a string or a character is one mark.
type cToken struct {
	start, end int
	word       bool
	capital    bool // a word that may be a macro
	blank      bool // it was overwritten
}

// minMacro is the length of the shortest name that is taken for a macro: T and ID are types.
const minMacro = 3

// blankMacros overwrites the macros that modify declarations with blanks, in place, and
// conditions of the preprocessor within a declaration.
func blankMacros(text []byte) {
	source := string(text)
	m := macroText{text, source, cTokens(source)}
	m.blankConditions()
	for i := 0; i < len(m.tokens); i++ {
		if m.tokens[i].capital {
			m.judge(i)
		}
	}
}

// macroText is a text with its tokens, of which some are blanked: these are skipped by before.
type macroText struct {
	text   []byte
	source string // the text before
	tokens []cToken
}

// at is the text of a token: nothing beyond the ends, and a blank for one that was overwritten.
func (m *macroText) at(i int) string {
	if i < 0 || i >= len(m.tokens) {
		return ""
	}
	if m.tokens[i].blank {
		return " "
	}
	return m.source[m.tokens[i].start:m.tokens[i].end]
}

func (m *macroText) word(i int) bool { return i >= 0 && i < len(m.tokens) && m.tokens[i].word }

// before is the token before i that is neither blanked nor a directive; -1 where none is near.
func (m *macroText) before(i int) int {
	first := i - maxMacroTokens
	for i--; i >= 0; i-- {
		if i < first {
			return -1
		}
		if at := m.at(i)[0]; at != '#' && at != ' ' {
			break
		}
	}
	return i
}

func (m *macroText) blank(from, to int) {
	if from < to {
		overwrite(m.text[m.tokens[from].start:m.tokens[to-1].end], ' ')
		for i := from; i < to; i++ {
			m.tokens[i].blank = true
		}
	}
}

// cModifiers begin a declaration, as what stands after them does.
var cModifiers = nameSet("static inline extern virtual constexpr friend explicit typedef __inline register mutable thread_local public private protected")

// cHeads are keywords that begin a declaration, and stand after no type.
var cHeads = nameSet("static inline extern virtual constexpr friend explicit typedef template namespace class struct union enum using auto void public private protected")

// cTypes are keywords before which a name in capitals is none of a type.
var cTypes = nameSet("class struct union enum")

// cSuffixes stand between the parameters of a function and its body.
var cSuffixes = nameSet("const override final noexcept volatile")

// cEnds end what is declared of a function.
var cEnds = nameSet("= :")

// cControls are keywords before parentheses that hold no parameters.
var cControls = nameSet("if while for switch catch return sizeof case else")

// parameters reports whether the parentheses that end at p, or before the suffix there, follow a name: they are no cast
// and no condition.
func (m *macroText) parameters(p int) bool {
	for m.at(p) != ")" {
		p = m.before(p)
	}
	depth := 0
	for first := p - maxMacroTokens; p >= 0 && p > first; p-- {
		switch m.at(p) {
		case ")":
			depth++
		case "(":
			if depth--; depth == 0 {
				name := m.before(p)
				return m.word(name) && !cControls[m.at(name)] || m.at(name-1) == "operator" || m.at(name-2) == "operator"
			}
		}
	}
	return false
}

// judge blanks the word i, with its arguments, where it modifies a declaration.
func (m *macroText) judge(i int) {
	p := m.before(i)
	prev, end := m.at(p), m.arguments(i+1)
	next := m.at(end)
	switch {
	case cTypes[prev]: // class API Shape
		if m.word(end) && next != "final" {
			m.blank(i, end)
		}
	case prev == ")" || cSuffixes[prev] && m.at(m.before(p)) == ")": // void f() NOEXCEPT {
		if next == "{" || next == ";" || end == i+1 && (cEnds[next] || cSuffixes[next] || end < len(m.tokens) && m.tokens[end].capital) {
			if m.parameters(p) {
				m.blank(i, end)
			}
		}
	case p < 0 || strings.Contains(";{}:>\"", prev[:1]) || cModifiers[prev]:
		m.prefix(i, end, prev)
	case end == i+1 && m.word(end) && m.at(m.qualified(end)) == "(" && (prev == "*" || prev == "&" || m.word(p) && !cModifiers[prev] && prev != "const"):
		if !cNoTypes[prev] {
			m.blank(i, end) // int CDECL f(
		}
	}
}

// cNoTypes are keywords after which an expression stands.
var cNoTypes = nameSet("return else case goto new delete throw sizeof typename operator do using namespace typedef")

// prefix blanks the word i, whose arguments end at end, where it stands before a declaration.
func (m *macroText) prefix(i, end int, prev string) {
	next := m.at(end)
	switch {
	case next == "" || next[0] == '#' || next == "}":
		if end == i+1 && (prev == "}" || prev == ";") {
			m.blank(i, end) // END_NAMESPACE
		}
		return
	case end == i+1 && m.alone(i) && end < len(m.tokens) && m.tokens[end].capital && m.at(m.arguments(end+1)) == ";":
		m.blank(i, end) // CHECK_BEGIN, and a call in the next line
		return
	case end < len(m.tokens) && m.tokens[end].capital && (prev == "}" || prev == ";"):
		for end < len(m.tokens) && m.tokens[end].capital {
			end++
		}
		if m.at(end) == "" || m.at(end)[0] == '#' {
			m.blank(i, end)
			return
		}
		end = i + 1
	case next == "{" && end == i+1 && (prev == "{" || prev == "}" || prev == ";"):
		m.blank(i, end) // TRY {
		return
	case !m.word(end) && next != "~" && next != "[":
		return
	}
	if end > i+1 {
		m.called(i, end)
		return
	}
	if cHeads[next] || m.declares(end) {
		m.blank(i, end)
	}
}

// called blanks a macro with arguments before a declaration: DEPRECATED("x") void f(), and of
// PUBLIC(int) f() all but the type.
func (m *macroText) called(i, end int) {
	switch {
	case cHeads[m.at(end)] || m.declares(end):
		m.blank(i, end)
	case m.word(i+2) && m.at(end+1) == "(" && !strings.Contains(m.source[m.tokens[i].start:m.tokens[end].start], ","):
		m.blank(i, i+2)
		m.blank(end-1, end)
	}
}

// declares reports whether a whole declaration begins at i, with a type of its own: what stands before it
// is no type then. A constructor has none, but the list of what it initialises.
func (m *macroText) declares(i int) bool {
	for m.at(i) == "const" || m.at(i) == "unsigned" || m.at(i) == "signed" || m.at(i) == "long" {
		if i++; !m.word(i) {
			return m.at(i-1) != "const" && (m.at(i) == "*" || m.at(i) == "&")
		}
	}
	if m.at(i) == "operator" {
		return false
	}
	first := m.at(i)
	i++
	for ; m.at(i) == ":" && m.at(i+1) == ":"; i += 3 {
		if !m.word(i+2) || m.at(i+2) == first {
			return m.at(i+2) == "~" || m.word(i+2) // Shape::~Shape(), Shape::Shape()
		}
		first = m.at(i + 2)
	}
	if m.at(i) == "<" {
		i = m.balanced(i, "<", ">")
		for m.at(i) == ":" && m.at(i+1) == ":" && m.word(i+2) {
			i += 3
		}
	}
	switch m.at(i) {
	case "*", "&":
		return true
	case "(":
		i = m.balanced(i, "(", ")")
		for cSuffixes[m.at(i)] {
			i++
		}
		return m.at(i) == ":" && m.at(i+1) != ":"
	}
	return m.word(i)
}

// alone reports whether the token i has its line to itself.
func (m *macroText) alone(i int) bool {
	return (i == 0 || strings.IndexByte(m.source[m.tokens[i-1].end:m.tokens[i].start], '\n') >= 0) &&
		(i+1 == len(m.tokens) || strings.IndexByte(m.source[m.tokens[i].end:m.tokens[i+1].start], '\n') >= 0)
}

// qualified is the token after a name such as ns::f that begins at i.
func (m *macroText) qualified(i int) int {
	for i++; m.at(i) == ":" && m.at(i+1) == ":" && m.word(i+2); {
		i += 3
	}
	return i
}

// arguments is the token after the arguments that begin at i; i where none do.
func (m *macroText) arguments(i int) int {
	if m.at(i) != "(" {
		return i
	}
	return m.balanced(i, "(", ")")
}

// maxMacroTokens bounds the arguments of a macro, and of a template, so that hostile text costs no
// more than its length times this.
const maxMacroTokens = 100

// balanced is the token after the one that closes what i opens; i where nothing near does.
func (m *macroText) balanced(i int, opens, closes string) int {
	depth := 0
	for j := i; j < len(m.tokens) && j < i+maxMacroTokens; j++ {
		switch at := m.at(j); at {
		case opens:
			depth++
		case closes:
			if depth--; depth == 0 {
				return j + 1
			}
		case ";", "{", "}":
			return i
		}
	}
	return i
}

// cTokens takes a text in C apart.
func cTokens(text string) (tokens []cToken) {
	for i := 0; i < len(text); {
		c, start := text[i], i
		switch {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v' || c == 0:
			i++
			continue
		case strings.HasPrefix(text[i:], "//"), c == '#':
			if i = endOfLine(text, i); c != '#' {
				continue
			}
		case strings.HasPrefix(text[i:], "/*"):
			end := strings.Index(text[i+2:], "*/")
			if end < 0 {
				return tokens
			}
			i += end + 4
			continue
		case c == '"' || c == '\'':
			i = endOfQuoted(text, i)
		case isWordByte(c):
			for i < len(text) && isWordByte(text[i]) {
				i++
			}
			word := text[start:i]
			tokens = append(tokens, cToken{start: start, end: i, word: true, capital: len(word) >= minMacro && c >= 'A' && c <= 'Z' && strings.ToUpper(word) == word})
			continue
		default:
			i++
		}
		tokens = append(tokens, cToken{start: start, end: i})
	}
	return tokens
}

// endOfLine is where the line ends that i is in, with those that continue it.
func endOfLine(text string, i int) int {
	for ; i < len(text) && text[i] != '\n'; i++ {
		if text[i] == '\\' && i+1 < len(text) {
			if i++; text[i] == '\r' && i+1 < len(text) {
				i++
			}
		}
	}
	return i
}

// endOfQuoted is the end of the string or character that begins at i; it ends in its line.
func endOfQuoted(text string, i int) int {
	quote := text[i]
	for i++; i < len(text) && text[i] != '\n'; i++ {
		if text[i] == quote {
			return i + 1
		}
		if text[i] == '\\' && i+1 < len(text) {
			i++
		}
	}
	return i
}
