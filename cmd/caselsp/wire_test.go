package main

import (
	"slices"
	"testing"

	"caselsp/agent/llm/openai"
	"caselsp/agent/settings"
)

// TestPresetsCanBeSet keeps the providers that the settings allow equal to those
// that the wire knows: neither package may import the other.
func TestPresetsCanBeSet(t *testing.T) {
	known := []string{"custom"} // any server, by its address
	for _, p := range openai.Presets() {
		known = append(known, p.Name)
	}
	allowed := slices.Clone(settings.Providers)
	slices.Sort(known)
	slices.Sort(allowed)
	if !slices.Equal(known, allowed) {
		t.Errorf("model.provider allows %q, the wire knows %q", allowed, known)
	}
}

func TestKeyNames(t *testing.T) {
	for _, c := range []struct {
		name string
		in   settings.Model
		want []string
	}{
		{"the preset's variable", settings.Model{Provider: "gemini"}, []string{"GEMINI_API_KEY"}},
		{"the setting goes before it", settings.Model{Provider: "gemini", KeyEnv: "MY_KEY"}, []string{"MY_KEY"}},
		{"the address tells the provider", settings.Model{BaseURL: "https://openrouter.ai/api/v1"}, []string{"OPENROUTER_API_KEY"}},
		{"no key of OpenAI's for an address of somebody else", settings.Model{BaseURL: "http://127.0.0.1:1/v1"}, nil},
	} {
		if got := keyNames(c.in); !slices.Equal(got, c.want) {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}
