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
	hint  string // a literal part of it, which is searched first: that is a hundred times faster
	shape *regexp.Regexp
	sure  func(secret string) bool // nil: the shape is enough
}

// maxToken is how far after its hint a token is looked at, in bytes. What it
// has in common with longer ones goes with them.
const maxToken = 4 << 10

// shape makes the expression of a token from where the word begins that its
// hint stands in. One that counts to an exact length ends in \b, where its last
// character cannot be a sign.
func shape(expr string) *regexp.Regexp { return regexp.MustCompile(`^(?:` + expr + `)`) }

var tokens = []token{
	{"sk-", shape(`sk-[A-Za-z0-9_-]{20,}`), random}, // OpenAI, Anthropic, OpenRouter, DeepSeek; also CSS classes
	{"gh", shape(`gh[opsur]_[A-Za-z0-9]{36,}`), nil},
	{"github_pat_", shape(`github_pat_[A-Za-z0-9_]{22,}`), nil},
	{"gl", shape(`gl(?:pat|dt|rt|cbt|ptt|ft|soat|agent|imt)-[A-Za-z0-9_-]{20,}`), random},
	{"xox", shape(`xox[abeoprs]-[A-Za-z0-9-]{10,}`), nil}, // Slack
	{"xapp-", shape(`xapp-[0-9]-[A-Za-z0-9-]{20,}`), nil},
	{"hooks.slack.com", shape(`hooks\.slack\.com/(?:services|workflows|triggers)/([A-Za-z0-9/_-]{20,})`), random},
	{"AKIA", shape(`AKIA[A-Z0-9]{16}\b`), nil}, // Amazon, the example of its manual included
	{"ASIA", shape(`ASIA[A-Z0-9]{16}\b`), nil},
	{"AIza", shape(`AIza[A-Za-z0-9_-]{35,}`), nil}, // Google
	{"GOCSPX-", shape(`GOCSPX-[A-Za-z0-9_-]{28,}`), nil},
	{"ya29.", shape(`ya29\.[A-Za-z0-9_-]{20,}`), nil},
	{"k_", shape(`[rs]k_(?:live|test)_[A-Za-z0-9]{16,}`), nil}, // Stripe
	{"whsec_", shape(`whsec_[A-Za-z0-9+/]{24,}={0,2}`), nil},
	{"npm_", shape(`npm_[A-Za-z0-9]{36}\b`), nil},
	{"pypi-", shape(`pypi-AgE[A-Za-z0-9_-]{50,}`), nil},
	{"hf_", shape(`hf_[A-Za-z0-9]{34}\b`), nil},
	{"gsk_", shape(`gsk_[A-Za-z0-9]{40,}`), nil},
	{"xai-", shape(`xai-[A-Za-z0-9]{40,}`), nil},
	{"pplx-", shape(`pplx-[A-Za-z0-9]{40,}`), nil},
	{"r8_", shape(`r8_[A-Za-z0-9]{37}\b`), nil},
	{"SG.", shape(`SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}`), nil}, // SendGrid
	{"dckr_", shape(`dckr_(?:pat|oat)_[A-Za-z0-9_-]{20,}`), nil},
	{"dapi", shape(`dapi[0-9a-f]{32}\b`), nil}, // Databricks
	{"_v1_", shape(`do[opr]_v1_[0-9a-f]{64}\b`), nil},
	{"shp", shape(`shp(?:at|ca|pa|ss)_[A-Fa-f0-9]{32}\b`), nil},
	{"lin_api_", shape(`lin_api_[A-Za-z0-9]{32,}`), nil},
	{"ATATT3", shape(`ATATT3[A-Za-z0-9_=-]{50,}`), nil}, // Atlassian
	{"hvs.", shape(`hvs\.[A-Za-z0-9_-]{24,}`), random},  // Vault
	{"AGE-SECRET-KEY-", shape(`AGE-SECRET-KEY-1[A-Z0-9]{58}\b`), nil},
	{":AA", shape(`[0-9]{8,10}:AA[A-Za-z0-9_-]{33,}`), nil},                                 // Telegram
	{"eyJ", shape(`eyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}`), nil}, // a signed JWT
	{"earer", shape(`(?i)bearer\\*["']?[ :=]\s*\\*["']?([A-Za-z0-9._~+/-]{16,}={0,2})`), random},
	{"uthorization", shape(`(?i)authorization\\*["']?\s*[:=,]\s*\\*["']?token\s+([A-Za-z0-9._~+/-]{16,}={0,2})`), random},
	{"asic ", shape(`(?i)basic\s+([A-Za-z0-9+/]{8,}={0,2})`), userAndPassword},
	{"://", shape(`\w*://([^\s:/?#@"'\x60<>\\]*:[^\s/?#"'\x60<>\\]+)@`), nil},
	{"://", shape(`https?://([A-Za-z0-9_.~%-]{16,})@`), random}, // a token as the user
	{":", shape(`(\w+:[^\s:/@"'\x60<>\\]+)@tcp\(`), nil},        // a DSN of Go's MySQL driver
	{"--", shape(`--[A-Za-z-]{0,40}(?:token|password|passwd|secret|api-?key)[ =]\\*["']?([A-Za-z0-9._~+/!@#%^*-]{16,}={0,2})`), random},
}

// redactTokens masks what has the shape of a token.
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
		for end == hint+maxToken && end < len(text) && classOf(text[end]) != foreign {
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

// find returns where the secret is of the token whose hint stands in text, and
// whether it is one.
func (t token) find(text string, hint int) (start, end int, ok bool) {
	begin := wordStart(text, hint)
	at := t.shape.FindStringSubmatchIndex(text[begin:])
	if at == nil {
		return 0, 0, false
	}
	start, end = begin+at[len(at)-2], begin+at[len(at)-1]
	secret := text[start:end]
	if user, password, ok := strings.Cut(secret, ":"); ok && t.sure == nil && (t.hint == "://" || t.hint == ":") {
		return end - len(password), end, !harmless(user, password)
	}
	return start, end, t.sure == nil || t.sure(secret)
}

// wordStart returns where the word begins that goes up to text[i] or over it.
// The n of an escaped line break belongs to no word.
func wordStart(text string, i int) int {
	start := i
	for start > 0 && i-start < maxName {
		if c := classOf(text[start-1]); c != lower && c != upper && c != digit && text[start-1] != '_' {
			break
		}
		start--
	}
	if start > 0 && start < i && text[start-1] == '\\' && strings.IndexByte("nrt", text[start]) >= 0 {
		start++
	}
	return start
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
