package stack

import "testing"

// TestNamed: a package belongs to a module where the project's own files name it and its name is the
// module's, as it stands or with the usual affixes; no other one is taken.
func TestNamed(t *testing.T) {
	files := []File{
		{Path: "requirements-dev.txt", Text: "# requests\nPyYAML==6.0\npython-dateutil>=2\n"},
		{Path: "pyproject.toml", Text: "[project]\ndependencies = [\"Django-Environ[x]>=1\", \"typing_extensions\"]\n"},
		{Path: "poetry.lock", Text: "[[package]]\nname = \"pyjwt\"\nversion = \"2.8.0\"\n"},
		{Path: "notes.txt", Text: "redis\n"},
		{Path: "node_modules/x/requirements.txt", Text: "numpy\n"},
	}
	for module, want := range map[string]string{
		"yaml": "PyYAML requirements-dev.txt:2", "dateutil": "python-dateutil requirements-dev.txt:3", "environ": "Django-Environ pyproject.toml:2",
		"typing_extensions": "typing_extensions pyproject.toml:2", "jwt": "pyjwt poetry.lock:2",
		"requests": " ", "redis": " ", "numpy": " ", "pyyam": " ", "a.*": " ",
	} {
		if name, where := Named(files, module); name+" "+where != want {
			t.Errorf("%s: %s %s, want %s", module, name, where, want)
		}
	}
}
