package store

import (
	"slices"
	"strings"

	"caselsp/store/lazyregexp"
	"caselsp/store/secret"
)

// maxPassword is the length in bytes of the longest value that is taken for a
// password that a person chose.
const maxPassword = 128

// passwordName is the end of a name that holds a password: DB_PASSWORD,
// smtp.pass, dbPasswd, passphrase, and not bypass or password_min_length.
const passwordName = `(?i:ssh|sql|pg|db|ftp|mail|smtp|user|root|admin|ldap|redis|mq|store|key|http|auth)(?i:pass)|(?i:passwords?|passwd|passphrase|pwd)|[_.-](?i:pass|pw)|[a-z]Pass|\bpass`

// besidePassword is what stands between a name and a value that only says that it is one:
// {"name": "DB_PASSWORD", "value": "..."}, in JSON and YAML.
const besidePassword = `(?:[\s,;{}\[\]"'-]|\\+[nrt"]){1,40}(?i:value|default)\\*["']?\s{0,4}[:=]\s{0,4}`

// assignedPassword matches a value assigned to such a name, in any notation: NAME=value,
// name: "value", "name": "value", name: str = 'value', --name value,
// ?name=value&. The groups are the name, the operator, and the value in double
// quotes, in single quotes, or without quotes. It is only tried on words with pa or
// pw in them: over a whole text it takes ten times as long as everything else.
var assignedPassword = lazyregexp.New(`^([A-Za-z0-9_.-]{0,100}(?:` + passwordName + `)[0-9]{0,9})` +
	`(\\*["']?\]?\s{0,4}(?::\s{0,4}(?:&(?:'?static )?)?[A-Za-z]{1,20}\s{0,4}=|:=|=>|[:=>])\s{0,4}|\s[\w:]{1,40}=[^<>\n]{1,100}>|[ ]|` + besidePassword + `)` +
	`(?:(?:[rbucfRBUF@]{0,2}#{0,3})?\\*"((?:[^"\\\n]|\\u[0-9A-Fa-f]{4}){1,200})\\*"|[rbucfRBUF@]{0,2}\\*'([^'\\\n]{1,200})\\*'|([^\s"'\x60,;&)\]}\\]{1,200}))`)

// redactPasswords masks passwords that people choose, which are not random enough
// for redactAssignments. The place tells them from other words: every value of an
// environment variable (DB_PASSWORD=...) is a password; elsewhere only a value that
// mixes letters with digits or signs is one, because code mentions passwords
// (password=form.password) more often than it contains them.
func redactPasswords(text string, own keep) string {
	var out strings.Builder
	done := 0
	for i := 0; i+1 < len(text); i++ {
		if text[i]|0x20 != 'p' || text[i+1]|0x20 != 'a' && text[i+1]|0x20 != 'w' {
			continue
		}
		begin := i
		for begin > done && i-begin < maxName && nameByte(text[begin-1]) {
			begin--
		}
		near := text[begin:min(len(text), begin+maxToken)]
		var at []int
		if mayBePassword(near) {
			at = assignedPassword.FindStringSubmatchIndex(near)
		}
		if at == nil {
			for i+1 < len(text) && nameByte(text[i+1]) {
				i++ // the rest of the word has been looked at
			}
			continue
		}
		group := slices.IndexFunc([]int{at[6], at[8], at[10]}, func(i int) bool { return i >= 0 })
		start, end := begin+at[6+2*group], begin+at[7+2*group]
		inside := group < 2
		if from, to := bracketed(text, start); to > 0 && !inside {
			start, end, inside = from, to, true
		}
		i = begin + at[5] - 1
		name, between := near[at[2]:at[3]], near[at[4]:at[5]]
		if strings.HasSuffix(strings.TrimSpace(between), ">") { // an element, which ends at the next tag
			if tag := strings.IndexByte(text[start:end], '<'); tag > 0 {
				end = start + tag
			}
		}
		if len(between) > 4 && between[len(between)-1] == '>' && (begin == 0 || text[begin-1] != '<' && text[begin-1] != ':') {
			continue // not an element
		}
		if name == "PWD" && begin > 0 && text[begin-1] == ';' {
			name = "pwd" // of a connection: a shell's stands alone
		}
		if strings.HasSuffix(text[done:begin], "#define ") || strings.HasSuffix(text[done:begin], "#define\t") {
			between = "="
		}
		joined := text[start:end]
		if group < 2 {
			if whole, last := joinedParts(text, start, end); isPassword(name, between, whole, true, text[last:]) {
				joined, end = whole, last
			}
		}
		if isPassword(name, between, joined, inside, text[end:]) && !own(joined) && !own(text[start:end]) {
			out.WriteString(text[done:start])
			out.WriteString(mask)
			done, i = end, end-1
		}
	}
	if done == 0 {
		return text
	}
	out.WriteString(text[done:])
	return out.String()
}

// mayBePassword reports whether a text may begin as assignedPassword does: with a name
// that ends as one of a password, and what may follow it. Most words with pa or pw in
// them do not, and the expression takes a hundred times as long to say so.
func mayBePassword(text string) bool {
	const longSign = 0xc5 // of ſ, which is an s where case does not matter
	end := 0
	for end < len(text) && nameByte(text[end]) {
		end++
	}
	if end == len(text) {
		return false
	}
	if strings.IndexByte("\\\"']:=> \t\n\f\r", text[end]) < 0 {
		return text[end] == longSign
	}
	name := strings.TrimRight(text[:end], "0123456789")
	for _, w := range passwordWords {
		if cut := len(name) - len(w); cut >= 0 && strings.EqualFold(name[cut:], w) {
			return len(w) > len("pass") || w == "pwd" || passAlone(name[:cut], name[cut:])
		}
	}
	return false
}

// passwordWords are the ends of names in assignedPassword, in lower case.
var passwordWords = []string{"password", "passwords", "passwd", "passphrase", "pwd", "pass", "pw"}

// passAlone reports whether pass or pw at the end of a name may be a word of its own, or
// the end of one in assignedPassword.
func passAlone(before, word string) bool {
	if before == "" {
		return word == "pass"
	}
	switch c := before[len(before)-1]; word {
	case "pass", "PASS", "Pass":
		if c == '-' || c == '.' || c == '_' || word == "Pass" && secret.ClassOf(c) == secret.Lower || ofService.MatchString(before) {
			return true
		}
		return word == "PASS" && secret.ClassOf(c) != secret.Lower && secret.ClassOf(c) != secret.Digit
	default:
		return secret.ClassOf(c) == secret.Joint || ofService.MatchString(before)
	}
}

var ofService = lazyregexp.New(`(?i)(?:ssh|sql|pg|db|ftp|mail|smtp|user|root|admin|ldap|redis|mq|store|key|http|auth)$`)

// joinedParts returns a value whose quoted parts a program joins, and where the last one
// ends: "half" + "other half".
func joinedParts(text string, start, end int) (value string, last int) {
	value, last = text[start:end], end
	for {
		if last >= len(text) || text[last] != '"' && text[last] != '\'' && text[last] != '\\' {
			return value, last
		}
		m := nextPart.FindStringSubmatchIndex(text[last:min(len(text), last+maxToken)])
		if m == nil {
			return value, last
		}
		value, last = value+text[last+m[2]:last+m[3]], last+m[3]
	}
}

// bracketed returns the inside of a string between brackets, as Ruby, Perl and Lua have
// them: %q(a(b)c), qq{a}, [[a]]. to is 0 where a place begins none.
func bracketed(text string, at int) (from, to int) {
	opening := bracketString.FindString(text[at:min(len(text), at+maxPrefix)])
	if opening == "" {
		return 0, 0
	}
	open := opening[len(opening)-1]
	shut := map[byte]byte{'(': ')', '[': ']', '{': '}', '<': '>'}[open]
	from = at + len(opening)
	for depth, i := 1, from; i < min(len(text), from+maxPassword) && text[i] != '\n'; i++ {
		switch text[i] {
		case open:
			depth++
		case shut:
			if depth--; depth == 0 {
				return from, i
			}
		}
	}
	return 0, 0
}

var bracketString = lazyregexp.New(`^(?:%[qQ]?[(\[{<]|qq?[(\[{<]|\[=*\[)`)

// nextPart is what joins the next quoted part to a value, and that part.
var nextPart = lazyregexp.New(`^(?:\\*["']\s{0,4}[.+]\s{0,9}\\*["']|\\*["'][ \t]{0,4}\\*["'])([^"'\\\n]{1,200})`)

// nameByte reports whether a byte can be part of a name in assignedPassword.
func nameByte(b byte) bool {
	c := secret.ClassOf(b)
	return c == secret.Lower || c == secret.Upper || c == secret.Digit || b == '_' || b == '.' || b == '-'
}

// isPassword reports whether a value that is assigned to the name of a password is
// one. rest is the text after it.
func isPassword(name, between, value string, quoted bool, rest string) bool {
	variable := between == "=" && name == strings.ToUpper(name)
	switch {
	case len(value) < minSecret || len(value) > maxPassword || secret.NoPassword(value):
		return false
	case between == " " && !strings.HasPrefix(name, "-") && !quoted, name == "PWD", name == "OLDPWD":
		return false
	case !quoted && (strings.ContainsAny(value, "([{<$") || secret.FilledIn(value)), strings.HasPrefix(value, "$"), strings.Contains(value, "{{"), strings.Contains(value, "${"), strings.Contains(value, "%s"):
		return false // an expression, or what a program fills in
	case !quoted && strings.HasPrefix(rest, "["):
		return false // an index
	case variable:
		return true
	}
	return chosen(escapedSign.ReplaceAllString(value, "-")) && !forTests.MatchString(value)
}

// escapedSign is a sign as JSON escapes it for HTML.
var escapedSign = lazyregexp.New(`\\u[0-9A-Fa-f]{4}`)

// chosen reports whether a value mixes letters with digits or signs, as password
// rules demand. Characters that only join words do not count.
func chosen(value string) bool {
	const shortest = 5 // bytes; below it there are versions, sizes and ports
	kinds := map[secret.Class]bool{}
	for i := range len(value) {
		switch c := secret.ClassOf(value[i]); c {
		case secret.Lower, secret.Upper:
			kinds[secret.Lower] = true
		case secret.Digit, secret.Sign:
			kinds[c] = true
		case secret.Foreign:
			return false
		}
	}
	return len(value) >= shortest && len(kinds) > 1
}

// forTests are the values of passwords in tests and manuals. They must stay
// readable: a model cannot edit a line that it cannot see.
var forTests = lazyregexp.New(`(?i)test|example|dummy|fake|sample|changeme|placeholder|password|secret|wrong|invalid|insecure|^pass\d{1,4}$`)
