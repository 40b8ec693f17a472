//go:build corpus

package rules

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"caselsp/agent/validate"
)

// actCase is a test case of the W3C's ACT rules.
type actCase struct {
	Rule     string `json:"ruleId"`
	Name     string `json:"ruleName"`
	Expected string `json:"expected"`
	Title    string `json:"testcaseTitle"`
	Path     string `json:"relativePath"`
}

// TestACT runs the rules that declare an ACT rule over that rule's cases: every
// failed one should have a finding, and no other may. It prints a table.
func TestACT(t *testing.T) {
	folder := os.Getenv("ACT")
	if folder == "" {
		t.Fatal("set ACT to the folder of the W3C's ACT rules (testcases.json)")
	}
	data, err := os.ReadFile(filepath.Join(folder, "testcases.json"))
	if err != nil {
		t.Fatal(err)
	}
	var suite struct{ Testcases []actCase }
	if err := json.Unmarshal(data, &suite); err != nil {
		t.Fatal(err)
	}
	ours := map[string][]string{}
	for _, r := range Default().Rules() {
		for _, s := range r.Standards {
			if id, ok := strings.CutPrefix(s, "ACT "); ok {
				ours[id] = append(ours[id], r.ID)
			}
		}
	}
	type score struct {
		name, notes                 string
		failed, found, good, alarms int
	}
	scores := map[string]*score{}
	for _, c := range suite.Testcases {
		if ours[c.Rule] == nil {
			continue
		}
		s := scores[c.Rule]
		if s == nil {
			s = &score{name: c.Name}
			scores[c.Rule] = s
		}
		text, err := os.ReadFile(filepath.Join(folder, c.Path))
		if err != nil {
			t.Fatal(err)
		}
		found := slices.DeleteFunc(Default().Check(c.Path, string(text)), func(f validate.Finding) bool { return !slices.Contains(ours[c.Rule], f.Rule) })
		switch {
		case c.Expected == "failed":
			s.failed++
			if len(found) > 0 {
				s.found++
			} else {
				s.notes += fmt.Sprintf("      missed %s %s\n", c.Title, c.Path)
			}
		default:
			s.good++
			if len(found) > 0 {
				s.alarms++
				s.notes += fmt.Sprintf("      false  %s %s: %s\n", c.Title, c.Path, found[0].Message)
			}
		}
	}
	var total score
	for _, id := range slices.Sorted(maps.Keys(scores)) {
		s := scores[id]
		fmt.Printf("%s  found %2d of %2d, false alarms %d of %2d  %-60s %s\n%s", id, s.found, s.failed, s.alarms, s.good, s.name, strings.Join(ours[id], " "), s.notes)
		total.failed, total.found, total.good, total.alarms = total.failed+s.failed, total.found+s.found, total.good+s.good, total.alarms+s.alarms
	}
	fmt.Printf("in all  found %d of %d, false alarms %d of %d\n", total.found, total.failed, total.alarms, total.good)
	if total.alarms > 0 {
		t.Errorf("%d false alarms", total.alarms)
	}
}
