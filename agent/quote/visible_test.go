package quote

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestVisible(t *testing.T) {
	for in, want := range map[string]string{
		"make test\t1\n2": "make test\t1\n2",
		"naïve 漢字 العربية नमस्ते": "naïve 漢字 العربية नमस्ते",
		"echo \x1b[2K\x07":              `echo \u{1b}[2K\u{7}`,
		"\x1b]8;;http://x\x1b\\link":    `\u{1b}]8;;http://x\u{1b}\link`,
		"a\x9b31mred":                   `a\x9b31mred`, // not UTF-8
		"a\u009b31mred\u0085":           `a\u{9b}31mred\u{85}`,
		"one\rtwo\r\nthree\x7f":         `one\u{d}two` + "\r\n" + `three\u{7f}`,
		"rm \u202egnp.exe\u202c":        `rm \u{202e}gnp.exe\u{202c}`,
		"\u2066admin\u2069 \u200ftrue":  `\u{2066}admin\u{2069} \u{200f}true`,
		"pay\u200bpal \ufeffsoft\u00ad": `pay\u{200b}pal \u{feff}soft\u{ad}`,
		"go\u200d run \u200c":           `go\u{200d} run \u{200c}`,
		"\U000e0041\U000e0042 tags":     `\u{e0041}\u{e0042} tags`,
		"x\ufe0f\U000e0100":             `x\u{fe0f}\u{e0100}`,
		"👨\u200d👩\u200d👧 ✔\ufe0f می\u200cخواهم": "👨\u200d👩\u200d👧 ✔\ufe0f می\u200cخواهم",
		"✔\ufe0f\ufe0f\ufe0f":                   "✔\ufe0f" + `\u{fe0f}\u{fe0f}`,
		"a\u3164b\u2800c\u115f":                 `a\u{3164}b\u{2800}c\u{115f}`,
		"no\u00a0break\u3000wide":               "no\u00a0break\u3000wide",
		"nul\x00":                               `nul\u{0}`,
	} {
		if got := Visible(in); got != want {
			t.Errorf("%q is shown as %q, not %q", in, got, want)
		}
	}
}

func TestNamed(t *testing.T) {
	names := []string{"a.py", "run\u202egpj.sh", "a\u200bb", `a\u{200b}b`, "x “y”", "one\ttab"}
	for given, want := range map[string]string{
		"a.py": "a.py", "": "", "b.py": "b.py", `run\u{202e}gpj.sh`: names[1], names[1]: names[1], names[2]: names[2],
		`x \u{201c}y\u{201d}`: names[4], names[4]: names[4], "one⇥tab": names[5],
		`a\u{200b}b`: "2 names are shown as",
	} {
		got, err := Named(given, names)
		if err != nil {
			got = err.Error()
		}
		if got != want && (err == nil || !strings.HasPrefix(got, want)) {
			t.Errorf("%q is %q, want %q", given, got, want)
		}
	}
}

func FuzzVisible(f *testing.F) {
	f.Add("a\x1b[31m\u202e\u200b\xff👨\u200d👩\r\n")
	f.Fuzz(func(t *testing.T, text string) {
		shown := Visible(text)
		if !utf8.ValidString(shown) {
			t.Fatalf("%q is shown as broken UTF-8: %q", text, shown)
		}
		for _, r := range strings.ReplaceAll(shown, "\r\n", "\n") {
			if unicode.IsControl(r) && r != '\n' && r != '\t' || unicode.Is(unicode.Bidi_Control, r) {
				t.Fatalf("%q is shown with %U: %q", text, r, shown)
			}
		}
		if again := Visible(shown); again != shown {
			t.Fatalf("%q is shown as %q, and that as %q", text, shown, again)
		}
	})
}
