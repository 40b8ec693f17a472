package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestPlainJSON(t *testing.T) {
	const text = "a\u009b31mb\u202ec\u2066d\u2069\u061c\u200f\x7f\u0085 \x1b[2J é 日本 😀 <&>"
	var out bytes.Buffer
	if err := newEncoder(&out).Encode(map[string]string{text: text}); err != nil {
		t.Fatal(err)
	}
	if at := bytes.ContainsAny(out.Bytes(), "\u009b\u202e\u2066\u2069\u061c\u200f\x7f\u0085\x1b"); at {
		t.Errorf("a terminal obeys %q", out.String())
	}
	if !strings.Contains(out.String(), "é 日本 😀") {
		t.Errorf("what is shown is escaped: %s", out.String())
	}
	var back map[string]string
	if err := json.Unmarshal(out.Bytes(), &back); err != nil || back[text] != text {
		t.Errorf("it is read as %q (%v)", back, err)
	}
}

// TestOneEncoder holds that commands print JSON by newEncoder alone.
func TestOneEncoder(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		source, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if name != "jsonout.go" && !strings.HasSuffix(name, "_test.go") && bytes.Contains(source, []byte("json.NewEncoder(")) {
			t.Errorf("%s has an encoder of its own: use newEncoder", name)
		}
	}
}
