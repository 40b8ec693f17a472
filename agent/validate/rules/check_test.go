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

// What comments of other tools accept is accepted here, too, except at the gate:
// of the rules that they name, or of all that the tool would have judged.
func TestForeignComments(t *testing.T) {
	const js = "export const same = (a, b) => a === b;\n"
	const sheet = ".card {\n  colour: red;\n}\n"
	for _, c := range []struct {
		path, text string
		want       int
	}{
		{"a.py", "eval(x)\n", 1},
		{"a.py", "eval(x)  # nosec B307 - ours\n", 0},
		{"a.py", "eval(x)  # nosec: B307\n", 0},
		{"a.py", "eval(x)  # nosec\n", 0},
		{"a.py", "eval(x)  # nosec B602\n", 1},
		{"a.py", "eval('# nosec', x or y) or eval(z)\n", 2},
		{"a.py", "eval(x +  # nosec\n     y)\n", 0},
		{"a.py", "eval(x)  # noqa\n", 0},
		{"a.py", "eval(x)  # noqa: S307\n", 0},
		{"a.py", "eval(x)  # noqa: E501,S307 checked above\n", 0},
		{"a.py", "eval(x)  # noqa: E501\n", 1},
		{"a.py", "eval(x)  # type: ignore # noqa: S307\n", 0},
		{"a.py", "# ruff: noqa: S307\n\neval(x)\neval(y)\n", 0},
		{"a.py", "# flake8: noqa\n\neval(x)\n", 0},
		{"a.py", "# pylint: disable-next=eval-used\neval(x)\neval(y)\n", 1},
		{"a.py", "def f(x):\n    # pylint: disable=eval-used\n    if x:\n        eval(x)\n\n\neval(y)\n", 1},
		{"a.py", "x = = 1  # noqa\n", 1}, // what does not parse is no matter of taste
		{"a.conf", "token=Lq9Xz4Vt8Wn1Rm6Pc3Yd5Hf0Gs2Ju\n", 1},
		{"a.conf", "token=Lq9Xz4Vt8Wn1Rm6Pc3Yd5Hf0Gs2Ju # gitleaks:allow\n", 0},
		{"a.go", "package a\n\nvar token = \"Lq9Xz4Vt8Wn1Rm6Pc3Yd5Hf0Gs2Ju\" // #nosec G101\n", 0},
		{"a.go", "package a\n\nvar token = \"Lq9Xz4Vt8Wn1Rm6Pc3Yd5Hf0Gs2Ju\" //nolint:gosec // not in use\n", 0},
		{"a.go", "package a\n\nvar token = \"Lq9Xz4Vt8Wn1Rm6Pc3Yd5Hf0Gs2Ju\" //nolint:errcheck\n", 1},
		{"a.js", js + "if (x == y) eval(x);\n", 2},
		{"a.js", js + "// eslint-disable-next-line eqeqeq, no-eval -- a test\nif (x == y) eval(x);\n", 0},
		{"a.js", js + "if (x == y) eval(x); // eslint-disable-line no-eval\n", 1},
		{"a.js", js + "if (x == y) eval(x); // eslint-disable-line\n", 0},
		{"a.js", "/* eslint-disable no-eval */\n" + js + "eval(x);\n/* eslint-enable no-eval */\neval(y);\n", 1},
		{"a.js", js + "// biome-ignore lint/suspicious/noDoubleEquals: they differ in type\nif (x == y) eval(x);\n", 1},
		{"a.ts", "/* eslint @typescript-eslint/no-unused-vars: off */\nfunction f() {\n  const a = 1; // eslint-disable-line @typescript-eslint/no-unused-vars\n}\nf();\n", 0},
		{"a.css", sheet, 1},
		{"a.css", "/* stylelint-disable property-no-unknown */\n" + sheet, 0},
		{"a.css", "/* stylelint-disable color-no-invalid-hex */\n" + sheet, 1},
		{"a.html", "<!-- [html-validate-disable-next wcag/h37 -- drawn later] -->\n<img class=\"map\" src=\"/a.png\">\n", 0},
	} {
		if got := Default().Check(c.path, c.text); len(got) != c.want {
			t.Errorf("%q: %+v, want %d", c.text, got, c.want)
		}
	}
	for _, text := range []string{"eval(x)  # nosec\n", "eval(x)  # noqa\n", "# ruff: noqa\neval(x)\n"} {
		if got := Default().Strict().Check("a.py", text); len(got) != 1 {
			t.Errorf("%q at the gate: %+v", text, got)
		}
	}
}

// Findings in tests, generated and vendored files are of the lowest severity, and
// settings say otherwise. What does not parse, and keys of services, are not lower.
func TestOrigins(t *testing.T) {
	const eval, broken = "document.title = eval(x);\n", "let a = ;\n"
	for _, c := range []struct {
		path, text string
		levels     map[string]string
		want       validate.Severity // "": nothing is found
	}{
		{"src/a.js", eval, nil, validate.Critical},
		{"vendor/a.js", eval, nil, validate.Info},
		{"web/node_modules/x/a.js", eval, nil, validate.Info},
		{"/srv/vendor/app/a.js", eval, nil, validate.Critical}, // where a project lies says nothing
		{"vendor/a.js", eval, map[string]string{"vendored": "off"}, ""},
		{"vendor/a.js", eval, map[string]string{"vendored": "critical"}, validate.Critical},
		{"vendor/a.js", eval, map[string]string{"generated": "critical"}, validate.Info},
		{"vendor/a.js", broken, nil, validate.Critical},
		{"src/a.js", "// Code generated by protoc. DO NOT EDIT.\n" + eval, nil, validate.Info},
		{"src/a.js", "// @generated\n" + eval, nil, validate.Info},
		{"src/a.js", "// The report is generated by hand.\n" + eval, nil, validate.Critical},
		{"static/jquery-3.6.0.js", eval, nil, validate.Info},
		{"static/tools.js", "/*! Tools v2.1.0 | MIT */\n" + eval, nil, validate.Info},
		{"tests/page.html", "<!DOCTYPE html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>A</title></head><body><img src=\"/a.png\"></body></html>\n", nil, validate.Info},
	} {
		suite, err := Default().Configure(c.levels)
		if err != nil {
			t.Fatal(err)
		}
		var got validate.Severity
		for _, f := range suite.Check(c.path, c.text) {
			if got == "" || f.Severity == validate.Critical {
				got = f.Severity
			}
		}
		if got != c.want {
			t.Errorf("%s %q %v: %q, want %q", c.path, c.text, c.levels, got, c.want)
		}
	}
	// Whoever writes a file chooses its name and its first lines.
	for _, text := range []string{"// @generated\n" + eval, "/*! A v1.0.0 */\n" + eval} {
		if got := Default().Strict().Check("vendor/a.js", text); len(got) != 1 || got[0].Severity != validate.Critical {
			t.Errorf("%q at the gate: %+v", text, got)
		}
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
