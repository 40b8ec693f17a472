package secret

import (
	"slices"
	"strings"

	"caselsp/store/lazyregexp"
)

// known adds what gives itself away: keys of services, private keys, passwords in
// addresses.
func (r *reading) known(text string) {
	for _, m := range Find(text) {
		if !m.Dummy {
			r.add(text[m.Start:m.End])
		}
	}
	if strings.Contains(text, "PRIVATE KEY") {
		r.keys(text)
	}
	r.addresses(text)
	r.pairs(text)
}

// pairs adds the parts of a connection: Server=db;Password=...;
func (r *reading) pairs(text string) {
	for i := 0; ; i++ {
		n := strings.IndexByte(text[i:], '=')
		if n < 0 {
			return
		}
		i += n
		near := text[max(0, i-maxPair):i]
		if spaces := len(near) - len(strings.TrimRight(near, " \t\r\n")); spaces > 2 || !inPair(near[:len(near)-spaces]) {
			continue
		}
		m := pairValue.FindStringSubmatch(text[i+1 : min(len(text), i+1+400)])
		if m == nil {
			continue
		}
		for _, value := range m[1:] {
			if r.worth("password", value) {
				r.add(value)
			}
		}
		i += len(m[0])
	}
}

// maxPair is more than the length in bytes of the longest name in pairNames, with blanks.
const maxPair = 20

var pairNames = []string{"password", "passwd", "pwd", "passphrase", "accountkey", "sharedaccesskey", "sharedsecret", "sig", "requirepass", "masterauth"}

// inPair reports whether a text ends in the name of a part that is secret.
func inPair(text string) bool {
	return slices.ContainsFunc(pairNames, func(name string) bool {
		return len(text) >= len(name) && strings.EqualFold(text[len(text)-len(name):], name)
	})
}

// keys adds private keys, and each line of them.
func (r *reading) keys(text string) {
	for _, m := range keyBody.FindAllStringSubmatch(strings.ReplaceAll(text, `\n`, "\n"), -1) {
		r.add(m[1])
		for line := range strings.Lines(m[1]) {
			if line = strings.Trim(line, " \t\r\n\"'+,\\"); len(line) >= leastLook && Random(line) {
				r.add(line)
			}
		}
	}
}

// addresses adds what stands before the hosts of addresses. Most texts have few, and the
// expressions take a hundred times as long as a search for the sign of one.
func (r *reading) addresses(text string) {
	const most = 600 // bytes of what may stand there
	for at := 0; ; {
		sign := strings.Index(text[at:], "://")
		if sign < 0 {
			return
		}
		sign += at
		at = sign + len("://")
		near := text[max(0, sign-len("https")):min(len(text), sign+most)]
		if end := strings.IndexByte(near, '@'); end < 0 {
			continue
		}
		if m := addressed.FindStringSubmatch(near); m != nil {
			r.password(m[1], m[2])
		}
		if m := tokenUser.FindStringSubmatch(near); m != nil && len(m[1]) >= leastLook && Random(m[1]) {
			r.add(m[1])
		}
	}
}

var (
	keyBody = lazyregexp.New(`-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----\s*([A-Za-z0-9+/=:,.\s"'\\-]+?)\s*-----END`)
	// addressed is an address with a password, tokenUser one with a token as the user.
	addressed = lazyregexp.New(`\w://([^\s:/?#@"'<>]*):([^\s/"'<>@]{3,200}(?:@[^\s/"'<>@:]{0,60})?)@[\w.\[-]`)
	tokenUser = lazyregexp.New(`https?://([A-Za-z0-9_~%-]{16,200})@`)
	// pairValue is the value of such a part.
	pairValue = lazyregexp.New(`^\s{0,2}(?:'([^'\n]{6,300})'|([^;&\s"'<>#]{6,300}))`)
)

// password adds the password of an address, as it is written and as it is meant.
func (r *reading) password(user, password string) {
	if strings.EqualFold(user, password) || strings.ContainsAny(password, "{}") || !r.worth("password", password) {
		return
	}
	r.add(password)
	if plain := unpercent(password); plain != password {
		r.add(plain)
	}
}
