package store

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"encoding/ascii85"
	"encoding/base32"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html"
	"maps"
	"strings"
	"testing"
	"unicode/utf16"
)

// each writes every byte of a text by a format.
func each(text, format, between string) string {
	var parts []string
	for i := range len(text) {
		parts = append(parts, fmt.Sprintf(format, text[i]))
	}
	return strings.Join(parts, between)
}

// TestRedactWritings finds a known value in every writing that some reader undoes. None
// of the text may have a half of the value in the writing, either.
func TestRedactWritings(t *testing.T) {
	const value = `Quill<83>&Kite"Tor`
	a, b := value[:len(value)/2], value[len(value)/2:]
	all := writingsOf(value)
	maps.Copy(all, packedWritings(value))
	for how, text := range all {
		t.Run(how, func(t *testing.T) {
			r := newRedactor([]string{value})
			for _, got := range []string{r.text("a " + text + " b"), r.text(text)} {
				if !strings.Contains(got, mask) || strings.Contains(got, a) || strings.Contains(got, b) {
					t.Errorf("%q became %q", text, got)
				}
			}
		})
	}
}

// writingsOf are the writings of a value, by name.
func writingsOf(value string) map[string]string {
	half := func(text string) (string, string) { return text[:len(text)/2], text[len(text)/2:] }
	a, b := half(value)
	in64 := base64.StdEncoding.EncodeToString([]byte(value))
	quoted, _ := json.Marshal(value)
	again, _ := json.Marshal(string(quoted))
	third, _ := json.Marshal(string(again))
	wide := func(order func(u uint16) string) string {
		var s strings.Builder
		for _, u := range utf16.Encode([]rune(value)) {
			s.WriteString(order(u))
		}
		return s.String()
	}
	little := wide(func(u uint16) string { return string([]byte{byte(u), byte(u >> 8)}) })
	big := wide(func(u uint16) string { return string([]byte{byte(u >> 8), byte(u)}) })
	return map[string]string{
		"JSON in JSON in JSON":        string(third),
		"u escapes":                   each(value, `\u%04x`, ""),
		"u escapes in JSON":           strings.ReplaceAll(each(value, `\u%04X`, ""), `\`, `\\`),
		"u escapes with braces":       each(value, `\u{%x}`, ""),
		"x escapes":                   each(value, `\x%02x`, ""),
		"octal escapes":               each(value, `\%03o`, ""),
		"percent":                     each(value, "%%%02X", ""),
		"percent twice":               each(value, "%%25%02x", ""),
		"HTML numbers":                each(value, "&#%d;", ""),
		"HTML hexadecimal":            each(value, "&#x%x;", ""),
		"HTML twice":                  html.EscapeString(html.EscapeString(value)),
		"HTML in JSON":                `"` + strings.ReplaceAll(html.EscapeString(value), "&", `\u0026`) + `"`,
		"quoted-printable":            each(value, "=%02X", ""),
		"quoted-printable, two lines": a + "=\r\n" + b,
		"hexadecimal, commas":         each(value, "0x%02x", ", "),
		"hexadecimal, spaces":         each(value, "%02x", " "),
		"hexadecimal, colons":         each(value, "%02X", ":"),
		"dump":                        "00000000: " + each(a, "%02x", " ") + "  |" + a[:4] + "|\n00000009: " + each(b, "%02x", " "),
		"decimal":                     "[" + each(value, "%d", ", ") + "]",
		"octal dump":                  each(value, "%03o", " "),
		"od":                          "0000000 " + dumped(value[:8], 2, "%06o") + "\n0000010 " + dumped(value[8:], 2, "%06o"),
		"od -tx4":                     "0000000 " + dumped(value, 4, "%08x"),
		"base64":                      in64,
		"base64, wrapped":             in64[:12] + "\n" + in64[12:],
		"base64, wrapped in JSON":     in64[:12] + `\n` + in64[12:],
		"base64, numbered":            "  12|" + in64[:12] + "\n  13|" + in64[12:],
		"base64 in base64":            base64.StdEncoding.EncodeToString([]byte("x" + in64)),
		"base64 of JSON":              base64.StdEncoding.EncodeToString([]byte(`{"a":` + string(quoted) + "}")),
		"base64 of UTF-16":            base64.StdEncoding.EncodeToString([]byte(little)),
		"base64 of big UTF-16":        base64.StdEncoding.EncodeToString([]byte(big)),
		"UTF-16":                      little,
		"big UTF-16":                  big,
		"colours":                     a + "\x1b[1;31m" + b + "\x1b[0m",
		"colours, escaped":            a + `\u001b[1;31m` + b,
		"a link of a terminal":        a + "\x1b]8;;http://x\x07" + b,
		"no width":                    a + "\u200b" + b,
		"numbered lines":              " 9|" + a + "\n10|" + b,
		"grep":                        "x/y.py:9:" + a + "\nx/y.py:10:" + b,
		"diff":                        "+" + a + "\n+" + b,
		"lines in JSON":               a + `\n+` + b,
		"letters alone":               strings.Join(strings.Split(value, ""), " "),
		"list of letters":             "'" + strings.Join(strings.Split(value, ""), "', '") + "'",
		"reversed":                    reversed(value),
		"base32":                      base32.StdEncoding.EncodeToString([]byte(value)),
		"base32 behind a byte":        base32.StdEncoding.EncodeToString([]byte("x" + value + "yz")),
		"base32 behind four, small":   strings.ToLower(base32.StdEncoding.EncodeToString([]byte("wxyz" + value))),
		"od -c":                       "0000000   " + each(a, "%c", "   ") + "\n0000011   " + each(b, "%c", "   ") + "\n0000022",
	}
}

// dumped are the words of some bytes in a text, as a little-endian machine prints them.
func dumped(text string, size int, format string) string {
	var list []string
	for len(text) > 0 {
		word := make([]byte, 8)
		text = text[copy(word[:size], text):]
		list = append(list, fmt.Sprintf(format, binary.LittleEndian.Uint64(word)))
	}
	return strings.Join(list, " ")
}

// TestOwn leaves what a model wrote itself, unless it is known or has an exact format.
func TestOwn(t *testing.T) {
	key := "ghp_" + "k3J8sQpL0vX2mZ7rT5yB9nC4wD6fG1hE8aUi"
	s := open(t, Options{StateDir: t.TempDir(), Secrets: []string{"known-pass1234"}})
	j := s.Journal("t")
	args, err := json.Marshal(map[string]string{"path": "t.py", "content": "login(password='pass1234')\nDB_PASSWORD=sunshine\nurl = 'redis://:k1wi-pie@h/0'\nold = 'known-pass1234'\n" +
		"API_KEY = 'x7Kq2mVz9Lp4Rt8Wn1Yb'\nid = 'AKIA" + "IOSFODNN7EXAMPLE'\nkey = '" + key + "'\n"})
	if err != nil {
		t.Fatal(err)
	}
	rec, err := j.Append("answer", reply{string(args)})
	if err != nil {
		t.Fatal(err)
	}
	want, err := json.Marshal(reply{strings.NewReplacer("known-pass1234", mask, key, mask).Replace(string(args))})
	if err != nil || string(rec.Body) != string(want) {
		t.Errorf("the answer became\n%s, not\n%s (%v)", rec.Body, want, err)
	}
	for in, want := range map[string]string{
		"+login(password='pass1234')":      "+login(password='pass1234')",
		"export DB_PASSWORD=sunshine":      "export DB_PASSWORD=sunshine",
		"export DB_PASSWORD=winter":        "export DB_PASSWORD=[redacted]",
		"API_KEY: x7Kq2mVz9Lp4Rt8Wn1Yb":    "API_KEY: x7Kq2mVz9Lp4Rt8Wn1Yb",
		"postgres://u:k1wi-pie@db/x":       "postgres://u:k1wi-pie@db/x",
		"id = 'AKIA" + "IOSFODNN7EXAMPLE'": "id = 'AKIA" + "IOSFODNN7EXAMPLE'",
		"password='known-pass1234'":        "password='[redacted]'",
	} {
		if got := s.Redact(in); got != want {
			t.Errorf("%q became %q, not %q", in, got, want)
		}
	}
	if got := Formats(string(args)); len(got) != 1 || !strings.HasPrefix(got[0], "GitHub (write ghp_x") {
		t.Errorf("the formats are %q", got)
	}
}

// reply is a record that a model wrote.
type reply struct {
	Arguments string `json:"arguments"`
}

func (r reply) Authored() []string { return []string{r.Arguments} }

// packedWritings are further writings of a value: what programs pack bytes into.
func packedWritings(value string) map[string]string {
	in64 := base64.StdEncoding.EncodeToString
	return map[string]string{
		"Ascii85":                  "<~" + base85(alphabets85[0], value) + "~>",
		"Ascii85 of more":          base85(alphabets85[0], "x"+value+"yz"),
		"base85":                   base85(alphabets85[1], value),
		"base85 of more":           base85(alphabets85[1], "xyz"+value+"yz"),
		"base85 in JSON":           strings.ReplaceAll(strings.ReplaceAll(base85(alphabets85[0], "xy"+value), `\`, `\\`), `"`, `\"`),
		"Z85":                      base85(alphabets85[2], value),
		"gzip in base64":           in64(gzipped("password: " + value + "\n")),
		"gzip in base64, wrapped":  wrapped(in64(gzipped("password: "+value+"\n"+strings.Repeat("more and other text, ", 9))), 76),
		"gzip in base64, cut off":  in64(gzipped("a: " + value + "\n" + strings.Repeat("x", 99)))[:60],
		"zlib in base64":           in64(deflated("password: " + value + "\n")),
		"gzip in hexadecimal":      hex.EncodeToString(gzipped("password: " + value + "\n")),
		"gzip of base64 in base64": in64(gzipped("a " + in64([]byte(value)) + " b")),
	}
}

func gzipped(text string) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = w.Write([]byte(text)) // to memory
	_ = w.Close()
	return b.Bytes()
}

func deflated(text string) []byte {
	var b bytes.Buffer
	w := zlib.NewWriter(&b)
	_, _ = w.Write([]byte(text)) // to memory
	_ = w.Close()
	return b.Bytes()
}

// wrapped breaks a text into lines.
func wrapped(text string, width int) string {
	var lines []string
	for len(text) > width {
		lines, text = append(lines, text[:width]), text[width:]
	}
	return strings.Join(append(lines, text), "\n")
}

// TestBase85 compares the own writing of base85 with Go's, and with Python's and the standard's examples.
func TestBase85(t *testing.T) {
	const text = "a text of many letters, and 3 more"
	coded := make([]byte, ascii85.MaxEncodedLen(len(text)))
	coded = coded[:ascii85.Encode(coded, []byte(text))]
	if got := base85(alphabets85[0], text); got != string(coded) {
		t.Errorf("Ascii85 is %q, not %q", got, coded)
	}
	for _, c := range [][3]string{{"b85encode", alphabets85[1], "VIXv6cyu6dW*}{3"}, {"Z85", alphabets85[2], "HelloWorld"}} {
		plain := map[string]string{"b85encode": "a text of md", "Z85": "\x86\x4F\xD2\x6F\xB5\x59\xF7\x5B"}[c[0]]
		if got := base85(c[1], plain); got != c[2] {
			t.Errorf("%s is %q, not %q", c[0], got, c[2])
		}
	}
}
