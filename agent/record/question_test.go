package record

import (
	"encoding/json"
	"reflect"
	"testing"
)

// TestQuestionJSON reads and writes a question about each subject as it is published, and
// refuses those about what is not known.
func TestQuestionJSON(t *testing.T) {
	for text, subject := range map[string]Subject{
		`{"id":"q1","task":"t","kind":"approval","text":"x","command":"ls","where":"here","why":"w","touches":["reads"],"shape":"ls","like":"ls","basis":{"hosts":["h"]}}`: Command{Line: "ls", Where: "here", Touches: []string{"reads"}, Always: "ls", Like: "ls", Basis: Basis{Hosts: []string{"h"}}},
		`{"id":"q1","task":"t","kind":"approval","text":"x","command":".env","why":"w","leave":"read .env"}`:                                                               Guarded{Leave: "read .env", What: ".env"},
		`{"id":"q1","task":"t","kind":"approval","text":"x","command":"pip install","where":"here","why":"w","layer":"k"}`:                                                 Install{Key: "k", Line: "pip install", Where: "here"},
		`{"id":"q1","task":"t","kind":"approval","text":"x","command":"a.py, line 1","why":"w","leave":"r in a.py","shape":"r in a.py","like":"r in a.py","finding":true}`: Finding{Key: "r in a.py", Place: "a.py, line 1"},
		`{"id":"q1","task":"t","kind":"secret","text":"x","why":"w","secret":"TOKEN"}`:                                                                                     Secret{Name: "TOKEN"},
		`{"id":"trust","task":"t","kind":"trust","text":"x","why":"w"}`:                                                                                                    Trust{},
		`{"id":"limit","task":"t","kind":"extend","text":"x","why":"w","more":5}`:                                                                                          Limit{More: 5},
		`{"id":"q1","task":"t","kind":"input","text":"x","choices":["a","b"]}`:                                                                                             Input{Choices: []string{"a", "b"}},
	} {
		var q Question
		if err := json.Unmarshal([]byte(text), &q); err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if !reflect.DeepEqual(q.Subject, subject) {
			t.Errorf("%s is about %+v, want %+v", text, q.Subject, subject)
		}
		if again, err := json.Marshal(q); err != nil || string(again) != text {
			t.Errorf("written again it is %s (%v), not %s", again, err, text)
		}
	}
	for _, text := range []string{`{}`, `{"kind":"no such kind"}`, `null`} {
		var q Question
		if err := json.Unmarshal([]byte(text), &q); err == nil {
			t.Errorf("%s is about %+v", text, q.Subject)
		}
	}
	if text, err := json.Marshal(Question{ID: "q1"}); err == nil {
		t.Errorf("a question about nothing is written: %s", text)
	}
}
