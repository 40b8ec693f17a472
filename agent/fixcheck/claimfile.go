package fixcheck

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
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
	if err := json.Unmarshal(raw, &c); err != nil {
		return c, fmt.Errorf("it is not a claim: %w", err)
	}
	if c.ErrorMessage == "" && c.ErrorType == "" && c.Fixes == nil && c.Files == nil {
		return c, errors.New("it has none of the fields of a claim, such as error_message, fixes_applied and files")
	}
	return c, nil
}
