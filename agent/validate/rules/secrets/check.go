package secrets

import (
	"strings"
	"sync"

	"caselsp/agent/syntax"
	"caselsp/agent/validate"
	"caselsp/store/lazyregexp"
	"caselsp/store/secret"
)

// checkTokens looks for secrets whose format gives them away.
func checkTokens(p *validate.Pass) {
	at := sync.OnceValue(func() func(int) place { return places(p.File) })
	for _, m := range secret.Find(p.Text) {
		if !m.Dummy && at()(m.Start) != asCode {
			p.Report(m.Start, m.End, "Hard-coded secret (%s): revoke it, then read the new one from the environment or a keyring.", m.Format.Service)
		}
	}
}

var privateKey = lazyregexp.New(`-----BEGIN[ A-Z0-9_-]{0,80}PRIVATE KEY(?: BLOCK)?-----((?:[^-]|-[^-])*?)-----END`)

func checkPrivateKeys(p *validate.Pass) {
	if !p.Holds(validate.NeedlePrivateKey) {
		return
	}
	at := sync.OnceValue(func() func(int) place { return places(p.File) })
	for _, m := range privateKey.FindAllStringSubmatchIndex(p.Text, -1) {
		body := strings.NewReplacer("\\n", "", "\n", "", "\r", "", " ", "", "\t", "").Replace(p.Text[m[2]:m[3]])
		if strings.Contains(body, "...") || secret.Entropy(body) < 3.5 || len(body) < 64 || fakeKey.MatchString(body) {
			continue
		}
		if at()(m[0]) != asCode {
			p.Report(m[0], m[2], "Private key in source: everyone who can read this file can use it. Create a new pair, and keep the private key outside of the project.")
		}
	}
}

var fakeKey = lazyregexp.New(`(?i)example|your|xxxx|\$\{|\{\{|anythingelse`)

var withPassword = lazyregexp.New(`\b([a-zA-Z][a-zA-Z0-9+.-]{1,20})://([^\s:/@"'<>` + "`" + `]{0,64}):([^\s/@"'<>` + "`" + `]{3,200})@([A-Za-z0-9._-]+|\[[0-9a-fA-F:]+\])`)

// maySendPassword reports whether an address has an @ where withPassword wants one.
func maySendPassword(text string) bool {
	for {
		i := strings.Index(text, "://")
		if i < 0 {
			return false
		}
		text = text[i+len("://"):]
		if end := strings.IndexAny(text, " \t\r\n\f/@\"'<>`"); end >= 0 && text[end] == '@' && strings.Contains(text[:end], ":") {
			return true
		}
	}
}

func checkURLs(p *validate.Pass) {
	if !p.Holds(validate.NeedleAddress) || !maySendPassword(p.Text) {
		return
	}
	at := sync.OnceValue(func() func(int) place { return places(p.File) })
	for _, m := range withPassword.FindAllStringSubmatchIndex(p.Text, -1) {
		user, password, host := p.Text[m[4]:m[5]], p.Text[m[6]:m[7]], p.Text[m[8]:m[9]]
		lower := strings.ToLower(password)
		if secret.Placeholder(password) || strings.EqualFold(user, password) || secret.NoPassword(password) || labels[lower] || spoken.MatchString(lower) || sampleHost.MatchString(host) || strings.ContainsAny(password, "{}$[]()*,") || port.MatchString(password) || samplePasswords[lower] {
			continue
		}
		if where := at()(m[0]); where == asText || where == asComment && strings.ContainsAny(password, "0123456789") && len(password) > 7 {
			p.Report(m[6], m[7], "Password in a URL: URLs are logged and displayed. Change this password, and read the new one from the environment.")
		}
	}
}

// spoken is what a text calls a password: passwd-on-proxy.
var spoken = lazyregexp.New(`^(?:[a-z]+[-_])*(?:pass|passwd|password|pw|secret|token)(?:[-_][a-z]+)*$`)

var port = lazyregexp.New(`^\d{1,5}$`)

var (
	sampleHost      = lazyregexp.New(`(?i)^(?:(?:.*\.)?example(?:\.\w+)?|.*\.(?:test|invalid|example)|host(?:name)?|proxy(?:\.\w+)?|server|domain\.\w+|my(?:host|domain|server).*|localhost|127\.0\.0\.1|foo|bar|foo\.\w+|bar\.\w+|\w)$`)
	samplePasswords = syntax.WordSet("pass passwd password pwd pw secret bar baz foo test postgres root admin user guest changeme p4ss passw0rd pass123 password123 mypassword mypass userpass hunter2 pword p@ssword pazz pa55 abc xyz word")
)

// commandUser is the user and the password of a curl command; sentHeader what a
// header of a request says who asks.
var (
	commandUser = lazyregexp.New(`\bcurl\b[^\n|;]*?(?:\\\n[^\n|;]*?)*?\s(?:-u|--user|-[a-zA-Z]*u)[ =]?["']?([^\s"':]{0,60}):([^\s"']{3,100})`)
	sentHeader  = lazyregexp.New(`(?i)(?:authorization|x-api-key|x-auth-token|private-token|api-key)["'` + "`" + `]?\s*[:=,]\s*["'` + "`" + `]?(?:(?:basic|bearer|token|apikey|key)\s+)?([A-Za-z0-9+/=_.~-]{8,400})`)
)

// checkSent looks at what commands and headers send.
func checkSent(p *validate.Pass, at func(int) place) {
	if p.Holds(validate.NeedleCommand) {
		for _, m := range commandUser.FindAllStringSubmatchIndex(p.Text, -1) {
			password := p.Text[m[4]:m[5]]
			if !secret.Placeholder(password) && !labels[strings.ToLower(password)] && !samplePasswords[strings.ToLower(password)] && !strings.ContainsAny(password, "${}<>()[]*%@") || strings.ContainsAny(password, "$@") && secret.Entropy(password) > 2.8 && !secret.FilledIn(password) {
				p.Report(m[4], m[5], "Hard-coded password of a curl command: read it from the environment or from a file (curl --netrc).")
			}
		}
	}
	if !p.Holds(validate.NeedleHeader) {
		return
	}
	for _, m := range sentHeader.FindAllStringSubmatchIndex(p.Text, -1) {
		v := underName{name: "Authorization", value: p.Text[m[2]:m[3]], start: m[2], end: m[3]}
		if random("authorization token", v.value) && !tokenAt(p, v) && at(v.start) != asCode {
			p.Report(v.start, v.end, "Hard-coded secret in a header: revoke it, then read the new one from the environment or a keyring.")
		}
	}
}

func checkCredentials(p *validate.Pass) {
	if !assigns(p.File) {
		return
	}
	at := sync.OnceValue(func() func(int) place { return places(p.File) })
	checkSent(p, func(i int) place { return at()(i) })
	list := values(p.File, ofSecret)
	table := tables(list)
	for _, v := range list {
		if table[v.name] || strings.EqualFold(v.name, "authorization") || strings.EqualFold(v.name, v.value) || !random(v.name, v.value) || !v.quoted && !bareValue(p, v) || tokenAt(p, v) || testVector(p.Text, v) {
			continue
		}
		if where := at()(v.start); where == asText || where == asComment && len(v.value) >= 20 {
			p.Report(v.start, v.end, "Hard-coded secret in %s: revoke it, then read the new one from the environment or a keyring.", v.name)
		}
	}
}

// bareValue reports whether a value without quotes is one: in a language of
// configuration, and no expression.
func bareValue(p *validate.Pass, v underName) bool {
	switch p.Lang {
	case syntax.Unknown, syntax.HTML:
		return !strings.ContainsAny(v.value, "$@%&*") && !strings.HasSuffix(v.value, ".") && (v.end >= len(p.Text) || p.Text[v.end] != '(' && p.Text[v.end] != '[')
	}
	// a text with a configuration in it: "TOKEN=…\n"
	return v.start > 0 && (p.Text[v.start-1] == '=' || p.Text[v.start-1] == ' ')
}

// tokenAt reports whether a value is the business of secret-token.
func tokenAt(p *validate.Pass, v underName) bool {
	return secret.Holds(v.value) || strings.Contains(v.value, "://") || strings.Contains(p.Text[max(0, v.start-40):v.start], "PRIVATE KEY")
}

func checkPasswords(p *validate.Pass) {
	at := sync.OnceValue(func() func(int) place { return places(p.File) })
	base := strings.ToLower(p.Path)
	if !assigns(p.File) || strings.HasSuffix(base, ".md") || strings.HasSuffix(base, ".rst") || strings.HasSuffix(base, ".txt") || translation.MatchString(base) {
		return
	}
	for _, v := range values(p.File, ofPassword) {
		if passingName.MatchString(v.name) || !guessable(v.name, v) || random(v.name, v.value) || !v.quoted && !bareWord(p, v) || p.Lang == syntax.HTML {
			continue
		}
		if at()(v.start) == asText {
			p.Report(v.start, v.end, "Hard-coded password: read it from the environment or a keyring.")
		}
	}
}

// translation is the path of a file with texts that are shown.
var translation = lazyregexp.New(`(?:^|/)(?:i18n|locales?|lang|languages?|translations?|messages|l10n)(?:/|[._-])|(?:^|/)(?:en|de|fr|es|it|ja|zh|ru|pt)(?:[-_]\w\w)?\.(?:json|ya?ml|js|ts)$`)

// bareWord reports whether a word without quotes is a value in a file of this kind.
func bareWord(p *validate.Pass, v underName) bool {
	kind := kindOf(p.Path)
	return p.Lang == syntax.Unknown && (settingFile[kind] || shellLike[kind] && p.Text[v.sign] == '=')
}
