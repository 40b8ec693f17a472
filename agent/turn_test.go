package agent

import (
	"slices"
	"testing"

	"caselsp/agent/action"
)

// TestPromptSizes bounds what each role is sent with every request: its system prompt and
// its tools.
func TestPromptSizes(t *testing.T) {
	for role, c := range map[string]struct {
		verbs []*action.Verb
		most  int // bytes
	}{
		"plan":      {planVerbs, 4046},
		"code":      {caseVerbs, 6464},
		"single":    {singleVerbs, 6464},
		"reflect":   {fixVerbs, 2500},
		"verify":    {verifyVerbs, 2900},
		"tester":    {writerVerbs, 4200},
		"advise":    {adviceVerbs, 800},
		"validator": {validatorVerbs, 2700},
	} {
		text, err := render(role+".system.md", prompted{Steps: 15})
		if err != nil {
			t.Fatal(err)
		}
		size := len(text)
		for _, v := range c.verbs {
			size += len(v.Name) + len(v.Text) + len(v.Schema)
		}
		if size > c.most {
			t.Errorf("%s: the system prompt and the tools have %d bytes, at most %d are wanted: they are paid for with each request", role, size, c.most)
		}
	}
}

// TestRoles: every verb can be chosen by some role, and no role has one twice. That
// a role has no verb that does not exist is the compiler's part.
func TestRoles(t *testing.T) {
	roles := map[string][]*action.Verb{"planning": planVerbs, "answering": threadVerbs, "coding": caseVerbs, "reflecting": fixVerbs, "writing tests": writerVerbs, "verifying": verifyVerbs, "advising": adviceVerbs, "writing validators": validatorVerbs}
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
		if name != "coding" && name != "writing tests" && slices.ContainsFunc(verbs, func(v *action.Verb) bool { return v.Effect == action.Edits }) {
			t.Errorf("%s may edit", name)
		}
	}
	for _, v := range threadVerbs { // a thread only reads
		if v.Effect != action.Reads && v.Effect != action.Looks && v.Effect != action.Submits {
			t.Errorf("answering has %s, which %s", v.Name, v.Effect)
		}
	}
}
