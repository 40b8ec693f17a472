package shell

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// dashPrelude hides those builtins of dash that a function can hide. The others (., :,
// break, continue, eval, exec, exit, export, local, readonly, return, set, shift, times,
// trap, unset) do what they do, with programs that only write down that they were run.
var dashPrelude = func() string {
	var b strings.Builder
	for _, name := range strings.Fields("bg cd chdir echo false fc fg getopts hash jobs kill printf pwd read test true type ulimit umask unalias wait") {
		b.WriteString(name + "() { written " + name + " \"$@\"; }\n")
	}
	return b.String()
}()

// dash holds what is allowed against dash, with programs of its own.
type dash struct {
	program, folder string
	names           []string // of its programs
}

func newDash(t testing.TB, program string) *dash {
	d := &dash{program: program, folder: t.TempDir()}
	text := "#!" + program + `
case $0 in */written) ;; *) set -- "${0##*/}" "$@" ;; esac
printf '%s\0' "$#" "$@" >>"$trace"
exit $want
`
	if err := os.WriteFile(filepath.Join(d.folder, "written"), []byte(text), 0o700); err != nil {
		t.Fatal(err)
	}
	return d
}

var programName = regexp.MustCompile(`[A-Za-z0-9_.+-]+`)

// add makes a program of each word that a line might run.
func (d *dash) add(t *testing.T, text string) {
	for _, name := range programName.FindAllString(strings.NewReplacer("\\", "", "'", "", `"`, "").Replace(text), -1) {
		if strings.Trim(name, ".") == "" || slices.Contains(d.names, name) || len(name) > 100 {
			continue
		}
		d.names = append(d.names, name)
		if err := os.Symlink("written", filepath.Join(d.folder, name)); err != nil && !os.IsExist(err) {
			t.Fatal(err)
		}
	}
}

var missing = regexp.MustCompile(`(?m)^\S+: \d+: (.+): (?:not found|Permission denied)$`)

// check reports what dash runs of an allowed line and nobody judged.
func (d *dash) check(t *testing.T, line string) {
	t.Helper()
	commands := seen(t, line, eased)
	d.add(t, line)
	for _, status := range []string{"0", "1"} {
		ran, said := traced(t, d.program, dashPrelude, line, d.folder, status)
		for _, m := range missing.FindAllStringSubmatch(said, -1) {
			ran = append(ran, []string{m[1]})
		}
		for _, words := range ran {
			if words[0] == "time" && len(words) > 1 { // a program in dash, which runs the rest
				words = words[1:]
			}
			if !slices.ContainsFunc(commands, func(c *command) bool {
				// Where braces are not expanded they are text, and the words of a
				// program that is not there are not known.
				loose := strings.Contains(line, "{") || len(words) == 1
				return same(c.words, words) || loose && c.words[0].text == words[0]
			}) {
				t.Errorf("%q is allowed, and dash runs %q (%s)", line, words, said)
			}
		}
	}
}
