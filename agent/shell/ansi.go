package shell

import (
	"strconv"
	"strings"
)

// escapes are the letters of $'...' that stand for one character.
var escapes = map[byte]byte{'n': '\n', 't': '\t', 'r': '\r', 'a': 7, 'b': 8, 'e': 27, 'f': 12, 'v': 11, '\\': '\\', '\'': '\'', '"': '"', '?': '?'}

// ansi decodes the escapes of $'...', with which a command can spell a
// forbidden word so that it is not read as one.
func ansi(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			b.WriteByte(s[i])
			continue
		}
		i++
		if c, ok := escapes[s[i]]; ok {
			b.WriteByte(c)
			continue
		}
		digits, base := "", 8
		switch s[i] {
		case 'x':
			digits, base = run(s[i+1:], 2, "0123456789abcdefABCDEF"), 16
			i += len(digits)
		case 'u', 'U':
			digits, base = run(s[i+1:], 8, "0123456789abcdefABCDEF"), 16
			i += len(digits)
		default:
			digits = run(s[i:], 3, "01234567")
			i += max(len(digits)-1, 0)
		}
		n, err := strconv.ParseInt(digits, base, 32)
		if err != nil {
			b.WriteString(unknown)
			continue
		}
		b.WriteRune(rune(n))
	}
	return b.String()
}

// run returns the longest start of s, of at most n bytes, made of chars.
func run(s string, n int, chars string) string {
	k := 0
	for k < len(s) && k < n && strings.IndexByte(chars, s[k]) >= 0 {
		k++
	}
	return s[:k]
}
