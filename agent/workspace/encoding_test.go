package workspace

import (
	"bytes"
	"errors"
	"strings"
	"testing"
)

func TestDecode(t *testing.T) {
	for _, tt := range []struct {
		name, data, text string
		enc              Encoding
		refused          string
	}{
		{"empty", "", "", Encoding{UTF8, false}, ""},
		{"mixed endings", "a\r\nb\nc\rd", "a\r\nb\nc\rd", Encoding{UTF8, false}, ""},
		{"utf-8", "größe €\n", "größe €\n", Encoding{UTF8, false}, ""},
		{"utf-8 mark", "\xef\xbb\xbfa\n", "a\n", Encoding{UTF8, true}, ""},
		{"two marks", "\xef\xbb\xbf\xef\xbb\xbfa", "\ufeffa", Encoding{UTF8, true}, ""},
		{"escape in utf-8", "\x1b[1m", "\x1b[1m", Encoding{UTF8, false}, ""},
		{"utf-16le mark", "\xff\xfea\x00\r\x00\n\x00", "a\r\n", Encoding{UTF16LE, true}, ""},
		{"utf-16be mark", "\xfe\xff\x00a\xd8\x3d\xde\x00", "a😀", Encoding{UTF16BE, true}, ""},
		{"utf-16le", "a\x00b\x00 \x00\n\x00", "ab \n", Encoding{UTF16LE, false}, ""},
		{"utf-16be", "\x00a\x00b\x00 \x00\n", "ab \n", Encoding{UTF16BE, false}, ""},
		{"latin-1", "gr\xf6\xdfe\r\n", "größe\r\n", Encoding{Latin1, false}, ""},
		{"windows-1252 bytes", "\x93a\x94", "\u0093a\u0094", Encoding{Latin1, false}, ""},
		{"broken utf-8 after mark", "\xef\xbb\xbf\xff", "", Encoding{}, "not valid utf-8"},
		{"odd utf-16", "\xff\xfea", "", Encoding{}, "not valid utf-16le"},
		{"lone surrogate", "\xff\xfe\x00\xd8a\x00", "", Encoding{}, "not valid utf-16le"},
		{"surrogate at end", "\xff\xfe\x00\xd8", "", Encoding{}, "not valid utf-16le"},
		{"NUL in utf-16", "\xff\xfea\x00\x00\x00", "", Encoding{}, "NUL"},
		{"utf-32", "\xff\xfe\x00\x00a\x00\x00\x00", "", Encoding{}, "UTF-32"},
		{"NUL", "a\x00", "", Encoding{}, "NUL"},
		{"two numbers", "\x00\x01", "", Encoding{}, "NUL"},
		{"numbers", "A\x00\x05\x00B\x00\x00\x01", "", Encoding{}, "NUL"},
		{"either order", "\x4e\x00", "", Encoding{}, "NUL"},
		{"control in latin-1", "\xff\x01", "", Encoding{}, "control byte 0x01"},
		{"png", "\x89PNG\r\n\x1a\n", "", Encoding{}, "control byte 0x1a"},
	} {
		text, enc, err := Decode([]byte(tt.data))
		var refused *NotText
		if tt.refused != "" {
			if !errors.As(err, &refused) || !strings.Contains(refused.Reason, tt.refused) {
				t.Errorf("%s: got %q, %v; want it refused: %s", tt.name, text, err, tt.refused)
			}
			continue
		}
		if err != nil || text != tt.text || enc != tt.enc {
			t.Errorf("%s: got %q, %v, %v; want %q, %v", tt.name, text, enc, err, tt.text, tt.enc)
		}
		if back, err := enc.Encode(text); err != nil || string(back) != tt.data {
			t.Errorf("%s: encoded again: got %q, %v; want %q", tt.name, back, err, tt.data)
		}
	}
}

// FuzzDecode holds Decode to its promise: the same bytes come back, or it refuses.
func FuzzDecode(f *testing.F) {
	for _, seed := range []string{"", "a\r\n", "\xef\xbb\xbf\xef\xbb\xbf", "\xff\xfea\x00", "\xfe\xff\xd8\x3d\xde\x00", "\xe9", "a\x00\n\x00", "\x4e\x00\x0a\x00", "\xff\xfe\xff\xfe"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		text, enc, err := Decode(data)
		if err != nil {
			return
		}
		back, err := enc.Encode(text)
		if err != nil || !bytes.Equal(back, data) {
			t.Fatalf("%q became %q (%v), and that %q, %v", data, text, enc, back, err)
		}
		if strings.ContainsRune(text, 0) {
			t.Fatalf("%q: NUL in a text", data)
		}
	})
}

// TestWriteKeepsEncoding: what the agent writes is kept as the file was.
func TestWriteKeepsEncoding(t *testing.T) {
	for _, tt := range []struct{ name, disk, text, want, refused string }{
		{"utf-8 mark", "\xef\xbb\xbfa\r\n", "é\r\n", "\xef\xbb\xbfé\r\n", ""},
		{"mark in the text too", "\xef\xbb\xbfa\n", "\ufeffb\n", "\xef\xbb\xbfb\n", ""},
		{"utf-16le", "\xff\xfea\x00", "b€", "\xff\xfeb\x00\xac\x20", ""},
		{"latin-1", "\xe9\n", "\u00e8\n", "\xe8\n", ""},
		{"latin-1, now plain", "\xe9\n", "e\n", "e\n", ""},
		{"latin-1 cannot", "\xe9\n", "a\n€\n", "", "f:2: the text cannot be kept as latin1: it has no '€'"},
		{"latin-1 would be read as utf-8", "\xe9\n", "Ã©\n", "", "mean another text"},
		{"latin-1 control", "\xe9\n", "é\x1b\n", "", "control byte"},
		{"plain becomes utf-8", "e\n", "€\n", "€\n", ""},
		{"not utf-8", "e\n", "\xff\n", "", "not valid UTF-8"},
		{"NUL", "e\n", "a\x00\n", "", "NUL"},
	} {
		w, _ := open(t, map[string]string{"f": tt.disk})
		o := w.NewOverlay()
		_, err := o.Write("f", tt.text)
		if tt.refused != "" {
			var refused *Unencodable
			if !errors.As(err, &refused) || !strings.Contains(err.Error(), tt.refused) || o.State().Files != nil {
				t.Errorf("%s: got %v, want an *Unencodable with %q", tt.name, err, tt.refused)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		if got := string(o.State().Files[0].Now.Data); got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
}

// TestEncodingSurvivesASCII: a file that was without its special characters for a
// while is still kept as before.
func TestEncodingSurvivesASCII(t *testing.T) {
	w, _ := open(t, map[string]string{"f": "\xe9\n"})
	o := w.NewOverlay()
	for _, text := range []string{"", "e\n", "\u00fc\n"} {
		if _, err := o.Write("f", text); err != nil {
			t.Fatal(err)
		}
	}
	if got := string(o.State().Files[0].Now.Data); got != "\xfc\n" {
		t.Errorf("got %q, want latin1", got)
	}
}

// TestBufferEncoding: an editor's text has no mark and counts as kept like the
// file, unless the file's encoding cannot hold it: then nothing is lost.
func TestBufferEncoding(t *testing.T) {
	for _, tt := range []struct {
		name, disk, typed, want string
		enc                     Encoding
	}{
		{"mark", "\xef\xbb\xbfa\n", "b\n", "\xef\xbb\xbfb\n", Encoding{UTF8, true}},
		{"mark typed", "\xef\xbb\xbfa\n", "\ufeffb\n", "\xef\xbb\xbfb\n", Encoding{UTF8, true}},
		{"utf-16be", "\xfe\xff\x00a", "b", "\xfe\xff\x00b", Encoding{UTF16BE, true}},
		{"latin-1", "\xe9", "\u00e8", "\xe8", Encoding{Latin1, false}},
		{"latin-1 cannot", "\xe9", "€", "€", Encoding{UTF8, false}},
		{"as the editor misread it", "\xe9", "\ufffd", "\ufffd", Encoding{UTF8, false}},
	} {
		w, _ := open(t, map[string]string{"f": tt.disk})
		w.OpenBuffer("f", tt.typed, 7)
		file, err := w.Read("f")
		if err != nil || file.Text != tt.typed || file.Encoding != tt.enc || file.Hash != hashOf([]byte(tt.want)) || file.Version != 7 || !file.Buffer {
			t.Errorf("%s: got %+v, %v; want %q as %v with the hash of %q", tt.name, file, err, tt.typed, tt.enc, tt.want)
		}
	}
}
