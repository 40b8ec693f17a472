package settings

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// decode reads JSON in which comments and trailing commas are allowed, as
// editors' own settings files have them. Errors name line and column.
func decode(text []byte) (any, error) {
	plain := blank(bytes.TrimPrefix(text, []byte("\ufeff")))
	d := json.NewDecoder(bytes.NewReader(plain))
	d.UseNumber()
	var value any
	err := d.Decode(&value)
	at := d.InputOffset()
	if err == nil {
		if _, more := d.Token(); more != io.EOF {
			return nil, fmt.Errorf("%s: there is more after the value", position(plain, at))
		}
		return value, nil
	}
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &syntax):
		return nil, fmt.Errorf("%s: %w", position(plain, syntax.Offset-1), err)
	case errors.Is(err, io.EOF):
		return nil, errors.New("it is empty, it must hold an object: {}")
	case errors.Is(err, io.ErrUnexpectedEOF):
		return nil, fmt.Errorf("%s: a bracket or quotation mark is not closed", position(plain, int64(len(plain))))
	}
	return nil, err
}

// position returns an offset as line and column, counted in bytes from 1.
func position(text []byte, offset int64) string {
	before := text[:max(0, min(int(offset), len(text)))]
	return fmt.Sprintf("line %d, column %d", bytes.Count(before, []byte("\n"))+1, len(before)-bytes.LastIndexByte(before, '\n'))
}

// blank returns text with comments and trailing commas turned to blanks, so that
// every other byte keeps its place and errors theirs.
func blank(text []byte) []byte {
	out := bytes.Clone(text)
	comma := -1 // the last comma with nothing but blanks after it
	for i := 0; i < len(out); {
		n := 1
		switch c := out[i]; {
		case c == '"':
			n, comma = quoted(out[i:]), -1
		case c == '/':
			if n = comment(out[i:]); n == 0 {
				n, comma = 1, -1
				break
			}
			for j := i; j < i+n; j++ {
				if out[j] != '\n' {
					out[j] = ' '
				}
			}
		case c == ',':
			comma = i
		case (c == '}' || c == ']') && comma >= 0:
			out[comma], comma = ' ', -1
		case !bytes.ContainsRune([]byte(" \t\r\n"), rune(c)):
			comma = -1
		}
		i += n
	}
	return out
}

// quoted returns the length of the string literal that text begins with.
func quoted(text []byte) int {
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"', '\n':
			return i + 1
		}
	}
	return len(text)
}

// comment returns the length of the comment that text begins with, or 0. One
// that is not closed is none: the decoder then says where it begins.
func comment(text []byte) int {
	if bytes.HasPrefix(text, []byte("//")) {
		if i := bytes.IndexByte(text, '\n'); i >= 0 {
			return i
		}
		return len(text)
	}
	if bytes.HasPrefix(text, []byte("/*")) {
		if i := bytes.Index(text[2:], []byte("*/")); i >= 0 {
			return i + 4
		}
	}
	return 0
}
