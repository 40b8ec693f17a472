package secret

import (
	"regexp"
	"strings"
)

// maxName is the length in bytes of the longest name that is judged.
const maxName = 200

var (
	nameWords = []string{
		"secret", "token", "passw", "passphrase", "pwd", "apikey", "accesskey", "privatekey", "authkey", "encryptionkey",
		"encryptkey", "signingkey", "masterkey", "accountkey", "sharedkey", "sessionkey", "clientkey", "credential", "sessionid",
	}
	// innocentWords make a name harmless: its value is public, or derived from a
	// secret and does not lead back to it.
	innocentWords = []string{"public", "hash", "digest", "checksum", "sha1", "sha256", "sha512", "md5", "fingerprint", "integrity", "tokeniz"}
	// innocentEnds say that a value is about a secret and not the secret itself.
	innocentEnds = []string{"keyid", "tokenid", "name", "path", "file", "url", "uri", "type", "arn", "regex", "pattern", "version", "expires", "expiry", "at", "fmt", "template", "prefix", "header"}

	squeeze  = strings.NewReplacer("_", "", "-", "", ".", "")
	upperKey = regexp.MustCompile(`^(?:[A-Z0-9]+_)*KEY$`)
)

// Squeeze returns a name in lower case without the signs that join its words.
func Squeeze(name string) string { return squeeze.Replace(strings.ToLower(name)) }

// Name reports whether a variable, field or header of this name certainly holds a
// secret. The validators ask a person about more names; redaction cannot ask.
func Name(name string) bool {
	if name == "" || len(name) > maxName {
		return false
	}
	n := Squeeze(name)
	if n == "pwd" || n == "oldpwd" { // the shell's working directory
		return false
	}
	for _, w := range innocentWords {
		if strings.Contains(n, w) {
			return false
		}
	}
	for _, w := range innocentEnds {
		if strings.HasSuffix(n, w) {
			return false
		}
	}
	for _, w := range nameWords {
		if strings.Contains(n, w) {
			return true
		}
	}
	return n == "auth" || strings.HasSuffix(name, "_auth") || upperKey.MatchString(name)
}
