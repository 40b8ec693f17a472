package sandbox

import (
	_ "embed" // what waits
	"regexp"
	"strconv"
	"strings"

	"caselsp/sandbox/inside"
)

// A pytest spends most of a small project's run on importing itself. So where the
// command before was one, the next runner is a pytest, too, which imports and waits
// for its arguments. It runs one command, as every runner does, and none was there
// before it: unlike with a server that forks, no run can find anything of another.
// What it was told and what the project holds decide whether it goes on as pytest
// or becomes a shell for the command, as any runner: see pytestwait.py.

//go:embed pytestwait.py
var pytestWait string

// pytestForms are the beginnings of lines that are served so.
var pytestForms = []string{"python3 -m pytest", "python -m pytest", "pytest"}

var (
	// pytestWord is one word after them, without anything that a shell would not take
	// as it stands.
	pytestWord = regexp.MustCompile(`^ +(?:([A-Za-z0-9_./:=,@%+-]+)|'([^'\x00\n]*)'|"([^"$\x60\\!\x00\n]*)")`)

	// pytestOther are options with which more is imported before pytest looks at the
	// project.
	pytestOther = regexp.MustCompile(`^-p`)
)

// pytestCommand takes a line apart. The form is empty for a line that is not simply
// pytest's.
func pytestCommand(line string) (form string, arguments []string) {
	for _, form := range pytestForms {
		rest, ok := strings.CutPrefix(strings.TrimSpace(line), form)
		for ok && rest != "" {
			m := pytestWord.FindStringSubmatch(rest)
			if m == nil || pytestOther.MatchString(m[1]+m[2]+m[3]) {
				return "", nil
			}
			arguments, rest = append(arguments, m[1]+m[2]+m[3]), rest[len(m[0]):]
			ok = rest == "" || rest[0] == ' '
		}
		if ok {
			return form, arguments
		}
	}
	return "", nil
}

// pytestMark is what such a runner adds to its first word.
const pytestMark = " for pytest"

// pytestScript starts a runner that is a pytest, where the image knows how to, and
// else goes on.
func pytestScript(form string) string {
	return "if [ -e /usr/local/lib/caselsp/pytest ] && [ -x /bin/bash ]; then echo '" + preparedMark + pytestMark + "'\nexec 9<&0 </dev/null 2>&1\nexec /bin/bash -c " + quote(form) + "\nfi\nunset CASELSP_WAIT\n"
}

// pytestVariable hands over what that pytest runs first.
func pytestVariable() string {
	return "CASELSP_WAIT=SHELL = " + strconv.Quote(inside.LineShell) + "\n" + pytestWait
}

// served returns what a runner that is a pytest is told beside the script that makes
// the work tree, or false where it has to become a shell.
func (r *runner) served(cmd Command) (string, bool) {
	form, arguments := pytestCommand(cmd.Line)
	if !r.relay.isPytest() || r.form != form || len(cmd.Env) > 0 {
		return "", false
	}
	return strings.Join(append([]string{cmd.Line}, arguments...), "\x00"), true
}

func (r *relay) isPytest() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.pytest
}
