package obey

import (
	"strings"

	"caselsp/store/lazyregexp"
)

// The grammars of what registries are asked for: what is not plainly a version or the name of
// a package may be a file, a folder or an address, and is obeyed.
const (
	// A version of semver or of Python. Behind its first tag only numbers have dots before
	// them: 1.0.0-beta.1 is a version, 1.0.0-a.tgz would be a file.
	oneVersion = `(?:[xX*]|[0-9]+)(?:\.(?:[xX*]|[0-9]+))*(?:(?:a|b|c|rc|\.post|\.dev)[0-9]+)*(?:-[0-9A-Za-z-]+(?:\.[0-9]+)*)?(?:\+[0-9A-Za-z-]+(?:\.[0-9]+)*)?`
	operator   = `(?:===?|=|~=|!=|~>|>=|<=|[~^<>])?`
	oneName    = `[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?`
	// When a requirement counts.
	markerWord = `(?:[a-z_.]+|'[\w .+*-]*'|"[\w .+*-]*")`
	markerTerm = `\s*\(*\s*` + markerWord + `\s*(?:===?|~=|!=|>=|<=|<|>|\bnot\s+in\b|\bin\b)\s*` + markerWord + `\s*\)*\s*`
	markers    = markerTerm + `(?:(?:and|or)\b` + markerTerm + `)*`
	pyVersions = `(?:===?|~=|!=|>=|<=|<|>)\s*` + oneVersion + `(?:\s*,\s*(?:===?|~=|!=|>=|<=|<|>)\s*` + oneVersion + `)*`
)

var (
	plainVersion = lazyregexp.New(`^\s*` + operator + `\s*v?` + oneVersion + `(?:(?:\s*\|\|?\s*|\s*,\s*|\s+-\s+|\s+)` + operator + `\s*v?` + oneVersion + `)*\s*$`)
	plainName    = lazyregexp.New(`^(?:@[A-Za-z0-9_-][\w.-]*/)?[A-Za-z0-9_](?:[\w.-]*)(?:/[A-Za-z0-9_][\w.-]*)?$`)
	marker       = lazyregexp.New(`^` + markers + `$`)
	// A requirement of Python by name and version; what follows a semicolon says when.
	requirement = lazyregexp.New(`^(` + oneName + `)(?:\s*\[\s*` + oneName + `(?:\s*,\s*` + oneName + `)*\s*\])?\s*(?:` + pyVersions + `|\(\s*` + pyVersions + `\s*\))?\s*(?:;` + markers + `)?(?:\s+--hash=[a-z0-9]+:[0-9a-f]+)*$`)
	archive     = lazyregexp.New(`(?i)\.(?:whl|zip|egg|tgz|tbz2?|txz|tlz|tar|gz|bz2|xz|lzma|zst|7z|rar)$`)
	// An encoding that the interpreter is told in a comment: the text may be another than it looks.
	coding = lazyregexp.New(`(?im)^[^\n]*#[^\n]*coding\s*[:=]`)
)

// plainText reports whether a text of lines means what it looks like: printable ASCII in lines
// that end as usual. Tools do not agree where lines end at other characters.
func plainText(text string) bool {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	odd := func(r rune) bool { return (r < ' ' || r > '~') && r != '\n' && r != '\t' }
	return strings.IndexFunc(text, odd) < 0 && !coding.MatchString(text)
}

// plainly is a format of lines that is understood only where its text is plain.
func plainly(rest func(string) (string, bool)) func(string) (string, bool) {
	return func(text string) (string, bool) {
		if !plainText(text) {
			return "", false
		}
		return rest(text)
	}
}
