package agent

import (
	"slices"
	"testing"

	"caselsp/agent/action"
)

// TestRoles: every verb can be chosen by some role, and no role has one twice. That
// a role has no verb that does not exist is the compiler's part.
func TestRoles(t *testing.T) {
	roles := map[string][]*action.Verb{"planning": planVerbs, "coding": caseVerbs, "reflecting": fixVerbs, "verifying": verifyVerbs, "advising": adviceVerbs}
	for _, v := range action.All() {
		had := 0
		for name, verbs := range roles {
			n := 0
			for _, w := range verbs {
				if w == v {
					n++
				}
			}
			if n > 1 {
				t.Errorf("%s has %s %d times", name, v.Name, n)
			}
			had += n
		}
		if had == 0 {
			t.Errorf("no role has %s: add it to the verbs of one, or delete it", v.Name)
		}
	}
	for name, verbs := range roles {
		if name != "coding" && slices.ContainsFunc(verbs, func(v *action.Verb) bool { return v.Effect == action.Edits }) {
			t.Errorf("%s may edit", name)
		}
	}
}
