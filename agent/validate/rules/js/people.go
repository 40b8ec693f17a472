package js

import (
	"path"
	"strings"

	"caselsp/agent/syntax"
	"caselsp/agent/validate"
)

// forPeople reports whether a script talks to whoever runs it: a command, a
// test, an example, a build script. There, console.log is the output.
func forPeople(p *validate.Pass) bool {
	if strings.HasPrefix(p.Text, "#!") {
		return true
	}
	base := path.Base(p.Path)
	for _, dir := range strings.Split(path.Dir(p.Path), "/") {
		if peopleDirs[strings.ToLower(dir)] {
			return true
		}
	}
	stem := strings.TrimSuffix(base, path.Ext(base))
	return syntax.ContainsAny(base, []string{".test.", ".spec.", ".config.", ".stories."}) || peopleFiles[strings.ToLower(stem)]
}

var (
	peopleDirs = syntax.WordSet(`bin scripts script test tests __tests__ spec specs example examples demo demos bench benchmark benchmarks tools tool tasks task
		build cli e2e cypress fixtures docs doc sample samples debug`)
	peopleFiles = syntax.WordSet("gulpfile gruntfile jakefile cli build webpack rollup karma test server debug")
)
