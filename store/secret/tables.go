package secret

import (
	"path"
	"slices"
	"strings"

	"caselsp/store/lazyregexp"
)

// settingsEndings are the endings of files that hold data or settings whatever they are
// called. What their names of secrets have is known, as in files of the table.
var settingsEndings = map[string]bool{
	".yml": true, ".yaml": true, ".json": true, ".xml": true, ".plist": true, ".gradle": true, ".tf": true, ".tofu": true,
	".tfvars": true, ".toml": true, ".ini": true, ".properties": true, ".conf": true, ".cnf": true, ".cfg": true, ".kts": true,
}

// readKind is the kind of a file as its values are read.
func readKind(file string) *Kind {
	if k := KindOf(file); k != nil {
		return k
	}
	name := path.Base(strings.ToLower(file))
	if !settingsEndings[path.Ext(name)] || forTests(file) || sampled(name) || public(name) || strings.Contains(name, "lock") {
		return nil
	}
	return dataKind
}

// dataKind is the kind of data files that the table does not name.
var dataKind = &Kind{Form: Words}

// MostRead returns up to which size in bytes a file is looked through for values because
// of its name, which says how they are written in it; 0: it is not. It answers for all
// files of which [Values] reads more than what their content shows.
func MostRead(file string) int {
	const byHand = 64 << 10 // settings, data and tables of passwords: people write them
	switch k := readKind(file); {
	case k != nil && k.Hidden:
		return MaxFile
	case k != nil, mayTable(file):
		return byHand
	}
	return 0
}

// BlockHeader reports whether a line is a header of an armoured block, as
// Proc-Type: 4,ENCRYPTED and Version: GnuPG v2: it says how the block is made.
func BlockHeader(line string) bool { return blockHeader.MatchString(line) }

var blockHeader = lazyregexp.New(`^(?:Version|Comment|Hash|Charset|MessageID|Proc-Type|DEK-Info|Encryption|Private-Lines|Public-Lines|Private-MAC|Key-Derivation|Argon2-\w+|PuTTY-User-Key-File-\d|Bag Attributes|friendlyName|localKeyID):[ \t]`)

// telling reports whether a name says that its value is secret, also where it names what
// is made of a password: a hash that can be tried out, or the salt of an application.
func telling(name, value string) bool {
	if Name(name) || name == "setcookie" {
		return true
	}
	return ofPassword(name) && len(value) >= leastLook && (Random(value) || hashed.MatchString(value))
}

// mayTell reports whether telling may say so for some value.
func mayTell(name string) bool {
	return Name(name) || name == "setcookie" || ofPassword(name) || isPIN(name)
}

func ofPassword(name string) bool {
	n := strings.ToLower(name)
	return (strings.Contains(n, "salt") || strings.Contains(n, "hash")) && derived.MatchString(name) || strings.HasPrefix(name, "BUNDLE_") && gemHost.MatchString(name)
}

var (
	derived = lazyregexp.New(`(?i)passw(?:or)?d_?(?:hash|salt)$|pw_?hash$|(?:hash|auth|nonce|cookie|session|app|logged_in|secure_auth)_?salt$`)
	// gemHost is the name under which Bundler keeps the account of a host.
	gemHost = lazyregexp.New(`^BUNDLE_[A-Z0-9_]+__[A-Z]{2,}$`)
)

// within returns the name of a value with that of what it is the first part of, where
// that is about cryptography: 'crypt' => ['key' => ...].
func (r *reading) within(name, before string) string {
	if beside := Beside(name, before); Name(beside) {
		return beside
	}
	switch strings.ToLower(name) {
	case "key", "value", "salt", "default":
	default:
		return name
	}
	before = before[max(0, len(before)-120):]
	if m := opened.FindStringSubmatch(before); m != nil {
		return m[1] + "_" + name
	}
	if m := declared.FindStringSubmatch(before); m != nil && Name(m[1]) {
		return m[1]
	}
	return name
}

// Beside returns the name of a value whose own name only says that it is one, as in
// {"name": "API_KEY", "value": "..."}; "" where none stands before it. before may end with
// its name and an operator.
func Beside(name, before string) string {
	switch strings.ToLower(name) {
	case "value", "val", "default", "content", "plaintext":
	default:
		return ""
	}
	if before = before[max(0, len(before)-120):]; strings.HasSuffix(strings.TrimRight(before, " \t\"'\\]:=>"), name) {
		before = before[:strings.LastIndex(before, name)]
	}
	if m := beside.FindStringSubmatch(before); m != nil {
		return m[1]
	}
	return ""
}

// beside is such a name, with what separates data from data after it.
var beside = lazyregexp.New(`(?i)\b(?:name|key|id)\\*["']?\s*[:=>]+\s*\\*["']?([A-Za-z0-9_.-]+)(?:[\s,;{}\[\]"'<>-]|\\+[nrt"]|</?[a-z]+>){0,40}$`)

var (
	opened   = lazyregexp.New(`(?i)(crypt|encryption|cipher|signing|hmac|jwt)["'\x60]?\s*(?:=>|[:=])\s*[\[{(]?\s*["'\x60]?$`)
	declared = lazyregexp.New(`(?s)\bvariable\s+"([\w.-]+)"\s*\{[^{}]*$`)
)

// mayTable reports whether a file may have tables of secrets: those of documentation are
// exports of consoles only where they are not documents.
func mayTable(file string) bool {
	name := path.Base(strings.ToLower(file))
	switch ending := path.Ext(name); ending {
	case ".csv", ".tsv":
		file = strings.ReplaceAll("/"+file, "/docs/", "/")
	case ".md", ".txt", ".adoc", ".markdown", "":
	default:
		return false
	}
	return !forTests(file) && !sampled(name)
}

// tables adds the columns of a table whose heads say that they hold secrets.
func (r *reading) tables(text string) {
	if lower := strings.ToLower(text); !slices.ContainsFunc(inHeads, func(w string) bool { return strings.Contains(lower, w) }) {
		return
	}
	var telling []string // the names of the columns, "" for the others
	sign := ""
	for line := range strings.Lines(strings.TrimPrefix(text, "\ufeff")) {
		line = strings.TrimRight(line, "\r\n")
		if sign != "" {
			list := cellsOf(line, sign)
			if len(list) == len(telling) {
				for i, cell := range list {
					if telling[i] != "" && !strings.ContainsAny(cell, " …\x60()") {
						r.value(telling[i], cell, false)
					}
				}
				continue
			}
		}
		telling, sign = headsOf(line)
	}
}

// inHeads are parts of the names of such columns.
var inHeads = []string{"pass", "pwd", "secret", "token", "key", "mdp", "senha", "kennwort", "clave"}

// headsOf returns the names of the columns of secrets, where a line is the head of a table.
func headsOf(line string) (names []string, sign string) {
	if len(line) > 400 {
		return nil, ""
	}
	for _, sign := range []string{"|", "\t", ";", ","} {
		list := cellsOf(line, sign)
		if len(list) < 2 {
			continue
		}
		found := false
		names := make([]string, len(list))
		for i, cell := range list {
			if !columnName.MatchString(cell) {
				found = false
				break
			}
			if name := headName(cell); name != "" {
				names[i], found = name, true
			}
		}
		if found {
			return names, sign
		}
	}
	return nil, ""
}

// headName is the name of a column of secrets; "": it is none. The last word says what
// is in the column.
func headName(cell string) string {
	words := strings.Fields(cell)
	if len(words) == 0 || len(words) > 4 {
		return ""
	}
	name := strings.Join(words, "_")
	switch last := words[len(words)-1]; strings.ToLower(last) {
	case "key", "code", "value":
		if Name(name) {
			return name
		}
	default:
		if Name(last) {
			return name
		}
	}
	return ""
}

// columnName is what heads a column.
var columnName = lazyregexp.New(`^[\pL\d _-]{0,40}$`)

// cellsOf returns the cells of a line of a table.
func cellsOf(line, sign string) []string {
	if !strings.Contains(line, sign) {
		return nil
	}
	if sign == "|" {
		line = strings.Trim(strings.TrimSpace(line), "|")
	}
	list := strings.Split(line, sign)
	for i, cell := range list {
		list[i] = strings.Trim(strings.TrimSpace(cell), "\"*")
	}
	return list
}

// directives are values that stand at a place of a line rather than under a name: accounts
// of SNMP, communities, passwords of network devices.
var directives = lazyregexp.New(`(?im)^\s*(?:createUser\s+(?:-e\s+\S+\s+)?\S+\s+(?:MD5|SHA[\d-]*)|r[ow]community6?|snmp-server\s+community|enable\s+(?:secret|password)(?:\s+\d)?|key-string(?:\s+\d)?|username\s+\S+(?:\s+privilege\s+\d+)?\s+(?:secret|password)(?:\s+\d)?)[ \t]+"?([^\s"]{6,300})(?:"?[ \t]+(?:AES|DES)[\d-]*[ \t]+"?([^\s"]{6,300}))?`)

// inDirectives are in all of them, in lower case.
var inDirectives = []string{"createuser", "community", "enable", "key-string", "username"}

// sealed is a file of Ansible's vault: what is in it can be tried out.
var sealed = lazyregexp.New(`(?m)\$ANSIBLE_VAULT;[^\n]*\n((?:[ \t]*[0-9a-f]{20,}[ \t]*\r?\n?)+)`)

// placed adds values that their place in a line or their block tell.
func (r *reading) placed(text string) {
	if lower := strings.ToLower(text); slices.ContainsFunc(inDirectives, func(w string) bool { return strings.Contains(lower, w) }) {
		for _, m := range directives.FindAllStringSubmatch(text, -1) {
			for _, value := range m[1:] {
				r.value("password", value, false)
			}
		}
	}
	if !strings.Contains(text, "$ANSIBLE_VAULT") {
		return
	}
	for _, m := range sealed.FindAllStringSubmatch(text, -1) {
		for line := range strings.FieldsSeq(m[1]) {
			r.add(line)
		}
	}
}
