// Package secret knows what secrets look like: the formats that services give
// their keys, random values, and the placeholders and documented dummies that are
// no secrets. The redaction of the store and the validators' rules about secrets
// both ask it, so that what one reports the other masks.
//
// It hides how the formats are found quickly. It does no I/O, keeps nothing of the
// texts that it is given, and decides neither what is masked nor what is reported.
//
// gitleaks as a library lost: it brings a configuration format, archives, a
// terminal and some 60 modules for one table, and it accepts false positives for a
// person to review. A record that was masked wrongly cannot be replayed.
package secret

import (
	_ "embed"
	"strings"
	"sync"

	"caselsp/store/lazyregexp"
)

// Format is the form that a service gives its secrets.
type Format struct {
	Service string // as people call it: GitHub
	Form    string // a regular expression; the secret is its first group, or the whole match
	Example string // of the form, made up: it never opened anything

	signs  []string // one of them is in every match
	inside bool     // the sign may stand anywhere in a match, not only at its beginning
	wide   bool     // a match may have other bytes than those of wordBytes
	mixed  bool     // a match must look random, see Random
	alone  bool     // a match must not touch base64 or an identifier
	least  float64  // entropy in bits a character; below it is made up

	search *lazyregexp.Regexp // Form
	begin  *lazyregexp.Regexp // Form, at the beginning of the text
}

// Dummy returns a text that only shows the form: one that the service's documentation
// has, where the table knows one, else a made-up one that is told as such.
func (f *Format) Dummy() string {
	for _, shown := range table().dummies {
		if f.begin.MatchString(shown) {
			return shown
		}
	}
	for _, s := range f.signs {
		if !f.inside && strings.HasPrefix(f.Example, s) {
			return s + "xxxxxxxxxxxxxxxx"
		}
	}
	return "a value of another form"
}

//go:embed formats.txt
var formatTable string

// cut is in the examples and dummies of the table, for scanners of repositories.
const cut = "¦"

// Table returns all formats. The result is shared: callers do not change it.
func Table() []Format { return table().formats }

// formatsTable is formats.txt, read.
type formatsTable struct {
	formats []Format
	shown   map[string]bool // secrets that documentation shows
	dummies []string        // those of them that stand for no account
	byPair  map[[2]byte][]sign
	pairs   [1 << 16 / 64]uint64 // a bit for each key of byPair
	wide    []int                // formats that are searched in the whole text
}

// sign is one sign of a format.
type sign struct {
	text   string
	format int
}

var table = sync.OnceValue(func() *formatsTable {
	t := &formatsTable{shown: map[string]bool{}, byPair: map[[2]byte][]sign{}}
	for line := range strings.Lines(formatTable) {
		line = strings.ReplaceAll(strings.TrimSuffix(line, "\n"), cut, "")
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		f := strings.Split(line, "\t")
		if f[0] == "shown" || f[0] == "dummy" {
			t.shown[f[1]] = true
			if f[0] == "dummy" {
				t.dummies = append(t.dummies, f[1])
			}
			continue
		}
		t.add(parseFormat(f))
	}
	return t
})

// parseFormat reads a line of formats.txt.
func parseFormat(columns []string) Format {
	f := Format{Service: columns[0], Form: columns[3], Example: columns[4], least: 3}
	for _, s := range strings.Fields(columns[1]) {
		s, inside := strings.CutPrefix(s, "*")
		f.signs, f.inside = append(f.signs, s), f.inside || inside
	}
	for _, check := range strings.Fields(columns[2]) {
		switch check {
		case "low":
			f.least = 2
		case "mixed":
			f.mixed = true
		case "alone":
			f.alone = true
		case "wide":
			f.wide = true
		}
	}
	f.search, f.begin = lazyregexp.New(f.Form), lazyregexp.New("^(?:"+f.Form+")")
	return f
}

// add puts a format into the table and its signs into the index.
func (t *formatsTable) add(f Format) {
	i := len(t.formats)
	t.formats = append(t.formats, f)
	if f.wide {
		t.wide = append(t.wide, i)
		return
	}
	for _, s := range f.signs {
		if len(s) > 1 {
			t.index([2]byte{s[0], s[1]}, sign{s, i})
			continue
		}
		for b := range 256 { // a sign of one byte, whatever follows
			if wordBytes[b] {
				t.index([2]byte{s[0], byte(b)}, sign{s, i})
			}
		}
	}
}

func (t *formatsTable) index(pair [2]byte, s sign) {
	t.byPair[pair] = append(t.byPair[pair], s)
	n := uint16(pair[0])<<8 | uint16(pair[1])
	t.pairs[n/64] |= 1 << (n % 64)
}
