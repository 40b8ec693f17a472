package obey

import "testing"

// TestVersions: a dependency passes where it is plainly a range of versions, and in no other
// writing, whichever section it stands in.
func TestVersions(t *testing.T) {
	for version, asks := range map[string]bool{
		"1.2.3": false, "^1.2.3": false, "~1.2": false, ">=1.2.3 <2": false, "1.x || 2.x": false, "*": false, "1.0.0 - 2.0.0": false,
		"v1.0.0": false, "1.0.0-beta.1": false, "1.0.0-rc.1+build.5": false, ">= 1.0, < 2": false,
		"evil.tgz": true, "evil.tar.gz": true, ".": true, "..": true, "1.0.0.tgz": true, "1.0.0-a.tgz": true, "1.0.0+a.tgz": true, "1.0.0-1.tgz": true, "./x": true,
		"x/y": true, "next": true, "": true, "workspace:*": true, "npm:other@1": true, "file:x": true, "~/x": true, "1.0.0 evil": true, "C:evil": true,
		"1\u20280": true,
	} {
		for _, section := range []string{"dependencies", "devDependencies", "optionalDependencies", "peerDependencies"} {
			c := Change{Path: "package.json", Before: &File{Text: `{"name": "a"}`}, After: &File{Text: `{"name": "a", "` + section + `": {"x": "` + version + `"}}`}}
			if by := By(c); (by != "") != asks {
				t.Errorf("%s of %q: obeyed by %q, to be asked: %v", section, version, by, asks)
			}
		}
	}
}

// TestLines goes through lines that are added to manifests of lines.
func TestLines(t *testing.T) {
	checkTexts(t, []texts{
		{"requirements.txt", "a==1\n", "a==1\nb[c,d]>=1.0,<2 ; python_version >= '3.8' and sys_platform == \"linux\" # why\n", false},
		{"requirements.txt", "a==1\n", "a==1\r\nb==1.0.post1\r\n", false},
		{"requirements.txt", "a==1\n", "a==1 \\\n    --hash=sha256:0a\n", false},
		{"requirements.txt", "a==1\n", "# note\fevil.whl\n", true},
		{"requirements.txt", "a==1\n", "# note\vevil.whl\n", true},
		{"requirements.txt", "a==1\n", "# note\revil.whl\n", true},
		{"requirements.txt", "a==1\n", "# note\x1cevil.whl\n", true},
		{"requirements.txt", "a==1\n", "# note\x1eevil.whl\n", true},
		{"requirements.txt", "a==1\n", "# note\u0085evil.whl\n", true},
		{"requirements.txt", "a==1\n", "# note\u2028evil.whl\n", true},
		{"requirements.txt", "a==1\n", "# coding: utf-7\na==1\n", true},
		{"requirements.txt", "a==1\n", "#vim: fileencoding = utf-7\na==1\n", true},
		{"requirements.txt", "a==1\n", "a==1\nevil-1.0.tar.gz[x]\n", true},
		{"requirements.txt", "a==1\n", "a==1\nevil.whl[x]\n", true},
		{"requirements.txt", "a==1\n", "a==1\nevil==1.0.zip\n", true},
		{"requirements.txt", "a==1\n", "a==1\nevil.zip ; python_version > '3'\n", true},
		{"requirements.txt", "a==1\n", "a==1 \\\n # x \\\nevil.whl\n", true},
		{"requirements.txt", "a==1\n", "a==1\nevil\\\n.whl\n", true},
		{"requirements.txt", "a==1\n", "a==1\nb @ file:x\n", true},
		{"requirements.txt", "a==1\n", "a==1\n.\n", true},
		{"requirements.txt", "a==1\n", "a==1\n-r b.txt\n", true},
		{"go.mod", "module a\n", "module a\n// x\u2028y\n", true},
		{"Gemfile", "gem 'a'\n", "gem 'a'\n# encoding: utf-7\n", true},
		{"Gemfile", "gem 'a'\n", "# x\rsystem 'x'\ngem 'a'\n", true},
		{"build.gradle", "a {}\n", "a {}\n// \\u000a x\n", true},
		{"build.gradle", "/*\nevil()\n", "/*\n// */\nevil()\n", true},
		{"package.json", `{"name": "a"}`, `{"name": "a", "directories": {"bin": "x"}}`, true},
		{"package.json", `{"name": "a"}`, `{"name": "a", "directories": {"doc": "x"}}`, false},
		{"package.json", `{"name": "a"}`, `{"name": "a", "dependencies": {"x@file:y": "1.0.0"}}`, true},
	})
}

// TestMakefiles goes through edits of makefiles.
func TestMakefiles(t *testing.T) {
	const compile = "app: $(OBJS)\n\t$(CC) $(CFLAGS) -o $@ $^\n"
	checkTexts(t, []texts{
		{"Makefile", "OBJS = a.o\n" + compile, "OBJS = a.o src/b.o\n" + compile, false},
		{"Makefile", "SRCS := a.c\nOBJS := $(SRCS:.c=.o)\n" + compile, "SRCS := a.c b.c\nOBJS := $(SRCS:.c=.o)\n" + compile, false},
		{"Makefile", "OBJS = a.o\n" + compile, "OBJS = a.o -specs notes.txt\n" + compile, true},
		{"Makefile", "OBJS = a.o\n" + compile, "OBJS = a.o -wrapper b.o\n" + compile, true},
		{"Makefile", "OBJS = a.o\n" + compile, "OBJS = a.o @b.o\n" + compile, true},
		{"Makefile", "FILES = a.c\n" + compile, "FILES = a.c -f evil\n" + compile, true},
		{"Makefile", "FILES = a.c\n" + compile, "FILES = a.c $(X)\n" + compile, true},
		{"Makefile", "FILES = a.c\n" + compile, "FILES = a.c evil.mk\n" + compile, true},
		{"Makefile", "FILES = a.c\n" + compile, "FILES = a.c X=b.c\n" + compile, true},
		{"Makefile", "FILES = a.md\nt:\n\tfor f in $(FILES); do sh $$f; done\n", "FILES = a.md b.md\nt:\n\tfor f in $(FILES); do sh $$f; done\n", true},
		{"Makefile", "FILES = a.md\nt: $(FILES)\n\tsh $^\n", "FILES = a.md b.md\nt: $(FILES)\n\tsh $^\n", true},
		{"Makefile", "FILES = a.md\nX = $(FILES)\nt:\n\t. $(X)\n", "FILES = b.md\nX = $(FILES)\nt:\n\t. $(X)\n", true},
		{"Makefile", "FILES = a.md\nt: ; sh $(FILES)\n", "FILES = b.md\nt: ; sh $(FILES)\n", true},
		{"Makefile", "FILES = a.md\ninclude $(FILES)\n", "FILES = b.md\ninclude $(FILES)\n", true},
		{"Makefile", "FILES = a.md\nX := $(shell sh $(FILES))\n", "FILES = b.md\nX := $(shell sh $(FILES))\n", true},
		{"Makefile", "FILES = a.c\nt: CC = $(FILES)\n" + compile, "FILES = b.c\nt: CC = $(FILES)\n" + compile, true},
		{"Makefile", "TESTS = a.c\n", "TESTS = a.c b.c\n", true},
		{"Makefile", "VERSION = 1.0\n" + compile, "VERSION = 1.1\n" + compile, false},
		{"Makefile", "# a\nall:\n\t@echo\n", "# b $(shell x)\nall:\n\t@echo\n", false},
		{"Makefile", "define X\n# a\nendef\n", "define X\n# $(shell x)\nendef\n", true},
		{"Makefile", "define X\n# a\nendef\n# b\n", "define X\n# a\nendef\n# c\n", false},
		{"Makefile", "define X\n# a\nendef # X\n# b\n", "define X\n# a\nendef # X\n# c\n", false},
		{"Makefile", "define X =\nifdef A\n# a\nendif\nendef\n", "define X =\nifdef A\n# $(shell x)\nendif\nendef\n", true},
		{"Makefile", "export define X\n# a\nendef\n", "export define X\n# $(shell x)\nendef\n", true},
		{"Makefile", "override export define X\n# a\nendef\n", "override export define X\n# $(shell x)\nendef\n", true},
		{"Makefile", "export \\\ndefine X\n# a\nendef\n", "export \\\ndefine X\n# $(shell x)\nendef\n", true},
		{"Makefile", "# c \\\\\ndefine X\n# a\nendef\n", "# c \\\\\ndefine X\n# $(shell x)\nendef\n", true},
		{"Makefile", "\tdefine X\n# a\nendef\n", "\tdefine X\n# $(shell x)\nendef\n", true},
		{"Makefile", "define X\n\tendef\n# a\nendef\n", "define X\n\tendef\n# $(shell x)\nendef\n", true},
		{"Makefile", "define X\ndefine Y\nendef\n# a\nendef\n", "define X\ndefine Y\nendef\n# $(shell x)\nendef\n", true},
		{"Makefile", "define X\nendefs\n# a\nendef\n", "define X\nendefs\n# $(shell x)\nendef\n", true},
		{"Makefile", "define X\n# a\n", "define X\n# $(shell x)\n", true},
		{"Makefile", "define X\nSRCS = a.c\nendef\n", "define X\nSRCS = a.c b.c\nendef\n", true},
		{"Makefile", "define X\nVERSION = 1\nendef\n", "define X\nVERSION = 2\nendef\n", true},
		{"Makefile", "X = a \\\n# b\n", "X = a \\\n# $(shell x)\n", true},
		{"Makefile", "# a \\\n# b\n", "# a\n# b\n", true},
		{"Makefile", ".RECIPEPREFIX = \\#\nall:\n#echo\n", ".RECIPEPREFIX = \\#\nall:\n#x\n", true},
		{"Makefile", "t:\n\techo a # b\n", "t:\n\techo a # $(shell x)\n", true},
	})
}

// texts are a file before and after a change.
type texts struct {
	path, before, after string
	asks                bool
}

func checkTexts(t *testing.T, list []texts) {
	t.Helper()
	for _, c := range list {
		if by := By(Change{Path: c.path, Before: &File{Text: c.before}, After: &File{Text: c.after}}); (by != "") != c.asks {
			t.Errorf("%s, %q: obeyed by %q, to be asked: %v", c.path, c.after, by, c.asks)
		}
	}
}

// TestClasses: names of tools' files by class, and in letters that look the same.
func TestClasses(t *testing.T) {
	for name, obeyed := range map[string]bool{
		"a/conf.py": true, "x/alembic/env.py": true, "migrations/env.py": true, "src/env.py": false, "a/my.config.coffee": true, "a/x-config.json": true, "config-overrides.js": true,
		"a/b.nativeproj": true, "a/b.csproj.user": true, "x/python311._pth": true, "__pycache__/sitecustomize.cpython-312.pyc": true,
		"a/b/git.bat": true, "a/npm.cmd": true, "cypress/support/e2e.js": true, "cypress/plugins/index.js": true, "features/support/env.rb": true,
		"hook/build.dart": true, "site_scons/site_init.py": true, "dvc.yaml": true, "process-compose.yml": true, "moon.yml": true, "jitpack.yml": true,
		"MLproject": true, "nextflow.config": true, "rescript.json": true, "bsconfig.json": true, "cucumber.yml": true, "spec/support/jasmine.json": true,
		"src/setupTests.ts": true, "library.json": true, "Jamroot": true, "a/Jamfile.v2": true, "project-config.jam": true, "a/all.do": true, "Tuprules.tup": true,
		"mkfile": true, "Eldev": true, "Eask": true, "Cask": true, "a.asd": true, "Rules": true, "myocamlbuild.ml": true, "pathdef.m": true, "x_tool.cue": true,
		"karate-config.js": true, "typedoc.js": true, "webpack.config.coffee": true, "install-sh": true, "missing": true, "config.sub": true, "config.guess": true, "ltmain.sh": true,
		"ſetup.py": true, "confteſt.py": true, "package.jſon": true, "conﬁgure": true, "Ｍakefile": true, "CON\uFE0FFTEST.py": true, "x／.toml": true,
		"src/support/ticket.py": false, "src/missing.go": false, "docs/my.config.md": false, "src/straße.py": false,
	} {
		if got := Named(name) != ""; got != obeyed {
			t.Errorf("%s: obeyed is %v, want %v", name, got, obeyed)
		}
	}
}
