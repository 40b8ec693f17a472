package quote

import "strings"

// Words are a text that a model has written. Where package fmt prints them they are quoted, cut to
// their first line, so that they cannot pass for a line of ours; only Plain gives them unmarked, to
// models.
type Words string

// String implements fmt.Stringer.
func (w Words) String() string {
	first, _, _ := strings.Cut(strings.TrimSpace(string(w)), "\n")
	if first == "" {
		return ""
	}
	return Text(first)
}

// Plain returns the words unmarked, for a model.
func (w Words) Plain() string { return string(w) }

// After returns the words behind a text of ours, marked; the text alone where there are no words.
func (w Words) After(ours string) string { return behind(ours, w.String()) }

// PlainAfter is After unmarked, for a model.
func (w Words) PlainAfter(ours string) string { return behind(ours, w.Plain()) }

func behind(ours, words string) string {
	if ours == "" || words == "" {
		return ours + words
	}
	return ours + ": " + words
}
