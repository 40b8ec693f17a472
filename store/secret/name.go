package secret

import (
	"strings"

	"caselsp/store/lazyregexp"
)

// maxName is the length in bytes of the longest name that is judged.
const maxName = 200

var (
	nameWords = []string{
		"secret", "token", "passw", "passphrase", "passcode", "pwd", "apikey", "accesskey", "privatekey", "authkey", "encryptionkey",
		"encryptkey", "signingkey", "masterkey", "accountkey", "sharedkey", "sessionkey", "clientkey", "credential", "sessionid",
		"secretkey", "keydata", "fernetkey", "bindpw", "rootpw", "userpw", "adminpw", "requirepass", "masterauth", "passwort", "kennwort", "motdepasse", "contrasena", "contraseña", "wachtwoord", "lösenord", "hasło", "пароль", "密码", "sessid", "usersession", "licensekey", "webhookkey", "deploykey", "sharedaccess", "mnemonic", "seedphrase", "connectionstring", "authcode",
		"validationkey", "decryptionkey", "cipherkey", "cryptkey", "hmackey", "jwtkey", "erlangcookie", "apischluessel", "apischlüssel", "salasana", "adgangskode", "lozinka", "jelszo", "jelszó", "şifre", "palavrapasse", "palabraclave", "clesecrete", "clésecrète", "clavesecreta", "chiavesegreta", "chavesecreta", "パスワード", "비밀번호", "密碼", "口令",
	}
	// innocentWords make a name harmless: its value is public, or derived from a
	// secret and does not lead back to it.
	innocentWords = []string{"public", "hash", "digest", "checksum", "sha1", "sha256", "sha512", "md5", "fingerprint", "integrity", "tokeniz"}
	// innocentEnds say that a value is about a secret and not the secret itself.
	innocentEnds = []string{"keyid", "tokenid", "name", "path", "file", "url", "uri", "type", "arn", "regex", "pattern", "version", "expires", "expiry", "at", "fmt", "template", "prefix", "header", "policy"}

	squeeze  = strings.NewReplacer("_", "", "-", "", ".", "")
	upperKey = lazyregexp.New(`^(?:[A-Z0-9]+_)*KEY$`)
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
	return endsInPass.MatchString(name) || n == "auth" || strings.HasSuffix(name, "_auth") || upperKey.MatchString(name) || hasWord(name)
}

// wholeWords say that a name holds a secret where they are words of it: DB_PASS and
// smtpPass, and not bypass.
var wholeWords = map[string]bool{"pass": true, "pw": true, "dsn": true, "psk": true, "cred": true, "creds": true, "otp": true, "pat": true, "hmac": true, "sas": true, "pws": true, "senha": true, "clave": true, "parola": true, "heslo": true,
	"haslo": true, "sifre": true, "geslo": true, "mdp": true}

// endsInPass is a name in capitals that ends like that of a password: SSHPASS.
var endsInPass = lazyregexp.New(`^[A-Z0-9_]*(?:SSH|SQL|PG|DB|FTP|MAIL|SMTP|USER|ROOT|ADMIN|LDAP|REDIS|MQ|[A-Z]APP)PASS$`)

// hasWord reports whether one of the words of a name is of wholeWords.
func hasWord(name string) bool {
	start := 0
	for i := 0; i <= len(name); i++ {
		if i < len(name) && ClassOf(name[i]) == Lower {
			continue
		}
		if i < len(name) && ClassOf(name[i]) == Upper && (i == start || ClassOf(name[i-1]) == Upper) {
			continue
		}
		if i-start >= 2 && i-start <= 5 && wholeWords[strings.ToLower(name[start:i])] {
			return true
		}
		start = i
		if i < len(name) && ClassOf(name[i]) != Upper {
			start = i + 1
		}
	}
	return false
}
