package store

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

const (
	// minSecret is the length in bytes of the shortest known value that is redacted:
	// shorter ones occur in any text by chance, and masking them would reveal them.
	minSecret = 4

	// minEncoded is the length in bytes of the shortest value that is also searched
	// in base64 and hexadecimal: of a shorter one, too few characters are certain.
	minEncoded = 6

	// minSplit is the length in bytes of the shortest writing that is searched across
	// line breaks: a shorter one may be two unrelated words.
	minSplit = 8

	// minSecretLine is the length in bytes of the shortest line that counts as a secret
	// by itself, of a secret with several lines: lines also occur indented or alone.
	minSecretLine = 16
)

// knownForms returns how the values may be written, longest first, because one
// secret may be the beginning of another.
func knownForms(values []string) []string {
	var forms []string
	for _, v := range values {
		forms = append(forms, writings(v)...)
		for line := range strings.Lines(v) {
			line = strings.TrimSpace(line)
			if line != v && len(line) >= minSecretLine && !strings.HasPrefix(line, "-----") {
				forms = append(forms, writings(line)...)
			}
		}
	}
	slices.SortFunc(forms, func(a, b string) int {
		if len(a) != len(b) {
			return len(b) - len(a)
		}
		return strings.Compare(a, b)
	})
	return slices.Compact(forms)
}

// writings returns the ways in which programs write a value: literally, in JSON, in
// JSON within JSON, in a URL, in HTML, in hexadecimal, and in base64, also as a part
// of a longer encoded text.
func writings(value string) []string {
	forms := []string{value, html.EscapeString(value)}
	for _, inHTML := range []bool{false, true} {
		once := escape(value, inHTML)
		forms = append(forms, once, escape(once, inHTML))
	}
	for _, inURL := range []string{url.QueryEscape(value), url.PathEscape(value)} {
		forms = append(forms, inURL, percent.ReplaceAllStringFunc(inURL, strings.ToLower))
	}
	if len(value) < minEncoded {
		return forms
	}
	digits := hex.EncodeToString([]byte(value))
	forms = append(forms, digits, strings.ToUpper(digits))
	for _, form := range []string{`\x%02x`, "%02x ", "%02x:"} {
		var spelt strings.Builder
		for i := range len(value) {
			fmt.Fprintf(&spelt, form, value[i])
		}
		forms = append(forms, strings.TrimRight(spelt.String(), " :"))
	}
	for _, encoding := range []*base64.Encoding{base64.StdEncoding, base64.URLEncoding} {
		forms = append(forms, encoding.EncodeToString([]byte(value)))
		for before := range 3 {
			forms = append(forms, certain(encoding, value, before))
		}
	}
	return forms
}

var percent = regexp.MustCompile(`%[0-9A-F]{2}`)

// certain returns the characters that base64 has for value whatever surrounds it,
// where before bytes (up to 2) of a group of three precede it.
func certain(encoding *base64.Encoding, value string, before int) string {
	text := encoding.WithPadding(base64.NoPadding).EncodeToString(append(make([]byte, before), value...))
	return text[(before*8+5)/6 : (before+len(value))*8/6]
}

// escape returns value as the inside of a JSON string.
func escape(value string, inHTML bool) string {
	var quoted strings.Builder
	encoder := json.NewEncoder(&quoted)
	encoder.SetEscapeHTML(inHTML)
	_ = encoder.Encode(value) // a string and a builder give no errors
	return strings.TrimSuffix(quoted.String()[1:], "\"\n")
}

// lineBreaks returns where the line breaks of a text begin and end: the end of a
// line, escaped or not, together with the operators that join strings before it and
// the indentation and the marks of diffs, quotations and comments after it.
func lineBreaks(text string) (all [][2]int) {
	plain, escaped := -1, -1
	after := func(from int, mark string) int {
		if i := strings.Index(text[from:], mark); i >= 0 {
			return from + i
		}
		return len(text)
	}
	for end := 0; ; {
		if plain < end {
			plain = after(end, "\n")
		}
		if escaped < end {
			escaped = after(end, `\n`)
		}
		begin, stop := plain, plain+1
		if escaped < plain {
			begin, stop = escaped, escaped+2
		}
		if begin == len(text) {
			return all
		}
		joined := strings.TrimSuffix(text[end:begin], `\r`)
		begin = end + len(strings.TrimRight(joined, " \t\r\"'+\\"))
		for stop < len(text) && strings.IndexByte(" \t\"'+>|#*-", text[stop]) >= 0 {
			stop++
		}
		all = append(all, [2]int{begin, stop})
		end = stop
	}
}

// redactSplit masks known values that are split by line breaks. It searches the text
// without its line breaks, and masks what it finds at its place in the text,
// together with the breaks inside.
func (r *redactor) redactSplit(text string) string {
	if r.known == nil {
		return text
	}
	breaks := lineBreaks(text)
	if breaks == nil {
		return text
	}
	var whole strings.Builder
	whole.Grow(len(text))
	starts, shifts := make([]int, 0, len(breaks)), make([]int, 0, len(breaks)) // whole[starts[i]:] stands in text shifts[i] bytes later
	end := 0
	for _, at := range breaks {
		whole.WriteString(text[end:at[0]])
		end = at[1]
		starts, shifts = append(starts, whole.Len()), append(shifts, end-whole.Len())
	}
	whole.WriteString(text[end:])
	joined := whole.String()
	if r.known.Replace(joined) == joined {
		return text
	}
	place := func(i int) int {
		n, found := slices.BinarySearch(starts, i)
		for found && n+1 < len(starts) && starts[n+1] == i {
			n++ // two breaks at one place: the last leads to what comes after both
		}
		if !found {
			n--
		}
		if n < 0 {
			return i
		}
		return i + shifts[n]
	}
	var out strings.Builder
	done := 0
	for i := 0; i < len(joined); {
		form := r.formAt(joined, i)
		if form == "" {
			i++
			continue
		}
		from, to := place(i), place(i+len(form)-1)+1
		if from >= done && to-from > len(form) { // what no break runs through was masked before
			out.WriteString(text[done:from])
			out.WriteString(mask)
			done = to
		}
		i += len(form)
	}
	out.WriteString(text[done:])
	return out.String()
}

// formAt returns the longest writing of a known value at text[i:] that is long
// enough not to occur by chance; "" if there is none.
func (r *redactor) formAt(text string, i int) string {
	for _, form := range r.byFirst[text[i]] {
		if strings.HasPrefix(text[i:], form) {
			return form
		}
	}
	return ""
}
