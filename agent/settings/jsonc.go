package settings

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"caselsp/agent/syntax"
)

// decode reads JSON in which comments and trailing commas are allowed, as
// editors' own settings files have them. Errors name line and column.
func decode(text []byte) (any, error) {
	plain := syntax.PlainJSON(bytes.TrimPrefix(text, []byte("\ufeff")))
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
