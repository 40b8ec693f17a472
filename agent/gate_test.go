package agent

import (
	"strings"
	"testing"

	"caselsp/agent/settings"
	"caselsp/agent/validate"
	"caselsp/agent/validate/rules"
)

// TestGuards shows that a workspace's own settings cannot lower what keeps strangers
// out, by the rule's name or its validator's, and can lower what does not. A name that
// nobody knows is not harmless.
func TestGuards(t *testing.T) {
	suite := rules.Default()
	j := settings.Judge{Harmless: suite.Harmless}
	refused := func(name string) bool {
		m := j.Merge(settings.Layer{Origin: settings.Repository, Values: map[string]any{"validate.rules": map[string]any{name: "off"}}})
		return len(m.Problems) > 0
	}
	lowered := 0
	for _, r := range suite.Rules() {
		guards := r.Category == validate.Safety || r.Category == validate.Secrets || strings.Contains(strings.Join(r.Standards, " "), "CWE-")
		if guards && (!refused(r.ID) || !refused(string(r.Category))) {
			t.Errorf("a workspace can switch off %s, or all of %s", r.ID, r.Category)
		}
		if !guards && r.Category != validate.Suppression && refused(r.ID) {
			t.Errorf("a workspace cannot switch off %s", r.ID)
		}
		if !guards {
			lowered++
		}
	}
	for _, name := range []string{"css", "accessibility"} {
		if refused(name) {
			t.Errorf("a workspace cannot switch off %s", name)
		}
	}
	for _, name := range []string{"no-such-rule", "tests", "suppression", "html"} { // html has sandbox-escape
		if !refused(name) {
			t.Errorf("a workspace can switch off %s", name)
		}
	}
	if lowered < 100 {
		t.Errorf("only %d rules are harmless", lowered)
	}
	_, problems := settings.Merge(settings.Layer{Origin: settings.Repository, Values: map[string]any{"validate.rules": map[string]any{"img-alt": "off"}}})
	if len(problems) != 1 {
		t.Errorf("without a judge a workspace can switch off a rule: %v", problems)
	}
}
