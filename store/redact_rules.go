package store

import (
	"encoding/base64"
	"strings"
	"unicode/utf8"

	"caselsp/store/lazyregexp"
	"caselsp/store/secret"
)

// token is a way in which programs write a secret whose own format says nothing:
// in a header, a URL, an option. The expression's last group, if it has one, is
// what is masked, else all of it.
type token struct {
	hint  string // a literal part of it, which is searched first: that is a hundred times faster
	shape *lazyregexp.Regexp
	sure  func(value string) bool // nil: the shape is enough
}

// maxToken is how far after its hint a token is matched, in bytes. The rest of a
// longer token is masked with it.
const maxToken = 4 << 10

// shape compiles the expression of a token. It is matched from the beginning of the
// word that contains the hint.
func shape(expr string) *lazyregexp.Regexp { return lazyregexp.New(`^(?:` + expr + `)`) }

// optionOf is a command with an option whose argument is a password.
func optionOf(command, option string) *lazyregexp.Regexp {
	return shape(command + `\s(?:[^\n|;&]{0,200}\s)?` + option + `\s*["']?([^\s"']{5,80})`)
}

var tokens = []token{
	{"earer", shape(`(?i)bearer\\*["']?[ :=]\s*\\*["']?([A-Za-z0-9._~+/-]{16,}={0,2})`), secret.Random},
	{"uthorization", shape(`(?i)authorization\\*["']?\s*[:=,]\s*\\*["']?(?:[a-z-]{2,20}[ =]+)?([A-Za-z0-9._~+/-]{16,}={0,2})`), secret.Random},
	{"asic ", shape(`(?i)basic\s+([A-Za-z0-9+/]{8,}={0,2})`), userAndPassword},
	{"://", shape(`\w*://([^\s:/?#@"'\x60<>\\]*:[^\s/?#"'\x60<>\\]+)@`), nil},
	{"://", shape(`https?://([A-Za-z0-9_.~%-]{16,})@`), secret.Random}, // a token as the user
	{"sig=", shape(`sig=([A-Za-z0-9%+/]{40,}={0,2})`), secret.Random},
	{" -u", curlUser, typed},
	{"--user", curlUser, typed},
	{" -U", shape(`(?:\w*\s)?-U\s*["']?[^\s%"']{1,60}%([^\s"']{5,80})`), typed},      // of Samba
	{" /user:", shape(`(?:\w*\s)?/user:\S{1,100}\s+([^\s"'/][^\s"']{4,80})`), typed}, // of net use
	{"htpasswd ", shape(`htpasswd\s+-[a-zA-Z]*b[a-zA-Z]*\s+\S+\s+\S+\s+["']?([^\s"']{5,80})`), typed},
	{"ldap", optionOf(`ldap\w+`, "-w"), typed},
	{"redis-cli", optionOf("redis-cli", "-a"), typed},
	{"login ", optionOf("login", "-p"), typed}, // of registries
	{"sqlcmd", optionOf("sqlcmd", "-P"), typed},
	{"zip ", optionOf("zip", "-P"), typed},
	{"7z", optionOf("7za?", "-p"), typed},
	{"mongo", optionOf(`mongo\w*`, "-p"), typed},
	{"SecureString ", optionOf("SecureString", "--value"), typed}, // of AWS
	{"rabbitmqctl ", shape(`rabbitmqctl\s(?:[^\n|;&]{0,80}\s)?(?:add_user|change_password)\s+\S+\s+["']?([^\s"']{5,80})`), typed},
	{"echo ", shape(`echo\s+(?:-n\s+)?["']?(?:[^\s"':|]{1,60}:)?([^\s"'|]{5,80})["']?\s*\|\s*(?:sudo\s+-S\b|(?:sudo\s+)?chpasswd\b|[^\n|;&]{1,80}--password-stdin)`), typed},
	{"PASSWORD(", shape(`PASSWORD\(\s*'([^'\n]{5,80})'`), passphrase},
	{"login ", shape(`login\s+\S+\s+password\s+(\S{5,80})`), typed},    // of netrc
	{" pass:", shape(`pass(?:in|out)?\s+pass:([^\s"']{5,80})`), typed}, // of OpenSSL
	{"SecureString ", shape(`(?:\w+-)?SecureString\s+(?:-String\s+)?["']([^"'\n]{5,80})["']`), passphrase},
	{"sshpass", shape(`sshpass\s+-p\s*(?:'([^'\n]{5,80})'|"([^"\n]{5,80})"|([^\s'"]{5,80}))`), passphrase},
	{"mysql", shape(`mysql\w*\s(?:[^\n|;&]{0,80}\s)?-p([^\s'"]{5,80})`), chosen},
	{"quirepass", shape(`requirepass"?,?\s+"?([^\s"]{5,80})`), chosen},
	{"bindpw", shape(`bindpw\s+([^\s"]{5,80})`), chosen},
	{"IDENTIFIED BY", shape(`IDENTIFIED BY\s+(?:PASSWORD\s+)?'([^'\n]{5,80})'`), passphrase},
	{"PASSWORD '", shape(`PASSWORD\s+'([^'\n]{5,80})'`), passphrase},
	{"secret ", shape(`secret\s+\d\s+([^\s"]{5,80})`), chosen},
	{"password ", shape(`password\s+\d\s+([^\s"]{5,80})`), chosen},
	{"ENV ", shape(`ENV\s+\w*(?:PASS|PASSWORD|PASSWD|PWD|SECRET|TOKEN|KEY)\s+([^\s"'=]{5,200})`), chosen},
	{"set -", shape(`set\s+-[a-zU]+\s+\w*(?:PASS|PASSWORD|PASSWD|PWD|SECRET|TOKEN|KEY)\s+["']?([^\s"']{5,200})`), chosen},
	{"setenv ", shape(`setenv\s+\w*(?:PASS|PASSWORD|PASSWD|PWD|SECRET|TOKEN|KEY)\s+["']?([^\s"']{5,200})`), chosen},
	{"secret: ", shape(`secret:\s+((?:[a-zA-Z2-7]{4} ){3,15}[a-zA-Z2-7]{4})\b`), nil}, // of a one-time password, in groups
	{"emonic", shape(`\w{0,40}nemonic\w{0,10}\\*["']?\s{0,3}[:=]\s{0,3}\\*["'\x60]?((?:[a-z]{3,8} ){11,23}[a-z]{3,8})`), nil},
	{"codes", shape(`codes:?\**\s+((?:(?:\d{1,2}[.)]|[-*])?[ \t]{0,4}[a-z0-9]{4,6}[ -][a-z0-9]{4,6}\s+){4,20})`), numbered},
	{"ecovery ", shape(`(?i)recovery key\w{0,10}\s{0,3}[:=]?\s{1,9}(\d{6}(?:-\d{6}){7})`), nil}, // of BitLocker
	{"TRUE\t", cookieLine, secret.Random},
	{"FALSE\t", cookieLine, secret.Random},
	{"@tcp(", mysqlDSN, nil},
	{"--", shape(`--[A-Za-z-]{0,40}(?:token|password|passwd|secret|api-?key)[ =]\\*["']?([A-Za-z0-9._~+/!@#%^*-]{16,}={0,2})`), secret.Random},
}

// curlUser is the user and the password of a request, cookieLine a cookie in a jar,
// mysqlDSN the address of a database for Go's MySQL driver.
var (
	mysqlDSN   = shape(`(\w+:[^\s:/@"'\x60<>\\]+)@tcp\(`)
	curlUser   = shape(`(?:\w*\s)?(?:--user|-u)[ =]?["']?[^\s"':]{1,60}:([^\s"']{5,100})`)
	cookieLine = shape(`(?:TRUE|FALSE)\t\d{1,12}\t[^\t\n]{1,80}\t(\S{16,1000})`)
)

// typed reports whether an argument of a command is a password rather than a variable.
func typed(value string) bool { return chosen(value) && !secret.FilledIn(value) }

// passphrase reports whether a value between quotes is a password.
func passphrase(value string) bool {
	return secret.Mixed(strings.ReplaceAll(value, " ", "-")) && !secret.FilledIn(value) && !strings.ContainsAny(value, "(){}[]`\\")
}

// numbered reports whether a list of codes has digits, as words have not.
func numbered(value string) bool {
	const least = 8 // digits
	digits := 0
	for i := range len(value) {
		if secret.ClassOf(value[i]) == secret.Digit {
			digits++
		}
	}
	return digits >= least
}

// redactFormats masks the secrets whose format gives them away, those that
// manuals show included: the user who writes one must see that it was masked.
func redactFormats(text string, own keep) string {
	var all [][2]int
	for _, m := range secret.Find(text) {
		if !m.Dummy || !own(text[m.Start:m.End]) {
			all = append(all, [2]int{m.Start, m.End})
		}
	}
	return masked(text, all)
}

// redactTokens masks what stands where programs write secrets.
func redactTokens(text string, own keep) string {
	hints := hintsIn(text)
	for i, t := range tokens {
		if len(hints[i]) == 0 {
			continue
		}
		if clean := t.redact(text, hints[i], own); clean != text {
			text = clean
			hints = hintsIn(text)
		}
	}
	return text
}

// redact masks the secrets of a token whose hints are at some places.
func (t token) redact(text string, hints []int32, own keep) string {
	var out strings.Builder
	done, next := 0, 0
	for _, at := range hints {
		hint := int(at)
		if hint < next {
			continue
		}
		next = hint + len(t.hint)
		start, end, ok := t.find(text[done:min(len(text), hint+maxToken)], hint-done)
		start, end = start+done, end+done
		next = max(next, end) // past what only has the shape, too
		if !ok {
			continue
		}
		if own(text[start:end]) {
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

// hintIndex finds the hints of all tokens in one pass: one for each would take five
// times as long.
type hintIndex struct {
	pairs  [1 << 16 / 64]uint64 // the first two bytes of hints
	byPair map[uint16][]int     // tokens
}

var hints = func() (index hintIndex) {
	index.byPair = map[uint16][]int{}
	for i, t := range tokens {
		n := uint16(t.hint[0])<<8 | uint16(t.hint[1])
		index.pairs[n/64] |= 1 << (n % 64)
		index.byPair[n] = append(index.byPair[n], i)
	}
	return index
}()

// hintsIn returns where the hints of the tokens are in a text, token by token.
func hintsIn(text string) [][]int32 {
	all := make([][]int32, len(tokens))
	for i := 1; i < len(text); i++ {
		n := uint16(text[i-1])<<8 | uint16(text[i])
		if hints.pairs[n/64]&(1<<(n%64)) == 0 {
			continue
		}
		for _, t := range hints.byPair[n] {
			if !strings.HasPrefix(text[i-1:], tokens[t].hint) {
				continue
			}
			at := i - 1
			if tokens[t].shape == mysqlDSN { // whose hint is at its end
				from := max(0, at-maxToken)
				if at = from + strings.LastIndexByte(text[from:at], ':'); at < from {
					continue
				}
			}
			all[t] = append(all[t], int32(at))
		}
	}
	return all
}

// find returns where the secret of the token is whose hint is at text[hint], and
// whether it is a secret.
func (t token) find(text string, hint int) (start, end int, ok bool) {
	begin := wordStart(text, hint)
	at := t.shape.FindStringSubmatchIndex(text[begin:])
	if at == nil {
		return 0, 0, false
	}
	for last := len(at); last > 0 && (start < 0 || end == 0); last -= 2 { // the last group that took part
		start, end = at[last-2], at[last-1]
	}
	start, end = begin+start, begin+end
	value := text[start:end]
	if user, password, ok := strings.Cut(value, ":"); ok && t.sure == nil && (t.hint == "://" || t.shape == mysqlDSN) {
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
	pemBegin = lazyregexp.New(`-----BEGIN (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----`)
	pemEnd   = "-----END "
	// pemBody is the key itself: code that only looks for the header has none.
	pemBody = lazyregexp.New(`[A-Za-z0-9+/]{32}`)
	// pemCut is the key after a header whose end was cut off: lines of base64,
	// also in quotes, in a diff or escaped.
	pemCut = lazyregexp.New(`^(?:(?:\\+[nr]|[\s"'+,;|>])*[A-Za-z0-9+/=]{32,})+`)
	// pemLine is one line of a key, also as a string that a program joins to others;
	// pemHeader is what may stand before the first.
	pemLine   = lazyregexp.New(`^[\s+>|-]?\s*\\*["']?[A-Za-z0-9+/]+={0,2}(?:\\+[nr])*\\*["']?\s*[+.,;\\]?\s*$`)
	pemHeader = lazyregexp.New(`^[\s+>|-]?\s*(?:(?:Proc-Type|DEK-Info|Version|Comment): .*)?\s*$`)
)

// privateKey is in the header of every private key.
const privateKey = "PRIVATE KEY"

// maxPEM is how far after its header the end of a private key is searched, in bytes:
// the largest keys in use have 13 kB.
const maxPEM = 32 << 10

// redactPEM masks the inside of private keys.
func redactPEM(text string) string {
	if !strings.Contains(text, privateKey) {
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
