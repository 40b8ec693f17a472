// Package validatetest reads the fixtures of the rules: txtar archives of real
// source with marks where a finding is expected. Only tests import it.
package validatetest

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"caselsp/agent/validate"
	"caselsp/store/lazyregexp"
)

// mark is where a fixture expects a finding: @diag(rule) or @diag(rule "source")
// at the end of the line that it begins on.
var mark = lazyregexp.New(`[ \t]*@diag\(([a-z0-9-]+)(?: "((?:[^"\\]|\\.)*)")?\)`)

// Mark is an expected finding.
type Mark struct {
	Rule   string
	Line   int    // from 1
	Source string // what it covers; "" where the fixture does not say
}

// Cut takes the marks out of a text.
func Cut(marked string) (text string, list []Mark) {
	for i, line := range strings.Split(marked, "\n") {
		for _, m := range mark.FindAllStringSubmatch(line, -1) {
			list = append(list, Mark{m[1], i + 1, strings.NewReplacer(`\"`, `"`, `\\`, `\`).Replace(m[2])})
		}
	}
	return mark.ReplaceAllString(marked, ""), list
}

// Archives returns the archives of a folder of fixtures, by path.
func Archives(tb testing.TB, testdata string) map[string]*txtar.Archive {
	tb.Helper()
	paths, err := filepath.Glob(filepath.Join(testdata, "*", "*.txtar"))
	if err != nil || len(paths) == 0 {
		tb.Fatalf("no fixtures in %s: %v", testdata, err)
	}
	archives := map[string]*txtar.Archive{}
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			tb.Fatal(err)
		}
		archives[path] = txtar.Parse(data)
	}
	return archives
}

// Sources calls each with every file of the fixtures, in order, without marks.
func Sources(tb testing.TB, testdata string, each func(name, text string)) {
	tb.Helper()
	archives := Archives(tb, testdata)
	var paths []string
	for path := range archives {
		paths = append(paths, path)
	}
	slices.Sort(paths)
	for _, path := range paths {
		for _, f := range archives[path].Files {
			text, _ := Cut(string(f.Data))
			each(f.Name, text)
		}
	}
}

// OfRule returns the findings of one rule.
func OfRule(found []validate.Finding, id string) []validate.Finding {
	return slices.DeleteFunc(slices.Clone(found), func(f validate.Finding) bool { return f.Rule != id })
}

// Messages lists findings for the message of a failing test.
func Messages(found []validate.Finding) string {
	var b strings.Builder
	for _, f := range found {
		fmt.Fprintf(&b, "\t%d: %s\n", f.Start.Line+1, f.Message)
	}
	return b.String()
}
