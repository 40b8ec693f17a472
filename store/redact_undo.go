package store

import (
	"encoding/base64"
	"html"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"caselsp/store/secret"
)

const (
	// maxUndo is how many writings around a value are undone, one within the other:
	// JSON in JSON in base64.
	maxUndo = 3

	// minNumbers is how many numbers in a row are read as the bytes of a text.
	minNumbers = minEncoded

	// minWord is the length in bytes of the shortest word that is read as base64 of a
	// text which may hold a secret, rather than of the secret itself.
	minWord = 24

	// maxUndone bounds the texts in which numbers, words and single characters are
	// undone, in bytes: what a command says or a file holds is smaller.
	maxUndone = 16 << 20
)

// edit is a part of a text and what it stands for.
type edit struct {
	start, end int
	with       string
}

// redactEncoded masks words of base64 whose texts hold keys of services.
func redactEncoded(text string) string {
	var all [][2]int
	for _, at := range encodedWords(text) {
		if plain, ok := plainText(text[at[0]:at[1]]); ok && (strings.Contains(plain, "PRIVATE KEY-----") || slices.ContainsFunc(secret.Find(plain), func(m secret.Match) bool { return !m.Dummy })) {
			all = append(all, at)
		}
	}
	return masked(text, all)
}

// encodedWords returns the words that may be base64 of a text.
func encodedWords(text string) (all [][2]int) {
	for i := 0; i+minWord <= len(text); {
		// From the end of a window: what is in no word there ends all that began before.
		last := i + minWord - 1
		for last >= i && base64Bytes[text[last]] {
			last--
		}
		if last >= i {
			i = last + 1
			continue
		}
		end := i + minWord
		for end < len(text) && base64Bytes[text[end]] {
			end++
		}
		if printableStart(text[i : i+16]) {
			all = append(all, [2]int{i, end})
		}
		i = end
	}
	return all
}

var base64Bytes = func() (in [256]bool) {
	for _, c := range "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_" {
		in[c] = true
	}
	return in
}()

var toStandard = strings.NewReplacer("-", "+", "_", "/")

// printableStart reports whether a word begins as base64 of a text does.
func printableStart(word string) bool {
	var b [12]byte
	n, err := base64.StdEncoding.Decode(b[:], []byte(toStandard.Replace(word)))
	if err != nil || n < len(b) {
		return false
	}
	if packed(b[:]) {
		return true
	}
	for _, c := range b {
		if c < ' ' && c != '\n' && c != '\r' && c != '\t' && c != 0 && c != 0x1b {
			return false
		}
	}
	return true
}

// plainText is the text that a word is base64 of.
func plainText(word string) (string, bool) {
	word = toStandard.Replace(word)
	data, err := base64.RawStdEncoding.DecodeString(word[:len(word)-len(word)%4])
	if rest := word[len(word)-len(word)%4:]; err == nil && len(rest) > 1 {
		last, _ := base64.RawStdEncoding.DecodeString(rest)
		data = append(data, last...)
	}
	if err != nil {
		return "", false
	}
	if text, ok := unpacked(data); ok {
		return text, true
	}
	return string(data), utf8.Valid(data)
}

var escaping = [256]bool{'\\': true, '%': true, '&': true}

// escapes undoes what stands for a character: backslashes, %41, &#65;.
func escapes(p *page) (edits []edit) {
	text, next := p.text, 0
	for _, at := range p.marks {
		i := int(at)
		if i < next || !escaping[text[i]] {
			continue
		}
		n, with := 0, ""
		switch text[i] {
		case '\\':
			n, with = backslash(text[i:])
		case '%':
			if b, ok := hexByte(text, i+1); ok {
				n, with = 3, string([]byte{b})
			}
		default:
			n, with = entity(text[i:])
		}
		if n > 0 {
			edits = append(edits, edit{i, i + n, with})
			next = i + n
		}
	}
	return edits
}

// backslash returns the length of what begins with a backslash, and what it stands for.
func backslash(text string) (int, string) {
	if len(text) < 2 {
		return 0, ""
	}
	switch c := text[1]; c {
	case 'n', 'r', 't', 'e', 'a', 'b', 'f', 'v':
		return 2, map[byte]string{'n': "\n", 'r': "", 't': "\t", 'e': "\x1b"}[c]
	case 'x':
		if b, ok := hexByte(text, 2); ok {
			return 4, string([]byte{b})
		}
	case 'u', 'U':
		return codePoint(text)
	case '0', '1', '2', '3', '4', '5', '6', '7':
		n := 2
		for n < len(text) && n < 4 && text[n] >= '0' && text[n] <= '7' {
			n++
		}
		if v, err := strconv.ParseUint(text[1:n], 8, 8); err == nil {
			return n, string([]byte{byte(v)})
		}
	default:
		if class := secret.ClassOf(c); class != secret.Lower && class != secret.Upper && class != secret.Digit && c > ' ' && c < utf8.RuneSelf {
			return 2, text[1:2]
		}
	}
	return 0, ""
}

// codePoint reads \u0041, \u{41} and \U00000041.
func codePoint(text string) (int, string) {
	digits, end := "", 0
	switch {
	case strings.HasPrefix(text, `\u{`):
		n := strings.IndexByte(text[:min(len(text), 12)], '}')
		if n < 0 {
			return 0, ""
		}
		digits, end = text[3:n], n+1
	case text[1] == 'u' && len(text) >= 6:
		digits, end = text[2:6], 6
	case text[1] == 'U' && len(text) >= 10:
		digits, end = text[2:10], 10
	}
	v, err := strconv.ParseUint(digits, 16, 32)
	if err != nil || end == 0 {
		return 0, ""
	}
	if utf16.IsSurrogate(rune(v)) && strings.HasPrefix(text[end:], `\u`) && len(text) >= end+6 {
		if low, err := strconv.ParseUint(text[end+2:end+6], 16, 32); err == nil {
			return end + 6, string(utf16.DecodeRune(rune(v), rune(low)))
		}
	}
	return end, string(rune(v))
}

// hexByte reads two hexadecimal digits.
func hexByte(text string, i int) (byte, bool) {
	if i+2 > len(text) {
		return 0, false
	}
	high, low := hexDigits[text[i]], hexDigits[text[i+1]]
	return (high-1)<<4 | (low - 1), high > 0 && low > 0
}

// hexDigits are the values of hexadecimal digits, plus one.
var hexDigits = func() (in [256]byte) {
	for i, c := range "0123456789abcdef" {
		in[c] = byte(i) + 1
	}
	for i, c := range "ABCDEF" {
		in[c] = byte(i) + 11
	}
	return in
}()

// entity reads an entity of HTML.
func entity(text string) (int, string) {
	const most = 12 // bytes
	end := strings.IndexByte(text[:min(len(text), most)], ';')
	if end < 0 {
		return 0, ""
	}
	if plain := html.UnescapeString(text[:end+1]); plain != text[:end+1] {
		return end + 1, plain
	}
	return 0, ""
}

// printable undoes quoted-printable: =41, and = at the end of a line.
func printable(text string) (edits []edit) {
	for i := 0; ; i++ {
		sign := strings.IndexByte(text[min(i, len(text)):], '=')
		if sign < 0 {
			return edits
		}
		i += sign
		n, with := 0, ""
		if b, ok := hexByte(text, i+1); ok {
			n, with = 3, string([]byte{b})
		} else if strings.HasPrefix(text[i+1:], "\n") {
			n = 2
		} else if strings.HasPrefix(text[i+1:], "\r\n") {
			n = 3
		}
		if n > 0 {
			edits = append(edits, edit{i, i + n, with})
			i += n - 1
		}
	}
}

// separated undoes a sign between each two characters: h u n t, "h", "u", h-u-n-t.
func separated(text string) (edits []edit) {
	for i := 0; i+2 < len(text); i++ {
		if spacing[text[i]] || !spacing[text[i+1]] || i > 0 && !spacing[text[i-1]] {
			continue
		}
		end := i + 2
		for end < len(text) && end < i+6 && spacing[text[end]] {
			end++
		}
		sign := text[i+1 : end]
		from := len(edits)
		for at := i + 1; at < len(text); at = end + 1 {
			gap := signLength(text[at:], sign)
			if gap == 0 || at+gap >= len(text) {
				break
			}
			end = at + gap
			edits = append(edits, edit{start: at, end: end})
		}
		if len(edits)-from < minSplit-1 {
			edits = edits[:from] // two letters are not a row
			continue
		}
		i = end
	}
	return edits
}

// signLength returns the length of the sign at the beginning of a text, or of a line break with the offset
// with which od begins the next line; 0 for something else.
func signLength(text, sign string) int {
	if strings.HasPrefix(text, sign) {
		return len(sign)
	}
	if text[0] != '\n' {
		return 0
	}
	digits := 1
	for digits < len(text) && hexDigits[text[digits]] > 0 {
		digits++
	}
	end := digits
	for end < len(text) && text[end] == ' ' {
		end++
	}
	if digits < 7 || end == digits { // six digits, and blanks
		return 0
	}
	return end
}

var spacing = func() (in [256]bool) {
	for _, c := range " \t\n,'\"-.|:;_[]" {
		in[c] = true
	}
	return in
}()
