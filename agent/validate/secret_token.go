package validate

import (
	_ "embed"
	"regexp"
	"strings"
)

// tokenForm is the form of a service's keys.
type tokenForm struct {
	service string
	sign    []string // one of which is in every text with such a key
	form    *regexp.Regexp
	least   float64 // entropy of a key, in bits a character: below it is made up
}

// within reports whether a text can hold such a key.
func (t *tokenForm) within(text string) bool {
	for _, s := range t.sign {
		if strings.Contains(text, s) {
			return true
		}
	}
	return false
}

// certain reports whether a match is no placeholder.
func (t *tokenForm) certain(key string) bool {
	return entropy(key) >= t.least && !madeUp.MatchString(key) && (inRow(key) < 9 || t.least < 3) && !shownKeys[key]
}

// madeUp is what services and people write into examples.
var madeUp = regexp.MustCompile(`(?i)example|x{5,}|\*{3}|\.{3}|your[_-]|placeholder|redacted|dummy|fake|0{8}|1234567890|abcdefghij|eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4gRG9l`)

//go:embed secret_token.txt
var tokenTable string

// tokenForms are the lines of secret_token.txt: service, signs, least entropy and
// the expression, whose first group is the key (the whole of it where it has none).
// shownKeys are those of its lines that begin with shown.
var tokenForms, shownKeys = func() ([]tokenForm, map[string]bool) {
	var list []tokenForm
	shown := map[string]bool{}
	for _, line := range strings.Split(tokenTable, "\n") {
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		f := strings.SplitN(line, "\t", 4)
		if len(f) == 2 {
			shown[f[1]] = true
			continue
		}
		form := f[3]
		if !strings.Contains(strings.ReplaceAll(form, "(?:", ""), "(") {
			form = "(" + form + ")"
		}
		least := 3.0
		if f[2] == "low" {
			least = 2.0
		}
		list = append(list, tokenForm{f[0], strings.Fields(f[1]), regexp.MustCompile(form), least})
	}
	return list, shown
}()
