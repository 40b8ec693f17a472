package workspace

import (
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// versionControl are the folders that are never listed, whatever is configured.
var versionControl = []string{".git", ".hg", ".svn", ".jj"}

// notSource are the ignore rules that every workspace begins with: dependencies,
// virtual environments, caches, what is built, copies that editors keep beside a file
// that is open, and what an interrupted write of ours may have left. A project that keeps source under such a name says so in
// .gitignore ("!build/"), as those with git have to anyway.
const notSource = `
node_modules/
bower_components/
jspm_packages/
.venv/
venv/
__pycache__/
.eggs/
*.egg-info/
.tox/
.nox/
.mypy_cache/
.pytest_cache/
.ruff_cache/
.hypothesis/
htmlcov/
dist/
build/
target/
.next/
.nuxt/
.svelte-kit/
.parcel-cache/
.turbo/
.nyc_output/
.gradle/
.terraform/
\#*#
.#*
*~
.*.sw[a-p]
` + tempPrefix + `*
`

// environmentMark is the file that makes a folder a virtual environment of Python.
const environmentMark = "pyvenv.cfg"

// maxIgnore is the size in bytes up to which a .gitignore is read: the largest
// collections of ignore rules have a tenth of it.
const maxIgnore = 1 << 20

// rule is one line of a .gitignore. It applies to files below the folder base.
type rule struct {
	base     []string
	pattern  glob // of a name at any depth, unless anchored
	anchored bool
	plain    bool // the pattern has no wildcards
	negated  bool
	dirOnly  bool
}

// ruleset is the rules that hold in a folder. Two at one address are the same.
type ruleset struct {
	list []rule
}

// same reports whether two rules say the same.
func (r rule) same(o rule) bool {
	return slices.Equal(r.base, o.base) && r.pattern == o.pattern && r.anchored == o.anchored && r.plain == o.plain && r.negated == o.negated && r.dirOnly == o.dirOnly
}

// parseRules reads the lines of a .gitignore that lies in the folder base.
//
// go-git has a reader of its own, whose matching differs from git's where it
// matters: with "*", "!*/" and "!*.py", the usual way to keep some files only, it
// keeps every file in a folder, and "a/**" hides a file that "!a/keep" brings
// back. What git ignores may be secret, so git itself is the oracle of the test.
func parseRules(text, base string) []rule {
	var folders []string
	if base != "" {
		folders = strings.Split(base, "/")
	}
	var rules []rule
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		if trimmed := strings.TrimRight(line, " "); strings.HasSuffix(trimmed, `\`) && trimmed != line {
			line = trimmed + " "
		} else {
			line = trimmed
		}
		if line == "" || line[0] == '#' {
			continue
		}
		r := rule{base: folders}
		line, r.negated = strings.CutPrefix(line, "!")
		line, r.dirOnly = strings.CutSuffix(line, "/")
		r.anchored = strings.Contains(line, "/")
		r.plain = !r.anchored && !strings.ContainsAny(line, `*?[\{}`)
		line = withoutBraces(strings.TrimPrefix(line, "/"))
		if line == "" || !doublestar.ValidatePattern(line) {
			continue // git takes no notice of a broken pattern either
		}
		r.pattern = asGit(line)
		rules = append(rules, r)
	}
	return rules
}

// ignored reports whether the last rule that is about a path, cut at its slashes,
// ignores it. The folders above it are not: a walk does not enter an ignored folder.
func ignored(rules []rule, names []string, dir bool) bool {
	for _, r := range slices.Backward(rules) {
		if (dir || !r.dirOnly) && r.about(names) {
			return !r.negated
		}
	}
	return false
}

func (r *rule) about(names []string) bool {
	depth := len(r.base)
	if len(names) <= depth || !slices.Equal(names[:depth], r.base) {
		return false
	}
	name := names[len(names)-1]
	switch {
	case r.anchored:
		return r.pattern.match(strings.Join(names[depth:], "/"))
	case r.plain:
		return name == string(r.pattern)
	}
	return r.pattern.match(name)
}

// rulesAbove returns the rules that hold at the top of a folder, and the path of
// the folder inside the repository that it is part of ("" or ending in a slash).
// Rules above a folder that would ignore the folder itself are left out: the user
// opened it anyway.
//
// The user's global excludes are left out too. They are about the rubbish of
// that user's own tools, and the same task would see another tree elsewhere.
func (f *folder) rulesAbove() ([]rule, string) {
	rules := parseRules(notSource, "")
	top, ok := repository(f.real)
	if !ok {
		return rules, ""
	}
	prefix, err := filepath.Rel(top, f.real)
	if err != nil {
		return rules, ""
	}
	if prefix = filepath.ToSlash(prefix); prefix == "." {
		prefix = ""
	}
	above := slices.Concat(rules, parseRules(readOutside(top, ".git/info/exclude"), ""))
	dir := ""
	for name := range strings.SplitSeq(prefix, "/") {
		if prefix == "" {
			break
		}
		above = append(above, parseRules(readOutside(filepath.Join(top, dir), ".gitignore"), dir)...)
		if dir = path.Join(dir, name); ignored(above, strings.Split(dir, "/"), true) {
			return rules, ""
		}
	}
	if prefix != "" {
		prefix += "/"
	}
	return above, prefix
}

// repository returns the nearest folder, dir or above it, that holds a .git.
func repository(dir string) (string, bool) {
	for {
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			return dir, true
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", false
		}
		dir = parent
	}
}

// readOutside returns the text of a small file that may lie above the workspace,
// empty if there is none.
func readOutside(dir, name string) string {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return ""
	}
	defer root.Close()
	data, _, err := (&folder{root: root}).read(name, name, maxIgnore)
	if err != nil {
		return ""
	}
	return string(data)
}
