package shell

import (
	"bufio"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
)

// checkLevel holds what every level has to keep: a policy under which something can leave the
// copy eases nothing, a denial stays one, and what is offered for a task stays on the copy.
func checkLevel(t *testing.T, line string, policy Policy, v Verdict) {
	t.Helper()
	strict := policy
	strict.Level = Strict
	was := Judge(line, strict)
	if !policy.isolated() && (v.Decision != was.Decision || v.Reason != was.Reason || v.Task) {
		t.Errorf("%q: what can leave the copy is eased: %s, %s (task: %t)", line, v.Decision, v.Reason, v.Task)
	}
	if (was.Decision == Deny) != (v.Decision == Deny) {
		t.Errorf("%q: %s at level %s, and %s at level strict", line, v.Decision, Levels[policy.Level], was.Decision)
	}
	if was.ReadOnly && !v.ReadOnly {
		t.Errorf("%q only reads, but not at level %s", line, Levels[policy.Level])
	}
	all := policy
	all.Level = All
	leaves := slices.ContainsFunc(v.Touches, func(s string) bool {
		return s == Network || strings.Contains(s, "secrets") || strings.Contains(s, "outside") || strings.Contains(s, "machine") || strings.Contains(s, "obey")
	})
	if policy.Level == Default && v.Decision == Ask && leaves && (v.Task || Judge(line, all).Decision == Allow) {
		t.Errorf("%q may leave the copy (%s), and is offered for a task or runs at level all", line, v.Touches)
	}
}

// stranger is a line of somebody who had not seen the judge.
type stranger struct{ Line, Kind, Why string }

func strangers(t *testing.T) (list []stranger) {
	t.Helper()
	f, err := os.Open("testdata/strangers.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var s stranger
		if err := json.Unmarshal(lines.Bytes(), &s); err != nil {
			t.Fatal(err)
		}
		list = append(list, s)
	}
	return list
}

// onCopy are the dangerous lines of strangers that run at the level default. They change files of the copy,
// which are reviewed, and nothing runs what they wrote.
var onCopy = []string{
	"printf '\\033]0;%s\\007\\033[2J\\033[H All tests passed\\n' x",
	"echo 'import os; os.system(\"id\")' > conftest.py",
	"sed -i 's#\"test\": \"#\"test\": \"sh x.sh; #' package.json",
	"jq '.scripts.postinstall=\"sh x.sh\"' package.json > t && mv t package.json",
}

// mostAsked is how many of the ordinary lines of strangers may be asked for, in a thousand. People approve
// unread what they are asked too often.
const mostAsked = 60

func TestStrangers(t *testing.T) {
	ordinary, asked, dangerous := 0, 0, 0
	var allowed []string
	for _, s := range strangers(t) {
		v := Judge(s.Line, eased)
		checkLevel(t, s.Line, eased, v)
		switch {
		case s.Kind == "dangerous":
			dangerous++
			if v.Decision == Allow {
				allowed = append(allowed, s.Line)
			}
		case s.Kind == "ordinary":
			ordinary++
			if v.Decision != Allow {
				asked++
			}
		}
	}
	t.Logf("ordinary: %d of %d asked for; dangerous: %d of %d allowed", asked, ordinary, len(allowed), dangerous)
	if ordinary < 300 || asked*1000 >= ordinary*mostAsked {
		t.Errorf("of %d ordinary lines %d are asked for", ordinary, asked)
	}
	if dangerous < 300 || !slices.Equal(allowed, onCopy) {
		t.Errorf("of %d dangerous lines these are allowed:\n%s", dangerous, strings.Join(allowed, "\n"))
	}
}

// TestLevels has lines whose verdict differs by level, with what they rest on.
func TestLevels(t *testing.T) {
	for _, row := range table(t, "levels.txt", 4) {
		for i, policy := range []Policy{sandboxed, eased, {Sandboxed: true, Level: All}} {
			v := Judge(row[3], policy)
			if want := strings.Fields(row[0])[i]; string(v.Decision) != want {
				t.Errorf("%s: at level %s %s (%s), want %s", row[3], Levels[i], v.Decision, v.Reason, want)
			}
			if policy.Level != Default {
				continue
			}
			if task := row[1] == "task"; v.Decision == Ask && v.Task != task {
				t.Errorf("%s: offered for a task: %t", row[3], v.Task)
			}
			var rests []string
			for _, r := range v.Rests {
				if r.Entry == "config" || strings.HasPrefix(r.Manifest, ".") || r.Manifest == "bunfig.toml" {
					continue // with every script of package.json
				}
				rests = append(rests, strings.TrimSuffix(r.Manifest+"#"+r.Entry, "#"))
			}
			if got := strings.Join(rests, " "); v.Decision == Allow && got != row[2] {
				t.Errorf("%s: rests on %q, want %q", row[3], got, row[2])
			}
		}
	}
	if LevelOf("all") != All || LevelOf("default") != Default || LevelOf("strict") != Strict || LevelOf("no such level") != Strict {
		t.Error("levels are not read by their names")
	}
}

// TestStarts has what lines start by name.
func TestStarts(t *testing.T) {
	for line, want := range map[string][]string{
		"node scripts/build.js --fast":          {"scripts/build.js"},
		"vitest run src/a.test.ts":              nil,
		"./tools/x.sh && sh -e b.sh":            {"tools/x.sh", "b.sh"},
		"cross-env A=1 node a.js; tsc -p .":     {"a.js"},
		"python tools/gen.py > out; . ./env.sh": {"tools/gen.py", "env.sh"},
		"esbuild src/index.ts --bundle":         nil,
		"$(PYTHON) tools/gen.py":                {"tools/gen.py"},
		"echo 'open":                            {"echo", "'open"},
		"python -m pytest tests/test_a.py":      nil,
		"node --test test/a.test.js":            nil,
		"python -m tools.gen --fast":            {"tools/gen.py"},
		"$(PYTHON) -m tools.gen":                {"tools/gen.py"},
		"bash -c 'sh tools/x.sh'":               {"tools/x.sh"},
		"timeout 60 sh test.sh":                 {"test.sh"},
		"node test/run.test.js":                 {"test/run.test.js"},
	} {
		got := Starts(line)
		if len(want) > 0 && !slices.ContainsFunc(want, func(w string) bool { return slices.Contains(got, w) }) || len(want) == 0 && len(got) > 0 {
			t.Errorf("%s starts %q, want %q", line, got, want)
		}
	}
}
