package main

import (
	"encoding/json"
	"fmt"
	"io"
	"unicode/utf8"
)

// newEncoder returns the encoder of all JSON that commands print. It is shown in terminals, and
// its strings come from models, files and commands: control characters and those that change the
// direction of text are escaped, which means the same to every reader of JSON.
func newEncoder(out io.Writer) *json.Encoder { return json.NewEncoder(plainJSON{out}) }

// plainJSON is a writer of JSON that escapes what a terminal obeys. Each write is of whole
// values: outside of its strings JSON is ASCII.
type plainJSON struct{ out io.Writer }

func (p plainJSON) Write(value []byte) (int, error) {
	safe := make([]byte, 0, len(value))
	for i := 0; i < len(value); {
		r, size := utf8.DecodeRune(value[i:])
		if obeyed(r) {
			safe = fmt.Appendf(safe, `\u%04x`, r)
		} else {
			safe = append(safe, value[i:i+size]...)
		}
		i += size
	}
	if _, err := p.out.Write(safe); err != nil {
		return 0, err
	}
	return len(value), nil
}

// obeyed reports whether a terminal obeys a character rather than shows it: the control
// characters that encoding/json writes as they are (DEL and C1), and those for directions.
func obeyed(r rune) bool {
	switch {
	case r >= 0x7f && r <= 0x9f, r == 0x061c, r == 0x200e, r == 0x200f:
		return true
	}
	return r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069
}
