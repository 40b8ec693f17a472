package store

import (
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"html"
	"net/url"
	"slices"
	"strings"

	"caselsp/store/lazyregexp"
	"caselsp/store/secret"
)

const (
	// minSecret is the length in bytes of the shortest known value that is redacted:
	// shorter ones occur in any text by chance, and masking them would reveal them.
	minSecret = 4

	// minEncoded is the length in bytes of the shortest value that is also searched
	// in other writings: of a shorter one, too few characters are certain.
	minEncoded = 6

	// minSplit is the length in bytes of the shortest writing that is searched across
	// line breaks: a shorter one may be two unrelated words.
	minSplit = 8

	// minSecretLine is the length in bytes of the shortest line that counts as a secret
	// by itself, of a secret with several lines: lines also occur indented or alone.
	minSecretLine = 16
)

// known is a set of values, found however they are written. It is immutable.
type known struct {
	beginnings [1 << beginningBits / 64]uint64 // hashes of the first bytes of all forms
	forms      map[[minSecret]byte][]string    // by their first bytes, longest first
}

// beginningBits is the size of the set of beginnings: 32 KiB stay in a processor's
// cache, and are sparse with thousands of forms.
const beginningBits = 18

// newKnown returns the set of some values; nil where the list is empty.
func newKnown(values []string) *known {
	forms := knownForms(values)
	if len(forms) == 0 {
		return nil
	}
	k := &known{forms: make(map[[minSecret]byte][]string, len(forms))}
	for _, f := range forms {
		h := beginning(f)
		k.beginnings[h/64] |= 1 << (h % 64)
		first := [minSecret]byte([]byte(f[:minSecret]))
		k.forms[first] = append(k.forms[first], f)
	}
	return k
}

// beginning is a hash of the first minSecret bytes of a text.
func beginning(text string) uint32 {
	return (uint32(text[0]) | uint32(text[1])<<8 | uint32(text[2])<<16 | uint32(text[3])<<24) * 0x9E3779B1 >> (32 - beginningBits)
}

// mayBegin reports whether a form may begin as a text of minSecret bytes or more does.
func (k *known) mayBegin(text string) bool {
	h := beginning(text)
	return k.beginnings[h/64]&(1<<(h%64)) != 0
}

// direct returns where forms of at least a length stand in a text, in order.
func (k *known) direct(p *page, least int) (all [][2]int) {
	next := 0
	for _, at := range p.starts {
		i := int(at)
		if i < next {
			continue
		}
		for _, f := range k.forms[[minSecret]byte{p.text[i], p.text[i+1], p.text[i+2], p.text[i+3]}] {
			if len(f) >= least && strings.HasPrefix(p.text[i:], f) {
				all = append(all, [2]int{i, i + len(f)})
				next = i + len(f)
				break
			}
		}
	}
	return all
}

// redact masks the values in a text.
func (k *known) redact(text string) string { return k.redactPage(k.read(text)) }

func (k *known) redactPage(p *page) string { return masked(p.text, merged(k.spans(p, 0))) }

// merged sorts spans and makes one of those that overlap.
func merged(all [][2]int) [][2]int {
	if len(all) < 2 {
		return all
	}
	slices.SortFunc(all, func(a, b [2]int) int { return a[0] - b[0] })
	list := all[:1]
	for _, at := range all[1:] {
		if last := &list[len(list)-1]; at[0] < last[1] {
			last[1] = max(last[1], at[1])
			continue
		}
		list = append(list, at)
	}
	return list
}

// masked is a text with a mask in place of each span.
func masked(text string, spans [][2]int) string {
	if len(spans) == 0 {
		return text
	}
	var out strings.Builder
	done := 0
	for _, at := range spans {
		out.WriteString(text[done:at[0]])
		out.WriteString(mask)
		done = at[1]
	}
	out.WriteString(text[done:])
	return out.String()
}

// knownForms returns how the values may be written, longest first, because one
// secret may be the beginning of another.
func knownForms(values []string) []string {
	var forms []string
	for _, v := range values {
		forms = append(forms, writings(v)...)
		if strings.Contains(v, "\n") && slices.ContainsFunc(strings.Split(strings.TrimSpace(v), "\n"), func(line string) bool { return len(strings.TrimSpace(line)) < minSecretLine }) {
			forms = append(forms, unbroken(v))
		}
		for line := range strings.Lines(v) {
			line = strings.TrimSpace(line)
			if line != v && len(line) >= minSecretLine && !strings.HasPrefix(line, "-----") && !secret.BlockHeader(line) {
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
	forms = slices.DeleteFunc(forms, func(f string) bool { return len(f) < minSecret })
	return slices.Compact(forms)
}

// unbroken is a value of several lines as a view without line breaks has it.
func unbroken(value string) string {
	var b strings.Builder
	for line := range strings.Lines(value) {
		b.WriteString(strings.TrimSpace(line))
	}
	return b.String()
}

// writings returns the ways in which programs write a value: literally, in JSON, in
// JSON within JSON, in a URL, in HTML, in hexadecimal, in base64, base32 and base85, also as a part
// of a longer encoded text. What mixes these, and what stands between the characters,
// is undone in the text instead, see spans.
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
	for _, encoding := range []*base64.Encoding{base64.StdEncoding, base64.URLEncoding} {
		forms = append(forms, encoding.EncodeToString([]byte(value)))
		for before := range 3 {
			forms = append(forms, certain(in64(encoding), 6, value, before), certain(in64(encoding), 6, wide(value), before))
		}
	}
	if len(value) >= minSplit {
		forms = append(forms, reversed(value))
		forms = append(forms, certain85(value)...)
		for before := range 5 {
			of32 := certain(in32, 5, value, before)
			forms = append(forms, of32, strings.ToLower(of32))
		}
	}
	return forms
}

// wide is a value in UTF-16, of which the last byte is left out: so it is in the other
// byte order, too.
func wide(value string) string {
	var b strings.Builder
	for _, c := range []byte(value) {
		b.WriteByte(c)
		b.WriteByte(0)
	}
	return strings.TrimSuffix(b.String(), "\x00")
}

func reversed(value string) string {
	b := []byte(value)
	slices.Reverse(b)
	return string(b)
}

var percent = lazyregexp.New(`%[0-9A-F]{2}`)

func in64(encoding *base64.Encoding) func([]byte) string {
	return encoding.WithPadding(base64.NoPadding).EncodeToString
}

var in32 = base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString

// certain returns the characters that an encoding of so many bits a character has for value whatever
// surrounds it, where before bytes of a group precede it.
func certain(encode func([]byte) string, bits int, value string, before int) string {
	text := encode(append(make([]byte, before), value...))
	return text[(before*8+bits-1)/bits : (before+len(value))*8/bits]
}

// escape returns value as the inside of a JSON string.
func escape(value string, inHTML bool) string {
	var quoted strings.Builder
	encoder := json.NewEncoder(&quoted)
	encoder.SetEscapeHTML(inHTML)
	_ = encoder.Encode(value) // a string and a builder give no errors
	return strings.TrimSuffix(quoted.String()[1:], "\"\n")
}
