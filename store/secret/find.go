package secret

import (
	"cmp"
	"slices"
	"strings"

	"caselsp/store/lazyregexp"
)

const (
	// shortest is the length in bytes of the shortest match of a format that is not
	// wide. A test holds it against the table.
	shortest = 15

	// maxSecret is how far after its beginning a secret is matched, in bytes. What
	// it has in common with longer ones goes with them.
	maxSecret = 4 << 10

	// maxBefore bounds what a match of a format has before a sign that stands inside
	// it, maxAfter what it needs after the sign, in bytes. A test holds them against
	// the table.
	maxBefore, maxAfter = 200, 400
)

// Match is a secret in a text.
type Match struct {
	Start, End int // text[Start:End]
	Format     *Format
	Dummy      bool // it only shows the form: from a manual, or visibly made up
}

// Find returns the secrets in a text whose format gives them away, in order; they
// do not overlap. What stands for a value that others fill in (ghp_xxxxxxxx…) is
// left out.
func Find(text string) []Match {
	t := table()
	var found []Match
	for _, w := range longWords(text, shortest) {
		found = t.inWord(found, text, w)
	}
	for _, i := range t.wide {
		f := &t.formats[i]
		for _, s := range f.signs {
			for at := strings.Index(text, s); at >= 0; {
				found = f.at(found, text, at, len(text))
				next := strings.Index(text[at+len(s):], s)
				if next < 0 {
					break
				}
				at += len(s) + next
			}
		}
	}
	return t.ordered(found)
}

// Holds reports whether a value has a secret of a format in it, be it a dummy.
func Holds(value string) bool { return len(Find(value)) > 0 }

// ordered sorts matches; of those that overlap it makes one, with the format that
// comes first in the table.
func (t *formatsTable) ordered(found []Match) []Match {
	if len(found) < 2 {
		return found
	}
	slices.SortStableFunc(found, func(a, b Match) int { return cmp.Compare(a.Start, b.Start) })
	list := found[:1]
	for _, m := range found[1:] {
		last := &list[len(list)-1]
		if m.Start >= last.End {
			list = append(list, m)
			continue
		}
		if t.rank(m) < t.rank(*last) {
			last.Format, last.Dummy = m.Format, m.Dummy
		}
		last.End = max(last.End, m.End)
	}
	return list
}

// rank is where a match's format stands in the table; a dummy comes after all others.
func (t *formatsTable) rank(m Match) int {
	at := slices.IndexFunc(t.formats, func(f Format) bool { return f.search == m.Format.search })
	if m.Dummy {
		at += len(t.formats)
	}
	return at
}

// inWord appends the matches within a long word.
func (t *formatsTable) inWord(found []Match, text string, w piece) []Match {
	var searched map[int]int // where formats whose sign may be anywhere have been searched up to
	for i := w.start; i+1 < w.end; i++ {
		n := uint16(text[i])<<8 | uint16(text[i+1])
		if t.pairs[n/64]&(1<<(n%64)) == 0 {
			continue
		}
		for _, s := range t.byPair[[2]byte{text[i], text[i+1]}] {
			if !strings.HasPrefix(text[i:w.end], s.text) {
				continue
			}
			f := &t.formats[s.format]
			switch {
			case !f.inside:
				found = f.at(found, text, i, w.end)
			case i >= searched[s.format]:
				if searched == nil {
					searched = map[int]int{}
				}
				found, searched[s.format] = f.around(found, text, w, i)
			}
		}
	}
	return found
}

// at appends the match that begins at text[start]; end is where the word ends.
func (f *Format) at(found []Match, text string, start, end int) []Match {
	if insideWord(text, start) {
		return found
	}
	window := text[start:min(end, start+maxSecret)]
	m := f.begin.FindStringSubmatchIndex(window)
	if m == nil {
		return found
	}
	from, to := group(m)
	return f.accept(found, text, start+from, rest(text, start+to, start+maxSecret))
}

// around appends the matches near a sign inside a word, and returns the place up to
// which signs have been searched with it: words may have a megabyte, and an expression
// takes 50 ns for each byte.
func (f *Format) around(found []Match, text string, w piece, sign int) ([]Match, int) {
	start, end := max(w.start, sign-maxBefore), min(w.end, sign+maxSecret)
	for _, m := range f.search.FindAllStringSubmatchIndex(text[start:end], -1) {
		from, to := group(m)
		found = f.accept(found, text, start+from, rest(text, start+to, end))
	}
	if end == w.end {
		return found, end
	}
	return found, end - maxAfter
}

// rest returns where a match ends that was cut at the end of its window.
func rest(text string, to, end int) int {
	for to >= end && to < len(text) && wordBytes[text[to]] {
		to++
	}
	return to
}

// group returns where the secret of a match is: its last group, or all of it.
func group(m []int) (start, end int) { return m[len(m)-2], m[len(m)-1] }

// accept appends a match that is a secret.
func (f *Format) accept(found []Match, text string, start, end int) []Match {
	key := text[start:end]
	switch {
	case insideWord(text, start), end < len(text) && alnum(text[end-1]) && alnum(text[end]):
		return found
	case f.alone && touches(text, start, end), f.mixed && !Random(key), f.filler(key):
		return found
	}
	return append(found, Match{start, end, f, f.dummy(key)})
}

// insideWord reports whether text[start:] goes on a word that began before it. The
// n of an escaped line break and the digits of %20 belong to no word.
func insideWord(text string, start int) bool {
	if start == 0 || !alnum(text[start]) || !alnum(text[start-1]) && text[start-1] != '_' {
		return false
	}
	if start > 1 && text[start-2] == '\\' && strings.IndexByte("nrt", text[start-1]) >= 0 {
		return false
	}
	return start < 3 || text[start-3] != '%' || !hexDigit(text[start-2]) || !hexDigit(text[start-1])
}

// touches reports whether something of base64 or of an identifier stands directly
// before or after a match.
func touches(text string, start, end int) bool {
	return start > 0 && strings.IndexByte("+/-.~_", text[start-1]) >= 0 || end < len(text) && strings.IndexByte("+/~_", text[end]) >= 0
}

// filler reports whether a match has one character again and again in place of a value.
func (f *Format) filler(key string) bool {
	for _, s := range f.signs {
		if rest, ok := strings.CutPrefix(key, s); ok && len(rest) > 0 && Entropy(rest) < 1.5 {
			return true
		}
	}
	return false
}

// dummy reports whether a match only shows the form.
func (f *Format) dummy(key string) bool {
	return Entropy(key) < f.least || madeUp.MatchString(key) || f.least == 3 && Run(key) >= 9 || table().shown[key]
}

// madeUp is what services and people write into examples.
var madeUp = lazyregexp.New(`(?i)example|x{5,}|\*{3}|\.{3}|your[_-]|placeholder|redacted|dummy|fake|0{8}|1234567890|abcdefghij|eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4gRG9l`)

func alnum(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

func hexDigit(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
}

// wordBytes are those that secrets are made of.
var wordBytes = func() (in [256]bool) {
	for c := range in {
		in[c] = alnum(byte(c)) || strings.IndexByte("_-.=+/~:%|$@", byte(c)) >= 0 && c != 0
	}
	return in
}()

// piece is a part of a text.
type piece struct{ start, end int }

// longWords returns the longest runs of wordBytes that are not below a length:
// of what people write, a few.
func longWords(text string, least int) []piece {
	var list []piece
	for i := 0; i+least <= len(text); {
		// From the end of a window: what is in no word there ends all that began before.
		last := i + least - 1
		for last >= i && wordBytes[text[last]] {
			last--
		}
		if last >= i {
			i = last + 1
			continue
		}
		end := i + least
		for end < len(text) && wordBytes[text[end]] {
			end++
		}
		list = append(list, piece{i, end})
		i = end
	}
	return list
}
