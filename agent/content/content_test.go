package content

import (
	"os"
	"strings"
	"testing"
)

func TestRewrite(t *testing.T) {
	for _, c := range []struct{ name, before, content, want string }{
		{"new file", "", "a\nb", "a\nb"},
		{"emptied", "a\r\n", "", ""},
		{"unchanged lines keep their bytes", "a\r\nb\nc\r\n", "a\nb\nc\n", "a\r\nb\nc\r\n"},
		{"new lines take the ending of the line before", "a\r\nb\nc\r\n", "a\nb\nx\nc\n", "a\r\nb\nx\nc\r\n"},
		{"a new line takes the ending of the one that it replaces", "a\r\nb\n", "x\n", "x\r\n"},
		{"equal lines beside a new one keep their own endings", "a\na\na\r\na\nb\r\n", "a\na\nx\na\nb\n", "a\na\nx\r\na\nb\r\n"},
		{"content in CRLF", "a\nb\n", "a\r\nx\r\n", "a\nx\n"},
		{"dropped final newline", "a\nb\n", "a\nx", "a\nx\n"},
		{"added final newline, same last line", "a\nb", "x\nb\n", "x\nb"},
		{"added final newline, other last line", "a\nb", "a\nb\nc\n", "a\nb\nc\n"},
		{"no final newline in either", "a\r\nb", "a\nc", "a\r\nc"},
		{"lone carriage returns", "a\rb\rc", "a\nB\nc", "a\rB\rc"},
		{"lone carriage returns, new lines", "a\rb\r", "a\r\nx\rb\n", "a\rx\rb\r"},
		{"a carriage return beside line feeds is content", "a\rb\nc\n", "a\rb\nx\n", "a\rb\nx\n"},
		{"last line removed", "a\nb", "a\n", "a\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := Rewrite(c.before, c.content); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestReplaceLines(t *testing.T) {
	const text = "a\r\nb\nc"
	for _, c := range []struct {
		name     string
		before   string
		from, to int
		content  string
		want     string // "": refused
	}{
		{"one line", text, 2, 2, "x\n", "a\r\nx\nc"},
		{"content without newline", text, 2, 2, "x", "a\r\nx\nc"},
		{"same lines keep their bytes", text, 1, 2, "a\nx\nb\n", "a\r\nx\r\nb\nc"},
		{"inserted before", text, 1, 0, "x", "x\r\na\r\nb\nc"},
		{"appended", text, 4, 3, "x\n", "a\r\nb\nc\nx"},
		{"deleted", text, 1, 2, "", "c"},
		{"the end keeps its lack of a newline", text, 3, 3, "x\ny\n", "a\r\nb\nx\ny"},
		{"into an empty file", "", 1, 0, "x", "x\n"},
		{"from 0", text, 0, 1, "x", ""},
		{"behind the end", text, 3, 4, "x", ""},
		{"far behind the end", text, 5, 4, "x", ""},
		{"backwards", text, 3, 1, "x", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := ReplaceLines(c.before, c.from, c.to, c.content)
			if c.want == "" {
				if err == nil || got != c.before {
					t.Errorf("got %q, %v, want an error", got, err)
				}
				return
			}
			if err != nil || got != c.want {
				t.Errorf("got %q, %v, want %q", got, err, c.want)
			}
		})
	}
}

func TestPlaceholder(t *testing.T) {
	table, err := os.ReadFile("testdata/placeholder.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range strings.Split(strings.TrimSpace(string(table)), "\n") {
		want, text, ok := strings.Cut(l, "\t")
		if !ok {
			continue
		}
		content := "first\n" + text + "\nlast\n"
		line, got := Placeholder(content, "first\nmiddle\nlast\n")
		if got != (want == "yes") || got && line != 2 {
			t.Errorf("%q: got %v at line %d, want %s", text, got, line, want)
		}
		if line, again := Placeholder(content, content); again {
			t.Errorf("%q was in the file, yet line %d is refused", text, line)
		}
	}
	if line, ok := Placeholder("# ... existing code ...\nx\n# ... existing code ...\n", "# ... existing code ...\n"); !ok || line != 3 {
		t.Errorf("a second placeholder beside the file's own: got %d, %v", line, ok)
	}
	if _, ok := Placeholder("# ...\n", ""); ok {
		t.Error("dots alone leave nothing out of a new file")
	}
}
