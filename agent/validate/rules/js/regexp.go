package js

import (
	"strings"
	"unicode/utf8"

	"caselsp/agent/ecma"
	"caselsp/agent/syntax"
	"caselsp/agent/validate"
)

// regexpRules are about regular expressions, and escapes.
var regexpRules = validate.Authored([]validate.Rule{{
	ID: "js-invalid-regexp", Title: "Invalid regular expression", Severity: validate.Warning, Category: validate.Scripts,
	Aliases: validate.Aliases{validate.ESLint: {"no-invalid-regexp"}},
	Doc: "It throws a SyntaxError when it is created, or stops the whole script from running: a bracket is not closed, a quantifier has nothing to repeat, or a flag is " +
		"unknown.",
	File: "app.js", Bad: "const re = new RegExp(\"[a-z\");\n", Good: "const re = new RegExp(\"[a-z]+\", \"gi\");\n",
	Check: patterns(func(p *validate.Pass, c *validate.Code, x ecma.Regexp) {
		if x.BadFlags != "" {
			reportAt(p, c, x.FlagsAt, "This throws when it runs: %s.", x.BadFlags)
		} else if x.Fault != "" {
			reportAt(p, c, x.Node, "This throws when it runs: %s.", x.Fault)
		}
	}),
}, {
	ID: "js-regexp-control", Title: "Control character in a regular expression", Severity: validate.Info, Category: validate.Scripts,
	Aliases: validate.Aliases{validate.ESLint: {"no-control-regex"}, validate.Biome: {"noControlCharactersInRegex"}},
	Doc:     "`\\x1f` and other control characters are rarely intended. `\\t` and `\\n` pass, and so do classes of control characters, which clean text.",
	File:    "app.js", Bad: "const re = /\\x1fname/;\n", Good: "const re = /\\tname[\\x00-\\x1f]/;\n",
	Check: patterns(func(p *validate.Pass, c *validate.Code, x ecma.Regexp) {
		for _, at := range x.Controls {
			if x.Fault == "" && !inClass(&x, at) && x.Exact {
				reportWithin(p, c, x, at, at+1, "Control character in a regular expression: is it intended?")
			}
		}
	}),
}, {
	ID: "js-regexp-empty-class", Title: "Empty character class in a regular expression", Severity: validate.Warning, Category: validate.Scripts,
	Aliases: validate.Aliases{validate.ESLint: {"no-empty-character-class"}, validate.Biome: {"noEmptyCharacterClassInRegex"}},
	Doc:     "`[]` matches no character, so the expression never matches. `[^]` matches any character.",
	File:    "app.js", Bad: "const re = /^abc[]/;\n", Good: "const re = /^abc[^]/;\n",
	Check: patterns(func(p *validate.Pass, c *validate.Code, x ecma.Regexp) {
		for _, class := range x.Classes {
			if class.Empty && x.Fault == "" {
				reportWithin(p, c, x, class.Start, class.Start+2, "[] matches no character, so this never matches.")
			}
		}
	}),
}, {
	ID: "js-regexp-spaces", Title: "Several spaces in a regular expression", Severity: validate.Info, Category: validate.Scripts,
	Aliases: validate.Aliases{validate.ESLint: {"no-regex-spaces"}, validate.Biome: {"noAdjacentSpacesInRegex"}},
	Doc:     "Their number is hard to see. Write ` {3}`, or `\\s+`.",
	File:    "app.js", Bad: "const re = /name:   (.*)/;\n", Good: "const re = /name: {3}(.*)[  ]/;\n",
	Check: patterns(func(p *validate.Pass, c *validate.Code, x ecma.Regexp) {
		for _, at := range x.Spaces {
			if n := len(x.Text[at:]) - len(strings.TrimLeft(x.Text[at:], " ")); x.Fault == "" {
				reportWithin(p, c, x, at, at+n, "The number of these spaces is hard to see: write { {%d}}.", n)
			}
		}
	}),
}, {
	ID: "js-regexp-reference", Title: "Useless backreference in a regular expression", Severity: validate.Warning, Category: validate.Scripts,
	Aliases: validate.Aliases{validate.ESLint: {"no-useless-backreference"}, validate.Biome: {"noUselessRegexBackrefs"}},
	Doc:     "`\\1` before its group, inside it or in another alternative always matches the empty string.",
	File:    "app.js", Bad: "const re = /\\1(a)/;\n", Good: "const re = /(a)\\1/;\n",
	Check: patterns(func(p *validate.Pass, c *validate.Code, x ecma.Regexp) {
		for _, r := range x.References {
			if why := x.Useless(r); why != "" && x.Fault == "" {
				reportWithin(p, c, x, r.Start, r.End, "%s matches only the empty string: %s.", x.Text[r.Start:r.End], why)
			}
		}
	}),
}, {
	ID: "js-regexp-split-character", Title: "Multi-code-point character in a character class", Severity: validate.Warning, Category: validate.Scripts,
	Aliases: validate.Aliases{validate.ESLint: {"no-misleading-character-class"}, validate.Biome: {"noMisleadingCharacterClass"}},
	Doc: "Without the `u` flag, `[👍]` is a class of two halves of a character. Combining marks, and sequences that form one sign (👨\u200d👩\u200d👦, 🇯🇵), are " +
		"several characters to a class in any case.",
	File: "app.js", Bad: "const re = /^[👍]$/;\n", Good: "const re = /^[👍]$/u;\n",
	Check: patterns(func(p *validate.Pass, c *validate.Code, x ecma.Regexp) {
		for _, class := range x.Classes {
			if start, end, why := splitCharacter(class, x.Unicode); why != "" && x.Fault == "" && !x.Sets {
				reportWithin(p, c, x, start, end, "A character class splits this: %s.", why)
			}
		}
	}),
}, {
	ID: "js-useless-escape", Title: "Useless escape", Severity: validate.Info, Category: validate.Scripts,
	Aliases: validate.Aliases{validate.ESLint: {"no-useless-escape"}, validate.Biome: {"noUselessEscapeInRegex"}},
	Doc:     "`\"\\d\"` is `\"d\"`; usually two backslashes were meant, or none. In regular expressions, escaped brackets and characters that have a meaning elsewhere pass.",
	File:    "app.js", Bad: "const re = new RegExp(\"^\\d+$\");\n", Good: "const re = new RegExp(\"^\\\\d+$\");\nconst quote = \"\\\"\\n\";\n",
	Check: validate.EachScript(func(p *validate.Pass, c *validate.Code) {
		for _, n := range c.Nodes("escape_sequence") {
			checkEscape(p, c, n)
		}
		for _, n := range c.Nodes("regex") {
			checkRegexpEscapes(p, c, n)
		}
	}),
}})

// patterns is for rules about regular expressions: literals, and those that
// RegExp makes of a text that is written out.
func patterns(check func(*validate.Pass, *validate.Code, ecma.Regexp)) func(*validate.Pass) {
	return validate.EachScript(func(p *validate.Pass, c *validate.Code) {
		for _, x := range c.Patterns() {
			check(p, c, x)
		}
	})
}

func inClass(x *ecma.Regexp, at int) bool {
	for _, c := range x.Classes {
		if c.Start <= at && at < c.End {
			return true
		}
	}
	return false
}

// reportWithin reports at a part of a pattern, and at all of it where its text is
// not that of the source.
func reportWithin(p *validate.Pass, c *validate.Code, x ecma.Regexp, from, to int, form string, args ...any) {
	start, end := c.Span(x.Node)
	if !p.Written(start, end) {
		return
	}
	if x.Exact {
		start, end = start+x.Base+from, start+x.Base+to
	}
	p.Report(start, end, form, args...)
}

// splitCharacter finds what of a class is one sign to people and several
// characters to the class.
func splitCharacter(c ecma.RegexpClass, unicode bool) (start, end int, why string) {
	for i, x := range c.Items {
		if x.R > 0xffff && !unicode && !(x.Escaped && x.End-x.Start > 10) {
			return x.Start, x.End, "write the flag u"
		}
		if i == 0 || c.Items[i-1].R < 0 || c.Items[i-1].End != x.Start {
			continue
		}
		before := c.Items[i-1]
		switch {
		case !unicode && before.Escaped && x.Escaped && 0xd800 <= before.R && before.R < 0xdc00 && 0xdc00 <= x.R && x.R < 0xe000:
			return before.Start, x.End, "write the flag u"
		case combines(x.R) && !combines(before.R) && !x.Escaped:
			return before.Start, x.End, "a mark combines with the character before it"
		case 0x1f3fb <= x.R && x.R <= 0x1f3ff && before.R > 0x2000 && !(0x1f3fb <= before.R && before.R <= 0x1f3ff):
			return before.Start, x.End, "a skin tone belongs to the sign before it"
		case regional(x.R) && regional(before.R):
			return before.Start, x.End, "two letters form a flag"
		case before.R == 0x200d && !(before.Escaped && x.Escaped) && i > 1 && c.Items[i-2].R >= 0 && c.Items[i-2].R != 0x200d && x.R != 0x200d:
			return c.Items[i-2].Start, x.End, "a joiner combines two signs"
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
func checkEscape(p *validate.Pass, c *validate.Code, n syntax.Node) {
	text, by := n.Text(), n.Parent()
	if len(text) < 2 || !ecma.Is(by, "string", "template_string") || ecma.Is(by.Parent(), "jsx_attribute") || ecma.Is(by, "template_string") && ecma.Is(by.Parent(), "call_expression") {
		return
	}
	if strings.Contains("\\nrvtbfux\n\r\u2028\u2029", text[1:]) || '0' <= text[1] && text[1] <= '9' || text[1] == '\r' || len(text) > 2 && text[1] < utf8.RuneSelf {
		return
	}
	quote := by.Text()[:1]
	if text[1:] == quote || quote == "`" && (text[1] == '$' || text[1] == '{') || text[1] == '/' || text[1] == '`' || text[1] == '\'' || text[1] == '"' {
		return // also what a script in a page needs, and quotes of the other kind
	}
	reportAt(p, c, n, "%s is the same as %s: write two backslashes, or none.", text, text[1:])
}

// meaningful are the characters that a backslash gives or takes a meaning in a
// regular expression, or that have one in its other parts.
const meaningful = `\bcdDfnpPrsStvwWxu0123456789]^/.$*+?[{}|()Bk-`

func checkRegexpEscapes(p *validate.Pass, c *validate.Code, n syntax.Node) {
	body, flags := n.Child("regex_pattern"), n.Child("regex_flags")
	if body.IsZero() || !flags.IsZero() && strings.ContainsAny(flags.Text(), "uv") {
		return
	}
	x := ecma.ParsePattern(body.Text(), "")
	for _, e := range x.Escapes {
		if x.Fault != "" || strings.ContainsRune(meaningful, e.Char) || e.Char >= utf8.RuneSelf || e.Char == '\'' || e.Char == '"' || e.Char == '#' || e.Char == '<' || e.Char == '>' || e.Char == '@' || e.Char == '`' || e.Char == ' ' || e.Char == '~' {
			continue
		}
		start, _ := c.Span(body)
		if p.Written(start+e.Start, start+e.Start+2) {
			p.Report(start+e.Start, start+e.Start+2, "\\%c is the same as %c: remove the backslash.", e.Char, e.Char)
		}
	}
}
