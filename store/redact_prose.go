package store

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"caselsp/store/lazyregexp"
	"caselsp/store/secret"
)

// In prose a secret follows its name by a verb, as people tell one: "my password is ...", "the
// passphrase is '...'", "use the PIN ...". Far more sentences say something about a password
// ("is checked", "is at least 12 characters long", "is SHA-256 hashed"), so that only what can
// be no word of a sentence is taken for one: a value that mixes letters with digits or signs
// and is no technical term, a number under the name of a PIN, and words between quotes that
// make no sentence.

// proseKind is what a name in prose holds.
type proseKind int

const (
	passwordKind proseKind = iota // what people choose
	phraseKind                    // of several words
	pinKind
	tokenKind // what programs make
)

// proseName is a name in prose, by how it begins. Its expression also has to fit.
type proseName struct {
	begins string // in lower case, which is compared first: most words begin otherwise
	kind   proseKind
	shape  *lazyregexp.Regexp
}

var proseNames = []proseName{
	{"passp", phraseKind, shape(`(?i)passphrase`)},
	{"pass p", phraseKind, shape(`(?i)pass phrase`)},
	{"passc", pinKind, shape(`(?i)passcode`)},
	{"pass c", pinKind, shape(`(?i)pass code`)},
	{"passw", passwordKind, shape(`(?i)pass(?:word|wd|wort)`)},
	{"pwd", passwordKind, shape(`(?i)pwd`)},
	{"kennw", passwordKind, shape(`(?i)kennwort`)},
	{"mot de p", passwordKind, shape(`(?i)mot de passe`)},
	{"contrase", passwordKind, shape(`(?i)contrase(?:ñ|n)a`)},
	{"pin", pinKind, shape(`(?i)pin(?:[ -]?(?:code|number))?`)},
	{"secret", tokenKind, shape(`(?i)secret(?: key)?`)},
	{"token", tokenKind, shape(`(?i)token`)},
	{"api", tokenKind, shape(`(?i)api[ -]?(?:key|token|secret)`)},
	{"access", tokenKind, shape(`(?i)access (?:key|token)`)},
}

var (
	// proseVerb joins a name to its value: of whose it is, a verb, and a colon.
	proseVerb = lazyregexp.New(`^(?:["'*\x60_]{0,3}(?: (?:for|of|für|von|pour|para) [\w@.-]+(?: [\w@.-]+){0,3}?)?\s{1,4}(?:is|was|will be|ist|war|lautet|est|es)(?: (?:now|currently|still|set to|jetzt|aktuell))?|['’]s)\s{0,4}:?\s{1,4}`)

	// proseColon joins the names that code hardly has to their values.
	proseColon = lazyregexp.New(`^\s{0,2}[:=]\s{0,4}`)
	colonName  = lazyregexp.New(`^(?:(?i:passwort|kennwort|passcode|mot de passe|contrase)|PIN)`)

	// proseTo joins a name to the value that something is changed to, proseChange is what
	// stands before the name then.
	proseTo     = lazyregexp.New(`^(?: (?:for|of) [\w@.-]+(?: [\w@.-]+){0,3}?)? to:? `)
	proseChange = lazyregexp.New(`(?i)\b(?:set|chang|reset|updat|rotat|switch)\w*\b[^.\n]{0,30}$`)

	// proseUse is what stands before a name whose value follows it without a verb.
	proseUse = lazyregexp.New(`(?i)\b(?:with|us(?:e|ing)|enter|typ(?:e|ing)|my|our|your|mit|and)(?: (?:the|a|my|our))?(?: \w+)? $`)

	// proseValue is a value: quoted, or a word.
	proseValue = lazyregexp.New(`^[*_]{0,2}(?:\\*["'\x60]([^"'\x60\\\n]{4,80})\\*["'\x60]|[“‘„«]([^“”‘’„«»\n]{4,80})[”’“»]|([^\s"'\x60\\<>“”‘’„«»]{4,128}))`)
)

const (
	// proseReach is how much of a text is looked at after a name, proseBefore before it, in bytes.
	proseReach  = 256
	proseBefore = 48
)

// redactProse masks secrets that sentences tell.
func redactProse(text string, own keep) string {
	var all [][2]int
	for i := 0; i < len(text); i++ {
		if !proseStarts[text[i]] || i > 0 && nameByte(text[i-1]) {
			continue
		}
		near := text[i:min(len(text), i+proseReach)]
		for _, n := range proseNames {
			if len(near) < len(n.begins) || !strings.EqualFold(near[:len(n.begins)], n.begins) {
				continue
			}
			name := n.shape.FindString(near)
			if name == "" {
				continue
			}
			if start, end := n.told(text[max(0, i-proseBefore):i], name, near[len(name):]); end > 0 && !own(near[len(name)+start:len(name)+end]) {
				all = append(all, [2]int{i + len(name) + start, i + len(name) + end})
				i += len(name) + end - 1
			}
			break
		}
	}
	return masked(text, all)
}

// proseStarts are the first bytes of proseNames.
var proseStarts = bytesOf("pPkKmMcCsStTaA")

// told returns where the value of a name begins and ends in the text after it; end is 0 if it
// tells none.
func (n proseName) told(before, name, after string) (start, end int) {
	verb := proseVerb.FindStringIndex(after)
	direct := false
	switch {
	case verb != nil:
	case colonName.MatchString(name) && proseColon.MatchString(after):
		verb = proseColon.FindStringIndex(after)
	case n.kind == tokenKind:
		return 0, 0
	case proseTo.MatchString(after) && proseChange.MatchString(before):
		verb = proseTo.FindStringIndex(after)
	case strings.HasPrefix(after, " ") && proseUse.MatchString(before):
		verb, direct = []int{0, 1}, true
	default:
		return 0, 0
	}
	m := proseValue.FindStringSubmatchIndex(after[verb[1]:])
	if m == nil {
		return 0, 0
	}
	for group := 1; group <= 3; group++ {
		if m[2*group] < 0 {
			continue
		}
		start, end = verb[1]+m[2*group], verb[1]+m[2*group+1]
		value := after[start:end]
		if group == 3 {
			value = strings.TrimRight(value, ".,;:)]*_")
			end = start + len(value)
		}
		if n.isValue(value, group < 3, direct, after[end:]) {
			return start, end
		}
	}
	return 0, 0
}

// isValue reports whether a value that prose gives a name is its secret. rest is the text after it.
func (n proseName) isValue(value string, quoted, direct bool, rest string) bool {
	plain := strings.TrimRight(value, "!?.")
	switch {
	case len(value) < minSecret, secret.NoPassword(value), secret.FilledIn(value), strings.Contains(value, mask), strings.Contains(value, "://"),
		labelledHash.MatchString(value), uuid.MatchString(value), standIn.MatchString(plain):
		return false
	case quoted && strings.Contains(value, " "):
		return n.kind != tokenKind && isPhrase(value, n.kind == phraseKind)
	case !quoted && strings.ContainsAny(value, "([{<"), !quoted && strings.HasPrefix(rest, "["):
		return false // an expression
	case allDigits(plain):
		return n.kind != tokenKind && (n.kind == pinKind || !direct && len(plain) >= minSecret) && !unitNext.MatchString(rest)
	case n.kind == pinKind && len(plain) < minEncoded, technical.MatchString(plain), identifier.MatchString(plain):
		return false
	case n.kind == tokenKind:
		digits, _ := secret.Variety(plain)
		return len(plain) >= minSplit && digits >= 2 && (secret.Random(plain) && len(plain) >= minRandom || upperAndLower(plain))
	case direct && !quoted:
		return len(plain) >= minSplit && mixes(plain) && (upperAndLower(plain) || innerSign.MatchString(plain))
	}
	return mixes(plain)
}

// mixes reports whether a value mixes letters with digits, or with signs that join no words.
func mixes(value string) bool {
	return len(value) >= minEncoded && letter.MatchString(value) && (strings.ContainsAny(value, "0123456789") || innerSign.MatchString(value)) && !foreign(value)
}

// foreign reports whether a value has a character of another script: such sentences put no
// blanks where words end.
func foreign(value string) bool {
	return strings.ContainsFunc(value, func(r rune) bool { return r > unicode.MaxLatin1 || r == utf8.RuneError })
}

func upperAndLower(value string) bool {
	return strings.ToLower(value) != value && strings.ToUpper(value) != value
}

func allDigits(value string) bool { return strings.Trim(value, "0123456789") == "" }

// isPhrase reports whether words between quotes are a passphrase rather than a sentence.
func isPhrase(value string, named bool) bool {
	const most = 10 // words
	words := strings.Fields(value)
	if len(words) > most || strings.ContainsAny(value, "(){}=<>[]") || sentence.MatchString(value) {
		return false
	}
	return strings.ContainsAny(value, "0123456789") || named && len(words) > 2
}

var (
	letter    = lazyregexp.New(`[A-Za-z]`)
	innerSign = lazyregexp.New(`[A-Za-z0-9][!@#$%^&]+[A-Za-z0-9]`)

	// sentence are words that passphrases hardly have.
	sentence = lazyregexp.New(`(?i)(?:^|\s)(?:a|an|the|at|least|most|than|too|not|no|must|may|should|can|cannot|will|is|are|was|be|been|has|have|and|or|in|on|of|to|for|from|with|without|by|your|my|this|that|it|its|if|when|required|optional|empty|missing|invalid|wrong|set|unset|default|digits?|characters?|chars?|bytes?|bits?|length|hashed|encrypted|encoded|password|passphrase|pin)(?:$|[\s,.;:!?])`)

	// unitNext is what follows a number that counts something.
	unitNext = lazyregexp.New(`^(?:[.,:/-]\d|[ -]?(?i:digits?|numbers?|numeric|char\w*|letters?|words?|bytes?|bits?|[kmg]i?b\b|long\b|seconds?|secs?\b|ms\b|minutes?|hours?|days?|weeks?|months?|years?|times?\b|attempts?|tries|rounds|iterations|or\b|to\b|%|stellig\w*|Zeichen|Ziffern|Bytes))`)

	// technical are terms with digits in them: versions, sizes, dates, algorithms, encodings, protocols.
	technical = lazyregexp.New(`(?i)^(?:v?\d+(?:[.,:/x-]\d+)*[a-z%]{0,3}|\d+(?:st|nd|rd|th)?[-/+][a-z-]+|` +
		`(?:x?sha|md|h?mac|[hrep]s|hs|utf|ucs|base|ascii|latin|iso|rfc|ieee|nist|fips|owasp|cwe|cve|oauth|openid|saml|oidc|jwt|jws|jwe|pkce|aes|des|3des|rsa|dsa|ecdsa|ed|curve|x|p|rc|chacha|salsa|blake|crc|bcrypt|scrypt|argon|pbkdf|ntlm|kerberos|https?|tls|ssl|ssh|ipv?|udp|tcp|uuid|guid|u?int|float|char|varchar|nvarchar|str|string|bytes?|python|py|node|php|es|ecma|win|k|s|i|l|n|h|gpio|pin|pkcs|pem|x509|totp|hotp|2fa|web|vue|angular|react|mysql|postgres|sqlite|db|[a-z]+sql|crypt|hex|bin|u2f|fido|webauthn)[-_ ]?v?\d+[a-z]{0,3}\d{0,2}(?:[-_/.]\w+)*|` +
		`[a-z0-9]+(?:-[a-z0-9]+)*-(?:encoded|hashed|signed|encrypted|based|bits?|bytes?|chars?|characters?|digits?|compatible|only|protected|factor|safe|long|like|style|length|derived|salted))$`)

	// identifier are names of code, files and hosts.
	identifier = lazyregexp.New(`^(?:[a-z]+[0-9]*(?:_[a-z0-9]+)+|[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+|[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+(?::\d+)?|[.~]?/?[\w.-]+(?:/[\w.-]+)+|[\w.+-]+@[\w-]+(?:\.[\w-]+)+|\w*(?i:password|passwd|passphrase|token|field|input|param|column|value|hash|handler|service|user)s?_?\d{0,2}|[\d/:.-]+)$`)

	// standIn are the values that tests and manuals have.
	standIn = lazyregexp.New(`(?i)^(?:my|your|the|a|some|new|old|test|bad)?[-_]?(?:test(?:ing)?|example|dummy|fake|sample|changeme|placeholder|password|passwort|passphrase|secret|token|wrong|invalid|insecure|pass|value|foo|bar|foobar|abc)[-_]?\d{0,4}$`)
)
