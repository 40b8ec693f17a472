package secret

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"caselsp/store/lazyregexp"
)

// assignments are values that are given to names, in any notation. It searches for the
// signs of assignment: one regular expression over the whole text takes ten times as long.
func (r *reading) assignments(text string) {
	for i := 0; i < len(text); i++ {
		if c := text[i]; c != '=' && c != ':' && c != ',' && c != '-' {
			continue
		}
		name, start, end := assignedName(text, i)
		if end == 0 {
			continue
		}
		i = end - 1
		first := r.hidden && lineStart(text, start)
		if name = r.within(name, text[:start]); !first && !mayTell(name) {
			continue
		}
		for _, value := range valuesAt(text, end, lineStart(text, start)) {
			r.value(name, value, first)
		}
	}
}

// assignedName returns the name before a sign of assignment, where it starts and where the
// sign ends; 0 if there is no name or no sign. After a comma the name is quoted, as in
// define('NAME', 'value'); after a colon there may be a type.
func assignedName(text string, sign int) (name string, start, end int) {
	at := sign
	switch text[sign] {
	case '-':
		if sign == 0 || text[sign-1] != '<' {
			return "", 0, 0
		}
		at--
	case '=':
		if sign > 0 && strings.IndexByte("?+", text[sign-1]) >= 0 {
			at--
		}
	}
	end = signEnd(text, sign)
	for at > 0 && (text[at-1] == ' ' || text[at-1] == '\t') {
		at--
	}
	if at > 0 && text[at-1] == ']' {
		at--
	}
	stop := at
	if at > 0 && strings.IndexByte("\"'`", text[at-1]) >= 0 {
		stop--
	}
	if text[sign] == ',' && stop == at {
		return "", 0, 0
	}
	if start = nameStart(text, stop); start == stop {
		return "", 0, 0
	}
	return text[start:stop], start, end
}

// signEnd returns where a sign of assignment ends.
func signEnd(text string, sign int) int {
	rest := text[sign+1:]
	switch text[sign] {
	case ':':
		if typed := typedSign.FindString(rest[:min(len(rest), 40)]); typed != "" {
			return sign + 1 + len(typed)
		}
		if strings.HasPrefix(rest, "=") {
			return sign + 2
		}
	case '=':
		if rest != "" && (rest[0] == '>' || rest[0] == '=') {
			return sign + 2
		}
	}
	return sign + 1
}

// typedSign is a type between a colon and a sign.
var typedSign = lazyregexp.New(`^[ \t]*[A-Za-z]{1,20}[ \t]*=`)

// nameStart returns where a name starts that ends at a place.
func nameStart(text string, end int) int {
	const most = 100 // characters after the first
	start := end
	for n, at := 0, end; at > 0 && n <= most; n++ {
		c, size := utf8.DecodeLastRuneInString(text[:at])
		letter := c == '_' || c == '$' || unicode.IsLetter(c)
		if !letter && (c < '0' || c > '9') && c != '.' && c != '/' && c != '-' {
			break
		}
		if at -= size; letter {
			start = at
		}
	}
	return start
}

// lineStart reports whether a name is the first thing in its line, but for what
// declares it.
func lineStart(text string, at int) bool {
	line := text[strings.LastIndexByte(text[:at], '\n')+1 : at]
	line = strings.TrimLeft(line, " \t-+*\"'{[$")
	for _, word := range []string{"export", "set", "setenv", "declare -x", "const", "let", "var", "ENV", "define("} {
		line = strings.TrimSpace(strings.TrimPrefix(line, word))
	}
	return line == "" || line == "'" || line == `"`
}
