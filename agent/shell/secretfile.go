package shell

import (
	"path"
	"regexp"
	"strings"
)

// secretFolder is a folder in which programs keep keys and passwords, or git its
// configuration, which may hold some.
var secretFolder = regexp.MustCompile(`(?i)^\.(ssh|aws|gnupg|kube|git)$`)

// SecretFile reports whether a path, by its name, is a file in which people and
// programs keep secrets: .env and similar files, private keys, credentials. Samples,
// certificates and source files are not.
func SecretFile(p string) bool {
	name := path.Base(p)
	if secretName.MatchString(name) && !sampleName.MatchString(name) && !strings.HasSuffix(name, ".pub") {
		return true
	}
	for folder := range strings.SplitSeq(path.Dir(p), "/") {
		if secretFolder.MatchString(folder) {
			return true
		}
	}
	return strings.HasSuffix(strings.ToLower(p), ".docker/config.json")
}
