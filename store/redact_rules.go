package store

import (
	"encoding/base64"
	"regexp"
	"strings"
	"unicode/utf8"

	"caselsp/store/secret"
)

// token is a way in which programs write a secret whose own format says nothing:
// in a header, a URL, an option. The expression's last group, if it has one, is
// what is masked, else all of it.
type token struct {
	hint  string // a literal part of it, which is searched first: that is a hundred times faster
	shape *regexp.Regexp
	sure  func(value string) bool // nil: the shape is enough
}

// maxToken is how far after its hint a token is matched, in bytes. The rest of a
// longer token is masked with it.
const maxToken = 4 << 10

// shape compiles the expression of a token. It is matched from the beginning of the
// word that contains the hint.
func shape(expr string) *regexp.Regexp { return regexp.MustCompile(`^(?:` + expr + `)`) }

var tokens = []token{
	{"earer", shape(`(?i)bearer\\*["']?[ :=]\s*\\*["']?([A-Za-z0-9._~+/-]{16,}={0,2})`), secret.Random},
	{"uthorization", shape(`(?i)authorization\\*["']?\s*[:=,]\s*\\*["']?token\s+([A-Za-z0-9._~+/-]{16,}={0,2})`), secret.Random},
	{"asic ", shape(`(?i)basic\s+([A-Za-z0-9+/]{8,}={0,2})`), userAndPassword},
	{"://", shape(`\w*://([^\s:/?#@"'\x60<>\\]*:[^\s/?#"'\x60<>\\]+)@`), nil},
	{"://", shape(`https?://([A-Za-z0-9_.~%-]{16,})@`), secret.Random}, // a token as the user
	{":", shape(`(\w+:[^\s:/@"'\x60<>\\]+)@tcp\(`), nil},               // a DSN of Go's MySQL driver
	{"--", shape(`--[A-Za-z-]{0,40}(?:token|password|passwd|secret|api-?key)[ =]\\*["']?([A-Za-z0-9._~+/!@#%^*-]{16,}={0,2})`), secret.Random},
}

// redactFormats masks the secrets whose format gives them away, those that
// manuals show included: the user who writes one must see that it was masked.
func redactFormats(text string) string {
	found := secret.Find(text)
	if found == nil {
		return text
	}
	var out strings.Builder
	done := 0
	for _, m := range found {
		out.WriteString(text[done:m.Start])
		out.WriteString(mask)
		done = m.End
	}
	out.WriteString(text[done:])
	return out.String()
}

// redactTokens masks what stands where programs write secrets.
func redactTokens(text string) string {
	for _, t := range tokens {
		text = t.redact(text)
	}
	return text
}

func (t token) redact(text string) string {
	var out strings.Builder
	done := 0
	for next := 0; ; {
		hint := strings.Index(text[next:], t.hint)
		if hint < 0 {
			break
		}
		hint += next
		next = hint + len(t.hint)
		start, end, ok := t.find(text[done:min(len(text), hint+maxToken)], hint-done)
		start, end = start+done, end+done
		next = max(next, end) // past what only has the shape, too
		if !ok {
			continue
		}
		for end == hint+maxToken && end < len(text) && secret.ClassOf(text[end]) != secret.Foreign {
			end++
		}
		out.WriteString(text[done:start])
		out.WriteString(mask)
		done, next = end, max(next, end)
	}
	if done == 0 {
		return text
	}
	out.WriteString(text[done:])
	return out.String()
}

// find returns where the secret of the token is whose hint is at text[hint], and
// whether it is a secret.
func (t token) find(text string, hint int) (start, end int, ok bool) {
	begin := wordStart(text, hint)
	at := t.shape.FindStringSubmatchIndex(text[begin:])
	if at == nil {
		return 0, 0, false
	}
	start, end = begin+at[len(at)-2], begin+at[len(at)-1]
	value := text[start:end]
	if user, password, ok := strings.Cut(value, ":"); ok && t.sure == nil && (t.hint == "://" || t.hint == ":") {
		return end - len(password), end, !harmless(user, password)
	}
	return start, end, t.sure == nil || t.sure(value)
}

// wordStart returns where the word begins that contains text[i] or ends there. The n
// of an escaped line break belongs to no word.
func wordStart(text string, i int) int {
	start := i
	for start > 0 && i-start < maxName {
		if c := secret.ClassOf(text[start-1]); c != secret.Lower && c != secret.Upper && c != secret.Digit && text[start-1] != '_' {
			break
		}
		start--
	}
	if start > 0 && start < i && text[start-1] == '\\' && strings.IndexByte("nrt", text[start]) >= 0 {
		start++
	}
	return start
}

// harmless reports whether the password of a URL is not a secret: a variable that a
// program fills in, or the word that manuals and compose files use.
func harmless(user, password string) bool {
	if strings.ContainsAny(password, "{}[]") || strings.HasPrefix(password, "$") ||
		strings.HasPrefix(password, "%") && len(password) <= 3 {
		return true
	}
	return strings.EqualFold(user, password) || secret.NoPassword(password)
}

// userAndPassword reports whether the value of a Basic authorization is one.
func userAndPassword(value string) bool {
	text, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(value, "="))
	if err != nil || !utf8.Valid(text) || !strings.Contains(string(text), ":") {
		return false
	}
	return !strings.ContainsFunc(string(text), func(r rune) bool { return r < ' ' || r == utf8.RuneError })
}

var (
	pemBegin = regexp.MustCompile(`-----BEGIN (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----`)
	pemEnd   = "-----END "
	// pemBody is the key itself: code that only looks for the header has none.
	pemBody = regexp.MustCompile(`[A-Za-z0-9+/]{32}`)
	// pemCut is the key after a header whose end was cut off: lines of base64,
	// also in quotes, in a diff or escaped.
	pemCut = regexp.MustCompile(`^(?:(?:\\+[nr]|[\s"'+,;|>])*[A-Za-z0-9+/=]{32,})+`)
	// pemLine is one line of a key, pemHeader what may stand before the first.
	pemLine   = regexp.MustCompile(`^[\s+>|-]?\s*[A-Za-z0-9+/]+={0,2}\s*$`)
	pemHeader = regexp.MustCompile(`^[\s+>|-]?\s*(?:(?:Proc-Type|DEK-Info|Version|Comment): .*)?\s*$`)
)

// maxPEM is how far after its header the end of a private key is searched, in bytes:
// the largest keys in use have 13 kB.
const maxPEM = 32 << 10

// redactPEM masks the inside of private keys.
func redactPEM(text string) string {
	if !strings.Contains(text, "PRIVATE KEY") {
		return text
	}
	var out strings.Builder
	for {
		at := pemBegin.FindStringIndex(text)
		if at == nil {
			break
		}
		out.WriteString(text[:at[1]])
		text = text[at[1]:]
		near := text[:min(len(text), maxPEM)]
		end := strings.Index(near, pemEnd)
		if next := strings.Index(near, "-----BEGIN "); end < 0 || next >= 0 && next < end {
			end = 0
			if cut := pemCut.FindStringIndex(near); cut != nil {
				end = cut[1]
			}
		} else if !pemBody.MatchString(near[:end]) {
			end = 0
		}
		if end > 0 {
			out.WriteString(mask)
			text = text[end:]
		}
	}
	out.WriteString(text)
	return out.String()
}

// pemState follows a private key through an array of lines, such as the lines of a
// hunk.
type pemState int

const (
	pemOutside pemState = iota
	pemOpened           // after the header
	pemInside           // within the lines of the key
)

// next takes the next line and reports whether it is a line of the key.
func (p *pemState) next(line string) bool {
	at := pemBegin.FindAllStringIndex(line, -1)
	switch {
	case at != nil:
		*p = pemOutside
		if !strings.Contains(line[at[len(at)-1][1]:], pemEnd) {
			*p = pemOpened
		}
	case *p == pemOutside, pemHeader.MatchString(line):
	case pemLine.MatchString(line) && (*p == pemInside || pemBody.MatchString(line)):
		*p = pemInside
		return true
	default:
		*p = pemOutside
	}
	return false
}
