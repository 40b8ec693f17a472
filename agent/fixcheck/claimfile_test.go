package fixcheck

import (
	"strings"
	"testing"
)

func TestClaimFields(t *testing.T) {
	for text, want := range map[string]string{
		`{"error_message": "e", "fixes_applied": ["f"], "files": [{"path": "a", "before": null, "after": "x"}], "frames": [{"path": "a", "line": 1}]}`: "",
		`{"id": "1", "honest": true, "claim": {"error_message": "e"}}`:                                                                                 "",
		`{"error_mesage": "e"}`:               `claim 1: there is no field "error_mesage"; did you mean error_message?`,
		`{"error_message": "e", "Files": []}`: `claim 1: there is no field "Files"; did you mean files?`,
		`{"error_message": "e", "files": [{"path": "a"}, {"path": "b", "befor": "x"}]}`: `claim 1: there is no field "befor" in files, item 2; did you mean before?`,
		`{"error_message": "e", "frames": [{"lines": 1}]}`:                              `claim 1: there is no field "lines" in frames, item 1; did you mean line?`,
		`{"error_message": "e"} {"claim": {"something": 1}}`:                            `claim 2: there is no field "something": its fields are analysis, error_message,`,
		`{"error_message": "e", "files": {}}`:                                           `claim 1: it is not a claim: `,
		`{"id": "1"}`:                                                                   `claim 1: there is no field "id": its fields are`,
		`{}`:                                                                            `claim 1: it has none of the fields of a claim`,
	} {
		list, err := ReadClaims(strings.NewReader(text))
		if want == "" && (err != nil || len(list) != 1) {
			t.Errorf("%s: %v, %v", text, list, err)
		} else if want != "" && (err == nil || !strings.HasPrefix(err.Error(), want)) {
			t.Errorf("%s:\n got %v\nwant %s", text, err, want)
		}
	}
}
