package fixcheck

import (
	"strings"
	"testing"
)

func TestMatch(t *testing.T) {
	v := func(name string, priority int, tags, types string) Validator {
		return Validator{Manifest: Manifest{Name: name, Priority: priority, Tags: strings.Fields(tags), ErrorTypes: strings.Split(types, "|")}}
	}
	list := []Validator{
		v("b-name", 50, "python names", "NameError"),
		v("a-name", 50, "", "NameError"),
		v("module", 80, "python", "ModuleNotFoundError|No module named"),
		v("json", 50, "python", "json.JSONDecodeError"),
		v("plain-json", 60, "python", "JSONDecodeError"),
		v("nil", 50, "go", "panic"),
		v("script", 50, "javascript", "TypeError|is not a function"),
		v("typed", 50, "typescript", "TS2304"),
	}
	for _, c := range []struct {
		name  string
		claim Claim
		want  string
	}{
		{"nothing is known", Claim{}, ""},
		{"by type, in order of names", Claim{ErrorType: "NameError", Language: "python"}, "a-name b-name"},
		{"in any letters", Claim{ErrorType: "nameerror"}, "a-name b-name"},
		{"of another language", Claim{ErrorType: "NameError", Language: "ruby"}, "a-name"},
		{"by whole words of the message", Claim{ErrorMessage: "E   ImportError: no module named 'x'", Language: "python"}, "module"},
		{"not by parts of words", Claim{ErrorMessage: "MyNameErrors panicking", Language: "python"}, ""},
		{"qualified", Claim{ErrorType: "json.decoder.JSONDecodeError", Language: "python"}, "plain-json json"},
		{"not qualified", Claim{ErrorType: "JSONDecodeError", Language: "python"}, "plain-json json"},
		{"scripts are kin", Claim{ErrorType: "TypeError", Language: "typescript"}, "script"},
		{"and the other way", Claim{ErrorMessage: "a.js(1,1): error TS2304: Cannot find name", Language: "javascript"}, "typed"},
		{"a type in the message", Claim{ErrorMessage: "panic: runtime error", Language: "go"}, "nil"},
		{"a type in the message of another language", Claim{ErrorMessage: "panic: runtime error", Language: "python"}, ""},
		{"the language is not known", Claim{ErrorMessage: "x is not a function"}, "script"},
	} {
		var got []string
		for _, v := range Match(list, c.claim) {
			got = append(got, v.Name)
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}
