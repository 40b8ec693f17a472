package obey

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// TestShadows: a new module in front of one of the standard library or of a tool is obeyed, another is
// not; neither is the change of one that is there.
func TestShadows(t *testing.T) {
	for name, obeyed := range map[string]bool{
		"black.py": true, "pylint.py": true, "pip.py": true, "pylsp.py": true, "logging.py": true, "tokenize.py": true, "pytest.py": true, "site.py": true, "JSON.py": true,
		"mypy/__main__.py": true, "debugpy/__init__.py": true, "unittest/__init__.py": true, "src/logging.py": true, "src/black/__init__.py": true, "json.pyc": true, "enum/__init__.pyc": true,
		"lakefile.lean": true, "src/user.clj": true, "pdm_build.py": true, "src/setupProxy.js": true, "sgconfig.yml": true, "matplotlibrc": true, "hooks/hooks.json": true,
		"app.py": false, "main.py": false, "models.py": false, "utils/__init__.py": false, "test/__init__.py": false, "tests/__init__.py": false, "test/helper.py": false,
		"app/logging.py": false, "black/notes.md": false, "logging/readme.txt": false, "email/sender.py": false, "src/app/types.py": false, "json.js": false, "logging.go": false,
	} {
		if by := By(Change{Path: name, After: &File{Text: "x = 1\n"}}); (by != "") != obeyed {
			t.Errorf("a new %s is obeyed by %q, to be asked: %v", name, by, obeyed)
		}
		if by := By(Change{Path: name, Before: &File{Text: "x = 1\n"}, After: &File{Text: "x = 2\n"}}); by != Named(name) {
			t.Errorf("a changed %s is obeyed by %q", name, by)
		}
	}
}

func need(t *testing.T, program string) string {
	t.Helper()
	file, err := exec.LookPath(program)
	if err != nil && slices.Contains(strings.Split(os.Getenv("CASELSP_REQUIRE"), ","), program) {
		t.Fatalf("%s is required here: %v", program, err)
	} else if err != nil {
		t.Skipf("needs %[1]s: install it (Debian: apt-get install %[1]s)", program)
	}
	return file
}

// TestStandardLibrary compares the list with an interpreter's own.
func TestStandardLibrary(t *testing.T) {
	out, err := exec.Command(need(t, "python3"), "-c", "import sys; print(*sys.stdlib_module_names)").Output()
	if err != nil {
		t.Fatal(err)
	}
	beside := map[string]bool{"test": true, "this": true, "antigravity": true, "idlelib": true, "turtledemo": true} // nothing of use imports them
	for name := range strings.FieldsSeq(string(out)) {
		if !modules[strings.ToLower(name)] && !beside[name] && name[0] != '_' {
			t.Errorf("%s is missing", name)
		}
	}
}
