package secrets

import (
	"strings"
	"unicode"

	"caselsp/agent/syntax"
	"caselsp/store/lazyregexp"
	"caselsp/store/secret"
)

var (
	// aName is what looks like the name of something, a word, a path, a type.
	aName = lazyregexp.New(`^(?:[A-Za-z]+(?:[_.:/ -][A-Za-z]+)*[0-9]{0,2}|[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)+(?:\(.*)?|(?:[a-z]+[A-Z]?|[A-Z][a-z]+)(?:[A-Z][a-z]+)+[0-9]{0,2}|[a-z]+(?:[_-][a-z0-9]{1,12})+|[A-Z]+(?:_[A-Z0-9]{1,12})+|[a-z]+(?:-[a-z]+)*-v?\d+(?:\.\d+)*)$`)
	aPath = lazyregexp.New(`^(?:\.{0,2}/|~/|[A-Za-z]:\\|https?://|\w+://|[\w.-]+/[\w./-]+\.\w{1,5}$|#|\.|--|@)`)
	aDate = lazyregexp.New(`^(?:\d{1,4}[-/.:]\d{1,2}[-/.:]\d{1,4}.*|v?\d+(?:\.\d+)+.*|[\d.,:+-]+|0x[0-9a-fA-F]{1,16}|rgba?\(.*|#[0-9a-fA-F]{3,8})$`)
	// publicKey is the beginning of a public key in DER: an algorithm, its parameters.
	publicKey = lazyregexp.New(`^(?:MFkw|MIIBI|MIGf|MCow|MHYw|MIICI|ssh-|AAAA[BEC]3)`)
	aUUID     = lazyregexp.New(`^(?i)[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$`)
)

var (
	// secretName is a name whose value must not be known. Longer names around it
	// that mean something else are left out by plainName.
	secretName = lazyregexp.New(`(?i)secret|token|api_?-?key|apikey|access_?-?key|auth|cred|passw|passphrase|pwd|private_?-?key|(?:^|[_.-])key$|[a-z0-9]Key$|[_.-]key[_.-]?\d?$|encryption|signing|cookie|session|client_?-?id|access_?-?id|app_?-?id|license_?-?key|(?:^|[_.-])(?:key|pass)(?:$|[_.-])|api|webhook`)

	// serviceName are names of services whose keys have no form of their own.
	serviceName = lazyregexp.New(`(?i)adafruit|adobe|airtable|algolia|alibaba|aliyun|amazon|asana|atlassian|jira|confluence|aws|azure|bitbucket|bittrex|beamer|clickhouse|cloudflare|codecov|cohere|co_api|coinbase|confluent|contentful|datadog|discord|dropbox|drone_?ci|easypost|etsy|facebook|fastly|finicity|finnhub|flickr|freshbooks|gitter|heroku|hubspot|intercom|jfrog|artifactory|bintray|xray|kraken|kucoin|launchdarkly|linear|linkedin|(?:^|[_.-])lob(?:$|[_.-]|(?-i:[A-Z]))|looker|mailchimp|mailgun|mapbox|mattermost|maxmind|meraki|messagebird|message-bird|netlify|new-?_?relic|nytimes|new-york-times|newyorktimes|okta|plaid|private_?ai|rapidapi|sendbird|sentry|snyk|square|sourcegraph|sumo_|sumologic|(?-i:sumo[TL]|SumoT)|telegr|travis|trello|twilio|twitch|twitter|yandex|zendesk|sidekiq|bundle_|stripe|github|gitlab|slack|firebase|paypal|braintree|pusher|pagerduty|bugsnag|segment|mixpanel|amplitude|cloudinary|openai`)

	// plainName are names with such a word in them whose value anybody may know.
	plainName = lazyregexp.New(`(?i)author|authority|authenticat(?:ed|or)|access(?:ibil|or)|capital|rapid(?:ly)?$|monkey|turkey|hockey|keyboard|key_?(?:board|code|frame|id|name|pair|press|down|up|ring|size|length|type|word|path|file|stone|space|alias|vault|store|event|map|prefix|usage|of|by|set|col)s?$|keyword|(?:primary|foreign|public|pub|sort|partition|cache|natural|row|hash|bucket|object|translation|i18n|locale|message|label|dict|json|map|idempotency|hot|short_?cut|react|list|item|group|query|routing|topic|field|column|registry|config|option|settings?|storage|session_storage|index|metric|lookup|data|param|header|site|recaptcha_site|publishable|measurement|project)_?-?key|public|(?:csrf|xsrf|next|page|continuation|pagination|sync|cancel(?:lation)?|syntax|parse|lex|bearer|grammar|design|end|start|eof|special|pad|eos|bos|unk|mask|stop|text|max|min|num|total|input|output|prompt|completion|eof)_?-?tokens?|tokens$|token_?(?:type|name|kind|length|count|url|uri|endpoint|path|id|ize|izer|limit|file|class|list|map|address|symbol|standard)|tokeniz|secret_?(?:name|id|arn|ref|length|path|type|version|manager|key_?ref|file|store|mount|provider|namespace|class)s?$|secrets?_?name|secretary|pass(?:ed|ing|ive|enger|through|es|port\.?js|age)|(?:by|com|tres|sur|over|under|one|multi|first|second|single)_?pass|pass(?:word)?_?(?:field|input|label|hint|length|policy|hash|reset|strength|regex|pattern|min|max|placeholder|type|url|file|name|error|message|rule|change|changed|confirm(?:ation)?_?label|salt_?length|encoder|manager|attr|id|required|visible)s?$|hash|digest|checksum|integrity|sha\d*|md5|fingerprint|thumbprint|commit|revision|etag|nonce_?size|signature|version|_url$|_uri$|uri$|url$|endpoint|hostname?$|_host$|domain|address|email|user_?name|api_?(?:version|group|name|path|base|prefix|root|host|server|type|doc|resource|level)|apiVersion|auth_?(?:type|method|mode|scheme|provider|or|url|uri|service|backend|header|domain|flow|required|enabled|source|config|plugin|module|middleware|guard|strategy|state|level|user|name|realm|server|policy)s?$|ask_?pass|oauth_?(?:version|scope|url|callback|provider)|credential_?(?:type|source|provider|name|id|path|file|helper|store)s?$|withcredentials|cookie_?(?:name|path|domain|age|options|policy|consent|banner|secure|samesite|jar|parser|law|notice|expires|max|string|header)s?|session_?(?:name|type|engine|timeout|storage|store|path|length|duration|state|count|cookie_name|expire|handler|start|time|end|serializer|status|date|title|label|class)s?$|access_?(?:type|level|mode|control|policy|log|time|right|denied|specifier|role|point|list|path|method)|encryption_?(?:type|algorithm|method|mode|scheme|context|enabled|status|at_?rest|version|config|in_transit)s?|signing_?(?:alg\w*|method|region|name|service|version|cert\w*)|client_?(?:name|type|version|class|side|host|ip|port)|content(?:_|$|type|length)|description|title|label|placeholder|messages?$|messages_|text$|regex|pattern|icon|class_?name|font|style|css|color|selector|_dir$|_path$|_file$|filename|path$|dir$|folder|namespace|package|module|import|extension|mime|format|charset|encoding|locale|lang|region|zone|timezone|date|created|updated|expires?|ttl|timeout|interval|delay|retry|retries|count|size|width|height|limit|offset|index|uuid|guid|build_?id|trace|span|request_?id|correlation|sitekey|captcha|measurement|tracking|analytics|gtm|ga_|google_?tag|adsense|pixel`)

	// passingName is a word that ends like one.
	passingName = lazyregexp.New(`(?i)(?:by|com|tres|sur|over|under|one|multi|first|second|single|ask|no|ex|tres|en|low|high|band|back)_?-?pass$`)

	// passwordName is the name of a password.
	passwordName = lazyregexp.New(`(?i)(?:^|[_.$-]|[a-z](?-i:[PS])|db|my|root|admin|user|new|old|mail|email|ftp|sudo|smtp|sql)?(?:passw(?:or)?d|passwd|passphrase|pass_?phrase|pwd|(?-i:PASS|\bpass))(?:[_.-]?(?:for_\w+|\d|str|value|text|plain|default))?$`)
)

// speaksOfSecret reports whether a name is that of a secret.
func speaksOfSecret(name string) bool {
	if i := strings.LastIndexByte(name, '.'); i >= 0 && i < len(name)-1 && secretName.MatchString(name[i+1:]) {
		name = name[i+1:]
	}
	return (secretName.MatchString(name) || serviceName.MatchString(name)) && !plainName.MatchString(name)
}

const (
	leastCredential = 12  // characters; shorter ones are passwords, not keys
	leastEntropy    = 3.3 // bits a character, of what machines make: below are words
	leastHex        = 24  // digits, of a value of hexadecimal digits only
	fingerprint     = 40  // capital hexadecimal digits of an OpenPGP key's fingerprint
)

// numeronym is a word whose letters somebody counted: i18n, a11y.
var numeronym = lazyregexp.New(`(?i)i18n|l10n|a11y|k8s|e2e`)

// random reports whether a value looks as if a machine had made it.
func random(name, v string) bool {
	v = numeronym.ReplaceAllString(strings.TrimRight(v, "="), "")
	if len(v) < leastCredential || secret.Spoken(v) || secret.Placeholder(v) || aPath.MatchString(v) || aDate.MatchString(v) || strings.ContainsAny(v, " \t<>(){}[]|,;\\\u00a0") || strings.ContainsAny(v, "!?*&") && !strings.Contains(strings.ToLower(name), "secret") && !strings.Contains(strings.ToLower(name), "pass") {
		return false
	}
	if aUUID.MatchString(v) {
		return serviceName.MatchString(name) || strings.Contains(strings.ToLower(name), "secret") || strings.Contains(strings.ToLower(name), "api")
	}
	if !secretName.MatchString(name) && strings.ContainsAny(v, "/#.+:") || publicKey.MatchString(v) {
		return false
	}
	digits, lower, upper, other, hex := 0, 0, 0, 0, 0
	for i := 0; i < len(v); i++ {
		switch c := v[i]; {
		case c >= '0' && c <= '9':
			digits++
			hex++
		case c >= 'a' && c <= 'z':
			lower++
			if c <= 'f' {
				hex++
			}
		case c >= 'A' && c <= 'Z':
			upper++
			if c <= 'F' {
				hex++
			}
		default:
			other++
		}
	}
	e := secret.Entropy(v)
	switch {
	case digits == len(v):
		return false
	case hex == len(v):
		if len(v) == fingerprint && lower == 0 && !strings.Contains(strings.ToLower(name), "secret") && !strings.Contains(strings.ToLower(name), "token") {
			return false // of a key of OpenPGP
		}
		return digits > 0 && len(v) >= leastHex && e >= 2.8 || serviceName.MatchString(name) && digits > 0 && len(v) >= 16
	case digits == 0: // letters alone are words, unless they are many and mixed
		return upper > 3 && lower > 3 && len(v) >= 20 && e >= 4 && !wordy(v)
	}
	return e >= leastEntropy && !aName.MatchString(v) && !wordy(v)
}

// wordy reports whether a value is made of words: few of its letters change from
// one kind to the other.
func wordy(v string) bool {
	const fewest = 3 // parts: a key has one, or two
	plain, list := 0, strings.FieldsFunc(v, func(r rune) bool { return strings.ContainsRune("_-.:/", r) })
	for _, part := range list {
		if letters := strings.Trim(part, "abcdefghijklmnopqrstuvwxyz"); len(part) > 2 && (letters == "" || len(letters) == 1 && letters[0] <= 'Z' && part[0] == letters[0]) || strings.Trim(part, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == "" {
			plain++
		}
	}
	if len(list) >= fewest && plain*2 >= len(list) {
		return true
	}
	changes, letters := 0, 0
	kind := func(c byte) int {
		switch {
		case c >= '0' && c <= '9':
			return 1
		case c >= 'a' && c <= 'z':
			return 2
		case c >= 'A' && c <= 'Z':
			return 3
		}
		return 0
	}
	vowels := 0
	for i := 0; i < len(v); i++ {
		k := kind(v[i])
		if k >= 2 {
			letters++
			if strings.IndexByte("aeiouAEIOU", v[i]) >= 0 {
				vowels++
			}
		}
		if i > 0 && k != kind(v[i-1]) {
			changes++
		}
	}
	// Of English, 38 letters of 100 are vowels; of random letters, 19.
	return letters > 0 && changes*5 <= len(v) && vowels*100 >= letters*28
}

// labels are values under a password's name that are not passwords.
var labels = syntax.WordSet(`string token text password passwd pass pwd passphrase secret hidden none null nil true false yes no on off required optional current-password new-password current new old bool boolean
	number int varchar char object any unknown type name value key input field undefined void empty missing invalid error varchar(255) unset default auto prompt ask user username login email basic digest plain
	bearer oauth oauth2 ldap kerberos ntlm md5 sha1 sha256 bcrypt scrypt argon2 pbkdf2 base64 hash plaintext encrypted enabled disabled`)

// guessable reports whether a value may well be a password that a person chose.
func guessable(name string, v underName) bool {
	lower := strings.ToLower(v.value)
	if len(v.value) > 64 || secret.Placeholder(v.value) || labels[lower] || secret.NoPassword(v.value) || aPath.MatchString(v.value) && !strings.HasPrefix(v.value, "#") || strings.ContainsAny(v.value, "\t<>(){}[]|;\"'`\\") {
		return false
	}
	if strings.EqualFold(lower, name) || strings.Contains(v.value, " ") || strings.HasSuffix(lower, ":") || isVersion.MatchString(v.value) || caption(v.value) {
		return false
	}
	words := secretWords.MatchString(v.value)
	letters := plainLetters.MatchString(v.value)
	return !(letters && (words || strings.ContainsAny(v.value, "_.:/-"))) && !(words && aName.MatchString(v.value) && !strings.ContainsAny(v.value, "0123456789"))
}

var (
	secretWords  = lazyregexp.New(`(?i)pass|secret|token|key|confirm|hash|label|field|input`)
	plainLetters = lazyregexp.New(`^[A-Za-z_.:/-]+$`)
)

// isVersion is a version, as manifests give packages, some of which have password
// in their names.
var isVersion = lazyregexp.New(`^[~^<>=]*v?\d+\.\d+\.\d+(?:[-+.][\w.-]+)?$`)

// unspaced are the scripts in which words, or whole sentences, have no spaces.
var unspaced = []*unicode.RangeTable{unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar}

// caption reports whether a value is a word or a sentence in another script than
// English: the label of a field, a message. A password in such a script has a digit.
func caption(v string) bool {
	if !secret.Spoken(v) {
		return false
	}
	return strings.ContainsFunc(v, func(r rune) bool { return unicode.In(r, unspaced...) }) || !strings.ContainsAny(v, "0123456789")
}

// leastTable is how many values of one name make a table: of hashes, of test
// vectors, of identifiers.
const leastTable = 8

// tables returns the names that a file gives so many different values that they are
// a table rather than secrets.
func tables(list []underName) map[string]bool {
	values := map[string]map[string]bool{}
	for _, v := range list {
		if values[v.name] == nil {
			values[v.name] = map[string]bool{}
		}
		values[v.name][v.value] = true
	}
	in := map[string]bool{}
	for name, different := range values {
		in[name] = len(different) >= leastTable
	}
	return in
}

// besideVector are names of what stands beside a key in test vectors of
// cryptography.
var besideVector = lazyregexp.New(`(?i)\b(?:ciphertext|plaintext|cipher_?text|plain_?text|tc_?id|aad|test_?vectors?)\b`)

// testVector reports whether a value stands among test vectors.
func testVector(text string, v underName) bool {
	const near = 400 // bytes
	return besideVector.MatchString(text[max(0, v.start-near):min(len(text), v.end+near)])
}
