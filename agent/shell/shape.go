package shell

import (
	"slices"
	"strings"

	"caselsp/store/lazyregexp"

	"mvdan.cc/sh/v3/syntax"
)

// anyText stands in a shape for text that does not change what the command does,
// such as a commit message. A word of a command with this very text is quoted.
const anyText = "<text>"

// Covers reports whether a line has a shape, and so may run when that shape was
// approved. A line is covered only when it is not denied and has exactly this shape.
//
// A shape is the line in canonical quoting: the same programs joined in the same
// way, the same subcommands, flags, values and operands, and the same variables and
// redirections. Only text that does not change what a command does (a commit
// message) is left open. A line has no shape when a part of it is asked for every
// time.
func Covers(shape, line string, policy Policy) bool {
	return shape != "" && Judge(line, policy).Shape == shape
}

// shape returns the commands in canonical form, or "" when an approval of one of
// them is never remembered.
func shape(commands []*command) string {
	var b strings.Builder
	for _, c := range commands {
		if c.result.shape == nil || c.odd != "" || special(c.words[0].text) || quote(c.words[0].text) != c.words[0].text {
			return ""
		}
		switch c.before {
		case "":
		case ";":
			b.WriteString("; ")
		default:
			if b.Len() > 0 {
				b.WriteByte(' ')
			}
			b.WriteString(c.before + " ")
		}
		for _, a := range c.assigns {
			b.WriteString(a + " ")
		}
		b.WriteString(strings.Join(c.result.shape, " "))
		b.WriteString(c.after)
	}
	return b.String()
}

var bare = lazyregexp.New(`^[\w./:@%+,=-]+$`)

// declarations are parsed as declarations, not as commands.
var declarations = []string{"declare", "local", "export", "readonly", "typeset", "nameref", "let", "coproc", "time"}

// special reports whether a command's name could be parsed as something else in
// another place of a line.
func special(name string) bool {
	return strings.Contains(name, "=") || syntax.IsKeyword(name) || slices.Contains(declarations, name)
}

// Word writes a text as one word of a command line, quoted where that is needed.
func Word(text string) string { return quote(text) }

// quote writes a word so that every shell, and Parse, takes it literally. The
// library's quoting leaves characters unquoted that Parse does not accept.
func quote(word string) string {
	if bare.MatchString(word) || word == "[" || word == "]" {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'"'"'`) + "'"
}
