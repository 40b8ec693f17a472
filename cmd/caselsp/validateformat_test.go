package main

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"caselsp/agent/validate"
	"caselsp/agent/validate/rules"
)

// sarifLog is what SARIF 2.1.0 requires of a log, and what readers of logs rely
// on (sections 3.13, 3.14, 3.27, 3.30 and 3.55).
type sarifLog struct {
	Version string
	Runs    []struct {
		ColumnKind string
		Tool       struct {
			Driver struct {
				Name  string
				Rules []struct {
					ID                   string
					ShortDescription     struct{ Text string }
					DefaultConfiguration struct{ Level string }
				}
			}
		}
		Results []struct {
			RuleID    string
			RuleIndex *int
			Level     string
			Message   struct{ Text string }
			Locations []struct {
				PhysicalLocation struct {
					ArtifactLocation struct{ URI string }
					Region           sarifRegion
				}
			}
			Fixes []struct {
				ArtifactChanges []struct {
					ArtifactLocation struct{ URI string }
					Replacements     []struct{ DeletedRegion sarifRegion }
				}
			}
		}
	}
}

type sarifRegion struct{ StartLine, StartColumn, EndLine, EndColumn int }

func (r sarifRegion) ordered() bool {
	return r.StartLine >= 1 && r.StartColumn >= 1 && (r.EndLine > r.StartLine || r.EndLine == r.StartLine && r.EndColumn >= r.StartColumn)
}

// TestSARIF checks a log against what the standard requires, with a finding of
// each severity, one with a fix, one of a linter and a name that an address
// cannot hold as it is.
func TestSARIF(t *testing.T) {
	const name, text = "a b/page 100%.html", "<!DOCTYPE html>\n<html><head><title>Grüße</title></head><body>\n<img src=\"/a.png\"><script type=\"text/javascript\" src=\"http://cdn.example.org/a.js\"></script>\n</body></html>\n"
	found := rules.Default().Check(name, text)
	found = append(found, validate.Finding{Path: name, Rule: "pylint:C0114", Severity: validate.Info, Message: "Missing module docstring"})
	var out bytes.Buffer
	if err := validateSARIF(&out, &judging{found: []judged{{name, text, found}}}); err != nil {
		t.Fatal(err)
	}
	var log sarifLog
	if err := json.Unmarshal(out.Bytes(), &log); err != nil {
		t.Fatal(err)
	}
	if log.Version != "2.1.0" || len(log.Runs) != 1 || log.Runs[0].Tool.Driver.Name == "" || log.Runs[0].ColumnKind != "utf16CodeUnits" {
		t.Fatalf("not a log of one run: %.300s", out.String())
	}
	levels := []string{"error", "warning", "note"}
	run := log.Runs[0]
	ids := map[string]bool{}
	for _, r := range run.Tool.Driver.Rules {
		if r.ID == "" || ids[r.ID] || r.ShortDescription.Text == "" || !slices.Contains(levels, r.DefaultConfiguration.Level) {
			t.Errorf("not a rule, or there twice: %+v", r)
		}
		ids[r.ID] = true
	}
	if len(run.Results) != len(found) {
		t.Fatalf("%d results of %d findings", len(run.Results), len(found))
	}
	seen, fixes := map[string]bool{}, 0
	for i, r := range run.Results {
		seen[r.Level] = true
		fixes += len(r.Fixes)
		if r.RuleID != found[i].Rule || r.Message.Text == "" || !slices.Contains(levels, r.Level) || len(r.Locations) != 1 {
			t.Errorf("not a result: %+v", r)
			continue
		}
		if (r.RuleIndex != nil) != ids[r.RuleID] || r.RuleIndex != nil && run.Tool.Driver.Rules[*r.RuleIndex].ID != r.RuleID {
			t.Errorf("%s points to another rule", r.RuleID)
		}
		if at := r.Locations[0].PhysicalLocation; at.ArtifactLocation.URI != "a%20b/page%20100%25.html" || !at.Region.ordered() {
			t.Errorf("%s: not a place: %+v", r.RuleID, at)
		}
		for _, f := range r.Fixes {
			if len(f.ArtifactChanges) != 1 || len(f.ArtifactChanges[0].Replacements) == 0 || !f.ArtifactChanges[0].Replacements[0].DeletedRegion.ordered() {
				t.Errorf("%s: not a fix: %+v", r.RuleID, f)
			}
		}
	}
	if len(seen) != len(levels) || fixes == 0 {
		t.Errorf("the page should have a finding of each level and a fix: %v, %d fixes", seen, fixes)
	}
	checkGitHub(t, &judging{found: []judged{{name, text, found}}})
}

// checkGitHub checks that each finding is one workflow command on one line.
func checkGitHub(t *testing.T, j *judging) {
	t.Helper()
	var out bytes.Buffer
	if err := validateGitHub(&out, j); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
	if len(lines) != len(j.found[0].found) {
		t.Errorf("%d commands of %d findings", len(lines), len(j.found[0].found))
	}
	for _, line := range lines {
		properties, message, ok := strings.Cut(strings.TrimPrefix(line, "::"), "::")
		if !ok || message == "" || !strings.Contains(properties, "file=a b/page 100%25.html,line=") {
			t.Errorf("not a workflow command: %s", line)
		}
	}
}
