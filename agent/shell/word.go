package shell

import (
	"strings"

	"caselsp/store/lazyregexp"

	"mvdan.cc/sh/v3/syntax"
)

// word is a word whose meaning is certain, except for what a wildcard in it matches.
type word struct {
	text   string
	glob   bool // it has wildcards; text has them as they were written
	status bool // it has $?, which is a small number; text has 0 for it
	quoted bool // a part of it is quoted
	open   kind // what is known of a part that the shell expands, where that is not text; see open.go
	digits bool // it is nothing but an exit code, or nothing
	splits bool // such a part is not quoted: the shell may make several words of it, or none
}

// plain reports whether the word is exactly its text.
func (w word) plain() bool { return !w.glob && !w.status && w.open == closed }

// simpleGlob is what a wildcard may look like: *, ? and sets without ranges
// backwards or negation, which shells write differently.
var simpleGlob = lazyregexp.New(`^([\w./@%+,:=-]|\*|\?|\[[\w-]+\])+$`)

// hiddenGlob finds wildcards that could stand for "..".
var hiddenGlob = lazyregexp.New(`(^|/)\.[^/]*[*?\[]`)

// escapable are the characters that a backslash makes literal in an argument. A
// backslash before a letter is refused: it can disguise a word.
const escapable = ".*?()[];!|&<>$\"'# {}~+^`,:=@%/-"

// literal returns what a word means where every shell reads it the same way.
func literal(w *syntax.Word) (word, bool) {
	var out word
	var b strings.Builder
	for i, part := range w.Parts {
		ok := true
		switch part := part.(type) {
		case *syntax.Lit:
			ok = out.bare(&b, part.Value, i == 0)
		case *syntax.SglQuoted:
			ok = !part.Dollar
			out.quoted = true
			b.WriteString(part.Value)
		case *syntax.DblQuoted:
			ok = out.quotes(&b, part)
		case *syntax.ParamExp:
			ok = isStatus(part)
			out.status = true
			b.WriteByte('0')
		default:
			ok = false
		}
		if !ok {
			return word{}, false
		}
	}
	out.text = b.String()
	if out.glob && (out.quoted || !simpleGlob.MatchString(out.text) || hiddenGlob.MatchString(out.text)) {
		return word{}, false
	}
	return out, true
}

// bare reads text without quotes.
func (w *word) bare(b *strings.Builder, s string, start bool) bool {
	if s == "!" || s == "[" || s == "]" { // words of their own, for find and test
		b.WriteString(s)
		return true
	}
	if expandsTilde(s, start) || strings.ContainsAny(s, "$`\n") || braces(s) {
		return false
	}
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '\\':
			if i++; i == len(s) || strings.IndexByte(escapable, s[i]) < 0 {
				return false
			}
			w.quoted = true
		case s[i] == '!':
			return false
		case strings.IndexByte("*?[", s[i]) >= 0:
			w.glob = true
		case s[i] == '(' || s[i] == ')': // *(a) is an extended wildcard
			return false
		}
		b.WriteByte(s[i])
	}
	return true
}

// braces reports whether bash could expand braces: {a,b} and {1..3}, but not {}
// or stash@{0}.
func braces(s string) bool {
	open := strings.IndexByte(s, '{')
	return open >= 0 && (strings.Contains(s[open:], ",") || strings.Contains(s[open:], "..")) ||
		strings.Count(s, "{") != strings.Count(s, "}")
}

// expandsTilde reports whether bash could take a tilde for a home folder: at the
// start of a word, and after = and : in words that look like assignments, but not
// in HEAD~3.
func expandsTilde(s string, start bool) bool {
	for i := range len(s) {
		if s[i] == '~' && (i == 0 && start || i > 0 && (s[i-1] == '=' || s[i-1] == ':')) {
			return true
		}
	}
	return strings.HasPrefix(s, "~") && !start
}

// quotes reads what is between double quotes. A dollar is literal only as the
// last character, and a backslash stays before what it does not escape.
func (w *word) quotes(b *strings.Builder, q *syntax.DblQuoted) bool {
	if q.Dollar {
		return false
	}
	w.quoted = true
	for i, part := range q.Parts {
		if p, ok := part.(*syntax.ParamExp); ok && isStatus(p) {
			w.status = true
			b.WriteByte('0')
			continue
		}
		lit, ok := part.(*syntax.Lit)
		if !ok {
			return false
		}
		s := lit.Value
		for k := 0; k < len(s); k++ {
			last := i == len(q.Parts)-1 && k == len(s)-1
			switch {
			case s[k] == '`', s[k] == '$' && !last && !plainDollar(following(q.Parts[i:], k)), s[k] == '\\' && (k == len(s)-1 || s[k+1] == '\n'):
				return false
			case s[k] == '\\' && strings.IndexByte("\\\"$`", s[k+1]) >= 0:
				k++
			}
			b.WriteByte(s[k])
		}
	}
	return true
}

// following returns the character behind one of the first part, which is text; 0 where none follows as text.
func following(parts []syntax.WordPart, k int) byte {
	if s := parts[0].(*syntax.Lit).Value; k+1 < len(s) {
		return s[k+1]
	}
	if len(parts) > 1 {
		if next, ok := parts[1].(*syntax.Lit); ok && next.Value != "" {
			return next.Value[0]
		}
	}
	return 0
}

// isStatus reports whether an expansion is $?, which is always a number.
func isStatus(p *syntax.ParamExp) bool {
	return p.Short && p.Param != nil && p.Param.Value == "?" && p.Index == nil
}

// written returns a node's source, printed in one line.
func written(n syntax.Node) string {
	var b strings.Builder
	if err := syntax.NewPrinter(syntax.SingleLine(true)).Print(&b, n); err != nil {
		return "…"
	}
	s := strings.Join(strings.Fields(b.String()), " ")
	if r := []rune(s); len(r) > 60 { // enough to find it in the line, which is shown whole
		s = string(r[:60]) + "…"
	}
	return s
}

// loose returns what a word probably means, for the denials, which must also see
// words that are not literal. Variables stay as $NAME; text that cannot be known
// becomes [unknown].
func loose(w *syntax.Word) string {
	var b strings.Builder
	for _, part := range w.Parts {
		loosePart(&b, part, false)
	}
	return b.String()
}

// unknown stands for text that only the running shell knows.
const unknown = "\uFFFD"

func loosePart(b *strings.Builder, part syntax.WordPart, quoted bool) {
	switch part := part.(type) {
	case *syntax.Lit:
		s := strings.ReplaceAll(part.Value, "\\\n", "")
		for k := 0; k < len(s); k++ {
			if s[k] == '\\' && k+1 < len(s) && (!quoted || strings.IndexByte("\\\"$`", s[k+1]) >= 0) {
				k++
			}
			b.WriteByte(s[k])
		}
	case *syntax.SglQuoted:
		if part.Dollar {
			b.WriteString(ansi(part.Value))
			return
		}
		b.WriteString(part.Value)
	case *syntax.DblQuoted:
		for _, inner := range part.Parts {
			loosePart(b, inner, true)
		}
	case *syntax.ParamExp:
		if part.Param != nil && part.Exp == nil && part.Index == nil && part.Slice == nil && part.Repl == nil && !part.Excl && !part.Length {
			b.WriteString("$" + part.Param.Value)
			return
		}
		b.WriteString(unknown)
	default:
		b.WriteString(unknown)
	}
}
