package ecma

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"caselsp/agent/syntax"
)

// Regexp is a regular expression and where it stands.
type Regexp struct {
	*Pattern
	Node, FlagsAt syntax.Node
	BadFlags      string
	Exact         bool // offsets of the pattern are offsets of the source
	Base          int  // where it begins in node
}

// readPatterns finds the regular expressions of a program.
func readPatterns(c *Program) []Regexp {
	var list []Regexp
	for _, n := range c.Nodes("regex") {
		body, flags := n.Child("regex_pattern"), n.Child("regex_flags")
		if body.IsZero() {
			continue
		}
		x := Regexp{Node: n, FlagsAt: flags, Exact: true, Base: body.Start().Offset - n.Start().Offset}
		text := ""
		if !flags.IsZero() {
			text = flags.Text()
		}
		x.BadFlags = flagFault(text)
		x.Pattern = ParsePattern(body.Text(), text)
		list = append(list, x)
	}
	for _, n := range c.Nodes("new_expression", "call_expression") {
		args := Arguments(n)
		if !c.Scopes().Global(Part(n, 0), "RegExp") || len(args) == 0 {
			continue
		}
		x := Regexp{Node: args[0], Base: 1}
		flags, known := "", true
		if len(args) > 1 {
			x.FlagsAt = args[1]
			if flags, known = LiteralText(args[1]); known {
				x.BadFlags = flagFault(flags)
			}
		}
		text, ok := LiteralText(args[0])
		if !ok && x.BadFlags == "" {
			continue
		}
		x.Exact = ok && len(text)+2 == len(args[0].Text())
		x.Pattern = ParsePattern(text, flags)
		if !known && !ok || !known && x.Fault != "" && ParsePattern(text, "u").Fault == "" || !ok {
			x.Fault = ""
		}
		list = append(list, x)
	}
	return list
}

func flagFault(flags string) string {
	for i, f := range flags {
		if !strings.ContainsRune("dgimsuvy", f) {
			return "unknown flag " + string(f)
		}
		if strings.ContainsRune(flags[:i], f) {
			return "the flag " + string(f) + " is repeated"
		}
	}
	if strings.Contains(flags, "u") && strings.Contains(flags, "v") {
		return "the flags u and v cannot go together"
	}
	return ""
}

// LiteralText is the text of a string or of a template without substitutions.
func LiteralText(n syntax.Node) (string, bool) {
	if Is(n, "template_string") && !n.Child("template_substitution").IsZero() || !Is(n, "string", "template_string") || len(n.Text()) < 2 {
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
