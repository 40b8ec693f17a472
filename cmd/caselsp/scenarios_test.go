package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// otherwise are the subcommands whose scenario is not a script: what a test that
// runs the real binary calls for it.
var otherwise = map[string]string{
	"demo":  "func TestDemoScript(", // plays the demo
	"serve": "startServer(t, ",      // an editor with the server as its child
}

// TestEverySubcommandHasScenario fails for a subcommand that no scenario runs.
func TestEverySubcommandHasScenario(t *testing.T) {
	scripts := textOf(t, filepath.Join("testdata", "script", "*.txtar"))
	tests := textOf(t, "*_test.go")
	for _, path := range subcommands(rootCommand()) {
		if call := otherwise[path]; call != "" {
			if !strings.Contains(tests, "\t"+call) && !strings.Contains(tests, "\n"+call) && !strings.Contains(tests, " := "+call) {
				t.Errorf("no test runs caselsp %s", path)
			}
			continue
		}
		if !regexp.MustCompile(`(?m)^(?:! |\[[^\]]*\] )*(?:exec )?caselsp (?:--?\S+ )*` + path + `(?: |$)`).MatchString(scripts) {
			t.Errorf("no scenario in testdata/script runs caselsp %s", path)
		}
	}
}

// subcommands returns the words of every subcommand that does something itself.
func subcommands(c *cobra.Command) []string {
	var list []string
	for _, sub := range c.Commands() {
		if sub.Runnable() {
			list = append(list, strings.TrimPrefix(sub.CommandPath(), c.Root().Name()+" "))
		}
		list = append(list, subcommands(sub)...)
	}
	return list
}

// textOf returns the text of all files that a pattern matches.
func textOf(t *testing.T, pattern string) string {
	t.Helper()
	names, err := filepath.Glob(pattern)
	if err != nil || len(names) == 0 {
		t.Fatalf("%s: %d files, %v", pattern, len(names), err)
	}
	var b strings.Builder
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		b.Write(text)
		b.WriteByte('\n')
	}
	return b.String()
}
