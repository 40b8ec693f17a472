package screen

import (
	"bytes"
	"strings"
	"testing"
)

// TestLine types into a line, and looks at what it is then, with | at the cursor.
func TestLine(t *testing.T) {
	for typed, want := range map[string]string{
		"":                                    "|",
		"abc":                                 "abc|",
		"abc\x7f\x7f":                         "a|",
		"a b\x1b[D\x1b[DX":                    "aX| b",
		"abc\x01X\x05Y":                       "XabcY|",
		"abc\x1bOH\x1b[3~":                    "|bc",
		"one two\x17three":                    "one three|",
		"one two \x1b\x7f":                    "one |",
		"one two\x15three":                    "three|",
		"one two\x1b[1;5D\x0b":                "one |",
		"one two\x01\x1b[1;5C!":               "one!| two",
		"one two\x01\x1bf\x1bf\x1bb?":         "one ?|two",
		"漢字e\u0301\x7f\x7f":                   "漢|",
		"👨\u200d👩\u200d👧x\x1b[D\x1b[Dy":       "y|👨\u200d👩\u200d👧x",
		"\x7f\x1b[D\x1b[3~\x1b[C\x17a":        "a|",
		"a\tb\u202ec":                         `a b\u{202e}c|`,
		"one\rtwo\r\x10":                      "two|",
		"one\rtwo\rthree\x1b[A\x1b[A":         "one|",
		"one\rthree\x1b[A\x1b[A\x1b[B":        "three|",
		"one\rone\r\x1b[A\x1b[A":              "one|",
		"\x1b[200~a\rb\x1b[201~c":             "a\nbc|",
		"a\x1b[99;99z\x1b]b":                  "ab|",
		"a\x1b\x1b[Db":                        "b|a",
		"\x1b[200~a\r\nb\nc\td\x1b[201~":      "a\nb\nc\td|",
		"\x1b[200~a\x03\x1b[A\x15b\x1b[201~c": "abc|",
		"a\x1b\rb\nc":                         "a\nb\nc|",
		"a\x1b[13;2ub":                        "a\nb|",
		"a\\\rb":                              "a\nb|",
		"one\x1b\rtwo\x01X\x15Y":              "one\nY|two",
		"one\x1b\rtwo\x1b[A\x05!":             "one!|\ntwo",
		"漢字漢\x1b\rabcd\x1b[A|\x1b[B":          "漢字|漢\nabcd|",
		"sent\rone\x1b\rtwo\x1b[A\x1b[A":      "sent|",
		"one two\x17\x01\x19":                 "two|one ",
		"one two\x01\x1bd":                    "| two",
	} {
		var l Line
		for left := []byte(typed); len(left) > 0; {
			k, n := NextKey(left)
			if n == 0 {
				t.Fatalf("%q: the key %q has no end", typed, left)
			}
			l.Press(k)
			left = left[n:]
		}
		if got := l.text[:l.at] + "|" + l.text[l.at:]; got != want {
			t.Errorf("%q: got %q, want %q", typed, got, want)
		}
	}
}

// TestEntered ends lines, and none that is too long.
func TestEntered(t *testing.T) {
	var l Line
	l.Press(Key{Text: "one"})
	if text, entered := l.Press(Key{Name: KeyEnter}); text != "one" || !entered || l.text != "" {
		t.Errorf("entered %q, %v; %q is left", text, entered, l.text)
	}
	for range 3 {
		l.Press(Key{Text: strings.Repeat("x", maxLine/2)})
	}
	if len(l.text) != maxLine {
		t.Errorf("the line has %d bytes", len(l.text))
	}
	for n := range 2 * maxSent {
		l.Press(Key{Text: strings.Repeat("y", n+1)})
		l.Press(Key{Name: KeyEnter})
	}
	if len(l.sent) != maxSent {
		t.Errorf("%d lines are kept", len(l.sent))
	}
}

// TestNextKey waits for the end of what has not come whole.
func TestNextKey(t *testing.T) {
	for _, part := range []string{"", "\x1b", "\x1b[", "\x1b[1;5", "\x1bO", "\xe6\xbc"} {
		if k, n := NextKey([]byte(part)); n != 0 {
			t.Errorf("%q is the key %v of %d bytes", part, k, n)
		}
	}
	if _, n := NextKey([]byte("\x1b[" + strings.Repeat("1;", maxSequence))); n != maxSequence {
		t.Errorf("a sequence without an end takes %d bytes", n)
	}
	if k, n := NextKey([]byte("a\xe6\xbc")); k.Text != "a" || n != 1 {
		t.Errorf("a character and the beginning of one: %v, %d", k, n)
	}
}

// TestRows breaks what is typed into rows, with the cursor in the right one.
func TestRows(t *testing.T) {
	for _, tt := range []struct {
		text           string
		at             int
		want           string
		cursor, column int
	}{
		{"", 0, "> ", 0, 2},
		{"abc", 3, "> abc", 0, 5},
		{"abcdef", 6, "> abcdef/  ", 1, 2},
		{"abcdef", 2, "> abcdef", 0, 4},
		{"abcdefgh", 8, "> abcdef/  gh", 1, 4},
		{"abcde漢", 8, "> abcde/  漢", 1, 4},
		{"abc def", 7, "> abc /  def", 1, 5},
		{"abc def", 4, "> abc /  def", 1, 2},
		{"abc def", 3, "> abc /  def", 0, 5},
		{"ab cdefghi", 10, "> ab cde/  fghi", 1, 6},
		{"a\nb", 3, "> a/  b", 1, 3},
		{"a\nb", 1, "> a/  b", 0, 3},
		{"a\n\nb\n", 5, "  /  b/  ", 2, 2},
		{strings.Repeat("x", 60), 60, "  xxxxxx/  xxxxxx/  ", 2, 2},
		{strings.Repeat("x", 59), 59, "  xxxxxx/  xxxxxx/  xxxxx", 2, 7},
		{strings.Repeat("x", 60), 0, "> xxxxxx/  xxxxxx/  xxxxxx", 0, 2},
		{strings.Repeat("x", 60), 30, "  xxxxxx/  xxxxxx/  xxxxxx", 2, 2},
	} {
		l := Line{text: tt.text, at: tt.at}
		rows, cursor, column := l.rows("> ", 8, 3)
		if got := strings.Join(rows, "/"); got != tt.want || cursor != tt.cursor || column != tt.column {
			t.Errorf("%q at %d: %q, cursor %d, %d; want %q, %d, %d", tt.text, tt.at, got, cursor, column, tt.want, tt.cursor, tt.column)
		}
	}
}

// TestAbove prints above a region: whole lines, and the rest when it is hidden.
func TestAbove(t *testing.T) {
	var out bytes.Buffer
	width := 20
	r := &Region{}
	say := func(text string) string {
		out.Reset()
		if n, err := r.Above(&out, []byte(text)); n != len(text) || err != nil {
			t.Fatalf("%q: %d bytes written, %v", text, n, err)
		}
		return out.String()
	}
	if got := say("part"); got != "part" {
		t.Errorf("without a region: %q", got)
	}
	out.Reset()
	r.Show(Terminal{Writer: &out, Size: func() (int, int) { return width, 10 }, Reflows: true}, func(width, height int, typing bool) Frame {
		return Frame{Rows: []string{strings.Repeat("=", 30), "two"}, Prompt: "> "}
	})
	const region = cuts + "==================…\x1b[K\r\ntwo\x1b[K\r\n\x1b[J" + wraps + "\r"
	if got := out.String(); got != "\r"+region {
		t.Errorf("the region is %q", got)
	}
	if got := say("half"); got != "" {
		t.Errorf("half a line: %q", got)
	}
	if got := say(" a line\nand"); got != "\r\x1b[2A\x1b[Khalf a line\n\x1b[K"+region {
		t.Errorf("the rest of the line: %q", got)
	}
	out.Reset()
	if r.Redraw(); out.Len() > 0 {
		t.Errorf("drawn without a change: %q", &out)
	}
	width = 10 // the first row is two now
	if r.Redraw(); !strings.HasPrefix(out.String(), "\r\x1b[3A"+clears+cuts+"========…\x1b[K\r\n") {
		t.Errorf("narrower: %q", &out)
	}
	out.Reset()
	r.Aside(func() { out.WriteString("a shell\n") })
	if got, want := out.String(), "\r\x1b[2A"+clears+"a shell\n\r"+cuts; !strings.HasPrefix(got, want) {
		t.Errorf("aside: %q", got)
	}
	out.Reset()
	r.Hide()
	if got := out.String(); got != "\r\x1b[2A"+clears+"and" {
		t.Errorf("hidden: %q", got)
	}
}

func TestReflows(t *testing.T) {
	for env, want := range map[string]bool{"": true, "TERM=linux": false, "XTERM_VERSION=XTerm(379)": false, "XTERM_VERSION=XTerm(379) TMUX=/tmp/x": true} {
		got := reflows(func(name string) string {
			for _, v := range strings.Fields(env) {
				if value, ok := strings.CutPrefix(v, name+"="); ok {
					return value
				}
			}
			return ""
		})
		if got != want {
			t.Errorf("%s: %v", env, got)
		}
	}
}

// TestFold breaks what is too long into rows, none of which begins with what is printed but the first.
func TestFold(t *testing.T) {
	const in = foldIndent
	for text, want := range map[string]string{
		"":                                                 "",
		"short\nline\n":                                    "short\nline\n",
		"12345678901234567890\nx\n":                        "12345678901234567890\nx\n",
		"12345678901234567890── x\n":                       "12345678901234567890\n" + in + "── x\n",
		"12345678901234567890123456789012345\n":            "12345678901234567890\n" + in + "123456789012\n" + in + "345\n",
		"1234567890123456789漢\n":                           "1234567890123456789\n" + in + "漢\n",
		"\x1b[31m12345678901234567890\x1b[0m\n":            "\x1b[31m12345678901234567890\x1b[0m\n",
		"\x1b[31m123456789012345678901\x1b[0m\n":           "\x1b[31m12345678901234567890\n" + in + "1\x1b[0m\n",
		"\t\t1234\r\n\t\t12345\n":                          "\t\t1234\r\n\t\t1234\n" + in + "5\n",
		"\t\t1\tx\n":                                       "\t\t1\n" + in + "\tx\n",
		"one two three and four\n":                         "one two three and \n" + in + "four\n",
		"one two threeandfour five\n":                      "one two threeandfour\n" + in + "five\n",
		"one two threeandfourfive\n":                       "one two threeandfour\n" + in + "five\n",
		"one two three \x1b[1mand4\x1b[0m 12345 12345 1\n": "one two three \x1b[1mand4\x1b[0m \n" + in + "12345 12345 \n" + in + "1\n",
	} {
		if got := fold(text, 20); got != want {
			t.Errorf("%q:\n got %q\nwant %q", text, got, want)
		}
	}
	if got := fold("12345678901234567890\n", 10); got != "12345678901234567890\n" {
		t.Errorf("in a terminal without room: %q", got)
	}
}
