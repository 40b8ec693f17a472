package lsp

import (
	"slices"
	"testing"

	setting "caselsp/agent/settings"
	"caselsp/lsp/lsptest"
)

// TestToldOnce tells what is wrong with the settings, list after list: a list that has not changed
// is told once, and a value that waits to be confirmed once, whatever stands beside it.
func TestToldOnce(t *testing.T) {
	value := setting.Problem{Setting: "model.base_url", Layer: "an editor", Text: "waits", Once: "s1"}
	other := setting.Problem{Setting: "model.name", Layer: "an editor", Text: "waits too", Once: "s2"}
	wrong := setting.Problem{Setting: "limits.steps", Layer: "an editor", Text: "is wrong"}
	sc := play(t, plot{files: hello})
	var want []string
	for _, c := range []struct{ list, told []setting.Problem }{
		{[]setting.Problem{wrong, value}, []setting.Problem{wrong, value}},
		{[]setting.Problem{wrong, value}, nil},
		{[]setting.Problem{wrong, value, other}, []setting.Problem{other}},
		{[]setting.Problem{value}, nil},
		{[]setting.Problem{wrong, other}, []setting.Problem{wrong}},
		{nil, nil},
	} {
		sc.srv.engines.tellProblems(c.list)
		if c.told != nil {
			for _, p := range c.told { // what waits has a message of its own
				want = append(want, p.String())
			}
		}
	}
	sc.srv.engines.tellProblems([]setting.Problem{{Layer: "the end"}})
	sc.expect(lsptest.ShownMessage("the end"))
	var got []string
	for _, m := range sc.State().Messages {
		got = append(got, m.Text)
	}
	if got = got[:len(got)-1]; !slices.Equal(got, want) {
		t.Errorf("told %q, want %q", got, want)
	}
}
