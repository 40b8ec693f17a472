package agent

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"caselsp/agent/action"
	"caselsp/agent/record"
)

// TestGuardOfEveryVerb names a file that holds secrets in the arguments of every verb:
// whichever takes a path must need leave for it.
func TestGuardOfEveryVerb(t *testing.T) {
	const secret = ".env"
	b := newBench(t, "", agreeable{})
	r := b.newRun("t", func(Event, error) bool { return true })
	defer r.overlay.Close()
	if err := r.begin(t.Context(), record.Task{ID: "t", Text: "look"}); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(b.Workspace.Roots()[0].Dir, secret), []byte("X=1\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	guarded := 0
	for _, v := range action.All() {
		args, takesPath := argumentsNaming(t, v, secret)
		act, err := action.Restore(v.Name, args)
		if err != nil {
			t.Fatal(err)
		}
		l, err := r.may().Wants(act.Args)
		if err != nil {
			t.Errorf("%s can never be allowed: %v", v.Name, err)
		}
		if takesPath != (l != nil) {
			t.Errorf("%s needs leave: %v, want %v", v.Name, l != nil, takesPath)
		}
		if l != nil {
			guarded++
		}
	}
	if guarded < 7 {
		t.Errorf("only %d actions need leave", guarded)
	}
}

// argumentsNaming makes arguments of a verb in which every path is the one given.
func argumentsNaming(t *testing.T, v *action.Verb, path string) (args json.RawMessage, takesPath bool) {
	t.Helper()
	var schema struct {
		Properties map[string]struct{ Type string }
	}
	if err := json.Unmarshal(v.Schema, &schema); err != nil {
		t.Fatal(err)
	}
	named := map[string]string{}
	for _, p := range []string{"path", "from", "to"} {
		if schema.Properties[p].Type == "string" {
			named[p] = path
		}
	}
	args, err := json.Marshal(named)
	if err != nil {
		t.Fatal(err)
	}
	return args, len(named) > 0
}

// TestUnknownReach: a declared effect that no rule decides about is refused.
func TestUnknownReach(t *testing.T) {
	b := newBench(t, "", agreeable{})
	r := b.newRun("t", func(Event, error) bool { return true })
	defer r.overlay.Close()
	for name, args := range map[string]action.Reach{
		"a host":             reaching{hosts: []action.Host{"example.com"}},
		"names are changed":  reaching{changes: []action.Place{action.FileNames("")}},
		"secrets are set":    reaching{changes: []action.Place{action.Secrets{}}},
		"an outcome is read": reaching{reads: []action.Place{action.Outcome{}}},
		"no place at all":    reaching{reads: []action.Place{nil}},
	} {
		if _, err := r.may().Wants(args); err == nil {
			t.Errorf("%s: not refused", name)
		}
	}
}

// reaching is what an action might declare.
type reaching struct {
	reads, changes []action.Place
	hosts          []action.Host
}

func (r reaching) Reads() []action.Place   { return r.reads }
func (r reaching) Changes() []action.Place { return r.changes }
func (r reaching) Hosts() []action.Host    { return r.hosts }
