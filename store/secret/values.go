package secret

import (
	"encoding/base64"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"caselsp/store/lazyregexp"
)

const (
	// MaxFile is the size in bytes of the largest file that is looked through for
	// values: people write such files by hand, or programs keep a few keys in them.
	MaxFile = 1 << 20

	// leastValue and mostValue are the least and greatest length in bytes of a
	// value that is masked wherever it occurs: shorter ones occur by chance.
	leastValue = 6
	mostValue  = 8 << 10

	// leastLook is the least length of a value that is told by its look alone.
	leastLook = 16

	// leastWord is the least length of a value of small letters only under a name
	// that tells: a shorter one may be a word that any text has, such as postgres.
	leastWord = 12

	// mostValues bounds how many values one file gives.
	mostValues = 2000
)

// Values returns the values of a file that are secret by their names or by their
// look, however the file is written. They are those that must be masked wherever else
// they occur, so ordinary words, numbers, places and placeholders are left out.
func Values(file, text string) []string {
	k := readKind(file)
	if k == nil {
		if !MayTell(file) || !Sniff(text) {
			if !mayTable(file) || len(text) > MaxFile {
				return nil
			}
			v := &reading{seen: map[string]bool{}}
			v.tables(text)
			return v.list
		}
		k = &Kind{Hidden: true, Form: Plain}
	}
	if k.Form == Binary || len(text) > MaxFile {
		return nil
	}
	v := &reading{hidden: k.Hidden, seen: map[string]bool{}}
	v.known(text)
	v.special(file, text)
	if mayTable(file) {
		v.tables(text)
	}
	v.placed(text)
	var tree any
	if json.Unmarshal([]byte(text), &tree) == nil {
		if list, ok := tree.([]any); ok && k.Hidden {
			v.numbers(text, list)
		}
		v.tree("", tree, false)
		return v.list
	}
	switch k.Form {
	case Colon:
		v.fields(text)
	case Lines:
		if !document(file, text) {
			v.lines(text)
		}
	case Words:
		v.words(text)
	}
	v.assignments(text)
	v.markup(text)
	return v.list
}

// reading collects the values of a file.
type reading struct {
	hidden bool
	seen   map[string]bool
	list   []string
}

// add keeps a value, and what base64 hides in it.
func (r *reading) add(value string) {
	if len(value) < leastValue || len(value) > mostValue || r.seen[value] || len(r.list) >= mostValues {
		return
	}
	r.seen[value] = true
	r.list = append(r.list, value)
	if plain, ok := decoded(value); ok {
		if _, password, ok := strings.Cut(plain, ":"); ok && len(password) >= leastValue && !strings.ContainsAny(password, " \n") {
			r.add(password)
		}
		if len(plain) >= leastValue {
			r.add(plain)
		}
	}
	if strings.Contains(value, "\n") {
		for line := range strings.Lines(value) {
			if line = strings.TrimSpace(line); len(line) >= 8 && !strings.HasPrefix(line, "-----") && !BlockHeader(line) && (Random(line) || Mixed(line)) {
				r.add(line)
			}
		}
	}
}

// decoded returns the text that a value is base64 of.
func decoded(value string) (string, bool) {
	if len(value) < 8 || len(value)%4 == 1 || Entropy(value) < 2.5 {
		return "", false
	}
	plain, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(value, "="))
	if err != nil || !utf8.Valid(plain) || strings.ContainsFunc(string(plain), func(c rune) bool { return c < ' ' && c != '\n' && c != '\r' && c != '\t' || c == 0x7f }) {
		return "", false
	}
	return strings.TrimSpace(string(plain)), true
}

// tree goes through JSON. What is below the name of a secret is one under the names
// that wrap values; a list of names and values is read as such.
func (r *reading) tree(name string, node any, telling bool) {
	switch node := node.(type) {
	case map[string]any:
		named := name
		for _, key := range []string{"name", "key", "Name", "Key", "id"} {
			if s, ok := node[key].(string); ok && Name(s) {
				named, telling = s, true
			}
		}
		sensitive, _ := node["sensitive"].(bool)
		for key, child := range node {
			switch Squeeze(key) {
			case "value", "values", "data", "default", "plaintext", "current", "val":
				r.tree(named, child, telling || sensitive)
			default:
				r.tree(key, child, Name(key))
			}
		}
	case []any:
		for _, child := range node {
			r.tree(name, child, telling)
		}
	case string:
		if telling && !Name(name) {
			name = "secret"
		}
		r.value(name, node, r.hidden)
	case float64:
		if r.hidden { // elsewhere a number is a limit
			r.value(name, strconv.FormatFloat(node, 'f', -1, 64), false)
		}
	}
}

// numbers adds a key that is written as an array of its bytes.
func (r *reading) numbers(text string, list []any) {
	const least = 32 // bytes of a key
	var key []byte
	for _, n := range list {
		f, ok := n.(float64)
		if !ok || f < 0 || f > 255 || f != float64(byte(f)) {
			return
		}
		key = append(key, byte(f))
	}
	if len(key) >= least && r.hidden {
		r.list = append(r.list, string(key), strings.Trim(strings.TrimSpace(text), "[]"))
	}
}

// value adds a value that is worth it; with look also one that tells itself only.
func (r *reading) value(name, value string, look bool) {
	if value = strings.TrimSpace(value); r.worth(name, value) || look && looksSecret(name, value) {
		r.add(value)
		return
	}
	if look && strings.Contains(value, "\n") {
		for line := range strings.Lines(value) {
			r.value(name, strings.TrimSpace(line), look)
		}
	}
}

// worth reports whether a value under a name is a secret that is known from now on.
func (r *reading) worth(name, value string) bool {
	if Numeric(name, value) && !vacant(value) {
		return true
	}
	if !telling(name, value) || len(value) < leastValue || vacant(value) || strings.Contains(value, "://") || isPlace(value) || cmdlet.MatchString(value) {
		return false
	}
	digits, _ := Variety(value)
	switch {
	case digits == len(value):
		return false
	case strings.Contains(value, "\n"):
		return true
	case Random(value), Mixed(value):
		return true
	case strings.Contains(value, " "):
		return strings.Count(value, " ") <= 24 && (r.hidden && len(value) >= leastWord || phrase(value))
	}
	return len(value) >= leastWord && (r.hidden || !strings.ContainsAny(value, "/(.$[")) || Spoken(value) && r.hidden
}

// cmdlet is what a value of PowerShell is made by.
var cmdlet = lazyregexp.New(`^(?:ConvertTo|ConvertFrom|Get|Read|New|Import|Unprotect)-[A-Z][A-Za-z]+$`)

// phrase reports whether a value of several words is a password rather than a sentence:
// few words, with a digit in them.
func phrase(value string) bool {
	const words, most = 5, 40
	return len(value) >= 8 && len(value) <= most && strings.Count(value, " ") < words && strings.ContainsAny(value, "0123456789") && !strings.ContainsAny(value, "(){}=<>[]") && !strings.HasSuffix(value, ".")
}

// vacant reports whether a value stands for one that is not there.
func vacant(value string) bool {
	if hashed.MatchString(value) {
		return false
	}
	return NoPassword(value) || FilledIn(value) || vacantWords.MatchString(value) || Run(value) >= 10
}

// hashed is a password's hash as servers keep it.
var hashed = lazyregexp.New(`^(?:\$(?:2[abxy]?|apr1|1|5|6|y|argon2\w*)\$|\{S?SHA\d*\}|SCRAM-SHA-)`)

var vacantWords = lazyregexp.New(`(?i)^(?:<.*>|\[.*\]|x+|.*\.\.\.|.*(?:changeme|change[_-]me|change[_-]this|placeholder|your[_-]|replace[_-]?(?:me|with|this)|insert[_-]?here|example|goes[_-]here|dummy|redacted).*)$`)

// isPlace reports whether a value is a path, a host, a mail address or a date.
func isPlace(value string) bool {
	if strings.HasPrefix(value, "~/") || strings.HasPrefix(value, "./") || strings.HasPrefix(value, "../") {
		return true
	}
	return place.MatchString(value)
}

var place = lazyregexp.New(`^(?:/[a-z][\w.-]*(?:/[\w.@-]+)+/?|[A-Za-z]:\\.*|[a-z0-9-]+(?:\.[a-z0-9-]+)*\.(?:com|net|org|io|dev|local|internal|app|cloud|svc|test|example|de|uk|eu|co|ai|me|json|ya?ml|txt|pem|key|crt|conf)(?::\d+)?(?:/[\w./-]*)?|[\w.+-]+@[\w-]+(?:\.[\w-]+)+|localhost(?::\d+)?|\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?|\d{4}-\d\d-\d\d.*|v?\d+(?:\.\d+)+[\w.+-]{0,20})$`)

// looksSecret reports whether a value of a file of secrets is one whatever its name.
func looksSecret(name, value string) bool {
	n := Squeeze(name)
	if len(value) < leastLook || len(value) > 1024 || strings.ContainsAny(value, " \t\n") || strings.Contains(value, "://") || vacant(value) || isPlace(value) || !Random(value) || plainLook.MatchString(value) {
		return false
	}
	for _, w := range []string{"sha", "hash", "digest", "commit", "revision", "fingerprint", "checksum", "version", "public", "cert", "arn", "image", "lineage", "etag", "url", "host", "email", "region", "bucket", "path", "file"} {
		if strings.Contains(n, w) {
			return false
		}
	}
	return !strings.HasSuffix(n, "id") && !strings.HasSuffix(n, "ids")
}

// plainLook are values that look random and are not secret: identifiers, resources, hashes
// that say so, certificates.
var plainLook = lazyregexp.New(`^(?:(?i:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})|arn:.*|(?:sha\d+|md5|h1)[:-].*|[a-z]{1,12}-[0-9a-f]{8,17}|LS0tLS1CRUdJTiBDRVJU.*|MII[A-Za-z0-9+/=]{40,}|\w+/[\w./-]+|[\d.,:/+-]+)$`)

// Mixed reports whether a value mixes letters with digits or signs, as password
// rules demand.
func Mixed(value string) bool {
	letters, others := false, false
	for i := range len(value) {
		switch ClassOf(value[i]) {
		case Lower, Upper:
			letters = true
		case Digit, Sign:
			others = true
		case Foreign:
			if value[i] <= ' ' {
				return false
			}
		}
	}
	return letters && others
}

// fields are the last fields of lines with colons.
func (r *reading) fields(text string) {
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		if strings.HasPrefix(line, "#") {
			continue
		}
		if _, rest, ok := strings.Cut(line, ":"); ok && strings.Count(line, ":") < 4 {
			r.value("password", strings.ReplaceAll(rest, `\:`, ":"), false)
		}
		parts := strings.Split(strings.ReplaceAll(line, `\:`, "\x00"), ":")
		if last := strings.ReplaceAll(parts[len(parts)-1], "\x00", ":"); len(parts) > 1 {
			r.value("password", strings.ReplaceAll(last, `\\`, `\`), false)
			r.value("password", strings.ReplaceAll(last, ":", `\:`), false)
		}
		if len(parts) > 4 && len(parts[1]) > leastLook { // shadow
			r.value("password", parts[1], false)
		}
	}
}

// lines are values alone in a line.
func (r *reading) lines(text string) {
	text = publicBlock.ReplaceAllString(text, "")
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "-----") || strings.HasPrefix(line, "#") || strings.ContainsAny(line, "<>") {
			continue
		}
		for _, m := range cells.FindAllStringSubmatch(line, -1) {
			r.value("password", m[1], false)
			r.value("password", strings.ReplaceAll(m[1], `""`, `"`), false)
		}
		for part := range strings.SplitSeq(line, ",") {
			r.value("password", part, false)
		}
		if phrase(line) || strings.Count(line, " ") >= 11 || !strings.ContainsAny(line, " \t") {
			r.value("password", line, false)
		}
	}
}

// document reports whether a file whose name is that of a list of passwords is a manual about them, such as
// docs/topics/auth/passwords.txt of Django: it lies with documentation, has sections and marks code. Its lines
// are those of any code, "def __init__(self" among them, and masked everywhere they would be all secrets.
func document(file, text string) bool {
	const leastSections, leastCode = 3, 10
	return documentFolder.MatchString(file) && len(section.FindAllString(text, leastSections)) == leastSections &&
		len(codeMark.FindAllString(text, leastCode)) == leastCode
}

var (
	documentFolder = lazyregexp.New(`(?i)(?:^|/)(?:docs?|documentation|manual)/`)
	section        = lazyregexp.New("(?m)^(?:#{1,6} \\S.*|\\S.*\r?\n(?:={4,}|-{4,}|~{4,}|\\^{4,})[ \t]*\r?)$")
	codeMark       = lazyregexp.New("`[^`\n]+`|::[ \t]*\r?\n")
)

// publicBlock is an armoured block that everybody may see.
var publicBlock = lazyregexp.New(`(?s)-----BEGIN (?:TRUSTED |X509 )?(?:CERTIFICATE(?: REQUEST)?|PUBLIC KEY|X509 CRL|DH PARAMETERS|PGP PUBLIC KEY BLOCK)-----.*?-----END [A-Z0-9 ]+-----`)

var (
	// cells are quoted fields of tables.
	cells = lazyregexp.New(`"((?:[^"]|"")+)"`)
	named = lazyregexp.New(`(?im)(?:^|[\s;{:])-{0,2}([a-z][\w.-]{0,60})[ \t]+(?:"((?:[^"\\\n]|\\.)+)"|'([^'\n]+)'|([^\s"';]{6,400}))`)
)

// words are values after a name and blanks.
func (r *reading) words(text string) {
	for at := 0; ; {
		m := named.FindStringSubmatchIndex(text[at:])
		if m == nil {
			return
		}
		for i := 4; i < len(m); i += 2 {
			if m[i] >= 0 {
				value := text[at+m[i] : at+m[i+1]]
				r.value(text[at+m[2]:at+m[3]], value, false)
				r.value(text[at+m[2]:at+m[3]], unescaped(value), false)
			}
		}
		at += m[3] // the value may be a name itself: machine h login u password p
	}
}

var elements = []*lazyregexp.Regexp{
	lazyregexp.New(`<([A-Za-z][\w.:-]{0,80})(?:\s[^<>]{0,200})?>([^<>]+)</`),
	lazyregexp.New(`(?i)\b(?:name|key)\s?=\s?["']([\w.:-]{1,100})["'][^<>]{0,200}?\bvalue\s?=\s?["']([^"'<>]+)["']`),
	lazyregexp.New(`(?i)<(?:key|name)>([\w.:-]{1,100})</(?:key|name)>\s*<(?:string|value|data)>([^<>]+)</`),
	lazyregexp.New(`(?i)name=["']([\w.:-]{1,100})["'][^<>]{0,200}>\s{0,40}(?:<value>)?([^<>]+)</`),
}

// markup are values of XML: as elements, as attributes, and of property lists.
func (r *reading) markup(text string) {
	if !strings.Contains(text, "</") && !strings.Contains(text, "/>") {
		return
	}
	text = cdata.ReplaceAllStringFunc(text, func(part string) string {
		inner := part[len("<![CDATA[") : len(part)-len("]]>")]
		return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(inner)
	})
	for _, e := range elements {
		for _, m := range e.FindAllStringSubmatch(text, -1) {
			r.value(m[1], entities.Replace(m[2]), false)
			if inner, ok := strings.CutPrefix(strings.TrimSpace(m[2]), "{"); ok { // sealed by the program
				r.value(m[1], strings.TrimSuffix(inner, "}"), false)
			}
			r.value(m[1], m[2], false)
		}
	}
}

var cdata = lazyregexp.New(`<!\[CDATA\[[^\]]*\]\]>`)

var entities = strings.NewReplacer("&amp;", "&", "&lt;", "<", "&gt;", ">", "&quot;", `"`, "&#34;", `"`, "&apos;", "'", "&#39;", "'")

// Kinds returns the kinds of files, in the order of the table.
func Kinds() []*Kind { return slices.Clone(kinds().kinds) }
