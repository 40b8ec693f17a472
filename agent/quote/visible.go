package quote

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Visible returns a text as it may be shown to a person, on a terminal, in a
// prompt or in a document: what does not show as what it is becomes \u{...}.
// These are control characters, and so terminal escapes; marks that turn the
// reading direction; characters without width, among them the tags and variation
// selectors in which text can be hidden; blanks that fill a line; broken UTF-8.
// Line breaks and tabs stay, and so do the joiners within emoji and within scripts
// that cannot be written without them.
func Visible(text string) string {
	if plainASCII(text) {
		return text
	}
	var b strings.Builder
	before := rune(0)
	for i, r := range text {
		_, width := utf8.DecodeRuneInString(text[i:])
		switch {
		case r == utf8.RuneError && width == 1:
			fmt.Fprintf(&b, `\x%02x`, text[i])
			r = 0
		case shows(r, before, text[i+width:]):
			b.WriteRune(r)
		default:
			fmt.Fprintf(&b, `\u{%x}`, r)
			r = 0
		}
		before = r
	}
	return b.String()
}

// Named returns the one of some names that a person means: the name itself, or as [Visible] or
// [Text] shows it, since that is what they see and copy. A name that is not among them is
// returned as it is; two that are shown alike are an error, whichever is meant.
func Named(name string, among []string) (string, error) {
	var found []string
	for _, one := range among {
		if one == name || Visible(one) == name || Text(one) == "“"+name+"”" {
			found = append(found, one)
		}
	}
	switch found = slices.Compact(slices.Sorted(slices.Values(found))); len(found) {
	case 0:
		return name, nil
	case 1:
		return found[0], nil
	}
	return "", fmt.Errorf("%d names are shown as %s: give the exact one", len(found), Visible(name))
}

// plainASCII reports whether every byte of a text is a printable one of ASCII, a
// line feed or a tab: so is most that is shown.
func plainASCII(text string) bool {
	for i := range len(text) {
		if c := text[i]; c < ' ' && c != '\n' && c != '\t' || c >= 0x7f {
			return false
		}
	}
	return true
}

const (
	joiner    = '\u200d' // zero width joiner: families of emoji, Indic scripts
	nonJoiner = '\u200c' // zero width non-joiner: Persian
	asText    = '\ufe0e' // the variation selectors that choose how a symbol is drawn
	asEmoji   = '\ufe0f'
	braille   = '\u2800' // a blank that is no blank
	firstMark = 0x300    // from here on scripts that joiners and selectors belong into
)

// shows reports whether a character that follows before shows as what it is.
func shows(r, before rune, rest string) bool {
	switch r {
	case '\n', '\t':
		return true
	case '\r':
		return strings.HasPrefix(rest, "\n")
	case joiner, nonJoiner:
		return before >= firstMark && before != joiner && before != nonJoiner
	case asText, asEmoji:
		return before >= firstMark && !unicode.In(before, unicode.Cf, unicode.Variation_Selector)
	case braille:
		return false
	}
	if r < 0x7f {
		return r >= ' '
	}
	return (unicode.IsPrint(r) || unicode.Is(unicode.Zs, r)) && !unicode.In(r, unicode.Cf, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point)
}
