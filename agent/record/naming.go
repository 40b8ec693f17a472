package record

import "encoding/json"

// NamingContents is what of the body of a task's first record may name contents that the store keeps: all but its manifest, which only tells how
// the files of the workspace were. What cannot be read is all of it.
func NamingContents(body json.RawMessage) json.RawMessage {
	var fields map[string]json.RawMessage
	if json.Unmarshal(body, &fields) != nil || fields["task"] == nil {
		return body
	}
	delete(fields, "manifest")
	rest, err := json.Marshal(fields)
	if err != nil {
		return body
	}
	return rest
}
