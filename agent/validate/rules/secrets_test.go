package rules

import (
	"testing"

	"caselsp/agent/validate/validatetest"
	"caselsp/store/secret"
)

// TestSecretFormats finds an example of every format that is known: in a text, in
// a string of a program and in a comment.
func TestSecretFormats(t *testing.T) {
	for _, f := range secret.Table() {
		for name, text := range map[string]string{
			"notes.txt": f.Example + "\n",
			"app.py":    "import os\n\nvalue = \"" + f.Example + "\"\n",
			"main.go":   "package main\n\n// " + f.Example + "\n",
		} {
			if found := validatetest.OfRule(Default().Check(name, text), "secret-token"); len(found) != 1 {
				t.Errorf("%s: %d findings of secret-token in %s:\n%s%s", f.Service, len(found), name, text, validatetest.Messages(found))
			}
		}
	}
}
