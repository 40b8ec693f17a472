package settings

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// FuzzEditor shows that nothing that editors hand over, in whichever way and together,
// sends a request elsewhere or loosens anything before the user has confirmed it.
func FuzzEditor(f *testing.F) {
	user := Decode(User, "", []byte(`{"model": {"provider": "openai", "name": "m", "roles": {"tars": {"key_env": "OTHER"}, "case": {"provider": "ollama"}}},
		"limits": {"tokens": 1000, "cost": 1}, "sandbox": {"hosts": ["*.mine.example"], "folders": ["/opt/a", "/opt/b"]}, "trust.folders": ["/mine"],
		"commands": {"allow": ["make docs"]}, "validate.rules": {"safety": "critical", "tests": "warning"}}`))
	flags := Decode(Flags, "", []byte(`{"limits.steps": 20, "model.fallback": "second"}`))
	without, _ := Merge(user, flags)
	for _, seed := range [][3]string{
		{`{"model": {"base_url": "http://x.example"}}`, `{"model.key_env": "K"}`, `{"trust": {"folders": ["/"]}}`},
		{`{"model": {"roles": {"tars": {"base_url": "http://x.example"}, "tester": {"key_env": "K"}, "case": {}}}}`, `{"model.provider": "custom"}`, `{"model.provider": ""}`},
		{`{"sandbox.hosts": ["a.mine.example", "b.example"]}`, `{"limits": {"tokens": 0, "cost": "0", "steps": 30}}`, `{"validate.rules": {"tests": "off", "safety": "info"}}`},
		{`{"caselsp": {"commands.allow": "curl *; make docs"}}`, `{"sandbox.folders": ["/opt/b", "/x"], "commands.deny": ["a"]}`, `{"model.prices": {"m": {"prompt": 0}}}`},
	} {
		f.Add(seed[0], seed[1], seed[2])
	}
	f.Fuzz(func(t *testing.T, options, pushed, pulled string) {
		editors := []Layer{Decode(Editor, "", []byte(options)), Decode(Pushed, "", []byte(pushed)), Decode(Configuration, "", []byte(pulled))}
		m := Judge{}.Merge(append(editors, user, flags)...)
		with := m.Settings
		for _, role := range append([]string{""}, roleNames...) {
			if got, want := (Judge{}).route(with.Model.For(role)), (Judge{}).route(without.Model.For(role)); got != want {
				t.Errorf("%s: %s, not %s", role, got, want)
			}
		}
		for _, e := range entries {
			before, after := e.get(&without), e.get(&with)
			switch e.Workspace {
			case Never:
				for _, p := range partsOf(after) {
					if !p.in(before) && reflect.TypeOf(after).Kind() != reflect.Pointer {
						t.Errorf("%s = %s was not confirmed", e.Name, p.text)
					}
				}
			case Tighten:
				if e.loosens(&without, &with) {
					t.Errorf("%s = %v is looser than %v", e.Name, after, before)
				}
			case Add:
				for _, p := range partsOf(before) {
					if !p.in(after) {
						t.Errorf("%s has no %s any more", e.Name, p.text)
					}
				}
			}
		}
		for _, p := range m.Pending {
			if strings.ContainsFunc(p.String(), func(r rune) bool { return r < ' ' || r > '~' }) || p.From == "" {
				t.Errorf("%q from %q cannot be shown", p.String(), p.From)
			}
		}
	})
}

// TestConfirmedValues shows that a value that waits counts as soon as it is confirmed, for
// each setting, and that nothing else counts with it.
func TestConfirmedValues(t *testing.T) {
	values := map[string]any{
		"model.provider": "ollama", "model.base_url": "http://localhost:1/v1", "model.key_env": "K", "model.name": "x", "model.fallback": "y",
		"model.prices": map[string]any{"x": map[string]any{"prompt": 1}}, "model.roles": map[string]any{"case": map[string]any{"name": "z"}},
		"sandbox.image": "x", "sandbox.user": 1234, "sandbox.indexes.python": "http://x.example", "sandbox.indexes.node": "http://x.example", "sandbox.indexes.go": "http://x.example",
		"sandbox.folders": []any{"/opt"}, "trust.folders": []any{"/"}, "commands.allow": []any{"make docs"}, "commands.packages": []any{"pypi:a@1"}, "files.allow": []any{"Makefile"},
		"memory.model": "e", "memory.provider": "ollama", "memory.base_url": "http://localhost:1/v1", "memory.key_env": "K", "memory.dimensions": 8,
		"history.days": 1, "history.megabytes": 1, "fixcheck.write": false, "fixcheck.failing_first": "1h", "fixcheck.tests": false, "review.commit": true, "telemetry.endpoint": "http://localhost:4318",
	}
	var all []Layer
	for _, e := range entries {
		if value, ok := values[e.Name]; ok != (e.Workspace == Never) {
			t.Errorf("%s: a workspace may set it: %q, and it has a case here: %v", e.Name, e.Workspace, ok)
		} else if ok {
			all = append(all, Layer{Origin: Configuration, Values: map[string]any{e.Name: value}})
		}
	}
	defaults := Default()
	for _, l := range all {
		name := sortedKeys(l.Values)[0]
		m := Judge{}.Merge(l)
		if len(m.Pending) == 0 || !reflect.DeepEqual(m.Settings, defaults) || len(m.Sources) > 0 {
			t.Errorf("%s, not confirmed: %v, %v", name, m.Pending, m.Sources)
			continue
		}
		var asked []string
		for _, p := range m.Pending {
			asked = append(asked, p.String())
		}
		sure := Judge{Confirmed: func(v Value) bool { return slices.Contains(asked, v.String()) }}
		if m := sure.Merge(l); len(m.Problems) > 0 || len(m.Sources) != 1 || m.Sources[0].Setting != name {
			t.Errorf("%s, confirmed: %v, %v", name, m.Problems, m.Sources)
		}
		if m := sure.Merge(all...); len(m.Sources) > 1 && !slices.Contains(routing, name) {
			t.Errorf("with %s, more was confirmed: %v", name, m.Sources)
		}
	}
}

// TestServerIsOne: what an editor says of a model's server is one value to confirm, with each part
// in it; what an older version asked for one by one still counts.
func TestServerIsOne(t *testing.T) {
	const address = "requests go to \"custom http://x.example/v1\" with the key in K"
	user := Decode(User, "", []byte(`{"model.provider": "custom", "model.base_url": "http://own.example", "model.key_env": "K", "model.name": "mine"}`))
	for _, c := range []struct {
		editor, setting, text string
		old                   []Value // confirmed by itself
	}{
		{`{"model": {"base_url": "http://x.example/v1", "name": "theirs", "fallback": "mini", "timeout": "30m", "tools": "json"}}`,
			"model.provider, model.base_url, model.key_env, model.name, model.fallback", address + `, for the model "theirs", falling back to the model "mini"`,
			[]Value{{"model.provider, model.base_url, model.key_env", address}, {"model.name", `"theirs"`}, {"model.fallback", `"mini"`}}},
		{`{"model": {"base_url": "http://x.example/v1", "name": "mine"}}`, "model.provider, model.base_url, model.key_env", address, nil},
		{`{"model.name": "theirs"}`, "model.provider, model.base_url, model.key_env, model.name",
			`requests go to "custom http://own.example" with the key in K, for the model "theirs"`, []Value{{"model.name", `"theirs"`}}},
		{`{"model": {"timeout": "1h", "tools": "native"}}`, "", "", nil},
	} {
		editor := Decode(Configuration, "", []byte(c.editor))
		m := Judge{}.Merge(user, editor)
		var want []Value
		if c.text != "" {
			want = []Value{{c.setting, c.text}}
		}
		var got []Value
		for _, p := range m.Pending {
			got = append(got, p.Value)
		}
		if !slices.Equal(got, want) || c.text != "" && (m.Settings.Model.Name != "mine" || m.Settings.Model.BaseURL != "http://own.example") {
			t.Errorf("%s waits as %q, not %q; the model is %+v", c.editor, got, want, m.Settings.Model)
		}
		for _, confirmed := range [][]Value{want, c.old} {
			if len(confirmed) == 0 {
				continue
			}
			sure := Judge{Confirmed: func(v Value) bool { return slices.Contains(confirmed, v) }}.Merge(user, editor)
			if len(sure.Pending) > 0 || reflect.DeepEqual(sure.Settings.Model, m.Settings.Model) {
				t.Errorf("%s, confirmed as %q, still waits: %q", c.editor, confirmed, sure.Pending)
			}
			less := Judge{Confirmed: func(v Value) bool { return slices.Contains(confirmed[1:], v) }}.Merge(user, editor)
			if len(less.Pending) != 1 {
				t.Errorf("%s, without %q, waits as %q", c.editor, confirmed[0], less.Pending)
			}
		}
	}
}

// TestPendingIsBounded shows that a project cannot flood the user with messages.
func TestPendingIsBounded(t *testing.T) {
	var commands []any
	for i := range 500 {
		commands = append(commands, fmt.Sprint("make ", i))
	}
	text, err := json.Marshal(map[string]any{"commands.allow": commands})
	if err != nil {
		t.Fatal(err)
	}
	m := Judge{}.Merge(Decode(Editor, "", text))
	if len(m.Pending) != 500 || len(m.Problems) != shownPending+1 || !strings.Contains(m.Problems[shownPending].Text, "490 more values") {
		t.Errorf("%d wait, and %d problems are told: %v", len(m.Pending), len(m.Problems), m.Problems[len(m.Problems)-1])
	}
}
