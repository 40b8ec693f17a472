package lint

import (
	"slices"
	"strings"
	"testing"

	"caselsp/agent/validate"
	"caselsp/sandbox"
)

// TestScope shows which files a linter judges by the project's own configuration.
func TestScope(t *testing.T) {
	files := []string{"app/a.py", "app/b_pb2.py", "docs/conf.py", "a.js"}
	for _, c := range []struct {
		linter             *Linter
		name, config, want string
	}{
		{Pylint, "", "", "app/a.py app/b_pb2.py docs/conf.py"},
		{Mypy, "mypy.ini", "[mypy]\n", "app/a.py app/b_pb2.py docs/conf.py"},
		{Mypy, "mypy.ini", "[mypy]\nfiles = app,\n  tests\n[mypy-x]\nfiles = docs\n", "app/a.py app/b_pb2.py"},
		{Mypy, "pyproject.toml", "[tool.mypy]\nfiles = ['app', 'docs/*.py']\nexclude = ['_pb2\\.py$']\n", "app/a.py docs/conf.py"},
		{Mypy, "setup.cfg", "[mypy]\nexclude = (?x)(docs)\n", "app/a.py app/b_pb2.py docs/conf.py"}, // a pattern that is not understood leaves nothing out
		{Black, "pyproject.toml", "[tool.black]\nextend-exclude = '''\n(\n  ^/docs/\n  | _pb2\n)\n'''\n", "app/a.py"},
		{ESLint, "", "", "a.js"},
	} {
		tree := []sandbox.File{{Path: c.name, Data: []byte(c.config)}}
		if got := strings.Join(c.linter.Scope(tree, files), " "); got != c.want {
			t.Errorf("%s with %q judges %q, want %q", c.linter.Name, c.config, got, c.want)
		}
	}
}

// TestInProject shows what a linter says in a project that does not use it.
func TestInProject(t *testing.T) {
	for _, c := range []struct {
		linter *Linter
		own    string
		want   string
	}{
		{Pylint, "", "pylint/undefined-variable pylint/unused-import"},
		{Pylint, "pylintrc", "pylint/undefined-variable pylint/unused-import pylint/line-too-long"},
		{ESLint, "", "eslint/parse"},
		{ESLint, "eslint.config.js", "eslint/parse eslint/no-empty"},
		{Bandit, "", "bandit/B602"},
		{Vet, "", "vet/printf"},
	} {
		r := Report{Scored: true}
		for _, rule := range []string{"pylint/undefined-variable", "pylint/unused-import", "pylint/line-too-long", "eslint/parse", "eslint/no-empty", "bandit/B602", "vet/printf"} {
			if strings.HasPrefix(rule, c.linter.Name) {
				r.Findings = append(r.Findings, validate.Finding{Rule: rule})
			}
		}
		r.InProject(c.linter, []sandbox.File{{Path: c.own}})
		var got []string
		for _, f := range r.Findings {
			got = append(got, f.Rule)
		}
		if strings.Join(got, " ") != c.want || r.Scored != (c.own != "" || c.linter.chosen == nil) {
			t.Errorf("%s with %q says %q, scored %v; want %q", c.linter.Name, c.own, got, r.Scored, c.want)
		}
	}
	issues, err := readBandit(`{"results": [{"filename": "tests/test_a.py", "test_id": "B101"}, {"filename": "a.py", "test_id": "B101"}]}`, "")
	if err != nil || len(issues) != 1 || !slices.ContainsFunc(issues, func(i issue) bool { return i.Path == "a.py" }) {
		t.Errorf("of asserts Bandit says %v, %v", issues, err)
	}
}
