package record

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"
)

// TestQuestionJSON reads and writes a question about each subject as it is published, and
// refuses those about what is not known.
func TestQuestionJSON(t *testing.T) {
	for text, subject := range map[string]Subject{
		`{"id":"q1","task":"t","kind":"approval","text":"x","command":"ls","where":"here","why":"w","touches":["reads"],"shape":"ls","like":"ls","basis":{"hosts":["h"]}}`: Command{Line: "ls", Where: "here", Touches: []string{"reads"}, Always: "ls", Like: "ls", Basis: Basis{Hosts: []string{"h"}}},
		`{"id":"q1","task":"t","kind":"approval","text":"x","command":"ls","for_task":{"files":{"a":"1"},"memory":5}}`:                                                     Command{Line: "ls", ForTask: &Basis{Files: map[string]string{"a": "1"}, Memory: 5}},
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

// TestForTask has a command be allowed for a task while what it rests on stays as it was.
func TestForTask(t *testing.T) {
	basis := Basis{Files: map[string]string{"x.py": "1"}, Opened: []string{".env"}, Memory: 10, Time: 10}
	asked := func(p *State, about Command, answer string) {
		q := Question{ID: "q1", Subject: about}
		if err := q.Check(Answer{Text: answer}); err != nil {
			t.Fatal(err)
		}
		p.Apply(1, time.Time{}, Asked{Question: q})
		p.Apply(2, time.Time{}, Answered{ID: "q1", Answer: Answer{Text: answer}})
	}
	var p State
	asked(&p, Command{Line: "python x.py", ForTask: &basis}, ApproveTask)
	asked(&p, Command{Line: "python y.py", ForTask: &basis}, Approve)
	tests := Basis{Tests: true, Files: map[string]string{"conftest.py": "1"}}
	asked(&p, Command{Line: "pytest", ForTask: &tests}, ApproveTask)
	for _, c := range []struct {
		line    string
		now     Basis
		allowed bool
		why     string
	}{
		{"python x.py", basis, true, ""},
		{"python x.py", Basis{Files: basis.Files, Memory: 5, Time: 5}, true, ""},
		{"python y.py", basis, false, ""},
		{"python x.py ", basis, false, ""},
		{"python x.py", Basis{Files: map[string]string{"x.py": "2"}}, false, "x.py has changed"},
		{"python x.py", Basis{}, false, "x.py is no longer there"},
		{"python x.py", Basis{Files: map[string]string{"x.py": "1", "y.py": "1"}}, false, "y.py has changed"},
		{"python x.py", Basis{Files: basis.Files, Hosts: []string{"h"}}, false, "commands can reach h now"},
		{"python x.py", Basis{Files: basis.Files, Opened: []string{"k.pem"}}, false, "commands can read k.pem now"},
		{"python x.py", Basis{Files: basis.Files, Memory: 11}, false, "commands may use more memory or time now"},
		{"python x.py", Basis{Files: basis.Files, Time: 11}, false, "commands may use more memory or time now"},
		{"pytest", tests, true, ""},
		{"pytest", Basis{Files: map[string]string{"conftest.py": "2"}}, false, "conftest.py has changed"},
	} {
		if allowed, why := p.ForTask(c.line, func(tests bool) Basis {
			if tests != (c.line == "pytest") {
				t.Errorf("%s: asked for what a run of tests rests on: %t", c.line, tests)
			}
			return c.now
		}); allowed != c.allowed || why != c.why {
			t.Errorf("%s on %+v: %t, %q", c.line, c.now, allowed, why)
		}
	}
	for _, about := range []Approvable{Command{Line: "ls"}, Install{}} {
		if (Question{Subject: about}).Check(Answer{Text: ApproveTask}) == nil {
			t.Errorf("%T is allowed for the task, which is not offered", about)
		}
	}
}
