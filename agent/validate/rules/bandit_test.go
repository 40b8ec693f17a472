//go:build corpus

package rules

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"testing"

	"caselsp/agent/validate"
)

// leastBandit is the part of Bandit's issues, in percent, that our own rules must
// find in its examples; with Bandit in the sandbox the rest is found as well.
const leastBandit = 80

var (
	// banditCheck is one of Bandit's functional tests: what it expects of an
	// example, by severity.
	banditCheck = regexp.MustCompile(`(?s)"SEVERITY": \{([^}]*)\},\s*"CONFIDENCE": \{[^}]*\},\s*\}\s*self\.check_example\(\s*"([^"]+)", expect\)`)
	banditCount = regexp.MustCompile(`"(?:LOW|MEDIUM|HIGH)": (\d+)`)
)

// TestBandit counts what our rules find in the examples of a checkout of
// PyCQA/bandit beside what Bandit's functional tests expect there.
func TestBandit(t *testing.T) {
	folder := os.Getenv("BANDIT")
	if folder == "" {
		t.Fatal("set BANDIT to a checkout of PyCQA/bandit")
	}
	tests, err := os.ReadFile(filepath.Join(folder, "tests", "functional", "test_functional.py"))
	if err != nil {
		t.Fatal(err)
	}
	checks := banditCheck.FindAllStringSubmatch(string(tests), -1)
	if len(checks) == 0 {
		t.Fatal("the functional tests hold no check that can be read")
	}
	expected, found, more := 0, 0, 0
	for _, m := range checks {
		text, err := os.ReadFile(filepath.Join(folder, "examples", m[2]))
		if err != nil {
			continue // of another test's folder
		}
		want := 0
		for _, n := range banditCount.FindAllStringSubmatch(m[1], -1) {
			v, _ := strconv.Atoi(n[1])
			want += v
		}
		// As a file of a program: examples are no tests, wherever they lie.
		ours := len(slices.DeleteFunc(Default().Check(filepath.Base(m[2]), string(text)), func(f validate.Finding) bool {
			r := ruleOf(f.Rule)
			return r.Category != validate.Safety && r.Category != validate.Secrets
		}))
		expected, found, more = expected+want, found+min(want, ours), more+max(0, ours-want)
		if ours != want {
			fmt.Printf("%-45s Bandit %3d, ours %3d\n", m[2], want, ours)
		}
	}
	fmt.Printf("in all  found %d of %d, %d more\n", found, expected, more)
	if found*100 < expected*leastBandit {
		t.Errorf("found %d of %d: below %d percent", found, expected, leastBandit)
	}
}

func ruleOf(id string) validate.Rule {
	i := slices.IndexFunc(table, func(r validate.Rule) bool { return r.ID == id })
	return table[i]
}
