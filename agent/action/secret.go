package action

import (
	"fmt"
	"slices"
	"strings"

	"caselsp/store/lazyregexp"
)

// secretName is what a secret is called: as the environment variable is in which
// a program finds it.
var secretName = lazyregexp.New(`^[A-Z][A-Z0-9_]{1,63}$`)

// obeyed are the beginnings of variables that shells, loaders and interpreters
// obey. A secret of such a name would not be given to a program but change it.
var obeyed = []string{"BASH", "BASH_", "BASHOPTS", "CASELSP", "CDPATH", "DYLD_", "ENV", "GIT_", "HOME", "IFS", "LANG", "LC_", "LD_", "NODE_OPTIONS",
	"NODE_PATH", "PATH", "PERL5", "POSIXLY_CORRECT", "PROMPT_COMMAND", "PS4", "PYTHON", "RUBYLIB", "RUBYOPT", "SHELL", "SHELLOPTS", "TMPDIR"}

// maxSecrets is how many secrets one command may be given: what is asked for one
// by one must stay few enough to be thought about.
const maxSecrets = 8

// CheckSecret says what is wrong with the name of a secret.
func CheckSecret(name string) error {
	if !secretName.MatchString(name) {
		return fmt.Errorf("%.80q is no name of a secret: use capitals, digits and _, such as API_TOKEN, up to 64 in all", name)
	}
	if slices.ContainsFunc(obeyed, func(o string) bool {
		return name == o || (strings.HasSuffix(o, "_") || len(o) > len("SHELL")) && strings.HasPrefix(name, o)
	}) {
		return fmt.Errorf("%s cannot be the name of a secret: shells and interpreters obey that variable; choose another name", name)
	}
	return nil
}
