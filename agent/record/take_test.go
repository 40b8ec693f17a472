package record

import (
	"strings"
	"testing"
)

// TestTake reads answers: a choice is meant by its text or by its number, whatever the face.
func TestTake(t *testing.T) {
	for _, tt := range []struct {
		name    string
		choices []string
		unsure  bool
		typed   string
		want    string // "" where it is asked again
		says    string
	}{
		{name: "text of a choice", choices: []string{"one line", "reST"}, typed: "reST", want: "reST"},
		{name: "number of a choice", choices: []string{"one line", "reST"}, typed: " 2", want: "reST"},
		{name: "number that is a choice", choices: []string{"2", "1"}, typed: "2", want: "2"},
		{name: "number among numbers", choices: []string{"20", "22"}, typed: "2", want: "22"},
		{name: "number beyond", choices: []string{"20", "22"}, typed: "4", says: "there is no answer 4, only 1 to 2"},
		{name: "nought", choices: []string{"20", "22"}, typed: "0", says: "there is no answer 0"},
		{name: "negative", choices: []string{"20", "22"}, typed: "-1", says: "there is no answer -1"},
		{name: "own words", choices: []string{"20", "22"}, typed: "make it 4", want: "make it 4"},
		{name: "number without choices", typed: "4", want: "4"},
		{name: "yes without doubt", typed: "y", want: "y"},
		{name: "yes to a doubt", unsure: true, typed: "Y", says: "or the word send if that was no secret"},
		{name: "no to a doubt", unsure: true, typed: " no", says: "type another answer"},
		{name: "yes that is a choice", choices: []string{"yes"}, unsure: true, typed: "yes", want: "yes"},
		{name: "other words to a doubt", unsure: true, typed: "shop-eu", want: "shop-eu"},
	} {
		q := Question{Text: "Which?", Subject: Input{Choices: tt.choices}, Unsure: tt.unsure}
		got, err := q.Take(Answer{Text: tt.typed})
		if tt.says != "" {
			if err == nil || !strings.Contains(err.Error(), tt.says) {
				t.Errorf("%s: %v", tt.name, err)
			}
			continue
		}
		if err != nil || got.Text != tt.want {
			t.Errorf("%s: %q, %v", tt.name, got.Text, err)
		}
		if again, err := q.Take(got); err != nil || again != got {
			t.Errorf("%s: taken twice it is %q, %v", tt.name, again.Text, err)
		}
	}
}
