package fixcheck

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"reflect"
	"slices"
	"strings"

	"caselsp/agent/near"
)

// ReadClaims reads claims as JSON objects, one after the other. An object may hold a claim in its field "claim", as those of
// a corpus do.
func ReadClaims(r io.Reader) (list []Claim, err error) {
	dec := json.NewDecoder(r)
	for {
		var raw json.RawMessage
		switch err := dec.Decode(&raw); {
		case errors.Is(err, io.EOF) && len(list) > 0:
			return list, nil
		case errors.Is(err, io.EOF):
			return nil, errors.New("it holds no claim: write a JSON object with fixes_applied, error_message and files")
		case err != nil:
			return nil, fmt.Errorf("claim %d is not JSON: %w", len(list)+1, err)
		}
		c, err := readClaim(raw)
		if err != nil {
			return nil, fmt.Errorf("claim %d: %w", len(list)+1, err)
		}
		list = append(list, c)
	}
}

func readClaim(raw []byte) (c Claim, err error) {
	var row struct {
		Claim json.RawMessage `json:"claim"`
	}
	if err := json.Unmarshal(raw, &row); err != nil {
		return c, errors.New("it is not an object with the fields of a claim")
	}
	if row.Claim != nil {
		raw = row.Claim
	}
	if err := knownFields(raw, reflect.TypeFor[Claim](), ""); err != nil {
		return c, err
	}
	if err := json.Unmarshal(raw, &c); err != nil {
		return c, fmt.Errorf("it is not a claim: %w", err)
	}
	if c.ErrorMessage == "" && c.ErrorType == "" && c.Fixes == nil && c.Files == nil {
		return c, errors.New("it has none of the fields of a claim, such as error_message, fixes_applied and files")
	}
	return c, nil
}

// knownFields reports a field of a JSON object, and of the objects in its lists, that the type it is read into does not have:
// what is misspelt would be left out silently. What is no object is reported when it is read.
func knownFields(raw json.RawMessage, kind reflect.Type, within string) error {
	var fields map[string]json.RawMessage
	if json.Unmarshal(raw, &fields) != nil {
		return nil
	}
	known := map[string]reflect.Type{}
	for _, f := range reflect.VisibleFields(kind) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		known[name] = f.Type
	}
	names := slices.Sorted(maps.Keys(known))
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		is, there := known[name]
		if !there {
			meant := near.Closest(strings.ToLower(name), names, min(wrongFieldFar, len(name)/2))
			if meant != "" {
				return fmt.Errorf("there is no field %q%s; did you mean %s?", cut(name, maxName), within, meant)
			}
			return fmt.Errorf("there is no field %q%s: its fields are %s", cut(name, maxName), within, strings.Join(names, ", "))
		}
		var list []json.RawMessage
		if is.Kind() != reflect.Slice || is.Elem().Kind() != reflect.Struct || json.Unmarshal(fields[name], &list) != nil {
			continue
		}
		for i, item := range list {
			if err := knownFields(item, is.Elem(), fmt.Sprintf(" in %s, item %d", name, i+1)); err != nil {
				return err
			}
		}
	}
	return nil
}
