package shell

import (
	"caselsp/store/lazyregexp"
	"caselsp/store/secret"
)

// SecretFile reports whether a path, by its name, is a file in which people and
// programs keep secrets: environment files, private keys, credentials. Samples,
// certificates and source files are not.
func SecretFile(p string) bool { return secret.Hidden(p) }

// secretFolder is a folder in which programs keep keys and passwords.
var secretFolder = lazyregexp.New(`(?i)^\.(ssh|aws|gnupg|kube|docker)$`)

// secretPart reports whether a part of a path is a file or a folder of secrets.
func secretPart(name string) bool { return SecretFile(name) || secretFolder.MatchString(name) }
