package permit

import (
	"fmt"
	"strings"
	"testing"

	"caselsp/agent/settings"
	"caselsp/store"
)

// TestConsent confirms a value by its name: only one that waits, and only that one.
func TestConsent(t *testing.T) {
	kept, err := store.TrustIn(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	trust := &Trust{Kept: kept}
	hosts := settings.Pending{Value: settings.Value{Setting: "sandbox.hosts", Text: `"a.example"`}, From: "workspace/configuration"}
	allow := settings.Pending{Value: settings.Value{Setting: "commands.allow", Text: `"make docs"`}, From: "workspace/configuration"}
	for _, folders := range [][]string{{"/a"}, {"/b", "/c"}} {
		if err := trust.Note(folders, []settings.Pending{hosts, allow}); err != nil {
			t.Fatal(err)
		}
	}
	state := func() string {
		waiting, err := trust.Waiting()
		if err != nil {
			t.Fatal(err)
		}
		confirmed, err := trust.Confirmed()
		if err != nil {
			t.Fatal(err)
		}
		var text []string
		for _, v := range waiting {
			text = append(text, v.Setting+" waits in "+v.Folders)
		}
		for _, v := range confirmed {
			text = append(text, v.Setting+" confirmed by "+v.By)
		}
		return strings.Join(text, ", ")
	}
	steps := []struct {
		do   func() error
		want string // the state, or a part of the error
	}{
		{func() error { return nil }, "sandbox.hosts waits in /a, commands.allow waits in /a"},
		{func() error { _, err := trust.Confirm("s0000000000", "x"); return err }, `no setting waits under the name "s0000000000"`},
		{func() error { _, err := trust.Unconfirm(hosts.ID()); return err }, "no setting is confirmed under the name"},
		{func() error { _, err := trust.Confirm(hosts.ID(), "terminal"); return err }, "commands.allow waits in /a, sandbox.hosts confirmed by terminal"},
		{func() error { _, err := trust.Confirm(hosts.ID(), "terminal"); return err }, "no setting waits under the name"},
		{func() error { _, err := trust.Unconfirm(hosts.ID()); return err }, "sandbox.hosts waits in /a, commands.allow waits in /a"},
	}
	for i, s := range steps {
		if err := s.do(); err != nil && !strings.Contains(err.Error(), s.want) || err == nil && state() != s.want {
			t.Errorf("step %d: %v; %s; want %s", i, err, state(), s.want)
		}
	}
	if list, err := trust.Waiting("/b", "/c"); err != nil || len(list) != 2 || list[0].Folders != "/b, /c" {
		t.Errorf("of one workspace: %v, %v", list, err)
	}
	twice := []store.SettingValue{{Setting: "a", Value: "b"}, {Setting: "a", Value: "b", Folders: "/x"}}
	if _, err := named(IDOf(twice[0]), twice); err == nil || !strings.Contains(fmt.Sprint(err), "two settings have this name") {
		t.Errorf("two of one name: %v", err)
	}
	var none *Trust
	if list, err := none.Confirmed(); list != nil || err != nil {
		t.Errorf("without a state directory: %v, %v", list, err)
	}
}
