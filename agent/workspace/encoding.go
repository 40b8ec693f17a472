package workspace

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// Charset is how the characters of a file are written as bytes.
type Charset string

// The charsets of text. Windows-1252 and other one-byte charsets are not told
// apart from Latin-1: their bytes survive, which is what counts.
const (
	UTF8    Charset = "utf-8"
	UTF16LE Charset = "utf-16le"
	UTF16BE Charset = "utf-16be"
	Latin1  Charset = "latin1"
)

// Encoding is how text is kept in a file. The zero value is UTF-8 without a
// byte-order mark.
type Encoding struct {
	Charset Charset `json:"charset"`
	BOM     bool    `json:"bom,omitempty"` // the file begins with a byte-order mark, which is no part of the text
}

// bom is the byte-order mark as a character.
const bom = '\ufeff'

// marks are the byte-order marks that are understood.
var marks = []struct {
	charset Charset
	bytes   []byte
}{
	{UTF8, []byte{0xef, 0xbb, 0xbf}},
	{UTF16LE, []byte{0xff, 0xfe}},
	{UTF16BE, []byte{0xfe, 0xff}},
}

// NotText says why a file cannot be read as text.
type NotText struct {
	Path   string // empty where Decode was not told
	Reason string
}

// Error implements error.
func (e *NotText) Error() string {
	subject := e.Path
	if subject == "" {
		subject = "the file"
	}
	return subject + " is not text: " + e.Reason + "; it can be renamed or deleted, or changed by a command"
}

// Unencodable says that a file's encoding cannot hold a text.
type Unencodable struct {
	Path     string // empty where Encode was not told
	Encoding Encoding
	Line     int // from 1; 0 where no single line is the reason
	Reason   string
}

// Error implements error.
func (e *Unencodable) Error() string {
	where := e.Path
	if e.Line > 0 {
		where += fmt.Sprintf(":%d", e.Line)
	}
	return strings.TrimPrefix(fmt.Sprintf("%s: the text cannot be kept as %s: %s; use characters that it has, or have a command convert the file to utf-8 first", where, e.Encoding.Charset, e.Reason), ": ")
}

// Decode returns the text of a file's bytes, line endings as they are, and the
// encoding that gives back exactly these bytes. What is not certainly text is
// refused with a *NotText.
func Decode(data []byte) (string, Encoding, error) {
	refuse := func(reason string) (string, Encoding, error) { return "", Encoding{}, &NotText{Reason: reason} }
	if bytes.HasPrefix(data, []byte{0xff, 0xfe, 0, 0}) || bytes.HasPrefix(data, []byte{0, 0, 0xfe, 0xff}) {
		return refuse("it begins with the byte order mark of UTF-32, which is not supported")
	}
	for _, mark := range marks {
		body, ok := bytes.CutPrefix(data, mark.bytes)
		if !ok {
			continue
		}
		enc := Encoding{mark.charset, true}
		text, valid := decodeUnicode(body, mark.charset)
		switch {
		case !valid:
			return refuse(fmt.Sprintf("it begins with the byte order mark of %s and is not valid %s", enc.Charset, enc.Charset))
		case strings.ContainsRune(text, 0):
			return refuse("it holds a NUL character")
		}
		return text, enc, nil
	}
	hasNUL := bytes.IndexByte(data, 0) >= 0
	if !hasNUL && utf8.Valid(data) {
		return string(data), Encoding{Charset: UTF8}, nil
	}
	if hasNUL {
		if text, charset, ok := decodeUnmarked(data); ok {
			return text, Encoding{Charset: charset}, nil
		}
		return refuse("it holds NUL bytes")
	}
	return decodeLatin1(data)
}

// decodeUnicode decodes the body of a marked file. The second result is false
// where encoding the text would not give the bytes back.
func decodeUnicode(body []byte, charset Charset) (string, bool) {
	if charset == UTF8 {
		return string(body), utf8.Valid(body)
	}
	if len(body)%2 != 0 {
		return "", false
	}
	units := make([]uint16, 0, len(body)/2)
	order := byteOrder(charset)
	for i := 0; i < len(body); i += 2 {
		units = append(units, order.Uint16(body[i:]))
	}
	for i := 0; i < len(units); i++ {
		if !utf16.IsSurrogate(rune(units[i])) {
			continue
		}
		if i+1 == len(units) || utf16.DecodeRune(rune(units[i]), rune(units[i+1])) == unicode.ReplacementChar {
			return "", false
		}
		i++
	}
	return string(utf16.Decode(units)), true
}

func byteOrder(charset Charset) wordOrder {
	if charset == UTF16BE {
		return binary.BigEndian
	}
	return binary.LittleEndian
}

// minUnmarked is how many bytes of UTF-16 without a mark are needed to be certain:
// any two small numbers of a binary file look like two letters.
const minUnmarked = 8

// decodeUnmarked decodes UTF-16 without a mark where that is certain: in one byte
// order, and only in one, every character is one that a text may hold, and at
// least half of them are ASCII.
func decodeUnmarked(data []byte) (string, Charset, bool) {
	if len(data) < minUnmarked {
		return "", "", false
	}
	var found []Charset
	var text string
	for _, charset := range []Charset{UTF16LE, UTF16BE} {
		t, valid := decodeUnicode(data, charset)
		if valid && strings.IndexFunc(t, func(r rune) bool { return !unicode.IsPrint(r) && !isTextControl(r) }) < 0 {
			found, text = append(found, charset), t
		}
	}
	ascii := 0
	for _, r := range text {
		if r < utf8.RuneSelf {
			ascii++
		}
	}
	if len(found) != 1 || ascii < len(data)/4 {
		return "", "", false
	}
	return text, found[0], true
}

// isTextControl reports whether a control character is one of plain text.
func isTextControl(r rune) bool { return r == '\t' || r == '\n' || r == '\r' || r == '\f' }

// decodeLatin1 is the last resort: each byte is the character of its number.
func decodeLatin1(data []byte) (string, Encoding, error) {
	runes := make([]rune, len(data))
	for i, b := range data {
		if b < ' ' && !isTextControl(rune(b)) {
			return "", Encoding{}, &NotText{Reason: fmt.Sprintf("it is not valid UTF-8 and holds the control byte 0x%02x", b)}
		}
		runes[i] = rune(b)
	}
	return string(runes), Encoding{Charset: Latin1}, nil
}

// Encode returns the bytes that keep a text in this encoding. The error is an
// *Unencodable.
func (e Encoding) Encode(text string) ([]byte, error) {
	if !utf8.ValidString(text) {
		return nil, &Unencodable{Encoding: e, Reason: "it is not valid UTF-8 itself"}
	}
	var data []byte
	if e.BOM {
		for _, mark := range marks {
			if mark.charset == e.Charset {
				data = append(data, mark.bytes...)
			}
		}
	}
	switch e.Charset {
	case UTF16LE, UTF16BE:
		order := byteOrder(e.Charset)
		for _, unit := range utf16.Encode([]rune(text)) {
			data = order.AppendUint16(data, unit)
		}
		return data, nil
	case Latin1:
		for i, r := range text {
			if r > 0xff {
				return nil, &Unencodable{Encoding: e, Line: 1 + strings.Count(text[:i], "\n"), Reason: fmt.Sprintf("it has no %q (%U)", r, r)}
			}
			data = append(data, byte(r))
		}
		return data, nil
	}
	return append(data, text...), nil
}

// encodeExact encodes a text and makes sure that it will be read back as the
// same text: a file without a mark is read by what its bytes look like, and a
// change of text can change that look.
func (e Encoding) encodeExact(text string) ([]byte, error) {
	data, err := e.Encode(text)
	if err != nil {
		return nil, err
	}
	back, _, err := Decode(data)
	if err != nil {
		return nil, &Unencodable{Encoding: e, Reason: "read back, " + strings.TrimPrefix(err.(*NotText).Reason, "it ")}
	}
	if back != text && back != strings.TrimPrefix(text, string(bom)) {
		return nil, &Unencodable{Encoding: e, Reason: "without a mark in the file the same bytes mean another text"}
	}
	return data, nil
}

// evident reports whether a file with this text shows its encoding: plain ASCII
// without a mark is the same in UTF-8 and in Latin-1 and says nothing.
func (e Encoding) evident(text string) bool {
	return e.BOM || e.Charset != UTF8 && e.Charset != "" || strings.IndexFunc(text, func(r rune) bool { return r >= utf8.RuneSelf }) >= 0
}

// wordOrder reads and writes the code units of UTF-16.
type wordOrder interface {
	binary.ByteOrder
	binary.AppendByteOrder
}
