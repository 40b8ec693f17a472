package shell

import "testing"

func patterns(t *testing.T, parse func(setting, line string) (Pattern, error), lines ...string) (list []Pattern) {
	t.Helper()
	for _, line := range lines {
		p, err := parse("x", line)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, p)
	}
	return list
}

func TestPolicy(t *testing.T) {
	requests, err := ParsePackage("pypi:Requests@2.31.0")
	if err != nil {
		t.Fatal(err)
	}
	types, err := ParsePackage("npm:@types/node@*")
	if err != nil {
		t.Fatal(err)
	}
	own := Policy{
		Sandboxed: true,
		Allow:     patterns(t, ParseAllow, "make docs", "terraform plan *", "npm run * -- --fix"),
		Ask:       patterns(t, ParsePattern, "go build", "git * main"),
		Deny:      patterns(t, ParsePattern, "git push", "docker", "pytest -x"),
		Packages:  []Package{requests, types},
	}
	open := Policy{Sandboxed: true, Hosts: []string{"pkgs.example", "*.example.org", "localhost:8000"}}
	for _, row := range table(t, "policy.txt", 3) {
		policy := map[string]Policy{"own": own, "open": open, "none": {}}[row[0]]
		v := Judge(row[2], policy)
		if string(v.Decision) != row[1] {
			t.Errorf("%s: %s: got %s (%s), want %s", row[0], row[2], v.Decision, v.Reason, row[1])
		}
		if e := Explain(row[2], policy); e.Decision != v.Decision || len(e.Parts) == 0 {
			t.Errorf("%s: explained it is %s, with %d parts", row[2], e.Decision, len(e.Parts))
		}
	}
	if v := Judge("pytest -q", Policy{}); v.Shape != "pytest -q" || Judge("touch x", Policy{}).Shape != "" {
		t.Errorf("where it is asked for, running the tests has the shape %q", v.Shape)
	}
}

func TestParsePattern(t *testing.T) {
	for _, line := range []string{"", "ls; ls", "ls $x", "ls > x", "X=1 ls", "ls &", "* x", "ls a*", "ls 'open", "ls | cat"} {
		if p, err := ParsePattern("x", line); err == nil {
			t.Errorf("%q is taken as %q", line, p.words)
		}
	}
	for _, line := range []string{"bash *", "sh -c *", "python *", "python -c *", "node -e *", "env *", "xargs *", "eval *", "git *", "timeout 5 *", "npx *"} {
		if p, err := ParseAllow("x", line); err == nil {
			t.Errorf("%q is taken as %q", line, p.words)
		}
	}
	for _, s := range []string{"requests", "pypi:requests", "gem:x@1", "pypi:../x@1", "npm:x@latest", "pypi:@1", "npm:x@^1"} {
		if p, err := ParsePackage(s); err == nil {
			t.Errorf("%q is taken as %v", s, p)
		}
	}
}
