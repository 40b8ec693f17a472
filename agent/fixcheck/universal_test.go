package fixcheck

import (
	"strings"
	"testing"
)

// changeOf reads "path|before|after"; "-" is a file that is not there, "?" one that is not shown.
func changeOf(path, before, after string) File {
	text := func(s string) *string {
		if s == "-" || s == "?" {
			return nil
		}
		return &s
	}
	return File{Path: path, Before: text(before), After: text(after)}
}

// refusedBy is the name of the check that refuses a claim.
func refusedBy(t *testing.T, c Claim) string {
	t.Helper()
	var names []string
	for _, v := range Universal(c) {
		if !v.Refuses() || v.ID != "" || v.Origin != Builtin || v.Reason == "" {
			t.Errorf("%+v", v)
		}
		names = append(names, v.Validator)
	}
	return strings.Join(names, " ")
}

func TestUnchanged(t *testing.T) {
	for _, c := range []struct {
		name  string
		files []File
		want  string
	}{
		{"nothing", nil, Unchanged},
		{"the same text", []File{changeOf("a.py", "x = 1\n", "x = 1\n")}, Unchanged},
		{"an empty file is new", []File{changeOf("a/__init__.py", "-", "")}, ""},
		{"a file is gone", []File{changeOf("a.txt", "", "-")}, ""},
		{"a binary file", []File{changeOf("a.png", "?", "?")}, ""},
		{"indentation of Python", []File{changeOf("a.py", "if a:\n    b()\n    c()\n", "if a:\n    b()\nc()\n")}, ""},
		{"indentation of a Makefile", []File{changeOf("Makefile", "a:\n  b\n", "a:\n\tb\n")}, ""},
	} {
		if got := refusedBy(t, Claim{Files: c.files}); got != c.want {
			t.Errorf("%s: refused by %q, not by %q", c.name, got, c.want)
		}
	}
}

// programs are texts of a file before and after a fix.
var programs = []struct {
	name, path, before, after string
	message                   string
	want                      string
}{
	{"a comment", "a.py", "x = 1\n", "# the value\nx = 1  # is one\n", "", SameProgram},
	{"blank lines", "a.py", "x = 1\ny = 2\n", "x = 1\n\n\ny = 2\n", "", SameProgram},
	{"wider blocks", "a.py", "def f():\n  return 1\n", "def f():\n    return 1\n", "", SameProgram},
	{"a call over lines", "a.py", "f(a, b)\n", "f(\n    a, b)\n", "", SameProgram},
	{"another block", "a.py", "for x in y:\n    a()\n    b()\n", "for x in y:\n    a()\nb()\n", "", ""},
	{"a return that leaves its loop", "a.py", "def f():\n    for x in y:\n        a()\n        return 1\n", "def f():\n    for x in y:\n        a()\n    return 1\n", "", ""},
	{"a blank in a string", "a.py", "x = 'a b'\n", "x = 'a  b'\n", "", ""},
	{"blanks that are a string", "a.py", "x = ' '\n", "x = '  '\n", "", ""},
	{"a docstring", "a.py", "def f():\n    '''a'''\n", "def f():\n    '''b'''\n", "", ""},
	{"a string over lines", "a.py", "x = '''\n  a'''\n", "x = '''\n    a'''\n", "", ""},
	{"an f-string", "a.py", "x = f'{a} b'\n", "x = f'{a}  b'\n", "", ""},
	{"tabs", "a.py", "if a:\n\tb\n", "if a:\n    b\n", "TabError: inconsistent use", ""},
	{"a broken text", "a.py", "x = (\n", "x = ( # a\n", "", ""},
	{"noqa", "a.py", "import a\n", "import a  # noqa: F401\n", "", ""},
	{"type: ignore", "a.py", "a()\n", "a()  # type: ignore\n", "", ""},
	{"no cover", "a.py", "a()\n", "a()  # pragma: no cover\n", "", ""},
	{"a coding", "a.py", "a()\n", "# -*- coding: latin-1 -*-\na()\n", "", ""},
	{"a first line for the shell", "a.py", "a()\n", "#!/usr/bin/env python3\na()\n", "", ""},
	{"line ends", "a.py", "a()\r\n", "a()\n", "", ""},
	{"a byte-order mark", "a.py", "\ufeffa()\n", "a()\n", "", ""},
	{"a directive elsewhere", "a.py", "import a  # noqa\nimport b\n", "import a\nimport b  # noqa\n", "", ""},
	{"a linter failed", "a.py", "a()\n", "# A comment.\na()\n", "would reformat a.py", ""},
	{"Go's layout", "a.go", "package a\n\nfunc f() {\nreturn\n}\n", "package a\n\nfunc f() {\n\treturn // now\n}\n", "", SameProgram},
	{"Go on other lines", "a.go", "package a\n\nvar x = 1\n", "package a\n\nvar x = 2\n", "", ""},
	{"a raw string", "a.go", "package a\n\nvar x = `a\n b`\n", "package a\n\nvar x = `a\n  b`\n", "", ""},
	{"a string of Go", "a.go", "package a\n\nvar x = \" \"\n", "package a\n\nvar x = \"  \"\n", "", ""},
	{"a build constraint", "a.go", "package a\n", "//go:build linux\n\npackage a\n", "", ""},
	{"an older build constraint", "a.go", "package a\n", "// +build linux\n\npackage a\n", "", ""},
	{"an embedded file", "a.go", "package a\n\nvar x string\n", "package a\n\n//go:embed x\nvar x string\n", "", ""},
	{"a directive that moved to its line", "a.go", "package a\n\n//go:embed x\n\nvar x string\n", "package a\n\n//go:embed x\nvar x string\n", "", ""},
	{"C beside Go", "a.go", "package a\n\n// int x;\nimport \"C\"\n", "package a\n\n// int y;\nimport \"C\"\n", "", ""},
	{"the output of an example", "a_test.go", "package a\n\nfunc ExampleF() {\n\tf()\n\t// Output:\n\t// 1\n}\n", "package a\n\nfunc ExampleF() {\n\tf()\n\t// Output:\n\t// 2\n}\n", "", ""},
	{"a script's layout", "a.js", "function f() {\nreturn 1\n}\n", "function f() {\n  return 1; \n}\n", "", ""},
	{"a script's indentation", "a.js", "function f() {\nreturn 1\n}\n", "function f() {\n  // One.\n  return 1\n}\n", "", SameProgram},
	{"a return that ends at its line", "a.js", "function f() {\nreturn\n1\n}\n", "function f() {\nreturn 1\n}\n", "", ""},
	{"a template string", "a.js", "x = `a ${b} c`\n", "x = `a ${b}  c`\n", "", ""},
	{"blanks that are a template string", "a.js", "x = ` `\n", "x = `  `\n", "", ""},
	{"a regular expression", "a.js", "x = /a b/\n", "x = /a  b/\n", "", ""},
	{"text of an element", "a.jsx", "x = <p>a b</p>\n", "x = <p>a  b</p>\n", "", ""},
	{"blanks between elements", "a.jsx", "x = <p>{a} {b}</p>\n", "x = <p>{a}{b}</p>\n", "", ""},
	{"an environment of jest", "a.js", "a()\n", "/**\n * @jest-environment jsdom\n */\na()\n", "", ""},
	{"an environment of vitest", "a.ts", "a()\n", "// @vitest-environment jsdom\na()\n", "", ""},
	{"ts-ignore", "a.ts", "a()\n", "// @ts-ignore\na()\n", "", ""},
	{"a reference", "a.ts", "a()\n", "/// <reference types=\"node\" />\na()\n", "", ""},
	{"eslint", "a.js", "a()\n", "/* eslint-disable no-undef */\na()\n", "", ""},
	{"globals", "a.js", "a()\n", "/* global a */\na()\n", "", ""},
	{"a type with a comment", "a.ts", "let a: number = 1\n", "// Note: a number.\nlet a: number = 1\n", "", SameProgram},
	{"a Makefile's comment", "Makefile", "a:\n\tb\n", "# A.\na:\n\tb\n", "", ""},
	{"YAML's indentation", "a.yaml", "a:\n  b: 1\n", "a:\n b: 1\n", "", ""},
	{"Markdown", "a.md", "a\n", "a \n", "", ""},
	{"a page", "a.html", "<p> a</p>", "<p>a</p>", "", ""},
	{"a new file", "a.py", "-", "# nothing\n", "", ""},
	{"a file that is gone", "a.py", "# nothing\n", "-", "", ""},
}

func TestSameProgram(t *testing.T) {
	for _, c := range programs {
		claim := Claim{ErrorMessage: c.message, Files: []File{changeOf(c.path, c.before, c.after)}}
		if got := refusedBy(t, claim); got != c.want {
			t.Errorf("%s: refused by %q, not by %q", c.name, got, c.want)
		}
		if c.want == "" {
			continue
		}
		claim.Files = append(claim.Files, changeOf("b.txt", "a", "b"))
		if got := refusedBy(t, claim); got != "" {
			t.Errorf("%s, and another file: refused by %q", c.name, got)
		}
	}
}
