package secret

import (
	"math"
	"strings"
	"unicode/utf8"
)

// Entropy is Shannon's, in bits a character.
func Entropy(s string) float64 {
	var ascii [utf8.RuneSelf]int
	other := map[rune]int{}
	length := 0
	for _, r := range s {
		if r < utf8.RuneSelf {
			ascii[r]++
		} else {
			other[r]++
		}
		length++
	}
	var sum float64
	add := func(n int) {
		if n > 0 {
			p := float64(n) / float64(length)
			sum -= p * math.Log2(p)
		}
	}
	for _, n := range ascii {
		add(n)
	}
	for _, n := range other {
		add(n)
	}
	return sum
}

// Spoken reports whether a value has characters beyond ASCII. Machines make keys of
// ASCII only: such a value is a text in some language.
func Spoken(v string) bool {
	return strings.IndexFunc(v, func(r rune) bool { return r >= utf8.RuneSelf }) >= 0
}

// Run returns the length of the longest run of the alphabet or of the digits in a
// value. A character that is repeated counts three more.
func Run(v string) int {
	longest, up, same := 1, 1, 1
	for i := 1; i < len(v); i++ {
		if v[i] == v[i-1]+1 {
			up++
		} else {
			up = 1
		}
		if v[i] == v[i-1] {
			same++
		} else {
			same = 1
		}
		longest = max(longest, up, same+3)
	}
	return longest
}

// Random reports whether a value was made by a machine: of the characters that
// keys are made of, and changing between small letters, capitals, digits and
// signs far more often than words, numbers, dates, versions and paths do. (By
// entropy alone, get_token_from_header is as random as a key.)
func Random(value string) bool {
	digits, share := Variety(value)
	return share >= 0.35 || digits >= 2 && share >= 0.2
}

// Variety returns how many digits are in value, and how many of its characters
// differ in class from the one before, as a share; -1 when value has a character
// that keys are not made of.
func Variety(value string) (digits int, share float64) {
	changes := 0
	var before Class
	for i := range len(value) {
		c := ClassOf(value[i])
		switch {
		case c == Foreign:
			return 0, -1
		case c == Digit:
			digits++
		}
		wordStart := before == Upper && c == Lower // Token: not a change
		if i > 0 && c != before && c != Joint && before != Joint && !wordStart {
			changes++
		}
		before = c
	}
	return digits, float64(changes) / float64(max(len(value), 1))
}

// Class is a kind of characters.
type Class byte

// The classes. Foreign is zero.
const (
	Foreign Class = iota // brackets, quotes, space: an expression or a pattern
	Lower
	Upper
	Digit
	Sign
	Joint // what joins words
)

// ClassOf returns the class of a byte.
func ClassOf(c byte) Class { return classes[c] }

var classes = func() (of [256]Class) {
	for c := byte('a'); c <= 'z'; c++ {
		of[c], of[c-'a'+'A'] = Lower, Upper
	}
	for c := byte('0'); c <= '9'; c++ {
		of[c] = Digit
	}
	for _, c := range []byte("_-./:,") {
		of[c] = Joint
	}
	for _, c := range []byte("!@#$%^&*()=+~?") {
		of[c] = Sign
	}
	return of
}()
