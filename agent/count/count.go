// Package count says how many of something there are. It is a package of its own because every text for
// people and models needs it, whichever floor writes it; it does nothing else.
package count

import (
	"strconv"
	"strings"
)

// Of is a number with a noun of the language, such as "1 line" or "2 matches".
func Of(n int, noun string) string { return strconv.Itoa(n) + " " + Noun(n, noun) }

// Noun is the noun alone, as it stands behind the number.
func Noun(n int, noun string) string {
	if n == 1 {
		return noun
	}
	for _, end := range []string{"s", "x", "ch", "sh"} {
		if strings.HasSuffix(noun, end) {
			return noun + "es"
		}
	}
	return noun + "s"
}

// Bytes is a number of bytes for people.
func Bytes(n int64) string {
	for _, unit := range []struct {
		size int64
		name string
	}{{1 << 30, "GB"}, {1 << 20, "MB"}, {1 << 10, "kB"}} {
		if n >= unit.size {
			return strconv.FormatFloat(float64(n)/float64(unit.size), 'f', 1, 64) + " " + unit.name
		}
	}
	return Of(int(n), "byte")
}
