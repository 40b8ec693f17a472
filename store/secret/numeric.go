package secret

import "caselsp/store/lazyregexp"

const (
	// leastDigits is the least length of a number that is a secret under the name of one: shorter
	// ones are sizes, times and counts of it, and occur in any text.
	leastDigits = 8

	// leastPIN is that under the name of a PIN, which says that the value is one.
	leastPIN = 6
)

// Numeric reports whether a value is a number that is secret under this name, wherever it
// occurs: DB_PIN=481516, TOKEN=48151623.
func Numeric(name, value string) bool {
	if len(value) < leastPIN || Run(value) >= len(value)+3 { // one digit all along
		return false
	}
	for i := range len(value) {
		if ClassOf(value[i]) != Digit {
			return false
		}
	}
	return isPIN(name) || len(value) >= leastDigits && Name(name)
}

// pinName is a name with PIN as a word of it, or with that of a code that people type: DB_PIN,
// pinCode, passcode.
var pinName = lazyregexp.New(`(?:^|[^A-Za-z])(?i:pin)(?:$|[^a-z])|[a-z]P(?i:in)(?:$|[^a-z])|(?i)(?:passcode|pass_code|pin_?code|pin_?number)$`)

func isPIN(name string) bool { return pinName.MatchString(name) }
