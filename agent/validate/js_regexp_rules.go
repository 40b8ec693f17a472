package validate

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"caselsp/agent/syntax"
)

// jsRegexpRules are about regular expressions, and escapes.
var jsRegexpRules = authored([]Rule{{
	ID: "js-invalid-regexp", Title: "A regular expression that is none", Severity: Warning, Category: Scripts,
	Doc:  "It throws a SyntaxError where it is made, or keeps the whole script from running: a bracket is not closed, a quantifier has nothing to repeat, there is no such flag.",
	File: "app.js", Bad: "const re = new RegExp(\"[a-z\");\n", Good: "const re = new RegExp(\"[a-z]+\", \"gi\");\n",
	Check: patterns(func(p *Pass, c *Code, x regexpSource) {
		if x.badFlags != "" {
			p.name(c, x.flagsAt, "This throws when it runs: %s.", x.badFlags)
		} else if x.fault != "" {
			p.name(c, x.node, "This throws when it runs: %s.", x.fault)
		}
	}),
}, {
	ID: "js-regexp-control", Title: "A control character in a regular expression", Severity: Info, Category: Scripts,
	Doc:  "`\\x1f` and its like are rarely meant. `\\t` and `\\n` pass, and so do classes of control characters, which clean text.",
	File: "app.js", Bad: "const re = /\\x1fname/;\n", Good: "const re = /\\tname[\\x00-\\x1f]/;\n",
	Check: patterns(func(p *Pass, c *Code, x regexpSource) {
		for _, at := range x.controls {
			if x.fault == "" && !x.inClass(at) && x.exact {
				p.within(c, x, at, at+1, "A control character stands here: is it meant?")
			}
		}
	}),
}, {
	ID: "js-regexp-empty-class", Title: "A class without a character", Severity: Warning, Category: Scripts,
	Doc:  "`[]` matches nothing at all, so that the expression never matches. `[^]` matches everything.",
	File: "app.js", Bad: "const re = /^abc[]/;\n", Good: "const re = /^abc[^]/;\n",
	Check: patterns(func(p *Pass, c *Code, x regexpSource) {
		for _, class := range x.classes {
			if class.empty && x.fault == "" {
				p.within(c, x, class.start, class.start+2, "[] matches nothing, so that this never matches.")
			}
		}
	}),
}, {
	ID: "js-regexp-spaces", Title: "Several blanks in a regular expression", Severity: Info, Category: Scripts,
	Doc:  "How many there are cannot be seen. Write ` {3}`, or `\\s+`.",
	File: "app.js", Bad: "const re = /name:   (.*)/;\n", Good: "const re = /name: {3}(.*)[  ]/;\n",
	Check: patterns(func(p *Pass, c *Code, x regexpSource) {
		for _, at := range x.spaces {
			if n := len(x.text[at:]) - len(strings.TrimLeft(x.text[at:], " ")); x.fault == "" {
				p.within(c, x, at, at+n, "How many blanks these are cannot be seen: write { {%d}}.", n)
			}
		}
	}),
}, {
	ID: "js-regexp-reference", Title: "A back reference that matches nothing", Severity: Warning, Category: Scripts,
	Doc:  "`\\1` before its group, inside of it or in another alternative always matches the empty text.",
	File: "app.js", Bad: "const re = /\\1(a)/;\n", Good: "const re = /(a)\\1/;\n",
	Check: patterns(func(p *Pass, c *Code, x regexpSource) {
		for _, r := range x.references {
			if why := x.useless(r); why != "" && x.fault == "" {
				p.within(c, x, r.start, r.end, "%s matches only the empty text: %s.", x.text[r.start:r.end], why)
			}
		}
	}),
}, {
	ID: "js-regexp-split-character", Title: "A class that takes a character apart", Severity: Warning, Category: Scripts,
	Doc:  "Without the flag `u`, `[👍]` is a class of two halves of a character. Marks that combine with the letter before, and characters that are joined to one sign (👨‍👩‍👦, 🇯🇵), are several characters to a class in any case.",
	File: "app.js", Bad: "const re = /^[👍]$/;\n", Good: "const re = /^[👍]$/u;\n",
	Check: patterns(func(p *Pass, c *Code, x regexpSource) {
		for _, class := range x.classes {
			if start, end, why := splitCharacter(class, x.unicode); why != "" && x.fault == "" && !x.sets {
				p.within(c, x, start, end, "A class takes this apart: %s.", why)
			}
		}
	}),
}, {
	ID: "js-useless-escape", Title: "A backslash that does nothing", Severity: Info, Category: Scripts,
	Doc:  "`\"\\d\"` is `\"d\"`; mostly two backslashes were meant, or none. In regular expressions, brackets and marks that have a meaning elsewhere pass.",
	File: "app.js", Bad: "const re = new RegExp(\"^\\d+$\");\n", Good: "const re = new RegExp(\"^\\\\d+$\");\nconst quote = \"\\\"\\n\";\n",
	Check: scripts(func(p *Pass, c *Code) {
		for _, n := range c.Nodes("escape_sequence") {
			checkEscape(p, c, n)
		}
		for _, n := range c.Nodes("regex") {
			checkRegexpEscapes(p, c, n)
		}
	}),
}})

// regexpSource is a regular expression and where it stands.
type regexpSource struct {
	*pattern
	node, flagsAt syntax.Node
	badFlags      string
	exact         bool // offsets of the pattern are offsets of the source
	base          int  // where it begins in node
}

// patterns is for rules about regular expressions: literals, and those that
// RegExp makes of a text that is written out.
func patterns(check func(*Pass, *Code, regexpSource)) func(*Pass) {
	return scripts(func(p *Pass, c *Code) {
		for _, x := range c.patterns() {
			check(p, c, x)
		}
	})
}

// readPatterns finds the regular expressions of a program.
func readPatterns(c *Code) []regexpSource {
	var list []regexpSource
	for _, n := range c.Nodes("regex") {
		body, flags := n.Child("regex_pattern"), n.Child("regex_flags")
		if body.IsZero() {
			continue
		}
		x := regexpSource{node: n, flagsAt: flags, exact: true, base: body.Start().Offset - n.Start().Offset}
		text := ""
		if !flags.IsZero() {
			text = flags.Text()
		}
		x.badFlags = flagFault(text)
		x.pattern = parsePattern(body.Text(), text)
		list = append(list, x)
	}
	for _, n := range c.Nodes("new_expression", "call_expression") {
		args := arguments(n)
		if !c.bindings().global(part(n, 0), "RegExp") || len(args) == 0 {
			continue
		}
		x := regexpSource{node: args[0], base: 1}
		flags, known := "", true
		if len(args) > 1 {
			x.flagsAt = args[1]
			if flags, known = literalText(args[1]); known {
				x.badFlags = flagFault(flags)
			}
		}
		text, ok := literalText(args[0])
		if !ok && x.badFlags == "" {
			continue
		}
		x.exact = ok && len(text)+2 == len(args[0].Text())
		x.pattern = parsePattern(text, flags)
		if !known && !ok || !known && x.fault != "" && parsePattern(text, "u").fault == "" || !ok {
			x.fault = ""
		}
		list = append(list, x)
	}
	return list
}

func flagFault(flags string) string {
	for i, f := range flags {
		if !strings.ContainsRune("dgimsuvy", f) {
			return "there is no flag " + string(f)
		}
		if strings.ContainsRune(flags[:i], f) {
			return "the flag " + string(f) + " stands there twice"
		}
	}
	if strings.Contains(flags, "u") && strings.Contains(flags, "v") {
		return "the flags u and v cannot go together"
	}
	return ""
}

// literalText is the text of a string or of a template without substitutions.
func literalText(n syntax.Node) (string, bool) {
	if is(n, "template_string") && !n.Child("template_substitution").IsZero() || !is(n, "string", "template_string") || len(n.Text()) < 2 {
		return "", false
	}
	s := n.Text()[1 : len(n.Text())-1]
	if !strings.Contains(s, "\\") {
		return s, true
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			b.WriteByte(s[i])
			continue
		}
		i++
		r, size := utf8.DecodeRuneInString(s[i:])
		switch r {
		case 'n', 't', 'r', 'v', 'f', 'b':
			b.WriteByte(map[rune]byte{'n': '\n', 't': '\t', 'r': '\r', 'v': '\v', 'f': '\f', 'b': '\b'}[r])
		case 'x', 'u':
			digits := map[rune]int{'x': 2, 'u': 4}[r]
			from, to := i+1, i+1+digits
			if from < len(s) && s[from] == '{' {
				from, to = from+1, from+1+max(strings.IndexByte(s[from+1:], '}'), 0)
			}
			v, err := strconv.ParseUint(s[min(from, len(s)):min(max(to, from), len(s))], 16, 32)
			if err != nil || 0xd800 <= v && v < 0xe000 {
				return "", false
			}
			b.WriteRune(rune(v))
			if i = to - 1; s[from-1] == '{' {
				i = to
			}
			continue
		case '\r', '\n':
		case '0', '1', '2', '3', '4', '5', '6', '7':
			return "", false
		default:
			b.WriteRune(r)
		}
		i += size - 1
	}
	return b.String(), true
}

func (x *regexpSource) inClass(at int) bool {
	for _, c := range x.classes {
		if c.start <= at && at < c.end {
			return true
		}
	}
	return false
}

// within reports at a part of a pattern, and at all of it where its text is
// not that of the source.
func (p *Pass) within(c *Code, x regexpSource, from, to int, form string, args ...any) {
	start, end := c.Span(x.node)
	if !p.written(start, end) {
		return
	}
	if x.exact {
		start, end = start+x.base+from, start+x.base+to
	}
	p.Report(start, end, form, args...)
}

// splitCharacter finds what of a class is one sign to people and several
// characters to the class.
func splitCharacter(c regexpClass, unicode bool) (start, end int, why string) {
	for i, x := range c.items {
		if x.r > 0xffff && !unicode && !(x.escaped && x.end-x.start > 10) {
			return x.start, x.end, "write the flag u"
		}
		if i == 0 || c.items[i-1].r < 0 || c.items[i-1].end != x.start {
			continue
		}
		before := c.items[i-1]
		switch {
		case !unicode && before.escaped && x.escaped && 0xd800 <= before.r && before.r < 0xdc00 && 0xdc00 <= x.r && x.r < 0xe000:
			return before.start, x.end, "write the flag u"
		case combines(x.r) && !combines(before.r) && !x.escaped:
			return before.start, x.end, "a mark combines with the character before it"
		case 0x1f3fb <= x.r && x.r <= 0x1f3ff && before.r > 0x2000 && !(0x1f3fb <= before.r && before.r <= 0x1f3ff):
			return before.start, x.end, "a colour of skin goes with the sign before it"
		case regional(x.r) && regional(before.r):
			return before.start, x.end, "two letters make a flag"
		case before.r == 0x200d && !(before.escaped && x.escaped) && i > 1 && c.items[i-2].r >= 0 && c.items[i-2].r != 0x200d && x.r != 0x200d:
			return c.items[i-2].start, x.end, "a joiner makes one sign of two"
		}
	}
	return 0, 0, ""
}

func regional(r rune) bool { return 0x1f1e6 <= r && r <= 0x1f1ff }

// combines reports whether a character combines with the one before it.
func combines(r rune) bool {
	return 0x300 <= r && r <= 0x36f || 0x1ab0 <= r && r <= 0x1aff || 0x1dc0 <= r && r <= 0x1dff || 0x20d0 <= r && r <= 0x20ff || 0xfe00 <= r && r <= 0xfe0f || 0xfe20 <= r && r <= 0xfe2f || 0xe0100 <= r && r <= 0xe01ef
}

// checkEscape looks at an escape in a string or a template.
func checkEscape(p *Pass, c *Code, n syntax.Node) {
	text, by := n.Text(), n.Parent()
	if len(text) < 2 || !is(by, "string", "template_string") || is(by.Parent(), "jsx_attribute") || is(by, "template_string") && is(by.Parent(), "call_expression") {
		return
	}
	if strings.Contains("\\nrvtbfux\n\r\u2028\u2029", text[1:]) || '0' <= text[1] && text[1] <= '9' || text[1] == '\r' || len(text) > 2 && text[1] < utf8.RuneSelf {
		return
	}
	quote := by.Text()[:1]
	if text[1:] == quote || quote == "`" && (text[1] == '$' || text[1] == '{') || text[1] == '/' || text[1] == '`' || text[1] == '\'' || text[1] == '"' {
		return // also what a script in a page needs, and quotes of the other kind
	}
	p.name(c, n, "%s is the same as %s: write two backslashes, or none.", text, text[1:])
}

// meaningful are the characters that a backslash gives or takes a meaning in a
// regular expression, or that have one in its other parts.
const meaningful = `\bcdDfnpPrsStvwWxu0123456789]^/.$*+?[{}|()Bk-`

func checkRegexpEscapes(p *Pass, c *Code, n syntax.Node) {
	body, flags := n.Child("regex_pattern"), n.Child("regex_flags")
	if body.IsZero() || !flags.IsZero() && strings.ContainsAny(flags.Text(), "uv") {
		return
	}
	x := parsePattern(body.Text(), "")
	for _, e := range x.escapes {
		if x.fault != "" || strings.ContainsRune(meaningful, e.char) || e.char >= utf8.RuneSelf || e.char == '\'' || e.char == '"' || e.char == '#' || e.char == '<' || e.char == '>' || e.char == '@' || e.char == '`' || e.char == ' ' || e.char == '~' {
			continue
		}
		start, _ := c.Span(body)
		if p.written(start+e.start, start+e.start+2) {
			p.Report(start+e.start, start+e.start+2, "\\%c is the same as %c: leave the backslash out.", e.char, e.char)
		}
	}
}
