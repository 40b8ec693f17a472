package rules

import (
	"testing"

	"caselsp/agent/validate"
)

// Whose a mistake is, told from the texts before and after an edit.
func TestIntroducedByEdits(t *testing.T) {
	for _, c := range []struct {
		name, path, before, after string
		want                      int
	}{
		{"moved down", "a.py", "x = (1 +\n", "import os\n\nx = (1 +\n", 0},
		{"indented anew", "a.html", "<main>\n<b>x\n</main>", "<main>\n    <b>x\n</main>", 0},
		{"another line, the same words", "a.json", "[\n  1 2\n]", "[\n  3 4\n]", 1},
		{"the first of two", "a.html", "<p></b>one\n<p></i>two", "<p>one\n<p></i>two", 0},
		{"one more", "a.html", "<p></b>one\n<p>two", "<p></b>one\n<p></b>two", 1},
		{"broken", "a.go", "package a\n", "package a\nfunc {\n", 1},
		{"mended", "a.go", "package a\nfunc {\n", "package a\n", 0},
		{"new file", "a.css", "", "a { color: red", 1},
	} {
		if got := validate.Introduced(Default().Check(c.path, c.before), Default().Check(c.path, c.after)); len(got) != c.want {
			t.Errorf("%s: %+v introduced, want %d", c.name, got, c.want)
		}
	}
}

// What other tools' comments accept is accepted here, too, except at the gate.
func TestForeignComments(t *testing.T) {
	for _, c := range []struct {
		path, text string
		want       int
	}{
		{"a.py", "eval(x)\n", 1},
		{"a.py", "eval(x)  # nosec B307 - ours\n", 0},
		{"a.py", "eval('# nosec', x or y) or eval(z)\n", 2},
		{"a.py", "eval(x +  # nosec\n     y)\n", 0},
		{"a.conf", "token=Lq9Xz4Vt8Wn1Rm6Pc3Yd5Hf0Gs2Ju\n", 1},
		{"a.conf", "token=Lq9Xz4Vt8Wn1Rm6Pc3Yd5Hf0Gs2Ju # gitleaks:allow\n", 0},
		{"a.go", "package a\n\nvar token = \"Lq9Xz4Vt8Wn1Rm6Pc3Yd5Hf0Gs2Ju\" // #nosec G101\n", 0},
	} {
		if got := Default().Check(c.path, c.text); len(got) != c.want {
			t.Errorf("%q: %+v, want %d", c.text, got, c.want)
		}
	}
	if got := Default().Strict().Check("a.py", "eval(x)  # nosec\n"); len(got) != 1 {
		t.Errorf("at the gate: %+v", got)
	}
}

// Names that are declared and never given anything, and texts that do not parse,
// are no trouble to what follows names.
func TestNamesOfBrokenCode(t *testing.T) {
	for name, text := range map[string]string{
		"a.go": "package a\n\nfunc f() {\n\tvar c *Client\n\tc.Query(\"SELECT\")\n\tdb.Get(x, y)\n}\n",
		"b.py": "from a import\nimport as b\nx =\nf(a=)\ndef g(:\n",
		"c.js": "const\nlet x = ;\nf(...)\nimport {} from\n(,)\n",
	} {
		for _, f := range Default().Check(name, text) {
			if f.Rule == "sql-injection" {
				t.Errorf("%s: %+v", name, f)
			}
		}
	}
}
