package lsp

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"caselsp/lsp/lsptest"

	"go.lsp.dev/protocol"
)

// encodings are all that there are.
var encodings = []encoding{protocol.PositionEncodingKindUTF8, protocol.PositionEncodingKindUTF16, protocol.PositionEncodingKindUTF32}

// TestOffset is about positions that are not in the text as well as those that
// are; "|" is where the offset must be. A position has one character number for
// each encoding: UTF-8, UTF-16, UTF-32.
func TestOffset(t *testing.T) {
	for _, tt := range []struct {
		line  uint32
		chars [3]uint32
		want  string
	}{
		{0, [3]uint32{0, 0, 0}, "|"},
		{7, [3]uint32{7, 7, 7}, "|"},
		{0, [3]uint32{2, 2, 2}, "ab|c\n"},
		{0, [3]uint32{9, 9, 9}, "abc|\nx"},
		{0, [3]uint32{9, 9, 9}, "abc|\r\nx"},
		{0, [3]uint32{9, 9, 9}, "abc|\rx"},
		{1, [3]uint32{0, 0, 0}, "abc\r|x"},
		{1, [3]uint32{0, 0, 0}, "a\r\n|\nb"},
		{2, [3]uint32{0, 0, 0}, "a\n\r|b"},
		{1, [3]uint32{0, 0, 0}, "abc\n|"},
		{2, [3]uint32{0, 0, 0}, "abc\n|"},
		{1<<32 - 1, [3]uint32{1<<32 - 1, 1<<32 - 1, 1<<32 - 1}, "abc\nd|"},
		{0, [3]uint32{1<<32 - 1, 1<<32 - 1, 1<<32 - 1}, "abc|\nd"},
		// é is one unit, but two bytes; its middle is its beginning.
		{0, [3]uint32{2, 1, 1}, "é|x"},
		{0, [3]uint32{1, 0, 0}, "|éx"},
		// A letter and a combining accent are two characters everywhere.
		{0, [3]uint32{1, 1, 1}, "e|\u0301x"},
		{0, [3]uint32{3, 2, 2}, "e\u0301|x"},
		// Beyond the first plane: four bytes, two halves of a pair, one character.
		{0, [3]uint32{5, 3, 2}, "a𝒳|b"},
		{0, [3]uint32{3, 2, 1}, "a|𝒳b"},
		{0, [3]uint32{6, 4, 3}, "a𝒳b|"},
		{0, [3]uint32{9, 9, 9}, "a𝒳|"},
		{0, [3]uint32{25, 11, 7}, "👩\u200d👩\u200d👧\u200d👦|x"},
		// A line separator of Unicode ends no line, nor do a form feed and similar characters.
		{0, [3]uint32{6, 4, 4}, "a\u2028b\f|c"},
		// What is not UTF-8 counts byte by byte.
		{0, [3]uint32{3, 2, 2}, "\uFFFD\xff"[3:] + "x|"},
	} {
		want := strings.Index(tt.want, "|")
		text := strings.Replace(tt.want, "|", "", 1)
		for i, e := range encodings {
			p := protocol.Position{Line: tt.line, Character: tt.chars[i]}
			if got := newMapper(text, e).Offset(p); got != want && utf8.ValidString(text) {
				t.Errorf("%s %d:%d of %q: offset %d, want %d", e, p.Line, p.Character, text, got, want)
			}
		}
	}
}

// TestPosition is about offsets that no position can name: those inside of
// characters and line endings, and outside of the text.
func TestPosition(t *testing.T) {
	text := "aé\r\n𝒳\rb"
	for _, tt := range []struct {
		offset int
		line   uint32
		chars  [3]uint32
	}{
		{-1, 0, [3]uint32{0, 0, 0}}, {0, 0, [3]uint32{0, 0, 0}}, {1, 0, [3]uint32{1, 1, 1}}, {2, 0, [3]uint32{1, 1, 1}},
		{3, 0, [3]uint32{3, 2, 2}}, {4, 0, [3]uint32{3, 2, 2}},
		{5, 1, [3]uint32{0, 0, 0}}, {7, 1, [3]uint32{0, 0, 0}}, {9, 1, [3]uint32{4, 2, 1}},
		{10, 2, [3]uint32{0, 0, 0}}, {11, 2, [3]uint32{1, 1, 1}}, {99, 2, [3]uint32{1, 1, 1}},
	} {
		for i, e := range encodings {
			want := protocol.Position{Line: tt.line, Character: tt.chars[i]}
			if got := newMapper(text, e).Position(tt.offset); got != want {
				t.Errorf("%s offset %d: %+v, want %+v", e, tt.offset, got, want)
			}
		}
	}
	m := newMapper(text, protocol.PositionEncodingKindUTF16)
	if got := fmt.Sprintf("%d %q %q %q", m.Lines(), m.Line(1), m.Line(3), m.Slice(m.Range(1, 9))); got != `3 "𝒳" "" "é\r\n𝒳"` {
		t.Error(got)
	}
	if got := m.Slice(protocol.Range{Start: m.Position(9), End: m.Position(1)}); got != "" {
		t.Errorf("a range that ends before it begins has the text %q", got)
	}
}

// alphabet is what random texts are made of: all widths, and line endings of
// which two may come together.
var alphabet = []string{"a", "b", " ", "é", "€", "𝒳", "e\u0301", "\n", "\r\n", "\r", "\u2028"}

// randomText returns n letters.
func randomText(r *rand.Rand, n int) string {
	var b strings.Builder
	for range n {
		b.WriteString(alphabet[r.IntN(len(alphabet))])
	}
	return b.String()
}

// nameable reports whether a position can name an offset.
func nameable(text string, offset int) bool {
	inside := offset > 0 && offset < len(text) && text[offset-1] == '\r' && text[offset] == '\n'
	return !inside && (offset == len(text) || utf8.RuneStart(text[offset]))
}

// TestPositionsAgree checks every offset of random texts against the editor's
// own way of counting.
func TestPositionsAgree(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		text := randomText(r, r.IntN(40))
		for _, e := range encodings {
			m := newMapper(text, e)
			for offset := range len(text) + 1 {
				if !nameable(text, offset) {
					continue
				}
				want := lsptest.Position(text, offset, e)
				if got := m.Position(offset); got != want {
					t.Fatalf("%s: offset %d of %q is %+v, want %+v", e, offset, text, got, want)
				}
				back, err := lsptest.Offset(text, want, e)
				if got := m.Offset(want); got != offset || err != nil || back != offset {
					t.Fatalf("%s: %+v of %q is offset %d and %d, want %d: %v", e, want, text, got, back, offset, err)
				}
			}
		}
	}
}

// FuzzMapper shows what holds of any text and any position: the offset is in
// the text, it names a whole character, and going there and back again stays.
func FuzzMapper(f *testing.F) {
	f.Add("a𝒳\r\nb\rc\n", uint32(0), uint32(2))
	f.Add("\xff\xf0\x9d\n", uint32(0), uint32(1))
	f.Fuzz(func(t *testing.T, text string, line, character uint32) {
		for _, e := range encodings {
			m := newMapper(text, e)
			offset := m.Offset(protocol.Position{Line: line, Character: character})
			if offset < 0 || offset > len(text) || utf8.ValidString(text) && !nameable(text, offset) {
				t.Fatalf("%s: %d:%d of %q is offset %d", e, line, character, text, offset)
			}
			p := m.Position(offset)
			if back := m.Offset(p); back != offset {
				t.Fatalf("%s: offset %d of %q is %+v is offset %d", e, offset, text, p, back)
			}
			if p.Line < line && int(line) < m.Lines() || p.Line > line {
				t.Fatalf("%s: %d:%d of %q is in line %d", e, line, character, text, p.Line)
			}
		}
	})
}
