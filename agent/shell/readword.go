package shell

import "strings"

// part reads a word. It is bare when no part of it is quoted or substituted.
func (r *reader) part() (word string, bare bool) {
	var b strings.Builder
	bare = true
	for r.at < len(r.text) && strings.IndexByte(" \t\n;&|<>()", r.text[r.at]) < 0 {
		switch c := r.text[r.at]; {
		case c == '\'':
			n := strings.IndexByte(r.text[r.at+1:], '\'')
			if n < 0 {
				r.fail("a quote that is not closed")
				return "", false
			}
			b.WriteString(singleQuoted + r.text[r.at+1:r.at+1+n] + endQuote)
			r.at += n + 2
			bare = false
		case c == '"':
			r.at++
			b.WriteString(doubleQuoted + r.quotes() + endQuote)
			bare = false
		case c == '$':
			r.dollar(&b, false)
			bare = false
		case c == '`':
			r.fail("backquotes")
		case c == '\\' && (r.next(1) == '\n' || r.next(1) == 0):
			r.fail("a line that is continued in a word")
		case c == '\\':
			b.WriteString(r.text[r.at : r.at+2])
			r.at += 2
			bare = false
		default:
			b.WriteByte(c)
			r.at++
		}
	}
	return b.String(), bare
}

// quotes reads up to the double quote that ends them.
func (r *reader) quotes() string {
	var b strings.Builder
	for {
		switch c := r.next(0); {
		case r.at >= len(r.text):
			r.fail("a quote that is not closed")
			return ""
		case c == '"':
			r.at++
			return b.String()
		case c == '$':
			r.dollar(&b, true)
		case c == '`':
			r.fail("backquotes")
		case c == '\\' && (r.next(1) == '\n' || r.next(1) == 0):
			r.fail("a line that is continued in quotes")
		case c == '\\':
			b.WriteString(r.text[r.at : r.at+2])
			r.at += 2
		default:
			b.WriteByte(c)
			r.at++
		}
	}
}

// dollar reads what a $ begins.
func (r *reader) dollar(b *strings.Builder, quoted bool) {
	r.at++
	rest := r.text[r.at:]
	take := func(n int) {
		b.WriteString(parameter + rest[:n] + endOfPart)
		r.at += n
	}
	ends := rest == "" || strings.IndexByte(" \t\n;&|)", rest[0]) >= 0
	switch {
	case quoted && rest != "" && (rest[0] == '"' || plainDollar(rest[0])), !quoted && ends:
		b.WriteByte('$')
	case ends:
		r.fail("$ without a name")
	case variableName.MatchString(rest):
		take(len(variableName.FindString(rest)))
	case strings.IndexByte("0123456789?#@*$!-", rest[0]) >= 0:
		take(1)
	case bracedName.MatchString(rest):
		take(len(bracedName.FindString(rest)))
	case strings.HasPrefix(rest, "(") && !strings.HasPrefix(rest, "((") && r.depth < maxDepth:
		r.at++
		r.depth++
		b.WriteString(substitution + strings.Join(r.list(")"), nextToken) + endOfPart)
		r.depth--
	case rest[0] == '\'' || rest[0] == '"':
		r.fail("$ before quotes")
	case strings.HasPrefix(rest, "((") || rest[0] == '[':
		r.fail("arithmetic")
	default:
		r.fail("a substitution that shells read in different ways")
	}
}

// plainDollar reports whether a $ in double quotes is itself in front of c: no shell has an expansion that begins so.
func plainDollar(c byte) bool { return strings.IndexByte("/,.):}| ", c) >= 0 }
