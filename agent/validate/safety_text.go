package validate

import (
	"path"
	"strings"
)

// Safety of the text itself, whatever the language.
var safetyTextRules = []Rule{{
	ID: "bidi-text", Title: "Characters that make code look like other code", Severity: Critical, Category: Safety, Standards: []string{"CWE-1007"},
	Doc: "Marks that turn the direction of writing around make an editor show a line in another order than the computer reads it: what looks like a comment is code, and " +
		"the other way round (\"Trojan Source\"). Right-to-left languages need none of them in source: delete them, or write `\\u202e`.",
	File: "access.py", Bad: "if level != \"user\u202e \u2066# admins only\u2069 \u2066\":\n    allow()\n", Good: "if level != \"user\":  # admins only\n    allow()\n",
	Check: func(p *Pass) {
		for _, c := range p.Code() {
			if c.Owner != nil {
				return
			}
		}
		if p.Lang == "html" || p.Lang == "json" || p.Lang == "jsonc" {
			return
		}
		for at, r := range p.Text {
			if strings.ContainsRune("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069", r) {
				p.Report(at, at+len(string(r)), "U+%04X turns the direction of writing around, so that this line is not what it looks like: delete it, or write it as an escape.", r)
			}
		}
	},
}}

// untested lets the rules of a table pass over tests: what is wrong there is
// mostly on purpose, and never runs where strangers are.
func untested(list []Rule) []Rule {
	for i := range list {
		check := list[i].Check
		list[i].Check = func(p *Pass) {
			if !p.test() {
				check(p)
			}
		}
	}
	return list
}

// testFile reports whether a file is a test or belongs to one.
func testFile(file string) bool {
	base := strings.ToLower(path.Base(file))
	stem := strings.TrimSuffix(base, path.Ext(base))
	if strings.HasPrefix(stem, "test_") || strings.HasSuffix(stem, "_test") || strings.HasSuffix(stem, ".test") || strings.HasSuffix(stem, ".spec") || strings.HasSuffix(stem, "-test") ||
		strings.HasSuffix(stem, "_tests") || stem == "tests" || stem == "conftest" || strings.HasSuffix(stem, ".stories") {
		return true
	}
	if path.IsAbs(file) {
		return false // where a project lies says nothing about its files
	}
	for _, dir := range strings.Split(strings.ToLower(path.Dir(file)), "/") {
		switch dir {
		case "test", "tests", "testing", "__tests__", "spec", "specs", "testdata", "fixtures", "__fixtures__", "__mocks__", "mocks", "e2e", "cypress":
			return true
		}
	}
	return false
}
