package sandbox

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

// requirementFiles are the names of lists in a project's root that are
// installed; those of documentation and deployment are other machines' business.
var requirementFiles = regexp.MustCompile(`^((dev|test|tests)[-_])?requirements([-_.](dev|develop|development|test|tests|testing))?\.(txt|in)$|^requirements/(base|common|main|dev|develop|development|test|tests|testing)\.txt$`)

// testGroups are the names of optional dependencies that tests need. Those of development are
// taken only where none is for tests: they bring linters and the tools of documentation.
var testGroups = []string{"dev", "develop", "development", "test", "tests", "testing"}

// local is a line of a list that names a folder or a file of the project, which
// is there anyhow. include is one that names another list.
var (
	local   = regexp.MustCompile(`^(-e|--editable)?[ =]*(\.|/|file:)`)
	include = regexp.MustCompile(`^(-r|-c|--requirement|--constraint)[ =]*(\S+)`)
)

// python takes what requirements*.txt and pyproject.toml name, and more packages. It
// installs for the user whose folder is the layer: what is there goes before the
// image's own packages, and the image's tools find it.
func (d *Dependencies) python(tree []File, more []string) bool {
	words := []string{"pip install --user --no-input --no-cache-dir --no-warn-script-location --disable-pip-version-check"}
	for i := range tree {
		name := tree[i].Path
		if !requirementFiles.MatchString(name) || strings.HasSuffix(name, ".in") && find(tree, strings.TrimSuffix(name, ".in")+".txt") != nil {
			continue
		}
		if d.requirements(tree, name) {
			words = append(words, "-r "+quotedIfNeeded(name))
		}
	}
	if f := find(tree, "pyproject.toml"); f != nil {
		if needed := projectRequirements(f.Data); len(needed) > 0 {
			d.add(f)
			for _, n := range needed {
				words = append(words, quotedIfNeeded(n))
			}
		}
	}
	for _, name := range more {
		words = append(words, quotedIfNeeded(name))
	}
	if len(words) == 1 {
		return false
	}
	d.Line = strings.Join(words, " ")
	return true
}

// openPython lets pip reach its index.
func (d *Dependencies) openPython() {
	d.env = []string{"PYTHONUSERBASE=" + DepsFolder + "/python", "PIP_BREAK_SYSTEM_PACKAGES=1"}
	if d.From.Python == "" {
		return
	}
	index, host, secure := d.reach(d.From.Python)
	d.env = append(d.env, "PIP_INDEX_URL="+index)
	if !secure {
		d.env = append(d.env, "PIP_TRUSTED_HOST="+host) // the user chose it
	}
}

// requirements takes a list and those that it includes, without the lines that
// name the project itself. It reports whether anything is left.
func (d *Dependencies) requirements(tree []File, name string) (any bool) {
	f := find(tree, name)
	if f == nil || slices.ContainsFunc(d.tree, func(t File) bool { return t.Path == name }) {
		return false
	}
	lines, dev := strings.Split(string(f.Data), "\n"), developing.MatchString(name)
	d.add(f)
	place := len(d.tree) - 1
	for i, line := range lines {
		text, _, _ := strings.Cut(" "+strings.TrimSpace(line), " #")
		switch text = strings.TrimSpace(text); {
		case text == "":
		case local.MatchString(text):
			lines[i] = ""
		case include.MatchString(text):
			other := path.Join(path.Dir(name), include.FindStringSubmatch(text)[2])
			any = d.requirements(tree, other) || any
		case dev && beside(text):
			lines[i] = ""
		default:
			any = any || !strings.HasPrefix(text, "-")
		}
	}
	d.tree[place].Data = []byte(strings.Join(lines, "\n"))
	return any
}

// projectRequirements returns what a pyproject.toml names for the program and
// its tests, as pip takes it.
func projectRequirements(text []byte) []string {
	var file struct {
		Project struct {
			Dependencies []string
			Optional     map[string][]string `toml:"optional-dependencies"`
		}
		Groups map[string][]any `toml:"dependency-groups"`
	}
	if toml.Unmarshal(text, &file) != nil {
		return nil
	}
	needed := file.Project.Dependencies
	groups := testGroups
	for _, name := range []string{"test", "tests", "testing"} { // what says that it is for tests is all that tests need
		if len(file.Project.Optional[name])+len(file.Groups[name]) > 0 {
			groups = []string{"test", "tests", "testing"}
		}
	}
	for _, group := range groups {
		named := slices.Clone(file.Project.Optional[group])
		for _, entry := range file.Groups[group] {
			if requirement, ok := entry.(string); ok { // else another group is included
				named = append(named, requirement)
			}
		}
		if developing.MatchString(group) {
			named = slices.DeleteFunc(named, beside)
		}
		needed = append(needed, named...)
	}
	needed = slices.DeleteFunc(needed, func(n string) bool { return n == "" || strings.HasPrefix(n, "-") || strings.ContainsAny(n, "\n\x00") })
	slices.Sort(needed)
	return slices.Compact(needed)
}

var (
	// developing is a list or a group for development, which is taken because tests need some of it.
	developing = regexp.MustCompile(`(^|[-_./])dev(elop|elopment)?([-_.]|$)`)
	// besides are packages of such a list that no test needs: linters and formatters, the tools of
	// documentation, of releases and of environments. What a test needs of them nonetheless is asked for
	// when it is missing.
	besides = regexp.MustCompile(`^(autoflake|autopep8|bandit|black|codespell|flake8|isort|mypy|pycodestyle|pydocstyle|pyflakes|pylint|pyright|pyupgrade|ruff|yapf)(-.*)?$` +
		`|^(sphinx(-.*)?|sphinxcontrib-.*|.*-sphinx-theme|sphinx-.*|furo|mkdocs(-.*)?|mkdocstrings(-.*)?|myst-parser|pdoc3?|numpydoc|doc8)$` +
		`|^(build|bump2version|bumpversion|bump-my-version|commitizen|towncrier|twine|check-manifest)$` +
		`|^(pre-commit|tox(-.*)?|nox|pip-tools|pip-audit|safety|ipdb|ipython|jupyter(-.*)?|jupyterlab|notebook|types-.*|.*-stubs)$`)
	requirementName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*`)
	separators      = regexp.MustCompile(`[-_.]+`)
)

// beside reports whether a requirement of a list for development is one that no test needs.
func beside(requirement string) bool {
	name := separators.ReplaceAllString(requirementName.FindString(strings.TrimSpace(requirement)), "-")
	return besides.MatchString(strings.ToLower(name))
}

// plainWord needs no quotes in a shell.
var plainWord = regexp.MustCompile(`^[A-Za-z0-9_./@%+:,-]+(==[A-Za-z0-9.]+)?$`)

func quotedIfNeeded(word string) string {
	if plainWord.MatchString(word) {
		return word
	}
	return quoted(word)
}
