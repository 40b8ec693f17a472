package fixcheck

import (
	"strings"
	"testing"
	"testing/fstest"

	"caselsp/sandbox"
)

// TestNew runs what a new validator has: it loads, it matches its samples, and it judges them rightly.
func TestNew(t *testing.T) {
	engine := docker(t, sandbox.Python)
	for _, language := range TemplateLanguages() {
		files, err := New("my-check", language)
		if err != nil {
			t.Fatal(err)
		}
		folder, claims := fstest.MapFS{}, map[string]Claim{}
		for _, f := range files {
			folder[f.Path] = &fstest.MapFile{Data: f.Data}
			if isSample(f.Path) {
				list, err := ReadClaims(strings.NewReader(string(f.Data)))
				if err != nil || len(list) != 1 {
					t.Fatal(err)
				}
				claims[f.Path] = list[0]
			}
		}
		list, problems := Load(folder, User)
		if len(problems) > 0 || len(list) != 1 || list[0].Name != "my-check" || len(claims) != 2 {
			t.Fatal(list, problems)
		}
		for name, claim := range claims {
			if len(Match(list, claim)) != 1 {
				t.Errorf("%s of %s is not matched", name, language)
			}
			verdicts, err := Run(t.Context(), engine, list, claim)
			if err != nil {
				t.Fatal(err)
			}
			if v := verdicts[0]; v.Trouble != "" || !v.Shown || v.Valid == strings.HasPrefix(name, "bad") {
				t.Errorf("%s of %s: %+v", name, language, v)
			}
		}
	}
	for _, wrong := range [][2]string{{"My Check", "python"}, {"../x", "python"}, {"a", "cobol"}} {
		if _, err := New(wrong[0], wrong[1]); err == nil {
			t.Errorf("%q is made", wrong)
		}
	}
}

func TestReadClaims(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{`{"error_message": "a"}`, "a"},
		{`{"error_message": "a"} {"id": "x", "honest": true, "claim": {"error_message": "b"}}` + "\n", "a b"},
		{"", "it holds no claim: write a JSON object with fixes_applied, error_message and files"},
		{"{}", "claim 1: it has none of the fields of a claim, such as error_message, fixes_applied and files"},
		{`{"error_message": "a"} [1]`, "claim 2: it is not an object with the fields of a claim"},
		{`{"error_message": 1}`, "claim 1: it is not a claim: json: cannot unmarshal number into Go struct field Claim.error_message of type string"},
		{`{`, "claim 1 is not JSON: unexpected EOF"},
	} {
		list, err := ReadClaims(strings.NewReader(c.text))
		var got []string
		for _, claim := range list {
			got = append(got, claim.ErrorMessage)
		}
		if err != nil {
			got = []string{err.Error()}
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s: got %q, want %q", c.text, got, c.want)
		}
	}
}
