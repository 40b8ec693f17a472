package lint

import (
	"bufio"
	"bytes"
	"path"
	"regexp"
	"slices"
	"strings"

	"caselsp/agent/validate"
	"caselsp/sandbox"
	"caselsp/store/lazyregexp"

	"github.com/pelletier/go-toml/v2"
)

// A project decides which linters it uses, and for which files: what it does not use says
// only what nobody would let pass, and what it leaves out is not judged.

// anywhere are the rules of linters that hold in every project: names that are not defined, code that cannot run, and what
// is there for nothing. For Python they are what pyflakes finds, which flake8 and Ruff ask of every project by default; for
// JavaScript the like of ESLint's recommended rules. What is not listed is a matter of the project's own taste.
var anywhere = []string{
	"pylint/syntax-error", "pylint/undefined-variable", "pylint/undefined-all-variable", "pylint/used-before-assignment",
	"pylint/unused-import", "pylint/unused-variable", "pylint/reimported", "pylint/function-redefined", "pylint/duplicate-key", "pylint/duplicate-argument-name", "pylint/unreachable",
	"pylint/return-outside-function", "pylint/not-in-loop", "pylint/assert-on-tuple", "pylint/f-string-without-interpolation", "pylint/literal-comparison",
	"eslint/parse", "eslint/no-undef", "eslint/no-const-assign", "eslint/no-dupe-args", "eslint/no-unreachable", "eslint/no-import-assign", "eslint/no-class-assign",
	"eslint/no-unused-vars", "eslint/no-dupe-keys", "eslint/no-dupe-class-members", "eslint/no-duplicate-case", "eslint/no-func-assign", "eslint/no-self-assign",
}

// InProject leaves out what a report says by the taste of a linter that the project does not
// use, its score, too.
func (r *Report) InProject(l *Linter, tree []sandbox.File) {
	if l.chosen == nil || l.chosen(tree) {
		return
	}
	r.Scored = false
	r.Findings = slices.DeleteFunc(r.Findings, func(f validate.Finding) bool { return !slices.Contains(anywhere, f.Rule) })
}

// Scope returns those of the files that the linter reads and that the project has it judge.
func (l *Linter) Scope(tree []sandbox.File, files []string) []string {
	files = l.Files(files)
	if l.excludes == nil {
		return files
	}
	return slices.DeleteFunc(files, l.excludes(tree))
}

// testFile is a file with Python's tests, where assert is how a test checks.
var testFile = lazyregexp.New(`(^|/)(test_[^/]*|[^/]*_test|tests|conftest)\.py$|(^|/)tests?/`)

// outsideMypy says which files mypy's own files and exclude leave out: they do not hold for
// files that are named on its command line.
func outsideMypy(tree []sandbox.File) func(string) bool {
	var only []string
	var exclude []*regexp.Regexp
	for _, name := range []string{"mypy.ini", ".mypy.ini", "pyproject.toml", "setup.cfg"} {
		set := configured(tree, name, "mypy")
		if set == nil {
			continue
		}
		for _, list := range set["files"] {
			only = append(only, strings.FieldsFunc(list, func(c rune) bool { return strings.ContainsRune(", \t\n", c) })...)
		}
		exclude = expressions(set["exclude"])
		break // mypy reads the first that there is
	}
	return func(file string) bool {
		within := len(only) == 0 || slices.ContainsFunc(only, func(o string) bool {
			o = path.Clean(o)
			match, _ := path.Match(o, file) // one that is no pattern names a folder
			return match || o == "." || file == o || strings.HasPrefix(file, o+"/")
		})
		return !within || slices.ContainsFunc(exclude, func(e *regexp.Regexp) bool { return e.MatchString(file) })
	}
}

// outsideBlack does the same for black's exclude and extend-exclude.
func outsideBlack(tree []sandbox.File) func(string) bool {
	set := configured(tree, "pyproject.toml", "black")
	exclude := expressions(slices.Concat(set["exclude"], set["extend-exclude"], set["force-exclude"]))
	return func(file string) bool {
		return slices.ContainsFunc(exclude, func(e *regexp.Regexp) bool { return e.MatchString("/" + file) })
	}
}

// expressions compiles patterns as Python has them; one that Go does not know leaves nothing out.
func expressions(texts []string) (list []*regexp.Regexp) {
	for _, text := range texts {
		if strings.Contains(text, "\n") { // black takes these as verbose
			text = strings.Join(strings.Fields(text), "")
		}
		if e, err := regexp.Compile(text); err == nil && text != "" {
			list = append(list, e)
		}
	}
	return list
}

// configured is the section of a tool in a file at the top of the tree: the texts of each
// setting; nil where there is none.
func configured(tree []sandbox.File, name, tool string) map[string][]string {
	i := slices.IndexFunc(tree, func(f sandbox.File) bool { return f.Path == name })
	if i < 0 {
		return nil
	}
	if path.Ext(name) == ".toml" {
		var file struct{ Tool map[string]map[string]any }
		if toml.Unmarshal(tree[i].Data, &file) != nil || file.Tool[tool] == nil {
			return nil
		}
		set := map[string][]string{}
		for key, value := range file.Tool[tool] {
			switch v := value.(type) {
			case string:
				set[key] = []string{v}
			case []any:
				for _, e := range v {
					if text, ok := e.(string); ok {
						set[key] = append(set[key], text)
					}
				}
			}
		}
		return set
	}
	return section(tree[i].Data, tool)
}

// section reads a section of an ini file, whose values may go on in indented lines.
func section(data []byte, name string) (set map[string][]string) {
	in, key := false, ""
	for lines := bufio.NewScanner(bytes.NewReader(data)); lines.Scan(); {
		line := lines.Text()
		switch trimmed := strings.TrimSpace(line); {
		case trimmed == "" || strings.HasPrefix(trimmed, "#") || strings.HasPrefix(trimmed, ";"):
		case strings.HasPrefix(trimmed, "["):
			if in = trimmed == "["+name+"]"; in && set == nil {
				set = map[string][]string{}
			}
		case in && (line[0] == ' ' || line[0] == '\t') && key != "":
			set[key] = []string{strings.Join(append(set[key], trimmed), "\n")}
		case in:
			var value string
			key, value, _ = strings.Cut(trimmed, "=")
			key = strings.TrimSpace(key)
			set[key] = []string{strings.TrimSpace(value)}
		}
	}
	return set
}
