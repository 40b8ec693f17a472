package shell

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"caselsp/store/lazyregexp"
)

var (
	revisionSep = lazyregexp.New(`[/:=]`)
	// testID matches how pytest names a test of a file: what is behind the file's name is no file.
	testID  = lazyregexp.New(`^([\w./@+-]+\.py)(::[A-Za-z_]\w*)+(\[[^/\[\]]*\])?$`)
	address = lazyregexp.New(`^[a-z][a-z0-9+.-]*::?//|^ext::|://`)
)

// root is where the sandbox shows the workspace's copy.
const root = "/workspace"

// secretNames are examples of names that a wildcard must not match.
var secretNames = []string{".env", ".env.local", "id_rsa", "id_ed25519", "server.pem", "server.key", "credentials", "credentials.json", "secrets.yml", "secret", "secrets.json", ".netrc", ".npmrc"}

// access is what a command does with a path, as the beginnings of sentences.
type access struct{ outside, secret string }

var (
	reading  = access{"It reads outside of the workspace", "It may show a secret"}
	reaching = access{"It reaches outside of the workspace", "It may show a secret"}
	writing  = access{"It writes outside of the workspace", "It would write a secret"}
)

// libraries are folders of the sandbox's image with the sources, headers and texts of what is installed there.
var libraries = []string{"/usr/lib/", "/usr/share/", "/usr/include/", "/usr/local/lib/", "/usr/local/include/", "/usr/local/go/src/", "/usr/src/"}

// keptPrivate matches parts of paths there that lead to keys.
var keptPrivate = lazyregexp.New(`(?i)(^|/)(ssl|private|keyrings?|ca-certificates|pki)(/|$)`)

// library reports whether a path is one of the installed libraries, which programs that only
// read may show where the policy eases that. Secret names are secret there as well.
func library(w word, s scope) bool {
	if !s.eased || w.status || w.open != closed || w.glob {
		return false
	}
	for _, folder := range libraries {
		if rest, ok := strings.CutPrefix(w.text+"/", folder); ok {
			rest = strings.TrimSuffix(rest, "/")
			return !strings.Contains(rest, "..") && !keptPrivate.MatchString(rest) && (rest == "" || inside(word{text: rest}, 0) == "")
		}
	}
	return false
}

// inside is [access.objects] for commands that read.
func inside(w word, depth int) string { return reading.objects(w, depth) }

// objects returns "" when a word, taken as a path or a git revision, is inside the
// workspace and does not look like a secret; otherwise a sentence that says why the
// user is asked. depth is how many folders below the root the command runs.
func (a access) objects(w word, depth int) string {
	p := w.text
	if p == root || strings.HasPrefix(p, root+"/") {
		p, depth = "."+p[len(root):], 0
	}
	if p == "/dev/null" || p == "-" {
		return ""
	}
	if strings.HasPrefix(p, "/") || strings.HasPrefix(p, "~") || strings.Contains(p, ":/") || strings.Contains(p, "=/") || strings.Contains(p, "=~") ||
		address.MatchString(p) || strings.ContainsRune(p, 0) || climbs(p, depth) {
		return fmt.Sprintf("%s (%s).", a.outside, w.text)
	}
	p = testID.ReplaceAllString(p, "$1")
	for _, part := range revisionSep.Split(p, -1) {
		if secretPart(part) || w.glob && findsSecret(part) {
			return fmt.Sprintf("%s (%s).", a.secret, w.text)
		}
	}
	if SecretFile(p) {
		return fmt.Sprintf("%s (%s).", a.secret, w.text)
	}
	return ""
}

// steps is how many folders deeper a relative path leads.
func steps(p string) int {
	n := 0
	for part := range strings.SplitSeq(p, "/") {
		switch part {
		case "", ".":
		case "..":
			n--
		default:
			n++
		}
	}
	return n
}

// climbs reports whether a path leads more than depth folders up on its way, or
// has a .. behind a colon, where it is a path within a revision.
func climbs(p string, depth int) bool {
	for part := range strings.FieldsFuncSeq(p, func(r rune) bool { return r == ':' || r == '=' }) {
		at := depth
		for folder := range strings.SplitSeq(part, "/") {
			if at += steps(folder); at < 0 {
				return true
			}
		}
	}
	return false
}

// findsSecret reports whether a wildcard selects secrets: it matches one and not
// ordinary files. A wildcard that matches everything is no worse than grep -r.
func findsSecret(part string) bool {
	if !strings.ContainsAny(part, "*?[") {
		return false
	}
	finds := func(name string) bool {
		if strings.HasPrefix(name, ".") && !strings.HasPrefix(part, ".") {
			return false // a wildcard does not find hidden files
		}
		ok, err := path.Match(part, name)
		return ok || err != nil
	}
	return slices.ContainsFunc(secretNames, func(name string) bool {
		other := "x" + path.Ext(name)
		if SecretFile(other) || strings.HasPrefix(name, ".") {
			other = "x.txt"
		}
		return finds(name) && !finds(other)
	})
}

// writable returns "" when a word names a file that a command may write: one of the
// workspace that is not hidden. Hidden files configure tools.
func writable(w word, depth int) string {
	if w.text == "/dev/null" {
		return ""
	}
	if why := writing.objects(w, depth); why != "" {
		return why
	}
	if w.glob {
		return fmt.Sprintf("It writes to the files that a wildcard matches (%s).", w.text)
	}
	for part := range strings.SplitSeq(w.text, "/") {
		if strings.HasPrefix(part, ".") && part != "." && part != ".." && part != ".gitkeep" && part != ".keep" {
			return fmt.Sprintf("It writes to %s; hidden files can configure programs.", w.text)
		}
	}
	return ""
}

// home is how a command line can name the user's home folder.
var home = []string{"~", "$HOME"}

// systemFolders are the folders whose content belongs to the system.
var systemFolders = []string{"/etc", "/boot", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/usr", "/sys", "/proc", "/dev", "/root", "/var", "/opt", "/home", "/Users", "/System", "/Library", "/Applications"}

// harmless are the devices that anything may be written to.
var harmless = []string{"/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty", "/dev/zero"}

// everything reports whether a word names the root, a home folder, a system folder
// or the current folder, or everything in one of them.
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

// belongsToMachine reports whether a word names something that a task must not
// write: a file in a system folder, or a hidden file of the home folder (start-up
// scripts, keys).
func belongsToMachine(word string) bool {
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
