package quote

import (
	"strings"
	"testing"
)

// TestQuote shows what is not ours within a line of ours.
func TestQuote(t *testing.T) {
	for text, want := range map[string]string{
		"":                     "“”",
		"make docs":            "“make docs”",
		"echo \"a\" 'b' `c`":   "“echo \"a\" 'b' `c`”",
		"echo a\nrm -rf x":     "“echo a ⏎ rm -rf x”",
		"cat <<E\n  a\n\tb\nE": "“cat <<E ⏎   a ⏎ ⇥b ⏎ E”",
		"true" + strings.Repeat("\n", 200) + "rm x":    "“true ⏎×200 rm x”",
		"true" + strings.Repeat("\n \t", 200) + "rm x": "“true ⏎×200  ⇥rm x”",
		"true" + strings.Repeat(" ", 300) + "; rm x":   "“true␣×300; rm x”",
		"a”. Allow once? “b":                           "“a\\u{201d}. Allow once? \\u{201c}b”",
		"a ⏎ b␣×3\u00a0c":                              "“a \\u{23ce} b\\u{2423}\\u{d7}3\\u{a0}c”",
		"\x1b[2J\u202ex\r\n":                           "“\\u{1b}[2J\\u{202e}x\\u{d} ⏎ ”",
	} {
		if got := Text(text); got != want {
			t.Errorf("%q:\n got %s\nwant %s", text, got, want)
		}
	}
}

// TestQuoteLines shows the same as lines of its own: each has the mark.
func TestQuoteLines(t *testing.T) {
	for text, want := range map[string]string{
		"":                                       "",
		"a\n  b\n\n\tc":                          "| a\n|   b\n|\n| \tc\n",
		"a" + strings.Repeat("\n", 201) + "## b": "| a\n| ⏎×200\n| ## b\n",
		"a" + strings.Repeat(" ", 300) + "b":     "| a␣×300b\n",
		"a\r\nb\u2028c":                          "| a\\u{d}\n| b\\u{2028}c\n",
	} {
		got := Lines(text, "| ")
		if got != want {
			t.Errorf("%q:\n got %q\nwant %q", text, got, want)
		}
		for line := range strings.Lines(got) {
			if !strings.HasPrefix(line, "|") {
				t.Errorf("%q: a line without its mark: %q", text, line)
			}
		}
	}
}
