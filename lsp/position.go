package lsp

import (
	"slices"
	"sort"
	"strings"
	"unicode/utf8"

	"go.lsp.dev/protocol"
)

// encoding is the unit in which a position counts the characters of a line.
type encoding = protocol.PositionEncodingKind

// chooseEncoding takes the first known encoding that the client offers: the client
// lists them in the order of its preference. Every client must know UTF-16.
func chooseEncoding(offered []encoding) encoding {
	known := []encoding{protocol.PositionEncodingKindUTF8, protocol.PositionEncodingKindUTF16, protocol.PositionEncodingKindUTF32}
	for _, e := range offered {
		if i := slices.Index(known, e); i >= 0 {
			return known[i]
		}
	}
	return protocol.PositionEncodingKindUTF16
}

// text is what positions are in: strings where a text stays, bytes while it is edited.
type text interface{ ~string | ~[]byte }

// lineStarts returns the offset of the first byte of each line. A line ends
// with \n, \r\n or \r; after the last of these begins one more line.
func lineStarts[T text](b T) []int {
	starts := []int{0}
	for i := 1; i <= len(b); i++ {
		if startsLine(b, i) {
			starts = append(starts, i)
		}
	}
	return starts
}

// startsLine reports whether a line begins at offset i.
func startsLine[T text](b T, i int) bool {
	if i == 0 {
		return true
	}
	return b[i-1] == '\n' || b[i-1] == '\r' && (i == len(b) || b[i] != '\n')
}

// lineEnd returns the offset at which the characters of a line end, before its
// line ending.
func lineEnd[T text](b T, starts []int, line int) int {
	if line+1 >= len(starts) {
		return len(b)
	}
	end := starts[line+1] - 1
	if b[end] == '\n' && end > starts[line] && b[end-1] == '\r' {
		end--
	}
	return end
}

// units returns how many units of e a character takes. A byte that is not
// UTF-8 counts as one character.
func units(r rune, size int, e encoding) int {
	switch e {
	case protocol.PositionEncodingKindUTF8:
		return size
	case protocol.PositionEncodingKindUTF32:
		return 1
	}
	if r > 0xffff {
		return 2
	}
	return 1
}

// firstRune decodes the character at the beginning of b. The conversion copies
// four bytes at most, and none to the heap.
func firstRune[T text](b T) (rune, int) {
	if b[0] < utf8.RuneSelf {
		return rune(b[0]), 1
	}
	return utf8.DecodeRuneInString(string(b[:min(len(b), utf8.UTFMax)]))
}

// offsetOf returns the byte offset of p. A line beyond the last means the end
// of the text and a character beyond the end of its line the end of the line,
// as the protocol says; one inside of a character (half of a surrogate pair, the
// middle of a UTF-8 sequence) means the beginning of that character.
func offsetOf[T text](b T, starts []int, p protocol.Position, e encoding) int {
	if uint64(p.Line) >= uint64(len(starts)) {
		return len(b)
	}
	line := int(p.Line)
	at, end := starts[line], lineEnd(b, starts, line)
	for left := int64(p.Character); left > 0 && at < end; {
		r, size := firstRune(b[at:end])
		if left -= int64(units(r, size, e)); left < 0 {
			break
		}
		at += size
	}
	return at
}

// positionOf returns the position of a byte offset. An offset inside of a
// character means its beginning, one inside of a line ending the end of the
// line, one outside of the text its nearest end.
func positionOf[T text](b T, starts []int, offset int, e encoding) protocol.Position {
	offset = min(max(offset, 0), len(b))
	line := sort.SearchInts(starts, offset+1) - 1
	offset = min(offset, lineEnd(b, starts, line))
	p := protocol.Position{Line: uint32(line)}
	for at := starts[line]; at < offset; {
		r, size := firstRune(b[at:])
		if at += size; at > offset {
			break
		}
		p.Character += uint32(units(r, size, e))
	}
	return p
}

// mapper converts between the byte offsets and the positions of one text.
type mapper struct {
	text   string
	starts []int
	enc    encoding
}

// newMapper returns the mapper of any text, such as that of a file on disk.
func newMapper(text string, e encoding) mapper { return mapper{text, lineStarts(text), e} }

// Offset returns the byte offset of a position; see offsetOf.
func (m mapper) Offset(p protocol.Position) int { return offsetOf(m.text, m.starts, p, m.enc) }

// Position returns the position of a byte offset; see positionOf.
func (m mapper) Position(offset int) protocol.Position {
	return positionOf(m.text, m.starts, offset, m.enc)
}

// Range returns the range of two byte offsets.
func (m mapper) Range(start, end int) protocol.Range {
	return protocol.Range{Start: m.Position(start), End: m.Position(end)}
}

// Line returns the characters of a line, from 0, without its ending.
func (m mapper) Line(line int) string {
	if line < 0 || line >= len(m.starts) {
		return ""
	}
	return m.text[m.starts[line]:lineEnd(m.text, m.starts, line)]
}

// Lines returns how many lines there are: one more than line endings.
func (m mapper) Lines() int { return len(m.starts) }

// Slice returns the text of a range; of one that ends before it begins, none.
func (m mapper) Slice(r protocol.Range) string {
	start, end := m.Offset(r.Start), m.Offset(r.End)
	return strings.Clone(m.text[start:max(start, end)])
}
