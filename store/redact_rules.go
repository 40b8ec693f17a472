package store

import (
	"encoding/base64"
	"regexp"
	"strings"
	"unicode/utf8"
)

// gitleaks as a library lost: it brings a configuration format, archives and
// terminal styling for what are forty patterns here, it reports but does not
// replace, and it allows itself false positives that a person reviews. A record
// that is changed wrongly breaks a replay, so the rules here ask for more.

// token is a shape of secret that can be told by itself. The expression's last
// group, if it has one, is what is masked, else all of it.
type token struct {
	hint  string // a text without it has no such token: this search is far faster than the expression
	shape *regexp.Regexp
	sure  func(secret string) bool // nil: the shape is enough
}

// word makes the expression of a token that starts a word. An expression that
// counts to an exact length ends in \b, where its last character cannot be a sign.
func word(expr string) *regexp.Regexp { return regexp.MustCompile(`\b` + expr) }

var tokens = []token{
	{"sk-", word(`sk-[A-Za-z0-9_-]{20,}`), random}, // OpenAI, Anthropic, OpenRouter, DeepSeek; also CSS classes
	{"gh", word(`gh[opsur]_[A-Za-z0-9]{36,}`), nil},
	{"github_pat_", word(`github_pat_[A-Za-z0-9_]{22,}`), nil},
	{"gl", word(`gl(?:pat|dt|rt|cbt|ptt|ft|soat|agent|imt)-[A-Za-z0-9_-]{20,}`), random},
	{"xox", word(`xox[abeoprs]-[A-Za-z0-9-]{10,}`), nil}, // Slack
	{"xapp-", word(`xapp-[0-9]-[A-Za-z0-9-]{20,}`), nil},
	{"hooks.slack.com", regexp.MustCompile(`hooks\.slack\.com/(?:services|workflows|triggers)/([A-Za-z0-9/_-]{20,})`), random},
	{"AKIA", word(`AKIA[A-Z0-9]{16}\b`), nil}, // Amazon, the example of its manual included
	{"ASIA", word(`ASIA[A-Z0-9]{16}\b`), nil},
	{"AIza", word(`AIza[A-Za-z0-9_-]{35,}`), nil}, // Google
	{"GOCSPX-", word(`GOCSPX-[A-Za-z0-9_-]{28,}`), nil},
	{"ya29.", word(`ya29\.[A-Za-z0-9_-]{20,}`), nil},
	{"k_", word(`[rs]k_(?:live|test)_[A-Za-z0-9]{16,}`), nil}, // Stripe
	{"whsec_", word(`whsec_[A-Za-z0-9+/]{24,}={0,2}`), nil},
	{"npm_", word(`npm_[A-Za-z0-9]{36}\b`), nil},
	{"pypi-", word(`pypi-AgE[A-Za-z0-9_-]{50,}`), nil},
	{"hf_", word(`hf_[A-Za-z0-9]{34}\b`), nil},
	{"gsk_", word(`gsk_[A-Za-z0-9]{40,}`), nil},
	{"xai-", word(`xai-[A-Za-z0-9]{40,}`), nil},
	{"pplx-", word(`pplx-[A-Za-z0-9]{40,}`), nil},
	{"r8_", word(`r8_[A-Za-z0-9]{37}\b`), nil},
	{"SG.", word(`SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}`), nil}, // SendGrid
	{"dckr_", word(`dckr_(?:pat|oat)_[A-Za-z0-9_-]{20,}`), nil},
	{"dapi", word(`dapi[0-9a-f]{32}\b`), nil}, // Databricks
	{"_v1_", word(`do[opr]_v1_[0-9a-f]{64}\b`), nil},
	{"shp", word(`shp(?:at|ca|pa|ss)_[A-Fa-f0-9]{32}\b`), nil},
	{"lin_api_", word(`lin_api_[A-Za-z0-9]{32,}`), nil},
	{"ATATT3", word(`ATATT3[A-Za-z0-9_=-]{50,}`), nil}, // Atlassian
	{"hvs.", word(`hvs\.[A-Za-z0-9_-]{24,}`), random},  // Vault
	{"AGE-SECRET-KEY-", word(`AGE-SECRET-KEY-1[A-Z0-9]{58}\b`), nil},
	{":AA", word(`[0-9]{8,10}:AA[A-Za-z0-9_-]{33,}`), nil},                                 // Telegram
	{"eyJ", word(`eyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}`), nil}, // a signed JWT
	{"earer", regexp.MustCompile(`(?i)\bbearer\\*["']?[ :=]\s*\\*["']?([A-Za-z0-9._~+/-]{16,}={0,2})`), random},
	{"uthorization", regexp.MustCompile(`(?i)authorization\\*["']?\s*[:=,]\s*\\*["']?token\s+([A-Za-z0-9._~+/-]{16,}={0,2})`), random},
	{"asic ", regexp.MustCompile(`(?i)\bbasic\s+([A-Za-z0-9+/]{8,}={0,2})`), userAndPassword},
	{"://", regexp.MustCompile(`://([^\s:/?#@"'\x60<>\\]*:[^\s/?#"'\x60<>\\]+)@`), nil},
	{"@tcp(", regexp.MustCompile(`\b([A-Za-z0-9_.-]+:[^\s:/@"'\x60<>\\]+)@tcp\(`), nil}, // a DSN of Go's MySQL driver
	{" --", regexp.MustCompile(` --[A-Za-z-]*(?:token|password|passwd|secret|api-?key)[ =]\\*["']?([A-Za-z0-9._~+/!@#%^*-]{16,}={0,2})`), random},
}

// redactTokens masks what has the shape of a token.
func redactTokens(text string) string {
	for _, t := range tokens {
		if strings.Contains(text, t.hint) {
			text = t.redact(text)
		}
	}
	return text
}

func (t token) redact(text string) string {
	var out strings.Builder
	done := 0
	for _, at := range t.shape.FindAllStringSubmatchIndex(text, -1) {
		start, end := at[len(at)-2], at[len(at)-1]
		secret := text[start:end]
		if t.hint == "://" || t.hint == "@tcp(" {
			user, password, _ := strings.Cut(secret, ":")
			if harmless(user, password) {
				continue
			}
			start = end - len(password)
		}
		if t.sure != nil && !t.sure(secret) {
			continue
		}
		out.WriteString(text[done:start])
		out.WriteString(mask)
		done = end
	}
	if done == 0 {
		return text
	}
	out.WriteString(text[done:])
	return out.String()
}

// harmless reports whether a URL's password is none: a variable that a program
// fills in, or what every manual and compose file writes there.
func harmless(user, password string) bool {
	if strings.ContainsAny(password, "{}[]") || strings.HasPrefix(password, "$") ||
		strings.HasPrefix(password, "%") && len(password) <= 3 || strings.Trim(password, "*.xX") == "" {
		return true
	}
	switch strings.ToLower(password) {
	case strings.ToLower(user), "password", "passwd", "pass", "pwd", "pw", "secret", "example", "changeme", "redacted":
		return true
	}
	return false
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
	// in quotes, in a diff or escaped.
	pemCut = regexp.MustCompile(`^(?:(?:\\+[nr]|[\s"'+,;|>])*[A-Za-z0-9+/=]{32,})+`)
	// pemLine is one line of a key, pemHeader what may stand before the first.
	pemLine   = regexp.MustCompile(`^[\s+>|-]?\s*[A-Za-z0-9+/]+={0,2}\s*$`)
	pemHeader = regexp.MustCompile(`^[\s+>|-]?\s*(?:(?:Proc-Type|DEK-Info|Version|Comment): .*)?\s*$`)
)

// maxPEM is how far the end of a private key is looked for, in bytes: the
// largest in use have 13 kB.
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

// pemState follows a private key through an array of its lines, as hunks hold
// them.
type pemState int

const (
	pemOutside pemState = iota
	pemOpened           // the header was the last line that counts
	pemInside           // lines of the key have come
)

// next takes one more line and reports whether it is a line of the key.
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
