package store

import (
	"bytes"
	"compress/bzip2"
	"compress/gzip"
	"compress/zlib"
	"io"
	"strings"
	"unicode/utf8"
)

// What programs pack bytes into for a text: base85, and base64 or hexadecimal of what was compressed.

// alphabets85 are the digits of base85: Ascii85 (PDF, Python's a85encode), RFC 1924 (Git's binary diffs, Python's
// b85encode) and Z85 (ZeroMQ).
var alphabets85 = []string{
	"!\"#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefghijklmnopqrstu",
	"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~",
	"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#",
}

// base85 writes a text with an alphabet: four bytes are five digits, and n of a last group n + 1.
func base85(alphabet, text string) string {
	var b strings.Builder
	for len(text) > 0 {
		var group [4]byte
		n := copy(group[:], text)
		text = text[n:]
		number := uint32(group[0])<<24 | uint32(group[1])<<16 | uint32(group[2])<<8 | uint32(group[3])
		var digits [5]byte
		for i := 4; i >= 0; i-- {
			digits[i] = alphabet[number%85]
			number /= 85
		}
		b.Write(digits[:n+1])
	}
	return b.String()
}

// certain85 returns what base85 has for a value: alone, and whatever surrounds it, which is its whole groups of
// four bytes where so many precede it.
func certain85(value string) (forms []string) {
	for _, alphabet := range alphabets85 {
		forms = append(forms, base85(alphabet, value))
		for from := range 4 {
			if groups := (len(value) - from) / 4; groups >= 2 { // one is five digits, which may be a word
				forms = append(forms, base85(alphabet, value[from:from+4*groups]))
			}
		}
	}
	return forms
}

// maxUnpacked bounds what is unpacked of one word, in bytes: a hundred kilobytes of zeros are a hundred bytes.
const maxUnpacked = 1 << 20

// packedStarts are how gzip, zlib and bzip2 begin.
var packedStarts = []string{"\x1f\x8b\x08", "\x78\x01", "\x78\x5e", "\x78\x9c", "\x78\xda", "BZh"}

// packed reports whether bytes begin as those of something compressed do.
func packed(data []byte) bool {
	for _, start := range packedStarts {
		if bytes.HasPrefix(data, []byte(start)) {
			return true
		}
	}
	return false
}

// unpacked is the text that bytes are the compressed form of, as far as they reach; false for what is no text.
func unpacked(data []byte) (string, bool) {
	if !packed(data) {
		return "", false
	}
	var from io.Reader
	var err error
	switch data[0] {
	case 0x1f:
		from, err = gzip.NewReader(bytes.NewReader(data))
	case 0x78:
		from, err = zlib.NewReader(bytes.NewReader(data))
	default:
		from = bzip2.NewReader(bytes.NewReader(data))
	}
	if err != nil {
		return "", false
	}
	text, _ := io.ReadAll(io.LimitReader(from, maxUnpacked)) // what was cut off is read up to the cut
	for len(text) > 0 && !utf8.Valid(text[max(0, len(text)-utf8.UTFMax):]) {
		text = text[:len(text)-1]
	}
	return string(text), len(text) > 0 && utf8.Valid(text)
}
