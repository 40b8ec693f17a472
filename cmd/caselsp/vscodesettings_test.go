package main

import (
	"bytes"
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"

	"caselsp/agent/settings"
)

// vscodeManifest is what VS Code knows of its extension before it runs.
const vscodeManifest = "../../editors/vscode/package.json"

// vscodeBlock is where the settings of the server stand in it.
var vscodeBlock = regexp.MustCompile(`(?s)("id": "server",\s*"title": "caselsp",\s*"order": 2,\s*"properties": )\{.*?\}(\n {6}\}\n {4}\],\n {4}"configurationDefaults")`)

// TestReadmeVSCode keeps the settings that VS Code shows equal to those that there are; -update
// rewrites them. None has a default there: VS Code would send it as if the user had set it.
func TestReadmeVSCode(t *testing.T) {
	manifest, err := os.ReadFile(vscodeManifest)
	if err != nil {
		t.Fatal(err)
	}
	if !vscodeBlock.Match(manifest) {
		t.Fatalf("%s has no block for the settings of the server", vscodeManifest)
	}
	block := strings.ReplaceAll(vscodeSettings(t), "$", "$$")
	now := vscodeBlock.ReplaceAll(manifest, []byte("${1}"+block+"${2}"))
	if !json.Valid(now) {
		t.Fatalf("%s is no JSON", vscodeManifest)
	}
	switch {
	case bytes.Equal(now, manifest):
	case !*update:
		t.Errorf("%s is stale: run make generate", vscodeManifest)
	default:
		if err := os.WriteFile(vscodeManifest, now, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// vscodeSetting is one setting in the manifest. One that only the user sets has the scope of the
// machine: VS Code takes it from no workspace.
type vscodeSetting struct {
	Type        any            `json:"type"`
	Items       map[string]any `json:"items,omitempty"`
	Enum        []any          `json:"enum,omitempty"`
	Default     any            `json:"default"`
	Scope       string         `json:"scope"`
	Order       int            `json:"order"`
	Description string         `json:"markdownDescription"`
}

// vscodeSettings is the block: an object in the order of the table.
func vscodeSettings(t *testing.T) string {
	var b strings.Builder
	b.WriteString("{")
	for i, s := range settings.All() {
		// null: not set.
		d := vscodeSetting{Type: []settings.Type{s.Type, "null"}, Scope: "window", Order: i + 1, Description: s.Doc}
		if s.Type == settings.List {
			d.Items = map[string]any{"type": "string"}
		}
		for _, w := range s.Words {
			d.Enum = append(d.Enum, w)
		}
		if len(s.Words) > 0 {
			d.Enum = append(d.Enum, nil)
		}
		if s.Workspace == settings.Never {
			d.Scope = "machine"
		}
		d.Description += " Must be " + s.Allowed + "."
		if s.Default != "" {
			d.Description += " Default: `" + s.Default + "`."
		}
		var text bytes.Buffer
		e := json.NewEncoder(&text)
		e.SetEscapeHTML(false)
		e.SetIndent("          ", "  ")
		if err := e.Encode(d); err != nil {
			t.Fatal(err)
		}
		if i > 0 {
			b.WriteString(",")
		}
		b.WriteString("\n          \"caselsp." + s.Name + "\": " + strings.TrimSpace(text.String()))
	}
	b.WriteString("\n        }")
	return b.String()
}
