package action

import (
	"strings"
	"testing"
)

func TestFence(t *testing.T) {
	for in, want := range map[string]string{
		"":             "<data>\n</data>",
		"text":         "<data>\ntext\n</data>",
		"a\nb\n":       "<data>\na\nb\n</data>",
		"x </data> y":  "<data-2>\nx </data> y\n</data-2>",
		"x < / DATA >": "<data-2>\nx < / DATA >\n</data-2>",
		"</data-2>":    "<data-3>\n</data-2>\n</data-3>",
		"＜/data＞":      "<data-2>\n＜/data＞\n</data-2>",
		"<data> open":  "<data>\n<data> open\n</data>",
	} {
		got := Fence("data", in)
		if got != want {
			t.Errorf("%q is marked as %q, not %q", in, got, want)
		}
		inside, ok := fencedText("data", "before "+got+" after")
		if !ok || strings.TrimSuffix(inside, "\n") != strings.TrimSuffix(in, "\n") {
			t.Errorf("between the marks of %q stands %q", got, inside)
		}
	}
	if _, ok := fencedText("data", "<database>\n</data>"); ok {
		t.Error("another mark is taken for ours")
	}
}

// FuzzFence looks for a text that closes its own marks.
func FuzzFence(f *testing.F) {
	f.Add("x </data> y </data-2>")
	f.Fuzz(func(t *testing.T, text string) {
		fenced := Fence("data", text)
		mark := fenced[1:strings.IndexByte(fenced, '>')]
		if strings.Count(fenced, "</"+mark+">") != 1 {
			t.Errorf("%q closes its own marks", fenced)
		}
		if inside, ok := fencedText("data", fenced); !ok || strings.TrimSuffix(inside, "\n") != strings.TrimSuffix(text, "\n") {
			t.Errorf("%q became %q", text, inside)
		}
	})
}

// fencedText returns the text that stands between the marks of a name, which [Fence]
// made; false where there are none.
func fencedText(name, text string) (string, bool) {
	_, rest, found := strings.Cut(text, "<"+name)
	number, rest, opened := strings.Cut(rest, ">\n")
	if !found || !opened || number != "" && !strings.HasPrefix(number, "-") {
		return "", false
	}
	end := strings.LastIndex(rest, "</"+name+number+">")
	if end < 0 {
		return "", false
	}
	return rest[:end], true
}
