package stack

import (
	"strings"

	"caselsp/store/lazyregexp"
)

// sign is a line by which a file says how a Python project is tested.
type sign struct {
	file    string
	pattern *lazyregexp.Regexp
}

var (
	pythonTests = lazyregexp.New(`(^|/)(test_[^/]*|[^/]*_test|tests)\.py$`)
	// pytestSigns are pytest's own configuration, and where other tools call it.
	pytestSigns = []sign{
		{"pytest.ini", lazyregexp.New(`(?m)^\[pytest\]`)},
		{".pytest.ini", lazyregexp.New(`(?m)^\[pytest\]`)},
		{"pyproject.toml", lazyregexp.New(`(?m)^\[tool\.pytest[.\]]`)},
		{"tox.ini", lazyregexp.New(`(?m)^\[pytest\]`)},
		{"setup.cfg", lazyregexp.New(`(?m)^\[tool:pytest\]`)},
		{"tox.ini", lazyregexp.New(`(?m)^\s*(commands\s*=\s*)?(.* -m )?(pytest|py\.test)\b.*$`)},
		{"noxfile.py", lazyregexp.New(`(?m)\bsession\.run\(.*["']pytest["']`)},
		{"pyproject.toml", lazyregexp.New(`(?m)["'\s](pytest|py\.test)\b`)}, // a script of hatch or poe, or a dependency
	}
	unittestSigns = []sign{
		{"tox.ini", lazyregexp.New(`(?m)^.*-m unittest\b.*$`)},
		{"noxfile.py", lazyregexp.New(`(?m)^.*["']unittest["'].*$`)},
		{"pyproject.toml", lazyregexp.New(`(?m)^.*-m unittest\b.*$`)},
		{"Makefile", lazyregexp.New(`(?m)^.*-m unittest\b.*$`)},
	}
	// djangoByPytest says that a Django project is tested by pytest-django.
	djangoByPytest = lazyregexp.New(`(?m)^\s*(DJANGO_SETTINGS_MODULE|django_settings_module)\s*=|pytest[-_]django`)
	// djangoTests is a line of a tool's configuration that runs the tests by Django itself, or by a script that does.
	djangoTests = lazyregexp.New(`(?m)^\s*-?\s*(?:commands\s*=\s*|run:\s*)?(?:(?:python3?|\{envpython\}|coverage run)(?: -\S+)* )(-m django test|(?:\./)?(?:[\w-]+/)?(?:manage\.py test|runtests\.py))((?:[ \t]+[A-Za-z0-9_./=-]+)*)[ \t]*(?:\{posargs[^}\n]*\})?[ \t]*$`)
	toxCommand  = lazyregexp.New(`(?m)^\s*(?:commands\s*=\s*)?(?:python3? -m )?(?:pytest|py\.test)((?:[ \t]+[A-Za-z0-9_./=-]+)*)[ \t]*(?:\{posargs[^}\n]*\})?[ \t]*$`)
)

// python asks the configuration of test runners first, then the names of files: pytest runs
// unittest's tests, too, and is what the sandbox brings along.
func (p project) python() []Candidate {
	pytest := Candidate{Command: "python3 -m pytest", Program: "pytest"}
	for _, s := range pytestSigns {
		if text, ok := p.text(s.file); ok && s.pattern.MatchString(text) {
			pytest.File, pytest.Line = s.file, lineOf(text, s.pattern)
			break
		}
	}
	if text, ok := p.text("tox.ini"); ok {
		if m := toxCommand.FindStringSubmatch(text); m != nil {
			pytest.Command += strings.TrimRight(m[1], " \t")
		}
	}
	django, named := p.djangoNamed()
	unittest := p.unittest()
	shown := p.any(pythonTests)
	if named && pytest.File == "" && !p.djangoByPytest() {
		return []Candidate{django}
	}
	if django, ok := p.text("manage.py"); ok && shown && !p.djangoByPytest() {
		return []Candidate{{Command: "python3 manage.py test", Program: "python3", File: "manage.py", Line: lineOf(django, lazyregexp.New(`execute_from_command_line`))}}
	}
	switch {
	case pytest.File != "":
		return []Candidate{pytest}
	case !shown:
		return nil
	case unittest.File != "":
		return []Candidate{unittest}
	}
	pytest.File = p.first(pythonTests)
	unittest.File = pytest.File
	return []Candidate{pytest, unittest}
}

// djangoNamed is the command by which a tool's configuration has Django run the tests; false where none says so.
func (p project) djangoNamed() (Candidate, bool) {
	for _, name := range []string{"tox.ini", "Makefile"} {
		text, _ := p.text(name)
		if m := djangoTests.FindStringSubmatch(text); m != nil {
			return Candidate{Command: "python3 " + m[1] + strings.TrimRight(m[2], " \t"), Program: "python3", File: name, Line: lineOf(text, djangoTests)}, true
		}
	}
	return Candidate{}, false
}

// unittest is the command by which the standard library's runner finds the tests: those in
// a folder that is no package are not found from the root.
func (p project) unittest() Candidate {
	c := Candidate{Command: "python3 -m unittest discover", Program: "python3"}
	for _, folder := range []string{"tests", "test"} {
		_, packaged := p.text(folder + "/__init__.py")
		if !packaged && p.any(lazyregexp.New(`^`+folder+`/test[^/]*\.py$`)) {
			c.Command += " -s " + folder
			break
		}
	}
	for _, s := range unittestSigns {
		if text, ok := p.text(s.file); ok && s.pattern.MatchString(text) {
			c.File, c.Line = s.file, lineOf(text, s.pattern)
			break
		}
	}
	return c
}

func (p project) djangoByPytest() bool {
	for _, name := range []string{"pytest.ini", "pyproject.toml", "setup.cfg", "tox.ini"} {
		if text, _ := p.text(name); djangoByPytest.MatchString(text) {
			return true
		}
	}
	return false
}

// first is the first path that matches.
func (p project) first(pattern *lazyregexp.Regexp) string {
	for _, f := range p.files {
		if pattern.MatchString(f.Path) && !foreign.MatchString(f.Path) {
			return f.Path
		}
	}
	return ""
}

// Sources are the folders from which a Python project's own modules are imported, where the
// root does not show them: src layouts. They belong on the path, because nothing installs the
// project itself in the sandbox.
func Sources(paths []string) []string {
	var list []string
	for _, folder := range []string{"src", "lib"} {
		for _, name := range paths {
			if rest, ok := strings.CutPrefix(name, folder+"/"); ok && (strings.HasSuffix(rest, "/__init__.py") && strings.Count(rest, "/") == 1 || strings.HasSuffix(rest, ".py") && !strings.Contains(rest, "/") && rest != "__init__.py") {
				list = append(list, folder)
				break
			}
		}
	}
	return list
}
