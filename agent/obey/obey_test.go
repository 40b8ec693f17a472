package obey

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
)

// TestFiles goes through names of files that programs obey, of ordinary ones, and through
// edits of manifests: testdata/files.jsonl was written without a look at the rules.
func TestFiles(t *testing.T) {
	text, err := os.ReadFile("testdata/files.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	rows := 0
	for line := range strings.Lines(string(text)) {
		var row struct {
			Path, Manifest, Before, After, Note string
			ObeyedBy                            string `json:"obeyed_by"`
			Harmless, Ask                       bool
		}
		if err := json.Unmarshal([]byte(line), &row); err != nil {
			t.Fatal(err)
		}
		rows++
		if row.Manifest != "" {
			by := By(Change{Path: row.Manifest, Before: &File{Text: row.Before}, After: &File{Text: row.After}})
			if (by != "") != row.Ask {
				t.Errorf("%s, %s: obeyed by %q, to be asked: %v", row.Manifest, row.Note, by, row.Ask)
			}
			continue
		}
		if row.Path == ".editorconfig" { // layout of text alone, though some editors have plug-ins for more
			row.Harmless = true
		}
		by := By(Change{Path: row.Path, After: &File{Text: "x\n"}})
		if (by != "") == row.Harmless {
			t.Errorf("%s: obeyed by %q; it is %s", row.Path, by, row.ObeyedBy)
		}
	}
	if rows < 500 {
		t.Errorf("only %d rows", rows)
	}
}

// TestTop shows that configuration at the top of a project is obeyed whatever
// its name, and that scripts, texts and sources about such files are not.
func TestTop(t *testing.T) {
	for name, obeyed := range map[string]bool{
		"anything.toml": true, "Anything.INI": true, "run.bat": true, "ormconfig.js": true,
		"docs/anything.toml": false, "data.json": false, "main.py": false, "notes.txt": false, "run.sh": false,
		"src/dockerfile_parser.py": false, "docs/makefile.md": false, "sub/Dockerfile.prod": true,
	} {
		if got := Named(name) != ""; got != obeyed {
			t.Errorf("%s: obeyed is %v, want %v", name, got, obeyed)
		}
	}
}

// TestEdits goes through edits of files that are obeyed in parts, and of new ones.
func TestEdits(t *testing.T) {
	const lock = "{\"packages\": {\"node_modules/a\": {\n\"version\": \"1.0.0\",\n\"resolved\": \"https://packages.example/a/-/a-1.0.0.tgz\", \"integrity\": \"sha512-AAAA\"}}}\n"
	for name, c := range map[string]struct {
		path, before, after string
		asks                bool
	}{
		"a package of the same registry": {"package-lock.json", lock, strings.ReplaceAll(lock, "/a", "/b"), false},
		"who pays":                       {"package-lock.json", lock, strings.Replace(lock, `"version"`, "\"funding\": {\n\"url\": \"https://pay.example\"},\n\"version\"", 1), false},
		"a package of another host":      {"package-lock.json", lock, strings.Replace(lock, "packages.example", "evil.example", 1), true},
		"a repository":                   {"Cargo.lock", "source = \"git+https://github.com/a/b?rev=1\"\n", "source = \"git+https://github.com/c/b?rev=1\"\n", true},
		"checksums":                      {"go.sum", "a v1 h1:x\n", "a v1 h1:y\n", false},
		"a new tsconfig":                 {"tsconfig.json", "", "{\"compilerOptions\": {\"strict\": true}} // strict\n", false},
		"a new tsconfig with a plug-in":  {"tsconfig.json", "", "{\"compilerOptions\": {\"plugins\": [{\"name\": \"./x\"}]}}\n", true},
		"a file list of make":            {"Makefile", "SRCS = a.c\nall:\n\tcc\n", "SRCS = a.c b.c\nall:\n\tcc\n", false},
		"a flag of make":                 {"Makefile", "CFLAGS = -O2\nall:\n\tcc\n", "CFLAGS = -O2 -Wall\nall:\n\tcc\n", false},
		"a plug-in for the compiler":     {"Makefile", "CFLAGS = -O2\nall:\n\tcc\n", "CFLAGS = -O2 -fplugin=./x.so\nall:\n\tcc\n", true},
		"a function of make":             {"Makefile", "SRCS = a.c\nall:\n\tcc\n", "SRCS = $(shell id)\nall:\n\tcc\n", true},
		"a comment that goes on":         {"Makefile", "# a\nall:\n\tcc\n", "# a \\\nx := $(shell id)\nall:\n\tcc\n", true},
		"a dependency of Gradle":         {"build.gradle", "dependencies {\n}\n", "dependencies {\n  implementation 'org.a:b:1.0'\n}\n", false},
		"a plug-in of Gradle":            {"build.gradle", "plugins {\n}\n", "plugins {\n  id 'evil'\n}\n", true},
		"a package of .NET":              {"A.csproj", "<Project Sdk=\"Microsoft.NET.Sdk\"></Project>", "<Project Sdk=\"Microsoft.NET.Sdk\"><ItemGroup><PackageReference Include=\"A\" Version=\"1.0\" /></ItemGroup></Project>", false},
		"a target of .NET":               {"A.csproj", "<Project Sdk=\"Microsoft.NET.Sdk\"></Project>", "<Project Sdk=\"Microsoft.NET.Sdk\"><Target Name=\"x\" BeforeTargets=\"Build\"><Exec Command=\"x\" /></Target></Project>", true},
		"swapped phases of Maven":        {"pom.xml", "<project><build><p><n>a</n><phase>none</phase></p><p><n>b</n><phase>test</phase></p></build></project>", "<project><build><p><n>a</n><phase>test</phase></p><p><n>b</n><phase>none</phase></p></build></project>", true},
		"a local jar":                    {"pom.xml", "<project></project>", "<project><dependencies><dependency><scope>system</scope><systemPath>x.jar</systemPath></dependency></dependencies></project>", true},
		"a manifest that is no more":     {"package.json", "{\"name\": \"a\"}", "{\"name\": ", true},
		"a new manifest":                 {"package.json", "", "{\"name\": \"a\"}", true},
		"a rule of pytest":               {"pyproject.toml", "[tool.pytest.ini_options]\n", "[tool.pytest.ini_options]\ntestpaths = ['tests']\n", false},
		"options of pytest":              {"pyproject.toml", "[tool.pytest.ini_options]\n", "[tool.pytest.ini_options]\naddopts = '-p evil'\n", true},
		"a requirement in another group": {"requirements/dev.txt", "a==1\n", "a==1\nb>=2,<3 ; python_version > '3.8'\n", false},
		"a wheel of the tree":            {"requirements.txt", "a==1\n", "a==1\nevil-1.0-py3-none-any.whl\n", true},
	} {
		change := Change{Path: c.path, After: &File{Text: c.after}}
		if c.before != "" {
			change.Before = &File{Text: c.before}
		}
		if by := By(change); (by != "") != c.asks {
			t.Errorf("%s: obeyed by %q, to be asked: %v", name, by, c.asks)
		}
	}
}

// TestSpellings: a name is the same in every spelling that some file system takes for it.
func TestSpellings(t *testing.T) {
	for _, name := range []string{"MAKEFILE", "package.JSON", "package.json::$DATA", "package.json. ", "pack\u200dage.json", ".VSCode/tasks.json", "VSCODE~1/tasks.json", "GITMOD~1", "a/AGENTS.MD"} {
		if Named(name) == "" {
			t.Errorf("%q is obeyed by nobody", name)
		}
	}
}

// TestExecutable: what becomes a program is obeyed, whatever its name; what is one stays so.
func TestExecutable(t *testing.T) {
	program, text := &File{Text: "x", Executable: true}, &File{Text: "x"}
	for _, c := range []struct {
		before, after *File
		want          bool
	}{{nil, program, true}, {text, program, true}, {program, program, false}, {program, text, false}, {nil, text, false}, {program, nil, false}} {
		if got := By(Change{Path: "run", Before: c.before, After: c.after}); (got != "") != c.want {
			t.Errorf("%+v to %+v: %q", c.before, c.after, got)
		}
	}
}
