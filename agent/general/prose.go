package general

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"caselsp/store/lazyregexp"
)

var (
	urlInProse  = lazyregexp.New(`\b[a-z][a-z0-9+.-]*://[^\s<>"'` + "`" + `)\]]+`)
	mailInProse = lazyregexp.New(`[\w.+-]+@[\w-]+(?:\.[\w-]+)+`)
	// pathInProse is a path. The closing tag of an element, which looks like one, is matched to be passed over.
	pathInProse = lazyregexp.New(`</[A-Za-z][\w:.-]*>|(?:[A-Za-z]:)?[\w.~@+-]*(?:[/\\][\w.~@+-]+)+|\b[\w-]+\.(?:py|go|js|jsx|ts|tsx|mjs|cjs|html|css|json|ya?ml|toml|md|txt|sql|ini|cfg|sh|rb|java|rs|c|h|cpp)\b`)
	// versionInProse is a number that belongs to a name: Python 3.11, HTTP 404.
	versionInProse = lazyregexp.New(`\b(?:[A-Z][\w.+#]*|version|v) ?\d[\d.]*\b`)
	codeInProse    = lazyregexp.New("`[^`\n]+`")
	quotedInProse  = lazyregexp.New(`"[^"\n]+"|“[^”\n]+”|«[^»\n]+»`)
)

// Prose returns a text for people, such as a task or an error's message, with placeholders for addresses, paths, what is quoted,
// long numbers, and the names of code that the project declares or the record has replaced. Words of a sentence stay,
// whatever declares them: a name of one word in lower case is one where it stands as code does.
func (n *Names) Prose(text string) string {
	text = urlInProse.ReplaceAllStringFunc(text, func(url string) string { return n.placeholderOf("url", url) })
	text = mailInProse.ReplaceAllStringFunc(text, func(mail string) string { return n.placeholderOf("address", mail) })
	text = pathInProse.ReplaceAllStringFunc(text, func(path string) string {
		if !strings.ContainsFunc(path, unicode.IsLetter) || strings.HasPrefix(path, `\`) || strings.HasPrefix(path, "<") { // such as \u20ac
			return path
		}
		ext := path[strings.LastIndexAny(path, `/\`)+1:]
		if i := strings.LastIndexByte(ext, '.'); i > 0 {
			ext = ext[i:]
		} else {
			ext = ""
		}
		return n.placeholderOf("file", path) + ext
	})
	text = replaceParts(text, codeInProse, n.sentence, func(code string) string { return n.names(code, func(int, int) bool { return true }) })
	return replaceParts(text, versionInProse, func(s string) string { return longNumber.ReplaceAllStringFunc(s, n.number) }, func(s string) string { return s })
}

// sentence rewrites what is not marked as code.
func (n *Names) sentence(text string) string {
	return replaceParts(text, quotedInProse, n.words, func(q string) string {
		_, open := utf8.DecodeRuneInString(q)
		_, closing := utf8.DecodeLastRuneInString(q)
		return q[:open] + n.value(q[open:len(q)-closing]) + q[len(q)-closing:]
	})
}

// words rewrites the names of a sentence.
func (n *Names) words(text string) string {
	return n.names(text, func(from, to int) bool { return asCode(text, from, to) })
}

// names rewrites the words that the project declares and that have several parts, or stand as code does.
func (n *Names) names(text string, code func(from, to int) bool) string {
	var b strings.Builder
	at := 0
	for _, m := range wordish.FindAllStringIndex(text, -1) {
		w := text[m[0]:m[1]]
		if n.public[w] || vocabulary[strings.ToLower(w)] || n.placeholder(w) || !n.declared(w) || !composed(w) && !code(m[0], m[1]) {
			continue
		}
		b.WriteString(text[at:m[0]] + n.name(w, "name"))
		at = m[1]
	}
	return b.String() + text[at:]
}

// asCode reports whether a word of a sentence stands as code does: it is called, indexed, or a member, or it has a capital within
// a sentence.
func asCode(text string, from, to int) bool {
	before, after := text[:from], text[to:]
	if strings.HasPrefix(after, "(") || strings.HasPrefix(after, "[") || strings.HasPrefix(after, "::") || strings.HasSuffix(before, "::") {
		return true
	}
	dotted := func(s string, r func(string) (rune, int)) bool {
		c, _ := r(s)
		return unicode.IsLetter(c) || unicode.IsDigit(c) || strings.ContainsRune("_)]", c)
	}
	if strings.HasPrefix(after, ".") && dotted(after[1:], utf8.DecodeRuneInString) || strings.HasSuffix(before, ".") && dotted(before[:len(before)-1], utf8.DecodeLastRuneInString) {
		return true
	}
	r, _ := utf8.DecodeRuneInString(text[from:])
	before = strings.TrimRight(before, " \t")
	if !unicode.IsUpper(r) || before == "" {
		return false
	}
	last, _ := utf8.DecodeLastRuneInString(before)
	return unicode.IsLetter(last) || unicode.IsDigit(last) || strings.ContainsRune(",('", last)
}

// placeholderOf is the placeholder of a value of prose.
func (n *Names) placeholderOf(kind, value string) string {
	p := n.values[kind+" "+value]
	if p == "" {
		p = n.fresh(kind)
		n.values[kind+" "+value] = p
	}
	return p
}

// replaceParts rewrites the parts of a text that match, and what lies between them.
func replaceParts(text string, re *lazyregexp.Regexp, between, part func(string) string) string {
	var b strings.Builder
	at := 0
	for _, m := range re.FindAllStringIndex(text, -1) {
		b.WriteString(between(text[at:m[0]]) + part(text[m[0]:m[1]]))
		at = m[1]
	}
	return b.String() + between(text[at:])
}
