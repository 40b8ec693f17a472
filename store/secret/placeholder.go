package secret

import (
	"strings"

	"caselsp/store/lazyregexp"
)

// noPasswords are words in place of a password, in lower case: the name of the
// field, its type, or what manuals and compose files write.
var noPasswords = func() map[string]bool {
	in := map[string]bool{}
	for w := range strings.FieldsSeq(`password passwd pass pwd pw secret changeme change-me change_me example none null nil
		true false redacted yourpassword your-password your_password string required optional undefined`) {
		in[w] = true
	}
	return in
}()

// NoPassword reports whether a value stands for a password that is not there.
func NoPassword(value string) bool {
	return noPasswords[strings.ToLower(value)] || strings.Trim(value, "*.xX-") == "" || strings.HasPrefix(value, "<") || strings.HasPrefix(value, "[")
}

var (
	// fakeWords are in values that others are to replace.
	fakeWords = lazyregexp.New(`(?i)example|sample|place_?holder|change_?(?:me|it|this)|replace|insert|redact|dummy|fake|your[_-]?|enter[_-]|my[_-](?:secret|token|key|pass|api|super)|test[_-]?(?:key|token|secret|pass|only)|invalid|foobar|secret_?here|key_?here|token_?here|here$|goes_?here|todo|fixme|xxxx|abcdefg|abc123|123abc|0123456|1234567890|9876543|deadbeef|lorem|ipsum|not_?(?:a|the)_?(?:real|secret)|undefined|default|s3cr3t_here|<[^>]*>`)

	// filledIn is what something else fills in: a shell, a template, a format, an environment.
	filledIn = lazyregexp.New(`^\$|\$\{|\$\(|\{\{|\{%|%\(|<%|^%[sdv]$|^%\w+%$|^@\w+@$|^#\{|\{\d*\}|^\{[\w.]+\}$|%[sdv]|process\.env|os\.environ|getenv|ENV\[|secrets\.|vault:|^arn:|^ref\+|!Ref|ssm:|^env:|^file:|^op://|^enc\[|^AgA|^sops`)
)

// Placeholder reports whether a value stands for one that somebody is to write or
// that something else fills in: your-key-here, ${TOKEN}, xxxxxxxx, 9cbaf0...
func Placeholder(v string) bool {
	if fakeWords.MatchString(v) || FilledIn(v) || strings.HasSuffix(v, "...") {
		return true
	}
	distinct, length := map[rune]bool{}, 0
	for _, r := range v {
		distinct[r] = true
		length++
	}
	return len(distinct) <= 2 || length >= 16 && len(distinct) <= 5 || Run(v) >= 8
}

// FilledIn reports whether a value is an expression that a shell, a template, a
// format or an environment fills in.
func FilledIn(v string) bool { return filledIn.MatchString(v) }
