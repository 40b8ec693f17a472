package testreport

import (
	"fmt"
	"slices"
	"strings"

	"caselsp/store/lazyregexp"
)

// Change is one changed file. A file that is not there, or is no text, is "".
type Change struct {
	Path, From    string // From is the old path of a renamed file, else ""
	Before, After string
	New, Deleted  bool
}

// Loss is one way in which changes leave less tested than before.
type Loss struct {
	Kind LossKind
	Path string // of the file
	Name string // of a test that is gone
	Had  int    // checks, or marks, before
	Has  int    // and now
}

// LossKind says what is lost.
type LossKind string

// The kinds of losses.
const (
	Gone        LossKind = "gone"   // a test
	FewerChecks LossKind = "checks" // in the tests of a file
	LeftOut     LossKind = "left"   // more marks keep tests of a file from running
)

// Key names what is lost, whatever the amount.
func (l Loss) Key() string { return strings.TrimSpace(string(l.Kind) + " " + l.Path + " " + l.Name) }

// Amount is how much is lost.
func (l Loss) Amount() int { return max(l.Had-l.Has, l.Has-l.Had, 1) }

// mostGone is how many tests are named that are gone; more are not read.
const mostGone = 5

// Told says losses in words, the tests that are gone in one line.
func Told(losses []Loss) (lines []string) {
	var gone []string
	for _, l := range losses {
		switch l.Kind {
		case Gone:
			gone = append(gone, l.Name)
		case FewerChecks:
			lines = append(lines, fmt.Sprintf("%s: fewer checks (%d, %d before)", l.Path, l.Has, l.Had))
		case LeftOut:
			lines = append(lines, fmt.Sprintf("%s: tests are left out in more places (%d, %d before)", l.Path, l.Has, l.Had))
		}
	}
	if len(gone) == 0 {
		return lines
	}
	slices.Sort(gone)
	text := "tests are gone: " + strings.Join(gone[:min(mostGone, len(gone))], ", ")
	if n := len(gone) - mostGone; n > 0 {
		text += fmt.Sprintf(" and %d more", n)
	}
	return append([]string{text}, lines...)
}

// weighed is a changed file with its tests before and after.
type weighed struct {
	Change
	old, now tally
	in, out  int // checks of tests that came from other files, and that went there
}

// testAt is a test with the index of its file.
type testAt struct {
	oneTestOf
	file int
	done bool
}

// Weakened returns how changes leave less tested than before: tests that are gone, fewer
// checks in a file, more marks that keep tests from running. A test that has another name or
// another place with the same body is not gone, nor is one in whose file another is left that has to do with the same:
// what that checks less is told as fewer checks. It counts and does not understand tests; what it
// misses is seen in the diff, and what it wrongly reports the user can allow.
func Weakened(changes []Change) (lost []Loss) {
	var files []weighed
	for _, c := range changes {
		from := c.Path
		if c.From != "" {
			from = c.From
		}
		if testFile.MatchString(from) || testSetting.MatchString(from) || testFile.MatchString(c.Path) || testSetting.MatchString(c.Path) {
			files = append(files, weighed{Change: c, old: tallyOf(from, c.Before), now: tallyOf(c.Path, c.After)})
		}
	}
	for _, t := range balance(files) {
		lost = append(lost, Loss{Kind: Gone, Path: files[t.file].Path, Name: t.name})
	}
	freed := 0 // marks that went away with what they marked
	for _, f := range files {
		freed += max(0, f.old.left-f.now.left)
	}
	for _, f := range files {
		if f.New && f.in == 0 {
			continue // a new file takes nothing away
		}
		if had := f.old.checks - f.out + f.in; had > f.now.checks && !f.Deleted {
			lost = append(lost, Loss{Kind: FewerChecks, Path: f.Path, Had: had, Has: f.now.checks})
		}
		had := f.old.left
		if f.New {
			had = freed
		}
		if f.now.left > had {
			lost = append(lost, Loss{Kind: LeftOut, Path: f.Path, Had: had, Has: f.now.left})
		}
	}
	return lost
}

// unspecific are words that tests have whatever they are about.
var unspecific = map[string]bool{"test": true, "tests": true, "assert": true, "self": true, "this": true, "def": true, "expect": true, "return": true, "func": true, "function": true,
	"async": true, "await": true, "true": true, "false": true, "none": true, "null": true, "nil": true, "equal": true, "equals": true, "error": true, "errorf": true, "fatal": true, "fatalf": true}

// alike reports whether one test may stand in the place of another: by a half of the words of the smaller one, in names and
// bodies, beside those that tests have whatever they are about. Where one has no such words, it cannot be told.
func alike(o, n testAt) bool {
	was, is := specifics(o), specifics(n)
	common := 0
	for w := range was {
		if is[w] {
			common++
		}
	}
	return len(was) == 0 || len(is) == 0 || common > 0 && 2*common >= min(len(was), len(is))
}

var testWord = lazyregexp.New(`\p{L}{3,}`)

func specifics(t testAt) map[string]bool {
	words := map[string]bool{}
	for _, w := range testWord.FindAllString(t.name+" "+t.body, -1) {
		if w = strings.ToLower(w); !unspecific[w] {
			words[w] = true
		}
	}
	return words
}

// balance finds for each test of before the one that it has become, and returns those that have
// become none. It notes in the files what moved.
func balance(files []weighed) (gone []testAt) {
	var before, after []testAt
	for i, f := range files {
		for _, t := range f.old.tests {
			before = append(before, testAt{oneTestOf: t, file: i})
		}
		for _, t := range f.now.tests {
			after = append(after, testAt{oneTestOf: t, file: i})
		}
	}
	for _, same := range []func(o, n testAt) bool{
		func(o, n testAt) bool { return o.file == n.file && o.name == n.name },
		func(o, n testAt) bool { return o.name == n.name },
		func(o, n testAt) bool { return o.checks > 0 && o.body == n.body },
		func(o, n testAt) bool { return o.file == n.file && n.checks >= min(1, o.checks) && alike(o, n) },
	} {
		for i := range before {
			for j := range after {
				o, n := &before[i], &after[j]
				if o.done || n.done || !same(*o, *n) {
					continue
				}
				o.done, n.done = true, true
				if o.file != n.file {
					files[o.file].out += o.checks
					files[n.file].in += o.checks
				}
			}
		}
	}
	return slices.DeleteFunc(before, func(t testAt) bool { return t.done })
}
