package workspace

import (
	"crypto/rand"
	"fmt"
	"path"
	"regexp"
	"strings"

	"caselsp/store/lazyregexp"
)

// A write needs a second file for a moment, in the file's own folder: only within one file system
// can a file take another's place. It is only left behind when the process is killed in the middle;
// Sweep removes it. Its name says what it may hold, so that nobody has to remember that:
//
//	.caselsp-new-RANDOM            nothing but new content, whole or not
//	.caselsp-old-OLD-NEW-RANDOM    content with one of these hashes, unless another program wrote
//	.caselsp-kept-RANDOM           what the user was told of: it is never removed
//	.caselsp-RANDOM                as older versions named both
const tempPrefix = ".caselsp-"

// hashShown is how many characters of a hash are in a name.
const hashShown = 16

// tempFile matches the names of these files exactly.
var tempFile = lazyregexp.New(`^` + regexp.QuoteMeta(tempPrefix) + `(?:(new)-|old-([0-9a-f]{16})-([0-9a-f]{16})-)?[a-z2-7]{26}$`)

// newTemp returns an unused name for content that is being written.
func (p place) newTemp() string { return p.temp("new-") }

// oldTemp returns an unused name for what is taken out of a place, or is about to come into it.
func (p place) oldTemp(old, now string) string {
	return p.temp(fmt.Sprintf("old-%.*s-%.*s-", hashShown, old, hashShown, now))
}

// keptTemp returns an unused name for a version of a file that the user is told of.
func (p place) keptTemp() string { return p.temp("kept-") }

func (p place) temp(kind string) string {
	return path.Join(path.Dir(p.rel), tempPrefix+kind+strings.ToLower(rand.Text()))
}

// disposable reports whether a file of this name that no process works on any more may be
// removed: it holds c, which is what its name says, or the beginning of a known content.
func disposable(name string, c *Content, known [][]byte) bool {
	m := tempFile.FindStringSubmatch(name)
	switch {
	case m == nil:
		return false
	case m[1] != "":
		return true
	case m[2] != "":
		return c.Hash[:hashShown] == m[2] || c.Hash[:hashShown] == m[3]
	}
	return beginsOne(known, c.Data)
}
