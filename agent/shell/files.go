package shell

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
)

var (
	secretName  = regexp.MustCompile(`(?i)^(\.env(\..*)?|\.envrc|id_(rsa|dsa|ecdsa|ed25519)|.*\.(pem|key|p12|pfx|jks|keystore|kdbx)|\.ssh|\.aws|\.gnupg|\.kube|\.netrc|\.npmrc|\.pypirc|\.pgpass|\.git-credentials|\.htpasswd|credentials(\..*)?|secrets?(\..*)?)$`)
	sampleName  = regexp.MustCompile(`(?i)^\.env\.(example|sample|template|dist)$`)
	revisionSep = regexp.MustCompile(`[/:]`)
)

// unreadable returns "" when a word, taken as a path or a git revision, is
// inside the workspace and does not look like a secret, or a sentence that says
// why the user is asked.
func unreadable(word string) string {
	parts := revisionSep.Split(word, -1)
	switch {
	case word == "/dev/null":
		return ""
	case strings.HasPrefix(word, "/"), strings.HasPrefix(word, "~"), slices.Contains(parts, ".."), strings.Contains(word, ":/"):
		return fmt.Sprintf("It reads outside of the workspace (%s).", word)
	}
	for _, p := range parts {
		if secretName.MatchString(p) && !sampleName.MatchString(p) {
			return fmt.Sprintf("It may show a secret (%s).", word)
		}
	}
	return ""
}

// home is how a command line can name the user's home folder.
var home = []string{"~", "$HOME"}

// systemFolders are those whose content belongs to the machine, not to a task.
var systemFolders = []string{"/etc", "/boot", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/usr", "/sys", "/proc", "/dev", "/root", "/var", "/opt", "/home", "/Users", "/System", "/Library", "/Applications"}

// harmless are the devices that anything may be written to.
var harmless = []string{"/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty", "/dev/zero"}

// everything reports whether a word names all of a machine, a home folder, a
// system folder or the current folder, or all that is in it.
func everything(word string) bool {
	p := word
	for _, all := range []string{"/*", "/.*", "/.", "/{*,.*}"} {
		p = strings.TrimSuffix(p, all)
	}
	if p == "" { // it was "/*"
		return word != ""
	}
	p = path.Clean(p)
	return slices.Contains(home, p) || slices.Contains(systemFolders, p) ||
		slices.Contains([]string{"/", ".", "..", "*", ".*", "$PWD"}, p) || strings.Trim(p, "./") == "" && p != ""
}

// system reports whether a word names something that a task must not write: in a
// system folder, or a hidden file of the home folder (start scripts, keys).
func system(word string) bool {
	p := path.Clean(word)
	if slices.Contains(harmless, p) || strings.HasPrefix(p, "/dev/fd/") || strings.HasPrefix(p, "/var/tmp/") {
		return false
	}
	for _, h := range home {
		if strings.HasPrefix(p, h+"/.") {
			return true
		}
	}
	for _, f := range systemFolders {
		if p == f || strings.HasPrefix(p, f+"/") {
			return f != "/home" && f != "/Users"
		}
	}
	return false
}
