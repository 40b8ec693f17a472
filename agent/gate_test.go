package agent

import (
	"strings"
	"testing"

	"caselsp/agent/settings"
	"caselsp/agent/validate"
	"caselsp/agent/validate/rules"
)

// TestGuards shows that a workspace's own settings cannot switch off what keeps
// strangers out, by the rule's name or its validator's, and can what does not.
func TestGuards(t *testing.T) {
	refused := func(name string) bool {
		_, problems := settings.Merge(settings.Layer{Origin: settings.Repository, Values: map[string]any{"validate.rules": map[string]any{name: "off"}}})
		return len(problems) > 0
	}
	for _, r := range rules.Default().Rules() {
		guards := r.Category == validate.Safety || r.Category == validate.Secrets || strings.HasPrefix(r.ID, "csrf-")
		if guards && (!refused(r.ID) || !refused(string(r.Category))) {
			t.Errorf("a workspace can switch off %s, or all of %s", r.ID, r.Category)
		}
		if !guards && r.Category != validate.Templates && refused(r.ID) {
			t.Errorf("a workspace cannot switch off %s", r.ID)
		}
	}
}
